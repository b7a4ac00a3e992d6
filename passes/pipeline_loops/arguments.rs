//! The arguments of a function that pointers are based on.

use crate::ir::OpKind;
use crate::ir::{Carried, OpView, UpstreamKind};
use crate::sys;
use crate::sys::build::{self, Val};
use melior::ir::BlockLike;
use rustc_hash::FxHashSet;

/// Returns the argument on which a pointer, a tensor of pointers or a descriptor is based. `None` if there is none, or
/// if there are several.
pub(super) fn base_argument(pointer: Val<'_>) -> Option<Val<'_>> {
    let mut found = None;
    let mut seen = FxHashSet::default();
    let mut waiting = vec![pointer];
    while let Some(value) = waiting.pop() {
        if !seen.insert(sys::value_id(value)) {
            continue;
        }
        if let Some(carried) = Carried::of(value) {
            waiting.extend([carried.initial, carried.next]);
            continue;
        }
        let Some(op) = sys::defining_operation(value) else {
            let block = sys::block_of_argument(value)?;
            let is_of_function = OpKind::TtFunc.is(block.parent_operation()?);
            if !is_of_function || found.is_some_and(|found| found != value) {
                return None;
            }
            found = Some(value);
            continue;
        };
        match OpView::of(op) {
            Some(
                OpView::TtAddPtr(_)
                | OpView::TtBitcast(_)
                | OpView::TtBroadcast(_)
                | OpView::TtExpandDims(_)
                | OpView::TtMakeTensorDesc(_)
                | OpView::TtReshape(_)
                | OpView::TtSplat(_)
                | OpView::TtTrans(_)
                | OpView::TtgConvertLayout(_),
            ) => waiting.push(build::operand(op, 0)),
            None if UpstreamKind::ArithSelect.is(op) => {
                waiting.extend([build::operand(op, 1), build::operand(op, 2)]);
            }
            _ => return None,
        }
    }
    found
}
