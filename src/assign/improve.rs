//! Cheaper assignments of networks that are too entangled to be eliminated.

use super::cost::Cost;
use super::eliminate::Eliminated;
use super::network::Network;
use super::order::Order;

/// After so many rounds in which nothing became cheaper, nothing is tried any more.
const PATIENCE: u32 = 12;

/// An assignment, and what it costs.
#[derive(Debug)]
pub(super) struct Improved {
    pub(super) choice: Vec<u32>,
    pub(super) cost: Cost,
    pub(super) steps: u64,
}

/// Makes an assignment cheaper until that does not work any more.
///
/// Each round keeps the values of as few variables as it takes for tables of at most `limit` entries, and chooses
/// all others at once, exactly. Rounds keep those that were kept least often, so that each variable is free in
/// most of them. The assignment before is one of those that a round chooses from: no round makes it dearer.
pub(super) fn improved(network: &Network, start: &[u32], limit: u64, max_steps: u64) -> Improved {
    let mut best = Improved {
        cost: network.cost(start),
        choice: start.to_vec(),
        steps: 0,
    };
    let mut times = vec![0; network.sizes.len()];
    let mut quiet = 0;
    while quiet < PATIENCE && best.steps < max_steps {
        let order = Order::fixing(network, limit, &times);
        for &var in &order.fixed {
            times[var as usize] += 1;
        }
        let round = Eliminated::in_order(network, &order, &best.choice);
        let mut choice = best.choice.clone();
        round.choose(&mut choice);
        best.steps += round.steps + order.entries;
        let cost = network.cost(&choice);
        quiet += 1;
        if cost < best.cost {
            quiet = 0;
        }
        if (cost, &choice) < (best.cost, &best.choice) {
            (best.cost, best.choice) = (cost, choice);
        }
        if order.fixed.is_empty() {
            break;
        }
    }
    best
}
