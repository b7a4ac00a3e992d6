//! Exact floating-point remainders: `arith.remf` on GPUs with an inexact expansion in LLVM.
//!
//! LLVM expands `frem` on some GPUs to `x - trunc(x / y) * y`. A quotient beyond the significand gives a meaningless
//! result; a quotient rounded up to an integer gives the wrong sign. Below, the factor of each subtracted multiple fits
//! into the significand, so the difference is exact. Most arguments need one step.
//!
//! ```text
//! a, b: the absolute values of the operands; L = 2^(number of significand bits - 2)
//! if not a / b < L:                                          rarely
//!   while a / b >= L:
//!     z = b times a power of two, so that 1 < a / z < L
//!     a = a - trunc(a / z) * z; if a < 0: a = a + z
//! r = a - trunc(a / b) * b; if r < 0: r = r + b
//! result: r with the sign of the first operand
//! ```
//! A quotient that was rounded up is too large by less than one. The difference is still exact: it is smaller than the
//! subtrahend, and a multiple of the last place of both operands.

use super::emit::FCmpPredicate;
use super::state::Lowering;
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use crate::sys::float_width;
use melior::ir::{Type, ValueLike};

/// Returns the number of significand bits of a float type. The implicit bit is included.
fn precision(type_: Type<'_>) -> i32 {
    match float_width(type_) {
        Some(64) => 53,
        _ => 24,
    }
}

/// Computes C's `fmod` of two f32 or two f64.
pub(super) fn remainder<'c>(l: &mut Lowering<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    if l.gpu.has_exact_remainder() {
        return l.e.pure(llvm::frem(x, y));
    }
    let type_ = x.r#type();
    let [a, b] = [x, y].map(|value| l.e.pure(llvm::intr_fabs(value)));
    let limit = l.e.float(type_, f64::powi(2.0, precision(type_) - 2));
    let one = l.e.float(type_, 1.0);
    let quotient = l.e.pure(llvm::fdiv(a, b));
    let fits = l.e.fcmp(FCmpPredicate::Olt, quotient, limit);
    let is_rare = l.e.is_zero(fits);
    let rare = l.e.fork(is_rare);
    let left = reduce(l, [a, b], limit);
    let rest = l.e.pure(llvm::fdiv(left, b));
    let [a, quotient] = l.e.join_or(rare, &[left, rest], &[a, quotient])[..] else {
        unreachable!("two values are joined");
    };
    let difference = subtract_multiple(l, a, b, quotient);
    // A quotient below 1 needs no subtraction. An infinite divisor requires this case.
    let is_whole = l.e.fcmp(FCmpPredicate::Olt, quotient, one);
    let size = l.e.select(is_whole, a, difference);
    l.e.pure(llvm::intr_copysign(size, x))
}

/// Computes `a - trunc(quotient) * b`. If this difference is negative because the quotient was rounded up, returns
/// the difference plus `b`.
fn subtract_multiple<'c>(
    l: &mut Lowering<'c>,
    a: Val<'c>,
    b: Val<'c>,
    quotient: Val<'c>,
) -> Val<'c> {
    let zero = l.e.zero(a.r#type());
    let whole = l.e.pure(llvm::intr_trunc(quotient));
    let taken = l.e.pure(llvm::fneg(whole));
    let difference = l.e.pure(llvm::intr_fma(taken, b, a));
    let is_negative = l.e.fcmp(FCmpPredicate::Olt, difference, zero);
    let corrected = l.e.pure(llvm::fadd(difference, b));
    l.e.select(is_negative, corrected, difference)
}

/// Subtracts multiples of `b` from `a` until `a / b < limit`. Returns NaN unless `a` is finite and `b` is positive.
fn reduce<'c>(l: &mut Lowering<'c>, [a, b]: [Val<'c>; 2], limit: Val<'c>) -> Val<'c> {
    let type_ = a.r#type();
    let (zero, infinity) = (l.e.zero(type_), l.e.float(type_, f64::INFINITY));
    let is_finite = l.e.fcmp(FCmpPredicate::Olt, a, infinity);
    let has_divisor = l.e.fcmp(FCmpPredicate::Ogt, b, zero);
    let has_remainder = l.e.and(is_finite, has_divisor);
    let none = l.e.float(type_, f64::NAN);
    let a = l.e.select(has_remainder, a, none);
    // Each iteration subtracts a multiple of a larger power of two than the next.
    let step = l.e.float(type_, f64::powi(2.0, precision(type_) - 4));
    let (header, carried) = l.e.begin_loop(&[a]);
    let left = carried[0];
    let quotient = l.e.pure(llvm::fdiv(left, b));
    let condition = l.e.fcmp(FCmpPredicate::Oge, quotient, limit);
    let body = l.e.begin_body(header, condition);
    let (multiple_header, multiple) = l.e.begin_loop(&[b]);
    let quotient = l.e.pure(llvm::fdiv(left, multiple[0]));
    let is_too_small = l.e.fcmp(FCmpPredicate::Oge, quotient, limit);
    let grow = l.e.begin_body(multiple_header, is_too_small);
    let larger = l.e.pure(llvm::fmul(multiple[0], step));
    l.e.end_loop(grow, &[larger], None);
    let rest = subtract_multiple(l, left, multiple[0], quotient);
    l.e.end_loop(body, &[rest], None);
    left
}
