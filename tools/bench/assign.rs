//! Layout assignment: `cargo bench --bench assign`.
//!
//! The graphs are chains of 10 to 10 000 operations with eight layouts each, and dense graphs, which require local
//! search. The chains have either distinct prices, or equal prices except for conversions, so that ties occur. Each
//! time is the best of several runs.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

#[path = "../../test/split_mix.rs"]
mod split_mix;

use split_mix::Random;
use std::hint::black_box;
use std::time::Instant;

use linear_layout::assign::{Graph, NodeId, Solution, solve};

const LAYOUTS: u64 = 8;

fn nodes(graph: &mut Graph, random: &mut Random, count: usize, prices: u64) -> Vec<NodeId> {
    let own = |random: &mut Random| (0..LAYOUTS).map(|_| (random.below(prices), 0)).collect();
    (0..count).map(|_| graph.node(own(random))).collect()
}

/// Returns one conversion cost for each pair of layouts. A conversion between equal layouts costs nothing; any
/// other conversion has a random cost below `prices`.
fn conversions(random: &mut Random, prices: u64) -> Vec<(u64, u32)> {
    let pairs = 0..LAYOUTS * LAYOUTS;
    pairs
        .map(|at| match at / LAYOUTS == at % LAYOUTS {
            true => (0, 0),
            false => (random.below(prices), 1),
        })
        .collect()
}

fn chain(count: usize, prices: u64) -> Graph {
    let mut random = Random(1);
    let mut graph = Graph::new();
    let ids = nodes(&mut graph, &mut random, count, prices);
    for pair in ids.windows(2) {
        let table = conversions(&mut random, prices);
        graph.edge(pair[0], pair[1], table);
    }
    graph
}

/// Returns a graph with random edges in which a node has about three neighbours on average.
fn entangled(count: usize) -> Graph {
    let mut random = Random(2);
    let mut graph = Graph::new();
    let ids = nodes(&mut graph, &mut random, count, 1000);
    let table = conversions(&mut random, 500);
    for _ in 0..3 * count / 2 {
        let mut id = || ids[usize::try_from(random.below(count as u64)).unwrap_or(0)];
        graph.edge(id(), id(), table.clone());
    }
    graph
}

fn report(name: &str, graph: &Graph, rounds: u32) {
    let start = vec![0; graph.num_nodes()];
    let mut best = f64::INFINITY;
    let mut found: Option<Solution> = None;
    for _ in 0..rounds {
        let begin = Instant::now();
        found = Some(black_box(solve(graph, &start)));
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let Some(found) = found else { return };
    let milliseconds = best * 1e3;
    let above = (found.price - found.bound) as f64 / found.bound.max(1) as f64;
    println!(
        "{name:<28}{milliseconds:>10.3} ms {:>12} entries   at most {:.2} % above the optimum",
        found.steps,
        100.0 * above
    );
}

fn main() {
    for count in [10, 100, 1000, 10_000] {
        report(&format!("chain of {count}"), &chain(count, 1_000_000), 20);
        report(
            &format!("chain of {count}, with ties"),
            &chain(count, 1),
            20,
        );
    }
    for count in [20, 40, 80, 160] {
        report(&format!("entangled, {count}"), &entangled(count), 3);
    }
}
