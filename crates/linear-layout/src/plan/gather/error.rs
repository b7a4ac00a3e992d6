//! Errors of planning a gather.

use super::super::memory::MemoryError;
use crate::layout::LayoutError;
use thiserror::Error;

/// The error of [`plan_gather`](super::plan_gather): the layouts do not match each other or the target, or shared
/// memory does not suffice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct GatherError(GatherErrorKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum GatherErrorKind {
    #[error(
        "{bits}-bit elements cannot be gathered: expected a width of 1, 2, 4, 8, 16, 32 or 64 bits"
    )]
    Width { bits: u32 },
    /// The shapes of the source and of the indices are incompatible.
    #[error(
        "the indices have shape {indices:?}, but the source has shape {src:?}: expected the same rank, and the \
         same sizes except along axis {axis}"
    )]
    Shapes {
        src: Vec<u64>,
        indices: Vec<u64>,
        axis: usize,
    },
    #[error(
        "gathering from a tensor distributed over {blocks} CTAs is not supported yet: expected 1 CTA"
    )]
    SeveralBlocks { blocks: u64 },
    #[error("requires {needed} bytes of shared memory, but {target} has {limit} per CTA")]
    Scratch {
        needed: u64,
        limit: u32,
        target: &'static str,
    },
    #[error("{0}")]
    Memory(#[from] MemoryError),
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<GatherErrorKind>> From<E> for GatherError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
