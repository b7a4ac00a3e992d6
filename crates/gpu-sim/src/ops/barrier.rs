//! Barriers of thread blocks and warps, fences and waits.

use super::control::nothing;
use super::{Family, OpRow, needs, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, keyword};
use crate::exec::{Channel, Exec, Instruction, Marks, PoisonEffect, Regs, WarpInteraction};
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "barriers and waits",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("nvvm.barrier0", block),
    row("nvvm.barrier", partial),
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
    row("rocdl.barrier", |d, _| {
        d.b.push(Barrier { releases: true });
        Ok(())
    }),
    row("rocdl.s.barrier", block),
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
    row("llvm.nvvm.barrier.cta.sync.aligned.all", block),
    row("llvm.nvvm.bar.warp.sync", warp),
    row("llvm.amdgcn.s.barrier", block),
    row("llvm.amdgcn.wave.barrier", nothing),
    row("llvm.amdgcn.sched.barrier", nothing),
];

/// A block barrier. It orders the memory accesses before it against the memory accesses after it.
#[derive(Debug)]
pub(crate) struct Barrier {
    /// True if the barrier releases. On AMD GPUs, a wave then waits for its copies to LDS before the barrier.
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

/// The arrival of threads at the barrier of their cluster.
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

/// The wait for the other threads of the cluster.
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

fn block(d: &mut Decoder<'_>, _: &Operation) -> DecodeResult {
    d.b.push(Barrier { releases: false });
    Ok(())
}

/// A block barrier that also reduces the lowest bits of `src` over all threads.
#[derive(Debug)]
struct BarrierReduce {
    /// Computes the result from the number of threads whose bit is set and the number of all threads.
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

fn partial(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let sizes = op.ints("operandSegmentSizes").unwrap_or(&[0, 0, 0]);
    let named = sizes.first() == Some(&1) && {
        let id = d.scalar(op, 0)?;
        d.b.constant_of(id) != Some(0)
    };
    if named || sizes.get(1) == Some(&1) {
        return Err(d.unsupported(
            op,
            "named barriers and barriers of a part of the block are not supported",
        ));
    }
    let Some(reduction) = op.str("reductionOp") else {
        return block(d, op);
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

/// A warp barrier of the lanes in `mask`: bit `i` of this register is set if lane `i` of the warp takes part.
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
