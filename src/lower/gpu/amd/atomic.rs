//! Atomic accesses by LLVM's operations, which it has the instructions for, or loops.

use crate::ir::ops::{MemSyncScope, RMWOp};
use crate::sys;
use melior::ir::Type;

/// What LLVM calls the threads of a scope.
pub(super) fn scope_name(scope: MemSyncScope) -> &'static str {
    match scope {
        MemSyncScope::Cta => "workgroup",
        MemSyncScope::Gpu => "agent",
        MemSyncScope::System => "",
    }
}

/// How many elements one access changes at most: pairs of 16 bits.
pub(super) fn elements(op: RMWOp, element: Type<'_>) -> usize {
    if op == RMWOp::Fadd && sys::float_width(element) == Some(16) {
        2
    } else {
        1
    }
}
