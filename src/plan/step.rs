//! The data of a plan: values, steps, addresses.
//!
//! # Values
//! A plan is in single-assignment form. Values `0..num_sources` are the unique register elements of the source
//! (zero register bases removed, in register order); each step defines consecutive new ones. There are two
//! sorts, told by the step that makes them:
//! - an **element** has the tensor's element type (64-bit ones stay whole);
//! - a **word** is an `i32` that carries several narrow elements, or half of a 64-bit one.
//!
//! 32-bit elements are never packed: shuffles, selects and permutes take them as they are (bit-cast where the
//! instruction wants an `i32`). Elements narrower than 8 bits are widened to a byte (`zext`) by
//! [`Step::Pack`] and [`Step::Store`], and narrowed by [`Step::Unpack`] and [`Step::Load`].
//!
//! # Threads
//! A thread number is `lane + (warp << lanes_log2)`; masks and address columns speak of its bits.

use core::fmt;

use super::cost::Cost;
use crate::layout::Dim;

/// A value of a plan: an index into the single-assignment values.
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

/// A list of values in the plan's operand pool; read it with [`ConvertPlan::operands`].
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
        super::gf2::apply_u32(&self.columns, thread)
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
        super::gf2::apply_u32(&self.columns, thread)
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
    /// Which of [`ConvertPlan::address_bases`].
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

/// One operation of a plan, executed by all threads of the block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
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
        /// Which of [`ConvertPlan::predicates`].
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
        /// Which of [`ConvertPlan::lane_maps`].
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
            Self::Barrier(BarrierScope::Warp) => "warp barrier",
            Self::Barrier(BarrierScope::Block) => "block barrier",
        }
    }
}

/// A way to carry out a conversion that a caller can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Strategy {
    /// No data leaves its thread: renames and selects.
    Local,
    /// Lane exchanges inside a warp.
    Shuffle,
    /// Everything through shared memory.
    Shared,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "local",
            Self::Shuffle => "shuffle",
            Self::Shared => "shared",
        })
    }
}

/// What a plan does, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PlanKind {
    /// No step at all: results are source values.
    Rename,
    /// Selects only; no data leaves its thread.
    Select,
    /// Lane exchanges inside a warp.
    Shuffle,
    /// Through shared memory.
    Shared,
    /// Part of the registers by lane exchanges, part through shared memory.
    Mixed,
}

impl fmt::Display for PlanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rename => "rename",
            Self::Select => "select",
            Self::Shuffle => "shuffle",
            Self::Shared => "shared",
            Self::Mixed => "mixed",
        })
    }
}

/// Why a plan is as it is: what had to move, and what the other strategies would have cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reason {
    /// The input dims that the minimal conversion touches, as in Triton: empty when nothing moves.
    pub moves: Vec<Dim>,
    /// Each strategy that was planned, with its cost, cheapest first; the first is this plan.
    pub considered: Vec<(PlanKind, Cost)>,
    /// Register bits exchanged with lane bits, where the plan works inside a warp.
    pub exchanged_bits: u32,
    /// The bytes of one vectorised store and load, where shared memory is used; 0 where not.
    pub store_bytes: u32,
    /// See `store_bytes`.
    pub load_bytes: u32,
    /// In how many rounds the scratch buffer is filled and read.
    pub repetitions: u32,
}

/// How a conversion is carried out.
///
/// # Shape
/// `num_sources()` values in (unique source registers), `results().len()` values out (unique destination
/// registers), for every thread of the block.
/// # Laws
/// Run on the names of the elements, every result register holds the name that the destination layout says
/// (property `plans_are_right`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertPlan {
    pub(super) kind: PlanKind,
    pub(super) elem_bits: u32,
    pub(super) lanes_log2: u32,
    pub(super) warps_log2: u32,
    pub(super) num_sources: u32,
    /// Per value: is it a word?
    pub(super) words: Vec<bool>,
    pub(super) steps: Vec<Step>,
    pub(super) operands: Vec<ValueId>,
    pub(super) predicates: Vec<Predicate>,
    pub(super) lane_maps: Vec<LaneMap>,
    pub(super) address_bases: Vec<AddressBase>,
    pub(super) results: Vec<ValueId>,
    pub(super) scratch_bytes: u32,
    pub(super) cost: Cost,
    pub(super) reason: Reason,
}

impl ConvertPlan {
    /// What the plan does, in one word.
    #[must_use]
    pub const fn kind(&self) -> PlanKind {
        self.kind
    }

    /// The width of an element as the caller gave it.
    #[must_use]
    pub const fn elem_bits(&self) -> u32 {
        self.elem_bits
    }

    /// The width an element takes in words and in shared memory: at least 8 bits.
    #[must_use]
    pub const fn container_bits(&self) -> u32 {
        if self.elem_bits < 8 {
            8
        } else {
            self.elem_bits
        }
    }

    /// log2 of the lanes of a warp.
    #[must_use]
    pub const fn lanes_log2(&self) -> u32 {
        self.lanes_log2
    }

    /// log2 of the warps of the block.
    #[must_use]
    pub const fn warps_log2(&self) -> u32 {
        self.warps_log2
    }

    /// How many source values there are: values `0..num_sources`.
    #[must_use]
    pub const fn num_sources(&self) -> usize {
        self.num_sources as usize
    }

    /// How many values there are in all, for a table indexed by [`ValueId::index`].
    #[must_use]
    pub fn num_values(&self) -> usize {
        self.words.len()
    }

    /// The steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The values of an operand list.
    #[must_use]
    pub fn operands(&self, list: Operands) -> &[ValueId] {
        &self.operands[list.start as usize..(list.start + list.len) as usize]
    }

    /// The conditions that steps refer to.
    #[must_use]
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// The lane maps that [`Step::ShuffleIndex`] refers to.
    #[must_use]
    pub fn lane_maps(&self) -> &[LaneMap] {
        &self.lane_maps
    }

    /// The run-time parts of addresses.
    #[must_use]
    pub fn address_bases(&self) -> &[AddressBase] {
        &self.address_bases
    }

    /// The value of each unique destination register, in register order.
    #[must_use]
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// Bytes of shared memory needed, aligned to 128; 0 where none is used.
    ///
    /// The buffer must be free when the plan starts: whoever used it before is separated by a barrier that
    /// the caller puts there. The last step may be a load, so the next user needs one too.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u32 {
        self.scratch_bytes
    }

    /// What the plan costs by the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    /// Why the plan is as it is.
    #[must_use]
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Says whether the results are the source values, each in its place.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
            && self.results.len() == self.num_sources()
            && self.results.iter().zip(0..).all(|(v, i)| v.0 == i)
    }
}

impl fmt::Display for ConvertPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} -> {} registers of {} bits, {} lanes, {} warps, {} bytes of shared memory, {}",
            self.kind,
            self.num_sources,
            self.results.len(),
            self.elem_bits,
            1u32 << self.lanes_log2,
            1u32 << self.warps_log2,
            self.scratch_bytes,
            self.cost,
        )?;
        let moves: Vec<_> = self.reason.moves.iter().map(|d| d.name()).collect();
        match moves.as_slice() {
            [] => writeln!(f, "  nothing moves")?,
            dims => writeln!(f, "  moves: {}", dims.join(", "))?,
        }
        for (kind, cost) in self.reason.considered.iter().skip(1) {
            writeln!(f, "  instead of {kind}: {cost}")?;
        }
        for (i, base) in self.address_bases.iter().enumerate() {
            writeln!(f, "  address {i}: thread bits -> bytes {:?}", base.columns)?;
        }
        for (i, map) in self.lane_maps.iter().enumerate() {
            writeln!(f, "  lanes {i}: lane bits -> lane {:?}", map.columns)?;
        }
        for step in &self.steps {
            write!(f, "  ")?;
            self.fmt_step(f, step)?;
            writeln!(f)?;
        }
        write!(f, "  results")?;
        // A renaming is easier to read as runs: %0..%7.
        let mut i = 0;
        while i < self.results.len() {
            let start = self.results[i];
            let mut n = 1;
            while i + n < self.results.len() && self.results[i + n].0 as usize == start.index() + n
            {
                n += 1;
            }
            match n {
                1 => write!(f, " {start}")?,
                _ => write!(f, " {start}..%{}", start.index() + n - 1)?,
            }
            i += n;
        }
        writeln!(f)
    }
}

impl ConvertPlan {
    fn fmt_list(&self, f: &mut fmt::Formatter<'_>, list: Operands) -> fmt::Result {
        for (i, v) in self.operands(list).iter().enumerate() {
            write!(f, "{}{v}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }

    fn fmt_address(f: &mut fmt::Formatter<'_>, a: &Address) -> fmt::Result {
        match (a.xor, a.add) {
            (0, 0) => write!(f, "[address {}]", a.base),
            (0, add) => write!(f, "[address {} + {add}]", a.base),
            (xor, 0) => write!(f, "[address {} ^ {xor}]", a.base),
            (xor, add) => write!(f, "[(address {} ^ {xor}) + {add}]", a.base),
        }
    }

    fn fmt_predicate(&self, f: &mut fmt::Formatter<'_>, index: u32) -> fmt::Result {
        let mask = self.predicates[index as usize].thread_mask;
        let lanes = (1u32 << self.lanes_log2) - 1;
        let mut first = true;
        for (name, bits) in [("lane", mask & lanes), ("warp", mask >> self.lanes_log2)] {
            if bits != 0 {
                write!(f, "{}{name} & {bits}", if first { "" } else { " ^ " })?;
                first = false;
            }
        }
        Ok(())
    }

    fn fmt_step(&self, f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
        match *step {
            Step::Pack { out, parts } => {
                write!(f, "{out} = pack ")?;
                self.fmt_list(f, parts)
            }
            Step::Unpack {
                first,
                count,
                value,
            } => {
                write!(f, "{first}..%{} = unpack {value}", first.0 + count - 1)
            }
            Step::Select {
                out,
                predicate,
                if_set,
                if_clear,
            } => {
                write!(f, "{out} = select ")?;
                self.fmt_predicate(f, predicate)?;
                write!(f, " ? {if_set} : {if_clear}")
            }
            Step::ShuffleXor {
                out,
                value,
                lane_mask,
            } => {
                write!(f, "{out} = shuffle {value} from lane ^ {lane_mask}")
            }
            Step::ShuffleIndex {
                out,
                value,
                map,
                lane_xor: 0,
            } => {
                write!(f, "{out} = shuffle {value} from lanes {map}")
            }
            Step::ShuffleIndex {
                out,
                value,
                map,
                lane_xor,
            } => {
                write!(f, "{out} = shuffle {value} from lanes {map} ^ {lane_xor}")
            }
            Step::SwapLanes {
                first,
                low,
                high,
                lane_bit,
            } => {
                write!(
                    f,
                    "{first}, %{} = swap lane bit {lane_bit} of {low}, {high}",
                    first.0 + 1
                )
            }
            Step::Store { address, values } => {
                write!(f, "store ")?;
                Self::fmt_address(f, &address)?;
                write!(f, " = ")?;
                self.fmt_list(f, values)
            }
            Step::Load {
                address,
                first,
                count,
                words,
            } => {
                match count {
                    1 => write!(f, "{first} = load ")?,
                    _ => write!(f, "{first}..%{} = load ", first.0 + count - 1)?,
                }
                Self::fmt_address(f, &address)?;
                write!(f, "{}", if words { " (words)" } else { "" })
            }
            Step::Barrier(BarrierScope::Warp) => write!(f, "barrier warp"),
            Step::Barrier(BarrierScope::Block) => write!(f, "barrier block"),
        }
    }
}

impl ConvertPlan {
    /// Says whether a value is a word: an `i32` that carries narrow elements or half of a 64-bit one.
    #[must_use]
    pub fn is_word(&self, value: ValueId) -> bool {
        self.words[value.index()]
    }

    /// Bytes that a value takes in shared memory.
    #[must_use]
    pub fn value_bytes(&self, value: ValueId) -> u32 {
        if self.is_word(value) {
            4
        } else {
            self.container_bits() / 8
        }
    }
}

#[cfg(test)]
impl ConvertPlan {
    /// The plan with its steps changed, to see that the machine notices.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<Step>)) -> Self {
        let mut plan = self.clone();
        edit(&mut plan.steps);
        plan
    }
}
