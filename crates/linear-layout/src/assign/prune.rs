//! Removal of dominated alternatives.

use super::cost::LexCost;
use super::factor::CostTable;
use super::network::Network;

/// A network without dominated values.
///
/// A value of a variable is dominated if another value of that variable always costs less, for all values of
/// all other variables.
#[derive(Debug)]
pub(super) struct PrunedNetwork {
    pub(super) network: Network,
    /// For each variable, the original numbers of the values that remain.
    kept: Vec<Vec<u32>>,
    /// The values that replace dominated values: `replacement[var][value]` replaces the value `value` of the
    /// variable `var`. A value that remains replaces itself. All values are original numbers.
    replacement: Vec<Vec<u32>>,
    /// Number of compared table entries.
    pub(super) steps: u64,
}

impl PrunedNetwork {
    /// Removes values from `whole` until no value is dominated. Values are compared in the network `core`, which
    /// results from `whole` by the elimination of some variables.
    ///
    /// If two values have equal costs, both are kept, so that no optimal assignment is lost.
    pub(super) fn new(whole: &Network, mut core: Network) -> PrunedNetwork {
        let size = |&size: &u32| (0..size).collect();
        let kept: Vec<Vec<u32>> = core.sizes.iter().map(size).collect();
        let mut pruned = PrunedNetwork {
            network: whole.clone(),
            replacement: kept.clone(),
            kept,
            steps: 0,
        };
        let network = &mut core;
        let mut of_var = vec![Vec::new(); network.sizes.len()];
        for (at, factor) in network.factors.iter().enumerate() {
            for &var in &factor.scope {
                of_var[var as usize].push(at);
            }
        }
        let mut again = true;
        while std::mem::take(&mut again) {
            for var in network.live.clone() {
                let tables = &of_var[var as usize];
                while let Some((worse, better)) = pruned.find_dominated(network, var, tables) {
                    pruned.drop_value(network, var, worse, better, tables);
                    again = true;
                }
            }
        }
        pruned.keep();
        pruned
    }

    /// Restricts the network to the values in `kept`.
    fn keep(&mut self) {
        let Network { sizes, factors, .. } = &mut self.network;
        for (var, kept) in (0..).zip(&self.kept) {
            let size = sizes[var as usize];
            if kept.len() == size as usize {
                continue;
            }
            for value in (0..size).rev().filter(|value| !kept.contains(value)) {
                for factor in factors.iter_mut().filter(|f| f.scope.contains(&var)) {
                    *factor = without(factor, sizes, var, value);
                }
                sizes[var as usize] -= 1;
            }
        }
    }

    /// Returns a dominated value of `var` and a value that dominates it, as `(worse, better)`.
    fn find_dominated(
        &mut self,
        network: &Network,
        var: u32,
        tables: &[usize],
    ) -> Option<(u32, u32)> {
        let size = network.sizes[var as usize];
        let tables = || tables.iter().map(|&at| &network.factors[at]);
        for worse in 0..size {
            for better in (0..size).filter(|&better| better != worse) {
                let mut saved = LexCost::ZERO;
                let mut added = LexCost::ZERO;
                for factor in tables() {
                    self.steps += factor.table.len() as u64 / u64::from(size);
                    let (more, less) = difference(network, factor, var, better, worse);
                    added = added.plus(more);
                    saved = saved.plus(less);
                }
                if added < saved {
                    return Some((worse, better));
                }
            }
        }
        None
    }

    fn drop_value(
        &mut self,
        network: &mut Network,
        var: u32,
        worse: u32,
        better: u32,
        tables: &[usize],
    ) {
        for &at in tables {
            network.factors[at] = without(&network.factors[at], &network.sizes, var, worse);
        }
        network.sizes[var as usize] -= 1;
        let kept = &mut self.kept[var as usize];
        let taker = kept[better as usize];
        let gone = kept.remove(worse as usize);
        for replacement in &mut self.replacement[var as usize] {
            if *replacement == gone {
                *replacement = taker;
            }
        }
    }

    /// Translates an assignment from the original numbers of values to the numbers in the pruned network. Each
    /// dominated value becomes the value that replaced it, so the cost does not rise.
    pub(super) fn enter(&self, choice: &[u32]) -> Vec<u32> {
        let vars = choice.iter().zip(&self.replacement).zip(&self.kept);
        let map = |((&value, replacement), kept): ((&u32, &Vec<u32>), &Vec<u32>)| {
            let value = replacement[value as usize];
            let at = kept.iter().position(|&other| other == value);
            at.map_or(0, |at| u32::try_from(at).unwrap_or(0))
        };
        vars.map(map).collect()
    }

    /// Translates an assignment from the numbers of values in the pruned network to the original numbers.
    pub(super) fn leave(&self, choice: &[u32]) -> Vec<u32> {
        let vars = choice.iter().zip(&self.kept);
        vars.map(|(&value, kept)| kept[value as usize]).collect()
    }
}

/// Compares the costs of the values `better` and `worse` of `var` in all entries of one table. Returns two amounts:
/// the greatest amount by which `better` costs more than `worse` in any entry, and the least amount by which
/// `better` costs less in any entry. Each amount is at least 0.
fn difference(
    network: &Network,
    factor: &CostTable,
    var: u32,
    better: u32,
    worse: u32,
) -> (LexCost, LexCost) {
    let stride = factor.stride(&network.sizes, var);
    let block = stride * network.sizes[var as usize] as usize;
    let (mut more, mut less) = (LexCost::ZERO, None::<LexCost>);
    for values in factor.table.chunks(block) {
        let of = |value: u32| values[value as usize * stride..].iter().take(stride);
        for (&better, &worse) in of(better).zip(of(worse)) {
            more = more.max(better - worse);
            let saved = worse - better;
            less = Some(less.map_or(saved, |less| less.min(saved)));
        }
    }
    (more, less.unwrap_or_default())
}

fn without(factor: &CostTable, sizes: &[u32], var: u32, value: u32) -> CostTable {
    let stride = factor.stride(sizes, var);
    let size = sizes[var as usize] as usize;
    let entries = factor.table.iter().enumerate();
    let kept = entries.filter(|(at, _)| at / stride % size != value as usize);
    CostTable {
        scope: factor.scope.clone(),
        table: kept.map(|(_, &cost)| cost).collect(),
    }
}
