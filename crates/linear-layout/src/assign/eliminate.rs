//! Elimination: a variable is minimised away, until none is left; then each takes its value.

use super::cost::Cost;
use super::factor::{Adder, Factor};
use super::network::Network;
use super::order::Order;

/// A variable that was eliminated.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) var: u32,
    /// The tables that it was in.
    pub(super) inputs: Vec<usize>,
    /// The tables that are left of them; those of one that was eliminated exactly are one.
    pub(super) outputs: Vec<usize>,
}

/// What elimination has made of a network.
///
/// Adding up the tables that a variable is in, and keeping the least over its values, gives a table over those
/// beside it. What is least for the smaller network is least for the whole: the last one is a number.
///
/// ```text
/// a   10 12        a-b   0 5        the table of b is then  min(0 + 10, 5 + 12) = 10
/// b    3  1              5 0                                min(5 + 10, 0 + 12) = 12
/// b + that = 13 13, and the optimum is 13: b = 0, so a = 0
/// ```
#[derive(Debug)]
pub(super) struct Eliminated<'a> {
    pub(super) sizes: &'a [u32],
    /// The tables of the network, which are the first ones.
    given: &'a [Factor],
    /// The tables that were made, behind them.
    made: Vec<Factor>,
    /// Which tables a variable's bucket has taken.
    taken: Vec<bool>,
    /// In the order in which they were eliminated.
    pub(super) buckets: Vec<Bucket>,
    /// What is paid in any case.
    pub(super) constant: Cost,
    /// How many entries were added up.
    pub(super) steps: u64,
    /// The tables that each variable is in.
    of_var: Vec<Vec<usize>>,
    adder: Adder,
}

impl<'a> Eliminated<'a> {
    /// A network of which nothing is eliminated yet.
    pub(super) fn new(network: &'a Network) -> Eliminated<'a> {
        let mut new = Eliminated {
            sizes: &network.sizes,
            given: &network.factors,
            made: Vec::with_capacity(network.live.len()),
            taken: Vec::with_capacity(network.factors.len() + network.live.len()),
            buckets: Vec::with_capacity(network.live.len()),
            constant: network.constant,
            steps: 0,
            of_var: vec![Vec::new(); network.sizes.len()],
            adder: Adder::default(),
        };
        for factor in &network.factors {
            new.enter(&factor.scope);
        }
        new
    }

    /// Eliminates in that order, with the variables that it fixes at the values of `choice`.
    pub(super) fn in_order(network: &'a Network, order: &Order, choice: &[u32]) -> Eliminated<'a> {
        let mut new = Eliminated::new(network);
        for &var in &order.fixed {
            for at in new.take(var) {
                let value = |other: u32| (other == var).then(|| choice[var as usize]);
                let rest = new.table(at).given(new.sizes, value);
                new.steps += rest.table.len() as u64;
                new.add(rest);
            }
        }
        for step in &order.steps {
            new.eliminate(step.var, &step.beside);
        }
        new
    }

    /// Adds a table; one of no variable is a number.
    pub(super) fn add(&mut self, factor: Factor) -> Option<usize> {
        if factor.scope.is_empty() {
            self.constant = self.constant.plus(factor.table[0]);
            return None;
        }
        let at = self.enter(&factor.scope);
        self.made.push(factor);
        Some(at)
    }

    /// Numbers the next table.
    fn enter(&mut self, scope: &[u32]) -> usize {
        let at = self.taken.len();
        for &var in scope {
            self.of_var[var as usize].push(at);
        }
        self.taken.push(false);
        at
    }

    /// A table by its number.
    pub(super) fn table(&self, at: usize) -> &Factor {
        let made = at.checked_sub(self.given.len());
        made.map_or_else(|| &self.given[at], |at| &self.made[at])
    }

    /// The sum of tables for each combination of `beside` and, next to each other, each value of `var`.
    pub(super) fn joint(&mut self, var: u32, beside: &[u32], tables: &[usize]) -> Vec<Cost> {
        let mut adder = std::mem::take(&mut self.adder);
        let factors: Vec<&Factor> = tables.iter().map(|&at| self.table(at)).collect();
        let mut joint = Vec::new();
        adder.sums(self.sizes, beside, var, &factors, |row| {
            joint.extend_from_slice(row);
        });
        self.adder = adder;
        self.steps += joint.len() as u64;
        joint
    }

    /// Takes the tables that a variable is in.
    pub(super) fn take(&mut self, var: u32) -> Vec<usize> {
        let mut tables = std::mem::take(&mut self.of_var[var as usize]);
        tables.retain(|&at| !std::mem::replace(&mut self.taken[at], true));
        tables
    }

    /// Minimises a variable away; `beside` are the others of its tables.
    fn eliminate(&mut self, var: u32, beside: &[u32]) {
        let inputs = self.take(var);
        let mut adder = std::mem::take(&mut self.adder);
        let factors: Vec<&Factor> = inputs.iter().map(|&at| self.table(at)).collect();
        let rest = adder.minimised(self.sizes, beside, var, &factors);
        self.adder = adder;
        self.steps += rest.table.len() as u64 * u64::from(self.sizes[var as usize]);
        let outputs = self.add(rest).into_iter().collect();
        self.buckets.push(Bucket {
            var,
            inputs,
            outputs,
        });
    }

    /// The network that is left of what was not eliminated.
    pub(super) fn rest(&self, network: &Network) -> Network {
        let mut gone = vec![false; self.sizes.len()];
        for bucket in &self.buckets {
            gone[bucket.var as usize] = true;
        }
        let left = (0..self.taken.len()).filter(|&at| !self.taken[at]);
        let live = network.live.iter().copied();
        Network {
            live: live.filter(|&var| !gone[var as usize]).collect(),
            factors: left.map(|at| self.table(at).clone()).collect(),
            constant: self.constant,
            ..network.empty()
        }
    }

    /// Gives each variable that was eliminated the value that is cheapest beside the others, the first of equal
    /// ones; `true` if there were equal ones.
    pub(super) fn choose(&self, choice: &mut [u32]) -> bool {
        let mut had_ties = false;
        for bucket in self.buckets.iter().rev() {
            let row = self.row(bucket, choice);
            let least = row.iter().copied().min().unwrap_or_default();
            let mut equal = (0..).zip(&row).filter(|(_, cost)| **cost == least);
            choice[bucket.var as usize] = equal.next().map_or(0, |(at, _)| at);
            had_ties |= equal.next().is_some();
        }
        had_ties
    }

    /// What each value of a bucket's variable costs beside the others'.
    pub(super) fn row(&self, bucket: &Bucket, choice: &mut [u32]) -> Vec<Cost> {
        choice[bucket.var as usize] = 0;
        let mut row = vec![Cost::ZERO; self.sizes[bucket.var as usize] as usize];
        for &at in &bucket.inputs {
            let factor = self.table(at);
            let first = factor.place(self.sizes, choice);
            let stride = factor.stride(self.sizes, bucket.var);
            for (value, sum) in row.iter_mut().enumerate() {
                *sum = sum.plus(factor.table[first + value * stride]);
            }
        }
        row
    }
}
