//! Errors of planning buffer accesses.

use crate::layout::LayoutError;
use thiserror::Error;

/// Error of planning accesses to a buffer: the buffer is not supported, or the tensor does not fit in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct MemoryError(MemoryErrorKind);

/// Bytes that signed and unsigned 32-bit addresses reach.
pub(super) const MOST_BYTES: u64 = 1 << 31;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum MemoryErrorKind {
    /// An unsupported element width.
    #[error("elements of {bits} bits are not supported in a buffer: expected 8, 16, 32 or 64")]
    Width { bits: u32 },
    /// A buffer that is distributed over several CTAs.
    #[error(
        "a buffer in the memory of {blocks} CTAs is not supported yet: expected one in that of 1"
    )]
    SeveralBlocks { blocks: u64 },
    /// A buffer whose end exceeds 32-bit addresses.
    #[error(
        "a buffer of {elements} elements of {bits} bits takes more than {MOST_BYTES} bytes, its padding \
             included: expected a smaller one"
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
