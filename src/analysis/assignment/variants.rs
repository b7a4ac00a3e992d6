//! Assignment for sets of values that each take one of a few variants.
//!
//! Each set is a node of the graph, and its variants are the alternatives. A conversion or operation between two sets
//! is an edge; within one set, it adds to the costs of the variants.

use super::choice::times;
use super::kernel::{self, Kernel};
use super::layouts::LayoutId;
use super::modes::{Mode, NodeOrSlice};
use super::options::AssignmentOptions;
use super::price_cache::PriceCache;
use super::prices::Prices;
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

/// A list of values, each with a resolved or candidate encoding.
pub(crate) type ValueEncodings<'c> = Vec<(Val<'c>, Arc<Encoding>)>;

/// An operation or conversion whose price depends on encodings that are not resolved yet.
enum PricedItem<'c> {
    Operation(NodeOrSlice),
    Conversion {
        from: Val<'c>,
        to: Val<'c>,
        bits: u32,
    },
}

/// Chooses one variant of each set in `sets` with the aim of a minimal total price. Returns the index of the chosen
/// variant of each set. A variant assigns an encoding to each value of its set.
///
/// The total price is minimal unless the problem is so large that the solver resorts to local search. Values
/// outside `sets` must have known encodings. Operations that use or define values of more than two sets are
/// ignored.
pub(crate) fn cheapest<'c>(
    module: Op<'c>,
    sets: &[Vec<ValueEncodings<'c>>],
    options: AssignmentOptions,
    axis: &Rc<AxisFacts>,
) -> Vec<usize> {
    let mut plans = PriceCache::of(options);
    let mut set_of: FxHashMap<usize, usize> = FxHashMap::default();
    for (set, variants) in sets.iter().enumerate() {
        for (value, _) in &variants[0] {
            set_of.insert(value_id(*value), set);
        }
    }
    // Costs by pair of sets; equal indices mean costs within one set.
    let mut prices: BTreeMap<(usize, usize), Vec<(Price, u32)>> = BTreeMap::new();
    for function in functions(module) {
        let mut pricing = Pricing {
            kernel: kernel::read(function, options.loop_weight, Rc::clone(axis)),
            prices: Prices::new(options, &mut plans),
            sets,
            set_of: &set_of,
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
    sets: &'p [Vec<ValueEncodings<'c>>],
    set_of: &'p FxHashMap<usize, usize>,
}

impl<'c> Pricing<'_, 'c> {
    fn add(&mut self, prices: &mut BTreeMap<(usize, usize), Vec<(Price, u32)>>) {
        let mut items: Vec<(PricedItem<'c>, Vec<Val<'c>>, u64)> = Vec::new();
        let nodes = self.kernel.nodes.iter().enumerate();
        items.extend(nodes.map(|(i, node)| {
            let values = self.values(NodeOrSlice::Node(i));
            (
                PricedItem::Operation(NodeOrSlice::Node(i)),
                values,
                node.weight,
            )
        }));
        let slices = self.kernel.slices.iter().enumerate();
        items.extend(slices.map(|(i, slice)| {
            let values = self.values(NodeOrSlice::Slice(i));
            (
                PricedItem::Operation(NodeOrSlice::Slice(i)),
                values,
                slice.weight,
            )
        }));
        items.extend(self.kernel.conversions.iter().map(|conversion| {
            let (from, to) = (
                build::only_operand(conversion.op),
                build::only_result(conversion.op),
            );
            let bits = self.kernel.datums[conversion.datum].element_bits;
            (
                PricedItem::Conversion { from, to, bits },
                vec![from, to],
                conversion.weight,
            )
        }));
        for (item, values, weight) in items {
            let mut touched_sets: Vec<usize> = values
                .iter()
                .filter_map(|value| self.set_of.get(&value_id(*value)).copied())
                .collect();
            touched_sets.sort_unstable();
            touched_sets.dedup();
            let (a, b) = match touched_sets[..] {
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

    /// Returns the tensor operands of an operation, followed by its tensor results.
    fn values(&self, of: NodeOrSlice) -> Vec<Val<'c>> {
        let tensors = match of {
            NodeOrSlice::Node(node) => self.kernel.nodes[node].tensors(),
            NodeOrSlice::Slice(slice) => self.kernel.slices[slice].tensors(),
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

    /// Returns the price of `item`, and the number of conversions that it performs. Each pair in `chosen` is a set
    /// and the variant chosen for it.
    fn price(&mut self, item: &PricedItem<'c>, chosen: [(usize, usize); 2]) -> (Price, u32) {
        match item {
            PricedItem::Conversion { from, to, bits } => {
                let layouts = (self.layout(*from, chosen), self.layout(*to, chosen));
                let (Some(from), Some(to)) = layouts else {
                    return (assign::INFEASIBLE, 0);
                };
                let price = self.prices.conversion(&self.kernel, from, to, *bits);
                (price, u32::from(from != to))
            }
            PricedItem::Operation(of) => {
                let values = self.values(*of);
                let num_uses = match of {
                    NodeOrSlice::Node(node) => self.kernel.nodes[*node].uses.len(),
                    NodeOrSlice::Slice(slice) => self.kernel.slices[*slice].uses.len(),
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
        let set = self.set_of.get(&value_id(value)).copied();
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
