//! Conversion plans for the vectors in `test/golden/conversions.jsonl`, and for random pairs of layouts.

use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use linear_layout::machine::{PlanReport, check_plan};
use linear_layout::plan::program::{Program, Step};
use linear_layout::plan::{PlanOptions, Strategy, plan_conversion};
use linear_layout::target::Target;
use serde_json::Value;
use std::collections::BTreeSet;

const VECTORS: &str = include_str!("../golden/conversions.jsonl");

fn layout(bases: &Value, shape: &Value) -> LinearLayout {
    let shape: Vec<u64> = serde_json::from_value(shape.clone()).unwrap();
    let outs: Vec<(Dim, u64)> = shape
        .iter()
        .enumerate()
        .map(|(i, s)| (Dim::out(i), *s))
        .collect();
    let columns: Vec<(Dim, Vec<Vec<u64>>)> = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK]
        .iter()
        .map(|d| (*d, serde_json::from_value(bases[d.name()].clone()).unwrap()))
        .collect();
    let refs: Vec<Vec<&[u64]>> = columns
        .iter()
        .map(|(_, l)| l.iter().map(Vec::as_slice).collect())
        .collect();
    let bases: Vec<(Dim, &[&[u64]])> = columns
        .iter()
        .map(|(d, _)| *d)
        .zip(refs.iter().map(Vec::as_slice))
        .collect();
    LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::Required).unwrap()
}

/// Plans every conversion of the test vectors with every applicable strategy, and checks each plan. A plan must not
/// have more bank conflicts than the vectors record. There is one exception: a plan with matrix accesses may have
/// more conflicts if it is cheaper than the plan for a GPU without matrix accesses.
#[test]
fn vectors() {
    let target = Target::parse("cuda:90").unwrap();
    let without_matrices = Target::parse("cuda:70").unwrap();
    let mut cases = 0;
    let mut bad = Vec::new();
    for line in VECTORS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        cases += 1;
        let (src, dst) = (
            layout(&case["src_bases"], &case["shape"]),
            layout(&case["dst_bases"], &case["shape"]),
        );
        let bits = case["bits"].as_u64().unwrap() as u32;
        let moved = src.minimal_conversion_to(&dst).unwrap();
        let moves: Vec<&str> = moved.in_dims().map(|d| d.name()).collect();
        if case["moves"] != serde_json::json!(moves) {
            bad.push(format!(
                "case {}: moves {moves:?}, expected {}",
                case["id"], case["moves"]
            ));
        }
        for strategy in [None, Some(Strategy::Shared), Some(Strategy::Shuffle)] {
            let mut options = PlanOptions::new();
            options.strategy = strategy;
            let plan = match plan_conversion(&src, &dst, bits, target, &options) {
                Ok(plan) => plan,
                Err(e) if e.is_strategy() && strategy == Some(Strategy::Shuffle) => continue,
                Err(e) => {
                    bad.push(format!("case {} {strategy:?}: {e}", case["id"]));
                    continue;
                }
            };
            let own = plan_conversion(&src, &dst, bits, without_matrices, &options).unwrap();
            let has_more_conflicts = |report: &PlanReport| {
                let allowed = |key: &str| case["peer_shared"][key].as_u64().unwrap_or(0);
                report.load_conflicts > allowed("read_conflicts")
                    || report.store_conflicts > allowed("write_conflicts")
            };
            for (plan, target) in [(&plan, target), (&own, without_matrices)] {
                let found = match check_plan(plan.program(), &src, &dst, target) {
                    Ok(report) if has_more_conflicts(&report) => report.to_string(),
                    Ok(_) => continue,
                    Err(fault) => fault.to_string(),
                };
                let is_cheaper = plan.program().cost().total() < own.program().cost().total();
                if !(is_cheaper && found.contains("elements right")) {
                    bad.push(format!("case {} {strategy:?}: {found}\n{plan}", case["id"]));
                }
            }
            // The split between shuffles and memory is chosen by an estimate.
            let most = own.program().cost().total() * 101 / 100;
            if plan.program().cost().total() > most {
                bad.push(format!("case {}: {plan} is dearer than\n{own}", case["id"]));
            }
        }
    }
    assert_eq!(cases, 1084);
    let shown: Vec<_> = bad.iter().take(10).cloned().collect();
    assert!(
        bad.is_empty(),
        "{} of {cases}:\n{}",
        bad.len(),
        shown.join("\n")
    );
}

/// A deterministic random number generator (xorshift). A failure reports its seed and can be reproduced with it.
struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// Returns a random distributed layout of `2^bits` elements. Its lane, warp and register bases are the powers of
/// two below `2^bits` or, if `general` is true, a random basis of the same vector space over GF(2). Additional
/// bases, which are zero or copies of other bases, create replicas.
fn random_layout(
    r: &mut XorShift,
    bits: u32,
    lanes: usize,
    warps: usize,
    general: bool,
) -> LinearLayout {
    let mut tensor: Vec<u64> = (0..bits).map(|b| 1 << b).collect();
    if general {
        // Any basis of the space: columns added to others.
        for _ in 0..2 * bits {
            let (i, j) = (
                r.below(u64::from(bits)) as usize,
                r.below(u64::from(bits)) as usize,
            );
            if i != j {
                tensor[i] ^= tensor[j];
            }
        }
    }
    match r.below(3) {
        0 => {}
        1 => tensor.reverse(),
        _ => r.shuffle(&mut tensor),
    }
    let broadcast = r.below(4);
    let mut take = |r: &mut XorShift, n: usize| -> Vec<u64> {
        (0..n)
            .map(|_| {
                if tensor.is_empty() || r.below(8) < broadcast {
                    0
                } else {
                    tensor.pop().unwrap()
                }
            })
            .collect()
    };
    let lane = take(r, lanes);
    let warp = take(r, warps);
    let mut register = tensor;
    for _ in 0..r.below(3) {
        let at = r.below(register.len() as u64 + 1) as usize;
        let any: Vec<u64> = register.iter().chain(&lane).chain(&warp).copied().collect();
        let copy = if r.below(4) == 0 {
            any[r.below(any.len() as u64) as usize]
        } else {
            0
        };
        register.insert(at, copy);
    }
    let rows = r.below(u64::from(bits) + 1) as u32;
    let split = |c: u64| [c & ((1 << rows) - 1), c >> rows];
    let side = |columns: &[u64]| columns.iter().map(|&c| split(c)).collect::<Vec<_>>();
    let all = [
        (Dim::REGISTER, side(&register)),
        (Dim::LANE, side(&lane)),
        (Dim::WARP, side(&warp)),
    ];
    let refs: Vec<Vec<&[u64]>> = all
        .iter()
        .map(|(_, l)| l.iter().map(|c| &c[..]).collect())
        .collect();
    let bases: Vec<(Dim, &[&[u64]])> = all
        .iter()
        .map(|(d, _)| *d)
        .zip(refs.iter().map(Vec::as_slice))
        .collect();
    let outs = [
        (Dim::out(0), 1u64 << rows),
        (Dim::out(1), 1 << (bits - rows)),
    ];
    let layout = LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::Required).unwrap();
    // The same tensor, for every split.
    layout.reshape_outs(&[(Dim::out(0), 1 << bits)]).unwrap()
}

/// Plans the conversion from `src` to `dst` with every strategy. Returns a description of the first error in a
/// plan, or `None` if all plans are correct.
fn diagnostic(
    src: &LinearLayout,
    dst: &LinearLayout,
    bits: u32,
    target: &Target,
    limit: Option<u32>,
) -> Option<String> {
    for strategy in [
        None,
        Some(Strategy::Shared),
        Some(Strategy::Shuffle),
        Some(Strategy::Local),
    ] {
        let mut options = PlanOptions::new();
        options.strategy = strategy;
        options.scratch_limit = limit;
        match plan_conversion(src, dst, bits, target, &options) {
            Ok(plan) => {
                if let Err(fault) = check_plan(plan.program(), src, dst, target) {
                    return Some(format!("{strategy:?}: {fault}\n{plan}"));
                }
                if limit.is_some_and(|l| plan.program().scratch_bytes() > l) {
                    return Some(format!("{strategy:?}: over the limit of {limit:?}\n{plan}"));
                }
            }
            Err(e) if e.is_strategy() && strategy.is_some_and(|s| s != Strategy::Shared) => {}
            Err(e) if e.is_scratch_limit() && limit.is_some() => {}
            Err(e) => return Some(format!("{strategy:?}: {e}")),
        }
    }
    None
}

#[test]
fn plans_are_right() {
    let targets = [
        "cuda:70",
        "cuda:90",
        "hip:gfx90a",
        "hip:gfx942",
        "hip:gfx950",
        "hip:gfx1100",
        "hip:gfx1201",
    ];
    for seed in 1..3000u64 {
        let mut r = XorShift(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let target = Target::parse(targets[r.below(targets.len() as u64) as usize]).unwrap();
        let lanes = target.lanes_log2() as usize;
        let warps = r.below(4) as usize;
        let bits = 1 + r.below(13) as u32;
        let general = r.below(3) == 0;
        let width = [1, 8, 16, 32, 64][r.below(5) as usize];
        let src = random_layout(&mut r, bits, lanes, warps, general);
        let dst = if r.below(6) == 0 {
            src.clone()
        } else {
            random_layout(&mut r, bits, lanes, warps, general)
        };
        let limit = (r.below(4) == 0).then(|| 1u32 << (6 + r.below(8)));
        if let Some(text) = diagnostic(&src, &dst, width, target, limit) {
            panic!(
                "seed {seed}, {target}, {width} bits, limit {limit:?}: {text}\nsource\n{src}\ndestination\n{dst}"
            );
        }
    }
}

/// Takes layouts from the test vectors, and plans and checks conversions between random pairs of them. Both layouts
/// of a pair have the same shape and number of warps. Most pairs are not the source and the destination of a single
/// test vector.
#[test]
fn other_pairs_are_right() {
    let mut sides: Vec<(String, LinearLayout)> = Vec::new();
    for line in VECTORS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for side in ["src_bases", "dst_bases"] {
            let key = format!("{} {}", case["shape"], case["num_warps"]);
            sides.push((key, layout(&case[side], &case["shape"])));
        }
    }
    let mut r = XorShift(0x1234_5678_9ABC_DEF1);
    let names = [
        "cuda:75",
        "cuda:80",
        "cuda:90",
        "cuda:120",
        "hip:gfx1100",
        "hip:gfx1250",
    ];
    let mut pairs = 0;
    for _ in 0..4000 {
        let a = &sides[r.below(sides.len() as u64) as usize];
        let start = r.below(sides.len() as u64) as usize;
        let b = sides
            .iter()
            .cycle()
            .skip(start)
            .take(sides.len())
            .find(|s| s.0 == a.0)
            .unwrap();
        let target = Target::parse(names[r.below(names.len() as u64) as usize]).unwrap();
        let width = [1, 8, 16, 32, 64][r.below(5) as usize];
        pairs += 1;
        if let Some(text) = diagnostic(&a.1, &b.1, width, target, None) {
            panic!(
                "{target}, {width} bits: {text}\nsource\n{}\ndestination\n{}",
                a.1, b.1
            );
        }
    }
    assert_eq!(pairs, 4000);
}

/// Converts between layouts that assign each bit of the element index exactly once. On every target, nearly all
/// plans through shared memory have no bank conflicts. At most five plans have conflicts. They use matrix accesses,
/// which take fewer wavefronts in spite of their conflicts than ordinary accesses without conflicts.
#[test]
fn no_conflicts_anywhere() {
    let (mut planned, mut bad) = (0, Vec::new());
    for (row, target) in (0u64..).zip(linear_layout::target::TARGETS) {
        for seed in 1..60u64 {
            let mut r = XorShift((seed << 20 | row).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
            let lanes = target.lanes_log2() as usize;
            let warps = r.below(4) as usize;
            let bits = (lanes + warps) as u32 + r.below(6) as u32;
            let width = [1, 8, 16, 32, 64][r.below(5) as usize];
            let mut side = || {
                let mut tensor: Vec<[u64; 1]> = (0..bits).map(|b| [1 << b]).collect();
                r.shuffle(&mut tensor);
                let columns: Vec<&[u64]> = tensor.iter().map(|c| &c[..]).collect();
                let (thread, register) = columns.split_at(lanes + warps);
                let (lane, warp) = thread.split_at(lanes);
                let bases = [
                    (Dim::REGISTER, register),
                    (Dim::LANE, lane),
                    (Dim::WARP, warp),
                ];
                LinearLayout::from_bases(&bases, &[Dim::out(0)]).unwrap()
            };
            let (src, dst) = (side(), side());
            let options = PlanOptions::new().with_strategy(Strategy::Shared);
            let plan = plan_conversion(&src, &dst, width, target, &options).unwrap();
            let report = check_plan(plan.program(), &src, &dst, target).unwrap();
            planned += 1;
            if report.conflicts() > 0 {
                let is_matrix = |step: &Step| {
                    matches!(step, Step::LoadMatrices { .. } | Step::StoreMatrices { .. })
                };
                assert!(plan.program().steps().iter().any(is_matrix), "{plan}");
                bad.push(format!(
                    "{target} seed {seed} {width} bits: {report}\n{plan}\n{src}\n{dst}"
                ));
            }
        }
    }
    let shown: Vec<_> = bad.iter().take(2).cloned().collect();
    assert!(
        bad.len() <= 5,
        "{} of {planned}:\n{}",
        bad.len(),
        shown.join("\n")
    );
}

/// Returns a layout of 8 registers, 32 lanes and some warps. `tensor_bits` contains one bit number of the element
/// index for each register bit, then for each lane bit, then for each warp bit. A bit number that occurs twice
/// creates replicas.
fn permuted(tensor_bits: &[usize]) -> LinearLayout {
    let columns: Vec<[u64; 1]> = tensor_bits.iter().map(|bit| [1 << bit]).collect();
    let columns: Vec<&[u64]> = columns.iter().map(|c| &c[..]).collect();
    let bases = [
        (Dim::REGISTER, &columns[..3]),
        (Dim::LANE, &columns[3..8]),
        (Dim::WARP, &columns[8..]),
    ];
    LinearLayout::from_bases(&bases, &[Dim::out(0)]).unwrap()
}

/// Plans the conversion with the strategy that exchanges words between lanes, checks the plan, and returns its
/// program.
#[track_caller]
fn shuffled(src: &[usize], dst: &[usize]) -> Program {
    let target = Target::parse("cuda:90").unwrap();
    let options = PlanOptions::new().with_strategy(Strategy::Shuffle);
    let (src, dst) = (permuted(src), permuted(dst));
    let plan = plan_conversion(&src, &dst, 32, target, &options).unwrap();
    check_plan(plan.program(), &src, &dst, target).unwrap();
    plan.program().clone()
}

/// If one register bit is exchanged with one lane bit, four of the eight registers stay in their lane. If two
/// register bits are exchanged with two different lane bits, each shuffle reads from the lane whose index is the
/// own lane's index XOR a constant.
#[test]
fn bits_are_exchanged_by_constant_flips_of_lanes() {
    let straight: Vec<usize> = (0..8).collect();
    for (register, lane) in (0..3).flat_map(|r| (3..8).map(move |l| (r, l))) {
        let mut once = straight.clone();
        once.swap(register, lane);
        let plan = shuffled(&straight, &once);
        let is_flip = |step: &&Step| matches!(step, Step::ShuffleXor { .. });
        assert_eq!(plan.steps().iter().filter(is_flip).count(), 4, "{plan}");
        for (other, other_lane) in (0..register).flat_map(|r| (3..8).map(move |l| (r, l))) {
            let mut twice = once.clone();
            twice.swap(other, other_lane);
            let plan = shuffled(&straight, &twice);
            let by_index = |step: &Step| matches!(step, Step::ShuffleIndex { .. });
            assert!(
                other_lane == lane || !plan.steps().iter().any(by_index),
                "{plan}"
            );
        }
    }
}

/// A conversion that permutes one register bit and two lane bits cyclically needs no shared memory.
#[test]
fn bits_that_go_round_need_no_shared_memory() {
    let straight: Vec<usize> = (0..8).collect();
    for register in 0..3 {
        for (a, b) in (3..8).flat_map(|a| (3..8).map(move |b| (a, b))) {
            let mut round = straight.clone();
            (round[register], round[a], round[b]) = (a, b, register);
            if a != b {
                assert_eq!(shuffled(&straight, &round).scratch_bytes(), 0);
            }
        }
    }
}

/// Lanes 1 and 2 of the source hold the same elements, which lanes 1 and 4 of the destination need. Lane 4 reads
/// from lane 2, because lane 1 already reads from lane 1. Since no two lanes read from the same lane, words are
/// exchanged without a select.
#[test]
fn replicas_are_read_by_one_lane_each() {
    let plan = shuffled(&[0, 1, 2, 3, 3, 4, 5, 6], &[0, 1, 2, 3, 4, 3, 5, 6]);
    let is_exchange = |step: &Step| matches!(step, Step::ShuffleIndex { .. });
    assert!(plan.steps().iter().all(is_exchange), "{plan}");
    assert_eq!(plan.steps().len(), 8, "{plan}");
}

/// The printed form of a program shows consecutive results as a range from the first to the last value. A
/// conversion that only permutes the registers within each thread has a program without steps, but this program is
/// not the identity.
#[test]
fn renamings_are_shown_as_runs() {
    let target = Target::parse("cuda:90").unwrap();
    let renamed = |dst: &[usize]| {
        let (src, dst) = (permuted(&[0, 1, 2, 3, 4, 5, 6, 7]), permuted(dst));
        let plan = plan_conversion(&src, &dst, 32, target, &PlanOptions::new()).unwrap();
        plan.program().clone()
    };
    let kept = renamed(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(kept.is_identity());
    assert!(kept.to_string().contains("results %0..%7\n"), "{kept}");
    let moved = renamed(&[0, 2, 1, 3, 4, 5, 6, 7]);
    assert!(moved.steps().is_empty() && !moved.is_identity());
    let text = "results %0..%1 %4..%5 %2..%3 %6..%7\n";
    assert!(moved.to_string().contains(text), "{moved}");
    let moved = renamed(&[1, 0, 2, 3, 4, 5, 6, 7]);
    let text = "results %0 %2 %1 %3..%4 %6 %5 %7\n";
    assert!(moved.to_string().contains(text), "{moved}");
    assert!(!shuffled(&[0, 1, 2, 3, 4, 5, 6, 7], &[3, 1, 2, 0, 4, 5, 6, 7]).is_identity());
}

/// The warps of an SM share its units, so four warps cost four times as much as one.
#[test]
fn four_warps_cost_four_times_as_much() {
    let costs = |warps: usize, strategy: Strategy| {
        let src: Vec<usize> = (0..8 + warps).collect();
        let mut dst = src.clone();
        dst.swap(1, 5);
        dst.swap(2, 6);
        let options = PlanOptions::new().with_strategy(strategy);
        let target = Target::parse("cuda:90").unwrap();
        plan_conversion(&permuted(&src), &permuted(&dst), 32, target, &options)
            .unwrap()
            .program()
            .cost()
    };
    for strategy in [Strategy::Shuffle, Strategy::Shared] {
        let (one, four) = (costs(0, strategy), costs(2, strategy));
        assert!(one.load_store > 0 && one.arithmetic > 0);
        assert_eq!(four.load_store, 4 * one.load_store);
        assert_eq!(four.arithmetic, 4 * one.arithmetic);
        // In a block of one warp, other blocks hide most of a shuffle's latency.
        let hidden = if strategy == Strategy::Shuffle { 4 } else { 1 };
        assert_eq!(four.waiting, hidden * one.waiting);
    }
    // Within a warp a warp barrier suffices, among warps a CTA barrier is needed; then one store latency.
    let target = Target::parse("cuda:90").unwrap();
    let model = target.costs;
    for (bit, barrier) in [(5, model.warp_sync), (9, model.barrier)] {
        let src: Vec<usize> = (0..10).collect();
        let mut dst = src.clone();
        dst.swap(1, bit);
        let options = PlanOptions::new().with_strategy(Strategy::Shared);
        let plan = plan_conversion(&permuted(&src), &permuted(&dst), 32, target, &options).unwrap();
        assert_eq!(plan.program().cost().waiting, barrier + model.round_trip);
    }
    // Each access is issued, and each constant XORed into an address is XORed once.
    let options = PlanOptions::new().with_strategy(Strategy::Shared);
    let (src, dst) = (
        permuted(&[0, 1, 2, 3, 4, 5, 6, 7]),
        permuted(&[0, 5, 6, 3, 4, 1, 2, 7]),
    );
    let plan = plan_conversion(&src, &dst, 32, target, &options).unwrap();
    let accesses: Vec<(u32, u32)> = plan
        .program()
        .steps()
        .iter()
        .filter_map(|step| match step {
            Step::Store { address, .. } | Step::Load { address, .. } => {
                Some((address.base, address.xor))
            }
            _ => None,
        })
        .collect();
    let joined: BTreeSet<_> = accesses.iter().filter(|(_, xor)| *xor != 0).collect();
    assert_eq!(
        plan.program().cost().arithmetic,
        accesses.len() as u32 * target.costs.access + joined.len() as u32 * target.costs.select
    );
    // Without conflicts a wavefront moves 128 of the 8 * 32 * 4 bytes that are stored and loaded.
    let costs_of_target = &Target::parse("cuda:90").unwrap().costs;
    let wavefronts = costs(0, Strategy::Shared).load_store / costs_of_target.wavefront;
    assert_eq!(wavefronts, 2 * 8);
}
