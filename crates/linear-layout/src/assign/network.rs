//! A graph as variables and tables between them.

use super::cost::Cost;
use super::factor::Factor;
use super::graph::{Graph, INFEASIBLE, NodeId, Shared, Terms};

/// Variables, and tables of costs between them, whose sum is to be as low as can be.
///
/// The first variables are the nodes of a graph. A shared term of more than two nodes is a variable of its own,
/// behind them: 1 if it is paid, 0 if not, which is infeasible beside a member that asks. So every term of the
/// graph is in the tables, exactly: an assignment of the nodes costs what [`Graph::price`] says, with the cheapest
/// values of the other variables.
///
/// Infeasible entries are as dear as all others together, and more: the cheapest assignment breaks as few rules as
/// can be.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// How many values each variable has.
    pub(super) sizes: Vec<u32>,
    /// The variables that are still to be chosen, ascending.
    pub(super) live: Vec<u32>,
    /// Each live variable has a table of its own among them; no two have the same scope.
    pub(super) factors: Vec<Factor>,
    /// What is paid in any case.
    pub(super) constant: Cost,
    /// The cost of what must not be.
    pub(super) forbidden: Cost,
    /// Which variables are shared terms, by the place of the term.
    pub(super) helpers: Vec<usize>,
}

/// A graph's costs, as they go into tables.
struct Costs {
    forbidden: Cost,
}

impl Costs {
    /// The cost of a choice; nothing if it is infeasible.
    fn feasible(terms: &Terms, at: usize) -> Option<Cost> {
        let term = &terms.terms[at];
        (term.price != INFEASIBLE).then(|| Cost::new(term))
    }

    #[inline]
    fn of(&self, terms: &Terms, at: usize) -> Cost {
        Costs::feasible(terms, at).unwrap_or(self.forbidden)
    }

    /// More than any feasible assignment costs.
    fn beyond(graph: &Graph) -> Cost {
        let dearest = |terms: &Terms| {
            let all = 0..terms.terms.len();
            let costs = all.filter_map(|at| Costs::feasible(terms, at));
            costs.max().unwrap_or_default()
        };
        let nodes = graph.nodes().iter().map(dearest);
        let edges = graph.edges().iter().map(|edge| dearest(&edge.terms));
        let shared = graph.shared_terms().iter().map(|s| dearest(&s.terms));
        let sum = nodes
            .chain(edges)
            .chain(shared)
            .fold(Cost::ZERO, Cost::plus);
        sum.plus(Cost::of_price(1))
    }
}

/// Tables of one and two variables while a network is made.
struct Tables {
    sizes: Vec<u32>,
    one: Vec<Vec<Cost>>,
    two: Vec<(u32, u32, Vec<Cost>)>,
    constant: Cost,
}

impl Tables {
    fn new_variable(&mut self, costs: Vec<Cost>) -> u32 {
        let var = u32::try_from(self.sizes.len()).expect("fewer than 2^32 variables");
        self.sizes
            .push(u32::try_from(costs.len()).expect("fewer than 2^32 alternatives"));
        self.one.push(costs);
        var
    }

    /// A cost for each value of a variable.
    fn add_one(&mut self, var: u32, cost: impl Fn(usize) -> Cost) {
        for (at, sum) in self.one[var as usize].iter_mut().enumerate() {
            *sum = sum.plus(cost(at));
        }
    }

    /// A cost for each pair of values.
    fn add_two(&mut self, a: u32, b: u32, cost: impl Fn(usize, usize) -> Cost) {
        let size = |var: u32| self.sizes[var as usize] as usize;
        if a == b {
            return self.add_one(a, |at| cost(at, at));
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
        self.two.push((low, high, table));
    }

    /// Tables between the same two variables become one; one that is the sum of a table of each is taken apart.
    fn factors(mut self) -> Network {
        self.two.sort_by_key(|&(a, b, _)| (a, b));
        let mut merged: Vec<(u32, u32, Vec<Cost>)> = Vec::with_capacity(self.two.len());
        for (a, b, table) in std::mem::take(&mut self.two) {
            match merged.last_mut() {
                Some(last) if (last.0, last.1) == (a, b) => {
                    for (sum, cost) in last.2.iter_mut().zip(table) {
                        *sum = sum.plus(cost);
                    }
                }
                _ => merged.push((a, b, table)),
            }
        }
        let mut factors = Vec::with_capacity(merged.len() + self.one.len());
        for (a, b, table) in merged {
            match apart(&table, self.sizes[b as usize] as usize) {
                Some((rows, columns)) => {
                    self.add_one(a, |at| rows[at]);
                    self.add_one(b, |at| columns[at]);
                }
                None => factors.push(Factor {
                    scope: vec![a, b],
                    table,
                }),
            }
        }
        let live = (0..).take(self.sizes.len());
        let one = live.clone().zip(self.one);
        factors.extend(one.map(|(var, table)| Factor {
            scope: vec![var],
            table,
        }));
        Network {
            live: live.collect(),
            sizes: self.sizes,
            factors,
            constant: self.constant,
            forbidden: Cost::ZERO,
            helpers: Vec::new(),
        }
    }
}

/// A table that is a cost for each row plus one for each column, as these two.
///
/// ```text
/// 1 4
/// 3 6        rows 1 3, columns 0 3
/// ```
fn apart(table: &[Cost], columns: usize) -> Option<(Vec<Cost>, Vec<Cost>)> {
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
    /// The network of a graph.
    pub(super) fn new(graph: &Graph) -> Network {
        let forbidden = Costs::beyond(graph);
        let costs = Costs { forbidden };
        let mut tables = Tables {
            sizes: Vec::new(),
            one: Vec::new(),
            two: Vec::new(),
            constant: Cost::ZERO,
        };
        for terms in graph.nodes() {
            let all = 0..terms.terms.len();
            tables.new_variable(all.map(|at| costs.of(terms, at)).collect());
        }
        for edge in graph.edges() {
            let columns = graph.alternatives(edge.b);
            tables.add_two(var_of(edge.a), var_of(edge.b), |x, y| {
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
            ..tables.factors()
        }
    }

    /// The network without tables and without variables to choose.
    pub(super) fn empty(&self) -> Network {
        Network {
            sizes: self.sizes.clone(),
            live: Vec::new(),
            factors: Vec::new(),
            constant: Cost::ZERO,
            forbidden: self.forbidden,
            helpers: self.helpers.clone(),
        }
    }

    /// How many variables are nodes of the graph; those behind them are shared terms.
    pub(super) fn num_nodes(&self) -> usize {
        self.sizes.len() - self.helpers.len()
    }

    /// An assignment of all variables, from one of the nodes.
    pub(super) fn complete(&self, graph: &Graph, choice: &[u32]) -> Vec<u32> {
        let mut whole = choice.to_vec();
        let shared = graph.shared_terms();
        whole.extend(self.helpers.iter().map(|&at| {
            let mut members = shared[at].members.iter();
            u32::from(members.any(|(node, asks)| asks[choice[node.index()] as usize]))
        }));
        whole
    }

    /// What an assignment costs.
    pub(super) fn cost(&self, choice: &[u32]) -> Cost {
        let entry = |factor: &Factor| factor.table[factor.place(&self.sizes, choice)];
        let factors = self.factors.iter().map(entry);
        factors.fold(self.constant, Cost::plus)
    }
}

fn var_of(node: NodeId) -> u32 {
    u32::try_from(node.index()).expect("nodes are numbered with 32 bits")
}

/// Adds a shared term; `true` if it is a variable of its own.
fn share(tables: &mut Tables, costs: &Costs, shared: &Shared) -> bool {
    let all = 0..shared.terms.terms.len();
    let terms: Vec<Cost> = all.map(|at| costs.of(&shared.terms, at)).collect();
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
    if members.is_empty() || terms.iter().all(|&cost| cost == Cost::ZERO) {
        return false;
    }
    let if_asked = |asked: bool, cost: Cost| if asked { cost } else { Cost::ZERO };
    let always = members.iter().any(|(_, asks)| !asks.contains(&false));
    match (shared.of.map(var_of), &members[..]) {
        (Some(of), _) if always => tables.add_one(of, |x| terms[x]),
        (None, _) if always => tables.constant = tables.constant.plus(terms[0]),
        (Some(of), [(a, asks)]) => tables.add_two(of, *a, |x, y| if_asked(asks[y], terms[x])),
        (None, [(a, asks)]) => tables.add_one(*a, |x| if_asked(asks[x], terms[0])),
        (None, [(a, by_a), (b, by_b)]) => {
            tables.add_two(*a, *b, |x, y| if_asked(by_a[x] || by_b[y], terms[0]));
        }
        (of, _) => {
            let own = if of.is_some() { Cost::ZERO } else { terms[0] };
            let helper = tables.new_variable(vec![Cost::ZERO, own]);
            if let Some(of) = of {
                tables.add_two(of, helper, |x, paid| if_asked(paid == 1, terms[x]));
            }
            for (var, asks) in &members {
                let wrong = |x: usize, paid: usize| asks[x] && paid == 0;
                tables.add_two(*var, helper, |x, paid| {
                    if_asked(wrong(x, paid), costs.forbidden)
                });
            }
            return true;
        }
    }
    false
}
