//! What is asked of an assignment, and what it comes to.

use super::modes::{Of, Spelling};
use super::slices::{Cost, Item};
use linear_layout::assign::Price;
use linear_layout::target::Target;
use std::collections::BTreeMap;

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

impl Asked {
    /// Returns what `remove-layout-conversions` asks by default, within a scope.
    pub(crate) const fn usual(target: &'static Target, scope: Scope) -> Self {
        Self {
            target,
            scope,
            loop_weight: 8,
            conversion_cost: 4 * 130,
            scratch_budget: None,
            barrier_latency: 0,
        }
    }
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

/// A layout for each value of a function.
pub(crate) struct Assignment {
    /// How each node is spelled.
    pub(crate) nodes: Vec<Spelling>,
    /// What is made again or converted for each use of a node: none of it twice.
    pub(crate) items: BTreeMap<Item, ItemCost>,
    /// What it costs, with its conversions.
    pub(crate) price: Cost,
    /// What the function costs as it is.
    pub(crate) before: Cost,
    /// No assignment of the graph with at most as many conversions costs less than this.
    pub(crate) bound: Price,
    /// What takes most bytes for itself, of what takes more than it may.
    pub(crate) largest: Option<Large>,
    pub(super) conversion_cost: Price,
}

/// What takes more shared memory for itself than it may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Large {
    pub(crate) bytes: u32,
    /// What takes it, or makes what is converted.
    pub(crate) of: Of,
    pub(crate) is_conversion: bool,
}

impl Assignment {
    /// Whether this is worth carrying out: it costs less than what stands there, conversions weighed.
    pub(crate) fn is_better(&self) -> bool {
        let weighed = |(price, conversions): Cost| {
            let added = self.conversion_cost.saturating_mul(conversions.into());
            (price.saturating_add(added), conversions)
        };
        weighed(self.price) < weighed(self.before)
    }
}

/// What an item costs, and how an operation that is made again is spelled.
#[derive(Clone, Debug)]
pub(crate) struct ItemCost {
    pub(crate) price: Cost,
    pub(crate) spelling: Option<Spelling>,
}
