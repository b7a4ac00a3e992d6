//! The choice itself: the graph of a function, what solves it, and what that comes to.

use super::alternatives::{Offered, Open};
use super::asked::{Asked, Scope};
use super::explain::{self, Explaining, Explanation};
use super::kernel::{DatumId, Kernel, Maker, NodeId};
use super::layouts::{EncodingId, LayoutId};
use super::modes::{Mode, Of, Spelling, candidates};
use super::outcome::{Assignment, ItemCost, Large};
use super::prices::{Plans, Prices, convert, is_expensive};
use super::roles::Role;
use super::slices::{Cost, Item, Seen, Slices, add};
use crate::ir::ModuleInfo;
use linear_layout::assign::{self, Graph, INFEASIBLE, Price, Solution};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Chooses layouts for all values of a function.
pub(crate) fn assign<'c>(kernel: &mut Kernel<'c>, asked: Asked, plans: &mut Plans) -> Assignment {
    let modes = modes(kernel, asked, &Offered::default());
    assign_among(kernel, asked, plans, modes, false).0
}

/// Chooses layouts for all values of a function, and says why conversions are left.
pub(crate) fn assign_explained<'c>(
    kernel: &mut Kernel<'c>,
    asked: Asked,
    plans: &mut Plans,
) -> (Assignment, Explanation) {
    let modes = modes(kernel, asked, &Offered::default());
    let (assignment, explanation) = assign_among(kernel, asked, plans, modes, true);
    (assignment, explanation.expect("it was asked for"))
}

/// What was chosen among the alternatives of some operations.
pub(crate) struct Choice {
    /// The number of each operation's alternative; none where the operation stays as it is.
    pub(crate) alternatives: Vec<Option<usize>>,
    /// The price of the function.
    pub(crate) price: Price,
}

/// Chooses among the alternatives of some operations, together with layouts for all values of the function.
///
/// `is_allowed` says which alternatives of which of the operations there are.
pub(crate) fn choose<'c>(
    kernel: &mut Kernel<'c>,
    asked: Asked,
    plans: &mut Plans,
    open: &[Open<'c>],
    is_allowed: impl Fn(usize, usize) -> bool,
) -> Choice {
    let offered = Offered::of(kernel, open, is_allowed);
    let modes = modes(kernel, asked, &offered);
    let mut prices = Prices::new(asked, plans);
    let (_, solution) = Problem::new(kernel, &mut prices, asked, modes).choose();
    Choice {
        alternatives: offered.chosen(&solution.choice),
        price: solution.price,
    }
}

/// Chooses layouts that cost less than those that a function has, where there are any; `explains` asks what becomes of
/// conversions.
pub(crate) fn improve<'c>(
    kernel: &mut Kernel<'c>,
    asked: Asked,
    plans: &mut Plans,
    explains: bool,
) -> Option<(Assignment, Option<Explanation>)> {
    let modes = modes(kernel, asked, &Offered::default());
    let mut converted = kernel
        .conversions
        .iter()
        .map(|of| kernel.datums[of.datum].maker);
    let has_choice = modes.iter().any(|modes| modes.len() > 1)
        || converted.any(|maker| matches!(maker, Maker::Slice(..)));
    // Of an operation's result, a conversion that stands there twice is all that could be saved.
    if !has_choice && !has_repetition(kernel) {
        return None;
    }
    let found = assign_among(kernel, asked, plans, modes, explains);
    Some(found).filter(|(assignment, _)| assignment.is_better())
}

/// Whether a value is converted to one layout at two places.
fn has_repetition(kernel: &Kernel<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut conversions = kernel.conversions.iter();
    conversions.any(|of| !seen.insert((of.datum, of.to)))
}

/// The modes of each node within what is asked.
fn modes(kernel: &mut Kernel<'_>, asked: Asked, offered: &Offered) -> Vec<Vec<Mode>> {
    let is_pinned: Vec<bool> = kernel.nodes.iter().map(|node| pins(node, asked)).collect();
    candidates(kernel, &is_pinned, offered)
}

fn assign_among<'c>(
    kernel: &mut Kernel<'c>,
    asked: Asked,
    plans: &mut Plans,
    modes: Vec<Vec<Mode>>,
    explains: bool,
) -> (Assignment, Option<Explanation>) {
    let mut prices = Prices::new(asked, plans);
    let mut problem = Problem::new(kernel, &mut prices, asked, modes);
    let (graph, solution) = problem.choose();
    let chosen = problem.respell(&solution);
    let assignment = problem.assignment(chosen, &solution);
    let explanation = explains.then(|| {
        explain::explain(Explaining {
            kernel: problem.kernel,
            prices: problem.prices,
            modes: &problem.modes,
            slices: &mut problem.slices,
            graph: &graph,
            solution: &solution,
            assignment: &assignment,
        })
    });
    (assignment, explanation)
}

/// How often modes are chosen anew after what they want was improved.
const ROUNDS: usize = 3;

fn pins(node: &super::kernel::Node<'_>, asked: Asked) -> bool {
    match node.role {
        Role::Fixed => true,
        Role::Access { .. } if asked.scope == Scope::AllButMemory => {
            let threads = ModuleInfo::around(node.op).map_or(1, |info| info.threads_per_cta());
            is_expensive(node.op, threads)
        }
        Role::View | Role::Access { .. } | Role::Buffer { .. } | Role::Check => false,
        _ => asked.scope == Scope::ViewsAndAccesses,
    }
}

/// Returns what a function costs as it is, less the nodes that are not priced.
fn present<'c>(kernel: &mut Kernel<'c>, prices: &mut Prices<'_>, is_priced: &[bool]) -> Cost {
    let mut sum = (0, 0);
    let nodes = (0..kernel.nodes.len()).filter(|node| is_priced[*node]);
    let nodes = nodes.map(|node| (Of::Node(node), kernel.nodes[node].weight));
    let slices = (0..kernel.slices.len()).map(|at| (Of::Slice(at), kernel.slices[at].weight));
    for (of, weight) in nodes.chain(slices).collect::<Vec<_>>() {
        let spelling = kernel.present(of);
        if let Some(mode) = kernel.mode(of, spelling) {
            sum = add(
                sum,
                (times(known(prices.operation(kernel, of, &mode)), weight), 0),
            );
        }
    }
    for at in 0..kernel.conversions.len() {
        let conversion = kernel.conversions[at];
        let price = convert(
            kernel,
            prices,
            conversion.datum,
            conversion.from,
            conversion.to,
        );
        sum = add(sum, (times(known(price), conversion.weight), 1));
    }
    sum
}

/// What stands in a function is feasible, whatever it costs.
fn known(price: Price) -> Price {
    if price == INFEASIBLE { 0 } else { price }
}

pub(super) fn times(price: Price, weight: u64) -> Price {
    price.saturating_mul(weight)
}

struct Problem<'p, 'c> {
    kernel: &'p mut Kernel<'c>,
    prices: &'p mut Prices<'p>,
    modes: Vec<Vec<Mode>>,
    is_priced: Vec<bool>,
    /// What each mode of each node costs for itself.
    own: Vec<Vec<Cost>>,
    slices: Slices,
    /// What is paid however layouts are chosen.
    base: Cost,
    /// What each conversion counts beyond its plan.
    conversion_cost: Price,
    scope: Scope,
}

/// Which modes of which nodes ask for something, in order.
type Members = Vec<(NodeId, usize)>;

impl<'p, 'c> Problem<'p, 'c> {
    fn new(
        kernel: &'p mut Kernel<'c>,
        prices: &'p mut Prices<'p>,
        asked: Asked,
        modes: Vec<Vec<Mode>>,
    ) -> Self {
        // An operation with one mode costs the same in every assignment; whole kernels are told what they cost.
        let is_part = asked.scope == Scope::ViewsAndAccesses;
        let is_priced = modes.iter().map(|modes| !is_part || modes.len() > 1);
        let is_priced = is_priced.collect();
        let mut problem = Self {
            kernel,
            prices,
            modes,
            is_priced,
            own: Vec::new(),
            slices: Slices::new(asked.conversion_cost),
            base: (0, 0),
            conversion_cost: asked.conversion_cost,
            scope: asked.scope,
        };
        problem.own = problem.own_prices();
        problem.open();
        problem
    }

    fn choose(&mut self) -> (Graph, Solution) {
        let conversions = self.conversions();
        let mut solved = self.solve(&conversions);
        for _ in 0..ROUNDS {
            // Values rematerialised for the chosen modes may have cheaper sources now, which may make other modes better.
            let roots = self.roots(&solved.1);
            if !self.slices.improve(&roots) {
                break;
            }
            solved = self.solve(&conversions);
        }
        solved
    }

    /// Finds all that may be wanted of what can be made again; what is wanted in any case is there for the rest.
    fn open(&mut self) {
        let mut certain = Vec::new();
        for node in 0..self.modes.len() {
            for mode in 0..self.modes[node].len() {
                let spelling = self.modes[node][mode].spellings[0].clone();
                let demands = self.demands(node, &spelling);
                if self.modes[node].len() == 1 {
                    certain.extend(demands);
                }
            }
        }
        self.slices.settle(self.kernel, self.prices);
        self.slices.improve(&certain);
        self.slices.settle_again(self.kernel);
    }

    /// What the modes of a solution want of what can be made again.
    fn roots(&mut self, solution: &Solution) -> Vec<usize> {
        let chosen: Vec<Spelling> = self
            .modes
            .iter()
            .zip(&solution.choice)
            .map(|(modes, choice)| modes[*choice as usize].spellings[0].clone())
            .collect();
        let nodes = chosen.iter().enumerate();
        nodes
            .flat_map(|(node, spelling)| self.demands(node, spelling))
            .collect()
    }

    fn solve(&mut self, (edges, copies): &(Edges, Vec<Copy>)) -> (Graph, Solution) {
        self.base = (0, 0);
        let mut own = self.own.clone();
        let mut shared = self.shared_slices();
        // What all modes of some node ask for is paid anyway; what one node asks for alone is its own.
        shared.retain(|members, price| {
            let alone = members.iter().all(|(node, _)| *node == members[0].0);
            if self.is_certain(members) {
                self.base = add(self.base, *price);
            } else if alone {
                for (node, mode) in members {
                    own[*node][*mode] = add(own[*node][*mode], *price);
                }
            } else {
                return true;
            }
            false
        });
        let mut graph = Graph::new();
        let ids: Vec<_> = own.into_iter().map(|prices| graph.node(prices)).collect();
        graph.node(vec![self.base]);
        for ((a, b), prices) in edges {
            graph.edge(ids[*a], ids[*b], prices.clone());
        }
        let flags = |problem: &Self, members: &Members| {
            let mut all: Vec<(assign::NodeId, Vec<bool>)> = Vec::new();
            for (node, mode) in members {
                if all.last().is_none_or(|(last, _)| *last != ids[*node]) {
                    all.push((ids[*node], vec![false; problem.modes[*node].len()]));
                }
                if let Some((_, flags)) = all.last_mut() {
                    flags[*mode] = true;
                }
            }
            all
        };
        for (members, price) in &shared {
            graph.shared(price.0, price.1, flags(self, members));
        }
        for (of, prices, members) in copies {
            graph.copy(ids[*of], prices.clone(), flags(self, members));
        }
        let start = vec![0; graph.num_nodes()];
        let solution = assign::solve(&graph, &start);
        (graph, solution)
    }

    /// Whether some node asks for something in all of its modes.
    fn is_certain(&self, members: &Members) -> bool {
        members
            .chunk_by(|a, b| a.0 == b.0)
            .any(|of_node| of_node.len() == self.modes[of_node[0].0].len())
    }

    fn own_prices(&mut self) -> Vec<Vec<Cost>> {
        (0..self.modes.len())
            .map(|node| {
                if !self.is_priced[node] {
                    return vec![(0, 0)];
                }
                let (weight, role) = (self.kernel.nodes[node].weight, self.kernel.nodes[node].role);
                let modes = self.modes[node].iter();
                let mut prices: Vec<Price> = modes
                    .map(|mode| self.prices.operation(self.kernel, Of::Node(node), mode))
                    .collect();
                prices[0] = known(prices[0]);
                let is_bounded = self.scope == Scope::ViewsAndAccesses;
                if is_bounded && matches!(role, Role::Access { .. }) {
                    let most = prices[0];
                    for price in prices.iter_mut().filter(|price| **price > most) {
                        *price = INFEASIBLE;
                    }
                }
                let prices = prices.into_iter();
                prices.map(|price| (times(price, weight), 0)).collect()
            })
            .collect()
    }

    /// What is made again, by those that ask for it.
    fn shared_slices(&mut self) -> BTreeMap<Members, Cost> {
        let mut demands = Vec::new();
        for node in 0..self.modes.len() {
            for mode in 0..self.modes[node].len() {
                let spelling = self.modes[node][mode].spellings[0].clone();
                demands.push(((node, mode), self.demands(node, &spelling)));
            }
        }
        let mut seen = Seen::default();
        let mut members: FxHashMap<Item, (Members, Cost)> = FxHashMap::default();
        for (member, roots) in demands {
            let visit = |item, _: Option<&Spelling>, price| {
                let entry = members.entry(item).or_insert_with(|| (Vec::new(), price));
                entry.0.push(member);
            };
            self.slices.visit(roots, self.kernel, &mut seen, visit);
        }
        let mut shared: BTreeMap<Members, Cost> = BTreeMap::new();
        for (members, price) in members.into_values() {
            let sum = shared.entry(members).or_default();
            *sum = add(*sum, price);
        }
        shared
    }

    /// What a node wants of what can be made again.
    fn demands(&mut self, node: NodeId, spelling: &Spelling) -> Vec<usize> {
        let wanted: Vec<(DatumId, EncodingId)> = self.kernel.nodes[node]
            .uses
            .iter()
            .zip(&spelling.uses)
            .filter(|(used, _)| {
                let maker = self.kernel.datums[used.datum].maker;
                matches!(maker, Maker::Slice(..))
            })
            .map(|(used, encoding)| (used.datum, *encoding))
            .collect();
        wanted
            .into_iter()
            .map(|(datum, encoding)| self.slices.demand(self.kernel, datum, encoding))
            .collect()
    }

    /// Conversions of what nodes make: between two nodes where one user wants a layout, as copies where several do.
    fn conversions(&mut self) -> (Edges, Vec<Copy>) {
        let mut edges = Edges::new();
        let mut copies = Vec::new();
        let mut users: Vec<BTreeMap<LayoutId, Members>> =
            vec![BTreeMap::new(); self.kernel.datums.len()];
        for node in 0..self.modes.len() {
            for (i, used) in self.kernel.nodes[node].uses.iter().enumerate() {
                let is_own = matches!(self.kernel.datums[used.datum].maker, Maker::Node(maker, _) if maker == node);
                if is_own {
                    continue;
                }
                for (at, mode) in self.modes[node].iter().enumerate() {
                    let members = users[used.datum].entry(mode.uses[i]).or_default();
                    if !members.contains(&(node, at)) {
                        members.push((node, at));
                    }
                }
            }
        }
        for (datum, wanted) in users.into_iter().enumerate() {
            let Maker::Node(maker, def) = self.kernel.datums[datum].maker else {
                continue;
            };
            for (layout, mut members) in wanted {
                members.sort_unstable();
                let prices = self.prices_of(datum, (maker, def), layout);
                if prices.iter().all(|price| *price == (0, 0)) {
                    continue;
                }
                let is_alone = members.iter().all(|(node, _)| *node == members[0].0);
                if is_alone {
                    let user = members[0].0;
                    let (rows, columns) = (prices.len(), self.modes[user].len());
                    let sums = edges
                        .entry((maker, user))
                        .or_insert_with(|| vec![(0, 0); rows * columns]);
                    for (row, price) in prices.iter().enumerate() {
                        for (_, column) in &members {
                            let sum = &mut sums[row * columns + column];
                            *sum = add(*sum, *price);
                        }
                    }
                } else {
                    copies.push((maker, prices, members));
                }
            }
        }
        (edges, copies)
    }

    /// What it costs to have a datum in a layout, for each mode of its maker.
    fn prices_of(
        &mut self,
        datum: DatumId,
        (maker, def): (NodeId, usize),
        layout: LayoutId,
    ) -> Vec<Cost> {
        let (weight, bits) = (
            self.kernel.datums[datum].weight,
            self.kernel.datums[datum].element_bits,
        );
        let modes = self.modes[maker].iter();
        modes
            .map(|mode| {
                let from = mode.defs[def];
                let price = self.prices.conversion(self.kernel, from, layout, bits);
                match from == layout {
                    true => (0, 0),
                    false => (times(price, weight).saturating_add(self.conversion_cost), 1),
                }
            })
            .collect()
    }

    /// Chooses among encodings of one layout: as few conversions as can be between them.
    fn respell(&mut self, solution: &Solution) -> Vec<Spelling> {
        let chosen: Vec<&Mode> = self
            .modes
            .iter()
            .zip(&solution.choice)
            .map(|(modes, choice)| &modes[*choice as usize])
            .collect();
        if chosen.iter().all(|mode| mode.spellings.len() == 1) {
            return chosen
                .iter()
                .map(|mode| mode.spellings[0].clone())
                .collect();
        }
        let mut graph = Graph::new();
        let ids: Vec<_> = chosen
            .iter()
            .map(|mode| graph.node(vec![(0, 0); mode.spellings.len()]))
            .collect();
        let mut users: Vec<BTreeMap<EncodingId, Vec<(NodeId, usize)>>> =
            vec![BTreeMap::new(); self.kernel.datums.len()];
        for (node, mode) in chosen.iter().enumerate() {
            for (i, used) in self.kernel.nodes[node].uses.iter().enumerate() {
                for (at, spelling) in mode.spellings.iter().enumerate() {
                    let members = users[used.datum].entry(spelling.uses[i]).or_default();
                    if !members.contains(&(node, at)) {
                        members.push((node, at));
                    }
                }
            }
        }
        for (datum, wanted) in users.into_iter().enumerate() {
            let (maker, def) = match self.kernel.datums[datum].maker {
                Maker::Node(maker, def) => (maker, def),
                Maker::Slice(..) => continue,
            };
            for (encoding, mut members) in wanted {
                members.sort_unstable();
                let spellings = chosen[maker].spellings.iter();
                let prices: Vec<Cost> = spellings
                    .map(|spelling| (0, u32::from(spelling.defs[def] != encoding)))
                    .collect();
                let flags = members
                    .chunk_by(|a, b| a.0 == b.0)
                    .map(|of_node| {
                        let node = of_node[0].0;
                        let mut flags = vec![false; chosen[node].spellings.len()];
                        for (_, at) in of_node {
                            flags[*at] = true;
                        }
                        (ids[node], flags)
                    })
                    .collect();
                graph.copy(ids[maker], prices, flags);
            }
        }
        let start = vec![0; graph.num_nodes()];
        let best = assign::solve(&graph, &start);
        chosen
            .iter()
            .zip(best.choice)
            .map(|(mode, at)| mode.spellings[at as usize].clone())
            .collect()
    }

    /// What a spelling of all nodes comes to.
    fn assignment(&mut self, nodes: Vec<Spelling>, solution: &Solution) -> Assignment {
        let mut roots = Vec::new();
        for (node, spelling) in nodes.iter().enumerate() {
            roots.extend(self.demands(node, spelling));
        }
        self.slices.settle(self.kernel, self.prices);
        self.slices.improve(&roots);
        let mut items: BTreeMap<Item, ItemCost> = BTreeMap::new();
        let conversion_cost = self.conversion_cost;
        let visit = |item, spelling: Option<&Spelling>, mut price: Cost| {
            if matches!(item, Item::Convert(..)) {
                price.0 = price.0.saturating_sub(conversion_cost);
            }
            let cost = ItemCost {
                price,
                spelling: spelling.cloned(),
            };
            items.insert(item, cost);
        };
        self.slices
            .visit(roots, self.kernel, &mut Seen::default(), visit);
        let mut sum = (0, 0);
        for (node, spelling) in nodes.iter().enumerate() {
            let uses = 0..self.kernel.nodes[node].uses.len();
            for i in uses {
                let datum = self.kernel.nodes[node].uses[i].datum;
                let Maker::Node(maker, def) = self.kernel.datums[datum].maker else {
                    continue;
                };
                let (from, to) = (nodes[maker].defs[def], spelling.uses[i]);
                let item = Item::Convert(datum, from, to);
                if from != to && !items.contains_key(&item) {
                    let price = convert(self.kernel, self.prices, datum, from, to);
                    let price = (times(price, self.kernel.datums[datum].weight), 1);
                    let spelling = None;
                    items.insert(item, ItemCost { price, spelling });
                }
            }
            if self.is_priced[node]
                && let Some(mode) = self.kernel.mode(Of::Node(node), spelling.clone())
            {
                let price = self.prices.operation(self.kernel, Of::Node(node), &mode);
                let is_present = spelling == &self.kernel.present(Of::Node(node));
                let price = if is_present { known(price) } else { price };
                sum = add(sum, (times(price, self.kernel.nodes[node].weight), 0));
            }
        }
        for cost in items.values() {
            sum = add(sum, cost.price);
        }
        let weighed = self.conversion_cost.saturating_mul(sum.1.into());
        Assignment {
            largest: self.largest(&nodes, &items),
            nodes,
            items,
            price: sum,
            before: present(self.kernel, self.prices, &self.is_priced),
            bound: solution.bound.saturating_sub(weighed),
            conversion_cost,
        }
    }

    /// What takes most bytes for itself, of what takes more than it may.
    fn largest(&mut self, nodes: &[Spelling], items: &BTreeMap<Item, ItemCost>) -> Option<Large> {
        let budget = self.prices.scratch_budget()?;
        let mut largest: Option<Large> = None;
        let mut take = |bytes: u32, of: Of, is_conversion: bool| {
            if bytes > largest.map_or(budget, |known| known.bytes) {
                largest = Some(Large {
                    bytes,
                    of,
                    is_conversion,
                });
            }
        };
        for (node, spelling) in nodes.iter().enumerate() {
            if let Some(mode) = self.kernel.mode(Of::Node(node), spelling.clone()) {
                let bytes = self
                    .prices
                    .scratch_bytes(self.kernel, Of::Node(node), &mode);
                take(bytes, Of::Node(node), false);
            }
        }
        for item in items.keys() {
            if let Item::Convert(datum, from, to) = *item {
                let (shape, bits) = (
                    self.kernel.datums[datum].shape,
                    self.kernel.datums[datum].element_bits,
                );
                let layouts =
                    [from, to].map(|encoding| self.kernel.catalogue.layout(encoding, shape));
                if let [Some(from), Some(to)] = layouts {
                    let of = match self.kernel.datums[datum].maker {
                        Maker::Node(node, _) => Of::Node(node),
                        Maker::Slice(slice, _) => Of::Slice(slice),
                    };
                    let bytes = self.prices.conversion_bytes(self.kernel, from, to, bits);
                    take(bytes, of, true);
                }
            }
        }
        largest
    }
}

/// By maker and user, a price for each pair of modes, those of the user next to each other.
type Edges = BTreeMap<(NodeId, NodeId), Vec<Cost>>;
/// By maker, the price for each of its modes, and who asks.
type Copy = (NodeId, Vec<Cost>, Members);
