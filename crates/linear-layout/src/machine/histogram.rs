//! Runs the plan of a histogram on values and compares every count with those of the elements.
//!
//! What a plan does with a value depends on the value alone, not on where it comes from, so it is run on values that
//! are all different where there are bins enough, and on others that meet in few bins. That each element is counted
//! once is seen by name, whatever its value.

use super::plan::{PlanFault, check_plan, columns, span};
use crate::plan::histogram::{Bins, Histogram, HistogramPlan, HistogramWay, Voting, VotingEnd};
use crate::plan::memory::MemoryPlan;
use thiserror::Error;
/// What is wrong with the plan of a histogram.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct HistogramFault(#[from] Kind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Kind {
    #[error("element {element} is counted {times} times, expected once")]
    Counted { element: u64, times: usize },
    #[error("bin {bin} is not cleared")]
    Cleared { bin: u64 },
    #[error("bin {bin} is cleared, expected one of {bins}")]
    Outside { bin: u64, bins: usize },
    #[error("register {register} of thread {thread} is loaded from another bin than its own")]
    Loaded { register: usize, thread: u64 },
    #[error("votes find {found} elements in bin {bin}, expected {expected}")]
    Votes { bin: u32, found: u32, expected: u32 },
    #[error(transparent)]
    Conversion(PlanFault),
}

/// Runs the plan for every thread and checks that each count is right.
///
/// # Shape
/// `plan` as made by [`crate::plan::histogram::plan_histogram`] of `histogram`.
/// # Errors
/// The first fault: an element that is not counted once, or a count that reaches somebody else.
pub fn check_histogram(
    plan: &HistogramPlan,
    histogram: &Histogram<'_>,
) -> Result<(), HistogramFault> {
    let lanes = histogram.target.lanes;
    let (registers, threads) = columns(histogram.src);
    let (registers, threads) = (span(&registers), span(&threads));
    let others = plan.copies();
    let warps = threads.len() as u32 / lanes;
    // Without bins that all warps add to, each of them counts all elements for itself.
    let groups = if plan.bins().is_some() { 1 } else { warps };
    for group in 0..groups {
        let counts = |thread: u32| {
            let (lane, warp) = (thread % lanes, thread / lanes);
            let is_in = groups == 1 && warp & others.warps == 0 || groups > 1 && warp == group;
            lane & others.lanes == 0 && is_in
        };
        let mut times = vec![0usize; 1 << histogram.src.total_out_bits()];
        for (thread, there) in (0u32..).zip(&threads) {
            for register in plan.registers().iter().filter(|_| counts(thread)) {
                let here = registers.get(*register).copied().unwrap_or_default();
                times[(here ^ there) as usize] += 1;
            }
        }
        let wrong = (0u64..).zip(&times).find(|(_, times)| **times != 1);
        if let Some((element, times)) = wrong {
            let times = *times;
            return Err(Kind::Counted { element, times }.into());
        }
    }
    if let HistogramWay::Voting(voting) = plan.way() {
        check_votes(plan, voting, lanes)?;
        if let VotingEnd::Convert { counts, plan } = &voting.end {
            check_plan(plan.program(), counts, histogram.dst, histogram.target)
                .map_err(Kind::Conversion)?;
        }
    }
    plan.bins()
        .map_or(Ok(()), |bins| check_bins(bins, histogram))
}

/// Each bin is cleared, and each count loaded from its bin.
fn check_bins(bins: &Bins, histogram: &Histogram<'_>) -> Result<(), HistogramFault> {
    let lanes_log2 = histogram.target.lanes_log2();
    let threads = 1u64 << columns(histogram.src).1.len();
    let address = |plan: &MemoryPlan, register: usize, thread: u64| {
        let (access, slot) = plan.held()[register];
        let place = [thread & ((1 << lanes_log2) - 1), thread >> lanes_log2];
        plan.address(access as usize, place, 0) + u64::from(slot) * plan.place().element_bytes()
    };
    let mut cleared = vec![false; 1 << histogram.dst.total_out_bits()];
    for thread in 0..threads {
        for register in 0..bins.clear.held().len() {
            let bin = address(&bins.clear, register, thread) / bins.clear.place().element_bytes();
            let bins = cleared.len();
            let Some(is_cleared) = cleared.get_mut(bin as usize) else {
                return Err(Kind::Outside { bin, bins }.into());
            };
            *is_cleared = true;
        }
    }
    if let Some(bin) = cleared.iter().position(|is_cleared| !is_cleared) {
        return Err(Kind::Cleared { bin: bin as u64 }.into());
    }
    let (registers, there) = columns(histogram.dst);
    let (registers, there) = (span(&registers), span(&there));
    for (thread, there) in (0u64..).zip(there) {
        for (register, here) in registers.iter().enumerate() {
            let found = address(&bins.load, register, thread);
            if found != (here ^ there) * bins.load.place().element_bytes() {
                return Err(Kind::Loaded { register, thread }.into());
            }
        }
    }
    Ok(())
}

/// Votes of a warp on values that are all different, and on some that are not.
fn check_votes(plan: &HistogramPlan, voting: &Voting, lanes: u32) -> Result<(), HistogramFault> {
    let bins = 1u32 << plan.bins_log2();
    let is_owner = |lane: u32| lane & plan.copies().lanes == 0;
    for start in (0..bins).step_by(lanes as usize) {
        for spread in [1, lanes / 2 + 1, bins] {
            let value = |lane: u32| (start + lane.wrapping_mul(spread)) % (2 * bins);
            let is_counted = |lane: &u32| is_owner(*lane) && value(*lane) < bins;
            let votes = |bit: usize| {
                let voters = (0..lanes).filter(|lane| value(*lane) >> bit & 1 == 1);
                voters.fold(0u64, |mask, lane| mask | 1 << lane)
            };
            let all = (0..lanes)
                .filter(is_counted)
                .fold(0u64, |mask, lane| mask | 1 << lane);
            // Whoever owns a bin counts as the votes say.
            for lane in (0..lanes).filter(|lane| lane & !voting.lane_mask() == 0) {
                for register in 0..1 << voting.counts_log2() {
                    let bin = voting.bin(register, lane);
                    let mask = (0..voting.places.len()).fold(all, |mask, bit| {
                        mask & if bin >> bit & 1 == 1 {
                            votes(bit)
                        } else {
                            !votes(bit)
                        }
                    });
                    let expected = (0..lanes).filter(is_counted).filter(|l| value(*l) == bin);
                    let (found, expected) = (mask.count_ones(), expected.count() as u32);
                    if found != expected {
                        return Err(Kind::Votes {
                            bin,
                            found,
                            expected,
                        }
                        .into());
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tuples::tests::layout;
    use super::*;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::histogram::plan_histogram;
    use crate::target::Target;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// Every element is counted once, and every count gets to who asks for it, whatever the layouts.
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
            let histogram = Histogram { src: &src, dst: &dst, target };
            let plan = plan_histogram(&histogram).expect("it fits");
            if let Err(fault) = check_histogram(&plan, &histogram) {
                prop_assert!(false, "{fault}\n{plan:?}\n{src}\n{dst}");
            }
        }
    }

    /// 512 elements of 4 warps: few bins are voted on, many are added to.
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
                target,
            };
            let plan = plan_histogram(&histogram).expect("it fits");
            check_histogram(&plan, &histogram).expect("it is right");
            assert_eq!(plan.bins_log2(), bins);
            plan
        };
        let (few, many) = (plan(1), plan(9));
        assert!(matches!(few.way(), HistogramWay::Voting(_)), "{few:?}");
        assert!(matches!(many.way(), HistogramWay::Adding(_)), "{many:?}");
        assert_eq!((few.scratch_bytes(), many.scratch_bytes()), (8, 2048));
    }

    /// The machine sees bins that are not those of the lanes, and counts that go elsewhere.
    #[test]
    fn broken_plans_are_seen() {
        let target = Target::parse("cuda:90").expect("known");
        let src = layout(&[3, 6], 5, 0, &[7; 24], false);
        let plan = |dst: &LinearLayout| {
            let histogram = Histogram {
                src: &src,
                dst,
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
            target,
        };
        check_histogram(&plan_one, &histogram).expect("it is right");
        let broken = plan_one.with_way(plan_other.way().clone());
        assert!(check_histogram(&broken, &histogram).is_err());
    }
}
