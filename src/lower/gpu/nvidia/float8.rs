//! 8-bit floats by `cvt`, two numbers at a time. LLVM's own operations require a newer PTX version.

use crate::lower::emit::Emitter;
use crate::sys::build::Val;
use linear_layout::target::Float8;
use melior::ir::{Type, ValueLike};

/// Converts f32 or f16 values to 8-bit float codes. Rounds to nearest, and saturates. Returns `None` if the values
/// have another float type.
pub(super) fn narrow<'c>(
    e: &mut Emitter<'c>,
    values: &[Val<'c>],
    to: Float8,
) -> Option<Vec<Val<'c>>> {
    let (i8, i16, i32) = (e.types.i8, e.types.i16, e.types.i32);
    let type_ = values.first()?.r#type();
    let is_f32 = type_ == e.types.f32;
    if !is_f32 && type_ != Type::float16(e.context) {
        return None;
    }
    let text = match (to.exponent_bits, is_f32) {
        (4, true) => "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;",
        (4, false) => "cvt.rn.satfinite.e4m3x2.f16x2 $0, $1;",
        (_, true) => "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;",
        (_, false) => "cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;",
    };
    let bytes = e.vector_type(2, i8);
    let mut codes = Vec::with_capacity(values.len());
    for two in values.chunks(2) {
        let (low, high) = (two[0], two[two.len() - 1]);
        let both = if is_f32 {
            e.pure_asm(text, "=h,f,f", &[high, low], i16)
        } else {
            let both = e.gather(&[low, high]);
            let both = e.bitcast(both, i32);
            e.pure_asm(text, "=h,r", &[both], i16)
        };
        let both = e.bitcast(both, bytes);
        codes.extend(e.scatter(both, 2, i8).into_iter().take(two.len()));
    }
    Some(codes)
}

/// Converts 8-bit float codes to f16. Returns `None` if `to` is another float type.
pub(super) fn widen<'c>(
    e: &mut Emitter<'c>,
    codes: &[Val<'c>],
    from: Float8,
    to: Type<'c>,
) -> Option<Vec<Val<'c>>> {
    let (i16, i32) = (e.types.i16, e.types.i32);
    if to != Type::float16(e.context) {
        return None;
    }
    let text = match from.exponent_bits {
        4 => "cvt.rn.f16x2.e4m3x2 $0, $1;",
        _ => "cvt.rn.f16x2.e5m2x2 $0, $1;",
    };
    let halves = e.vector_type(2, to);
    let mut values = Vec::with_capacity(codes.len());
    for two in codes.chunks(2) {
        let both = e.gather(&[two[0], two[two.len() - 1]]);
        let both = e.bitcast(both, i16);
        let both = e.pure_asm(text, "=r,h", &[both], i32);
        let both = e.bitcast(both, halves);
        values.extend(e.scatter(both, 2, to).into_iter().take(two.len()));
    }
    Some(values)
}
