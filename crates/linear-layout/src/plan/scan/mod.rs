//! Scans: each element is combined with all before it along one axis.
//!
//! [`plan_scan`] takes the layout of a tensor, which is that of the result too, and the axis. It returns a [`ScanPlan`], a
//! program on tuples ([`super::tuples`]) that preserves the order of elements: the region need not be commutative.
//!
//! # Levels
//! The bits of a position along the axis, lowest first, are register, lane or warp bits. Consecutive bits of one kind form
//! a *level*, which is scanned as a unit; each level scans the totals of the level below:
//!
//! ```text
//! position      bits 0 1        bits 2 .. 6             bits 7 8              bit 9
//! level         registers       lanes                   warps                 registers
//! method        sequential      lanes with bit b set    all totals through    sequential
//!                               read the last lane      shared memory,
//!                               with it clear           then in registers
//! ```
//!
//! Within a level, elements and totals are combined with those before them. From the top down, the prefix of a group, its
//! *carry*, is then combined into the prefix of each of its members; the lowest level combines it into its elements. The
//! first group has no carry, which takes a select on the lane or the warp.
//!
//! In reverse, each level counts from its last position down; no element moves.
//!
//! A layout with bits that move along the axis and other dims, or along several bits of the axis, is first converted, and
//! the result converted back. Other layouts may be converted too: the cheaper strategy in the target's model wins.
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

/// A scan to plan.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// Layout of the operands and the results: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// Output dim of the axis.
    pub axis: usize,
    /// True if the last element along the axis comes first.
    pub reverse: bool,
    /// Width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// Number of instructions that combine two tuples.
    pub combine: u32,
    /// True if one instruction combines two neighbours of the only operand that share a word.
    pub is_packed: bool,
    /// Target GPU.
    pub target: &'a Target,
    /// Bytes of shared memory that the plan may use at most, if fewer than the GPU has.
    pub scratch_limit: Option<u32>,
}

/// A scan strategy: the layout in which elements are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScanStrategy {
    /// The layout of the operands.
    Direct,
    /// A layout with the axis in registers first, then lanes, then warps.
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
/// Each result is the combination of its row from the first element to its own, in order: `check_scan`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanPlan {
    program: Program,
    considered: Vec<(ScanStrategy, Cost)>,
}

impl ScanPlan {
    /// Returns the steps: unique registers of the layout in and out.
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
    /// Returns the plan with its steps changed, for tests that the machine detects errors.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        Self {
            program: self.program.edited(edit),
            ..self.clone()
        }
    }
}
