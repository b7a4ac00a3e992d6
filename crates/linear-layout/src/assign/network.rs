//! The cost network of a graph: variables, and cost tables over them.

use super::cost::LexCost;
use super::factor::CostTable;
use super::graph::{CostTerms, Graph, INFEASIBLE, NodeId, SharedTerm};

/// Variables with cost tables. The solver minimises the sum of the tables.
///
/// The first variables are the nodes of a graph. They are followed by helper variables. A shared term has a helper
/// variable if it involves more than two nodes, unless one member requests the term with every alternative. The
/// helper variable is 1 if the term is paid, and 0 otherwise. The value 0 is infeasible if a member requests the
/// term. If each helper variable has its cheapest feasible value, the cost of an assignment is [`Graph::price`].
///
/// An infeasible entry costs more than the sum of all feasible entries. So an optimum has as few infeasible entries
/// as possible.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// Number of values that each variable can take.
    pub(super) sizes: Vec<u32>,
    /// Variables that still need a value, in ascending order.
    pub(super) live: Vec<u32>,
    /// The cost tables. Each live variable has a unary table, and no two tables have the same set of variables.
    pub(super) factors: Vec<CostTable>,
    /// A cost that is part of the cost of every assignment.
    pub(super) constant: LexCost,
    /// Cost of an infeasible entry.
    pub(super) forbidden: LexCost,
    /// Indices of the shared terms that have a helper variable.
    pub(super) helpers: Vec<usize>,
}

struct TermCosts {
    forbidden: LexCost,
}

impl TermCosts {
    /// Returns the cost of alternative `at`, or `None` if the alternative is infeasible.
    fn feasible(terms: &CostTerms, at: usize) -> Option<LexCost> {
        let term = &terms.terms[at];
        (term.price != INFEASIBLE).then(|| LexCost::new(term))
    }

    #[inline]
    fn of(&self, terms: &CostTerms, at: usize) -> LexCost {
        TermCosts::feasible(terms, at).unwrap_or(self.forbidden)
    }

    /// Returns a cost that is greater than the cost of every feasible assignment.
    fn infeasible_bound(graph: &Graph) -> LexCost {
        let dearest = |terms: &CostTerms| {
            let all = 0..terms.terms.len();
            let costs = all.filter_map(|at| TermCosts::feasible(terms, at));
            costs.max().unwrap_or_default()
        };
        let nodes = graph.nodes().iter().map(dearest);
        let edges = graph.edges().iter().map(|edge| dearest(&edge.terms));
        let shared = graph.shared_terms().iter().map(|s| dearest(&s.terms));
        let sum = nodes
            .chain(edges)
            .chain(shared)
            .fold(LexCost::ZERO, LexCost::plus);
        sum.plus(LexCost::of_price(1))
    }
}

struct TableBuilder {
    sizes: Vec<u32>,
    unary: Vec<Vec<LexCost>>,
    binary: Vec<(u32, u32, Vec<LexCost>)>,
    constant: LexCost,
}

impl TableBuilder {
    fn new_variable(&mut self, costs: Vec<LexCost>) -> u32 {
        let var = u32::try_from(self.sizes.len()).expect("fewer than 2^32 variables");
        self.sizes
            .push(u32::try_from(costs.len()).expect("fewer than 2^32 alternatives"));
        self.unary.push(costs);
        var
    }

    fn add_unary(&mut self, var: u32, cost: impl Fn(usize) -> LexCost) {
        for (at, sum) in self.unary[var as usize].iter_mut().enumerate() {
            *sum = sum.plus(cost(at));
        }
    }

    fn add_binary(&mut self, a: u32, b: u32, cost: impl Fn(usize, usize) -> LexCost) {
        let size = |var: u32| self.sizes[var as usize] as usize;
        if a == b {
            return self.add_unary(a, |at| cost(at, at));
        }
        let (low, high) = (a.min(b), a.max(b));
        let (rows, columns) = (size(low), size(high));
        let mut table = Vec::with_capacity(rows * columns);
        for x in 0..rows {
            let row = 0..columns;
            match a < b {
                true => table.extend(row.map(|y| cost(x, y))),
                false => table.extend(row.map(|y| cost(y, x))),
            }
        }
        self.binary.push((low, high, table));
    }

    /// Builds the network. Binary tables over the same two variables are merged, and a binary table that is the sum
    /// of two unary tables is split into them.
    fn build(mut self) -> Network {
        self.binary.sort_by_key(|&(a, b, _)| (a, b));
        let mut merged: Vec<(u32, u32, Vec<LexCost>)> = Vec::with_capacity(self.binary.len());
        for (a, b, table) in std::mem::take(&mut self.binary) {
            match merged.last_mut() {
                Some(last) if (last.0, last.1) == (a, b) => {
                    for (sum, cost) in last.2.iter_mut().zip(table) {
                        *sum = sum.plus(cost);
                    }
                }
                _ => merged.push((a, b, table)),
            }
        }
        let mut factors = Vec::with_capacity(merged.len() + self.unary.len());
        for (a, b, table) in merged {
            match split_sum(&table, self.sizes[b as usize] as usize) {
                Some((rows, columns)) => {
                    self.add_unary(a, |at| rows[at]);
                    self.add_unary(b, |at| columns[at]);
                }
                None => factors.push(CostTable {
                    scope: vec![a, b],
                    table,
                }),
            }
        }
        let live = (0..).take(self.sizes.len());
        let unary = live.clone().zip(self.unary);
        factors.extend(unary.map(|(var, table)| CostTable {
            scope: vec![var],
            table,
        }));
        Network {
            live: live.collect(),
            sizes: self.sizes,
            factors,
            constant: self.constant,
            forbidden: LexCost::ZERO,
            helpers: Vec::new(),
        }
    }
}

/// Splits a table of two variables into row costs and column costs. Returns `None` if an entry is not the sum of
/// its row cost and its column cost.
///
/// ```text
/// 1 4
/// 3 6        rows 1 3, columns 0 3
/// ```
fn split_sum(table: &[LexCost], columns: usize) -> Option<(Vec<LexCost>, Vec<LexCost>)> {
    let first = &table[..columns];
    let is_sum = table.chunks(columns).skip(1).all(|row| {
        let mut pairs = row.iter().zip(first);
        pairs.all(|(cost, over)| cost.plus(first[0]) == row[0].plus(*over))
    });
    let least = first.iter().copied().min().filter(|_| is_sum)?;
    let at = first.iter().position(|&cost| cost == least)?;
    let rows = table.chunks(columns).map(|row| row[at]).collect();
    let over = first.iter().map(|&cost| cost - least).collect();
    Some((rows, over))
}

impl Network {
    pub(super) fn new(graph: &Graph) -> Network {
        let forbidden = TermCosts::infeasible_bound(graph);
        let costs = TermCosts { forbidden };
        let mut tables = TableBuilder {
            sizes: Vec::new(),
            unary: Vec::new(),
            binary: Vec::new(),
            constant: LexCost::ZERO,
        };
        for terms in graph.nodes() {
            let all = 0..terms.terms.len();
            tables.new_variable(all.map(|at| costs.of(terms, at)).collect());
        }
        for edge in graph.edges() {
            let columns = graph.alternatives(edge.b);
            tables.add_binary(var_of(edge.a), var_of(edge.b), |x, y| {
                costs.of(&edge.terms, x * columns + y)
            });
        }
        let mut helpers = Vec::new();
        for (at, shared) in graph.shared_terms().iter().enumerate() {
            if share(&mut tables, &costs, shared) {
                helpers.push(at);
            }
        }
        Network {
            forbidden,
            helpers,
            ..tables.build()
        }
    }

    /// Returns a network with the same variables, but without tables. No variable is live.
    pub(super) fn empty(&self) -> Network {
        Network {
            sizes: self.sizes.clone(),
            live: Vec::new(),
            factors: Vec::new(),
            constant: LexCost::ZERO,
            forbidden: self.forbidden,
            helpers: self.helpers.clone(),
        }
    }

    /// Returns the number of variables that are graph nodes. The helper variables of shared terms come after them.
    pub(super) fn num_nodes(&self) -> usize {
        self.sizes.len() - self.helpers.len()
    }

    /// Returns an assignment of all variables. It consists of `choice`, the assignment of the nodes, followed by
    /// the helper variables. A helper variable is 1 if a member requests its shared term.
    pub(super) fn complete(&self, graph: &Graph, choice: &[u32]) -> Vec<u32> {
        let mut whole = choice.to_vec();
        let shared = graph.shared_terms();
        whole.extend(self.helpers.iter().map(|&at| {
            let mut members = shared[at].members.iter();
            u32::from(members.any(|(node, asks)| asks[choice[node.index()] as usize]))
        }));
        whole
    }

    pub(super) fn cost(&self, choice: &[u32]) -> LexCost {
        let entry = |factor: &CostTable| factor.table[factor.offset(&self.sizes, choice)];
        let factors = self.factors.iter().map(entry);
        factors.fold(self.constant, LexCost::plus)
    }
}

fn var_of(node: NodeId) -> u32 {
    u32::try_from(node.index()).expect("nodes are numbered with 32 bits")
}

/// Adds the tables of a shared term. Returns true if a helper variable was created for the term.
fn share(tables: &mut TableBuilder, costs: &TermCosts, shared: &SharedTerm) -> bool {
    let all = 0..shared.terms.terms.len();
    let terms: Vec<LexCost> = all.map(|at| costs.of(&shared.terms, at)).collect();
    let mut members: Vec<(u32, Vec<bool>)> = Vec::new();
    for (node, asks) in &shared.members {
        match members.iter_mut().find(|(var, _)| *var == var_of(*node)) {
            Some((_, before)) => {
                let both = before.iter_mut().zip(asks);
                both.for_each(|(before, asks)| *before |= asks);
            }
            None => members.push((var_of(*node), asks.clone())),
        }
    }
    members.retain(|(_, asks)| asks.contains(&true));
    members.sort();
    if members.is_empty() || terms.iter().all(|&cost| cost == LexCost::ZERO) {
        return false;
    }
    let if_asked = |asked: bool, cost: LexCost| if asked { cost } else { LexCost::ZERO };
    let always = members.iter().any(|(_, asks)| !asks.contains(&false));
    match (shared.of.map(var_of), &members[..]) {
        (Some(of), _) if always => tables.add_unary(of, |x| terms[x]),
        (None, _) if always => tables.constant = tables.constant.plus(terms[0]),
        (Some(of), [(a, asks)]) => tables.add_binary(of, *a, |x, y| if_asked(asks[y], terms[x])),
        (None, [(a, asks)]) => tables.add_unary(*a, |x| if_asked(asks[x], terms[0])),
        (None, [(a, by_a), (b, by_b)]) => {
            tables.add_binary(*a, *b, |x, y| if_asked(by_a[x] || by_b[y], terms[0]));
        }
        (of, _) => {
            let own = if of.is_some() {
                LexCost::ZERO
            } else {
                terms[0]
            };
            let helper = tables.new_variable(vec![LexCost::ZERO, own]);
            if let Some(of) = of {
                tables.add_binary(of, helper, |x, paid| if_asked(paid == 1, terms[x]));
            }
            for (var, asks) in &members {
                let wrong = |x: usize, paid: usize| asks[x] && paid == 0;
                tables.add_binary(*var, helper, |x, paid| {
                    if_asked(wrong(x, paid), costs.forbidden)
                });
            }
            return true;
        }
    }
    false
}
