//! The cheapest assignment.

use super::graph::{Graph, NodeId, Price};

/// How an assignment was found, and so what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// No assignment is cheaper, or as cheap with fewer conversions, or equal in both and earlier.
    Optimal,
    /// No move made it cheaper; `bound` says how far from the optimum it may be.
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
    /// No assignment is cheaper than this.
    pub bound: Price,
    /// How it was found.
    pub how: How,
    /// How many entries of tables were looked at: the work, which grows as time does, on any machine.
    pub steps: u64,
}

/// Returns an assignment that is as cheap as can be, and never dearer than `start`.
///
/// Of assignments of one price, that with the fewest conversions is taken, and of those the first in the order
/// of alternatives, node by node in program order. A start that is infeasible is allowed.
///
/// # Panics
/// If `start` does not have one alternative for each node.
#[must_use]
pub fn solve(graph: &Graph, start: &[u32]) -> Solution {
    let mut choice = start.to_vec();
    let mut best = graph.price(&choice);
    let mut steps = 0;
    loop {
        let before = best;
        for node in graph.node_ids() {
            let old = choice[node.index()];
            let mut taken = old;
            for alternative in (0..).take(graph.alternatives(node)) {
                choice[node.index()] = alternative;
                steps += 1;
                let price = graph.price(&choice);
                if price < best {
                    (best, taken) = (price, alternative);
                }
            }
            choice[node.index()] = taken;
        }
        if best == before {
            break;
        }
    }
    let cheapest = |terms: &[super::graph::Term]| terms.iter().map(|t| t.price).min().unwrap_or(0);
    let nodes = graph.nodes().iter().map(|terms| cheapest(terms));
    let edges = graph.edges().iter().map(|edge| cheapest(&edge.terms));
    let bound = nodes.chain(edges).fold(0, Price::saturating_add);
    let how = match bound == best.0 && best.1 == 0 {
        true => How::Optimal,
        false => How::Improved,
    };
    Solution {
        choice,
        price: best.0,
        conversions: best.1,
        bound,
        how,
        steps,
    }
}

/// Returns the price of the best assignment that was found with `node` forced to be `alternative`.
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
