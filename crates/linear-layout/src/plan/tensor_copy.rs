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

impl BoxCopy {
    /// Returns the copy whose coordinates and position are `count` steps after those of `self`.
    fn after(&self, step: &Self, count: u64) -> Self {
        let coordinates = self.coordinates.iter().zip(&step.coordinates);
        Self {
            coordinates: coordinates.map(|(at, step)| at + count * step).collect(),
            position: self.position + count * step.position,
        }
    }

    /// Returns the step from `self` to `next`, or `None` if a coordinate or the position decreases.
    fn step_to(&self, next: &Self) -> Option<Self> {
        let coordinates = self.coordinates.iter().zip(&next.coordinates);
        Some(Self {
            coordinates: coordinates
                .map(|(at, next)| next.checked_sub(*at))
                .collect::<Option<_>>()?,
            position: next.position.checked_sub(self.position)?,
        })
    }
}

/// Copies that warps issue at the same time. Warp `w` of the first `warps` warps issues the copy that is `w` steps after
/// `first`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyRound {
    /// The copy of warp 0.
    pub first: BoxCopy,
    /// Differences of coordinates and position between the copies of neighbouring warps.
    pub step: BoxCopy,
    /// Number of warps that issue a copy.
    pub warps: u32,
}

impl CopyRound {
    /// Iterates over the copies of the warps, in the order of the warps.
    pub fn copies(&self) -> impl Iterator<Item = BoxCopy> {
        (0..self.warps).map(|warp| self.first.after(&self.step, warp.into()))
    }
}

/// Distributes copies over at most `warps` warps. Each round has as many equally spaced copies as possible.
///
/// ```
/// # use linear_layout::plan::tensor_copy::{BoxCopy, distribute_copies};
/// let copy = |column| BoxCopy { coordinates: vec![0, column], position: 128 * column };
/// let rounds = distribute_copies(&[0, 64, 128, 192].map(copy), 2);
/// assert_eq!(rounds.len(), 2);
/// assert_eq!((&rounds[1].first, &rounds[1].step), (&copy(128), &copy(64)));
/// ```
#[must_use]
pub fn distribute_copies(copies: &[BoxCopy], warps: u32) -> Vec<CopyRound> {
    let mut rounds = Vec::new();
    let mut rest = copies;
    while let [first, after @ ..] = rest {
        let mut round = CopyRound {
            first: first.clone(),
            step: BoxCopy {
                coordinates: vec![0; first.coordinates.len()],
                position: 0,
            },
            warps: 1,
        };
        if let Some(step) = after.first().and_then(|next| first.step_to(next)) {
            let spaced = after
                .iter()
                .zip(1..warps)
                .take_while(|(copy, warp)| **copy == first.after(&step, (*warp).into()));
            round.warps += spaced.map(|_| 1).sum::<u32>();
            if round.warps > 1 {
                round.step = step;
            }
        }
        rest = &rest[round.warps as usize..];
        rounds.push(round);
    }
    rounds
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
