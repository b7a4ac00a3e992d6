//! Detection of waiting loops. Lanes that return to a loop header with the same register values, while memory has not
//! changed, repeat the same iteration until another thread writes to memory.
//!
//! Only deciding registers are compared: those on which branches, addresses and side effects depend. An iteration
//! counter that no branch uses is ignored; a clock that a branch uses is not. Snapshots are taken after 2, 4, 8, ...
//! iterations without a memory change (Brent's cycle detection), so the cost for ordinary loops is negligible.

use super::{Exec, Frame, WarpInteraction};
use crate::code::{BlockId, Reg};
use crate::exec::program::Program;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Number of consecutive atomic reads, without a memory change by the block, after which lanes yield.
const PATIENCE: u32 = 64;

/// The loops of a program, each with its deciding registers. These are the registers that determine the branches,
/// addresses and side effects of the loop. The deciding registers of a loop are computed when they are first
/// needed.
pub(super) struct Loops {
    is_head: Vec<bool>,
    /// For each loop header, the deciding registers of the loop.
    deciding: HashMap<BlockId, Arc<[Reg]>>,
}

impl Loops {
    pub(super) fn new(program: &Program) -> Self {
        let mut is_head = vec![false; program.blocks.len()];
        for block in &program.blocks {
            for edge in block.terminator.edges() {
                let target = edge.target.0 as usize;
                is_head[target] |= program.blocks[target].order <= block.order;
            }
        }
        Self {
            is_head,
            deciding: HashMap::new(),
        }
    }

    /// Returns the registers on which the branches, addresses and side effects of the loop at `head` depend. Empty if
    /// `head` is in no loop.
    fn deciding(&mut self, program: &Program, head: BlockId) -> Arc<[Reg]> {
        let found = self.deciding.entry(head);
        Arc::clone(found.or_insert_with(|| deciding(program, head)))
    }
}

/// Returns the blocks of the loop that contains `head`. Empty if `head` is in no loop.
fn loop_of(program: &Program, head: BlockId) -> Vec<usize> {
    let reach = |next: &[Vec<usize>]| {
        let mut is_reached = vec![false; next.len()];
        let mut open = vec![head.0 as usize];
        while let Some(block) = open.pop() {
            for &to in &next[block] {
                if !is_reached[to] {
                    is_reached[to] = true;
                    open.push(to);
                }
            }
        }
        is_reached
    };
    let mut next = vec![Vec::new(); program.blocks.len()];
    let mut previous = next.clone();
    for (from, block) in program.blocks.iter().enumerate() {
        for edge in block.terminator.edges() {
            next[from].push(edge.target.0 as usize);
            previous[edge.target.0 as usize].push(from);
        }
    }
    let (after, before) = (reach(&next), reach(&previous));
    (0..next.len()).filter(|&b| after[b] && before[b]).collect()
}

fn deciding(program: &Program, head: BlockId) -> Arc<[Reg]> {
    let blocks = loop_of(program, head);
    let mut found: HashSet<Reg> = HashSet::new();
    let mut is_known = false;
    while !is_known {
        let before = found.len();
        for &number in &blocks {
            let block = &program.blocks[number];
            found.extend(block.terminator.choice());
            for edge in block.terminator.edges() {
                let params = &program.blocks[edge.target.0 as usize].params;
                let pairs = params.iter().zip(&edge.args);
                let needed: Vec<Reg> = pairs
                    .filter(|(param, _)| found.contains(param))
                    .map(|(_, arg)| *arg)
                    .collect();
                found.extend(needed);
            }
            for op in &program.ops[block.start as usize..block.end as usize] {
                let regs = op.regs();
                let has_effect =
                    op.interaction() != WarpInteraction::None || regs.writes.is_empty();
                if has_effect || regs.writes.iter().any(|reg| found.contains(reg)) {
                    found.extend(regs.reads);
                    found.extend(regs.writes);
                }
            }
        }
        is_known = found.len() == before;
    }
    let mut regs: Vec<Reg> = match blocks.is_empty() {
        true => Vec::new(),
        false => found.into_iter().collect(),
    };
    regs.sort_unstable();
    regs.into()
}

struct Snapshot {
    block: BlockId,
    lanes: Vec<u32>,
    depth: usize,
    values: Vec<u64>,
}

/// Detects busy waiting of one lane group. The stored state covers the time since the last memory change.
#[derive(Default)]
pub(super) struct SpinDetector {
    writes: u64,
    rounds: u64,
    snapshot: Option<Snapshot>,
    /// The read for which the lanes seem to wait, as (instruction, is atomic). This is the last atomic read since
    /// the last snapshot of the registers or, without such a read, the last non-atomic read.
    read: Option<(u32, bool)>,
    polls: u32,
}

impl SpinDetector {
    /// Returns the instruction that reads the awaited value; `None` if there was no read since the last snapshot.
    pub(super) fn waits_at(&self) -> Option<u32> {
        self.read.map(|(op, _)| op)
    }

    pub(super) fn last_read(&self) -> Option<(u32, bool)> {
        self.read
    }

    /// Restarts the detection after a barrier, which may have let other warps proceed.
    pub(super) fn restart(&mut self) {
        *self = Self {
            writes: self.writes,
            polls: self.polls,
            ..Self::default()
        };
    }

    pub(super) fn waits_for(&mut self, read: Option<(u32, bool)>) {
        self.read = read;
    }
}

impl Exec<'_> {
    pub(super) fn notice_change(&mut self, has_changed: bool) {
        self.writes += u64::from(has_changed);
    }

    /// Records that the current instruction reads memory that other threads may change.
    pub(super) fn notice_read(&mut self, is_atomic: bool) {
        let op = self.op;
        let spin = &mut self.spin;
        if is_atomic {
            spin.polls += 1;
        }
        if is_atomic || spin.read.is_none_or(|(_, is_atomic)| !is_atomic) {
            spin.read = Some((op, is_atomic));
        }
    }

    /// Returns true if the lanes have polled memory for a long time and should yield. Resets the count of polls.
    pub(super) fn has_polled(&mut self) -> bool {
        let has = self.spin.polls >= PATIENCE;
        if has {
            self.spin.polls = 0;
        }
        has
    }

    /// Returns true if the lanes, at the loop header `block`, are in a loop that only a memory change can end.
    pub(super) fn is_stuck(&mut self, block: BlockId, lanes: &[u32]) -> bool {
        if !self.loops.is_head[block.0 as usize] {
            return false;
        }
        let depth = self.stack.len();
        let mut spin = std::mem::take(&mut self.spin);
        let is_stuck = self.repeats_state(&mut spin, block, lanes, depth);
        self.spin = spin;
        is_stuck
    }

    /// Records a visit of `lanes` to a loop header. Returns true if neither memory nor the deciding registers have
    /// changed since an earlier visit.
    fn repeats_state(
        &mut self,
        spin: &mut SpinDetector,
        block: BlockId,
        lanes: &[u32],
        depth: usize,
    ) -> bool {
        if spin.writes != self.writes {
            *spin = SpinDetector {
                writes: self.writes,
                ..SpinDetector::default()
            };
            return false;
        }
        spin.rounds += 1;
        let regs = self.loops.deciding(self.program, block);
        let held = |reg: &Reg| {
            let values = &self.regs[reg.0 as usize];
            lanes.iter().map(move |&lane| values[lane as usize])
        };
        // A loop without reads is endless but waits for nothing: the instruction limit ends it.
        if let Some(old) = &spin.snapshot
            && spin.read.is_some()
            && old.block == block
            && old.depth == depth
            && old.lanes == lanes
            && regs.iter().flat_map(held).eq(old.values.iter().copied())
        {
            return true;
        }
        if spin.rounds >= 2 && spin.rounds.is_power_of_two() {
            spin.snapshot = Some(Snapshot {
                block,
                lanes: lanes.to_vec(),
                depth,
                values: regs.iter().flat_map(held).collect(),
            });
            spin.read = None;
        }
        false
    }

    /// Returns true if all warps are at a barrier in a loop, in the same state as at an earlier visit.
    pub(super) fn barrier_repeats(&mut self, block: BlockId, spin: &mut SpinDetector) -> bool {
        if self.loops.deciding(self.program, block).is_empty() {
            return false;
        }
        let lanes = self.lanes.clone();
        self.repeats_state(spin, block, &lanes, 0)
    }
}

/// Returns the lanes of all frames, in ascending order without duplicates.
pub(super) fn waiting_lanes(stack: &[Frame]) -> Vec<u32> {
    let mut lanes: Vec<u32> = stack.iter().flat_map(|f| f.lanes.iter().copied()).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}
