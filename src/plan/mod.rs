//! How a conversion is carried out: a plan is plain data with a cost.
//!
//! [`plan_conversion`] sees two distributed layouts, an element width and a target, and answers with a
//! [`ConvertPlan`]: a short straight-line program over values, one value per unique register element. The
//! lowering turns each [`Step`] into the instruction of the same name; the machine model runs the same steps
//! on element names and proves that every register of the destination ends with the element that its layout
//! says. Nothing is decided after planning.
//!
//! ```text
//! source registers        steps                         results
//! %0 %1 %2 %3     ->      select, shuffle, store, ..    %8 %5 %9 %7     (one per unique destination register)
//! ```
//!
//! Every applicable strategy is planned, and the cheapest by the target's model wins:
//!
//! | [`PlanKind`] | when | data moves |
//! |---|---|---|
//! | `Rename` | each thread holds what it needs, in the same register for all threads | nowhere |
//! | `Select` | each thread holds what it needs, in a register that depends on the thread | nowhere |
//! | `Shuffle` | every element needed is somewhere in the same warp | between lanes |
//! | `Shared` | always | through swizzled shared memory |
//! | `Mixed` | inside a warp, registers fall into independent parts | some parts each way |
//!
//! Reading order: [`step`] (the data), [`convert`](self::plan_conversion) (the choice), `shuffle` and `shared`
//! (the two big strategies), [`index`] (address arithmetic as a program). Apart from conversions stands [`axis`]:
//! how wide accesses to global memory may be. Missing on purpose: movement between
//! the blocks of a cluster, which is answered by an error that says so.

pub mod axis;
mod build;
mod convert;
mod cost;
mod error;
mod gf2;
pub mod index;
mod local;
pub mod memory;
mod shared;
mod shuffle;
mod sides;
pub mod step;
mod swizzle;

pub use convert::{minimal_conversion_dims, plan_conversion};
pub use cost::Cost;
pub use error::PlanError;
pub use step::{
    Address, AddressBase, BarrierScope, ConvertPlan, LaneMap, Operands, PlanKind, Predicate,
    Reason, Step, Strategy, ValueId,
};

/// What the caller asks of a plan beyond the layouts.
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
    /// No limit but the target's, any strategy.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            scratch_limit: None,
            strategy: None,
        }
    }

    /// The same options with at most `bytes` of shared memory.
    #[must_use]
    pub const fn with_scratch_limit(mut self, bytes: u32) -> Self {
        self.scratch_limit = Some(bytes);
        self
    }

    /// The same options with the strategy prescribed.
    #[must_use]
    pub const fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
    }
}
