//! The arguments of a function that pointers are based on.

use crate::ir::ops::arith;
use crate::ir::{Carried, OpKind, OpView};
use crate::sys;
use crate::sys::build::Val;
use melior::ir::BlockLike;
use rustc_hash::FxHashSet;

/// Returns the function argument on which a pointer, a tensor of pointers or a descriptor is based. Returns `None`
/// if there is no such argument, or more than one.
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
        if let Some(select) = arith::Select::of(op) {
            waiting.extend([select.true_value(), select.false_value()]);
            continue;
        }
        waiting.push(match OpView::of(op)? {
            OpView::TtAddPtr(op) => op.ptr(),
            OpView::TtBitcast(op) => op.src(),
            OpView::TtBroadcast(op) => op.src(),
            OpView::TtExpandDims(op) => op.src(),
            OpView::TtMakeTensorDesc(op) => op.base(),
            OpView::TtReshape(op) => op.src(),
            OpView::TtSplat(op) => op.src(),
            OpView::TtTrans(op) => op.src(),
            OpView::TtgConvertLayout(op) => op.src(),
            _ => return None,
        });
    }
    found
}
