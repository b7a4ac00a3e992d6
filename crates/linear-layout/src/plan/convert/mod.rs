//! Conversions between register layouts: every applicable strategy is planned, and the cheapest wins.
//!
//! [`plan_conversion`] sees two distributed layouts, an element width and a target, and answers with a
//! [`ConvertPlan`]: a [`Program`] from the unique registers of the source to those of the destination, and why it
//! is that one. The machine model runs the program on element names and proves that every register of the
//! destination ends with the element that its layout says. Nothing is decided after planning.
//!
//! ```text
//! source registers        steps                         results
//! %0 %1 %2 %3     ->      select, shuffle, store, ..    %8 %5 %9 %7     (one per unique destination register)
//! ```
//!
//! | [`PlanKind`] | when | data moves |
//! |---|---|---|
//! | `Rename` | each thread holds what it needs, in the same register for all threads | nowhere |
//! | `Select` | each thread holds what it needs, in a register that depends on the thread | nowhere |
//! | `Shuffle` | every element needed is somewhere in the same warp | between lanes |
//! | `Shared` | always | through swizzled shared memory |
//! | `Mixed` | inside a warp, registers fall into independent parts | some parts each way |
//!
//! Reading order: this file (what is asked and answered), `choice`, `sides` (both layouts in one coordinate
//! system), `local`, `transpose`, `shuffle`, `shared` with `swizzle`. Missing on purpose: movement between the blocks of a
//! cluster, which is answered by an error that says so.

mod choice;
mod error;
mod local;
mod plain;
mod shared;
mod shuffle;
mod sides;
mod swizzle;
mod transpose;

pub use choice::plan_conversion;
pub use error::PlanError;
pub use plain::{Plain, plain_conversion};

use core::fmt;

use super::program::{Cost, Program};
use crate::layout::Dim;

/// The options of [`plan_conversion`].
///
/// ```
/// use linear_layout::plan::{PlanOptions, Strategy};
/// let options = PlanOptions::new().with_scratch_limit(2048).with_strategy(Strategy::Shared);
/// assert_eq!(options.scratch_limit, Some(2048));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PlanOptions {
    /// The most bytes of shared memory the plan may use.
    ///
    /// Effect: a conversion that needs more is cut into repetitions, each with its own barriers, or carried
    /// out by shuffles. Change it when other buffers need the room. Cost: two barriers per repetition at
    /// worst. Default: the target's limit. It misleads when set just below a power of two: 4095 halves the
    /// tile of a plan that needs 4096.
    pub scratch_limit: Option<u32>,
    /// Carry the conversion out this way or fail.
    ///
    /// Effect: no other strategy is considered; `force_warp_shuffle` of `ttg.convert_layout` is
    /// `Some(Strategy::Shuffle)`. Default: the cheapest wins. It misleads where the strategy moves more than
    /// it must: `Shared` stores and loads even what a rename would do.
    pub strategy: Option<Strategy>,
}

impl PlanOptions {
    /// Returns the default options: no limit but the target's, any strategy.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            scratch_limit: None,
            strategy: None,
        }
    }

    /// Limits the shared memory to `bytes`.
    #[must_use]
    pub const fn with_scratch_limit(mut self, bytes: u32) -> Self {
        self.scratch_limit = Some(bytes);
        self
    }

    /// Prescribes the strategy.
    #[must_use]
    pub const fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
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

/// The kind of a plan.
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

/// The reason for a plan: what had to move, and what the other strategies would have cost.
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

/// The plan of a conversion, and the reason for it.
///
/// # Shape
/// The program takes the unique registers of the source (zero register bases removed, in register order) and gives
/// those of the destination.
/// # Laws
/// Run on the names of the elements, every result register holds the name that the destination layout says
/// (property `plans_are_right`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertPlan {
    kind: PlanKind,
    program: Program,
    reason: Reason,
}

impl ConvertPlan {
    /// A plan of which nothing is said yet but what it does.
    fn new(kind: PlanKind, program: Program) -> Self {
        Self {
            kind,
            program,
            reason: Reason::default(),
        }
    }

    /// Returns what the plan does, in one word.
    #[must_use]
    pub const fn kind(&self) -> PlanKind {
        self.kind
    }

    /// Returns the steps, with their cost and the shared memory that they take.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the steps alone.
    #[must_use]
    pub fn into_program(self) -> Program {
        self.program
    }

    /// Returns why the plan is as it is.
    #[must_use]
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }
}

impl fmt::Display for ConvertPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind)?;
        self.program.fmt_size(f)?;
        let moves: Vec<_> = self.reason.moves.iter().map(|d| d.name()).collect();
        match moves.as_slice() {
            [] => writeln!(f, "  nothing moves")?,
            dims => writeln!(f, "  moves: {}", dims.join(", "))?,
        }
        for (kind, cost) in self.reason.considered.iter().skip(1) {
            writeln!(f, "  instead of {kind}: {cost}")?;
        }
        self.program.fmt_steps(f)
    }
}

#[cfg(test)]
mod tests;
