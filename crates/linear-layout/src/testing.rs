//! `proptest` strategies for layouts.
//!
//! Compiled into the crate's own tests and into the integration tests.
#![allow(dead_code, reason = "each of the two uses some of the strategies")]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "test support, not part of the public face"
)]

use linear_layout::layout::{AffineLayout, Dim, LinearLayout, Surjectivity};
use proptest::prelude::*;

pub const INS: [Dim; 4] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];
pub const OUTS: [Dim; 3] = [Dim::out(0), Dim::out(1), Dim::out(2)];

/// Generates (dim, size) pairs: a subset of `dims` in any order, with sizes up to `2^max_bits`.
pub fn shape(dims: &'static [Dim], max_bits: u32) -> impl Strategy<Value = Vec<(Dim, u64)>> {
    proptest::sample::subsequence(dims, 0..=dims.len())
        .prop_shuffle()
        .prop_flat_map(move |dims| {
            let n = dims.len();
            prop::collection::vec(0..=max_bits, n).prop_map(move |bits| {
                dims.iter()
                    .copied()
                    .zip(bits.iter().map(|b| 1 << b))
                    .collect()
            })
        })
}

pub fn bits_of(shape: &[(Dim, u64)]) -> u32 {
    shape.iter().map(|(_, size)| size.trailing_zeros()).sum()
}

fn column(bits: u32) -> impl Strategy<Value = u64> {
    let mask = (1u64 << bits) - 1;
    prop_oneof![
        1 => Just(0),
        4 => (0..bits.max(1)).prop_map(move |b| (1 << b) & mask),
        2 => any::<u64>().prop_map(move |c| c & mask),
    ]
}

pub fn between(ins: Vec<(Dim, u64)>, outs: Vec<(Dim, u64)>) -> impl Strategy<Value = LinearLayout> {
    let (n, m) = (bits_of(&ins) as usize, bits_of(&outs));
    prop::collection::vec(column(m), n).prop_map(move |columns| {
        LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::NotRequired).unwrap()
    })
}

pub fn layout() -> impl Strategy<Value = LinearLayout> {
    (shape(&INS, 3), shape(&OUTS, 3)).prop_flat_map(|(i, o)| between(i, o))
}

pub fn invertible() -> impl Strategy<Value = LinearLayout> {
    (shape(&INS, 3), any::<u64>())
        .prop_flat_map(|(ins, split)| {
            let n = bits_of(&ins);
            let outs = vec![
                (OUTS[0], 1u64 << (split % u64::from(n + 1))),
                (OUTS[1], 1u64 << (u64::from(n) - split % u64::from(n + 1))),
            ];
            let pairs = prop::collection::vec((0..n.max(1), 0..n.max(1)), 0..12);
            (
                Just(ins),
                Just(outs),
                Just((0..n).collect::<Vec<_>>()).prop_shuffle(),
                pairs,
            )
        })
        .prop_map(|(ins, outs, order, pairs)| {
            let mut columns: Vec<u64> = order.iter().map(|b| 1 << b).collect();
            for (from, to) in pairs {
                if from != to {
                    for c in &mut columns {
                        *c ^= (*c >> from & 1) << to;
                    }
                }
            }
            LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required).unwrap()
        })
}

/// Generates a surjective layout, whose basis vectors may be zero or linearly dependent.
pub fn surjective() -> impl Strategy<Value = LinearLayout> {
    (invertible(), prop::collection::vec(any::<u64>(), 0..3)).prop_map(|(l, extra)| {
        let mask = (1u64 << l.total_out_bits()) - 1;
        let extra: Vec<u64> = extra.iter().map(|c| c & mask).collect();
        let outs: Vec<_> = l.out_shape().collect();
        let more = LinearLayout::from_columns(
            &[(Dim::OFFSET, 1 << extra.len())],
            &outs,
            &extra,
            Surjectivity::NotRequired,
        );
        // The dependent bases come first, so that the free variables are not just the new ones.
        more.unwrap().concat_ins(&l).unwrap()
    })
}

/// Generates two layouts with the same out-dims; the second layout is surjective.
pub fn covered_pair() -> impl Strategy<Value = (LinearLayout, LinearLayout)> {
    (
        surjective(),
        shape(&INS, 2),
        any::<bool>(),
        any::<prop::sample::Index>(),
    )
        .prop_flat_map(|(outer, ins, share, which)| {
            let outs: Vec<_> = outer.out_shape().collect();
            between(ins, outs).prop_map(move |inner| {
                // Half of the time one dim is equal in both layouts, as in real conversions.
                let dims: Vec<Dim> = inner.in_dims().filter(|d| outer.has_in_dim(*d)).collect();
                if !share || dims.is_empty() {
                    return (inner, outer.clone());
                }
                let dim = dims[which.index(dims.len())];
                let outs: Vec<_> = outer.out_shape().collect();
                let ins: Vec<_> = inner
                    .in_shape()
                    .map(|(d, s)| (d, if d == dim { outer.in_size(d) } else { s }))
                    .collect();
                let columns: Vec<u64> = inner
                    .in_dims()
                    .flat_map(|d| {
                        if d == dim { &outer } else { &inner }
                            .columns_of(d)
                            .to_vec()
                    })
                    .collect();
                let inner =
                    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::NotRequired);
                (inner.unwrap(), outer.clone())
            })
        })
}

pub fn with_offset(linear: LinearLayout, seed: u64) -> AffineLayout {
    let offset: Vec<_> = linear
        .out_shape()
        .scan(seed, |seed, (d, s)| {
            let value = *seed % s;
            *seed = seed.rotate_right(7);
            Some((d, value))
        })
        .collect();
    AffineLayout::new(linear, &offset).unwrap()
}
