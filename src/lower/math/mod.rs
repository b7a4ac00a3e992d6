//! The `math` dialect: what GPUs compute, and approximations of the rest in binary32.
//!
//! Bounds are distances to the exact value in units in the last place, over all arguments of
//! binary32; the tests read them here and measure them, with powers of two and inverse roots that
//! are rounded to nearest. What NVIDIA's and AMD's instructions for these two lose comes on top: at
//! most 2 ulp, in the functions that are marked.
//!
//! | function | bound | on top |
//! |---|---|---|
//! | `acos` | 1.5 | |
//! | `acosh` | 2 | |
//! | `asin` | 2.5 | |
//! | `asinh` | 2.5 | |
//! | `atan` | 1.5 | |
//! | `atan2` | 2 | |
//! | `atanh` | 2.5 | |
//! | `cbrt` | 1 | |
//! | `cos` | 1.5 | |
//! | `cosh` | 2 | 2 |
//! | `erf` | 1 | 1 |
//! | `erfc` | 5 | 2 |
//! | `exp` | 1 | 2 |
//! | `exp2` | 0.5 | 2 |
//! | `expm1` | 1.5 | |
//! | `fpowi` | 1.5 | 2 |
//! | `log` | 1 | |
//! | `log10` | 1.5 | |
//! | `log1p` | 1.5 | |
//! | `log2` | 1.5 | |
//! | `powf` | 1.5 | 2 |
//! | `rsqrt` | 0.5 | 2 |
//! | `sin` | 2 | |
//! | `sinh` | 2.5 | 2 |
//! | `tan` | 3.5 | |
//! | `tanh` | 1.5 | 1 |
//!
//! f16 and bf16 are computed in f32 and rounded; f64 has what LLVM computes, and a diagnostic for
//! the rest. With `fastmath<afn>`, `exp`, `exp2`, `log`, `log2`, `sin` and `cos` are the hardware's own
//! instructions instead. `sqrt`, `fma`, rounding to integers, signs and classes are exact.

#![allow(
    clippy::excessive_precision,
    reason = "nine digits say which binary32 is meant"
)]

mod arithmetic;
mod emission;
mod error_function;
mod exponential;
mod fast;
mod integer_power;
mod inverse;
mod logarithm;
mod power;
#[cfg(test)]
mod tests;
mod trigonometric;

use super::elementwise::{self, check_formats};
use super::emit::{Named, attributes_of};
use super::function::{Lowering, Outcome};
use crate::ir::{TensorType, UpstreamKind, element_name};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use arithmetic::{Arithmetic, Unary};
use emission::Emission;
use logarithm::Base;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

/// Lowers an operation of the `math` dialect, register by register.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let name = UpstreamKind::of(op)
        .expect("the dispatch goes by kind")
        .name();
    check_formats(op, name)?;
    let short = name.strip_prefix("math.").unwrap_or(name);
    let operand_type = build::operand(op, 0).r#type();
    let element = TensorType::of(operand_type).map_or(operand_type, |tensor| tensor.element);
    let Some(width) = sys::float_width(element) else {
        return if short == "ipowi" {
            integer_power::lower(l, op)
        } else {
            elementwise::per_register(l, op, name)
        };
    };
    // Whether LLVM computes it in the format itself, in f32 and f64, or not at all.
    let in_f32 = match short {
        "absf" | "copysign" | "fma" | "clampf" | "isnan" | "isinf" | "isfinite" | "isnormal" => {
            false
        }
        "ceil" | "floor" | "trunc" | "round" | "roundeven" | "sqrt" | "rsqrt" => width < 32,
        _ if width > 32 => {
            return Err(Diagnostic::new(format!(
                "of `{}` is not supported on {}: GPUs have no instruction for it",
                element_name(element),
                l.gpu.target.name
            ))
            .note("f16, bf16 and f32 can be lowered"));
        }
        _ => width < 32,
    };
    let attributes = attributes_of(op);
    let types: Vec<Vec<Type<'c>>> = op
        .results()
        .map(|result| l.types_of(result.r#type()))
        .collect::<Result<_, _>>()?;
    let operands: Vec<_> = (0..op.operand_count()).map(|i| l.operand(op, i)).collect();
    let mut results: Vec<Vec<Val<'c>>> = vec![Vec::new(); types.len()];
    for r in 0..types[0].len() {
        let values: Vec<Val<'c>> = operands
            .iter()
            .map(|list| widened(l, list[r], in_f32))
            .collect();
        for (i, value) in one(l, short, &values, &attributes)?.into_iter().enumerate() {
            let type_ = types[i][r];
            let value = if in_f32 && value.r#type() != type_ {
                l.e.pure("llvm.fptrunc", &[value], type_, &[])
            } else {
                value
            };
            results[i].push(value);
        }
    }
    for (i, registers) in results.into_iter().enumerate() {
        l.set(build::result(op, i), registers);
    }
    Ok(())
}

/// A float of 16 bits as f32; an integer, the exponent of `fpowi`, as it is.
fn widened<'c>(l: &mut Lowering<'c>, value: Val<'c>, in_f32: bool) -> Val<'c> {
    if !in_f32 || sys::float_width(value.r#type()).is_none() {
        return value;
    }
    let f32 = l.e.types.f32;
    l.e.pure("llvm.fpext", &[value], f32, &[])
}

/// One register's results.
fn one<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    values: &[Val<'c>],
    attributes: &[Named<'_, 'c>],
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let type_ = values[0].r#type();
    let vendor = l.gpu.target.vendor;
    match name {
        "isnan" | "isinf" | "isfinite" | "isnormal" => {
            return Ok(vec![classify(l, name, values[0])]);
        }
        "clampf" => return Ok(vec![clamp(l, values)]),
        "rsqrt" if sys::float_width(type_) == Some(64) => {
            let root = l.e.pure("llvm.intr.sqrt", values, type_, &[]);
            let one = l.e.float(type_, 1.0);
            return Ok(vec![l.e.pure("llvm.fdiv", &[one, root], type_, &[])]);
        }
        "absf" | "copysign" | "fma" | "ceil" | "floor" | "trunc" | "round" | "roundeven"
        | "sqrt" => {
            let name = format!("math.{name}");
            return Ok(vec![l.e.pure(&name, values, type_, attributes)]);
        }
        _ => {}
    }
    if let Some(value) = fast::lower(l, name, values[0], attributes) {
        return Ok(vec![value]);
    }
    if name == "fpowi" {
        let [upper, lower, odd] = integer_power::parts(l, values[1]);
        let m = &mut Emission {
            e: &mut l.e,
            vendor,
        };
        return Ok(vec![power::fpowi(m, values[0], upper, lower, odd)]);
    }
    let m = &mut Emission {
        e: &mut l.e,
        vendor,
    };
    if name == "sincos" {
        return Ok(trigonometric::sincos(m, values[0]).to_vec());
    }
    function(m, name, values)
        .map(|value| vec![value])
        .ok_or_else(|| Diagnostic::new("cannot be lowered yet"))
}

/// A function of floats with one result, by its name.
fn function<M: Arithmetic>(m: &mut M, name: &str, x: &[M::F]) -> Option<M::F> {
    Some(match name {
        "exp" => exponential::exp(m, x[0]),
        "exp2" => m.unary(Unary::Exp2, x[0]),
        "expm1" => exponential::expm1(m, x[0]),
        "log" => logarithm::log(m, x[0], Base::E),
        "log2" => logarithm::log(m, x[0], Base::Two),
        "log10" => logarithm::log(m, x[0], Base::Ten),
        "log1p" => logarithm::log1p(m, x[0]),
        "sin" => trigonometric::sincos(m, x[0])[0],
        "cos" => trigonometric::sincos(m, x[0])[1],
        "tan" => trigonometric::tan(m, x[0]),
        "asin" => inverse::asin(m, x[0]),
        "acos" => inverse::acos(m, x[0]),
        "atan" => inverse::atan(m, x[0]),
        "atan2" => inverse::atan2(m, x[0], x[1]),
        "sinh" => exponential::sinh(m, x[0]),
        "cosh" => exponential::cosh(m, x[0]),
        "tanh" => exponential::tanh(m, x[0]),
        "asinh" => logarithm::asinh(m, x[0]),
        "acosh" => logarithm::acosh(m, x[0]),
        "atanh" => logarithm::atanh(m, x[0]),
        "erf" => error_function::erf(m, x[0]),
        "erfc" => error_function::erfc(m, x[0]),
        "rsqrt" => m.unary(Unary::Rsqrt, x[0]),
        "cbrt" => power::cbrt(m, x[0]),
        "powf" => power::powf(m, x[0], x[1]),
        _ => return None,
    })
}

/// Predicates of `llvm.fcmp`.
const EQUAL: i64 = 1;
const GREATER: i64 = 2;
const NOT_LESS: i64 = 3;
const LESS: i64 = 4;
const UNORDERED: i64 = 14;

fn compare<'c>(l: &mut Lowering<'c>, predicate: i64, a: Val<'c>, b: Val<'c>) -> Val<'c> {
    let predicate = l.e.i64_attr(predicate);
    let i1 = l.e.types.i1;
    l.e.pure("llvm.fcmp", &[a, b], i1, &[("predicate", predicate)])
}

/// By the magnitude: a comparison with NaN is false.
fn classify<'c>(l: &mut Lowering<'c>, name: &str, value: Val<'c>) -> Val<'c> {
    let type_ = value.r#type();
    if name == "isnan" {
        return compare(l, UNORDERED, value, value);
    }
    let size = l.e.pure("llvm.intr.fabs", &[value], type_, &[]);
    let infinity = l.e.float(type_, f64::INFINITY);
    if name == "isinf" {
        return compare(l, EQUAL, size, infinity);
    }
    let is_finite = compare(l, LESS, size, infinity);
    if name == "isfinite" {
        return is_finite;
    }
    let smallest = l.e.float(type_, smallest_normal(type_));
    let is_large = compare(l, NOT_LESS, size, smallest);
    l.e.and(is_finite, is_large)
}

fn smallest_normal(type_: Type<'_>) -> f64 {
    match &*element_name(type_) {
        "f16" => 2f64.powi(-14),
        "f64" => f64::MIN_POSITIVE,
        _ => f64::from(f32::MIN_POSITIVE),
    }
}

/// `min(max(x, low), high)`; NaN stays.
fn clamp<'c>(l: &mut Lowering<'c>, values: &[Val<'c>]) -> Val<'c> {
    let is_low = compare(l, LESS, values[0], values[1]);
    let raised = l.e.select(is_low, values[1], values[0]);
    let is_high = compare(l, GREATER, raised, values[2]);
    l.e.select(is_high, values[2], raised)
}
