//! Verification of gather plans: executes the plan for fixed index values and compares each result with its element.
//!
//! Every register of every thread gets the same index: a result depends only on the index in the same register. Index
//! maps are linear, so index bits that select registers are tested in all combinations, and the others one by one.

use super::plan::{PlanFault, check_at_numbers, columns, span};
use crate::layout::LinearLayout;
use crate::plan::gather::{Gather, GatherPlan};
use crate::plan::program::{Program, Step};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Executes the plan for every thread with several index values, and checks each result.
///
/// Index maps are linear, so these index values suffice to prove the plan correct for all index values.
///
/// # Shape
/// `plan` is the result of [`crate::plan::gather::plan_gather`] for `gather`.
/// # Errors
/// Returns the first fault: a register with a wrong element, a race, or a bad address.
pub fn check_gather(plan: &GatherPlan, gather: &Gather<'_>) -> Result<(), PlanFault> {
    let program = plan.program();
    let (src, indices) = (elements(gather.src), gather.indices);
    // The row of each register and thread of the indices, as a packed coordinate of the source.
    let below = gather.src.out_dims().take(gather.axis);
    let below: usize = below.map(|dim| gather.src.out_bits(dim)).sum();
    let own_bits = indices.out_dims().nth(gather.axis);
    let own_bits = own_bits.map_or(0, |dim| indices.out_bits(dim));
    let row = |point: &u64| {
        let low = point & ((1 << below) - 1);
        low | point >> (below + own_bits) << (below + plan.index_bits() as usize)
    };
    let (registers, threads) = elements(indices);
    let [registers, threads]: [Vec<u64>; 2] =
        [registers, threads].map(|points| points.iter().map(row).collect());
    for index in sufficient_indices(program, plan.index_bits()) {
        let at = registers.iter().map(|row| row | u64::from(index) << below);
        let expected = (at.collect(), threads.clone());
        check_at_numbers(program, &src, index, &expected, gather.target)?;
    }
    Ok(())
}

fn elements(layout: &LinearLayout) -> (Vec<u64>, Vec<u64>) {
    let (registers, threads) = columns(layout);
    (span(&registers), span(&threads))
}

/// Returns the index values to test. They contain all combinations of the index bits that affect the condition of a
/// select instruction, and each of the other index bits alone.
///
/// If several bits have the same effect on all selects, only the first of these bits is combined with other bits.
fn sufficient_indices(program: &Program, index_bits: u32) -> Vec<u32> {
    let mut outputs = FxHashMap::default();
    let mut selecting: BTreeSet<(u32, u32)> = BTreeSet::new();
    for step in program.steps() {
        match *step {
            Step::Compute {
                first, count, map, ..
            } => outputs.extend((0..count).map(|output| (first.plus(output), (map, output)))),
            Step::SelectBit { number, .. } => selecting.extend(outputs.get(&number)),
            _ => {}
        }
    }
    // The contribution of an index bit to all numbers that select.
    let column = |bit: u32| {
        let of = |(map, output): &(u32, u32)| {
            let map = &program.index_maps()[*map as usize];
            map.evaluate(&[0, 0, 1 << bit])[*output as usize]
        };
        selecting.iter().map(of).collect::<Vec<u64>>()
    };
    let mut known: Vec<Vec<u64>> = Vec::new();
    let (mut sums, mut others) = (vec![0], Vec::new());
    for bit in 0..index_bits {
        let column = column(bit);
        let is_new = column.iter().any(|c| *c != 0) && !known.contains(&column);
        if is_new {
            known.push(column);
            for i in 0..sums.len() {
                sums.push(sums[i] ^ 1 << bit);
            }
        } else {
            others.push(1 << bit);
        }
    }
    sums.extend(others);
    sums
}

#[cfg(test)]
mod tests {
    use super::super::tuples::tests::layout;
    use super::*;
    use crate::layout::Dim;
    use crate::plan::gather::{GatherStrategy, plan_gather};
    use crate::plan::program::BarrierScope;
    use crate::target::Target;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn gathers_are_right(
            sizes in proptest::collection::vec(0u32..6, 1..4),
            axis in 0usize..3,
            index_log2 in 0u32..7,
            warps in 0u32..4,
            keys in proptest::collection::vec(any::<u32>(), 24),
            other in proptest::collection::vec(any::<u32>(), 24),
            width in 0usize..5,
            gpu in 0usize..4,
            mixed in 0u32..3,
            alike in any::<bool>(),
        ) {
            let target = Target::parse(["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1100"][gpu])
                .expect("known");
            let (axis, lanes) = (axis % sizes.len(), target.lanes_log2());
            let src = layout(&sizes, lanes, warps, &keys, mixed == 0);
            let mut to = sizes.clone();
            to[axis] = index_log2;
            // Indices in the layout of the source can be served by shuffles.
            let indices = if alike {
                src.clone()
            } else {
                layout(&to, lanes, warps, &other, mixed == 1)
            };
            let bits = [1, 8, 16, 32, 64][width];
            prop_assume!(sizes.iter().sum::<u32>() < 13);
            let gather = Gather { src: &src, indices: &indices, axis, bits, target };
            let plan = plan_gather(&gather).expect("it fits");
            if let Err(fault) = check_gather(&plan, &gather) {
                prop_assert!(false, "{fault}\n{plan:?}\n{src}\n{indices}");
            }
        }
    }

    /// Checks that a gather uses one shuffle per element, and no shared memory, if the lanes of a warp hold whole
    /// rows and the gather is along these rows.
    #[test]
    fn rows_of_a_warp_are_shuffled() {
        let target = Target::parse("hip:gfx1100").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        let src = part(8, Dim::REGISTER, row).product(&part(32, Dim::LANE, column));
        let src = src
            .and_then(|l| l.product(&part(4, Dim::WARP, row)))
            .expect("small");
        let gather = |axis| Gather {
            src: &src,
            indices: &src,
            axis,
            bits: 16,
            target,
        };
        let along = plan_gather(&gather(1)).expect("it fits");
        assert_eq!(along.strategy(), GatherStrategy::Lanes);
        let sorts = |plan: &GatherPlan| -> Vec<&str> {
            let steps = plan.program().steps().iter();
            steps
                .map(Step::kind_name)
                .filter(|s| *s != "pack" && *s != "index")
                .collect()
        };
        assert!(
            sorts(&along)
                .iter()
                .all(|sort| ["shuffle", "unpack"].contains(sort)),
            "{along:?}"
        );
        // Along the other axis, warps hold rows.
        let across = plan_gather(&gather(0)).expect("it fits");
        assert_eq!(across.strategy(), GatherStrategy::Memory);
        assert_eq!(across.program().scratch_bytes(), 32 * 32 * 2);
        // Eight word shuffles in each of four warps; one store latency and one CTA barrier.
        let costs = target.costs;
        assert_eq!(along.considered()[0].load_store, 8 * costs.shuffle * 4);
        assert_eq!(
            across.considered()[0].waiting,
            costs.round_trip + costs.barrier
        );
    }

    /// Checks the scope of the barrier between the stores and the loads of a gather. If each warp reads only rows
    /// that it stored itself, a warp barrier suffices. Otherwise, the gather needs a CTA barrier.
    #[test]
    fn warps_wait_for_the_warps_that_store_what_they_read() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        // Too many columns in registers for lanes to select from.
        let held = part(64, Dim::REGISTER, column).product(&part(32, Dim::LANE, row));
        let held = held.expect("small");
        let copies = LinearLayout::zeros_1d(4, Dim::WARP, row, 1).expect("small");
        let one = LinearLayout::zeros_1d(1, Dim::WARP, row, 1).expect("small");
        for (warps, is_within) in [
            (part(4, Dim::WARP, row), true),
            (copies, false),
            (one, true),
        ] {
            let src = held.product(&warps).expect("small");
            let gather = Gather {
                src: &src,
                indices: &src,
                axis: 0,
                bits: 32,
                target,
            };
            let plan = plan_gather(&gather).expect("it fits");
            assert_eq!(plan.strategy(), GatherStrategy::Memory);
            let barrier = match is_within {
                true => BarrierScope::Warp,
                false => BarrierScope::Block,
            };
            let steps = plan.program().steps();
            assert!(steps.contains(&Step::Barrier(barrier)), "{src}");
        }
    }

    #[test]
    fn broken_plans_are_rejected() {
        let target = Target::parse("cuda:90").expect("known");
        let src = layout(&[3, 6], 5, 2, &[7; 24], false);
        for axis in 0..2 {
            let gather = Gather {
                src: &src,
                indices: &src,
                axis,
                bits: 32,
                target,
            };
            let plan = plan_gather(&gather).expect("it fits");
            check_gather(&plan, &gather).expect("it is right");
            let other = Gather {
                axis: 1 - axis,
                ..gather
            };
            let other = plan_gather(&other).expect("it fits");
            assert!(check_gather(&other, &gather).is_err(), "{plan:?}");
        }
    }
}
