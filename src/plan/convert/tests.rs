//! What conversions are expected to cost, against what their programs cost.

use super::PlanOptions;
use super::shared::{Route, choices, plan_shared};
use super::shuffle::Exchange;
use super::sides::Sides;
use super::swizzle::swizzle;
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::plan::program::Cost;
use crate::target::Target;
use proptest::prelude::*;

/// The bits of an element's number, dealt to registers, lanes and warps in this order.
fn dealt(order: &[usize], target: &Target, warps: u32) -> LinearLayout {
    let columns: Vec<u64> = order.iter().map(|bit| 1 << bit).collect();
    let registers = order.len() as u32 - target.lanes_log2() - warps;
    let ins = [
        (Dim::REGISTER, 1 << registers),
        (Dim::LANE, 1 << target.lanes_log2()),
        (Dim::WARP, 1 << warps),
        (Dim::BLOCK, 1),
    ];
    let outs = [(Dim::out(0), 1 << order.len())];
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required).unwrap()
}

/// A conversion that exchanges a few bits of the position.
#[derive(Clone, Debug)]
struct Case {
    target: &'static Target,
    bits: usize,
    width: u32,
    warps: u32,
    swaps: Vec<(usize, usize)>,
}

impl Case {
    fn sides(&self) -> Sides {
        let straight: Vec<usize> = (0..self.bits).collect();
        let mut other = straight.clone();
        for (a, b) in &self.swaps {
            other.swap(a % self.bits, b % self.bits);
        }
        let [src, dst] = [straight, other].map(|order| dealt(&order, self.target, self.warps));
        Sides::new(&src, &dst, self.target).unwrap()
    }
}

fn cases() -> impl Strategy<Value = Case> {
    (
        prop::sample::select(vec!["cuda:90", "hip:gfx942", "hip:gfx950", "hip:gfx1100"]),
        9..12usize,
        3..7u32,
        0..3u32,
        prop::collection::vec((0..12usize, 0..12usize), 1..4),
    )
        .prop_map(|(target, bits, width_log2, warps, swaps)| Case {
            target: Target::parse(target).unwrap(),
            bits,
            width: 1 << width_log2,
            warps,
            swaps,
        })
}

/// Eight registers in a row go in accesses as wide as the target has, on both sides.
#[test]
fn accesses_are_as_wide_as_can_be() {
    for (target, bits, width, bytes) in [
        ("cuda:90", 8, 8, 8),
        ("cuda:90", 8, 16, 16),
        ("cuda:90", 8, 32, 16),
        ("hip:gfx942", 9, 64, 16),
    ] {
        let target = Target::parse(target).unwrap();
        let straight: Vec<usize> = (0..bits).collect();
        let mut other = straight.clone();
        other.swap(3, 5);
        let [src, dst] = [straight, other].map(|order| dealt(&order, target, 0));
        let sides = Sides::new(&src, &dst, target).unwrap();
        let plan = plan_shared(&sides, width, &PlanOptions::new(), target).unwrap();
        let reason = plan.reason();
        assert_eq!(
            (reason.store_bytes, reason.load_bytes),
            (bytes, bytes),
            "{width}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Bytes are brought together into words for a store beside what is expected; nothing else is.
    #[test]
    fn shared_memory_costs_what_is_expected(case in cases()) {
        let (sides, target) = (case.sides(), case.target);
        let plan = plan_shared(&sides, case.width, &PlanOptions::new(), target).unwrap();
        let cost = plan.program().cost();
        let (load_store, arithmetic) = Route::best(&sides, case.width, 0, target).unwrap().time(target);
        prop_assert_eq!(load_store << case.warps, cost.load_store);
        prop_assert!(arithmetic << case.warps <= cost.arithmetic);
        prop_assert!(case.width < 32 || arithmetic << case.warps == cost.arithmetic);
    }

    /// As much scratch as is said to be needed is enough, and less is not.
    #[test]
    fn the_least_scratch_is_named(case in cases()) {
        let (sides, target) = (case.sides(), case.target);
        let plan = |limit: u64| {
            let options = PlanOptions::new().with_scratch_limit(limit as u32);
            plan_shared(&sides, case.width, &options, target)
        };
        let error = plan(0).unwrap_err().to_string();
        let least: u64 = error.split(' ').find_map(|word| word.parse().ok()).unwrap();
        prop_assert!(plan(least).is_ok(), "{error}");
        prop_assert!(plan(least - 1).is_err_and(|e| e.is_scratch_limit()), "{error}");
    }

    #[test]
    fn no_other_swizzle_is_cheaper(case in cases()) {
        let (sides, target) = (case.sides(), case.target);
        let best = Route::best(&sides, case.width, 0, target).unwrap().cost(target);
        for choice in choices(case.width, 0, target) {
            let other = swizzle(&sides, case.width, choice, target)
                .and_then(|swizzle| Route::through(swizzle, &sides, case.width, target));
            prop_assert!(other.is_none_or(|other| best <= other.cost(target)), "{choice:?}");
        }
    }

    #[test]
    fn shuffles_cost_what_is_expected(case in cases()) {
        let sides = case.sides();
        let Some(exchange) = Exchange::new(&sides, case.width, case.target) else {
            prop_assert!(!sides.stays_in_warp());
            return Ok(());
        };
        let (best, expected) = exchange.best_form();
        let cost = exchange.emit(best).unwrap().cost();
        prop_assert_eq!(expected.load_store << case.warps, cost.load_store, "{:?}", best);
        prop_assert_eq!(expected.arithmetic << case.warps, cost.arithmetic, "{:?}", best);
        let total = |cost: Cost| Cost { waiting: 0, ..cost }.total();
        for form in exchange.forms() {
            let other = exchange.emit(*form).unwrap().cost();
            prop_assert!(total(cost) <= total(other), "{:?} is worse than {form:?}", best);
        }
    }
}
