//! Extended integer arithmetic: upper halves of products, and carries of sums.

use super::emit::ICmpPredicate;
use super::state::{Lowering, Outcome};
use crate::ir::builders::llvm;
use crate::ir::ops::arith;
use crate::ir::{OpView, UpstreamView};
use crate::sys::build::{Op, Val};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, ValueLike};

/// Lowers `arith.mulsi_extended` and `arith.mului_extended`, which return both halves of the product, and
/// `tt.mulhiui`, which returns the upper half.
pub(crate) fn multiply<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    if let Some(OpView::TtMulhiUI(op)) = OpView::of(op) {
        product(l, (op.x(), op.y()), false, None, op.result());
    }
    match UpstreamView::of(op) {
        Some(UpstreamView::ArithMulSIExtended(op)) => {
            product(l, (op.lhs(), op.rhs()), true, Some(op.low()), op.high());
        }
        Some(UpstreamView::ArithMulUIExtended(op)) => {
            product(l, (op.lhs(), op.rhs()), false, Some(op.low()), op.high());
        }
        _ => {}
    }
    Ok(())
}

/// Lowers `arith.addui_extended`. The addition has overflowed if the sum is less than the first operand.
pub(crate) fn add<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = arith::AddUIExtended::of(op).expect("the dispatch goes by kind");
    let (a, b) = (l.get(view.lhs()), l.get(view.rhs()));
    let sums: Vec<Val<'c>> = a
        .iter()
        .zip(b.iter())
        .map(|(a, b)| l.e.add(*a, *b))
        .collect();
    let carries: Vec<Val<'c>> = sums
        .iter()
        .zip(a.iter())
        .map(|(sum, a)| l.e.icmp(ICmpPredicate::Ult, *sum, *a))
        .collect();
    l.set(view.sum(), sums);
    l.set(view.overflow(), carries);
    Ok(())
}

/// Sets `high` to the upper half of the product of two integers. If `low` is `Some`, sets it to the lower half.
fn product<'c>(
    l: &mut Lowering<'c>,
    (a, b): (Val<'c>, Val<'c>),
    signed: bool,
    low: Option<Val<'c>>,
    high: Val<'c>,
) {
    let (a, b) = (l.get(a), l.get(b));
    let pairs: Vec<(Val<'c>, Val<'c>)> = a.iter().copied().zip(b.iter().copied()).collect();
    let upper: Vec<Val<'c>> = pairs
        .iter()
        .map(|(a, b)| upper_half(l, *a, *b, signed))
        .collect();
    if let Some(low) = low {
        let lower: Vec<Val<'c>> = pairs.iter().map(|(a, b)| l.e.mul(*a, *b)).collect();
        l.set(low, lower);
    }
    l.set(high, upper);
}

pub(super) fn upper_half<'c>(
    l: &mut Lowering<'c>,
    a: Val<'c>,
    b: Val<'c>,
    signed: bool,
) -> Val<'c> {
    let type_ = a.r#type();
    let width = IntegerType::try_from(type_).map_or(64, |t| t.width());
    if width < 64 {
        let wide = l.e.int_type(2 * width);
        let [a, b] = [a, b].map(|v| {
            if signed {
                l.e.sext(v, wide)
            } else {
                l.e.zext(v, wide)
            }
        });
        let product = l.e.mul(a, b);
        let high = l.e.lshr(product, width);
        return l.e.trunc(high, type_);
    }
    if let Some(high) = l.gpu.upper_half(&mut l.e, a, b, signed) {
        return high;
    }
    let high = unsigned_upper_half(l, a, b, type_);
    if !signed {
        return high;
    }
    // A negative operand is 2^64 too large as an unsigned number.
    let [from_a, from_b] = [(a, b), (b, a)].map(|(x, other)| {
        let by = l.e.constant(type_, 63);
        let sign = l.e.pure(llvm::ashr(x, by));
        l.e.and(sign, other)
    });
    let high = l.e.sub(high, from_a);
    l.e.sub(high, from_b)
}

/// Computes the upper half of the unsigned product of two 64-bit integers from four products of their 32-bit
/// halves.
fn unsigned_upper_half<'c>(
    l: &mut Lowering<'c>,
    a: Val<'c>,
    b: Val<'c>,
    type_: Type<'c>,
) -> Val<'c> {
    let mask = l.e.constant(type_, 0xffff_ffff);
    let [(a_low, a_high), (b_low, b_high)] = [a, b].map(|v| (l.e.and(v, mask), l.e.lshr(v, 32)));
    let low = l.e.mul(a_low, b_low);
    let crossed = l.e.mul(a_high, b_low);
    let low = l.e.lshr(low, 32);
    // At most (2^32 - 1)^2 + 2^32 - 1, below 2^64.
    let middle = l.e.add(crossed, low);
    let other = l.e.mul(a_low, b_high);
    let middle_low = l.e.and(middle, mask);
    let other = l.e.add(other, middle_low);
    let high = l.e.mul(a_high, b_high);
    let [middle, other] = [middle, other].map(|v| l.e.lshr(v, 32));
    let high = l.e.add(high, middle);
    l.e.add(high, other)
}
