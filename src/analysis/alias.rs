//! Which bytes of which buffers a value may stand for.
//!
//! A view stands for what its operand does, a value that loops and branches carry for what any of those that reach
//! it does. What is known is a range of bytes for each buffer: a value that may be the first or the third of a row
//! is taken to be anything from the first to the third.

use super::effects::{Effects, OpNumber, Part, Touched, ValueNumber};
use super::flow::Flow;
use std::collections::{BTreeMap, HashMap};

/// What a value may stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reach {
    /// The bytes of each buffer, by the operation that makes it.
    pub(crate) parts: BTreeMap<OpNumber, (u32, u32)>,
    /// Whether it may be a buffer of another function.
    pub(crate) outside: bool,
    /// Whether it may begin at another byte of a buffer than the first of those.
    is_vague: bool,
}

impl Reach {
    /// Returns true if it is known which bytes these are: those of one buffer, all of them.
    pub(crate) fn is_exact(&self) -> bool {
        self.parts.len() == 1 && !self.is_vague && !self.outside
    }

    /// Returns true if some bytes of own buffers are in both.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.parts.iter().any(|(buffer, a)| {
            let there = other.parts.get(buffer);
            there.is_some_and(|b| a.0 < b.1 && b.0 < a.1)
        })
    }

    /// Takes in what another value may stand for; says whether that is more.
    fn join(&mut self, other: &Self) -> bool {
        let before = (self.outside, self.is_vague, self.parts.len());
        self.outside |= other.outside;
        self.is_vague |= other.is_vague;
        let mut grew = false;
        for (buffer, (from, to)) in &other.parts {
            let own = self.parts.entry(*buffer).or_insert((*from, *to));
            let joined = (own.0.min(*from), own.1.max(*to));
            grew |= *own != joined;
            self.is_vague |= *own != (*from, *to);
            *own = joined;
        }
        grew || before != (self.outside, self.is_vague, self.parts.len())
    }

    /// What a view of it may stand for.
    fn part(&self, part: Part) -> Self {
        let mut all = self.clone();
        let (from, to) = match part {
            Part::Bytes { from, to } if !self.is_vague => (from, to),
            Part::All => return all,
            Part::Some | Part::Row { .. } | Part::Bytes { .. } => {
                all.is_vague = true;
                return all;
            }
        };
        let cut = |(start, end): &(u32, u32)| {
            let at = |bytes: u32| start.saturating_add(bytes).min(*end);
            (at(from), at(to))
        };
        all.parts.values_mut().for_each(|bytes| *bytes = cut(bytes));
        all
    }
}

/// What each value may stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases {
    reaches: HashMap<ValueNumber, Reach>,
    /// The bytes of each buffer.
    sizes: HashMap<OpNumber, u32>,
    nowhere: Reach,
}

/// Rounds after which what still grows is taken to be all of its buffers.
const ROUNDS: usize = 4;

impl Aliases {
    /// Follows buffers through a function; `outside` are the buffers that it is given.
    pub(crate) fn of(flow: &Flow, outside: &[ValueNumber]) -> Self {
        let mut all = Self::default();
        for value in outside {
            all.reaches.entry(*value).or_default().outside = true;
        }
        let order = flow.order();
        all.sizes = flow
            .events()
            .filter_map(|event| Some((event.op, event.effects.makes?.request.bytes)))
            .collect();
        let mut round = 0;
        loop {
            let mut changed = false;
            for segment in order.iter().map(|i| &flow.segments[*i]) {
                for event in &segment.events {
                    changed |= all.event(event.op, &event.effects);
                }
                for edge in &segment.edges {
                    for (here, there) in &edge.passes {
                        let reach = all.get(*here).clone();
                        changed |= all.reaches.entry(*there).or_default().join(&reach);
                    }
                }
            }
            if !changed {
                return all;
            }
            round += 1;
            if round >= ROUNDS {
                for reach in all.reaches.values_mut() {
                    reach.is_vague = true;
                    for (buffer, part) in &mut reach.parts {
                        *part = (0, all.sizes[buffer]);
                    }
                }
            }
        }
    }

    fn event(&mut self, op: OpNumber, effects: &Effects) -> bool {
        let mut changed = false;
        if let Some(makes) = effects.makes {
            let whole = Reach {
                parts: BTreeMap::from([(op, (0, makes.request.bytes))]),
                ..Reach::default()
            };
            changed |= self.reaches.entry(makes.value).or_default().join(&whole);
        }
        for value in &effects.outside {
            let reach = self.reaches.entry(*value).or_default();
            changed |= !std::mem::replace(&mut reach.outside, true);
        }
        for view in &effects.views {
            let part = self.get(view.of).part(view.part);
            changed |= self.reaches.entry(view.result).or_default().join(&part);
        }
        changed
    }

    /// Returns what a value may stand for; of one that nothing is known of, nothing.
    pub(crate) fn get(&self, value: ValueNumber) -> &Reach {
        self.reaches.get(&value).unwrap_or(&self.nowhere)
    }

    /// Returns true if a value stands for a whole buffer.
    pub(crate) fn is_whole(&self, value: ValueNumber) -> bool {
        let reach = self.get(value);
        let mut parts = reach.parts.iter();
        reach.is_exact() && parts.all(|(buffer, part)| *part == (0, self.sizes[buffer]))
    }

    /// Returns the bytes that an access of an operation goes to.
    pub(crate) fn touched(&self, op: OpNumber, effects: &Effects, touched: Touched) -> Reach {
        match touched {
            Touched::Buffer(value) => self.get(value).clone(),
            Touched::Outside => Reach {
                outside: true,
                ..Reach::default()
            },
            Touched::Scratch => {
                let bytes = effects.scratch.map_or(0, |scratch| scratch.bytes);
                Reach {
                    parts: BTreeMap::from([(op, (0, bytes))]),
                    ..Reach::default()
                }
            }
        }
    }
}
