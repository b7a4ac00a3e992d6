//! The result of an assignment.

use super::modes::{NodeOrSlice, Spelling};
use super::slices::{Cost, Materialisation};
use linear_layout::assign::Price;
use std::collections::BTreeMap;

pub(crate) struct Assignment {
    pub(crate) nodes: Vec<Spelling>,
    /// The operations that provide values in the required encodings, i.e. rematerialised operations and
    /// conversions, each with its cost.
    pub(crate) materialisations: BTreeMap<Materialisation, MaterialisationCost>,
    /// Cost of the function with this assignment, including conversions.
    pub(crate) price: Cost,
    pub(crate) before: Cost,
    /// Lower bound for the price. It applies to all assignments of the same graph that have at most as many
    /// conversions as this assignment.
    pub(crate) bound: Price,
    /// The operation or conversion that exceeds the scratch budget by the largest amount. `None` if none exceeds
    /// it.
    pub(crate) largest: Option<ScratchOverflow>,
    pub(super) conversion_cost: Price,
}

/// An operation or a conversion whose scratch memory exceeds the scratch budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchOverflow {
    pub(crate) bytes: u32,
    /// The operation that exceeds the budget. If a conversion exceeds it, this is the producer of the converted
    /// value.
    pub(crate) of: NodeOrSlice,
    pub(crate) is_conversion: bool,
}

impl Assignment {
    /// Returns true if the assignment costs less than the original function. In both costs, each conversion
    /// includes the penalty per conversion.
    pub(crate) fn is_better(&self) -> bool {
        let weighed = |(price, conversions): Cost| {
            let added = self.conversion_cost.saturating_mul(conversions.into());
            (price.saturating_add(added), conversions)
        };
        weighed(self.price) < weighed(self.before)
    }
}

/// The cost of a rematerialised operation or a conversion. `spelling` contains the encodings of a rematerialised
/// operation, and is `None` for a conversion.
#[derive(Clone, Debug)]
pub(crate) struct MaterialisationCost {
    pub(crate) price: Cost,
    pub(crate) spelling: Option<Spelling>,
}
