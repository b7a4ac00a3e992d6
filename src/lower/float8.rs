//! 8-bit floats: conversions from and to wider floats, by instructions or by one sequence for all formats.
//!
//! ```text
//! 0x45800000 = 4096.0   exponent less 127 - 7: 0x09800000, shifted right by 20 bits: 0x98
//!                       larger than 0x7e, the largest code of f8E4M3FN: 0x7e = 448.0
//! 0x3f900000 = 1.125    0x03900000, shifted right by 20 bits: 0x39
//! ```
//! Overflow and infinity saturate to the largest finite number. NaN stays NaN. In FNUZ formats, infinity becomes NaN.
//! Rounding towards zero preserves infinity where the format has an infinity. ADR 0016 has the reasons.

use super::emit::{Emitter, FCmpPredicate, ICmpPredicate};
use super::format::{self, Rounding, width};
use super::state::Lowering;
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use linear_layout::target::{Float8, Float8Family};
use melior::ir::{Type, ValueLike};

/// Bits of positive infinity in f32. Larger magnitudes are NaN.
const INFINITY: i64 = 0x7f80_0000;

/// Converts floats of any width to 8-bit codes. Rounds to nearest even or towards zero.
pub(super) fn narrow<'c>(
    l: &mut Lowering<'c>,
    values: &[Val<'c>],
    to: Float8,
    towards_zero: bool,
) -> Vec<Val<'c>> {
    let by_instruction = |l: &mut Lowering<'c>, values: &[Val<'c>]| {
        let gpu = l.gpu;
        (!towards_zero).then(|| gpu.narrow_float8(&mut l.e, values, to))?
    };
    if let Some(codes) = by_instruction(l, values) {
        return codes;
    }
    let words: Vec<Val<'c>> = values
        .iter()
        .map(|value| as_f32(&mut l.e, *value))
        .collect();
    if words != values
        && let Some(codes) = by_instruction(l, &words)
    {
        return codes;
    }
    let code = |word: &Val<'c>| code(&mut l.e, *word, to, towards_zero);
    words.iter().map(code).collect()
}

/// Converts 8-bit codes to floats of type `to`. The conversion is exact.
pub(super) fn widen<'c>(
    l: &mut Lowering<'c>,
    codes: &[Val<'c>],
    from: Float8,
    to: Type<'c>,
) -> Vec<Val<'c>> {
    let (f16, f32) = (Type::float16(l.e.context), l.e.types.f32);
    let gpu = l.gpu;
    for type_ in [to, f32, f16] {
        if let Some(values) = gpu.widen_float8(&mut l.e, codes, from, type_) {
            let resized = |value: &Val<'c>| resized(&mut l.e, *value, to);
            return values.iter().map(resized).collect();
        }
    }
    let number = |code: &Val<'c>| number(&mut l.e, *code, from, to);
    codes.iter().map(number).collect()
}

/// Converts a float to the type `to` without rounding. The value must be exactly representable in `to`.
fn resized<'c>(e: &mut Emitter<'c>, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    if value.r#type() == to || to != Type::bfloat16(e.context) {
        return format::resized(e, value, to, Rounding::Nearest);
    }
    // The lower half of the f32 is zero.
    let (i16, i32, f32) = (e.types.i16, e.types.i32, e.types.f32);
    let word = format::resized(e, value, f32, Rounding::Nearest);
    let word = e.bitcast(word, i32);
    let upper = e.lshr(word, 16);
    let upper = e.trunc(upper, i16);
    e.bitcast(upper, to)
}

/// Converts a float to f32. An f64 is rounded to odd, which avoids a double-rounding error in the later
/// conversion.
fn as_f32<'c>(e: &mut Emitter<'c>, value: Val<'c>) -> Val<'c> {
    let (i32, f32) = (e.types.i32, e.types.f32);
    if width(value.r#type()) != 64 {
        return resized(e, value, f32);
    }
    let below = format::rounded(e, value, f32, Rounding::TowardsZero);
    let back = e.fpext(below, value.r#type());
    let is_inexact = e.fcmp(FCmpPredicate::One, back, value);
    let bits = e.bitcast(below, i32);
    let sticky = e.zext(is_inexact, i32);
    let odd = e.or(bits, sticky);
    e.bitcast(odd, f32)
}

fn code<'c>(e: &mut Emitter<'c>, value: Val<'c>, to: Float8, towards_zero: bool) -> Val<'c> {
    let (i8, i32, f32) = (e.types.i8, e.types.i32, e.types.f32);
    let number = |e: &mut Emitter<'c>, number: i64| e.constant(i32, number);
    let bits = e.bitcast(value, i32);
    let mask = number(e, i64::from(i32::MAX));
    let size = e.and(bits, mask);
    let shift = 23 - to.mantissa_bits;
    let less = i64::from(127 - to.bias) << 23;
    // Normal numbers: rebias the exponent; rounding may carry into it.
    let moved = if towards_zero {
        let less = number(e, -less);
        e.add(size, less)
    } else {
        let one = number(e, 1);
        let last = e.lshr(size, shift);
        let is_odd = e.and(last, one);
        let half = number(e, (1 << (shift - 1)) - 1 - less);
        let moved = e.add(size, half);
        e.add(moved, is_odd)
    };
    let normal = e.lshr(moved, shift);
    // Subnormal numbers: multiples of one step, computed by f32 arithmetic.
    let step = 1 - (to.bias + to.mantissa_bits).cast_signed();
    let magnitude = e.bitcast(size, f32);
    let subnormal = if towards_zero {
        let per_one = e.float(f32, 2f64.powi(-step));
        let steps = e.pure(llvm::fmul(magnitude, per_one));
        e.pure(llvm::fptosi(steps, i32))
    } else {
        // Floats in [base, 2 base) are one step apart.
        let base = 2f32.powi(step + 23);
        let large = e.float(f32, base.into());
        let sum = e.pure(llvm::fadd(magnitude, large));
        let sum = e.bitcast(sum, i32);
        let base = number(e, -i64::from(base.to_bits()));
        e.add(sum, base)
    };
    let smallest = number(e, (i64::from(128 - to.bias)) << 23);
    let is_small = e.icmp(ICmpPredicate::Slt, size, smallest);
    let code = e.select(is_small, subnormal, normal);
    let largest = number(e, i64::from(to.largest()));
    let code = e.pure(llvm::intr_smin(code, largest));
    let signed = special(e, [bits, size, code], to, towards_zero);
    e.trunc(signed, i8)
}

/// Adds the sign to an 8-bit code, and replaces the code if the value is NaN or infinite. `bits` is the value as
/// f32, `size` is its magnitude, and `code` is the code for a finite magnitude.
fn special<'c>(
    e: &mut Emitter<'c>,
    [bits, size, code]: [Val<'c>; 3],
    to: Float8,
    towards_zero: bool,
) -> Val<'c> {
    let number = |e: &mut Emitter<'c>, number: i64| {
        let i32 = e.types.i32;
        e.constant(i32, number)
    };
    let infinity = number(e, INFINITY);
    let nan = number(e, to.nan().into());
    let sign_bit = number(e, 0x80);
    let sign = e.lshr(bits, 24);
    let sign = e.and(sign, sign_bit);
    if to.family == Float8Family::Fnuz {
        let is_zero = e.is_zero(code);
        let signed = e.or(code, sign);
        let signed = e.select(is_zero, code, signed);
        let is_finite = e.icmp(ICmpPredicate::Slt, size, infinity);
        return e.select(is_finite, signed, nan);
    }
    let mut code = code;
    if let (Some(own), true) = (to.infinity(), towards_zero) {
        let is_infinite = e.icmp(ICmpPredicate::Eq, size, infinity);
        let own = number(e, own.into());
        code = e.select(is_infinite, own, code);
    }
    let is_nan = e.icmp(ICmpPredicate::Slt, infinity, size);
    let code = e.select(is_nan, nan, code);
    e.or(code, sign)
}

/// Converts an 8-bit code to a float. The bits move to the exponent and mantissa of a wider float; a multiplication
/// then corrects the exponent bias.
fn number<'c>(e: &mut Emitter<'c>, code: Val<'c>, from: Float8, to: Type<'c>) -> Val<'c> {
    let (i16, i32, f32) = (e.types.i16, e.types.i32, e.types.f32);
    let f16 = Type::float16(e.context);
    if from.infinity().is_some() {
        // The format is the upper byte of f16.
        let wide = e.zext(code, i16);
        let bits = e.shl(wide, 8);
        let half = e.bitcast(bits, f16);
        return resized(e, half, to);
    }
    // f16 covers the range of 4-bit exponents.
    let in_f16 = to == f16 && from.exponent_bits == 4;
    let (int, float, mantissa_bits, bias) = if in_f16 {
        (i16, f16, 10, 15)
    } else {
        (i32, f32, 23, 127)
    };
    let wide = e.zext(code, int);
    let mask = e.constant(int, 0x7f);
    let size = e.and(wide, mask);
    let placed = e.shl(size, mantissa_bits - from.mantissa_bits);
    let placed = e.bitcast(placed, float);
    let up = e.float(float, 2f64.powi(bias - from.bias.cast_signed()));
    let scaled = e.pure(llvm::fmul(placed, up));
    let bits = e.bitcast(scaled, int);
    let mask = e.constant(int, 0x80);
    let sign = e.and(wide, mask);
    let sign = e.shl(sign, width(float) - 8);
    let signed = e.or(bits, sign);
    let value = e.bitcast(signed, float);
    let (of, is) = match from.family {
        Float8Family::Ocp => (size, from.nan()),
        Float8Family::Fnuz => (wide, from.nan()),
    };
    let is = e.constant(int, is.into());
    let is_nan = e.icmp(ICmpPredicate::Eq, of, is);
    let nan = e.float(float, f64::NAN);
    let value = e.select(is_nan, nan, value);
    resized(e, value, to)
}
