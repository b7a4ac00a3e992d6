//! Moves in which each variable keeps its value or takes that of a proposal.

use super::cost::Cost;
use super::eliminate::Eliminated;
use super::network::Network;
use super::order::Order;
use std::collections::VecDeque;

/// The most variables that a proposal changes.
const MAX_SPREAD: usize = 100;

/// A network where each variable has a value or that of a proposal: two values, or none to choose.
///
/// What does not depend on the choice is left out, so costs are only good for comparing.
fn between(network: &Network, choice: &[u32], proposal: &[u32]) -> Network {
    let differs = |var: u32| choice[var as usize] != proposal[var as usize];
    let mut two = network.empty();
    for (size, (old, new)) in two.sizes.iter_mut().zip(choice.iter().zip(proposal)) {
        *size = if old == new { 1 } else { 2 };
    }
    let live = network.live.iter().copied();
    two.live = live.filter(|&var| differs(var)).collect();
    let factors = network.factors.iter();
    let touched = factors.filter(|factor| factor.scope.iter().any(|&var| differs(var)));
    let parts = touched.map(|factor| factor.between(&network.sizes, choice, proposal));
    two.factors = parts.collect();
    two
}

/// Returns what is best of each variable's value here and in the proposal, and the entries that it took.
///
/// Where tables would have more than `limit` entries, variables are fixed: in the first result as they are here, so
/// that it is not dearer than `choice`, and in the second one as they are in the proposal.
pub(super) fn fused(
    network: &Network,
    choice: &[u32],
    proposal: &[u32],
    limit: u64,
) -> (Vec<Vec<u32>>, u64) {
    let two = between(network, choice, proposal);
    let times = vec![0; two.sizes.len()];
    let order = Order::fixing(&two, limit, &times);
    let mut steps = network.factors.len() as u64;
    let sides = if order.fixed.is_empty() { 1 } else { 2 };
    let mut fused = Vec::new();
    for side in 0..sides {
        let sides = two.sizes.iter().map(|&size| side.min(size - 1));
        let mut taken: Vec<u32> = sides.collect();
        let eliminated = Eliminated::in_order(&two, &order, &taken);
        eliminated.choose(&mut taken);
        steps += eliminated.steps;
        let both = choice.iter().zip(proposal).zip(&taken);
        let both = both.map(|((&old, &new), &taken)| if taken == 1 { new } else { old });
        fused.push(both.collect());
    }
    (fused, steps)
}

/// Makes proposals: what follows if a variable takes a value.
#[derive(Debug)]
pub(super) struct Spread<'a> {
    network: &'a Network,
    /// The tables that each variable is in.
    of_var: Vec<Vec<usize>>,
    pub(super) steps: u64,
}

impl<'a> Spread<'a> {
    pub(super) fn new(network: &'a Network) -> Spread<'a> {
        let mut of_var = vec![Vec::new(); network.sizes.len()];
        for (at, factor) in network.factors.iter().enumerate() {
            for &var in &factor.scope {
                of_var[var as usize].push(at);
            }
        }
        Spread {
            network,
            of_var,
            steps: 0,
        }
    }

    /// The assignment where a variable takes a value, and those around it, the nearest first, what suits those that
    /// have chosen before best: so a layout spreads as far as it needs no conversion.
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
                false => self.suited(next, &has_chosen, &mut proposal),
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

    /// The value of a variable that costs least in tables with those that have chosen; of equal ones, that which
    /// costs least itself.
    fn suited(&mut self, var: u32, has_chosen: &[bool], proposal: &mut [u32]) -> u32 {
        let sizes = &self.network.sizes;
        let mut row = vec![(Cost::ZERO, Cost::ZERO); sizes[var as usize] as usize];
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
            let first = factor.place(sizes, proposal);
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
