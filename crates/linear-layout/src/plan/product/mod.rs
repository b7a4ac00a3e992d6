//! Plans of products of matrices in registers: which instruction multiplies which registers.
//!
//! `D = A B + D`, where layouts say which thread holds which element. [`plan_product`] looks for an instruction of the
//! target ([`crate::target::Product`]) whose operands lie as the tensors do, by one rule that names no encoding:
//!
//! ```text
//! an instruction multiplies tiles of m x n x k; a *renaming* sends every bit of m, n and k to a coordinate of the
//! tensors, the same for A, B and D, such that the lanes of each tensor are the renamed lanes of the instruction
//! ```
//!
//! Registers that are not of the tile repeat the instruction, warps that are not of it hold other tiles. K may be
//! renamed freely, as a sum does not depend on the order of its terms (its rounding may). A tile may be larger than
//! the tensor: rows and columns are computed twice then, and the part of A that would be added twice is zero.
//!
//! Factors may have a scale for each block of elements along k. An instruction that multiplies by them takes each scale
//! from one lane, so that k may be renamed within blocks, and blocks as a whole. Elements of 4 bits lie in pairs along k.
//!
//! Where nothing divides, some of A, B and D are converted to what an instruction takes, at the least cost; a
//! multiplication and addition in each lane is an instruction, too, so that every product without scales has a plan.
//!
//! Reading order: `matching` (the renaming, and the tiles that it gives), `mismatch` (why there is none), `build` (the
//! program), `scales` (which word holds the scales of an issue), `candidates` (layouts that instructions take), `explain`
//! (what each instruction would do).
//! Missing on purpose: operands in shared memory, tensors over several blocks, pairs of elements along m or n.

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
    /// The layout of the sum: (register, lane, warp) to (m, n), with the number of the matrix first where there are several.
    pub d: &'a LinearLayout,
    /// The layout of the left factor: to (m, k), or to (m, k / 2) where a byte holds two elements.
    pub a: &'a LinearLayout,
    /// The layout of the right factor: to (k, n), or to (k / 2, n).
    pub b: &'a LinearLayout,
    /// The scales of the factors, where an instruction is to multiply by them.
    pub scales: Option<FactorScales<'a>>,
    /// The types that the elements of A and B may be taken as, the best first: `f32` as itself, or as `tf32`.
    pub factors: &'a [[Number; 2]],
    /// The type of the sum's elements.
    pub sum: Number,
    /// The GPU.
    pub target: &'a Target,
}

/// Scales of blocks of a product's factors.
#[derive(Clone, Copy, Debug)]
pub struct FactorScales<'a> {
    /// Where the scales of A are: to (m, k / block); and those of B: to (n, k / block). A factor without scales is
    /// multiplied as it is.
    pub layouts: [Option<&'a LinearLayout>; 2],
    /// log2 of the elements along k that have one scale.
    pub block_log2: u8,
    /// The type of a scale.
    pub number: ScaleNumber,
}

impl MatrixProduct<'_> {
    /// Returns the words of 32 bits that a thread holds of A, B and D.
    #[must_use]
    pub fn words(&self) -> [u64; 3] {
        let [left, right] = self.factors.first().copied().unwrap_or([self.sum; 2]);
        [(self.a, left), (self.b, right), (self.d, self.sum)].map(|(layout, number)| {
            let bits = layout.in_size(Dim::REGISTER) * u64::from(number.bits());
            bits.div_ceil(32)
        })
    }

    /// log2 of the elements of a factor that a byte holds.
    pub(crate) fn packed_log2(&self, factor: usize) -> u32 {
        self.factors
            .first()
            .map_or(0, |all| all[factor].packed_log2())
    }
}

/// The program of a product.
///
/// # Shape
/// Operands 0, 1, 2 of the program: the unique registers of D, A and B; of a product with scales operands 3 and 4 those
/// of the scales of A and B, which may be none. Results: those of D.
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

/// Returns what factors of these types may be taken as, the best first: `f32` as `tf32` where `allows_tf32`.
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

    /// Returns how often each warp issues the instruction.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the conversions of A, of B, of D and back to D, those that there are, with their costs.
    #[must_use]
    pub const fn conversions(&self) -> [Option<(PlanKind, Cost)>; 4] {
        self.conversions
    }

    /// Returns the conversions of the scales of A and of B, with their costs.
    #[must_use]
    pub const fn scale_conversions(&self) -> [Option<(PlanKind, Cost)>; 2] {
        self.scale_conversions
    }

    /// Returns which of A, B and D are converted, D there and back.
    #[must_use]
    pub fn is_converted(&self) -> [bool; 3] {
        [0, 1, 2].map(|operand| self.conversions[operand].is_some())
    }

    /// Returns where each bit of m, n and k of the instruction lies along that dim of the tensors; 0 where they are too
    /// small for it.
    #[must_use]
    pub fn renaming(&self) -> &[(TileBit, u64)] {
        &self.renaming
    }
}
