//! Warp scheduling: warps run one at a time, in random order.
//!
//! In lockstep, all warps execute an instruction together. This hides bugs that occur if one warp is slow, for example
//! a store after a faster warp has reused the bytes. Here a warp runs alone until it waits at a block barrier or yields
//! at random. The results of a kernel with races then depend on the order of the warps.
//!
//! In a kernel with named barriers, warps always run one at a time. Without a seed, they take turns in a fixed order.

use super::named::BarrierArrival;
use super::spin::{SpinDetector, waiting_lanes};
use super::{Exec, Frame, Instruction, StopReason, WarpInteraction};
use crate::code::BlockId;
use crate::data::split_mix;
use crate::error::{FaultKind, KernelError};
use crate::launch::Schedule;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PauseReason {
    Finished,
    /// The block cannot make progress until memory changes.
    Stalled,
    /// All warps of the block wait for each other; no other block can wake them.
    Deadlock,
    /// The block has polled memory for a long time and yields to other blocks.
    Polling,
}

/// A warp yields to other warps at a memory access or a warp barrier with probability `1 / PATIENCE`.
const PATIENCE: u64 = 8;

pub(super) struct ScheduleRng {
    state: u64,
}

impl ScheduleRng {
    pub(super) fn new(schedule: Schedule) -> Option<Self> {
        match schedule {
            Schedule::Lockstep => None,
            Schedule::Warps(seed) => Some(Self { state: seed }),
        }
    }

    fn draw(&mut self, count: usize) -> usize {
        (split_mix(&mut self.state) % count.max(1) as u64) as usize
    }
}

/// The execution state of lanes that run together: a whole warp, or diverged lanes of a warp.
#[derive(Default)]
pub(super) struct LaneGroup {
    pub(super) stack: Vec<Frame>,
    /// Index of the barrier instruction at which the lanes wait; `None` if they do not wait at a block barrier.
    pub(super) waits_at: Option<u32>,
    /// Operands of the barrier at which the lanes wait, in a kernel with named barriers; `None` in other kernels,
    /// or if the lanes do not wait.
    pub(super) arrival: Option<BarrierArrival>,
    pub(super) spin: SpinDetector,
    /// Value of the memory-change counter when the lanes stalled; `None` if the lanes are not stalled. The lanes
    /// resume when the counter has increased.
    pub(super) stalled_at_write_count: Option<u64>,
    has_polled: bool,
    is_blocked: bool,
}

impl LaneGroup {
    /// Returns a lane group with those lanes of `stack` for which `is_own` returns true.
    fn of(stack: &[Frame], is_own: impl Fn(u32) -> bool) -> Self {
        let own = |frame: &Frame| {
            let lanes: Vec<u32> = frame.lanes.iter().copied().filter(|l| is_own(*l)).collect();
            (!lanes.is_empty()).then_some(Frame { lanes, ..*frame })
        };
        Self {
            stack: stack.iter().filter_map(own).collect(),
            ..Self::default()
        }
    }

    /// Returns true if both groups are at the same instruction with the same reconvergence points.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let location = |frame: &Frame| (frame.block, frame.until, frame.done);
        let others = other.stack.iter().map(location);
        self.stack.iter().map(location).eq(others)
    }

    pub(super) fn absorb(&mut self, other: &mut Self) {
        for (frame, other) in self.stack.iter_mut().zip(other.stack.drain(..)) {
            frame.lanes.extend(other.lanes);
            frame.lanes.sort_unstable();
        }
    }
}

impl Exec<'_> {
    pub(super) fn split_warps(&mut self) {
        let per_warp = self.launch.machine.lanes_per_warp;
        let warps = self.num_threads.div_ceil(per_warp);
        let stack = std::mem::take(&mut self.stack);
        let lane_group = |warp| LaneGroup::of(&stack, |lane| lane / per_warp == warp);
        self.lane_groups = Some((0..warps).map(lane_group).collect());
        self.spin = SpinDetector::default();
    }

    /// Merges all lane groups into one stack if they are at the same instruction. Returns true on success.
    fn merge_warps(&mut self, lane_groups: &mut Vec<LaneGroup>) -> bool {
        if !lane_groups.windows(2).all(|pair| pair[0].is_like(&pair[1])) {
            return false;
        }
        let mut lane_groups = std::mem::take(lane_groups).into_iter();
        let mut all = lane_groups.next().unwrap_or_default();
        lane_groups.for_each(|mut lane_group| all.absorb(&mut lane_group));
        self.stack = all.stack;
        self.spin = SpinDetector::default();
        true
    }

    /// Runs the lane groups one at a time. Returns the reason if the block pauses, or `None` if all lanes can run
    /// in lockstep again.
    pub(super) fn run_warps(&mut self) -> Result<Option<PauseReason>, KernelError> {
        let mut lane_groups = self.lane_groups.take().unwrap_or_default();
        let done = self.run_lane_groups(&mut lane_groups);
        self.warps_are_split = false;
        if !matches!(done, Ok(None)) {
            self.lane_groups = Some(lane_groups);
        }
        done
    }

    fn run_lane_groups(
        &mut self,
        lane_groups: &mut Vec<LaneGroup>,
    ) -> Result<Option<PauseReason>, KernelError> {
        self.warps_are_split = true;
        let has_named_barriers = self.program.has_named_barriers;
        let mut last = usize::MAX;
        loop {
            let writes = self.writes;
            let is_awake = |lane_group: &LaneGroup| {
                lane_group.waits_at.is_none()
                    && !lane_group.stack.is_empty()
                    && lane_group.stalled_at_write_count != Some(writes)
            };
            let awake: Vec<usize> = (0..lane_groups.len())
                .filter(|&p| is_awake(&lane_groups[p]))
                .collect();
            let ready: Vec<usize> = awake
                .iter()
                .copied()
                .filter(|&p| !lane_groups[p].has_polled)
                .collect();
            if awake.is_empty() {
                lane_groups.retain(|lane_group| !lane_group.stack.is_empty());
                if lane_groups.is_empty() {
                    return Ok(Some(PauseReason::Finished));
                }
                if has_named_barriers && self.complete_barriers(lane_groups)? {
                    continue;
                }
                // Blocked lanes are split from the other lanes of their warp only if no other warp can make progress.
                let mut blocked = lane_groups
                    .iter_mut()
                    .filter(|lane_group| lane_group.is_blocked);
                if let Some(rest) = blocked.find_map(|lane_group| self.split(lane_group)) {
                    lane_groups.push(rest);
                    continue;
                }
                let is_final =
                    |lane_group: &LaneGroup| lane_group.arrival.is_some() || lane_group.is_blocked;
                if has_named_barriers
                    && self.program.cluster() == [1; 3]
                    && lane_groups.iter().all(is_final)
                {
                    return Ok(Some(PauseReason::Deadlock));
                }
                if has_named_barriers
                    || lane_groups
                        .iter()
                        .any(|lane_group| lane_group.waits_at.is_none())
                {
                    return Ok(Some(PauseReason::Stalled));
                }
                if self.release(lane_groups)? {
                    return Ok(Some(PauseReason::Stalled));
                }
                if self.schedule_rng.is_none() && self.merge_warps(lane_groups) {
                    return Ok(None);
                }
                continue;
            }
            if ready.is_empty() {
                lane_groups
                    .iter_mut()
                    .for_each(|lane_group| lane_group.has_polled = false);
                return Ok(Some(PauseReason::Polling));
            }
            let drawn = match &mut self.schedule_rng {
                Some(turns) => turns.draw(ready.len()),
                // Warps take turns, so that no group of warps runs far ahead.
                None if has_named_barriers => {
                    let next = ready.iter().position(|&p| last == usize::MAX || p > last);
                    next.unwrap_or(0)
                }
                None => 0,
            };
            last = ready[drawn];
            let lane_group = &mut lane_groups[last];
            lane_group.is_blocked = false;
            std::mem::swap(&mut self.stack, &mut lane_group.stack);
            std::mem::swap(&mut self.spin, &mut lane_group.spin);
            let stop = self.run_lane_group();
            std::mem::swap(&mut self.spin, &mut lane_group.spin);
            std::mem::swap(&mut self.stack, &mut lane_group.stack);
            match stop? {
                StopReason::Barrier(op) => {
                    lane_group.waits_at = Some(op);
                    if has_named_barriers {
                        self.arrive_at_barrier(lane_groups, last)?;
                        self.complete_barrier(lane_groups, last)?;
                    }
                }
                StopReason::Exit | StopReason::Yield => {}
                StopReason::Polling => lane_group.has_polled = true,
                StopReason::Stalled => {
                    lane_group.stalled_at_write_count = Some(self.writes);
                    let rest = self.split(lane_group);
                    lane_groups.extend(rest);
                }
                StopReason::Blocked => {
                    lane_group.stalled_at_write_count = Some(self.writes);
                    lane_group.is_blocked = true;
                }
            }
        }
    }

    /// Splits a group in two: `lane_group` keeps the lanes that wait, and the returned group contains the lanes
    /// that can proceed. Returns `None` if no lane can proceed, or if the lanes of a warp cannot proceed
    /// independently on the target.
    fn split(&self, lane_group: &mut LaneGroup) -> Option<LaneGroup> {
        let stuck = lane_group
            .stack
            .last()
            .map_or(&[][..], |frame| &frame.lanes);
        let all = waiting_lanes(&lane_group.stack);
        let has_others = all
            .iter()
            .any(|lane| !stuck.contains(lane) && !self.exited[*lane as usize]);
        if !has_others || self.launch.machine.lockstep {
            return None;
        }
        let rest = LaneGroup::of(&lane_group.stack, |lane| !stuck.contains(&lane));
        *lane_group = LaneGroup {
            stalled_at_write_count: lane_group.stalled_at_write_count,
            is_blocked: lane_group.is_blocked,
            spin: std::mem::take(&mut lane_group.spin),
            ..LaneGroup::of(&lane_group.stack, |lane| stuck.contains(&lane))
        };
        Some(rest)
    }

    /// Executes the barrier at which all lane groups wait, or returns an error if they wait at different barriers.
    /// Returns true if the groups execute this barrier in a loop that only a memory change can end.
    fn release(&mut self, lane_groups: &mut [LaneGroup]) -> Result<bool, KernelError> {
        let mut waiting = lane_groups
            .iter()
            .filter_map(|lane_group| lane_group.waits_at);
        let op = waiting.next().unwrap_or(self.op);
        let other = waiting.find(|&other| other != op);
        self.op = op;
        self.lanes = lane_groups
            .iter()
            .filter_map(|lane_group| lane_group.stack.last())
            .flat_map(|frame| frame.lanes.iter().copied())
            .collect();
        self.lanes.sort_unstable();
        if let Some(other) = other {
            let text = "barrier in divergent code: warps wait at different barriers".to_owned();
            let site = self.program.site(other);
            return Err(self
                .fault(FaultKind::Divergence, self.lanes[0], text)
                .note(format!("another barrier is {site}")));
        }
        self.full = self.lanes.len() == self.num_threads as usize;
        let program = self.program;
        program.ops[op as usize].step(self)?;
        // The lanes more likely wait for an atomic read than for another read.
        let reads = lane_groups
            .iter()
            .filter_map(|lane_group| lane_group.spin.last_read());
        let read = reads.max_by_key(|(_, is_atomic)| *is_atomic);
        for lane_group in lane_groups.iter_mut() {
            lane_group.waits_at = None;
            lane_group.stalled_at_write_count = None;
            lane_group.spin = SpinDetector::default();
        }
        let frame = lane_groups
            .first()
            .and_then(|lane_group| lane_group.stack.last());
        let block = frame.map_or(BlockId(0), |frame| frame.block);
        let mut spin = std::mem::take(&mut self.spin);
        if read.is_some() {
            spin.waits_for(read);
        }
        let is_stuck = self.barrier_repeats(block, &mut spin);
        self.spin = spin;
        if is_stuck {
            for lane_group in lane_groups.iter_mut() {
                lane_group.stalled_at_write_count = Some(self.writes);
                lane_group.spin.waits_for(read);
            }
        }
        Ok(is_stuck)
    }

    /// Returns [`StopReason::Barrier`] if the warp must wait for other warps before it executes `op`. Returns an
    /// error if lanes of the warp have not reached `op`.
    pub(super) fn stops_at(&self, op: &dyn Instruction) -> Result<Option<StopReason>, KernelError> {
        if !self.warps_are_split || op.interaction() != WarpInteraction::Collective {
            return Ok(None);
        }
        let mut all = waiting_lanes(&self.stack);
        all.extend(&self.lanes);
        all.sort_unstable();
        all.dedup();
        all.retain(|lane| !self.exited[*lane as usize]);
        let alive = all.len();
        if self.lanes.len() < alive {
            let here = self.lanes.len();
            let text = format!(
                "barrier in divergent code: only {here} of {alive} threads of the warp reach the barrier"
            );
            return Err(self.fault(FaultKind::Divergence, self.lanes[0], text));
        }
        Ok(Some(StopReason::Barrier(self.op)))
    }

    /// Returns [`StopReason::Yield`] if the warp lets other warps run after `op`. If the schedule has a seed, a
    /// warp yields at random at instructions with visible effects. Without a seed, a warp yields only in a kernel
    /// with named barriers, after it has completed a phase of an mbarrier.
    pub(super) fn yields(&mut self, op: &dyn Instruction) -> Option<StopReason> {
        let Some(turns) = self.schedule_rng.as_mut() else {
            let has_ended = std::mem::take(&mut self.has_ended_phase);
            return (has_ended && self.program.has_named_barriers).then_some(StopReason::Yield);
        };
        let matters = op.interaction() == WarpInteraction::Visible;
        (matters && split_mix(&mut turns.state).is_multiple_of(PATIENCE))
            .then_some(StopReason::Yield)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arg, FaultKind, KernelError, Launch, Memory, Schedule, decode_generic};

    /// Runs `operations`, which compute a word `%x`, on `threads` lanes. Returns `%x` of each lane.
    fn words(threads: usize, seed: u64, operations: &str) -> Result<Vec<u32>, KernelError> {
        let text = format!(
            r#""builtin.module"() ({{
  "llvm.func"() <{{sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>, %counter: !llvm.ptr<1>):
    %t = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %one = "llvm.mlir.constant"() <{{value = 1 : i32}}> : () -> i32
    {operations}
    %p = "llvm.getelementptr"(%out, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    "llvm.store"(%x, %p) : (i32, !llvm.ptr<1>) -> ()
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: {threads}>}} : () -> ()
}}) : () -> ()"#
        );
        let decoded = decode_generic(&text, None).expect("it is a kernel");
        let mut memory = Memory::default();
        let out = memory.add("out", vec![0; 4 * threads]);
        let counter = memory.add("counter", vec![0; 4]);
        Launch::new(decoded.machine)
            .args([Arg::Buffer(out), Arg::Buffer(counter)])
            .schedule(Schedule::Warps(seed))
            .run(&decoded.program, &mut memory)?;
        let words = memory.bytes(out).as_chunks::<4>().0;
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// Each of four warps runs first for at least one seed, and last for at least one seed. Equal seeds give equal
    /// orders.
    #[test]
    fn any_warp_may_come_first() {
        let count = r#"%x = "llvm.atomicrmw"(%counter, %one) <{bin_op = 1 : i64, ordering = 2 : i64}> : (!llvm.ptr<1>, i32) -> i32"#;
        let (mut first, mut last) = ([0; 4], [0; 4]);
        for seed in 0..64 {
            let found = words(128, seed, count).expect("it runs");
            assert_eq!(found, words(128, seed, count).expect("it runs"));
            let mut all = found.clone();
            all.sort_unstable();
            assert_eq!(all, (0..128).collect::<Vec<_>>());
            for (warp, old) in found.iter().step_by(32).enumerate() {
                first[warp] += usize::from(*old == 0);
                last[warp] += usize::from(*old == 96);
            }
        }
        assert!(
            first.iter().chain(&last).all(|count| *count > 0),
            "{first:?} {last:?}"
        );
    }

    #[test]
    fn a_warp_waits_as_a_whole() {
        let barrier = |limit: u32| {
            format!(
                r#"%limit = "llvm.mlir.constant"() <{{value = {limit} : i32}}> : () -> i32
    %c = "llvm.icmp"(%t, %limit) <{{predicate = 9 : i64}}> : (i32, i32) -> i1
    "llvm.cond_br"(%c)[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()
  ^bb1:
    "nvvm.barrier0"() : () -> ()
    "llvm.br"()[^bb2] : () -> ()
  ^bb2:
    %x = "llvm.add"(%t, %one) : (i32, i32) -> i32"#
            )
        };
        for seed in 0..8 {
            // Either all 40 threads wait, or the 8 threads of the second warp wait.
            let found = words(40, seed, &barrier(0)).expect("it runs");
            assert_eq!(found, (1..41).collect::<Vec<_>>());
            for (limit, message) in [
                (27, "5 of 32 threads of the warp reach the barrier"),
                (33, "7 of 8 threads of the warp reach the barrier"),
            ] {
                let error = words(40, seed, &barrier(limit)).expect_err("some go by");
                assert_eq!(error.kind(), FaultKind::Divergence, "{error}");
                assert!(error.message().contains(message), "{error}");
            }
        }
    }
}
