//! `tt.atomic_poll`: the owner of each element reads memory until it holds what is expected, or a time has passed;
//! then all threads of the block go on.
//!
//! ```text
//! owner: loop { found = load; } while (found != expected && elapsed < timeout)
//! everybody waits for the owners; what the wait acquires, all of them see
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

/// Whether the owners have found out what others ask for: without a time the wait ends with what is expected.
fn is_shared(view: tt::AtomicPoll<'_, '_>) -> bool {
    view.timeout().is_some() && !sys::is_unused(view.result())
}

/// Everybody waits for the owners, and hears what they found.
pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let view = tt::AtomicPoll::of(op).expect("the dispatch goes by kind");
    let mut effects = if is_shared(view) {
        broadcast::plan(context, op, view.result().r#type())?.effects()
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
        let poll = |r: &usize| {
            let place = [pointers[*r], expected[*r]];
            wait(l, view, element, place, end)
        };
        polled.iter().map(poll).collect()
    };
    let found = match is_owner {
        None => body(l),
        Some(is_owner) => {
            let no = l.e.constant(i1, 0);
            let fork = l.e.fork(is_owner);
            let found = body(l);
            l.e.join_or(fork, &found, &vec![no; polled.len()])
        }
    };
    if acquires(view.sem()) {
        l.gpu.fence(&mut l.e, MemSemantic::Acquire, view.scope());
    }
    let way = l.allocation.plan::<OpPlan>(op);
    let waits = way.is_some_and(|(plan, _)| plan.program.num_barriers() > 0);
    let yes = l.e.constant(i1, 1);
    let mut registers = vec![yes; num_registers];
    if is_shared(view) {
        for (r, found) in polled.into_iter().zip(found) {
            registers[r] = found;
        }
        let registers = broadcast::broadcast(l, op, registers);
        l.set(view.result(), registers);
    } else {
        l.set(view.result(), registers);
    }
    if !waits {
        l.gpu.block_barrier(&mut l.e);
    }
    Ok(())
}

/// Reads an integer until it is what is expected, or the time is over; returns whether it is.
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
    let is_there = l.e.is_zero(differ);
    let is_missing = l.e.is_nonzero(differ);
    let condition = match end {
        None => is_missing,
        Some(end) => {
            let now = l.gpu.nanoseconds(&mut l.e);
            // The clock may wrap around: what counts is the difference.
            let left = l.e.sub(now, end);
            let zero = l.e.zero(left.r#type());
            let is_early = l.e.icmp(ICmpPredicate::Slt, left, zero);
            l.e.and(is_missing, is_early)
        }
    };
    let body = l.e.begin_body(header, condition);
    l.e.end_loop(body, &[], None);
    is_there
}
