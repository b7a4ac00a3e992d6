//! The data of a program: values, steps, addresses.

use crate::number::narrow;
use core::fmt;

use crate::plan::memory::{Padding, padded};
use crate::target::Fragment;

/// A value of a program, identified by its index in the order of definitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Returns the value as an index into a table of values.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the value whose index is `by` higher. It selects among the consecutive results of a step.
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
    /// Returns the list with its start moved by `count` in the operand pool.
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
    /// Operand of the value. It is an index into [`super::Program::widths`], which has the width of the operand's
    /// elements.
    pub operand: u8,
    /// True for a word: an `i32` that contains several narrow elements, half of a 64-bit element, or a number. False
    /// for an element.
    pub is_word: bool,
}

/// A condition on the thread number (`lane + (warp << lanes_log2)`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Predicate {
    /// True if an odd number of the bits of this mask is set. Usually the mask is one bit of the lane; 4 means "lane
    /// bit 2 is set".
    Parity(u32),
    /// True if none of the bits of this mask is set. With 32 lanes in a warp, 96 means "warps 0, 4, 8, ...".
    Clear(u32),
    /// True if the bits under `mask` are not equal to `first`. With 32 lanes in a warp, `mask = 31, first = 0` means
    /// "not lane 0".
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

    /// Evaluates the condition for one thread number.
    pub(crate) const fn holds(self, thread: u32) -> bool {
        match self {
            Self::Parity(mask) => (mask & thread).count_ones() & 1 == 1,
            Self::Clear(mask) => mask & thread == 0,
            Self::Differs { mask, first } => thread & mask != first,
        }
    }
}

/// A map from a thread to the lane of its warp from which the thread reads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LaneMap {
    /// A linear map: column `i` is the contribution (exclusive or) of bit `i` of the thread number to the source lane.
    /// Most maps have one column per lane bit. Some have columns for warp bits too.
    Linear(Vec<u32>),
    /// The lane whose number is the reader's, with the bits under `mask` replaced by `bits`. This is a broadcast among
    /// lanes that differ only in these bits.
    Fixed {
        /// Replaced bits of the lane.
        mask: u32,
        /// New value of those bits.
        bits: u32,
    },
    /// The previous lane: the bits under `mask`, read as a number, are decremented. The first lane reads from the last.
    Before {
        /// Bits of the lane that form the number.
        mask: u32,
    },
    /// The next lane: the bits under `mask`, read as a number, are incremented. The last lane reads from the first.
    After {
        /// Bits of the lane that form the number.
        mask: u32,
    },
}

impl LaneMap {
    /// Returns the lane from which a thread reads, before the step XORs its constant to it.
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

/// The memory to which an address refers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemorySpace {
    /// The scratch memory of the program in the shared memory of the thread's own CTA.
    Scratch,
    /// The scratch memory of the program in the shared memory of any CTA of the cluster. The bits of an address from
    /// [`Address::CTA_SHIFT`] on are the rank of the CTA.
    Cluster,
    /// A buffer that is an argument of the program.
    Buffer,
}

/// The part of an address that depends on the thread: a linear map from the thread number to a byte offset.
///
/// `columns = [16, 32, 64]` with three bits puts thread 5 at byte 16 ^ 64 = 80.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressBase {
    /// Column `i`: contribution (exclusive or) of thread bit `i`, in bytes. Lane bits first, then warp bits, then bits of
    /// the CTA's rank in its cluster.
    pub columns: Vec<u32>,
    /// Byte to which the offsets are relative.
    pub start: u32,
    /// Memory to which the address refers.
    pub space: MemorySpace,
    /// Paddings that are added to an offset to get the address.
    pub gaps: Vec<Padding>,
    /// Mask of the bits that [`Address::numbers`] may contribute to an offset.
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

    /// Returns the mask of the bits that are set in the offset of some thread.
    #[must_use]
    pub fn possible_bits(&self) -> u32 {
        self.columns.iter().fold(0, |a, c| a | c)
    }
}

/// The address of an access, in bytes: `start + padded(base(thread) ^ xor ^ numbers) + add`.
///
/// `add` only has bits that are zero in all other terms, so it can be an immediate offset of the instruction. Many
/// accesses have the same `xor`, so the exclusive or with it is computed once for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Index into [`super::Program::address_bases`].
    pub base: u32,
    /// Constant to XOR with the base. Its bits may overlap the base's bits.
    pub xor: u32,
    /// Constant to add. Its bits are disjoint from the base's bits.
    pub add: u32,
    /// Numbers known only at run time, which are combined by exclusive or: the start of a view, or the contribution of
    /// an index.
    pub numbers: Operands,
}

impl Address {
    /// The first bit of the CTA's rank in an address of [`MemorySpace::Cluster`]. No CTA has 2^20 bytes of shared memory.
    pub const CTA_SHIFT: u32 = 20;
}

/// The threads that a barrier synchronises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierScope {
    /// The lanes of one warp (`bar.warp.sync`; on AMD a wait for the wave's own memory operations).
    Warp,
    /// All threads of the block.
    Block,
    /// All threads of the cluster.
    Cluster,
}

/// A word of scales, and the selector by which an instruction chooses scales from the word
/// ([`crate::target::ScaleBit::Selected`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScaleWord {
    /// Word that contains up to four scales.
    pub word: ValueId,
    /// Number that selects scales within the word.
    pub selector: u32,
}

/// One operation of a program, executed by all threads of the block, or of the cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Packs values, low bits first. The result is a word of 1 to 4 narrow elements (missing elements are undefined),
    /// or a 64-bit element of two words.
    Pack {
        /// Packed word or 64-bit element.
        out: ValueId,
        /// Packed values, low bits first.
        parts: Operands,
    },
    /// The inverse of [`Step::Pack`]. Defines `count` values, low bits first. A word yields its first `count` narrow
    /// elements, and a 64-bit element yields two words.
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
    /// Computes numbers from the lane, the warp and run-time values, which are the inputs of a map in this order.
    /// Defines one word for each output of the map.
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
        /// Constant to XOR with the lane.
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
        /// A thread adds only if this number is not 0. If `None`, every thread adds.
        mask: Option<ValueId>,
        /// Index into [`super::Program::predicates`], as in [`Step::Store`].
        guard: Option<u32>,
    },
    /// Counts by votes, for each bin that a lane owns, the lanes of its warp whose element is in that bin. Defines one
    /// number for each bin that a lane owns.
    CountVotes {
        /// First result.
        first: ValueId,
        /// Number of results.
        count: u32,
        /// Index into [`super::Program::votes`].
        vote: u32,
        /// Bin of each lane's element.
        bin: ValueId,
        /// An element is counted only if this number is not 0. If `None`, all elements are counted.
        mask: Option<ValueId>,
        /// Numbers to which the counts are added: one for each result, or none.
        acc: Operands,
    },
    /// Reads a word from lane `lane ^ lane_mask` of the same warp.
    ShuffleXor {
        /// Received word.
        out: ValueId,
        /// Word that each lane provides.
        value: ValueId,
        /// Constant to XOR with the lane.
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
        /// Constant to XOR with the result of the map.
        lane_xor: u32,
    },
    /// Swaps words between pairs of lanes that differ in bit `lane_bit`: `low` of the lane in which the bit is set, and
    /// `high` of the lane in which it is clear (`v_permlane16_swap` for bit 4, `v_permlane32_swap` for bit 5). Defines
    /// two words, the new low and the new high.
    SwapLanes {
        /// The new low word. The next value is the new high word.
        first: ValueId,
        /// Word that lanes with the bit set send.
        low: ValueId,
        /// Word that lanes with the bit clear send.
        high: ValueId,
        /// Lane bit: 4 or 5.
        lane_bit: u32,
    },
    /// Writes adjacent values to shared memory, as one access of up to 16 bytes.
    Store {
        /// Address of the first byte.
        address: Address,
        /// Elements or words, lowest address first. Their number is a power of two.
        values: Operands,
        /// Index into [`super::Program::predicates`]. Only threads that satisfy the predicate store; all threads if
        /// `None`.
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
    /// Writes matrices whose elements the fragment distributes over the warp's lanes (`stmatrix`).
    StoreMatrices {
        /// Address of the row that each lane supplies. If a matrix has `n` rows, lane `n m + r` supplies the address of
        /// row `r` of matrix `m`.
        address: Address,
        /// 1, 2 or 4 words, or 32-bit elements.
        values: Operands,
        /// Distribution of a matrix over lanes and registers.
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
        /// Distribution of a matrix over lanes and registers.
        fragment: Fragment,
    },
    /// Transposes a matrix of 8 x 8 elements of 16 bits (`movmatrix`). Lane `l` holds the elements in row `l / 4`,
    /// columns `2 (l % 4)` and `2 (l % 4) + 1`.
    TransposeMatrix {
        /// Received word.
        out: ValueId,
        /// Word that each lane holds.
        value: ValueId,
    },
    /// Applies the combiner of the program, which is the region of a reduction or a scan. It combines one element of
    /// each operand, or two adjacent elements of the only operand if one instruction combines both. Defines as many
    /// values as `acc` has.
    Combine {
        /// First result.
        first: ValueId,
        /// Left-hand operands of the combiner: the values accumulated so far, or the earlier values in the order of a
        /// scan.
        acc: Operands,
        /// Right-hand operands of the combiner.
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
        /// Mask of lane bits. Lanes that differ only in these bits hold replicas, which do not change the result of the
        /// operation.
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
        /// Scale words of A and of B. An entry is `None` if that operand has no scales.
        scales: [Option<ScaleWord>; 2],
        /// Index into [`super::Program::rows`].
        row: u32,
    },
    /// Orders all earlier stores and loads before all later stores and loads.
    Barrier(BarrierScope),
}

impl Step {
    /// Returns the name of the step's kind, for counting steps. All shuffles have the name `shuffle`.
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
            Self::Barrier(BarrierScope::Cluster) => "cluster barrier",
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
