//! Cheaper assignments of networks that are too entangled to be eliminated.

use super::cost::Cost;
use super::eliminate::Eliminated;
use super::expand::{Spread, fused};
use super::network::Network;
use super::order::Order;

/// After so many rounds in which nothing became cheaper, nothing is tried any more.
const PATIENCE: u32 = 12;

/// An assignment, and what it costs.
#[derive(Debug)]
pub(super) struct Improved {
    pub(super) choice: Vec<u32>,
    pub(super) cost: Cost,
}

/// Makes assignments of a network cheaper.
///
/// The two moves see different things: rounds choose among all values, but keep a few variables as they are, which
/// holds the others where prices of edges are high; spreading a layout takes along what hangs together, but each
/// variable has two values only.
#[derive(Debug)]
pub(super) struct Mover<'a> {
    network: &'a Network,
    /// The most entries of a table.
    limit: u64,
    /// After so many entries no further move is begun.
    max_steps: u64,
    pub(super) steps: u64,
}

impl<'a> Mover<'a> {
    pub(super) fn new(network: &'a Network, limit: u64, max_steps: u64) -> Mover<'a> {
        Mover {
            network,
            limit,
            max_steps,
            steps: 0,
        }
    }

    pub(super) fn priced(&self, choice: Vec<u32>) -> Improved {
        Improved {
            cost: self.network.cost(&choice),
            choice,
        }
    }

    /// Chooses most variables at once, until that does not make it cheaper any more.
    ///
    /// Each round keeps the values of as few variables as it takes for tables of at most `limit` entries, and
    /// chooses all others at once, exactly. Rounds keep those that were kept least often, so that each variable is
    /// free in most of them. The assignment before is one of those that a round chooses from: no round makes it
    /// dearer.
    pub(super) fn improve(&mut self, best: &mut Improved) {
        let network = self.network;
        let mut times = vec![0; network.sizes.len()];
        let mut quiet = 0;
        while quiet < PATIENCE && self.steps < self.max_steps {
            let order = Order::fixing(network, self.limit, &times);
            for &var in &order.fixed {
                times[var as usize] += 1;
            }
            let round = Eliminated::in_order(network, &order, &best.choice);
            let mut choice = best.choice.clone();
            round.choose(&mut choice);
            self.steps += round.steps + order.entries;
            quiet = match self.take(best, choice) {
                true => 0,
                false => quiet + 1,
            };
            if order.fixed.is_empty() {
                break;
            }
        }
    }

    /// Spreads each value of each variable, until none makes it cheaper.
    pub(super) fn expand(&mut self, best: &mut Improved) {
        let network = self.network;
        let mut spread = Spread::new(network);
        let mut again = true;
        while std::mem::take(&mut again) {
            for &var in &network.live {
                for value in 0..network.sizes[var as usize] {
                    if self.steps >= self.max_steps {
                        return;
                    }
                    if best.choice[var as usize] != value {
                        let proposal = spread.from(&best.choice, var, value);
                        self.steps += std::mem::take(&mut spread.steps);
                        again |= self.fuse(best, &proposal);
                    }
                }
            }
        }
    }

    /// Takes from another assignment what makes this one cheaper.
    pub(super) fn fuse(&mut self, best: &mut Improved, other: &[u32]) -> bool {
        let (choices, steps) = fused(self.network, &best.choice, other, self.limit);
        self.steps += steps;
        let mut is_cheaper = false;
        for choice in choices {
            is_cheaper |= self.take(best, choice);
        }
        is_cheaper
    }

    /// Takes an assignment if it is cheaper, or as cheap and earlier; `true` if it is cheaper.
    fn take(&self, best: &mut Improved, choice: Vec<u32>) -> bool {
        let new = self.priced(choice);
        let is_cheaper = new.cost < best.cost;
        if (new.cost, &new.choice) < (best.cost, &best.choice) {
            *best = new;
        }
        is_cheaper
    }
}
