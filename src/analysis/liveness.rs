//! Liveness of buffers.
//!
//! A value is live where something later may use it; a buffer is live where a live value may stand for it, and where an
//! access to it may be in flight. A value that an edge passes to another one is used there if the other one is live.

use super::alias::Aliases;
use super::effects::{Effects, OpNumber, ValueNumber};
use super::flow::Flow;
use super::in_flight::InFlight;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The buffers that are needed around each event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// For each event: the buffers that are needed from before it on, and all that are there while it runs.
    around: HashMap<OpNumber, (BTreeSet<OpNumber>, BTreeSet<OpNumber>)>,
}

impl Liveness {
    /// Goes backwards through a function until nothing changes.
    pub(crate) fn of(flow: &Flow, aliases: &Aliases, in_flight: &InFlight) -> Self {
        let mut order = flow.order();
        order.reverse();
        let mut entries: Vec<HashSet<ValueNumber>> = vec![HashSet::new(); flow.segments.len()];
        loop {
            let mut changed = false;
            for &number in &order {
                let mut live = Self::at_end(flow, number, &entries);
                for event in flow.segments[number].events.iter().rev() {
                    step_back(&event.effects, &mut live);
                }
                if live != entries[number] {
                    entries[number] = live;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let buffers = |values: &HashSet<ValueNumber>| -> BTreeSet<OpNumber> {
            let parts = values.iter().flat_map(|v| aliases.get(*v).parts.keys());
            parts.copied().collect()
        };
        let mut around = HashMap::new();
        for number in order {
            let mut live = Self::at_end(flow, number, &entries);
            for event in flow.segments[number].events.iter().rev() {
                let mut during = buffers(&live);
                step_back(&event.effects, &mut live);
                let mut before = buffers(&live);
                before.extend(in_flight.before(event.op));
                during.extend(&before);
                during.extend(event.effects.makes.map(|_| event.op));
                around.insert(event.op, (before, during));
            }
        }
        Self { around }
    }

    fn at_end(
        flow: &Flow,
        number: usize,
        entries: &[HashSet<ValueNumber>],
    ) -> HashSet<ValueNumber> {
        let mut live = HashSet::new();
        for edge in &flow.segments[number].edges {
            let becomes = |value: &ValueNumber| edge.passes.iter().any(|(_, to)| to == value);
            let there = &entries[edge.to];
            live.extend(there.iter().filter(|value| !becomes(value)));
            let passed = edge.passes.iter().filter(|(_, to)| there.contains(to));
            live.extend(passed.map(|(from, _)| *from));
        }
        live
    }

    /// Returns the buffers that are needed from before an event on.
    pub(crate) fn before(&self, op: OpNumber) -> &BTreeSet<OpNumber> {
        &self.around[&op].0
    }

    /// Returns the buffers that are there while an event runs.
    pub(crate) fn during(&self, op: OpNumber) -> &BTreeSet<OpNumber> {
        &self.around[&op].1
    }
}

fn step_back(effects: &Effects, live: &mut HashSet<ValueNumber>) {
    for view in &effects.views {
        live.remove(&view.result);
    }
    if let Some(makes) = effects.makes {
        live.remove(&makes.value);
    }
    live.extend(&effects.uses);
}
