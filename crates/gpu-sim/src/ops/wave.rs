//! Exchanges between lanes of a wave on AMD GPUs.

use super::convert::repack;
use super::shuffle::out_of_warp;
use super::{Family, OpRow, needs, row};
use crate::bits::{mask, signed};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::error::FaultKind;
use crate::exec::{Exec, Instruction, MarkKind, Marks, PoisonEffect, Regs, is_active};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "lanes of a wave (AMD)",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

/// The DPP patterns `row_xmask`. Lane `i` of a row of 16 lanes reads from lane `i ^ m` of the same row, where `m`
/// is the low four bits of the pattern.
const ROW_XMASK: std::ops::RangeInclusive<u32> = 0x160..=0x16f;

const ROWS: &[OpRow] = &[
    row("rocdl.ds_bpermute", bpermute),
    row("rocdl.ds_swizzle", |d, op| {
        let pattern = d.scalar(op, 1)?;
        let Some(pattern) = d.b.constant_of(pattern) else {
            return Err(d.malformed(op, "the pattern of `rocdl.ds_swizzle` is not a constant"));
        };
        let pattern = pattern as u32;
        exchange_words(d, op, 0, |dst, src| LaneSwizzle { pattern, dst, src })
    }),
    row("rocdl.update.dpp", |d, op| {
        let number = |name: &str| op.int(name).unwrap_or(0);
        let control = DppControl {
            pattern: number("dppCtrl") as u32,
            row_mask: number("rowMask") as u8,
            bank_mask: number("bankMask") as u8,
            bound_control: number("boundCtrl") != 0,
        };
        if ROW_XMASK.contains(&control.pattern) {
            d.check_has(op, |target| {
                let reason = needs::DPP_XMASK.lacking(target)?;
                Some(format!("DPP pattern {:#x} is {reason}", control.pattern))
            })?;
        }
        let old = d.scalar(op, 0)?;
        word(d, op, 1)?;
        exchange_words(d, op, 1, |dst, src| Dpp {
            control,
            dst,
            old,
            src,
        })
    })
    .needing(&needs::DPP),
    row("rocdl.permlanex16", |d, op| permlane16(d, op, true)).needing(&needs::PERMLANE_X16),
    row("rocdl.permlane16.swap", |d, op| swap(d, op, 16)).needing(&needs::PERMLANE_SWAP),
    row("rocdl.permlane32.swap", |d, op| swap(d, op, 32)).needing(&needs::PERMLANE_SWAP),
    row("rocdl.readfirstlane", |d, op| {
        exchange_words(d, op, 0, |dst, src| ReadFirstLane { dst, src })
    }),
    row("rocdl.readlane", |d, op| {
        let index = d.scalar(op, 1)?;
        exchange_words(d, op, 0, |dst, src| ReadLane { dst, index, src })
    }),
    row("rocdl.mbcnt.lo", |d, op| mask_count(d, op, false)),
    row("rocdl.mbcnt.hi", |d, op| mask_count(d, op, true)),
];

const INTRINSICS: &[OpRow] = &[
    row("llvm.amdgcn.ds.bpermute", bpermute),
    row("llvm.amdgcn.ds.permute", |d, op| {
        let index = d.scalar(op, 0)?;
        exchange_words(d, op, 1, |dst, src| LanePermute { dst, index, src })
    }),
    row("llvm.amdgcn.permlane16", |d, op| permlane16(d, op, false)),
    row("llvm.amdgcn.permlane16.i32", |d, op| {
        permlane16(d, op, false)
    }),
    row("llvm.amdgcn.permlanex16", |d, op| permlane16(d, op, true)),
    row("llvm.amdgcn.permlanex16.i32", |d, op| {
        permlane16(d, op, true)
    }),
    row("llvm.amdgcn.update.dpp", update_dpp),
    row("llvm.amdgcn.update.dpp.i32", update_dpp),
    row("llvm.amdgcn.mov.dpp", move_dpp),
    row("llvm.amdgcn.mov.dpp.i32", move_dpp),
];

struct Wave {
    first: u32,
    lanes: Vec<u32>,
}

impl Wave {
    /// Returns the value of `reg` in lane `lane` of the wave; `None` if the lane is inactive.
    fn get(&self, exec: &Exec<'_>, reg: Reg, lane: u32) -> Option<u64> {
        let lane = self.first + lane;
        is_active(&self.lanes, self.first, lane).then(|| exec.get(reg, lane))
    }
}

fn waves(exec: &Exec<'_>) -> Vec<Wave> {
    let per_wave = exec.launch.machine.lanes_per_warp;
    let waves = exec.active_warps().into_iter();
    waves
        .map(|(wave, lanes)| Wave {
            first: wave * per_wave,
            lanes,
        })
        .collect()
}

/// Sets `dst` in each active lane to the result of `value`. The arguments of `value` are the execution state, the
/// wave, the lane's index in the thread block, and the lane's index in the wave.
fn exchange<'e>(
    exec: &mut Exec<'e>,
    dst: Reg,
    value: impl Fn(&Exec<'e>, &Wave, u32, u32) -> DecodeResult<u64>,
) -> DecodeResult {
    for wave in waves(exec) {
        exec.report.shuffles += 1;
        for &lane in &wave.lanes {
            let value = value(exec, &wave, lane, lane - wave.first)?;
            exec.set(dst, lane, value);
        }
    }
    Ok(())
}

/// Decodes an operation that exchanges the operand number `src` between lanes. `make` creates one instruction for
/// each 32-bit word of the operand, from a destination register and a source register. An operand narrower than 32
/// bits is a single word.
fn exchange_words<I: Instruction>(
    d: &mut Decoder<'_>,
    op: &Operation,
    src: usize,
    make: impl Fn(Reg, Reg) -> I,
) -> DecodeResult {
    let value = d.operand(op, src)?;
    let slots = d.flat(op, &value.ty)?;
    let total: u32 = slots.iter().map(|slot| slot.bits).sum();
    let Some(bits) = slots.first().map(|slot| slot.bits) else {
        return Err(d.malformed(op, format!("operand {src} has no elements")));
    };
    let words = if total < 32 {
        value.slots.to_vec()
    } else {
        repack(d, &value.slots, bits, 32, total.div_ceil(32) as usize)
    };
    let moved: Vec<Reg> = words
        .into_iter()
        .map(|src| d.emit(|dst| make(dst, src)))
        .collect();
    let result = if total < 32 {
        moved
    } else {
        repack(d, &moved, 32, bits, slots.len())
    };
    d.define(op, result)
}

fn word(d: &Decoder<'_>, op: &Operation, index: usize) -> DecodeResult {
    let slots = d.flat(op, &d.operand(op, index)?.ty)?;
    let total: u32 = slots.iter().map(|slot| slot.bits).sum();
    if total > 32 {
        let text = format!("operand {index} has {total} bits, expected at most 32 bits");
        return Err(d.unsupported(op, text));
    }
    Ok(())
}

/// The `ds_bpermute` instruction. Lane `i` reads from lane `index[i] / 4`, taken modulo the wave size, and gets 0
/// if the source lane is inactive.
#[derive(Debug)]
pub(crate) struct Bpermute {
    pub(crate) dst: Reg,
    /// Register that holds four times the index of the source lane.
    pub(crate) index: Reg,
    pub(crate) src: Reg,
}

impl Instruction for Bpermute {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.index, self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let size = exec.launch.machine.lanes_per_warp;
        exchange(exec, self.dst, |exec, wave, lane, _| {
            let from = (exec.get(self.index, lane) as u32 >> 2) % size;
            Ok(wave.get(exec, self.src, from).unwrap_or(0))
        })?;
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let from = signed(exec.get(self.index, lane), 32) >> 2;
            if !(0..i64::from(size)).contains(&from) {
                exec.poison(self.dst, lane, || {
                    out_of_warp("`ds_bpermute`", from.cast_unsigned(), size)
                });
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

fn bpermute(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let index = d.scalar(op, 0)?;
    exchange_words(d, op, 1, |dst, src| Bpermute { dst, index, src })
}

/// The `ds_permute` instruction. Lane `i` writes to lane `index[i] / 4`. A lane to which no lane writes gets 0.
#[derive(Debug)]
struct LanePermute {
    dst: Reg,
    /// Register that holds four times the index of the destination lane.
    index: Reg,
    src: Reg,
}

impl Instruction for LanePermute {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.index, self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let size = exec.launch.machine.lanes_per_warp;
        for wave in waves(exec) {
            exec.report.shuffles += 1;
            for &lane in &wave.lanes {
                exec.set(self.dst, lane, 0);
            }
            for &lane in &wave.lanes {
                let to = signed(exec.get(self.index, lane), 32) >> 2;
                if !(0..i64::from(size)).contains(&to) {
                    let text = out_of_warp("`ds_permute`", to.cast_unsigned(), size);
                    return Err(exec.fault(FaultKind::OutOfBounds, lane, text));
                }
                let to = wave.first + to as u32;
                if is_active(&wave.lanes, wave.first, to) {
                    let value = exec.get(self.src, lane);
                    exec.set(self.dst, to, value);
                }
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

/// The `ds_swizzle_b32` instruction. Its pattern is constant: the 16-bit offset field of the instruction.
#[derive(Debug)]
struct LaneSwizzle {
    pattern: u32,
    dst: Reg,
    src: Reg,
}

impl Instruction for LaneSwizzle {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let pattern = self.pattern;
        exchange(exec, self.dst, |exec, wave, lane, own| {
            let Some(from) = swizzle_source(pattern, own) else {
                let text = format!(
                    "unsupported `ds_swizzle` pattern {pattern:#06x}; expected a bit-mask, quad or rotate \
                     pattern"
                );
                return Err(exec.fault(FaultKind::Unsupported, lane, text));
            };
            Ok(wave.get(exec, self.src, from).unwrap_or(0))
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

/// Returns the source lane of `lane` for `ds_swizzle_b32`; `None` for an unsupported pattern.
fn swizzle_source(pattern: u32, lane: u32) -> Option<u32> {
    let (row, own) = (lane & !31, lane & 31);
    let pattern = pattern & 0xffff;
    if pattern & 0x8000 == 0 {
        let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
        return Some(row | (((own & and) | or) ^ xor));
    }
    if pattern & 0xff00 == 0x8000 {
        return Some((lane & !3) | (pattern >> (2 * (lane & 3)) & 3));
    }
    if pattern & 0xe000 == 0xc000 {
        let (mask, count) = (pattern & 31, pattern >> 5 & 31);
        let left = pattern >> 10 & 1 == 0;
        let turned = if left {
            own.wrapping_add(count)
        } else {
            own.wrapping_sub(count)
        };
        return Some(row | (own & mask) | (turned & !mask & 31));
    }
    None
}

#[derive(Clone, Copy, Debug)]
struct DppControl {
    /// The DPP pattern (`dpp_ctrl`), which selects the source lanes.
    pattern: u32,
    /// Mask with one bit per row of 16 lanes. The lanes of a row are enabled only if the bit of the row is set.
    row_mask: u8,
    /// Mask with one bit per bank, a group of 4 lanes in each row. The lanes of a bank are enabled only if the bit
    /// of the bank is set.
    bank_mask: u8,
    /// Determines the result of an enabled lane whose source lane is out of range or inactive. If true, the result
    /// is 0. If false, the result is the value of `Dpp::old`.
    bound_control: bool,
}

/// The `v_mov_b32_dpp` instruction. Disabled lanes get the value of `old`.
#[derive(Debug)]
struct Dpp {
    control: DppControl,
    dst: Reg,
    old: Reg,
    src: Reg,
}

impl Instruction for Dpp {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.old, self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let size = exec.launch.machine.lanes_per_warp;
        let DppControl {
            pattern,
            row_mask,
            bank_mask,
            bound_control,
        } = self.control;
        exchange(exec, self.dst, |exec, wave, lane, own| {
            let enabled = row_mask >> (own / 16) & 1 == 1 && bank_mask >> (own % 16 / 4) & 1 == 1;
            let Some(from) = dpp_source(pattern, own, size) else {
                let text = format!("DPP pattern {pattern:#x} is not supported");
                return Err(exec.fault(FaultKind::Unsupported, lane, text));
            };
            let read = from.and_then(|from| wave.get(exec, self.src, from));
            Ok(match (enabled, read) {
                (true, Some(value)) => value,
                (true, None) if bound_control => 0,
                _ => exec.get(self.old, lane),
            })
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.old, self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.old, self.src])
    }
}

/// Returns the lane from which `lane` reads under the DPP pattern `control`, in waves of `size` lanes. Returns
/// `None` if the pattern is unknown, and `Some(None)` if the source lane is out of range.
fn dpp_source(control: u32, lane: u32, size: u32) -> Option<Option<u32>> {
    let (row, own) = (lane & !15, lane & 15);
    let n = control & 15;
    Some(match control {
        0x000..=0x0ff => Some((lane & !3) | (control >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => (own + n < 16).then_some(lane + n),
        0x111..=0x11f => (own >= n).then(|| lane - n),
        0x121..=0x12f => Some(row | ((own + 16 - n) % 16)),
        0x130 => (lane + 1 < size).then_some(lane + 1),
        0x134 => Some((lane + 1) % size),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + size - 1) % size),
        0x140 => Some(row | (15 - own)),
        0x141 => Some((lane & !7) | (7 - (lane & 7))),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row | n),
        0x160..=0x16f => Some(row | (own ^ n)),
        _ => return None,
    })
}

fn update_dpp(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let old = d.scalar(op, 0)?;
    dpp(d, op, 1, old)
}

fn move_dpp(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let old = d.undefined(
        MarkKind::Undef,
        32,
        "use of an undefined value: `mov.dpp` writes no value in this lane",
    );
    dpp(d, op, 0, old)
}

/// Decodes a DPP intrinsic. Operand `src` is the source, and the next four operands are the DPP controls.
fn dpp(d: &mut Decoder<'_>, op: &Operation, src: usize, old: Reg) -> DecodeResult {
    let controls = d.scalars(op, [src + 1, src + 2, src + 3, src + 4])?;
    let controls = controls.map(|reg| d.b.constant_of(reg));
    let [Some(pattern), Some(rows), Some(banks), Some(bound)] = controls else {
        return Err(d.malformed(op, "the DPP control operands are not all constants"));
    };
    let control = DppControl {
        pattern: pattern as u32,
        row_mask: (rows & mask(4)) as u8,
        bank_mask: (banks & mask(4)) as u8,
        bound_control: bound != 0,
    };
    word(d, op, src)?;
    exchange_words(d, op, src, |dst, src| Dpp {
        control,
        dst,
        old,
        src,
    })
}

/// The instruction `v_permlane16_b32`, or `v_permlanex16_b32` if `cross` is true.
#[derive(Debug)]
struct Permlane16 {
    cross: bool,
    dst: Reg,
    /// Result of a lane whose source lane is inactive.
    old: Reg,
    src: Reg,
    /// Source lanes of the lanes 0 to 7 of each row, four bits per lane. The four bits are the index of the source
    /// lane within the source row. The source row is the lane's own row, or its neighbour (row number XOR 1) if
    /// `cross` is true.
    low: Reg,
    /// Source lanes of the lanes 8 to 15 of each row, four bits per lane. The four bits are the index of the source
    /// lane within the source row, as in `low`.
    high: Reg,
}

impl Instruction for Permlane16 {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.old, self.src, self.low, self.high])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exchange(exec, self.dst, |exec, wave, lane, own| {
            let selectors = if own % 16 < 8 { self.low } else { self.high };
            let nibble = exec.get(selectors, lane) >> (own % 8 * 4) & 0xf;
            let row = (own / 16) ^ u32::from(self.cross);
            let read = wave.get(exec, self.src, row * 16 + nibble as u32);
            Ok(read.unwrap_or(exec.get(self.old, lane)))
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.old, self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.old, self.src])
    }
}

fn permlane16(d: &mut Decoder<'_>, op: &Operation, cross: bool) -> DecodeResult {
    let [old, low, high] = d.scalars(op, [0, 2, 3])?;
    word(d, op, 1)?;
    exchange_words(d, op, 1, |dst, src| Permlane16 {
        cross,
        dst,
        old,
        src,
        low,
        high,
    })
}

/// An instruction that copies the register `src` of the first active lane to `dst` in all active lanes.
#[derive(Debug)]
struct ReadFirstLane {
    dst: Reg,
    src: Reg,
}

impl Instruction for ReadFirstLane {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exchange(exec, self.dst, |exec, wave, _, _| {
            Ok(exec.get(self.src, wave.lanes[0]))
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

/// An instruction that copies the register `src` of one lane to `dst` in all active lanes. The uniform register
/// `index` holds the index of the source lane.
#[derive(Debug)]
struct ReadLane {
    dst: Reg,
    index: Reg,
    src: Reg,
}

impl Instruction for ReadLane {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.index, self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let size = exec.launch.machine.lanes_per_warp;
        exchange(exec, self.dst, |exec, wave, lane, _| {
            let from = exec.get(self.index, wave.lanes[0]);
            if from >= u64::from(size) {
                let text = out_of_warp("`readlane`", from, size);
                return Err(exec.fault(FaultKind::OutOfBounds, lane, text));
            }
            wave.get(exec, self.src, from as u32).ok_or_else(|| {
                let text = format!("`readlane` reads lane {from}, which does not take part");
                exec.fault(FaultKind::Divergence, lane, text)
            })
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

/// The instruction `v_permlane16_swap_b32` or `v_permlane32_swap_b32`. It divides the wave into rows; the field
/// `rows` is the number of lanes in a row. Each odd row of `a` is exchanged with the preceding even row of `b`.
/// `dst` receives the changed values of `a` and `b`.
#[derive(Debug)]
pub(crate) struct WaveSwap {
    pub(crate) rows: u32,
    pub(crate) dst: [Reg; 2],
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for WaveSwap {
    fn regs(&self) -> Regs {
        Regs::new(self.dst, [self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for wave in waves(exec) {
            exec.report.shuffles += 1;
            for &lane in &wave.lanes {
                let own = lane - wave.first;
                let odd = own & self.rows != 0;
                let reg = if odd { self.b } else { self.a };
                let moved = wave.get(exec, reg, own ^ self.rows).unwrap_or(0);
                let kept = exec.get(reg, lane);
                let (a, b) = if odd { (moved, kept) } else { (kept, moved) };
                exec.set(self.dst[0], lane, a);
                exec.set(self.dst[1], lane, b);
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.a, self.b])
    }

    fn moved(&self) -> Regs {
        Regs::new(self.dst, [self.a, self.b])
    }
}

fn swap(d: &mut Decoder<'_>, op: &Operation, rows: u32) -> DecodeResult {
    let [a, b] = d.scalars(op, [0, 1])?;
    let dst = [d.b.reg(), d.b.reg()];
    d.b.push(WaveSwap { rows, dst, a, b });
    d.define(op, dst)
}

/// The instruction `mbcnt_lo`, or `mbcnt_hi` if `high` is true. The register `mask` has one bit per lane: lanes 0
/// to 31 for `mbcnt_lo`, and lanes 32 to 63 for `mbcnt_hi`. In lane `i`, the result is `base` plus the number of
/// lanes below `i` whose bit in `mask` is set.
#[derive(Debug)]
pub(crate) struct MaskCount {
    pub(crate) high: bool,
    pub(crate) dst: Reg,
    pub(crate) mask: Reg,
    pub(crate) base: Reg,
}

impl Instruction for MaskCount {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.mask, self.base])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let per_wave = exec.launch.machine.lanes_per_warp;
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let own = lane % per_wave;
            let below = match (self.high, own < 32) {
                (false, true) => mask(own),
                (false, false) => 0xffff_ffff,
                (true, true) => 0,
                (true, false) => mask(own - 32),
            };
            let count = u64::from((exec.get(self.mask, lane) & below).count_ones());
            let value = exec.get(self.base, lane).wrapping_add(count) & 0xffff_ffff;
            exec.set(self.dst, lane, value);
        }
        Ok(())
    }
}

fn mask_count(d: &mut Decoder<'_>, op: &Operation, high: bool) -> DecodeResult {
    let [mask, base] = d.scalars(op, [0, 1])?;
    let reg = d.emit(|dst| MaskCount {
        high,
        dst,
        mask,
        base,
    });
    d.define(op, vec![reg])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_the_manuals() {
        assert_eq!(swizzle_source(0x041f, 6), Some(7));
        assert_eq!(swizzle_source(0x041f, 39), Some(38));
        assert_eq!(swizzle_source(0x8000 | 0b00_01_10_11, 4), Some(7));
        assert_eq!(swizzle_source(0xc000 | 1 << 5, 31), Some(0));
        assert_eq!(dpp_source(0b01_00_11_10, 5, 64), Some(Some(7)));
        assert_eq!(dpp_source(0x101, 15, 64), Some(None));
        assert_eq!(dpp_source(0x101, 14, 64), Some(Some(15)));
        assert_eq!(dpp_source(0x111, 16, 64), Some(None));
        assert_eq!(dpp_source(0x121, 16, 64), Some(Some(31)));
        assert_eq!(dpp_source(0x128, 3, 64), Some(Some(11)));
        // Shifts by one lane over the whole wave stop at its ends, rotations wrap.
        for size in [32, 64] {
            let last = size - 1;
            assert_eq!(dpp_source(0x130, 15, size), Some(Some(16)));
            assert_eq!(dpp_source(0x130, last, size), Some(None));
            assert_eq!(dpp_source(0x134, 15, size), Some(Some(16)));
            assert_eq!(dpp_source(0x134, last, size), Some(Some(0)));
            assert_eq!(dpp_source(0x138, 16, size), Some(Some(15)));
            assert_eq!(dpp_source(0x138, 0, size), Some(None));
            assert_eq!(dpp_source(0x13c, 16, size), Some(Some(15)));
            assert_eq!(dpp_source(0x13c, 0, size), Some(Some(last)));
        }
        assert_eq!(dpp_source(0x140, 1, 64), Some(Some(14)));
        assert_eq!(dpp_source(0x141, 1, 64), Some(Some(6)));
        assert_eq!(dpp_source(0x142, 17, 64), Some(Some(15)));
        assert_eq!(dpp_source(0x143, 40, 64), Some(Some(31)));
        assert_eq!(dpp_source(0x168, 3, 64), Some(Some(11)));
        assert_eq!(dpp_source(0x170, 3, 64), None);
    }
}
