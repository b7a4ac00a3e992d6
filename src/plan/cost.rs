//! What a plan costs by the target's model.

use core::fmt;

/// The cost of a plan for one block, in quarters of a clock of one SM (or CU).
///
/// The load-store unit and the arithmetic unit work side by side, so a plan takes as long as the busier one,
/// plus an eighth of the other (they do not overlap fully), plus the time lost at barriers.
///
/// ```
/// use linear_layout::plan::Cost;
/// // 64 shuffles and 48 * 4 selects of half a clock.
/// let ship = Cost { load_store: 64 * 4, arithmetic: 192 * 2, waiting: 0 };
/// assert_eq!(ship.total(), 384 + 256 / 8);
/// assert_eq!(ship.to_string(), "104 clk (load-store 64, arithmetic 96, waiting 0)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cost {
    /// Time of the load-store unit: wavefronts, shuffles, issue.
    pub load_store: u32,
    /// Time of the arithmetic unit: selects.
    pub arithmetic: u32,
    /// Time lost at barriers and on trips through shared memory.
    pub waiting: u32,
}

impl Cost {
    /// The whole cost, for comparing plans.
    #[must_use]
    pub const fn total(self) -> u32 {
        let (a, b) = (self.load_store, self.arithmetic);
        let (busy, other) = if a > b { (a, b) } else { (b, a) };
        busy.saturating_add(other / 8).saturating_add(self.waiting)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clk = |q: u32| q.div_ceil(4);
        write!(
            f,
            "{} clk (load-store {}, arithmetic {}, waiting {})",
            clk(self.total()),
            clk(self.load_store),
            clk(self.arithmetic),
            clk(self.waiting),
        )
    }
}
