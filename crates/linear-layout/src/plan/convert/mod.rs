//! Layout conversions between registers: every applicable strategy is planned, and the cheapest wins.
//!
//! [`plan_conversion`] takes two distributed layouts, an element width and a target, and returns a [`ConvertPlan`]: a
//! [`Program`] from the unique registers of the source to those of the destination, and the reason for it. The machine
//! model runs the program on the names of the elements, and proves that at the end every destination register holds the
//! element that its layout prescribes. Nothing is decided after planning.
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
//! | `Mixed` | inside a warp, registers fall into independent groups | each group by either |
//! | `Cluster` | another block of the cluster holds an element | through the shared memory of the block that holds it |
//!
//! Reading order: this file (request and result), `choice`, `sides` (both layouts in a common coordinate system),
//! `local`, `transpose`, `shuffle`, `shared` with `swizzle`, `cluster`.

mod baseline;
mod choice;
mod cluster;
mod error;
mod local;
mod shared;
mod shuffle;
mod sides;
mod swizzle;
mod transpose;

pub use baseline::{Baseline, baseline_conversion};
pub use choice::plan_conversion;
pub use error::PlanError;

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
    /// Maximum number of bytes of shared memory that the plan may use. `None` selects the target's limit.
    ///
    /// Effect: a conversion that needs more bytes is split into repetitions, each of which has barriers, or is
    /// implemented by shuffles. Lower the limit to leave room for other buffers. Cost: up to two barriers per
    /// repetition. Default: the target's limit. Caveat: sizes are powers of two, so a limit of 4095 halves a tile
    /// of 4096 bytes.
    pub scratch_limit: Option<u32>,
    /// Strategy that the plan must use, or `None` for the cheapest strategy. Planning fails if the strategy does
    /// not apply.
    ///
    /// Effect: `Some(Strategy::Shuffle)` corresponds to `force_warp_shuffle` of `ttg.convert_layout`. Default: the
    /// cheapest strategy. Caveat: `Shared` stores and loads even if renaming registers would suffice.
    pub strategy: Option<Strategy>,
}

impl PlanOptions {
    /// Returns the default options: the target's scratch limit, and no restriction on the strategy.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            scratch_limit: None,
            strategy: None,
        }
    }

    /// Returns the options with a scratch limit of `bytes` bytes of shared memory.
    #[must_use]
    pub const fn with_scratch_limit(mut self, bytes: u32) -> Self {
        self.scratch_limit = Some(bytes);
        self
    }

    /// Returns the options with `strategy` as the strategy that the plan must use.
    #[must_use]
    pub const fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
    }
}

/// A strategy that [`PlanOptions`] can prescribe for a plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Strategy {
    /// No data moves between threads. Each destination register gets its value from a register of the same thread.
    Local,
    /// Data moves only between the lanes of each warp, by shuffles or similar instructions.
    Shuffle,
    /// Every element is stored to shared memory and loaded from it.
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

/// The method by which a plan moves data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PlanKind {
    /// The program has no steps: each result is one of the source values under another register name.
    Rename,
    /// The program consists of selects. No data moves between threads.
    Select,
    /// Data moves only between the lanes of each warp.
    Shuffle,
    /// Data moves through shared memory.
    Shared,
    /// Some registers move between lanes, and all other registers move through shared memory.
    Mixed,
    /// Each block stores to its own shared memory. Threads load from the shared memory of all blocks of the
    /// cluster.
    Cluster,
}

impl fmt::Display for PlanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rename => "rename",
            Self::Select => "select",
            Self::Shuffle => "shuffle",
            Self::Shared => "shared",
            Self::Mixed => "mixed",
            Self::Cluster => "cluster",
        })
    }
}

/// The reason why a plan was chosen: the dims along which data moves, and the costs of the other strategies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reason {
    /// Input dims along which data must move. These are the input dims of the layout that
    /// `LinearLayout::minimal_conversion_to` returns. The list is empty if no data moves.
    pub moves: Vec<Dim>,
    /// The methods for which a plan was computed, and the costs of these plans. The entries are sorted by cost, so
    /// the first entry is the method and the cost of the chosen plan.
    pub considered: Vec<(PlanKind, Cost)>,
    /// Number of register bits that shuffles or matrix transposes exchange with lane bits.
    pub exchanged_bits: u32,
    /// Number of bytes of one vectorised store, or 0 if no shared memory is used.
    pub store_bytes: u32,
    /// Number of bytes of one vectorised load, or 0 if no shared memory is used.
    pub load_bytes: u32,
    /// Number of repetitions. In each repetition, the scratch buffer is filled and read once.
    pub repetitions: u32,
}

/// The plan of a conversion, and the reason why it was chosen.
///
/// # Shape
/// The sources of the program are the unique registers of the source layout in register order. Register bits with
/// zero bases are omitted. The results are the unique registers of the destination layout.
/// # Laws
/// If each source register holds the element that the source layout prescribes, each result register holds the
/// element that the destination layout prescribes (property `plans_are_right`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertPlan {
    kind: PlanKind,
    program: Program,
    reason: Reason,
}

impl ConvertPlan {
    fn new(kind: PlanKind, program: Program) -> Self {
        Self {
            kind,
            program,
            reason: Reason::default(),
        }
    }

    /// Returns the method by which the plan moves data.
    #[must_use]
    pub const fn kind(&self) -> PlanKind {
        self.kind
    }

    /// Returns the program, which contains its cost and the size of its scratch memory.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the program, and drops the reason for the plan.
    #[must_use]
    pub fn into_program(self) -> Program {
        self.program
    }

    /// Returns the reason why the plan was chosen.
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
