//! The loads of a loop that asynchronous copies can replace.

use super::super::block_copies::{block_bytes, buffer_of, buffers_of, loaded_buffer, mutable};
use super::super::context::PassContext;
use super::super::hoist_loads::{is_in_partition, is_reorderable, may_be_crossed};
use super::super::respell::attribute;
use super::arguments::base_argument;
use super::copies_to_any_address;
use super::products::Overlap;
use super::reads;
use super::shared_bytes::{bytes_of, other_bytes};
use crate::analysis::assignment::{Role, divides_integers, widest_swizzle};
use crate::analysis::axis::{AxisAnalysis, AxisFacts};
use crate::analysis::effects::OpId;
use crate::analysis::pressure::{is_loop, resident_blocks_of_loop};
use crate::ir::ops::{scf, tt, ttg, ttng};
use crate::ir::{
    ModuleInfo, OpKind, OpView, TensorType, UpstreamKind, element_bits, integer_constant, memdesc,
};
use crate::lower::copied_bytes;
use crate::sys;
use crate::sys::build::{self, Blk, Op, Val};
use linear_layout::encoding::SwizzledSharedEncoding;
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashSet;

/// Number of bytes that the narrowest copy instruction copies.
const LEAST_BYTES: u32 = 4;

/// Number of bits that the widest copy instruction copies.
const MOST_BITS: u32 = 128;

/// Minimum number of slots of a pipelined loop.
const LEAST_SLOTS: u32 = 2;

/// Number of resident blocks per processor that is considered sufficient. If this number of blocks fits with the
/// minimum number of slots per loop, a larger number of slots is used only if it also lets this number of blocks
/// fit.
///
/// On an H100, warp-group products of 128 x 128 x 64 with 4 slots and one block per processor take 1.11 to 1.23
/// times as long as with 3 slots and two blocks.
const ENOUGH_BLOCKS: u32 = 2;

/// The same for small blocks: a number of warps per processor.
const ENOUGH_WARPS: u32 = 8;

/// A load that becomes an asynchronous copy. For a load from pointers, each thread copies its own elements. For a
/// load of a block, TMA copies the block.
#[derive(Clone, Copy)]
pub(super) enum LoadOp<'c> {
    Pointers(tt::Load<'c, 'c>),
    Block(tt::DescriptorLoad<'c, 'c>),
}

impl<'c> LoadOp<'c> {
    /// Returns `op` as a load. Returns `None` if `op` is not a load, or if the load must stay at its position.
    fn of(op: Op<'c>) -> Option<Self> {
        match OpView::of(op)? {
            OpView::TtLoad(load) => is_reorderable(op).then_some(Self::Pointers(load)),
            OpView::TtDescriptorLoad(load) => {
                (ModuleInfo::num_ctas(op) == 1).then_some(Self::Block(load))
            }
            _ => None,
        }
    }

    pub(super) fn op(self) -> Op<'c> {
        match self {
            Self::Pointers(load) => load.op(),
            Self::Block(load) => load.op(),
        }
    }

    pub(super) fn result(self) -> Val<'c> {
        match self {
            Self::Pointers(load) => load.result(),
            Self::Block(load) => load.result(),
        }
    }
}

/// A load that becomes an asynchronous copy, together with its buffer.
pub(super) struct PipelinedLoad<'c> {
    pub(super) load: LoadOp<'c>,
    /// The allocations of buffers for the loaded tensor that have the type of a slot. The slot replaces these buffers.
    /// Other users of the tensor read it from the slot.
    pub(super) allocs: Vec<ttg::LocalAlloc<'c, 'c>>,
    /// The type of one slot of the buffer.
    pub(super) slot: Type<'c>,
    bytes: u64,
}

/// The loads of a loop that become copies, with the operations that compute the operands of these loads.
pub(super) struct PipelinedLoop<'c> {
    pub(super) looped: scf::For<'c, 'c>,
    pub(super) body: Blk<'c>,
    pub(super) loads: Vec<PipelinedLoad<'c>>,
    /// The operations that compute the operands of the loads, in program order.
    pub(super) slice: Vec<Op<'c>>,
    /// Positions of the loop-carried values on which the operands of the loads depend.
    pub(super) carried: Vec<usize>,
    pub(super) overlap: Overlap<'c>,
    /// Upper bound for the number of bytes of shared memory that are in use during the loop, not counting the
    /// slots.
    other_bytes: u64,
    /// The reason why another load of the loop does not become a copy. If there are several such loads, this is the
    /// reason for the first one.
    refusal: Option<String>,
    /// True if the kernel is persistent: each program executes a loop over several tiles of the work. A persistent
    /// kernel usually has one program per processor.
    is_persistent: bool,
}

impl<'c> PipelinedLoad<'c> {
    /// Returns the ways to pipeline a load, the best one first.
    fn candidates(context: &PassContext<'c>, load: LoadOp<'c>, body: Blk<'c>) -> Vec<Self> {
        let allocs = buffers_of(load.result(), body);
        let slot_of = |alloc: &ttg::LocalAlloc<'c, 'c>| mutable(alloc.result().r#type(), None);
        let slots = match load {
            LoadOp::Pointers(load) => {
                let has_other_users = buffer_of(load.result(), body).is_none();
                let own = |swizzle| own_buffer(context, load, swizzle);
                let cost = |slot: &Type<'c>| reads::cost(context, body, load.result(), *slot);
                let alloc = allocs.first().and_then(slot_of);
                let cheapest = has_other_users.then(|| {
                    let slots = [Swizzle::None, Swizzle::Widest].map(own).into_iter();
                    slots
                        .flatten()
                        .min_by_key(|slot| cost(slot).unwrap_or(u32::MAX))
                });
                let source = alloc.and_then(|_| own(Swizzle::Widest));
                vec![alloc, cheapest.flatten(), source]
            }
            LoadOp::Block(load) => vec![loaded_buffer(load)],
        };
        let candidates = slots.into_iter().flatten().filter_map(|slot| {
            let has_slot_type = |alloc: &&ttg::LocalAlloc<'c, 'c>| slot_of(alloc) == Some(slot);
            Some(Self {
                load,
                allocs: allocs.iter().filter(has_slot_type).copied().collect(),
                slot,
                bytes: bytes_of(slot)?,
            })
        });
        candidates.collect()
    }
}

impl<'c> PipelinedLoop<'c> {
    /// Plans the pipelining of a loop. If `distinct_arguments` is true, different arguments are assumed to point to
    /// disjoint memory. If `all_loads` is true, the plan includes the loads that feed no product.
    ///
    /// # Errors
    /// Returns the reason why the loop is not pipelined.
    pub(super) fn of(
        context: &PassContext<'c>,
        looped: scf::For<'c, 'c>,
        target: &Target,
        distinct_arguments: bool,
        all_loads: bool,
    ) -> Result<Self, String> {
        if !copies_to_any_address(target) {
            return Err(format!(
                "`{}` has no asynchronous copies with a shared-memory address per thread",
                target.name
            ));
        }
        let body = build::block_of(looped.region()).ok_or("the loop has no body")?;
        let stored = check_loop(looped, body, distinct_arguments)?;
        let mut around = build::ancestors(looped.op());
        let function = around.find(|op| OpKind::TtFunc.is(*op));
        let function = function.ok_or("the loop is not in a function")?;
        let axis = context.get::<AxisFacts>().of(function);
        let mut plan = Self {
            looped,
            body,
            loads: Vec::new(),
            slice: Vec::new(),
            carried: Vec::new(),
            overlap: Overlap::default(),
            other_bytes: 0,
            refusal: None,
            is_persistent: is_persistent(function, looped.op()),
        };
        let mut sliced: FxHashSet<OpId> = FxHashSet::default();
        for load in build::operations(body).into_iter().filter_map(LoadOp::of) {
            if !(all_loads || feeds_product(load.result(), body)) {
                continue;
            }
            let candidates = PipelinedLoad::candidates(context, load, body).into_iter();
            let mut candidates: Vec<(u32, PipelinedLoad<'c>)> = candidates
                .filter_map(|load| Some((copy_bytes(context, &axis, &load, target)?, load)))
                .collect();
            let at_least = |bytes| candidates.iter().position(|(copied, _)| *copied >= bytes);
            let best = match at_least(LEAST_BYTES) {
                // Narrow copies scatter a row, with bank conflicts. A wide copy is cheaper, also with a transposition after it.
                Some(narrow) if candidates[narrow].0 <= LEAST_BYTES => {
                    at_least(MOST_BITS / 8).or(Some(narrow))
                }
                best => best,
            };
            if candidates.is_empty() {
                continue;
            }
            let (bytes, pipelined) = candidates.swap_remove(best.unwrap_or(0));
            let slice = AddressSlice::of(load.op(), body).and_then(|slice| {
                if bytes < LEAST_BYTES {
                    return Err(format!(
                        "only {bytes} bytes per thread are contiguous in global and shared memory, \
                         expected at least {LEAST_BYTES}"
                    ));
                }
                let mut reads = slice.ops.iter().copied().chain([load.op()]);
                match reads.all(|op| is_unchanged(op, &stored)) {
                    true => Ok(slice),
                    false => Err(
                        "a store in the loop may change the loaded data or the addresses"
                            .to_owned(),
                    ),
                }
            });
            match slice {
                Ok(slice) => {
                    plan.loads.push(pipelined);
                    plan.carried.extend(slice.carried);
                    sliced.extend(slice.ops.into_iter().map(sys::operation_id));
                }
                Err(reason) => {
                    plan.refusal.get_or_insert(reason);
                }
            }
        }
        if plan.loads.is_empty() {
            return Err(plan.refusal.unwrap_or_else(|| match all_loads {
                true => "the loop has no loads of tensors".to_owned(),
                false => "no load feeds a product".to_owned(),
            }));
        }
        plan.slice = build::operations(body);
        plan.slice
            .retain(|op| sliced.contains(&sys::operation_id(*op)));
        plan.carried.sort_unstable();
        plan.carried.dedup();
        plan.overlap = Overlap::of(body, &plan.loads);
        plan.other_bytes = other_bytes(function, looped.op(), |op| {
            let mut allocs = plan.loads.iter().flat_map(|load| &load.allocs);
            allocs.any(|alloc| alloc.op() == op)
        });
        Ok(plan)
    }

    /// Returns the stages of the loop: the requested number of stages, or fewer if their slots do not fit in shared
    /// memory.
    ///
    /// The number is also reduced if the minimum number of slots lets at least two blocks be resident per
    /// processor, but the requested number of slots does not. This condition does not apply to persistent kernels.
    ///
    /// # Errors
    /// Returns the reason why the loop is not pipelined.
    pub(super) fn stages(&self, target: &Target, requested: u32) -> Result<Stages, String> {
        if requested < 2 {
            return Err(format!(
                "the requested number of stages is {requested}, expected at least 2"
            ));
        }
        let warps = ModuleInfo::num_warps(self.looped.op());
        let warps = warps.and_then(|warps| u32::try_from(warps).ok());
        let warps = warps.map_or(ENOUGH_WARPS, |warps| warps.max(1));
        let enough_blocks = match self.is_persistent {
            true => 1,
            false => ENOUGH_BLOCKS.max(ENOUGH_WARPS / warps),
        };
        let each = self.slot_bytes();
        let bytes = |slots: u32| each * u64::from(slots) + self.other_bytes;
        let most = u64::from(target.max_shared_bytes);
        let resident = |slots| {
            let bytes = u32::try_from(bytes(slots)).unwrap_or(u32::MAX);
            resident_blocks_of_loop(self.looped.op(), bytes, target)
        };
        let blocks = |slots| resident(slots).min(enough_blocks);
        let occupancy = Occupancy {
            is_alone: blocks(LEAST_SLOTS) == 1,
            costs_blocks: !self.is_persistent && resident(LEAST_SLOTS) > resident(LEAST_SLOTS + 1),
        };
        let stages = (1..requested)
            .rev()
            .flat_map(|ahead| self.with_ahead(ahead, occupancy));
        let is_resident = |stages: &Stages| {
            bytes(stages.slots) <= most && blocks(stages.slots) == blocks(LEAST_SLOTS)
        };
        let found = stages.into_iter().find(is_resident);
        found.ok_or_else(|| {
            let free = most.saturating_sub(self.other_bytes);
            format!(
                "{LEAST_SLOTS} slots of {each} bytes exceed the {free} free bytes of shared memory"
            )
        })
    }

    /// Returns the results of the loads from pointers.
    pub(super) fn values(&self) -> impl Iterator<Item = Val<'c>> {
        let loads = self.loads.iter().map(|load| load.load);
        let loads = loads.filter(|load| matches!(load, LoadOp::Pointers(_)));
        loads.map(LoadOp::result)
    }

    fn num_products(&self) -> usize {
        let ops = build::operations(self.body).into_iter();
        ops.filter(|op| is_product(*op)).count()
    }

    /// Returns the candidate [`Stages`] in which copies start `ahead` iterations before their use, the best one first.
    fn with_ahead(&self, ahead: u32, occupancy: Occupancy) -> Vec<Stages> {
        let Occupancy {
            is_alone,
            costs_blocks,
        } = occupancy;
        let stages = |in_use, place, products_cross| Stages {
            slots: ahead + in_use,
            ahead,
            place,
            products_cross,
        };
        // No other block, or no time, would hide the copies in front of the products; a copy that starts one iteration
        // ahead must not start later.
        let place = match ahead > 1 && (is_alone || self.num_products() > 1) {
            true => CopyPlace::After,
            false => CopyPlace::Before,
        };
        match (self.overlap.may_cross(), self.overlap.has_joins()) {
            (true, false) => {
                // A product in flight still reads the slot of the iteration before. A further slot saves a barrier.
                let with_slot = match is_alone {
                    true => CopyPlace::Before,
                    false => CopyPlace::During,
                };
                let crossing = stages(2, with_slot, true);
                // Another block multiplies while this one waits. Products in flight need more iterations ahead, since the
                // slot that they read is filled later.
                if !is_alone && !self.has_pointers() {
                    let waiting = stages(1, CopyPlace::Before, false);
                    return match ahead > 2 {
                        true => vec![crossing, waiting],
                        false => vec![waiting],
                    };
                }
                let mut both = vec![crossing, stages(1, CopyPlace::After, true)];
                // One iteration does not hide a copy, another block does.
                if ahead == 1 && costs_blocks && self.has_pointers() {
                    both.reverse();
                }
                both
            }
            // Without another block, nothing else multiplies while the iteration needs the results of its joins.
            (true, true) if is_alone => vec![stages(2, place, true), stages(1, place, false)],
            _ => {
                let mut both = vec![stages(1, place, false)];
                // With two slots, the copies of the next iteration but one follow the reads of this one, with a barrier in
                // between.
                if ahead == LEAST_SLOTS && !self.has_blocks() {
                    both.push(stages(0, CopyPlace::After, false));
                }
                both
            }
        }
    }

    pub(super) fn has_pointers(&self) -> bool {
        { self.loads.iter() }.any(|load| matches!(load.load, LoadOp::Pointers(_)))
    }

    fn has_blocks(&self) -> bool {
        { self.loads.iter() }.any(|load| matches!(load.load, LoadOp::Block(_)))
    }

    /// Returns the total size in bytes of the blocks that TMA copies in an iteration. Returns `None` if an element
    /// type is unknown.
    pub(super) fn block_bytes(&self) -> Option<u64> {
        let blocks = self.loads.iter().filter_map(|load| match load.load {
            LoadOp::Pointers(_) => None,
            LoadOp::Block(load) => Some(block_bytes(load)),
        });
        blocks.sum()
    }

    fn slot_bytes(&self) -> u64 {
        self.loads.iter().map(|load| load.bytes).sum()
    }

    pub(super) fn explanation(&self, stages: Stages, requested: u32) -> String {
        let each = self.slot_bytes();
        let loads = match self.loads.len() {
            1 => "1 load fills".to_owned(),
            several => format!("{several} loads fill"),
        };
        let iterations = match stages.ahead {
            1 => "1 iteration".to_owned(),
            several => format!("{several} iterations"),
        };
        let fewer = match stages.ahead + 1 < requested {
            true => format!("; {requested} stages would take too much shared memory"),
            false => String::new(),
        };
        let refused =
            { self.refusal.iter() }.map(|reason| format!("; another load not pipelined: {reason}"));
        format!(
            "loop pipelined: {loads} {} slots of {each} bytes, {iterations} ahead{fewer}{}",
            stages.slots,
            refused.collect::<String>()
        )
    }
}

/// The effect of slots on the number of resident blocks per processor.
#[derive(Clone, Copy)]
struct Occupancy {
    /// True if only one block is resident with the minimum number of slots.
    is_alone: bool,
    /// True if one slot more than the minimum leaves fewer resident blocks.
    costs_blocks: bool,
}

/// The place of the copies that an iteration starts, relative to its products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CopyPlace {
    /// Directly after the wait for earlier copies.
    Before,
    /// After the start of asynchronous products, and before the wait for those of the iteration before.
    During,
    /// At the end of the iteration.
    After,
}

/// The number of slots per buffer, and the number of iterations between the start of a copy and its use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages {
    pub(super) slots: u32,
    pub(super) ahead: u32,
    pub(super) place: CopyPlace,
    /// True if sums stay in flight into the next iteration.
    pub(super) products_cross: bool,
}

/// Returns the number of bytes that one copy instruction copies for `load`. For a load from pointers, this is the
/// number of bytes per thread. For a load of a block, TMA copies all bytes of the block at once. Returns `None` if
/// the copy cannot be planned, e.g. for a load of a single element.
fn copy_bytes<'c>(
    context: &PassContext<'c>,
    axis: &AxisAnalysis,
    load: &PipelinedLoad<'c>,
    target: &Target,
) -> Option<u32> {
    let slot = load.slot;
    let LoadOp::Pointers(load) = load.load else {
        return u32::try_from(load.bytes).ok();
    };
    let tensor = TensorType::of(load.result().r#type())?;
    let layout = context.layouts().tensor(&tensor).ok()?;
    let bits = element_bits(tensor.element)?;
    let vector = axis.vector(load.ptr(), load.mask(), bits, &layout.unique, MOST_BITS);
    copied_bytes(context.layouts(), &layout.unique, slot, &vector, target)
}

/// The operations in a loop that compute the operands of a load.
#[derive(Default)]
struct AddressSlice<'c> {
    ops: Vec<Op<'c>>,
    carried: Vec<usize>,
}

impl<'c> AddressSlice<'c> {
    /// Finds the operations in `body` that compute the operands of `load`.
    ///
    /// # Errors
    /// Returns the reason why the operands cannot be computed iterations ahead.
    fn of(load: Op<'c>, body: Blk<'c>) -> Result<Self, String> {
        let yielded = build::terminator_operands(body);
        let arguments = build::block_arguments(body);
        let mut slice = Self::default();
        let mut seen = FxHashSet::default();
        let mut waiting = build::operands(load);
        while let Some(value) = waiting.pop() {
            if !seen.insert(sys::value_id(value)) {
                continue;
            }
            if let Some(at) = arguments.iter().position(|argument| *argument == value) {
                // The first argument is the induction variable.
                if let Some(at) = at.checked_sub(1) {
                    slice.carried.push(at);
                    waiting.push(yielded[at]);
                }
                continue;
            }
            let Some(op) = sys::defining_operation(value).filter(|op| build::is_in(*op, body))
            else {
                continue;
            };
            check_speculatable(op)?;
            slice.ops.push(op);
            waiting.extend(build::operands(op));
        }
        Ok(slice)
    }
}

/// Checks that an operation may be executed several iterations in advance. The last iterations then execute it for
/// iterations after the end of the loop.
///
/// # Errors
/// Returns the reason why the operation must not be executed speculatively.
fn check_speculatable(op: Op<'_>) -> Result<(), String> {
    let name = sys::identifier_text(op.name());
    let is_load = is_reorderable(op);
    let is_computed = Role::of(op).is_repeatable() || Role::of(op) == Role::Conversion;
    if op.region_count() > 0 || !(is_computed || is_load) {
        return Err(format!(
            "an address depends on `{name}`, which must not be executed speculatively"
        ));
    }
    let divides = UpstreamKind::of(op).is_some_and(divides_integers);
    // The divisor of a later iteration may be zero. -1 overflows for the smallest dividend.
    let is_safe = || {
        let divisor = build::operands(op).pop().and_then(integer_constant);
        divisor.is_some_and(|divisor| divisor > 0)
    };
    if divides && !is_safe() {
        return Err(format!(
            "an address depends on `{name}`, whose divisor is not a positive constant"
        ));
    }
    Ok(())
}

/// Checks the conditions for pipelining that do not depend on the loads. Returns the function arguments to which
/// the loop stores.
///
/// # Errors
/// Returns the reason why the loop cannot be pipelined, regardless of its loads.
fn check_loop<'c>(
    looped: scf::For<'c, 'c>,
    body: Blk<'c>,
    distinct_arguments: bool,
) -> Result<Vec<Val<'c>>, String> {
    if looped.unsigned_cmp() {
        return Err("the induction variable is unsigned".to_owned());
    }
    if is_in_partition(looped.op()) {
        return Err("the loop is in a partition of `ttg.warp_specialize`".to_owned());
    }
    let mut stored = Vec::new();
    for op in build::operations(body)
        .into_iter()
        .flat_map(build::in_order)
    {
        let name = sys::identifier_text(op.name());
        if Role::of(op) == Role::Loop {
            return Err(format!("the loop contains `{name}`"));
        }
        let is_pipelined = matches!(
            OpView::of(op),
            Some(
                OpView::TtgAsyncCopyGlobalToLocal(_)
                    | OpView::TtgAsyncCommitGroup(_)
                    | OpView::TtgAsyncWait(_)
            )
        );
        if is_pipelined {
            return Err(format!(
                "the loop already has asynchronous copies (`{name}`)"
            ));
        }
        if let Some(store) = tt::Store::of(op).filter(|_| distinct_arguments) {
            let argument = base_argument(store.ptr());
            stored.push(
                argument
                    .ok_or("the address of a store is not based on a single function argument")?,
            );
            continue;
        }
        let is_structure = matches!(Role::of(op), Role::Conditional | Role::Terminator);
        let is_load = LoadOp::of(op).is_some();
        let is_of_reduction = build::parent(op)
            .is_some_and(|parent| matches!(Role::of(parent), Role::Reduction | Role::Scan));
        if !(is_structure || is_load || is_of_reduction || may_be_crossed(op)) {
            return Err(format!("loads cannot be moved across `{name}`"));
        }
    }
    Ok(stored)
}

/// Returns true if the stores of the loop cannot change what `op` reads. This is the case if `op` reads nothing
/// from global memory, or if it reads through an argument that is not in `stored`.
fn is_unchanged(op: Op<'_>, stored: &[Val<'_>]) -> bool {
    let read = match OpView::of(op) {
        Some(OpView::TtLoad(load)) => load.ptr(),
        Some(OpView::TtDescriptorLoad(load)) => load.desc(),
        _ => return true,
    };
    stored.is_empty() || base_argument(read).is_some_and(|argument| !stored.contains(&argument))
}

/// The swizzle of a buffer for a load.
#[derive(Clone, Copy)]
enum Swizzle {
    /// None: each thread reads exactly the elements that it has copied, so neither access has bank conflicts.
    None,
    /// Of vectors of the widest width, so that threads can also read along other dims.
    Widest,
}

/// Returns the type of a buffer for a load whose result is used in registers. The rows of the buffer are contiguous along the
/// fastest dimension of the load.
fn own_buffer<'c>(
    context: &PassContext<'c>,
    load: tt::Load<'c, 'c>,
    swizzle: Swizzle,
) -> Option<Type<'c>> {
    let tensor = TensorType::of(load.result().r#type())?;
    let encoding = context.layouts().of_tensor(&tensor).ok()?;
    let (order, cga) = (
        encoding.order(tensor.shape).ok()?,
        encoding.cga_layout().ok()?,
    );
    let (vector, per_phase, phases) = match swizzle {
        Swizzle::None => (1, 1, 1),
        Swizzle::Widest => widest_swizzle(tensor.shape, &order, element_bits(tensor.element)?)?,
    };
    let shared = SwizzledSharedEncoding::new(vector, per_phase, phases, &order, cga).ok()?;
    let shared = attribute(load.op(), &shared.into())?;
    memdesc(tensor.shape, tensor.element, shared, true)
}

fn is_product(op: Op<'_>) -> bool {
    tt::Dot::of(op).is_some() || ttng::WarpGroupDot::of(op).is_some()
}

/// Returns true if a product in `body` depends on `value` through buffers and operations without effects.
fn feeds_product(value: Val<'_>, body: Blk<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        for (user, _) in sys::uses(value) {
            if !build::is_in(user, body) || !seen.insert(sys::operation_id(user)) {
                continue;
            }
            if is_product(user) {
                return true;
            }
            let role = Role::of(user);
            let is_view = ttg::MemDescTrans::of(user).is_some();
            if is_view || role.is_pure() || matches!(role, Role::Buffer { .. }) {
                waiting.extend(build::results(user));
            }
        }
    }
    false
}

/// Returns true if the kernel appears to be persistent: `looped` is nested in another loop, and `function` contains
/// a `tt.get_num_programs`.
fn is_persistent(function: Op<'_>, looped: Op<'_>) -> bool {
    let mut around = build::ancestors(looped);
    let reads = |op: &Op<'_>| OpKind::TtGetNumPrograms.is(*op);
    around.any(is_loop) && build::in_order(function).iter().any(reads)
}
