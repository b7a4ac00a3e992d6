//! Plans of all instructions, and detection of broken plans. [`faults`] breaks the multiplied registers, [`scales`] the
//! scales.

mod faults;
mod scales;

use super::super::tuples::tests::layout as any_layout;
use super::*;
use crate::layout::{Dim, Surjectivity};
use crate::plan::product::{ProductPlan, plan_product};
use crate::target::{Number, Product, TARGETS, Target, TileBit};
use proptest::prelude::*;
use std::collections::HashSet;

type BasisVectors = Vec<[u64; 2]>;

fn layout(dims: [BasisVectors; 3], sizes: [u64; 2]) -> LinearLayout {
    let [registers, lanes, warps] = dims;
    let dims = [
        (Dim::REGISTER, registers),
        (Dim::LANE, lanes),
        (Dim::WARP, warps),
    ];
    let lists: Vec<(Dim, Vec<&[u64]>)> = dims
        .iter()
        .map(|(dim, bases)| (*dim, bases.iter().map(|basis| &basis[..]).collect()))
        .collect();
    let lists: Vec<(Dim, &[&[u64]])> = lists.iter().map(|(d, l)| (*d, &l[..])).collect();
    let outs = [(Dim::out(0), sizes[0]), (Dim::out(1), sizes[1])];
    LinearLayout::from_bases_sized(&lists, &outs, Surjectivity::Required).unwrap()
}

/// Returns the bit of k to which bit `bit` moves if the order of the bits of k is reversed. Bits that select an
/// element within a byte do not move. If the instruction has scales, the bits that select an element within a block
/// and the bits that select the block are reversed separately.
fn renamed(row: &Product, bit: u8) -> u8 {
    let bits = row.sizes()[2].trailing_zeros() as u8;
    let block = row.scales.as_ref().map_or(0, |scales| scales.block_log2);
    let packed = row.operands.iter().map(|operand| operand.packed.len());
    let packed = packed.max().unwrap_or(0) as u8;
    let range = match bit {
        bit if bit < packed => return bit,
        bit if bit < block => packed..block,
        _ => packed.max(block)..bits,
    };
    range.end - 1 - (bit - range.start)
}

/// Returns the dimension of a tile bit (0 for m, 1 for n, 2 for k, 3 for replicas), and the step along this
/// dimension. If `renames` is true, the bits of k are permuted.
fn place(row: &Product, renames: bool, bit: TileBit) -> (usize, u64) {
    match bit {
        TileBit::M(bit) => (0, 1u64 << bit),
        TileBit::N(bit) => (1, 1 << bit),
        TileBit::K(bit) if renames => (2, 1 << renamed(row, bit)),
        TileBit::K(bit) => (2, 1 << bit),
        TileBit::Copy => (3, 0),
    }
}

/// Returns layouts of A, B and D that the instruction `row` accepts directly. They have two tiles along each
/// dimension, and two warps along m. If each lane multiplies alone, the lanes are along m. If `renames` is true,
/// the bits of k are permuted.
fn around(row: &Product, renames: bool, target: &Target) -> [LinearLayout; 3] {
    let sizes = row.sizes();
    let [m, n, k] = sizes;
    let place = |bit: &TileBit| place(row, renames, *bit);
    let more = [(0, m), (1, n), (2, k)];
    [[0, 2], [2, 1], [0, 1]].map(|dims| {
        let operand = match dims {
            [0, 2] => 0,
            [2, 1] => 1,
            _ => 2,
        };
        let held = &row.operands[operand];
        let basis = |(dim, value): (usize, u64)| {
            let value = value >> if dim == 2 { held.packed.len() } else { 0 };
            dims.map(|own| if own == dim { value } else { 0 })
        };
        let mut registers: BasisVectors =
            held.registers.iter().map(|bit| basis(place(bit))).collect();
        let further = more.iter().filter(|(dim, _)| dims.contains(dim));
        registers.extend(further.map(|at| basis(*at)));
        let mut lanes: BasisVectors = held.lanes.iter().map(|bit| basis(place(bit))).collect();
        let warps = vec![basis((0, 2 * m))];
        let mut all = [4 * m, 2 * n, (2 * k) >> held.packed.len()];
        if lanes.is_empty() {
            let bits = target.lanes.trailing_zeros();
            lanes = (0..bits).map(|bit| basis((0, (4 * m) << bit))).collect();
            all[0] <<= bits;
        }
        layout([registers, lanes, warps], dims.map(|dim| all[dim]))
    })
}

fn product<'a>(
    factors: &'a [[Number; 2]; 1],
    sum: Number,
    [a, b, d]: [&'a LinearLayout; 3],
    target: &'a Target,
) -> MatrixProduct<'a> {
    MatrixProduct {
        d,
        a,
        b,
        scales: None,
        factors,
        sum,
        target,
    }
}

fn planned(row: &Product, layouts: &[LinearLayout; 3], target: &Target) -> ProductPlan {
    let factors = [row.factors];
    let product = product(&factors, row.sum, layouts.each_ref(), target);
    let plan = plan_product(&product).unwrap();
    let verdict = check_product(plan.program(), &product);
    verdict.unwrap_or_else(|fault| panic!("{}: {fault}\n{}", row.name, plan.program()));
    plan
}

#[test]
fn each_instruction_is_found_and_proved() {
    let mut known = HashSet::new();
    for target in TARGETS {
        for row in target.products() {
            // Many targets have the same instructions.
            if !known.insert((row.name.clone(), row.operands[0].registers.len())) {
                continue;
            }
            for renames in [false, true] {
                let plan = planned(&row, &around(&row, renames, target), target);
                assert_eq!(plan.is_converted(), [false; 3], "{}", row.name);
                assert!(plan.instruction() != "fma", "{}", row.name);
            }
        }
    }
    assert!(known.len() >= 90, "{}", known.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn products_are_right(
        sizes in proptest::collection::vec(0u32..6, 3),
        matrices in proptest::option::of(0u32..3),
        warps in 0u32..3,
        keys in proptest::collection::vec(any::<u32>(), 72),
        gpu in 0usize..6,
        row in any::<usize>(),
        mixed in any::<bool>(),
        is_exact in any::<bool>(),
    ) {
        let names = ["cuda:75", "cuda:90", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1250"];
        let target = Target::parse(names[gpu]).expect("known");
        let rows = target.products();
        let row = &rows[row % rows.len()];
        let (factors, sum) = match is_exact {
            true => ([Number::F32; 2], Number::F32),
            false => (row.factors, row.sum),
        };
        let lanes = target.lanes_log2();
        let of = |dims: [u32; 2], keys: &[u32]| {
            let dims: Vec<u32> = matrices.into_iter().chain(dims).collect();
            any_layout(&dims, lanes, warps, keys, mixed)
        };
        let [m, n, k] = [sizes[0], sizes[1], sizes[2]];
        let a = of([m, k], &keys[..24]);
        let b = of([k, n], &keys[24..48]);
        let d = of([m, n], &keys[48..]);
        let factors = [factors];
        let product = product(&factors, sum, [&a, &b, &d], target);
        let plan = plan_product(&product).expect("every product has a plan");
        let verdict = check_product(plan.program(), &product);
        prop_assert!(verdict.is_ok(), "{verdict:?}\n{}\nA {a}\nB {b}\nD {d}", plan.program());
    }
}

fn of_ampere() -> (Product, &'static Target) {
    let target = Target::parse("cuda:80").unwrap();
    let rows = target.products();
    let row = rows
        .into_iter()
        .find(|row| row.name == "mma.m16n8k16.f32.f16");
    (row.unwrap(), target)
}

#[test]
fn a_product_adds_up_each_k_once() {
    let (row, target) = of_ampere();
    let plan = planned(&row, &around(&row, false, target), target);
    assert_eq!((plan.instruction(), plan.count()), (&*row.name, 8));
    // Eight instructions in each of two warps; adjacent pairs need no packing.
    assert_eq!(plan.program().cost().arithmetic, 2 * 8 * row.issue(32));
    let text = plan.program().to_string();
    assert!(
        text.contains("row 0: mma.m16n8k16.f32.f16, 16 x 8 x 16"),
        "{text}"
    );
    assert!(text.contains("= mma row 0 of "), "{text}");
}

/// Checks that half of A is zeroed if the tensor is smaller than the tile along k.
#[test]
fn a_tile_beyond_k_adds_nothing_twice() {
    let (row, target) = of_ampere();
    let lanes = |own: [[u64; 2]; 5]| own.to_vec();
    let a = [
        vec![[0, 1], [8, 0]],
        lanes([[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]),
        vec![],
    ];
    let b = [
        vec![[1, 0]],
        lanes([[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]),
        vec![],
    ];
    let d = [
        vec![[0, 1], [8, 0]],
        lanes([[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]),
        vec![],
    ];
    let layouts = [layout(a, [16, 8]), layout(b, [8, 8]), layout(d, [16, 8])];
    // The small instruction fits. Alone, the large instruction is used.
    assert_eq!(
        planned(&row, &layouts, target).instruction(),
        "mma.m16n8k8.f32.f16"
    );
    let lanes_of_k = [
        layout(
            [
                vec![[0, 1]],
                lanes([[0, 2], [0, 0], [1, 0], [2, 0], [4, 0]]),
                vec![],
            ],
            [8, 4],
        ),
        layout(
            [
                vec![[1, 0]],
                lanes([[2, 0], [0, 0], [0, 1], [0, 2], [0, 4]]),
                vec![],
            ],
            [4, 8],
        ),
        layout(
            [
                vec![[0, 1]],
                lanes([[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]),
                vec![],
            ],
            [8, 8],
        ),
    ];
    let plan = planned(&row, &lanes_of_k, target);
    let text = plan.program().to_string();
    assert!(plan.instruction().starts_with("mma.m16n8k8"), "{text}");
    assert!(text.contains("select"), "{text}");
}

/// Checks that an operand is converted first if the instruction does not accept its layout, and that each lane
/// multiplies alone if the GPU has no suitable instruction.
#[test]
fn every_product_has_a_plan() {
    let (row, target) = of_ampere();
    let [a, b, d] = around(&row, false, target);
    // The same elements in other registers and lanes.
    let elsewhere = |from: &LinearLayout| {
        let bases: Vec<BasisVectors> = [Dim::REGISTER, Dim::LANE, Dim::WARP]
            .iter()
            .map(|dim| {
                let columns = from.columns_of(*dim).iter();
                let coords = columns.map(|column| from.unpack(*column).to_vec());
                coords.map(|c| [c[0], c[1]]).collect()
            })
            .collect();
        let mut all = bases.concat();
        all.rotate_left(2);
        let (registers, threads) = all.split_at(bases[0].len());
        let (lanes, warps) = threads.split_at(bases[1].len());
        let sizes = [0, 1].map(|i| from.out_size(Dim::out(i)));
        layout([registers.to_vec(), lanes.to_vec(), warps.to_vec()], sizes)
    };
    let plan = planned(&row, &[elsewhere(&a), b.clone(), d.clone()], target);
    assert!(plan.instruction().starts_with("mma"), "{}", plan.program());
    assert_eq!(plan.is_converted(), [true, false, false]);
    let plan = planned(&row, &[a.clone(), b.clone(), elsewhere(&d)], target);
    assert!(plan.instruction().starts_with("mma"), "{}", plan.program());
    assert_eq!(plan.is_converted(), [false, false, true]);
    let exact = Product::per_lane([Number::F32; 2], Number::F32);
    let plan = planned(&exact, &[a, b, d], target);
    assert_eq!(plan.instruction(), "fma");
    assert_eq!(plan.is_converted(), [true, true, false]);
}
