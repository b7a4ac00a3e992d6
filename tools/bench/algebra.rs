//! The operations of the layout algebra: `cargo bench --bench algebra`.
//!
//! The benchmark uses two layouts of a 128x128 tensor (14 input bits, 14 output bits, 4 in-dims, 2 out-dims): a blocked
//! layout, and a layout like the accumulator of tensor instructions. Each time is the best of many short rounds, to
//! reduce the influence of a busy machine.
//!
//! `LL_PEER_ALGEBRA` may name a program that times the same operations of another implementation, such as Triton's C++
//! `LinearLayout`, and prints `operation<TAB>nanoseconds` lines with the names in `PEER_NAMES`. The program and this
//! benchmark then run in turns, and the ratio of their times is printed.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

mod peer;

use std::hint::black_box;
use std::time::Instant;

use linear_layout::layout::{Dim, LayoutError, LinearLayout};
use peer::Peer;

const D0: Dim = Dim::out(0);
const D1: Dim = Dim::out(1);

/// Name of the environment variable that holds the benchmark command of the peer, which is another implementation.
const PEER: &str = "LL_PEER_ALGEBRA";
/// Returns the product of the identity layouts `factors`, each given as (size, in-dim, out-dim).
///
/// The in-dims are ordered `register, lane, warp, block`, the out-dims `dim0, dim1`.
fn of(factors: &[(u64, Dim, Dim)]) -> Result<LinearLayout, LayoutError> {
    let mut layout = LinearLayout::empty();
    for &(size, input, output) in factors {
        layout = layout.product(&LinearLayout::identity_1d(size, input, output)?)?;
    }
    layout
        .transpose_ins(&[Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK])?
        .transpose_outs(&[D0, D1])
}

const BLOCKED: [(u64, Dim, Dim); 9] = [
    (4, Dim::REGISTER, D1),
    (8, Dim::LANE, D1),
    (4, Dim::LANE, D0),
    (2, Dim::WARP, D1),
    (2, Dim::WARP, D0),
    (2, Dim::REGISTER, D1),
    (16, Dim::REGISTER, D0),
    (1, Dim::BLOCK, D0),
    (1, Dim::BLOCK, D1),
];

/// Returns a blocked layout on a tensor of 128x128 elements, with sizePerThread [1, 4], threadsPerWarp [4, 8],
/// warpsPerCTA [2, 2] and order [1, 0].
fn blocked() -> Result<LinearLayout, LayoutError> {
    of(&BLOCKED)
}

/// Returns the accumulator layout of 16x8 matrix instructions in four warps, on a tensor of 128x128 elements.
fn mma() -> Result<LinearLayout, LayoutError> {
    of(&[
        (2, Dim::REGISTER, D1),
        (4, Dim::LANE, D1),
        (8, Dim::LANE, D0),
        (2, Dim::REGISTER, D0),
        (2, Dim::WARP, D0),
        (2, Dim::WARP, D1),
        (8, Dim::REGISTER, D1),
        (4, Dim::REGISTER, D0),
        (1, Dim::BLOCK, D0),
    ])
}

/// Times many rounds of calls. Returns the average time per call in the fastest round, in nanoseconds.
fn best<R>(mut f: impl FnMut() -> R) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let calls = 200;
        let start = Instant::now();
        for _ in 0..calls {
            black_box(f());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}

/// Names of the measured operations. Each entry holds the name in this benchmark, then the name in the output of
/// the peer.
const PEER_NAMES: [(&str, &str); 11] = [
    (
        "product of nine identities",
        "product of nine (factors made inside)",
    ),
    (
        "  with `product_assign`",
        "product of nine (factors made inside)",
    ),
    (
        "  with `product`, by value",
        "product of nine (factors made inside)",
    ),
    ("invert_and_compose", "invert_and_compose"),
    ("invert", "invert"),
    ("compose", "compose"),
    ("flatten_ins, flatten_outs", "flatten"),
    ("free_variable_masks", "free masks"),
    ("apply, dims by name", "apply"),
    ("apply_packed", "apply"),
    ("equality", "equality"),
];

/// Returns the time of each operation in nanoseconds, in the order of `PEER_NAMES`.
fn measure() -> Result<[f64; PEER_NAMES.len()], LayoutError> {
    let (blocked, mma) = (blocked()?, mma()?);
    // From elements of one layout to offsets in a buffer.
    let to_tensor = blocked.invert()?.compose(&mma)?;
    let (other, swapped) = (blocked.clone(), mma.clone());
    let point = [
        (Dim::REGISTER, 37),
        (Dim::LANE, 21),
        (Dim::WARP, 2),
        (Dim::BLOCK, 0),
    ];
    let (b, m) = (&blocked, &mma);
    Ok([
        best(|| {
            let mut l = LinearLayout::empty();
            for &(size, i, o) in black_box(&BLOCKED) {
                l.product_identity_assign(size, i, o)?;
            }
            Ok::<_, LayoutError>(l)
        }),
        best(|| {
            let mut l = LinearLayout::empty();
            for &(size, i, o) in black_box(&BLOCKED) {
                l.product_assign(&LinearLayout::identity_1d(size, i, o)?)?;
            }
            Ok::<_, LayoutError>(l)
        }),
        best(|| {
            let mut l = LinearLayout::empty();
            for &(size, i, o) in black_box(&BLOCKED) {
                l = l.product(&LinearLayout::identity_1d(size, i, o)?)?;
            }
            Ok::<_, LayoutError>(l)
        }),
        best(|| black_box(b).invert_and_compose(black_box(m))),
        best(|| black_box(m).invert()),
        best(|| black_box(&to_tensor).compose(black_box(b))),
        best(|| black_box(b).flatten_ins().and_then(|l| l.flatten_outs())),
        best(|| black_box(b).free_variable_masks()),
        best(|| {
            let to = black_box(m).apply(black_box(&point))?;
            Ok::<_, LayoutError>((to.at(0), to.at(1)))
        }),
        best(|| black_box(m).apply_packed(black_box(37 | 21 << 7 | 2 << 12))),
        best(|| black_box(b) == black_box(&other))
            .max(best(|| black_box(m) == black_box(&swapped))),
    ])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut peer = Peer::named(PEER, std::env::var(PEER));
    let mut ours = measure()?;
    if let Some(peer) = &mut peer {
        for turn in 0..peer::TURNS {
            peer.take_turn(&[])?;
            if turn + 1 < peer::TURNS {
                for (best, time) in ours.iter_mut().zip(measure()?) {
                    *best = time.min(*best);
                }
            }
        }
    }
    println!(
        "{:<28} {:>10}{}",
        "operation",
        "ns",
        peer::heads(peer.as_ref())
    );
    for ((name, theirs), ours) in PEER_NAMES.iter().zip(ours) {
        let theirs = peer.as_ref().and_then(|peer| peer.time(theirs));
        println!("{name:<28} {ours:>10.1}{}", peer::columns(theirs, ours));
    }
    Ok(())
}
