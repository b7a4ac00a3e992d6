//! Reductions along an axis.
//!
//! [`plan_reduction`] takes the layout of a tensor, the axis, and the layout of the result. It returns a [`ReducePlan`], a
//! program on tuples ([`super::tuples`]).
//!
//! The elements of a row are distributed over registers, lanes and warps. They are combined in this order:
//!
//! ```text
//! registers   each thread combines its own:                      r0 + r1, r2 + r3, then both
//! lanes       a butterfly, one lane bit after the other:         v + (v of lane ^ 16), then ^ 8, ...
//!             or one instruction for all lanes, if the GPU has one for the region
//! warps       partial results go through shared memory to the threads that need them, which combine them
//! ```
//!
//! # Halving
//! If a thread holds several rows, both lanes of an exchange would compute the same combinations for all rows. Instead,
//! each lane keeps one half of the rows and sends the other half:
//!
//! ```text
//! lane 0: a0 b0     gives b0, keeps a0    a0 + a1
//! lane 1: a1 b1     gives a1, keeps b1    b1 + b0
//! ```
//!
//! With this strategy, R rows over 32 lanes take R - 1 exchanges instead of 5 R, plus one exchange for each lane bit
//! that remains when there is only one row per lane. The result is then distributed over lanes, and is converted to the
//! requested layout. Both variants combine elements in the same order, from the highest lane bit down, so
//! floating-point results are bit-identical.
//!
//! Every strategy is planned with its conversions, and the cheapest in the target's cost model wins. To check a plan,
//! the machine model runs it on sets of elements: the value of a register is the set of elements that were combined
//! ([`crate::machine::check_reduction`]).
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

/// The input of [`plan_reduction`]: a reduction of one or several operands along one axis.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    /// Layout of the operands, which maps (register, lane, warp, block) to the tensor's dims.
    pub src: &'a LinearLayout,
    /// Index of the output dim of `src` along which the elements are combined.
    pub axis: usize,
    /// Layout of the results. Its dims are the dims of `src` without the axis, in order. If `None`, the result is a
    /// scalar, and every thread receives a replica of this scalar.
    pub dst: Option<&'a LinearLayout>,
    /// Width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// Cost for a warp of one combination of two tuples, as [`Costs`](crate::target::Costs). A tuple contains one
    /// element of each operand.
    pub combine: u32,
    /// Instruction that reduces all lanes of a warp at once; `None` if the GPU has no such instruction for this
    /// reduction.
    pub at_once: Option<LaneReduction>,
    /// True if there is only one operand, and one instruction combines two adjacent elements that share a word.
    pub is_packed: bool,
    /// Target GPU.
    pub target: &'a Target,
    /// Maximal number of bytes of shared memory that the plan may use. `None`, or a number above the target's
    /// limit, means the target's limit.
    pub scratch_limit: Option<u32>,
    /// True if two lanes may exchange halves of their rows. False if they must exchange all rows, as in a butterfly
    /// reduction. Exchanging halves takes fewer instructions and registers. Its disadvantage is that an assembler may
    /// delay each load until its value is needed, to save registers, and so expose the latency of every load.
    pub can_halve: bool,
}

/// The plan of a reduction.
///
/// # Laws
/// Each result combines every element of its row exactly once. A row consists of the elements that differ only in
/// their coordinate along the axis. `check_reduction` verifies this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReducePlan {
    program: Program,
    considered: Vec<(ReduceStrategy, Cost)>,
}

/// A reduction strategy. It determines how lanes combine the rows that they hold, and how the partial results of
/// warps are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReduceStrategy {
    /// True if the source is first converted to a layout in which each thread holds the whole axis in registers.
    /// This layout is the result's layout, with the bits of the axis inserted as the lowest register bits.
    pub gathers_first: bool,
    /// True if lanes that combine their values exchange halves of their rows, so that each lane combines only one
    /// half.
    pub halves: bool,
    /// True if the partial results of warps are combined across lanes; false if one thread combines them in registers.
    pub across_lanes: bool,
    /// True if rows keep their registers and, if possible, their lanes. Only the partial results of warps move. If
    /// `across_lanes` is true, the partial results move to different lanes. Otherwise, they move to additional
    /// registers of the lanes that hold the same rows. A strategy in which rows stay takes more steps, but less
    /// shared memory and, with many warps, fewer loads.
    pub rows_stay: bool,
    /// True if lanes exchange halves of their rows again when they combine the partial results of warps.
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
    /// Returns the program. Its inputs are the registers of the source, and its results are the registers of the
    /// result or, without a result layout, one scalar. Registers that replicate other registers of the same thread
    /// are omitted.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Converts the plan to its program, and discards the costs of the strategies.
    #[must_use]
    pub fn into_program(self) -> Program {
        self.program
    }

    /// Returns the strategies that were planned, each with its cost. The best strategy, which is the strategy of
    /// this plan, comes first.
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
    /// Returns a copy of the plan in which `edit` has modified the steps of the program. Tests use it to check that
    /// the machine model, which executes programs step by step, detects errors.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        Self {
            program: self.program.edited(edit),
            ..self.clone()
        }
    }
}
