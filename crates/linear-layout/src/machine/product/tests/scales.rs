//! Products of instructions with scales.

use super::faults::exchanged;
use super::*;
use crate::plan::product::{FactorScales, match_instructions};
use crate::plan::program::{ScaleWord, Step};
use crate::target::{ScaleBit, ScaleOperand};

/// Returns layouts for the scales of A and B that match the tensors of [`around`]. If the selector of the
/// instruction selects lanes, the second tile along m or n has its scales in other lanes.
fn scales_around(row: &Product, renames: bool) -> [LinearLayout; 2] {
    let scales = row.scales.as_ref().expect("an instruction with scales");
    let [m, n, k] = row.sizes();
    [0, 1].map(|factor| {
        let held = &scales.operands[factor];
        let size = [m, n][factor];
        let basis = |(dim, value): (usize, u64)| match dim {
            2 => [0, value >> scales.block_log2],
            _ => [value, 0],
        };
        let mut is_selected = false;
        let mut of = |bit: &ScaleBit| match bit {
            ScaleBit::Of(bit) => basis(place(row, renames, *bit)),
            ScaleBit::Selected(_) => {
                is_selected = true;
                [size, 0]
            }
            ScaleBit::Clear => [0, 0],
        };
        let lanes: BasisVectors = held.lanes.iter().map(&mut of).collect();
        let bytes = held.bytes.iter();
        let bytes = bytes.filter(|bit| matches!(bit, ScaleBit::Of(_)));
        let mut registers: BasisVectors = bytes.map(&mut of).collect();
        registers.push(basis((2, k)));
        if !is_selected {
            registers.push([size, 0]);
        }
        let warps = vec![if factor == 0 { [2 * m, 0] } else { [0, 0] }];
        let sizes = [[4 * m, 2 * n][factor], (2 * k) >> scales.block_log2];
        layout([registers, lanes, warps], sizes)
    })
}

fn with_scales<'a>(
    row: &Product,
    product: MatrixProduct<'a>,
    layouts: [Option<&'a LinearLayout>; 2],
) -> MatrixProduct<'a> {
    let scales = row.scales.as_ref().expect("an instruction with scales");
    MatrixProduct {
        scales: Some(FactorScales {
            layouts,
            block_log2: scales.block_log2,
            number: scales.number,
        }),
        ..product
    }
}

#[test]
fn each_instruction_with_scales_is_found_and_proved() {
    let mut known = HashSet::new();
    for target in TARGETS {
        for row in target.scaled_products() {
            if !known.insert(row.name.clone()) {
                continue;
            }
            for renames in [false, true] {
                let layouts = around(&row, renames, target);
                let factors = [row.factors];
                let product = product(&factors, row.sum, layouts.each_ref(), target);
                let [a, b] = scales_around(&row, renames);
                // Either factor may lack scales.
                let all = [[true, true], [true, false], [false, true], [false, false]];
                let is_first = target.scaled_matrix_instructions()[0] == row && !renames;
                for scales in all.into_iter().take(if is_first { 4 } else { 1 }) {
                    let scales = [scales[0].then_some(&a), scales[1].then_some(&b)];
                    let product = with_scales(&row, product, scales);
                    let plan = plan_product(&product).unwrap();
                    let verdict = check_product(plan.program(), &product);
                    verdict.unwrap_or_else(|f| panic!("{}: {f}\n{}", row.name, plan.program()));
                    assert_eq!(plan.is_converted(), [false; 3], "{}", row.name);
                    assert_eq!(plan.scale_conversions(), [None; 2], "{}", row.name);
                }
            }
        }
    }
    assert_eq!(known.len(), 2 * (2 * 9 + 9 + 6));
}

/// Checks that these faults are found: a scale of another row, block or operand, a missing scale, and a wrong
/// selector.
#[test]
fn faults_of_scales_are_rejected() {
    let mut known = HashSet::new();
    let mut count = 0;
    for target in TARGETS {
        for row in target.scaled_products() {
            if !known.insert(row.name.clone()) {
                continue;
            }
            let layouts = around(&row, false, target);
            let factors = [row.factors];
            let product = product(&factors, row.sum, layouts.each_ref(), target);
            let scales = scales_around(&row, false);
            let product = with_scales(&row, product, scales.each_ref().map(Some));
            let plan = plan_product(&product).unwrap();
            let plan = plan.program();
            let scales_of = |step: &Step| match step {
                Step::Mma { scales, .. } => Some(*scales),
                _ => None,
            };
            let issues: Vec<usize> = (0..plan.steps().len())
                .filter(|i| scales_of(&plan.steps()[*i]).is_some())
                .collect();
            let mut faulty = |at: usize, wrong: [Option<ScaleWord>; 2]| {
                if scales_of(&plan.steps()[at]) == Some(wrong) {
                    return;
                }
                count += 1;
                let edited = plan.edited(|steps| {
                    if let Step::Mma { scales, .. } = &mut steps[at] {
                        *scales = wrong;
                    }
                });
                let verdict = check_product(&edited, &product);
                assert!(verdict.is_err(), "{}: {wrong:?}\n{edited}", row.name);
            };
            let first = issues[0];
            let [a, b] = scales_of(&plan.steps()[first]).unwrap();
            // Another tile along m, n or k has other scales.
            for other in &issues {
                faulty(first, scales_of(&plan.steps()[*other]).unwrap());
            }
            faulty(first, [b, a]);
            faulty(first, [None, b]);
            faulty(first, [a, None]);
            let held = row.scales.as_ref().unwrap();
            let bits = |operand: &ScaleOperand| [&operand.lanes[..], &operand.bytes].concat();
            for (factor, operand) in held.operands.iter().enumerate() {
                for bit in bits(operand) {
                    let ScaleBit::Selected(bit) = bit else {
                        continue;
                    };
                    let mut wrong = [a, b];
                    wrong[factor].as_mut().unwrap().selector ^= 1 << bit;
                    faulty(first, wrong);
                }
            }
            // A lane bit addresses another row.
            let other = exchanged(&scales[0]);
            let given = [Some(&other), Some(&scales[1])];
            let verdict = check_product(plan, &with_scales(&row, product, given));
            assert!(verdict.is_err(), "{}: bits exchanged", row.name);
        }
    }
    assert!(count > 400, "{count}");
}

/// Checks that A and B are converted if k is permuted such that a block with one scale is split. The instruction
/// does not accept such layouts directly.
#[test]
fn blocks_with_one_scale_stay_whole() {
    let target = Target::parse("hip:gfx950").unwrap();
    let rows = target.scaled_products();
    let row = rows
        .iter()
        .find(|row| row.name == "mfma.scale.f32.32x32x64.e4m3.e4m3");
    let row = row.unwrap();
    // Bits 4 and 5 of k are exchanged: lanes hold elements of the other block.
    let torn = around(row, false, target);
    let exchanged_k = |layout: &LinearLayout, dim: usize| {
        let parts = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(|own| {
            let coords = layout
                .columns_of(own)
                .iter()
                .map(|c| layout.unpack(*c).to_vec());
            let bases = coords.map(|c| {
                let mut basis = [c[0], c[1]];
                basis[dim] = match basis[dim] {
                    16 => 32,
                    32 => 16,
                    other => other,
                };
                basis
            });
            bases.collect::<BasisVectors>()
        });
        super::layout(parts, [0, 1].map(|i| layout.out_size(Dim::out(i))))
    };
    let layouts = [
        exchanged_k(&torn[0], 1),
        exchanged_k(&torn[1], 0),
        torn[2].clone(),
    ];
    let factors = [row.factors];
    let product = product(&factors, row.sum, layouts.each_ref(), target);
    let scales = scales_around(row, false);
    let product = with_scales(row, product, scales.each_ref().map(Some));
    let plan = plan_product(&product).unwrap();
    check_product(plan.program(), &product).unwrap();
    assert_eq!(plan.is_converted(), [true, true, false]);
    let tried = match_instructions(&product).unwrap();
    let (_, verdict) = tried
        .iter()
        .find(|(tried, _)| tried.name == row.name)
        .unwrap();
    assert_eq!(
        verdict.unwrap_err().to_string(),
        "k = 16 of the instruction tile is mapped to k = 32, expected less than 32, the number of elements \
         that share one scale"
    );
}
