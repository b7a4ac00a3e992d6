//! Thread and block indices and counts, and clocks.

use super::claim::range;
use super::convert::Trunc;
use super::{Family, OpRow, row};
use crate::bits::mask;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::exec::{Exec, Instruction, Regs, Thread};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "thread and grid numbers",
    operations: &[ROWS, CLOCK_ROWS],
    intrinsics: &[INTRINSICS, CLOCK_INTRINSICS, MESSAGES],
};

const IMPLICIT_ARGUMENTS: &str = "llvm.amdgcn.implicitarg.ptr";

const INTRINSICS: &[OpRow] = &[row(IMPLICIT_ARGUMENTS, |d, op| {
    let address = d.implicit_arguments(IMPLICIT_ARGUMENTS);
    let reg = d.b.constant(address);
    d.define(op, vec![reg])
})];

impl Thread {
    fn lane(&self) -> u32 {
        self.number % self.lanes_per_warp
    }

    /// Returns the rank of the thread's block in its cluster. The rank increases fastest along x.
    fn cta_rank(&self) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.block[axis] % self.cluster[axis]);
        x + self.cluster[0] * (y + self.cluster[1] * z)
    }

    /// Returns a mask of lanes. Bit `lane` is set if `lane` is one of the first 32 lanes of the warp and
    /// `fits(lane, own_lane)` returns true. `own_lane` is the lane of this thread.
    fn mask(&self, fits: fn(u32, u32) -> bool) -> u32 {
        let lanes = 0..self.lanes_per_warp.min(32);
        let fitting = lanes.filter(|&other| fits(other, self.lane()));
        fitting.fold(0, |mask, lane| mask | 1 << lane)
    }
}

pub(crate) type SpecialValue = fn(&Thread) -> u32;

/// Defines special registers. Each row lists the operations that read the register, the register's names in inline
/// PTX, and a function that computes its value.
macro_rules! specials {
    ($([$($operation:literal)*] [$($ptx:literal)*] |$t:ident| $value:expr;)*) => {
        const ROWS: &[OpRow] = &[$($(row($operation, |d, op| read(d, op, |$t| $value)),)*)*];
        const PTX: &[(&str, SpecialValue)] = &[$($(($ptx, |$t| $value),)*)*];
    };
}

specials! {
    ["nvvm.read.ptx.sreg.tid.x" "rocdl.workitem.id.x"] ["%tid.x"] |t| t.number % t.block_size[0];
    ["nvvm.read.ptx.sreg.tid.y" "rocdl.workitem.id.y"] ["%tid.y"]
        |t| t.number / t.block_size[0] % t.block_size[1];
    ["nvvm.read.ptx.sreg.tid.z" "rocdl.workitem.id.z"] ["%tid.z"]
        |t| t.number / t.block_size[0] / t.block_size[1];
    ["nvvm.read.ptx.sreg.ntid.x" "rocdl.workgroup.dim.x"] ["%ntid.x"] |t| t.block_size[0];
    ["nvvm.read.ptx.sreg.ntid.y" "rocdl.workgroup.dim.y"] ["%ntid.y"] |t| t.block_size[1];
    ["nvvm.read.ptx.sreg.ntid.z" "rocdl.workgroup.dim.z"] ["%ntid.z"] |t| t.block_size[2];
    ["nvvm.read.ptx.sreg.ctaid.x" "rocdl.workgroup.id.x"] ["%ctaid.x"] |t| t.block[0];
    ["nvvm.read.ptx.sreg.ctaid.y" "rocdl.workgroup.id.y"] ["%ctaid.y"] |t| t.block[1];
    ["nvvm.read.ptx.sreg.ctaid.z" "rocdl.workgroup.id.z"] ["%ctaid.z"] |t| t.block[2];
    ["nvvm.read.ptx.sreg.nctaid.x" "rocdl.grid.dim.x"] ["%nctaid.x"] |t| t.grid[0];
    ["nvvm.read.ptx.sreg.nctaid.y" "rocdl.grid.dim.y"] ["%nctaid.y"] |t| t.grid[1];
    ["nvvm.read.ptx.sreg.nctaid.z" "rocdl.grid.dim.z"] ["%nctaid.z"] |t| t.grid[2];
    ["nvvm.read.ptx.sreg.clusterid.x"] ["%clusterid.x"] |t| t.block[0] / t.cluster[0];
    ["nvvm.read.ptx.sreg.clusterid.y"] ["%clusterid.y"] |t| t.block[1] / t.cluster[1];
    ["nvvm.read.ptx.sreg.clusterid.z"] ["%clusterid.z"] |t| t.block[2] / t.cluster[2];
    ["nvvm.read.ptx.sreg.nclusterid.x"] ["%nclusterid.x"] |t| t.grid[0] / t.cluster[0];
    ["nvvm.read.ptx.sreg.nclusterid.y"] ["%nclusterid.y"] |t| t.grid[1] / t.cluster[1];
    ["nvvm.read.ptx.sreg.nclusterid.z"] ["%nclusterid.z"] |t| t.grid[2] / t.cluster[2];
    ["nvvm.read.ptx.sreg.cluster.ctarank"] ["%cluster_ctarank"] |t| t.cta_rank();
    ["nvvm.read.ptx.sreg.laneid"] ["%laneid"] |t| t.lane();
    ["nvvm.read.ptx.sreg.warpid"] ["%warpid"] |t| t.number / t.lanes_per_warp;
    ["nvvm.read.ptx.sreg.warpsize" "rocdl.wavefrontsize"] [] |t| t.lanes_per_warp;
    ["nvvm.read.ptx.sreg.nwarpid"] ["%nwarpid"] |t| t.threads.div_ceil(t.lanes_per_warp);
    ["nvvm.read.ptx.sreg.lanemask.eq"] ["%lanemask_eq"] |t| t.mask(|other, own| other == own);
    ["nvvm.read.ptx.sreg.lanemask.le"] ["%lanemask_le"] |t| t.mask(|other, own| other <= own);
    ["nvvm.read.ptx.sreg.lanemask.lt"] ["%lanemask_lt"] |t| t.mask(|other, own| other < own);
    ["nvvm.read.ptx.sreg.lanemask.ge"] ["%lanemask_ge"] |t| t.mask(|other, own| other >= own);
    ["nvvm.read.ptx.sreg.lanemask.gt"] ["%lanemask_gt"] |t| t.mask(|other, own| other > own);
}

pub(super) fn ptx(name: &str) -> Option<SpecialValue> {
    PTX.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

#[derive(Debug)]
pub(crate) struct Special {
    pub(crate) dst: Reg,
    pub(crate) value: SpecialValue,
}

impl Instruction for Special {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let mut thread = exec.thread();
        for at in 0..exec.lanes.len() {
            thread.number = exec.lanes[at];
            exec.set(self.dst, thread.number, (self.value)(&thread).into());
        }
        Ok(())
    }
}

fn read(d: &mut Decoder<'_>, op: &Operation, value: SpecialValue) -> DecodeResult {
    let bits = d.result_slots(op)?[0].bits;
    let mut reg = d.emit(|dst| Special { dst, value });
    if bits < 32 {
        let src = reg;
        reg = d.emit(|dst| Trunc { bits, dst, src });
    }
    range(d, op, bits, reg)?;
    d.define(op, vec![reg])
}

/// Defines clocks. Each row lists the operations and intrinsics that read the clock, the clock's names in inline
/// PTX, and its width in bits.
macro_rules! clocks {
    ($([$($operation:literal)*] [$($intrinsic:literal)*] [$($ptx:literal)*] $bits:literal;)*) => {
        const CLOCK_ROWS: &[OpRow] = &[$($(row($operation, |d, op| clock(d, op, $bits)),)*)*];
        const CLOCK_INTRINSICS: &[OpRow] = &[$($(row($intrinsic, |d, op| clock(d, op, $bits)),)*)*];
        const PTX_CLOCKS: &[(&str, u32)] = &[$($(($ptx, $bits),)*)*];
    };
}

clocks! {
    ["nvvm.read.ptx.sreg.clock" "nvvm.read.ptx.sreg.globaltimer.lo"]
        ["llvm.nvvm.read.ptx.sreg.clock"] ["%clock" "%clock_hi" "%globaltimer_lo"] 32;
    ["nvvm.read.ptx.sreg.clock64" "nvvm.read.ptx.sreg.globaltimer"]
        ["llvm.nvvm.read.ptx.sreg.clock64" "llvm.nvvm.read.ptx.sreg.globaltimer"
         "llvm.amdgcn.s.memtime" "llvm.amdgcn.s.memrealtime" "llvm.readcyclecounter" "llvm.readsteadycounter"]
        ["%clock64" "%globaltimer"] 64;
}

/// Code of the message that reads the real-time clock (`MSG_RTN_GET_REALTIME`).
const GET_REALTIME: u64 = 131;
const MESSAGE: &str = "llvm.amdgcn.s.sendmsg.rtn.i64";

const MESSAGES: &[OpRow] = &[row(MESSAGE, |d, op| {
    let message = d.scalar(op, 0)?;
    match d.b.constant_of(message) {
        Some(GET_REALTIME) => clock(d, op, 64),
        _ => Err(d.unsupported(
            op,
            format!(
                "unsupported message; expected {GET_REALTIME}, which reads the real-time clock"
            ),
        )),
    }
})];

pub(super) fn ptx_clock(name: &str) -> Option<u32> {
    let known = PTX_CLOCKS.iter().find(|(known, _)| *known == name);
    known.map(|(_, bits)| *bits)
}

/// An instruction that reads a clock. The clock increases with every executed instruction.
#[derive(Debug)]
pub(crate) struct Clock {
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
}

impl Instruction for Clock {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let time = exec.read_clock() & mask(self.bits);
        for at in 0..exec.lanes.len() {
            exec.set(self.dst, exec.lanes[at], time);
        }
        Ok(())
    }
}

fn clock(d: &mut Decoder<'_>, op: &Operation, bits: u32) -> DecodeResult {
    d.b.sees_other_blocks();
    let reg = d.emit(|dst| Clock { bits, dst });
    d.define(op, vec![reg])
}
