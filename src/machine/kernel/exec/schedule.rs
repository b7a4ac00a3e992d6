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
