//! `hoist-loads`: moves loads from global memory above operations that wait for shared memory.
//!
//! A barrier keeps the back end from moving a load up. The latency of a load after a barrier therefore adds to the
//! latency of the loads before:
//! ```text
//! a = load; store a to shared memory; b = load; store b          two latencies
//! a = load; b = load; store a to shared memory; store b          one latency
//! ```
//!
//! A load moves to the first place in its block that leaves memory effects in order, together with the pure operations
//! that compute its operands, if the tensors that are live in between and its result fit in half of the registers of a
//! thread. A load does not cross other loads, so loads keep their order.
//!
//! Asynchronous copies are loads as well, but do not move: they would extend the lifetimes of their buffers. Instead,
//! stores of tensors to new buffers move below the copies that follow. In front of a loop, these are its first copies:
//! ```text
//! a = load; store a to a buffer; start copies               two latencies
//! a = load; start copies; store a to a buffer               one latency
//! ```
//!
//! Not here: loads of the next iteration of a loop (a software pipeliner).

use super::Pass;
use super::context::PassContext;
use super::rewrite_layouts::functions;
use super::table::HoistLoadsOptions;
use crate::analysis::assignment::Role;
use crate::analysis::effects::OpId;
use crate::analysis::live_tensors::LiveTensors;
use crate::analysis::pressure::{registers_for_tensors, words};
use crate::ir::ops::tt;
use crate::ir::verify::policy;
use crate::ir::{ModuleInfo, OpKind, OpView};
use crate::sys::build::{self, Blk, Op};
use crate::sys::{self, FollowUp, Reported, operation_id};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;

impl Pass for HoistLoadsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        for function in functions(context.module()) {
            while hoist_one(context, function) {}
            for op in build::in_order(function) {
                sink_below_copies(context, op);
            }
        }
        Ok(Vec::new())
    }
}

/// Moves the first load that can move. Returns false if there is none.
fn hoist_one<'c>(context: &PassContext<'c>, function: Op<'c>) -> bool {
    let threads = ModuleInfo::around(function).map_or(0, |info| info.threads_per_cta());
    let limit = registers_for_tensors(context.default_gpu(), threads) / 2;
    let mut live = None;
    for op in build::in_order(function) {
        let Some(block) = block_of_load(op) else {
            continue;
        };
        let load = Load::new(block, op);
        if load.anchors().next().is_none() {
            continue;
        }
        let live = live.get_or_insert_with(|| LiveTensors::of(function, context.layouts()));
        let own = words(context.layouts(), build::only_result(op).r#type());
        let fits = |anchor: &usize| live.peak(load.ops[*anchor], op) + own <= limit;
        if let Some(anchor) = load.anchors().find(fits) {
            load.hoist_to(context, anchor);
            return true;
        }
    }
    false
}

/// Moves `op` below the asynchronous copies that follow if it stores a tensor to a new buffer. The copies then start
/// before the store waits for the tensor, which often is loaded.
fn sink_below_copies<'c>(context: &PassContext<'c>, op: Op<'c>) {
    let is_store = OpKind::TtgLocalAlloc.is(op) && !build::operands(op).is_empty();
    let Some(block) = build::block_around(op).filter(|_| is_store) else {
        return;
    };
    let uses = sys::uses(build::only_result(op)).into_iter();
    let users: FxHashSet<OpId> = uses.map(|(user, _)| operation_id(user)).collect();
    let ops = build::operations(block);
    let first = ops
        .iter()
        .position(|other| *other == op)
        .map_or(ops.len(), |at| at + 1);
    let may_cross =
        |other: &Op<'_>| may_sink_below(*other) && !users.contains(&operation_id(*other));
    let crossed = ops[first..]
        .iter()
        .take_while(|other| may_cross(other))
        .count();
    let is_copy = |other: &Op<'_>| OpKind::TtgAsyncCopyGlobalToLocal.is(*other);
    if let Some(last) = ops[first..first + crossed].iter().rposition(is_copy) {
        let rewriter = context.rewriter();
        let copy = rewriter.copy_before(ops[first + last + 1], op);
        rewriter.replace(op, &build::results(copy));
    }
}

/// Returns true for an operation that neither waits nor accesses a buffer that a thread has written.
fn may_sink_below(op: Op<'_>) -> bool {
    use OpView as V;
    let role = Role::of(op);
    let is_new_or_copied = matches!(
        OpView::of(op),
        Some(
            V::TtgAsyncCommitGroup(_)
                | V::TtgAsyncCopyGlobalToLocal(_)
                | V::TtgLocalAlloc(_)
                | V::TtgMemDescIndex(_)
        )
    );
    (role.is_pure() && !waits(op)) || is_new_or_copied
}

/// Returns the block that contains the load `op`. Returns `None` if `op` is not a load, or if the load must not
/// move.
fn block_of_load(op: Op<'_>) -> Option<Blk<'_>> {
    tt::Load::of(op)?;
    // Warps of a partition have registers of their own.
    build::block_around(op).filter(|_| is_reorderable(op) && !is_in_partition(op))
}

/// Returns true for an operation inside `ttg.warp_specialize`.
pub(super) fn is_in_partition(op: Op<'_>) -> bool {
    build::ancestors(op).any(|parent| OpKind::TtgWarpSpecialize.is(parent))
}

/// Returns true for a load that may be reordered relative to other loads, i.e. for a load that is neither volatile
/// nor uncached.
pub(super) fn is_reorderable(op: Op<'_>) -> bool {
    tt::Load::of(op).is_some_and(|load| {
        let modifier = policy(load.cache_policy(), "cache_modifier");
        !load.is_volatile() && modifier.is_none_or(|modifier| modifier != "cv")
    })
}

/// A load, together with the preceding operations above which it can move.
struct Load<'c> {
    /// The last operation is the load. The operations in front of it are consecutive in the block, and begin at the
    /// highest position to which the load can move.
    ops: Vec<Op<'c>>,
    /// The load, and the operations in `ops` that compute its operands.
    needed: FxHashSet<OpId>,
}

impl<'c> Load<'c> {
    fn new(block: Blk<'c>, load: Op<'c>) -> Self {
        let mut ops = build::operations(block);
        let end = ops.iter().position(|op| *op == load).unwrap_or(0);
        ops.truncate(end + 1);
        let fixed = ops[..end].iter().rposition(|op| !may_be_crossed(*op));
        let mut ops = ops.split_off(fixed.map_or(0, |fixed| fixed + 1));
        let mut needed = FxHashSet::default();
        needed.insert(operation_id(load));
        let mut start = ops.len() - 1;
        while start > 0 {
            let op = ops[start - 1];
            let mut uses = build::results(op).into_iter().flat_map(sys::uses);
            if uses.any(|(user, _)| needed.contains(&operation_id(user))) {
                if !may_move(op) {
                    break;
                }
                needed.insert(operation_id(op));
            }
            start -= 1;
        }
        let ops = ops.split_off(start);
        Self { ops, needed }
    }

    /// Returns the indices in `ops` of the operations that may contain a barrier and that do not compute operands
    /// of the load. If the load moves above such an operation, its latency overlaps with the wait at the barrier.
    fn anchors(&self) -> impl Iterator<Item = usize> {
        (0..self.ops.len()).filter(|at| {
            let op = self.ops[*at];
            waits(op) && !self.needed.contains(&operation_id(op))
        })
    }

    /// Moves the load, together with the operations that it needs, in front of the operation `ops[anchor]`.
    fn hoist_to(&self, context: &PassContext<'c>, anchor: usize) {
        let rewriter = context.rewriter();
        let place = self.ops[anchor];
        for op in &self.ops[anchor..] {
            if self.needed.contains(&operation_id(*op)) {
                let copy = rewriter.copy_before(place, *op);
                rewriter.replace(*op, &build::results(copy));
            }
        }
    }
}

/// Returns true if `op`, which computes an operand of a load, may move up together with the load.
fn may_move(op: Op<'_>) -> bool {
    let is_repeatable = Role::of(op).is_repeatable() || Role::of(op) == Role::Conversion;
    is_repeatable && op.region_count() == 0
}

/// Returns true if a load from global memory may move above `op`. This is the case if `op` is pure, or if it is a
/// matrix product or an operation on buffers or shared memory that needs no order relative to global loads.
pub(super) fn may_be_crossed(op: Op<'_>) -> bool {
    let role = Role::of(op);
    role.is_pure() || matches!(role, Role::Buffer { .. }) || is_shared_or_product(op)
}

/// Returns true if the lowered code of `op` may wait at a barrier. The backend cannot move a load that follows `op`
/// above such a barrier.
fn waits(op: Op<'_>) -> bool {
    matches!(
        Role::of(op),
        Role::Conversion | Role::Reduction | Role::Scan | Role::Buffer { .. }
    ) || is_shared_or_product(op)
}

/// Returns true for a matrix product, and for an operation on shared memory that needs no order relative to global
/// loads.
fn is_shared_or_product(op: Op<'_>) -> bool {
    use OpView as V;
    matches!(
        OpView::of(op),
        Some(
            V::TtDot(_)
                | V::TtDotScaled(_)
                | V::TtGather(_)
                | V::TtgAsyncCommitGroup(_)
                | V::TtgAsyncCopyGlobalToLocal(_)
                | V::TtgAsyncWait(_)
                | V::TtgLocalAlloc(_)
                | V::TtgLocalDealloc(_)
                | V::TtgLocalLoad(_)
                | V::TtgLocalStore(_)
                | V::TtgMemDescIndex(_)
                | V::TtgMemDescReshape(_)
                | V::TtgMemDescSubslice(_)
                | V::TtgMemDescTrans(_)
                | V::TtngFenceAsyncShared(_)
                | V::TtngWarpGroupDot(_)
                | V::TtngWarpGroupDotWait(_)
        )
    )
}
