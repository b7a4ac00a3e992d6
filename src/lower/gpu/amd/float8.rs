//! 8-bit float conversion instructions. Each converts two numbers in one half of a 32-bit word.

use crate::ir::builders::llvm;
use crate::lower::emit::{Emitter, FCmpPredicate};
use crate::sys::build::Val;
use linear_layout::target::{Float8, Float8Family};
use melior::ir::{Type, ValueLike};

/// Converts f32 values to 8-bit codes. Rounds to nearest, and saturates. Returns `None` if the values are not f32.
///
/// Saturation is a separate clamp before the conversion, because the conversion instructions overflow to NaN or
/// infinity. The GPU also has a mode bit for saturation. It is not used, because it would affect f16 arithmetic as
/// well.
pub(super) fn narrow<'c>(
    e: &mut Emitter<'c>,
    values: &[Val<'c>],
    to: Float8,
) -> Option<Vec<Val<'c>>> {
    let (i8, i32) = (e.types.i8, e.types.i32);
    if values.first()?.r#type() != e.types.f32 {
        return None;
    }
    let name = match to.exponent_bits {
        4 => "llvm.amdgcn.cvt.pk.fp8.f32",
        _ => "llvm.amdgcn.cvt.pk.bf8.f32",
    };
    let mut codes = Vec::with_capacity(values.len());
    for four in values.chunks(4) {
        let mut word = e.undefined(i32);
        for (half, two) in (0..).zip(four.chunks(2)) {
            let low = clamp(e, two[0], to);
            let high = two.get(1).map_or(low, |high| clamp(e, *high, to));
            let is_upper = e.types.i1;
            let is_upper = e.constant(is_upper, half);
            word = e.call_intrinsic(name, &[low, high, word, is_upper], i32);
        }
        let bytes = e.vector_type(4, i8);
        let bytes = e.bitcast(word, bytes);
        codes.extend(e.scatter(bytes, 4, i8).into_iter().take(four.len()));
    }
    Some(codes)
}

/// Clamps an f32 to the finite numbers of the format `to`. NaN stays NaN. For an FNUZ format, infinity is not
/// clamped, and the later conversion turns it into NaN.
fn clamp<'c>(e: &mut Emitter<'c>, value: Val<'c>, to: Float8) -> Val<'c> {
    let f32 = e.types.f32;
    let largest = to.value(to.largest());
    let [low, high] = [-largest, largest].map(|bound| e.float(f32, bound));
    let middle = e.call_intrinsic("llvm.amdgcn.fmed3", &[value, low, high], f32);
    match to.family {
        Float8Family::Ocp => {
            let is_nan = e.fcmp(FCmpPredicate::Uno, value, value);
            e.select(is_nan, value, middle)
        }
        Float8Family::Fnuz => {
            let infinity = e.float(f32, f64::INFINITY);
            let size = e.pure(llvm::intr_fabs(value));
            let is_finite = e.fcmp(FCmpPredicate::Olt, size, infinity);
            e.select(is_finite, middle, value)
        }
    }
}

/// Converts 8-bit codes to f32. Returns `None` if the requested type is not f32.
pub(super) fn widen<'c>(
    e: &mut Emitter<'c>,
    codes: &[Val<'c>],
    from: Float8,
    to: Type<'c>,
) -> Option<Vec<Val<'c>>> {
    let (i8, i32, f32) = (e.types.i8, e.types.i32, e.types.f32);
    if to != f32 {
        return None;
    }
    let name = match from.exponent_bits {
        4 => "llvm.amdgcn.cvt.pk.f32.fp8",
        _ => "llvm.amdgcn.cvt.pk.f32.bf8",
    };
    let pair = e.vector_type(2, f32);
    let mut values = Vec::with_capacity(codes.len());
    for four in codes.chunks(4) {
        let mut bytes = four.to_vec();
        let missing = e.undefined(i8);
        bytes.resize(4, missing);
        let bytes = e.gather(&bytes);
        let word = e.bitcast(bytes, i32);
        for (half, two) in (0..).zip(four.chunks(2)) {
            let is_upper = e.types.i1;
            let is_upper = e.constant(is_upper, half);
            let both = e.call_intrinsic(name, &[word, is_upper], pair);
            values.extend(e.scatter(both, 2, f32).into_iter().take(two.len()));
        }
    }
    Some(values)
}
