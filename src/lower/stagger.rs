//! Staggered warps: `amdg.cond_barrier` makes some warps of a block run one barrier behind the rest.
//!
//! ```text
//! cond_barrier %late           the late warps wait for the first barrier of the early warps
//! for { memory; barrier; products; barrier }
//! cond_barrier %early          the early warps wait for the last barrier of the late warps
//! ```
//! Between these two operations, early warps multiply while late warps access memory, and vice versa. Barrier n of the
//! early warps is barrier n - 1 of the late warps, so accesses of different warps need two barriers in between.
//! Operations with internal barriers for data exchange are therefore refused.
//!
//! A wait for copies gets a barrier behind it. After the next barrier, the copies have also arrived for the remaining
//! warps.

use super::calls;
use super::gpu::Gpu;
use super::state::{Lowering, Outcome};
use crate::analysis::effects::{Act, Effects, OpId, StaggerEdge};
use crate::ir::builders::llvm;
use crate::ir::ops::arith::CmpIPredicate as Predicate;
use crate::ir::ops::{amdg, arith, tt};
use crate::ir::{AnyKind, OpKind, UpstreamKind, integer_constant};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic, operation_id, value_id};
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(crate) struct StaggeredCode {
    /// For each `amdg.cond_barrier`: the edge of the staggered code at this barrier, which is either a beginning or
    /// an end. An error if the barrier is invalid.
    edges: HashMap<OpId, Result<StaggerEdge, Diagnostic>>,
    within: HashSet<OpId>,
}

impl StaggeredCode {
    /// Finds the code between each pair of `amdg.cond_barrier`. In this code, the warps of a CTA are staggered.
    ///
    /// # Errors
    /// Fails if `function` is not a kernel, or if the GPU cannot stagger warps. The diagnostic applies to each
    /// `amdg.cond_barrier` of the function.
    pub(crate) fn of(function: Op<'_>, gpu: Gpu) -> Result<Self, Diagnostic> {
        if !gpu.can_stagger() {
            let name = gpu.target.name;
            return Err(Diagnostic::new(format!("is not supported on {name}")));
        }
        if !tt::Func::of(function).is_some_and(calls::is_kernel) {
            return Err(Diagnostic::new("is supported in kernels only").note("inline the function"));
        }
        let mut found = Self::default();
        for op in build::in_order(function) {
            for block in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
                found.add_block(&build::operations(block), gpu.target);
            }
        }
        Ok(found)
    }

    fn add_block(&mut self, ops: &[Op<'_>], target: &Target) {
        let mut begin: Option<amdg::CondBarrier<'_, '_>> = None;
        for op in ops {
            let Some(barrier) = amdg::CondBarrier::of(*op) else {
                if begin.is_some() {
                    self.within
                        .extend(build::in_order(*op).into_iter().map(operation_id));
                }
                continue;
            };
            let edge = match begin.take() {
                None if !is_uniform_in_warps(barrier.pred(), target) => Err(Diagnostic::new(
                    "requires the same condition in all threads of a warp",
                )
                .note(format!(
                    "divide the thread index by a multiple of {}, the number of threads per warp",
                    target.lanes
                ))),
                None => {
                    begin = Some(barrier);
                    Ok(StaggerEdge::Begin)
                }
                Some(first) if are_opposite(first.pred(), barrier.pred()) => Ok(StaggerEdge::End),
                Some(_) => Err(unpaired()),
            };
            self.edges.insert(operation_id(*op), edge);
        }
        if let Some(first) = begin {
            self.edges.insert(operation_id(first.op()), Err(unpaired()));
        }
    }

    /// Returns the effects of an `amdg.cond_barrier`.
    ///
    /// # Errors
    /// Fails for an unpaired barrier, or for a condition that depends on the lane.
    pub(crate) fn effects(&self, op: Op<'_>) -> Result<Effects, Diagnostic> {
        let edge = self.edges[&operation_id(op)].clone();
        Ok(Effects {
            acts: vec![Act::Stagger(edge?)],
            ..Effects::default()
        })
    }

    /// Adapts `effects`, the effects of `op`, to staggered warps if `op` is between two paired `amdg.cond_barrier`:
    /// a wait for copies then has an additional barrier. Otherwise returns `effects` unchanged.
    ///
    /// # Errors
    /// Fails if the operation exchanges data between staggered warps, or if it calls a function that uses shared
    /// memory between them.
    pub(crate) fn apply(&self, op: Op<'_>, mut effects: Effects) -> Result<Effects, Diagnostic> {
        if !self.within.contains(&operation_id(op)) {
            return Ok(effects);
        }
        if OpKind::TtCall.is(op) && effects.touches_memory() {
            return Err(Diagnostic::new(
                "calls a function that uses shared memory while `amdg.cond_barrier` staggers the warps",
            )
            .note("inline the function"));
        }
        let accesses = |act: &Act| matches!(act, Act::Read(_) | Act::Write(_) | Act::Start(_));
        let has_barrier = effects.acts.iter().any(|act| act.scope().is_some());
        if has_barrier && effects.acts.iter().any(accesses) {
            return Err(Diagnostic::new(
                "exchanges data between warps that `amdg.cond_barrier` has staggered",
            )
            .note("move the operation behind the second `amdg.cond_barrier`"));
        }
        if matches!(
            OpKind::of(op),
            Some(OpKind::TtgAsyncWait | OpKind::AmdgAsyncWait)
        ) {
            effects.acts.push(Act::Barrier);
        }
        Ok(effects)
    }
}

fn unpaired() -> Diagnostic {
    Diagnostic::new(
        "requires another `amdg.cond_barrier` with the opposite condition in the same block",
    )
    .note("the first `amdg.cond_barrier` delays some warps, the second delays the other warps")
}

/// Returns true if exactly one of two comparisons of the same values is true.
fn are_opposite(a: Val<'_>, b: Val<'_>) -> bool {
    let comparison = |value| arith::CmpI::of(sys::defining_operation(value)?);
    let (Some(a), Some(b)) = (comparison(a), comparison(b)) else {
        return false;
    };
    let opposite = match a.predicate() {
        Predicate::Eq => Predicate::Ne,
        Predicate::Ne => Predicate::Eq,
        Predicate::Slt => Predicate::Sge,
        Predicate::Sge => Predicate::Slt,
        Predicate::Sgt => Predicate::Sle,
        Predicate::Sle => Predicate::Sgt,
        Predicate::Ult => Predicate::Uge,
        Predicate::Uge => Predicate::Ult,
        Predicate::Ugt => Predicate::Ule,
        Predicate::Ule => Predicate::Ugt,
    };
    a.lhs() == b.lhs() && a.rhs() == b.rhs() && b.predicate() == opposite
}

/// Returns true if a scalar provably has the same value in all threads of a warp.
fn is_uniform_in_warps(value: Val<'_>, target: &Target) -> bool {
    let Some(op) = sys::defining_operation(value) else {
        return true;
    };
    let operands = build::operands(op);
    let is_thread = |value: Val<'_>| {
        sys::defining_operation(value)
            .is_some_and(|op| UpstreamKind::of(op) == Some(UpstreamKind::RocdlThreadIdX))
    };
    match UpstreamKind::of(op) {
        Some(UpstreamKind::RocdlThreadIdX) => false,
        Some(UpstreamKind::ArithDivSI | UpstreamKind::ArithDivUI) if is_thread(operands[0]) => {
            let by = integer_constant(operands[1]).filter(|by| *by > 0);
            by.is_some_and(|by| by % i64::from(target.lanes) == 0)
        }
        _ => operands.into_iter().all(|v| is_uniform_in_warps(v, target)),
    }
}

pub(crate) fn cond_barrier<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let barrier = amdg::CondBarrier::of(op).expect("the dispatch goes by kind");
    let pred = l.get(barrier.pred())[0];
    let fork = l.e.fork(pred);
    let is_of_shared = l.e.separates_copies;
    l.gpu.staggering_barrier(&mut l.e, is_of_shared);
    l.e.join_or(fork, &[], &[]);
    Ok(())
}

/// Lowers `rocdl.workitem.id.x` to the thread index of the first thread in the warp.
///
/// The index may only be used to compute the conditions of `amdg.cond_barrier`.
pub(crate) fn thread_id<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let function = build::ancestors(op).find(|op| OpKind::TtFunc.is(*op));
    let mut differing: HashSet<usize> = HashSet::from([value_id(build::only_result(op))]);
    for user in function.into_iter().flat_map(build::in_order) {
        let uses = build::operands(user)
            .into_iter()
            .any(|v| differing.contains(&value_id(v)));
        if !uses || OpKind::AmdgCondBarrier.is(user) {
            continue;
        }
        if !matches!(AnyKind::of(user), AnyKind::Upstream(kind) if kind.is_elementwise()) {
            return Err(Diagnostic::new(
                "is supported in the condition of `amdg.cond_barrier` only",
            )
            .note("use `tt.make_range` for values that differ between elements"));
        }
        differing.extend(build::results(user).into_iter().map(value_id));
    }
    // Of the warp's first thread, so that the condition is a scalar.
    let (warp, lanes) = (l.gpu.warp(&mut l.e), l.e.i32(l.gpu.target.lanes));
    let first = l.e.pure(llvm::mul(warp, lanes));
    l.set(build::only_result(op), [first]);
    Ok(())
}
