//! The result of an assignment.

use super::modes::{NodeOrSlice, Spelling};
use super::slices::{Cost, Materialisation};
use linear_layout::assign::Price;
use std::collections::BTreeMap;

/// Encodings for all values of a function.
pub(crate) struct Assignment {
    /// Encodings of each node.
    pub(crate) nodes: Vec<Spelling>,
    /// The values rematerialised or converted for uses of nodes, each once.
    pub(crate) materialisations: BTreeMap<Materialisation, MaterialisationCost>,
    /// The cost, with conversions.
    pub(crate) price: Cost,
    /// The cost of the original function.
    pub(crate) before: Cost,
    /// Lower bound for assignments of the same graph with at most as many conversions.
    pub(crate) bound: Price,
    /// The largest excess over the scratch budget, if any.
    pub(crate) largest: Option<ScratchOverflow>,
    pub(super) conversion_cost: Price,
}

/// An operation or conversion that exceeds the scratch budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchOverflow {
    pub(crate) bytes: u32,
    /// The operation, or the producer of the converted value.
    pub(crate) of: NodeOrSlice,
    pub(crate) is_conversion: bool,
}

impl Assignment {
    /// Returns true if the assignment costs less than the original function, penalties included.
    pub(crate) fn is_better(&self) -> bool {
        let weighed = |(price, conversions): Cost| {
            let added = self.conversion_cost.saturating_mul(conversions.into());
            (price.saturating_add(added), conversions)
        };
        weighed(self.price) < weighed(self.before)
    }
}

/// The cost of a materialisation, and the encodings of a rematerialised operation.
#[derive(Clone, Debug)]
pub(crate) struct MaterialisationCost {
    pub(crate) price: Cost,
    pub(crate) spelling: Option<Spelling>,
}
