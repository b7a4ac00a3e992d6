//! Register operations over all active lanes.

use super::{Exec, Thread};
use crate::code::Reg;

impl Exec<'_> {
    /// Computes `dst = f(a)` in each active lane.
    #[inline]
    pub(crate) fn map1(&mut self, dst: Reg, a: Reg, f: impl Fn(u64) -> u64) {
        let mut out = std::mem::take(&mut self.regs[dst.0 as usize]);
        let a = &self.regs[a.0 as usize][..];
        if self.full {
            out.iter_mut().zip(a).for_each(|(out, &a)| *out = f(a));
        } else {
            for lane in self.lanes.iter().map(|&lane| lane as usize) {
                out[lane] = f(a[lane]);
            }
        }
        self.regs[dst.0 as usize] = out;
    }

    /// Computes `dst = f(dst, a)` in each active lane.
    #[inline]
    pub(crate) fn update(&mut self, dst: Reg, a: Reg, f: impl Fn(u64, u64) -> u64) {
        let mut out = std::mem::take(&mut self.regs[dst.0 as usize]);
        let a = &self.regs[a.0 as usize][..];
        if self.full {
            out.iter_mut()
                .zip(a)
                .for_each(|(out, &a)| *out = f(*out, a));
        } else {
            for lane in self.lanes.iter().map(|&lane| lane as usize) {
                out[lane] = f(out[lane], a[lane]);
            }
        }
        self.regs[dst.0 as usize] = out;
    }

    pub(crate) fn fill(&mut self, dst: Reg, value: u64) {
        let out = &mut self.regs[dst.0 as usize];
        if self.full {
            out.fill(value);
        } else {
            for &lane in &self.lanes {
                out[lane as usize] = value;
            }
        }
    }

    /// Computes `dst = f(a, b)` in each active lane.
    #[inline]
    pub(crate) fn map2(&mut self, dst: Reg, [a, b]: [Reg; 2], f: impl Fn(u64, u64) -> u64) {
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

    /// Computes `dst = f(a, b, c)` in each active lane.
    #[inline]
    pub(crate) fn map3(&mut self, dst: Reg, [a, b, c]: [Reg; 3], f: impl Fn(u64, u64, u64) -> u64) {
        let mut out = std::mem::take(&mut self.regs[dst.0 as usize]);
        let [a, b, c] = [a, b, c].map(|reg| &self.regs[reg.0 as usize][..]);
        if self.full {
            out.iter_mut()
                .zip(a)
                .zip(b)
                .zip(c)
                .for_each(|(((out, &a), &b), &c)| *out = f(a, b, c));
        } else {
            for lane in self.lanes.iter().map(|&lane| lane as usize) {
                out[lane] = f(a[lane], b[lane], c[lane]);
            }
        }
        self.regs[dst.0 as usize] = out;
    }

    pub(crate) fn get(&self, reg: Reg, lane: u32) -> u64 {
        self.regs[reg.0 as usize][lane as usize]
    }

    pub(crate) fn set(&mut self, reg: Reg, lane: u32, value: u64) {
        self.regs[reg.0 as usize][lane as usize] = value;
    }

    /// Returns the indices of the first thread of the running block, together with the sizes of the block, the
    /// cluster and the grid.
    pub(crate) fn thread(&self) -> Thread {
        Thread {
            number: 0,
            block_size: self.block_size,
            block: self.block,
            grid: self.launch.grid,
            cluster: self.program.cluster(),
            threads: self.num_threads,
            lanes_per_warp: self.launch.machine.lanes_per_warp,
        }
    }
}
