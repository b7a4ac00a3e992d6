//! Errors of planning buffer accesses.

use crate::layout::LayoutError;
use thiserror::Error;

/// An error that is returned if accesses to a shared-memory buffer cannot be planned: the buffer is not supported,
/// or the tensor does not fit in the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct MemoryError(MemoryErrorKind);

/// Maximum size of a buffer in bytes. Every byte offset within a buffer of at most this size is a valid signed and
/// unsigned 32-bit integer.
pub(super) const MOST_BYTES: u64 = 1 << 31;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum MemoryErrorKind {
    /// The element width is not supported.
    #[error("elements of {bits} bits are not supported in a buffer: expected 8, 16, 32 or 64")]
    Width { bits: u32 },
    /// The buffer is distributed over several CTAs.
    #[error("a buffer distributed over {blocks} CTAs is not supported yet: expected 1 CTA")]
    SeveralBlocks { blocks: u64 },
    /// The buffer, including its padding, takes more than [`MOST_BYTES`] bytes.
    #[error(
        "a buffer of {elements} elements with {bits} bits each exceeds the limit of {MOST_BYTES} bytes, \
         padding included"
    )]
    TooLarge { elements: u128, bits: u32 },
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

impl<E: Into<MemoryErrorKind>> From<E> for MemoryError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
