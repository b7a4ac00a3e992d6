//! Steps on tuples.

use super::super::ConvertPlan;
use super::super::program::{LaneMap, Predicate};
use super::scratch::ScratchBudget;
use crate::target::Target;

/// The index of a tuple in a program under construction.
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

/// A step on tuples. Steps are first recorded, and are emitted only after the last step has been recorded, because
/// unused steps are removed before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TupleStep {
    /// Combines two tuples. The elements of `acc` precede those of `other` in the order of the combination.
    Combine {
        out: TupleId,
        acc: TupleId,
        other: TupleId,
    },
    /// Reads tuples of lane `lane ^ lane_mask` of the same warp. Defines one tuple for each input tuple.
    Exchange {
        first: TupleId,
        values: Vec<TupleId>,
        lane_mask: u32,
    },
    /// Reads tuples of another lane of the same warp; the lane map `source` determines this lane. Defines one tuple for
    /// each input tuple.
    Fetch {
        first: TupleId,
        values: Vec<TupleId>,
        source: LaneMap,
    },
    /// Combines tuples over all lanes of the warp. Lanes whose numbers differ only in the bits of the mask `copies`
    /// hold replicas.
    ReduceLanes {
        first: TupleId,
        values: Vec<TupleId>,
        copies: u32,
    },
    /// Selects one of two tuples, according to a predicate on the thread number.
    Select {
        out: TupleId,
        condition: Predicate,
        if_set: TupleId,
        if_clear: TupleId,
    },
    /// Converts tuples to another layout, with a separate plan for each operand.
    Convert {
        first: TupleId,
        values: Vec<TupleId>,
        conversion: usize,
    },
}

/// A layout conversion of tuples within a program. Each operand has a separate conversion plan.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    /// Number of registers of the destination layout, without registers that replicate other registers of the same
    /// thread.
    pub(super) results: usize,
    /// Conversion plan of each operand.
    pub(super) plans: Vec<ConvertPlan>,
    /// Byte offset of each operand's scratch memory within the scratch memory of the program.
    pub(super) offsets: Vec<u32>,
}

/// The combiner of a program: the element widths of its operands, the cost of one combination, and the scratch
/// budget.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Combiner<'a> {
    /// Width in bits of each operand's elements.
    pub(in crate::plan) widths: &'a [u32],
    /// Cost for a warp of one combination of two tuples, as [`Costs`](crate::target::Costs). A tuple contains one
    /// element of each operand.
    pub(in crate::plan) combine: u32,
    /// True if there is only one operand, and one instruction combines two adjacent elements that share a word.
    pub(in crate::plan) is_packed: bool,
    pub(in crate::plan) target: &'a Target,
    pub(in crate::plan) budget: ScratchBudget,
}
