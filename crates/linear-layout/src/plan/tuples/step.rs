//! Steps on tuples.

use super::super::ConvertPlan;
use super::super::program::{LaneMap, Predicate};
use super::scratch::ScratchBudget;
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

/// A step on tuples, recorded until its uses are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TupleStep {
    /// Combines two tuples, the first of which is earlier in order.
    Combine {
        out: TupleId,
        acc: TupleId,
        other: TupleId,
    },
    /// Reads tuples of lane `lane ^ lane_mask` of the same warp; defines as many as it takes.
    Exchange {
        first: TupleId,
        values: Vec<TupleId>,
        lane_mask: u32,
    },
    /// Reads tuples of another lane of the same warp; defines as many as it takes.
    Fetch {
        first: TupleId,
        values: Vec<TupleId>,
        source: LaneMap,
    },
    /// Combines tuples over all lanes of the warp; lanes that differ in `copies` alone hold replicas.
    ReduceLanes {
        first: TupleId,
        values: Vec<TupleId>,
        copies: u32,
    },
    /// Selects one of two tuples.
    Select {
        out: TupleId,
        condition: Predicate,
        if_set: TupleId,
        if_clear: TupleId,
    },
    /// Converts tuples to another layout, each operand by a plan of its own.
    Convert {
        first: TupleId,
        values: Vec<TupleId>,
        conversion: usize,
    },
}

/// A layout conversion within a program.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    /// Number of registers of the destination layout.
    pub(super) results: usize,
    /// Plan of each operand.
    pub(super) plans: Vec<ConvertPlan>,
    /// Offset of each operand's scratch memory in that of the program, in bytes.
    pub(super) offsets: Vec<u32>,
}

/// The combiner of a program: element widths and cost.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Combiner<'a> {
    /// Width in bits of each operand's elements.
    pub(in crate::plan) widths: &'a [u32],
    /// Number of instructions that combine two tuples.
    pub(in crate::plan) combine: u32,
    /// True if one instruction combines two neighbours of the only operand that share a word.
    pub(in crate::plan) is_packed: bool,
    pub(in crate::plan) target: &'a Target,
    pub(in crate::plan) budget: ScratchBudget,
}
