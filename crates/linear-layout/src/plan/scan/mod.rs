//! Plans of scans: each element is combined with all before it along one axis.
//!
//! [`plan_scan`] sees the layout of a tensor, which the result has too, and the axis. Its answer, a [`ScanPlan`], is
//! a program over tuples ([`super::tuples`]) that keeps the order of elements: the region need not be commutative.
//!
//! # Parts
//! The bits of a position along the axis, lowest first, lie in registers, lanes or warps. Neighbours in one
//! place are a *part*, dealt with together; each part sees the totals of the part below:
//!
//! ```text
//! position      bits 0 1        bits 2 .. 6             bits 7 8              bit 9
//! part          registers       lanes                   warps                 registers
//! how           one by one      in lanes with bit b     all totals by         one by one
//!                               set, after the last     shared memory,
//!                               lane with it clear      then in registers
//! ```
//!
//! Within a part, elements and totals are combined with those before them. From the top down, what comes before
//! a group of a part, its *carry*, is then combined into what comes before each of its members; the lowest part
//! combines it into its elements. The first group has none, so a lane or a warp selects.
//!
//! In reverse, each part counts from its last position down. No element moves for that.
//!
//! A layout whose bits move along the axis and along others at once, or along several bits of it, is converted first
//! and back. So may be others: whichever is cheaper by the target's model.
//!
//! Missing on purpose: an axis that lies in several blocks of a cluster.

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
    /// The layout of the operands and the results: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// Along which of the output dims.
    pub axis: usize,
    /// True if the last element along the axis comes first.
    pub reverse: bool,
    /// The width in bits of each operand's elements.
    pub widths: &'a [u32],
    /// The number of instructions that combine two tuples.
    pub combine: u32,
    /// True if one instruction combines two neighbours of the only operand that lie in a word.
    pub is_packed: bool,
    /// The GPU.
    pub target: &'a Target,
    /// The most bytes of shared memory that the plan may use, where they are fewer than the GPU has.
    pub scratch_limit: Option<u32>,
}

/// In which layout a scan is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScanWay {
    /// In its own.
    Direct,
    /// In one with the axis in registers first, then lanes, then warps.
    Converted,
}

impl fmt::Display for ScanWay {
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
    considered: Vec<(ScanWay, Cost)>,
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

    /// Returns each way that was planned with its cost, cheapest first; the first is this plan's.
    #[must_use]
    pub fn considered(&self) -> &[(ScanWay, Cost)] {
        &self.considered
    }
}

impl fmt::Display for ScanPlan {
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
impl ScanPlan {
    /// The plan with its steps changed, to see that the machine notices.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        Self {
            program: self.program.edited(edit),
            ..self.clone()
        }
    }
}
