//! Why accesses of a buffer could not be planned.

use core::fmt;

use crate::layout::LayoutError;

/// No plan: the buffer is one that memory is not accessed by, or the tensor does not fit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An element that memory is not accessed by.
    Width {
        bits: u32,
    },
    /// A buffer in the memory of several CTAs.
    SeveralBlocks {
        blocks: u64,
    },
    Layout(LayoutError),
}

impl MemoryError {
    /// Says whether the buffer is sound but something about it is not built yet.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        matches!(self.kind, Kind::Width { .. } | Kind::SeveralBlocks { .. })
    }
}

impl From<Kind> for MemoryError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl From<LayoutError> for MemoryError {
    fn from(error: LayoutError) -> Self {
        Kind::Layout(error).into()
    }
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Width { bits } => write!(
                f,
                "elements of {bits} bits are not supported in a buffer: expected 8, 16, 32 or 64"
            ),
            Kind::SeveralBlocks { blocks } => write!(
                f,
                "a buffer in the memory of {blocks} CTAs is not supported yet: expected one in that of 1"
            ),
            Kind::Layout(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for MemoryError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            Kind::Layout(error) => Some(error),
            Kind::Width { .. } | Kind::SeveralBlocks { .. } => None,
        }
    }
}
