//! Which of several ways to lay out sets of values is cheapest, where each set is laid out as a whole.
//!
//! A set is a node of the graph, its variants are the alternatives. A conversion or an operation between two sets is
//! an edge; what touches one set is a price of its alternatives.

use super::asked::Asked;
use super::choice::times;
use super::kernel::{self, Kernel};
use super::layouts::LayoutId;
use super::modes::{Mode, Of};
use super::prices::{Plans, Prices};
use crate::analysis::axis::AxisFacts;
use crate::ir::{Layouts, OpKind, TensorType};
use crate::sys::build::{self, Op, Val};
use crate::sys::value_id;
use linear_layout::assign::{self, Graph, Price};
use linear_layout::encoding::Encoding;
use melior::ir::{TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Values with encodings.
type Variant<'c> = Vec<(Val<'c>, Arc<Encoding>)>;

/// What costs something: the layouts that it works in go by at most two sets.
enum Item<'c> {
    Operation(Of),
    Conversion {
        from: Val<'c>,
        to: Val<'c>,
        bits: u32,
    },
}

/// Returns, for each set, the number of its variant in the cheapest assignment to all sets.
///
/// All values are to have encodings, those of the sets any of their own. What works on more than two sets is left out
/// of account.
pub(crate) fn cheapest<'c>(
    module: Op<'c>,
    sets: &[Vec<Variant<'c>>],
    asked: Asked,
    axis: &Rc<AxisFacts>,
) -> Vec<usize> {
    let mut plans = Plans::default();
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    for (set, variants) in sets.iter().enumerate() {
        for (value, _) in &variants[0] {
            places.insert(value_id(*value), set);
        }
    }
    // Of each pair of sets, the first being the second where there is one: what its alternatives cost.
    let mut prices: BTreeMap<(usize, usize), Vec<(Price, u32)>> = BTreeMap::new();
    for function in functions(module) {
        let mut pricing = Pricing {
            kernel: kernel::read(function, asked.loop_weight, Rc::clone(axis)),
            prices: Prices::new(asked, &mut plans),
            sets,
            places: &places,
        };
        pricing.add(&mut prices);
    }
    let mut graph = Graph::new();
    let nodes: Vec<_> = sets
        .iter()
        .enumerate()
        .map(|(set, variants)| {
            let free = || vec![(0, 0); variants.len()];
            graph.node(prices.remove(&(set, set)).unwrap_or_else(free))
        })
        .collect();
    for ((a, b), prices) in prices {
        graph.edge(nodes[a], nodes[b], prices);
    }
    let solution = assign::solve(&graph, &vec![0; sets.len()]);
    solution.choice.into_iter().map(|at| at as usize).collect()
}

fn functions<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let all = build::module_body(module).map(build::operations);
    let all = all.unwrap_or_default().into_iter();
    all.filter(|op| OpKind::TtFunc.is(*op)).collect()
}

struct Pricing<'p, 'c> {
    kernel: Kernel<'c>,
    prices: Prices<'p>,
    sets: &'p [Vec<Variant<'c>>],
    /// The set that a value is of.
    places: &'p FxHashMap<usize, usize>,
}

impl<'c> Pricing<'_, 'c> {
    fn add(&mut self, prices: &mut BTreeMap<(usize, usize), Vec<(Price, u32)>>) {
        let mut items: Vec<(Item<'c>, Vec<Val<'c>>, u64)> = Vec::new();
        let nodes = self.kernel.nodes.iter().enumerate();
        items.extend(nodes.map(|(i, node)| {
            let values = self.values(Of::Node(i));
            (Item::Operation(Of::Node(i)), values, node.weight)
        }));
        let slices = self.kernel.slices.iter().enumerate();
        items.extend(slices.map(|(i, slice)| {
            let values = self.values(Of::Slice(i));
            (Item::Operation(Of::Slice(i)), values, slice.weight)
        }));
        items.extend(self.kernel.conversions.iter().map(|conversion| {
            let (from, to) = (
                build::only_operand(conversion.op),
                build::only_result(conversion.op),
            );
            let bits = self.kernel.datums[conversion.datum].element_bits;
            (
                Item::Conversion { from, to, bits },
                vec![from, to],
                conversion.weight,
            )
        }));
        for (item, values, weight) in items {
            let mut touched: Vec<usize> = values
                .iter()
                .filter_map(|value| self.places.get(&value_id(*value)).copied())
                .collect();
            touched.sort_unstable();
            touched.dedup();
            let (a, b) = match touched[..] {
                [one] => (one, one),
                [a, b] => (a, b),
                _ => continue,
            };
            let numbers = |set: usize| 0..self.sets[set].len();
            let pairs: Vec<(usize, usize)> = if a == b {
                numbers(a).map(|i| (i, i)).collect()
            } else {
                numbers(a)
                    .flat_map(|i| numbers(b).map(move |j| (i, j)))
                    .collect()
            };
            let costs: Vec<(Price, u32)> = pairs
                .into_iter()
                .map(|(i, j)| {
                    let (price, conversions) = self.price(&item, [(a, i), (b, j)]);
                    (times(price, weight), conversions)
                })
                .collect();
            let sums = prices
                .entry((a, b))
                .or_insert_with(|| vec![(0, 0); costs.len()]);
            for (sum, cost) in sums.iter_mut().zip(costs) {
                *sum = (sum.0.saturating_add(cost.0), sum.1 + cost.1);
            }
        }
    }

    /// The tensors that an operation uses, then those that it makes.
    fn values(&self, of: Of) -> Vec<Val<'c>> {
        let tensors = match of {
            Of::Node(node) => self.kernel.nodes[node].tensors(),
            Of::Slice(slice) => self.kernel.slices[slice].tensors(),
        };
        let uses = tensors
            .uses
            .iter()
            .map(|used| build::operand(used.op, used.at));
        let defs = tensors
            .defs
            .iter()
            .map(|datum| self.kernel.datums[*datum].value);
        uses.chain(defs).collect()
    }

    /// What an item costs if sets have the variants of these numbers.
    fn price(&mut self, item: &Item<'c>, chosen: [(usize, usize); 2]) -> (Price, u32) {
        match item {
            Item::Conversion { from, to, bits } => {
                let layouts = (self.layout(*from, chosen), self.layout(*to, chosen));
                let (Some(from), Some(to)) = layouts else {
                    return (assign::INFEASIBLE, 0);
                };
                let price = self.prices.conversion(&self.kernel, from, to, *bits);
                (price, u32::from(from != to))
            }
            Item::Operation(of) => {
                let values = self.values(*of);
                let num_uses = match of {
                    Of::Node(node) => self.kernel.nodes[*node].uses.len(),
                    Of::Slice(slice) => self.kernel.slices[*slice].uses.len(),
                };
                let layouts: Option<Vec<LayoutId>> = values
                    .into_iter()
                    .map(|value| self.layout(value, chosen))
                    .collect();
                let Some(layouts) = layouts else {
                    return (assign::INFEASIBLE, 0);
                };
                let (uses, defs) = layouts.split_at(num_uses);
                let mode = Mode {
                    uses: uses.to_vec(),
                    defs: defs.to_vec(),
                    spellings: Vec::new(),
                };
                (self.prices.operation(&self.kernel, *of, &mode), 0)
            }
        }
    }

    fn layout(&mut self, value: Val<'c>, chosen: [(usize, usize); 2]) -> Option<LayoutId> {
        let tensor = TensorType::of(value.r#type())?;
        let set = self.places.get(&value_id(value)).copied();
        let variant = chosen.into_iter().find(|(of, _)| Some(*of) == set);
        let catalogue = &mut self.kernel.catalogue;
        let (encoding, shape) = match variant {
            None => {
                let layouts = Layouts::of(tensor.type_.context());
                catalogue.tensor(layouts, &tensor)?
            }
            Some((set, at)) => {
                let of = self.sets[set][at].iter().find(|(other, _)| *other == value);
                let encoding = catalogue.encoding(Arc::clone(&of?.1));
                (encoding, catalogue.shape(tensor.shape))
            }
        };
        catalogue.layout(encoding, shape)
    }
}
