//! Decomposition of `amdg.scaled_downcast_fp4` and `amdg.scaled_downcast_fp8` into a multiplication by reciprocal
//! scales and a rounding to nearest even.
//!
//! The f32 product is exact, except far outside the range of the result. Overflow gives the largest number. 4-bit
//! floats have no NaN; NaN becomes the largest number.

use super::DecompositionBuilder;
use super::pairs::Pairs;
use super::scaled::multiplied;
use crate::ir::ops::amdg;
use crate::ir::{TensorType, builders};
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

pub(super) fn narrow_fp8<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    op: amdg::ScaledDowncastFp8<'c, 'c>,
) -> Option<()> {
    let element = TensorType::of(op.output().r#type())?.element;
    let axis = usize::try_from(op.axis()).ok()?;
    let divided = divided(emitter, op.input(), (op.scale(), axis))?;
    let narrow = emitter.convert_float(divided, element)?;
    emitter.replace(narrow);
    Some(())
}

pub(super) fn narrow_fp4<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    op: amdg::ScaledDowncastFp4<'c, 'c>,
) -> Option<()> {
    let axis = usize::try_from(op.axis()).ok()?;
    let divided = divided(emitter, op.input(), (op.scale(), axis))?;
    let codes = e2m1_codes(emitter, divided)?;

    let bytes = op.output().r#type();
    let tensor = TensorType::of(bytes)?;
    let encoding = emitter.encoding(&tensor)?;
    let i32_type = emitter.integer_type(32);
    let pairs = Pairs::new(emitter, (tensor.shape, i32_type, &encoding), axis)?;
    let codes = emitter.add(builders::ttg::convert_layout(codes, pairs.whole))?;
    let [low, high] = pairs.separate(emitter, codes)?;
    let four = emitter.integer(high.r#type(), 4)?;
    let high = emitter.add(builders::arith::shli(high, four))?;
    let both = emitter.add(builders::arith::ori(low, high))?;
    let packed = emitter.add(builders::arith::trunci(both, bytes))?;
    emitter.replace(packed);
    Some(())
}

fn divided<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    elements: Val<'c>,
    (scale, axis): (Val<'c>, usize),
) -> Option<Val<'c>> {
    let wide = emitter.convert_float(elements, Type::float32(emitter.mlir()))?;
    // The byte of 1 / scale. The subtraction keeps 255, which is NaN.
    let all = emitter.integer(scale.r#type(), 254)?;
    let reciprocal = emitter.add(builders::arith::subi(all, scale))?;
    multiplied(emitter, wide, (reciprocal, axis), true)
}

/// Rounds f32 elements to `f4E2M1FN`. Returns the bits of each result as an i32.
fn e2m1_codes<'c>(emitter: DecompositionBuilder<'_, 'c>, value: Val<'c>) -> Option<Val<'c>> {
    use builders::arith;
    let float = value.r#type();
    let type_ = emitter.with_element(value, emitter.integer_type(32))?;
    let number = |number: u32| emitter.integer(type_, i64::from(number));
    let bits = emitter.add(builders::tt::bitcast(value, type_))?;
    let magnitude = emitter.add(arith::andi(bits, number(0x7fff_ffff)?))?;
    let magnitude = emitter.add(arith::minui(magnitude, number(6_f32.to_bits())?))?;

    // Below 1 the results are multiples of 0.5, and so are the f32 numbers from 2^22 to 2^23.
    let origin = number(4_194_304_f32.to_bits())?;
    let small = emitter.add(builders::tt::bitcast(magnitude, float))?;
    let shift = emitter.add(builders::tt::bitcast(origin, float))?;
    let small = emitter.add(arith::addf(small, shift))?;
    let small = emitter.add(builders::tt::bitcast(small, type_))?;
    let small = emitter.add(arith::subi(small, origin))?;

    // From 1 on the result has the exponent and the first mantissa bit of the rounded number, with a bias of 1.
    let dropped = number(22)?;
    let odd = emitter.add(arith::shrui(magnitude, dropped))?;
    let odd = emitter.add(arith::andi(odd, number(1)?))?;
    let half = number((1 << 21) - 1)?;
    let large = emitter.add(arith::addi(magnitude, half))?;
    let large = emitter.add(arith::addi(large, odd))?;
    let large = emitter.add(arith::shrui(large, dropped))?;
    let large = emitter.add(arith::subi(large, number((127 - 1) << 1)?))?;

    let truth = emitter.with_element(value, emitter.integer_type(1))?;
    let one = number(1_f32.to_bits())?;
    let below = arith::cmpi(arith::CmpIPredicate::Ult, magnitude, one, truth);
    let code = arith::select(emitter.add(below)?, small, large);
    let code = emitter.add(code)?;
    let sign = emitter.add(arith::shrui(bits, number(28)?))?;
    let sign = emitter.add(arith::andi(sign, number(8)?))?;
    emitter.add(arith::ori(code, sign))
}
