//! Named barriers: barriers of some warps of a thread block.
//!
//! A block has 16 barriers. A warp arrives at a barrier with an id and a number of threads, and waits until this number
//! of threads has arrived. Warps at different barriers are at different instructions, so each warp of such a kernel
//! runs on its own. A warp has arrived when all its threads that have not returned have arrived.
//!
//! ```text
//! warps 0 to 3   barrier 1, 128 ─────── barrier 0, 256 ─► completes when all 8 warps have arrived
//! warps 4 to 7   barrier 2, 128 ─────── barrier 0, 256
//! ```
//! A barrier of some warps orders only the accesses of these warps. Such a barrier begins a new epoch of each warp,
//! and the vector clocks of the warps then contain the earlier epochs.
//!
//! # Source
//! PTX ISA, "Parallel Synchronization and Communication Instructions: barrier".

use super::Exec;
use super::schedule::LaneGroup;
use super::spin::waiting_lanes;
use crate::code::Reg;
use crate::error::{FaultKind, KernelError};

const BARRIERS: u64 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BarrierArrival {
    id: u64,
    /// Number of threads that take part.
    threads: u64,
}

impl Exec<'_> {
    /// Returns the number of threads of the block, rounded up to whole warps.
    fn threads_of_warps(&self) -> u64 {
        let threads = self.num_threads;
        threads
            .next_multiple_of(self.launch.machine.lanes_per_warp)
            .into()
    }

    pub(super) fn arrive_at_barrier(
        &mut self,
        lane_groups: &mut [LaneGroup],
        own: usize,
    ) -> Result<(), KernelError> {
        let lanes = waiting_lanes(&lane_groups[own].stack);
        let operands = self.program.ops[self.op as usize].barrier();
        let all = self.threads_of_warps();
        let id = self.barrier_operand(&lanes, operands.id, 0, "id")?;
        let threads = self.barrier_operand(&lanes, operands.threads, all, "thread count")?;
        let lane = lanes.first().copied().unwrap_or(0);
        if id >= BARRIERS {
            let text = format!("barrier has the id {id}, expected 0 to {}", BARRIERS - 1);
            return Err(self.fault(FaultKind::Barrier, lane, text));
        }
        let per_warp = u64::from(self.launch.machine.lanes_per_warp);
        if threads == 0 || threads % per_warp != 0 || threads > all {
            let text = format!(
                "barrier {id} has a thread count of {threads}, expected a multiple of {per_warp} from \
                 {per_warp} to {all}"
            );
            return Err(self.fault(FaultKind::Barrier, lane, text));
        }
        let arrival = BarrierArrival { id, threads };
        let is_other = |other: &&LaneGroup| {
            let other = other.arrival;
            other.is_some_and(|other| other.id == id && other.threads != threads)
        };
        if let Some(other) = lane_groups.iter().find(is_other)
            && let (Some(arrival), Some(op)) = (other.arrival, other.waits_at)
        {
            let text = format!(
                "barrier {id} has a thread count of {threads}, but other warps wait with a thread count of {}",
                arrival.threads
            );
            let error = self.fault(FaultKind::Barrier, lane, text);
            let first = waiting_lanes(&other.stack).first().copied();
            return Err(error.note(format!(
                "{} waits at {}",
                self.thread_id(first.unwrap_or(0)),
                self.program.site(op)
            )));
        }
        lane_groups[own].arrival = Some(arrival);
        Ok(())
    }

    /// Returns the value of a barrier operand, or `default` if the operand is absent. Returns an error if the lanes
    /// of a warp have different values.
    fn barrier_operand(
        &self,
        lanes: &[u32],
        operand: Option<Reg>,
        default: u64,
        what: &str,
    ) -> Result<u64, KernelError> {
        let (Some(reg), Some(first)) = (operand, lanes.first()) else {
            return Ok(default);
        };
        let value = self.get(reg, *first);
        match lanes.iter().find(|lane| self.get(reg, **lane) != value) {
            None => Ok(value),
            Some(lane) => {
                let per_warp = self.launch.machine.lanes_per_warp;
                let text = format!(
                    "barrier {what} differs within a warp: {value} in lane {} and {} in lane {}",
                    first % per_warp,
                    self.get(reg, *lane),
                    lane % per_warp
                );
                Err(self.fault(FaultKind::Divergence, *lane, text))
            }
        }
    }

    /// Returns the lanes that wait at the barrier, and the number of threads that have arrived. A warp counts with
    /// all its lanes if all its threads that have not returned wait at the barrier; otherwise it does not count.
    fn arrived(&self, lane_groups: &[LaneGroup], arrival: BarrierArrival) -> (Vec<u32>, u64) {
        let here = lane_groups.iter();
        let here = here.filter(|lane_group| lane_group.arrival == Some(arrival));
        let mut lanes: Vec<u32> = here
            .flat_map(|lane_group| waiting_lanes(&lane_group.stack))
            .filter(|lane| !self.exited[*lane as usize])
            .collect();
        lanes.sort_unstable();
        let per_warp = self.launch.machine.lanes_per_warp;
        let warps = lanes.chunk_by(|a, b| a / per_warp == b / per_warp);
        let is_whole = |own: &&[u32]| {
            let first = own[0] / per_warp * per_warp;
            let end = self.num_threads.min(first + per_warp);
            let alive = (first..end).filter(|lane| !self.exited[*lane as usize]);
            alive.count() == own.len()
        };
        let count = warps.filter(is_whole).count() as u64;
        (lanes, count * u64::from(per_warp))
    }

    /// Executes all barriers at which enough threads have arrived. Returns true if at least one barrier was
    /// executed.
    pub(super) fn complete_barriers(
        &mut self,
        lane_groups: &mut [LaneGroup],
    ) -> Result<bool, KernelError> {
        let mut has_completed = false;
        for index in 0..lane_groups.len() {
            has_completed |= self.complete_barrier(lane_groups, index)?;
        }
        Ok(has_completed)
    }

    /// Executes the barrier of lane group `own` if enough threads have arrived. Returns true if it was executed.
    pub(super) fn complete_barrier(
        &mut self,
        lane_groups: &mut [LaneGroup],
        own: usize,
    ) -> Result<bool, KernelError> {
        let Some(arrival) = lane_groups[own].arrival else {
            return Ok(false);
        };
        // A lane group contains lanes of one warp.
        let here = lane_groups.iter();
        let here = here.filter(|lane_group| lane_group.arrival == Some(arrival));
        let per_warp = u64::from(self.launch.machine.lanes_per_warp);
        if (here.count() as u64) * per_warp < arrival.threads {
            return Ok(false);
        }
        let (lanes, arrived) = self.arrived(lane_groups, arrival);
        if arrived < arrival.threads {
            return Ok(false);
        }
        self.execute_barrier(lane_groups, arrival, lanes)?;
        Ok(true)
    }

    fn execute_barrier(
        &mut self,
        lane_groups: &mut [LaneGroup],
        arrival: BarrierArrival,
        lanes: Vec<u32>,
    ) -> Result<(), KernelError> {
        let here = lane_groups.iter_mut();
        let here = here.filter(|lane_group| lane_group.arrival == Some(arrival));
        let mut here: Vec<&mut LaneGroup> = here.collect();
        let mut ops = here.iter().filter_map(|lane_group| lane_group.waits_at);
        let op = ops.next().unwrap_or(self.op);
        let program = self.program;
        let computes = |op: u32| !program.ops[op as usize].regs().writes.is_empty();
        let other = ops.find(|&other| other != op && (computes(op) || computes(other)));
        self.op = op;
        self.full = lanes.len() == self.num_threads as usize;
        self.lanes = lanes;
        if let Some(other) = other {
            let text = "warps wait at different barriers, one of which has a reduction; expected the same \
                barrier";
            let error = self.fault(FaultKind::Divergence, self.lanes[0], text.to_owned());
            return Err(error.note(format!("another barrier is {}", program.site(other))));
        }
        program.ops[op as usize].step(self)?;
        for lane_group in &mut here {
            lane_group.waits_at = None;
            lane_group.arrival = None;
            lane_group.stalled_at_write_count = None;
            lane_group.spin.restart();
        }
        self.merge_lanes(&mut here);
        Ok(())
    }

    fn merge_lanes(&self, lane_groups: &mut [&mut LaneGroup]) {
        let per_warp = self.launch.machine.lanes_per_warp;
        let warp = |lane_group: &LaneGroup| {
            let frame = lane_group.stack.last()?;
            Some(frame.lanes.first()? / per_warp)
        };
        for index in 1..lane_groups.len() {
            let (before, rest) = lane_groups.split_at_mut(index);
            let own = &mut *rest[0];
            let mut others = before.iter_mut();
            if let Some(other) = others.find(|other| warp(other) == warp(own) && other.is_like(own))
            {
                other.absorb(own);
            }
        }
    }

    /// Executes a barrier among the active warps. Returns false, without an effect, if all warps are active: the caller
    /// then executes a block barrier.
    pub(super) fn executes_barrier_of_warps(&mut self) -> bool {
        let per_warp = self.launch.machine.lanes_per_warp;
        let mut warps: Vec<u32> = self.lanes.iter().map(|lane| lane / per_warp).collect();
        warps.dedup();
        if warps.len() == self.warp_epochs.len() {
            return false;
        }
        let block = self.block_linear * self.num_threads;
        let mut epochs = Vec::new();
        for warp in warps {
            let epoch = &mut self.warp_epochs[warp as usize];
            *epoch += 1;
            epochs.push((block + warp * per_warp, *epoch));
        }
        self.report.barriers += 1;
        if let Some(happens) = &mut self.happens {
            happens.barrier_of_warps(&self.lanes, &epochs);
        }
        true
    }

    pub(super) fn describe_arrival(
        &self,
        lane_groups: &[LaneGroup],
        arrival: BarrierArrival,
    ) -> String {
        let (_, arrived) = self.arrived(lane_groups, arrival);
        let BarrierArrival { id, threads } = arrival;
        format!("{arrived} of {threads} threads have arrived at barrier {id}")
    }
}
