//! Errors of planning a product.

use super::super::PlanError;
use crate::layout::LayoutError;
use crate::target::Number;
use thiserror::Error;

/// An error of [`plan_product`](super::plan_product): the shapes, types or layouts of the operands do not match
/// each other or the target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct ProductError(ProductErrorKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum ProductErrorKind {
    #[error(
        "A, B and D have shapes {a:?}, {b:?} and {d:?}: expected m x k, k x n and m x n, or these shapes with \
         the same leading batch dim"
    )]
    Shapes {
        a: Vec<u64>,
        b: Vec<u64>,
        d: Vec<u64>,
    },
    #[error(
        "the layout of {operand} has {} warps of {} lanes: expected {} warps, as in D, and {} lanes per warp, \
         as on the target",
        .found.1, .found.0, .expected.1, .expected.0
    )]
    Threads {
        operand: &'static str,
        found: (u64, u64),
        expected: (u64, u64),
    },
    #[error(
        "a product of tensors distributed over {blocks} CTAs is not supported yet: expected 1 CTA"
    )]
    SeveralBlocks { blocks: u64 },
    #[error(
        "products of {factor} factors cannot be accumulated exactly in {sum}: expected {expected}"
    )]
    Sum {
        factor: Number,
        sum: Number,
        expected: Number,
    },
    #[error(
        "the scales of {operand} have shape {found:?}: expected {expected:?}, one scale for each {block} elements along k"
    )]
    Scales {
        operand: &'static str,
        found: Vec<u64>,
        expected: Vec<u64>,
        block: u64,
    },
    #[error(
        "{target} has no instruction that multiplies {} by {} into {sum} with one scale for each {block} \
         elements along k",
        .factors[0], .factors[1]
    )]
    NoScales {
        target: &'static str,
        factors: [Number; 2],
        sum: Number,
        block: u64,
    },
    #[error(
        "no instruction with scales supports a product with m = {m}, n = {n} and k = {k} on {warps} warps"
    )]
    NoTile { m: u64, n: u64, k: u64, warps: u64 },
    #[error(
        "no instruction multiplies {bits}-bit elements without scales: expected elements of at least 8 bits"
    )]
    Numbers { bits: u32 },
    #[error("an operand cannot be converted: {0}")]
    Conversion(#[from] PlanError),
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<ProductErrorKind>> From<E> for ProductError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::layout::{Dim, LinearLayout, Surjectivity};
    use crate::plan::product::{MatrixProduct, plan_product};
    use crate::target::{Number, Target};

    #[test]
    fn a_sum_that_does_not_hold_the_factors_is_told() {
        let lanes: Vec<[u64; 2]> = (0..5).map(|bit| [1 << bit, 0]).collect();
        let lanes: Vec<&[u64]> = lanes.iter().map(|basis| &basis[..]).collect();
        let outs = [(Dim::out(0), 32), (Dim::out(1), 1)];
        let lists: [(Dim, &[&[u64]]); 2] = [(Dim::LANE, &lanes), (Dim::WARP, &[])];
        let tall = LinearLayout::from_bases_sized(&lists, &outs, Surjectivity::Required).unwrap();
        let none: Vec<&[u64]> = vec![&[0, 0]; 5];
        let outs = [(Dim::out(0), 1), (Dim::out(1), 1)];
        let lists: [(Dim, &[&[u64]]); 2] = [(Dim::LANE, &none), (Dim::WARP, &[])];
        let one = LinearLayout::from_bases_sized(&lists, &outs, Surjectivity::Required).unwrap();
        let planned = |factor, sum| {
            plan_product(&MatrixProduct {
                d: &tall,
                a: &tall,
                b: &one,
                scales: None,
                factors: &[[factor; 2]],
                sum,
                target: Target::parse("cuda:80").unwrap(),
            })
        };
        for (factor, sum, expected) in [
            (Number::Bf16, Number::F16, "f32"),
            (Number::F16, Number::I32, "f32"),
            (Number::I8, Number::F32, "i32"),
            (Number::F64, Number::F32, "f64"),
        ] {
            let said = planned(factor, sum).unwrap_err().to_string();
            let start =
                format!("products of {factor} factors cannot be accumulated exactly in {sum}");
            assert!(said.starts_with(&start), "{said}");
            assert!(said.ends_with(&format!("expected {expected}")), "{said}");
        }
        planned(Number::F16, Number::F16).unwrap();
    }
}
