//! Errors of layouts of other compilers.

use crate::layout::LayoutError;
use thiserror::Error;

/// An error of reading a layout of another compiler, or of converting it to a linear one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct CompilerLayoutError(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Kind {
    #[error("expected {expected} at byte {at} of the layout text")]
    Parse { at: usize, expected: &'static str },
    #[error("`{field}` is given twice")]
    FieldTwice { field: &'static str },
    #[error("`{field}` is missing; `{needed_by}` needs it")]
    Missing {
        field: &'static str,
        needed_by: &'static str,
    },
    #[error("{what} has {found} dims, the layout {expected}")]
    RankDiffers {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("the tensor has {found} dims; the first tile needs {least} or more")]
    RankTooSmall { found: usize, least: usize },
    #[error("entry {at} of `{field}` is 0; 1 is the least")]
    Zero { field: &'static str, at: usize },
    #[error("extent {value} of dim {dim} of {what} is not a power of two; {} is the next",
            .value.next_power_of_two())]
    NotPowerOfTwo {
        what: &'static str,
        dim: usize,
        value: u64,
    },
    #[error("extent {extent} of dim {dim} is no multiple of {what}, {by}; {} is the next",
            .extent.div_ceil(*.by).saturating_mul(*.by))]
    NotDivisible {
        what: &'static str,
        dim: usize,
        extent: u64,
        by: u64,
    },
    #[error("`order` is {order:?}; it names each dim once, from 0")]
    NotPermutation { order: Vec<u64> },
    #[error(
        "{what} {dim} is 0, so that dim {dim} is not distributed, but its tile is {tile}; 1 is meant"
    )]
    NotDistributed {
        what: &'static str,
        dim: usize,
        tile: u64,
    },
    #[error("dim {found} is none that the tiles made; those are -{rank} to -1")]
    NoSuchTiledDim { found: i64, rank: usize },
    #[error("dim {found} is dealt out twice")]
    TiledDimTwice { found: i64 },
    #[error("{what} make {found}; a warpgroup has {expected}, and `Replicated` fills up")]
    Count {
        what: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("a number passes 2^62")]
    TooLarge,
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl<E: Into<Kind>> From<E> for CompilerLayoutError {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

impl CompilerLayoutError {
    /// Returns the byte of the text where reading stopped, for an error of reading a text.
    #[must_use]
    pub fn parse_offset(&self) -> Option<usize> {
        match *self.0 {
            Kind::Parse { at, .. } => Some(at),
            _ => None,
        }
    }
}
