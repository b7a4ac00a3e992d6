//! Conversions between integers, floats and pointers, and bitcasts.

use super::bounds;
use super::claim::{Promise, fast_math, overflow_flags, require};
use super::{Family, OpRow, row};
use crate::bits::{mask, signed};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, Slot, SlotKind};
use crate::exec::points_to::PointerFlow;
use crate::exec::{Exec, Instruction, Marks, Move, PoisonEffect, Regs, whole_if_all};
use crate::float::float_to_int;
use crate::float::{FloatTy, RoundingMode};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "conversions",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const INTRINSICS: &[OpRow] = &[
    row("llvm.fptosi.sat", |d, op| conversion(d, op, true)),
    row("llvm.fptoui.sat", |d, op| conversion(d, op, false)),
];

const ROWS: &[OpRow] = &[
    row("llvm.trunc", |d, op| conversion(d, op, false)),
    row("llvm.zext", |d, op| conversion(d, op, false)),
    row("llvm.sext", |d, op| conversion(d, op, true)),
    row("llvm.fptrunc", |d, op| conversion(d, op, false)),
    row("llvm.fpext", |d, op| conversion(d, op, false)),
    row("llvm.fptosi", |d, op| to_integer(d, op, true)),
    row("llvm.fptoui", |d, op| to_integer(d, op, false)),
    row("llvm.intr.fptosi.sat", |d, op| conversion(d, op, true)),
    row("llvm.intr.fptoui.sat", |d, op| conversion(d, op, false)),
    row("llvm.sitofp", |d, op| conversion(d, op, true)),
    row("llvm.uitofp", |d, op| conversion(d, op, false)),
    row("llvm.ptrtoint", |d, op| conversion(d, op, false)),
    row("llvm.inttoptr", |d, op| conversion(d, op, false)),
    row("llvm.bitcast", |d, op| {
        if let Some(marked) = bounds::marked(d, op)? {
            return d.define(op, [marked]);
        }
        let value = d.operand(op, 0)?;
        let from = d.flat(op, &value.ty)?;
        let to = d.flat(op, d.result_ty(op)?)?;
        let (Some(first), Some(result)) = (from.first(), to.first()) else {
            return d.define(op, value.slots);
        };
        let regs = repack(d, &value.slots, first.bits, result.bits, to.len());
        d.define(op, regs)
    }),
    row("llvm.freeze", freeze),
    row("llvm.intr.expect", same),
    row("llvm.intr.ssa.copy", same),
    row("llvm.intr.launder.invariant.group", same),
];

/// Decodes an operation whose result is its first operand.
fn same(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let value = d.operand(op, 0)?;
    d.define(op, value.slots)
}

/// Copies a register without its marks: undefined bits get fixed values.
#[derive(Debug)]
struct Freeze {
    dst: Reg,
    src: Reg,
}

impl Instruction for Freeze {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.map1(self.dst, self.src, |a| a);
        Ok(())
    }

    fn poison(&self, _: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Results(None)
    }
}

fn freeze(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let value = d.operand(op, 0)?;
    let frozen = value.slots.iter();
    let regs = frozen.map(|&src| d.emit(|dst| Freeze { dst, src }));
    let regs: Vec<Reg> = regs.collect();
    d.define(op, regs)
}

fn conversion(d: &mut Decoder<'_>, op: &Operation, signed: bool) -> DecodeResult {
    let value = d.operand(op, 0)?;
    let from = d.flat(op, &value.ty)?;
    let to = d.flat(op, d.result_ty(op)?)?;
    let mut results = Vec::new();
    for ((&from, &to), &src) in from.iter().zip(&to).zip(&*value.slots) {
        if d.b.is_unset(src) {
            results.push(src);
            continue;
        }
        let dst = d.b.reg();
        if !convert(d, from, to, signed, dst, src) {
            let (from, to) = (&value.ty, d.result_ty(op)?);
            let text = format!("a conversion from `{from}` to `{to}` is not supported");
            return Err(d.malformed(op, text));
        }
        match (from.kind, to.kind) {
            (SlotKind::Int, _) => promises(d, op, from.bits, to.bits, dst, src),
            (SlotKind::Float(ty), SlotKind::Float(to)) => {
                fast_math(d, op, ty, dst, &[src]);
                fast_math(d, op, to, dst, &[dst]);
            }
            _ => {}
        }
        results.push(dst);
    }
    d.define(op, results)
}

/// Decodes `fptosi` or `fptoui`, which round towards zero. A result that is out of range is poison. Conversions in
/// PTX and saturating intrinsics, which saturate instead, are decoded elsewhere.
fn to_integer(d: &mut Decoder<'_>, op: &Operation, signed: bool) -> DecodeResult {
    let value = d.operand(op, 0)?;
    let from = d.flat(op, &value.ty)?;
    conversion(d, op, signed)?;
    let Some(slots) = d.defined(op) else {
        return Ok(());
    };
    let to = d.result_slots(op)?;
    for (index, (&dst, &src)) in slots.iter().zip(&*value.slots).enumerate() {
        if let SlotKind::Float(from) = from[index].kind {
            let bits = to[index].bits;
            let promise = Promise::Converts { from, bits, signed };
            require(d, promise, dst, src);
        }
    }
    Ok(())
}

pub(crate) fn convert_float(d: &mut Decoder<'_>, from: FloatTy, to: FloatTy, src: Reg) -> Reg {
    round_float(d, from, to, RoundingMode::Nearest, src)
}

pub(crate) fn round_float(
    d: &mut Decoder<'_>,
    from: FloatTy,
    to: FloatTy,
    direction: RoundingMode,
    src: Reg,
) -> Reg {
    d.emit(|dst| FloatToFloat {
        from,
        to,
        direction,
        dst,
        src,
    })
}

/// Emits a saturating float-to-integer conversion that rounds towards zero.
pub(crate) fn convert_to_integer(
    d: &mut Decoder<'_>,
    from: FloatTy,
    (bits, signed): (u32, bool),
    src: Reg,
) -> Reg {
    d.emit(|dst| FloatToInt {
        from,
        bits,
        signed,
        dst,
        src,
    })
}

/// Emits the conversion of one scalar. Returns false for unsupported types.
fn convert(d: &mut Decoder<'_>, from: Slot, to: Slot, signed: bool, dst: Reg, src: Reg) -> bool {
    match (from.kind, to.kind) {
        (SlotKind::Float(from), SlotKind::Float(to)) => {
            d.b.push(FloatToFloat {
                from,
                to,
                direction: RoundingMode::Nearest,
                dst,
                src,
            });
        }
        (SlotKind::Float(from), SlotKind::Int) => d.b.push(FloatToInt {
            from,
            bits: to.bits,
            signed,
            dst,
            src,
        }),
        (SlotKind::Int, SlotKind::Float(to)) => d.b.push(IntToFloat {
            bits: from.bits,
            signed,
            to,
            dst,
            src,
        }),
        (SlotKind::Float(_), SlotKind::Ptr(_)) | (SlotKind::Ptr(_), SlotKind::Float(_)) => {
            return false;
        }
        (SlotKind::Int, SlotKind::Ptr(_)) => d.b.push(Address {
            bits: to.bits,
            dst,
            src,
        }),
        _ if signed => d.b.push(SignExtend {
            from: from.bits,
            to: to.bits,
            dst,
            src,
        }),
        _ if to.bits < from.bits => d.b.push(Trunc {
            bits: to.bits,
            dst,
            src,
        }),
        _ if from.bits < to.bits => d.b.push(Trunc {
            bits: from.bits,
            dst,
            src,
        }),
        _ => d.b.push(Move { dst, src }),
    }
    true
}

fn promises(d: &mut Decoder<'_>, op: &Operation, from: u32, to: u32, value: Reg, operand: Reg) {
    let (no_signed_wrap, no_unsigned_wrap) = overflow_flags(op);
    let promises = [
        (op.attribute("nonNeg").is_some(), Promise::NonNegative(from)),
        (no_unsigned_wrap, Promise::FitsUnsigned(to)),
        (no_signed_wrap, Promise::FitsSigned { from, to }),
    ];
    for (_, promise) in promises.into_iter().filter(|(flag, _)| *flag) {
        require(d, promise, value, operand);
    }
}

#[derive(Debug)]
pub(crate) struct Trunc {
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for Trunc {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let kept = mask(self.bits);
        exec.map1(self.dst, self.src, |a| a & kept);
        Ok(())
    }
}

#[derive(Debug)]
struct Address {
    bits: u32,
    dst: Reg,
    src: Reg,
}

impl Instruction for Address {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::FromInteger(self.src)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let kept = mask(self.bits);
        exec.map1(self.dst, self.src, |a| a & kept);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Results(lane.bitwise(&[self.src], 64, lane.bits(self.src) & mask(self.bits)))
    }
}

#[derive(Debug)]
pub(crate) struct SignExtend {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for SignExtend {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (from, kept) = (self.from, mask(self.to));
        exec.map1(self.dst, self.src, |a| signed(a, from) as u64 & kept);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let undefined = signed(lane.bits(self.src), self.from) as u64;
        PoisonEffect::Results(lane.bitwise(&[self.src], self.to, undefined))
    }
}

#[derive(Debug)]
struct FloatToFloat {
    from: FloatTy,
    to: FloatTy,
    direction: RoundingMode,
    dst: Reg,
    src: Reg,
}

impl Instruction for FloatToFloat {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (from, to, direction) = (self.from, self.to, self.direction);
        exec.map1(self.dst, self.src, |a| {
            to.rounded(from.to_f64(a), direction)
        });
        Ok(())
    }
}

/// A float-to-integer conversion that rounds towards zero and saturates.
#[derive(Debug)]
struct FloatToInt {
    from: FloatTy,
    bits: u32,
    signed: bool,
    dst: Reg,
    src: Reg,
}

impl Instruction for FloatToInt {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (from, bits, is_signed) = (self.from, self.bits, self.signed);
        exec.map1(self.dst, self.src, |a| {
            float_to_int(from, bits, is_signed, a)
        });
        Ok(())
    }
}

#[derive(Debug)]
pub(crate) struct IntToFloat {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
    pub(crate) to: FloatTy,
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for IntToFloat {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (bits, is_signed, to) = (self.bits, self.signed, self.to);
        exec.map1(self.dst, self.src, |a| int_to_float(bits, is_signed, to, a));
        Ok(())
    }
}

fn int_to_float(bits: u32, is_signed: bool, to: FloatTy, a: u64) -> u64 {
    // Converts directly: rounding twice by way of a wider format is wrong.
    match (to, is_signed) {
        (FloatTy::F32, true) => u64::from((signed(a, bits) as f32).to_bits()),
        (FloatTy::F32, false) => u64::from((a as f32).to_bits()),
        (FloatTy::F64, true) => (signed(a, bits) as f64).to_bits(),
        (FloatTy::F64, false) => (a as f64).to_bits(),
        (_, true) => to.from_integer(signed(a, bits).into()),
        (_, false) => to.from_integer(a.into()),
    }
}

/// Concatenates the source registers, lowest first, and splits the bits into the result registers.
#[derive(Debug)]
pub(crate) struct Repack {
    pub(crate) dst: Box<[Reg]>,
    pub(crate) dst_bits: u32,
    pub(crate) src: Box<[Reg]>,
    pub(crate) src_bits: u32,
}

impl Instruction for Repack {
    fn regs(&self) -> Regs {
        Regs::new(&*self.dst, &*self.src)
    }

    fn renames(&self) -> bool {
        true
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(self.src.to_vec())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (src_bits, dst_bits) = (self.src_bits as usize, self.dst_bits as usize);
        let (taken, kept) = (mask(self.src_bits), mask(self.dst_bits));
        for (index, &dst) in self.dst.iter().enumerate() {
            let start = index * dst_bits;
            let sources = start / src_bits..(start + dst_bits).div_ceil(src_bits);
            exec.fill(dst, 0);
            for (number, &src) in self.src.iter().enumerate().take(sources.end) {
                let from = number * src_bits;
                if number < sources.start {
                    continue;
                }
                if from >= start {
                    let by = from - start;
                    exec.update(dst, src, |old, a| old | (a & taken) << by & kept);
                } else {
                    let by = start - from;
                    exec.update(dst, src, |old, a| old | (a & taken) >> by & kept);
                }
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let undefined: Vec<u64> = self.src.iter().map(|&reg| lane.bits(reg)).collect();
        let (src_bits, dst_bits) = (self.src_bits as usize, self.dst_bits as usize);
        let result = |index: usize| {
            let start = index * dst_bits;
            let pieces = undefined.iter().enumerate().map(|(number, bits)| {
                let (from, bits) = (number * src_bits, bits & mask(self.src_bits));
                if from >= start + dst_bits || from + src_bits <= start {
                    0
                } else if from >= start {
                    bits << (from - start)
                } else {
                    bits >> (start - from)
                }
            });
            let bits = pieces.fold(0, |all, bits| all | bits);
            lane.part(&self.src, whole_if_all(bits, self.dst_bits))
        };
        PoisonEffect::Each((0..self.dst.len()).map(result).collect())
    }
}

/// Returns `count` registers of `dst_bits` bits that hold the bits of `src`. If the widths and the numbers of
/// registers are equal, returns the registers `src` themselves. If all entries of `src` are the same register, and
/// this register holds the undefined value of lanes that a masked load skips, returns `count` copies of this
/// register.
pub(crate) fn repack(
    d: &mut Decoder<'_>,
    src: &[Reg],
    src_bits: u32,
    dst_bits: u32,
    count: usize,
) -> Vec<Reg> {
    if src_bits == dst_bits && src.len() == count {
        return src.to_vec();
    }
    if let Some(&first) = src.first()
        && src.iter().all(|&reg| reg == first && d.b.is_unset(reg))
    {
        return vec![first; count];
    }
    let dst = d.b.regs(count);
    d.b.push(Repack {
        dst: dst.clone().into(),
        dst_bits,
        src: src.into(),
        src_bits,
    });
    dst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::split_mix;

    #[test]
    fn conversions_round_once() {
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(float_to_int(FloatTy::F32, 8, true, f(1000.0)), 0x7f);
        assert_eq!(float_to_int(FloatTy::F32, 32, true, f(-1.5)), 0xffff_ffff);
        assert_eq!(int_to_float(32, true, FloatTy::F32, 0xffff_ffff), f(-1.0));
    }

    /// Rounds the integer `size` to a float with `mantissa_bits` mantissa bits, ties to even. `None` if the result
    /// is above `largest`.
    fn nearest(size: u128, mantissa_bits: u32, largest: u128) -> Option<u128> {
        let excess = (128 - size.leading_zeros()).saturating_sub(mantissa_bits + 1);
        let (kept, rest) = (size >> excess, size & ((1 << excess) - 1));
        let half = (1 << excess) / 2;
        let up = excess > 0 && (rest > half || rest == half && kept & 1 == 1);
        Some((kept + u128::from(up)) << excess).filter(|found| *found <= largest)
    }

    #[test]
    fn integers_of_64_bits_become_narrow_floats_in_one_rounding() {
        let mut state = 1;
        // Numbers just above, at and below a tie, where rounding twice by way of binary64 fails.
        let ties = (8..64).flat_map(|bit| {
            let top = 1u64 << bit;
            [8, 9, 11, 12, 24, 25].into_iter().flat_map(move |below| {
                let tie = top | top.checked_shr(below).unwrap_or(0);
                [tie - 1, tie, tie + 1]
            })
        });
        let random = (0..20_000).map(|_| {
            let word = split_mix(&mut state);
            word >> (word & 63)
        });
        let formats = [
            (FloatTy::F16, 10, 65504),
            (FloatTy::BF16, 7, u128::MAX),
            (FloatTy::F32, 23, u128::MAX),
            (FloatTy::F64, 52, u128::MAX),
        ];
        for value in ties.chain(random).chain([0, u64::MAX, 1 << 63]) {
            for (to, mantissa_bits, largest) in formats {
                for is_signed in [false, true] {
                    let exact = match is_signed {
                        true => i128::from(value.cast_signed()),
                        false => i128::from(value),
                    };
                    let expect = nearest(exact.unsigned_abs(), mantissa_bits, largest);
                    let expect = expect.map_or(f64::INFINITY, |size| size as f64);
                    let found = to.to_f64(int_to_float(64, is_signed, to, value));
                    assert_eq!(found.abs(), expect, "{exact} as {}", to.name());
                    assert!(exact == 0 || found.is_sign_negative() == (exact < 0));
                }
            }
        }
    }
}
