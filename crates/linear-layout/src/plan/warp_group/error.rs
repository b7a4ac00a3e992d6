//! Errors of planning a warp-group product.

use super::coordinates::{AXES, format_point, letter};
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
    #[error("`wgmma` is not supported on {target}: expected one of {expected}")]
    Target {
        target: &'static str,
        expected: String,
    },
    #[error(
        "`wgmma` does not multiply {} by {} into {sum}: expected f16 into f16 or f32, bf16 or tf32 into f32, two \
         8-bit floats into f16 or f32, or i8 into i32{}", .factors[0], .factors[1],
        if factors.contains(&Number::F32) { "; f32 is multiplied where it may be taken as tf32" } else { "" }
    )]
    Types { factors: [Number; 2], sum: Number },
    #[error("the buffer of {} has elements of {found} bits: expected {expected}, those of {number}", letter(*.operand))]
    Width {
        operand: usize,
        found: u64,
        expected: u32,
        number: Number,
    },
    #[error("{} has shape {found:?}: expected {expected:?}, {} x {}", letter(*.operand), AXES[*.operand][0], AXES[*.operand][1])]
    Shape {
        operand: usize,
        found: Vec<u64>,
        expected: [u64; 2],
    },
    #[error("the buffer of {} has shape {found:?}: expected {expected:?} or more, {} x {}", letter(*.operand), AXES[*.operand][0], AXES[*.operand][1])]
    Buffer {
        operand: usize,
        found: Vec<u64>,
        expected: [u64; 2],
    },
    #[error(
        "{axis} is {found}: expected a power of two of at least {expected}, the size of one instruction"
    )]
    Small {
        axis: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("{} is distributed over {} lanes of {} warps: expected {} lanes of {} warps", letter(*.operand), .found.0, .found.1, .expected.0, .expected.1)]
    Threads {
        operand: usize,
        found: (u64, u64),
        expected: (u64, String),
    },
    #[error("a product of tensors over {blocks} CTAs is not supported yet: expected 1")]
    SeveralBlocks { blocks: u64 },
    #[error("{dim} {} of {} is {}, expected {}: convert {1} to the fragment of `wgmma`", 1 << .number, letter(*.operand), format_point(*.operand, *.found), format_point(*.operand, *.expected))]
    Thread {
        operand: usize,
        dim: Dim,
        number: usize,
        found: [u64; 2],
        expected: [u64; 2],
    },
    #[error("no register of {} holds {}: expected one in each thread, as in the fragment of `wgmma`; convert {}{}",
            letter(*.operand), format_point(*.operand, *.expected), letter(*.operand),
            if *.operand == 0 { " or store it to shared memory" } else { "" })]
    Register { operand: usize, expected: [u64; 2] },
    #[error("register {} of D is {}, which other registers hold: expected distinct elements in the registers of a thread", 1 << .number, format_point(2, *.found))]
    Copies { number: usize, found: [u64; 2] },
    #[error("{dim} {} of D is {}, which splits a tile of {} x {}: expected multiples of the tile's sizes", 1 << .number, format_point(2, *.found), .tile[0], .tile[1])]
    Split {
        dim: Dim,
        number: usize,
        found: [u64; 2],
        tile: [u64; 2],
    },
    #[error("the buffer of {} is padded, which `wgmma` does not support; use a swizzle instead of padding", letter(*.operand))]
    Padding { operand: usize },
    #[error(
        "{axis} {value} of {} lies at byte {found} of its buffer: expected byte {expected}, as 8 rows of {row_bytes} bytes{} along \
         {along} have it, the nearest form that `wgmma` reads", letter(*.operand), if *.row_bytes == 16 { "" } else { ", swizzled," })]
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
        "{} lies along {axis} in its buffer: expected along k for elements of {bits} bits; only those of 16 bits are \
         transposed by `wgmma`", letter(*.operand))]
    Major {
        operand: usize,
        axis: &'static str,
        bits: u64,
    },
    #[error(
        "{axis} {value} of {} lies at byte {found} of its buffer, which has bits {common:#x} of other rows and columns: \
         expected bits of its own", letter(*.operand))]
    Overlap {
        operand: usize,
        axis: &'static str,
        value: u64,
        found: u64,
        common: u64,
    },
    #[error(
        "the view of {} may begin at byte offsets with bits {found:#x}, which select rows of the swizzle: expected none of \
         the bits {source_bits:#x}; begin the view at a multiple of 8 rows", letter(*.operand))]
    ViewRows {
        operand: usize,
        found: u64,
        source_bits: u64,
    },
    #[error(
        "the view of {} may begin at byte offsets with bits {found:#x}, which address its elements: expected bits outside of \
         {elements:#x}; begin the view at a multiple of its size", letter(*.operand))]
    ViewElements {
        operand: usize,
        found: u64,
        elements: u64,
    },
    #[error("the buffer of {} takes {bytes} bytes: expected at most {most}, which a descriptor reaches", letter(*.operand))]
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
