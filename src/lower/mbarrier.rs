//! Mbarriers: shared-memory objects that count copies and arrivals.
//!
//! One elected thread initialises, updates and invalidates an mbarrier; all threads wait, and arrive after their copies. The surrounding CTA barriers
//! follow from shared-memory effects. An arrival counts for the whole CTA, so a CTA barrier comes first.

use super::gpu::{MbarrierAction, UnitIsa};
use super::state::{Lowering, Outcome};
use crate::ir::ops::ttng;
use crate::ir::{Carried, UpstreamKind, integer_constant};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::ValueLike;
use melior::ir::r#type::IntegerType;

/// Returns the instructions of the asynchronous units. Fails if the GPU has no such units.
pub(super) fn units(l: &Lowering<'_>) -> Result<&'static dyn UnitIsa, Diagnostic> {
    let units = l.gpu.units();
    units.ok_or_else(|| {
        Diagnostic::new(format!(
            "requires TMA and mbarriers, which {} does not have",
            l.gpu.target.name
        ))
        .note("use a target with TMA and mbarriers: `cuda:90` or later")
    })
}

pub(super) fn object<'c>(l: &mut Lowering<'c>, value: Val<'c>) -> Result<Val<'c>, Diagnostic> {
    Ok(l.buffer(value)?.address(&mut l.e))
}

/// Returns a condition that is true only in the elected thread of each of the first `warps` warps, and only if `pred` is
/// true or `None`.
pub(super) fn issuer<'c>(
    l: &mut Lowering<'c>,
    units: &dyn UnitIsa,
    warps: u32,
    pred: Option<Val<'c>>,
) -> Val<'c> {
    let elected = units.elected(l.gpu, &mut l.e, warps);
    match pred {
        Some(pred) => {
            let pred = l.get(pred)[0];
            l.e.and(elected, pred)
        }
        None => elected,
    }
}

fn update<'c>(
    l: &mut Lowering<'c>,
    mbarrier: Val<'c>,
    action: MbarrierAction,
    pred: Option<Val<'c>>,
) -> Outcome {
    let units = units(l)?;
    let by = issuer(l, units, 1, pred);
    let object = object(l, mbarrier)?;
    units.mbarrier(&mut l.e, object, action, by);
    Ok(())
}

/// Converts a number to `u32`. The verifier has checked that it is positive.
fn positive(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

fn in_cluster() -> Diagnostic {
    Diagnostic::new("is not supported on an mbarrier of another CTA")
}

pub(crate) fn init<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let init = ttng::InitBarrier::of(op).expect("the dispatch goes by kind");
    let action = MbarrierAction::Init(positive(init.count()));
    update(l, init.alloc(), action, None)
}

pub(crate) fn invalidate<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let end = ttng::InvalBarrier::of(op).expect("the dispatch goes by kind");
    update(l, end.alloc(), MbarrierAction::Invalidate, None)
}

pub(crate) fn expect<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let expect = ttng::BarrierExpect::of(op).expect("the dispatch goes by kind");
    if expect.from_cta().is_some() {
        return Err(in_cluster());
    }
    let action = MbarrierAction::Expect(positive(expect.size()));
    update(l, expect.alloc(), action, Some(expect.pred()))
}

/// Lowers `ttng.arrive_barrier` to a CTA barrier, followed by the arrivals of one thread.
pub(crate) fn arrive<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let arrive = ttng::ArriveBarrier::of(op).expect("the dispatch goes by kind");
    if arrive.from_cta().is_some() || arrive.multicast_cta().is_some() {
        return Err(in_cluster());
    }
    l.gpu.block_barrier(&mut l.e);
    let action = MbarrierAction::Arrive(positive(arrive.count()));
    update(l, arrive.alloc(), action, arrive.pred())
}

/// Lowers `ttng.async_copy_mbarrier_arrive`: an arrival of each thread when its copies are complete.
pub(crate) fn arrive_after_copies<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let arrive = ttng::AsyncCopyMbarrierArrive::of(op).expect("the dispatch goes by kind");
    let units = units(l)?;
    let object = object(l, arrive.barrier())?;
    units.arrive_after_copies(&mut l.e, object, arrive.no_increment());
    Ok(())
}

/// Returns the lowest bit of a phase. The hardware requires 0 or 1, but a sign-extended `i1` is 0 or -1.
fn parity<'c>(l: &mut Lowering<'c>, phase: Val<'c>) -> Val<'c> {
    let parity = l.get(phase)[0];
    if is_bit(phase, &mut Vec::new()) {
        return parity;
    }
    let one = l.e.i32(1);
    l.e.and(parity, one)
}

/// Returns true if `value` is provably 0 or 1.
///
/// `assumed` contains the loop-carried values whose proof is in progress. By induction, the proof may assume that
/// they are 0 or 1.
fn is_bit<'c>(value: Val<'c>, assumed: &mut Vec<Val<'c>>) -> bool {
    use UpstreamKind as U;
    if assumed.contains(&value) {
        return true;
    }
    let Some(op) = sys::defining_operation(value) else {
        let Some(carried) = Carried::of(value) else {
            return false;
        };
        assumed.push(value);
        return is_bit(carried.initial, assumed) && is_bit(carried.next, assumed);
    };
    let operands = build::operands(op);
    let mut are_bits = |operands: &[Val<'c>]| operands.iter().all(|v| is_bit(*v, assumed));
    match UpstreamKind::of(op) {
        Some(U::ArithConstant) => matches!(integer_constant(value), Some(0 | 1)),
        Some(U::ArithAndI) => operands.iter().any(|v| are_bits(&[*v])),
        Some(U::ArithOrI | U::ArithXOrI) => are_bits(&operands),
        Some(U::ArithSelect) => are_bits(&operands[1..]),
        Some(U::ArithExtUI | U::ArithTruncI) => {
            operands[0].r#type() == IntegerType::new(build::context(op), 1).into()
                || are_bits(&operands)
        }
        _ => false,
    }
}

pub(crate) fn wait<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let wait = ttng::WaitBarrier::of(op).expect("the dispatch goes by kind");
    let units = units(l)?;
    let object = object(l, wait.alloc())?;
    let parity = parity(l, wait.phase());
    let pred = wait.pred().map(|pred| l.get(pred)[0]);
    let fork = pred.map(|pred| l.e.fork(pred));
    units.wait(&mut l.e, object, parity);
    if let Some(fork) = fork {
        l.e.join_or(fork, &[], &[]);
    }
    Ok(())
}

/// Lowers `ttng.fence_async_shared` to nothing, because the allocation of shared memory has already determined
/// where fences are necessary. Fails if the fence applies to the shared memory of a cluster.
pub(crate) fn fence<'c>(_: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let fence = ttng::FenceAsyncShared::of(op).expect("the dispatch goes by kind");
    if fence.b_cluster() {
        return Err(Diagnostic::new(
            "is not supported for the shared memory of a cluster",
        ));
    }
    Ok(())
}
