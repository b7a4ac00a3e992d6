//! Tests that compare cost estimates of conversions with the costs of their programs.

use super::shared::{Route, choices, plan_shared};
use super::shuffle::{Exchange, TakeMatrix};
use super::sides::Sides;
use super::swizzle::swizzle;
use super::{PlanKind, PlanOptions, Strategy as Way, baseline_conversion, plan_conversion};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::plan::program::{Cost, Predicate};
use crate::target::Target;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns a layout that distributes the elements of a 1D tensor over registers, lanes and warps. `order[i]` is the
/// bit of an element's number that input bit `i` determines. The register bits come first, followed by the lane
/// bits and the warp bits.
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

/// A conversion in which a few of the register, lane and warp bits are exchanged.
#[derive(Clone, Debug)]
struct BitSwaps {
    target: &'static Target,
    bits: usize,
    width: u32,
    warps: u32,
    swaps: Vec<(usize, usize)>,
}

impl BitSwaps {
    fn layouts(&self) -> [LinearLayout; 2] {
        let straight: Vec<usize> = (0..self.bits).collect();
        let mut other = straight.clone();
        for (a, b) in &self.swaps {
            other.swap(a % self.bits, b % self.bits);
        }
        [straight, other].map(|order| dealt(&order, self.target, self.warps))
    }

    fn sides(&self) -> Sides {
        let [src, dst] = self.layouts();
        Sides::new(&src, &dst, self.target).unwrap()
    }
}

fn cases() -> impl Strategy<Value = BitSwaps> {
    (
        prop::sample::select(vec!["cuda:90", "hip:gfx942", "hip:gfx950", "hip:gfx1100"]),
        9..12usize,
        3..7u32,
        0..3u32,
        prop::collection::vec((0..12usize, 0..12usize), 1..4),
    )
        .prop_map(|(target, bits, width_log2, warps, swaps)| BitSwaps {
            target: Target::parse(target).unwrap(),
            bits,
            width: 1 << width_log2,
            warps,
            swaps,
        })
}

/// Returns the numbers of the values that a line of a program mentions. For example, `%4..%6` mentions three
/// values.
fn values(text: &str) -> Vec<u32> {
    let words = text.split([' ', ',']).filter(|word| word.starts_with('%'));
    words
        .flat_map(|word| {
            let number = |word: &str| word.trim_start_matches('%').parse::<u32>().unwrap();
            match word.split_once("..") {
                Some((first, last)) => number(first)..=number(last),
                None => number(word)..=number(word),
            }
        })
        .collect()
}

/// Checks that eight consecutive registers are accessed with the full width on both sides.
#[test]
fn accesses_have_full_width() {
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

    /// Checks that the estimated cost of a route is the cost of its program. The exception is the packing of bytes
    /// into words for stores, which the estimate does not include.
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

    /// Checks that the number of bytes that a scratch error reports suffices as the scratch limit, and that one
    /// byte less does not.
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

    /// Checks that there is a plan if the scratch limit is the number of scratch bytes that Triton's implementation
    /// (the baseline) uses, unless this number is 0. This plan must not have more barriers than the baseline.
    #[test]
    fn the_baseline_scratch_suffices(case in cases()) {
        let [src, dst] = case.layouts();
        let baseline = baseline_conversion(&src, &dst, case.width, case.target).unwrap();
        let options = PlanOptions::new().with_scratch_limit(baseline.bytes);
        let Ok(plan) = plan_conversion(&src, &dst, case.width, case.target, &options) else {
            // The baseline's shuffles are not an exchange of bits here for all layouts.
            prop_assert_eq!(baseline.bytes, 0);
            return Ok(());
        };
        prop_assert!(plan.program().scratch_bytes() <= baseline.bytes);
        prop_assert!(plan.program().num_barriers() <= baseline.barriers as usize, "{baseline:?}\n{plan}");
    }

    /// Checks that the chosen plan costs at most as much as a plan that uses only shuffles, or only shared memory.
    /// A mixed plan must cost less than both.
    #[test]
    fn the_cheapest_strategy_wins(case in cases()) {
        let plan = |strategy: Option<Way>| {
            let options = PlanOptions { strategy, ..PlanOptions::new() };
            let [src, dst] = case.layouts();
            plan_conversion(&src, &dst, case.width, case.target, &options).ok()
        };
        let best = plan(None).unwrap();
        let total = best.program().cost().total();
        for one in [Way::Shuffle, Way::Shared].into_iter().filter_map(|s| plan(Some(s))) {
            let alone = one.program().cost().total();
            prop_assert!(total <= alone, "{best}\n{one}");
            prop_assert!(best.kind() != PlanKind::Mixed || total < alone, "{best}\n{one}");
        }
    }

    /// Checks that every step has a result that another step uses or the program returns.
    #[test]
    fn no_step_is_dead(case in cases()) {
        let [src, dst] = case.layouts();
        let options = PlanOptions::new();
        let plan = plan_conversion(&src, &dst, case.width, case.target, &options).unwrap();
        let text = plan.program().to_string();
        let (mut made, mut read) = (Vec::new(), BTreeSet::new());
        for line in text.lines() {
            match line.split_once(" = ") {
                Some((out, from)) if !line.starts_with("  store") => {
                    made.push((values(out), line));
                    read.extend(values(from));
                }
                _ => read.extend(values(line)),
            }
        }
        for (made, line) in made {
            prop_assert!(made.iter().any(|value| read.contains(value)), "{line}\n{text}");
        }
    }

    #[test]
    fn choices_name_their_bits_of_lanes_and_warps(case in cases()) {
        let [src, dst] = case.layouts();
        let options = PlanOptions::new().with_strategy(Way::Shuffle);
        let Ok(plan) = plan_conversion(&src, &dst, case.width, case.target, &options) else {
            return Ok(());
        };
        let text = plan.program().to_string();
        for line in text.lines() {
            let Some((choice, _)) = line.split_once("select ").and_then(|(_, l)| l.split_once(" ? "))
            else {
                continue;
            };
            let mask = choice.split(" ^ ").fold(0, |mask, part| {
                let (of, bits) = part.split_once(" & ").expect(line);
                let bits: u32 = bits.parse().expect(line);
                let lanes = 1 << case.target.lanes_log2();
                mask | if of == "lane" { bits % lanes } else { bits * lanes }
            });
            let known = plan.program().predicates().contains(&Predicate::Parity(mask));
            prop_assert!(mask != 0 && known, "{line}");
        }
    }

    /// Checks that no other swizzle is cheaper than the chosen one by more than the cost of one select. This
    /// tolerance is necessary because the search stops at the first swizzle that has the minimum number of
    /// wavefronts on both sides.
    #[test]
    fn no_other_swizzle_is_cheaper(case in cases()) {
        let (sides, target) = (case.sides(), case.target);
        let best = Route::best(&sides, case.width, 0, target).unwrap().cost(target);
        for choice in choices(case.width, 0, target) {
            let other = swizzle(&sides, case.width, choice, target)
                .and_then(|swizzle| Route::through(swizzle, &sides, case.width, target));
            let joins = target.costs.select;
            prop_assert!(other.is_none_or(|other| best <= other.cost(target) + joins), "{choice:?}");
        }
    }

    #[test]
    fn shuffles_cost_what_is_expected(case in cases(), reads_alone in any::<bool>()) {
        let sides = case.sides();
        let takes = if reads_alone { TakeMatrix::None } else { TakeMatrix::Restoring };
        let Some(exchange) = Exchange::new(&sides, case.width, case.target, takes) else {
            prop_assert!(reads_alone || !sides.stays_in_warp());
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

/// Checks that eight values, held by eight different lanes, are broadcast to all lanes without a select.
#[test]
fn values_of_a_few_lanes_take_no_select_to_all() {
    let target = Target::parse("cuda:90").unwrap();
    let d = Dim::out(0);
    let few = LinearLayout::identity_1d(8, Dim::LANE, d).unwrap();
    let few = few
        .product(&LinearLayout::zeros_1d(4, Dim::LANE, d, 1).unwrap())
        .unwrap();
    let all = LinearLayout::identity_1d(8, Dim::REGISTER, d).unwrap();
    let all = all
        .product(&LinearLayout::zeros_1d(32, Dim::LANE, d, 1).unwrap())
        .unwrap();
    let plan = plan_conversion(&few, &all, 32, target, &PlanOptions::new()).unwrap();
    let program = plan.program();
    assert_eq!((plan.kind(), program.steps().len()), (PlanKind::Shuffle, 8));
    assert_eq!(program.cost().arithmetic, 0);
}

/// Checks the conversion of a tensor that has 64 columns and four partial sums per column. In the source, a thread
/// holds one partial sum of each of two columns. In the destination, a thread holds all four partial sums of two
/// columns. If there are two rounds, the only register bit that both sides have in common determines the round, and
/// the loads keep their full width.
#[test]
fn rounds_leave_wide_accesses_to_the_side_that_has_them() {
    let target = Target::parse("cuda:90").unwrap();
    let of = |registers: &[usize], others: &[Option<usize>]| {
        let bits = registers.iter().map(|bit| Some(*bit));
        let bits = bits.chain(others.iter().copied());
        let columns: Vec<u64> = bits.map(|bit| bit.map_or(0, |bit| 1 << bit)).collect();
        let ins = [
            (Dim::REGISTER, 1 << registers.len()),
            (Dim::LANE, 32),
            (Dim::WARP, 4),
            (Dim::BLOCK, 1),
        ];
        let outs = [(Dim::out(0), 256)];
        LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required).unwrap()
    };
    let src = of(&[0], &[3, 4, 5, 1, 2, 6, 7].map(Some));
    let warps = [None, None];
    let lanes = [3, 4, 5, 6, 7].map(Some);
    let dst = of(&[0, 1, 2], &[&lanes[..], &warps].concat());
    let options = PlanOptions::new()
        .with_strategy(Way::Shared)
        .with_scratch_limit(512);
    let plan = plan_conversion(&src, &dst, 32, target, &options).unwrap();
    let text = plan.program().to_string();
    assert_eq!(plan.program().scratch_bytes(), 512);
    assert_eq!(text.matches(" = load").count(), 2, "{text}");
}
