//! Tests of the solver against brute force.

use super::solve::{Limits, solve_with};
use super::*;
use crate::split_mix::Random;

fn one_in(random: &mut Random, n: u64) -> bool {
    random.below(n) == 0
}

/// A distribution of random prices. Prices below `values` are equally likely. Few distinct prices make ties likely.
/// A price is infeasible with the probability 1 / `infeasible`. If `infeasible` is 0, no price is infeasible.
#[derive(Clone, Copy)]
struct Prices {
    values: u64,
    infeasible: u64,
}

impl Prices {
    fn draw(self, random: &mut Random) -> (Price, u32) {
        if self.infeasible > 0 && one_in(random, self.infeasible) {
            return (INFEASIBLE, 0);
        }
        let price = random.below(self.values);
        (price, if one_in(random, 3) { 1 } else { 0 })
    }
}

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
        // A tree with some edges missing.
        if at > 0 && !one_in(random, 6) {
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
                let asks = (0..graph.alternatives(node)).map(|_| one_in(random, 2));
                (node, asks.collect())
            })
            .collect();
        if one_in(random, 2) {
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

/// Returns the lexicographically first optimum by enumeration.
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
            (solution.method, solution.bound),
            (SolveMethod::Elimination, price.0),
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

fn small(table: u64) -> Limits {
    Limits {
        table,
        few: table.min(8),
        ..Limits::USUAL
    }
}

#[test]
fn moves_are_never_dearer_than_the_start_nor_cheaper_than_the_bound() {
    let mut random = Random(2);
    let mut missed = 0;
    let mut by_moves = 0;
    for case in 0..3000 {
        let nodes = 4 + random.below(4);
        let edges = [3, 6, 12][random.below(3) as usize];
        let shared = random.below(4);
        let graph = random_graph(&mut random, nodes, edges, shared);
        let start = random_start(&graph, &mut random);
        let solution = solve_with(&graph, &start, small(4 + random.below(12)));
        let found = (solution.price, solution.conversions);
        let (price, choice) = brute_force(&graph);
        assert!(found <= graph.price(&start), "case {case}");
        if price.0 == INFEASIBLE {
            assert_eq!(solution.price, INFEASIBLE, "case {case}");
            continue;
        }
        assert!(
            found >= price && solution.bound <= price.0,
            "case {case}: {solution:?}"
        );
        assert_eq!(found, graph.price(&solution.choice), "case {case}");
        match solution.method {
            SolveMethod::Elimination => {
                assert_eq!((found, &solution.choice), (price, &choice), "case {case}");
            }
            SolveMethod::BoundedSearch => assert_eq!(found, price, "case {case}"),
            SolveMethod::LocalSearch => by_moves += 1,
        }
        missed += u32::from(found != price);
    }
    // Regression thresholds for these seeds.
    assert!(
        by_moves > 300 && missed <= 5,
        "{missed} of {by_moves} missed"
    );
}

#[test]
fn the_order_of_edges_does_not_matter() {
    let mut random = Random(3);
    for case in 0..300 {
        let nodes = 5 + random.below(5);
        let mut edges = Vec::new();
        let mut graph = Graph::new();
        let sizes: Vec<u64> = (0..nodes).map(|_| 1 + random.below(4)).collect();
        let prices = |random: &mut Random, n| (0..n).map(|_| (random.below(5), 0)).collect();
        let own: Vec<Vec<_>> = sizes.iter().map(|&n| prices(&mut random, n)).collect();
        let ids: Vec<NodeId> = own.iter().map(|own| graph.node(own.clone())).collect();
        let mut other = graph.clone();
        for _ in 0..2 * nodes {
            let (a, b) = (random.below(nodes) as usize, random.below(nodes) as usize);
            let table: Vec<_> = prices(&mut random, sizes[a] * sizes[b]);
            graph.edge(ids[a], ids[b], table.clone());
            edges.push((a, b, table));
        }
        while !edges.is_empty() {
            let (a, b, table) = edges.swap_remove(random.below(edges.len() as u64) as usize);
            // Transposed, to cover both directions.
            let turned = |x: usize, y: usize| table[y * sizes[b] as usize + x];
            let pairs =
                (0..sizes[b] as usize).flat_map(|x| (0..sizes[a] as usize).map(move |y| (x, y)));
            let table = pairs.map(|(x, y)| turned(x, y)).collect();
            other.edge(ids[b], ids[a], table);
        }
        let start = random_start(&graph, &mut random);
        for limits in [Limits::USUAL, small(6)] {
            let solve = |graph| solve_with(graph, &start, limits);
            assert_eq!(solve(&graph), solve(&other), "case {case}");
        }
    }
}

fn chain(nodes: usize, layouts: u64, prices: u64) -> Graph {
    let mut random = Random(4);
    let mut graph = Graph::new();
    let mut last = None;
    for _ in 0..nodes {
        let own = (0..layouts).map(|_| (random.below(prices), 0));
        let node = graph.node(own.collect());
        if let Some(last) = last {
            let pairs = (0..layouts * layouts).map(|at| match at / layouts == at % layouts {
                true => (0, 0),
                false => (random.below(prices), 1),
            });
            graph.edge(last, node, pairs.collect());
        }
        last = Some(node);
    }
    graph
}

#[test]
fn chains_take_steps_in_proportion() {
    // Distinct prices, and prices that tie but for conversions.
    for prices in [1_000_000, 1] {
        let per_node = [10, 100, 1000, 10_000].map(|nodes| {
            let solution = solve(&chain(nodes, 8, prices), &vec![0; nodes]);
            assert_eq!(solution.method, SolveMethod::Elimination);
            solution.steps / nodes as u64
        });
        assert!(per_node.iter().all(|&steps| steps <= 150), "{per_node:?}");
    }
}

#[test]
fn stars_and_rings_are_eliminated() {
    let mut random = Random(5);
    let same = |random: &mut Random| {
        let pairs = (0..64).map(|at| {
            (
                if at / 8 == at % 8 {
                    0
                } else {
                    1 + random.below(99)
                },
                1,
            )
        });
        pairs.collect::<Vec<_>>()
    };
    let own = |random: &mut Random| (0..8).map(|_| (random.below(100), 0)).collect();
    for is_star in [true, false] {
        let mut graph = Graph::new();
        let ids: Vec<NodeId> = (0..2000).map(|_| graph.node(own(&mut random))).collect();
        for at in 1..ids.len() {
            let other = if is_star { 0 } else { at - 1 };
            graph.edge(ids[other], ids[at], same(&mut random));
        }
        graph.edge(ids[0], ids[1999], same(&mut random));
        let solution = solve(&graph, &vec![0; 2000]);
        assert_eq!(solution.method, SolveMethod::Elimination);
        assert!(solution.steps < 2_500_000, "{}", solution.steps);
    }
}

/// Returns a random graph. All edges share the same random prices of conversions between two layouts. The price of
/// an edge is the price of its conversion times a random weight of the edge.
fn entangled(random: &mut Random, nodes: u64, degree: u64, layouts: u64) -> Graph {
    let mut graph = Graph::new();
    let own = |random: &mut Random| (0..layouts).map(|_| (random.below(1000), 0)).collect();
    let ids: Vec<NodeId> = (0..nodes).map(|_| graph.node(own(random))).collect();
    let pairs = (0..layouts * layouts).map(|at| match at / layouts == at % layouts {
        true => 0,
        false => 100 + random.below(400),
    });
    let conversions: Vec<u64> = pairs.collect();
    for _ in 0..nodes * degree / 2 {
        let (a, b) = (random.below(nodes), random.below(nodes));
        let weight = 1 + random.below(4) * random.below(3);
        let table = conversions
            .iter()
            .map(|&price| (price * weight, u32::from(price > 0)));
        graph.edge(ids[a as usize], ids[b as usize], table.collect());
    }
    graph
}

#[test]
fn moves_come_near_the_optimum_of_entangled_graphs() {
    let mut random = Random(6);
    let (mut sum, mut worst, mut by_moves) = (0.0, 0.0_f64, 0);
    for case in 0..60 {
        let nodes = 20 + random.below(25);
        let graph = entangled(&mut random, nodes, 3, 4);
        let start = random_start(&graph, &mut random);
        let optimum = solve(&graph, &start);
        assert_eq!(optimum.method, SolveMethod::Elimination, "case {case}");
        let solution = solve_with(&graph, &start, small(256));
        assert!(solution.bound <= optimum.price && solution.price >= optimum.price);
        by_moves += u32::from(solution.method != SolveMethod::Elimination);
        let above = solution.price as f64 / optimum.price as f64 - 1.0;
        sum += above;
        worst = worst.max(above);
    }
    let mean = sum / 60.0;
    assert!(
        by_moves >= 20 && mean <= 0.0006 && worst <= 0.0034,
        "{by_moves}: {mean}, {worst}"
    );
}

#[test]
fn dominated_alternatives_go_and_the_optimum_stays() {
    let mut random = Random(7);
    for _ in 0..20 {
        // Complete graphs with one conversion price: a layout that exceeds another by more than all conversions is dominated.
        let mut graph = Graph::new();
        let ids: Vec<NodeId> = (0..12)
            .map(|_| graph.node((0..8).map(|_| (random.below(100) * 40, 0)).collect()))
            .collect();
        for (at, &a) in ids.iter().enumerate() {
            for &b in &ids[..at] {
                let table = (0..64).map(|at| (if at / 8 == at % 8 { 0 } else { 40 }, 0));
                graph.edge(a, b, table.collect());
            }
        }
        // 8^12 entries without pruning.
        let solution = solve(&graph, &[0; 12]);
        assert_eq!(solution.price, solution.bound, "{solution:?}");
    }
}

#[test]
fn the_next_best_is_that_of_trying_all() {
    let mut random = Random(8);
    for case in 0..300 {
        let shared = random.below(3);
        let graph = random_graph(&mut random, 5, 3, shared);
        let solution = solve(&graph, &[0; 5]);
        for node in graph.node_ids() {
            for alternative in (0..).take(graph.alternatives(node)) {
                let mut forced = graph.clone();
                forced.force(node, alternative);
                let price = next_best(&graph, &solution, node, alternative);
                assert_eq!(price, brute_force(&forced).0.0, "case {case}");
                assert!(price >= solution.price);
            }
        }
    }
}

#[test]
fn sums_that_do_not_fit_are_infeasible() {
    let mut graph = Graph::new();
    let ids = [(); 4].map(|()| graph.node(vec![(INFEASIBLE - 1, 0), (INFEASIBLE / 8, u32::MAX)]));
    graph.edge(
        ids[0],
        ids[1],
        vec![(INFEASIBLE, 0), (0, 0), (0, 0), (0, 0)],
    );
    assert_eq!(graph.price(&[0, 0, 0, 0]).0, INFEASIBLE);
    let solution = solve(&graph, &[0, 0, 0, 0]);
    assert_eq!(solution.choice, [1, 1, 1, 1]);
    assert_eq!(
        (solution.price, solution.conversions),
        (INFEASIBLE / 8 * 4, u32::MAX)
    );
    assert_eq!(solution.price, solution.bound);
    // Infeasible problems have an infeasible bound.
    let mut graph = Graph::new();
    graph.node(vec![(INFEASIBLE, 0)]);
    let solution = solve(&graph, &[0]);
    assert_eq!((solution.price, solution.bound), (INFEASIBLE, INFEASIBLE));
    // A graph without nodes costs nothing.
    let solution = solve(&Graph::new(), &[]);
    assert_eq!((solution.price, solution.bound), (0, 0));
}
