//! Plans of reductions: the elements that each thread combines, and its exchanges with other threads.
//!
//! [`plan_reduction`] sees the layout of a tensor, the axis that goes, and the layout that the result is to have.
//! Its answer, a [`ReducePlan`], is a program over tuples ([`super::tuples`]).
//!
//! The elements of a row lie along the axis in registers, lanes and warps of the layout, and go in this order:
//!
//! ```text
//! registers   each thread combines its own:                      r0 + r1, r2 + r3, then both
//! lanes       lanes exchange at one lane bit after the other:    v + (v of lane ^ 16), then ^ 8, ...
//!             or one instruction combines all of them, where the GPU has one for the region
//! warps       what is left of each warp goes through shared memory to whoever needs it, who combines it
//! ```
//!
//! # Halving
//! Where a thread has several rows, two lanes that exchange both hold all of them, and both would compute the
//! same sums. Instead each keeps one half of the rows and gives the other half away:
//!
//! ```text
//! lane 0: a0 b0     gives b0, keeps a0    a0 + a1
//! lane 1: a1 b1     gives a1, keeps b1    b1 + b0
//! ```
//!
//! R rows over 32 lanes take R - 1 exchanges so (and one for each lane bit after the rows are used up) instead of
//! 5 R, and leave the result distributed over lanes; what the result's layout asks for beyond that is a
//! conversion like any other. From the highest lane bit down both ways combine in the same order, so floats
//! come out bit for bit the same.
//!
//! Every way is planned, with its conversions, and the cheapest by the target's model wins. The machine runs a plan
//! on the sets of elements that values stand for ([`crate::machine::check_reduction`]).
//!
//! Missing on purpose: an axis that lies in several blocks of a cluster.

mod baseline;
mod build;
mod state;

use super::Cost;
use super::program::Program;
#[cfg(test)]
use super::program::Step;
use super::tuples::{LaneReduction, TupleError};
use crate::layout::LinearLayout;
use crate::target::Target;
use core::fmt;

pub use baseline::baseline_reduction;
pub use build::plan_reduction;

/// A reduction to plan.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    /// The layout of the operands: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// The output dim that is reduced.
    pub axis: usize,
    /// The layout of the results over the other dims in order; nothing for a scalar, which every thread has.
    pub dst: Option<&'a LinearLayout>,
    /// The width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// The number of instructions that combine two tuples.
    pub combine: u32,
    /// The instruction that combines all lanes of a warp at once, if the GPU has one for the region.
    pub at_once: Option<LaneReduction>,
    /// True if one instruction combines two neighbours of the only operand that lie in a word.
    pub is_packed: bool,
    /// The GPU.
    pub target: &'a Target,
    /// The most bytes of shared memory that the plan may use, where they are fewer than the GPU has.
    pub scratch_limit: Option<u32>,
}

/// The plan of a reduction.
///
/// # Laws
/// Each result is the combination of all elements of its row, each once: `check_reduction`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReducePlan {
    program: Program,
    considered: Vec<(Way, Cost)>,
}

/// The choices of a reduction: the treatment of a thread's rows and of the rest of the axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Way {
    /// True if the source is first converted to the layout of the result, with the axis in registers.
    pub gathers_first: bool,
    /// True if lanes give half of their rows away.
    pub halves: bool,
    /// True if lanes combine the partial results of warps, not one thread.
    pub across_lanes: bool,
    /// True if rows stay in their registers and lanes while the partial results of warps go to free lanes, or to
    /// registers of the lanes that hold their rows: more steps, and less shared memory.
    pub rows_stay: bool,
    /// True if these lanes give half of their rows away, too.
    pub halves_again: bool,
    /// True if one instruction combines all lanes of a warp, where possible.
    pub at_once: bool,
}

impl fmt::Display for Way {
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

    /// Returns each way that was planned with its cost, cheapest first; the first is this plan's.
    #[must_use]
    pub fn considered(&self) -> &[(Way, Cost)] {
        &self.considered
    }
}

impl fmt::Display for ReducePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((way, _)) = self.considered.first() {
            write!(f, "{way}: ")?;
        }
        self.program.fmt(f)?;
        for (way, cost) in self.considered.iter().skip(1) {
            writeln!(f, "  instead of {way}: {cost}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl ReducePlan {
    /// The plan with its steps changed, to see that the machine notices.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        Self {
            program: self.program.edited(edit),
            ..self.clone()
        }
    }
}

/// The result of planning, or why there is none.
type Planned = Result<ReducePlan, TupleError>;
