//! Vendor-independent atomic accesses, and their emission as LLVM operations.

use super::access::{GlobalAccess, emit_masked};
use crate::ir::builders::llvm::{self, AtomicBinOp, AtomicOrdering};
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::emit::Emitter;
use crate::lower::types::bits_of;
use crate::lower::words;
use crate::sys::build::Val;
use melior::ir::{Type, TypeLike, ValueLike};

/// An atomic access that one thread makes to contiguous elements. Each element is accessed atomically, but the
/// access as a whole is not atomic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicAccess<'a, 'c> {
    pub(crate) at: GlobalAccess<'a, 'c>,
    pub(crate) memory: AtomicMemory,
    pub(crate) sem: MemSemantic,
    pub(crate) scope: MemSyncScope,
    pub(crate) is_used: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicMemory {
    Global,
    Shared,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum AtomicAction<'c> {
    Rmw(RMWOp, Val<'c>),
    /// Compare-exchange, with the expected value and the new value.
    CompareExchange([Val<'c>; 2]),
    Load,
    Store(Val<'c>),
}

pub(crate) fn releases(sem: MemSemantic) -> bool {
    matches!(sem, MemSemantic::Release | MemSemantic::AcquireRelease)
}

pub(crate) fn acquires(sem: MemSemantic) -> bool {
    matches!(sem, MemSemantic::Acquire | MemSemantic::AcquireRelease)
}

pub(super) fn ordering(sem: MemSemantic) -> AtomicOrdering {
    match sem {
        MemSemantic::Relaxed => AtomicOrdering::Monotonic,
        MemSemantic::Acquire => AtomicOrdering::Acquire,
        MemSemantic::Release => AtomicOrdering::Release,
        MemSemantic::AcquireRelease => AtomicOrdering::AcqRel,
    }
}

fn operation(op: RMWOp, type_: Type<'_>) -> AtomicBinOp {
    match op {
        RMWOp::Max if !type_.is_integer() => AtomicBinOp::Fmax,
        RMWOp::Min if !type_.is_integer() => AtomicBinOp::Fmin,
        RMWOp::And => AtomicBinOp::And,
        RMWOp::Or => AtomicBinOp::Or,
        RMWOp::Xor => AtomicBinOp::Xor,
        RMWOp::Add => AtomicBinOp::Add,
        RMWOp::Fadd => AtomicBinOp::Fadd,
        RMWOp::Max => AtomicBinOp::Max,
        RMWOp::Min => AtomicBinOp::Min,
        RMWOp::Umax => AtomicBinOp::Umax,
        RMWOp::Umin => AtomicBinOp::Umin,
        RMWOp::Xchg => AtomicBinOp::Xchg,
    }
}

impl<'c> AtomicAccess<'_, 'c> {
    /// Emits this access as an atomic operation of LLVM that is executed only if the mask is true. Returns the old
    /// value, or 0 if the mask is false. Returns `None` for a store.
    pub(super) fn by_llvm(
        &self,
        e: &mut Emitter<'c>,
        action: AtomicAction<'c>,
        scope: Option<&'static str>,
    ) -> Option<Val<'c>> {
        let (at, order) = (&self.at, ordering(self.sem));
        let type_ = at.type_(e);
        let fallback = (!matches!(action, AtomicAction::Store(_))).then(|| e.zero(type_));
        let alignment = i64::from(at.alignment_bytes);
        emit_masked(e, at.mask, fallback, |e| match action {
            AtomicAction::Rmw(op, value) => {
                let op = operation(op, value.r#type());
                let rmw = llvm::atomicrmw(op, at.pointer, value, order);
                Some(e.effect(rmw.syncscope(scope)))
            }
            AtomicAction::CompareExchange(values) => {
                // `cmpxchg` takes integers and pointers only.
                let bits = bits_of(type_);
                let [expected, new] = values.map(|value| words::as_integer(e, value, bits));
                // A failed comparison does not write, hence does not release.
                let failure = if acquires(self.sem) {
                    AtomicOrdering::Acquire
                } else {
                    AtomicOrdering::Monotonic
                };
                let both = e.struct_type(&[new.r#type(), e.types.i1]);
                let exchange = llvm::cmpxchg(at.pointer, expected, new, order, failure, both);
                let both = e.effect(exchange.syncscope(scope));
                let found = e.extract_value(both, 0, new.r#type());
                Some(words::integer_as(e, found, type_))
            }
            AtomicAction::Load => {
                let load = llvm::load(at.pointer, type_).alignment(alignment);
                Some(e.effect(load.ordering(order).syncscope(scope)))
            }
            AtomicAction::Store(value) => {
                debug_assert_eq!(value.r#type(), type_);
                let store = llvm::store(value, at.pointer).alignment(alignment);
                e.operation(store.ordering(order).syncscope(scope));
                None
            }
        })
    }
}
