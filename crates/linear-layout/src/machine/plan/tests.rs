use super::*;
use crate::layout::Surjectivity;
use crate::plan::program::{Address, BarrierScope, Step};
use crate::plan::{PlanOptions, Strategy, plan_conversion};
use crate::target::Fragment;

/// Returns the source and destination layouts of a conversion of 32 x 32 elements on `1 << warps` warps. The lanes
/// of the source hold rows, and the lanes of the destination hold columns.
fn transposition(warps: usize) -> (LinearLayout, LinearLayout) {
    let out = Dim::out(0);
    let build = |lane: [u64; 5], rest: [u64; 5]| {
        let (warp, register) = rest.split_at(warps);
        let columns = |list: &[u64]| list.iter().map(|c| [*c]).collect::<Vec<_>>();
        let all = [columns(register), columns(&lane), columns(warp)];
        let refs: Vec<Vec<&[u64]>> = all
            .iter()
            .map(|l| l.iter().map(|c| &c[..]).collect())
            .collect();
        LinearLayout::from_bases(
            &[
                (Dim::REGISTER, &refs[0][..]),
                (Dim::LANE, &refs[1][..]),
                (Dim::WARP, &refs[2][..]),
            ],
            &[out],
        )
        .unwrap()
    };
    let (low, high) = ([1, 2, 4, 8, 16], [32, 64, 128, 256, 512]);
    (build(low, high), build(high, low))
}

fn plan(
    warps: usize,
    bits: u32,
    strategy: Strategy,
) -> (Program, LinearLayout, LinearLayout, &'static Target) {
    let target = Target::parse("cuda:90").unwrap();
    let (src, dst) = transposition(warps);
    let options = PlanOptions::new().with_strategy(strategy);
    let plan = plan_conversion(&src, &dst, bits, target, &options).unwrap();
    (plan.program().clone(), src, dst, target)
}

/// Checks a plan with both race detectors, which must agree, and returns their verdict.
#[track_caller]
fn verdict(
    plan: &Program,
    src: &LinearLayout,
    dst: &LinearLayout,
    target: &Target,
) -> Result<PlanReport, PlanFault> {
    let quick = check(plan, src, dst, target, false);
    let slow = check(plan, src, dst, target, true);
    assert_eq!(quick, slow, "{plan}");
    quick
}

/// Returns four flags: the fault is a race, an uninitialised read, a bad address, or a wrong element.
fn kinds(fault: &PlanFault) -> [bool; 4] {
    [
        fault.is_race(),
        fault.is_uninitialised(),
        fault.is_bad_address(),
        fault.is_wrong_element(),
    ]
}

#[test]
fn counts_are_right() {
    let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
    let report = verdict(&plan, &src, &dst, target).unwrap();
    assert_eq!(report.elements_checked, 1024);
    assert_eq!((report.store_wavefronts, report.load_wavefronts), (32, 32));
    assert_eq!((report.conflicts(), report.block_barriers), (0, 1));
}

#[test]
fn a_missing_barrier_is_a_race() {
    for (warps, bits) in [(0, 32), (2, 32), (2, 64), (1, 8)] {
        let (plan, src, dst, target) = plan(warps, bits, Strategy::Shared);
        verdict(&plan, &src, &dst, target).unwrap();
        let broken = plan.edited(|steps| steps.retain(|s| !matches!(s, Step::Barrier(_))));
        let fault = check_plan(&broken, &src, &dst, target).unwrap_err();
        assert_eq!(kinds(&fault), [true, false, false, false], "{fault}");
        assert!(fault.to_string().contains("reads byte"), "{fault}");
    }
    let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
    let weak = plan.edited(|steps| {
        for s in steps {
            if let Step::Barrier(scope) = s {
                *scope = BarrierScope::Warp;
            }
        }
    });
    let fault = verdict(&weak, &src, &dst, target).unwrap_err();
    assert!(fault.is_race(), "{fault}");
}

/// Checks that after a warp barrier, a thread may overwrite data that its own warp stored, but not data that other
/// warps stored.
#[test]
fn a_warp_stores_over_its_own_behind_its_barrier() {
    let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
    let stores = plan.steps().iter().copied();
    let stores: Vec<Step> = stores.filter(|s| matches!(s, Step::Store { .. })).collect();
    let again = |moved: u32| {
        plan.edited(|steps| {
            let (Step::Store { address, .. }, mut last) = (stores[0], stores[1]) else {
                panic!("a store");
            };
            if let Step::Store { address: to, .. } = &mut last {
                *to = address;
                to.xor ^= moved;
            }
            *steps = vec![stores[0], Step::Barrier(BarrierScope::Warp), last];
        })
    };
    let is_race =
        |moved: u32| verdict(&again(moved), &src, &dst, target).is_err_and(|f| f.is_race());
    assert!(!is_race(0));
    let races = (4..12).filter(|bit| is_race(1 << bit)).count();
    assert!((1..8).contains(&races), "{races}");
}

#[test]
fn a_missing_store_is_found() {
    let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
    let broken = plan.edited(|steps| {
        let at = steps
            .iter()
            .position(|s| matches!(s, Step::Store { .. }))
            .unwrap();
        steps.remove(at);
    });
    let fault = verdict(&broken, &src, &dst, target).unwrap_err();
    assert_eq!(kinds(&fault), [false, true, false, false], "{fault}");
}

#[test]
fn a_wrong_address_is_found() {
    let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
    let edit = |change: fn(&mut Address)| {
        plan.edited(|steps| {
            if let Some(Step::Load { address, .. }) =
                steps.iter_mut().find(|s| matches!(s, Step::Load { .. }))
            {
                change(address);
            }
        })
    };
    let fault = verdict(&edit(|a| a.add += 1 << 20), &src, &dst, target).unwrap_err();
    assert_eq!(kinds(&fault), [false, false, true, false], "{fault}");
    let fault = verdict(&edit(|a| a.xor ^= 1), &src, &dst, target).unwrap_err();
    assert!(
        fault.is_bad_address() && fault.to_string().contains("expected a multiple"),
        "{fault}"
    );
    let fault = verdict(&edit(|a| a.xor ^= 16), &src, &dst, target).unwrap_err();
    assert_eq!(kinds(&fault), [false, false, false, true], "{fault}");
    assert!(fault.to_string().contains("holds element"), "{fault}");
}

#[test]
fn every_shuffle_step_matters() {
    for bits in [8, 16, 32, 64] {
        let (plan, src, dst, target) = plan(0, bits, Strategy::Shuffle);
        verdict(&plan, &src, &dst, target).unwrap();
        let mut tried = 0;
        for at in 0..plan.steps().len() {
            let broken = plan.edited(|steps| match &mut steps[at] {
                Step::ShuffleXor { lane_mask, .. } => *lane_mask ^= 1,
                Step::Select {
                    if_set, if_clear, ..
                } => core::mem::swap(if_set, if_clear),
                _ => {}
            });
            if broken != plan {
                tried += 1;
                let fault = verdict(&broken, &src, &dst, target).unwrap_err();
                assert!(fault.is_wrong_element(), "{fault}");
            }
        }
        assert!(tried > 40, "{plan}");
    }
}

#[test]
fn another_layout_is_another_plan() {
    let (plan, src, dst, target) = plan(2, 32, Strategy::Shared);
    let fault = verdict(&plan, &src, &src, target).unwrap_err();
    assert!(fault.is_wrong_element(), "{fault}");
    let (small, _) = transposition(1);
    let fault = verdict(&plan, &small, &dst, target).unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("the plan does not match the layouts: found 8 source registers"),
        "{fault}"
    );
}

#[test]
fn steps_out_of_order_are_found() {
    let (plan, src, dst, target) = plan(0, 32, Strategy::Shuffle);
    let broken = plan.edited(|steps| steps.reverse());
    let fault = verdict(&broken, &src, &dst, target).unwrap_err();
    assert!(
        fault.to_string().contains("before the step that defines"),
        "{fault}"
    );
}

/// Returns the source and destination layouts of a conversion of 256 elements that two warps hold as replicas. If
/// `in_registers` is true, the two warps hold an element in different source registers.
fn copied(in_registers: bool) -> (LinearLayout, LinearLayout) {
    let build = |register: [u64; 3], lane: [u64; 5], warp: u64| {
        let (register, lane) = (register.map(|c| [c]), lane.map(|c| [c]));
        LinearLayout::from_bases(
            &[
                (Dim::REGISTER, &register.each_ref().map(|c| &c[..])[..]),
                (Dim::LANE, &lane.each_ref().map(|c| &c[..])[..]),
                (Dim::WARP, &[&[warp]]),
            ],
            &[Dim::out(0)],
        )
        .unwrap()
    };
    let warp = if in_registers { 64 } else { 0 };
    (
        build([32, 64, 128], [1, 2, 4, 8, 16], warp),
        build([1, 2, 4], [8, 16, 32, 64, 128], 0),
    )
}

#[test]
fn copies_of_another_warp_are_waited_for() {
    let target = Target::parse("cuda:90").unwrap();
    let options = PlanOptions::new().with_strategy(Strategy::Shared);
    for in_registers in [false, true] {
        let (src, dst) = copied(in_registers);
        let plan = plan_conversion(&src, &dst, 8, target, &options).unwrap();
        let plan = plan.program().clone();
        let report = verdict(&plan, &src, &dst, target).unwrap();
        assert_eq!((report.warp_barriers, report.block_barriers), (0, 1));
        let weak = plan.edited(|steps| {
            for step in steps {
                if let Step::Barrier(scope) = step {
                    *scope = BarrierScope::Warp;
                }
            }
        });
        let fault = verdict(&weak, &src, &dst, target).unwrap_err();
        assert!(fault.is_race(), "{fault}");
    }
    // Each warp converts its own elements: a warp barrier suffices.
    let (src, dst) = copied(false);
    let own = LinearLayout::identity_1d(2, Dim::WARP, Dim::out(0)).unwrap();
    let drop_warp = |l: &LinearLayout| l.resize_in(Dim::WARP, 1).unwrap();
    let (src, dst) = (
        drop_warp(&src).product(&own).unwrap(),
        drop_warp(&dst).product(&own).unwrap(),
    );
    let plan = plan_conversion(&src, &dst, 8, target, &options).unwrap();
    let plan = plan.program().clone();
    let report = verdict(&plan, &src, &dst, target).unwrap();
    assert_eq!((report.warp_barriers, report.block_barriers), (1, 0));
}

/// Checks plans in which each of two warps exchanges its own values twice. If a warp uses bytes in the second
/// exchange that the other warp used in the first one, a warp barrier does not prevent a race.
#[test]
fn a_store_over_what_another_warp_reads_is_a_race() {
    let target = Target::parse("cuda:90").unwrap();
    let one = |dim: Dim| LinearLayout::identity_1d(2, dim, Dim::out(0)).unwrap();
    let (src, dst) = transposition(0);
    let [src, dst] = [src, dst].map(|layout| {
        let alone = layout.resize_in(Dim::WARP, 1).unwrap();
        let twice = alone.product(&one(Dim::REGISTER)).unwrap();
        twice.product(&one(Dim::WARP)).unwrap()
    });
    let mut options = PlanOptions::new().with_strategy(Strategy::Shared);
    let whole = plan_conversion(&src, &dst, 32, target, &options).unwrap();
    options = options.with_scratch_limit(whole.program().scratch_bytes() / 2);
    let plan = plan_conversion(&src, &dst, 32, target, &options).unwrap();
    let plan = plan.program().clone();
    let report = verdict(&plan, &src, &dst, target).unwrap();
    assert_eq!((report.warp_barriers, report.block_barriers), (3, 0));
    let of_warp: Vec<u32> = plan
        .address_bases()
        .iter()
        .map(|base| base.columns[5])
        .collect();
    let crossed = plan.edited(|steps| {
        let mut barriers = 0;
        for step in steps {
            match step {
                Step::Barrier(_) => barriers += 1,
                Step::Store { address, .. } | Step::Load { address, .. } if barriers > 1 => {
                    address.xor ^= of_warp[address.base as usize];
                }
                _ => {}
            }
        }
    });
    let fault = verdict(&crossed, &src, &dst, target).unwrap_err();
    assert!(fault.is_race(), "{fault}");
}

/// Checks that matrix instructions are used to move 16-bit elements whose neighbours are in other lanes.
#[test]
fn matrices_are_moved_whole() {
    let (across, along) = transposition(1);
    let options = PlanOptions::new().with_strategy(Strategy::Shared);
    // The older GPU has no matrix stores.
    for (name, src, dst, sort) in [
        ("cuda:90", &across, &along, "matrix store"),
        ("cuda:80", &along, &across, "matrix load"),
    ] {
        let target = Target::parse(name).unwrap();
        let plan = plan_conversion(src, dst, 16, target, &options).unwrap();
        let plan = plan.program().clone();
        let report = verdict(&plan, src, dst, target).unwrap();
        assert_eq!(report.conflicts(), 0, "{plan}");
        // An instruction moves 512 bytes: 1024 elements of two bytes take four.
        let first = plan
            .steps()
            .iter()
            .position(|step| step.kind_name() == sort);
        let first = first.unwrap_or_else(|| panic!("{plan}"));
        let count = plan.steps().iter().filter(|step| step.kind_name() == sort);
        assert_eq!(count.count(), 2, "{plan}");
        let broken = |edit: &dyn Fn(&mut Address, &mut Fragment)| {
            let broken = plan.edited(|steps| match &mut steps[first] {
                Step::StoreMatrices {
                    address, fragment, ..
                }
                | Step::LoadMatrices {
                    address, fragment, ..
                } => edit(address, fragment),
                other => panic!("{other:?}"),
            });
            verdict(&broken, src, dst, target).unwrap_err()
        };
        let turned = broken(&|_, fragment| *fragment = Fragment::Plain);
        assert!(turned.is_wrong_element(), "{turned}");
        let elsewhere = broken(&|address, _| address.add += 1 << 20);
        assert!(elsewhere.is_bad_address(), "{elsewhere}");
        let askew = broken(&|address, _| address.xor ^= 8);
        assert!(askew.to_string().contains("expected a multiple"), "{askew}");
    }
    let target = Target::parse("cuda:90").unwrap();
    let plan = plan_conversion(&across, &along, 16, target, &options).unwrap();
    let broken = plan
        .program()
        .edited(|steps| steps.retain(|step| step.kind_name() != "matrix store"));
    let fault = verdict(&broken, &across, &along, target).unwrap_err();
    assert!(fault.is_uninitialised(), "{fault}");
}

/// Checks that a conversion that exchanges halves of words across lanes uses one matrix transpose per word.
#[test]
fn matrices_are_transposed() {
    let outs = [(Dim::out(0), 512)];
    let ins = [
        (Dim::REGISTER, 8),
        (Dim::LANE, 32),
        (Dim::WARP, 2),
        (Dim::BLOCK, 1),
    ];
    let dealt = |order: [usize; 9]| {
        let columns = order.map(|bit| 1 << bit);
        LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required).unwrap()
    };
    let straight = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let turned = |half: usize| {
        let mut order = straight;
        for (a, b) in [(half, 5), (3, 6), (4, 7)] {
            order.swap(a, b);
        }
        order
    };
    let hopper = Target::parse("cuda:90").unwrap();
    let options = PlanOptions::new();
    for half in 0..3 {
        // The other register order of the destination takes only renaming.
        let mut renamed = turned(half);
        renamed.swap(0, 2);
        for (bits, words) in [(16, 4), (8, 2)] {
            let (src, dst) = (dealt(straight), dealt(renamed));
            for (src, dst) in [(&src, &dst), (&dst, &src)] {
                let plan = plan_conversion(src, dst, bits, hopper, &options).unwrap();
                let plan = plan.program().clone();
                verdict(&plan, src, dst, hopper).unwrap();
                let is_turn = |step: &&Step| matches!(step, Step::TransposeMatrix { .. });
                assert_eq!(plan.steps().iter().filter(is_turn).count(), words, "{plan}");
                let broken = plan.edited(|steps| {
                    let turn = steps.iter_mut().find(|step| is_turn(&&**step)).unwrap();
                    let Step::TransposeMatrix { out, value } = *turn else {
                        panic!("{turn:?}");
                    };
                    *turn = Step::ShuffleXor {
                        out,
                        value,
                        lane_mask: 1,
                    };
                });
                let fault = verdict(&broken, src, dst, hopper).unwrap_err();
                assert!(fault.is_wrong_element(), "{fault}");
                let older = Target::parse("cuda:70").unwrap();
                let plan = plan_conversion(src, dst, bits, older, &options).unwrap();
                assert!(!plan.program().steps().iter().any(|step| is_turn(&step)));
            }
        }
    }
}
