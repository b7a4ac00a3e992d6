//! Graphs against brute force.

use super::*;

/// SplitMix64: the same graphs on any machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// How prices are drawn: few values make ties, some are infeasible.
#[derive(Clone, Copy)]
struct Prices {
    values: u64,
    infeasible: u64,
}

impl Prices {
    fn draw(self, random: &mut Random) -> (Price, u32) {
        if self.infeasible > 0 && random.one_in(self.infeasible) {
            return (INFEASIBLE, 0);
        }
        let price = random.below(self.values);
        (price, if random.one_in(3) { 1 } else { 0 })
    }
}

/// A random graph: trees, cycles and dense ones, with shared terms and copies.
fn random_graph(random: &mut Random, nodes: u64, edges: u64, shared: u64) -> Graph {
    let prices = Prices {
        values: [2, 5, 40, 1_000_000][random.below(4) as usize],
        infeasible: [0, 0, 4, 12][random.below(4) as usize],
    };
    let mut graph = Graph::new();
    let mut ids = Vec::new();
    for at in 0..nodes {
        let size = 1 + random.below(4);
        ids.push(graph.node((0..size).map(|_| prices.draw(random)).collect()));
        // A tree, of which some edges are missing.
        if at > 0 && !random.one_in(6) {
            let other = ids[random.below(at) as usize];
            add_edge(&mut graph, random, prices, other, ids[at as usize]);
        }
    }
    for _ in 0..edges {
        let a = ids[random.below(nodes) as usize];
        let b = ids[random.below(nodes) as usize];
        add_edge(&mut graph, random, prices, a, b);
    }
    for _ in 0..shared {
        let members = (0..1 + random.below(4))
            .map(|_| {
                let node = ids[random.below(nodes) as usize];
                let asks = (0..graph.alternatives(node)).map(|_| random.one_in(2));
                (node, asks.collect())
            })
            .collect();
        if random.one_in(2) {
            let (price, conversions) = prices.draw(random);
            graph.shared(price, conversions, members);
        } else {
            let of = ids[random.below(nodes) as usize];
            let own = (0..graph.alternatives(of)).map(|_| prices.draw(random));
            let own = own.collect();
            graph.copy(of, own, members);
        }
    }
    graph
}

fn add_edge(graph: &mut Graph, random: &mut Random, prices: Prices, a: NodeId, b: NodeId) {
    let pairs = graph.alternatives(a) * graph.alternatives(b);
    graph.edge(a, b, (0..pairs).map(|_| prices.draw(random)).collect());
}

/// The first of the cheapest assignments, by trying all.
fn brute_force(graph: &Graph) -> ((Price, u32), Vec<u32>) {
    let sizes: Vec<u32> = graph
        .node_ids()
        .map(|n| graph.alternatives(n) as u32)
        .collect();
    let mut choice = vec![0; sizes.len()];
    let mut best = (graph.price(&choice), choice.clone());
    loop {
        let Some(at) = (0..sizes.len())
            .rev()
            .find(|&at| choice[at] + 1 < sizes[at])
        else {
            return best;
        };
        choice[at] += 1;
        choice[at + 1..].fill(0);
        best = best.min((graph.price(&choice), choice.clone()));
    }
}

fn random_start(graph: &Graph, random: &mut Random) -> Vec<u32> {
    let size = |node| graph.alternatives(node) as u64;
    graph
        .node_ids()
        .map(|node| random.below(size(node)) as u32)
        .collect()
}

#[test]
fn small_graphs_are_solved_as_by_trying_all() {
    let mut random = Random(1);
    for case in 0..4000 {
        let nodes = 1 + random.below(7);
        let edges = [0, 1, 3, 10][random.below(4) as usize];
        let shared = random.below(4);
        let graph = random_graph(&mut random, nodes, edges, shared);
        let start = random_start(&graph, &mut random);
        let solution = solve(&graph, &start);
        let (price, choice) = brute_force(&graph);
        let found = (solution.price, solution.conversions);
        assert_eq!(
            (solution.how, solution.bound),
            (How::Eliminated, price.0),
            "case {case}"
        );
        if price.0 != INFEASIBLE {
            assert_eq!(
                (found, &solution.choice),
                (price, &choice),
                "case {case}: {graph:?}"
            );
        }
    }
}
