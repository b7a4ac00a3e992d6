//! Rules of operations that change the type of elements, or pick elements.

use super::{Verdict, dimensions, inference_mismatch, integer, layouts, one, operand, result};
use crate::encoding::infer;
use crate::ir::{TensorType, element_bits};
use crate::layout::Dim;
use crate::sys::{self, Complaint};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type};

/// The element type of a tensor, or a number's own type.
pub(super) fn element(type_: Type<'_>) -> Type<'_> {
    TensorType::of(type_).map_or(type_, |tensor| tensor.element)
}

pub(super) fn gather(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(indices), Some(dst)) = (operand(op, 0), operand(op, 1), result(op, 0))
    else {
        return Ok(());
    };
    let mut complaints = Vec::new();
    if indices.shape != dst.shape {
        complaints.push(Complaint::new(format!(
            "needs indices and a result of the same shape, but has {} and {}",
            dimensions(&indices.shape),
            dimensions(&dst.shape)
        )));
    }
    if indices.encoding != dst.encoding {
        complaints.push(Complaint::new(format!(
            "needs indices and a result of the same encoding, but has `{}` and `{}`",
            indices.type_, dst.type_
        )));
    }
    if src.element != dst.element {
        complaints.push(Complaint::new(format!(
            "takes elements of `{}`, but the result has `{}`",
            src.element, dst.element
        )));
    }
    if src.shape.len() != indices.shape.len() {
        complaints.push(Complaint::new(format!(
            "needs an operand and indices of the same rank, but has {} and {}",
            src.shape.len(),
            indices.shape.len()
        )));
        return Err(complaints);
    }
    let axis = integer(op, "axis");
    let Some(axis) = usize::try_from(axis).ok().filter(|a| *a < src.shape.len()) else {
        complaints.push(Complaint::new(format!(
            "has axis {axis}, but the operand has rank {}",
            src.shape.len()
        )));
        return Err(complaints);
    };
    for (i, (from, at)) in src.shape.iter().zip(&indices.shape).enumerate() {
        if i != axis && from != at {
            complaints.push(Complaint::new(format!(
                "needs the same size of dimension {i} in operand and indices, but has {from} and {at}"
            )));
        }
    }
    verdict(complaints)
}

pub(super) fn verdict(complaints: Vec<Complaint>) -> Verdict {
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(complaints)
    }
}

pub(super) fn unsplat(op: OperationRef<'_, '_>) -> Verdict {
    match operand(op, 0) {
        Some(src) if src.num_elements() != 1 => Err(one(Complaint::new(format!(
            "needs a tensor of one element, but `{}` has {}",
            src.type_,
            src.num_elements()
        )))),
        _ => Ok(()),
    }
}

pub(super) fn bitcast(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(from), Some(to)) = (super::operand_type(op, 0), super::result_type(op, 0)) else {
        return Ok(());
    };
    let (from, to) = (element(from), element(to));
    match (sys::pointer(from), sys::pointer(to)) {
        (Some((_, a)), Some((_, b))) if a != b => Err(one(Complaint::new(format!(
            "cannot make a pointer into another memory: `{from}` to `{to}`"
        )))),
        (Some(_), Some(_)) => Ok(()),
        (None, None) if element_bits(from) == element_bits(to) => Ok(()),
        (None, None) => Err(one(Complaint::new(format!(
            "needs types of the same width, but `{from}` has {} bits and `{to}` has {}",
            element_bits(from).unwrap_or(0),
            element_bits(to).unwrap_or(0)
        )))), // bitcast_c3
        (Some(_), None) if element_bits(to) == Some(64) => Ok(()),
        (None, Some(_)) if element_bits(from) == Some(64) => Ok(()),
        _ => Err(one(Complaint::new(format!(
            "cannot make `{to}` of `{from}`: a pointer has 64 bits"
        )))),
    }
}

pub(super) fn fp_to_fp(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(from), Some(to)) = (super::operand_type(op, 0), super::result_type(op, 0)) else {
        return Ok(());
    };
    let (from, to) = (element(from), element(to));
    if element_bits(to) < element_bits(from) && !op.has_attribute("rounding") {
        return Err(one(Complaint::new(format!(
            "narrows `{from}` to `{to}`, but does not say how to round"
        ))
        .note(
            "add `, rounding = rtne` (to nearest) or `, rounding = rtz` (towards zero)",
        ))); // fp_to_fp_c1
    }
    Ok(())
}

/// The memory ordering is one of those that make sense for a read or a write.
pub(super) fn ordering(op: OperationRef<'_, '_>, allowed: &[i64]) -> Verdict {
    const NAMES: [&str; 5] = ["none", "relaxed", "acquire", "release", "acq_rel"];
    let name = |i: i64| {
        usize::try_from(i)
            .ok()
            .and_then(|i| NAMES.get(i).copied())
            .unwrap_or("unknown")
    };
    let found = integer(op, "sem");
    if allowed.contains(&found) {
        return Ok(());
    }
    Err(one(Complaint::new(format!(
        "can be `{}` or `{}`, but is `{}`",
        name(allowed[0]),
        name(allowed[1]),
        name(found)
    )))) // atomic_load_c1
}

pub(super) fn fp4_to_fp(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let mut complaints = Vec::new();
    if element_bits(dst.element) != Some(16) {
        complaints.push(Complaint::new(format!(
            "makes `f16` or `bf16`, but the result has `{}`",
            dst.element
        )));
    }
    if src.shape.len() != dst.shape.len() {
        complaints.push(Complaint::new(format!(
            "needs an operand and a result of the same rank, but has {} and {}",
            src.shape.len(),
            dst.shape.len()
        )));
        return Err(complaints);
    }
    let axis = integer(op, "axis");
    let Some(axis) = usize::try_from(axis).ok().filter(|a| *a < src.shape.len()) else {
        complaints.push(Complaint::new(format!(
            "has axis {axis}, but the operand has rank {}",
            src.shape.len()
        )));
        return Err(complaints);
    };
    let mut expected = src.shape.clone();
    expected[axis] *= 2;
    if dst.shape != expected {
        complaints.push(Complaint::new(format!(
            "makes the shape {}, but the result is `{}`",
            dimensions(&expected),
            dst.type_
        )));
        return Err(complaints);
    }
    if src.encoding.is_some() != dst.encoding.is_some() {
        complaints.push(Complaint::new(
            "needs an encoding on both operand and result, or on neither",
        ));
    }
    verdict(complaints)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    let inferred = infer::fp4_to_fp(&from.encoding, &src.shape, axis)
        .map_err(|e| one(Complaint::new(e.to_string())))?;
    if infer::equivalent(&inferred, &to.encoding, &dst.shape) {
        return Ok(());
    }
    match inferred.to_linear_layout(&dst.shape) {
        Ok(layout) => Err(inference_mismatch(&dst, &layout)),
        Err(e) => Err(one(Complaint::new(e.to_string()))),
    }
}

pub(super) fn convert_layout(op: OperationRef<'_, '_>) -> Verdict {
    if !op.has_attribute("force_warp_shuffle") {
        return Ok(());
    }
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    let crosses = from
        .full
        .minimal_conversion_to(&to.full)
        .is_ok_and(|moved| moved.has_in_dim(Dim::WARP) || moved.has_in_dim(Dim::BLOCK));
    if crosses {
        return Err(one(Complaint::new(
            "has `force_warp_shuffle`, but the conversion moves data between warps",
        )
        .note(
            "remove `force_warp_shuffle`, or choose layouts that give each warp the same elements",
        ))); // convert_layout_c1
    }
    Ok(())
}

/// A block and the tensor that it is read into or written from.
pub(super) fn descriptor(op: OperationRef<'_, '_>, tensor: Option<Type<'_>>) -> Verdict {
    let desc = super::operand_type(op, 0).and_then(sys::buffer);
    let (Some(desc), Some(tensor)) = (desc, tensor.and_then(TensorType::of)) else {
        return Ok(());
    };
    let mut complaints = Vec::new();
    if desc.element != tensor.element {
        complaints.push(Complaint::new(format!(
            "needs a block and a tensor of the same element type, but has `{}` and `{}`",
            desc.element, tensor.element
        )));
    }
    let elements: u64 = desc.shape.iter().product();
    if elements != tensor.num_elements() {
        complaints.push(Complaint::new(format!(
            "needs a block and a tensor of as many elements, but has {} with {elements} and {} with {}",
            dimensions(&desc.shape),
            dimensions(&tensor.shape),
            tensor.num_elements()
        )));
    }
    verdict(complaints)
}
