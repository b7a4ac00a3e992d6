//! Planning of a conversion: the cheapest strategy is selected.

use super::cluster::plan_in_cluster;
use super::error::{PlanError, PlanErrorKind};
use super::local::plan_local;
use super::shared::plan_shared;
use super::shuffle::{Exchange, TakeMatrix};
use super::sides::Sides;
use super::transpose::plan_transposed;
use super::{ConvertPlan, PlanKind, PlanOptions, Strategy};
use crate::layout::{Dim, LinearLayout};
use crate::plan::program::Cost;
use crate::target::Target;

/// Plans a conversion between two distributed layouts.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::{PlanKind, PlanOptions, plan_conversion};
/// use linear_layout::target::Target;
/// // 64 elements on 32 lanes: two consecutive ones per lane, against lane i holding i and i + 32.
/// let d = Dim::out(0);
/// let src = LinearLayout::identity_1d(2, Dim::REGISTER, d)?.product(&LinearLayout::identity_1d(32, Dim::LANE, d)?)?;
/// let dst = LinearLayout::identity_1d(32, Dim::LANE, d)?.product(&LinearLayout::identity_1d(2, Dim::REGISTER, d)?)?;
/// let target = Target::parse("cuda:90")?;
/// let plan = plan_conversion(&src, &dst, 32, target, &PlanOptions::new())?;
/// assert_eq!((plan.kind(), plan.program().results().len()), (PlanKind::Shuffle, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Shape
/// `src` and `dst` map (register, lane, warp, block) to the same output dims. The sources of the program are the
/// unique registers of `src`, and its results are the unique registers of `dst`. Register bits with a zero basis
/// are omitted.
/// # Units
/// `elem_bits` is the width of an element: a power of two from 1 to 64.
/// # Errors
/// Returns an error in these cases:
/// - the element width is not supported;
/// - the conversion moves data between CTAs, but a CTA of the target cannot load from the shared memory of
///   other CTAs;
/// - the prescribed strategy does not apply (`is_strategy` returns true for this error);
/// - no plan fits the scratch limit (`is_scratch_limit` returns true for this error);
/// - the layouts do not match each other or the target.
pub fn plan_conversion(
    src: &LinearLayout,
    dst: &LinearLayout,
    elem_bits: u32,
    target: &Target,
    options: &PlanOptions,
) -> Result<ConvertPlan, PlanError> {
    if !elem_bits.is_power_of_two() || elem_bits > 64 {
        return Err(PlanErrorKind::ElementWidth { bits: elem_bits }.into());
    }
    let allows = |s: Strategy| options.strategy.is_none_or(|o| o == s);
    let sides = match Sides::new(src, dst, target) {
        Err(error) if error.is_block_movement() && target.max_ctas > 1 => {
            let moves: Vec<Dim> = src.minimal_conversion_to(dst)?.in_dims().collect();
            if let Some(strategy) = options.strategy.filter(|_| !allows(Strategy::Shared)) {
                return Err(PlanErrorKind::Strategy { strategy, moves }.into());
            }
            let mut plan = plan_in_cluster(src, dst, elem_bits, options, target)?;
            plan.reason.moves = moves;
            plan.reason.considered = vec![(plan.kind(), plan.program().cost())];
            return Ok(plan);
        }
        sides => sides?,
    };
    let mut plans: Vec<ConvertPlan> = Vec::new();
    // A shuffle plan without movement satisfies a request for shuffles.
    if options.strategy != Some(Strategy::Shared) {
        plans.extend(plan_local(&sides, elem_bits, target));
    }
    let done = plans.iter().any(|p| p.kind() == PlanKind::Rename);
    let mut failed = None;
    if !done {
        let budget = |plans: &[ConvertPlan]| plans.iter().map(|p| p.program().cost().total()).min();
        if allows(Strategy::Shared) {
            match plan_shared(&sides, elem_bits, options, target) {
                Ok(plan) => plans.push(plan),
                Err(error) => failed = Some(error),
            }
        }
        if allows(Strategy::Shuffle) {
            plans.extend(plan_transposed(&sides, elem_bits, target));
        }
        if allows(Strategy::Shuffle) {
            let limit = options
                .scratch_limit
                .unwrap_or(u32::MAX)
                .min(target.max_shared_bytes);
            let mixed_limit = options.strategy.is_none().then_some(limit);
            let restoring = Exchange::new(&sides, elem_bits, target, TakeMatrix::Restoring);
            let has_takes = restoring.as_ref().is_none_or(Exchange::has_takes);
            plans.extend(restoring.and_then(|e| e.plan(budget(&plans), mixed_limit)));
            if has_takes {
                let reading = Exchange::new(&sides, elem_bits, target, TakeMatrix::None);
                plans.extend(reading.and_then(|e| e.plan(budget(&plans), mixed_limit)));
            }
        }
    }
    let moves: Vec<Dim> = src.minimal_conversion_to(dst)?.in_dims().collect();
    plans.sort_by_key(|p| p.program().cost().total());
    let considered: Vec<(PlanKind, Cost)> = plans
        .iter()
        .map(|p| (p.kind(), p.program().cost()))
        .collect();
    match plans.into_iter().next() {
        Some(mut plan) => {
            plan.reason.moves = moves;
            plan.reason.considered = considered;
            Ok(plan)
        }
        None => Err(match (failed, options.strategy) {
            (Some(error), _) => error,
            (None, strategy) => PlanErrorKind::Strategy {
                strategy: strategy.unwrap_or(Strategy::Shared),
                moves,
            }
            .into(),
        }),
    }
}
