//! Integer powers: `math.ipowi`, and the integer exponents of `math.fpowi`.

use crate::ir::builders::llvm;
use crate::ir::ops::math;
use crate::lower::emit::ICmpPredicate;
use crate::lower::state::{Lowering, Outcome};
use crate::sys::build::{Op, Val};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, ValueLike};

/// Lowers `math.ipowi` by repeated squaring. If the exponent is negative, the result is 0 for all bases except 1
/// and -1.
pub(super) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = math::IPowI::of(op).expect("the dispatch goes by kind");
    let (bases, exponents) = (l.get(view.lhs()), l.get(view.rhs()));
    let registers: Vec<Val<'c>> = bases
        .iter()
        .zip(exponents.iter())
        .map(|(base, exponent)| power(l, *base, *exponent))
        .collect();
    l.set(view.result(), registers);
    Ok(())
}

fn power<'c>(l: &mut Lowering<'c>, base: Val<'c>, exponent: Val<'c>) -> Val<'c> {
    let type_ = base.r#type();
    let [zero, one, minus_one] = [0, 1, -1].map(|n| l.e.constant(type_, n));
    let is_negative = l.e.icmp(ICmpPredicate::Slt, exponent, zero);
    let count = l.e.select(is_negative, zero, exponent);

    // Loop-carried: the power so far, the next square, and the remaining bits of the exponent.
    let (header, carried) = l.e.begin_loop(&[one, base, count]);
    let condition = l.e.icmp(ICmpPredicate::Ne, carried[2], zero);
    let body = l.e.begin_body(header, condition);
    let product = l.e.mul(carried[0], carried[1]);
    let bit = l.e.and(carried[2], one);
    let is_odd = l.e.icmp(ICmpPredicate::Eq, bit, one);
    let product = l.e.select(is_odd, product, carried[0]);
    let square = l.e.mul(carried[1], carried[1]);
    let rest = halve(l, carried[2], one, type_);
    l.e.end_loop(body, &[product, square, rest], None);
    let result = carried[0];

    let bit = l.e.and(exponent, one);
    let is_odd = l.e.icmp(ICmpPredicate::Eq, bit, one);
    let sign = l.e.select(is_odd, minus_one, one);
    let is_minus_one = l.e.icmp(ICmpPredicate::Eq, base, minus_one);
    let inverse = l.e.select(is_minus_one, sign, zero);
    let is_one = l.e.icmp(ICmpPredicate::Eq, base, one);
    let inverse = l.e.select(is_one, one, inverse);
    l.e.select(is_negative, inverse, result)
}

fn halve<'c>(l: &mut Lowering<'c>, value: Val<'c>, one: Val<'c>, type_: Type<'c>) -> Val<'c> {
    if type_ == l.e.types.i1 {
        // A shift by the whole width is undefined.
        return l.e.constant(type_, 0);
    }
    l.e.pure(llvm::lshr(value, one))
}

/// Splits an exponent into `[upper, lower, odd]` for [`super::power::fpowi`]: the exponent without its lowest 8
/// bits, these 8 bits, and the lowest bit.
///
/// If the type of the exponent has more than 32 bits, `upper` and `lower` are those of the exponent clamped to 32
/// bits. `odd` is always the lowest bit before clamping.
pub(super) fn parts<'c>(l: &mut Lowering<'c>, exponent: Val<'c>) -> [Val<'c>; 3] {
    let i32 = l.e.types.i32;
    let type_ = exponent.r#type();
    let width = IntegerType::try_from(type_).map_or(32, |t| t.width());
    let (bounded, low) = match width {
        0..32 => {
            let wide = l.e.sext(exponent, i32);
            (wide, wide)
        }
        32 => (exponent, exponent),
        _ => {
            let [least, most] = [i32::MIN, i32::MAX].map(|n| l.e.constant(type_, i64::from(n)));
            let bounded = l.e.pure(llvm::intr_smax(exponent, least));
            let bounded = l.e.pure(llvm::intr_smin(bounded, most));
            (l.e.trunc(bounded, i32), l.e.trunc(exponent, i32))
        }
    };
    let upper_mask = l.e.i32(!0xff);
    let lower_mask = l.e.i32(0xff);
    let one = l.e.i32(1);
    [
        l.e.and(bounded, upper_mask),
        l.e.and(bounded, lower_mask),
        l.e.and(low, one),
    ]
}
