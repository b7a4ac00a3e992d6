//! Programs over tuples: how the threads of a block combine elements of several operands.
//!
//! The operands of a reduction or a scan are combined together, so what goes from step to step is a *tuple*: one
//! element of each operand. A [`TupleProgram`] is straight-line code on tuples that all threads run:
//!
//! ```text
//! combine    v2 = region(v0, v1)              what the region does, only the lowering knows
//! exchange   v2, v3 = v0, v1 of lane ^ 4      both lanes give and take
//! reduce     v1 = v0 of all lanes combined    by one instruction, where the region is one that a GPU knows
//! fetch      v1 = v0 of lane 3 of each four   one lane gives, others take
//! select     v2 = lane & 4 ? v0 : v1
//! convert    v2, v3 = v0, v1 in another layout, each operand by a conversion's plan
//! ```
//!
//! [`super::reduce`] and [`super::scan`] decide the steps; the machine runs them on what elements stand for
//! ([`crate::machine::check_reduction`], [`crate::machine::check_scan`]).

mod build;
mod coordinates;
mod cost;
mod error;
mod room;
mod text;

use super::{ConvertPlan, Cost, Program, ValueId};
use crate::layout::LinearLayout;

pub(super) use build::{Combining, TupleBuilder};
pub(super) use coordinates::Coordinates;
pub use error::TupleError;
pub(super) use room::{Room, plan_in_room, rank};

/// A condition on the thread: holds where the bits of `mask` in the thread number are not `first`.
///
/// `mask = 4, first = 0` is "lane bit 2 is set"; `mask = 31, first = 0` is "not lane 0 of a warp of 32".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// Bits of the thread number (`lane + (warp << lanes_log2)`).
    pub mask: u32,
    /// What they are where the condition does not hold.
    pub first: u32,
}

impl Condition {
    /// Returns the condition that a bit of the thread number is set.
    #[must_use]
    pub const fn is_set(bit: usize) -> Self {
        Self {
            mask: 1 << bit,
            first: 0,
        }
    }

    /// Says whether the condition holds in a thread.
    #[must_use]
    pub const fn holds(self, thread: u32) -> bool {
        thread & self.mask != self.first
    }
}

/// Which lane of its warp each lane takes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaneSource {
    /// The lane with the bits of `mask` set to `bits`, which all that differ in these bits take from.
    Fixed {
        /// The bits of the lane that are replaced.
        mask: u32,
        /// What they are replaced by.
        bits: u32,
    },
    /// The lane before in the order of the mask's bits; the first takes from the last.
    Before {
        /// The bits of the lane that are counted down.
        mask: u32,
    },
    /// The lane after in the order of the mask's bits; the last takes from the first.
    After {
        /// The bits of the lane that are counted up.
        mask: u32,
    },
}

impl LaneSource {
    /// Returns the lane that a lane takes from.
    ///
    /// ```
    /// use linear_layout::plan::tuples::LaneSource;
    /// // Lanes count in bits 1 and 3: 0, 2, 8, 10.
    /// assert_eq!(LaneSource::Before { mask: 0b1010 }.of(0b1000), 0b0010);
    /// assert_eq!(LaneSource::After { mask: 0b1010 }.of(0b0011), 0b1001);
    /// assert_eq!(LaneSource::Fixed { mask: 3, bits: 1 }.of(7), 5);
    /// ```
    #[must_use]
    pub const fn of(self, lane: u32) -> u32 {
        match self {
            Self::Fixed { mask, bits } => lane & !mask | bits,
            // Other bits are clear or full, so that what is borrowed or carried runs through them.
            Self::Before { mask } => (lane & mask).wrapping_sub(1) & mask | lane & !mask,
            Self::After { mask } => (lane | !mask).wrapping_add(1) & mask | lane & !mask,
        }
    }
}

/// What the region is to a GPU that combines all lanes of a warp by one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaneReduction {
    /// Whether elements may be combined with copies of themselves.
    pub is_idempotent: bool,
}

/// One operation of a program, executed by all threads of the block, on tuples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TupleStep {
    /// Combines two tuples.
    Combine {
        /// The tuple made.
        out: ValueId,
        /// What the region takes first: what has been combined so far, or what comes earlier.
        acc: ValueId,
        /// What it takes second.
        other: ValueId,
    },
    /// Tuples of lane `lane ^ lane_mask` of the same warp; defines as many as it is given.
    Exchange {
        /// The first tuple received.
        first: ValueId,
        /// The tuples that each lane offers.
        values: Vec<ValueId>,
        /// The lane bits flipped.
        lane_mask: u32,
    },
    /// Tuples of another lane of the same warp; defines as many as it is given.
    Fetch {
        /// The first tuple received.
        first: ValueId,
        /// The tuples that each lane offers.
        values: Vec<ValueId>,
        /// Which lane.
        source: LaneSource,
    },
    /// Tuples combined over all lanes of the warp, which all get what comes of it; defines as many as it is given.
    ReduceLanes {
        /// The first tuple made.
        first: ValueId,
        /// The tuples that each lane gives.
        values: Vec<ValueId>,
        /// Lanes that differ in these bits alone hold copies, which the operation does not mind.
        copies: u32,
    },
    /// One of two tuples, by a condition on the thread.
    Select {
        /// The tuple made.
        out: ValueId,
        /// The condition.
        condition: Condition,
        /// The tuple where it holds.
        if_set: ValueId,
        /// The tuple where it does not.
        if_clear: ValueId,
    },
    /// Brings tuples into another layout, each operand by a plan of its own.
    Convert {
        /// The first tuple made, of the unique registers of the new layout.
        first: ValueId,
        /// The unique registers of the old layout.
        values: Vec<ValueId>,
        /// Which of [`TupleProgram::conversions`].
        conversion: usize,
    },
}

/// A change of layout in the middle of a program.
///
/// # Shape
/// Both layouts: (register, lane, warp, block) -> the dims without the axis, then what is left of the axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// The layout before.
    pub from: LinearLayout,
    /// The layout after.
    pub to: LinearLayout,
    /// How each operand goes.
    pub plans: Vec<ConvertPlan>,
    /// Where each operand's scratch memory begins in that of the program, in bytes.
    pub offsets: Vec<u32>,
}

/// Which conversions of a program use the same bytes of shared memory, with a barrier between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turns {
    /// None: each operand of each conversion has bytes of its own.
    None,
    /// One conversion after the other, the operands of each apart.
    Conversions,
    /// One operand of a conversion after the other.
    Operands,
}

/// Straight-line code on the tuples of every thread of a block.
///
/// # Shape
/// `num_sources()` tuples in (unique source registers), `results().len()` out (unique result registers, or one
/// scalar), for every thread of the block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TupleProgram {
    num_sources: u32,
    num_values: u32,
    steps: Vec<TupleStep>,
    conversions: Vec<Conversion>,
    results: Vec<ValueId>,
    scratch_bytes: u32,
    turns: Turns,
    cost: Cost,
}

impl TupleProgram {
    /// Returns how many source tuples there are: values `0..num_sources`.
    #[must_use]
    pub const fn num_sources(&self) -> usize {
        self.num_sources as usize
    }

    /// Returns how many values there are in all, for a table indexed by [`ValueId::index`].
    #[must_use]
    pub const fn num_values(&self) -> usize {
        self.num_values as usize
    }

    /// Returns the steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[TupleStep] {
        &self.steps
    }

    /// Returns the changes of layout that steps refer to.
    #[must_use]
    pub fn conversions(&self) -> &[Conversion] {
        &self.conversions
    }

    /// Returns the value of each unique result register, in register order.
    #[must_use]
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// Returns the bytes of shared memory needed; 0 where none is used.
    ///
    /// As for [`scratch_bytes`](super::Program::scratch_bytes) of a program: the bytes must be free when it starts, and the last step
    /// may read them.
    #[must_use]
    pub const fn scratch_bytes(&self) -> u32 {
        self.scratch_bytes
    }

    /// Returns which conversions use the same bytes: a barrier must come before each that uses any, but the first.
    #[must_use]
    pub const fn turns(&self) -> Turns {
        self.turns
    }

    /// Returns how often everybody in the block waits for everybody.
    #[must_use]
    pub fn num_barriers(&self) -> usize {
        let mut count = 0;
        let mut is_used = false;
        for conversion in &self.conversions {
            let programs = conversion.plans.iter().map(ConvertPlan::program);
            let users = programs.clone().filter(|p| p.scratch_bytes() > 0).count();
            let turns = match self.turns {
                Turns::None => 0,
                Turns::Conversions => users.min(1),
                Turns::Operands => users,
            };
            let first = usize::from(turns > 0 && !std::mem::replace(&mut is_used, true));
            let own = programs.map(Program::num_barriers);
            count += turns - first;
            count += match self.turns {
                Turns::Operands => own.sum(),
                // Operands wait together.
                Turns::None | Turns::Conversions => own.max().unwrap_or(0),
            };
        }
        count
    }

    /// Returns what the program costs by the target's model.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }
}

#[cfg(test)]
impl TupleProgram {
    /// The program with its steps changed, to see that the machine notices.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Vec<TupleStep>)) -> Self {
        let mut program = self.clone();
        edit(&mut program.steps);
        program
    }
}
