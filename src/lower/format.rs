//! Formats of floats that LLVM computes with, f16, bf16, f32 and f64: one made of another.

use super::emit::{Emitter, FloatPredicate};
use crate::sys;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// How a number becomes one of a narrower format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    /// To the nearest one; of two, the even one.
    Nearest,
    TowardsZero,
}

/// The width of a float in bits.
pub(super) fn width(type_: Type<'_>) -> u32 {
    sys::float_width(type_).unwrap_or_default()
}

/// A float in another format.
pub(super) fn resized<'c>(
    e: &mut Emitter<'c>,
    value: Val<'c>,
    to: Type<'c>,
    rounding: Rounding,
) -> Val<'c> {
    let value = through_f32(e, value, to);
    match (width(value.r#type()), width(to)) {
        _ if value.r#type() == to => value,
        (from, to_width) if from < to_width => e.fpext(value, to),
        _ if rounding == Rounding::TowardsZero => truncate_towards_zero(e, value, to),
        _ => e.fptrunc(value, to),
    }
}

/// f16 and bf16 have the same width, and neither holds the other's numbers: binary32 holds both.
fn through_f32<'c>(e: &mut Emitter<'c>, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    if value.r#type() == to || width(value.r#type()) != width(to) {
        return value;
    }
    let f32 = e.types.f32;
    e.fpext(value, f32)
}

/// Rounds to nearest, and goes one step back where that grew: the bits of a float's magnitude
/// count its steps. Infinity that a finite number grew to becomes the largest finite number.
pub(super) fn truncate_towards_zero<'c>(
    e: &mut Emitter<'c>,
    value: Val<'c>,
    to: Type<'c>,
) -> Val<'c> {
    let from = value.r#type();
    let nearest = e.fptrunc(value, to);
    let back = e.fpext(nearest, from);
    let [before, after] = [value, back].map(|v| e.fabs(v));
    let grew = e.fcmp(FloatPredicate::Greater, after, before);
    let int = e.int_type(width(to));
    let bits = e.bitcast(nearest, int);
    let step = e.zext(grew, int);
    let bits = e.sub(bits, step);
    e.bitcast(bits, to)
}
