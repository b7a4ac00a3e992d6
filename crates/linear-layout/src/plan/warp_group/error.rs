//! Errors of planning a warp-group product.

use super::coordinates::{A, AXES, D, format_point, letter};
use crate::layout::{Dim, LayoutError};
use crate::plan::memory::MemoryError;
use crate::target::Number;
use thiserror::Error;

/// An error that [`plan_warp_group_product`](super::plan_warp_group_product) returns: `wgmma` does not support the
/// operands, or the target does not have `wgmma`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct WarpGroupError(pub(super) WarpGroupErrorKind);

/// The reason for a [`WarpGroupError`]. `operand` is 0, 1 or 2 for A, B or D. Coordinates refer to the tensor of
/// that operand.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum WarpGroupErrorKind {
    #[error("`wgmma` is not supported on {target}: expected {expected}")]
    Target {
        target: &'static str,
        expected: String,
    },
    #[error(
        "`wgmma` does not multiply {} by {} into {sum}: expected f16 into f16 or f32, bf16 or tf32 into f32, \
         8-bit floats into f16 or f32, or i8 into i32{}", .factors[0], .factors[1],
        if factors.contains(&Number::F32) { "; f32 operands require the input precision tf32" } else { "" }
    )]
    Types { factors: [Number; 2], sum: Number },
    #[error(
        "the buffer of {} has {found}-bit elements: expected {expected}-bit elements of type {number}",
        letter(*.operand)
    )]
    Width {
        operand: usize,
        found: u64,
        expected: u32,
        number: Number,
    },
    #[error("{} has shape {found:?}: expected {}", letter(*.operand), expected_shape(*.operand, *.expected))]
    Shape {
        operand: usize,
        found: Vec<u64>,
        expected: [u64; 2],
    },
    #[error(
        "the buffer of {} has shape {found:?}: expected at least {expected:?} ({} x {})",
        letter(*.operand), AXES[*.operand][0], AXES[*.operand][1]
    )]
    Buffer {
        operand: usize,
        found: Vec<u64>,
        expected: [u64; 2],
    },
    #[error(
        "the product has {axis} = {found}: expected a power of two of at least {expected}, the {axis} of one \
         `wgmma` instruction"
    )]
    Small {
        axis: &'static str,
        found: u64,
        expected: u64,
    },
    #[error(
        "{} is distributed over {} warps of {} lanes: expected {} warps of {} lanes{}",
        letter(*.operand), .found.1, .found.0, .expected.1, .expected.0,
        if *.operand == D { "" } else { ", as in D" }
    )]
    Threads {
        operand: usize,
        found: (u64, u64),
        expected: (u64, String),
    },
    #[error(
        "a product of tensors distributed over {blocks} CTAs is not supported yet: expected 1 CTA"
    )]
    SeveralBlocks { blocks: u64 },
    #[error(
        "in {0}, the first element of {dim} {1} is {2}, expected ({3}, {4}); convert {0} to the layout of the \
         `wgmma` fragment",
        letter(*.operand), 1 << .number, format_point(*.operand, *.found), .expected[0], .expected[1]
    )]
    Thread {
        operand: usize,
        dim: Dim,
        number: usize,
        found: [u64; 2],
        expected: [u64; 2],
    },
    #[error(
        "in {0}, no register of thread 0 holds {1}, which the `wgmma` fragment requires; convert {0} to the \
         layout of the fragment{2}",
        letter(*.operand), format_point(*.operand, *.expected),
        if *.operand == A { ", or store A to shared memory" } else { "" }
    )]
    Register { operand: usize, expected: [u64; 2] },
    #[error(
        "in D, register {} of thread 0 holds {}, which a lower register also holds; expected distinct elements \
         in the registers of a thread",
        1 << .number, format_point(D, *.found)
    )]
    Copies { number: usize, found: [u64; 2] },
    #[error(
        "in D, the tile of {dim} {} starts at {}; expected multiples of the tile size, {} x {}",
        1 << .number, format_point(D, *.found), .tile[0], .tile[1]
    )]
    Split {
        dim: Dim,
        number: usize,
        found: [u64; 2],
        tile: [u64; 2],
    },
    #[error("the buffer of {} is padded, which `wgmma` does not support; use a swizzle instead of padding", letter(*.operand))]
    Padding { operand: usize },
    #[error(
        "in the buffer of {}, {axis} = {value} lies at byte {found}; expected byte {expected}, as in the \
         nearest layout that `wgmma` reads: 8 rows of {row_bytes} bytes along {along}, {} a swizzle",
        letter(*.operand), if *.row_bytes == 16 { "without" } else { "with" })]
    Form {
        operand: usize,
        axis: &'static str,
        value: u64,
        found: u64,
        expected: u64,
        row_bytes: u64,
        along: &'static str,
    },
    #[error(
        "in the buffer of {}, elements are contiguous along {axis}; expected along k for {bits}-bit elements, \
         because `wgmma` transposes only 16-bit elements", letter(*.operand))]
    Major {
        operand: usize,
        axis: &'static str,
        bits: u64,
    },
    #[error(
        "in the buffer of {}, {axis} = {value} lies at byte {found}, which shares offset bits {common:#x} with \
         other rows or columns; expected disjoint offset bits", letter(*.operand))]
    Overlap {
        operand: usize,
        axis: &'static str,
        value: u64,
        found: u64,
        common: u64,
    },
    #[error(
        "the view of {} may start at byte offsets with bits {found:#x}, inside the 8 rows of a swizzle; \
         expected offsets without the bits {source_bits:#x}; start the view at a multiple of 8 \
         rows", letter(*.operand))]
    ViewRows {
        operand: usize,
        found: u64,
        source_bits: u64,
    },
    #[error(
        "the view of {} may start at byte offsets with bits {found:#x}, which also address elements of the \
         view; expected offsets without the bits {elements:#x}; start the view at a multiple of the view \
         size", letter(*.operand))]
    ViewElements {
        operand: usize,
        found: u64,
        elements: u64,
    },
    #[error(
        "the buffer of {} takes {bytes} bytes: expected at most {most} bytes, the range of a matrix descriptor",
        letter(*.operand)
    )]
    Far {
        operand: usize,
        bytes: u64,
        most: u64,
    },
    #[error("{0}")]
    Memory(#[from] MemoryError),
    #[error("{0}")]
    Layout(#[from] LayoutError),
}

/// Returns a description of the shape that an operand must have. If D has the wrong rank, the sizes are unknown.
fn expected_shape(operand: usize, expected: [u64; 2]) -> String {
    let [down, across] = AXES[operand];
    if operand == D {
        return format!("rank 2 ({down} x {across})");
    }
    format!("{expected:?} ({down} x {across})")
}
