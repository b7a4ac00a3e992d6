//! `tt.atomic_poll`: the owner of each element reads memory until the expected value or a timeout.
//!
//! ```text
//! owner: loop { found = load; } while (found != expected && elapsed < timeout)
//! all threads: CTA barrier, which also makes the acquired writes visible to them
//! ```

use super::allocate::PlanContext;
use super::broadcast;
use super::emit::ICmpPredicate;
use super::gpu::{AtomicAccess, AtomicAction, AtomicMemory, CachePolicy, acquires};
use super::memory::{AccessGroups, memory_element, owner};
use super::plans::OpPlan;
use super::state::{Lowering, Outcome};
use crate::analysis::effects::{Act, Effects};
use crate::ir::TensorLayout;
use crate::ir::ops::{MemSemantic, tt};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::{Type, ValueLike};

/// Returns true if the result of the poll must be broadcast to replicas. It need not be if it is unused, or if the
/// poll has no timeout and so always succeeds.
fn is_broadcast(view: tt::AtomicPoll<'_, '_>) -> bool {
    view.timeout().is_some() && !sys::is_unused(view.result())
}

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let view = tt::AtomicPoll::of(op).expect("the dispatch goes by kind");
    let mut effects = if is_broadcast(view) {
        broadcast::plan(context, op, view.result().r#type())?.effects(context, op)
    } else {
        Effects::default()
    };
    if !effects.acts.contains(&Act::Barrier) {
        effects.acts.push(Act::Barrier);
    }
    Ok(effects)
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::AtomicPoll::of(op).expect("the dispatch goes by kind");
    let (element, _) = memory_element(l, view.ptr())?;
    let layout = l.layout(view.ptr().r#type())?;
    let layout = layout.as_deref();
    let pointers = l.get(view.ptr());
    let expected = l.get(view.expected());
    let timeout = view.timeout().map(|value| l.get(value)[0]);
    let (is_owner, repeated) = owner(l, layout);
    let i1 = l.e.types.i1;
    let num_registers = layout.map_or(1, TensorLayout::num_registers);
    let polled: Vec<usize> = (0..num_registers).filter(|r| r & repeated == 0).collect();
    let body = |l: &mut Lowering<'c>| -> Vec<Val<'c>> {
        let end = timeout.map(|timeout| {
            let now = l.gpu.nanoseconds(&mut l.e);
            l.e.add(now, timeout)
        });
        let poll = |r: &usize| wait(l, view, element, [pointers[*r], expected[*r]], end);
        polled.iter().map(poll).collect()
    };
    let found = match is_owner {
        None => body(l),
        Some(is_owner) => {
            let false_ = l.e.constant(i1, 0);
            let fork = l.e.fork(is_owner);
            let found = body(l);
            l.e.join_or(fork, &found, &vec![false_; polled.len()])
        }
    };
    if acquires(view.sem()) {
        l.gpu.fence(&mut l.e, MemSemantic::Acquire, view.scope());
    }
    let plan = l.allocation.plan::<OpPlan>(op);
    let has_barrier = plan.is_some_and(|(plan, _)| plan.program.num_barriers() > 0);
    let true_ = l.e.constant(i1, 1);
    let mut registers = vec![true_; num_registers];
    if is_broadcast(view) {
        for (r, found) in polled.into_iter().zip(found) {
            registers[r] = found;
        }
        let registers = broadcast::broadcast(l, op, registers);
        l.set(view.result(), registers);
    } else {
        l.set(view.result(), registers);
    }
    if !has_barrier {
        l.gpu.block_barrier(&mut l.e);
    }
    Ok(())
}

/// Emits a loop that polls one element until it has the expected value or the time `end` is reached. If `end` is
/// `None`, the loop has no timeout.
///
/// Returns true if the element has the expected value.
fn wait<'c>(
    l: &mut Lowering<'c>,
    view: tt::AtomicPoll<'c, 'c>,
    element: Type<'c>,
    [pointer, expected]: [Val<'c>; 2],
    end: Option<Val<'c>>,
) -> Val<'c> {
    let cache = CachePolicy::default();
    let (header, _) = l.e.begin_loop(&[]);
    let accesses = AccessGroups::scalar(element);
    let access = AtomicAccess {
        memory: AtomicMemory::Global,
        at: accesses.global(pointer, None, &cache, false),
        sem: MemSemantic::Relaxed,
        scope: view.scope(),
        is_used: true,
    };
    let found = l.gpu.atomic(&mut l.e, &access, AtomicAction::Load);
    let found = found.expect("a load gives a value");
    let differ = l.e.xor(found, expected);
    let is_equal = l.e.is_zero(differ);
    let is_different = l.e.is_nonzero(differ);
    let condition = match end {
        None => is_different,
        Some(end) => {
            let now = l.gpu.nanoseconds(&mut l.e);
            // The sign of the difference is right even if the clock wraps around.
            let elapsed = l.e.sub(now, end);
            let zero = l.e.zero(elapsed.r#type());
            let is_early = l.e.icmp(ICmpPredicate::Slt, elapsed, zero);
            l.e.and(is_different, is_early)
        }
    };
    let body = l.e.begin_body(header, condition);
    l.e.end_loop(body, &[], None);
    is_equal
}
