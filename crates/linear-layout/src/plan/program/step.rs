//! The data of a program: values, steps, addresses.

use crate::number::narrow;
use core::fmt;

use crate::plan::memory::{Padding, padded};
use crate::target::Fragment;

/// A value of a program, by its index in single-assignment order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Returns the value as an index into a table of values.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the value `by` indices later, for steps that define several.
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
    /// Returns the list at an offset of `count` in the operand pool.
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

    /// Returns true if the list holds nothing.
    pub(crate) const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueType {
    /// Index into [`super::Program::widths`] of its elements' width.
    pub operand: u8,
    /// True for an `i32` that carries several narrow elements, half of a 64-bit one, or a number; false for an element.
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
        /// Mask of the compared bits.
        mask: u32,
        /// Value of those bits for which the condition is false.
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

    /// Evaluates the condition in one thread.
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
    /// A linear map: column `i` is the contribution (exclusive or) of bit `i` of the thread number to the source lane.
    /// Most have one column per lane bit; some have warp bits too.
    Linear(Vec<u32>),
    /// The lane with the bits of `mask` set to `bits`; a broadcast among lanes that differ in these bits.
    Fixed {
        /// Replaced bits of the lane.
        mask: u32,
        /// New value of those bits.
        bits: u32,
    },
    /// The previous lane in the order of the mask's bits; the first reads from the last.
    Before {
        /// Bits of the lane that are counted down.
        mask: u32,
    },
    /// The next lane in the order of the mask's bits; the last reads from the first.
    After {
        /// Bits of the lane that are counted up.
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
            // Bits outside the mask are clear or set, so that borrows and carries run through them.
            Self::Before { mask } => (lane & mask).wrapping_sub(1) & mask | lane & !mask,
            Self::After { mask } => (lane | !mask).wrapping_add(1) & mask | lane & !mask,
        }
    }
}

/// The memory of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemorySpace {
    /// The program's own scratch memory.
    Scratch,
    /// A buffer that is an argument of the program.
    Buffer,
}

/// The part of an address that depends on the thread: a linear map from the thread number to a byte offset.
///
/// `columns = [16, 32, 64]` with three bits puts thread 5 at byte 16 ^ 64 = 80.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressBase {
    /// Column `i`: contribution (exclusive or) of thread bit `i`, in bytes. Lane bits first, then warp bits.
    pub columns: Vec<u32>,
    /// Byte that the offsets are relative to.
    pub start: u32,
    /// Memory of the address.
    pub space: MemorySpace,
    /// Paddings between offsets and addresses.
    pub gaps: Vec<Padding>,
    /// Bits that [`Address::numbers`] may set in an offset.
    pub number_bits: u32,
}

impl AddressBase {
    /// Returns the byte offset of one thread.
    pub(crate) fn apply(&self, thread: u32) -> u32 {
        crate::plan::gf2::apply_u32(&self.columns, thread)
    }

    /// Returns the address of an offset: the offset plus all paddings before it.
    pub(crate) fn padded(&self, offset: u32) -> u32 {
        narrow::<u32>(padded(&self.gaps, offset.into()))
    }

    /// Returns the mask of bits that are set in some thread.
    #[must_use]
    pub fn possible_bits(&self) -> u32 {
        self.columns.iter().fold(0, |a, c| a | c)
    }
}

/// The address of an access, in bytes: `start + padded(base(thread) ^ xor ^ numbers) + add`.
///
/// `add` only has bits that nothing else sets, so it is an immediate offset of the instruction; `xor` is common to many
/// accesses, so it is computed once for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Index into [`super::Program::address_bases`].
    pub base: u32,
    /// Constant bits that overlap those of the base.
    pub xor: u32,
    /// Constant bits that are disjoint from the base.
    pub add: u32,
    /// Numbers known at run time, combined by exclusive or: the start of a view, the contribution of an index.
    pub numbers: Operands,
}

/// The threads that a barrier synchronises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierScope {
    /// The lanes of one warp (`bar.warp.sync`; on AMD a wait for the wave's own memory operations).
    Warp,
    /// All threads of the block.
    Block,
}

/// A word of scales, and the selector of those that an instruction uses ([`crate::target::ScaleBit::Selected`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScaleWord {
    /// Up to four scales.
    pub word: ValueId,
    /// Selector within the word.
    pub selector: u32,
}

/// One operation of a program, executed by all threads of the block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Packs values, low bits first: 1 to 4 narrow elements into a word (missing ones undefined), or two words into a
    /// 64-bit element.
    Pack {
        /// Packed word or 64-bit element.
        out: ValueId,
        /// Packed values, low bits first.
        parts: Operands,
    },
    /// The inverse of [`Step::Pack`]: defines `count` values, low bits first. A word yields narrow elements (the first
    /// `count` of those that fit), a 64-bit element yields two words.
    Unpack {
        /// First result.
        first: ValueId,
        /// Number of results.
        count: u32,
        /// Word or 64-bit element to unpack.
        value: ValueId,
    },
    /// Selects one of two values of the same type by a condition on the thread.
    Select {
        /// Result.
        out: ValueId,
        /// Index into [`super::Program::predicates`].
        predicate: u32,
        /// Value where the condition is true.
        if_set: ValueId,
        /// Value where it is false.
        if_clear: ValueId,
    },
    /// Computes numbers from the lane, the warp and run-time values: words, one for each output of a map that has these
    /// inputs in this order.
    Compute {
        /// First result.
        first: ValueId,
        /// Number of results.
        count: u32,
        /// Index into [`super::Program::index_maps`].
        map: u32,
        /// Numbers, or elements that serve as numbers.
        inputs: Operands,
    },
    /// Selects one of two values of the same type by a bit of a number.
    SelectBit {
        /// Result.
        out: ValueId,
        /// Tested number.
        number: ValueId,
        /// Tested bit.
        bit: u32,
        /// Value where the bit is set.
        if_set: ValueId,
        /// Value where it is clear.
        if_clear: ValueId,
    },
    /// Reads a word from the lane `lane ^ lane_xor` of the same warp, where `lane` is a number.
    ShuffleAt {
        /// Received word.
        out: ValueId,
        /// Word that each lane provides.
        value: ValueId,
        /// Source lane of each lane.
        lane: ValueId,
        /// Flipped lane bits, a constant.
        lane_xor: u32,
    },
    /// The number 0, the initial value of a count.
    Zero {
        /// Result.
        out: ValueId,
    },
    /// The number 1, the count of one element.
    One {
        /// Result.
        out: ValueId,
        /// Counted element.
        of: ValueId,
    },
    /// Adds to a number in shared memory, atomically.
    AtomicAdd {
        /// Address of the number.
        address: Address,
        /// Addend.
        value: ValueId,
        /// Adds only where this number is not 0; everywhere if `None`.
        mask: Option<ValueId>,
        /// Index into [`super::Program::predicates`], as in [`Step::Store`].
        guard: Option<u32>,
    },
    /// Counts the lanes of a warp whose element is in a bin that this lane owns, by votes. Defines a number for each bin of a
    /// lane.
    CountVotes {
        /// First result.
        first: ValueId,
        /// Number of results.
        count: u32,
        /// Index into [`super::Program::votes`].
        vote: u32,
        /// Bin of each lane's element.
        bin: ValueId,
        /// Counts an element only where this number is not 0; everywhere if `None`.
        mask: Option<ValueId>,
        /// Numbers to add the counts to: as many as results, or none.
        acc: Operands,
    },
    /// Reads a word from lane `lane ^ lane_mask` of the same warp.
    ShuffleXor {
        /// Received word.
        out: ValueId,
        /// Word that each lane provides.
        value: ValueId,
        /// Flipped lane bits.
        lane_mask: u32,
    },
    /// Reads a word from lane `map(thread) ^ lane_xor` of the same warp.
    ShuffleIndex {
        /// Received word.
        out: ValueId,
        /// Word that each lane provides.
        value: ValueId,
        /// Index into [`super::Program::lane_maps`].
        map: u32,
        /// Lane bits flipped after the map, a constant.
        lane_xor: u32,
    },
    /// Exchanges `low` of lanes with bit `lane_bit` set for `high` of lanes with it clear (`v_permlane16_swap` and
    /// `v_permlane32_swap` for bits 4 and 5). Defines two words, the new low and the new high.
    SwapLanes {
        /// New low; the new high follows.
        first: ValueId,
        /// Word sent by the upper lanes.
        low: ValueId,
        /// Word sent by the lower lanes.
        high: ValueId,
        /// Lane bit: 4 or 5.
        lane_bit: u32,
    },
    /// Writes adjacent values to shared memory, as one access of up to 16 bytes.
    Store {
        /// Address of the first byte.
        address: Address,
        /// Elements or words, lowest address first; a power of two of them.
        values: Operands,
        /// Index into [`super::Program::predicates`] of the storing threads; all if `None`.
        guard: Option<u32>,
    },
    /// Reads `count` adjacent values from shared memory, as one access of up to 16 bytes.
    Load {
        /// Address of the first byte.
        address: Address,
        /// First result.
        first: ValueId,
        /// Number of results, a power of two.
        count: u32,
        /// True if the results are words; false if they are elements.
        words: bool,
    },
    /// Writes matrices, distributed over the warp's lanes as the fragment defines (`stmatrix`).
    StoreMatrices {
        /// Address of the row that a lane supplies: of `n` rows, lane `n m + r` supplies row `r` of matrix `m`.
        address: Address,
        /// 1, 2 or 4 words, or 32-bit elements.
        values: Operands,
        /// Distribution of the matrix over lanes and registers.
        fragment: Fragment,
    },
    /// Reads matrices (`ldmatrix`, `ds_read_tr`).
    LoadMatrices {
        /// Address of a row, as in [`Step::StoreMatrices`].
        address: Address,
        /// First result, a word or a 32-bit element.
        first: ValueId,
        /// Number of results: 1, 2 or 4.
        count: u32,
        /// Distribution of the matrix, as in [`Step::StoreMatrices`].
        fragment: Fragment,
    },
    /// Transposes a matrix of 8 x 8 elements of 16 bits, of which lane `l` holds elements `2 (l % 4)` and the next of row
    /// `l / 4` (`movmatrix`).
    TransposeMatrix {
        /// Received word.
        out: ValueId,
        /// Word that each lane holds.
        value: ValueId,
    },
    /// Applies the combiner of the program, the region of a reduction: to one element of each operand, or to two neighbours
    /// of the only operand if one instruction combines both. Defines as many values.
    Combine {
        /// First result.
        first: ValueId,
        /// Left-hand operands: accumulated so far, or earlier in order.
        acc: Operands,
        /// Right-hand operands.
        other: Operands,
        /// True if one packed instruction combines two elements of one operand.
        is_packed: bool,
    },
    /// Combines an element over all lanes of the warp by one instruction; all lanes get the result.
    ReduceLanes {
        /// Result.
        out: ValueId,
        /// Element of each lane.
        value: ValueId,
        /// Lanes that differ in these bits alone are replicas, to which the operation is insensitive.
        copies: u32,
    },
    /// A matrix product added to `acc`, executed by all lanes of a warp together. Defines as many values as `acc` has.
    Mma {
        /// First result.
        first: ValueId,
        /// Accumulator registers, in order: elements or words.
        acc: Operands,
        /// Registers of A.
        a: Operands,
        /// Registers of B.
        b: Operands,
        /// Scale words of A and of B; `None` for unscaled operands.
        scales: [Option<ScaleWord>; 2],
        /// Index into [`super::Program::rows`].
        row: u32,
    },
    /// Orders the stores and loads before it against those after it.
    Barrier(BarrierScope),
}

impl Step {
    /// Returns the name of the step's kind, for counting: `shuffle` for any lanes.
    #[must_use]
    pub const fn kind_name(&self) -> &'static str {
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
