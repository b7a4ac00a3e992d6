//! Local search, for networks whose treewidth is too large for elimination.

use super::cost::LexCost;
use super::eliminate::Elimination;
use super::expand::{Expansion, fuse_proposal};
use super::network::Network;
use super::order::Order;

/// Number of rounds without improvement after which the search stops.
const PATIENCE: u32 = 12;

#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) choice: Vec<u32>,
    pub(super) cost: LexCost,
}

/// A local search with two kinds of moves.
///
/// - A round fixes a few variables, and optimises all others over all their values. It can fail to improve if a
///   fixed variable has expensive edges.
/// - An expansion changes connected variables together, but considers only two values of each variable.
#[derive(Debug)]
pub(super) struct LocalSearch<'a> {
    network: &'a Network,
    /// Maximum number of entries of a table.
    limit: u64,
    /// The search starts no further move after it has visited this many table entries.
    max_steps: u64,
    /// The search also stops at this cost, a lower bound of all costs.
    bound: LexCost,
    pub(super) steps: u64,
}

impl<'a> LocalSearch<'a> {
    pub(super) fn new(
        network: &'a Network,
        limit: u64,
        max_steps: u64,
        bound: LexCost,
    ) -> LocalSearch<'a> {
        LocalSearch {
            network,
            limit,
            max_steps,
            bound,
            steps: 0,
        }
    }

    fn ends(&self, best: &Candidate) -> bool {
        self.steps >= self.max_steps || best.cost == self.bound
    }

    pub(super) fn priced(&self, choice: Vec<u32>) -> Candidate {
        Candidate {
            cost: self.network.cost(&choice),
            choice,
        }
    }

    /// Runs rounds of large-neighbourhood search until `PATIENCE` rounds bring no improvement.
    ///
    /// Each round fixes variables until tables have at most `limit` entries, and solves exactly for the free
    /// variables. It prefers to fix the variables that earlier rounds fixed least often. No round increases the
    /// cost.
    pub(super) fn improve(&mut self, best: &mut Candidate) {
        let network = self.network;
        let mut times = vec![0; network.sizes.len()];
        let mut quiet = 0;
        while quiet < PATIENCE && !self.ends(best) {
            let order = Order::fixing(network, self.limit, &times);
            for &var in &order.fixed {
                times[var as usize] += 1;
            }
            let round = Elimination::in_order(network, &order, &best.choice);
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

    /// Tries an expansion for every value of every variable. Repeats this until no expansion lowers the cost.
    pub(super) fn expand(&mut self, best: &mut Candidate) {
        let network = self.network;
        let mut spread = Expansion::new(network);
        let mut again = true;
        while std::mem::take(&mut again) {
            for &var in &network.live {
                for value in 0..network.sizes[var as usize] {
                    if self.ends(best) {
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

    /// Replaces values in `best` with values of `other` if this lowers the cost. Returns true if the cost is lower.
    pub(super) fn fuse(&mut self, best: &mut Candidate, other: &[u32]) -> bool {
        let (choices, steps) = fuse_proposal(self.network, &best.choice, other, self.limit);
        self.steps += steps;
        let mut is_cheaper = false;
        for choice in choices {
            is_cheaper |= self.take(best, choice);
        }
        is_cheaper
    }

    /// Replaces `best` with `choice` if `choice` costs less, or costs the same and is lexicographically smaller.
    /// Returns true if `choice` costs less.
    fn take(&self, best: &mut Candidate, choice: Vec<u32>) -> bool {
        let new = self.priced(choice);
        let is_cheaper = new.cost < best.cost;
        if (new.cost, &new.choice) < (best.cost, &best.choice) {
            *best = new;
        }
        is_cheaper
    }
}
