//! Canonical form of what is known of every element at once: splats, constants, constant masks.

use super::verify::{integer as integer_of, integers, segment};
use super::{OpKind, UpstreamKind};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewrite};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike};

/// The number that a constant is, or that all elements of a constant tensor are.
fn constant<'c>(value: Val<'c>) -> Option<Attribute<'c>> {
    let producer = sys::defining_operation(value)?;
    if !UpstreamKind::ArithConstant.is(producer) {
        return None;
    }
    let value = producer.attribute("value").ok()?;
    build::splat_value(value).or_else(|| (value.is_integer() || value.is_float()).then_some(value))
}

fn integer(value: Val<'_>) -> Option<i64> {
    constant(value).and_then(build::integer_value)
}

/// Whether all elements of a tensor are one value, which can be spread again in another shape.
fn is_splat(value: Val<'_>) -> bool {
    sys::defining_operation(value).is_some_and(|producer| OpKind::TtSplat.is(producer))
        || constant(value).is_some()
}

/// A view of one value everywhere is that value everywhere, in the shape and encoding of the view.
pub(super) fn view<'c>(op: Op<'c>) -> Option<Rewrite<'c>> {
    let source = build::operand(op, 0);
    is_splat(source).then_some(Rewrite::Recreate(source))
}

/// A tensor that is spread twice is spread once.
pub(super) fn broadcast<'c>(op: Op<'c>) -> Rewrite<'c> {
    let source = build::operand(op, 0);
    view(op).unwrap_or_else(|| {
        sys::defining_operation(source)
            .filter(|inner| inner.name() == op.name())
            .map_or(Rewrite::Keep, |inner| {
                Rewrite::SetOperand(0, build::operand(inner, 0))
            })
    })
}

/// A pointer moved by nothing is that pointer.
pub(super) fn addptr<'c>(op: Op<'c>) -> Rewrite<'c> {
    match integer(build::operand(op, 1)) {
        Some(0) => Rewrite::Replace(build::operand(op, 0)),
        _ => Rewrite::Keep,
    }
}

/// A constant everywhere is a constant tensor.
pub(super) fn splat<'c>(op: Op<'c>) -> Rewrite<'c> {
    constant(build::operand(op, 0)).map_or(Rewrite::Keep, Rewrite::Constant)
}

/// A range of one number is that number.
pub(super) fn make_range<'c>(op: Op<'c>) -> Rewrite<'c> {
    let (start, end) = (integer_of(op, "start"), integer_of(op, "end"));
    if end - start != 1 {
        return Rewrite::Keep;
    }
    let i32 = IntegerType::new(build::context(op), 32).into();
    Rewrite::Constant(IntegerAttribute::new(i32, start).into())
}

/// A mask that is true everywhere is none; where it is false everywhere, nothing is read or written.
pub(super) fn masked<'c>(op: Op<'c>, mask: usize) -> Rewrite<'c> {
    let group = |i| {
        let range = if integers(op, "operandSegmentSizes").is_empty() {
            i..op.operand_count().min(i + 1)
        } else {
            segment(op, i)
        };
        range.map(|i| build::operand(op, i)).next()
    };
    match group(mask).and_then(integer) {
        None => Rewrite::Keep,
        Some(0) if op.result_count() == 0 => Rewrite::Erase,
        Some(0) => group(mask + 1).map_or(Rewrite::Keep, Rewrite::Replace),
        Some(_) => Rewrite::Unmask,
    }
}
