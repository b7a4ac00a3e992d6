//! Atomic accesses by LLVM's operations, which it has the instructions for, or loops; and by buffer instructions.

use crate::ir::ops::{MemSyncScope, RMWOp};
use crate::lower::types::bits_of;
use crate::sys;
use melior::ir::{Type, TypeLike};

/// What LLVM calls the threads of a scope, but for those of the whole system.
pub(super) fn scope_name(scope: MemSyncScope) -> Option<&'static str> {
    match scope {
        MemSyncScope::Cta => Some("workgroup"),
        MemSyncScope::Gpu => Some("agent"),
        MemSyncScope::System => None,
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

/// Whether every GPU has a buffer instruction for it: a change, or a comparison. Not all have those of 16 bits, sums
/// of f64, and the larger or smaller of two floats.
pub(super) fn has_buffer_instruction(op: Option<RMWOp>, element: Type<'_>) -> bool {
    let is_extreme = matches!(op, Some(RMWOp::Max | RMWOp::Min));
    match bits_of(element) {
        _ if is_extreme && !element.is_integer() => false,
        32 => true,
        64 => op != Some(RMWOp::Fadd),
        _ => false,
    }
}

/// The buffer instruction of a change.
pub(super) fn buffer_instruction(op: RMWOp) -> &'static str {
    match op {
        RMWOp::And => "llvm.amdgcn.raw.ptr.buffer.atomic.and",
        RMWOp::Or => "llvm.amdgcn.raw.ptr.buffer.atomic.or",
        RMWOp::Xor => "llvm.amdgcn.raw.ptr.buffer.atomic.xor",
        RMWOp::Add => "llvm.amdgcn.raw.ptr.buffer.atomic.add",
        RMWOp::Fadd => "llvm.amdgcn.raw.ptr.buffer.atomic.fadd",
        RMWOp::Max => "llvm.amdgcn.raw.ptr.buffer.atomic.smax",
        RMWOp::Min => "llvm.amdgcn.raw.ptr.buffer.atomic.smin",
        RMWOp::Umax => "llvm.amdgcn.raw.ptr.buffer.atomic.umax",
        RMWOp::Umin => "llvm.amdgcn.raw.ptr.buffer.atomic.umin",
        RMWOp::Xchg => "llvm.amdgcn.raw.ptr.buffer.atomic.swap",
    }
}

/// The buffer instruction of a comparison, which takes the new value first.
pub(super) const BUFFER_COMPARISON: &str = "llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap";
