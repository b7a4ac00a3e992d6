//! Errors of conversion planning.

use super::Strategy;
use crate::layout::{Dim, LayoutError};
use thiserror::Error;

/// The error of [`plan_conversion`](super::plan_conversion): the layouts do not match each other or the target, or
/// the plan would exceed a limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct PlanError(pub(super) PlanErrorKind);

/// log2 of the largest supported number of elements per block. If an element has 8 bytes, this number of elements
/// takes 2^31 bytes, which 32-bit scratch addresses can reach.
pub(super) const MOST_ELEMENTS_LOG2: u32 = 28;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum PlanErrorKind {
    #[error(
        "elements of {bits} bits are not supported in a conversion: expected 1, 2, 4, 8, 16, 32 or 64"
    )]
    ElementWidth { bits: u32 },
    #[error("the {side} layout has the input dim `{}`: expected only `register`, `lane`, `warp`, `block`",
            .dim.name())]
    UnknownInDim { side: &'static str, dim: Dim },
    #[error("source and destination layouts require the same tensor shape, but got ({}) and ({})", sizes(.src), sizes(.dst))]
    OutDims {
        src: Vec<(Dim, u64)>,
        dst: Vec<(Dim, u64)>,
    },
    #[error("the {side} layout has {found} lanes per warp: expected {expected} on {target}")]
    Lanes {
        side: &'static str,
        found: u64,
        expected: u32,
        target: &'static str,
    },
    #[error(
        "source and destination layouts require the same number of warps, but got {src} and {dst}"
    )]
    Warps { src: u64, dst: u64 },
    #[error("the layouts have {threads} threads per CTA: expected at most 2048")]
    TooManyThreads { threads: u64 },
    #[error(
        "the layouts have 2^{log2} elements per CTA, or 2^{log2} registers per thread; expected at most \
         2^{MOST_ELEMENTS_LOG2} of each"
    )]
    TooLarge { log2: u32 },
    #[error(
        "in the destination layout, basis {bit} of `{}` maps to an element that no register, lane or warp \
         holds in the source layout",
        .dim.name()
    )]
    NotCovered { dim: Dim, bit: usize },
    #[error(
        "in the destination layout, basis {bit} of `{}` maps to elements that another CTA holds in the source \
         layout, but the GPU cannot load from another CTA",
        .dim.name()
    )]
    BlockMovement { dim: Dim, bit: usize },
    #[error("the strategy `{strategy}` does not support a conversion that moves data across {}", names(.moves))]
    Strategy { strategy: Strategy, moves: Vec<Dim> },
    #[error(
        "the conversion requires {needed} bytes of shared memory on {target}: expected at most {limit}"
    )]
    Scratch {
        needed: u64,
        limit: u32,
        target: &'static str,
    },
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<PlanErrorKind>> From<E> for PlanError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}

impl PlanError {
    /// Returns true if the error says that the destination requires elements of another block.
    pub(super) const fn is_block_movement(&self) -> bool {
        matches!(self.0, PlanErrorKind::BlockMovement { .. })
    }

    /// Returns true if the error says that no plan fits the scratch limit.
    #[must_use]
    pub const fn is_scratch_limit(&self) -> bool {
        matches!(self.0, PlanErrorKind::Scratch { .. })
    }

    /// Returns true if the error says that the prescribed strategy does not apply.
    #[must_use]
    pub const fn is_strategy(&self) -> bool {
        matches!(self.0, PlanErrorKind::Strategy { .. })
    }
}

fn sizes(dims: &[(Dim, u64)]) -> String {
    let sizes: Vec<_> = dims
        .iter()
        .map(|(dim, size)| format!("{} = {size}", dim.name()))
        .collect();
    sizes.join(", ")
}

fn names(dims: &[Dim]) -> String {
    let names: Vec<_> = dims.iter().map(|dim| format!("`{}`", dim.name())).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::{PlanOptions, Strategy, plan_conversion};
    use crate::target::Target;

    /// Returns a layout with one output dim, given the columns of each input dim.
    fn layout(bases: &[(Dim, &[u64])], size: u64) -> LinearLayout {
        let columns: Vec<Vec<[u64; 1]>> = bases
            .iter()
            .map(|(_, l)| l.iter().map(|c| [*c]).collect())
            .collect();
        let refs: Vec<Vec<&[u64]>> = columns
            .iter()
            .map(|l| l.iter().map(|c| &c[..]).collect())
            .collect();
        let pairs: Vec<(Dim, &[&[u64]])> = bases
            .iter()
            .map(|(d, _)| *d)
            .zip(refs.iter().map(Vec::as_slice))
            .collect();
        let free = crate::layout::Surjectivity::NotRequired;
        LinearLayout::from_bases_sized(&pairs, &[(Dim::out(0), size)], free).unwrap()
    }

    const LANES: [u64; 5] = [1, 2, 4, 8, 16];

    #[track_caller]
    fn check(
        src: &LinearLayout,
        dst: &LinearLayout,
        bits: u32,
        options: PlanOptions,
        expect: &str,
    ) {
        let target = Target::parse("cuda:90").unwrap();
        let error = plan_conversion(src, dst, bits, target, &options).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn messages_name_found_and_expected() {
        let none = PlanOptions::new();
        let (r, l, w, b) = (Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK);
        let baseline = layout(&[(r, &[32]), (l, &LANES), (w, &[64])], 128);
        check(
            &baseline,
            &baseline,
            24,
            none,
            "elements of 24 bits are not supported in a conversion: expected 1, 2, 4, 8, 16, 32 or 64",
        );
        check(
            &baseline,
            &baseline,
            0,
            none,
            "elements of 0 bits are not supported in a conversion: expected 1, 2, 4, 8, 16, 32 or 64",
        );
        check(
            &baseline,
            &baseline,
            128,
            none,
            "expected 1, 2, 4, 8, 16, 32 or 64",
        );
        let small = layout(&[(r, &[]), (l, &LANES), (w, &[32])], 64);
        check(
            &baseline,
            &small,
            32,
            none,
            "source and destination layouts require the same tensor shape, but got (dim0 = 128) and (dim0 = 64)",
        );
        let wide = layout(&[(r, &[]), (l, &[1, 2, 4, 8, 16, 32]), (w, &[64])], 128);
        check(
            &baseline,
            &wide,
            32,
            none,
            "the destination layout has 64 lanes per warp: expected 32 on cuda:90",
        );
        let one_warp = layout(&[(r, &[32, 64]), (l, &LANES)], 128);
        check(
            &baseline,
            &one_warp,
            32,
            none,
            "source and destination layouts require the same number of warps, but got 2 and 1",
        );
        let odd = layout(&[(Dim::OFFSET, &[32, 64]), (l, &LANES)], 128);
        check(
            &odd,
            &baseline,
            32,
            none,
            "the source layout has the input dim `offset`: expected only `register`, `lane`, `warp`, `block`",
        );
        let holes = layout(&[(r, &[0]), (l, &LANES), (w, &[64])], 128);
        check(
            &holes,
            &baseline,
            32,
            none,
            "in the destination layout, basis 0 of `register` maps to an element that no register, lane or \
             warp holds in the source layout",
        );
        let blocks = layout(&[(r, &[]), (l, &LANES), (w, &[32]), (b, &[64])], 128);
        let others = layout(&[(r, &[]), (l, &LANES), (w, &[64]), (b, &[32])], 128);
        let ampere = Target::parse("cuda:80").expect("known");
        let error = plan_conversion(&blocks, &others, 32, ampere, &none).expect_err("one CTA each");
        let expected = "in the destination layout, basis 0 of `block` maps to elements that another CTA holds in the \
                        source layout, but the GPU cannot load from another CTA";
        assert_eq!(error.to_string(), expected);
        let swapped = layout(&[(r, &[64]), (l, &LANES), (w, &[32])], 128);
        let shuffle = none.with_strategy(Strategy::Shuffle);
        check(
            &baseline,
            &swapped,
            32,
            shuffle,
            "the strategy `shuffle` does not support a conversion that moves data across `register`, `lane`, `warp`",
        );
        let tight = none.with_scratch_limit(256);
        check(
            &baseline,
            &swapped,
            32,
            tight,
            "requires 512 bytes of shared memory on cuda:90: expected at most 256",
        );
    }

    #[test]
    fn kinds_answer_their_predicates() {
        let (r, l, w) = (Dim::REGISTER, Dim::LANE, Dim::WARP);
        let baseline = layout(&[(r, &[32]), (l, &LANES), (w, &[64])], 128);
        let swapped = layout(&[(r, &[64]), (l, &LANES), (w, &[32])], 128);
        let target = Target::parse("cuda:90").unwrap();
        let plan = |bits, options| plan_conversion(&baseline, &swapped, bits, target, &options);
        let none = PlanOptions::new();
        assert!(plan(3, none).is_err());
        assert!(
            plan(32, none.with_scratch_limit(0))
                .unwrap_err()
                .is_scratch_limit()
        );
        assert!(
            plan(32, none.with_strategy(Strategy::Local))
                .unwrap_err()
                .is_strategy()
        );
    }
}
