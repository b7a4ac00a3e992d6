//! Errors of planning accesses to a buffer.

use crate::layout::LayoutError;
use thiserror::Error;

/// No plan: the buffer is one that memory is not accessed by, or the tensor does not fit it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct MemoryError(Kind);

/// The bytes that addresses of 32 bits, some of them signed, reach.
pub(super) const MOST_BYTES: u64 = 1 << 31;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Kind {
    /// An element that memory is not accessed by.
    #[error("elements of {bits} bits are not supported in a buffer: expected 8, 16, 32 or 64")]
    Width { bits: u32 },
    /// A buffer in the memory of several CTAs.
    #[error(
        "a buffer in the memory of {blocks} CTAs is not supported yet: expected one in that of 1"
    )]
    SeveralBlocks { blocks: u64 },
    /// A buffer that 32-bit addresses do not reach the end of.
    #[error(
        "a buffer of {elements} elements of {bits} bits takes more than {MOST_BYTES} bytes, its padding \
             included: expected a smaller one"
    )]
    TooLarge { elements: u128, bits: u32 },
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<Kind>> From<E> for MemoryError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
