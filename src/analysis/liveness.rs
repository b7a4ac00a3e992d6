//! Liveness of shared-memory buffers.
//!
//! A backward data-flow analysis over live values: the join is union, and an edge maps a live block argument to the
//! passed value. A buffer is live if a live value may alias it, or if an access to it may be in flight.

use super::alias::Aliases;
use super::effects::{Effects, OpId, ValueId};
use super::flow::Flow;
use super::in_flight::InFlight;
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// For each operation, two sets of buffers. The first contains the buffers that are live before the operation.
    /// The second contains the buffers that are live at some time before, during or after it.
    around: HashMap<OpId, (BTreeSet<OpId>, BTreeSet<OpId>)>,
}

impl Liveness {
    pub(crate) fn of(flow: &Flow, aliases: &Aliases, in_flight: &InFlight) -> Self {
        let mut order = flow.order();
        order.reverse();
        let mut entries: Vec<HashSet<ValueId>> = vec![HashSet::new(); flow.blocks.len()];
        loop {
            let mut changed = false;
            for &number in &order {
                let mut live = Self::at_end(flow, number, &entries);
                for event in flow.blocks[number].events.iter().rev() {
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
        let buffers = |values: &HashSet<ValueId>| -> BTreeSet<OpId> {
            let parts = values.iter().flat_map(|v| aliases.get(*v).buffers.keys());
            parts.copied().collect()
        };
        let mut around = HashMap::new();
        for number in order {
            let mut live = Self::at_end(flow, number, &entries);
            for event in flow.blocks[number].events.iter().rev() {
                let mut during = buffers(&live);
                step_back(&event.effects, &mut live);
                let mut before = buffers(&live);
                before.extend(in_flight.before(event.op));
                during.extend(&before);
                during.extend(event.effects.allocation.map(|_| event.op));
                around.insert(event.op, (before, during));
            }
        }
        Self { around }
    }

    fn at_end(flow: &Flow, number: usize, entries: &[HashSet<ValueId>]) -> HashSet<ValueId> {
        let mut live = HashSet::new();
        for edge in &flow.blocks[number].edges {
            let becomes = |value: &ValueId| edge.passes.iter().any(|(_, to)| to == value);
            let there = &entries[edge.to];
            live.extend(there.iter().filter(|value| !becomes(value)));
            let passed = edge.passes.iter().filter(|(_, to)| there.contains(to));
            live.extend(passed.map(|(from, _)| *from));
        }
        live
    }

    pub(crate) fn before(&self, op: OpId) -> &BTreeSet<OpId> {
        &self.around[&op].0
    }

    pub(crate) fn during(&self, op: OpId) -> &BTreeSet<OpId> {
        &self.around[&op].1
    }
}

fn step_back(effects: &Effects, live: &mut HashSet<ValueId>) {
    for view in &effects.views {
        live.remove(&view.result);
    }
    if let Some(allocation) = effects.allocation {
        live.remove(&allocation.value);
    }
    live.extend(&effects.uses);
}
