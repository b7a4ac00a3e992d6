//! Mbarrier instructions: `mbarrier.init`, `inval`, `arrive`, and waits for a phase.

use super::memory::space;
use super::{Family, OpRow, needs, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::exec::{
    Exec, Guard, Instruction, MBARRIER_ORDER, MarkKind, Marks, MbarrierAddress, PoisonEffect, Regs,
    WarpInteraction,
};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "barriers in memory",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("nvvm.mbarrier.init", init).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.init.shared", init).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.inval", inval).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.inval.shared", inval).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.arrive", arrive).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.arrive.shared", arrive).needing(&needs::ASYNC_COPIES),
    row("nvvm.cp.async.mbarrier.arrive", arrive_after_copies).needing(&needs::ASYNC_COPIES),
    row("nvvm.mbarrier.arrive.expect_tx", expect).needing(&needs::CLUSTERS),
    row("nvvm.mbarrier.arrive.expect_tx.shared", expect).needing(&needs::CLUSTERS),
    row("nvvm.mbarrier.try_wait.parity", wait).needing(&needs::CLUSTERS),
    row("nvvm.mbarrier.try_wait.parity.shared", wait).needing(&needs::CLUSTERS),
];

#[derive(Clone, Copy, Debug)]
pub(crate) enum MbarrierAction {
    /// Register with the number of expected arrivals.
    Init(Reg),
    Invalidate,
    /// Registers with the number of arrivals and with the additional expected bytes.
    Arrive(Reg, Option<Reg>),
    /// An arrival after the copies of the thread are complete. The flag is true if the arrival count of the
    /// mbarrier already includes this arrival (`noinc`).
    ArriveAfterCopies(bool),
    /// Register with the parity of the awaited phase.
    Wait(Reg),
}

#[derive(Debug)]
pub(crate) struct MbarrierOp {
    pub(crate) at: MbarrierAddress,
    pub(crate) act: MbarrierAction,
    pub(crate) guard: Option<Guard>,
}

impl Instruction for MbarrierOp {
    fn regs(&self) -> Regs {
        let mut reads = vec![self.at.addr];
        match self.act {
            MbarrierAction::Init(reg) | MbarrierAction::Wait(reg) => reads.push(reg),
            MbarrierAction::Arrive(count, bytes) => reads.extend([count].into_iter().chain(bytes)),
            MbarrierAction::Invalidate | MbarrierAction::ArriveAfterCopies(_) => {}
        }
        reads.extend(self.guard.map(|guard| guard.reg));
        Regs::new([], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for lane in exec.lanes.clone() {
            if !exec.is_on(self.guard, lane) {
                continue;
            }
            match self.act {
                MbarrierAction::Init(count) => {
                    exec.init_mbarrier(lane, self.at, exec.get(count, lane) as u32)
                }
                MbarrierAction::Invalidate => exec.invalidate_mbarrier(lane, self.at),
                MbarrierAction::Arrive(count, bytes) => {
                    let bytes = bytes.map_or(0, |bytes| exec.get(bytes, lane) as u32);
                    let count = exec.get(count, lane) as u32;
                    exec.arrive_at_mbarrier(lane, self.at, count, bytes)
                }
                MbarrierAction::ArriveAfterCopies(is_expected) => {
                    exec.arrive_after_copies(lane, self.at, is_expected)
                }
                MbarrierAction::Wait(_) => exec.observe_mbarrier(lane, self.at),
            }?;
        }
        Ok(())
    }

    fn blocked(&self, exec: &Exec<'_>, lanes: &[u32]) -> DecodeResult<Option<String>> {
        let MbarrierAction::Wait(parity) = self.act else {
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

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.guarded(self.guard)
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

pub(crate) fn push(
    d: &mut Decoder<'_>,
    at: MbarrierAddress,
    act: MbarrierAction,
    guard: Option<Guard>,
) {
    d.b.has_atomic(crate::code::Space::Shared, MBARRIER_ORDER);
    if matches!(act, MbarrierAction::Wait(_)) {
        d.b.has_waits();
    }
    d.b.push(MbarrierOp { at, act, guard });
}

fn address(d: &Decoder<'_>, op: &Operation) -> DecodeResult<MbarrierAddress> {
    Ok(MbarrierAddress {
        space: space(d, op, 0)?,
        addr: d.scalar(op, 0)?,
        offset: 0,
    })
}

/// Returns the guard in operand `operand`, if the operation has this operand.
fn guard(d: &Decoder<'_>, op: &Operation, operand: usize) -> DecodeResult<Option<Guard>> {
    let has = op.operands.len() > operand;
    let reg = has.then(|| d.scalar(op, operand)).transpose()?;
    Ok(reg.map(|reg| Guard {
        reg,
        negated: false,
    }))
}

fn init(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let (at, count, guard) = (address(d, op)?, d.scalar(op, 1)?, guard(d, op, 2)?);
    push(d, at, MbarrierAction::Init(count), guard);
    Ok(())
}

fn inval(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let at = address(d, op)?;
    push(d, at, MbarrierAction::Invalidate, None);
    Ok(())
}

fn arrive(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let (at, one) = (address(d, op)?, d.b.constant(1));
    push(d, at, MbarrierAction::Arrive(one, None), None);
    if op.results.is_empty() {
        return Ok(());
    }
    let text = "use of the state that `mbarrier.arrive` returns, which is not simulated";
    let state = d.undefined(MarkKind::Undef, 64, text);
    d.define(op, vec![state])
}

fn arrive_after_copies(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let at = address(d, op)?;
    let is_expected = op.int("noinc").is_some_and(|flag| flag != 0);
    push(d, at, MbarrierAction::ArriveAfterCopies(is_expected), None);
    Ok(())
}

fn expect(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let (at, one) = (address(d, op)?, d.b.constant(1));
    let (bytes, guard) = (d.scalar(op, 1)?, guard(d, op, 2)?);
    push(d, at, MbarrierAction::Arrive(one, Some(bytes)), guard);
    Ok(())
}

/// Decodes a wait for a phase. The operation includes the loop in which PTX code repeats `mbarrier.try_wait`, so
/// the decoded wait blocks until the phase has completed.
fn wait(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let (at, parity) = (address(d, op)?, d.scalar(op, 1)?);
    push(d, at, MbarrierAction::Wait(parity), None);
    Ok(())
}

#[cfg(test)]
mod tests;
