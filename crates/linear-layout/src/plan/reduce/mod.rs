//! Reductions along an axis.
//!
//! [`plan_reduction`] takes the layout of a tensor, the axis, and the layout of the result. It returns a [`ReducePlan`], a
//! program on tuples ([`super::tuples`]).
//!
//! The elements of a row are distributed over registers, lanes and warps, which are combined in this order:
//!
//! ```text
//! registers   each thread combines its own:                      r0 + r1, r2 + r3, then both
//! lanes       a butterfly, one lane bit after the other:         v + (v of lane ^ 16), then ^ 8, ...
//!             or one instruction for all lanes, if the GPU has one for the region
//! warps       partial results go through shared memory to the threads that need them, which combine them
//! ```
//!
//! # Halving
//! If a thread has several rows, both lanes of an exchange would hold and combine all of them. Instead each keeps one half
//! of the rows and sends the other half:
//!
//! ```text
//! lane 0: a0 b0     gives b0, keeps a0    a0 + a1
//! lane 1: a1 b1     gives a1, keeps b1    b1 + b0
//! ```
//!
//! R rows over 32 lanes take R - 1 exchanges this strategy (plus one for each lane bit after the rows are used up) instead of
//! 5 R, and leave the result distributed over lanes; a conversion yields the result's layout. Both variants combine in the
//! same order, from the highest lane bit down, so floats are bit-identical.
//!
//! Every strategy is planned with its conversions, and the cheapest in the target's model wins. The machine runs a plan on
//! the sets of elements that values stand for ([`crate::machine::check_reduction`]).
//!
//! Absent on purpose: an axis that is distributed over several blocks of a cluster.

mod baseline;
mod build;
mod state;

use super::Cost;
use super::program::Program;
#[cfg(test)]
use super::program::Step;
use super::tuples::LaneReduction;
use crate::layout::LinearLayout;
use crate::target::Target;
use core::fmt;

pub use baseline::baseline_reduction;
pub use build::plan_reduction;

/// A reduction to plan.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    /// Layout of the operands: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// Output dim to reduce.
    pub axis: usize,
    /// Layout of the results over the other dims in order; `None` for a scalar with a replica in every thread.
    pub dst: Option<&'a LinearLayout>,
    /// Width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// Number of instructions that combine two tuples.
    pub combine: u32,
    /// Instruction that combines all lanes of a warp at once, if the GPU has one for the region.
    pub at_once: Option<LaneReduction>,
    /// True if one instruction combines two neighbours of the only operand that share a word.
    pub is_packed: bool,
    /// Target GPU.
    pub target: &'a Target,
    /// Bytes of shared memory that the plan may use at most, if fewer than the GPU has.
    pub scratch_limit: Option<u32>,
}

/// The plan of a reduction.
///
/// # Laws
/// Each result is the combination of all elements of its row, each once: `check_reduction`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReducePlan {
    program: Program,
    considered: Vec<(ReduceStrategy, Cost)>,
}

/// A reduction strategy: the treatment of a thread's rows and of the warps along the axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReduceStrategy {
    /// True if the source is first converted to the layout of the result, with the axis in registers.
    pub gathers_first: bool,
    /// True if lanes exchange halves of their rows.
    pub halves: bool,
    /// True if lanes combine the partial results of warps; false if one thread does.
    pub across_lanes: bool,
    /// True if rows stay in their registers and lanes while the partial results of warps move to free lanes, or to
    /// registers of the lanes that hold their rows: more steps, and less shared memory.
    pub rows_stay: bool,
    /// True if these lanes exchange halves of their rows, too.
    pub halves_again: bool,
    /// True if one instruction combines all lanes of a warp, where possible.
    pub at_once: bool,
}

impl fmt::Display for ReduceStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.gathers_first {
            return f.write_str("gather, then combine in registers");
        }
        f.write_str(match (self.at_once, self.halves) {
            (true, _) => "all lanes at once",
            (false, true) => "halving",
            (false, false) => "butterfly",
        })?;
        f.write_str(match (self.across_lanes, self.halves_again) {
            (false, _) => "",
            (true, false) => ", warps in lanes",
            (true, true) => ", warps in lanes by halving",
        })?;
        f.write_str(match (self.rows_stay, self.across_lanes) {
            (true, true) => " beside the rows",
            (true, false) => ", warps in registers beside the rows",
            (false, _) => "",
        })
    }
}

impl ReducePlan {
    /// Returns the steps: unique source registers in; unique result registers, or one scalar, out.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the steps alone.
    #[must_use]
    pub fn into_program(self) -> Program {
        self.program
    }

    /// Returns the planned strategies with their costs, cheapest first; the first is this plan's.
    #[must_use]
    pub fn considered(&self) -> &[(ReduceStrategy, Cost)] {
        &self.considered
    }
}

impl fmt::Display for ReducePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((strategy, _)) = self.considered.first() {
            write!(f, "{strategy}: ")?;
        }
        self.program.fmt(f)?;
        for (strategy, cost) in self.considered.iter().skip(1) {
            writeln!(f, "  instead of {strategy}: {cost}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl ReducePlan {
    /// Returns the plan with its steps changed, for tests that the machine detects errors.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        Self {
            program: self.program.edited(edit),
            ..self.clone()
        }
    }
}
