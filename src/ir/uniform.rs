//! Canonical form of what is known of every element at once: splats, constants, constant masks.

use super::OpKind;
use super::ops::{arith, tt};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewrite};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike};

/// The number that a constant is, or that all elements of a constant tensor are.
fn constant<'c>(value: Val<'c>) -> Option<Attribute<'c>> {
    let value = arith::Constant::of(sys::defining_operation(value)?)?.value();
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
    let source = build::only_operand(op);
    is_splat(source).then_some(Rewrite::Recreate(source))
}

/// A tensor that is spread twice is spread once.
pub(super) fn broadcast<'c>(op: Op<'c>) -> Rewrite<'c> {
    let Some(spread) = tt::Broadcast::of(op) else {
        return Rewrite::Keep;
    };
    view(op).unwrap_or_else(|| {
        sys::defining_operation(spread.src())
            .and_then(tt::Broadcast::of)
            .map_or(Rewrite::Keep, |inner| {
                Rewrite::SetOperand(spread.src_at().start, inner.src())
            })
    })
}

/// A pointer moved by nothing is that pointer.
pub(super) fn addptr<'c>(op: Op<'c>) -> Rewrite<'c> {
    match tt::AddPtr::of(op) {
        Some(op) if integer(op.offset()) == Some(0) => Rewrite::Replace(op.ptr()),
        _ => Rewrite::Keep,
    }
}

/// A constant everywhere is a constant tensor.
pub(super) fn splat<'c>(op: Op<'c>) -> Rewrite<'c> {
    constant(build::only_operand(op)).map_or(Rewrite::Keep, Rewrite::Constant)
}

/// A range of one number is that number.
pub(super) fn make_range<'c>(op: Op<'c>) -> Rewrite<'c> {
    match tt::MakeRange::of(op) {
        Some(range) if range.end() - range.start() == 1 => {
            let i32 = IntegerType::new(build::context(op), 32).into();
            Rewrite::Constant(IntegerAttribute::new(i32, range.start()).into())
        }
        _ => Rewrite::Keep,
    }
}

/// A read whose mask is true everywhere has none; where it is false everywhere, nothing is read.
pub(super) fn load<'c>(op: Op<'c>) -> Rewrite<'c> {
    let Some(load) = tt::Load::of(op) else {
        return Rewrite::Keep;
    };
    match load.mask().and_then(integer) {
        None => Rewrite::Keep,
        Some(0) => load.other().map_or(Rewrite::Keep, Rewrite::Replace),
        Some(_) => Rewrite::Unmask,
    }
}

/// A write whose mask is true everywhere has none; one whose mask is false everywhere is none.
pub(super) fn store<'c>(op: Op<'c>) -> Rewrite<'c> {
    match tt::Store::of(op)
        .and_then(tt::Store::mask)
        .and_then(integer)
    {
        None => Rewrite::Keep,
        Some(0) => Rewrite::Erase,
        Some(_) => Rewrite::Unmask,
    }
}
