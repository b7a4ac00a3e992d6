//! Statistics of the execution of a plan.

use core::fmt;

/// Statistics of one execution of a plan. Unless stated otherwise, the numbers are totals of the whole block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct PlanReport {
    /// Number of destination registers that were compared with the expected elements, added up over all threads.
    pub elements_checked: u64,
    /// Number of warp-wide stores to shared memory.
    pub stores: u64,
    /// Number of warp-wide loads from shared memory.
    pub loads: u64,
    /// Number of wavefronts that all stores take.
    pub store_wavefronts: u64,
    /// Number of wavefronts that all loads take.
    pub load_wavefronts: u64,
    /// Number of additional wavefronts that stores take because of bank conflicts.
    pub store_conflicts: u64,
    /// Number of additional wavefronts that loads take because of bank conflicts.
    pub load_conflicts: u64,
    /// Number of warp-wide lane exchanges.
    pub shuffles: u64,
    /// Number of warp-wide selects.
    pub selects: u64,
    /// Number of block barriers that each warp executes.
    pub block_barriers: u64,
    /// Number of warp barriers that each warp executes.
    pub warp_barriers: u64,
}

impl PlanReport {
    /// Returns the number of additional wavefronts that stores and loads take because of bank conflicts.
    #[must_use]
    pub const fn conflicts(&self) -> u64 {
        self.store_conflicts + self.load_conflicts
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} elements right; {} shuffles, {} selects, {} stores in {} wavefronts ({} conflicts), {} loads in \
             {} wavefronts ({} conflicts), {} block and {} warp barriers",
            self.elements_checked,
            self.shuffles,
            self.selects,
            self.stores,
            self.store_wavefronts,
            self.store_conflicts,
            self.loads,
            self.load_wavefronts,
            self.load_conflicts,
            self.block_barriers,
            self.warp_barriers,
        )
    }
}
