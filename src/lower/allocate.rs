//! Shared memory: which conversion uses which bytes, and where a barrier must come first.
//!
//! A conversion writes its scratch buffer, waits, and reads it. Whoever writes the same bytes next
//! must first know that everyone has read. Two buffers used in turn need no barrier of their own
//! for that, since the other's barrier lies between; so a conversion takes fresh bytes where that
//! saves a barrier, up to twice what the largest one needs.

use super::gpu::Gpu;
use crate::ir::{Layouts, OpKind, TensorType, UpstreamKind, element_bits};
use crate::machine;
use crate::plan::{BarrierScope, ConvertPlan, PlanOptions, Step, Strategy, plan_conversion};
use crate::sys::build::{self, Blk, Op};
use crate::sys::{self, Complaint, Emitted, operation_id};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::HashMap;
use std::sync::Arc;

/// A conversion with its plan and its place in shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) plan: Arc<ConvertPlan>,
    /// Where its scratch begins, in bytes.
    pub(crate) offset: u32,
    /// Whether others may still be reading these bytes.
    pub(crate) barrier_before: bool,
}

/// The plan and place of every conversion of a function.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    placed: HashMap<usize, Placed>,
    bytes: u32,
}

/// Buffers begin at multiples of this.
const ALIGNMENT: u32 = 128;

/// Byte ranges that some warp may still be reading.
type Pending = Vec<(u32, u32)>;

impl Allocation {
    /// Plans every conversion below a block and places its scratch memory; says what has no plan.
    pub(crate) fn of(entry: Blk<'_>, layouts: &Layouts, gpu: Gpu) -> (Self, Option<Emitted>) {
        let mut planner = Planner {
            layouts,
            gpu,
            known: HashMap::new(),
            plans: HashMap::new(),
            emitted: None,
        };
        planner.block(entry);
        let largest = planner
            .plans
            .values()
            .map(|plan| plan.scratch_bytes())
            .max()
            .unwrap_or_default();
        let budget = (2 * largest.next_multiple_of(ALIGNMENT)).min(gpu.target.max_shared_bytes);
        let mut allocation = Self::default();
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
        allocation.place(entry, &mut Pending::new(), budget.max(largest));
        (allocation, planner.emitted)
    }

    /// Shared memory of the function.
    pub(crate) fn bytes(&self) -> u32 {
        self.bytes
    }

    pub(crate) fn get(&self, op: Op<'_>) -> Option<&Placed> {
        self.placed.get(&operation_id(op))
    }

    /// Places the conversions of a block, given and giving back what is still being read.
    fn place(&mut self, block: Blk<'_>, pending: &mut Pending, budget: u32) {
        for op in build::operations(block) {
            if op.region_count() > 0 {
                self.place_regions(op, pending, budget);
                continue;
            }
            if let Some(placed) = self.placed.get_mut(&operation_id(op)) {
                place_one(placed, pending, budget);
                self.bytes = self.bytes.max(placed.offset + placed.plan.scratch_bytes());
            }
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
                merge(&mut end, &state);
            }
            let settled = end == entry;
            if !is_loop || settled || round == ROUNDS {
                *pending = end;
                return;
            }
            entry = end;
            if round + 1 == ROUNDS {
                merge(&mut entry, &vec![(0, budget)]);
            }
        }
    }
}

fn merge(into: &mut Pending, other: &Pending) {
    for range in other {
        if !into.contains(range) {
            into.push(*range);
        }
    }
    into.sort_unstable();
}

fn place_one(placed: &mut Placed, pending: &mut Pending, budget: u32) {
    let bytes = placed.plan.scratch_bytes();
    if bytes == 0 {
        return;
    }
    let is_free = |at: u32, pending: &Pending| {
        pending
            .iter()
            .all(|(from, to)| at + bytes <= *from || *to <= at)
    };
    // Once a barrier was needed here it stays: rounds over a loop only add ranges.
    let candidates = std::iter::once(0)
        .chain(pending.iter().map(|(_, to)| to.next_multiple_of(ALIGNMENT)))
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
    if placed
        .plan
        .steps()
        .iter()
        .any(|s| matches!(s, Step::Barrier(BarrierScope::Block)))
    {
        pending.clear();
    }
    merge(pending, &vec![(placed.offset, placed.offset + bytes)]);
}

type PlanKey = (usize, usize, bool);

struct Planner<'l> {
    layouts: &'l Layouts,
    gpu: Gpu,
    /// Plans by operand type, result type and `force_warp_shuffle`: a kernel repeats conversions.
    known: HashMap<PlanKey, Arc<ConvertPlan>>,
    plans: HashMap<usize, Arc<ConvertPlan>>,
    emitted: Option<Emitted>,
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
                        self.plans.insert(operation_id(op), plan);
                    }
                    Err(complaint) => self.emitted = Some(sys::emit_error(op, &complaint)),
                }
            }
        }
    }

    fn plan(&mut self, op: Op<'_>) -> Result<Arc<ConvertPlan>, Complaint> {
        let (from, to) = (
            build::operand(op, 0).r#type(),
            build::result(op, 0).r#type(),
        );
        let forced = op.has_attribute("force_warp_shuffle");
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
            (Err(reason), _) | (_, Err(reason)) => return Err(Complaint::new(reason)),
        };
        let bits = TensorType::of(from)
            .and_then(|tensor| element_bits(tensor.element))
            .ok_or_else(|| Complaint::new(format!("has elements of unknown width in `{from}`")))?;
        let mut options = PlanOptions::new();
        if forced {
            // convert_layout_c1: the plan fails if data leaves its warp.
            options = options.with_strategy(Strategy::Shuffle);
        }
        let target = self.gpu.target;
        let plan = plan_conversion(&src.full, &dst.full, bits, target, &options)
            .map_err(|e| Complaint::new(e.to_string()))?;
        // Nobody needs to trust the plan: the machine model runs it for every lane.
        machine::check_plan(&plan, &src.full, &dst.full, target).map_err(|fault| {
            Complaint::new(format!(
                "internal error, please report it: the plan is wrong: {fault}"
            ))
        })?;
        let plan = Arc::new(plan);
        self.known.insert(key, Arc::clone(&plan));
        Ok(plan)
    }
}
