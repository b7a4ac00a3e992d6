//! A price and a conversion count packed into one number that compares lexicographically.

use super::graph::{CostTerm, Price};
use std::ops::Sub;

/// Number of low bits of a `LexCost` that hold the number of conversions.
const CONVERSION_BITS: u32 = 48;

/// A pair (price, number of conversions) in one integer. The price is in the high bits, so that integers compare as
/// pairs do.
///
/// ```text
/// (3, 1) + (2, 2) = (5, 3)        3·2^48 + 1 + 2·2^48 + 2
/// ```
/// # Units
/// A quarter of a cycle is represented by 2^48, and a conversion by 1. Sums of up to 2^16 prices of any size do not
/// saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LexCost(u128);

impl LexCost {
    pub(super) const ZERO: LexCost = LexCost(0);

    pub(super) fn of_price(price: Price) -> LexCost {
        LexCost(u128::from(price) << CONVERSION_BITS)
    }

    pub(super) fn new(term: &CostTerm) -> LexCost {
        LexCost(LexCost::of_price(term.price).0 | u128::from(term.conversions))
    }

    /// Returns the price, or `Price::MAX` if it does not fit in a `Price`.
    pub(super) fn price(self) -> Price {
        Price::try_from(self.0 >> CONVERSION_BITS).unwrap_or(Price::MAX)
    }

    /// Returns the sum of both costs. If it overflows, it saturates.
    #[inline]
    pub(super) fn plus(self, other: LexCost) -> LexCost {
        LexCost(self.0.saturating_add(other.0))
    }

    /// Returns `self / parts`, rounded down.
    pub(super) fn part(self, parts: usize) -> LexCost {
        LexCost(self.0 / parts.max(1) as u128)
    }
}

impl Sub for LexCost {
    type Output = LexCost;

    fn sub(self, other: LexCost) -> LexCost {
        LexCost(self.0.saturating_sub(other.0))
    }
}
