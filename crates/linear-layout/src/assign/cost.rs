//! Prices and conversions as one number that compares as the pair does.

use super::graph::{Price, Term};
use std::ops::Sub;

/// How many bits conversions have below the price.
const CONVERSION_BITS: u32 = 48;

/// A price and a count of conversions, in one number: the price above, so that numbers compare as pairs do.
///
/// ```text
/// (3, 1) + (2, 2) = (5, 3)        3·2^48 + 1 + 2·2^48 + 2
/// ```
/// # Units
/// 2^48 for a quarter of a cycle, 1 for a conversion: room for 2^16 prices of any size before sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost(u128);

impl Cost {
    pub(super) const ZERO: Cost = Cost(0);

    /// The cost of a price without conversions.
    pub(super) fn of_price(price: Price) -> Cost {
        Cost(u128::from(price) << CONVERSION_BITS)
    }

    /// The cost of a term.
    pub(super) fn new(term: &Term) -> Cost {
        Cost(Cost::of_price(term.price).0 | u128::from(term.conversions))
    }

    /// The price, as far as a [`Price`] goes.
    pub(super) fn price(self) -> Price {
        Price::try_from(self.0 >> CONVERSION_BITS).unwrap_or(Price::MAX)
    }

    /// The sum. What does not fit stays the largest cost.
    #[inline]
    pub(super) fn plus(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }

    /// A `parts`-th of the cost, rounded down.
    pub(super) fn part(self, parts: usize) -> Cost {
        Cost(self.0 / parts.max(1) as u128)
    }
}

impl Sub for Cost {
    type Output = Cost;

    /// What is left, at least nothing.
    fn sub(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }
}
