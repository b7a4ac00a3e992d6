//! The layout algebra beside Triton's C++ `LinearLayout`: `cargo bench --bench algebra`.
//!
//! Prints, for each operation, our time, the C++ time that was measured for the same layouts (14
//! input bits, 14 output bits, 4 in-dims, 2 out-dims: a blocked and an MMA-like layout of 128x128),
//! and the ratio. Each time is the best of many short rounds, so that a busy machine matters little.

use std::hint::black_box;
use std::time::Instant;

use linear_layout::layout::{Dim, LayoutError, LinearLayout};

const D0: Dim = Dim::out(0);
const D1: Dim = Dim::out(1);

/// The product of these identities, in order, reordered to `register, lane, warp, block` and
/// `dim0, dim1`.
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

/// sizePerThread [1, 4], threadsPerWarp [4, 8], warpsPerCTA [2, 2], order [1, 0], repeated to 128x128.
fn blocked() -> Result<LinearLayout, LayoutError> {
    of(&BLOCKED)
}

/// The accumulator of 16x8 tensor instructions, four warps, repeated to 128x128.
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

/// Best nanoseconds per call over many rounds.
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

fn main() -> Result<(), LayoutError> {
    let (blocked, mma) = (blocked()?, mma()?);
    // From the elements of one layout to their place in a buffer: something to compose with.
    let to_tensor = blocked.invert()?.compose(&mma)?;
    let (other, swapped) = (blocked.clone(), mma.clone());
    let point = [
        (Dim::REGISTER, 37),
        (Dim::LANE, 21),
        (Dim::WARP, 2),
        (Dim::BLOCK, 0),
    ];
    let (b, m) = (&blocked, &mma);

    let rows: &[(&str, f64, f64)] = &[
        (
            "product of nine 1-D identities",
            43_100.0,
            best(|| {
                let mut l = LinearLayout::empty();
                for &(size, i, o) in black_box(&BLOCKED) {
                    l.product_identity_assign(size, i, o)?;
                }
                Ok::<_, LayoutError>(l)
            }),
        ),
        (
            "  the same, `product_assign`",
            43_100.0,
            best(|| {
                let mut l = LinearLayout::empty();
                for &(size, i, o) in black_box(&BLOCKED) {
                    l.product_assign(&LinearLayout::identity_1d(size, i, o)?)?;
                }
                Ok::<_, LayoutError>(l)
            }),
        ),
        (
            "  the same, `product` by value",
            43_100.0,
            best(|| {
                let mut l = LinearLayout::empty();
                for &(size, i, o) in black_box(&BLOCKED) {
                    l = l.product(&LinearLayout::identity_1d(size, i, o)?)?;
                }
                Ok::<_, LayoutError>(l)
            }),
        ),
        (
            "invert_and_compose",
            63_200.0,
            best(|| black_box(b).invert_and_compose(black_box(m))),
        ),
        ("invert", 44_600.0, best(|| black_box(m).invert())),
        (
            "compose",
            6_650.0,
            best(|| black_box(&to_tensor).compose(black_box(b))),
        ),
        (
            "flatten_ins + flatten_outs",
            5_250.0,
            best(|| black_box(b).flatten_ins().and_then(|l| l.flatten_outs())),
        ),
        (
            "free-variable masks",
            2_020.0,
            best(|| black_box(b).free_variable_masks()),
        ),
        (
            "apply at one point",
            403.0,
            best(|| {
                let to = black_box(m).apply(black_box(&point))?;
                Ok::<_, LayoutError>((to.at(0), to.at(1)))
            }),
        ),
        (
            "  the same, packed",
            403.0,
            best(|| black_box(m).apply_packed(black_box(37 | 21 << 7 | 2 << 12))),
        ),
        (
            "equality",
            22.0,
            best(|| black_box(b) == black_box(&other))
                .max(best(|| black_box(m) == black_box(&swapped))),
        ),
    ];

    println!(
        "{:<32} {:>10} {:>14} {:>8}",
        "operation", "ours, ns", "Triton C++, ns", "ratio"
    );
    for (name, theirs, ours) in rows {
        println!(
            "{name:<32} {ours:>10.1} {theirs:>14.0} {:>7.0}x",
            theirs / ours
        );
    }
    Ok(())
}
