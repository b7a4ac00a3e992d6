//! Loops that wait: a party of lanes that comes back to a loop's head with the same values, while memory has not changed,
//! does the same again until somebody else writes.
//!
//! Only registers that decide what a loop does are compared: those that branches, addresses, and instructions with
//! an effect depend on. A count of rounds that nothing asks for does not make a loop end, while a
//! clock or a count that a branch asks for does. Snapshots are taken after 2, 4, 8 and so on rounds
//! without a change of memory (Brent's algorithm), so loops that work pay next to nothing.

use super::{Exec, Frame, Turn};
use crate::code::{BlockId, Reg};
use crate::exec::program::Program;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Reads of memory that others may write, in a row without a change by the own block, after which it is another one's turn.
const PATIENCE: u32 = 64;

/// The loops of a program, as far as they have been asked for.
pub(super) struct Loops {
    /// Of each basic block whether an edge leads back to it.
    is_head: Vec<bool>,
    /// The registers that decide what the loop of a block does.
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

    /// The registers that decide what is done between two visits of a block; none where there is no way back to it.
    fn deciding(&mut self, program: &Program, head: BlockId) -> Arc<[Reg]> {
        let found = self.deciding.entry(head);
        Arc::clone(found.or_insert_with(|| deciding(program, head)))
    }
}

/// The blocks that can be reached from one and lead back to it.
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
                let has_effect = op.turn() != Turn::Any || regs.writes.is_empty();
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

/// What lanes held when they came by a place.
struct Snapshot {
    block: BlockId,
    lanes: Vec<u32>,
    depth: usize,
    values: Vec<u64>,
}

/// The rounds of a party without a change of memory.
#[derive(Default)]
pub(super) struct Spin {
    writes: u64,
    rounds: u64,
    snapshot: Option<Snapshot>,
    /// The last read since the snapshot, and whether it was atomic.
    read: Option<(u32, bool)>,
    /// Reads in a row that others' writes can change the value of.
    polls: u32,
}

impl Spin {
    /// The instruction whose value the loop waits for.
    pub(super) fn waits_at(&self) -> Option<u32> {
        self.read.map(|(op, _)| op)
    }

    /// The last read, and whether it was atomic.
    pub(super) fn last_read(&self) -> Option<(u32, bool)> {
        self.read
    }

    /// Notes the instruction whose value others have found the party to wait for.
    pub(super) fn waits_for(&mut self, read: Option<(u32, bool)>) {
        self.read = read;
    }
}

impl Exec<'_> {
    /// Notes that memory has changed, or that it has not.
    pub(super) fn notice_change(&mut self, has_changed: bool) {
        self.writes += u64::from(has_changed);
    }

    /// Notes a read of memory.
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

    /// Returns true if it is time to let others run.
    pub(super) fn has_polled(&mut self) -> bool {
        let has = self.spin.polls >= PATIENCE;
        if has {
            self.spin.polls = 0;
        }
        has
    }

    /// Returns true if the lanes that come to a loop's head, of the top frame, will come back to it until memory changes.
    pub(super) fn is_stuck(&mut self, block: BlockId, lanes: &[u32]) -> bool {
        if !self.loops.is_head[block.0 as usize] {
            return false;
        }
        let depth = self.stack.len();
        let mut spin = std::mem::take(&mut self.spin);
        let is_stuck = self.comes_back(&mut spin, block, lanes, depth);
        self.spin = spin;
        is_stuck
    }

    /// Notes that lanes come by a place; says whether memory and their values are as they were before.
    fn comes_back(&mut self, spin: &mut Spin, block: BlockId, lanes: &[u32], depth: usize) -> bool {
        if spin.writes != self.writes {
            *spin = Spin {
                writes: self.writes,
                ..Spin::default()
            };
            return false;
        }
        spin.rounds += 1;
        let regs = self.loops.deciding(self.program, block);
        let held = |reg: &Reg| {
            let values = &self.regs[reg.0 as usize];
            lanes.iter().map(move |&lane| values[lane as usize])
        };
        // A loop that reads nothing is endless, and waits for nothing: it is left to the limit of steps.
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

    /// Returns true if all warps of the block come to a barrier in a loop as they did before.
    pub(super) fn meets_again(&mut self, block: BlockId, spin: &mut Spin) -> bool {
        if self.loops.deciding(self.program, block).is_empty() {
            return false;
        }
        let lanes = self.lanes.clone();
        self.comes_back(spin, block, &lanes, 0)
    }
}

/// Lanes of a stack's frames, those that have returned left out.
pub(super) fn waiting_lanes(stack: &[Frame]) -> Vec<u32> {
    let mut lanes: Vec<u32> = stack.iter().flat_map(|f| f.lanes.iter().copied()).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}
