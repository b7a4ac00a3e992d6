//! Barriers of thread blocks and warps, fences and waits.

use super::control::nothing;
use super::{Family, OpRow, needs, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, keyword};
use crate::exec::{
    BarrierOperands, Channel, Exec, Instruction, Marks, PoisonEffect, Regs, WarpInteraction,
};
use crate::ir::Operation;
use crate::marks;

pub(super) const FAMILY: Family = Family {
    title: "barriers and waits",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("nvvm.barrier0", block),
    row("nvvm.barrier", barrier),
    row("nvvm.bar.warp.sync", warp),
    row("nvvm.cluster.arrive", |d, _| {
        d.b.push(ClusterArrive);
        Ok(())
    })
    .needing(&needs::CLUSTERS),
    row("nvvm.cluster.wait", |d, _| {
        d.b.has_waits();
        d.b.push(ClusterWait);
        Ok(())
    })
    .needing(&needs::CLUSTERS),
    row("rocdl.barrier", |d, op| {
        wave_barrier(d, op, true);
        Ok(())
    }),
    row("rocdl.s.barrier", |d, op| {
        wave_barrier(d, op, false);
        Ok(())
    }),
    row("nvvm.fence.mbarrier.init", nothing),
    // Scheduling hints, and waits for operations that complete immediately in the simulator.
    row("rocdl.s.wait.dscnt", nothing),
    row("rocdl.s.wait.loadcnt", nothing),
    row("rocdl.s.wait.storecnt", nothing),
    row("rocdl.s.wait.expcnt", nothing),
    row("rocdl.s.sleep", nothing),
    row("rocdl.s.nop", nothing),
    row("rocdl.s.setprio", nothing),
    row("rocdl.sched.barrier", nothing),
    row("rocdl.sched.group.barrier", nothing),
    row("rocdl.iglp.opt", nothing),
];

const INTRINSICS: &[OpRow] = &[
    row("llvm.nvvm.barrier0", block),
    row("llvm.nvvm.barrier.cta.sync.aligned.all", |d, op| {
        let id = d.scalar(op, 0)?;
        numbered(d, Some(id), None);
        Ok(())
    }),
    row("llvm.nvvm.barrier.cta.sync.aligned.count", |d, op| {
        let [id, threads] = d.scalars(op, [0, 1])?;
        numbered(d, Some(id), Some(threads));
        Ok(())
    }),
    row("llvm.nvvm.bar.warp.sync", warp),
    row("llvm.amdgcn.s.barrier", block),
    row("llvm.amdgcn.wave.barrier", nothing),
    row("llvm.amdgcn.sched.barrier", nothing),
];

#[derive(Debug)]
pub(crate) struct Barrier {
    /// True if the barrier has release semantics. An AMD wave then first waits for its copies to LDS.
    pub(crate) releases: bool,
}

impl Instruction for Barrier {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        if self.releases {
            exec.wait_for_copies(Channel::Vector, 0, false)?;
        }
        exec.barrier()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Collective
    }
}

#[derive(Debug)]
struct ClusterArrive;

impl Instruction for ClusterArrive {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.arrive_at_cluster_barrier()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

#[derive(Debug)]
struct ClusterWait;

impl Instruction for ClusterWait {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.leave_cluster_barrier();
        Ok(())
    }

    fn blocked(&self, exec: &Exec<'_>, lanes: &[u32]) -> DecodeResult<Option<String>> {
        Ok(exec.cluster_barrier_blocks(lanes))
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

/// Appends a block barrier of an AMD GPU. If the operation has the attribute `ll.staggering`, different waves may
/// reach the barrier at different instructions.
fn wave_barrier(d: &mut Decoder<'_>, op: &Operation, releases: bool) {
    if op.attribute(marks::STAGGERING).is_some() {
        d.b.has_named_barriers();
    }
    d.b.push(Barrier { releases });
}

fn block(d: &mut Decoder<'_>, _: &Operation) -> DecodeResult {
    d.b.push(Barrier { releases: false });
    Ok(())
}

/// A block barrier that also counts the threads in which `src` is not zero. The result of each thread is computed
/// from this count.
#[derive(Debug)]
struct BarrierReduce {
    /// Maps (number of threads in which `src` is not zero, number of all threads at the barrier) to the result.
    answer: fn(usize, usize) -> u64,
    dst: Reg,
    src: Reg,
}

impl Instruction for BarrierReduce {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.barrier()?;
        let set = exec
            .lanes
            .iter()
            .filter(|&&lane| exec.get(self.src, lane) != 0)
            .count();
        let value = (self.answer)(set, exec.lanes.len());
        exec.map1(self.dst, self.src, |_| value);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Collective
    }
}

#[derive(Debug)]
struct NamedBarrier {
    operands: BarrierOperands,
}

impl Instruction for NamedBarrier {
    fn regs(&self) -> Regs {
        let BarrierOperands { id, threads } = self.operands;
        Regs::new([], id.into_iter().chain(threads).collect::<Vec<Reg>>())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.barrier()
    }

    fn barrier(&self) -> BarrierOperands {
        self.operands
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Collective
    }
}

/// Appends a barrier with the given id. All threads of the block take part if `threads` is `None`.
fn numbered(d: &mut Decoder<'_>, id: Option<Reg>, threads: Option<Reg>) {
    let is_of_block = id.is_none_or(|id| d.b.constant_of(id) == Some(0));
    if is_of_block && threads.is_none() {
        d.b.push(Barrier { releases: false });
        return;
    }
    d.b.has_named_barriers();
    d.b.push(NamedBarrier {
        operands: BarrierOperands { id, threads },
    });
}

/// Decodes a barrier with up to three operands: id, number of threads, and the value to reduce.
fn barrier(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let sizes = op.ints("operandSegmentSizes").unwrap_or(&[0, 0, 0]);
    let has = |operand: usize| sizes.get(operand) == Some(&1);
    let (has_id, has_threads) = (has(0), has(1));
    let id = has_id.then(|| d.scalar(op, 0)).transpose()?;
    let threads = has_threads.then(|| d.scalar(op, usize::from(has_id)));
    let threads = threads.transpose()?;
    if threads.is_some() && id.is_none() {
        let text = "barrier has a number of threads but no id; expected an id from 0 to 15";
        return Err(d.malformed(op, text));
    }
    let is_of_block = id.is_none_or(|id| d.b.constant_of(id) == Some(0)) && threads.is_none();
    if op.str("reductionOp").is_some() && !is_of_block {
        let text = "a reduction is only supported at barrier 0 with all threads of the block";
        return Err(d.unsupported(op, text));
    }
    let Some(reduction) = op.str("reductionOp") else {
        numbered(d, id, threads);
        return Ok(());
    };
    let answer: fn(usize, usize) -> u64 = match keyword(reduction) {
        "and" => |set, all| u64::from(set == all),
        "or" => |set, _| u64::from(set > 0),
        _ => |set, _| set as u64,
    };
    let src = d.scalar(op, op.operands.len().saturating_sub(1))?;
    let reg = d.emit(|dst| BarrierReduce { answer, dst, src });
    d.define(op, vec![reg])
}

/// A warp barrier. Lane `i` takes part if bit `i` of the register `mask` is set.
#[derive(Debug)]
pub(crate) struct WarpBarrier {
    pub(crate) mask: Reg,
}

impl Instruction for WarpBarrier {
    fn regs(&self) -> Regs {
        Regs::new([], [self.mask])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (warp, lanes) in exec.active_warps() {
            for &lane in &lanes {
                let mask = exec.get(self.mask, lane);
                exec.check_members("warp barrier", warp, &lanes, mask, lane)?;
            }
            exec.warp_barrier(warp, &lanes);
            exec.report.warp_barriers += 1;
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

fn warp(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let mask = d.scalar(op, 0)?;
    d.b.push(WarpBarrier { mask });
    Ok(())
}

#[cfg(test)]
mod tests;
