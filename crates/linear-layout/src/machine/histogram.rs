//! Verification of histogram plans: executes the plan on fixed bins and compares every count with its elements.
//!
//! A symbolic count is the set of the counted elements. The steps of a plan depend only on the bin of an element, so
//! three runs suffice: elements in bin zero and in each bin with a single bit set, elements that share bins, and all
//! elements in the last bin. With a mask, each run masks off different elements.

use super::plan::{AbstractElement, OperandCells, PlanFault, check_operands};
use super::reduce::ElementSet;
use super::tuples::elements;
use crate::number::narrow;
use crate::plan::histogram::{Histogram, HistogramPlan};

/// Executes the plan for every thread and checks each count.
///
/// # Shape
/// `plan` is the result of [`crate::plan::histogram::plan_histogram`] for `histogram`.
/// # Errors
/// Returns the first fault: an element that is not counted exactly once, a count in a wrong register, or a race.
pub fn check_histogram(plan: &HistogramPlan, histogram: &Histogram<'_>) -> Result<(), PlanFault> {
    let held = elements(histogram.src);
    let held = plan.registers().iter().map(|register| &held[*register]);
    let held: Vec<&Vec<u64>> = held.collect();
    let counted = elements(histogram.dst);
    let bins = 1u64 << plan.bins_log2();
    let bits = plan.bins_log2();
    // Bin zero and each single-bit bin, in turn; bins that elements share; the last bin for all elements.
    let single: Vec<u64> = std::iter::once(0)
        .chain((0..bits).map(|bit| 1 << bit))
        .collect();
    let spreads: [&dyn Fn(u64) -> u64; 3] = [
        &|element| single[narrow::<usize>(element) % single.len()],
        &|element| (element >> 3 ^ element) % bins,
        &|_| bins - 1,
    ];
    for (number, bin) in spreads.into_iter().enumerate() {
        // Each run excludes another third.
        let left_out = number as u64 % 3;
        let is_counted = |e: u64| !histogram.is_masked || e % 3 != left_out;
        let of = |f: &dyn Fn(u64) -> u32| -> Vec<Vec<u32>> {
            let rows = held.iter();
            rows.map(|row| row.iter().map(|e| f(*e)).collect())
                .collect()
        };
        let mut numbers = of(&|e| narrow::<u32>(bin(e)));
        let sets: Vec<Vec<ElementSet>> = held
            .iter()
            .map(|row| row.iter().map(|e| ElementSet::of(*e)).collect())
            .collect();
        let mut sources = vec![sets];
        if histogram.is_masked {
            numbers.extend(of(&|e| is_counted(e).into()));
            sources.push(vec![vec![ElementSet::EMPTY; held[0].len()]; held.len()]);
        }
        let mut counts = vec![ElementSet::EMPTY; 1 << bits];
        for element in (0..1 << histogram.src.total_out_bits()).filter(|e| is_counted(*e)) {
            let count = &mut counts[narrow::<usize>(bin(element))];
            *count = count.combined_with(ElementSet::of(element));
        }
        let expected = counted.iter();
        let expected =
            expected.map(|row| row.iter().map(|b| counts[narrow::<usize>(*b)]).collect());
        let expected = vec![expected.collect()];
        let operands = OperandCells {
            sources: &sources,
            expected: &expected,
            numbers: &numbers,
            products: None,
        };
        check_operands(plan.program(), operands, histogram.target)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tuples::tests::layout;
    use super::*;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::histogram::{HistogramStrategy, plan_histogram};
    use crate::target::Target;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn histograms_are_right(
            sizes in proptest::collection::vec(0u32..6, 1..3),
            bins in 0u32..10,
            warps in 0u32..4,
            keys in proptest::collection::vec(any::<u32>(), 24),
            other in proptest::collection::vec(any::<u32>(), 24),
            gpu in 0usize..4,
            mixed in any::<bool>(),
        ) {
            let target = Target::parse(["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1100"][gpu])
                .expect("known");
            let lanes = target.lanes_log2();
            let src = layout(&sizes, lanes, warps, &keys, mixed);
            let dst = layout(&[bins], lanes, warps, &other, mixed);
            let histogram = Histogram { src: &src, dst: &dst, is_masked: keys[0] % 2 == 0, target };
            let plan = plan_histogram(&histogram).expect("it fits");
            if let Err(fault) = check_histogram(&plan, &histogram) {
                prop_assert!(false, "{fault}\n{plan:?}\n{src}\n{dst}");
            }
        }
    }

    /// Checks that the histogram of 512 elements in 4 warps is computed by ballots if there are few bins, and by
    /// atomic additions if there are many.
    #[test]
    fn few_bins_are_voted_on() {
        let target = Target::parse("hip:gfx942").expect("known");
        let d = Dim::out(0);
        let part = |size, dim| LinearLayout::identity_1d(size, dim, d).expect("small");
        let src = part(4, Dim::REGISTER).product(&part(64, Dim::LANE));
        let src = src
            .and_then(|l| l.product(&part(4, Dim::WARP)))
            .expect("small");
        let plan = |bins: u32| {
            let dst = layout(&[bins], 6, 2, &[3; 24], false);
            let histogram = Histogram {
                src: &src,
                dst: &dst,
                is_masked: false,
                target,
            };
            let plan = plan_histogram(&histogram).expect("it fits");
            check_histogram(&plan, &histogram).expect("it is right");
            assert_eq!(plan.bins_log2(), bins);
            plan
        };
        let (few, many) = (plan(1), plan(9));
        assert_eq!(few.strategy(), HistogramStrategy::Voting, "{few:?}");
        assert_eq!(many.strategy(), HistogramStrategy::Adding, "{many:?}");
        assert_eq!(
            (
                few.program().scratch_bytes(),
                many.program().scratch_bytes()
            ),
            (8, 2048)
        );
    }

    #[test]
    fn broken_plans_are_rejected() {
        let target = Target::parse("cuda:90").expect("known");
        let src = layout(&[3, 6], 5, 0, &[7; 24], false);
        let plan = |dst: &LinearLayout| {
            let histogram = Histogram {
                src: &src,
                dst,
                is_masked: false,
                target,
            };
            (
                plan_histogram(&histogram).expect("it fits"),
                histogram.dst.clone(),
            )
        };
        let (one, other) = (
            layout(&[3], 5, 0, &[1; 24], false),
            layout(&[4], 5, 0, &[9; 24], false),
        );
        let (plan_one, plan_other) = (plan(&one).0, plan(&other).0);
        let histogram = Histogram {
            src: &src,
            dst: &one,
            is_masked: false,
            target,
        };
        check_histogram(&plan_one, &histogram).expect("it is right");
        let broken = plan_one.with_program(plan_other.program().clone());
        assert!(check_histogram(&broken, &histogram).is_err());
    }
}
