//! Detection of plans that multiply wrong registers.

use super::*;
use crate::plan::program::{Operands, Step, ValueId};

/// Returns `layout` with two lane bases exchanged: the first one, and the last one that differs from it.
pub(super) fn exchanged(layout: &LinearLayout) -> LinearLayout {
    let parts = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(|own| {
        let columns = layout.columns_of(own).iter();
        let coords = columns.map(|column| layout.unpack(*column).to_vec());
        let mut bases: BasisVectors = coords.map(|c| [c[0], c[1]]).collect();
        if own == Dim::LANE {
            let last = bases.iter().rposition(|basis| *basis != bases[0]);
            bases.swap(0, last.expect("an operand has different bits"));
        }
        bases
    });
    let sizes = [0, 1].map(|i| layout.out_size(Dim::out(i)));
    super::layout(parts, sizes)
}

/// Returns the registers of the sums, of A and of B that the matrix product at step `at` uses.
fn lists(plan: &Program, at: usize) -> [Operands; 3] {
    match plan.steps()[at] {
        Step::Mma { acc, a, b, .. } => [acc, a, b],
        _ => unreachable!("a product"),
    }
}

fn issues(plan: &Program) -> Vec<usize> {
    let is_issue = |i: &usize| matches!(plan.steps()[*i], Step::Mma { .. });
    (0..plan.steps().len()).filter(is_issue).collect()
}

/// Returns the plan in which one operand of the matrix product at step `at` is replaced. `which` selects the sums
/// (0), A (1) or B (2).
fn with_operand(plan: &Program, at: usize, which: usize, operands: Operands) -> Program {
    plan.edited(|steps| {
        if let Step::Mma { acc, a, b, .. } = &mut steps[at] {
            *[acc, a, b][which] = operands;
        }
    })
}

fn swap_operands(plan: &Program, [x, y]: [usize; 2], which: usize) -> Program {
    let (of_x, of_y) = (lists(plan, x)[which], lists(plan, y)[which]);
    with_operand(&with_operand(plan, x, which, of_y), y, which, of_x)
}

/// Returns a copy of `plan` in which the last matrix product uses wrong registers for the operand that `which`
/// selects. The registers that all products use for this operand are sorted by number. Each register of the last
/// product is replaced by the next one in this list. The first register follows the last one.
fn shifted(plan: &Program, which: usize) -> Program {
    let all = issues(plan);
    let values = |at: usize| plan.operands(lists(plan, at)[which]);
    let mut known: Vec<ValueId> = all.iter().flat_map(|at| values(*at).to_vec()).collect();
    known.sort_unstable();
    known.dedup();
    let next = |value: &ValueId| {
        let at = known
            .binary_search(value)
            .expect("a register of the factor");
        known[(at + 1) % known.len()]
    };
    let last = all[all.len() - 1];
    let values: Vec<ValueId> = values(last).iter().map(next).collect();
    let (plan, list) = plan.with_list(&values);
    with_operand(&plan, last, which, list)
}

/// Returns the steps of two matrix products of which the second accumulates into the result of the first. Returns
/// `None` if the tile spans all of k, because then no products are chained.
fn chained(plan: &Program) -> Option<[usize; 2]> {
    let all = issues(plan);
    let pairs = all.iter().flat_map(|x| all.iter().map(|y| [*x, *y]));
    let mut pairs = pairs.filter(|[x, y]| match plan.steps()[*x] {
        Step::Mma { first, .. } => plan.operands(lists(plan, *y)[0])[0] == first,
        _ => false,
    });
    pairs.next()
}

#[test]
fn faults_of_each_instruction_are_rejected() {
    let (mut known, mut chains) = (HashSet::new(), 0);
    for target in TARGETS {
        for row in target.products() {
            if !known.insert((row.name.clone(), row.operands[0].registers.len())) {
                continue;
            }
            let layouts = around(&row, false, target);
            let factors = [row.factors];
            let product = product(&factors, row.sum, layouts.each_ref(), target);
            let plan = planned(&row, &layouts, target);
            let plan = plan.program();
            let all = issues(plan);
            let first = all[0];
            let [before, left, right] = lists(plan, first);
            let factors = |at: usize| {
                let [_, a, b] = lists(plan, at);
                [a, b].map(|list| plan.operands(list))
            };
            // The next k if the tile spans only part of it, another tile of D otherwise.
            let mut others = all.iter().filter(|at| factors(**at) != factors(first));
            let second = *others.next().expect("another product");
            let mut faults = vec![
                (
                    "factors exchanged",
                    with_operand(&with_operand(plan, first, 1, right), first, 2, left),
                ),
                (
                    "products twice",
                    with_operand(&with_operand(plan, second, 1, left), second, 2, right),
                ),
                ("products left out", with_operand(plan, second, 0, before)),
                (
                    "the next register",
                    with_operand(plan, first, 1, left.moved_by(1)),
                ),
                ("A shifted in the last repetition", shifted(plan, 1)),
                ("B shifted in the last repetition", shifted(plan, 2)),
                ("sums exchanged", swap_operands(plan, [first, second], 0)),
            ];
            if let Some(chained) = chained(plan) {
                chains += 1;
                faults.push(("k exchanged for A alone", swap_operands(plan, chained, 1)));
                faults.push(("k exchanged for B alone", swap_operands(plan, chained, 2)));
            }
            for (name, faulty) in faults {
                let verdict = check_product(&faulty, &product);
                assert!(verdict.is_err(), "{}: {name}\n{faulty}", row.name);
            }
            let a = &exchanged(product.a);
            let verdict = check_product(plan, &MatrixProduct { a, ..product });
            assert!(verdict.is_err(), "{}: bits exchanged", row.name);
        }
    }
    assert!(chains >= 80, "{chains} of {}", known.len());
}

#[test]
fn a_wrong_product_is_rejected() {
    let (row, target) = of_ampere();
    let layouts = around(&row, false, target);
    let factors = [row.factors];
    let product = product(&factors, row.sum, layouts.each_ref(), target);
    let plan = planned(&row, &layouts, target);
    let plan = plan.program();
    let products = issues(plan);
    let mut changed = 0;
    for (at, other) in products
        .iter()
        .flat_map(|a| products.iter().map(move |b| (*a, *b)))
    {
        for what in 0..3 {
            let operands = lists(plan, other)[what];
            if plan.operands(operands) == plan.operands(lists(plan, at)[what]) {
                continue;
            }
            let edited = with_operand(plan, at, what, operands);
            changed += 1;
            let verdict = check_product(&edited, &product);
            assert!(verdict.is_err(), "{edited}");
        }
    }
    // Two of eight instructions share A, two share B; all sums differ.
    assert_eq!(changed, 8 * 7 + 2 * 8 * 6);
    // The last instruction of a chain is missing.
    let last = products[products.len() - 1];
    let edited = plan.edited(|steps| {
        steps.remove(last);
    });
    assert!(check_product(&edited, &product).is_err());
}
