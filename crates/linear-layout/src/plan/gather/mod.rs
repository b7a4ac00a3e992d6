//! Gathers: each thread reads elements at run-time indices along one axis.
//!
//! `result[i, j] = src[indices[i, j], j]`. [`plan_gather`] takes the layouts of the source and the indices, and returns
//! a plan with the cheaper of two strategies:
//!
//! ```text
//! lanes     if each warp holds whole rows that it requests: the source lane is computed from the index, all candidate
//!           registers are shuffled, and one is selected
//! memory    the source is stored to shared memory, a barrier, each element is loaded by itself
//! ```
//!
//! # Lanes
//! Layouts are linear, so the source lane and the source register of an element are the exclusive or of a contribution
//! of the row and a contribution of the index. The row is determined by the register, lane and warp that request the
//! element. For example, if lane `l` holds elements `2 l` and `2 l + 1` of a row of 64, bit 0 of the index is the
//! register number, and the other bits are the lane number:
//!
//! ```text
//! lane = index >> 1       register = index & 1       two shuffles, one select
//! ```
//!
//! Absent on purpose: tensors that are distributed over several blocks of a cluster.

mod build;
mod error;

use super::Cost;
use super::program::Program;
use crate::layout::LinearLayout;
use crate::target::Target;

pub use build::plan_gather;
pub use error::GatherError;

/// The description of a gather for which a plan is to be computed.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// Layout of the source tensor. It maps (register, lane, warp, block) to the tensor's dims.
    pub src: &'a LinearLayout,
    /// Layout of the index tensor, which is also the layout of the result.
    pub indices: &'a LinearLayout,
    /// Index of the output dim along which elements are gathered.
    pub axis: usize,
    /// Width of an element in bits.
    pub bits: u32,
    /// Target GPU.
    pub target: &'a Target,
}

/// The method by which a gather moves elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GatherStrategy {
    /// Each thread reads the elements from other lanes of its warp by shuffles.
    Lanes,
    /// The source is stored to shared memory, and the requested elements are loaded from there.
    Memory,
}

/// The plan of a gather: its program, and the strategy that the program uses.
///
/// # Shape
/// Operand 0 of the program consists of the unique registers of the source. Operand 1 contains one index for each
/// register of the result. Each index must be less than the size of the axis. The results are the gathered
/// elements.
/// # Laws
/// The result at a position is the source element whose coordinate along the axis is the index at this position,
/// and whose other coordinates are those of the position (`check_gather`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GatherPlan {
    strategy: GatherStrategy,
    program: Program,
    index_bits: u32,
    considered: Vec<Cost>,
}

impl GatherPlan {
    /// Returns the strategy that the program uses.
    #[must_use]
    pub const fn strategy(&self) -> GatherStrategy {
        self.strategy
    }

    /// Returns the program of the gather.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the number of low bits that the program reads of each index.
    #[must_use]
    pub const fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// Returns the costs of all strategies for which a plan was computed, cheapest first.
    #[must_use]
    pub fn considered(&self) -> &[Cost] {
        &self.considered
    }
}
