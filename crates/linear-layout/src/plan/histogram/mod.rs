//! Plans of histograms: each element is counted once, in the bin that its value names.
//!
//! Which bin an element goes to is known at run time only, and many elements may go to the same one.
//! [`plan_histogram`] sees where the elements lie and where the counts are to be, and answers with the cheapest of
//! these ways:
//!
//! ```text
//! adding     bins in shared memory are cleared, each element adds 1 to its own, atomically, everybody loads
//! voting     lanes own bins: one vote for each bit of the bin's number tells each lane who is in its bins
//!            ... and counts go to who asks for them by a conversion, where every warp has all elements
//!            ... or are added to bins in shared memory, atomically, one addition for each bin of a lane
//! ```
//!
//! # Voting
//! Four bins on lanes 0 to 3 of four, which hold values 2, 0, 2, 3. Votes have lane 0 lowest:
//!
//! ```text
//! vote on bit 0   1000      lane 2, bin 0b10: not bit 0, and bit 1     0111 & 1101 = 0101, two elements
//! vote on bit 1   1101
//! ```
//!
//! # Copies
//! Of the registers, lanes and warps that hold an element, the one whose free bits are zero counts it
//! ([`LinearLayout::free_variable_masks`]). What is in no bin is not counted.
//!
//! Missing on purpose: tensors that lie in several blocks of a cluster.

mod build;
mod error;

use super::Cost;
use super::program::Program;
use crate::layout::LinearLayout;
use crate::target::Target;

pub use build::plan_histogram;
pub use error::HistogramError;

/// A histogram to be planned.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'a> {
    /// The layout of the elements: (register, lane, warp, block) -> the tensor's dims, without zero register bases.
    pub src: &'a LinearLayout,
    /// The layout of the counts: (register, lane, warp, block) -> one dim, without zero register bases.
    pub dst: &'a LinearLayout,
    /// True if some elements are not counted: those that a mask leaves out, or whose values are no bins.
    pub is_masked: bool,
    /// The GPU.
    pub target: &'a Target,
}

/// The way in which elements are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HistogramWay {
    /// Each adds 1 to its bin in shared memory.
    Adding,
    /// Lanes vote.
    Voting,
}

/// The program of a histogram.
///
/// # Shape
/// Operand 0 of the program: the bins of [`Self::registers`], each an `i32`. Operand 1, where the histogram is masked:
/// whether each of them is counted. Results: the counts, each an `i32`.
/// # Laws
/// Each count is that of the elements in its bin, each once, whatever the values: `check_histogram`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistogramPlan {
    bins_log2: u32,
    registers: Vec<usize>,
    way: HistogramWay,
    program: Program,
    considered: Vec<Cost>,
}

impl HistogramPlan {
    /// Returns log2 of the number of bins.
    #[must_use]
    pub const fn bins_log2(&self) -> u32 {
        self.bins_log2
    }

    /// Returns the registers that are counted.
    #[must_use]
    pub fn registers(&self) -> &[usize] {
        &self.registers
    }

    /// Returns the way that was chosen.
    #[must_use]
    pub const fn way(&self) -> HistogramWay {
        self.way
    }

    /// Returns the steps.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns what each way costs, cheapest first.
    #[must_use]
    pub fn considered(&self) -> &[Cost] {
        &self.considered
    }
}

#[cfg(test)]
impl HistogramPlan {
    /// The plan with another program, to see that the machine notices.
    pub(crate) fn with_program(mut self, program: Program) -> Self {
        self.program = program;
        self
    }
}
