//! Shared memory of a function: effects of the operations, and the plans that fit the allocation.
//!
//! [`crate::analysis`] computes the offsets of allocations and the positions of barriers and fences. The lowering then
//! emits the barriers.

use super::calls;
use super::gpu::Gpu;
use super::lane_reductions::LaneReductions;
use super::plans::PlanCache;
use super::shared::SharedBytes;
use super::stagger::StaggeredCode;
use crate::analysis::allocation::{Allocation, AllocationError};
use crate::analysis::concrete::{self, Fault};
use crate::analysis::counted::counted_waits;
use crate::analysis::effects::{Act, AsyncAccess, Buffers, Channel, Effects, OpId, ValueId};
use crate::analysis::flow::{self, Flow};
use crate::analysis::pressure::RegisterEstimate;
use crate::ir::Layouts;
use crate::ir::ops::tt;
use crate::ir::partitions::specializations;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, Reported, operation_id};
use linear_layout::plan::program::Program;
use linear_layout::target::Wavefronts;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Debug, Default)]
pub(crate) struct SharedMemory {
    plans: PlanCache,
    allocation: Allocation,
    /// Byte offset of a word in shared memory. The word contains the index of the `ttg.warp_specialize` whose
    /// partitions the worker warps execute next.
    ///
    /// `None` if there are no worker warps.
    worker_number: Option<u32>,
    flow: Flow,
}

/// A function that computes the shared-memory effects of an operation.
///
/// # Errors
/// Returns the diagnostic of the lowering if the operation cannot be planned.
pub(crate) type EffectsFn =
    fn(&mut PlanContext<'_>, Op<'_>, &Buffers) -> Result<Effects, Diagnostic>;

#[derive(Clone, Copy)]
pub(crate) struct Planning {
    pub(crate) effects: EffectsFn,
    pub(crate) shared: SharedBytes,
    pub(crate) lane_reductions: LaneReductions,
    pub(crate) explain: bool,
}

/// Shared-memory costs of a plan for a whole thread block, as printed in remarks.
#[derive(Clone, Copy, Debug)]
struct Usage {
    wavefronts: Wavefronts,
    barriers: usize,
    scratch_bytes: u32,
}

pub(crate) struct PlanContext<'a> {
    pub(crate) layouts: &'a Layouts,
    pub(crate) gpu: Gpu,
    pub(crate) plans: PlanCache,
    pub(crate) calls: &'a HashSet<OpId>,
    /// Maximum scratch size of a plan in bytes. `None` if only the GPU limits the size.
    pub(crate) scratch_limit: Option<u32>,
    pub(crate) lane_reductions: LaneReductions,
    /// The parts of the function in which some warps run one barrier behind the others. If the function or the GPU
    /// does not support such code, this is a diagnostic with the reason.
    pub(crate) staggered: Result<StaggeredCode, Diagnostic>,
    /// Shared-memory costs of each planned operation, or `None` if no remarks are requested.
    usage: Option<HashMap<OpId, Usage>>,
}

impl PlanContext<'_> {
    /// Encodes [`Self::scratch_limit`] for cache keys: `None` as 0, n bytes as n + 1.
    pub(crate) fn limit_key(&self) -> usize {
        self.scratch_limit.map_or(0, |limit| 1 + limit as usize)
    }

    pub(crate) fn effects_of(
        &mut self,
        op: Op<'_>,
        program: &Program,
        buffer: Option<ValueId>,
    ) -> Effects {
        if let Some(usage) = &mut self.usage {
            let used = Usage {
                wavefronts: program.wavefronts(self.gpu.target),
                barriers: program.num_barriers(),
                scratch_bytes: program.scratch_bytes(),
            };
            usage.insert(operation_id(op), used);
        }
        Effects::of_program(program, buffer)
    }
}

impl SharedMemory {
    /// Plans the operations of a function and allocates its shared memory.
    ///
    /// Reports each error at its operation. The second result is `Some` if there was an error. `calls` are those
    /// calls in `function` whose callee accesses shared memory.
    pub(crate) fn of(
        function: Op<'_>,
        layouts: &Layouts,
        gpu: Gpu,
        calls: &HashSet<OpId>,
        planning: Planning,
    ) -> (Self, Option<Reported>) {
        let mut context = PlanContext {
            layouts,
            gpu,
            plans: PlanCache::default(),
            calls,
            scratch_limit: None,
            lane_reductions: planning.lane_reductions,
            staggered: StaggeredCode::of(function, gpu),
            usage: planning.explain.then(HashMap::new),
        };
        let effects = |context: &mut PlanContext<'_>, op: Op<'_>, buffers: &Buffers| {
            context.gpu = gpu.around(op);
            context.plans.num_warps = context.gpu.num_warps;
            let effects = (planning.effects)(context, op, buffers)?;
            match &context.staggered {
                Ok(staggered) => staggered.apply(op, effects),
                Err(_) => Ok(effects),
            }
        };
        let mut read = flow::of(function, &mut |op, buffers| {
            effects(&mut context, op, buffers)
        });
        let mut reported = None;
        for (op, diagnostic) in &read.errors {
            reported = Some(sys::emit_error(*op, diagnostic));
        }
        let ops = &read.ops;
        let mut replan = |op: OpId, limit: Option<u32>| {
            let op = *ops.get(&op)?;
            let mut within = |limit| {
                context.scratch_limit = limit;
                effects(&mut context, op, &Buffers::default()).ok()
            };
            let Some(first) = limit else {
                return within(None);
            };
            // Without a plan for so few bytes, increase the limit.
            let limits =
                std::iter::successors(Some(first), |limit| limit.checked_mul(2)?.checked_add(4));
            let most = gpu.target.max_shared_bytes;
            let mut limits = limits.take_while(|limit| *limit < most);
            limits.find_map(|limit| within(Some(limit)))
        };
        let registers = RegisterEstimate::of(function, read.ops.values().copied(), layouts);
        let budget = |baseline| planning.shared.budget(baseline, &registers, gpu);
        let allocation = Allocation::of(&mut read.flow, &read.arguments, &budget, &mut replan);
        let allocation = allocation.unwrap_or_else(|conflicts| {
            for conflict in conflicts {
                let (op, diagnostic) = explain(conflict, &read.ops);
                reported = Some(sys::emit_error(read.ops[&op], &diagnostic));
            }
            Allocation::default()
        });
        if reported.is_none() {
            let faults = concrete::faults(function, &read.flow, is_kernel(function));
            let at = |op: &Op<'_>| {
                let number = operation_id(*op);
                faults.iter().find(|fault| fault.at() == number).copied()
            };
            let ops = build::in_order(function);
            let names: FxHashMap<OpId, Op<'_>> =
                ops.iter().map(|op| (operation_id(*op), *op)).collect();
            for (op, fault) in ops.iter().filter_map(|op| Some((op, at(op)?))) {
                reported = Some(sys::emit_error(*op, &explain_fault(fault, &names)));
            }
        }
        if let (Some(usage), None) = (context.usage, &reported) {
            explain_usage(function, &usage);
        }
        let has_workers = !gpu.is_whole_cta() && !specializations(function).is_empty();
        let mut all = Self {
            plans: context.plans,
            worker_number: has_workers.then(|| allocation.bytes().next_multiple_of(4)),
            allocation,
            flow: read.flow,
        };
        all.set_warps(gpu.num_warps);
        (all, reported)
    }

    /// Caches the plan of an operation that can be planned only after its operands are lowered.
    ///
    /// # Errors
    /// Returns the error of `make`.
    pub(crate) fn plan_late<P: Any + Send + Sync>(
        &mut self,
        op: Op<'_>,
        key: Vec<usize>,
        make: impl FnOnce() -> Result<P, Diagnostic>,
    ) -> Result<Arc<P>, Diagnostic> {
        self.plans.plan(op, key, make)
    }

    /// Returns the size of the function's frame in bytes, without frames of callees.
    pub(crate) fn bytes(&self) -> u32 {
        match self.worker_number {
            Some(offset) => offset.saturating_add(4),
            None => self.allocation.bytes(),
        }
    }

    pub(crate) const fn worker_number(&self) -> Option<u32> {
        self.worker_number
    }

    /// Sets the number of warps for later calls to [`Self::plan_late`].
    pub(crate) const fn set_warps(&mut self, num_warps: u32) {
        self.plans.num_warps = num_warps;
    }

    /// Returns the plan of `op` and the byte offset of its scratch memory. Returns `None` if `op` has no plan of
    /// type `P`.
    pub(crate) fn plan<P: Any + Send + Sync>(&self, op: Op<'_>) -> Option<(Arc<P>, u32)> {
        Some((self.plans.get(op)?, self.scratch(op)))
    }

    fn scratch(&self, op: Op<'_>) -> u32 {
        // Plans without scratch memory have no allocation, and ignore the offset.
        self.allocation.offset(operation_id(op)).unwrap_or_default()
    }

    /// Returns the byte offset and the size of the buffer or scratch memory that `op` allocates.
    pub(crate) fn place(&self, op: Op<'_>) -> Option<(u32, u32)> {
        let op = operation_id(op);
        Some((self.allocation.offset(op)?, self.allocation.size(op)?))
    }

    pub(crate) fn buffer(&self, op: Op<'_>) -> Option<u32> {
        self.allocation.offset(operation_id(op))
    }

    /// Returns true if `op` needs a proxy fence. The fence follows the barrier in front of `op`, if any.
    pub(crate) fn needs_fence(&self, op: Op<'_>) -> bool {
        self.allocation.needs_fence(operation_id(op))
    }

    pub(crate) fn starts_copies(&self) -> bool {
        let mut acts = self.flow.events().flat_map(|event| &event.effects.acts);
        acts.any(|act| {
            matches!(
                act,
                Act::Start(AsyncAccess {
                    channel: Channel::Copies,
                    ..
                })
            )
        })
    }

    /// Returns, for each wait, the number of copy instructions that may stay in flight, or `None` if the wait is
    /// redundant.
    pub(crate) fn counted_waits(
        &self,
        issued: &HashMap<OpId, u32>,
        is_kernel: bool,
    ) -> HashMap<OpId, Option<u32>> {
        counted_waits(&self.flow, issued, is_kernel)
    }

    pub(crate) fn ends_with_barrier(&self, op: Op<'_>) -> bool {
        let number = operation_id(op);
        let mut events = self.flow.events().filter(|event| event.op == number);
        events.any(|event| event.effects.acts.last() == Some(&Act::Barrier))
    }

    pub(crate) fn needs_barrier(&self, op: Op<'_>) -> bool {
        self.allocation.needs_barrier(operation_id(op))
    }
}

fn is_kernel(function: Op<'_>) -> bool {
    tt::Func::of(function).is_some_and(calls::is_kernel)
}

fn named(op: Op<'_>) -> String {
    let name = op.name();
    let name = sys::text(name.as_string_ref());
    format!("`{name}` at {}", op.location())
}

fn asynchronous(started: Op<'_>) -> String {
    format!("the asynchronous {}", named(started))
}

fn in_flight(started: Op<'_>) -> Diagnostic {
    Diagnostic::new(format!(
        "accesses shared memory that is in use by {}",
        asynchronous(started)
    ))
    .note("wait for the asynchronous operation first, or reduce the number of groups in flight")
}

fn explain_usage(function: Op<'_>, usage: &HashMap<OpId, Usage>) {
    for op in build::in_order(function) {
        let Some(used) = usage.get(&operation_id(op)) else {
            continue;
        };
        let Wavefronts { taken, ideal } = used.wavefronts;
        if taken == 0 && used.barriers == 0 {
            continue;
        }
        let text = format!(
            "shared memory of a thread block: wavefronts {taken} (bank conflicts {}), barriers {}, scratch {} bytes",
            taken.saturating_sub(ideal),
            used.barriers,
            used.scratch_bytes
        );
        sys::emit_remark(op, &text);
    }
}

fn explain_fault(fault: Fault, ops: &FxHashMap<OpId, Op<'_>>) -> Diagnostic {
    match fault {
        Fault::OtherWarps { first, .. } => Diagnostic::new(format!(
            "accesses the same shared memory as {} in other warps, \
             without synchronisation between the accesses",
            named(ops[&first])
        ))
        .note("arrive at an mbarrier after the first access, and wait for it before the second"),
        Fault::InFlight { started, .. } => in_flight(ops[&started]),
        Fault::Result { started, .. } => {
            let location = ops[&started].location();
            Diagnostic::new(format!(
                "uses the result of the asynchronous product at {location}, which is in flight"
            ))
            .note("wait for the product first, and use the result of the wait")
        }
        Fault::Unwritten(_) => {
            Diagnostic::new("reads shared memory that no preceding operation has written")
                .note("check that the index selects a buffer that a preceding operation has written")
        }
        Fault::Endless {
            arrivals, bytes, ..
        } => Diagnostic::new(format!(
            "waits for a phase that never completes: {arrivals} arrivals and {bytes} bytes are missing"
        ))
        .note("check the parity of the wait, the number of arrivals, and the number of bytes expected and copied"),
        Fault::Overtaken { next, .. } => Diagnostic::new(format!(
            "waits for a phase of an mbarrier, but {} may complete the next phase before the wait",
            named(ops[&next])
        ))
        .note("order the arrivals of the next phase after the wait, for instance with a second mbarrier"),
        Fault::NoMbarrier(_) => Diagnostic::new("uses an mbarrier that is not initialised")
            .note("initialise the mbarrier with `ttng.init_barrier`"),
        Fault::MoreBytes { bytes, .. } => Diagnostic::new(format!(
            "completes an mbarrier phase that receives {bytes} bytes more than expected"
        ))
        .note("set the size in `ttng.barrier_expect` to the number of bytes copied"),
        Fault::AtEnd { started, .. } => {
            let started = asynchronous(ops[&started]);
            Diagnostic::new(format!(
                "returns while {started} accesses shared memory"
            ))
            .note(
                "wait for the asynchronous operation before the return, which frees shared memory",
            )
        }
        Fault::MoreArrivals(_) => {
            Diagnostic::new("arrives at an mbarrier more often than the current phase expects")
                .note("wait for the current phase before the next arrival, or increase the count of `ttng.init_barrier`")
        }
    }
}

fn explain(conflict: AllocationError, ops: &FxHashMap<OpId, Op<'_>>) -> (OpId, Diagnostic) {
    match conflict {
        AllocationError::InFlight { started, at } => {
            (at, in_flight(ops[&started]))
        }
        AllocationError::OtherWarps(op) => (
            op,
            Diagnostic::new("accesses shared memory that other warps access, without a barrier between the accesses")
                .note("synchronise the two warp groups before this operation"),
        ),
        AllocationError::StillLive(op) => (
            op,
            Diagnostic::new(
                "is executed again while the buffer of the previous iteration is live",
            )
            .note("allocate the buffers before the loop, and select one with `ttg.memdesc_index`"),
        ),
        AllocationError::Escapes(op) => (
            op,
            Diagnostic::new("must not return a buffer allocated in the function, because the buffer is dead after the return")
                .note("allocate the buffer in the caller, and pass it as an argument"),
        ),
    }
}
