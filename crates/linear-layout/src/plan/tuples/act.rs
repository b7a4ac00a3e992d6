//! Acts on tuples.

use super::super::ConvertPlan;
use super::super::program::{LaneMap, Predicate};
use super::room::Room;
use crate::target::Target;

/// A tuple of a program under construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::plan) struct TupleId(pub(super) u32);

impl TupleId {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn plus(self, by: u32) -> Self {
        Self(self.0 + by)
    }
}

/// What is done to tuples, kept until it is known what is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Combines two tuples, the first of which comes earlier.
    Combine {
        out: TupleId,
        acc: TupleId,
        other: TupleId,
    },
    /// Tuples of lane `lane ^ lane_mask` of the same warp; defines as many as it is given.
    Exchange {
        first: TupleId,
        values: Vec<TupleId>,
        lane_mask: u32,
    },
    /// Tuples of another lane of the same warp; defines as many as it is given.
    Fetch {
        first: TupleId,
        values: Vec<TupleId>,
        source: LaneMap,
    },
    /// Tuples combined over all lanes of the warp; lanes that differ in `copies` alone hold copies.
    ReduceLanes {
        first: TupleId,
        values: Vec<TupleId>,
        copies: u32,
    },
    /// One of two tuples.
    Select {
        out: TupleId,
        condition: Predicate,
        if_set: TupleId,
        if_clear: TupleId,
    },
    /// Brings tuples into another layout, each operand by a plan of its own.
    Convert {
        first: TupleId,
        values: Vec<TupleId>,
        conversion: usize,
    },
}

/// A change of layout in the middle of a program.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    /// How many registers the layout after it has.
    pub(super) results: usize,
    /// How each operand goes.
    pub(super) plans: Vec<ConvertPlan>,
    /// Where each operand's scratch memory begins in that of the program, in bytes.
    pub(super) offsets: Vec<u32>,
}

/// What combines, and where.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Combining<'a> {
    /// The width in bits of each operand's elements.
    pub(in crate::plan) widths: &'a [u32],
    /// How many instructions combine two tuples.
    pub(in crate::plan) combine: u32,
    /// Whether one instruction combines two neighbours of the only operand that lie in a word.
    pub(in crate::plan) is_packed: bool,
    pub(in crate::plan) target: &'a Target,
    pub(in crate::plan) room: Room,
}
