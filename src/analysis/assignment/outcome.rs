//! What an assignment comes to.

use super::modes::{Of, Spelling};
use super::slices::{Cost, Item};
use linear_layout::assign::Price;
use std::collections::BTreeMap;

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
