//! Operations on Tilus layouts: `cargo bench --bench tilus`.
//!
//! The operands are one hundred layouts of one to three dims, similar to the layouts in kernels. The time of an
//! operation is the median over the layouts of the best time in many rounds.
//!
//! `LL_PEER_TILUS` may name a command that times the same operations of the Tilus package, and prints
//! `operation<TAB>nanoseconds` lines. The command gets a file with the layouts as text. `python
//! tools/bench/peer_tilus.py` is such a command, if Python has the package `tilus`. The command and this benchmark run
//! in turns, and the ratio of their times is printed.

mod compare;
mod peer;
#[path = "../../test/split_mix.rs"]
mod split_mix;

use std::hint::black_box;
use std::time::Instant;

use linear_layout::tilus::{RegisterLayout, TilusError, local, spatial};
use peer::Peer;
use split_mix::Random;

/// Name of the environment variable that holds the benchmark command of the peer, which is another implementation.
const PEER: &str = "LL_PEER_TILUS";

const LAYOUTS: usize = 100;

/// Two layouts `outer` and `tile`, and their composition `whole`. `last` is the multi-dimensional index of the last
/// element of `whole`.
struct Pair {
    outer: RegisterLayout,
    tile: RegisterLayout,
    whole: RegisterLayout,
    last: Vec<u64>,
}

fn pairs() -> Result<Vec<Pair>, TilusError> {
    let mut random = Random(5);
    let mut pairs = Vec::with_capacity(LAYOUTS);
    for i in 0..LAYOUTS {
        let rank = 1 + i % 3;
        let mut shape =
            |most: u64| -> Vec<u64> { (0..rank).map(|_| 1 << random.below(most)).collect() };
        let (places, threads, values) = (shape(3), shape(4), shape(3));
        let outer = local(&places)?.spatial(&threads)?;
        let tile = spatial(&threads)?.local(&values)?;
        let whole = outer.compose(&tile)?;
        let last = whole.shape().iter().map(|extent| extent - 1).collect();
        pairs.push(Pair {
            outer,
            tile,
            whole,
            last,
        });
    }
    Ok(pairs)
}

/// Times many rounds of calls. Returns the average time per call in the fastest round, in nanoseconds.
fn best<R>(mut f: impl FnMut() -> R) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        let calls = 60;
        let start = Instant::now();
        for _ in 0..calls {
            black_box(f());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}

fn median(pairs: &[Pair], f: impl Fn(&Pair) -> f64) -> f64 {
    let mut times: Vec<f64> = pairs.iter().map(f).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Names of the operations in the output of the peer.
const NAMES: [&str; 10] = [
    "spatial(8, 4)",
    "compose",
    "divide",
    "left_divide",
    "reduce",
    "permute",
    "reshape to 1-D",
    "get_local (one element)",
    "get_global (one place)",
    "print",
];

/// Returns the time of each operation in nanoseconds, in the order of `NAMES`.
fn measure(pairs: &[Pair]) -> [f64; NAMES.len()] {
    let each = |f: &dyn Fn(&Pair) -> f64| median(pairs, f);
    [
        best(|| spatial(black_box(&[8, 4]))),
        each(&|p| best(|| black_box(&p.outer).compose(black_box(&p.tile)))),
        each(&|p| best(|| black_box(&p.whole).divide(black_box(&p.tile)))),
        each(&|p| best(|| black_box(&p.whole).left_divide(black_box(&p.outer)))),
        each(&|p| best(|| black_box(&p.whole).reduce(black_box(&[0]), false))),
        each(&|p| {
            let dims: Vec<usize> = (0..p.whole.rank()).rev().collect();
            best(|| black_box(&p.whole).permute(black_box(&dims)))
        }),
        each(&|p| best(|| black_box(&p.whole).reshape(black_box(&[p.whole.size()])))),
        each(&|p| best(|| black_box(&p.whole).local_of(black_box(&p.last)))),
        each(&|p| best(|| black_box(&p.whole).index_of(black_box(0), black_box(0)))),
        each(&|p| best(|| black_box(&p.whole).to_string())),
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = pairs()?;
    let text = || {
        let line = |p: &Pair| format!("{}\t{}\t{}\n", p.outer, p.tile, p.whole);
        pairs.iter().map(line).collect()
    };
    let peer = Peer::named(PEER, std::env::var(PEER));
    compare::compare(peer, NAMES, text, || measure(&pairs))
}
