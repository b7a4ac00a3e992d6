//! Runs programs over tuples, on what a tuple stands for.
//!
//! What that is, each kind of plan says with a [`Cell`]: for a reduction a set of elements, for a scan a run of
//! them. Conversions are proved by [`check_plan`], and here move what their layouts say; copies of one element
//! must stand for the same.

use super::plan::{PlanFault, check_plan, columns, span};
use crate::layout::LinearLayout;
use crate::plan::ValueId;
use crate::plan::tuples::{Conversion, TupleProgram, TupleStep};
use crate::target::Target;
use thiserror::Error;

/// What a tuple stands for.
pub(super) trait Cell: Copy + PartialEq {
    /// What the combination of two tuples stands for, in this order.
    #[must_use]
    fn combined_with(self, other: Self) -> Self;
}

/// What is wrong with the plan of a reduction or a scan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct TupleFault(#[from] Kind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Kind {
    #[error("step {step} reads {value}, which nothing has made")]
    Values { step: usize, value: ValueId },
    #[error("{found} registers, where the layout has {expected}")]
    Registers { found: usize, expected: usize },
    #[error("step {step} converts element {element}, whose copies are not combined alike")]
    Copies { step: usize, element: u64 },
    #[error("step {step} takes for copies what lanes do not hold alike")]
    Lanes { step: usize },
    #[error("a conversion is wrong: {0}")]
    Conversion(PlanFault),
    #[error(
        "result {register} of thread {thread} does not combine what it should, each element once and in order"
    )]
    Result { register: usize, thread: u64 },
}

/// The element of each register of each thread: `[register][thread]`, registers without copies.
pub(super) fn elements(layout: &LinearLayout) -> Vec<Vec<u64>> {
    let (registers, threads) = columns(layout);
    let threads = span(&threads);
    span(&registers)
        .into_iter()
        .map(|register| threads.iter().map(|thread| register ^ thread).collect())
        .collect()
}

/// Runs a program for every thread and checks each result: `[register][thread]` of what goes in and of what must
/// come out.
///
/// # Errors
/// The first fault: a result that is not what it must be, a wrong conversion, a malformed step.
pub(super) fn check<C: Cell>(
    program: &TupleProgram,
    sources: Vec<Vec<C>>,
    expected: &[Vec<C>],
    target: &Target,
) -> Result<(), TupleFault> {
    let fit = |found: usize, expected: usize| {
        if found == expected {
            return Ok(());
        }
        Err(TupleFault::from(Kind::Registers { found, expected }))
    };
    fit(program.num_sources(), sources.len())?;
    fit(program.results().len(), expected.len())?;
    let mut values = sources;
    values.resize(program.num_values(), Vec::new());
    for (step, made) in program.steps().iter().enumerate() {
        run(program, step, made, &mut values, target)?;
    }
    for (register, (expected, result)) in expected.iter().zip(program.results()).enumerate() {
        let found = &values[result.index()];
        for (thread, cell) in (0..).zip(expected) {
            if found.get(thread as usize) != Some(cell) {
                return Err(Kind::Result { register, thread }.into());
            }
        }
    }
    Ok(())
}

fn run<C: Cell>(
    program: &TupleProgram,
    step: usize,
    made: &TupleStep,
    values: &mut [Vec<C>],
    target: &Target,
) -> Result<(), TupleFault> {
    let read = |values: &[Vec<C>], value: ValueId| match values.get(value.index()) {
        Some(list) if !list.is_empty() => Ok(list.clone()),
        _ => Err(TupleFault::from(Kind::Values { step, value })),
    };
    match made {
        TupleStep::Combine { out, acc, other } => {
            let (acc, other) = (read(values, *acc)?, read(values, *other)?);
            let pairs = acc.iter().zip(&other);
            values[out.index()] = pairs.map(|(a, b)| a.combined_with(*b)).collect();
        }
        TupleStep::Exchange {
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
        TupleStep::ReduceLanes {
            first,
            values: given,
            copies,
        } => {
            let (lanes, copies) = (target.lanes as usize, *copies as usize);
            for (i, value) in (0..).zip(given) {
                let list = read(values, *value)?;
                let mut all = Vec::new();
                for warp in list.chunks(lanes) {
                    if (0..warp.len()).any(|lane| warp[lane] != warp[lane & !copies]) {
                        return Err(Kind::Lanes { step }.into());
                    }
                    let once = (0..warp.len()).filter(|lane| lane & copies == 0);
                    let combined = once.map(|lane| warp[lane]).reduce(C::combined_with);
                    all.extend(
                        combined
                            .map(|cell| vec![cell; warp.len()])
                            .unwrap_or_default(),
                    );
                }
                values[first.plus(i).index()] = all;
            }
        }
        TupleStep::Fetch {
            first,
            values: given,
            source,
        } => {
            let lanes = target.lanes as usize;
            for (i, value) in (0..).zip(given) {
                let list = read(values, *value)?;
                let from = |thread: usize| {
                    let lane = source.of((thread % lanes) as u32) as usize % lanes;
                    list[thread / lanes * lanes + lane]
                };
                values[first.plus(i).index()] = (0..list.len()).map(from).collect();
            }
        }
        TupleStep::Select {
            out,
            condition,
            if_set,
            if_clear,
        } => {
            let (set, clear) = (read(values, *if_set)?, read(values, *if_clear)?);
            let chosen = |thread: usize| {
                if condition.holds(thread as u32) {
                    set[thread]
                } else {
                    clear[thread]
                }
            };
            values[out.index()] = (0..set.len()).map(chosen).collect();
        }
        TupleStep::Convert {
            first,
            values: given,
            conversion,
        } => {
            let given = given
                .iter()
                .map(|value| read(values, *value))
                .collect::<Result<Vec<_>, _>>()?;
            let conversion = &program.conversions()[*conversion];
            for (i, list) in (0..).zip(convert(step, conversion, &given, target)?) {
                values[first.plus(i).index()] = list;
            }
        }
    }
    Ok(())
}

fn convert<C: Cell>(
    step: usize,
    conversion: &Conversion,
    given: &[Vec<C>],
    target: &Target,
) -> Result<Vec<Vec<C>>, TupleFault> {
    for plan in &conversion.plans {
        check_plan(plan.program(), &conversion.from, &conversion.to, target)
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
    let mut held: Vec<Option<C>> = vec![None; 1 << conversion.from.total_out_bits()];
    for (names, cells) in from.iter().zip(given) {
        for (element, own) in names.iter().zip(cells) {
            let cell = &mut held[*element as usize];
            if cell.is_some_and(|known| known != *own) {
                return Err(Kind::Copies {
                    step,
                    element: *element,
                }
                .into());
            }
            *cell = Some(*own);
        }
    }
    // `check_plan` has seen that the source holds all that the destination asks for.
    let get = |element: u64| held[element as usize].expect("the source holds all elements");
    Ok(elements(&conversion.to)
        .into_iter()
        .map(|names| names.into_iter().map(get).collect())
        .collect())
}

#[cfg(test)]
pub(super) mod tests {
    use crate::layout::{Dim, LinearLayout, Surjectivity};

    /// A layout over dims of these sizes: each coordinate bit in one bit of the position, in an order drawn from
    /// `keys`, copies where positions are left; `mixed` adds columns to each other.
    pub(in crate::machine) fn layout(
        sizes: &[u32],
        lanes: u32,
        warps: u32,
        keys: &[u32],
        mixed: bool,
    ) -> LinearLayout {
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
}
