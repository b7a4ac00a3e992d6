//! The data of a program: values, steps, addresses.

use core::fmt;

use crate::target::Fragment;

/// A value of a program: an index into the single-assignment values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// The value as an index of a table of values.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The value `by` places further on, for steps that define several.
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operands {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Operands {
    /// How many values the list holds.
    #[must_use]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Says whether the list holds nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A condition on the thread: set where an odd number of the mask's bits are set in the thread number.
///
/// Usually the mask is one bit of the lane: `thread_mask = 4` is "lane bit 2 is set".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Predicate {
    /// Bits of the thread number (`lane + (warp << lanes_log2)`).
    pub thread_mask: u32,
}

impl Predicate {
    /// The condition's value in one thread.
    #[must_use]
    pub const fn holds(self, thread: u32) -> bool {
        (self.thread_mask & thread).count_ones() & 1 == 1
    }
}

/// A linear map from a thread to the lane it reads from; most have one column per lane bit, some go on with warp bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LaneMap {
    /// Column `i`: what bit `i` of the thread number adds (exclusive or) to the source lane.
    pub columns: Vec<u32>,
}

impl LaneMap {
    /// The lane that a thread reads from, before the step's own exclusive or.
    #[must_use]
    pub fn apply(&self, thread: u32) -> u32 {
        crate::plan::gf2::apply_u32(&self.columns, thread)
    }
}

/// The run-time part of an address: a linear map from the thread number to a byte offset.
///
/// `columns = [16, 32, 64]` with three bits puts thread 5 at byte 16 ^ 64 = 80.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressBase {
    /// Column `i`: what thread bit `i` adds (exclusive or), in bytes. Lane bits first, then warp bits.
    pub columns: Vec<u32>,
}

impl AddressBase {
    /// The byte offset of one thread.
    #[must_use]
    pub fn apply(&self, thread: u32) -> u32 {
        crate::plan::gf2::apply_u32(&self.columns, thread)
    }

    /// Every bit that some thread may have set.
    #[must_use]
    pub fn possible_bits(&self) -> u32 {
        self.columns.iter().fold(0, |a, c| a | c)
    }
}

/// Where an access goes, in bytes from the scratch buffer: `(base(thread) ^ xor) + add`.
///
/// `add` only has bits that neither the base nor any `xor` of this base can have, so it is an immediate offset
/// of the instruction; `xor` is shared by many accesses, so its value is computed once for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Which of [`super::Program::address_bases`].
    pub base: u32,
    /// Constant bits that overlap those of the base.
    pub xor: u32,
    /// Constant bits that do not.
    pub add: u32,
}

/// Who waits at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierScope {
    /// The lanes of one warp (`bar.warp.sync`; on AMD a wait for the wave's own memory operations).
    Warp,
    /// All threads of the block.
    Block,
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
    /// Orders the stores and loads before it against those after it.
    Barrier(BarrierScope),
}

impl Step {
    /// What the step does, in a word or two, for counting: `shuffle` whatever the lanes.
    #[must_use]
    pub const fn sort(&self) -> &'static str {
        match self {
            Self::Pack { .. } => "pack",
            Self::Unpack { .. } => "unpack",
            Self::Select { .. } => "select",
            Self::ShuffleXor { .. } | Self::ShuffleIndex { .. } => "shuffle",
            Self::SwapLanes { .. } => "lane swap",
            Self::Store { .. } => "store",
            Self::Load { .. } => "load",
            Self::StoreMatrices { .. } => "matrix store",
            Self::LoadMatrices { .. } => "matrix load",
            Self::TransposeMatrix { .. } => "matrix transpose",
            Self::Barrier(BarrierScope::Warp) => "warp barrier",
            Self::Barrier(BarrierScope::Block) => "block barrier",
        }
    }
}
