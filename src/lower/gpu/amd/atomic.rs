//! Atomic accesses: LLVM's scopes, and buffer instructions.

use crate::ir::ops::{MemSyncScope, RMWOp};
use crate::lower::types::bits_of;
use crate::sys;
use melior::ir::{Type, TypeLike};

/// Returns the name that LLVM uses for a memory scope on AMD GPUs. `None` is the system scope.
pub(super) fn scope_name(scope: MemSyncScope) -> Option<&'static str> {
    match scope {
        MemSyncScope::Cta => Some("workgroup"),
        MemSyncScope::Gpu => Some("agent"),
        MemSyncScope::System => None,
    }
}

/// Returns the number of elements per instruction: 2 for 16-bit float additions, otherwise 1.
pub(super) fn elements(op: RMWOp, element: Type<'_>) -> usize {
    if op == RMWOp::Fadd && sys::float_width(element) == Some(16) {
        2
    } else {
        1
    }
}

/// Returns true if every GPU has a buffer instruction for `op` or, if `op` is `None`, for compare-exchange. Returns
/// false for 16-bit operations, f64 additions, and float minima and maxima, because some GPUs lack these
/// instructions.
pub(super) fn has_buffer_instruction(op: Option<RMWOp>, element: Type<'_>) -> bool {
    let is_extreme = matches!(op, Some(RMWOp::Max | RMWOp::Min));
    match bits_of(element) {
        _ if is_extreme && !element.is_integer() => false,
        32 => true,
        64 => op != Some(RMWOp::Fadd),
        _ => false,
    }
}

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

/// Intrinsic for an atomic compare-exchange through a buffer descriptor. Its first operand is the new value.
pub(super) const BUFFER_COMPARISON: &str = "llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap";
