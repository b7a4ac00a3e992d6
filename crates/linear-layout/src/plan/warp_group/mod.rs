//! Warp-group products: `wgmma` with operands in shared memory, for any layouts.
//!
//! `D = A B + D`, with D in registers, B in shared memory, and A in either. A warp group of four warps multiplies a
//! tile of 64 x n x k. Here n is at most 256, and k elements occupy 32 bytes. [`plan_warp_group_product`] matches:
//!
//! - the layout of D with the instruction's fragment (`fragment`), which determines n and the order of the
//!   accumulators;
//! - the register layout of A with the fragment of A, or the buffer of A with the canonical forms that a
//!   [`MatrixDescriptor`] can describe (`buffer`);
//! - the buffer of B with the same canonical forms, for the largest possible n.
//!
//! No rule depends on the name of an encoding. Every plan is checked by
//! [`check_warp_group_product`](crate::machine::check_warp_group_product), which reads descriptors as the hardware
//! does.
//!
//! Reading order: `descriptor` (the word), `buffer` (operands in memory), `fragment` (registers), `build` (the plan).
//! Absent on purpose: permutations of k, n other than powers of two, sparse A, negated operands, batch dimensions, fp8
//! sums accumulated in parts (the emitter chains issues as needed), conversions of operands, and the order of issues,
//! fences and waits of the asynchronous instruction.

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

/// Operand A or B in a shared-memory buffer.
///
/// # Units
/// `view_mask` is a mask of byte positions, as in [`BufferLayout`].
#[derive(Clone, Copy, Debug)]
pub struct FactorBuffer<'a> {
    /// Layout of the whole buffer, which maps offsets to (m, k) for A, or to (k, n) for B.
    pub layout: &'a BufferLayout,
    /// Mask of the bits that may be set at run time in the start position of the view. See
    /// [`BufferLayout::view_mask`].
    pub view_mask: u64,
}

/// Operand A of a warp-group product.
#[derive(Clone, Copy, Debug)]
pub enum LeftFactor<'a> {
    /// A is in registers. The layout maps (register, lane, warp) to (m, k).
    Registers(&'a LinearLayout),
    /// A is in shared memory.
    Buffer(FactorBuffer<'a>),
}

/// The input of [`plan_warp_group_product`]: the operands of a matrix product that warp groups compute.
#[derive(Clone, Copy, Debug)]
pub struct WarpGroupOperands<'a> {
    /// Layout of the accumulator, which maps (register, lane, warp) to (m, n). No two registers of a thread hold
    /// the same element.
    pub d: &'a LinearLayout,
    /// Operand A: m x k elements.
    pub a: LeftFactor<'a>,
    /// Operand B: k x n elements.
    pub b: FactorBuffer<'a>,
    /// Number of elements of A and B along k. If an operand is a view of a buffer, the buffer may have more
    /// elements along k.
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
/// Every warp group executes the same issues (executions of the instruction). Warp `w` belongs to warp group `w /
/// 4`. [`group_positions`](Self::group_positions) contains one byte offset per bit of the warp group's number. The
/// offsets of all set bits are added to the start address of the operand.
/// # Laws
/// Each product of an element of A and an element of B is added exactly once to its element of D, in ascending k.
/// [`check_warp_group_product`](crate::machine::check_warp_group_product) verifies this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpGroupPlan {
    pub(crate) sizes: [u64; 3],
    pub(crate) factors: [Number; 2],
    pub(crate) sum: Number,
    pub(crate) descriptors: [Option<MatrixDescriptor>; 2],
    pub(crate) group_positions: [Vec<u64>; 2],
    pub(crate) issues: Vec<WarpGroupIssue>,
}

/// The part of operand A that one issue (execution) of the instruction reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IssuedFactor {
    /// For each of the four 32-bit words of A that the instruction reads in a thread, the registers whose elements
    /// the word contains, lowest bits first.
    Words([Vec<u32>; 4]),
    /// Byte offset of the tile of A from the start address of A.
    Position(u64),
}

/// One issue (execution) of the instruction. Every warp group performs it on its own operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpGroupIssue {
    pub(crate) accumulators: Vec<u32>,
    pub(crate) a: IssuedFactor,
    pub(crate) b: u64,
    pub(crate) is_first_k: bool,
}

impl WarpGroupIssue {
    /// Returns the accumulator registers of D, in the order in which the instruction takes them. If D has 16-bit
    /// elements, each pair of consecutive registers in this list forms one 32-bit word.
    #[must_use]
    pub fn accumulators(&self) -> &[u32] {
        &self.accumulators
    }

    /// Returns the registers of A, or the offset of A's tile in its buffer.
    #[must_use]
    pub const fn a(&self) -> &IssuedFactor {
        &self.a
    }

    /// Returns the byte offset of B's tile from the start address of B.
    #[must_use]
    pub const fn b(&self) -> u64 {
        self.b
    }

    /// Returns true if this issue is the first that adds to its accumulators. If D is initially zero, this issue
    /// may ignore the old value of D.
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

    /// Returns, for each bit of the warp group's number, the number of bytes that are added to the start address of
    /// A (operand 0) or B (operand 1) if the bit is set. The result is empty for an operand in registers.
    ///
    /// The offsets of the view, the warp group, the issue and the tile have disjoint bits, so they may be added.
    #[must_use]
    pub fn group_positions(&self, operand: usize) -> &[u64] {
        self.group_positions.get(operand).map_or(&[], |own| own)
    }

    /// Returns the `wgmma.mma_async` instructions, sorted by the row and column of their tile of D, and then by k.
    #[must_use]
    pub fn issues(&self) -> &[WarpGroupIssue] {
        &self.issues
    }
}
