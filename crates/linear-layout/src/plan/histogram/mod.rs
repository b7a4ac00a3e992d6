//! How a histogram is made: each element is counted once, in the bin that its value names.
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

use super::memory::MemoryPlan;
use super::{ConvertPlan, Cost};
use crate::layout::LinearLayout;
use crate::target::Target;

pub use build::plan_histogram;
pub use error::HistogramError;

/// What is to be counted.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'a> {
    /// Where the elements are: (register, lane, warp, block) -> the tensor's dims, without zero register bases.
    pub src: &'a LinearLayout,
    /// Where the counts are to be: (register, lane, warp, block) -> one dim, without zero register bases.
    pub dst: &'a LinearLayout,
    /// The GPU.
    pub target: &'a Target,
}

/// How a histogram is made.
///
/// # Laws
/// Each count is that of the elements in its bin, each once, whatever the values: `check_histogram`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistogramPlan {
    bins_log2: u32,
    registers: Vec<usize>,
    copies: Copies,
    way: HistogramWay,
    cost: Cost,
    considered: Vec<Cost>,
}

/// Bits of the lane and of the warp: where one of them is set, somebody else counts the elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copies {
    /// Bits of the lane.
    pub lanes: u32,
    /// Bits of the warp.
    pub warps: u32,
}

/// How elements are counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HistogramWay {
    /// Each adds 1 to its bin in shared memory.
    Adding(Box<Bins>),
    /// Lanes vote.
    Voting(Box<Voting>),
}

/// Bins in shared memory, 4 bytes each, one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bins {
    /// How they are cleared: the same value in every register.
    pub clear: MemoryPlan,
    /// How counts are loaded.
    pub load: MemoryPlan,
    /// Whether one warp is all there is, and waits for itself alone.
    pub is_one_warp: bool,
}

/// Bins that lanes own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Voting {
    /// What each bit of a bin's number tells apart, lowest first.
    pub places: Vec<BinBit>,
    /// What becomes of the counts.
    pub end: VotingEnd,
}

/// What a bit of a bin's number tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinBit {
    /// Lanes, by a bit of their number.
    Lane(u32),
    /// Counts that a lane has, by a bit of theirs.
    Register(u32),
}

/// What becomes of the counts that each lane has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VotingEnd {
    /// They are whole, and go to who asks for them.
    Convert {
        /// Where they are: (register, lane, warp, block) -> one dim.
        counts: Box<LinearLayout>,
        /// How they go.
        plan: Box<ConvertPlan>,
    },
    /// They are of one warp each, and added up in shared memory.
    Add(Box<Bins>),
}

impl Bins {
    /// Returns the bytes of shared memory.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        u32::try_from(self.load.place().size_bytes(1)).unwrap_or(u32::MAX)
    }
}

impl Voting {
    /// Returns log2 of how many counts each lane has.
    #[must_use]
    pub fn counts_log2(&self) -> u32 {
        build::counts_log2(&self.places)
    }

    /// Returns the bits of the lane that tell bins apart.
    #[must_use]
    pub fn lane_mask(&self) -> u32 {
        self.places.iter().fold(0, |mask, bit| match bit {
            BinBit::Lane(bit) => mask | 1 << bit,
            BinBit::Register(_) => mask,
        })
    }

    /// Returns the bin that a lane counts in a register.
    #[must_use]
    pub fn bin(&self, register: u32, lane: u32) -> u32 {
        let bits = self.places.iter().enumerate();
        bits.fold(0, |bin, (i, place)| {
            let is_set = match place {
                BinBit::Lane(bit) => lane >> bit & 1,
                BinBit::Register(bit) => register >> bit & 1,
            };
            bin | is_set << i
        })
    }
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

    /// Returns the threads that do not count.
    #[must_use]
    pub const fn copies(&self) -> Copies {
        self.copies
    }

    /// Returns how elements are counted.
    #[must_use]
    pub const fn way(&self) -> &HistogramWay {
        &self.way
    }

    /// Returns the bins in shared memory, where there are any.
    #[must_use]
    pub fn bins(&self) -> Option<&Bins> {
        match &self.way {
            HistogramWay::Adding(bins) => Some(bins),
            HistogramWay::Voting(voting) => match &voting.end {
                VotingEnd::Add(bins) => Some(bins),
                VotingEnd::Convert { .. } => None,
            },
        }
    }

    /// Returns the conversion of counts that are whole, where there is one.
    #[must_use]
    pub fn conversion(&self) -> Option<&ConvertPlan> {
        match &self.way {
            HistogramWay::Voting(voting) => match &voting.end {
                VotingEnd::Convert { plan, .. } => Some(plan),
                VotingEnd::Add(_) => None,
            },
            HistogramWay::Adding(_) => None,
        }
    }

    /// Returns what the plan costs by the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Returns what each way costs, cheapest first.
    #[must_use]
    pub fn considered(&self) -> &[Cost] {
        &self.considered
    }

    /// Returns the bytes of shared memory needed; 0 where none is used.
    #[must_use]
    pub fn scratch_bytes(&self) -> u32 {
        let converted = |plan: &ConvertPlan| plan.program().scratch_bytes();
        self.bins()
            .map(Bins::bytes)
            .or_else(|| self.conversion().map(converted))
            .unwrap_or_default()
    }
}

#[cfg(test)]
impl HistogramPlan {
    /// The plan with another way, to see that the machine notices.
    pub(crate) fn with_way(mut self, way: HistogramWay) -> Self {
        self.way = way;
        self
    }
}
