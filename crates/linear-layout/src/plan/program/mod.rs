//! Programs: straight-line code that all plans consist of.
//!
//! A [`Program`] is executed by all threads of a block: it takes registers, moves values between registers, lanes and
//! shared memory, and returns registers. It is independent of its purpose: a conversion ([`super::ConvertPlan`]) is one
//! program with a reason.
//!
//! # Values
//! A program is in single-assignment form. Values `0..num_sources` are its source registers; each step defines
//! consecutive new ones. A value belongs to one of the operands, and its type ([`ValueType`]) is one of
//! - an **element** of the operand's element type (64-bit ones stay whole);
//! - a **word**: an `i32` that carries several narrow elements or half of a 64-bit one, or a **number**: a lane, an
//!   offset, a part of one. Elements of 32 bits serve as numbers, too.
//!
//! 32-bit elements are never packed: shuffles, selects and permutes take them directly (bit-cast if the instruction
//! needs an `i32`). Elements narrower than 8 bits are widened to a byte (`zext`) by [`Step::Pack`] and [`Step::Store`],
//! and narrowed by [`Step::Unpack`] and [`Step::Load`].
//!
//! # Threads
//! A thread number is `lane + (warp << lanes_log2)`; masks and address columns refer to its bits.
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

pub(crate) use banks::wavefronts;
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

/// Straight-line code on the registers of every thread of a block.
///
/// # Shape
/// `num_sources()` values in, `results().len()` values out, for every thread of the block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    widths: Vec<u32>,
    lanes_log2: u32,
    warps_log2: u32,
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

/// Returns the alignment of `bytes` bytes of scratch memory: the widest access that fits. The bank of the first byte does
/// not matter, since bank conflicts depend on distances of addresses.
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
    /// Returns the width in bits of each operand's elements, as the caller gave it.
    #[must_use]
    pub fn widths(&self) -> &[u32] {
        &self.widths
    }

    /// Returns the type of a value.
    #[must_use]
    pub fn type_of(&self, value: ValueId) -> ValueType {
        self.types[value.index()]
    }

    /// Returns the width in bits of the elements of a value's operand.
    #[must_use]
    pub fn element_bits(&self, value: ValueId) -> u32 {
        self.widths[usize::from(self.types[value.index()].operand)]
    }

    /// Returns log2 of the lanes of a warp.
    #[must_use]
    pub const fn lanes_log2(&self) -> u32 {
        self.lanes_log2
    }

    /// Returns log2 of the warps of the block.
    #[must_use]
    pub const fn warps_log2(&self) -> u32 {
        self.warps_log2
    }

    /// Returns the number of source values: values `0..num_sources`.
    #[must_use]
    pub const fn num_sources(&self) -> usize {
        self.num_sources as usize
    }

    /// Returns the number of all values, for a table indexed by [`ValueId::index`].
    #[must_use]
    pub fn num_values(&self) -> usize {
        self.types.len()
    }

    /// Returns the steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the values of an operand list.
    #[must_use]
    pub fn operands(&self, list: Operands) -> &[ValueId] {
        &self.operands[list.start as usize..(list.start + list.len) as usize]
    }

    /// Returns the predicates that steps refer to.
    #[must_use]
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// Returns the lane maps that [`Step::ShuffleIndex`] refers to.
    #[must_use]
    pub fn lane_maps(&self) -> &[LaneMap] {
        &self.lane_maps
    }

    /// Returns the thread-dependent parts of addresses.
    #[must_use]
    pub fn address_bases(&self) -> &[AddressBase] {
        &self.address_bases
    }

    /// Returns the maps that [`Step::Compute`] refers to.
    #[must_use]
    pub fn index_maps(&self) -> &[IndexProgram] {
        &self.index_maps
    }

    /// Returns the votes that [`Step::CountVotes`] refers to.
    #[must_use]
    pub fn votes(&self) -> &[Vote] {
        &self.votes
    }

    /// Returns the instructions that [`Step::Mma`] refers to.
    #[must_use]
    pub fn rows(&self) -> &[Product] {
        &self.rows
    }

    /// Returns the value of each result register, in register order.
    #[must_use]
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// Returns the number of barriers of the whole block.
    #[must_use]
    pub fn num_barriers(&self) -> usize {
        let waits = |step: &&Step| matches!(step, Step::Barrier(BarrierScope::Block));
        self.steps.iter().filter(waits).count()
    }

    /// Returns the bytes of shared memory needed, aligned to [`scratch_alignment`]; 0 if none is used.
    ///
    /// The caller puts a barrier between an earlier user of the memory and the program. The last step may be a load, so a
    /// later user needs a barrier too.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u32 {
        self.scratch_bytes
    }

    /// Returns the cost of the program in the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Returns true if the results are the source values in order.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
            && self.results.len() == self.num_sources()
            && self.results.iter().zip(0..).all(|(v, i)| v.0 == i)
    }

    /// Returns true if a value is a word: an `i32` that carries narrow elements, half of a 64-bit one, or a number.
    #[must_use]
    pub fn is_word(&self, value: ValueId) -> bool {
        self.types[value.index()].is_word
    }

    /// Returns the bytes that a value takes in shared memory.
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
    /// Returns the program with its steps changed, for tests that the machine detects errors.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        let mut program = self.clone();
        edit(&mut program.steps);
        program
    }

    /// Returns the program with one more operand list.
    pub(crate) fn with_list(&self, values: &[ValueId]) -> (Self, Operands) {
        let mut program = self.clone();
        let start = crate::number::narrow(program.operands.len());
        let len = crate::number::narrow(values.len());
        program.operands.extend(values);
        (program, Operands { start, len })
    }
}
