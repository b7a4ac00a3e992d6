//! Plans of gathers: each thread takes the elements that its indices name, along one axis.
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
use super::program::Program;
use crate::layout::LinearLayout;
use crate::target::Target;

pub use build::plan_gather;
pub use error::GatherError;

/// A gather to be planned.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The layout of the elements: (register, lane, warp, block) -> the tensor's dims.
    pub src: &'a LinearLayout,
    /// The layout of the indices and of the results.
    pub indices: &'a LinearLayout,
    /// Along which of the output dims.
    pub axis: usize,
    /// The width of an element.
    pub bits: u32,
    /// The GPU.
    pub target: &'a Target,
}

/// The way in which elements get to the threads that ask for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GatherWay {
    /// Through lanes of the same warp.
    Lanes,
    /// Through shared memory.
    Memory,
}

/// The program of a gather.
///
/// # Shape
/// Operand 0 of the program: the unique registers of the source. Operand 1: the index of each register of the result,
/// below the size of the axis. Results: the elements.
/// # Laws
/// Each register gets the element of its row at its index: `check_gather`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GatherPlan {
    way: GatherWay,
    program: Program,
    index_bits: u32,
    considered: Vec<Cost>,
}

impl GatherPlan {
    /// Returns the way that was chosen.
    #[must_use]
    pub const fn way(&self) -> GatherWay {
        self.way
    }

    /// Returns the steps.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns how many low bits of an index count.
    #[must_use]
    pub const fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// Returns what each way costs, cheapest first.
    #[must_use]
    pub fn considered(&self) -> &[Cost] {
        &self.considered
    }
}
