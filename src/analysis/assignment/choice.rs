//! The assignment problem as a graph of modes, with its solution.

use super::alternatives::{AlternativeModes, OpWithAlternatives};
use super::explain::{self, ConversionReport, ReportBuilder};
use super::kernel::{DatumId, Kernel, NodeId, Producer};
use super::layouts::{EncodingId, LayoutId};
use super::modes::{Mode, NodeOrSlice, Spelling, candidates};
use super::options::{AssignmentOptions, Scope};
use super::outcome::{Assignment, MaterialisationCost, ScratchOverflow};
use super::price_cache::PriceCache;
use super::prices::{Prices, convert, is_expensive};
use super::roles::Role;
use super::scans;
use super::slices::{Cost, Materialisation, Slices, VisitSet, add};
use crate::ir::ModuleInfo;
use linear_layout::assign::{self, Graph, INFEASIBLE, Price, Solution};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(crate) fn assign<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
) -> Assignment {
    let modes = modes(kernel, options, &AlternativeModes::default());
    assign_among(kernel, options, plans, modes, false).0
}

/// Like `assign`, but also returns a report that explains the outcome of each conversion.
pub(crate) fn assign_explained<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
) -> (Assignment, ConversionReport) {
    let modes = modes(kernel, options, &AlternativeModes::default());
    let (assignment, explanation) = assign_among(kernel, options, plans, modes, true);
    (
        assignment,
        explanation.expect("an explanation was requested"),
    )
}

pub(crate) struct AlternativeChoice {
    /// The chosen alternative of each operation. `None` means that the operation keeps its original encodings.
    pub(crate) alternatives: Vec<Option<usize>>,
    /// The cost of the function with these alternatives.
    pub(crate) price: Price,
}

/// Chooses an alternative for each operation in `open`, jointly with a layout assignment.
///
/// Only alternatives for which `is_allowed` returns true are considered. Its arguments are the index of an
/// operation in `open` and the index of an alternative of this operation.
pub(crate) fn choose<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
    open: &[OpWithAlternatives<'c>],
    is_allowed: impl Fn(usize, usize) -> bool,
) -> AlternativeChoice {
    let offered = AlternativeModes::of(kernel, open, is_allowed);
    let modes = modes(kernel, options, &offered);
    let mut prices = Prices::new(options, plans);
    let (_, solution) = AssignmentProblem::new(kernel, &mut prices, options, modes).choose();
    AlternativeChoice {
        alternatives: offered.chosen(&solution.choice),
        price: solution.price,
    }
}

/// Returns an assignment that costs less than the original layouts, including the penalty per conversion. Returns
/// `None` if none is found. If `explains` is true, the result includes a report on conversions.
pub(crate) fn improve<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
    explains: bool,
) -> Option<(Assignment, Option<ConversionReport>)> {
    let modes = modes(kernel, options, &AlternativeModes::default());
    let mut converted = kernel
        .conversions
        .iter()
        .map(|of| kernel.datums[of.datum].producer);
    let has_choice = modes.iter().any(|modes| modes.len() > 1)
        || converted.any(|producer| matches!(producer, Producer::Slice(..)));
    // Without a choice, only repeated conversions could be saved.
    if !has_choice && !has_repetition(kernel) {
        return None;
    }
    let found = assign_among(kernel, options, plans, modes, explains);
    Some(found).filter(|(assignment, _)| assignment.is_better())
}

fn has_repetition(kernel: &Kernel<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut conversions = kernel.conversions.iter();
    conversions.any(|of| !seen.insert((of.datum, of.to)))
}

fn modes(
    kernel: &mut Kernel<'_>,
    options: AssignmentOptions,
    offered: &AlternativeModes,
) -> Vec<Vec<Mode>> {
    let is_pinned: Vec<bool> = kernel
        .nodes
        .iter()
        .map(|node| pins(node, options))
        .collect();
    let mut offered = offered.modes.clone();
    scans::add_candidates(kernel, &mut offered);
    let mut modes = candidates(kernel, &is_pinned, &offered);
    if options.blocked_scans {
        scans::keep_blocked(kernel, &mut modes);
    }
    modes
}

fn assign_among<'c>(
    kernel: &mut Kernel<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
    modes: Vec<Vec<Mode>>,
    explains: bool,
) -> (Assignment, Option<ConversionReport>) {
    let mut prices = Prices::new(options, plans);
    let mut problem = AssignmentProblem::new(kernel, &mut prices, options, modes);
    let (graph, solution) = problem.choose();
    let chosen = problem.respell(&solution);
    let assignment = problem.assignment(chosen, &solution);
    let explanation = explains.then(|| {
        explain::explain(ReportBuilder {
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

/// Maximum number of rounds. Each round first optimises the modes, and then the rematerialisation.
const MAX_ROUNDS: usize = 3;

fn pins(node: &super::kernel::Node<'_>, options: AssignmentOptions) -> bool {
    match node.role {
        Role::Fixed => true,
        Role::Access { .. } if options.scope == Scope::AllButMemory => {
            let threads = ModuleInfo::around(node.op).map_or(1, |info| info.threads_per_cta());
            is_expensive(node.op, threads)
        }
        Role::View
        | Role::Access { .. }
        | Role::Buffer { .. }
        | Role::Block { .. }
        | Role::Check => false,
        _ => options.scope == Scope::ViewsAndAccesses,
    }
}

/// Returns the cost of the function with its original layouts. It is the sum of the costs of all conversions, all
/// slices, and some of the nodes: node `i` is included if `is_priced[i]` is true.
fn present<'c>(kernel: &mut Kernel<'c>, prices: &mut Prices<'_>, is_priced: &[bool]) -> Cost {
    let mut sum = (0, 0);
    let nodes = (0..kernel.nodes.len()).filter(|node| is_priced[*node]);
    let nodes = nodes.map(|node| (NodeOrSlice::Node(node), kernel.nodes[node].weight));
    let slices =
        (0..kernel.slices.len()).map(|at| (NodeOrSlice::Slice(at), kernel.slices[at].weight));
    for (of, weight) in nodes.chain(slices).collect::<Vec<_>>() {
        let spelling = kernel.present(of);
        if let Some(mode) = kernel.mode(of, spelling) {
            sum = add(
                sum,
                (
                    times(feasible(prices.operation(kernel, of, &mode)), weight),
                    0,
                ),
            );
        }
    }
    for at in 0..kernel.conversions.len() {
        let conversion = kernel.conversions[at];
        let (price, count) = convert(
            kernel,
            prices,
            conversion.datum,
            conversion.from,
            conversion.to,
        );
        sum = add(sum, (times(feasible(price), conversion.weight), count));
    }
    sum
}

/// Replaces the price [`INFEASIBLE`] by 0. This is used for original operations, which are feasible by definition.
fn feasible(price: Price) -> Price {
    if price == INFEASIBLE { 0 } else { price }
}

pub(super) fn times(price: Price, weight: u64) -> Price {
    price.saturating_mul(weight)
}

struct AssignmentProblem<'p, 'c> {
    kernel: &'p mut Kernel<'c>,
    prices: &'p mut Prices<'p>,
    modes: Vec<Vec<Mode>>,
    is_priced: Vec<bool>,
    /// `own[node][mode]` is the cost of a node in a mode. It does not include conversions.
    own: Vec<Vec<Cost>>,
    slices: Slices,
    /// The part of the cost that is the same in all assignments.
    base: Cost,
    /// Penalty per conversion, which is added to the cost of the conversion's plan.
    conversion_cost: Price,
    scope: Scope,
}

/// A set of modes, as a sorted list of pairs: a node, and a mode of this node.
type Members = Vec<(NodeId, usize)>;

impl<'p, 'c> AssignmentProblem<'p, 'c> {
    fn new(
        kernel: &'p mut Kernel<'c>,
        prices: &'p mut Prices<'p>,
        options: AssignmentOptions,
        modes: Vec<Vec<Mode>>,
    ) -> Self {
        // An operation with one mode has a constant cost, which matters only in reports on whole kernels.
        let is_part = options.scope == Scope::ViewsAndAccesses;
        let is_priced = modes.iter().map(|modes| !is_part || modes.len() > 1);
        let is_priced = is_priced.collect();
        let mut problem = Self {
            kernel,
            prices,
            modes,
            is_priced,
            own: Vec::new(),
            slices: Slices::new(options.conversion_cost),
            base: (0, 0),
            conversion_cost: options.conversion_cost,
            scope: options.scope,
        };
        problem.own = problem.own_prices();
        problem.open();
        problem
    }

    fn choose(&mut self) -> (Graph, Solution) {
        let conversions = self.conversions();
        // Cheaper sources of rematerialised values may make other modes better. A solution takes far longer than their
        // improvement, which is therefore made first.
        let mut improved = vec![0; self.modes.len()];
        let roots = self.roots(&improved);
        self.slices.improve(&roots);
        let mut solved = self.solve(&conversions, improved.clone());
        for _ in 0..MAX_ROUNDS {
            let choice = &solved.1.choice[..self.modes.len()];
            if *choice == improved {
                break;
            }
            improved = choice.to_vec();
            let roots = self.roots(&improved);
            if !self.slices.improve(&roots) {
                break;
            }
            solved = self.solve(&conversions, improved.clone());
        }
        solved
    }

    /// Registers in `slices` each encoding that a mode demands of a rematerialisable value. Then decides for each
    /// of these demands whether the value is rematerialised in the encoding, or converted to the encoding.
    ///
    /// Demands of nodes with only one mode occur in every assignment. If a mode of another node demands the same
    /// encodings, it causes no additional cost.
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
        self.slices.choose_sources(self.kernel, self.prices);
        self.slices.improve(&certain);
        self.slices.settle_again(self.kernel);
    }

    fn roots(&mut self, choice: &[u32]) -> Vec<usize> {
        let chosen: Vec<Spelling> = self
            .modes
            .iter()
            .zip(choice)
            .map(|(modes, choice)| modes[*choice as usize].spellings[0].clone())
            .collect();
        let nodes = chosen.iter().enumerate();
        nodes
            .flat_map(|(node, spelling)| self.demands(node, spelling))
            .collect()
    }

    /// Chooses a mode for each node. `start` has a mode for each node; the search starts with it.
    fn solve(
        &mut self,
        (edges, copies): &(Edges, Vec<Copy>),
        mut start: Vec<u32>,
    ) -> (Graph, Solution) {
        self.base = (0, 0);
        let mut own = self.own.clone();
        let mut shared = self.shared_slices();
        // A cost shared by all modes of a node is constant; a cost of one node only belongs to its modes.
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
        start.resize(graph.num_nodes(), 0);
        let solution = assign::solve(&graph, &start);
        (graph, solution)
    }

    /// Returns true if every assignment contains one of `members`. This is the case if all modes of some node are
    /// in `members`.
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
                    .map(|mode| {
                        self.prices
                            .operation(self.kernel, NodeOrSlice::Node(node), mode)
                    })
                    .collect();
                prices[0] = feasible(prices[0]);
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

    /// Returns the costs of providing rematerialisable values in the demanded encodings. The key of a cost is a set
    /// of modes: the cost is incurred if at least one of these modes is chosen.
    fn shared_slices(&mut self) -> BTreeMap<Members, Cost> {
        let mut demands = Vec::new();
        for node in 0..self.modes.len() {
            for mode in 0..self.modes[node].len() {
                let spelling = self.modes[node][mode].spellings[0].clone();
                demands.push(((node, mode), self.demands(node, &spelling)));
            }
        }
        let mut seen = VisitSet::default();
        let mut members: FxHashMap<Materialisation, (Members, Cost)> = FxHashMap::default();
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

    fn demands(&mut self, node: NodeId, spelling: &Spelling) -> Vec<usize> {
        let wanted: Vec<(DatumId, EncodingId)> = self.kernel.nodes[node]
            .uses
            .iter()
            .zip(&spelling.uses)
            .filter(|(used, _)| {
                let producer = self.kernel.datums[used.datum].producer;
                matches!(producer, Producer::Slice(..))
            })
            .map(|(used, encoding)| (used.datum, *encoding))
            .collect();
        wanted
            .into_iter()
            .map(|(datum, encoding)| self.slices.demand(self.kernel, datum, encoding))
            .collect()
    }

    /// Returns the costs of conversions.
    ///
    /// If only one node uses the converted value, the conversion is a graph edge. If several nodes use it, the
    /// conversion is a `Copy`.
    fn conversions(&mut self) -> (Edges, Vec<Copy>) {
        let mut edges = Edges::new();
        let mut copies = Vec::new();
        let mut users: Vec<BTreeMap<LayoutId, Members>> =
            vec![BTreeMap::new(); self.kernel.datums.len()];
        for node in 0..self.modes.len() {
            for (i, used) in self.kernel.nodes[node].uses.iter().enumerate() {
                let is_own = matches!(self.kernel.datums[used.datum].producer, Producer::Node(producer, _) if producer == node);
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
            let Producer::Node(producer, def) = self.kernel.datums[datum].producer else {
                continue;
            };
            for (layout, mut members) in wanted {
                members.sort_unstable();
                let prices = self.prices_of(datum, (producer, def), layout);
                if prices.iter().all(|price| *price == (0, 0)) {
                    continue;
                }
                let is_alone = members.iter().all(|(node, _)| *node == members[0].0);
                if is_alone {
                    let user = members[0].0;
                    let (rows, columns) = (prices.len(), self.modes[user].len());
                    let sums = edges
                        .entry((producer, user))
                        .or_insert_with(|| vec![(0, 0); rows * columns]);
                    for (row, price) in prices.iter().enumerate() {
                        for (_, column) in &members {
                            let sum = &mut sums[row * columns + column];
                            *sum = add(*sum, *price);
                        }
                    }
                } else {
                    copies.push((producer, prices, members));
                }
            }
        }
        (edges, copies)
    }

    /// Returns the costs of converting the value `datum` to `layout`, one for each mode of the producer.
    fn prices_of(
        &mut self,
        datum: DatumId,
        (producer, def): (NodeId, usize),
        layout: LayoutId,
    ) -> Vec<Cost> {
        let weight = self.kernel.datums[datum].weight;
        let modes = self.modes[producer].iter();
        modes
            .map(|mode| {
                let from = mode.defs[def];
                if from == layout {
                    return (0, 0);
                }
                let (price, count) = self.prices.conversion_of(self.kernel, datum, from, layout);
                let penalty = self.conversion_cost.saturating_mul(count.into());
                (times(price, weight).saturating_add(penalty), count)
            })
            .collect()
    }

    /// Chooses a spelling, i.e. a list of encodings, for the mode of each node in a solution. Spellings of a mode
    /// have the same layouts. The choice minimises the number of conversions between different encodings that have
    /// the same layout.
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
            let (producer, def) = match self.kernel.datums[datum].producer {
                Producer::Node(producer, def) => (producer, def),
                Producer::Slice(..) => continue,
            };
            for (encoding, mut members) in wanted {
                members.sort_unstable();
                let spellings = chosen[producer].spellings.iter();
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
                graph.copy(ids[producer], prices, flags);
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

    fn assignment(&mut self, nodes: Vec<Spelling>, solution: &Solution) -> Assignment {
        let mut roots = Vec::new();
        for (node, spelling) in nodes.iter().enumerate() {
            roots.extend(self.demands(node, spelling));
        }
        self.slices.choose_sources(self.kernel, self.prices);
        self.slices.improve(&roots);
        let mut materialisations: BTreeMap<Materialisation, MaterialisationCost> = BTreeMap::new();
        let conversion_cost = self.conversion_cost;
        let visit = |item, spelling: Option<&Spelling>, mut price: Cost| {
            if matches!(item, Materialisation::Convert(..)) {
                price.0 = price.0.saturating_sub(conversion_cost);
            }
            let cost = MaterialisationCost {
                price,
                spelling: spelling.cloned(),
            };
            materialisations.insert(item, cost);
        };
        self.slices
            .visit(roots, self.kernel, &mut VisitSet::default(), visit);
        let mut sum = (0, 0);
        for (node, spelling) in nodes.iter().enumerate() {
            let uses = 0..self.kernel.nodes[node].uses.len();
            for i in uses {
                let datum = self.kernel.nodes[node].uses[i].datum;
                let Producer::Node(producer, def) = self.kernel.datums[datum].producer else {
                    continue;
                };
                let (from, to) = (nodes[producer].defs[def], spelling.uses[i]);
                let item = Materialisation::Convert(datum, from, to);
                if from != to && !materialisations.contains_key(&item) {
                    let (price, count) = convert(self.kernel, self.prices, datum, from, to);
                    let price = (times(price, self.kernel.datums[datum].weight), count);
                    let spelling = None;
                    materialisations.insert(item, MaterialisationCost { price, spelling });
                }
            }
            if self.is_priced[node]
                && let Some(mode) = self.kernel.mode(NodeOrSlice::Node(node), spelling.clone())
            {
                let price = self
                    .prices
                    .operation(self.kernel, NodeOrSlice::Node(node), &mode);
                let is_present = spelling == &self.kernel.present(NodeOrSlice::Node(node));
                let price = if is_present { feasible(price) } else { price };
                sum = add(sum, (times(price, self.kernel.nodes[node].weight), 0));
            }
        }
        for cost in materialisations.values() {
            sum = add(sum, cost.price);
        }
        let weighed = self.conversion_cost.saturating_mul(sum.1.into());
        Assignment {
            largest: self.largest(&nodes, &materialisations),
            nodes,
            materialisations,
            price: sum,
            before: present(self.kernel, self.prices, &self.is_priced),
            bound: solution.bound.saturating_sub(weighed),
            conversion_cost,
        }
    }

    /// Returns the operation or conversion that exceeds the scratch budget by the largest amount. Returns `None` if
    /// none exceeds it.
    fn largest(
        &mut self,
        nodes: &[Spelling],
        materialisations: &BTreeMap<Materialisation, MaterialisationCost>,
    ) -> Option<ScratchOverflow> {
        let budget = self.prices.scratch_budget()?;
        let mut largest: Option<ScratchOverflow> = None;
        let mut take = |bytes: u32, of: NodeOrSlice, is_conversion: bool| {
            if bytes > largest.map_or(budget, |known| known.bytes) {
                largest = Some(ScratchOverflow {
                    bytes,
                    of,
                    is_conversion,
                });
            }
        };
        for (node, spelling) in nodes.iter().enumerate() {
            if let Some(mode) = self.kernel.mode(NodeOrSlice::Node(node), spelling.clone()) {
                let bytes = self
                    .prices
                    .scratch_bytes(self.kernel, NodeOrSlice::Node(node), &mode);
                take(bytes, NodeOrSlice::Node(node), false);
            }
        }
        for item in materialisations.keys() {
            if let Materialisation::Convert(datum, from, to) = *item {
                let (shape, bits) = (
                    self.kernel.datums[datum].shape,
                    self.kernel.datums[datum].element_bits,
                );
                let layouts =
                    [from, to].map(|encoding| self.kernel.catalogue.layout(encoding, shape));
                if let [Some(from), Some(to)] = layouts {
                    let of = match self.kernel.datums[datum].producer {
                        Producer::Node(node, _) => NodeOrSlice::Node(node),
                        Producer::Slice(slice, _) => NodeOrSlice::Slice(slice),
                    };
                    let bytes = self.prices.conversion_bytes(self.kernel, from, to, bits);
                    take(bytes, of, true);
                }
            }
        }
        largest
    }
}

/// Conversion costs, keyed by producer and user. The costs are in row-major order: one row per mode of the
/// producer, and one column per mode of the user.
type Edges = BTreeMap<(NodeId, NodeId), Vec<Cost>>;
/// A conversion whose result is shared by several users. The tuple contains the producer, the cost for each mode of
/// the producer, and the modes of the users that need the converted value.
type Copy = (NodeId, Vec<Cost>, Members);
