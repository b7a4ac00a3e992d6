//! Errors of planning programs on tuples.

use super::super::PlanError;
use crate::layout::LayoutError;
use thiserror::Error;

/// An error that is returned if a reduction or a scan cannot be planned: the layouts do not match each other or the
/// target, or shared memory does not suffice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct TupleError(TupleErrorKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(in crate::plan) enum TupleErrorKind {
    #[error(
        "{bits}-bit elements cannot be combined: expected a width of 1, 2, 4, 8, 16, 32 or 64 bits"
    )]
    Width { bits: u32 },
    /// The axis is not a dim of the source.
    #[error("axis {axis} is out of range: expected less than the rank {rank}")]
    Axis { axis: usize, rank: usize },
    /// The elements are distributed over several CTAs.
    #[error(
        "combining elements of a tensor distributed over {blocks} CTAs is not supported yet: expected 1 CTA"
    )]
    SeveralBlocks { blocks: u64 },
    /// The dims of the result are not the dims of the source without the axis.
    #[error(
        "the result has shape {found:?}: expected {expected:?}, the source shape without the axis"
    )]
    Rows { expected: Vec<u64>, found: Vec<u64> },
    #[error("requires {needed} bytes of shared memory, but {target} has {limit} per CTA")]
    Scratch {
        needed: u32,
        limit: u32,
        target: &'static str,
    },
    #[error("{0}")]
    Conversion(#[from] PlanError),
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<TupleErrorKind>> From<E> for TupleError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
