//! Alternatives that another one is always cheaper than.

use super::cost::Cost;
use super::factor::Factor;
use super::network::Network;

/// A network without the values that another value of the variable is cheaper than, whatever the others are.
#[derive(Debug)]
pub(super) struct Pruned {
    pub(super) network: Network,
    /// For each variable, the values that are left, by their numbers in the network before.
    kept: Vec<Vec<u32>>,
    /// For each variable and value of the network before, the value that took its place.
    instead: Vec<Vec<u32>>,
    /// How many entries were compared.
    pub(super) steps: u64,
}

impl Pruned {
    /// Takes values out of a network until none is left that another is always cheaper than; which ones, is seen
    /// in `core`, which is what is left of the network after the elimination of some variables.
    ///
    /// A value that is only as cheap as another stays, so that no assignment of the least cost is lost.
    pub(super) fn new(whole: &Network, mut core: Network) -> Pruned {
        let size = |&size: &u32| (0..size).collect();
        let kept: Vec<Vec<u32>> = core.sizes.iter().map(size).collect();
        let mut pruned = Pruned {
            network: whole.clone(),
            instead: kept.clone(),
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
                while let Some((worse, better)) = pruned.worse(network, var, tables) {
                    pruned.drop_value(network, var, worse, better, tables);
                    again = true;
                }
            }
        }
        pruned.keep();
        pruned
    }

    /// Takes out of the network what is not kept.
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

    /// A value that another one is always cheaper than, and that one.
    fn worse(&mut self, network: &Network, var: u32, tables: &[usize]) -> Option<(u32, u32)> {
        let size = network.sizes[var as usize];
        let tables = || tables.iter().map(|&at| &network.factors[at]);
        for worse in 0..size {
            for better in (0..size).filter(|&better| better != worse) {
                let mut saved = Cost::ZERO;
                let mut added = Cost::ZERO;
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
        for instead in &mut self.instead[var as usize] {
            if *instead == gone {
                *instead = taker;
            }
        }
    }

    /// An assignment of the network before, as one of the pruned network that is at most as dear.
    pub(super) fn enter(&self, choice: &[u32]) -> Vec<u32> {
        let vars = choice.iter().zip(&self.instead).zip(&self.kept);
        let place = |((&value, instead), kept): ((&u32, &Vec<u32>), &Vec<u32>)| {
            let value = instead[value as usize];
            let at = kept.iter().position(|&other| other == value);
            at.map_or(0, |at| u32::try_from(at).unwrap_or(0))
        };
        vars.map(place).collect()
    }

    /// An assignment of the pruned network, as one of the network before.
    pub(super) fn leave(&self, choice: &[u32]) -> Vec<u32> {
        let vars = choice.iter().zip(&self.kept);
        vars.map(|(&value, kept)| kept[value as usize]).collect()
    }
}

/// By how much `better` can be dearer than `worse` in a table, or by how much it is cheaper at least.
fn difference(
    network: &Network,
    factor: &Factor,
    var: u32,
    better: u32,
    worse: u32,
) -> (Cost, Cost) {
    let stride = factor.stride(&network.sizes, var);
    let block = stride * network.sizes[var as usize] as usize;
    let (mut more, mut less) = (Cost::ZERO, None::<Cost>);
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

/// A table without one value of a variable.
fn without(factor: &Factor, sizes: &[u32], var: u32, value: u32) -> Factor {
    let stride = factor.stride(sizes, var);
    let size = sizes[var as usize] as usize;
    let entries = factor.table.iter().enumerate();
    let kept = entries.filter(|(at, _)| at / stride % size != value as usize);
    Factor {
        scope: factor.scope.clone(),
        table: kept.map(|(_, &cost)| cost).collect(),
    }
}
