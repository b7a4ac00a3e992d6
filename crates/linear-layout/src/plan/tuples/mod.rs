//! Combining tuples: one element of each operand of a reduction or a scan.
//!
//! A builder puts a [`Program`](super::program::Program) together from what is done to tuples:
//!
//! ```text
//! combine    v2 = region(v0, v1)              what the region does, only the lowering knows
//! exchange   v2, v3 = v0, v1 of lane ^ 4      both lanes give and take
//! reduce     v1 = v0 of all lanes combined    by one instruction, where the region is one that a GPU knows
//! fetch      v1 = v0 of lane 3 of each four   one lane gives, others take
//! select     v2 = lane & 4 ? v0 : v1
//! convert    v2, v3 = v0, v1 in another layout, each operand by a conversion's plan
//! ```
//!
//! [`super::reduce`] and [`super::scan`] decide what is done.

mod act;
mod build;
mod coordinates;
mod error;
mod room;

pub(super) use act::{Combining, TupleId};
pub(super) use build::TupleBuilder;
pub(super) use coordinates::Coordinates;
pub use error::TupleError;
pub(super) use room::{Room, plan_in_room, rank};

/// The properties of a region that one instruction computes over all lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaneReduction {
    /// True if elements may be combined with copies of themselves.
    pub is_idempotent: bool,
}

/// Which conversions of a program use the same bytes of shared memory, with a barrier between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::plan) enum Turns {
    /// None: each operand of each conversion has bytes of its own.
    None,
    /// One conversion after the other, the operands of each apart.
    Conversions,
    /// One operand of a conversion after the other.
    Operands,
}
