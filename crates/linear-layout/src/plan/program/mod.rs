//! Programs: the straight-line code of all plans.
//!
//! A [`Program`] is executed by all threads of a block. Its inputs are registers of each thread. It moves values
//! between registers, lanes and shared memory, and its results are registers again. All plans use the same kind of
//! program: a conversion ([`super::ConvertPlan`]), for instance, consists of a program and the reason for the choice of
//! its strategy.
//!
//! # Values
//! A program is in single-assignment form. Values `0..num_sources` are the program's source registers, and each step
//! defines new values with consecutive indices. A value belongs to one operand, and its type ([`ValueType`]) is one of
//! - an **element** of the operand's element type (64-bit elements are not split);
//! - a **word**: an `i32` that contains several narrow elements, half of a 64-bit element, or a **number**. A number is
//!   a lane number, a byte offset, or a term of a lane number or byte offset. An element of 32 bits may serve as a
//!   number, too.
//!
//! 32-bit elements are never packed: shuffles, selects and permutes take them directly (bit-cast if the instruction
//! needs an `i32`). Elements narrower than 8 bits are widened to a byte (`zext`) by [`Step::Pack`] and [`Step::Store`],
//! and narrowed by [`Step::Unpack`] and [`Step::Load`].
//!
//! # Threads
//! The number of a thread is `lane + (warp << lanes_log2)`. Predicates and address columns refer to the bits of the
//! thread number.
//!
//! Reading order: [`Step`] (the data), `build` (construction, value numbering, dead-step elimination), `cost`, `banks`,
//! `text`, [`IndexProgram`] (address arithmetic).

mod banks;
mod build;
pub(super) mod cost;
mod index;
mod lane_order;
mod step;
mod text;
mod vote;
mod wavefronts;

pub(crate) use banks::{phase_lane_bits, wavefronts};
pub(crate) use build::{Builder, InlinedProgram, Threads, View};
pub(crate) use cost::Cost;
pub use index::{IndexNode, IndexOp, IndexProgram, Join};
pub use lane_order::LaneOrder;
pub use step::{
    Address, AddressBase, BarrierScope, LaneMap, MemorySpace, Operands, Predicate, ScaleWord, Step,
    ValueId, ValueType,
};
pub use vote::{BinBit, Vote};

use crate::target::Product;

/// Straight-line code that every thread of a block executes on values in its registers.
///
/// # Shape
/// Every thread of the block supplies `num_sources()` values and receives `results().len()` values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    widths: Vec<u32>,
    lanes_log2: u32,
    warps_log2: u32,
    blocks_log2: u32,
    num_sources: u32,
    types: Vec<ValueType>,
    steps: Vec<Step>,
    operands: Vec<ValueId>,
    predicates: Vec<Predicate>,
    lane_maps: Vec<LaneMap>,
    address_bases: Vec<AddressBase>,
    index_maps: Vec<IndexProgram>,
    votes: Vec<Vote>,
    rows: Vec<Product>,
    results: Vec<ValueId>,
    scratch_bytes: u32,
    cost: Cost,
}

/// Returns the alignment in bytes of a scratch memory of `bytes` bytes: the width of the widest access that
/// fits. A larger alignment has no effect, since bank conflicts depend only on differences of addresses.
#[must_use]
pub const fn scratch_alignment(bytes: u32) -> u32 {
    const WIDEST_BYTES: u32 = 16;
    if bytes < WIDEST_BYTES {
        bytes.next_power_of_two()
    } else {
        WIDEST_BYTES
    }
}

impl Program {
    /// Returns the width in bits of the elements of each operand, as passed to the builder.
    #[must_use]
    pub fn widths(&self) -> &[u32] {
        &self.widths
    }

    /// Returns the type of a value.
    #[must_use]
    pub fn type_of(&self, value: ValueId) -> ValueType {
        self.types[value.index()]
    }

    /// Returns the width in bits of the elements of the operand to which `value` belongs.
    #[must_use]
    pub fn element_bits(&self, value: ValueId) -> u32 {
        self.widths[usize::from(self.types[value.index()].operand)]
    }

    /// Returns log2 of the number of lanes of a warp.
    #[must_use]
    pub const fn lanes_log2(&self) -> u32 {
        self.lanes_log2
    }

    /// Returns log2 of the number of warps of the block.
    #[must_use]
    pub const fn warps_log2(&self) -> u32 {
        self.warps_log2
    }

    /// Returns log2 of the number of blocks of the cluster that execute the program together. It is 0 if the blocks
    /// are independent.
    #[must_use]
    pub const fn blocks_log2(&self) -> u32 {
        self.blocks_log2
    }

    /// Returns the number of source values. The source values are `0..num_sources`.
    #[must_use]
    pub const fn num_sources(&self) -> usize {
        self.num_sources as usize
    }

    /// Returns the number of all values, including the source values. A table that is indexed by [`ValueId::index`]
    /// needs this size.
    #[must_use]
    pub fn num_values(&self) -> usize {
        self.types.len()
    }

    /// Returns the steps in execution order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the values that an operand list refers to.
    #[must_use]
    pub fn operands(&self, list: Operands) -> &[ValueId] {
        &self.operands[list.start as usize..(list.start + list.len) as usize]
    }

    /// Returns the predicates. [`Step::Select`], and the guards of stores and of atomic additions, refer to them by
    /// index.
    #[must_use]
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// Returns the lane maps, to which [`Step::ShuffleIndex`] refers by index.
    #[must_use]
    pub fn lane_maps(&self) -> &[LaneMap] {
        &self.lane_maps
    }

    /// Returns the thread-dependent terms of addresses, to which [`Address::base`] refers by index.
    #[must_use]
    pub fn address_bases(&self) -> &[AddressBase] {
        &self.address_bases
    }

    /// Returns the index maps, to which [`Step::Compute`] refers by index.
    #[must_use]
    pub fn index_maps(&self) -> &[IndexProgram] {
        &self.index_maps
    }

    /// Returns the votes, to which [`Step::CountVotes`] refers by index.
    #[must_use]
    pub fn votes(&self) -> &[Vote] {
        &self.votes
    }

    /// Returns the matrix instructions, to which [`Step::Mma`] refers by index.
    #[must_use]
    pub fn rows(&self) -> &[Product] {
        &self.rows
    }

    /// Returns the value of each result register, in the order of the result registers.
    #[must_use]
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// Returns the number of barriers that synchronise all threads of the block or of the cluster.
    #[must_use]
    pub fn num_barriers(&self) -> usize {
        let waits = |step: &&Step| {
            matches!(
                step,
                Step::Barrier(BarrierScope::Block | BarrierScope::Cluster)
            )
        };
        self.steps.iter().filter(waits).count()
    }

    /// Returns the size in bytes of the scratch memory that the program needs; 0 if it needs none. The memory must be
    /// aligned to [`scratch_alignment`].
    ///
    /// The caller must insert a barrier between an earlier use of the memory and the program. The last step of the
    /// program may be a load, so the caller must insert another barrier before the next use of the memory.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u32 {
        self.scratch_bytes
    }

    /// Returns the cost of the program in the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Returns true if the results are exactly the source values, in order.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
            && self.results.len() == self.num_sources()
            && self.results.iter().zip(0..).all(|(v, i)| v.0 == i)
    }

    /// Returns true if a value is a word, and false if it is an element. A word is an `i32`. It contains one or
    /// more narrow elements, or half of a 64-bit element, or it is a computed number.
    #[must_use]
    pub fn is_word(&self, value: ValueId) -> bool {
        self.types[value.index()].is_word
    }

    /// Returns the number of bytes that a value takes in shared memory.
    pub(crate) fn value_bytes(&self, value: ValueId) -> u32 {
        if self.is_word(value) {
            4
        } else {
            self.element_bits(value).max(8) / 8
        }
    }
}

#[cfg(test)]
impl Program {
    /// Returns a copy of the program in which `edit` has modified the steps. Tests use it to check that the machine
    /// model, which executes programs step by step, detects errors.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        let mut program = self.clone();
        edit(&mut program.steps);
        program
    }

    /// Returns a copy of the program whose operand pool additionally contains `values`, and the list that refers to
    /// them.
    pub(crate) fn with_list(&self, values: &[ValueId]) -> (Self, Operands) {
        let mut program = self.clone();
        let start = crate::number::narrow(program.operands.len());
        let len = crate::number::narrow(values.len());
        program.operands.extend(values);
        (program, Operands { start, len })
    }
}
