//! The cheapest assignment.

use super::cost::Cost;
use super::eliminate::Eliminated;
use super::first::Cheapest;
use super::graph::{Graph, INFEASIBLE, NodeId, Price};
use super::improve::{Improved, Mover};
use super::network::Network;
use super::order::Order;
use super::prune::Pruned;
use super::relax::relaxed;
use std::mem;

/// The search that found an assignment, and so what is proved of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// By elimination: no assignment is cheaper, none as cheap has fewer conversions, and none that is equal in
    /// both is earlier.
    Eliminated,
    /// By moves, and the bound shows that no assignment is cheaper, or as cheap with fewer conversions.
    Bounded,
    /// By moves: `bound` says how far from the optimum the price may be.
    Improved,
}

/// An assignment, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The alternative of each node, in program order.
    pub choice: Vec<u32>,
    /// The exact price of `choice`: what [`Graph::price`] says.
    pub price: Price,
    /// The conversions of `choice`.
    pub conversions: u32,
    /// No assignment is cheaper than this, whatever the graph: shared terms count as they are paid.
    pub bound: Price,
    /// The search that found it.
    pub how: How,
    /// The number of table entries that were visited: a measure of time that does not depend on the machine.
    pub steps: u64,
}

/// How large tables may be, in entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// A joint table.
    pub(super) table: u64,
    /// All joint tables together, where all nodes are eliminated.
    pub(super) all: u64,
    /// A table that is worth making before it is known whether all can be eliminated.
    pub(super) few: u64,
    /// The tables of a bound, or of a round of moves: so many are shared among the nodes.
    pub(super) round: u64,
    /// All tables of moves, after which no further round is begun.
    pub(super) moves: u64,
}

impl Limits {
    pub(super) const USUAL: Limits = Limits {
        table: 1_000_000,
        all: 30_000_000,
        few: 4096,
        round: 2_000_000,
        moves: 20_000_000,
    };
}

/// Returns an assignment that is as cheap as can be, and never dearer than `start`.
///
/// Graphs of kernels are nearly trees, and are solved exactly. Where the joint tables of an entangled graph would
/// have more than a million entries, the result is the best that moves find; then `bound` says how good it is.
/// Of assignments of one price, that with the fewest conversions is taken, and of those the first in the order
/// of alternatives, node by node in program order. A start that is infeasible is allowed. If there is no feasible
/// assignment, the price is [`INFEASIBLE`].
///
/// The result depends on the graph and the start only, not on the order in which edges were added.
///
/// # Panics
/// If `start` does not have one alternative for each node.
#[must_use]
pub fn solve(graph: &Graph, start: &[u32]) -> Solution {
    solve_with(graph, start, Limits::USUAL)
}

/// Solves with tables that are not larger than these limits.
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
        how: found.how,
        steps: found.steps,
    }
}

/// Returns the price of the best assignment that is found with a node forced to be `alternative`.
///
/// # Panics
/// If the node, or its alternative, is of another graph.
#[must_use]
pub fn next_best(graph: &Graph, solution: &Solution, node: NodeId, alternative: u32) -> Price {
    let mut forced = graph.clone();
    forced.force(node, alternative);
    let mut start = solution.choice.clone();
    start[node.index()] = alternative;
    solve(&forced, &start).price
}

/// What is found for a network.
pub(super) struct Found {
    /// The alternatives of the nodes.
    pub(super) choice: Vec<u32>,
    /// No assignment costs less.
    pub(super) bound: Cost,
    pub(super) how: How,
    pub(super) steps: u64,
}

/// The cheapest assignment of a graph's network that is found.
fn best(network: &Network, graph: &Graph, start: &[u32], limits: Limits) -> Found {
    if let Some(found) = eliminated(network, limits) {
        return found;
    }
    let low = Order::up_to(network, limits.few);
    let core = Eliminated::in_order(network, &low, &[]).rest(network);
    let pruned = Pruned::new(network, core);
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

/// The first of the cheapest assignments, if joint tables are small enough.
fn eliminated(network: &Network, limits: Limits) -> Option<Found> {
    let order = Order::up_to(network, limits.table);
    if !order.is_whole || order.entries > limits.all {
        return None;
    }
    let eliminated = Eliminated::in_order(network, &order, &[]);
    let mut choice = vec![0; network.sizes.len()];
    let mut steps = eliminated.steps + network.sizes.len() as u64;
    if eliminated.choose(&mut choice) {
        let nodes = (0..).take(network.num_nodes());
        let mut cheapest = Cheapest::new(&eliminated);
        cheapest.first(nodes, &mut choice);
        steps += cheapest.steps;
    }
    choice.truncate(network.num_nodes());
    Some(Found {
        choice,
        bound: eliminated.constant,
        how: How::Eliminated,
        steps,
    })
}

/// The cheapest assignment that moves find from the start, and from what the bound suggests.
fn moved(network: &Network, start: Vec<u32>, limits: Limits) -> Found {
    let low = Order::up_to(network, limits.few);
    let outside = Eliminated::in_order(network, &low, &[]);
    let core = outside.rest(network);
    let share = limits.round / (core.live.len() as u64).max(1);
    let limit = share.clamp(limits.few, limits.table);
    let relaxed = relaxed(&core, limit);
    let mut suggested = vec![0; network.sizes.len()];
    relaxed.choose(&mut suggested);
    let mut steps = outside.steps + relaxed.steps;
    let mut mover = Mover::new(&core, limit, limits.moves);
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
    let Improved { cost, mut choice } = best;
    outside.choose(&mut choice);
    choice.truncate(network.num_nodes());
    let how = match cost == relaxed.constant {
        true => How::Bounded,
        false => How::Improved,
    };
    Found {
        choice,
        bound: relaxed.constant,
        how,
        steps,
    }
}
