//! Runs the plan of a reduction on sets of elements and compares every result with its row.
//!
//! A tuple stands for the set of elements that have been combined into it. A set is known here by the sum of its
//! elements' hashes, modulo 2^64: a combination adds, and an element that is combined twice, or not at all, gives
//! another sum (two sets have equal sums by chance once in 2^64). Conversions are proved by [`check_plan`], and
//! here move what their layouts say; copies of one element must stand for the same set.

use super::plan::{PlanFault, check_plan, columns, span};
use crate::layout::LinearLayout;
use crate::plan::ValueId;
use crate::plan::reduce::{Conversion, ReducePlan, ReduceStep, Reduction};
use core::fmt;

/// What is wrong with the plan of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReduceFault {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Values { step: usize, value: ValueId },
    Registers { found: usize, expected: usize },
    Copies { step: usize, element: u64 },
    Conversion(PlanFault),
    Result { register: usize, thread: u64 },
}

impl fmt::Display for ReduceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Values { step, value } => {
                write!(f, "step {step} reads {value}, which nothing has made")
            }
            Kind::Registers { found, expected } => {
                write!(f, "{found} registers, where the layout has {expected}")
            }
            Kind::Copies { step, element } => write!(
                f,
                "step {step} converts element {element}, whose copies are not combined alike"
            ),
            Kind::Conversion(fault) => write!(f, "a conversion is wrong: {fault}"),
            Kind::Result { register, thread } => write!(
                f,
                "result {register} of thread {thread} does not combine each element of its row once"
            ),
        }
    }
}

impl std::error::Error for ReduceFault {}

impl From<Kind> for ReduceFault {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

/// What stands for a set of one element.
fn hash(element: u64) -> u64 {
    // splitmix64: elements in a row give sums that no other few elements give.
    let mut x = element.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The element of each register of each thread: `[register][thread]`, registers without copies.
fn elements(layout: &LinearLayout) -> Vec<Vec<u64>> {
    let (registers, threads) = columns(layout);
    let threads = span(&threads);
    span(&registers)
        .into_iter()
        .map(|register| threads.iter().map(|thread| register ^ thread).collect())
        .collect()
}

/// Runs the plan for every thread and checks each result.
///
/// # Shape
/// `plan` as made by [`crate::plan::reduce::plan_reduction`] of `reduction`.
/// # Errors
/// The first fault: a result that is not its row's combination, a wrong conversion, a malformed step.
pub fn check_reduction(plan: &ReducePlan, reduction: &Reduction<'_>) -> Result<(), ReduceFault> {
    let sources = elements(reduction.src);
    if sources.len() != plan.num_sources() {
        return Err(Kind::Registers {
            found: plan.num_sources(),
            expected: sources.len(),
        }
        .into());
    }
    let mut values: Vec<Vec<u64>> = sources
        .into_iter()
        .map(|list| list.into_iter().map(hash).collect())
        .collect();
    values.resize(plan.num_values(), Vec::new());
    for (step, made) in plan.steps().iter().enumerate() {
        run(plan, step, made, &mut values, reduction)?;
    }
    compare(plan, reduction, &values)
}

fn run(
    plan: &ReducePlan,
    step: usize,
    made: &ReduceStep,
    values: &mut [Vec<u64>],
    reduction: &Reduction<'_>,
) -> Result<(), ReduceFault> {
    let read = |values: &[Vec<u64>], value: ValueId| match values.get(value.index()) {
        Some(list) if !list.is_empty() => Ok(list.clone()),
        _ => Err(ReduceFault::from(Kind::Values { step, value })),
    };
    match made {
        ReduceStep::Combine { out, acc, other } => {
            let (acc, other) = (read(values, *acc)?, read(values, *other)?);
            values[out.index()] = acc
                .iter()
                .zip(&other)
                .map(|(a, b)| a.wrapping_add(*b))
                .collect();
        }
        ReduceStep::Exchange {
            first,
            values: given,
            lane_mask,
        } => {
            for (i, value) in (0..).zip(given) {
                let list = read(values, *value)?;
                let from = |thread: usize| list[thread ^ *lane_mask as usize];
                values[first.plus(i).index()] = (0..list.len()).map(from).collect();
            }
        }
        ReduceStep::Select {
            out,
            lane_bit,
            if_set,
            if_clear,
        } => {
            let (set, clear) = (read(values, *if_set)?, read(values, *if_clear)?);
            let chosen = |thread: usize| match thread >> lane_bit & 1 {
                1 => set[thread],
                _ => clear[thread],
            };
            values[out.index()] = (0..set.len()).map(chosen).collect();
        }
        ReduceStep::Convert {
            first,
            values: given,
            conversion,
        } => {
            let given = given
                .iter()
                .map(|value| read(values, *value))
                .collect::<Result<Vec<_>, _>>()?;
            let conversion = &plan.conversions()[*conversion];
            for (i, list) in (0..).zip(convert(step, conversion, &given, reduction)?) {
                values[first.plus(i).index()] = list;
            }
        }
    }
    Ok(())
}

fn convert(
    step: usize,
    conversion: &Conversion,
    given: &[Vec<u64>],
    reduction: &Reduction<'_>,
) -> Result<Vec<Vec<u64>>, ReduceFault> {
    for plan in &conversion.plans {
        check_plan(
            plan.program(),
            &conversion.from,
            &conversion.to,
            reduction.target,
        )
        .map_err(Kind::Conversion)?;
    }
    let from = elements(&conversion.from);
    if from.len() != given.len() {
        return Err(Kind::Registers {
            found: given.len(),
            expected: from.len(),
        }
        .into());
    }
    let mut held: Vec<Option<u64>> = vec![None; 1 << conversion.from.total_out_bits()];
    for (names, sets) in from.iter().zip(given) {
        for (element, set) in names.iter().zip(sets) {
            let cell = &mut held[*element as usize];
            if cell.is_some_and(|known| known != *set) {
                return Err(Kind::Copies {
                    step,
                    element: *element,
                }
                .into());
            }
            *cell = Some(*set);
        }
    }
    // `check_plan` has seen that the source holds all that the destination asks for.
    let get = |element: u64| held[element as usize].unwrap_or_default();
    Ok(elements(&conversion.to)
        .into_iter()
        .map(|names| names.into_iter().map(get).collect())
        .collect())
}

fn compare(
    plan: &ReducePlan,
    reduction: &Reduction<'_>,
    values: &[Vec<u64>],
) -> Result<(), ReduceFault> {
    // The sum of each row: without the axis, the coordinates are those of the result.
    let src = reduction.src;
    let below: usize = src
        .out_dims()
        .take(reduction.axis)
        .map(|dim| src.out_bits(dim))
        .sum();
    let axis_bits = src
        .out_dims()
        .nth(reduction.axis)
        .map_or(0, |dim| src.out_bits(dim));
    let bits = src.total_out_bits();
    let mut rows = vec![0u64; 1 << (bits - axis_bits)];
    for element in 0..1u64 << bits {
        let row = element & ((1 << below) - 1) | element >> (below + axis_bits) << below;
        let sum = &mut rows[row as usize];
        *sum = sum.wrapping_add(hash(element));
    }
    let expected = match reduction.dst {
        Some(dst) => elements(dst),
        None => vec![vec![0; values.first().map_or(0, Vec::len)]],
    };
    if expected.len() != plan.results().len() {
        return Err(Kind::Registers {
            found: plan.results().len(),
            expected: expected.len(),
        }
        .into());
    }
    for (register, (names, result)) in expected.iter().zip(plan.results()).enumerate() {
        let sets = &values[result.index()];
        for (thread, name) in (0..).zip(names) {
            if sets.get(thread as usize) != Some(&rows[*name as usize]) {
                return Err(Kind::Result { register, thread }.into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dim, Surjectivity};
    use crate::plan::reduce::plan_reduction;
    use crate::target::Target;
    use proptest::prelude::*;

    /// A layout over dims of these sizes: each coordinate bit in one bit of the position, in an order drawn from
    /// `keys`, copies where positions are left; `mixed` adds columns to each other.
    fn layout(sizes: &[u32], lanes: u32, warps: u32, keys: &[u32], mixed: bool) -> LinearLayout {
        let bits: u32 = sizes.iter().sum();
        let registers = bits.saturating_sub(lanes + warps) + keys[0] % 3;
        let places = (registers + lanes + warps) as usize;
        let mut columns: Vec<u64> = (0..places as u32)
            .map(|i| if i < bits { 1u64 << i } else { 0 })
            .collect();
        for i in (1..places).rev() {
            columns.swap(i, keys[i % keys.len()] as usize % (i + 1));
        }
        if mixed {
            for (i, key) in keys.iter().enumerate() {
                let (a, b) = (i % places, *key as usize % places);
                if a != b {
                    columns[a] ^= columns[b];
                }
            }
        }
        let outs: Vec<(Dim, u64)> = sizes
            .iter()
            .enumerate()
            .map(|(i, bits)| (Dim::out(i), 1 << bits))
            .collect();
        let ins = [
            (Dim::REGISTER, 1 << registers),
            (Dim::LANE, 1 << lanes),
            (Dim::WARP, 1 << warps),
            (Dim::BLOCK, 1),
        ];
        let layout = LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required);
        let layout = layout.expect("each coordinate bit has a position");
        layout.remove_zero_bases(Dim::REGISTER).expect("registers")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Every result combines its row, each element once, whatever the layouts.
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
                target,
            };
            let plan = plan_reduction(&reduction).expect("it fits");
            if let Err(fault) = check_reduction(&plan, &reduction) {
                prop_assert!(false, "{fault}\n{plan}\n{src}\n{dst:?}");
            }
        }
    }

    /// 8 rows of 32 elements, a row in the lanes of a warp: 7 exchanges and 2 more, and the rows gathered back.
    #[test]
    fn rows_are_halved() {
        let target = Target::parse("cuda:90").expect("known");
        let (row, column) = (Dim::out(0), Dim::out(1));
        let registers = LinearLayout::identity_1d(8, Dim::REGISTER, row).expect("small");
        let lanes = LinearLayout::identity_1d(32, Dim::LANE, column).expect("small");
        let src = registers.product(&lanes).expect("small");
        let copies = LinearLayout::zeros_1d(32, Dim::LANE, row, 1).expect("small");
        let everywhere = registers.product(&copies).expect("small");
        let reduction = Reduction {
            src: &src,
            axis: 1,
            dst: Some(&everywhere),
            widths: &[32],
            combine: 1,
            target,
        };
        let plan = plan_reduction(&reduction).expect("it fits");
        check_reduction(&plan, &reduction).expect("it is right");
        let exchanged: usize = plan
            .steps()
            .iter()
            .map(|step| match step {
                ReduceStep::Exchange { values, .. } => values.len(),
                _ => 0,
            })
            .sum();
        assert_eq!(exchanged, 9, "{plan}");
        // In the layout that halving leaves, nothing is gathered.
        let distributed =
            LinearLayout::from_bases(&[(Dim::LANE, &[&[0], &[0], &[1], &[2], &[4]])], &[row])
                .expect("small");
        let reduction = Reduction {
            dst: Some(&distributed),
            ..reduction
        };
        let plan = plan_reduction(&reduction).expect("it fits");
        check_reduction(&plan, &reduction).expect("it is right");
        assert!(plan.conversions().is_empty(), "{plan}");
    }

    /// The machine sees an element that is combined twice, one that is not, and a lane that is not asked.
    #[test]
    fn broken_plans_are_seen() {
        let target = Target::parse("hip:gfx942").expect("known");
        let src = layout(&[3, 6], 6, 2, &[7; 24], false);
        let reduction = Reduction {
            src: &src,
            axis: 1,
            dst: None,
            widths: &[16],
            combine: 1,
            target,
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
        for at in 0..plan.steps().len() {
            let broken = plan.edited(|steps| match &mut steps[at] {
                ReduceStep::Combine { acc, other, .. } => *other = *acc,
                ReduceStep::Exchange { lane_mask, .. } => *lane_mask = 0,
                ReduceStep::Select {
                    if_set, if_clear, ..
                } => std::mem::swap(if_set, if_clear),
                ReduceStep::Convert { values, .. } => values.rotate_left(1),
            });
            let verdict = check_reduction(&broken, &reduction);
            let is_one = matches!(&plan.steps()[at],
                ReduceStep::Convert { values, .. } if values.len() == 1);
            assert!(is_one || verdict.is_err(), "step {at} of {broken}");
            seen += usize::from(verdict.is_err());
        }
        assert!(seen > 6, "{plan}");
    }
}
