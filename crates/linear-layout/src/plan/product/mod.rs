//! Matrix products in registers: matching of instructions with operand layouts.
//!
//! `D = A B + D`, for tensors with given layouts. [`plan_product`] looks for an instruction of the target
//! ([`crate::target::Product`]) whose operand layouts match the layouts of the tensors. There is one rule, which does
//! not depend on encodings:
//! ```text
//! an instruction multiplies tiles of m x n x k; a *renaming* sends every bit of m, n and k to a coordinate of the
//! tensors, the same for A, B and D, such that the lanes of each tensor are the renamed lanes of the instruction
//! ```
//!
//! Register bits outside the tile repeat the instruction, and warp bits outside the tile select other tiles. The values
//! of k may be permuted freely, since a sum does not depend on the order of its terms (although its rounding may). If a
//! tile is larger than the tensor, some rows and columns are computed redundantly, and the part of A that would be
//! added twice is replaced by zero.
//!
//! A and B may have a scale for each block of elements along k. A scaled instruction takes each scale from one lane. So
//! the values of k may be permuted within a block, and blocks may be permuted as a whole. Elements of 4 bits are stored
//! in pairs along k.
//!
//! If no instruction matches, some of A, B and D are converted to an instruction's layouts, such that the total cost is
//! minimal. A multiply-add in each lane counts as an instruction, so every product without scales has a plan.
//!
//! Reading order: `matching` (the renaming and its tiles), `mismatch`, `build` (the program), `scales` (scale words of
//! an issue), `candidates` (layouts for conversions), `explain` (all instructions with their mismatches). Absent on
//! purpose: operands in shared memory, tensors distributed over several CTAs, pairs of 4-bit elements along m or n.

mod build;
mod candidates;
mod coordinates;
mod error;
mod explain;
mod matching;
mod mismatch;
mod scales;

use super::program::Program;
use super::{Cost, PlanKind};
use crate::layout::{Dim, LinearLayout};
use crate::target::{Number, ScaleNumber, Target, TileBit};

pub use build::plan_product;
pub use error::ProductError;
pub use explain::{Attempt, Issues, match_instructions, operand_layout};
pub use mismatch::Mismatch;

/// The input of [`plan_product`]: the layouts and element types of the operands of a matrix product, and the
/// target.
#[derive(Clone, Copy, Debug)]
pub struct MatrixProduct<'a> {
    /// Layout of D, which maps (register, lane, warp) to (m, n). In a product of several matrices, the first output
    /// dim is the index of the matrix.
    pub d: &'a LinearLayout,
    /// Layout of A, which maps (register, lane, warp) to (m, k), or to (m, k / 2) if a byte holds two elements.
    pub a: &'a LinearLayout,
    /// Layout of B, which maps (register, lane, warp) to (k, n), or to (k / 2, n) if a byte holds two elements.
    pub b: &'a LinearLayout,
    /// Scales of A and B. `None` if the product has no scales.
    pub scales: Option<FactorScales<'a>>,
    /// Pairs of element types (of A, of B) that the multiplication may use, in order of preference. For example,
    /// `f32` operands may be multiplied as `tf32` or as `f32`.
    pub factors: &'a [[Number; 2]],
    /// Element type of D.
    pub sum: Number,
    /// Target GPU.
    pub target: &'a Target,
}

/// The scales of A and B. One scale applies to a block of consecutive elements along k.
#[derive(Clone, Copy, Debug)]
pub struct FactorScales<'a> {
    /// Layouts of the scales of A and of the scales of B. They map to (m, block) and to (n, block), where a block
    /// is a run of elements along k that share a scale. An entry is `None` if the operand has no scales.
    pub layouts: [Option<&'a LinearLayout>; 2],
    /// log2 of the number of elements along k that share one scale.
    pub block_log2: u8,
    /// Type of a scale.
    pub number: ScaleNumber,
}

impl MatrixProduct<'_> {
    /// Returns, for each of A, B and D, the number of 32-bit words that the operand occupies in the registers of
    /// one thread.
    #[must_use]
    pub fn words(&self) -> [u64; 3] {
        let [left, right] = self.factors.first().copied().unwrap_or([self.sum; 2]);
        [(self.a, left), (self.b, right), (self.d, self.sum)].map(|(layout, number)| {
            let bits = layout.in_size(Dim::REGISTER) * u64::from(number.bits());
            bits.div_ceil(32)
        })
    }

    /// Returns log2 of the number of elements of operand A (0) or B (1) that share a byte.
    pub(crate) fn packed_log2(&self, factor: usize) -> u32 {
        self.factors
            .first()
            .map_or(0, |all| all[factor].packed_log2())
    }
}

/// The plan of a product: its program, the chosen instruction, and the conversions of the operands.
///
/// # Shape
/// Operands 0, 1 and 2 of the program are the registers of D, A and B. In a product with scales, operands 3 and 4
/// are the registers of the scales of A and B. Operand 3 or operand 4 may be empty. The results are the registers
/// of D.
/// # Laws
/// Each product of an element of A and an element of B, multiplied by their scales, is added exactly once to its
/// element of D. `check_product` verifies this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProductPlan {
    program: Program,
    instruction: String,
    conversions: [Option<(PlanKind, Cost)>; 4],
    scale_conversions: [Option<(PlanKind, Cost)>; 2],
    renaming: Vec<(TileBit, u64)>,
    count: usize,
}

/// Returns the pairs of element types (of A, of B) that the multiplication may use, in order of preference. If
/// `allows_tf32` is true, `f32` operands may be multiplied as `tf32`.
#[must_use]
pub fn factor_types(factors: [Number; 2], allows_tf32: bool) -> Vec<[Number; 2]> {
    match factors {
        [Number::F32, Number::F32] if allows_tf32 => vec![[Number::Tf32; 2], factors],
        _ => vec![factors],
    }
}

impl ProductPlan {
    /// Returns the program of the product.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the name of the matrix instruction.
    #[must_use]
    pub fn instruction(&self) -> &str {
        &self.instruction
    }

    /// Returns the number of times that each warp issues the matrix instruction.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the kind and the cost of four conversions: of A, of B, of D before the product, and of D after the
    /// product. An entry is `None` if the conversion is not needed.
    #[must_use]
    pub const fn conversions(&self) -> [Option<(PlanKind, Cost)>; 4] {
        self.conversions
    }

    /// Returns the kind and the cost of the conversions of the scales of A and of B. An entry is `None` if the
    /// conversion is not needed.
    #[must_use]
    pub const fn scale_conversions(&self) -> [Option<(PlanKind, Cost)>; 2] {
        self.scale_conversions
    }

    /// Returns three flags, for A, B and D. A flag is true if the plan converts this operand. If D is converted, it
    /// is converted before the product, and the result is converted back after the product.
    #[must_use]
    pub fn is_converted(&self) -> [bool; 3] {
        [0, 1, 2].map(|operand| self.conversions[operand].is_some())
    }

    /// Returns each bit of the instruction's m, n and k with the tensor coordinate to which it is mapped. The
    /// coordinate is 0 if the tensors are too small for the bit.
    #[must_use]
    pub fn renaming(&self) -> &[(TileBit, u64)] {
        &self.renaming
    }
}
