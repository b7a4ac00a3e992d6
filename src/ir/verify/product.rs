//! Rules of matrix products.

use super::convert::verdict;
use super::{Verdict, dimensions, operand, result};
use crate::encoding::Encoding;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::{self, Complaint};
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, TypeLike};

/// M x K times K x N is M x N, with the same leading dimensions everywhere.
fn shapes(a: &[u64], b: &[u64], d: &[u64]) -> Option<Complaint> {
    let fits = a.len() >= 2 && a.len() == b.len() && a.len() == d.len() && {
        let rank = a.len();
        a[..rank - 2] == b[..rank - 2]
            && a[..rank - 2] == d[..rank - 2]
            && a[rank - 1] == b[rank - 2]
            && a[rank - 2] == d[rank - 2]
            && b[rank - 1] == d[rank - 1]
    };
    (!fits).then(|| {
        Complaint::new(format!(
            "needs shapes M x K, K x N and M x N, but has {}, {} and {}",
            dimensions(a),
            dimensions(b),
            dimensions(d)
        ))
    })
}

pub(super) fn dot(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (operand(op, 0), operand(op, 1), result(op, 0)) else {
        return Ok(());
    };
    let mut complaints = Vec::new();
    if element_bits(a.element) != element_bits(b.element) {
        complaints.push(Complaint::new(format!(
            "needs operands of the same element width, but has `{}` and `{}`",
            a.element, b.element
        )));
    }
    complaints.extend(shapes(&a.shape, &b.shape, &d.shape)); // dot_c2
    let (Some(left), Some(right)) = (a.encoding, b.encoding) else {
        if a.encoding.is_some() != b.encoding.is_some() {
            complaints.push(Complaint::new(
                "needs an encoding on both operands, or on neither",
            ));
        }
        return verdict(complaints);
    };
    let Some(accumulator) = d.encoding else {
        complaints.push(Complaint::new(format!(
            "has operands with an encoding, but the accumulator `{}` has none",
            d.type_
        )));
        return verdict(complaints);
    };
    let cache = Layouts::of(op.context());
    let (Ok(left), Ok(right), Ok(accumulator)) = (
        cache.encoding(left),
        cache.encoding(right),
        cache.encoding(accumulator),
    ) else {
        return verdict(complaints);
    };
    let (Encoding::DotOperand(left), Encoding::DotOperand(right)) = (&*left, &*right) else {
        complaints.push(
            Complaint::new(format!(
                "needs operands whose encoding is `#ttg.dot_op`, but has `{}` and `{}`",
                a.type_, b.type_
            ))
            .note("convert them with `ttg.convert_layout`"),
        );
        return verdict(complaints);
    };
    for (operand, index) in [(left, 0), (right, 1)] {
        if operand.op_idx() != index {
            complaints.push(Complaint::new(format!(
                "needs operand {index} of a product as operand {index}, but its encoding is for operand {}",
                operand.op_idx()
            )));
        }
        if operand.parent() != &*accumulator {
            complaints.push(
                Complaint::new(format!(
                    "needs operand {index} laid out for the result, but its parent is `{}`",
                    operand.parent()
                ))
                .note(format!("the result's encoding is `{accumulator}`")),
            );
        }
    }
    if left.k_width() != right.k_width() {
        complaints.push(Complaint::new(format!(
            "needs the same `kWidth` for both operands, but has {} and {}",
            left.k_width(),
            right.k_width()
        ))); // dot_c5
    }
    if let Encoding::NvidiaMma(mma) = &*accumulator {
        if mma.is_ampere() {
            complaints.extend(on_ampere(op, &a, &b));
        }
        let (k, least) = (a.shape.last().copied(), 4 * u64::from(left.k_width()));
        if k.is_some_and(|k| k < least) {
            complaints.push(Complaint::new(format!(
                "needs at least {least} elements along K, 4 times `kWidth`, but has `{}`",
                a.type_
            ))); // dot_c7
        }
    }
    verdict(complaints)
}

/// The elements that `mma` multiplies.
fn on_ampere(
    op: OperationRef<'_, '_>,
    a: &TensorType<'_>,
    b: &TensorType<'_>,
) -> Option<Complaint> {
    const TF32: i64 = 0;
    let is_known = |tensor: &TensorType<'_>| {
        IntegerType::try_from(tensor.element).map_or(true, |integer| integer.width() == 8)
    };
    if !is_known(a) || !is_known(b) {
        return Some(Complaint::new(format!(
            "multiplies floats and `i8` by `mma`, but has `{}` and `{}`",
            a.element, b.element
        ))); // dot_c6
    }
    let is_f32 = a.element.is_f32() && b.element.is_f32();
    (is_f32 && super::integer(op, "inputPrecision") != TF32).then(|| {
        Complaint::new("multiplies `f32` by `mma` only as `tf32`")
            .note("set `inputPrecision = tf32`, or lay the product out as `#ttg.blocked`") // dot_c6
    })
}

pub(super) fn warp_group_dot(op: OperationRef<'_, '_>) -> Verdict {
    let shape = |i| {
        let type_ = super::operand_type(op, i)?;
        TensorType::of(type_)
            .map(|t| t.shape)
            .or_else(|| sys::buffer(type_).map(|b| b.shape))
    };
    let (Some(a), Some(b), Some(d)) = (shape(0), shape(1), result(op, 0)) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = shapes(&a, &b, &d.shape).into_iter().collect();
    let cache = Layouts::of(op.context());
    let encoding = d.encoding.and_then(|e| cache.encoding(e).ok());
    if !matches!(encoding.as_deref(), Some(Encoding::NvidiaMma(mma)) if mma.version_major() == 3) {
        complaints.push(Complaint::new(format!(
            "needs a result whose encoding is `#ttg.nvidia_mma` of version 3, but has `{}`",
            d.type_
        )));
        return verdict(complaints);
    }
    let left = operand(op, 0)
        .and_then(|a| a.encoding)
        .and_then(|e| cache.encoding(e).ok());
    let (Some(left), Some(encoding)) = (left, encoding) else {
        return verdict(complaints);
    };
    match &*left {
        Encoding::DotOperand(left) if left.op_idx() == 0 && left.parent() == &*encoding => {}
        other => complaints.push(
            Complaint::new(format!(
                "needs `a` in registers as operand 0 of the result's layout, but its encoding is `{other}`"
            ))
            .note(format!("the result's encoding is `{encoding}`")),
        ),
    }
    verdict(complaints)
}
