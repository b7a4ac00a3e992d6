//! Errors of layouts of other compilers.

use crate::layout::LayoutError;
use thiserror::Error;

/// An error in the text or in the fields of a [`CompilerLayout`](super::CompilerLayout), or in its conversion to a
/// linear layout.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct CompilerLayoutError(Box<CompilerLayoutErrorKind>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum CompilerLayoutErrorKind {
    #[error("expected {expected} at byte {at} of the layout text")]
    Parse { at: usize, expected: &'static str },
    #[error("`{field}` is given twice")]
    FieldTwice { field: &'static str },
    #[error("`{needed_by}` requires `{field}`")]
    Missing {
        field: &'static str,
        needed_by: &'static str,
    },
    #[error("{what} has {found} dims, but the layout has {expected}")]
    RankDiffers {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("a tile has {least} dims; expected at most {found}, the number of dims to tile")]
    RankTooSmall { found: usize, least: usize },
    #[error("entry {at} of `{field}` is 0; expected 1 or more")]
    Zero { field: &'static str, at: usize },
    #[error("dim {dim} of {what} is {value}; expected a power of two, the next is {}",
            .value.next_power_of_two())]
    NotPowerOfTwo {
        what: &'static str,
        dim: usize,
        value: u64,
    },
    #[error("in dim {dim}, extent {extent} is not a multiple of {by} ({what}); the next multiple is {}",
            .extent.div_ceil(*.by).saturating_mul(*.by))]
    NotDivisible {
        what: &'static str,
        dim: usize,
        extent: u64,
        by: u64,
    },
    #[error("dim {dim} has extent {extent}; expected {expected}, the product of the tiles")]
    ExtentDiffers {
        dim: usize,
        extent: u64,
        expected: u64,
    },
    #[error("`order` is {order:?}; expected a permutation of the dims")]
    NotPermutation { order: Vec<u64> },
    #[error(
        "in dim {dim}, {what} is 0 (no distribution), but the tile has extent {tile}; expected extent 1"
    )]
    NotDistributed {
        what: &'static str,
        dim: usize,
        tile: u64,
    },
    #[error("dim {found} is not a dim of the tiles; expected -{rank} to -1")]
    NoSuchTiledDim { found: i64, rank: usize },
    #[error("dim {found} is distributed twice")]
    TiledDimTwice { found: i64 },
    #[error(
        "the extents in {what} have the product {found}; expected {expected}, including `Replicated` copies"
    )]
    Count {
        what: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("a product of extents is 2^62 or more; expected less than 2^62")]
    TooLarge,
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl<E: Into<CompilerLayoutErrorKind>> From<E> for CompilerLayoutError {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

impl CompilerLayoutError {
    /// Returns the byte offset at which a syntax error occurred, or `None` if this is not a syntax error.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match *self.0 {
            CompilerLayoutErrorKind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }
}
