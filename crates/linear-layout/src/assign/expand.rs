//! Expansion and fusion moves: each variable either keeps its value or takes its value in a proposed assignment.

use super::cost::LexCost;
use super::eliminate::Elimination;
use super::network::Network;
use super::order::Order;
use std::collections::VecDeque;

/// Maximum number of variables that get a new value in one proposal of an [`Expansion`].
const MAX_SPREAD: usize = 100;

/// Returns the network in which each variable can only take its value in `choice` or its value in `proposal`. If
/// these are equal, the variable is fixed.
///
/// Constant costs are omitted, so costs are comparable only within the restricted network.
fn restrict_to_pairs(network: &Network, choice: &[u32], proposal: &[u32]) -> Network {
    let differs = |var: u32| choice[var as usize] != proposal[var as usize];
    let mut restricted = network.empty();
    for (size, (old, new)) in restricted.sizes.iter_mut().zip(choice.iter().zip(proposal)) {
        *size = if old == new { 1 } else { 2 };
    }
    let live = network.live.iter().copied();
    restricted.live = live.filter(|&var| differs(var)).collect();
    let factors = network.factors.iter();
    let touched = factors.filter(|factor| factor.scope.iter().any(|&var| differs(var)));
    let parts = touched.map(|factor| factor.restrict_to_pair(&network.sizes, choice, proposal));
    restricted.factors = parts.collect();
    restricted
}

/// Combines two assignments at the lowest cost. Each variable takes either its value in `choice` or its value in
/// `proposal`. Returns one or two combined assignments, and the number of visited table entries.
///
/// The first assignment costs no more than `choice`. If a table would exceed `limit` entries, some variables are
/// fixed, and two assignments are returned. The fixed variables have their values from `choice` in the first
/// assignment, and their values from `proposal` in the second assignment.
pub(super) fn fuse_proposal(
    network: &Network,
    choice: &[u32],
    proposal: &[u32],
    limit: u64,
) -> (Vec<Vec<u32>>, u64) {
    let restricted = restrict_to_pairs(network, choice, proposal);
    let times = vec![0; restricted.sizes.len()];
    let order = Order::fixing(&restricted, limit, &times);
    let mut steps = network.factors.len() as u64;
    let sides = if order.fixed.is_empty() { 1 } else { 2 };
    let mut results = Vec::new();
    for side in 0..sides {
        let sides = restricted.sizes.iter().map(|&size| side.min(size - 1));
        let mut taken: Vec<u32> = sides.collect();
        let eliminated = Elimination::in_order(&restricted, &order, &taken);
        eliminated.choose(&mut taken);
        steps += eliminated.steps;
        let both = choice.iter().zip(proposal).zip(&taken);
        let both = both.map(|((&old, &new), &taken)| if taken == 1 { new } else { old });
        results.push(both.collect());
    }
    (results, steps)
}

/// A generator of proposals. It changes the value of one variable, and then adapts the variables around it.
#[derive(Debug)]
pub(super) struct Expansion<'a> {
    network: &'a Network,
    /// For each variable, the indices of the tables that contain the variable.
    of_var: Vec<Vec<usize>>,
    pub(super) steps: u64,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(network: &'a Network) -> Expansion<'a> {
        let mut of_var = vec![Vec::new(); network.sizes.len()];
        for (at, factor) in network.factors.iter().enumerate() {
            for &var in &factor.scope {
                of_var[var as usize].push(at);
            }
        }
        Expansion {
            network,
            of_var,
            steps: 0,
        }
    }

    /// Returns a proposal in which `var` has the value `value`. The variables around `var` are then visited,
    /// nearest first. Each gets the value with the lowest cost, given the values of the variables visited before.
    /// The search ends after [`MAX_SPREAD`] changes.
    pub(super) fn from(&mut self, choice: &[u32], var: u32, value: u32) -> Vec<u32> {
        let mut proposal = choice.to_vec();
        let mut is_met = vec![false; choice.len()];
        let mut has_chosen = vec![false; choice.len()];
        let mut queue = VecDeque::from([var]);
        is_met[var as usize] = true;
        let mut changed = 0;
        while let Some(next) = queue.pop_front().filter(|_| changed < MAX_SPREAD) {
            has_chosen[next as usize] = true;
            proposal[next as usize] = match next == var {
                true => value,
                false => self.cheapest_value(next, &has_chosen, &mut proposal),
            };
            changed += usize::from(proposal[next as usize] != choice[next as usize]);
            for &at in &self.of_var[next as usize] {
                for &other in &self.network.factors[at].scope {
                    if !std::mem::replace(&mut is_met[other as usize], true) {
                        queue.push_back(other);
                    }
                }
            }
        }
        proposal
    }

    /// Returns the value of `var` with the lowest cost, summed over those tables whose other variables all have a
    /// chosen value. Ties are broken by the unary cost.
    fn cheapest_value(&mut self, var: u32, has_chosen: &[bool], proposal: &mut [u32]) -> u32 {
        let sizes = &self.network.sizes;
        let mut row = vec![(LexCost::ZERO, LexCost::ZERO); sizes[var as usize] as usize];
        proposal[var as usize] = 0;
        for &at in &self.of_var[var as usize] {
            let factor = &self.network.factors[at];
            if factor
                .scope
                .iter()
                .any(|&other| !has_chosen[other as usize])
            {
                continue;
            }
            let first = factor.offset(sizes, proposal);
            let stride = factor.stride(sizes, var);
            for (value, (edges, own)) in row.iter_mut().enumerate() {
                let sum = if factor.scope.len() > 1 { edges } else { own };
                *sum = sum.plus(factor.table[first + value * stride]);
            }
            self.steps += row.len() as u64;
        }
        let cheapest = (0..).zip(&row).min_by_key(|(value, cost)| (**cost, *value));
        cheapest.map_or(0, |(value, _)| value)
    }
}
