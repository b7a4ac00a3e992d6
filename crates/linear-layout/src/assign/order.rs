//! Elimination orders and the table sizes that they need.

use super::network::Network;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The graph of live variables, with an edge between variables that share a table, and the cost of eliminating
/// each variable.
pub(super) struct Neighbours<'a> {
    sizes: &'a [u32],
    beside: Vec<BTreeSet<u32>>,
    /// For each variable, the cost of eliminating it; `None` if the variable is not live.
    keys: Vec<Option<Key>>,
    queue: BinaryHeap<Reverse<(Key, u32)>>,
    limit: u64,
}

/// The cost of eliminating a variable: (number of entries of its joint table, number of its neighbours). If the
/// number of entries exceeds `limit`, it is replaced by `limit + 1`.
type Key = (u64, usize);

impl<'a> Neighbours<'a> {
    pub(super) fn new(network: &'a Network, limit: u64) -> Neighbours<'a> {
        let mut beside = vec![BTreeSet::new(); network.sizes.len()];
        for factor in &network.factors {
            for &a in &factor.scope {
                beside[a as usize].extend(factor.scope.iter().copied().filter(|&b| b != a));
            }
        }
        let mut neighbours = Neighbours {
            sizes: &network.sizes,
            keys: vec![None; beside.len()],
            beside,
            queue: BinaryHeap::new(),
            limit,
        };
        for &var in &network.live {
            neighbours.renew(var);
        }
        neighbours
    }

    pub(super) fn of(&self, var: u32) -> Vec<u32> {
        self.beside[var as usize].iter().copied().collect()
    }

    /// Returns the variable that is cheapest to eliminate, and the number of entries of its joint table. Returns
    /// `None` if no variable is live.
    pub(super) fn least(&mut self) -> Option<(u32, u64)> {
        while let Some(&Reverse((key, var))) = self.queue.peek() {
            if self.keys[var as usize] == Some(key) {
                return Some((var, key.0));
            }
            self.queue.pop();
        }
        None
    }

    pub(super) fn remove(&mut self, var: u32) {
        self.keys[var as usize] = None;
        let beside = std::mem::take(&mut self.beside[var as usize]);
        for &other in &beside {
            self.beside[other as usize].remove(&var);
        }
        for &other in &beside {
            self.renew(other);
        }
    }

    /// Connects all variables in `vars` with each other, as the elimination of a variable does with its neighbours.
    pub(super) fn join(&mut self, vars: &[u32]) {
        for &a in vars {
            let others = vars.iter().copied().filter(|&b| b != a);
            self.beside[a as usize].extend(others);
        }
        for &var in vars {
            self.renew(var);
        }
    }

    /// Returns the variable to fix next; `None` if no variable is live. Prefers nodes to helper variables. Among
    /// these, prefers the variables that were fixed least often according to `times`, and then the variable with
    /// the most neighbours.
    fn to_fix(&self, num_nodes: usize, times: &[u32]) -> Option<u32> {
        let there = (0..).zip(&self.keys).filter(|(_, key)| key.is_some());
        there.map(|(var, _)| var).min_by_key(|&var| {
            let at = var as usize;
            (at >= num_nodes, times[at], Reverse(self.beside[at].len()))
        })
    }

    fn renew(&mut self, var: u32) {
        let beside = &self.beside[var as usize];
        let mut entries = u64::from(self.sizes[var as usize]);
        for &other in beside {
            entries = entries.saturating_mul(u64::from(self.sizes[other as usize]));
            if entries > self.limit {
                entries = self.limit + 1;
                break;
            }
        }
        let key = (entries, beside.len());
        if self.keys[var as usize].replace(key) != Some(key) {
            self.queue.push(Reverse((key, var)));
        }
    }
}

/// A step that eliminates the variable `var`. It results in a table over the neighbours in `beside`.
#[derive(Clone, Debug)]
pub(super) struct EliminationStep {
    pub(super) var: u32,
    pub(super) beside: Vec<u32>,
}

/// An elimination order whose joint tables do not exceed a limit.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    pub(super) steps: Vec<EliminationStep>,
    /// Variables that keep their values. Eliminating them would exceed the limit on table entries.
    pub(super) fixed: Vec<u32>,
    /// True if every variable is either eliminated or fixed.
    pub(super) is_whole: bool,
    /// Total number of entries of all joint tables.
    pub(super) entries: u64,
}

impl Order {
    /// Returns an order that repeatedly eliminates the cheapest variable. The order stops before a joint table that
    /// would have more than `limit` entries.
    pub(super) fn up_to(network: &Network, limit: u64) -> Order {
        Order::new(network, limit, None)
    }

    /// Returns an order that eliminates variables, cheapest first. If the next joint table would have more than
    /// `limit` entries, a variable is fixed instead. `times` counts how often earlier orders fixed each variable.
    pub(super) fn fixing(network: &Network, limit: u64, times: &[u32]) -> Order {
        Order::new(network, limit, Some(times))
    }

    fn new(network: &Network, limit: u64, times: Option<&[u32]>) -> Order {
        let mut neighbours = Neighbours::new(network, limit);
        let mut order = Order {
            is_whole: true,
            ..Order::default()
        };
        while let Some((var, entries)) = neighbours.least() {
            if entries > limit {
                let fixed = times.and_then(|times| neighbours.to_fix(network.num_nodes(), times));
                let Some(var) = fixed else {
                    order.is_whole = false;
                    break;
                };
                neighbours.remove(var);
                order.fixed.push(var);
                continue;
            }
            let beside = neighbours.of(var);
            neighbours.remove(var);
            neighbours.join(&beside);
            order.entries += entries;
            order.steps.push(EliminationStep { var, beside });
        }
        order
    }
}
