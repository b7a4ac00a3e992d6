//! Integer arithmetic.

use super::claim::{self, Ideal, Promise, Remainder};
use super::compare::{IntCompare, NE, ULT};
use super::{Family, OpRow, row};
use crate::bits::{mask, signed};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, SlotKind};
use crate::error::FaultKind;
use crate::exec::points_to::PointerFlow;
use crate::exec::{Exec, Instruction, Marks, PoisonEffect, Regs};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "integer arithmetic",
    operations: &[BINARY_ROWS, DIVISION_ROWS, UNARY_ROWS, OTHER_ROWS],
    intrinsics: &[BINARY_INTRINSICS],
};

/// Returns the undefined bits of a result, given the operand values `of` and the undefined bits of the operands. If
/// an operation has no such function, one undefined bit of an operand makes the whole result undefined.
type UndefinedBits = fn(of: [u64; 2], undefined: [u64; 2]) -> u64;

#[derive(Debug)]
pub(crate) struct IntBinaryOp {
    pub(crate) eval: fn(bits: u32, a: u64, b: u64) -> u64,
    /// Applies the operation in all active lanes. This loop is separate from `eval` so that it can be vectorised.
    all: fn(&mut Exec<'_>, &Int),
    ideal: Option<Ideal>,
    rest: Option<Remainder>,
    undefined: Option<UndefinedBits>,
    /// `None` for operations other than shifts. For a shift, true if a shift amount of at least the width makes the
    /// result poison.
    is_shift: Option<bool>,
}

impl IntBinaryOp {
    const fn new(eval: fn(u32, u64, u64) -> u64, all: fn(&mut Exec<'_>, &Int)) -> Self {
        Self {
            eval,
            all,
            ideal: None,
            rest: None,
            undefined: None,
            is_shift: None,
        }
    }
}

/// Defines binary operations. A row has a Rust name, operation names, intrinsic names, and an expression that
/// computes the result from `a` and `b`. The operands and the result have `bits` bits and are zero-extended to 64
/// bits. Further columns of a row are optional and set other fields of `IntBinaryOp`.
macro_rules! binary {
    ($($name:ident [$($operation:literal)*] [$($intrinsic:literal)*]
        |$bits:ident, $a:ident, $b:ident| $result:expr $(, $column:ident: $value:expr)*;)*) => {
        $(pub(crate) static $name: IntBinaryOp = IntBinaryOp {
            $($column: Some($value),)*
            ..IntBinaryOp::new(
                |$bits, $a, $b| $result,
                |exec, i| {
                    let $bits = i.bits;
                    exec.map2(i.dst, [i.a, i.b], |$a, $b| $result);
                },
            )
        };)*
        const BINARY_ROWS: &[OpRow] = &[$($(row($operation, |d, op| binary(d, op, &$name)),)*)*];
        const BINARY_INTRINSICS: &[OpRow] = &[$($(row($intrinsic, |d, op| binary(d, op, &$name)),)*)*];
    };
}

binary! {
    ADD ["llvm.add"] [] |bits, a, b| a.wrapping_add(b) & mask(bits), ideal: |_, x, y| Some(x + y), undefined: carried;
    SUB ["llvm.sub"] [] |bits, a, b| a.wrapping_sub(b) & mask(bits), ideal: |_, x, y| Some(x - y), undefined: carried;
    // The product of two unsigned 64-bit numbers may not fit `i128`.
    MUL ["llvm.mul"] [] |bits, a, b| a.wrapping_mul(b) & mask(bits),
        ideal: |_, x, y| Some(x.checked_mul(y).unwrap_or(i128::MAX)),
        undefined: |[a, b], [ua, ub]| match (a | ua, b | ub) {
            (0, _) | (_, 0) => 0,
            _ => carried([a, b], [ua, ub]),
        };
    AND ["llvm.and"] [] |_bits, a, b| a & b, undefined: |[a, b], [ua, ub]| (ua | ub) & (a | ua) & (b | ub);
    OR ["llvm.or"] [] |_bits, a, b| a | b, undefined: |[a, b], [ua, ub]| (ua | ub) & (!a | ua) & (!b | ub);
    XOR ["llvm.xor"] [] |_bits, a, b| a ^ b, undefined: |_, [ua, ub]| ua | ub;
    SHL ["llvm.shl"] [] |bits, a, b| shift(bits, b, || (a << b) & mask(bits)),
        ideal: |bits, x, y| (0..i128::from(bits)).contains(&y).then(|| x << y),
        is_shift: true,
        undefined: |[_, by], undefined| shifted(undefined, |ua| ua.checked_shl(by as u32));
    LSHR ["llvm.lshr"] [] |bits, a, b| shift(bits, b, || a >> b),
        rest: |bits, a, b| (b < u64::from(bits)).then(|| a & mask(b as u32)),
        is_shift: true,
        undefined: |[_, by], undefined| shifted(undefined, |ua| ua.checked_shr(by as u32));
    ASHR ["llvm.ashr"] [] |bits, a, b| shift(bits, b, || (signed(a, bits) >> b) as u64 & mask(bits)),
        rest: |bits, a, b| (b < u64::from(bits)).then(|| a & mask(b as u32)),
        is_shift: true;
    // PTX clamps the shift amount to the width.
    SHL_CLAMPED [] [] |bits, a, b| if b < u64::from(bits) { (a << b) & mask(bits) } else { 0 };
    SMAX ["llvm.intr.smax"] [] |bits, a, b| signed(a, bits).max(signed(b, bits)) as u64 & mask(bits);
    SMIN ["llvm.intr.smin"] [] |bits, a, b| signed(a, bits).min(signed(b, bits)) as u64 & mask(bits);
    UMAX ["llvm.intr.umax"] [] |_bits, a, b| a.max(b);
    UMIN ["llvm.intr.umin"] [] |_bits, a, b| a.min(b);
    UADD_SAT ["llvm.intr.uadd.sat"] [] |bits, a, b| a.saturating_add(b).min(mask(bits));
    USUB_SAT ["llvm.intr.usub.sat"] [] |_bits, a, b| a.saturating_sub(b);
    SADD_SAT ["llvm.intr.sadd.sat"] []
        |bits, a, b| clamp(bits, i128::from(signed(a, bits)) + i128::from(signed(b, bits)));
    SSUB_SAT ["llvm.intr.ssub.sat"] []
        |bits, a, b| clamp(bits, i128::from(signed(a, bits)) - i128::from(signed(b, bits)));
    // The upper half of the product.
    UMUL_HIGH [] ["llvm.nvvm.mulhi.ui" "llvm.nvvm.mulhi.ull"]
        |bits, a, b| ((u128::from(a) * u128::from(b)) >> bits) as u64 & mask(bits);
    SMUL_HIGH [] ["llvm.nvvm.mulhi.i" "llvm.nvvm.mulhi.ll"]
        |bits, a, b| ((i128::from(signed(a, bits)) * i128::from(signed(b, bits))) >> bits) as u64 & mask(bits);
}

/// Returns the undefined bits of a sum: all bits from the lowest undefined bit upwards.
fn carried(_: [u64; 2], [ua, ub]: [u64; 2]) -> u64 {
    match ua | ub {
        0 => 0,
        undefined => u64::MAX << undefined.trailing_zeros(),
    }
}

/// Returns the undefined bits of a shift. `moved` shifts the undefined bits of the operand, or returns `None`
/// for an oversized shift. All bits are undefined for an undefined or oversized shift amount.
fn shifted([ua, ub]: [u64; 2], moved: impl FnOnce(u64) -> Option<u64>) -> u64 {
    if ub == 0 {
        moved(ua).unwrap_or(u64::MAX)
    } else {
        u64::MAX
    }
}

/// Returns the result of a shift, or a recognisable pattern if the shift amount is at least the width.
fn shift(bits: u32, by: u64, result: impl FnOnce() -> u64) -> u64 {
    if by < u64::from(bits) {
        result()
    } else {
        0x5a5a_5a5a_5a5a_5a5a & mask(bits)
    }
}

/// Saturates `value` to a signed number of `bits` bits.
fn clamp(bits: u32, value: i128) -> u64 {
    let smallest = i128::from(signed(1 << (bits - 1), bits));
    value.clamp(smallest, -smallest - 1) as u64 & mask(bits)
}

#[derive(Debug)]
pub(crate) struct Int {
    pub(crate) op: &'static IntBinaryOp,
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for Int {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        (self.op.all)(exec, self);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let of = [self.a, self.b];
        PoisonEffect::Results(match self.op.undefined {
            Some(undefined) => {
                let width = mask(self.bits);
                let undefined = undefined(
                    of.map(|reg| lane.get(reg)),
                    of.map(|reg| lane.bits(reg) & width),
                );
                lane.bitwise(&of, self.bits, undefined)
            }
            None => lane.of(&of),
        })
    }
}

fn binary(d: &mut Decoder<'_>, op: &Operation, of: &'static IntBinaryOp) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [a, b]| {
        let bits = slot.bits;
        d.b.push(Int {
            op: of,
            bits,
            dst,
            a,
            b,
        });
        let is_far = |by: u64| by >= u64::from(bits);
        if of.is_shift == Some(true) && d.b.constant_of(b).is_none_or(is_far) {
            claim::require(d, Promise::ShiftBelow(bits), dst, b);
        }
        promises(d, op, of.ideal, of.rest, bits, [dst, a, b]);
        slot.kind == SlotKind::Int
    })
}

fn promises(
    d: &mut Decoder<'_>,
    op: &Operation,
    ideal: Option<Ideal>,
    rest: Option<Remainder>,
    bits: u32,
    [value, a, b]: [Reg; 3],
) {
    let (no_signed_wrap, no_unsigned_wrap) = claim::overflow_flags(op);
    let mut promise = |flag: bool, promise: Option<Promise>| {
        if let (true, Some(promise)) = (flag, promise) {
            d.b.push(claim::PromiseCheck {
                promise,
                value,
                a,
                b,
            });
        }
    };
    let of_ideal = |make: fn(Ideal, u32) -> Promise| ideal.map(|ideal| make(ideal, bits));
    promise(no_signed_wrap, of_ideal(Promise::NoSignedWrap));
    promise(no_unsigned_wrap, of_ideal(Promise::NoUnsignedWrap));
    let exact = rest.map(|rest| Promise::Exact(rest, bits));
    promise(op.attribute("isExact").is_some(), exact);
    promise(
        op.attribute("isDisjoint").is_some(),
        Some(Promise::Disjoint),
    );
}

/// A division or remainder. It has no result if the divisor is zero, or if the smallest integer is divided by -1.
#[derive(Debug)]
pub(crate) struct Division {
    eval: fn(bits: u32, a: u64, b: u64) -> Option<u64>,
    rest: Option<Remainder>,
}

macro_rules! divisions {
    ($($name:ident $operation:literal $eval:expr, $rest:expr;)*) => {
        $(pub(crate) static $name: Division = Division { eval: $eval, rest: $rest };)*
        const DIVISION_ROWS: &[OpRow] = &[$(row($operation, |d, op| divide(d, op, &$name)),)*];
    };
}

divisions! {
    UDIV "llvm.udiv" |_, a, b| a.checked_div(b), Some(|_, a, b| a.checked_rem(b));
    SDIV "llvm.sdiv" |bits, a, b| signed_division(bits, a, b, |x, y| x / y),
        Some(|bits, a, b| signed_division(bits, a, b, |x, y| x % y));
    UREM "llvm.urem" |_, a, b| a.checked_rem(b), None;
    SREM "llvm.srem" |bits, a, b| signed_division(bits, a, b, |x, y| x % y), None;
}

fn signed_division(bits: u32, a: u64, b: u64, result: fn(i64, i64) -> i64) -> Option<u64> {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let smallest = signed(1 << (bits - 1), bits);
    (y != 0 && (x, y) != (smallest, -1)).then(|| result(x, y) as u64 & mask(bits))
}

#[derive(Debug)]
pub(crate) struct Divide {
    pub(crate) op: &'static Division,
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for Divide {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let (a, b) = (exec.get(self.a, lane), exec.get(self.b, lane));
            let Some(value) = (self.op.eval)(self.bits, a, b) else {
                let (a, b) = (signed(a, self.bits), signed(b, self.bits));
                let bits = self.bits;
                let text = match b {
                    0 => format!("integer division of {a} by zero"),
                    _ => format!("the quotient of {a} and {b} does not fit i{bits}"),
                };
                return Err(exec.fault(FaultKind::Division, lane, text));
            };
            exec.set(self.dst, lane, value);
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        match lane.of(&[self.b]) {
            Some(mark) => PoisonEffect::Error(mark),
            None => PoisonEffect::Results(lane.of_reads()),
        }
    }
}

fn divide(d: &mut Decoder<'_>, op: &Operation, of: &'static Division) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [a, b]| {
        let bits = slot.bits;
        d.b.push(Divide {
            op: of,
            bits,
            dst,
            a,
            b,
        });
        promises(d, op, None, of.rest, bits, [dst, a, b]);
        slot.kind == SlotKind::Int
    })
}

#[derive(Debug)]
pub(crate) struct IntUnaryOp {
    #[cfg(test)]
    eval: fn(bits: u32, a: u64) -> u64,
    all: fn(&mut Exec<'_>, &IntUnary),
}

/// Defines unary operations. A row has a Rust name, an operation name, the result, and a flag with the operand value
/// that the flag forbids.
macro_rules! unary {
    ($($name:ident $operation:literal |$bits:ident, $a:ident| $result:expr
        $(, $flag:literal: $without:expr)?;)*) => {
        $(pub(crate) static $name: IntUnaryOp = IntUnaryOp {
            #[cfg(test)]
            eval: |$bits, $a| $result,
            all: |exec, i| {
                let $bits = i.bits;
                exec.map1(i.dst, i.a, |$a| $result);
            },
        };)*
        const UNARY_ROWS: &[OpRow] = &[$(row($operation, |d, op| {
            let excluded: &[ExcludedOperand] = &[$(($flag, $without))?];
            unary(d, op, &$name, excluded)
        }),)*];
    };
}

unary! {
    CTPOP "llvm.intr.ctpop" |_bits, a| u64::from(a.count_ones());
    CTLZ "llvm.intr.ctlz" |bits, a| u64::from(a.leading_zeros() - (64 - bits)), "is_zero_poison": |_| 0;
    CTTZ "llvm.intr.cttz" |bits, a| u64::from(a.trailing_zeros().min(bits)), "is_zero_poison": |_| 0;
    BSWAP "llvm.intr.bswap" |bits, a| a.swap_bytes() >> (64 - bits);
    BITREVERSE "llvm.intr.bitreverse" |bits, a| a.reverse_bits() >> (64 - bits);
    ABS "llvm.intr.abs" |bits, a| signed(a, bits).unsigned_abs() & mask(bits),
        "is_int_min_poison": |bits| 1 << (bits - 1);
}

#[derive(Debug)]
pub(crate) struct IntUnary {
    pub(crate) op: &'static IntUnaryOp,
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
}

impl Instruction for IntUnary {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        (self.op.all)(exec, self);
        Ok(())
    }
}

/// (Name of a flag, function that maps a width in bits to the operand value that the flag forbids).
type ExcludedOperand = (&'static str, fn(u32) -> u64);

fn unary(
    d: &mut Decoder<'_>,
    op: &Operation,
    of: &'static IntUnaryOp,
    excluded: &[ExcludedOperand],
) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [a]| {
        let bits = slot.bits;
        d.b.push(IntUnary {
            op: of,
            bits,
            dst,
            a,
        });
        for &(flag, operand) in excluded.iter().filter(|(flag, _)| claim::is_set(op, flag)) {
            let operand = operand(bits);
            claim::require(
                d,
                Promise::Not {
                    flag,
                    operand,
                    bits,
                },
                dst,
                a,
            );
        }
        slot.kind == SlotKind::Int
    })
}

const OTHER_ROWS: &[OpRow] = &[
    row("llvm.intr.fshl", |d, op| funnel(d, op, true)),
    row("llvm.intr.fshr", |d, op| funnel(d, op, false)),
    row("llvm.intr.uadd.with.overflow", |d, op| {
        with_overflow(d, op, &ADD, |d, bits, [sum, a, _]| less(d, bits, sum, a))
    }),
    row("llvm.intr.usub.with.overflow", |d, op| {
        with_overflow(d, op, &SUB, |d, bits, [_, a, b]| less(d, bits, a, b))
    }),
    row("llvm.intr.sadd.with.overflow", |d, op| {
        with_overflow(d, op, &ADD, |d, bits, of| leaves(d, bits, of, |x, y| x + y))
    }),
    row("llvm.intr.ssub.with.overflow", |d, op| {
        with_overflow(d, op, &SUB, |d, bits, of| leaves(d, bits, of, |x, y| x - y))
    }),
    row("llvm.intr.smul.with.overflow", |d, op| {
        with_overflow(d, op, &MUL, |d, bits, of| leaves(d, bits, of, |x, y| x * y))
    }),
    row("llvm.intr.umul.with.overflow", |d, op| {
        with_overflow(d, op, &MUL, |d, bits, [_, a, b]| {
            let high = d.emit(|dst| Int {
                op: &UMUL_HIGH,
                bits,
                dst,
                a,
                b,
            });
            let zero = d.b.constant(0);
            d.emit(|dst| IntCompare {
                pred: &NE,
                bits,
                dst,
                a: high,
                b: zero,
            })
        })
    }),
];

/// A funnel shift (`fshl`, `fshr`). Shifts the concatenation `high:low` by `amount` modulo the width. The result is
/// the upper half after a left shift, and the lower half after a right shift.
#[derive(Debug)]
struct FunnelShift {
    left: bool,
    bits: u32,
    dst: Reg,
    high: Reg,
    low: Reg,
    amount: Reg,
}

impl Instruction for FunnelShift {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.high, self.low, self.amount])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (left, bits) = (self.left, self.bits);
        exec.map3(
            self.dst,
            [self.high, self.low, self.amount],
            |high, low, amount| shifted_pair(left, bits, high, low, amount),
        );
        Ok(())
    }
}

fn shifted_pair(left: bool, bits: u32, high: u64, low: u64, amount: u64) -> u64 {
    let by = (amount % u64::from(bits)) as u32;
    let both = u128::from(high) << bits | u128::from(low);
    let moved = if left { both << by >> bits } else { both >> by };
    moved as u64 & mask(bits)
}

fn funnel(d: &mut Decoder<'_>, op: &Operation, left: bool) -> DecodeResult {
    d.elementwise(op, |d, slot, dst, [high, low, amount]| {
        d.b.push(FunnelShift {
            left,
            bits: slot.bits,
            dst,
            high,
            low,
            amount,
        });
        slot.kind == SlotKind::Int
    })
}

fn less(d: &mut Decoder<'_>, bits: u32, a: Reg, b: Reg) -> Reg {
    d.emit(|dst| IntCompare {
        pred: &ULT,
        bits,
        dst,
        a,
        b,
    })
}

/// Sets `dst` to 1 if the exact result of an operation does not fit `bits` bits as a signed number, and to 0
/// otherwise.
#[derive(Debug)]
struct SignedOverflow {
    exact: fn(i128, i128) -> i128,
    bits: u32,
    dst: Reg,
    a: Reg,
    b: Reg,
}

impl Instruction for SignedOverflow {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (bits, exact) = (self.bits, self.exact);
        exec.map2(self.dst, [self.a, self.b], |a, b| {
            let exact = exact(signed(a, bits).into(), signed(b, bits).into());
            u64::from(exact != i128::from(signed(exact as u64 & mask(bits), bits)))
        });
        Ok(())
    }
}

fn leaves(
    d: &mut Decoder<'_>,
    bits: u32,
    [_, a, b]: [Reg; 3],
    exact: fn(i128, i128) -> i128,
) -> Reg {
    d.emit(|dst| SignedOverflow {
        exact,
        bits,
        dst,
        a,
        b,
    })
}

/// Decodes an operation that returns a result and an overflow bit. `overflows(decoder, width, registers)` emits the
/// computation of the overflow bit; the registers are the result and the two operands.
fn with_overflow<'m>(
    d: &mut Decoder<'m>,
    op: &Operation,
    of: &'static IntBinaryOp,
    overflows: fn(&mut Decoder<'m>, u32, [Reg; 3]) -> Reg,
) -> DecodeResult {
    let [a, b] = d.scalars(op, [0, 1])?;
    let bits = d.scalar_slot(op, 0)?.bits;
    let result = d.emit(|dst| Int {
        op: of,
        bits,
        dst,
        a,
        b,
    });
    let over = overflows(d, bits, [result, a, b]);
    d.define(op, vec![result, over])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(op: &IntBinaryOp, bits: u32, a: u64, b: u64, expect: u64) {
        assert_eq!((op.eval)(bits, a, b), expect, "i{bits} {a:#x} {b:#x}");
    }

    #[test]
    fn integers_keep_their_width() {
        check(&ADD, 8, 0xff, 2, 1);
        check(&SUB, 32, 0, 1, 0xffff_ffff);
        check(&MUL, 64, 1 << 63, 2, 0);
        check(&ASHR, 16, 0x8000, 15, 0xffff);
        // Oversized shifts have no defined result. The pattern differs from the result of any machine.
        for by in [8, 9, 255] {
            check(&SHL, 8, 1, by, 0x5a);
            check(&LSHR, 8, 1, by, 0x5a);
        }
        check(&SHL, 8, 1, 7, 0x80);
        check(&SMIN, 8, 0x80, 0x7f, 0x80);
        check(&UMIN, 8, 0x80, 0x7f, 0x7f);
        check(&SADD_SAT, 8, 0x7f, 1, 0x7f);
        check(&SSUB_SAT, 8, 0x80, 1, 0x80);
        check(&UMUL_HIGH, 32, 0xffff_ffff, 0xffff_ffff, 0xffff_fffe);
        check(&SMUL_HIGH, 32, 0xffff_ffff, 2, 0xffff_ffff);
        let quotient = |op: &Division, bits, a, b| (op.eval)(bits, a, b);
        assert_eq!(quotient(&SDIV, 32, 0xffff_fff9, 2), Some(0xffff_fffd));
        assert_eq!(quotient(&SREM, 32, 0xffff_fff9, 2), Some(0xffff_ffff));
        assert_eq!(quotient(&UDIV, 32, 1, 0), None);
        assert_eq!(quotient(&SDIV, 8, 0x80, 0xff), None);
        assert_eq!(quotient(&SREM, 8, 0x81, 0xff), Some(0));
        assert_eq!((CTLZ.eval)(16, 1), 15);
        assert_eq!((CTTZ.eval)(16, 0), 16);
        assert_eq!((BSWAP.eval)(16, 0x1234), 0x3412);
        assert_eq!((BITREVERSE.eval)(8, 0x13), 0xc8);
        assert_eq!((ABS.eval)(8, 0xff), 1);
        assert_eq!(
            shifted_pair(true, 32, 0x1234_5678, 0x9abc_def0, 8),
            0x3456_789a
        );
        assert_eq!(
            shifted_pair(false, 32, 0x1234_5678, 0x9abc_def0, 8),
            0x789a_bcde
        );
    }

    #[test]
    fn bounded_numbers_keep_their_width() {
        check(&SMIN, 8, 5, 3, 3);
        check(&SMIN, 8, 0xff, 3, 0xff);
        check(&SMAX, 8, 5, 3, 5);
        check(&SMAX, 8, 0xff, 0xfe, 0xff);
        check(&SSUB_SAT, 8, 0x80, 1, 0x80);
        check(&LSHR, 8, 0x80, 1, 0x40);
        check(&UMUL_HIGH, 8, 0xff, 2, 1);
        check(&SMUL_HIGH, 8, 0xff, 2, 0xff);
    }
}
