//! Bucket elimination: variables are minimised out one by one, then assigned in reverse order.

use super::cost::LexCost;
use super::factor::{Adder, CostTable};
use super::network::Network;
use super::order::Order;

/// An eliminated variable, with the tables before and after the elimination.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) var: u32,
    /// Indices of the tables that were added up to eliminate the variable.
    pub(super) inputs: Vec<usize>,
    /// Indices of the tables that replaced the inputs; at most one in an exact elimination.
    pub(super) outputs: Vec<usize>,
}

/// The state of an elimination.
///
/// Eliminating a variable adds up all tables with this variable, and minimises the sum over the values of the
/// variable. The result is one table over the neighbours, which replaces the tables. The optimal cost stays the
/// same. After the last variable, `constant` is the optimal cost.
///
/// ```text
/// a   10 12        a-b   0 5        the table of b is then  min(0 + 10, 5 + 12) = 10
/// b    3  1              5 0                                min(5 + 10, 0 + 12) = 12
/// b + that = 13 13, so the optimum is 13: b = 0, then a = 0
/// ```
#[derive(Debug)]
pub(super) struct Elimination<'a> {
    pub(super) sizes: &'a [u32],
    /// The tables of the network. They have the indices `0..originals.len()`.
    originals: &'a [CostTable],
    /// The computed tables. Their indices start at `originals.len()`.
    derived: Vec<CostTable>,
    /// For each table index, true if the table was replaced.
    is_consumed: Vec<bool>,
    pub(super) buckets: Vec<Bucket>,
    /// The cost that all assignments share.
    pub(super) constant: LexCost,
    /// Number of table entries that were added up so far.
    pub(super) steps: u64,
    /// For each variable, the indices of the tables that contain the variable.
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

    /// Eliminates variables in the order given by `order`. Each variable in `order.fixed` is first set to its value
    /// in `choice`.
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

    /// Adds a table and returns its index. Returns `None` for a table without variables, whose only entry is added
    /// to `constant`.
    pub(super) fn add(&mut self, factor: CostTable) -> Option<usize> {
        if factor.scope.is_empty() {
            self.constant = self.constant.plus(factor.table[0]);
            return None;
        }
        let at = self.enter(&factor.scope);
        self.derived.push(factor);
        Some(at)
    }

    /// Registers a table over the variables `scope`, and returns its index.
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

    /// Adds up the tables with the indices `tables`, and returns the entries of the sum. The sum has one entry for
    /// each combination of values of the variables `beside` and `var`; `var` varies fastest.
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

    /// Marks all tables that contain the variable `var` as consumed, and returns their indices.
    pub(super) fn consume(&mut self, var: u32) -> Vec<usize> {
        let mut tables = std::mem::take(&mut self.of_var[var as usize]);
        tables.retain(|&at| !std::mem::replace(&mut self.is_consumed[at], true));
        tables
    }

    /// Replaces all tables of `var` by one table over `beside`, the other variables of these tables.
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

    /// Returns the network of the variables that were not eliminated.
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

    /// Assigns the first cheapest value to each eliminated variable, in reverse order of elimination. Returns true if
    /// there were ties.
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

    /// Returns the cost of each value of the bucket's variable, given the other values in `choice`.
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
