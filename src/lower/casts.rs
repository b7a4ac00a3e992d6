//! Casts: the same bits as another type, addresses as numbers, floats of another width.

use super::emit::FloatPredicate;
use super::state::{Lowering, Outcome};
use super::types::element_of;
use crate::ir::ops::{RoundingMode, tt};
use crate::ir::{OpKind, element_name};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::{Type, ValueLike};

/// `tt.bitcast`: the same bits; pointers stay pointers into the same memory.
pub(crate) fn bitcast<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    per_register(l, op, |l, value, type_| Ok(l.e.bitcast(value, type_)))
}

/// `tt.ptr_to_int` and `tt.int_to_ptr`.
pub(crate) fn address<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let is_number = OpKind::of(op) == Some(OpKind::TtPtrToInt);
    per_register(l, op, |l, value, type_| {
        Ok(if is_number {
            l.e.ptrtoint(value, type_)
        } else {
            l.e.inttoptr(value, type_)
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

/// `tt.fp_to_fp` between formats that LLVM computes with.
pub(crate) fn fp_to_fp<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let cast = tt::FpToFp::of(op).expect("the dispatch goes by kind");
    let (from, to) = (
        element_of(cast.src().r#type()),
        element_of(cast.result().r#type()),
    );
    for type_ in [from, to] {
        if sys::float_width(type_).is_none_or(|width| width < 16) {
            return Err(Diagnostic::new(format!(
                "from `{}` to `{}` is not supported on {}",
                element_name(from),
                element_name(to),
                l.gpu.target.name
            ))
            .note("conversions between f16, bf16, f32 and f64 can be lowered"));
        }
    }
    // Only a narrowing conversion says how to round.
    let towards_zero = cast.rounding() == Some(RoundingMode::Rtz);
    per_register(l, op, |l, value, to| {
        let value = through_f32(l, value, to);
        Ok(match (width(value.r#type()), width(to)) {
            _ if value.r#type() == to => value,
            (from, to_width) if from < to_width => l.e.fpext(value, to),
            _ if towards_zero => truncate_towards_zero(l, value, to),
            _ => l.e.fptrunc(value, to),
        })
    })
}

fn width(type_: Type<'_>) -> u32 {
    sys::float_width(type_).unwrap_or_default()
}

/// f16 and bf16 have the same width, and neither holds the other's numbers: binary32 holds both.
fn through_f32<'c>(l: &mut Lowering<'c>, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    if value.r#type() == to || width(value.r#type()) != width(to) {
        return value;
    }
    let f32 = l.e.types.f32;
    l.e.fpext(value, f32)
}

/// Rounds to nearest, and goes one step back where that grew: the bits of a float's magnitude
/// count its steps. Infinity that a finite number grew to becomes the largest finite number.
fn truncate_towards_zero<'c>(l: &mut Lowering<'c>, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    let from = value.r#type();
    let nearest = l.e.fptrunc(value, to);
    let back = l.e.fpext(nearest, from);
    let [before, after] = [value, back].map(|v| l.e.fabs(v));
    let grew = l.e.fcmp(FloatPredicate::Greater, after, before);
    let int = l.e.int_type(width(to));
    let bits = l.e.bitcast(nearest, int);
    let step = l.e.zext(grew, int);
    let bits = l.e.sub(bits, step);
    l.e.bitcast(bits, to)
}
