//! Histograms: each element is counted once, in the bin of its value.
//!
//! The bin of an element is known only at run time, and many elements may fall in the same bin. [`plan_histogram`]
//! takes the layouts of the elements and of the counts, and returns a plan with the cheapest of these strategies:
//!
//! ```text
//! adding     bins in shared memory are cleared, each element adds 1 to its bin atomically, a barrier, loads
//! voting     lanes own bins: one vote per bit of the bin's number tells each lane which lanes are in its bins
//!            ... if every warp has all elements, a conversion moves the counts to the result's layout
//!            ... otherwise they are added to bins in shared memory atomically, one addition per bin of a lane
//! ```
//!
//! # Voting
//! A warp of four lanes holds the values 2, 0, 2, 3, and lane `i` owns bin `i`. The result of a vote has one bit per
//! lane, with lane 0 in the lowest bit:
//!
//! ```text
//! vote on bit 0   1000      lane 2, bin 0b10: not bit 0, and bit 1     0111 & 1101 = 0101, two elements
//! vote on bit 1   1101
//! ```
//!
//! # Replicas
//! Several registers, lanes or warps may hold the same element. Only its owner counts it: the register, lane and warp
//! whose free bits are all zero ([`LinearLayout::free_variable_masks`]). Elements whose value is not the number of a
//! bin are not counted.
//!
//! Absent on purpose: tensors that are distributed over several blocks of a cluster.

mod build;
mod error;

use super::Cost;
use super::program::Program;
use crate::layout::LinearLayout;
use crate::target::Target;

pub use build::plan_histogram;
pub use error::HistogramError;

/// The description of a histogram for which a plan is to be computed.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'a> {
    /// Layout of the elements. It maps (register, lane, warp, block) to the tensor's dims. All register bases must
    /// be nonzero.
    pub src: &'a LinearLayout,
    /// Layout of the counts. It maps (register, lane, warp, block) to one dim. All register bases must be nonzero.
    pub dst: &'a LinearLayout,
    /// True if some elements must not be counted. These are the elements with mask 0, and the elements whose value
    /// is not a bin number.
    pub is_masked: bool,
    /// Target GPU.
    pub target: &'a Target,
}

/// The method by which a histogram counts elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HistogramStrategy {
    /// Each element atomically adds 1 to its bin in shared memory.
    Adding,
    /// Each lane owns some bins, and counts the elements in these bins with ballots of the warp.
    Voting,
}

/// The plan of a histogram: its program, and the strategy that the program uses.
///
/// # Shape
/// Operand 0 contains the bin number of the element in each register of [`Self::registers`], as an `i32`. Operand 1
/// exists only if the histogram is masked. It contains one flag per register, which is nonzero if the element is
/// counted. Each result is a count, as an `i32`.
/// # Laws
/// Each count is the number of counted elements in its bin, and each element is counted once. `check_histogram`
/// verifies this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistogramPlan {
    bins_log2: u32,
    registers: Vec<usize>,
    strategy: HistogramStrategy,
    program: Program,
    considered: Vec<Cost>,
}

impl HistogramPlan {
    /// Returns log2 of the number of bins.
    #[must_use]
    pub const fn bins_log2(&self) -> u32 {
        self.bins_log2
    }

    /// Returns the indices of the source registers whose elements are counted. All other registers hold replicas.
    #[must_use]
    pub fn registers(&self) -> &[usize] {
        &self.registers
    }

    /// Returns the strategy that the program uses.
    #[must_use]
    pub const fn strategy(&self) -> HistogramStrategy {
        self.strategy
    }

    /// Returns the program of the histogram.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the costs of all strategies for which a plan was computed, cheapest first.
    #[must_use]
    pub fn considered(&self) -> &[Cost] {
        &self.considered
    }
}

#[cfg(test)]
impl HistogramPlan {
    /// Returns a copy of this plan with `program` as its program. Tests use this method to check that the machine
    /// model detects errors.
    pub(crate) fn with_program(mut self, program: Program) -> Self {
        self.program = program;
        self
    }
}
