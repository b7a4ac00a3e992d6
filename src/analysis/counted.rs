//! Instruction counts for waits on asynchronous copies.
//!
//! Some hardware counts instructions, while the IR counts groups. A wait for "at most n groups in flight" then becomes
//! a wait for "at most m instructions in flight": m is the number of instructions that a warp certainly has issued for
//! the n youngest groups and for uncommitted copies. A larger m might leave older copies in flight.
//!
//! A forward data-flow analysis. The state has a lower bound for the instructions of each group, youngest first, and of
//! the open group. The join is the minimum for each group; a path without the group imposes no limit. The bound is 0
//! after a call, at the entry of a called function, and at the entry of a partition of `ttg.warp_specialize`.
//!
//! ```text
//! copy A (2); commit; copy B (4); commit; copy C (1)
//! wait 1                                  m = 4 + 1
//! ```

use super::effects::{AccessTarget, Act, AsyncAccess, Channel, OpId};
use super::flow::{Edge, Event, Flow, ForwardAnalysis};
use std::collections::{HashMap, HashSet};

/// Lower bounds for the numbers of copy instructions in flight, one for each commit group.
#[derive(Clone, PartialEq, Eq, Debug)]
struct GroupSizes {
    /// Lower bound for the instructions of copies that are not committed yet.
    open: u32,
    /// Lower bound for the instructions of each group, youngest group first.
    groups: Vec<u32>,
    has_older: bool,
}

impl GroupSizes {
    const UNKNOWN: Self = Self {
        open: 0,
        groups: Vec::new(),
        has_older: true,
    };

    /// Returns the lower bound for the instructions of group `number`, where 0 is the youngest group. Returns
    /// `None` if no such group is in flight.
    fn group(&self, number: usize) -> Option<u32> {
        let known = self.groups.get(number).copied();
        known.or_else(|| self.has_older.then_some(0))
    }

    fn join(&mut self, other: &Self) {
        let count = self.groups.len().max(other.groups.len());
        let least = |number| {
            let groups = [self.group(number), other.group(number)];
            groups.into_iter().flatten().min().unwrap_or_default()
        };
        let groups = (0..count).map(least).collect();
        *self = Self {
            open: self.open.min(other.open),
            groups,
            has_older: self.has_older || other.has_older,
        };
    }

    fn commit(&mut self, max_groups: usize) {
        self.groups.insert(0, std::mem::take(&mut self.open));
        if self.groups.len() > max_groups {
            self.groups.truncate(max_groups);
            self.has_older = true;
        }
    }

    /// Applies a wait that returns once at most `at_most` groups are in flight. Returns a number of copy
    /// instructions: the wait may return once at most this number of instructions is in flight. Returns `None` if
    /// the wait has no effect.
    fn observe(&mut self, at_most: usize) -> Option<u32> {
        let is_done = self.group(at_most).is_none();
        let youngest = self.groups.iter().take(at_most);
        let count = youngest.fold(self.open, |sum, group| sum.saturating_add(*group));
        if self.groups.len() >= at_most {
            self.groups.truncate(at_most);
            self.has_older = false;
        }
        (!is_done).then_some(count)
    }
}

/// Maps each wait for copies to the number of copy instructions that may stay in flight, or to `None` if the wait
/// is redundant.
///
/// `issued` contains, for each operation, a lower bound for the number of copy instructions that it issues. If
/// `is_kernel` is true, no copy is in flight when the function starts. Otherwise, copies may be in flight.
pub(crate) fn counted_waits(
    flow: &Flow,
    issued: &HashMap<OpId, u32>,
    is_kernel: bool,
) -> HashMap<OpId, Option<u32>> {
    let at_most = |act: &Act| match act {
        Act::Observe {
            channel: Channel::Copies,
            at_most,
        } => Some(*at_most as usize),
        _ => None,
    };
    let acts = flow.events().flat_map(|event| &event.effects.acts);
    let Some(most) = acts.filter_map(at_most).max() else {
        return HashMap::new();
    };
    let entered = flow.blocks.iter().flat_map(|block| {
        let targets = block.edges.iter().map(|edge| edge.to);
        let team = |target: &usize| flow.blocks[*target].team;
        targets.filter(move |to| team(to).first_warp > block.team.first_warp)
    });
    let mut analysis = WaitCounts {
        partitions: entered.collect(),
        issued,
        max_groups: most + 1,
        waits: HashMap::new(),
    };
    let entry = GroupSizes {
        has_older: !is_kernel,
        ..GroupSizes::UNKNOWN
    };
    flow.forward(&mut analysis, entry);
    analysis.waits
}

struct WaitCounts<'a> {
    issued: &'a HashMap<OpId, u32>,
    /// Number of youngest groups for which separate bounds are kept: the largest `at_most` of all waits, plus 1.
    max_groups: usize,
    waits: HashMap<OpId, Option<u32>>,
    /// The entry block of each partition of a `ttg.warp_specialize`.
    partitions: HashSet<usize>,
}

impl ForwardAnalysis for WaitCounts<'_> {
    type State = GroupSizes;

    fn event(&mut self, event: &Event, state: &mut GroupSizes) {
        let mut issued = self.issued.get(&event.op).copied().unwrap_or_default();
        for act in &event.effects.acts {
            match *act {
                Act::Start(AsyncAccess {
                    channel: Channel::Copies,
                    ..
                }) => state.open = state.open.saturating_add(std::mem::take(&mut issued)),
                Act::Commit(Channel::Copies) => state.commit(self.max_groups),
                Act::Observe {
                    channel: Channel::Copies,
                    at_most,
                } => {
                    let count = state.observe(at_most as usize);
                    self.waits.insert(event.op, count);
                }
                Act::Read(AccessTarget::External) | Act::Write(AccessTarget::External) => {
                    *state = GroupSizes::UNKNOWN;
                }
                _ => {}
            }
        }
    }

    fn edge(&mut self, edge: &Edge, state: &mut GroupSizes) {
        if self.partitions.contains(&edge.to) {
            *state = GroupSizes::UNKNOWN;
        }
    }

    fn join(state: &mut GroupSizes, other: &GroupSizes) {
        state.join(other);
    }
}
