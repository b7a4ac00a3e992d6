//! The result of an assignment.

use super::modes::{NodeOrSlice, Spelling};
use super::slices::{Cost, Materialisation};
use linear_layout::assign::Price;
use std::collections::BTreeMap;

/// Encodings for all values of a function.
pub(crate) struct Assignment {
    /// Encodings of each node.
    pub(crate) nodes: Vec<Spelling>,
    /// The rematerialisations and conversions that provide operands of nodes, without duplicates.
    pub(crate) materialisations: BTreeMap<Materialisation, MaterialisationCost>,
    /// The cost of the function, including conversions.
    pub(crate) price: Cost,
    /// The cost of the original function.
    pub(crate) before: Cost,
    /// Lower bound for the cost of all assignments of the same graph that have at most as many conversions.
    pub(crate) bound: Price,
    /// The operation or conversion with the largest excess over the scratch budget, if any exceeds it.
    pub(crate) largest: Option<ScratchOverflow>,
    pub(super) conversion_cost: Price,
}

/// An operation or conversion that exceeds the scratch budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchOverflow {
    pub(crate) bytes: u32,
    /// The operation, or the producer of the value that is converted.
    pub(crate) of: NodeOrSlice,
    pub(crate) is_conversion: bool,
}

impl Assignment {
    /// Returns true if the assignment costs less than the original function. Both costs include penalties.
    pub(crate) fn is_better(&self) -> bool {
        let weighed = |(price, conversions): Cost| {
            let added = self.conversion_cost.saturating_mul(conversions.into());
            (price.saturating_add(added), conversions)
        };
        weighed(self.price) < weighed(self.before)
    }
}

/// The cost of a materialisation. For a rematerialised operation, also the encodings of its operands and results.
#[derive(Clone, Debug)]
pub(crate) struct MaterialisationCost {
    pub(crate) price: Cost,
    pub(crate) spelling: Option<Spelling>,
}
