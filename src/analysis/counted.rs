//! Counts of copies: how many instructions may be in flight after each wait for groups.
//!
//! Hardware may count instructions where the IR counts groups: a wait for "at most n groups" becomes one for "at most m
//! instructions". All instructions of the n youngest groups, and of copies that belong to no group yet, may be in flight;
//! m must not be larger than what a warp certainly has issued of them, or older copies might be, too.
//!
//! A forward data-flow analysis over the segments of a function. The state has the least number of instructions of each
//! group, youngest first, and of the open group; the join is the minimum, group by group, and a path that has no more
//! groups has nothing to wait for. A call, and the beginning of a function that is called, leave groups of unknown size,
//! of which 0 instructions count.
//!
//! ```text
//! copy A (2); commit; copy B (4); commit; copy C (1)
//! wait 1                                  m = 4 + 1
//! ```

use super::effects::{Act, Channel, OpNumber, Start, Touched};
use super::flow::{Event, Flow};
use std::collections::HashMap;

/// The instructions in flight on one path.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    /// Instructions of copies that belong to no group yet.
    open: u32,
    /// Instructions of each group, youngest first.
    groups: Vec<u32>,
    /// Whether there may be older groups.
    has_older: bool,
}

impl State {
    const UNKNOWN: Self = Self {
        open: 0,
        groups: Vec::new(),
        has_older: true,
    };

    /// The least number of instructions of a group, or `None` if there certainly is no such group.
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

    fn commit(&mut self, longest: usize) {
        self.groups.insert(0, std::mem::take(&mut self.open));
        if self.groups.len() > longest {
            self.groups.truncate(longest);
            self.has_older = true;
        }
    }

    /// Waits until at most so many groups are in flight; returns how many instructions may be, or `None` if no others
    /// are.
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

/// Returns how many instructions of copies may be in flight after each wait for groups of them, or `None` if no wait is
/// needed. `issued` is how many each operation certainly issues; `is_kernel` says that nothing is in flight at the
/// start.
pub(crate) fn counted_waits(
    flow: &Flow,
    issued: &HashMap<OpNumber, u32>,
    is_kernel: bool,
) -> HashMap<OpNumber, Option<u32>> {
    let at_most = |act: &Act| match act {
        Act::Observe {
            channel: Channel::Copies,
            at_most,
        } => Some(*at_most as usize),
        _ => None,
    };
    let acts = flow.events().flat_map(|event| &event.effects.acts);
    let Some(longest) = acts.filter_map(at_most).max() else {
        return HashMap::new();
    };
    let mut walk = Walk {
        issued,
        longest: longest + 1,
        waits: HashMap::new(),
    };
    let order = flow.order();
    let mut entries: Vec<Option<State>> = vec![None; flow.segments.len()];
    entries[0] = Some(State {
        has_older: !is_kernel,
        ..State::UNKNOWN
    });
    let mut changed = true;
    while std::mem::take(&mut changed) {
        walk.waits.clear();
        for &number in &order {
            let Some(mut state) = entries[number].clone() else {
                continue;
            };
            for event in &flow.segments[number].events {
                walk.event(event, &mut state);
            }
            for edge in &flow.segments[number].edges {
                let entry = &mut entries[edge.to];
                let before = entry.clone();
                match entry {
                    Some(entry) => entry.join(&state),
                    None => *entry = Some(state.clone()),
                }
                changed |= *entry != before;
            }
        }
    }
    walk.waits
}

struct Walk<'a> {
    issued: &'a HashMap<OpNumber, u32>,
    /// No group is farther back than any wait asks for.
    longest: usize,
    waits: HashMap<OpNumber, Option<u32>>,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event, state: &mut State) {
        let mut issued = self.issued.get(&event.op).copied().unwrap_or_default();
        for act in &event.effects.acts {
            match *act {
                Act::Start(Start {
                    channel: Channel::Copies,
                    ..
                }) => state.open = state.open.saturating_add(std::mem::take(&mut issued)),
                Act::Commit(Channel::Copies) => state.commit(self.longest),
                Act::Observe {
                    channel: Channel::Copies,
                    at_most,
                } => {
                    let count = state.observe(at_most as usize);
                    self.waits.insert(event.op, count);
                }
                Act::Read(Touched::Outside) | Act::Write(Touched::Outside) => {
                    *state = State::UNKNOWN;
                }
                _ => {}
            }
        }
    }
}
