//! Options of an assignment.

use linear_layout::assign::Price;
use linear_layout::target::Target;

/// The target, scope and weights of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentOptions {
    pub(crate) target: &'static Target,
    pub(crate) scope: Scope,
    /// Assumed number of iterations of a loop.
    pub(crate) loop_weight: u64,
    /// Penalty of each conversion in quarters of a cycle, added to the cost of its plan.
    pub(crate) conversion_cost: Price,
    /// Limit for the scratch memory of one operation, in bytes.
    pub(crate) scratch_budget: Option<u32>,
    /// Additional cost of a barrier in quarters of a cycle, for a thread block that runs alone on its SM and
    /// therefore waits for the barrier's latency.
    pub(crate) barrier_latency: u32,
}

/// The operations whose layouts may change, unless their kind pins them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    All,
    /// All operations except accesses of whole tensors to global memory.
    AllButMemory,
    /// Views, and memory accesses if they do not become more expensive. Arithmetic and loop-carried values keep their
    /// layouts.
    ViewsAndAccesses,
}
