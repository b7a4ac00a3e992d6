//! Shared memory: which conversion and which buffer uses which bytes, and where a barrier must come first.
//!
//! Buffers lie one after another, each in bytes of its own; the scratch memory of conversions follows them.
//! A buffer that is read after it was written, or written after it was used, waits for a barrier in between.
//!
//! A conversion writes its scratch buffer, waits, and reads it. Whoever writes the same bytes next
//! must first know that everyone has read. Two buffers used in turn need no barrier of their own
//! for that, since the other's barrier lies between; so a conversion takes fresh bytes where that
//! saves a barrier, up to twice what the largest one needs.

use super::blocks::BlockGraph;
use super::gpu::Gpu;
use super::local::{self, BufferAccess, Touch};
use super::reduce;
use crate::ir::ops::{tt, ttg};
use crate::ir::{Layouts, OpKind, TensorType, UpstreamKind, element_bits};
use crate::machine;
use crate::plan::reduce::ReducePlan;
use crate::plan::{
    BarrierScope, ConvertPlan, PlanOptions, Program, Step, Strategy, plan_conversion,
};
use crate::sys::build::{self, Blk, Op};
use crate::sys::{self, Diagnostic, Reported, operation_id};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What an operation does that moves data through scratch memory.
#[derive(Clone, Debug)]
enum Movement {
    Convert(Arc<ConvertPlan>),
    Reduce(Arc<ReducePlan>),
}

impl Movement {
    fn scratch_bytes(&self) -> u32 {
        match self {
            Self::Convert(plan) => plan.program().scratch_bytes(),
            Self::Reduce(plan) => plan.scratch_bytes(),
        }
    }

    /// Whether all threads of the block wait in it.
    fn has_block_barrier(&self) -> bool {
        let waits = |program: &Program| {
            let mut steps = program.steps().iter();
            steps.any(|s| matches!(s, Step::Barrier(BarrierScope::Block)))
        };
        match self {
            Self::Convert(plan) => waits(plan.program()),
            Self::Reduce(plan) => plan
                .conversions()
                .iter()
                .any(|conversion| conversion.plans.iter().any(|plan| waits(plan.program()))),
        }
    }
}

/// A movement and its place in shared memory.
#[derive(Clone, Debug)]
struct Placed {
    plan: Movement,
    /// Where its scratch begins, in bytes.
    offset: u32,
    /// Whether others may still be reading these bytes.
    barrier_before: bool,
}

/// The plan and place of every conversion of a function.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    placed: HashMap<usize, Placed>,
    /// Where each buffer begins, in bytes, by the operation that makes it.
    buffers: HashMap<usize, u32>,
    /// The operations on buffers that a barrier must come before.
    barriers: HashSet<usize>,
    /// The operations that call a function which touches shared memory.
    calls: HashSet<usize>,
    /// Where the scratch memory of conversions begins, after all buffers.
    scratch: u32,
    bytes: u32,
}

/// Buffers begin at multiples of this.
const ALIGNMENT: u32 = 128;

/// What was done since the last barrier that others must not meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pending {
    /// Ranges of scratch memory that some warp may still be reading.
    scratch: Vec<(u32, u32)>,
    /// Buffers that were read.
    reads: BTreeSet<Touch>,
    /// Buffers that were written.
    writes: BTreeSet<Touch>,
}

impl Pending {
    fn clear(&mut self) {
        *self = Self::default();
    }

    fn merge(&mut self, other: &Self) {
        for range in &other.scratch {
            self.add(*range);
        }
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
    }

    fn add(&mut self, range: (u32, u32)) {
        if !self.scratch.contains(&range) {
            self.scratch.push(range);
        }
        self.scratch.sort_unstable();
    }

    /// Takes it that anything may be pending.
    fn fill(&mut self, budget: u32) {
        self.add((0, budget));
        self.reads.insert(Touch::Any);
        self.writes.insert(Touch::Any);
    }

    /// Whether an access of a buffer must wait: nobody reads what is being written.
    fn meets(&self, touch: Touch, is_write: bool) -> bool {
        let meets = |set: &BTreeSet<Touch>| set.iter().any(|other| other.may_be(touch));
        meets(&self.writes) || (is_write && meets(&self.reads))
    }
}

impl Allocation {
    /// Plans every conversion of a function and places its scratch memory; says what has no plan.
    ///
    /// `calls` are the operations that call a function which touches shared memory.
    pub(crate) fn of(
        graph: &BlockGraph<'_>,
        layouts: &Layouts,
        gpu: Gpu,
        calls: &HashSet<usize>,
    ) -> (Self, Option<Reported>) {
        let mut planner = Planner {
            layouts,
            gpu,
            known: HashMap::new(),
            plans: HashMap::new(),
            buffers: HashMap::new(),
            bytes: 0,
            emitted: None,
        };
        for block in graph.in_order() {
            planner.block(block);
        }
        let largest = planner
            .plans
            .values()
            .map(Movement::scratch_bytes)
            .max()
            .unwrap_or_default();
        let scratch = planner.bytes.checked_next_multiple_of(ALIGNMENT);
        let scratch = scratch.unwrap_or(u32::MAX);
        let room = gpu.target.max_shared_bytes.saturating_sub(scratch);
        let budget = (2 * largest.next_multiple_of(ALIGNMENT)).min(room);
        let mut allocation = Self {
            buffers: planner.buffers,
            scratch,
            bytes: planner.bytes,
            calls: calls.clone(),
            ..Self::default()
        };
        for (op, plan) in planner.plans {
            allocation.placed.insert(
                op,
                Placed {
                    plan,
                    offset: 0,
                    barrier_before: false,
                },
            );
        }
        allocation.place_blocks(graph, budget.max(largest));
        (allocation, planner.emitted)
    }

    /// Places the conversions of a function's blocks. What is pending at the entry of a block is what its
    /// predecessors leave; where one of them comes later, in a loop, it is taken to be anything.
    fn place_blocks(&mut self, graph: &BlockGraph<'_>, budget: u32) {
        let mut ends: HashMap<usize, Pending> = HashMap::new();
        for (i, block) in graph.order().iter().map(|i| (*i, graph.block(*i))) {
            let mut pending = Pending::default();
            for from in graph.predecessors(i) {
                match ends.get(from) {
                    Some(end) => pending.merge(end),
                    None => pending.fill(budget),
                }
            }
            self.place(block, &mut pending, budget);
            ends.insert(i, pending);
        }
    }

    /// Shared memory of the function, without what it calls.
    pub(crate) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The plan of a conversion, where its scratch memory begins, and whether a barrier comes before it.
    pub(crate) fn conversion(&self, op: Op<'_>) -> Option<(Arc<ConvertPlan>, u32, bool)> {
        let placed = self.placed.get(&operation_id(op))?;
        let Movement::Convert(plan) = &placed.plan else {
            return None;
        };
        Some((Arc::clone(plan), self.start(placed), placed.barrier_before))
    }

    /// The plan of a reduction, where its scratch memory begins, and whether a barrier comes before it.
    pub(crate) fn reduction(&self, op: Op<'_>) -> Option<(Arc<ReducePlan>, u32, bool)> {
        let placed = self.placed.get(&operation_id(op))?;
        let Movement::Reduce(plan) = &placed.plan else {
            return None;
        };
        Some((Arc::clone(plan), self.start(placed), placed.barrier_before))
    }

    fn start(&self, placed: &Placed) -> u32 {
        self.scratch.saturating_add(placed.offset)
    }

    /// Where the buffer begins that an operation makes.
    pub(crate) fn buffer(&self, op: Op<'_>) -> Option<u32> {
        self.buffers.get(&operation_id(op)).copied()
    }

    /// Whether an operation calls a function which touches shared memory.
    pub(crate) fn calls_shared(&self, op: Op<'_>) -> bool {
        self.calls.contains(&operation_id(op))
    }

    /// Whether a barrier must come before an operation on a buffer, or a call.
    pub(crate) fn needs_barrier(&self, op: Op<'_>) -> bool {
        self.barriers.contains(&operation_id(op))
    }

    /// Places the conversions of a block, given and giving back what is still being read.
    fn place(&mut self, block: Blk<'_>, pending: &mut Pending, budget: u32) {
        for op in build::operations(block) {
            // What is combined in a region of a movement touches no memory.
            if op.region_count() > 0 && !self.placed.contains_key(&operation_id(op)) {
                self.place_regions(op, pending, budget);
                continue;
            }
            if let Some(placed) = self.placed.get_mut(&operation_id(op)) {
                place_one(placed, pending, budget);
                if placed.plan.scratch_bytes() > 0 {
                    let end = placed.offset + placed.plan.scratch_bytes();
                    let end = self.scratch.saturating_add(end);
                    self.bytes = self.bytes.max(end);
                }
            }
            // What a function does is not known here: it may read and write each buffer.
            let called = self
                .calls
                .contains(&operation_id(op))
                .then_some(BufferAccess {
                    touch: Touch::Any,
                    is_write: true,
                });
            let Some(access) = called.or_else(|| local::access(op)) else {
                continue;
            };
            let is_known = self.barriers.contains(&operation_id(op));
            if is_known || pending.meets(access.touch, access.is_write) {
                // Once a barrier was needed here it stays: rounds over a loop only add accesses.
                self.barriers.insert(operation_id(op));
                pending.clear();
            }
            let set = if access.is_write {
                &mut pending.writes
            } else {
                &mut pending.reads
            };
            set.insert(access.touch);
        }
    }
}

/// Rounds over a loop before its entry is taken to be in the worst state.
const ROUNDS: usize = 4;

impl Allocation {
    /// Places the conversions in an operation's regions. A loop's body also meets what its own end
    /// leaves, so it is placed again until the state at its entry no longer grows.
    fn place_regions(&mut self, op: Op<'_>, pending: &mut Pending, budget: u32) {
        let is_loop = !matches!(
            UpstreamKind::of(op),
            Some(UpstreamKind::ScfIf | UpstreamKind::ScfIndexSwitch)
        );
        let mut entry = pending.clone();
        for round in 0..=ROUNDS {
            let mut end = entry.clone();
            for i in 0..op.region_count() {
                let Some(inner) = build::single_block(op, i) else {
                    continue;
                };
                let mut state = entry.clone();
                self.place(inner, &mut state, budget);
                end.merge(&state);
            }
            let settled = end == entry;
            if !is_loop || settled || round == ROUNDS {
                *pending = end;
                return;
            }
            entry = end;
            if round + 1 == ROUNDS {
                entry.fill(budget);
            }
        }
    }
}

fn place_one(placed: &mut Placed, pending: &mut Pending, budget: u32) {
    let bytes = placed.plan.scratch_bytes();
    if bytes == 0 {
        return;
    }
    let is_free = |at: u32, pending: &Pending| {
        pending
            .scratch
            .iter()
            .all(|(from, to)| at + bytes <= *from || *to <= at)
    };
    // Once a barrier was needed here it stays: rounds over a loop only add ranges.
    let candidates = std::iter::once(0)
        .chain(
            pending
                .scratch
                .iter()
                .map(|(_, to)| to.next_multiple_of(ALIGNMENT)),
        )
        .filter(|at| at + bytes <= budget);
    let fresh = candidates.filter(|at| is_free(*at, pending)).min();
    match fresh {
        Some(at) if !placed.barrier_before => placed.offset = at,
        _ => {
            placed.barrier_before = true;
            placed.offset = 0;
            pending.clear();
        }
    }
    // Everyone who passes a block barrier of this plan has read what came before it.
    if placed.plan.has_block_barrier() {
        pending.clear();
    }
    pending.add((placed.offset, placed.offset + bytes));
}

type PlanKey = (usize, usize, bool);

struct Planner<'l> {
    layouts: &'l Layouts,
    gpu: Gpu,
    /// Plans by operand type, result type and `force_warp_shuffle`: a kernel repeats conversions.
    known: HashMap<PlanKey, Arc<ConvertPlan>>,
    plans: HashMap<usize, Movement>,
    /// Where the buffers begin, and the bytes of all.
    buffers: HashMap<usize, u32>,
    bytes: u32,
    emitted: Option<Reported>,
}

impl Planner<'_> {
    fn block(&mut self, block: Blk<'_>) {
        for op in build::operations(block) {
            for i in 0..op.region_count() {
                if let Some(inner) = build::single_block(op, i) {
                    self.block(inner);
                }
            }
            if OpKind::of(op) == Some(OpKind::TtgConvertLayout) {
                match self.plan(op) {
                    Ok(plan) => {
                        self.plans.insert(operation_id(op), Movement::Convert(plan));
                    }
                    Err(diagnostic) => self.emitted = Some(sys::emit_error(op, &diagnostic)),
                }
            }
            if let Some(view) = tt::Reduce::of(op) {
                match reduce::plan(self.layouts, self.gpu, view) {
                    Ok(plan) => {
                        let plan = Movement::Reduce(Arc::new(plan));
                        self.plans.insert(operation_id(op), plan);
                    }
                    Err(diagnostic) => self.emitted = Some(sys::emit_error(op, &diagnostic)),
                }
            }
            match local::scratch(self.layouts, op) {
                Ok(None) => {}
                Ok(Some(scratch)) => {
                    let start = self.bytes.checked_next_multiple_of(scratch.alignment);
                    // What is too much for any GPU is reported for the function as a whole.
                    let start = start.unwrap_or(u32::MAX);
                    self.buffers.insert(operation_id(op), start);
                    self.bytes = start.saturating_add(scratch.bytes);
                }
                Err(diagnostic) => self.emitted = Some(sys::emit_error(op, &diagnostic)),
            }
        }
    }

    fn plan(&mut self, op: Op<'_>) -> Result<Arc<ConvertPlan>, Diagnostic> {
        let conversion = ttg::ConvertLayout::of(op).expect("the dispatch goes by kind");
        let (from, to) = (conversion.src().r#type(), conversion.result().r#type());
        let forced = conversion.force_warp_shuffle();
        let key = (sys::type_id(from), sys::type_id(to), forced);
        if let Some(known) = self.known.get(&key) {
            return Ok(Arc::clone(known));
        }
        let layout = |type_| {
            let tensor = TensorType::of(type_).ok_or("not a tensor of static shape")?;
            self.layouts
                .tensor(&tensor)
                .map_err(|reason| reason.to_string())
        };
        let (src, dst) = match (layout(from), layout(to)) {
            (Ok(src), Ok(dst)) => (src, dst),
            (Err(reason), _) | (_, Err(reason)) => return Err(Diagnostic::new(reason)),
        };
        let bits = TensorType::of(from)
            .and_then(|tensor| element_bits(tensor.element))
            .ok_or_else(|| Diagnostic::new(format!("has elements of unknown width in `{from}`")))?;
        let mut options = PlanOptions::new();
        if forced {
            // convert_layout_c1: the plan fails if data leaves its warp.
            options = options.with_strategy(Strategy::Shuffle);
        }
        let target = self.gpu.target;
        let plan = plan_conversion(&src.full, &dst.full, bits, target, &options)
            .map_err(|e| Diagnostic::new(e.to_string()))?;
        // Nobody needs to trust the plan: the machine model runs it for every lane.
        machine::check_plan(plan.program(), &src.full, &dst.full, target).map_err(|fault| {
            Diagnostic::new(format!(
                "internal error, please report it: the plan is wrong: {fault}"
            ))
        })?;
        let plan = Arc::new(plan);
        self.known.insert(key, Arc::clone(&plan));
        Ok(plan)
    }
}
