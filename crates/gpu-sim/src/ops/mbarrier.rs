//! Barriers in shared memory: `mbarrier.init`, `inval`, `arrive`, and the wait for a phase.

use super::memory::space;
use super::{Family, Row, needs, row};
use crate::code::Reg;
use crate::decode::{Decoder, Done};
use crate::exec::{
    Exec, Fate, Guard, Instruction, Kind, MBARRIER_ORDER, Marks, MbarrierAddress, Regs, Turn,
};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "barriers in memory",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[Row] = &[
    row("nvvm.mbarrier.init", init).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.init.shared", init).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.inval", inval).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.inval.shared", inval).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.arrive", arrive).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.arrive.shared", arrive).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.arrive.expect_tx", expect).needing(&needs::CLUSTERS),
    row("nvvm.mbarrier.arrive.expect_tx.shared", expect).needing(&needs::CLUSTERS),
    row("nvvm.mbarrier.try_wait.parity", wait).needing(&needs::CLUSTERS),
    row("nvvm.mbarrier.try_wait.parity.shared", wait).needing(&needs::CLUSTERS),
];

/// An operation on a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Makes it, for as many arrivals as a register says.
    Init(Reg),
    Invalidate,
    /// Arrives as often as a register says, and expects as many bytes as the other one says.
    Arrive(Reg, Option<Reg>),
    /// Waits until the phase of a parity has ended.
    Wait(Reg),
}

/// An instruction of a barrier in memory, in each lane where the guard holds.
#[derive(Debug)]
pub(crate) struct Mbarrier {
    pub(crate) at: MbarrierAddress,
    pub(crate) act: Act,
    pub(crate) guard: Option<Guard>,
}

impl Instruction for Mbarrier {
    fn regs(&self) -> Regs {
        let mut reads = vec![self.at.addr];
        match self.act {
            Act::Init(reg) | Act::Wait(reg) => reads.push(reg),
            Act::Arrive(count, bytes) => reads.extend([count].into_iter().chain(bytes)),
            Act::Invalidate => {}
        }
        reads.extend(self.guard.map(|guard| guard.reg));
        Regs::new([], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        for lane in exec.lanes.clone() {
            if !exec.is_on(self.guard, lane) {
                continue;
            }
            match self.act {
                Act::Init(count) => exec.init_mbarrier(lane, self.at, exec.get(count, lane) as u32),
                Act::Invalidate => exec.invalidate_mbarrier(lane, self.at),
                Act::Arrive(count, bytes) => {
                    let bytes = bytes.map_or(0, |bytes| exec.get(bytes, lane) as u32);
                    let count = exec.get(count, lane) as u32;
                    exec.arrive_at_mbarrier(lane, self.at, count, bytes)
                }
                Act::Wait(_) => exec.observe_mbarrier(lane, self.at),
            }?;
        }
        Ok(())
    }

    fn blocked(&self, exec: &Exec<'_>, lanes: &[u32]) -> Done<Option<String>> {
        let Act::Wait(parity) = self.act else {
            return Ok(None);
        };
        for &lane in lanes.iter().filter(|lane| exec.is_on(self.guard, **lane)) {
            let blocks = exec.mbarrier_blocks(lane, self.at, exec.get(parity, lane))?;
            if blocks.is_some() {
                return Ok(blocks);
            }
        }
        Ok(None)
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.guarded(self.guard)
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }
}

/// Adds an instruction of a barrier.
pub(crate) fn push(d: &mut Decoder<'_>, at: MbarrierAddress, act: Act, guard: Option<Guard>) {
    d.b.has_atomic(crate::code::Space::Shared, MBARRIER_ORDER);
    if matches!(act, Act::Wait(_)) {
        d.b.has_waits();
    }
    d.b.push(Mbarrier { at, act, guard });
}

fn address(d: &Decoder<'_>, op: &Operation) -> Done<MbarrierAddress> {
    Ok(MbarrierAddress {
        space: space(d, op, 0)?,
        addr: d.scalar(op, 0)?,
        offset: 0,
    })
}

/// The guard that an operand of an operation is, if there is one.
fn guard(d: &Decoder<'_>, op: &Operation, operand: usize) -> Done<Option<Guard>> {
    let has = op.operands.len() > operand;
    let reg = has.then(|| d.scalar(op, operand)).transpose()?;
    Ok(reg.map(|reg| Guard {
        reg,
        negated: false,
    }))
}

fn init(d: &mut Decoder<'_>, op: &Operation) -> Done {
    let (at, count, guard) = (address(d, op)?, d.scalar(op, 1)?, guard(d, op, 2)?);
    push(d, at, Act::Init(count), guard);
    Ok(())
}

fn inval(d: &mut Decoder<'_>, op: &Operation) -> Done {
    let at = address(d, op)?;
    push(d, at, Act::Invalidate, None);
    Ok(())
}

fn arrive(d: &mut Decoder<'_>, op: &Operation) -> Done {
    let (at, one) = (address(d, op)?, d.b.constant(1));
    push(d, at, Act::Arrive(one, None), None);
    if op.results.is_empty() {
        return Ok(());
    }
    let text = "the state of a barrier in memory, which is not simulated";
    let state = d.undefined(Kind::Undef, 64, text);
    d.define(op, vec![state])
}

fn expect(d: &mut Decoder<'_>, op: &Operation) -> Done {
    let (at, one) = (address(d, op)?, d.b.constant(1));
    let (bytes, guard) = (d.scalar(op, 1)?, guard(d, op, 2)?);
    push(d, at, Act::Arrive(one, Some(bytes)), guard);
    Ok(())
}

/// The operation repeats the wait until the phase has ended.
fn wait(d: &mut Decoder<'_>, op: &Operation) -> Done {
    let (at, parity) = (address(d, op)?, d.scalar(op, 1)?);
    push(d, at, Act::Wait(parity), None);
    Ok(())
}

#[cfg(test)]
mod tests;
