//! Options of an assignment.

use linear_layout::assign::Price;
use linear_layout::target::Target;

/// The target, scope and weights of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentOptions {
    pub(crate) target: &'static Target,
    pub(crate) scope: Scope,
    /// Assumed iterations of a loop.
    pub(crate) loop_weight: u64,
    /// Penalty of each conversion beyond the cost of its plan, in quarters of a cycle.
    pub(crate) conversion_cost: Price,
    /// Limit for the scratch memory of an operation, in bytes.
    pub(crate) scratch_budget: Option<u32>,
    /// Latency of a barrier beyond its throughput, in quarters of a cycle, for a block that runs alone on its SM.
    pub(crate) barrier_latency: u32,
}

/// The operations whose layouts may change, unless their kind pins them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    All,
    /// All except accesses of whole tensors to global memory.
    AllButMemory,
    /// Views, and accesses to memory that do not get more expensive; no arithmetic and no loop-carried values.
    ViewsAndAccesses,
}
