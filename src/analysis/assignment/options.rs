//! Options of an assignment.

use linear_layout::assign::Price;
use linear_layout::target::Target;

#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignmentOptions {
    pub(crate) target: &'static Target,
    pub(crate) scope: Scope,
    /// Assumed number of iterations of a loop.
    pub(crate) loop_weight: u64,
    /// Penalty per conversion in quarters of a cycle, which is added to the cost of the conversion's plan.
    pub(crate) conversion_cost: Price,
    /// Maximum size of the scratch memory of one operation, in bytes. `None` means that there is no limit.
    pub(crate) scratch_budget: Option<u32>,
    /// Additional cost per barrier, in quarters of a cycle. It models the time that a thread block waits at a
    /// barrier, and depends on the number of other blocks that can use the SM meanwhile.
    pub(crate) barrier_latency: u32,
    /// Additional cost per execution of a conversion that moves data, and of each access of a load but the first, in
    /// quarters of a cycle.
    pub(crate) latency: u32,
    /// True if scans get only blocked layouts, or keep theirs.
    pub(crate) blocked_scans: bool,
}

/// The operations whose layouts an assignment may change. Pinned layouts never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    All,
    /// All operations, except loads and stores of global memory that access at least two elements and at least one
    /// element per thread.
    AllButMemory,
    /// Only views and memory accesses. A memory access never becomes more expensive.
    ViewsAndAccesses,
}
