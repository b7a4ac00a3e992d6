//! One atomic access of global or shared memory, as both makers see it, and by LLVM's own operations.

use super::access::{GlobalAccess, where_true};
use crate::ir::builders::llvm::{self, AtomicBinOp, AtomicOrdering};
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::emit::Emitter;
use crate::lower::types::bits_of;
use crate::lower::words;
use crate::sys::build::Val;
use melior::ir::{Type, TypeLike, ValueLike};

/// An atomic access of a thread, of elements side by side: each is accessed atomically, not all together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicAccess<'a, 'c> {
    pub(crate) at: GlobalAccess<'a, 'c>,
    pub(crate) memory: AtomicMemory,
    pub(crate) sem: MemSemantic,
    pub(crate) scope: MemSyncScope,
    /// Whether anybody asks what was there before.
    pub(crate) is_used: bool,
}

/// What memory an atomic access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicMemory {
    Global,
    Shared,
}

/// What an atomic access does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AtomicAction<'c> {
    /// Changes what is there by a value.
    Change(RMWOp, Val<'c>),
    /// Puts the second value where the first one is.
    Compare([Val<'c>; 2]),
    Load,
    Store(Val<'c>),
}

/// Whether what came before is seen by whoever sees the access.
pub(crate) fn releases(sem: MemSemantic) -> bool {
    matches!(sem, MemSemantic::Release | MemSemantic::AcquireRelease)
}

/// Whether what comes after sees what came before the access that it meets.
pub(crate) fn acquires(sem: MemSemantic) -> bool {
    matches!(sem, MemSemantic::Acquire | MemSemantic::AcquireRelease)
}

/// The order of an access, in LLVM's words.
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
    /// By LLVM's operations, branched around where there is a mask; returns what was there, or 0 in the type of the
    /// access where it is off, and nothing of a store.
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
        where_true(e, at.mask, fallback, |e| match action {
            AtomicAction::Change(op, value) => {
                let change = operation(op, value.r#type());
                let change = llvm::atomicrmw(change, at.pointer, value, order);
                Some(e.effect(change.syncscope(scope)))
            }
            AtomicAction::Compare(values) => {
                // Bits are compared, of floats too.
                let bits = bits_of(type_);
                let [expected, new] = values.map(|value| words::as_integer(e, value, bits));
                // Nothing is written where the comparison fails, so nothing is released.
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
