//! Matrix products in registers: matching of instructions with operand layouts.
//!
//! `D = A B + D`, for tensors with given layouts. [`plan_product`] looks for an instruction of the target
//! ([`crate::target::Product`]) whose operand layouts match those of the tensors, by one rule independent of encodings:
//! ```text
//! an instruction multiplies tiles of m x n x k; a *renaming* sends every bit of m, n and k to a coordinate of the
//! tensors, the same for A, B and D, such that the lanes of each tensor are the renamed lanes of the instruction
//! ```
//!
//! Registers outside the tile repeat the instruction, warps outside it compute other tiles. K may be renamed freely, as a
//! sum does not depend on the order of its terms (its rounding may). If a tile is larger than the tensor, rows and columns
//! are computed redundantly, and the part of A that would be added twice is zero.
//!
//! Factors may have a scale for each block of elements along k. A scaled instruction takes each scale from one lane, so that
//! k may be renamed within blocks, and blocks as a whole. Elements of 4 bits lie in pairs along k.
//!
//! If no instruction matches, some of A, B and D are converted to an instruction's layouts, at the least cost; a
//! multiply-add in each lane counts as an instruction, so every product without scales has a plan.
//!
//! Reading order: `matching` (the renaming and its tiles), `mismatch`, `build` (the program), `scales` (scale words of an
//! issue), `candidates` (layouts for conversions), `explain` (all instructions with their mismatches).
//! Absent on purpose: operands in shared memory, tensors over several blocks, pairs of elements along m or n.

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

/// A product to be planned.
#[derive(Clone, Copy, Debug)]
pub struct MatrixProduct<'a> {
    /// Layout of the sum: (register, lane, warp) to (m, n), after the number of the matrix if there are several.
    pub d: &'a LinearLayout,
    /// Layout of the left factor: to (m, k), or to (m, k / 2) if a byte holds two elements.
    pub a: &'a LinearLayout,
    /// Layout of the right factor: to (k, n), or to (k / 2, n).
    pub b: &'a LinearLayout,
    /// Scales of the factors, for scaled instructions.
    pub scales: Option<FactorScales<'a>>,
    /// Types that the elements of A and B may be treated as, the best first: `f32` as itself, or as `tf32`.
    pub factors: &'a [[Number; 2]],
    /// Type of the sum's elements.
    pub sum: Number,
    /// Target GPU.
    pub target: &'a Target,
}

/// Scales of blocks of a product's factors.
#[derive(Clone, Copy, Debug)]
pub struct FactorScales<'a> {
    /// Layout of the scales of A: to (m, k / block); and of those of B: to (n, k / block). `None` for a factor without
    /// scales.
    pub layouts: [Option<&'a LinearLayout>; 2],
    /// log2 of the elements along k with one scale.
    pub block_log2: u8,
    /// Type of a scale.
    pub number: ScaleNumber,
}

impl MatrixProduct<'_> {
    /// Returns the 32-bit words that a thread holds of A, B and D.
    #[must_use]
    pub fn words(&self) -> [u64; 3] {
        let [left, right] = self.factors.first().copied().unwrap_or([self.sum; 2]);
        [(self.a, left), (self.b, right), (self.d, self.sum)].map(|(layout, number)| {
            let bits = layout.in_size(Dim::REGISTER) * u64::from(number.bits());
            bits.div_ceil(32)
        })
    }

    /// Returns log2 of the elements of a factor in a byte.
    pub(crate) fn packed_log2(&self, factor: usize) -> u32 {
        self.factors
            .first()
            .map_or(0, |all| all[factor].packed_log2())
    }
}

/// The program of a product.
///
/// # Shape
/// Operands 0, 1, 2 of the program: the unique registers of D, A and B; for a product with scales, operands 3 and 4: those
/// of the scales of A and B, possibly none. Results: those of D.
/// # Laws
/// Each element of D has each product of its row of A and its column of B added once, with their scales:
/// `check_product`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProductPlan {
    program: Program,
    instruction: String,
    conversions: [Option<(PlanKind, Cost)>; 4],
    scale_conversions: [Option<(PlanKind, Cost)>; 2],
    renaming: Vec<(TileBit, u64)>,
    count: usize,
}

/// Returns the types that factors may be treated as, the best first: `f32` as `tf32` if `allows_tf32`.
#[must_use]
pub fn factor_types(factors: [Number; 2], allows_tf32: bool) -> Vec<[Number; 2]> {
    match factors {
        [Number::F32, Number::F32] if allows_tf32 => vec![[Number::Tf32; 2], factors],
        _ => vec![factors],
    }
}

impl ProductPlan {
    /// Returns the steps.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the name of the instruction.
    #[must_use]
    pub fn instruction(&self) -> &str {
        &self.instruction
    }

    /// Returns the number of issues of each warp.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the conversions of A, of B, of D and back to D, if any, with their costs.
    #[must_use]
    pub const fn conversions(&self) -> [Option<(PlanKind, Cost)>; 4] {
        self.conversions
    }

    /// Returns the conversions of the scales of A and of B, with their costs.
    #[must_use]
    pub const fn scale_conversions(&self) -> [Option<(PlanKind, Cost)>; 2] {
        self.scale_conversions
    }

    /// Returns, for A, B and D, true if the operand is converted, D there and back.
    #[must_use]
    pub fn is_converted(&self) -> [bool; 3] {
        [0, 1, 2].map(|operand| self.conversions[operand].is_some())
    }

    /// Returns the coordinate of each bit of m, n and k of the instruction along that dim of the tensors; 0 if they are too
    /// small for it.
    #[must_use]
    pub fn renaming(&self) -> &[(TileBit, u64)] {
        &self.renaming
    }
}
