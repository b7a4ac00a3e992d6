//! Costs of matrix products.

use super::options::AssignmentOptions;
use super::price_cache::PriceCache;
use super::prices::cost_and_bytes;
use crate::analysis::pressure::registers_for_tensors;
use crate::ir::ProductTypes;
use linear_layout::assign::Price;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::product::{MatrixProduct, ProductError, ProductPlan, plan_product};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct PricedProduct {
    pub(crate) plan: ProductPlan,
    /// Cost including spills, in quarters of a cycle.
    pub(crate) price: Price,
}

impl PriceCache {
    /// Plans the matrix product D += A * B.
    ///
    /// # Errors
    /// Returns an error if the layouts are inconsistent, or if the target has no matching instruction.
    pub(crate) fn product(
        &mut self,
        types: &ProductTypes,
        [a, b, d]: [&LinearLayout; 3],
        options: AssignmentOptions,
    ) -> Result<Arc<PricedProduct>, ProductError> {
        let layouts = [a, b, d].map(|layout| self.number(layout));
        let key = (types.clone(), layouts);
        if let Some(known) = self.products.get(&key) {
            return known.clone();
        }
        let product = MatrixProduct {
            d,
            a,
            b,
            scales: None,
            factors: &types.factors,
            sum: types.sum,
            target: options.target,
        };
        let planned = plan_product(&product).map(|plan| {
            let own = Price::from(cost_and_bytes(plan.program(), options).0);
            let price = own + spills(&product);
            Arc::new(PricedProduct { plan, price })
        });
        self.products.insert(key, planned.clone());
        planned
    }
}

/// Returns the cost of spills. Words of A, B and D that do not fit in the registers of a thread are stored and
/// loaded once.
fn spills(product: &MatrixProduct<'_>) -> Price {
    let target = product.target;
    let words: u64 = product.words().iter().sum();
    let warps = product.d.in_size(Dim::WARP);
    let threads = warps * u64::from(target.lanes);
    let spilled = words.saturating_sub(registers_for_tensors(target, threads));
    let costs = &target.costs;
    spilled * 2 * u64::from(costs.access + costs.wavefront) * warps
}
