//! The shared memory that a function uses during a loop.

use crate::analysis::assignment::Role;
use crate::analysis::positions::Positions;
use crate::ir::ops::ttg;
use crate::ir::{OpKind, TensorType, element_bits};
use crate::sys;
use crate::sys::build::{self, Op};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

/// Returns an upper bound for the bytes of shared memory that are in use during a loop. The bound includes the buffers
/// that are live at an operation of the loop, except those for which `is_own` is true, and the largest tensor that the
/// loop converts. Arguments of `is_own` are `ttg.local_alloc` operations.
pub(super) fn other_bytes(
    function: Op<'_>,
    looped: Op<'_>,
    is_own: impl Fn(Op<'_>) -> bool,
) -> u64 {
    let ops = build::in_order(function);
    let positions = Positions::of(&ops);
    let buffers = ops.iter().copied().filter_map(ttg::LocalAlloc::of);
    let others = buffers.filter(|alloc| {
        let is_live = positions.start(alloc.op()) <= positions.end(looped)
            && last_live(*alloc, &positions).is_none_or(|last| positions.start(looped) < last);
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

/// Returns the last position at which a buffer is live because an operation uses it or a view of it. Returns `None` if
/// the buffer is passed to another block or function.
fn last_live<'c>(alloc: ttg::LocalAlloc<'c, 'c>, positions: &Positions) -> Option<usize> {
    let scope = build::parent(alloc.op());
    let mut last = 0;
    let mut waiting = vec![alloc.result()];
    while let Some(value) = waiting.pop() {
        for (user, _) in sys::uses(value) {
            let role = Role::of(user);
            let passes_on = matches!(role, Role::Loop | Role::Conditional | Role::Terminator)
                || user.region_count() > 0
                || OpKind::TtCall.is(user);
            if passes_on {
                return None;
            }
            last = last.max(positions.last_live(user, scope));
            let views = build::results(user).into_iter();
            waiting.extend(views.filter(|view| sys::buffer(view.r#type()).is_some()));
        }
    }
    Some(last)
}

/// Returns the size of a buffer in bytes, without paddings. Returns `None` if `buffer` is no buffer type, or if the
/// element type is unknown.
pub(in crate::passes) fn bytes_of(buffer: Type<'_>) -> Option<u64> {
    let buffer = sys::buffer(buffer)?;
    let bits = u64::from(element_bits(buffer.element)?);
    Some((buffer.shape.iter().product::<u64>() * bits).div_ceil(8))
}
