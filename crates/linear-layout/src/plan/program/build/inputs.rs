//! The values that a step defines and the values that it uses, for renumbering.

use crate::number::narrow;
use crate::plan::program::{Operands, Step, ValueId};

pub(super) fn with_out(step: Step, value: ValueId) -> Step {
    let mut step = step;
    match &mut step {
        Step::Pack { out, .. }
        | Step::Select { out, .. }
        | Step::SelectBit { out, .. }
        | Step::ShuffleXor { out, .. }
        | Step::ShuffleIndex { out, .. }
        | Step::ShuffleAt { out, .. }
        | Step::TransposeMatrix { out, .. }
        | Step::Zero { out }
        | Step::One { out, .. }
        | Step::ReduceLanes { out, .. } => *out = value,
        Step::Unpack { first, .. }
        | Step::Compute { first, .. }
        | Step::CountVotes { first, .. }
        | Step::Combine { first, .. }
        | Step::Mma { first, .. }
        | Step::SwapLanes { first, .. }
        | Step::Load { first, .. }
        | Step::LoadMatrices { first, .. } => *first = value,
        Step::Store { .. }
        | Step::StoreMatrices { .. }
        | Step::AtomicAdd { .. }
        | Step::Barrier(_) => {}
    }
    step
}

/// Returns the first value that a step defines, and the number of values that it defines.
pub(crate) fn outs(step: &Step) -> (ValueId, u32) {
    match *step {
        Step::Pack { out, .. }
        | Step::Select { out, .. }
        | Step::SelectBit { out, .. }
        | Step::ShuffleXor { out, .. }
        | Step::ShuffleIndex { out, .. }
        | Step::ShuffleAt { out, .. }
        | Step::TransposeMatrix { out, .. }
        | Step::Zero { out }
        | Step::One { out, .. }
        | Step::ReduceLanes { out, .. } => (out, 1),
        Step::Combine { first, acc, .. } | Step::Mma { first, acc, .. } => (first, acc.len),
        Step::Unpack { first, count, .. }
        | Step::Compute { first, count, .. }
        | Step::CountVotes { first, count, .. }
        | Step::Load { first, count, .. }
        | Step::LoadMatrices { first, count, .. } => (first, count),
        Step::SwapLanes { first, .. } => (first, 2),
        Step::Store { .. }
        | Step::StoreMatrices { .. }
        | Step::AtomicAdd { .. }
        | Step::Barrier(_) => (ValueId(0), 0),
    }
}

pub(super) fn each_input(step: &Step, pool: &[ValueId], mut f: impl FnMut(ValueId)) {
    let mut step = *step;
    for list in lists(&mut step).into_iter().flatten() {
        let values = &pool[list.start as usize..(list.start + list.len) as usize];
        values.iter().for_each(|v| f(*v));
    }
    let single = single_inputs(&mut step).into_iter().flatten();
    single.for_each(|v| f(*v));
}

pub(super) fn lists(step: &mut Step) -> [Option<&mut Operands>; 3] {
    match step {
        Step::Pack { parts: list, .. } | Step::Compute { inputs: list, .. } => {
            [Some(list), None, None]
        }
        Step::Store {
            values, address, ..
        }
        | Step::StoreMatrices {
            values, address, ..
        } => [Some(values), Some(&mut address.numbers), None],
        Step::Load { address, .. }
        | Step::LoadMatrices { address, .. }
        | Step::AtomicAdd { address, .. } => [Some(&mut address.numbers), None, None],
        Step::CountVotes { acc, .. } => [Some(acc), None, None],
        Step::Combine { acc, other, .. } => [Some(acc), Some(other), None],
        Step::Mma { acc, a, b, .. } => [Some(acc), Some(a), Some(b)],
        _ => [None, None, None],
    }
}

/// Returns the operands of a step that are single values, not lists.
pub(super) fn single_inputs(step: &mut Step) -> [Option<&mut ValueId>; 3] {
    match step {
        Step::Unpack { value, .. }
        | Step::ShuffleXor { value, .. }
        | Step::ShuffleIndex { value, .. }
        | Step::TransposeMatrix { value, .. }
        | Step::ReduceLanes { value, .. } => [Some(value), None, None],
        Step::ShuffleAt { value, lane, .. } => [Some(value), Some(lane), None],
        Step::One { of, .. } => [Some(of), None, None],
        Step::AtomicAdd { value, mask, .. }
        | Step::CountVotes {
            bin: value, mask, ..
        } => [Some(value), mask.as_mut(), None],
        Step::SelectBit {
            number,
            if_set,
            if_clear,
            ..
        } => [Some(number), Some(if_set), Some(if_clear)],
        Step::Select {
            if_set: a,
            if_clear: b,
            ..
        }
        | Step::SwapLanes {
            low: a, high: b, ..
        } => [Some(a), Some(b), None],
        Step::Pack { .. }
        | Step::Zero { .. }
        | Step::Compute { .. }
        | Step::Store { .. }
        | Step::StoreMatrices { .. }
        | Step::Load { .. }
        | Step::LoadMatrices { .. }
        | Step::Combine { .. }
        | Step::Barrier(_) => [None, None, None],
        Step::Mma { scales: [a, b], .. } => [
            a.as_mut().map(|scales| &mut scales.word),
            b.as_mut().map(|scales| &mut scales.word),
            None,
        ],
    }
}

pub(super) fn renumber(
    step: Step,
    renamed: &[ValueId],
    pool: &[ValueId],
    operands: &mut Vec<ValueId>,
) -> Step {
    let (first, count) = outs(&step);
    let mut step = if count > 0 {
        with_out(step, renamed[first.index()])
    } else {
        step
    };
    for list in lists(&mut step).into_iter().flatten() {
        let start = narrow(operands.len());
        let old = &pool[list.start as usize..(list.start + list.len) as usize];
        operands.extend(old.iter().map(|v| renamed[v.index()]));
        list.start = start;
    }
    for value in single_inputs(&mut step).into_iter().flatten() {
        *value = renamed[value.index()];
    }
    step
}
