//! Options of an assignment.

use linear_layout::assign::Price;
use linear_layout::target::Target;

#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentOptions {
    pub(crate) target: &'static Target,
    pub(crate) scope: Scope,
    /// Assumed iterations of a loop.
    pub(crate) loop_weight: u64,
    /// Penalty per conversion in quarters of a cycle, in addition to the plan.
    pub(crate) conversion_cost: Price,
    /// Limit for the scratch memory of one operation, in bytes.
    pub(crate) scratch_budget: Option<u32>,
    /// Additional cost per barrier in quarters of a cycle. It models the latency of a thread block that is alone on its
    /// SM.
    pub(crate) barrier_latency: u32,
}

/// The operations whose layouts an assignment may change. Pinned layouts never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    All,
    /// All except accesses of whole tensors to global memory.
    AllButMemory,
    /// Views and memory accesses. No memory access becomes more expensive.
    ViewsAndAccesses,
}
