//! The `math` dialect: hardware instructions, and polynomial approximations in binary32.
//!
//! Error bounds are in units in the last place (ulp) over all binary32 arguments. The tests read this table and measure
//! with a correctly rounded `exp2` and `rsqrt`. The third column is the maximum additional error from the hardware's
//! `exp2` and `rsqrt`, in ulp.
//!
//! | function | bound | additional error |
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
//! f16 and bf16 are computed in f32, with an additional rounding error of half a narrow ulp. f64 uses LLVM's
//! operations, or the vendor's library. With `fastmath<afn>`, `exp`, `exp2`, `log`, `log2`, `rsqrt`, `sin`, `sqrt` and
//! `cos` are hardware instructions, some of which flush subnormal numbers. Without the flag, `sqrt`, `fma`, rounding to
//! integers, sign operations and classification are exact.

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
mod library;
mod logarithm;
mod power;
#[cfg(test)]
mod tests;
mod trigonometric;

use super::elementwise::{self, check_formats};
use super::emit::{FCmpPredicate, NamedAttr, attributes_of};
use super::format::width;
use super::state::{Lowering, Outcome};
use crate::ir::UpstreamKind as K;
use crate::ir::builders::llvm;
use crate::ir::{TensorType, element_name};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use arithmetic::{Arithmetic, Unary};
use emission::Emission;
use logarithm::Base;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let kind = K::of(op).expect("the dispatch goes by kind");
    lower_as(l, op, kind)
}

pub(crate) fn lower_as<'c>(l: &mut Lowering<'c>, op: Op<'c>, kind: K) -> Outcome {
    check_formats(op, kind)?;
    let operands = build::operands(op);
    let operand_type = operands
        .first()
        .map_or_else(|| build::only_result(op).r#type(), |first| first.r#type());
    let element = TensorType::of(operand_type).map_or(operand_type, |tensor| tensor.element);
    if sys::float_width(element).is_none() {
        return if kind == K::MathIPowI {
            integer_power::lower(l, op)
        } else {
            elementwise::per_register(l, op, kind)
        };
    }
    let attributes = attributes_of(op);
    let types: Vec<Vec<Type<'c>>> = op
        .results()
        .map(|result| l.types_of(result.r#type()))
        .collect::<Result<_, _>>()?;
    let operands: Vec<_> = (0..op.operand_count()).map(|i| l.operand(op, i)).collect();
    let mut results: Vec<Vec<Val<'c>>> = vec![Vec::new(); types.len()];
    for r in 0..types[0].len() {
        let values: Vec<Val<'c>> = operands.iter().map(|list| list[r]).collect();
        let own: Vec<Type<'c>> = types.iter().map(|list| list[r]).collect();
        let computed = compute(l, kind, &values, &own, &attributes)?;
        for (list, value) in results.iter_mut().zip(computed) {
            list.push(value);
        }
    }
    for (i, registers) in results.into_iter().enumerate() {
        l.set(build::result(op, i), registers);
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Implementation {
    Own,
    Binary32,
    Library,
}

fn implementation_of(kind: K, width: u32) -> Implementation {
    match kind {
        K::MathAbsF
        | K::MathCopySign
        | K::MathFma
        | K::MathClampF
        | K::MathIsNaN
        | K::MathIsInf
        | K::MathIsFinite
        | K::MathIsNormal => Implementation::Own,
        _ if width < 32 => Implementation::Binary32,
        K::MathCeil
        | K::MathFloor
        | K::MathTrunc
        | K::MathRound
        | K::MathRoundEven
        | K::MathSqrt
        | K::MathRsqrt => Implementation::Own,
        _ if width == 32 => Implementation::Own,
        _ => Implementation::Library,
    }
}

fn compute<'c>(
    l: &mut Lowering<'c>,
    kind: K,
    values: &[Val<'c>],
    types: &[Type<'c>],
    attributes: &[NamedAttr<'c>],
) -> Result<Vec<Val<'c>>, Diagnostic> {
    match implementation_of(kind, width(values[0].r#type())) {
        Implementation::Own => one(l, kind, values, attributes),
        Implementation::Library => library::call(l, kind, values, types),
        Implementation::Binary32 => {
            let wide: Vec<Val<'c>> = values.iter().map(|value| widened(l, *value)).collect();
            let computed = one(l, kind, &wide, attributes)?;
            let rounded = computed
                .iter()
                .zip(types)
                .map(|(value, type_)| l.e.fptrunc(*value, *type_));
            Ok(rounded.collect())
        }
    }
}

/// Computes a scalar function. `None` if only a library implements the function.
pub(crate) fn apply<'c>(
    l: &mut Lowering<'c>,
    kind: K,
    values: &[Val<'c>],
    is_approximate: bool,
) -> Result<Option<Val<'c>>, Diagnostic> {
    let type_ = values[0].r#type();
    if implementation_of(kind, width(type_)) == Implementation::Library {
        return Ok(None);
    }
    let flags = is_approximate.then(|| l.e.approximate_flags());
    let flags: Vec<NamedAttr<'c>> = flags.into_iter().collect();
    let computed = compute(l, kind, values, &[type_], &flags)?;
    Ok(computed.first().copied())
}

/// Extends 16-bit floats to f32. Integers, such as the exponent of `fpowi`, are unchanged.
fn widened<'c>(l: &mut Lowering<'c>, value: Val<'c>) -> Val<'c> {
    if sys::float_width(value.r#type()).is_none() {
        return value;
    }
    let f32 = l.e.types.f32;
    l.e.fpext(value, f32)
}

fn one<'c>(
    l: &mut Lowering<'c>,
    kind: K,
    values: &[Val<'c>],
    attributes: &[NamedAttr<'c>],
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let type_ = values[0].r#type();
    let gpu = l.gpu;
    match kind {
        K::MathIsNaN | K::MathIsInf | K::MathIsFinite | K::MathIsNormal => {
            return Ok(vec![classify(l, kind, values[0])]);
        }
        K::MathClampF => return Ok(vec![clamp(l, values)]),
        K::MathRsqrt if sys::float_width(type_) == Some(64) => {
            let root = l.e.pure(llvm::intr_sqrt(values[0]));
            let one = l.e.float(type_, 1.0);
            return Ok(vec![l.e.pure(llvm::fdiv(one, root))]);
        }
        K::MathAbsF
        | K::MathCopySign
        | K::MathFma
        | K::MathCeil
        | K::MathFloor
        | K::MathTrunc
        | K::MathRound
        | K::MathRoundEven => {
            return Ok(vec![l.e.upstream(kind, values, type_, attributes)]);
        }
        K::MathSqrt => {
            let root = match fast::lower(l, kind, values[0], attributes) {
                Some(root) => root,
                None => l.e.upstream(kind, values, type_, attributes),
            };
            return Ok(vec![root]);
        }
        _ => {}
    }
    if let Some(value) = fast::lower(l, kind, values[0], attributes) {
        return Ok(vec![value]);
    }
    if l.call_libraries && library::has_binary32(kind) {
        return library::call(l, kind, values, &[type_]);
    }
    if kind == K::MathFPowI {
        let [upper, lower, odd] = integer_power::parts(l, values[1]);
        let m = &mut Emission { e: &mut l.e, gpu };
        return Ok(vec![power::fpowi(m, values[0], upper, lower, odd)]);
    }
    let m = &mut Emission { e: &mut l.e, gpu };
    if kind == K::MathSincos {
        return Ok(trigonometric::sincos(m, values[0]).to_vec());
    }
    function(m, kind, values)
        .map(|value| vec![value])
        .ok_or_else(crate::lower::dispatch::unsupported)
}

/// Computes an approximation of the function `kind` for the arguments `x`. Returns `None` if there is no
/// approximation of this function.
fn function<M: Arithmetic>(m: &mut M, kind: K, x: &[M::F]) -> Option<M::F> {
    Some(match kind {
        K::MathExp => exponential::exp(m, x[0]),
        K::MathExp2 => m.unary(Unary::Exp2, x[0]),
        K::MathExpM1 => exponential::expm1(m, x[0]),
        K::MathLog => logarithm::log(m, x[0], Base::E),
        K::MathLog2 => logarithm::log(m, x[0], Base::Two),
        K::MathLog10 => logarithm::log(m, x[0], Base::Ten),
        K::MathLog1p => logarithm::log1p(m, x[0]),
        K::MathSin => trigonometric::sincos(m, x[0])[0],
        K::MathCos => trigonometric::sincos(m, x[0])[1],
        K::MathTan => trigonometric::tan(m, x[0]),
        K::MathAsin => inverse::asin(m, x[0]),
        K::MathAcos => inverse::acos(m, x[0]),
        K::MathAtan => inverse::atan(m, x[0]),
        K::MathAtan2 => inverse::atan2(m, x[0], x[1]),
        K::MathSinh => exponential::sinh(m, x[0]),
        K::MathCosh => exponential::cosh(m, x[0]),
        K::MathTanh => exponential::tanh(m, x[0]),
        K::MathAsinh => logarithm::asinh(m, x[0]),
        K::MathAcosh => logarithm::acosh(m, x[0]),
        K::MathAtanh => logarithm::atanh(m, x[0]),
        K::MathErf => error_function::erf(m, x[0]),
        K::MathErfc => error_function::erfc(m, x[0]),
        K::MathRsqrt => m.unary(Unary::Rsqrt, x[0]),
        K::MathCbrt => power::cbrt(m, x[0]),
        K::MathPowF => power::powf(m, x[0], x[1]),
        _ => return None,
    })
}

/// Lowers `math.isnan`, `math.isinf`, `math.isfinite` and `math.isnormal` to comparisons of `|value|`.
pub(crate) fn classify<'c>(l: &mut Lowering<'c>, kind: K, value: Val<'c>) -> Val<'c> {
    let type_ = value.r#type();
    if kind == K::MathIsNaN {
        return l.e.fcmp(FCmpPredicate::Uno, value, value);
    }
    let size = l.e.pure(llvm::intr_fabs(value));
    let infinity = l.e.float(type_, f64::INFINITY);
    if kind == K::MathIsInf {
        return l.e.fcmp(FCmpPredicate::Oeq, size, infinity);
    }
    let is_finite = l.e.fcmp(FCmpPredicate::Olt, size, infinity);
    if kind == K::MathIsFinite {
        return is_finite;
    }
    let smallest = l.e.float(type_, smallest_normal(type_));
    let is_large = l.e.fcmp(FCmpPredicate::Oge, size, smallest);
    l.e.and(is_finite, is_large)
}

fn smallest_normal(type_: Type<'_>) -> f64 {
    match &*element_name(type_) {
        "f16" => 2f64.powi(-14),
        "f64" => f64::MIN_POSITIVE,
        _ => f64::from(f32::MIN_POSITIVE),
    }
}

/// Computes `min(max(x, low), high)` for `values = [x, low, high]`. If `x` is NaN, the result is NaN.
fn clamp<'c>(l: &mut Lowering<'c>, values: &[Val<'c>]) -> Val<'c> {
    let is_low = l.e.fcmp(FCmpPredicate::Olt, values[0], values[1]);
    let raised = l.e.select(is_low, values[1], values[0]);
    let is_high = l.e.fcmp(FCmpPredicate::Ogt, raised, values[2]);
    l.e.select(is_high, values[2], raised)
}
