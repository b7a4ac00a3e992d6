//! Layout selection against a linear-programming solver.

use crate::split_mix::Random;
use linear_layout::assign::{Graph, NodeId, SolveMethod, solve};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// A graph, and an integer linear program with the same optimum.
struct GraphAndProgram {
    graph: Graph,
    nodes: Vec<NodeId>,
    program: Problem,
    /// For each node: the variables that indicate which of its alternatives is taken.
    taken: Vec<Vec<Variable>>,
    are_whole: bool,
}

impl GraphAndProgram {
    fn new(are_whole: bool) -> GraphAndProgram {
        GraphAndProgram {
            graph: Graph::new(),
            nodes: Vec::new(),
            program: Problem::new(OptimizationDirection::Minimize),
            taken: Vec::new(),
            are_whole,
        }
    }

    fn node(&mut self, random: &mut Random) {
        let prices: Vec<u64> = (0..2 + random.below(3))
            .map(|_| random.below(100))
            .collect();
        let node = self
            .graph
            .node(prices.iter().map(|&price| (price, 0)).collect());
        let variables: Vec<Variable> = prices
            .iter()
            .map(|&price| match self.are_whole {
                true => self.program.add_binary_var(price as f64),
                false => self.program.add_var(price as f64, (0.0, 1.0)),
            })
            .collect();
        let one = variables.iter().map(|&variable| (variable, 1.0));
        self.program.add_constraint(one, ComparisonOp::Eq, 1.0);
        self.nodes.push(node);
        self.taken.push(variables);
    }

    fn edge(&mut self, random: &mut Random, a: usize, b: usize) {
        let (rows, columns) = (self.taken[a].len(), self.taken[b].len());
        let prices: Vec<u64> = (0..rows * columns).map(|_| random.below(100)).collect();
        let table = prices.iter().map(|&price| (price, 0)).collect();
        self.graph.edge(self.nodes[a], self.nodes[b], table);
        let pairs = prices.iter();
        let pairs: Vec<Variable> = pairs
            .map(|&price| self.program.add_var(price as f64, (0.0, 1.0)))
            .collect();
        // Pairs of an alternative are selected as far as the alternative is.
        for (x, &taken) in self.taken[a].iter().enumerate() {
            let row = pairs[x * columns..][..columns]
                .iter()
                .map(|&pair| (pair, 1.0));
            let balance = row.chain([(taken, -1.0)]);
            self.program.add_constraint(balance, ComparisonOp::Eq, 0.0);
        }
        for (y, &taken) in self.taken[b].iter().enumerate() {
            let column = pairs
                .iter()
                .skip(y)
                .step_by(columns)
                .map(|&pair| (pair, 1.0));
            let balance = column.chain([(taken, -1.0)]);
            self.program.add_constraint(balance, ComparisonOp::Eq, 0.0);
        }
    }

    /// Adds a cost that is paid once if at least one of three random nodes takes its first alternative.
    fn shared(&mut self, random: &mut Random) {
        let price = random.below(100);
        let paid = self.program.add_var(price as f64, (0.0, 1.0));
        let mut members = Vec::new();
        for _ in 0..3 {
            let at = random.below(self.nodes.len() as u64) as usize;
            let mut asks = vec![false; self.taken[at].len()];
            asks[0] = true;
            members.push((self.nodes[at], asks));
            let not_more = [(self.taken[at][0], 1.0), (paid, -1.0)];
            self.program.add_constraint(not_more, ComparisonOp::Le, 0.0);
        }
        self.graph.shared(price, 0, members);
    }

    fn optimum(&self) -> f64 {
        self.program
            .solve()
            .expect("there is an assignment")
            .objective()
    }
}

/// On a tree, the linear relaxation has an integral optimum, so the graph solver and the linear-programming solver
/// must find the same optimum.
#[test]
fn trees_are_solved_as_by_a_linear_program() {
    let mut random = Random(1);
    for case in 0..40 {
        let mut both = GraphAndProgram::new(false);
        let nodes = 5 + random.below(35) as usize;
        for at in 0..nodes {
            both.node(&mut random);
            if at > 0 {
                let other = random.below(at as u64) as usize;
                both.edge(&mut random, other, at);
            }
        }
        let solution = solve(&both.graph, &vec![0; nodes]);
        assert_eq!(solution.method, SolveMethod::Elimination);
        let optimum = both.optimum();
        assert!(
            (solution.price as f64 - optimum).abs() < 1e-3,
            "{case}: {optimum}, {solution:?}"
        );
    }
}

/// Solves graphs with cycles and shared costs, and compares the optimum with that of a branch-and-bound solver.
#[test]
fn graphs_are_solved_as_by_an_integer_program() {
    let mut random = Random(2);
    for case in 0..25 {
        let mut both = GraphAndProgram::new(true);
        let nodes = 6 + random.below(5) as usize;
        for at in 0..nodes {
            both.node(&mut random);
            if at > 0 {
                both.edge(&mut random, at - 1, at);
            }
        }
        for _ in 0..4 {
            let a = random.below(nodes as u64) as usize;
            let b = random.below(nodes as u64) as usize;
            if a != b {
                both.edge(&mut random, a, b);
            }
        }
        both.shared(&mut random);
        both.shared(&mut random);
        let solution = solve(&both.graph, &vec![0; nodes]);
        let optimum = both.optimum();
        assert!(
            (solution.price as f64 - optimum).abs() < 1e-3,
            "{case}: {optimum}, {solution:?}"
        );
        assert_eq!(solution.bound, solution.price);
    }
}
