//! What is asked of an assignment.

use linear_layout::assign::Price;
use linear_layout::target::Target;

/// What is asked of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) target: &'static Target,
    pub(crate) scope: Scope,
    /// How often the body of a loop counts.
    pub(crate) loop_weight: u64,
    /// What each conversion counts beyond its plan, in quarters of a cycle.
    pub(crate) conversion_cost: Price,
    /// The most bytes of shared memory that an operation may take for itself.
    pub(crate) scratch_budget: Option<u32>,
    /// What each barrier of a plan counts beyond its throughput, in quarters of a clock: how long a block waits that
    /// has the processor for itself.
    pub(crate) barrier_latency: u32,
}

/// Which operations may take other layouts, of those that their kind does not pin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// All.
    All,
    /// All but accesses of whole tensors to global memory.
    AllButMemory,
    /// Views, and accesses to memory where they cost no more: no arithmetic on data, nothing that control flow carries.
    ViewsAndAccesses,
}
