//! Runs the plan of a gather on each bit that an element depends on and compares where it leads with where it must.
//!
//! Layouts and plans are linear: what a thread gets is the sum (exclusive or) of what its register, its lane, its warp
//! and its index say. Where both agree for nothing, for each register and for each single bit of the rest, they
//! agree for all.

use super::matrix::address_of;
use super::plan::{columns, span};
use crate::layout::{Dim, LinearLayout};
use crate::plan::gather::{Gather, GatherPlan, GatherWay, LaneGather, MemoryGather};
use thiserror::Error;

/// What is wrong with the plan of a gather.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct GatherFault(#[from] Kind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Kind {
    #[error("{found} registers, where the layout has {expected}")]
    Registers { found: usize, expected: usize },
    #[error("register {} of lane {} of warp {} gets another element at index {}",
            .at.register, .at.lane, .at.warp, .at.index)]
    Result { at: Asked },
    #[error("register {register} of thread {thread} is stored where another element is looked for")]
    Stored { register: usize, thread: u64 },
}

/// Who asks for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Asked {
    register: usize,
    lane: u64,
    warp: u64,
    index: u64,
}

/// Runs the plan for every register and for every bit of lane, warp and index, and checks what each gets.
///
/// # Shape
/// `plan` as made by [`crate::plan::gather::plan_gather`] of `gather`.
/// # Errors
/// The first fault: a register that gets another element than its own, or one that is stored elsewhere.
pub fn check_gather(plan: &GatherPlan, gather: &Gather<'_>) -> Result<(), GatherFault> {
    let results = span(&columns(gather.indices).0).len();
    let found = match plan.way() {
        GatherWay::Lanes(lanes) => lanes.constants.len(),
        GatherWay::Memory(memory) => memory.load.registers().len(),
    };
    if found != results {
        return Err(Kind::Registers {
            found,
            expected: results,
        }
        .into());
    }
    if let GatherWay::Memory(memory) = plan.way() {
        check_stored(memory, gather)?;
    }
    for at in all_asked(gather, results, plan.index_bits()) {
        let is_right = match plan.way() {
            GatherWay::Lanes(lanes) => element_of_lanes(lanes, gather, at) == element(gather, at),
            GatherWay::Memory(memory) => {
                let thread = [at.lane, at.warp];
                let found = memory.load.address(at.register, thread, at.index, 0);
                let coords = gather.src.unpack(element(gather, at)).to_vec();
                memory.load.place().position(&coords).ok() == Some(found)
            }
        };
        if !is_right {
            return Err(Kind::Result { at }.into());
        }
    }
    Ok(())
}

/// Each register, and each single bit of lane, warp and index.
fn all_asked(gather: &Gather<'_>, registers: usize, index_bits: u32) -> Vec<Asked> {
    let none = Asked::default();
    let bits = |dim| 0..gather.indices.in_bits(dim);
    let mut all: Vec<Asked> = (0..registers)
        .map(|register| Asked { register, ..none })
        .collect();
    all.extend(bits(Dim::LANE).map(|bit| Asked {
        lane: 1 << bit,
        ..none
    }));
    all.extend(bits(Dim::WARP).map(|bit| Asked {
        warp: 1 << bit,
        ..none
    }));
    all.extend((0..index_bits).map(|bit| Asked {
        index: 1 << bit,
        ..none
    }));
    all
}

/// The element that must be got, as a packed coordinate of the source.
fn element(gather: &Gather<'_>, at: Asked) -> u64 {
    let point = place(gather.indices, at.register as u64, at.lane, at.warp);
    let mut coords = gather.indices.unpack(point).to_vec();
    coords[gather.axis] = at.index;
    let sizes = gather.src.out_dims().map(|dim| gather.src.out_bits(dim));
    let (packed, _) = coords
        .iter()
        .zip(sizes)
        .fold((0, 0), |(all, shift), (c, bits)| {
            (all | c << shift, shift + bits)
        });
    packed
}

fn place(layout: &LinearLayout, register: u64, lane: u64, warp: u64) -> u64 {
    let part = |dim, value| crate::f2::apply_columns(layout.columns_of(dim), value);
    part(Dim::REGISTER, register) ^ part(Dim::LANE, lane) ^ part(Dim::WARP, warp)
}

/// The element that the plan chooses.
fn element_of_lanes(plan: &LaneGather, gather: &Gather<'_>, at: Asked) -> u64 {
    let source = plan.source.evaluate(&[at.lane, at.warp, at.index]);
    let (lane, register) = plan.constants[at.register];
    let lane = if plan.is_own_lane {
        at.lane
    } else {
        source[0] ^ u64::from(lane)
    };
    let chosen = plan.choices.iter().filter(|c| source[1] >> c.bit & 1 == 1);
    let register = chosen.fold(register, |register, choice| register ^ choice.registers);
    place(gather.src, u64::from(register), lane, at.warp)
}

/// Each element is stored where it is looked for.
fn check_stored(memory: &MemoryGather, gather: &Gather<'_>) -> Result<(), GatherFault> {
    let (src, store) = (gather.src, &memory.store);
    let bits = |dim| 0..src.in_bits(dim);
    let lanes = bits(Dim::LANE).map(|bit| [1 << bit, 0]);
    let warps = bits(Dim::WARP).map(|bit| [0, 1 << bit]);
    let threads: Vec<[u64; 2]> = std::iter::once([0, 0]).chain(lanes).chain(warps).collect();
    for thread in threads {
        for register in 0..store.held().len() {
            let coords = src.unpack(place(src, register as u64, thread[0], thread[1]));
            let expected = memory.load.place().position(&coords.to_vec()).ok();
            if expected != Some(address_of(store, register, thread, 0)) {
                let thread = thread[0] | thread[1] << src.in_bits(Dim::LANE);
                return Err(Kind::Stored { register, thread }.into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tuples::tests::layout;
    use super::*;
    use crate::plan::gather::plan_gather;
    use crate::target::Target;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// Every register gets the element of its row at its index, whatever the layouts.
        #[test]
        fn gathers_are_right(
            sizes in proptest::collection::vec(0u32..6, 1..4),
            axis in 0usize..3,
            asked in 0u32..7,
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
            to[axis] = asked;
            // Indices that lie as the source does are what lanes can do.
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

    /// 32 rows of 32 in the lanes of a warp each need one shuffle for an element, and no memory.
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
        let GatherWay::Lanes(lanes) = along.way() else {
            panic!("{along:?}")
        };
        assert!(lanes.choices.is_empty() && !lanes.is_own_lane, "{along:?}");
        // Along the other axis, warps hold rows.
        let across = plan_gather(&gather(0)).expect("it fits");
        assert!(matches!(across.way(), GatherWay::Memory(_)), "{across:?}");
        assert_eq!(across.scratch_bytes(), 32 * 32 * 2);
        // Eight shuffles of a word in each of four warps; a store is waited for, and the block.
        let costs = target.costs;
        assert_eq!(along.considered()[0].load_store, 8 * costs.shuffle * 4);
        assert_eq!(
            across.considered()[0].waiting,
            costs.round_trip + costs.barrier
        );
    }

    /// Warps that hold rows of their own wait for themselves, those that hold each other's for the block.
    #[test]
    fn warps_wait_for_whoever_stores_what_they_read() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let part = |size, dim, out| LinearLayout::identity_1d(size, dim, out).expect("small");
        // So many columns in registers that lanes would choose among too many.
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
            let GatherWay::Memory(memory) = plan.way() else {
                panic!("{plan:?}")
            };
            assert_eq!(memory.is_within_warps, is_within, "{src}");
        }
    }

    /// The machine sees a lane, a register and an address that are not those of the element.
    #[test]
    fn broken_plans_are_seen() {
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
