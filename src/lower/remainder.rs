//! Remainders of floats, exact for all: `arith.remf` where LLVM's own is not.
//!
//! What LLVM makes of `frem` for some GPUs is `x - trunc(x / y) * y`, which has nothing to do with the remainder as
//! soon as the quotient does not fit into the significand, and has the wrong sign where the quotient is rounded up to an
//! integer. Here a step takes off a multiple that fits, without rounding, and most arguments need one:
//!
//! ```text
//! a, b: the sizes of the operands; L: a quarter of the numbers that a significand counts
//! where a / b < L does not hold:                             rarely
//!   while a / b >= L:
//!     z = b times a power of two, so that 1 < a / z < L
//!     a = a - trunc(a / z) * z, and z more where that is negative
//! a - trunc(a / b) * b, and b more where that is negative; with the sign of the first operand
//! ```
//! A rounded quotient is too large by less than one, so a difference is exact: it is smaller than what was taken off,
//! and a multiple of the last place of both.

use super::emit::FCmpPredicate;
use super::state::Lowering;
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use crate::sys::float_width;
use melior::ir::{Type, ValueLike};

/// The bits of a significand, with the one that is not written.
fn precision(type_: Type<'_>) -> i32 {
    match float_width(type_) {
        Some(64) => 53,
        _ => 24,
    }
}

/// The remainder of two f32 or two f64, as C's `fmod`.
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
    let left = reduced(l, [a, b], limit);
    let rest = l.e.pure(llvm::fdiv(left, b));
    let [a, quotient] = l.e.join_or(rare, &[left, rest], &[a, quotient])[..] else {
        unreachable!("two values are handed on");
    };
    let difference = less_multiple(l, a, b, quotient);
    // Nothing is taken off, which matters where the divisor is infinite.
    let is_whole = l.e.fcmp(FCmpPredicate::Olt, quotient, one);
    let size = l.e.select(is_whole, a, difference);
    l.e.pure(llvm::intr_copysign(size, x))
}

/// `a` without the whole multiple of `b` that a rounded quotient says.
fn less_multiple<'c>(l: &mut Lowering<'c>, a: Val<'c>, b: Val<'c>, quotient: Val<'c>) -> Val<'c> {
    let zero = l.e.zero(a.r#type());
    let whole = l.e.pure(llvm::intr_trunc(quotient));
    let taken = l.e.pure(llvm::fneg(whole));
    let difference = l.e.pure(llvm::intr_fma(taken, b, a));
    let is_negative = l.e.fcmp(FCmpPredicate::Olt, difference, zero);
    let corrected = l.e.pure(llvm::fadd(difference, b));
    l.e.select(is_negative, corrected, difference)
}

/// A number with the same remainder by `b` whose quotient is below the limit; NaN where there is no remainder.
fn reduced<'c>(l: &mut Lowering<'c>, [a, b]: [Val<'c>; 2], limit: Val<'c>) -> Val<'c> {
    let type_ = a.r#type();
    let (zero, infinity) = (l.e.zero(type_), l.e.float(type_, f64::INFINITY));
    let is_finite = l.e.fcmp(FCmpPredicate::Olt, a, infinity);
    let has_divisor = l.e.fcmp(FCmpPredicate::Ogt, b, zero);
    let has_remainder = l.e.and(is_finite, has_divisor);
    let none = l.e.float(type_, f64::NAN);
    let a = l.e.select(has_remainder, a, none);
    // Each round takes off a multiple of a larger power of two than the next.
    let step = l.e.float(type_, f64::powi(2.0, precision(type_) - 4));
    let (header, round) = l.e.begin_loop(&[a]);
    let left = round[0];
    let quotient = l.e.pure(llvm::fdiv(left, b));
    let condition = l.e.fcmp(FCmpPredicate::Oge, quotient, limit);
    let body = l.e.begin_body(header, condition);
    let (multiple_header, multiple) = l.e.begin_loop(&[b]);
    let quotient = l.e.pure(llvm::fdiv(left, multiple[0]));
    let is_too_small = l.e.fcmp(FCmpPredicate::Oge, quotient, limit);
    let grow = l.e.begin_body(multiple_header, is_too_small);
    let larger = l.e.pure(llvm::fmul(multiple[0], step));
    l.e.end_loop(grow, &[larger], None);
    let rest = less_multiple(l, left, multiple[0], quotient);
    l.e.end_loop(body, &[rest], None);
    left
}
