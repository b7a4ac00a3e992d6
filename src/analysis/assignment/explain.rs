//! Outcomes of the conversions of a function, and reasons for the conversions that remain.

use super::kernel::{DatumId, Kernel, NodeId, Producer};
use super::layouts::{EncodingId, LayoutId};
use super::modes::Mode;
use super::outcome::Assignment;
use super::prices::{Prices, convert};
use super::slices::{Materialisation, Slices};
use linear_layout::assign::{self, Graph, INFEASIBLE, Price, Solution};
use std::fmt;

pub(crate) struct ConversionReport {
    /// The remaining conversions, in the order of the converted values.
    pub(crate) remaining: Vec<RemainingConversion>,
    pub(crate) outcomes: Vec<ConversionOutcome>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RemainingConversion {
    pub(crate) datum: DatumId,
    pub(crate) from: EncodingId,
    pub(crate) to: EncodingId,
    /// Price of one execution of the conversion, in quarters of a cycle.
    pub(crate) price: Price,
    /// Estimated number of executions of the conversion.
    pub(crate) weight: u64,
    /// True if `pipeline-loops` replaces the conversion by a read of the slot to which it prefetches the value.
    pub(crate) is_slot_read: bool,
    pub(crate) reason: KeptReason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeptReason {
    /// The conversion cannot be avoided. Neither the producer nor a user has a feasible alternative layout, e.g.
    /// because their layouts are pinned.
    Pinned,
    /// The conversion moves no data. It remains because operations require different encodings that have the same
    /// layout.
    Respelled,
    /// The conversion can be avoided, but then the price of the assignment increases by this amount.
    Cost(Price),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConversionOutcome {
    /// The conversion remains. The index of the remaining conversion refers to [`ConversionReport::remaining`].
    Kept(usize),
    /// The conversion is removed. Another original conversion of the same value to the same layout remains, and
    /// provides the result of both. The index of the remaining conversion refers to
    /// [`ConversionReport::remaining`].
    Merged(usize),
    /// The value is rematerialised in the converted layout.
    Rematerialised,
    /// The producer was changed to compute the value in the converted layout.
    ProducerChanged,
    /// The operations that use the value were changed to accept a different layout.
    UserChanged,
}

impl fmt::Display for ConversionOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kept(_) => "conversion kept",
            Self::Merged(_) => {
                "conversion removed: another conversion of the value to this layout is reused"
            }
            Self::Rematerialised => {
                "conversion removed: the value is rematerialised in this layout"
            }
            Self::ProducerChanged => "conversion removed: the value is produced in this layout",
            Self::UserChanged => "conversion removed: the users of the value take another layout",
        })
    }
}

pub(super) struct ReportBuilder<'e, 'c> {
    pub(super) kernel: &'e mut Kernel<'c>,
    pub(super) prices: &'e mut Prices<'e>,
    pub(super) modes: &'e [Vec<Mode>],
    pub(super) slices: &'e mut Slices,
    pub(super) graph: &'e Graph,
    pub(super) solution: &'e Solution,
    pub(super) assignment: &'e Assignment,
}

pub(super) fn explain(mut of: ReportBuilder<'_, '_>) -> ConversionReport {
    let mut remaining = Vec::new();
    for item in of.assignment.materialisations.keys() {
        if let Materialisation::Convert(datum, from, to) = *item {
            remaining.push(of.remaining(datum, from, to));
        }
    }
    let mut outcomes = Vec::new();
    let mut is_taken = vec![false; remaining.len()];
    for at in 0..of.kernel.conversions.len() {
        outcomes.push(of.outcome(at, &remaining, &mut is_taken));
    }
    ConversionReport {
        remaining,
        outcomes,
    }
}

impl ReportBuilder<'_, '_> {
    fn layout(&mut self, datum: DatumId, encoding: EncodingId) -> Option<LayoutId> {
        let shape = self.kernel.datums[datum].shape;
        self.kernel.catalogue.layout(encoding, shape)
    }

    fn remaining(
        &mut self,
        datum: DatumId,
        from: EncodingId,
        to: EncodingId,
    ) -> RemainingConversion {
        let (price, count) = convert(self.kernel, self.prices, datum, from, to);
        let layouts = [from, to].map(|encoding| self.layout(datum, encoding));
        let [Some(here), Some(there)] = layouts else {
            unreachable!("a converted datum has layouts");
        };
        let producer = self.kernel.datums[datum].producer;
        let reason = match producer {
            _ if here == there => KeptReason::Respelled,
            Producer::Node(producer, def) => self.between((producer, def), datum, here, there),
            Producer::Slice(..) => {
                let roots = self.roots();
                let demand = self.slices.demand(self.kernel, datum, to);
                let increase = self.slices.flip_cost(&roots, demand);
                increase.map_or(KeptReason::Pinned, KeptReason::Cost)
            }
        };
        RemainingConversion {
            datum,
            from,
            to,
            price,
            weight: self.kernel.datums[datum].weight,
            is_slot_read: count == 0,
            reason,
        }
    }

    fn roots(&mut self) -> Vec<usize> {
        let mut roots = Vec::new();
        for (node, spelling) in self.assignment.nodes.iter().enumerate() {
            let uses = self.kernel.nodes[node].uses.iter().zip(&spelling.uses);
            let wanted: Vec<_> = uses.map(|(used, to)| (used.datum, *to)).collect();
            for (datum, encoding) in wanted {
                if matches!(self.kernel.datums[datum].producer, Producer::Slice(..)) {
                    roots.push(self.slices.demand(self.kernel, datum, encoding));
                }
            }
        }
        roots
    }

    /// Explains why the conversion from `here` to `there` remains.
    ///
    /// The reason is that an operation pins its layout, or the price of avoiding the conversion. This price is the
    /// difference between two assignments: the chosen one, and the cheapest one in which the producer computes
    /// `there` or a user accepts `here`.
    fn between(
        &mut self,
        (producer, def): (NodeId, usize),
        datum: DatumId,
        here: LayoutId,
        there: LayoutId,
    ) -> KeptReason {
        let mut others: Vec<(NodeId, usize)> = Vec::new();
        for (at, mode) in self.modes[producer].iter().enumerate() {
            if mode.defs[def] == there {
                others.push((producer, at));
            }
        }
        for (node, modes) in self.modes.iter().enumerate() {
            for (i, used) in self.kernel.nodes[node].uses.iter().enumerate() {
                if used.datum != datum {
                    continue;
                }
                let now = &modes[self.solution.choice[node] as usize];
                if now.uses[i] == there {
                    let fitting = modes.iter().enumerate();
                    let fitting = fitting.filter(|(_, mode)| mode.uses[i] == here);
                    others.extend(fitting.map(|(at, _)| (node, at)));
                }
            }
        }
        let ids: Vec<_> = self.graph.node_ids().collect();
        let prices = others.into_iter().map(|(node, at)| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            assign::next_best(self.graph, self.solution, ids[node], at)
        });
        match prices.min().filter(|price| *price != INFEASIBLE) {
            Some(price) => KeptReason::Cost(price.saturating_sub(self.solution.price)),
            None => KeptReason::Pinned,
        }
    }

    fn outcome(
        &mut self,
        at: usize,
        remaining: &[RemainingConversion],
        is_taken: &mut [bool],
    ) -> ConversionOutcome {
        let conversion = self.kernel.conversions[at];
        let to = self.layout(conversion.datum, conversion.to);
        for (number, other) in remaining.iter().enumerate() {
            if other.datum == conversion.datum && self.layout(other.datum, other.to) == to {
                let was_taken = std::mem::replace(&mut is_taken[number], true);
                return if was_taken {
                    ConversionOutcome::Merged(number)
                } else {
                    ConversionOutcome::Kept(number)
                };
            }
        }
        match self.kernel.datums[conversion.datum].producer {
            Producer::Slice(slice, _) => {
                let makes = self
                    .assignment
                    .materialisations
                    .iter()
                    .filter_map(|(item, cost)| {
                        let spelling = cost.spelling.as_ref()?;
                        matches!(item, Materialisation::Recompute(made, _) if *made == slice)
                            .then(|| spelling.defs[0])
                    });
                let makes: Vec<EncodingId> = makes.collect();
                let is_made = makes
                    .into_iter()
                    .any(|made| self.layout(conversion.datum, made) == to);
                if is_made {
                    ConversionOutcome::Rematerialised
                } else {
                    ConversionOutcome::UserChanged
                }
            }
            Producer::Node(node, def) => {
                let now = self.assignment.nodes[node].defs[def];
                if self.layout(conversion.datum, now) == to {
                    ConversionOutcome::ProducerChanged
                } else {
                    ConversionOutcome::UserChanged
                }
            }
        }
    }
}
