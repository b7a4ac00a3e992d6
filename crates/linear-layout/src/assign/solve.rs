//! The solver: exact elimination where tables fit, local search with a bound otherwise.

use super::cost::LexCost;
use super::eliminate::Elimination;
use super::first::OptimalAssignments;
use super::graph::{Graph, INFEASIBLE, NodeId, Price};
use super::improve::{Candidate, LocalSearch};
use super::network::Network;
use super::order::Order;
use super::prune::PrunedNetwork;
use super::relax::relax;
use std::mem;

/// The search that found an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveMethod {
    /// Elimination. The assignment is optimal: lowest price, then fewest conversions, then lexicographically first.
    Elimination,
    /// Local search that reached the lower bound. The price is the lowest, and the number of conversions is the
    /// fewest at that price.
    BoundedSearch,
    /// Local search that did not reach the lower bound. The optimal price is between `bound` and `price`.
    LocalSearch,
}

/// An assignment with its price and a lower bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The alternative of each node, in program order.
    pub choice: Vec<u32>,
    /// The exact price of `choice`, as [`Graph::price`] computes it.
    pub price: Price,
    /// Number of conversions in `choice`.
    pub conversions: u32,
    /// A lower bound on the price of every assignment.
    pub bound: Price,
    /// The search that found the assignment.
    pub method: SolveMethod,
    /// Number of table entries visited, a measure of solving time that does not depend on the machine.
    pub steps: u64,
}

/// Limits of table sizes, in entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Maximum number of entries in one joint table.
    pub(super) table: u64,
    /// Maximum number of entries in all joint tables of an exact elimination together.
    pub(super) all: u64,
    /// Maximum number of entries of a joint table in the elimination that shrinks the network before pruning and
    /// before local search. Also a lower bound on the table limit of local search.
    pub(super) few: u64,
    /// Approximate number of entries in all tables together, in the relaxation or in one round of local search. The
    /// limit of each table is this number divided by the number of variables. If the quotient is below `few` or
    /// above `table`, the limit is `few` or `table` instead.
    pub(super) round: u64,
    /// Local search starts no further move after it has visited this many table entries.
    pub(super) moves: u64,
}

impl Limits {
    pub(super) const USUAL: Limits = Limits {
        table: 200_000,
        all: 3_000_000,
        few: 1024,
        round: 100_000,
        moves: 150_000,
    };
}

/// Returns the cheapest assignment found. It never costs more than `start`, which may be infeasible. If no
/// assignment is feasible, the price is [`INFEASIBLE`].
///
/// The solution is exact if, after the removal of dominated alternatives, no joint table exceeds 200 000
/// entries and all joint tables together do not exceed 3 million. Graphs of kernels are nearly trees and meet
/// these limits. An exact solution breaks ties in price by fewer conversions, then by the first alternatives in
/// program order. Larger graphs are solved by local search, and `bound` limits the distance from the optimum.
///
/// The result does not depend on the order in which edges were added.
///
/// # Panics
/// Panics if `start` does not have one alternative for each node.
#[must_use]
pub fn solve(graph: &Graph, start: &[u32]) -> Solution {
    solve_with(graph, start, Limits::USUAL)
}

pub(super) fn solve_with(graph: &Graph, start: &[u32], limits: Limits) -> Solution {
    let network = Network::new(graph);
    let found = best(&network, graph, start, limits);
    let priced = [start.to_vec(), found.choice].map(|choice| (graph.price(&choice), choice));
    let [first, second] = priced;
    let ((price, conversions), choice) = first.min(second);
    let bound = match found.bound >= network.forbidden {
        true => INFEASIBLE,
        false => found.bound.price(),
    };
    Solution {
        choice,
        price,
        conversions,
        bound,
        method: found.method,
        steps: found.steps,
    }
}

/// Returns the lowest price found for an assignment that gives `node` the alternative `alternative`. The search
/// starts from `solution`.
///
/// # Panics
/// Panics if `graph` does not have the node, or the node does not have the alternative.
#[must_use]
pub fn next_best(graph: &Graph, solution: &Solution, node: NodeId, alternative: u32) -> Price {
    let mut forced = graph.clone();
    forced.force(node, alternative);
    let mut start = solution.choice.clone();
    start[node.index()] = alternative;
    solve(&forced, &start).price
}

pub(super) struct SearchResult {
    pub(super) choice: Vec<u32>,
    pub(super) bound: LexCost,
    pub(super) method: SolveMethod,
    pub(super) steps: u64,
}

fn best(network: &Network, graph: &Graph, start: &[u32], limits: Limits) -> SearchResult {
    if let Some(found) = eliminated(network, limits) {
        return found;
    }
    let low = Order::up_to(network, limits.few);
    let core = Elimination::in_order(network, &low, &[]).rest(network);
    let pruned = PrunedNetwork::new(network, core);
    let start = pruned.enter(&network.complete(graph, start));
    let mut found = match eliminated(&pruned.network, limits) {
        Some(found) => found,
        None => moved(&pruned.network, start, limits),
    };
    found.choice.resize(network.sizes.len(), 0);
    found.choice = pruned.leave(&found.choice);
    found.choice.truncate(network.num_nodes());
    found.steps += pruned.steps + low.entries;
    found
}

/// Returns the lexicographically first optimum, found by exact elimination. Returns `None` if joint tables would
/// exceed the limits.
fn eliminated(network: &Network, limits: Limits) -> Option<SearchResult> {
    let order = Order::up_to(network, limits.table);
    if !order.is_whole || order.entries > limits.all {
        return None;
    }
    let eliminated = Elimination::in_order(network, &order, &[]);
    let mut choice = vec![0; network.sizes.len()];
    let mut steps = eliminated.steps + network.sizes.len() as u64;
    if eliminated.choose(&mut choice) {
        let nodes = (0..).take(network.num_nodes());
        let mut cheapest = OptimalAssignments::new(&eliminated);
        cheapest.first(nodes, &mut choice);
        steps += cheapest.steps;
    }
    choice.truncate(network.num_nodes());
    Some(SearchResult {
        choice,
        bound: eliminated.constant,
        method: SolveMethod::Elimination,
        steps,
    })
}

/// Runs local search from two assignments: from `start`, and from an assignment that is read off the relaxation of
/// the network. Combines the two results, continues the search, and returns the best assignment found.
fn moved(network: &Network, start: Vec<u32>, limits: Limits) -> SearchResult {
    let low = Order::up_to(network, limits.few);
    let outside = Elimination::in_order(network, &low, &[]);
    let core = outside.rest(network);
    let share = limits.round / (core.live.len() as u64).max(1);
    let limit = share.clamp(limits.few, limits.table);
    let relaxed = relax(&core, limit);
    let mut suggested = vec![0; network.sizes.len()];
    relaxed.choose(&mut suggested);
    let mut steps = outside.steps + relaxed.steps;
    let mut mover = LocalSearch::new(&core, limit, limits.moves, relaxed.constant);
    let [mut best, mut other] = [start, suggested].map(|start| {
        let mut found = mover.priced(start);
        mover.improve(&mut found);
        found
    });
    if (other.cost, &other.choice) < (best.cost, &best.choice) {
        mem::swap(&mut best, &mut other);
    }
    mover.fuse(&mut best, &other.choice);
    mover.expand(&mut best);
    mover.improve(&mut best);
    steps += mover.steps;
    let Candidate { cost, mut choice } = best;
    outside.choose(&mut choice);
    choice.truncate(network.num_nodes());
    let method = match cost == relaxed.constant {
        true => SolveMethod::BoundedSearch,
        false => SolveMethod::LocalSearch,
    };
    SearchResult {
        choice,
        bound: relaxed.constant,
        method,
        steps,
    }
}
