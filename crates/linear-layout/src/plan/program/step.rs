//! Data structures of a program: values, steps, addresses.

use crate::number::narrow;
use core::fmt;

use crate::plan::memory::{Padding, padded};
use crate::target::Fragment;

/// A value of a program, identified by its index. Values are numbered in the order of their definitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Returns the index of the value, for a table with one entry per value.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the value whose index is higher by `by`. The results of a step have consecutive indices.
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

/// A list of values, stored as a range of the program's operand pool. Call [`super::Program::operands`] to read the
/// values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Operands {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Operands {
    /// Returns the list of the same length that starts `count` values later in the operand pool.
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

    /// Returns true if the list is empty.
    pub(crate) const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueType {
    /// Operand to which the value belongs: an index into [`super::Program::widths`], which lists the width of each
    /// operand's elements.
    pub operand: u8,
    /// True for a word, and false for an element. A word is an `i32`. It contains one or more narrow elements, or
    /// half of a 64-bit element, or it is a computed number.
    pub is_word: bool,
}

/// A condition on the thread number (`lane + (warp << lanes_log2)`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Predicate {
    /// True if an odd number of the thread-number bits in this mask are set. Usually the mask has a single lane
    /// bit: mask 4 is the condition "lane bit 2 is set".
    Parity(u32),
    /// True if the bitwise and of the thread number and this mask is 0. With 32 lanes in a warp, mask 96 is the
    /// condition "warp 0, 4, 8, ...".
    Clear(u32),
    /// True if the thread bits under `mask` are not equal to `first`. With 32 lanes in a warp, `mask = 31, first = 0`
    /// is the condition "not lane 0".
    Differs {
        /// Mask of the compared thread bits.
        mask: u32,
        /// Value of the compared bits in the threads for which the condition is false.
        first: u32,
    },
}

impl Predicate {
    /// Returns the condition that bit `bit` of the thread number is set.
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

/// A map from a thread to its source lane: the lane of the same warp from which the thread reads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LaneMap {
    /// A linear map. Column `i` is the contribution (exclusive or) of bit `i` of the thread number to the source lane.
    /// Most maps have one column per lane bit, and some maps also have columns for warp bits.
    Linear(Vec<u32>),
    /// The source lane is the thread's own lane, in which the bits under `mask` are replaced by `bits`. All lanes
    /// that differ only in the bits under `mask` read from the same lane, as in a broadcast.
    Fixed {
        /// Mask of the replaced lane bits.
        mask: u32,
        /// New value of the replaced bits.
        bits: u32,
    },
    /// The previous lane: the lane bits under `mask` form a number, which is decremented. The lane with number 0
    /// reads from the lane with the highest number.
    Before {
        /// Mask of the lane bits that form the number to decrement.
        mask: u32,
    },
    /// The next lane: the lane bits under `mask` form a number, which is incremented. The lane with the highest
    /// number reads from the lane with number 0.
    After {
        /// Mask of the lane bits that form the number to increment.
        mask: u32,
    },
}

impl LaneMap {
    /// Returns the source lane of a thread. The caller must XOR the result with the `lane_xor` of the shuffle step.
    pub(crate) fn apply(&self, thread: u32, lanes_log2: u32) -> u32 {
        let lane = thread & ((1 << lanes_log2) - 1);
        match *self {
            Self::Linear(ref columns) => crate::plan::gf2::apply_u32(columns, thread),
            Self::Fixed { mask, bits } => lane & !mask | bits,
            // Bits outside the mask are clear or set, so that borrows and carries pass through these bits.
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
    /// The scratch memory of the program in the shared memory of any CTA of the cluster. In such an address, the
    /// bits from [`Address::CTA_SHIFT`] on contain the rank of the CTA.
    Cluster,
    /// A buffer that is an argument of the program.
    Buffer,
}

/// The thread-dependent term of an address: a linear map from the thread number to a byte offset.
///
/// With `columns = [16, 32, 64]`, the byte offset of thread 5 is 16 ^ 64 = 80.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressBase {
    /// Column `i` is XORed into the byte offset if bit `i` of the thread number is set. Here, the thread number
    /// consists of the lane bits, followed by the warp bits, followed by the bits of the CTA's rank in its cluster.
    pub columns: Vec<u32>,
    /// Number of bytes from the start of the memory to the byte that has offset 0.
    pub start: u32,
    /// Memory to which the address refers.
    pub space: MemorySpace,
    /// Paddings of the memory. The sizes of all paddings before a byte are added to its offset, and then `start` is
    /// added.
    pub gaps: Vec<Padding>,
    /// Mask of the offset bits to which [`Address::numbers`] may contribute.
    pub number_bits: u32,
}

impl AddressBase {
    /// Returns the byte offset of `thread`: the exclusive or of `columns[i]` for all bits `i` that are set in
    /// `thread`.
    pub(crate) fn apply(&self, thread: u32) -> u32 {
        crate::plan::gf2::apply_u32(&self.columns, thread)
    }

    /// Returns the sum of an offset and all paddings before that offset.
    pub(crate) fn padded(&self, offset: u32) -> u32 {
        narrow::<u32>(padded(&self.gaps, offset.into()))
    }

    /// Returns the mask of the bits that are set in the byte offset of at least one thread.
    #[must_use]
    pub fn possible_bits(&self) -> u32 {
        self.columns.iter().fold(0, |a, c| a | c)
    }
}

/// The address of an access, in bytes: `start + padded(base(thread) ^ xor ^ numbers) + add`, where `start`,
/// `padded` and `base` are those of the [`AddressBase`].
///
/// No bit of `add` is set in any other term, so `add` can be an immediate offset of the instruction. Many accesses
/// share a value of `xor`, and the exclusive or with this value is computed once for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Index into [`super::Program::address_bases`].
    pub base: u32,
    /// Constant that is XORed with the thread's byte offset. The two may have bits in common.
    pub xor: u32,
    /// Constant that is added last. Its bits are not set in any other term.
    pub add: u32,
    /// Run-time numbers to XOR with the thread's byte offset. Examples are the start of a view, and the
    /// contribution of a run-time index.
    pub numbers: Operands,
}

impl Address {
    /// Index of the lowest bit of the CTA's rank in an address of [`MemorySpace::Cluster`]. The bits below contain
    /// the offset, since no CTA has 2^20 bytes of shared memory.
    pub const CTA_SHIFT: u32 = 20;
}

/// The set of threads that a barrier synchronises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierScope {
    /// The lanes of one warp (`bar.warp.sync`; on AMD, a wait for the memory operations of the same wave).
    Warp,
    /// All threads of the block.
    Block,
    /// All threads of the cluster.
    Cluster,
}

/// A word that contains scales, and the selector with which an instruction chooses scales in this word. See
/// [`crate::target::ScaleBit::Selected`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScaleWord {
    /// Word that contains one to four scales.
    pub word: ValueId,
    /// Selector with which the instruction chooses scales in the word.
    pub selector: u32,
}

/// One operation of a program. All threads of the block execute it or, if the program runs on a cluster, all
/// threads of the cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Packs values into one result. The first value takes the lowest bits. The result is either a word that
    /// contains 1 to 4 narrow elements (the remaining bits are undefined), or a 64-bit element that consists of two
    /// words.
    Pack {
        /// Resulting word or 64-bit element.
        out: ValueId,
        /// Values to pack, lowest bits first.
        parts: Operands,
    },
    /// Unpacks a word or a 64-bit element: the inverse of [`Step::Pack`]. Defines `count` values, lowest bits first:
    /// the first `count` narrow elements of a word, or the two words of a 64-bit element.
    Unpack {
        /// First value that the step defines. The other values have the next indices.
        first: ValueId,
        /// Number of values that the step defines.
        count: u32,
        /// Word or 64-bit element to unpack.
        value: ValueId,
    },
    /// Selects one of two values of the same type, according to a predicate on the thread number.
    Select {
        /// Value that the step defines.
        out: ValueId,
        /// Index into [`super::Program::predicates`].
        predicate: u32,
        /// Result in threads for which the predicate is true.
        if_set: ValueId,
        /// Result in threads for which the predicate is false.
        if_clear: ValueId,
    },
    /// Evaluates an index map for the lane, the warp and the run-time values `inputs`, in this order. Defines one
    /// word, which is a number, for each output of the map.
    Compute {
        /// First value that the step defines. The other values have the next indices.
        first: ValueId,
        /// Number of values that the step defines.
        count: u32,
        /// Index into [`super::Program::index_maps`].
        map: u32,
        /// Run-time inputs of the map: numbers, or elements that serve as numbers.
        inputs: Operands,
    },
    /// Selects one of two values of the same type, according to one bit of a run-time number.
    SelectBit {
        /// Value that the step defines.
        out: ValueId,
        /// Run-time number whose bit is tested.
        number: ValueId,
        /// Index of the tested bit.
        bit: u32,
        /// Result if the bit is set.
        if_set: ValueId,
        /// Result if the bit is clear.
        if_clear: ValueId,
    },
    /// Reads a word from lane `lane ^ lane_xor` of the same warp, where `lane` is a run-time number that each
    /// reading lane supplies.
    ShuffleAt {
        /// Word that the thread receives.
        out: ValueId,
        /// Word that each lane provides to the lanes that read from it.
        value: ValueId,
        /// Run-time number that determines the source lane: the source lane is the exclusive or of this number and
        /// `lane_xor`.
        lane: ValueId,
        /// Constant to XOR with `lane`.
        lane_xor: u32,
    },
    /// Defines the number 0, the initial value of a count.
    Zero {
        /// Value that the step defines.
        out: ValueId,
    },
    /// Defines the number 1, which is added to a count for each counted element.
    One {
        /// Value that the step defines.
        out: ValueId,
        /// Element for which the number 1 is added to a count. The defined value has the type of this element.
        of: ValueId,
    },
    /// Atomically adds `value` to a 4-byte number in shared memory.
    AtomicAdd {
        /// Shared-memory address of the number to which `value` is added.
        address: Address,
        /// Number that is added.
        value: ValueId,
        /// Run-time condition of the addition: a thread adds only if this number is not 0. If `None`, the addition
        /// has no such condition.
        mask: Option<ValueId>,
        /// Index into [`super::Program::predicates`]. Only threads for which the predicate is true add; if `None`, all
        /// threads add.
        guard: Option<u32>,
    },
    /// Counts elements with ballots: for each bin that it owns, a lane counts the lanes of the warp whose element
    /// falls in this bin. Defines one number for each bin that a lane owns.
    CountVotes {
        /// First value that the step defines. The other values have the next indices.
        first: ValueId,
        /// Number of values that the step defines.
        count: u32,
        /// Index into [`super::Program::votes`].
        vote: u32,
        /// Number of the bin into which the lane's element falls.
        bin: ValueId,
        /// Condition of counting: an element is counted only if this number is not 0. If `None`, all elements are
        /// counted.
        mask: Option<ValueId>,
        /// Numbers to which the counts are added: one number for each result, or an empty list.
        acc: Operands,
    },
    /// Reads a word from lane `lane ^ lane_mask` of the same warp, where `lane` is the reading lane.
    ShuffleXor {
        /// Word that the thread receives.
        out: ValueId,
        /// Word that each lane provides to the lanes that read from it.
        value: ValueId,
        /// Constant that is XORed with the number of the reading lane.
        lane_mask: u32,
    },
    /// Reads a word from lane `map(thread) ^ lane_xor` of the same warp, where `thread` is the reading thread.
    ShuffleIndex {
        /// Word that the thread receives.
        out: ValueId,
        /// Word that each lane provides to the lanes that read from it.
        value: ValueId,
        /// Index into [`super::Program::lane_maps`].
        map: u32,
        /// Constant to XOR with the result of the lane map.
        lane_xor: u32,
    },
    /// Swaps words between pairs of lanes that differ only in bit `lane_bit`. In each pair, the lane in which the
    /// bit is set exchanges its word `low` for the word `high` of the lane in which the bit is clear. Defines two
    /// words, the new `low` and the new `high`. The instruction is `v_permlane16_swap` for bit 4, and
    /// `v_permlane32_swap` for bit 5.
    SwapLanes {
        /// First value that the step defines: the new `low` word. The next value is the new `high` word.
        first: ValueId,
        /// Word that a lane sends if bit `lane_bit` of its lane number is set.
        low: ValueId,
        /// Word that a lane sends if bit `lane_bit` of its lane number is clear.
        high: ValueId,
        /// Index of the lane bit in which the two lanes of a pair differ: 4 or 5.
        lane_bit: u32,
    },
    /// Writes adjacent values to shared memory, as one access of up to 16 bytes.
    Store {
        /// Address of the first byte to write.
        address: Address,
        /// Elements or words to write, lowest address first. The length is a power of two.
        values: Operands,
        /// Index into [`super::Program::predicates`]. Only threads for which the predicate is true store; if `None`,
        /// all threads store.
        guard: Option<u32>,
    },
    /// Reads `count` adjacent values from shared memory, as one access of up to 16 bytes.
    Load {
        /// Address of the first byte to read.
        address: Address,
        /// First value that the step defines. The other values have the next indices.
        first: ValueId,
        /// Number of values that the step reads and defines, which is a power of two.
        count: u32,
        /// True if the results are words; false if they are elements.
        words: bool,
    },
    /// Writes matrices to shared memory (`stmatrix`). The fragment defines which lane holds which elements of a
    /// matrix.
    StoreMatrices {
        /// Address that a lane supplies, which is the address of one matrix row. If a matrix has `n` rows, lane
        /// `m * n + r` supplies the address of row `r` of matrix `m`.
        address: Address,
        /// Values to write: 1, 2 or 4 words or 32-bit elements.
        values: Operands,
        /// Distribution of each matrix over lanes and registers.
        fragment: Fragment,
    },
    /// Reads matrices from shared memory (`ldmatrix`, `ds_read_tr`). The fragment defines which lane receives which
    /// elements of a matrix.
    LoadMatrices {
        /// Address that a lane supplies, which is the address of one matrix row, as in [`Step::StoreMatrices`].
        address: Address,
        /// First value that the step defines. The values are words or 32-bit elements.
        first: ValueId,
        /// Number of values that the step defines: 1, 2 or 4.
        count: u32,
        /// Distribution of each matrix over lanes and registers.
        fragment: Fragment,
    },
    /// Transposes a matrix of 8 x 8 elements of 16 bits (`movmatrix`). Lane `l` holds the elements in row `l / 4` and
    /// columns `2 * (l % 4)` and `2 * (l % 4) + 1`.
    TransposeMatrix {
        /// The word that each lane receives, which is a part of the transposed matrix.
        out: ValueId,
        /// The word that each lane provides, which is a part of the matrix to transpose.
        value: ValueId,
    },
    /// Applies the combiner, which is the region of the reduction or the scan that the program implements. A step
    /// combines one element of each operand. If `is_packed` is true, there is only one operand, and one packed
    /// instruction combines two adjacent elements of it. Defines as many values as `acc` contains.
    Combine {
        /// First value that the step defines. The other values have the next indices.
        first: ValueId,
        /// Left-hand operands of the combiner: the accumulated values, or the earlier values of a scan.
        acc: Operands,
        /// Right-hand operands of the combiner, one for each value in `acc`.
        other: Operands,
        /// True if one packed instruction combines two elements of the only operand.
        is_packed: bool,
    },
    /// Combines the elements of all lanes of the warp with one instruction. All lanes receive the result.
    ReduceLanes {
        /// Value that the step defines.
        out: ValueId,
        /// Element that each lane provides.
        value: ValueId,
        /// Mask of lane bits. Lanes that differ only in these bits hold replicas of the same element. The mask is
        /// nonzero only for an idempotent combiner, because with such a combiner replicas do not change the result.
        copies: u32,
    },
    /// Multiplies A and B with one warp-wide instruction, and adds the product to `acc`. Defines as many values as
    /// `acc` contains.
    Mma {
        /// First value that the step defines. The other values have the next indices.
        first: ValueId,
        /// Accumulator registers, which are elements or words.
        acc: Operands,
        /// Registers of the operand A.
        a: Operands,
        /// Registers of the operand B.
        b: Operands,
        /// Scale words of A and of B, in this order. An entry is `None` if the operand has no scales.
        scales: [Option<ScaleWord>; 2],
        /// Index into [`super::Program::rows`].
        row: u32,
    },
    /// Barrier: orders all earlier stores and loads of the threads in scope before all their later stores and loads.
    Barrier(BarrierScope),
}

impl Step {
    /// Returns the name of the step's kind, which is used in statistics. All kinds of shuffles share the name
    /// `shuffle`.
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
        // The lanes count in bits 1 and 3: 0, 2, 8, 10.
        assert_eq!(LaneMap::Before { mask: 0b1010 }.apply(0b1000, 5), 0b0010);
        assert_eq!(LaneMap::After { mask: 0b1010 }.apply(0b0011, 5), 0b1001);
        assert_eq!(LaneMap::Fixed { mask: 3, bits: 1 }.apply(7, 5), 5);
        assert_eq!(LaneMap::Linear(vec![2, 1]).apply(1, 5), 2);
    }
}
