//! Cache of plan costs, shared by all passes of the process.
//!
//! The cost of a plan is a function of layouts, types and a few options. Kernels of one program convert between the
//! same layouts, and a second run of a pass prices what the first one left. A pass borrows the cache of its options
//! with [`PriceCache::of`]; the cache returns to the pool when the pass drops it. Passes that run at the same time with
//! the same options get separate caches.

use super::options::AssignmentOptions;
use super::products::PricedProduct;
use crate::ir::ProductTypes;
use linear_layout::assign::{INFEASIBLE, Price};
use linear_layout::layout::LinearLayout;
use linear_layout::plan::product::ProductError;
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// The price of an operation's plan, and the smallest amount of shared memory with which the operation has a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanCost {
    pub(super) price: Price,
    pub(super) bytes: u32,
}

impl PlanCost {
    /// The cost of an operation that has no plan.
    pub(super) const INFEASIBLE: Self = Self {
        price: INFEASIBLE,
        bytes: 0,
    };
}

/// A cache of plan costs for one target, scratch budget and latencies.
#[derive(Default)]
pub(crate) struct PriceCache {
    numbers: FxHashMap<LinearLayout, u32>,
    /// Costs of conversions, keyed by source layout, destination layout and element width in bits.
    pub(super) conversions: FxHashMap<(u32, u32, u32), PlanCost>,
    /// Costs of reductions and scans. The key consists of the operation's parameters, the number of the source
    /// layout and, for a reduction, the number of the result's layout.
    pub(super) combinations: FxHashMap<(Vec<usize>, u32, Option<u32>), PlanCost>,
    pub(super) products:
        FxHashMap<(ProductTypes, [u32; 3]), Result<Arc<PricedProduct>, ProductError>>,
}

/// The options that plan costs depend on: the name of the target, the scratch budget, the latency of barriers, and that of
/// conversions.
type CacheKey = (&'static str, Option<u32>, [u32; 2]);

/// The caches that no pass is using.
static POOL: Mutex<Vec<(CacheKey, PriceCache)>> = Mutex::new(Vec::new());

/// Maximum number of caches in the pool. If the pool is full, the oldest cache is dropped.
const MAX_CACHES: usize = 8;
/// Maximum number of layouts and costs in a cache. A cache that exceeds this number or `MAX_PRODUCTS` is dropped
/// instead of returned to the pool.
const MAX_COSTS: usize = 1 << 16;
const MAX_PRODUCTS: usize = 1 << 8;

impl PriceCache {
    /// Takes the cache for `options` out of the pool. If the pool has none, creates an empty cache.
    pub(crate) fn of(options: AssignmentOptions) -> BorrowedCache {
        let key = (
            options.target.name,
            options.scratch_budget,
            [options.barrier_latency, options.latency],
        );
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let found = pool.iter().rposition(|(known, _)| *known == key);
        let cache = found.map(|at| pool.remove(at).1).unwrap_or_default();
        BorrowedCache { key, cache }
    }

    /// Returns the number of a layout. Adds the layout if it has no number yet.
    pub(super) fn number(&mut self, layout: &LinearLayout) -> u32 {
        if let Some(known) = self.numbers.get(layout) {
            return *known;
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(layout.clone(), next);
        next
    }

    fn exceeds_limits(&self) -> bool {
        let costs = self.numbers.len() + self.conversions.len() + self.combinations.len();
        costs > MAX_COSTS || self.products.len() > MAX_PRODUCTS
    }
}

/// A cache that a pass has borrowed. When it is dropped, the cache returns to the pool, unless it has become too
/// large.
pub(crate) struct BorrowedCache {
    key: CacheKey,
    cache: PriceCache,
}

impl Deref for BorrowedCache {
    type Target = PriceCache;

    fn deref(&self) -> &PriceCache {
        &self.cache
    }
}

impl DerefMut for BorrowedCache {
    fn deref_mut(&mut self) -> &mut PriceCache {
        &mut self.cache
    }
}

impl Drop for BorrowedCache {
    fn drop(&mut self) {
        // The cache of a pass that panicked may lack entries, but has no wrong ones.
        if self.cache.exceeds_limits() {
            return;
        }
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() == MAX_CACHES {
            pool.remove(0);
        }
        pool.push((self.key, std::mem::take(&mut self.cache)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Scope;
    use super::*;
    use linear_layout::target::Target;

    fn options([barrier_latency, latency]: [u32; 2]) -> AssignmentOptions {
        AssignmentOptions {
            target: Target::parse("cuda:75").unwrap(),
            scope: Scope::All,
            loop_weight: 8,
            conversion_cost: 0,
            scratch_budget: Some(12_345),
            barrier_latency,
            latency,
            blocked_scans: false,
        }
    }

    #[test]
    fn a_cache_is_found_again_under_its_options_only() {
        let cost = PlanCost { price: 7, bytes: 0 };
        let mut first = PriceCache::of(options([1, 0]));
        first.conversions.insert((0, 1, 32), cost);
        // The same options while the cache is in use.
        assert!(PriceCache::of(options([1, 0])).conversions.is_empty());
        drop(first);
        for others in [[2, 0], [1, 1]] {
            assert!(PriceCache::of(options(others)).conversions.is_empty());
        }
        assert_eq!(PriceCache::of(options([1, 0])).conversions.len(), 1);
    }

    #[test]
    fn a_large_cache_is_dropped() {
        let mut large = PriceCache::of(options([3, 0]));
        for bits in 0..=1 << 16 {
            large.conversions.insert((0, 1, bits), PlanCost::INFEASIBLE);
        }
        drop(large);
        assert!(PriceCache::of(options([3, 0])).conversions.is_empty());
    }
}
