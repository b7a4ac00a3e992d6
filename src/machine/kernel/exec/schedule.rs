//! Warps that run one by one, in an order drawn from a seed.
//!
//! In lockstep all warps execute an instruction together, which hides what a slow warp can still do: its store may
//! land after a fast warp has gone on to use the bytes again. Here a warp runs alone until it must wait at a block
//! barrier, or until a coin says that it is another one's turn, so values show what order can do to them.

use super::{Exec, Frame, Stop};
use crate::machine::kernel::code::BlockId;
use crate::machine::kernel::data::split_mix;
use crate::machine::kernel::error::{FaultKind, KernelError};
use crate::machine::kernel::launch::Schedule;
use crate::machine::kernel::ops::{Instruction, Turn};

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

/// One warp: where its lanes are.
struct Party {
    stack: Vec<Frame>,
    waits_at: Option<u32>,
}

impl Exec<'_> {
    /// Runs all warps of a block to their end, one at a time.
    pub(super) fn run_warps(&mut self) -> Result<(), KernelError> {
        let per_warp = self.launch.machine.lanes_per_warp;
        let mut parties: Vec<Party> = (0..self.num_threads)
            .step_by(per_warp as usize)
            .map(|first| Party {
                stack: vec![Frame {
                    block: BlockId(0),
                    until: None,
                    lanes: (first..self.num_threads.min(first + per_warp)).collect(),
                    done: 0,
                }],
                waits_at: None,
            })
            .collect();
        loop {
            let ready: Vec<usize> = (0..parties.len())
                .filter(|&p| parties[p].waits_at.is_none() && !parties[p].stack.is_empty())
                .collect();
            let Some(turns) = &mut self.turns else {
                return Ok(());
            };
            if ready.is_empty() {
                if parties.iter().all(|party| party.stack.is_empty()) {
                    return Ok(());
                }
                self.release(&mut parties)?;
                continue;
            }
            let party = &mut parties[ready[turns.draw(ready.len())]];
            std::mem::swap(&mut self.stack, &mut party.stack);
            let stop = self.run_party()?;
            std::mem::swap(&mut self.stack, &mut party.stack);
            if let Stop::Barrier(op) = stop {
                party.waits_at = Some(op);
            }
        }
    }

    /// All warps that have not returned wait: lets them pass the barrier, which must be the same one.
    fn release(&mut self, parties: &mut [Party]) -> Result<(), KernelError> {
        let mut waiting = parties.iter().filter_map(|party| party.waits_at);
        let op = waiting.next().unwrap_or(self.op);
        let other = waiting.find(|&other| other != op);
        self.op = op;
        self.lanes = parties
            .iter()
            .filter_map(|party| party.stack.last())
            .flat_map(|frame| frame.lanes.iter().copied())
            .collect();
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
        for party in parties {
            party.waits_at = None;
        }
        Ok(())
    }

    /// Whether the running warp must wait here for the others; all of its lanes must be here.
    pub(super) fn stops_at(&self, op: &dyn Instruction) -> Result<Option<Stop>, KernelError> {
        if self.turns.is_none() || op.turn() != Turn::Together {
            return Ok(None);
        }
        let per_warp = self.launch.machine.lanes_per_warp;
        let first = self.lanes[0] / per_warp * per_warp;
        let alive = (first..self.num_threads.min(first + per_warp))
            .filter(|&lane| !self.exited[lane as usize])
            .count();
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
    use crate::machine::kernel::{
        Arg, FaultKind, KernelError, Launch, Memory, Schedule, decode_generic,
    };

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
