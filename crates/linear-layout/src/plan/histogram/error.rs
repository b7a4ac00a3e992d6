//! Why a histogram could not be planned.

use core::fmt;

use super::super::PlanError;
use super::super::memory::MemoryError;
use crate::layout::LayoutError;

/// No plan: the layouts do not fit the target, or there is not enough shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Rank {
        rank: usize,
    },
    SeveralBlocks {
        blocks: u64,
    },
    Scratch {
        needed: u64,
        limit: u32,
        target: &'static str,
    },
    Memory(MemoryError),
    Layout(LayoutError),
    Conversion(PlanError),
}

impl HistogramError {
    /// Says whether the histogram is sound but something about it is not built yet.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        match &self.kind {
            Kind::SeveralBlocks { .. } => true,
            Kind::Memory(error) => error.is_unsupported(),
            Kind::Conversion(error) => error.is_unsupported(),
            Kind::Rank { .. } | Kind::Scratch { .. } | Kind::Layout(_) => false,
        }
    }
}

impl From<Kind> for HistogramError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl From<MemoryError> for HistogramError {
    fn from(error: MemoryError) -> Self {
        Kind::Memory(error).into()
    }
}

impl From<LayoutError> for HistogramError {
    fn from(error: LayoutError) -> Self {
        Kind::Layout(error).into()
    }
}

impl From<PlanError> for HistogramError {
    fn from(error: PlanError) -> Self {
        Kind::Conversion(error).into()
    }
}

impl fmt::Display for HistogramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Rank { rank } => write!(
                f,
                "a histogram has one count for each value, in one dimension: found a result of rank {rank}; \
                 reshape the counts with `tt.reshape`"
            ),
            Kind::SeveralBlocks { blocks } => write!(
                f,
                "a histogram of a tensor over {blocks} CTAs is not supported yet: expected 1"
            ),
            Kind::Scratch {
                needed,
                limit,
                target,
            } => write!(
                f,
                "needs {needed} bytes of shared memory, but {target} has {limit} per CTA"
            ),
            Kind::Memory(error) => error.fmt(f),
            Kind::Layout(error) => error.fmt(f),
            Kind::Conversion(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for HistogramError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            Kind::Memory(error) => Some(error),
            Kind::Layout(error) => Some(error),
            Kind::Conversion(error) => Some(error),
            _ => None,
        }
    }
}
