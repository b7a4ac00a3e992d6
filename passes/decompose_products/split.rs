//! Decomposition of f32 products into products of narrower types: `inputPrecision = tf32x3`, `bf16x3`, `bf16x6`.
//!
//! A number is a sum of narrower parts: first the rounded number, then rounded remainders. Products of parts are added
//! from the smallest to the largest, without the smallest ones. The later parts of infinity are NaN, so NaN counts as
//! zero outside the product of first parts.

use super::DecompositionBuilder;
use crate::ir::ops::{InputPrecision, tt};
use crate::ir::{TensorType, builders};
use crate::sys::build::Val;
use linear_layout::target::{Number, Product, ProductFamily, Target};
use melior::ir::{Type, ValueLike};

/// Replaces an f32 product whose `inputPrecision` is `tf32x3`, `bf16x3` or `bf16x6` by products of narrower types.
///
/// Returns `None` for other products, and if the target has no matrix instruction for the narrower types.
pub(super) fn decompose<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    dot: tt::Dot<'c, 'c>,
    target: &Target,
) -> Option<()> {
    let float = Type::float32(emitter.mlir());
    let is_float =
        |value: Val<'c>| TensorType::of(value.r#type()).is_some_and(|t| t.element == float);
    if ![dot.a(), dot.b(), dot.c()].into_iter().all(is_float) {
        return None;
    }
    let (part, count) = match dot.input_precision() {
        InputPrecision::TF32x3 => (Number::Tf32, 2),
        InputPrecision::BF16x3 => (Number::Bf16, 2),
        InputPrecision::BF16x6 => (Number::Bf16, 3),
        InputPrecision::Tf32 | InputPrecision::Ieee => return None,
    };
    let rows = target.matrix_instructions();
    let is_for_parts =
        |row: &Product| !row.is_per_lane() && row.factors == [part; 2] && row.sum == Number::F32;
    // Only PTX has a conversion to tf32.
    let is_rounded = part != Number::Tf32 || target.product_family() == ProductFamily::NvidiaMma;
    if !is_rounded || !rows.iter().any(is_for_parts) {
        return None;
    }
    let precision = match part {
        Number::Tf32 => InputPrecision::Tf32,
        _ => InputPrecision::Ieee,
    };
    let a = parts(emitter, dot.a(), part, count)?;
    let b = parts(emitter, dot.b(), part, count)?;
    let type_ = dot.d().r#type();
    let mut sum = emitter.zero(type_)?;
    let pairs: &[(usize, usize)] = if count == 3 {
        &[(1, 1), (2, 0), (0, 2), (1, 0), (0, 1)]
    } else {
        &[(1, 0), (0, 1)]
    };
    let product = |left: usize, right: usize, sum| {
        let building = builders::tt::dot(a[left], b[right], sum).input_precision(precision);
        emitter.add(building.max_num_imprecise_acc(dot.max_num_imprecise_acc()))
    };
    for (left, right) in pairs {
        sum = product(*left, *right, sum)?;
    }
    let truth = emitter.with_element(sum, emitter.integer_type(1))?;
    let unordered = builders::arith::CmpFPredicate::Uno;
    let is_nan = emitter.add(builders::arith::cmpf(unordered, sum, sum, truth))?;
    let zero = emitter.zero(type_)?;
    let rest = emitter.add(builders::arith::select(is_nan, zero, sum))?;
    let sum = product(0, 0, rest)?;
    let sum = emitter.add(builders::arith::addf(sum, dot.c()))?;
    emitter.replace(sum);
    Some(())
}

/// Splits an f32 tensor into `count` summands, largest first. Each summand after the first approximates the
/// difference between `value` and the sum of the previous ones. Summands have the precision of `part`, except that
/// the last TF32 summand is not rounded.
fn parts<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    value: Val<'c>,
    part: Number,
    count: usize,
) -> Option<Vec<Val<'c>>> {
    let bf16 = Type::bfloat16(emitter.mlir());
    let mut rest = value;
    let mut parts = Vec::with_capacity(count);
    loop {
        let is_last = parts.len() + 1 == count;
        let rounded = match part {
            // The instruction truncates the last part to tf32.
            Number::Tf32 if is_last => rest,
            Number::Tf32 => rounded_to_tf32(emitter, rest)?,
            _ => {
                let type_ = emitter.with_element(rest, bf16)?;
                emitter.add(builders::arith::truncf(rest, type_))?
            }
        };
        parts.push(rounded);
        if is_last {
            return Some(parts);
        }
        let taken = match part {
            Number::Tf32 => rounded,
            _ => emitter.add(builders::arith::extf(rounded, rest.r#type()))?,
        };
        rest = emitter.add(builders::arith::subf(rest, taken))?;
    }
}

/// Rounds f32 elements to TF32. Ties are rounded away from zero.
fn rounded_to_tf32<'c>(emitter: DecompositionBuilder<'_, 'c>, value: Val<'c>) -> Option<Val<'c>> {
    let text = "cvt.rna.tf32.f32 $0, $1;";
    let types = [value.r#type()];
    let building = builders::tt::elementwise_inline_asm(text, "=r,r", true, 1, &[value], &types);
    emitter.add(building)
}
