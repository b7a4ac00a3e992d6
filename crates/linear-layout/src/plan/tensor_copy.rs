//! Copies by the tensor memory accelerator (TMA): the boxes into which a block of a tensor is divided, and the buffer
//! offset of each box.
//!
//! A TMA descriptor specifies the size of a box and the swizzle of the bytes of the box, and each copy instruction
//! supplies the coordinates of one box. The host creates the descriptors, so host and kernel must use the same box for
//! a buffer ([`NvmmaSharedEncoding::tensor_box`]). The buffer's layout determines the buffer offset of each box.
//!
//! ```text
//! 64 x 128 elements of 2 bytes, swizzled by 128 bytes: boxes of 64 x 64
//! box 0: coordinates (0, 0)     position 0
//! box 1: coordinates (0, 64)    position 8192
//! ```
//! [`crate::machine::check_tensor_copy`] compares every element of every box with the layout.
//!
//! # Source
//! CUDA driver API, `cuTensorMapEncodeTiled`; PTX ISA, "Tensors" and `cp.async.bulk.tensor`.

use super::memory::{BufferLayout, MemoryError};
use crate::f2::apply_columns;

#[cfg(doc)]
use crate::encoding::NvmmaSharedEncoding;

/// The shape of the box of elements that one TMA instruction copies, and the swizzle of its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorBox {
    /// Number of elements along each dim, a power of two. The contiguous dim is last.
    pub sizes: Vec<u64>,
    /// Width of the swizzle in bytes: 32, 64 or 128, or 0 for none.
    pub swizzle_bytes: u32,
}

/// One copy instruction, which copies one box between a tensor in global memory and a buffer in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoxCopy {
    /// Coordinates of the first element of the box, one per dim, relative to the first element of the copied block
    /// of the tensor.
    pub coordinates: Vec<u64>,
    /// Offset of the box in the buffer, in bytes.
    pub position: u64,
}

/// Divides a block of a tensor into boxes, and returns one copy per box. The copies are in the row-major order of
/// their boxes. The block has the shape of `buffer`.
///
/// # Errors
/// Returns an error if the layout of `buffer` is not surjective: some element has no position in the buffer.
pub fn plan_tensor_copy(
    buffer: &BufferLayout,
    tensor_box: &TensorBox,
) -> Result<Vec<BoxCopy>, MemoryError> {
    let mut copies = vec![BoxCopy {
        coordinates: Vec::new(),
        position: 0,
    }];
    for (steps, size) in buffer.steps()?.iter().zip(&tensor_box.sizes) {
        let starts = (0..1u64 << steps.len()).step_by(usize::try_from(*size).unwrap_or(usize::MAX));
        let next = copies.iter().flat_map(|copy| {
            starts.clone().map(|start| BoxCopy {
                coordinates: [&copy.coordinates[..], &[start]].concat(),
                position: copy.position ^ apply_columns(steps, start),
            })
        });
        copies = next.collect();
    }
    Ok(copies)
}
