//! Why conversions are left, and what became of the others.

use super::kernel::{DatumId, Kernel, Maker, NodeId};
use super::layouts::{EncodingId, LayoutId};
use super::modes::Mode;
use super::outcome::Assignment;
use super::prices::{Prices, convert};
use super::slices::{Item, Slices};
use linear_layout::assign::{self, Graph, INFEASIBLE, Price, Solution};
use std::fmt;

/// What is said of the conversions of a function.
pub(crate) struct Explanation {
    /// Those that are left, in the order of what they convert.
    pub(crate) left: Vec<Left>,
    /// What became of each that stood in the function, in order.
    pub(crate) went: Vec<Went>,
}

/// A conversion that is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    pub(crate) datum: DatumId,
    pub(crate) from: EncodingId,
    pub(crate) to: EncodingId,
    /// What it costs each time.
    pub(crate) price: Price,
    /// How often it runs.
    pub(crate) weight: u64,
    pub(crate) why: Why,
}

/// Why a conversion is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// What makes the value and what uses it keep their layouts.
    Kept,
    /// It moves nothing: the two are one layout, of which operations ask for one or the other by its name.
    Named,
    /// Without it the kernel would cost so much more.
    Dearer(Price),
}

/// What became of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Went {
    /// It stays, as the one of [`Explanation::left`] with this number.
    Stays(usize),
    /// The same value is converted to the same layout elsewhere, by the one of this number.
    Merged(usize),
    /// What it converts is computed in its layout as well, or instead.
    MadeAgain,
    /// What makes the value gives it in its layout.
    MadeSo,
    /// What used its result works in another layout.
    UsedElse,
}

impl fmt::Display for Went {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stays(_) => "stays",
            Self::Merged(_) => "is removed: the value is converted to this layout once",
            Self::MadeAgain => "is removed: the value is rematerialised in this layout",
            Self::MadeSo => "is removed: the value is produced in this layout",
            Self::UsedElse => "is removed: its users use another layout",
        })
    }
}

/// All that an explanation is read from.
pub(super) struct Explaining<'e, 'c> {
    pub(super) kernel: &'e mut Kernel<'c>,
    pub(super) prices: &'e mut Prices<'e>,
    pub(super) modes: &'e [Vec<Mode>],
    pub(super) slices: &'e mut Slices,
    pub(super) graph: &'e Graph,
    pub(super) solution: &'e Solution,
    pub(super) assignment: &'e Assignment,
}

pub(super) fn explain(mut of: Explaining<'_, '_>) -> Explanation {
    let mut left = Vec::new();
    for item in of.assignment.items.keys() {
        if let Item::Convert(datum, from, to) = *item {
            left.push(of.left(datum, from, to));
        }
    }
    let mut went = Vec::new();
    let mut is_taken = vec![false; left.len()];
    for at in 0..of.kernel.conversions.len() {
        went.push(of.went(at, &left, &mut is_taken));
    }
    Explanation { left, went }
}

impl Explaining<'_, '_> {
    fn layout(&mut self, datum: DatumId, encoding: EncodingId) -> Option<LayoutId> {
        let shape = self.kernel.datums[datum].shape;
        self.kernel.catalogue.layout(encoding, shape)
    }

    fn left(&mut self, datum: DatumId, from: EncodingId, to: EncodingId) -> Left {
        let price = convert(self.kernel, self.prices, datum, from, to);
        let layouts = [from, to].map(|encoding| self.layout(datum, encoding));
        let [Some(here), Some(there)] = layouts else {
            unreachable!("what is converted has layouts");
        };
        let maker = self.kernel.datums[datum].maker;
        let why = match maker {
            _ if here == there => Why::Named,
            Maker::Node(maker, def) => self.between((maker, def), datum, here, there),
            Maker::Slice(..) => {
                let roots = self.roots();
                let demand = self.slices.demand(self.kernel, datum, to);
                let dearer = self.slices.other_way(&roots, demand);
                dearer.map_or(Why::Kept, Why::Dearer)
            }
        };
        Left {
            datum,
            from,
            to,
            price,
            weight: self.kernel.datums[datum].weight,
            why,
        }
    }

    /// What the assignment wants of what can be made again.
    fn roots(&mut self) -> Vec<usize> {
        let mut roots = Vec::new();
        for (node, spelling) in self.assignment.nodes.iter().enumerate() {
            let uses = self.kernel.nodes[node].uses.iter().zip(&spelling.uses);
            let wanted: Vec<_> = uses.map(|(used, to)| (used.datum, *to)).collect();
            for (datum, encoding) in wanted {
                if matches!(self.kernel.datums[datum].maker, Maker::Slice(..)) {
                    roots.push(self.slices.demand(self.kernel, datum, encoding));
                }
            }
        }
        roots
    }

    /// What the best assignment costs in which a node gives, or another takes, the layout of the other end.
    fn between(
        &mut self,
        (maker, def): (NodeId, usize),
        datum: DatumId,
        here: LayoutId,
        there: LayoutId,
    ) -> Why {
        let mut others: Vec<(NodeId, usize)> = Vec::new();
        for (at, mode) in self.modes[maker].iter().enumerate() {
            if mode.defs[def] == there {
                others.push((maker, at));
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
            Some(price) => Why::Dearer(price.saturating_sub(self.solution.price)),
            None => Why::Kept,
        }
    }

    fn went(&mut self, at: usize, left: &[Left], is_taken: &mut [bool]) -> Went {
        let conversion = self.kernel.conversions[at];
        let to = self.layout(conversion.datum, conversion.to);
        for (number, other) in left.iter().enumerate() {
            if other.datum == conversion.datum && self.layout(other.datum, other.to) == to {
                let was_taken = std::mem::replace(&mut is_taken[number], true);
                return if was_taken {
                    Went::Merged(number)
                } else {
                    Went::Stays(number)
                };
            }
        }
        match self.kernel.datums[conversion.datum].maker {
            Maker::Slice(slice, _) => {
                let makes = self.assignment.items.iter().filter_map(|(item, cost)| {
                    let spelling = cost.spelling.as_ref()?;
                    matches!(item, Item::Make(made, _) if *made == slice).then(|| spelling.defs[0])
                });
                let makes: Vec<EncodingId> = makes.collect();
                let is_made = makes
                    .into_iter()
                    .any(|made| self.layout(conversion.datum, made) == to);
                if is_made {
                    Went::MadeAgain
                } else {
                    Went::UsedElse
                }
            }
            Maker::Node(node, def) => {
                let now = self.assignment.nodes[node].defs[def];
                if self.layout(conversion.datum, now) == to {
                    Went::MadeSo
                } else {
                    Went::UsedElse
                }
            }
        }
    }
}
