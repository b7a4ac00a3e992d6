//! Verification of reduction plans: executes the plan on sets of elements and compares every result with its row.
//!
//! A set is represented by the sum of the hashes of its elements, modulo 2^64. Combining two sets adds their sums, so a
//! repeated or missing element changes the result. Two different sets collide with probability 2^-64.

use super::plan::{AbstractElement, PlanFault, check_cells};
use super::tuples::elements;
use crate::number::narrow;
use crate::plan::reduce::{ReducePlan, Reduction};

/// A set of elements, represented by the sum of the elements' hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ElementSet(u64);

impl AbstractElement for ElementSet {
    const NOTHING: Self = Self(u64::MAX);
    const ZERO: Option<Self> = Some(Self::EMPTY);

    fn combined_with(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl ElementSet {
    pub(super) const EMPTY: Self = Self(0);

    pub(super) fn of(element: u64) -> Self {
        // splitmix64: sums of few consecutive elements do not collide.
        let mut x = element.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(x ^ (x >> 31))
    }
}

/// Executes the plan for every thread and checks that each result is the combination of all elements of its row.
///
/// # Shape
/// `plan` is the result of [`crate::plan::reduce::plan_reduction`] for `reduction`.
///
/// # Errors
/// Returns the first fault: a result that does not contain each element of its row exactly once, a wrong
/// conversion, or a malformed step.
pub fn check_reduction(plan: &ReducePlan, reduction: &Reduction<'_>) -> Result<(), PlanFault> {
    let src = reduction.src;
    let src_elements = elements(src);
    let threads = src_elements.first().map_or(0, Vec::len);
    let sources: Vec<Vec<ElementSet>> = src_elements
        .into_iter()
        .map(|list| list.into_iter().map(ElementSet::of).collect())
        .collect();
    // The sum of each row, indexed by the coordinates without the axis.
    let sizes: Vec<usize> = src.out_dims().map(|dim| src.out_bits(dim)).collect();
    let below: usize = sizes.iter().take(reduction.axis).sum();
    let axis_bits = sizes.get(reduction.axis).copied().unwrap_or_default();
    let bits = src.total_out_bits();
    let mut rows = vec![ElementSet::EMPTY; 1 << (bits - axis_bits)];
    for element in 0..1u64 << bits {
        let row = element & ((1 << below) - 1) | element >> (below + axis_bits) << below;
        let sum = &mut rows[narrow::<usize>(row)];
        *sum = sum.combined_with(ElementSet::of(element));
    }
    let names = match reduction.dst {
        Some(dst) => elements(dst),
        None => vec![vec![0; threads]],
    };
    let of_row = |row: u64| rows[narrow::<usize>(row)];
    let expected: Vec<Vec<ElementSet>> = names
        .into_iter()
        .map(|list| list.into_iter().map(of_row).collect())
        .collect();
    check_cells(plan.program(), &sources, &expected, reduction.target)
}

#[cfg(test)]
mod tests {
    use super::super::tuples::tests::layout;
    use super::*;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::program::Step;
    use crate::plan::reduce::{baseline_reduction, plan_reduction};
    use crate::plan::tuples::LaneReduction;
    use crate::target::Target;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn reductions_are_right(
            sizes in proptest::collection::vec(0u32..5, 1..4),
            axis in 0usize..3,
            warps in 0u32..4,
            keys in proptest::collection::vec(any::<u32>(), 24),
            other in proptest::collection::vec(any::<u32>(), 24),
            widths in proptest::collection::vec(0usize..5, 1..4),
            gpu in 0usize..4,
            mixed in any::<bool>(),
            known in 0usize..3,
            can_halve in any::<bool>(),
        ) {
            let target = Target::parse(["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1100"][gpu])
                .expect("known");
            let axis = axis % sizes.len();
            let lanes = target.lanes_log2();
            let src = layout(&sizes, lanes, warps, &keys, mixed);
            let mut rows = sizes.clone();
            rows.remove(axis);
            let dst = (!rows.is_empty()).then(|| layout(&rows, lanes, warps, &other, mixed));
            let widths: Vec<u32> = widths.into_iter().map(|i| [1, 8, 16, 32, 64][i]).collect();
            let reduction = Reduction {
                src: &src,
                axis,
                dst: dst.as_ref(),
                widths: &widths,
                combine: 1,
                at_once: [
                    None,
                    Some(LaneReduction { is_idempotent: false }),
                    Some(LaneReduction { is_idempotent: true }),
                ][known],
                is_packed: known == 0 && mixed,
                target,
                scratch_limit: None,
                can_halve,
            };
            let plan = plan_reduction(&reduction).expect("it fits");
            if let Err(fault) = check_reduction(&plan, &reduction) {
                prop_assert!(false, "{fault}\n{plan}\n{src}\n{dst:?}");
            }
            let baseline = baseline_reduction(&reduction).expect("there is a plan");
            let Some(baseline) = baseline.filter(|baseline| baseline.bytes < plan.program().scratch_bytes()) else {
                return Ok(());
            };
            // A plan within the scratch memory of the baseline must be correct, too.
            let limited = Reduction { scratch_limit: Some(baseline.bytes), ..reduction };
            if let Ok(plan) = plan_reduction(&limited) {
                prop_assert!(plan.program().scratch_bytes() <= baseline.bytes, "{plan}");
                if let Err(fault) = check_reduction(&plan, &limited) {
                    prop_assert!(false, "{fault}\n{plan}\n{src}\n{dst:?}");
                }
            }
        }
    }

    /// Checks that the results are converted in several repetitions if the scratch limit does not allow to convert
    /// all of them at once.
    #[test]
    fn conversions_take_turns_within_a_limit() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        let registers = part(8, Dim::REGISTER, row);
        let src = registers.product(&part(8, Dim::LANE, row)).expect("small");
        let src = src.product(&part(4, Dim::LANE, column)).expect("small");
        let src = src.product(&part(4, Dim::WARP, column)).expect("small");
        let own = part(64, Dim::REGISTER, row);
        let copies = |size, dim| LinearLayout::zeros_1d(size, dim, row, 1).expect("small");
        let dst = own.product(&copies(32, Dim::LANE)).expect("small");
        let dst = dst.product(&copies(4, Dim::WARP)).expect("small");
        let reduction = Reduction {
            src: &src,
            axis: 1,
            dst: Some(&dst),
            widths: &[32, 16],
            combine: 1,
            at_once: None,
            is_packed: false,
            target,
            scratch_limit: None,
            can_halve: true,
        };
        let baseline = baseline_reduction(&reduction)
            .expect("there is a plan")
            .expect("it is simple");
        let limited = Reduction {
            scratch_limit: Some(baseline.bytes),
            ..reduction
        };
        let plan = plan_reduction(&limited).expect("it fits");
        check_reduction(&plan, &limited).expect("it is right");
        let program = plan.program();
        assert!(program.scratch_bytes() <= baseline.bytes, "{plan}");
        assert!(
            program.num_barriers() <= baseline.barriers as usize,
            "{baseline:?} {plan}"
        );
    }

    /// Returns a reduction that adds 32-bit numbers along dimension 1.
    fn sums<'a>(src: &'a LinearLayout, dst: &'a LinearLayout, target: &'a Target) -> Reduction<'a> {
        Reduction {
            src,
            axis: 1,
            dst: Some(dst),
            widths: &[32],
            combine: 1,
            at_once: None,
            is_packed: false,
            target,
            scratch_limit: None,
            can_halve: true,
        }
    }

    fn product(parts: &[LinearLayout]) -> LinearLayout {
        let all = LinearLayout::empty();
        let all = parts.iter().try_fold(all, |all, part| all.product(part));
        all.expect("small")
    }

    /// Checks the reduction of 8 rows of 32 elements, in which each row is held by the lanes of one warp. It takes
    /// 9 exchanges, followed by a gather of the rows if every lane needs all results.
    #[test]
    fn rows_are_halved() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let registers = LinearLayout::identity_1d(8, Dim::REGISTER, row).expect("small");
        let lanes = LinearLayout::identity_1d(32, Dim::LANE, column).expect("small");
        let src = registers.product(&lanes).expect("small");
        let copies = LinearLayout::zeros_1d(32, Dim::LANE, row, 1).expect("small");
        let everywhere = registers.product(&copies).expect("small");
        let reduction = sums(&src, &everywhere, target);
        let plan = plan_reduction(&reduction).expect("it fits");
        check_reduction(&plan, &reduction).expect("it is right");
        // Nothing is gathered in the layout that halving yields.
        let distributed =
            LinearLayout::from_bases(&[(Dim::LANE, &[&[0], &[0], &[1], &[2], &[4]])], &[row])
                .expect("small");
        let reduction = Reduction {
            dst: Some(&distributed),
            ..reduction
        };
        let plan = plan_reduction(&reduction).expect("it fits");
        check_reduction(&plan, &reduction).expect("it is right");
        let count = |sort: &str| {
            let steps = plan.program().steps().iter();
            steps.filter(|step| step.kind_name() == sort).count()
        };
        // Half of the rows is exchanged at a time: two selects, a shuffle and a combination.
        let counts = ["shuffle", "combine", "select"].map(count);
        assert_eq!(counts, [9, 9, 14], "{plan}");
        assert_eq!(plan.program().steps().len(), 32, "{plan}");
    }

    #[test]
    fn operands_that_do_not_fit_together_take_turns() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        let src = part(64, Dim::REGISTER, row).product(&part(32, Dim::LANE, row));
        let rows = src.expect("small");
        let src = rows.product(&part(4, Dim::WARP, column)).expect("small");
        let copies = LinearLayout::zeros_1d(4, Dim::WARP, row, 1).expect("small");
        let dst = rows.product(&copies).expect("small");
        let mut bytes = Vec::new();
        for (operands, barriers) in [(1, 1), (8, 15)] {
            let widths = vec![64; operands];
            let reduction = Reduction {
                widths: &widths,
                ..sums(&src, &dst, target)
            };
            let plan = plan_reduction(&reduction).expect("it fits");
            check_reduction(&plan, &reduction).expect("it is right");
            assert_eq!(plan.program().num_barriers(), barriers, "{plan}");
            bytes.push(plan.program().scratch_bytes());
        }
        assert_eq!(bytes[0], bytes[1]);
    }

    /// Checks a reduction in which two warps hold parts of 32 rows, and halving distributes the rows over the lanes
    /// of each warp. The partial results that both warps have for a row are combined in the lane that holds this
    /// row.
    #[test]
    fn partial_results_of_warps_meet_where_their_rows_are() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        let copies = |size, dim| LinearLayout::zeros_1d(size, dim, row, 1).expect("small");
        let src = product(&[
            part(32, Dim::REGISTER, row),
            part(32, Dim::LANE, column),
            part(2, Dim::WARP, column),
        ]);
        let dst = product(&[
            part(32, Dim::REGISTER, row),
            copies(32, Dim::LANE),
            copies(2, Dim::WARP),
        ]);
        let reduction = sums(&src, &dst, target);
        let plan = plan_reduction(&reduction).expect("it fits");
        check_reduction(&plan, &reduction).expect("it is right");
        let (strategy, cost) = plan.considered()[0];
        assert_eq!(
            strategy.to_string(),
            "halving, warps in registers beside the rows"
        );
        assert!(
            plan.considered()[1..]
                .iter()
                .all(|(_, other)| other.total() > cost.total())
        );
    }

    #[test]
    fn lanes_combine_what_warps_leave_where_they_have_copies() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        // 2^k rows along lanes; the elements of a row in the remaining lanes and in four warps.
        for rows_log2 in 0..=5 {
            let src = product(&[
                part(1 << rows_log2, Dim::LANE, row),
                part(32 >> rows_log2, Dim::LANE, column),
                part(4, Dim::WARP, column),
            ]);
            let copies = |size, dim| LinearLayout::zeros_1d(size, dim, row, 1).expect("small");
            let dst = product(&[
                part(1 << rows_log2, Dim::LANE, row),
                copies(32 >> rows_log2, Dim::LANE),
                copies(4, Dim::WARP),
            ]);
            let reduction = sums(&src, &dst, target);
            let plan = plan_reduction(&reduction).expect("it fits");
            check_reduction(&plan, &reduction).expect("it is right");
            let is_considered = plan
                .considered()
                .iter()
                .any(|(strategy, _)| strategy.across_lanes);
            // Four partial results need two lane bits.
            assert_eq!(is_considered, 5 - rows_log2 >= 2, "{rows_log2}: {plan}");
        }
    }

    /// Checks that lanes combine the partial results of the warps if many warps share a row, even if the lanes hold
    /// no replicas. Otherwise, every thread would load the partial results of all warps.
    #[test]
    fn lanes_combine_what_many_warps_leave() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        for warps_log2 in 1..=5 {
            let src = product(&[
                part(32, Dim::LANE, row),
                part(1 << warps_log2, Dim::WARP, column),
            ]);
            let copies = LinearLayout::zeros_1d(1 << warps_log2, Dim::WARP, row, 1);
            let dst = product(&[part(32, Dim::LANE, row), copies.expect("small")]);
            let reduction = sums(&src, &dst, target);
            let plan = plan_reduction(&reduction).expect("it fits");
            check_reduction(&plan, &reduction).expect("it is right");
            let (strategy, _) = plan.considered()[0];
            assert_eq!(
                strategy.across_lanes,
                warps_log2 >= 3,
                "{warps_log2}: {plan}"
            );
            let loads = plan.program().wavefronts(target).taken;
            assert!(loads <= 8 << warps_log2, "{warps_log2}: {plan}");
        }
    }

    /// Checks that the cost of an exchange is proportional to the number of words per operand and to the number of
    /// warps.
    #[test]
    fn exchanges_cost_by_the_word() {
        let (row, column) = (Dim::out(0), Dim::out(1));
        for target in ["cuda:90", "hip:gfx942", "hip:gfx1100"] {
            let target = Target::parse(target).expect("known");
            let lanes = LinearLayout::identity_1d(1 << target.lanes_log2(), Dim::LANE, column);
            let lanes = lanes.expect("small");
            let cost = |widths: &[u32], warps: u64| {
                let warps = LinearLayout::identity_1d(warps, Dim::WARP, row).expect("small");
                let src = warps.product(&lanes).expect("small");
                let copies = LinearLayout::zeros_1d(1 << target.lanes_log2(), Dim::LANE, row, 1);
                let dst = warps.product(&copies.expect("small")).expect("small");
                let reduction = Reduction {
                    src: &src,
                    axis: 1,
                    dst: Some(&dst),
                    widths,
                    combine: 0,
                    at_once: None,
                    is_packed: false,
                    target,
                    scratch_limit: None,
                    can_halve: true,
                };
                let plan = plan_reduction(&reduction).expect("it fits");
                let cost = plan.program().cost();
                (cost.load_store, cost.arithmetic)
            };
            let (load_store, arithmetic) = cost(&[32], 1);
            let times = |by: u32| (by * load_store, by * arithmetic);
            assert_eq!(cost(&[64], 1), times(2), "{target}");
            assert_eq!(cost(&[32, 64, 16], 1), times(4), "{target}");
            assert_eq!(cost(&[32], 4), times(4), "{target}");
        }
    }

    /// Checks that the elements of a warp are combined by one lane reduction. A second lane reduction would combine
    /// replicas of partial results, which is correct only for idempotent operations.
    #[test]
    fn lanes_are_reduced_at_once() {
        let target = Target::parse("cuda:90").expect("known");
        let part = |size, dim| LinearLayout::identity_1d(size, dim, Dim::out(0)).expect("small");
        let src = part(32, Dim::LANE)
            .product(&part(8, Dim::WARP))
            .expect("small");
        let count = |is_idempotent| {
            let reduction = Reduction {
                src: &src,
                axis: 0,
                dst: None,
                widths: &[32],
                combine: 1,
                at_once: Some(LaneReduction { is_idempotent }),
                is_packed: false,
                target,
                scratch_limit: None,
                can_halve: true,
            };
            let plan = plan_reduction(&reduction).expect("it fits");
            check_reduction(&plan, &reduction).expect("it is right");
            let steps = plan.program().steps().iter();
            let at_once = |step: &&Step| matches!(step, Step::ReduceLanes { .. });
            for at in 0..plan.program().steps().len() {
                let broken = plan.edited(|steps| {
                    if let Step::ReduceLanes { copies, .. } = &mut steps[at] {
                        *copies ^= 1;
                    }
                });
                let is_same = broken == plan;
                assert_eq!(is_same, check_reduction(&broken, &reduction).is_ok());
            }
            steps.filter(at_once).count()
        };
        assert_eq!((count(false), count(true)), (1, 2));
    }

    #[test]
    fn broken_plans_are_rejected() {
        let target = Target::parse("hip:gfx942").expect("known");
        let src = layout(&[3, 6], 6, 2, &[7; 24], false);
        let reduction = Reduction {
            src: &src,
            axis: 1,
            dst: None,
            widths: &[16],
            combine: 1,
            at_once: None,
            is_packed: false,
            target,
            scratch_limit: None,
            can_halve: true,
        };
        let flat = src.flatten_outs().expect("small");
        let reduction = Reduction {
            src: &flat,
            axis: 0,
            ..reduction
        };
        let plan = plan_reduction(&reduction).expect("it fits");
        check_reduction(&plan, &reduction).expect("it is right");
        let mut seen = 0;
        for at in 0..plan.program().steps().len() {
            let mut is_changed = true;
            let broken = plan.edited(|steps| match &mut steps[at] {
                Step::Combine { acc, other, .. } => *other = *acc,
                Step::ShuffleXor { lane_mask, .. } => *lane_mask = 0,
                Step::Select {
                    if_set, if_clear, ..
                } => std::mem::swap(if_set, if_clear),
                Step::ReduceLanes { copies, .. } => *copies ^= 1,
                // Steps of conversions.
                _ => is_changed = false,
            });
            let verdict = check_reduction(&broken, &reduction);
            assert_eq!(is_changed, verdict.is_err(), "step {at} of {broken}");
            seen += usize::from(verdict.is_err());
        }
        assert!(seen > 6, "{plan}");
    }
}
