//! Programs on values: what every plan is made of.
//!
//! A [`Program`] is straight-line code that all threads of a block run: it takes registers, moves them between
//! registers, lanes and shared memory, and gives registers. It knows nothing of what it is for: a conversion
//! ([`super::ConvertPlan`]) is one program with a reason.
//!
//! # Values
//! A program is in single-assignment form. Values `0..num_sources` are the registers it is given; each step
//! defines consecutive new ones. Each belongs to one of the operands, and is of one of two sorts ([`ValueType`]):
//! - an **element** has the operand's element type (64-bit ones stay whole);
//! - a **word** is an `i32` that carries several narrow elements, or half of a 64-bit one, or is a **number**: a
//!   lane, an offset, what an index adds to one. Elements of 32 bits serve as numbers, too.
//!
//! 32-bit elements are never packed: shuffles, selects and permutes take them as they are (bit-cast where the
//! instruction wants an `i32`). Elements narrower than 8 bits are widened to a byte (`zext`) by
//! [`Step::Pack`] and [`Step::Store`], and narrowed by [`Step::Unpack`] and [`Step::Load`].
//!
//! # Threads
//! A thread number is `lane + (warp << lanes_log2)`; masks and address columns speak of its bits.
//!
//! Reading order: [`Step`] (the data), `build` (values, sharing, removal of what nobody uses), `cost`, `banks`,
//! `text`, [`IndexProgram`] (address arithmetic).

mod banks;
mod build;
pub(super) mod cost;
mod index;
mod lane_order;
mod step;
mod text;
mod vote;

pub(crate) use banks::wavefronts;
pub(crate) use build::{Builder, Inlined, Threads, View};
pub(crate) use cost::Cost;
pub use index::{IndexOp, IndexProgram, Join, NodeId};
pub use lane_order::LaneOrder;
pub use step::{
    Address, AddressBase, BarrierScope, LaneMap, Operands, Predicate, ScaleWord, Space, Step,
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

/// Returns what so many bytes of scratch memory begin at multiples of: the widest access that they have room for. In
/// which bank they begin does not matter, since lanes meet in banks by the distance of their addresses.
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

    /// Returns the conditions that steps refer to.
    #[must_use]
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// Returns the lane maps that [`Step::ShuffleIndex`] refers to.
    #[must_use]
    pub fn lane_maps(&self) -> &[LaneMap] {
        &self.lane_maps
    }

    /// Returns the run-time parts of addresses.
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

    /// Returns the value of each register given back, in register order.
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

    /// Bytes of shared memory needed, which begin at a multiple of [`scratch_alignment`]; 0 where none is used.
    ///
    /// The buffer must be free when the program starts: whoever used it before is separated by a barrier that
    /// the caller puts there. The last step may be a load, so the next user needs one too.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u32 {
        self.scratch_bytes
    }

    /// Returns the cost of the program by the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Says whether the results are the source values, each in its place.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
            && self.results.len() == self.num_sources()
            && self.results.iter().zip(0..).all(|(v, i)| v.0 == i)
    }

    /// Says whether a value is a word: an `i32` that carries narrow elements or half of a 64-bit one.
    #[must_use]
    pub fn is_word(&self, value: ValueId) -> bool {
        self.types[value.index()].is_word
    }

    /// Bytes that a value takes in shared memory.
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
    /// The program with its steps changed, to see that the machine notices.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        let mut program = self.clone();
        edit(&mut program.steps);
        program
    }

    /// The program with one more list of values, for steps to refer to.
    pub(crate) fn with_list(&self, values: &[ValueId]) -> (Self, Operands) {
        let mut program = self.clone();
        let start = crate::number::narrow(program.operands.len());
        let len = crate::number::narrow(values.len());
        program.operands.extend(values);
        (program, Operands { start, len })
    }
}
