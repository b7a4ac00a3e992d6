//! How a gather is carried out: each thread takes the elements that its indices name, along one axis.
//!
//! `result[i, j] = src[indices[i, j], j]`: which element a register gets is known at run time only. [`plan_gather`]
//! sees where the source and the indices lie, and answers with the cheaper of two ways:
//!
//! ```text
//! lanes     where the lanes of each warp hold all rows that it asks for, whole: the lane that has the element is
//!           computed from the index; all registers that could be it are shuffled, and one is chosen
//! memory    the source is stored to shared memory, everybody waits, each element is loaded by itself
//! ```
//!
//! # Lanes
//! Layouts are linear, so the place of an element is a sum (exclusive or): what the row says, and what the index
//! says. A row is known by the register, the lane and the warp that ask for it. Lane 5 holding elements 10 and 11
//! of a row of 64 in two registers each, index 11 is bit 0 for the register and the rest for the lane:
//!
//! ```text
//! lane = index >> 1       register = index & 1       two shuffles, one select
//! ```
//!
//! Missing on purpose: tensors that lie in several blocks of a cluster.

mod build;
mod error;

use super::Cost;
use super::memory::{IndexedPlan, MemoryPlan};
use super::program::IndexProgram;
use crate::layout::LinearLayout;
use crate::target::Target;

pub use build::plan_gather;
pub use error::GatherError;

/// What is to be gathered.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// Where the elements are: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// Where the indices are, and the results.
    pub indices: &'a LinearLayout,
    /// Along which of the output dims.
    pub axis: usize,
    /// The width of an element.
    pub bits: u32,
    /// The GPU.
    pub target: &'a Target,
}

/// How a gather is carried out.
///
/// # Laws
/// Each register gets the element of its row at its index: `check_gather`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GatherPlan {
    way: GatherWay,
    index_bits: u32,
    cost: Cost,
    considered: Vec<Cost>,
}

/// How elements get to who asks for them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GatherWay {
    /// Through lanes of the same warp.
    Lanes(LaneGather),
    /// Through shared memory.
    Memory(Box<MemoryGather>),
}

/// A gather through lanes of the same warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneGather {
    /// What lane, warp and index add (exclusive or) to the lane and to the register that have the element.
    pub source: IndexProgram,
    /// What each register of the result adds to them.
    pub constants: Vec<(u32, u32)>,
    /// The registers that may have an element, beside the constant one: what is added for each bit of the register
    /// part, which is set where it is to be.
    pub choices: Vec<Choice>,
    /// Whether every element is already in its lane.
    pub is_own_lane: bool,
}

/// A bit of the register that has an element, and what it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Which bit of the register part tells.
    pub bit: u32,
    /// What is added to the register where it is set.
    pub registers: u32,
}

/// A gather through shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryGather {
    /// How the source is stored.
    pub store: MemoryPlan,
    /// Where each element is loaded from.
    pub load: IndexedPlan,
    /// The bytes of shared memory.
    pub bytes: u32,
    /// Whether each warp reads what it has written itself, and no other warp writes there.
    pub is_within_warps: bool,
}

impl GatherPlan {
    /// Returns how elements get to who asks for them.
    #[must_use]
    pub const fn way(&self) -> &GatherWay {
        &self.way
    }

    /// Returns how many low bits of an index count.
    #[must_use]
    pub const fn index_bits(&self) -> u32 {
        self.index_bits
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
    pub const fn scratch_bytes(&self) -> u32 {
        match &self.way {
            GatherWay::Lanes(_) => 0,
            GatherWay::Memory(memory) => memory.bytes,
        }
    }
}
