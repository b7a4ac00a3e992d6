//! Scans: each element is combined with all elements before it along one axis.
//!
//! [`plan_scan`] takes the axis and the layout of the operands, which is also the layout of the results. It returns a
//! [`ScanPlan`], a program on tuples ([`super::tuples`]) that preserves the order of elements, so the region need not
//! be commutative.
//!
//! # Levels
//! Each bit of a position along the axis is a register, lane or warp bit. Consecutive bits of the same kind form a
//! *level*. Each level scans the totals of the level below:
//!
//! ```text
//! position      bits 0 1        bits 2 .. 6             bits 7 8              bit 9
//! level         registers       lanes                   warps                 registers
//! method        sequential      lanes with bit b set    all totals through    sequential
//!                               read the last lane      shared memory,
//!                               with it clear           then in registers
//! ```
//!
//! Within a level, each value (an element or a total) is combined with all earlier values of its group. Then, from the
//! top down, the prefix of a group, its *carry*, is combined with each prefix inside the group. The lowest level
//! combines carries with elements. The first group has no carry, so a select on the lane or the warp number is needed.
//!
//! A reverse scan visits the positions of each level from the last to the first. No element moves.
//!
//! If a bit of the layout moves along the axis and along other dims, or along several bits of the axis, the operands
//! are first converted to another layout, and the results are converted back. Other layouts may be converted too, if
//! that is cheaper in the target's cost model.
//!
//! Absent on purpose: an axis that is distributed over several blocks of a cluster.

mod baseline;
mod build;

use super::Cost;
use super::program::Program;
#[cfg(test)]
use super::program::Step;
use crate::layout::LinearLayout;
use crate::target::Target;
use core::fmt;

pub use baseline::baseline_scan;
pub use build::plan_scan;

/// The input of [`plan_scan`]: a scan of one or several operands along one axis.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// Layout of the operands and of the results. It maps (register, lane, warp, block) to the tensor's dims.
    pub src: &'a LinearLayout,
    /// Index of the output dim along which the scan runs.
    pub axis: usize,
    /// True if the scan starts at the last element along the axis; false if it starts at the first.
    pub reverse: bool,
    /// Width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// Cost for a warp of one combination of two tuples, as [`Costs`](crate::target::Costs). A tuple contains one
    /// element of each operand.
    pub combine: u32,
    /// True if there is only one operand, and one instruction combines two adjacent elements that share a word.
    pub is_packed: bool,
    /// Target GPU.
    pub target: &'a Target,
    /// Maximal number of bytes of shared memory that the plan may use. `None`, or a number above the target's
    /// limit, means the target's limit.
    pub scratch_limit: Option<u32>,
}

/// A scan strategy: the choice of the layout in which elements are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScanStrategy {
    /// Elements are combined in the layout of the operands.
    Direct,
    /// Elements are combined in a different layout, to which the operands are converted first. In this layout, the
    /// bits of the axis, followed by the bits of the rows, are assigned to register bits first, then to lane bits,
    /// then to warp bits.
    Converted,
}

impl fmt::Display for ScanStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "as it lies",
            Self::Converted => "convert first",
        })
    }
}

/// The plan of a scan.
///
/// # Laws
/// Each result combines, in scan order, the elements of its row up to and including its own position. `check_scan`
/// verifies this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanPlan {
    program: Program,
    considered: Vec<(ScanStrategy, Cost)>,
}

impl ScanPlan {
    /// Returns the program. Its inputs and its results are the registers of the layout, without registers that
    /// replicate other registers of the same thread.
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
    pub fn considered(&self) -> &[(ScanStrategy, Cost)] {
        &self.considered
    }
}

impl fmt::Display for ScanPlan {
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
impl ScanPlan {
    /// Returns a copy of the plan in which `edit` has modified the steps of the program. Tests use it to check that
    /// the machine model, which executes programs step by step, detects errors.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        Self {
            program: self.program.edited(edit),
            ..self.clone()
        }
    }
}
