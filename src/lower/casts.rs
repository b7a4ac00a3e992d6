//! Casts: bitcasts, pointer-integer casts and float conversions.

use super::elementwise;
use super::float8;
use super::format::{self, Rounding, width};
use super::state::{Lowering, Outcome};
use super::types::{bits_of, element_of};
use crate::ir::builders::llvm;
use crate::ir::ops::{RoundingMode, arith, tt};
use crate::ir::{OpKind, UpstreamKind, element_name};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::target::{FLOAT8, Float8};
use melior::ir::{Type, ValueLike};
use std::cmp::Ordering;

/// Lowers `tt.bitcast`. Pointers keep their address space.
pub(crate) fn bitcast<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    per_register(l, op, |l, value, type_| Ok(l.e.bitcast(value, type_)))
}

pub(crate) fn address<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let is_number = OpKind::of(op) == Some(OpKind::TtPtrToInt);
    per_register(l, op, |l, value, type_| {
        Ok(if is_number {
            l.e.pure(llvm::ptrtoint(value, type_))
        } else {
            l.e.pure(llvm::inttoptr(value, type_))
        })
    })
}

fn per_register<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    mut one: impl FnMut(&mut Lowering<'c>, Val<'c>, Type<'c>) -> Result<Val<'c>, Diagnostic>,
) -> Outcome {
    let result = build::only_result(op);
    let types = l.types_of(result.r#type())?;
    let values = l.get(build::only_operand(op));
    let registers = values
        .iter()
        .zip(types)
        .map(|(value, type_)| one(l, *value, type_))
        .collect::<Result<Vec<_>, _>>()?;
    l.set(result, registers);
    Ok(())
}

pub(crate) fn fp_to_fp<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let cast = tt::FpToFp::of(op).expect("the dispatch goes by kind");
    // Only a narrowing conversion has a rounding mode.
    let rounding = match cast.rounding() {
        Some(RoundingMode::Rtz) => Rounding::TowardsZero,
        Some(RoundingMode::Rtne) | None => Rounding::Nearest,
    };
    convert(l, cast.src(), cast.result(), rounding)
}

pub(crate) fn index<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let is_signed = UpstreamKind::of(op) == Some(UpstreamKind::ArithIndexCast);
    per_register(l, op, |l, value, type_| {
        Ok(match bits_of(value.r#type()).cmp(&bits_of(type_)) {
            Ordering::Less if is_signed => l.e.sext(value, type_),
            Ordering::Less => l.e.zext(value, type_),
            Ordering::Equal => value,
            Ordering::Greater => l.e.trunc(value, type_),
        })
    })
}

pub(crate) fn resize<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let (operand, result) = (build::only_operand(op), build::only_result(op));
    let is_8_bits = |value: Val<'c>| float8_of(element_of(value.r#type())).is_some();
    let rounding = rounding_of(op);
    if rounding == Rounding::Nearest && !is_8_bits(operand) && !is_8_bits(result) {
        return elementwise::lower(l, op);
    }
    convert(l, operand, result, rounding)
}

/// Returns the rounding mode of a float cast. The default is round to nearest; `arith.extf` is exact.
fn rounding_of(op: Op<'_>) -> Rounding {
    use arith::RoundingMode as Mode;
    match arith::TruncF::of(op).and_then(arith::TruncF::roundingmode) {
        None | Some(Mode::ToNearestEven) => Rounding::Nearest,
        Some(Mode::Downward) => Rounding::Downward,
        Some(Mode::Upward) => Rounding::Upward,
        Some(Mode::TowardZero) => Rounding::TowardsZero,
        Some(Mode::ToNearestAway) => Rounding::NearestAway,
    }
}

/// Returns true for rounding towards zero, and false for rounding to nearest.
///
/// # Errors
/// Rejects all other rounding modes.
fn narrows_towards_zero(rounding: Rounding) -> Result<bool, Diagnostic> {
    match rounding {
        Rounding::Nearest => Ok(false),
        Rounding::TowardsZero => Ok(true),
        Rounding::NearestAway | Rounding::Downward | Rounding::Upward => {
            Err(Diagnostic::new(format!(
                "rounding mode `{}` is not supported for 8-bit floats",
                rounding.name()
            ))
            .note("use `toward_zero`, or no rounding mode, which means `to_nearest_even`"))
        }
    }
}

fn convert<'c>(
    l: &mut Lowering<'c>,
    source: Val<'c>,
    result: Val<'c>,
    rounding: Rounding,
) -> Outcome {
    let [from, to] = [source, result].map(|value| element_of(value.r#type()));
    for type_ in [from, to] {
        if float8_of(type_).is_none() && !matches!(width(type_), 16 | 32 | 64) {
            return Err(Diagnostic::new(format!(
                "conversion from `{}` to `{}` is not supported on {}",
                element_name(from),
                element_name(to),
                l.gpu.target.name
            ))
            .note(format!(
                "supported types are {}, f16, bf16, f32 and f64",
                FLOAT8.map(|format| format.name).join(", ")
            )));
        }
    }
    let values = l.get(source);
    let registers: Vec<Val<'c>> = match (float8_of(from), float8_of(to)) {
        _ if from == to => values.to_vec(),
        (None, None) => values
            .iter()
            .map(|value| resized(l, *value, to, rounding))
            .collect(),
        (Some(from), None) => float8::widen(l, &values, from, to),
        (None, Some(to)) => float8::narrow(l, &values, to, narrows_towards_zero(rounding)?),
        (Some(from), Some(to)) => {
            let f32 = l.e.types.f32;
            let wide = float8::widen(l, &values, from, f32);
            float8::narrow(l, &wide, to, narrows_towards_zero(rounding)?)
        }
    };
    l.set(result, registers);
    Ok(())
}

fn resized<'c>(l: &mut Lowering<'c>, value: Val<'c>, to: Type<'c>, rounding: Rounding) -> Val<'c> {
    let wide = format::through_f32(&mut l.e, value, to);
    let narrows = width(wide.r#type()) > width(to);
    if narrows && rounding != Rounding::Nearest {
        let gpu = l.gpu;
        if let Some(rounded) = gpu.round_float(&mut l.e, wide, to, rounding) {
            return rounded;
        }
    }
    format::resized(&mut l.e, wide, to, rounding)
}

fn float8_of(type_: Type<'_>) -> Option<Float8> {
    let is_8_bits = sys::float_width(type_) == Some(8);
    is_8_bits.then(|| Float8::of(&element_name(type_)))?
}
