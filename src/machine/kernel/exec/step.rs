//! One instruction in all active lanes.

use super::{Exec, GARBAGE};
use crate::machine::kernel::error::{FaultKind, KernelError};
use crate::machine::kernel::eval;
use crate::machine::kernel::op::{IntOp, IntPred, Op, Reg, Special, VoteKind};

impl Exec<'_> {
    fn map1(&mut self, dst: Reg, a: Reg, f: impl Fn(u64) -> u64) {
        let mut out = std::mem::take(&mut self.regs[dst.0 as usize]);
        let a = &self.regs[a.0 as usize][..];
        if self.full {
            out.iter_mut().zip(a).for_each(|(out, &a)| *out = f(a));
        } else {
            self.lanes
                .iter()
                .map(|&lane| lane as usize)
                .for_each(|lane| out[lane] = f(a[lane]));
        }
        self.regs[dst.0 as usize] = out;
    }

    fn map2(&mut self, dst: Reg, a: Reg, b: Reg, f: impl Fn(u64, u64) -> u64) {
        let mut out = std::mem::take(&mut self.regs[dst.0 as usize]);
        let (a, b) = (&self.regs[a.0 as usize][..], &self.regs[b.0 as usize][..]);
        if self.full {
            out.iter_mut()
                .zip(a)
                .zip(b)
                .for_each(|((out, &a), &b)| *out = f(a, b));
        } else {
            for lane in self.lanes.iter().map(|&lane| lane as usize) {
                out[lane] = f(a[lane], b[lane]);
            }
        }
        self.regs[dst.0 as usize] = out;
    }

    fn map3(&mut self, dst: Reg, [a, b, c]: [Reg; 3], f: impl Fn(u64, u64, u64) -> u64) {
        let mut out = std::mem::take(&mut self.regs[dst.0 as usize]);
        let [a, b, c] = [a, b, c].map(|reg| &self.regs[reg.0 as usize][..]);
        for lane in self.lanes.iter().map(|&lane| lane as usize) {
            out[lane] = f(a[lane], b[lane], c[lane]);
        }
        self.regs[dst.0 as usize] = out;
    }

    /// Executes one instruction in all active lanes.
    pub(super) fn step(&mut self, op: &Op) -> Result<(), KernelError> {
        use eval::mask;
        match *op {
            Op::Move { dst, src } => self.map1(dst, src, |a| a),
            Op::Special { dst, what } => self.special(dst, what),
            Op::Int {
                op,
                bits,
                dst,
                a,
                b,
            } => return self.int(op, bits, dst, a, b),
            Op::IntUnary { op, bits, dst, a } => {
                self.map1(dst, a, |a| eval::int_unary(op, bits, a));
            }
            Op::Funnel {
                left,
                bits,
                dst,
                hi,
                lo,
                amount,
            } => {
                self.map3(dst, [hi, lo, amount], |hi, lo, by| {
                    eval::funnel(left, bits, hi, lo, by)
                });
            }
            Op::Scale {
                bits,
                dst,
                base,
                index,
                index_bits,
                scale,
            } => {
                let m = mask(bits);
                self.map2(dst, base, index, |base, index| {
                    let step = eval::signed(index, index_bits).wrapping_mul(scale);
                    base.wrapping_add(step as u64) & m
                });
            }
            Op::Compare {
                pred,
                bits,
                dst,
                a,
                b,
            } => match pred {
                IntPred::Eq => self.map2(dst, a, b, |a, b| u64::from(a == b)),
                IntPred::Ult => self.map2(dst, a, b, |a, b| u64::from(a < b)),
                _ => self.map2(dst, a, b, |a, b| u64::from(eval::compare(pred, bits, a, b))),
            },
            Op::Float { op, ty, dst, a, b } => {
                self.map2(dst, a, b, |a, b| eval::float(op, ty, a, b));
            }
            Op::FloatUnary { op, ty, dst, a } => {
                self.map1(dst, a, |a| eval::float_unary(op, ty, a));
            }
            Op::Fma { ty, dst, a, b, c } => {
                self.map3(dst, [a, b, c], |a, b, c| eval::fma(ty, a, b, c));
            }
            Op::Ldexp {
                ty,
                dst,
                a,
                exponent,
                exponent_bits,
            } => {
                self.map2(dst, a, exponent, |a, e| {
                    eval::ldexp(ty, a, eval::signed(e, exponent_bits))
                });
            }
            Op::FloatCompare {
                pred,
                ty,
                dst,
                a,
                b,
            } => self.map2(dst, a, b, |a, b| {
                u64::from(eval::float_compare(pred, ty.to_f64(a), ty.to_f64(b)))
            }),
            Op::Trunc { bits, dst, src } => {
                let m = mask(bits);
                self.map1(dst, src, |a| a & m);
            }
            Op::SignExtend { from, to, dst, src } => {
                let m = mask(to);
                self.map1(dst, src, |a| eval::signed(a, from) as u64 & m);
            }
            Op::FloatToFloat { from, to, dst, src } => {
                self.map1(dst, src, |a| to.from_f64(from.to_f64(a)));
            }
            Op::FloatToInt {
                from,
                bits,
                signed,
                dst,
                src,
            } => {
                self.map1(dst, src, |a| eval::float_to_int(from, bits, signed, a));
            }
            Op::IntToFloat {
                bits,
                signed,
                to,
                dst,
                src,
            } => {
                self.map1(dst, src, |a| eval::int_to_float(bits, signed, to, a));
            }
            Op::Select { dst, cond, a, b } => {
                self.map3(
                    dst,
                    [cond, a, b],
                    |cond, a, b| if cond & 1 == 1 { a } else { b },
                );
            }
            Op::Repack {
                ref dst,
                dst_bits,
                ref src,
                src_bits,
            } => {
                self.repack(dst, dst_bits, src, src_bits);
            }
            Op::ExtractAt {
                dst,
                ref elems,
                index,
            } => {
                for at in 0..self.lanes.len() {
                    let lane = self.lanes[at];
                    let index = self.get(index, lane) as usize;
                    let value = elems.get(index).map_or(GARBAGE, |&reg| self.get(reg, lane));
                    self.set(dst, lane, value);
                }
            }
            Op::InsertAt {
                ref dst,
                ref elems,
                value,
                index,
            } => {
                for (position, (&dst, &elem)) in dst.iter().zip(elems).enumerate() {
                    self.map3(dst, [elem, value, index], |old, new, index| {
                        if index == position as u64 { new } else { old }
                    });
                }
            }
            Op::Claim {
                ref claim,
                value,
                a,
                b,
            } => self.claim(claim, value, a, b),
            Op::Barrier => return self.barrier(),
            Op::BarrierReduce { kind, dst, src } => {
                self.barrier()?;
                let bits = &self.regs[src.0 as usize];
                let set = self
                    .lanes
                    .iter()
                    .filter(|&&lane| bits[lane as usize] != 0)
                    .count();
                let value = match kind {
                    VoteKind::All => u64::from(set == self.lanes.len()),
                    VoteKind::Any => u64::from(set > 0),
                    VoteKind::Ballot | VoteKind::Uni => set as u64,
                };
                self.map1(dst, src, |_| value);
            }
            Op::Load(ref access) => return self.load(access),
            Op::Store(ref access) => return self.store(access),
            Op::BufferLoad(ref access) => return self.buffer_load(access),
            Op::BufferStore(ref access) => return self.buffer_store(access),
            Op::Atomic { .. } | Op::CompareExchange { .. } => return self.atomic(op),
            Op::LoadMatrix {
                ref dst,
                addr,
                transposed,
            } => {
                return self.load_matrix(dst, addr, transposed);
            }
            Op::StoreMatrix {
                ref src,
                addr,
                transposed,
            } => {
                return self.store_matrix(src, addr, transposed);
            }
            Op::Permute {
                mode,
                dst,
                a,
                b,
                selector,
            } => {
                self.map3(dst, [a, b, selector], |a, b, s| {
                    eval::permute(mode, a, b, s)
                });
            }
            Op::BytePermute {
                dst,
                a,
                b,
                selector,
            } => {
                self.map3(dst, [a, b, selector], eval::byte_permute);
            }
            Op::WarpBarrier { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Reduce { .. }
            | Op::Elect { .. }
            | Op::Wave { .. }
            | Op::WaveSwap { .. }
            | Op::MaskCount { .. } => return self.warp_op(op),
        }
        Ok(())
    }

    fn int(&mut self, op: IntOp, bits: u32, dst: Reg, a: Reg, b: Reg) -> Result<(), KernelError> {
        let m = eval::mask(bits);
        match op {
            // The common ones as loops of their own, which the compiler vectorises.
            IntOp::Add => self.map2(dst, a, b, |a, b| a.wrapping_add(b) & m),
            IntOp::Sub => self.map2(dst, a, b, |a, b| a.wrapping_sub(b) & m),
            IntOp::Mul => self.map2(dst, a, b, |a, b| a.wrapping_mul(b) & m),
            IntOp::And => self.map2(dst, a, b, |a, b| a & b),
            IntOp::Or => self.map2(dst, a, b, |a, b| a | b),
            IntOp::Xor => self.map2(dst, a, b, |a, b| a ^ b),
            IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem => {
                for at in 0..self.lanes.len() {
                    let lane = self.lanes[at];
                    let (x, y) = (self.get(a, lane), self.get(b, lane));
                    let Some(value) = eval::divide(op, bits, x, y) else {
                        let (x, y) = (eval::signed(x, bits), eval::signed(y, bits));
                        let text = format!("integer division without a result: {x} by {y}");
                        return Err(self.fault(FaultKind::Division, lane, text));
                    };
                    self.set(dst, lane, value);
                }
            }
            _ => self.map2(dst, a, b, |a, b| eval::int(op, bits, a, b)),
        }
        Ok(())
    }

    fn special(&mut self, dst: Reg, what: Special) {
        let [size_x, size_y, _] = self.block_size;
        let machine = self.launch.machine;
        let per_warp = machine.lanes_per_warp;
        for at in 0..self.lanes.len() {
            let lane = self.lanes[at];
            let value = match what {
                Special::Thread(0) => lane % size_x,
                Special::Thread(1) => lane / size_x % size_y,
                Special::Thread(_) => lane / size_x / size_y,
                Special::BlockSize(axis) => self.block_size[usize::from(axis)],
                Special::Block(axis) => self.block[usize::from(axis)],
                Special::GridSize(axis) => self.launch.grid[usize::from(axis)],
                Special::Lane => lane % per_warp,
                Special::Warp => lane / per_warp,
                Special::WarpSize => per_warp,
                Special::NumWarps => self.num_threads.div_ceil(per_warp),
                Special::LaneMask(pred) => {
                    let own = lane % per_warp;
                    let bit = |other: u32| eval::compare(pred, 32, other.into(), own.into());
                    (0..per_warp.min(32)).fold(0, |mask, l| mask | u32::from(bit(l)) << l)
                }
            };
            self.set(dst, lane, value.into());
        }
    }

    /// Sees bits in other pieces: the sources joined, first lowest, then cut.
    fn repack(&mut self, dst: &[Reg], dst_bits: u32, src: &[Reg], src_bits: u32) {
        let mut words = vec![0u64; (src.len() * src_bits as usize).div_ceil(64) + 1];
        for at in 0..self.lanes.len() {
            let lane = self.lanes[at];
            words.fill(0);
            for (index, &reg) in src.iter().enumerate() {
                let bit = index * src_bits as usize;
                let value = u128::from(self.get(reg, lane) & eval::mask(src_bits)) << (bit % 64);
                words[bit / 64] |= value as u64;
                words[bit / 64 + 1] |= (value >> 64) as u64;
            }
            for (index, &reg) in dst.iter().enumerate() {
                let bit = index * dst_bits as usize;
                let next = words.get(bit / 64 + 1).copied().unwrap_or(0);
                let pair = u128::from(next) << 64 | u128::from(words[bit / 64]);
                self.set(
                    reg,
                    lane,
                    (pair >> (bit % 64)) as u64 & eval::mask(dst_bits),
                );
            }
        }
    }
}
