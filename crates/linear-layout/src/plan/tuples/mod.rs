//! Programs on tuples. A tuple consists of one element of each operand of a reduction or a scan.
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

/// One instruction that reduces over all lanes of a warp. A GPU has such an instruction only for some combiners.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaneReduction {
    /// True if combining an element with a replica of itself does not change the result, as for `min` and `max`.
    pub is_idempotent: bool,
}

/// The extent to which the conversions of a program reuse scratch memory. A barrier is required before bytes are
/// reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::plan) enum ScratchReuse {
    /// No reuse: each operand of each conversion has separate bytes.
    None,
    /// A conversion reuses the bytes of earlier conversions. The operands of one conversion have separate bytes.
    Conversions,
    /// Each operand of a conversion also reuses the bytes of earlier operands of the same conversion.
    Operands,
}
