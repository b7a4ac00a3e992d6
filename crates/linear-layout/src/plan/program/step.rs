//! The data of a program: values, steps, addresses.

use crate::number::narrow;
use core::fmt;

use crate::plan::memory::{Padding, padded};
use crate::target::Fragment;

/// A value of a program: an index into the single-assignment values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Returns the value as an index of a table of values.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the value `by` places further on, for steps that define several.
    #[must_use]
    pub const fn plus(self, by: u32) -> Self {
        Self(self.0 + by)
    }
}

impl fmt::Display for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A list of values in the program's operand pool; read it with [`super::Program::operands`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Operands {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Operands {
    /// The list that begins so many values later among those of all lists.
    #[cfg(test)]
    pub(crate) const fn moved_by(self, count: u32) -> Self {
        Self {
            start: self.start + count,
            ..self
        }
    }

    /// Returns the number of values in the list.
    pub(crate) const fn len(self) -> usize {
        self.len as usize
    }

    /// Says whether the list holds nothing.
    pub(crate) const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueType {
    /// The index into [`super::Program::widths`] of its elements' width.
    pub operand: u8,
    /// True for an `i32` that carries several narrow elements, half of a 64-bit one, or a number; an element
    /// otherwise.
    pub is_word: bool,
}

/// A condition on the thread number (`lane + (warp << lanes_log2)`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Predicate {
    /// An odd number of these bits are set: usually one bit of the lane, as 4 is "lane bit 2 is set".
    Parity(u32),
    /// None of these bits are set: 96 is "warps 0, 4, 8, ..., of 32 lanes".
    Clear(u32),
    /// The bits of `mask` are not `first`: `mask = 31, first = 0` is "not lane 0 of a warp of 32".
    Differs {
        /// The bits that matter.
        mask: u32,
        /// Their value where the condition does not hold.
        first: u32,
    },
}

impl Predicate {
    /// Returns the condition that a bit of the thread number is set.
    pub(crate) const fn is_set(bit: usize) -> Self {
        Self::Differs {
            mask: 1 << bit,
            first: 0,
        }
    }

    /// Returns the condition's value in one thread.
    pub(crate) const fn holds(self, thread: u32) -> bool {
        match self {
            Self::Parity(mask) => (mask & thread).count_ones() & 1 == 1,
            Self::Clear(mask) => mask & thread == 0,
            Self::Differs { mask, first } => thread & mask != first,
        }
    }
}

/// The lane of its warp that each thread reads from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LaneMap {
    /// A linear map: column `i` is what bit `i` of the thread number adds (exclusive or) to the source lane. Most have
    /// one column per lane bit, some go on with warp bits.
    Linear(Vec<u32>),
    /// The lane with the bits of `mask` set to `bits`, which all that differ in these bits read from.
    Fixed {
        /// The bits of the lane that are replaced.
        mask: u32,
        /// Their new value.
        bits: u32,
    },
    /// The lane before in the order of the mask's bits; the first reads from the last.
    Before {
        /// The bits of the lane that are counted down.
        mask: u32,
    },
    /// The lane after in the order of the mask's bits; the last reads from the first.
    After {
        /// The bits of the lane that are counted up.
        mask: u32,
    },
}

impl LaneMap {
    /// Returns the lane that a thread reads from, before the step's own exclusive or.
    pub(crate) fn apply(&self, thread: u32, lanes_log2: u32) -> u32 {
        let lane = thread & ((1 << lanes_log2) - 1);
        match *self {
            Self::Linear(ref columns) => crate::plan::gf2::apply_u32(columns, thread),
            Self::Fixed { mask, bits } => lane & !mask | bits,
            // Other bits are clear or full, so that what is borrowed or carried runs through them.
            Self::Before { mask } => (lane & mask).wrapping_sub(1) & mask | lane & !mask,
            Self::After { mask } => (lane | !mask).wrapping_add(1) & mask | lane & !mask,
        }
    }
}

/// The memory that an address is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// The program's own scratch memory.
    Scratch,
    /// A buffer that the program is given.
    Buffer,
}

/// The part of an address that depends on the thread: a linear map from the thread number to a byte offset.
///
/// `columns = [16, 32, 64]` with three bits puts thread 5 at byte 16 ^ 64 = 80.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressBase {
    /// Column `i`: what thread bit `i` adds (exclusive or), in bytes. Lane bits first, then warp bits.
    pub columns: Vec<u32>,
    /// Byte of the memory that the offsets count from.
    pub start: u32,
    /// The memory.
    pub space: Space,
    /// The paddings between offsets and addresses.
    pub gaps: Vec<Padding>,
    /// Every bit that [`Address::numbers`] may set in an offset.
    pub number_bits: u32,
}

impl AddressBase {
    /// Returns the byte offset of one thread.
    pub(crate) fn apply(&self, thread: u32) -> u32 {
        crate::plan::gf2::apply_u32(&self.columns, thread)
    }

    /// Returns the address of an offset: after all paddings before it.
    pub(crate) fn padded(&self, offset: u32) -> u32 {
        narrow::<u32>(padded(&self.gaps, offset.into()))
    }

    /// Returns the mask of bits that some thread may have set.
    #[must_use]
    pub fn possible_bits(&self) -> u32 {
        self.columns.iter().fold(0, |a, c| a | c)
    }
}

/// The address of an access, in bytes: `start + padded(base(thread) ^ xor ^ numbers) + add`.
///
/// `add` only has bits that nothing else can have, so it is an immediate offset of the instruction; `xor` is shared by
/// many accesses, so its value is computed once for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The index into [`super::Program::address_bases`].
    pub base: u32,
    /// Constant bits that overlap those of the base.
    pub xor: u32,
    /// Constant bits that do not.
    pub add: u32,
    /// Numbers known at run time, all combined by exclusive or: where a view begins, what an index adds.
    pub numbers: Operands,
}

/// The threads that wait at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierScope {
    /// The lanes of one warp (`bar.warp.sync`; on AMD a wait for the wave's own memory operations).
    Warp,
    /// All threads of the block.
    Block,
}

/// A word of scales, and which of them an instruction uses ([`crate::target::ScaleBit::Selected`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScaleWord {
    /// Up to four scales.
    pub word: ValueId,
    /// The selector.
    pub selector: u32,
}

/// One operation of a program, executed by all threads of the block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Joins values, low bits first: 1 to 4 narrow elements into a word (missing ones undefined), or two words
    /// into a 64-bit element.
    Pack {
        /// The word or 64-bit element made.
        out: ValueId,
        /// What goes in, low bits first.
        parts: Operands,
    },
    /// The opposite of [`Step::Pack`]: defines `count` values, low bits first. A word gives narrow elements
    /// (the first `count` of those that fit), a 64-bit element gives two words.
    Unpack {
        /// The first value made.
        first: ValueId,
        /// How many are made.
        count: u32,
        /// The word or 64-bit element taken apart.
        value: ValueId,
    },
    /// One of two values of the same sort, by a condition on the thread.
    Select {
        /// The value made.
        out: ValueId,
        /// Which of [`super::Program::predicates`].
        predicate: u32,
        /// The value where the condition holds.
        if_set: ValueId,
        /// The value where it does not.
        if_clear: ValueId,
    },
    /// Computes numbers from the lane, the warp and values that are known at run time: words, one for each output of a
    /// map, which has these inputs in this order.
    Compute {
        /// The first number made.
        first: ValueId,
        /// How many are made.
        count: u32,
        /// Which of [`super::Program::index_maps`].
        map: u32,
        /// Numbers, or elements that are.
        inputs: Operands,
    },
    /// One of two values of the same sort, by a bit of a number.
    SelectBit {
        /// The value made.
        out: ValueId,
        /// The number.
        number: ValueId,
        /// Which of its bits.
        bit: u32,
        /// The value where the bit is set.
        if_set: ValueId,
        /// The value where it is not.
        if_clear: ValueId,
    },
    /// A word from the lane `lane ^ lane_xor` of the same warp, where `lane` is a number.
    ShuffleAt {
        /// The word received.
        out: ValueId,
        /// The word each lane offers.
        value: ValueId,
        /// The lane that each lane asks.
        lane: ValueId,
        /// Constant lane bits flipped.
        lane_xor: u32,
    },
    /// The number 0, which counts no element.
    Zero {
        /// The value made.
        out: ValueId,
    },
    /// The number 1, which counts an element.
    One {
        /// The value made.
        out: ValueId,
        /// The element.
        of: ValueId,
    },
    /// Adds to a number in shared memory, atomically.
    AtomicAdd {
        /// Where.
        address: Address,
        /// What is added.
        value: ValueId,
        /// Adds where this number is not 0; everywhere where there is none.
        mask: Option<ValueId>,
        /// As in [`Step::Store`].
        guard: Option<u32>,
    },
    /// Counts the lanes of a warp whose bin is one that a lane owns, by votes. Defines a number for each bin of a lane.
    CountVotes {
        /// The first number made.
        first: ValueId,
        /// How many are made.
        count: u32,
        /// Which of [`super::Program::votes`].
        vote: u32,
        /// The bin of each lane's element.
        bin: ValueId,
        /// An element is counted where this number is not 0; everywhere where there is none.
        mask: Option<ValueId>,
        /// What is added to: as many numbers, or none.
        acc: Operands,
    },
    /// A word from lane `lane ^ lane_mask` of the same warp.
    ShuffleXor {
        /// The word received.
        out: ValueId,
        /// The word each lane offers.
        value: ValueId,
        /// The lane bits flipped.
        lane_mask: u32,
    },
    /// A word from lane `map(thread) ^ lane_xor` of the same warp.
    ShuffleIndex {
        /// The word received.
        out: ValueId,
        /// The word each lane offers.
        value: ValueId,
        /// Which of [`super::Program::lane_maps`].
        map: u32,
        /// Constant lane bits flipped after the map.
        lane_xor: u32,
    },
    /// Exchanges, between `low` in lanes with bit `lane_bit` set and `high` in lanes with it clear (what
    /// `v_permlane16_swap` and `v_permlane32_swap` do for bits 4 and 5). Defines two words: the new low and,
    /// one after, the new high.
    SwapLanes {
        /// The new low; the new high follows.
        first: ValueId,
        /// The word whose upper lanes leave.
        low: ValueId,
        /// The word whose lower lanes leave.
        high: ValueId,
        /// Which lane bit: 4 or 5.
        lane_bit: u32,
    },
    /// Writes values side by side to shared memory, as one access of up to 16 bytes.
    Store {
        /// Where.
        address: Address,
        /// Elements or words, lowest address first; a power of two of them.
        values: Operands,
        /// Which of [`super::Program::predicates`] a thread must fulfil to store; all do where there is none.
        guard: Option<u32>,
    },
    /// Reads `count` values side by side from shared memory, as one access of up to 16 bytes.
    Load {
        /// Where.
        address: Address,
        /// The first value made.
        first: ValueId,
        /// How many are made, a power of two.
        count: u32,
        /// Words are made where set, elements where not.
        words: bool,
    },
    /// Writes matrices, of which the warp's lanes hold what the fragment says (`stmatrix`).
    StoreMatrices {
        /// Where the row lies that a lane names: of `n` rows, lane `n m + r` row `r` of matrix `m`.
        address: Address,
        /// 1, 2 or 4 words, or 32-bit elements.
        values: Operands,
        /// Who holds what.
        fragment: Fragment,
    },
    /// Reads matrices (`ldmatrix`, `ds_read_tr`).
    LoadMatrices {
        /// As in [`Step::StoreMatrices`].
        address: Address,
        /// The first word, or 32-bit element, made.
        first: ValueId,
        /// How many are made: 1, 2 or 4.
        count: u32,
        /// As in [`Step::StoreMatrices`].
        fragment: Fragment,
    },
    /// Exchanges rows and columns of a matrix of 8 rows of 8 elements of 16 bits, of which lane `l` holds elements
    /// `2 (l % 4)` and the next of row `l / 4` (`movmatrix`).
    TransposeMatrix {
        /// The word received.
        out: ValueId,
        /// The word each lane holds.
        value: ValueId,
    },
    /// Combines elements by what the program is made for, the region of a reduction: one element of each operand, or
    /// two neighbours of the only operand where one instruction combines them. Defines as many values.
    Combine {
        /// The first value made.
        first: ValueId,
        /// The operands combined so far, or those that come earlier.
        acc: Operands,
        /// The others.
        other: Operands,
        /// Two elements of one operand, by an instruction that takes them in a word.
        is_packed: bool,
    },
    /// An element combined over all lanes of the warp by one instruction; all lanes get the result.
    ReduceLanes {
        /// The value made.
        out: ValueId,
        /// The element of each lane.
        value: ValueId,
        /// Lanes that differ in these bits alone hold copies, which the operation does not mind.
        copies: u32,
    },
    /// A product of matrices, added to what `acc` holds, by all lanes of a warp together. Defines as many values as
    /// `acc` has.
    Mma {
        /// The first value made.
        first: ValueId,
        /// The registers of D before, in order: elements or words.
        acc: Operands,
        /// The registers of A.
        a: Operands,
        /// The registers of B.
        b: Operands,
        /// The words of scales of A and of B; none for factors that are multiplied as they are.
        scales: [Option<ScaleWord>; 2],
        /// Which of [`super::Program::rows`].
        row: u32,
    },
    /// Orders the stores and loads before it against those after it.
    Barrier(BarrierScope),
}

impl Step {
    /// Returns the step's kind in a word or two, for counting: `shuffle` whatever the lanes.
    #[must_use]
    pub const fn sort(&self) -> &'static str {
        match self {
            Self::Pack { .. } => "pack",
            Self::Unpack { .. } => "unpack",
            Self::Select { .. } | Self::SelectBit { .. } => "select",
            Self::Compute { .. } => "index",
            Self::Zero { .. } | Self::One { .. } => "constant",
            Self::AtomicAdd { .. } => "atomic addition",
            Self::CountVotes { .. } => "vote",
            Self::ShuffleXor { .. } | Self::ShuffleIndex { .. } | Self::ShuffleAt { .. } => {
                "shuffle"
            }
            Self::SwapLanes { .. } => "lane swap",
            Self::Store { .. } => "store",
            Self::Load { .. } => "load",
            Self::StoreMatrices { .. } => "matrix store",
            Self::LoadMatrices { .. } => "matrix load",
            Self::TransposeMatrix { .. } => "matrix transpose",
            Self::Combine { .. } => "combine",
            Self::ReduceLanes { .. } => "lane reduction",
            Self::Mma { .. } => "matrix product",
            Self::Barrier(BarrierScope::Warp) => "warp barrier",
            Self::Barrier(BarrierScope::Block) => "block barrier",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LaneMap;

    #[test]
    fn lanes_are_read_by_maps() {
        // Lanes count in bits 1 and 3: 0, 2, 8, 10.
        assert_eq!(LaneMap::Before { mask: 0b1010 }.apply(0b1000, 5), 0b0010);
        assert_eq!(LaneMap::After { mask: 0b1010 }.apply(0b0011, 5), 0b1001);
        assert_eq!(LaneMap::Fixed { mask: 3, bits: 1 }.apply(7, 5), 5);
        assert_eq!(LaneMap::Linear(vec![2, 1]).apply(1, 5), 2);
    }
}
