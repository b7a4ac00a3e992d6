//! Programs on tuples: one element of each operand of a reduction or a scan.
//!
//! A builder turns steps on tuples into a [`Program`](super::program::Program):
//!
//! ```text
//! combine    v2 = region(v0, v1)              opaque here; the lowering inlines the region
//! exchange   v2, v3 = v0, v1 of lane ^ 4      butterfly
//! reduce     v1 = v0 of all lanes combined    by one instruction, if the GPU has one for the region
//! fetch      v1 = v0 of lane 3 of each four   broadcast from one lane
//! select     v2 = lane & 4 ? v0 : v1
//! convert    v2, v3 = v0, v1 in another layout, each operand by a conversion's plan
//! ```
//!
//! [`super::reduce`] and [`super::scan`] choose the steps.

mod build;
mod coordinates;
mod error;
mod scratch;
mod step;

pub(super) use build::TupleBuilder;
pub(super) use coordinates::Coordinates;
pub use error::TupleError;
pub(super) use scratch::{ScratchBudget, plan_within_budget, rank};
pub(super) use step::{Combiner, TupleId};

/// The properties of a region that one instruction computes over all lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaneReduction {
    /// True if combining an element with a replica of itself is harmless.
    pub is_idempotent: bool,
}

/// The reuse of scratch bytes between the conversions of a program, with barriers in between.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::plan) enum ScratchReuse {
    /// No reuse: each operand of each conversion has bytes of its own.
    None,
    /// Conversions reuse the bytes of earlier ones; the operands of each are disjoint.
    Conversions,
    /// Operands of a conversion reuse the bytes of earlier ones.
    Operands,
}
