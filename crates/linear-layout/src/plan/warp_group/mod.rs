//! Warp-group products: `wgmma` with operands in shared memory, for any layouts.
//!
//! `D = A B + D`, with D in registers, B in a buffer, and A in either. A warp group of four warps multiplies a tile of
//! 64 x n x k, with n up to 256 and k elements of 32 bytes. [`plan_warp_group_product`] matches:
//!
//! - the layout of D with the fragment of the instruction (`fragment`), which gives n and the order of the accumulators;
//! - the layout of A with its fragment, or its buffer with the forms of a [`MatrixDescriptor`] (`buffer`);
//! - the buffer of B with those forms, for the largest possible n.
//!
//! No rule names an encoding. Every plan is checked by [`check_warp_group_product`](crate::machine::check_warp_group_product),
//! which reads descriptors as the hardware does.
//!
//! Reading order: `descriptor` (the word), `buffer` (operands in memory), `fragment` (registers), `build` (the plan).
//! Absent on purpose: renaming k, n other than powers of two, sparse A, negated factors, batch dimensions, fp8 sums in
//! parts (the emitter chains issues as it needs), conversions of operands, and the order of issues, fences and waits of
//! the asynchronous instruction.

mod buffer;
mod build;
mod coordinates;
mod descriptor;
mod error;
mod fragment;
#[cfg(test)]
pub(crate) mod tests;

use super::memory::BufferLayout;
use crate::layout::LinearLayout;
use crate::target::{Number, Target};

pub use build::plan_warp_group_product;
pub use descriptor::{MatrixDescriptor, MatrixSwizzle};
pub use error::WarpGroupError;

/// A factor in a buffer.
///
/// # Units
/// `view_mask` counts bytes, as positions of [`BufferLayout`] do.
#[derive(Clone, Copy, Debug)]
pub struct FactorBuffer<'a> {
    /// Layout of the whole buffer: offset to (m, k) of A, (k, n) of B.
    pub layout: &'a BufferLayout,
    /// Bits that the position of the view may have at run time; see [`BufferLayout::view_mask`].
    pub view_mask: u64,
}

/// The left factor of a warp-group product.
#[derive(Clone, Copy, Debug)]
pub enum LeftFactor<'a> {
    /// In registers: (register, lane, warp) to (m, k).
    Registers(&'a LinearLayout),
    /// In shared memory.
    Buffer(FactorBuffer<'a>),
}

/// A warp-group product to be planned.
#[derive(Clone, Copy, Debug)]
pub struct WarpGroupOperands<'a> {
    /// Layout of the accumulator: (register, lane, warp) to (m, n). No two registers of a thread hold the same element.
    pub d: &'a LinearLayout,
    /// Left factor: m x k elements.
    pub a: LeftFactor<'a>,
    /// Right factor: k x n elements.
    pub b: FactorBuffer<'a>,
    /// Number of elements along k. The buffers of views may have more.
    pub k: u64,
    /// Element types of A and B.
    pub factors: [Number; 2],
    /// Element type of D.
    pub sum: Number,
    /// Target GPU.
    pub target: &'a Target,
}

/// The plan of a warp-group product.
///
/// # Shape
/// The issues are those of every warp group. The warp group of warp `w` is `w / 4`; the start of its tiles in a buffer is
/// the sum of the [`group_positions`](Self::group_positions) of the bits that are set in that number.
/// # Laws
/// Each element of D has each product of its row of A and its column of B added once, in ascending k:
/// [`check_warp_group_product`](crate::machine::check_warp_group_product).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpGroupPlan {
    pub(crate) sizes: [u64; 3],
    pub(crate) factors: [Number; 2],
    pub(crate) sum: Number,
    pub(crate) descriptors: [Option<MatrixDescriptor>; 2],
    pub(crate) group_positions: [Vec<u64>; 2],
    pub(crate) issues: Vec<WarpGroupIssue>,
}

/// The left factor of one issue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IssuedFactor {
    /// Registers of A in each of the four 32-bit words, the one in the lowest bits first.
    Words([Vec<u32>; 4]),
    /// Byte offset from the start address of A.
    Position(u64),
}

/// One issue of the instruction by a warp group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpGroupIssue {
    pub(crate) accumulators: Vec<u32>,
    pub(crate) a: IssuedFactor,
    pub(crate) b: u64,
    pub(crate) is_first_k: bool,
}

impl WarpGroupIssue {
    /// Returns the accumulator registers of D, in the order of the instruction; for 16-bit sums each pair is a word.
    #[must_use]
    pub fn accumulators(&self) -> &[u32] {
        &self.accumulators
    }

    /// Returns the registers of A, or the offset of its tile.
    #[must_use]
    pub const fn a(&self) -> &IssuedFactor {
        &self.a
    }

    /// Returns the byte offset from the start address of B.
    #[must_use]
    pub const fn b(&self) -> u64 {
        self.b
    }

    /// Returns true if no earlier issue adds to the accumulators: if D starts as zero, it is not read.
    #[must_use]
    pub const fn is_first_k(&self) -> bool {
        self.is_first_k
    }
}

impl WarpGroupPlan {
    /// Returns the sizes m, n, k of the instruction.
    #[must_use]
    pub const fn sizes(&self) -> [u64; 3] {
        self.sizes
    }

    /// Returns the name of the instruction in PTX.
    #[must_use]
    pub fn instruction(&self) -> String {
        let name = |number: Number| match number {
            Number::I8 => "s8",
            Number::I32 => "s32",
            other => other.name(),
        };
        let ([m, n, k], [a, b]) = (self.sizes, self.factors.map(name));
        let sum = name(self.sum);
        format!("wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{sum}.{a}.{b}")
    }

    /// Returns the types of A, B and D.
    #[must_use]
    pub const fn types(&self) -> [Number; 3] {
        [self.factors[0], self.factors[1], self.sum]
    }

    /// Returns the descriptor of A (operand 0) or B (1), or `None` if A is in registers.
    #[must_use]
    pub fn descriptor(&self, operand: usize) -> Option<&MatrixDescriptor> {
        self.descriptors.get(operand)?.as_ref()
    }

    /// Returns the contribution in bytes of each bit of the warp group's number to the start address of A (operand 0) or B
    /// (1); empty for an operand in registers.
    ///
    /// Positions are added: the view, the warp group, the issue and the tile have disjoint bits.
    #[must_use]
    pub fn group_positions(&self, operand: usize) -> &[u64] {
        self.group_positions.get(operand).map_or(&[], |own| own)
    }

    /// Returns the issues: by rows and columns of D, then in ascending k.
    #[must_use]
    pub fn issues(&self) -> &[WarpGroupIssue] {
        &self.issues
    }
}
