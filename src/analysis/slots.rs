//! Rotating buffers: the slot of a multi-buffered allocation to which a value refers.
//!
//! ```text
//! buffers = alloc 3 slots
//! for i { a = carried(slot 0, b); b = carried(slot 1, new)
//!         read a                                     slot i % 3
//!         new = buffers[(i + 2) % 3]; copy to new    slot (i + 2) % 3
//! }
//! ```
//! A loop-carried value has a slot if its initial value and its yielded value follow the same rotation.

use super::alias::Aliases;
use super::effects::{OpId, Rotation, ValueId, ViewRange};
use super::flow::{Edge, Flow, LoopCrossing};
use std::collections::HashMap;

/// One of several consecutive buffers of equal size in one allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    /// The operation that allocates all slots.
    pub(crate) buffer: OpId,
    /// Size of all slots together, in bytes.
    pub(crate) all_bytes: u32,
    pub(crate) bytes: u32,
    pub(crate) rotation: Rotation,
}

impl Slot {
    /// Returns the slot relative to the iteration that `edge` leads to. Returns `None` if the edge leaves the loop
    /// in which the slot index changes.
    pub(crate) fn across(self, edge: &Edge) -> Option<Self> {
        let rotation = edge.rotated(self.rotation)?;
        Some(Self { rotation, ..self })
    }
}

/// Returns the slots of all values that refer to exactly one slot in every iteration.
pub(super) fn of(flow: &Flow, aliases: &Aliases) -> HashMap<ValueId, Slot> {
    let mut slots = HashMap::new();
    loop {
        let before = slots.len();
        for event in flow.events() {
            for view in &event.effects.views {
                let views = event.effects.views.iter();
                // A result of several operands may refer to any of them.
                if views.filter(|other| other.result == view.result).count() > 1 {
                    continue;
                }
                let slot = match view.range {
                    ViewRange::Indexed {
                        bytes,
                        rotation: Some(rotation),
                        ..
                    } => aliases
                        .exact(view.source)
                        .filter(|(buffer, range)| *range == (0, aliases.size(*buffer)))
                        .map(|(buffer, (_, all_bytes))| Slot {
                            buffer,
                            all_bytes,
                            bytes,
                            rotation,
                        }),
                    _ => slots.get(&view.source).copied(),
                };
                if let Some(slot) = slot {
                    slots.insert(view.result, slot);
                }
            }
        }
        for (value, slot) in carried(flow, aliases, &slots) {
            slots.insert(value, slot);
        }
        if slots.len() == before {
            return slots;
        }
    }
}

fn carried(flow: &Flow, aliases: &Aliases, slots: &HashMap<ValueId, Slot>) -> Vec<(ValueId, Slot)> {
    let edges = || flow.blocks.iter().flat_map(|block| &block.edges);
    let mut found = Vec::new();
    for next in edges() {
        let Some(LoopCrossing::Next(number)) = next.crossing else {
            continue;
        };
        for (from, to) in &next.passes {
            let Some(slot) = slots
                .get(from)
                .filter(|slot| slot.rotation.rotated_by == number)
            else {
                continue;
            };
            let rotation = slot.rotation.in_next_iteration();
            let first = rotation.phase * slot.bytes;
            let entries = edges()
                .filter(|edge| edge.to == next.to && edge.crossing != next.crossing)
                .flat_map(|edge| &edge.passes)
                .filter(|(_, into)| into == to);
            let mut values = entries.map(|(value, _)| *value).peekable();
            let follows = values.peek().is_some()
                && values.all(|value| {
                    aliases.exact(value) == Some((slot.buffer, (first, first + slot.bytes)))
                });
            if follows {
                found.push((*to, Slot { rotation, ..*slot }));
            }
        }
    }
    found
}
