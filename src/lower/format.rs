//! Conversions among LLVM's float types f16, bf16, f32 and f64.

use super::emit::{Emitter, FCmpPredicate, ICmpPredicate};
use crate::ir::builders::llvm;
use crate::sys;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    /// Rounds to the nearest representable number. A tie is rounded to the number with an even significand.
    Nearest,
    /// Rounds to the nearest representable number. A tie is rounded to the number with the larger magnitude.
    NearestAway,
    TowardsZero,
    Downward,
    Upward,
}

impl Rounding {
    /// Returns the keyword for this rounding mode in `arith` operations.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Nearest => "to_nearest_even",
            Self::NearestAway => "to_nearest_away",
            Self::TowardsZero => "toward_zero",
            Self::Downward => "downward",
            Self::Upward => "upward",
        }
    }
}

/// Returns the number of bits of a float type, or 0 for any other type.
pub(super) fn width(type_: Type<'_>) -> u32 {
    sys::float_width(type_).unwrap_or_default()
}

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
        _ if rounding == Rounding::Nearest => e.fptrunc(value, to),
        _ => rounded(e, value, to, rounding),
    }
}

/// If the float types of `value` and `to` differ but have the same width (f16 and bf16), extends `value` to f32.
/// This is necessary because neither type can represent all numbers of the other type. Otherwise returns `value`
/// unchanged.
pub(super) fn through_f32<'c>(e: &mut Emitter<'c>, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    if value.r#type() == to || width(value.r#type()) != width(to) {
        return value;
    }
    let f32 = e.types.f32;
    e.fpext(value, f32)
}

/// Converts a float to a narrower type with any rounding mode. First rounds to nearest. If the mode requires a
/// neighbour of the nearest number, then corrects the result by one unit in the last place. The correction adds 1
/// to the bits or subtracts 1 from them, because consecutive magnitudes have consecutive bit patterns, up to
/// infinity.
///
/// The first example rounds upward, and the second example rounds towards zero:
///
/// ```text
/// f32 1.0002 to f16: nearest 1.0 (0x3c00), which is less; upward one unit more: 0x3c01
/// f32 65520.0: nearest infinity (0x7c00), which is more; towards zero one unit less: 0x7bff
/// ```
pub(super) fn rounded<'c>(
    e: &mut Emitter<'c>,
    value: Val<'c>,
    to: Type<'c>,
    rounding: Rounding,
) -> Val<'c> {
    use FCmpPredicate::{Ogt, Olt};
    let nearest = e.fptrunc(value, to);
    let back = e.fpext(nearest, value.r#type());
    let int = e.int_type(width(to));
    let bits = e.bitcast(nearest, int);
    let bits = match rounding {
        Rounding::Nearest => return nearest,
        Rounding::TowardsZero => {
            let [before, after] = [value, back].map(|v| e.pure(llvm::intr_fabs(v)));
            let grew = e.fcmp(Ogt, after, before);
            let step = e.zext(grew, int);
            e.sub(bits, step)
        }
        Rounding::Downward | Rounding::Upward => {
            let passed = match rounding {
                Rounding::Downward => e.fcmp(Ogt, back, value),
                _ => e.fcmp(Olt, back, value),
            };
            // A step away from zero increases the magnitude; zero has the sign of the value.
            let zero = e.zero(int);
            let is_negative = e.icmp(ICmpPredicate::Slt, bits, zero);
            let (negative, positive) = match rounding {
                Rounding::Downward => (1, -1),
                _ => (-1, 1),
            };
            let [negative, positive] = [negative, positive].map(|step| e.constant(int, step));
            let step = e.select(is_negative, negative, positive);
            let step = e.select(passed, step, zero);
            e.add(bits, step)
        }
        Rounding::NearestAway => {
            // A tie lies halfway between the nearest number, which is even, and the next larger magnitude. Both
            // differences are exact; for infinity and NaN they are NaN.
            let step = e.constant(int, 1);
            let next = e.add(bits, step);
            let above = e.bitcast(next, to);
            let above = e.fpext(above, value.r#type());
            let [size, below, above] = [value, back, above].map(|v| e.pure(llvm::intr_fabs(v)));
            let from_below = e.pure(llvm::fsub(size, below));
            let to_above = e.pure(llvm::fsub(above, size));
            let is_tie = e.fcmp(FCmpPredicate::Oeq, from_below, to_above);
            e.select(is_tie, next, bits)
        }
    };
    e.bitcast(bits, to)
}
