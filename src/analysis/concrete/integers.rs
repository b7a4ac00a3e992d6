//! Evaluation of integer operations.

use crate::ir::ops::arith;
use crate::ir::ops::arith::CmpIPredicate;
use crate::ir::{AnyKind, OpKind, UpstreamKind};
use crate::sys::build::{self, Op, Val};
use melior::ir::r#type::IntegerType;
use melior::ir::{TypeLike, ValueLike};

/// Returns the width in bits of a value of integer type, or 64 for `index`. Returns `None` for other types and for
/// integers wider than 64 bits.
pub(crate) fn width(value: Val<'_>) -> Option<u32> {
    let type_ = value.r#type();
    if type_.is_index() {
        return Some(64);
    }
    let width = IntegerType::try_from(type_).ok()?.width();
    (1..=64).contains(&width).then_some(width)
}

/// Returns the lowest `width` bits of `number`, sign-extended. If `width` is 1, the result is 0 or 1.
pub(crate) const fn wrapped(number: i64, width: u32) -> i64 {
    match width {
        1 => number & 1,
        _ => number << (64 - width) >> (64 - width),
    }
}

const fn unsigned(number: i64, width: u32) -> u64 {
    number.cast_unsigned() << (64 - width) >> (64 - width)
}

/// Returns the result of an integer operation. Returns `None` if an operand is unknown, or if the operation is not
/// supported or has no defined result.
pub(crate) fn evaluate(op: Op<'_>, get: impl Fn(Val<'_>) -> Option<i64>) -> Option<i64> {
    use UpstreamKind as U;
    let AnyKind::Upstream(kind) = AnyKind::of(op) else {
        // The executed path is the path of program 0.
        return OpKind::TtGetProgramId.is(op).then_some(0);
    };
    if let Some(constant) = arith::Constant::of(op) {
        return build::integer_value(constant.value());
    }
    let operands = build::operands(op);
    if kind == U::ArithSelect {
        let condition = get(operands[0])?;
        return get(operands[if condition != 0 { 1 } else { 2 }]);
    }
    let bits = width(*operands.first()?)?;
    let a = get(operands[0])?;
    match kind {
        U::ArithExtSI if bits == 1 => return Some(-a),
        U::ArithExtSI | U::ArithTruncI | U::ArithIndexCast => return Some(a),
        U::ArithExtUI | U::ArithIndexCastUI => return i64::try_from(unsigned(a, bits)).ok(),
        _ => {}
    }
    let b = get(*operands.get(1)?)?;
    let (x, y) = (unsigned(a, bits), unsigned(b, bits));
    let from_unsigned = |number: Option<u64>| number.map(u64::cast_signed);
    let shift = u32::try_from(b).ok().filter(|by| *by < bits);
    match kind {
        U::ArithAddI => Some(a.wrapping_add(b)),
        U::ArithSubI => Some(a.wrapping_sub(b)),
        U::ArithMulI => Some(a.wrapping_mul(b)),
        U::ArithAndI => Some(a & b),
        U::ArithOrI => Some(a | b),
        U::ArithXOrI => Some(a ^ b),
        U::ArithMaxSI => Some(a.max(b)),
        U::ArithMinSI => Some(a.min(b)),
        U::ArithMaxUI => from_unsigned(Some(x.max(y))),
        U::ArithMinUI => from_unsigned(Some(x.min(y))),
        U::ArithDivSI => a.checked_div(b),
        U::ArithRemSI => a.checked_rem(b),
        U::ArithDivUI => from_unsigned(x.checked_div(y)),
        U::ArithRemUI => from_unsigned(x.checked_rem(y)),
        U::ArithShLI => Some(a << shift?),
        U::ArithShRSI => Some(a >> shift?),
        U::ArithShRUI => from_unsigned(Some(x >> shift?)),
        U::ArithCmpI => {
            use CmpIPredicate as P;
            let holds = match arith::CmpI::of(op)?.predicate() {
                P::Eq => a == b,
                P::Ne => a != b,
                P::Slt => a < b,
                P::Sle => a <= b,
                P::Sgt => a > b,
                P::Sge => a >= b,
                P::Ult => x < y,
                P::Ule => x <= y,
                P::Ugt => x > y,
                P::Uge => x >= y,
            };
            Some(i64::from(holds))
        }
        _ => None,
    }
}
