//! Rules of operations that change the type of elements, or pick elements.

use super::{Verdict, axes, dimensions, integer, layouts, one, operand, result};
use crate::encoding::infer;
use crate::ir::{TensorType, element_bits, is_element_of_block};
use crate::layout::Dim;
use crate::sys::{self, Diagnostic};
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
    let mut diagnostics = Vec::new();
    if indices.shape != dst.shape {
        diagnostics.push(Diagnostic::new(format!(
            "needs indices and a result of the same shape, but has {} and {}",
            dimensions(indices.shape),
            dimensions(dst.shape)
        ))); // gather_c1
    }
    if indices.encoding != dst.encoding {
        diagnostics.push(Diagnostic::new(format!(
            "needs indices and a result of the same encoding, but has `{}` and `{}`",
            indices.type_, dst.type_
        ))); // gather_c2
    }
    if src.element != dst.element {
        diagnostics.push(Diagnostic::new(format!(
            "takes elements of `{}`, but the result has `{}`",
            src.element, dst.element
        ))); // gather_c3
    }
    if src.shape.len() != indices.shape.len() {
        diagnostics.push(Diagnostic::new(format!(
            "needs an operand and indices of the same rank, but has {} and {}",
            src.shape.len(),
            indices.shape.len()
        ))); // gather_c4
        return Err(diagnostics);
    }
    let axis = integer(op, "axis");
    let Some(axis) = usize::try_from(axis).ok().filter(|a| *a < src.shape.len()) else {
        diagnostics.push(Diagnostic::new(format!(
            "has axis {axis}, but the operand has rank {}",
            axes(src.shape.len())
        ))); // gather_c5
        return Err(diagnostics);
    };
    for (i, (from, at)) in src.shape.iter().zip(indices.shape).enumerate() {
        if i != axis && from != at {
            diagnostics.push(Diagnostic::new(format!(
                "needs the same size of dimension {i} in operand and indices, but has {from} and {at}"
            ))); // gather_c6
        }
    }
    verdict(diagnostics)
}

pub(super) fn verdict(diagnostics: Vec<Diagnostic>) -> Verdict {
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics)
    }
}

pub(super) fn unsplat(op: OperationRef<'_, '_>) -> Verdict {
    match operand(op, 0) {
        Some(src) if src.num_elements() != 1 => Err(one(Diagnostic::new(format!(
            "needs a tensor of one element, but `{}` has {}",
            src.type_,
            src.num_elements()
        )))), // unsplat_c1
        _ => Ok(()),
    }
}

pub(super) fn bitcast(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(from), Some(to)) = (super::operand_type(op, 0), super::result_type(op, 0)) else {
        return Ok(());
    };
    let (from, to) = (element(from), element(to));
    match (sys::pointer(from), sys::pointer(to)) {
        (Some((_, a)), Some((_, b))) if a != b => Err(one(Diagnostic::new(format!(
            "cannot make a pointer into another memory: `{from}` to `{to}`"
        )))), // bitcast_c1
        (Some(_), Some(_)) => Ok(()),
        (None, None) if element_bits(from) == element_bits(to) => Ok(()),
        (None, None) => Err(one(Diagnostic::new(format!(
            "needs types of the same width, but `{from}` has {} bits and `{to}` has {}",
            element_bits(from).unwrap_or(0),
            element_bits(to).unwrap_or(0)
        )))), // bitcast_c3
        _ => Err(one(Diagnostic::new(format!(
            "cannot make `{to}` of `{from}`, of which one is a pointer"
        )))), // bitcast_c2
    }
}

pub(super) fn fp_to_fp(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(from), Some(to)) = (super::operand_type(op, 0), super::result_type(op, 0)) else {
        return Ok(());
    };
    let (from, to) = (element(from), element(to));
    if element_bits(to) < element_bits(from) && !op.has_attribute("rounding") {
        return Err(one(Diagnostic::new(format!(
            "narrows `{from}` to `{to}`, but does not say how to round"
        ))
        .note(
            "add `, rounding = rtne` (to nearest) or `, rounding = rtz` (towards zero)",
        ))); // fp_to_fp_c1
    }
    Ok(())
}

/// The width of what an operation's first operand points to.
fn pointee_bits(op: OperationRef<'_, '_>) -> Option<u32> {
    let (pointee, _) = sys::pointer(element(super::operand_type(op, 0)?))?;
    element_bits(pointee)
}

/// An atomic read or write, whose memory ordering is one of those that make sense for it.
pub(super) fn atomic_access(op: OperationRef<'_, '_>, orderings: &[i64]) -> Verdict {
    ordering(op, orderings)?;
    let bits = pointee_bits(op).unwrap_or(8);
    ensure!(
        bits >= 8,
        "accesses elements of at least 8 bits, but these have {bits}"
    ); // atomic_load_c2, atomic_store_c2
    Ok(())
}

pub(super) fn atomic_poll(op: OperationRef<'_, '_>) -> Verdict {
    ordering(op, &[1, 2])?;
    let bits = pointee_bits(op).unwrap_or(32);
    ensure!(
        matches!(bits, 16 | 32 | 64),
        "waits for numbers of 16, 32 or 64 bits, but these have {bits}"
    ); // atomic_poll_c1
    Ok(())
}

fn ordering(op: OperationRef<'_, '_>, allowed: &[i64]) -> Verdict {
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
    Err(one(Diagnostic::new(format!(
        "can be `{}` or `{}`, but is `{}`",
        name(allowed[0]),
        name(allowed[1]),
        name(found)
    )))) // atomic_load_c1, atomic_store_c1
}

pub(super) fn fp4_to_fp(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    if element_bits(dst.element) != Some(16) {
        diagnostics.push(Diagnostic::new(format!(
            "makes `f16` or `bf16`, but the result has `{}`",
            dst.element
        ))); // fp4_to_fp_c1
    }
    verdict(diagnostics)?;
    let axis = integer(op, "axis");
    let Some(axis) = usize::try_from(axis).ok().filter(|a| *a < src.shape.len()) else {
        return Err(one(Diagnostic::new(format!(
            "has axis {axis}, but the operand has rank {}",
            axes(src.shape.len())
        )))); // fp4_to_fp_c3
    };
    fp4_pairs(&src, &dst, axis)
}

/// Pairs of 4-bit elements along `axis`, and the tensor in which they stand one by one.
pub(super) fn fp4_pairs(packed: &TensorType<'_>, wide: &TensorType<'_>, axis: usize) -> Verdict {
    ensure!(
        packed.shape.len() == wide.shape.len(),
        "needs two tensors of the same rank, but has `{}` and `{}`",
        packed.type_,
        wide.type_
    ); // fp4_to_fp_c2, scaled_c12
    let mut expected = packed.shape.to_vec();
    expected[axis] *= 2;
    ensure!(
        wide.shape == expected,
        "has pairs along dimension {axis}, so {} is {} unpacked, but the other tensor is `{}`",
        dimensions(packed.shape),
        dimensions(&expected),
        wide.type_
    ); // fp4_to_fp_c4, scaled_c13
    ensure!(
        packed.encoding.is_some() == wide.encoding.is_some(),
        "needs an encoding on both operand and result, or on neither"
    ); // fp4_to_fp_c5, scaled_c14
    let Some((from, to)) = layouts(packed, wide) else {
        return Ok(());
    };
    let inferred = infer::fp4_to_fp_source(&to.encoding, wide.shape, axis)
        .map_err(|e| one(Diagnostic::new(e.to_string())))?; // fp4_to_fp_c6, scaled_c15
    if infer::equivalent(&inferred, &from.encoding, packed.shape) {
        return Ok(());
    }
    match inferred.to_linear_layout(packed.shape) {
        Ok(layout) => Err(one(Diagnostic::new(format!(
            "has pairs in `{}`, whose layout is not the one that follows from `{}`",
            packed.type_, wide.type_
        ))
        .note(format!("the layout that follows is:{layout}")))), // fp4_to_fp_c6, scaled_c15
        Err(e) => Err(one(Diagnostic::new(e.to_string()))), // fp4_to_fp_c6, scaled_c15
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
        return Err(one(Diagnostic::new(
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
    let mut diagnostics = Vec::new();
    if !is_element_of_block(tensor.element, desc.element) {
        diagnostics.push(Diagnostic::new(format!(
            "needs a block and a tensor of the same element type, but has `{}` and `{}`",
            desc.element, tensor.element
        ))); // descriptor_load_c1, descriptor_store_c1, descriptor_reduce_c1
    }
    let elements: u64 = desc.shape.iter().product();
    if elements != tensor.num_elements() {
        diagnostics.push(Diagnostic::new(format!(
            "needs a block and a tensor of as many elements, but has {} with {elements} and {} with {}",
            dimensions(&desc.shape),
            dimensions(tensor.shape),
            tensor.num_elements()
        ))); // descriptor_load_c2, descriptor_store_c2, descriptor_reduce_c2
    }
    verdict(diagnostics)
}

/// Rows of one block each, at indices: what `tt.descriptor_gather` and `tt.descriptor_scatter` move.
pub(super) fn descriptor_gather(op: OperationRef<'_, '_>, tensor: Option<Type<'_>>) -> Verdict {
    let block = super::operand_type(op, 0).and_then(sys::buffer);
    let (Some(block), Some(rows), Some(tensor)) =
        (block, operand(op, 1), tensor.and_then(TensorType::of))
    else {
        return Ok(());
    };
    ensure!(
        block.shape.len() == 2,
        "needs a descriptor of blocks of rank 2, but its blocks are {}",
        dimensions(&block.shape)
    ); // descriptor_gather_c1, descriptor_scatter_c1
    ensure!(
        block.shape[0] == 1,
        "needs a descriptor of blocks of one row, but its blocks are {}",
        dimensions(&block.shape)
    ); // descriptor_gather_c2, descriptor_scatter_c2
    gathered(&rows, tensor.type_, tensor.shape, tensor.element)?;
    ensure!(
        tensor.shape[1] == block.shape[1],
        "needs a tensor with the {} columns of a block, but `{}` has {}",
        block.shape[1],
        tensor.type_,
        tensor.shape[1]
    ); // descriptor_gather_c8, descriptor_scatter_c8
    ensure!(
        is_element_of_block(tensor.element, block.element),
        "needs a tensor of the block's `{}`, but has `{}`",
        block.element,
        tensor.type_
    ); // descriptor_gather_c9, descriptor_scatter_c9
    Ok(())
}

/// What the hardware can gather: `type_`, of this shape and element, at these rows.
pub(super) fn gathered(
    rows: &TensorType<'_>,
    type_: Type<'_>,
    shape: &[u64],
    element: Type<'_>,
) -> Verdict {
    ensure!(
        rows.shape.len() == 1,
        "needs row indices of rank 1, but has `{}`",
        rows.type_
    ); // descriptor_gather_c3, descriptor_scatter_c3
    ensure!(
        shape.len() == 2,
        "moves tensors of rank 2, but has `{type_}`"
    ); // descriptor_gather_c4, descriptor_scatter_c4
    ensure!(
        shape[0] >= 8,
        "moves at least 8 rows, but `{type_}` has {}",
        shape[0]
    ); // descriptor_gather_c5, descriptor_scatter_c5
    let bits = element_bits(element).unwrap_or(0);
    ensure!(
        bits <= 32,
        "moves elements of at most 32 bits, but `{element}` has {bits}"
    ); // descriptor_gather_c6, descriptor_scatter_c6
    let least = 256 / u64::from(bits.max(1));
    ensure!(
        shape[1] >= least,
        "moves at least 32 bytes of each row, {least} columns of `{element}`, but `{type_}` has {}",
        shape[1]
    ); // descriptor_gather_c7, descriptor_scatter_c7
    ensure!(
        shape[0] == rows.shape[0],
        "needs one index for each of {} rows, but has `{}`",
        shape[0],
        rows.type_
    ); // descriptor_gather_c10, descriptor_scatter_c10
    Ok(())
}
