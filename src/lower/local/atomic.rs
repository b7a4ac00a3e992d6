//! Atomic scatters to shared memory: `ttg.local_atomic_scatter_rmw`.

use super::indexed;
use crate::analysis::effects::{AccessTarget, Act, Effects};
use crate::ir::ops::{MemSemantic, MemSyncScope, ttg};
use crate::lower::allocate::PlanContext;
use crate::lower::atomic::check_rmw;
use crate::lower::broadcast;
use crate::lower::gpu::{AtomicAccess, AtomicAction, AtomicMemory, CachePolicy};
use crate::lower::memory::{AccessGroups, owner};
use crate::lower::state::{Lowering, Outcome};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::ValueLike;

/// Returns the shared-memory effects of an atomic scatter: a read and a write of the buffer and, if the old values
/// are used, the accesses that broadcast them.
pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let scatter = ttg::LocalAtomicScatterRMW::of(op).expect("the dispatch goes by kind");
    let result = scatter.result();
    let mut effects = if sys::is_unused(result) {
        Effects::default()
    } else {
        broadcast::plan(context, op, result.r#type())?.effects(context, op)
    };
    let buffer = AccessTarget::Buffer(sys::value_id(scatter.dst()));
    effects
        .acts
        .splice(0..0, [Act::Read(buffer), Act::Write(buffer)]);
    Ok(effects)
}

/// Lowers `ttg.local_atomic_scatter_rmw`. If several threads or registers hold replicas of an element, only one of
/// them accesses memory.
pub(crate) fn scatter<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let scatter = ttg::LocalAtomicScatterRMW::of(op).expect("the dispatch goes by kind");
    let (indices, values) = (scatter.indices(), scatter.values());
    let (plan, buffer) = indexed::plan(l, indices, scatter.dst(), scatter.axis())?;
    let element = l.types_of(values.r#type())?[0];
    let rmw = scatter.atomic_rmw_op();
    check_rmw(l.gpu, rmw, element)?;
    let layout = l.tensor_layout(values)?;
    let (is_owner, repeated) = owner(l, Some(&layout));
    let indices = indexed::bounded(l, indices, scatter.dst(), scatter.axis())?;
    let values = l.get(values);
    let masks = scatter.mask().map(|mask| l.get(mask));
    let (accesses, cache) = (AccessGroups::scalar(element), CachePolicy::default());
    let is_used = !sys::is_unused(scatter.result());
    let mut found = vec![l.e.zero(element); values.len()];
    for register in (0..values.len()).filter(|register| register & repeated == 0) {
        let pointer = indexed::address(l, &plan, buffer, register, indices[register]);
        let mask: Option<Val<'c>> = match (masks.as_ref().map(|m| m[register]), is_owner) {
            (Some(mask), Some(owner)) => Some(l.e.and(mask, owner)),
            (mask, owner) => mask.or(owner),
        };
        let access = AtomicAccess {
            at: accesses.global(pointer, mask, &cache, false),
            memory: AtomicMemory::Shared,
            sem: MemSemantic::Relaxed,
            scope: MemSyncScope::Cta,
            is_used,
        };
        let action = AtomicAction::Rmw(rmw, values[register]);
        if let (true, Some(before)) = (is_used, l.gpu.atomic(&mut l.e, &access, action)) {
            found[register] = before;
        }
    }
    let registers = if is_used {
        broadcast::broadcast(l, op, found)
    } else {
        found.into()
    };
    l.set(scatter.result(), registers);
    Ok(())
}
