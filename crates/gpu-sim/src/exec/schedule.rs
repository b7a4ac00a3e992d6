//! Warps that run one by one, in an order drawn from a seed.
//!
//! In lockstep all warps execute an instruction together, which hides what a slow warp can still do: its store may
//! land after a fast warp has gone on to use the bytes again. Here a warp runs alone until it must wait at a block
//! barrier, or until a coin says that it is another one's turn, so values show what order can do to them.

use super::spin::{Spin, waiting_lanes};
use super::{Exec, Frame, Instruction, Stop, Turn};
use crate::code::BlockId;
use crate::data::split_mix;
use crate::error::{FaultKind, KernelError};
use crate::launch::Schedule;

/// Why a block does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pause {
    /// All of its threads have returned.
    Over,
    /// Nothing happens in it until memory changes.
    Stuck,
    /// It has waited for long, and may go on.
    Polls,
}

/// One turn in so many ends at a memory access or warp barrier.
const PATIENCE: u64 = 8;

/// The draws of a launch.
pub(super) struct Turns {
    state: u64,
}

impl Turns {
    pub(super) fn new(schedule: Schedule) -> Option<Self> {
        match schedule {
            Schedule::Lockstep => None,
            Schedule::Warps(seed) => Some(Self { state: seed }),
        }
    }

    /// A number below `count`.
    fn draw(&mut self, count: usize) -> usize {
        (split_mix(&mut self.state) % count.max(1) as u64) as usize
    }
}

/// Lanes that run alone, those of a warp or a part of them: where they are.
#[derive(Default)]
pub(super) struct Party {
    pub(super) stack: Vec<Frame>,
    /// The block barrier at which it waits.
    pub(super) waits_at: Option<u32>,
    pub(super) spin: Spin,
    /// The number of changes of memory that it has seen, if it does nothing before the next one.
    stuck_at: Option<u64>,
    has_polled: bool,
    /// It is at an instruction that waits for what others do.
    is_blocked: bool,
}

impl Party {
    /// The frames of some lanes.
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
}

impl Exec<'_> {
    /// Makes each warp of the block a party of its own.
    pub(super) fn part_warps(&mut self) {
        let per_warp = self.launch.machine.lanes_per_warp;
        let warps = self.num_threads.div_ceil(per_warp);
        let stack = std::mem::take(&mut self.stack);
        let party = |warp| Party::of(&stack, |lane| lane / per_warp == warp);
        self.parties = Some((0..warps).map(party).collect());
        self.spin = Spin::default();
    }

    /// Lets all warps run together again, where they are at the same place.
    fn join_warps(&mut self, parties: &mut Vec<Party>) -> bool {
        let is_like = |a: &Party, b: &Party| {
            let place = |frame: &Frame| (frame.block, frame.until, frame.done);
            a.stack.iter().map(place).eq(b.stack.iter().map(place))
        };
        if !parties.windows(2).all(|pair| is_like(&pair[0], &pair[1])) {
            return false;
        }
        let mut parties = std::mem::take(parties).into_iter();
        let mut stack = parties.next().unwrap_or_default().stack;
        for party in parties {
            for (frame, other) in stack.iter_mut().zip(party.stack) {
                frame.lanes.extend(other.lanes);
            }
        }
        for frame in &mut stack {
            frame.lanes.sort_unstable();
        }
        self.stack = stack;
        self.spin = Spin::default();
        true
    }

    /// Runs the parties of a block one at a time, until the block is over or waits, or all run together again.
    pub(super) fn run_warps(&mut self) -> Result<Option<Pause>, KernelError> {
        let mut parties = self.parties.take().unwrap_or_default();
        let done = self.run_parties(&mut parties);
        self.is_parted = false;
        if !matches!(done, Ok(None)) {
            self.parties = Some(parties);
        }
        done
    }

    fn run_parties(&mut self, parties: &mut Vec<Party>) -> Result<Option<Pause>, KernelError> {
        self.is_parted = true;
        loop {
            let writes = self.writes;
            let is_awake = |party: &Party| {
                party.waits_at.is_none()
                    && !party.stack.is_empty()
                    && party.stuck_at != Some(writes)
            };
            let awake: Vec<usize> = (0..parties.len())
                .filter(|&p| is_awake(&parties[p]))
                .collect();
            let ready: Vec<usize> = awake
                .iter()
                .copied()
                .filter(|&p| !parties[p].has_polled)
                .collect();
            if awake.is_empty() {
                parties.retain(|party| !party.stack.is_empty());
                if parties.is_empty() {
                    return Ok(Some(Pause::Over));
                }
                // Lanes that are blocked wait for the others of their warp as long as another warp can help.
                let mut blocked = parties.iter_mut().filter(|party| party.is_blocked);
                if let Some(rest) = blocked.find_map(|party| self.split(party)) {
                    parties.push(rest);
                    continue;
                }
                if parties.iter().any(|party| party.waits_at.is_none()) {
                    return Ok(Some(Pause::Stuck));
                }
                if self.release(parties)? {
                    return Ok(Some(Pause::Stuck));
                }
                if self.turns.is_none() && self.join_warps(parties) {
                    return Ok(None);
                }
                continue;
            }
            if ready.is_empty() {
                parties
                    .iter_mut()
                    .for_each(|party| party.has_polled = false);
                return Ok(Some(Pause::Polls));
            }
            let drawn = self
                .turns
                .as_mut()
                .map_or(0, |turns| turns.draw(ready.len()));
            let party = &mut parties[ready[drawn]];
            party.is_blocked = false;
            std::mem::swap(&mut self.stack, &mut party.stack);
            std::mem::swap(&mut self.spin, &mut party.spin);
            let stop = self.run_party();
            std::mem::swap(&mut self.spin, &mut party.spin);
            std::mem::swap(&mut self.stack, &mut party.stack);
            match stop? {
                Stop::Barrier(op) => party.waits_at = Some(op),
                Stop::Exit | Stop::Turn => {}
                Stop::Polls => party.has_polled = true,
                Stop::Stuck => {
                    party.stuck_at = Some(self.writes);
                    let rest = self.split(party);
                    parties.extend(rest);
                }
                Stop::Blocked => {
                    party.stuck_at = Some(self.writes);
                    party.is_blocked = true;
                }
            }
        }
    }

    /// Parts the lanes of a warp that wait from its others, which go on by themselves on NVIDIA's GPUs.
    fn split(&self, party: &mut Party) -> Option<Party> {
        let stuck = party.stack.last().map_or(&[][..], |frame| &frame.lanes);
        let all = waiting_lanes(&party.stack);
        let has_others = all
            .iter()
            .any(|lane| !stuck.contains(lane) && !self.exited[*lane as usize]);
        if !has_others || self.launch.machine.lockstep {
            return None;
        }
        let rest = Party::of(&party.stack, |lane| !stuck.contains(&lane));
        *party = Party {
            stuck_at: party.stuck_at,
            spin: std::mem::take(&mut party.spin),
            ..Party::of(&party.stack, |lane| stuck.contains(&lane))
        };
        Some(rest)
    }

    /// All parties that have not returned wait: lets them pass the barrier, which must be the same one. Says whether they
    /// will meet there again and again until memory changes.
    fn release(&mut self, parties: &mut [Party]) -> Result<bool, KernelError> {
        let mut waiting = parties.iter().filter_map(|party| party.waits_at);
        let op = waiting.next().unwrap_or(self.op);
        let other = waiting.find(|&other| other != op);
        self.op = op;
        self.lanes = parties
            .iter()
            .filter_map(|party| party.stack.last())
            .flat_map(|frame| frame.lanes.iter().copied())
            .collect();
        self.lanes.sort_unstable();
        if let Some(other) = other {
            let text = "barrier in divergent code: warps wait at different barriers".to_owned();
            let site = self.program.site(other);
            return Err(self
                .fault(FaultKind::Divergence, self.lanes[0], text)
                .note(format!("another one is {site}")));
        }
        self.full = self.lanes.len() == self.num_threads as usize;
        let program = self.program;
        program.ops[op as usize].step(self)?;
        // An atomic read is more likely to be what they wait for.
        let reads = parties.iter().filter_map(|party| party.spin.last_read());
        let read = reads.max_by_key(|(_, is_atomic)| *is_atomic);
        for party in parties.iter_mut() {
            party.waits_at = None;
            party.stuck_at = None;
            party.spin = Spin::default();
        }
        let frame = parties.first().and_then(|party| party.stack.last());
        let block = frame.map_or(BlockId(0), |frame| frame.block);
        let mut spin = std::mem::take(&mut self.spin);
        if read.is_some() {
            spin.waits_for(read);
        }
        let is_stuck = self.meets_again(block, &mut spin);
        self.spin = spin;
        if is_stuck {
            for party in parties.iter_mut() {
                party.stuck_at = Some(self.writes);
                party.spin.waits_for(read);
            }
        }
        Ok(is_stuck)
    }

    /// Whether the running warp must wait here for the others; all of its lanes must be here.
    pub(super) fn stops_at(&self, op: &dyn Instruction) -> Result<Option<Stop>, KernelError> {
        if !self.is_parted || op.turn() != Turn::Together {
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
                "barrier in divergent code: {here} of {alive} threads of the warp reach it"
            );
            return Err(self.fault(FaultKind::Divergence, self.lanes[0], text));
        }
        Ok(Some(Stop::Barrier(self.op)))
    }

    /// Whether another warp runs next; drawn where the order of warps can matter.
    pub(super) fn turn_ends(&mut self, op: &dyn Instruction) -> Option<Stop> {
        let turns = self.turns.as_mut()?;
        let matters = op.turn() == Turn::Matters;
        (matters && split_mix(&mut turns.state).is_multiple_of(PATIENCE)).then_some(Stop::Turn)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arg, FaultKind, KernelError, Launch, Memory, Schedule, decode_generic};

    /// What `threads` lanes of NVIDIA warps store in a word each, from what these operations leave in `%x`.
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

    /// Each of four warps comes first for some seed, and last; the same seed gives the same order.
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

    /// A warp may wait for the block only with all its lanes, the last warp with as many as it has.
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
            // All 40 threads wait, or those of the second warp, which has 8.
            let found = words(40, seed, &barrier(0)).expect("it runs");
            assert_eq!(found, (1..41).collect::<Vec<_>>());
            for (limit, message) in [
                (27, "5 of 32 threads of the warp reach it"),
                (33, "7 of 8 threads of the warp reach it"),
            ] {
                let error = words(40, seed, &barrier(limit)).expect_err("some go by");
                assert_eq!(error.kind(), FaultKind::Divergence, "{error}");
                assert!(error.message().contains(message), "{error}");
            }
        }
    }
}
