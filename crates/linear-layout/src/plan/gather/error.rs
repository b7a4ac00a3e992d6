//! Why a gather could not be planned.

use core::fmt;

use super::super::memory::MemoryError;
use crate::layout::LayoutError;

/// No plan: the layouts do not fit each other or the target, or there is not enough shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatherError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Width {
        bits: u32,
    },
    /// Source and indices have other dims.
    Shapes {
        src: Vec<u64>,
        indices: Vec<u64>,
        axis: usize,
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
}

impl GatherError {
    /// Says whether the gather is sound but something about it is not built yet.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        match &self.kind {
            Kind::Width { .. } | Kind::SeveralBlocks { .. } => true,
            Kind::Memory(error) => error.is_unsupported(),
            Kind::Shapes { .. } | Kind::Scratch { .. } | Kind::Layout(_) => false,
        }
    }
}

impl From<Kind> for GatherError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl From<MemoryError> for GatherError {
    fn from(error: MemoryError) -> Self {
        Kind::Memory(error).into()
    }
}

impl From<LayoutError> for GatherError {
    fn from(error: LayoutError) -> Self {
        Kind::Layout(error).into()
    }
}

impl fmt::Display for GatherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Width { bits } => write!(
                f,
                "elements of {bits} bits cannot be gathered: expected a power of two up to 64"
            ),
            Kind::Shapes { src, indices, axis } => write!(
                f,
                "indices of shape {indices:?} do not fit a source of {src:?} along axis {axis}"
            ),
            Kind::SeveralBlocks { blocks } => write!(
                f,
                "gathering from a tensor over {blocks} CTAs is not supported yet: expected 1"
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
        }
    }
}

impl core::error::Error for GatherError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            Kind::Memory(error) => Some(error),
            Kind::Layout(error) => Some(error),
            _ => None,
        }
    }
}
