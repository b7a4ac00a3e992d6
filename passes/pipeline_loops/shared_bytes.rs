//! The shared memory that a function uses during a loop.

use crate::analysis::assignment::Role;
use crate::analysis::effects::OpId;
use crate::analysis::pressure::is_loop;
use crate::ir::ops::ttg;
use crate::ir::{OpKind, TensorType, element_bits};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Returns an upper bound for the bytes of shared memory that are in use during a loop. The bound includes the buffers
/// that are live at an operation of the loop, except those for which `is_own` is true, and the largest tensor that the
/// loop converts. Arguments of `is_own` are `ttg.local_alloc` operations.
pub(super) fn other_bytes(
    function: Op<'_>,
    looped: Op<'_>,
    is_own: impl Fn(Op<'_>) -> bool,
) -> u64 {
    let ops = build::in_order(function);
    let positions: FxHashMap<OpId, usize> = ops
        .iter()
        .map(|op| sys::operation_id(*op))
        .zip(0..)
        .collect();
    let range = |op: Op<'_>| {
        let first = positions.get(&sys::operation_id(op)).copied();
        let first = first.unwrap_or_default();
        first..first + build::in_order(op).len()
    };
    // The loops around the loop, innermost first. A buffer from outside a loop that is used in it is live in all of it.
    let around = build::ancestors(looped).filter(|op| is_loop(*op));
    let loops: Vec<Range<usize>> = std::iter::once(looped).chain(around).map(range).collect();
    let buffers = ops.iter().copied().filter_map(ttg::LocalAlloc::of);
    let others = buffers.filter(|alloc| {
        let Some(begin) = positions.get(&sys::operation_id(alloc.op())) else {
            return true;
        };
        let outside = loops.iter().rfind(|range| !range.contains(begin));
        let is_live = outside.or(loops.first()).is_none_or(|range| {
            *begin < range.end
                && last_use(alloc.result(), &positions).is_none_or(|last| range.start < last)
        });
        is_live && !is_own(alloc.op())
    });
    let buffers: u64 = others
        .filter_map(|alloc| bytes_of(alloc.result().r#type()))
        .sum();
    let converted = build::in_order(looped)
        .into_iter()
        .filter_map(ttg::ConvertLayout::of);
    let tensors = converted.filter_map(|convert| TensorType::of(convert.result().r#type()));
    let bytes = tensors.filter_map(|tensor| {
        Some(tensor.num_elements() * u64::from(element_bits(tensor.element)?.div_ceil(8)))
    });
    buffers + bytes.max().unwrap_or(0)
}

/// Returns the position of the last operation that uses a buffer or a view of it. Returns `None` if the buffer is
/// passed to another block or function.
fn last_use(buffer: Val<'_>, positions: &FxHashMap<OpId, usize>) -> Option<usize> {
    let mut last = 0;
    let mut waiting = vec![buffer];
    while let Some(value) = waiting.pop() {
        for (user, _) in sys::uses(value) {
            let role = Role::of(user);
            let passes_on = matches!(role, Role::Loop | Role::Conditional | Role::Terminator)
                || user.region_count() > 0
                || OpKind::TtCall.is(user);
            if passes_on {
                return None;
            }
            last = last.max(*positions.get(&sys::operation_id(user))?);
            let views = build::results(user).into_iter();
            waiting.extend(views.filter(|view| sys::buffer(view.r#type()).is_some()));
        }
    }
    Some(last)
}

/// Returns the size of a buffer in bytes, without paddings. Returns `None` if `buffer` is no buffer type, or if the
/// element type is unknown.
pub(super) fn bytes_of(buffer: Type<'_>) -> Option<u64> {
    let buffer = sys::buffer(buffer)?;
    let bits = u64::from(element_bits(buffer.element)?);
    Some((buffer.shape.iter().product::<u64>() * bits).div_ceil(8))
}
