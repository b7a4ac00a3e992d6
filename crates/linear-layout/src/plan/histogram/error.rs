//! Errors of planning a histogram.

use super::super::PlanError;
use super::super::memory::MemoryError;
use crate::layout::LayoutError;
use thiserror::Error;

/// The error of [`plan_histogram`](super::plan_histogram): the layouts do not match the target, or shared memory
/// does not suffice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct HistogramError(HistogramErrorKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum HistogramErrorKind {
    #[error(
        "requires a result of rank 1, but got rank {rank}; reshape the counts of a 1D histogram with \
         `tt.reshape`"
    )]
    Rank { rank: usize },
    #[error(
        "a histogram of a tensor distributed over {blocks} CTAs is not supported yet: expected 1 CTA"
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
    #[error("{0}")]
    Conversion(#[from] PlanError),
}

impl<E: Into<HistogramErrorKind>> From<E> for HistogramError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
