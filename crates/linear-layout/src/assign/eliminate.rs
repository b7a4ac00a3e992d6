//! Bucket elimination: variables are minimised out one by one, then assigned in reverse order.

use super::cost::LexCost;
use super::factor::{Adder, CostTable};
use super::network::Network;
use super::order::Order;

/// A bucket: an eliminated variable, the tables that contained it, and the tables that replace them.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) var: u32,
    /// Indices of the tables that contained the variable.
    pub(super) inputs: Vec<usize>,
    /// Indices of the resulting tables. An exact elimination has one resulting table.
    pub(super) outputs: Vec<usize>,
}

/// The state of an elimination.
///
/// Adding all tables that contain a variable, and minimising over the values of that variable, gives a table over its
/// neighbours. The network with that table instead has the same optimal cost. After all variables are eliminated, the
/// remaining table is a single number: the optimal cost.
///
/// ```text
/// a   10 12        a-b   0 5        the table of b is then  min(0 + 10, 5 + 12) = 10
/// b    3  1              5 0                                min(5 + 10, 0 + 12) = 12
/// b + that = 13 13, so the optimum is 13: b = 0, then a = 0
/// ```
#[derive(Debug)]
pub(super) struct Elimination<'a> {
    pub(super) sizes: &'a [u32],
    /// The tables of the network, which have the first table indices.
    originals: &'a [CostTable],
    /// The tables that the elimination has computed. Their indices follow the indices of `originals`.
    derived: Vec<CostTable>,
    /// At the index of each table, true if the table was replaced when one of its variables was eliminated.
    is_consumed: Vec<bool>,
    /// Buckets in elimination order.
    pub(super) buckets: Vec<Bucket>,
    /// The term of the cost that is the same for all assignments.
    pub(super) constant: LexCost,
    /// Number of table entries that the elimination has summed.
    pub(super) steps: u64,
    /// Indices of the tables of each variable.
    of_var: Vec<Vec<usize>>,
    adder: Adder,
}

impl<'a> Elimination<'a> {
    pub(super) fn new(network: &'a Network) -> Elimination<'a> {
        let mut new = Elimination {
            sizes: &network.sizes,
            originals: &network.factors,
            derived: Vec::with_capacity(network.live.len()),
            is_consumed: Vec::with_capacity(network.factors.len() + network.live.len()),
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

    /// Eliminates variables in the order `order`. The variables that `order` fixes are not eliminated; they keep their
    /// values in `choice`.
    pub(super) fn in_order(network: &'a Network, order: &Order, choice: &[u32]) -> Elimination<'a> {
        let mut new = Elimination::new(network);
        for &var in &order.fixed {
            for at in new.consume(var) {
                let value = |other: u32| (other == var).then(|| choice[var as usize]);
                let rest = new.table(at).restrict(new.sizes, value);
                new.steps += rest.table.len() as u64;
                new.add(rest);
            }
        }
        for step in &order.steps {
            new.eliminate(step.var, &step.beside);
        }
        new
    }

    /// Adds a table and returns its index. For a table without variables, adds its entry to `constant` and returns
    /// `None`.
    pub(super) fn add(&mut self, factor: CostTable) -> Option<usize> {
        if factor.scope.is_empty() {
            self.constant = self.constant.plus(factor.table[0]);
            return None;
        }
        let at = self.enter(&factor.scope);
        self.derived.push(factor);
        Some(at)
    }

    /// Registers a new table over the variables `scope`, and returns its index.
    fn enter(&mut self, scope: &[u32]) -> usize {
        let at = self.is_consumed.len();
        for &var in scope {
            self.of_var[var as usize].push(at);
        }
        self.is_consumed.push(false);
        at
    }

    pub(super) fn table(&self, at: usize) -> &CostTable {
        let derived = at.checked_sub(self.originals.len());
        derived.map_or_else(|| &self.originals[at], |at| &self.derived[at])
    }

    /// Returns the joint table of a variable: the sum of `tables` for each combination of the values of `beside` and
    /// `var`. The entries for the values of `var` are contiguous.
    pub(super) fn joint(&mut self, var: u32, beside: &[u32], tables: &[usize]) -> Vec<LexCost> {
        let mut adder = std::mem::take(&mut self.adder);
        let factors: Vec<&CostTable> = tables.iter().map(|&at| self.table(at)).collect();
        let mut joint = Vec::new();
        adder.sums(self.sizes, beside, var, &factors, |row| {
            joint.extend_from_slice(row);
        });
        self.adder = adder;
        self.steps += joint.len() as u64;
        joint
    }

    /// Marks the tables that contain a variable as consumed, and returns their indices.
    pub(super) fn consume(&mut self, var: u32) -> Vec<usize> {
        let mut tables = std::mem::take(&mut self.of_var[var as usize]);
        tables.retain(|&at| !std::mem::replace(&mut self.is_consumed[at], true));
        tables
    }

    /// Eliminates a variable: replaces the tables that contain it by one table of minima over its values. `beside` has
    /// the other variables of the replaced tables.
    fn eliminate(&mut self, var: u32, beside: &[u32]) {
        let inputs = self.consume(var);
        let mut adder = std::mem::take(&mut self.adder);
        let factors: Vec<&CostTable> = inputs.iter().map(|&at| self.table(at)).collect();
        let rest = adder.minimise(self.sizes, beside, var, &factors);
        self.adder = adder;
        self.steps += rest.table.len() as u64 * u64::from(self.sizes[var as usize]);
        let outputs = self.add(rest).into_iter().collect();
        self.buckets.push(Bucket {
            var,
            inputs,
            outputs,
        });
    }

    /// Returns the network of the variables that have not been eliminated.
    pub(super) fn rest(&self, network: &Network) -> Network {
        let mut gone = vec![false; self.sizes.len()];
        for bucket in &self.buckets {
            gone[bucket.var as usize] = true;
        }
        let left = (0..self.is_consumed.len()).filter(|&at| !self.is_consumed[at]);
        let live = network.live.iter().copied();
        Network {
            live: live.filter(|&var| !gone[var as usize]).collect(),
            factors: left.map(|at| self.table(at).clone()).collect(),
            constant: self.constant,
            ..network.empty()
        }
    }

    /// Assigns a value to each eliminated variable, in reverse order of elimination. The value is the cheapest given
    /// the variables assigned so far, or the first of several equally cheap values. Returns true if a variable had
    /// several cheapest values.
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

    /// Returns the cost of each value of a bucket's variable, given the values of all other variables.
    pub(super) fn row(&self, bucket: &Bucket, choice: &mut [u32]) -> Vec<LexCost> {
        choice[bucket.var as usize] = 0;
        let mut row = vec![LexCost::ZERO; self.sizes[bucket.var as usize] as usize];
        for &at in &bucket.inputs {
            let factor = self.table(at);
            let first = factor.offset(self.sizes, choice);
            let stride = factor.stride(self.sizes, bucket.var);
            for (value, sum) in row.iter_mut().enumerate() {
                *sum = sum.plus(factor.table[first + value * stride]);
            }
        }
        row
    }
}
