//! Alias analysis: the bytes of each shared-memory buffer to which a value may refer.
//!
//! A flow-insensitive points-to analysis. Loop-carried values and block arguments have the union over all incoming
//! values, with one byte range per buffer: the smallest enclosing range. Ranges that still grow after
//! [`WIDENING_ROUNDS`] rounds are widened to whole buffers.

use super::effects::{AccessTarget, Effects, OpId, Rotation, ValueId, ViewRange};
use super::flow::Flow;
use super::slots::{self, Slot};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PointsTo {
    /// The half-open byte range to which the value may refer in each buffer. The key is the operation that
    /// allocates the buffer.
    pub(crate) buffers: BTreeMap<OpId, (u32, u32)>,
    /// True if the value may refer to a buffer that is allocated in another function.
    pub(crate) external: bool,
    /// True if the value may refer to less than the ranges in `buffers`, and the exact part is unknown.
    is_inexact: bool,
    /// The slot of a multi-buffered allocation to which the access is limited, if the slot index rotates with the
    /// iterations of a loop. `None` if the access is not limited to such a slot.
    pub(crate) slot: Option<Slot>,
}

impl PointsTo {
    pub(super) fn in_slot(self, slot: Option<Slot>) -> Self {
        Self { slot, ..self }
    }

    /// Returns true if the value refers to one known byte range.
    pub(crate) fn is_exact(&self) -> bool {
        self.buffers.len() == 1 && !self.is_inexact && !self.external
    }

    /// Returns true if `self` and `other` may share a byte of this function's buffers.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.buffers.iter().any(|(buffer, a)| {
            let there = other.buffers.get(buffer);
            there.is_some_and(|b| a.0 < b.1 && b.0 < a.1)
        })
    }

    /// Extends this set by `other`. Returns true if it has grown.
    fn join(&mut self, other: &Self) -> bool {
        let before = (self.external, self.is_inexact, self.buffers.len());
        self.external |= other.external;
        self.is_inexact |= other.is_inexact;
        let mut grew = false;
        for (buffer, (from, to)) in &other.buffers {
            let own = self.buffers.entry(*buffer).or_insert((*from, *to));
            let joined = (own.0.min(*from), own.1.max(*to));
            grew |= *own != joined;
            self.is_inexact |= *own != (*from, *to);
            *own = joined;
        }
        grew || before != (self.external, self.is_inexact, self.buffers.len())
    }

    fn view(&self, range: ViewRange) -> Self {
        let mut all = self.clone();
        let (from, to) = match range {
            ViewRange::Bytes { from, to } if !self.is_inexact => (from, to),
            ViewRange::All => return all,
            ViewRange::Unknown | ViewRange::Indexed { .. } | ViewRange::Bytes { .. } => {
                all.is_inexact = true;
                return all;
            }
        };
        for (start, end) in all.buffers.values_mut() {
            let at = |bytes: u32| start.saturating_add(bytes).min(*end);
            (*start, *end) = (at(from), at(to));
        }
        all
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases {
    points_to: HashMap<ValueId, PointsTo>,
    /// Size of each buffer in bytes, keyed by the operation that allocates the buffer.
    sizes: HashMap<OpId, u32>,
    slots: HashMap<ValueId, Slot>,
    empty: PointsTo,
}

/// Maximum number of rounds with precise ranges. If there is no fixed point by then, all ranges are widened to
/// whole buffers.
const WIDENING_ROUNDS: usize = 4;

impl Aliases {
    /// Computes the points-to sets of a function. `arguments` are the buffers among the function's arguments.
    pub(crate) fn of(flow: &Flow, arguments: &[ValueId]) -> Self {
        let mut all = Self::default();
        for value in arguments {
            all.points_to.entry(*value).or_default().external = true;
        }
        let order = flow.order();
        all.sizes = flow
            .events()
            .filter_map(|event| Some((event.op, event.effects.allocation?.request.bytes)))
            .collect();
        let mut round = 0;
        loop {
            let mut changed = false;
            for block in order.iter().map(|i| &flow.blocks[*i]) {
                for event in &block.events {
                    changed |= all.event(event.op, &event.effects);
                }
                for (from, to) in block.edges.iter().flat_map(|edge| &edge.passes) {
                    let incoming = all.get(*from).clone();
                    changed |= all.points_to.entry(*to).or_default().join(&incoming);
                }
            }
            if !changed {
                all.slots = slots::of(flow, &all);
                return all;
            }
            round += 1;
            if round >= WIDENING_ROUNDS {
                for points_to in all.points_to.values_mut() {
                    points_to.is_inexact = true;
                    for (buffer, range) in &mut points_to.buffers {
                        *range = (0, all.sizes[buffer]);
                    }
                }
            }
        }
    }

    fn event(&mut self, op: OpId, effects: &Effects) -> bool {
        let mut changed = false;
        if let Some(allocation) = effects.allocation {
            let whole = PointsTo {
                buffers: BTreeMap::from([(op, (0, allocation.request.bytes))]),
                ..PointsTo::default()
            };
            let points_to = self.points_to.entry(allocation.value).or_default();
            changed |= points_to.join(&whole);
        }
        for value in &effects.external {
            let points_to = self.points_to.entry(*value).or_default();
            changed |= !std::mem::replace(&mut points_to.external, true);
        }
        for view in &effects.views {
            let viewed = self.get(view.source).view(view.range);
            changed |= self.points_to.entry(view.result).or_default().join(&viewed);
        }
        changed
    }

    /// Returns the points-to set of a value. The set is empty if the value is unknown.
    pub(crate) fn get(&self, value: ValueId) -> &PointsTo {
        self.points_to.get(&value).unwrap_or(&self.empty)
    }

    /// Returns true if the value refers to one whole buffer.
    pub(crate) fn is_whole(&self, value: ValueId) -> bool {
        let points_to = self.get(value);
        let mut buffers = points_to.buffers.iter();
        points_to.is_exact() && buffers.all(|(buffer, range)| *range == (0, self.sizes[buffer]))
    }

    /// Returns the buffer and byte range of a value, or `None` if the value may refer to anything else.
    pub(super) fn exact(&self, value: ValueId) -> Option<(OpId, (u32, u32))> {
        let points_to = self.get(value);
        let (buffer, range) = points_to.buffers.iter().next()?;
        points_to.is_exact().then_some((*buffer, *range))
    }

    /// Returns the slot to which `bytes` refers at the start of the first iteration of `loop_`. Returns `None` if
    /// `bytes` is not exactly one slot of a buffer, or if the loop does not use the slots of this buffer in
    /// rotation.
    pub(super) fn slot_on_entry(&self, loop_: OpId, bytes: &PointsTo) -> Option<Slot> {
        let (buffer, (from, to)) = bytes.buffers.iter().next().filter(|_| bytes.is_exact())?;
        let is_it = |slot: &&Slot| slot.buffer == *buffer && slot.rotation.rotated_by == loop_;
        let slots = self.slots.values().filter(is_it);
        let slot = *slots.min_by_key(|slot| (slot.rotation, slot.bytes))?;
        let phase = from.checked_div(slot.bytes)?;
        let is_one = *from == phase * slot.bytes && to - from == slot.bytes;
        (is_one && phase < slot.rotation.modulus).then_some(Slot {
            rotation: Rotation {
                phase,
                ..slot.rotation
            },
            ..slot
        })
    }

    pub(super) fn size(&self, buffer: OpId) -> u32 {
        self.sizes[&buffer]
    }

    /// Returns the bytes that `op` accesses at `target`.
    pub(crate) fn accessed(&self, op: OpId, effects: &Effects, target: AccessTarget) -> PointsTo {
        match target {
            AccessTarget::Buffer(value) => {
                let slot = self.slots.get(&value).copied();
                self.get(value).clone().in_slot(slot)
            }
            AccessTarget::External => PointsTo {
                external: true,
                ..PointsTo::default()
            },
            AccessTarget::Scratch => {
                let bytes = effects.scratch.map_or(0, |scratch| scratch.bytes);
                PointsTo {
                    buffers: BTreeMap::from([(op, (0, bytes))]),
                    ..PointsTo::default()
                }
            }
        }
    }
}
