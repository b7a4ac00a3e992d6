//! Verification of scan plans: executes the plan on ranges of elements and compares every result with its prefix.
//!
//! A symbolic element is a half-open range of one row. Two ranges combine if the second starts at the end of the first;
//! any other combination is invalid. An invalid value is a fault only if it reaches a result.

use super::plan::{AbstractElement, PlanFault, check_cells};
use super::tuples::elements;
use crate::plan::scan::{Scan, ScanPlan};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ElementRange {
    Of { row: u64, from: u64, to: u64 },
    Nothing,
    Unwritten,
}

impl AbstractElement for ElementRange {
    const NOTHING: Self = Self::Unwritten;

    fn combined_with(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Of { row, from, to },
                Self::Of {
                    row: next_row,
                    from: next,
                    to: end,
                },
            ) if row == next_row && to == next => Self::Of { row, from, to: end },
            _ => Self::Nothing,
        }
    }
}

/// Executes the plan for every thread and checks that each result combines the elements of its row from the first
/// element of the scan up to the position of the result.
///
/// # Shape
/// `plan` is the result of [`crate::plan::scan::plan_scan`] for `scan`.
/// # Errors
/// Returns the first fault: a result that does not contain the elements of its prefix in order, a wrong conversion,
/// or a malformed step.
pub fn check_scan(plan: &ScanPlan, scan: &Scan<'_>) -> Result<(), PlanFault> {
    let sizes: Vec<usize> = scan.src.out_dims().map(|d| scan.src.out_bits(d)).collect();
    let below: usize = sizes.iter().take(scan.axis).sum();
    let size = 1u64 << sizes.get(scan.axis).copied().unwrap_or_default();
    let position = |element: u64| {
        let at = element >> below & (size - 1);
        let row = element & !((size - 1) << below);
        (row, if scan.reverse { size - 1 - at } else { at })
    };
    let held = elements(scan.src);
    let runs = |begin: fn(u64) -> u64| -> Vec<Vec<ElementRange>> {
        let of = |element: &u64| {
            let (row, at) = position(*element);
            let (from, to) = (begin(at), at + 1);
            ElementRange::Of { row, from, to }
        };
        held.iter()
            .map(|list| list.iter().map(of).collect())
            .collect()
    };
    check_cells(plan.program(), &runs(|at| at), &runs(|_| 0), scan.target)
}

#[cfg(test)]
mod tests {
    use super::super::tuples::tests::layout;
    use super::*;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::program::Step;
    use crate::plan::scan::{baseline_scan, plan_scan};
    use crate::target::Target;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn scans_are_right(
            sizes in proptest::collection::vec(0u32..7, 1..4),
            axis in 0usize..3,
            warps in 0u32..5,
            keys in proptest::collection::vec(any::<u32>(), 24),
            widths in proptest::collection::vec(0usize..5, 1..5),
            gpu in 0usize..4,
            mixed in 0u32..4,
            reverse in any::<bool>(),
        ) {
            let target = Target::parse(["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1100"][gpu])
                .expect("known");
            let src = layout(&sizes, target.lanes_log2(), warps, &keys, mixed == 0);
            let widths: Vec<u32> = widths.into_iter().map(|i| [1, 8, 16, 32, 64][i]).collect();
            let scan = Scan {
                src: &src,
                axis: axis % sizes.len(),
                reverse,
                widths: &widths,
                combine: 1,
                is_packed: false,
                target,
                scratch_limit: None,
            };
            // 2^17 elements of 64 bits exceed shared memory.
            prop_assume!(sizes.iter().sum::<u32>() < 13);
            let plan = plan_scan(&scan).expect("it fits");
            if let Err(fault) = check_scan(&plan, &scan) {
                prop_assert!(false, "{fault}\n{plan}\n{src}");
            }
            let limited = Scan { scratch_limit: Some(baseline_scan(&scan).bytes), ..scan };
            if let Ok(plan) = plan_scan(&limited)
                && let Err(fault) = check_scan(&plan, &limited)
            {
                prop_assert!(false, "{fault}\n{plan}\n{src}");
            }
        }
    }

    /// Checks the scan of 512 elements in Triton's default blocked layout. It takes one trip through shared memory,
    /// and the predicted cost is exact.
    #[test]
    fn blocked_rows_take_one_trip() {
        let target = Target::parse("cuda:90").expect("known");
        let d = Dim::out(0);
        let part = |size, dim| LinearLayout::identity_1d(size, dim, d).expect("small");
        let src = part(4, Dim::REGISTER).product(&part(32, Dim::LANE));
        let src = src
            .and_then(|l| l.product(&part(4, Dim::WARP)))
            .expect("small");
        let scan = Scan {
            src: &src,
            axis: 0,
            reverse: false,
            widths: &[32],
            combine: 1,
            is_packed: false,
            target,
            scratch_limit: None,
        };
        let plan = plan_scan(&scan).expect("it fits");
        check_scan(&plan, &scan).expect("it is right");
        let count = |is: fn(&Step) -> bool| {
            let steps = plan.program().steps().iter();
            steps.filter(|step| is(step)).count()
        };
        let fetches = count(|step| matches!(step, Step::ShuffleIndex { .. }));
        let trips = count(|step| matches!(step, Step::Barrier(_)));
        // Five lane bits, the preceding lane, and the total of the warp.
        assert_eq!((fetches, trips), (7, 1), "{plan}");
        let text = plan.to_string();
        for (of, bits) in [("lane", 5), ("warp", 2)] {
            for bit in 0..bits {
                let select = format!("select {of} & {} ?", 1 << bit);
                assert!(text.contains(&select), "{select} in {text}");
            }
        }
    }

    #[test]
    fn scans_cost_by_the_word() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let lanes = LinearLayout::identity_1d(32, Dim::LANE, column).expect("small");
        let cost = |width: u32, warps: u64| {
            let warps = LinearLayout::identity_1d(warps, Dim::WARP, row).expect("small");
            let src = warps.product(&lanes).expect("small");
            let scan = Scan {
                src: &src,
                axis: 1,
                reverse: false,
                widths: &[width],
                combine: 0,
                is_packed: false,
                target,
                scratch_limit: None,
            };
            let plan = plan_scan(&scan).expect("it fits");
            let cost = plan.program().cost();
            [cost.load_store, cost.arithmetic]
        };
        let one = cost(32, 1);
        assert!(one.iter().all(|part| *part > 0));
        assert_eq!(cost(64, 1), one.map(|part| 2 * part));
        assert_eq!(cost(32, 4), one.map(|part| 4 * part));
    }

    #[test]
    fn broken_plans_are_rejected() {
        let target = Target::parse("hip:gfx942").expect("known");
        let src = layout(&[3, 7], 6, 2, &[5; 24], false);
        let scan = Scan {
            src: &src,
            axis: 1,
            reverse: true,
            widths: &[16, 64],
            combine: 1,
            is_packed: false,
            target,
            scratch_limit: None,
        };
        let plan = plan_scan(&scan).expect("it fits");
        check_scan(&plan, &scan).expect("it is right");
        for at in 0..plan.program().steps().len() {
            let mut is_changed = true;
            let broken = plan.edited(|steps| match &mut steps[at] {
                Step::Combine { acc, other, .. } => std::mem::swap(acc, other),
                Step::Select {
                    if_set, if_clear, ..
                } => std::mem::swap(if_set, if_clear),
                // Lanes read from a neighbour of the right lane.
                Step::ShuffleIndex { lane_xor, .. } => *lane_xor ^= 1,
                // Steps of conversions.
                _ => is_changed = false,
            });
            let verdict = check_scan(&broken, &scan);
            assert_eq!(is_changed, verdict.is_err(), "step {at} of {broken}");
        }
    }
}
