//! Lowering of `ttg.warp_specialize`: regions that run on different warps of a CTA at the same time.
//!
//! Warps outside the default region are workers. Workers wait at a CTA-wide barrier until the default warps reach a
//! `ttg.warp_specialize` or the end of the kernel. Shared memory holds the number of the operation; the end has the
//! number of operations.
//!
//! ```text
//! entry:    warp < num-warps ? body : workers
//! body:     ...; store captures and number; barrier; default region; barrier; ...
//!           store end; barrier; return
//! workers:  barrier; load number; partitions of this operation, by warp; barrier; again
//! ```
//! A partition rematerialises a captured value that follows from kernel arguments by a few operations, such as an
//! address. Other captured values are passed in shared memory.

use super::blocks::BlockGraph;
use super::emit::{ICmpPredicate, block_arguments};
use super::gpu::Gpu;
use super::memory::{from_memory, to_memory};
use super::state::{Lowering, Outcome, SHARED};
use super::types::{bits_of, is_buffer, scalar_type};
use super::warp_group;
use crate::analysis::effects::{AccessTarget, Act, BufferAllocation, Effects, Request};
use crate::ir::ops::ttg;
use crate::ir::partitions::{
    MAX_PARTITIONS, REGISTER_RANGE, RegionWarps, RegisterPlan, WARP_GROUP, partitions_of,
    register_plan, specializations, warps_of_regions,
};
use crate::ir::{AnyKind, OpKind, TensorType, UpstreamKind};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Diagnostic, operation_id};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Type, ValueLike};

// --- plans ---

const REQUESTED_KEY: &str = ttg::WarpSpecialize::REQUESTED_REGISTERS_KEY;
const ACTUAL_KEY: &str = ttg::WarpSpecialize::ACTUAL_REGISTERS_KEY;

/// Region index of a function's body, and of the default region of `ttg.warp_specialize`.
const FIRST_REGION: usize = 0;

/// Bytes of shared memory per register of a captured value.
const SLOT: u32 = 8;

/// Maximum number of operations that are repeated to rematerialise one captured value.
const MAX_REMATERIALISED: u32 = 16;

/// Returns true if the code of an operation depends only on its operands and has no side effects.
fn can_be_rematerialised(op: Op<'_>) -> bool {
    use OpKind as K;
    if op.results().count() != 1 || op.results().any(|r| TensorType::of(r.r#type()).is_some()) {
        return false;
    }
    match AnyKind::of(op) {
        AnyKind::Own(K::TtgLocalAlloc) => op.operand_count() == 0,
        AnyKind::Own(kind) => matches!(
            kind,
            K::TtAddPtr
                | K::TtGetNumPrograms
                | K::TtGetProgramId
                | K::TtgGlobalScratchAlloc
                | K::TtgMemDescIndex
                | K::TtgMemDescReinterpret
                | K::TtgMemDescReshape
                | K::TtgMemDescSubslice
                | K::TtgMemDescTrans
                | K::TtngReinterpretTensorDesc
        ),
        AnyKind::Upstream(kind) => {
            kind == UpstreamKind::ArithConstant
                || kind.is_elementwise() && kind.name().starts_with("arith.")
        }
        AnyKind::Other => false,
    }
}

/// Returns true if at most `left` rematerialisable operations compute `value` from kernel arguments. Subtracts the
/// number of these operations from `left`.
fn is_rematerialised(value: Val<'_>, left: &mut u32) -> bool {
    let Some(op) = sys::defining_operation(value) else {
        return sys::block_of_argument(value)
            .and_then(|block| block.parent_operation())
            .is_some_and(|parent| {
                let entry = build::blocks(parent, FIRST_REGION).first().copied();
                let is_entry = |entry: Blk<'_>| block_arguments(entry).contains(&value);
                OpKind::TtFunc.is(parent) && entry.is_some_and(is_entry)
            });
    };
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    can_be_rematerialised(op)
        && build::operands(op)
            .into_iter()
            .all(|v| is_rematerialised(v, left))
}

struct Captures<'c> {
    values: Vec<Val<'c>>,
    /// Byte offset of each captured value's registers in shared memory. `None` if the value is rematerialised
    /// instead.
    offsets: Vec<Option<u32>>,
    bytes: u32,
}

impl<'c> Captures<'c> {
    fn of(op: ttg::WarpSpecialize<'c, 'c>) -> Self {
        let values = partitions_of(op).map_or_else(Vec::new, |held| held.explicit_captures());
        let mut bytes = 0;
        let mut offsets = Vec::new();
        for value in &values {
            if is_rematerialised(*value, &mut MAX_REMATERIALISED.clone()) {
                offsets.push(None);
                continue;
            }
            offsets.push(Some(bytes));
            bytes += SLOT * if is_buffer(value.r#type()) { 2 } else { 1 };
        }
        Self {
            values,
            offsets,
            bytes,
        }
    }

    fn check(&self, op: Op<'_>) -> Outcome {
        for (value, offset) in self.values.iter().zip(&self.offsets) {
            let type_ = value.r#type();
            if TensorType::of(type_).is_some() {
                return Err(Diagnostic::new(format!(
                    "requires scalars, pointers and buffers as captures, but got `{type_}`"
                ))
                .note(
                    "compute the tensor in the partition, or pass it in a buffer in shared memory",
                ));
            }
            let scalar = scalar_type(build::context(op), type_);
            if offset.is_some() && scalar.is_some_and(|scalar| bits_of(scalar) > 8 * SLOT) {
                return Err(Diagnostic::new(format!(
                    "requires captures of at most {} bits, but got `{type_}`",
                    8 * SLOT
                )));
            }
        }
        Ok(())
    }
}

/// Checks that there are not too many partitions, that no two regions share a warp, and that each region of four or
/// more warps starts at a multiple of four.
fn check_warps(ranges: &[RegionWarps]) -> Outcome {
    if ranges.len() > 1 + MAX_PARTITIONS as usize {
        return Err(Diagnostic::new(format!(
            "requires at most {MAX_PARTITIONS} partitions, but got {}",
            ranges.len() - 1
        )));
    }
    let mut sorted = ranges.to_vec();
    sorted.sort_by_key(|range| range.first);
    for pair in sorted.windows(2) {
        if pair[1].first < pair[0].end() {
            return Err(Diagnostic::new(format!(
                "requires disjoint warps for the regions, but warp {} belongs to two regions",
                pair[1].first
            ))
            .note("remove `warpGroupStartIds`, or let the partitions start after the `ttg.num-warps` default warps"));
        }
    }
    for range in ranges.iter().filter(|range| range.count >= WARP_GROUP) {
        if !range.first.is_multiple_of(WARP_GROUP) {
            return Err(Diagnostic::new(format!(
                "requires a region of {} warps to start at a multiple of {WARP_GROUP}, but got warp {}",
                range.count, range.first
            )));
        }
    }
    Ok(())
}

fn check_registers(op: ttg::WarpSpecialize<'_, '_>, num_partitions: usize) -> Outcome {
    let [least, most] = REGISTER_RANGE;
    let lists = [
        (
            REQUESTED_KEY,
            op.requested_registers(),
            num_partitions,
            1,
            1,
        ),
        (
            ACTUAL_KEY,
            op.actual_registers(),
            num_partitions + 1,
            least,
            8,
        ),
    ];
    for (name, counts, expected, least, step) in lists {
        let Some(counts) = counts else {
            continue;
        };
        if counts.len() != expected {
            return Err(Diagnostic::new(format!(
                "requires {expected} entries in `{name}`, but got {}",
                counts.len()
            )));
        }
        let is_valid = |count: &i32| {
            let is_step = |n: u32| (least..=most).contains(&n) && n.is_multiple_of(step);
            u32::try_from(*count).is_ok_and(is_step)
        };
        if let Some(count) = counts.iter().find(|count| !is_valid(count)) {
            let multiples = match step {
                1 => "numbers".to_owned(),
                step => format!("multiples of {step}"),
            };
            return Err(Diagnostic::new(format!(
                "requires {multiples} from {least} to {most} in `{name}`, but got {count}"
            )));
        }
    }
    Ok(())
}

/// Checks a `ttg.warp_specialize` and returns its shared-memory effects: the stores of captured values and a
/// barrier, both before the regions.
pub(crate) fn effects(op: Op<'_>) -> Result<Effects, Diagnostic> {
    let specialize = ttg::WarpSpecialize::of(op).expect("the dispatch goes by kind");
    let ranges = warps_of_regions(specialize);
    check_warps(&ranges)?;
    check_registers(specialize, ranges.len() - 1)?;
    if ranges.len() == 1 {
        return Ok(Effects::default());
    }
    let captures = Captures::of(specialize);
    captures.check(op)?;
    let mut effects = Effects {
        acts: vec![Act::Barrier],
        ..Effects::default()
    };
    if captures.bytes > 0 {
        let value = operation_id(op);
        effects.allocation = Some(BufferAllocation {
            value,
            request: Request {
                bytes: captures.bytes,
                alignment: SLOT,
            },
        });
        effects
            .acts
            .insert(0, Act::Write(AccessTarget::Buffer(value)));
    }
    Ok(effects)
}

pub(crate) fn refuse(kind: OpKind, gpu: Gpu) -> Option<Diagnostic> {
    (kind == OpKind::TtgWarpSpecialize && !gpu.has_partitions()).then(|| {
        Diagnostic::new(format!(
            "requires named barriers, which are not supported on {}",
            gpu.target.name
        ))
        .note("compile the kernel without warp specialisation, or for a target `cuda:...`")
    })
}

// --- the default warps ---

/// Lowering state of the workers, the warps of a CTA that do not execute the kernel's body.
#[derive(Clone, Debug)]
pub(crate) struct Workers<'c> {
    specializations: Vec<ttg::WarpSpecialize<'c, 'c>>,
    warp: Val<'c>,
    block: Blk<'c>,
}

/// Emits the branch that separates default warps from workers at the start of a kernel. Returns the first block of
/// the default warps, or `None` if the kernel has no workers.
pub(crate) fn begin_kernel<'c>(l: &mut Lowering<'c>, function: Op<'c>) -> Option<Blk<'c>> {
    if l.gpu.is_whole_cta() {
        return None;
    }
    let warp = l.gpu.warp_of_cta(&mut l.e);
    let count = l.e.i32(l.gpu.num_warps);
    let is_default = l.e.icmp(ICmpPredicate::Ult, warp, count);
    let body = l.e.next_block(&[]);
    let block = l.e.add_block(body, &[]);
    l.e.branch_if(is_default, (body, &[]), (block, &[]));
    l.workers = Some(Workers {
        specializations: specializations(function),
        warp,
        block,
    });
    Some(body)
}

fn number_address<'c>(l: &mut Lowering<'c>) -> Val<'c> {
    let base = l.e.address_of_shared(SHARED);
    let offset = l.frame + l.allocation.worker_number().unwrap_or_default();
    l.e.gep_bytes(base, offset)
}

/// Stores each register in `captures` at its address, and then releases the workers from their barrier. The workers
/// execute the partitions of the `ttg.warp_specialize` with index `number`; if there is no such operation, they
/// return.
fn release<'c>(l: &mut Lowering<'c>, number: usize, captures: &[(Val<'c>, Val<'c>)]) {
    let thread = l.gpu.thread_id(&mut l.e);
    let is_first = l.e.is_zero(thread);
    let fork = l.e.fork(is_first);
    let i8 = l.e.types.i8;
    for (register, address) in captures {
        let stored = to_memory(l, *register, i8);
        l.e.store(stored, *address, SLOT);
    }
    let number = l.e.i32(u32::try_from(number).unwrap_or(u32::MAX));
    let address = number_address(l);
    l.e.store(number, address, 4);
    l.e.join_or(fork, &[], &[]);
    l.gpu.cta_barrier(&mut l.e);
}

/// Makes the workers return.
pub(crate) fn end_kernel(l: &mut Lowering<'_>) {
    let count = l
        .workers
        .as_ref()
        .map_or(0, |all| all.specializations.len());
    if count > 0 {
        release(l, count, &[]);
    }
}

fn slots<'c>(l: &mut Lowering<'c>, op: Op<'c>, offset: u32) -> Vec<Val<'c>> {
    let Some((start, bytes)) = l.allocation.place(op) else {
        return Vec::new();
    };
    let base = l.shared_memory(start);
    let offsets = (offset..bytes).step_by(SLOT as usize);
    offsets.map(|offset| l.e.gep_bytes(base, offset)).collect()
}

/// Lowers `ttg.warp_specialize` for the default warps.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let specialize = ttg::WarpSpecialize::of(op).expect("the dispatch goes by kind");
    if specialize.partition_num_warps().is_empty() {
        return lower_default(l, op, |l| l.gpu.block_barrier(&mut l.e));
    }
    let position = l.workers.as_ref().and_then(|workers| {
        let mut all = workers.specializations.iter();
        all.position(|other| operation_id(other.op()) == operation_id(op))
    });
    let Some(number) = position else {
        if l.emitted.is_some() {
            l.set_placeholders(op);
            return Ok(());
        }
        return Err(Diagnostic::new("is supported in kernels only")
            .note("inline the function that contains the operation into the kernel"));
    };
    let captures = Captures::of(specialize);
    let mut stored = Vec::new();
    for (value, offset) in captures.values.iter().zip(&captures.offsets) {
        if let Some(offset) = offset {
            let slots = slots(l, op, *offset);
            stored.extend(l.get(*value).iter().copied().zip(slots));
        }
    }
    release(l, number, &stored);
    let registers = registers(l, specialize);
    let own = registers
        .as_ref()
        .map(|plan| (plan.initial, plan.regions[0]));
    if let Some((initial, own)) = own {
        l.gpu.set_registers(&mut l.e, initial, own);
    }
    lower_default(l, op, |l| l.gpu.cta_barrier(&mut l.e))?;
    if let Some((initial, own)) = own {
        l.gpu.set_registers(&mut l.e, own, initial);
    }
    Ok(())
}

fn lower_default<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    join: impl FnOnce(&mut Lowering<'c>),
) -> Outcome {
    let results = build::results(op);
    let (types, counts) = l.types_of_all(&results)?;
    let yielded = l.region(&BlockGraph::of(op, FIRST_REGION), &types)?;
    join(l);
    l.distribute(results.into_iter(), &counts, &yielded);
    Ok(())
}

fn registers<'c>(
    l: &Lowering<'c>,
    specialize: ttg::WarpSpecialize<'c, 'c>,
) -> Option<RegisterPlan> {
    register_plan(specialize, l.registers?, l.gpu.cta_warps)
}

/// Emits nothing: [`lower_workers`] lowers the partitions.
pub(crate) fn partitions<'c>(_: &mut Lowering<'c>, _: Op<'c>) -> Outcome {
    Ok(())
}

// --- the workers ---

pub(crate) fn lower_workers(l: &mut Lowering<'_>) {
    let Some(workers) = l.workers.take() else {
        return;
    };
    l.e.enter_block(workers.block);
    if workers.specializations.is_empty() {
        l.e.return_(None);
        l.e.leave_block();
        return;
    }
    let head = l.e.next_block(&[]);
    l.e.branch(head, &[], None);
    l.e.continue_in(head);
    l.gpu.cta_barrier(&mut l.e);
    let address = number_address(l);
    let i32 = l.e.types.i32;
    let number = l.e.load(address, i32, 4);
    let count = workers.specializations.len();
    let end = l.e.i32(u32::try_from(count).unwrap_or(u32::MAX));
    let is_end = l.e.icmp(ICmpPredicate::Eq, number, end);
    let exit = l.e.next_block(&[]);
    let start = l.e.add_block(exit, &[]);
    l.e.branch_if(is_end, (exit, &[]), (start, &[]));
    l.e.enter_block(exit);
    l.e.return_(None);
    l.e.leave_block();
    l.e.continue_in(start);
    let mut switch = l.e.switch(&[]);
    for specialize in &workers.specializations {
        l.e.begin_case(&mut switch);
        lower_partitions(l, *specialize, workers.warp);
        l.e.end_case(&mut switch, &[]);
    }
    let labels: Vec<i64> = (1..).take(count - 1).collect();
    l.e.end_switch(switch, number, &labels);
    // Code that is moved out of the loop would occupy registers in all partitions.
    let annotation = l.e.parsed("#llvm.loop_annotation<licm = <disable = true>>");
    l.e.branch(head, &[], Some(annotation));
    l.e.leave_block();
}

/// A range of workers: the warps of a partition with more than four warps, or a group of four warps. It ends before
/// the warp `end`.
#[derive(Clone, Debug)]
struct Unit {
    end: u32,
    /// The partitions that run on these warps. Empty if the warps are idle.
    partitions: Vec<usize>,
}

/// Divides the workers into units. A partition of more than four warps is one unit; all other workers form groups
/// of four warps.
fn units(ranges: &[RegionWarps], cta_warps: u32) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut at = ranges[0].end();
    while at < cta_warps {
        let is_in = |range: &RegionWarps, end| range.first < end && at < range.end();
        let whole = ranges
            .iter()
            .find(|range| range.first == at && range.count > WARP_GROUP);
        let end = whole.map_or(at + WARP_GROUP, |range| range.end());
        let partitions = (1..ranges.len()).filter(|i| is_in(&ranges[*i], end));
        units.push(Unit {
            end,
            partitions: partitions.collect(),
        });
        at = end;
    }
    units
}

/// Emits a chain of branches on the warp index, and calls `piece` once for each range of warps to emit the code of
/// that range.
///
/// `ends` contains the exclusive ends of the ranges.
fn by_warp<'c>(
    l: &mut Lowering<'c>,
    warp: Val<'c>,
    ends: &[u32],
    piece: &mut dyn FnMut(&mut Lowering<'c>, usize),
) {
    let Some((_, others)) = ends.split_last() else {
        return;
    };
    let Some(before) = others.last() else {
        return piece(l, 0);
    };
    let before = l.e.i32(*before);
    let is_before = l.e.icmp(ICmpPredicate::Ult, warp, before);
    let fork = l.e.fork(is_before);
    by_warp(l, warp, others, piece);
    let fork = l.e.begin_else(fork, &[]);
    piece(l, others.len());
    l.e.join(fork, &[]);
}

fn lower_partitions<'c>(
    l: &mut Lowering<'c>,
    specialize: ttg::WarpSpecialize<'c, 'c>,
    warp: Val<'c>,
) {
    let ranges = warps_of_regions(specialize);
    let units = units(&ranges, l.gpu.cta_warps);
    let registers = registers(l, specialize);
    let ends: Vec<u32> = units.iter().map(|unit| unit.end).collect();
    by_warp(l, warp, &ends, &mut |l, i| {
        let mut partitions = units[i].partitions.clone();
        partitions.sort_by_key(|region| ranges[*region].first);
        let change = registers.as_ref().map(|plan| {
            let own = partitions.first().map(|region| plan.regions[*region]);
            (plan.initial, own.unwrap_or(plan.idle))
        });
        if let Some((initial, own)) = change {
            l.gpu.set_registers(&mut l.e, initial, own);
        }
        // Warps between partitions are idle.
        let mut pieces: Vec<(u32, Option<usize>)> = Vec::new();
        let mut at = if i == 0 { ranges[0].end() } else { ends[i - 1] };
        for region in partitions {
            let range = ranges[region];
            if at < range.first {
                pieces.push((range.first, None));
            }
            pieces.push((range.end(), Some(region)));
            at = range.end();
        }
        if at < ends[i] {
            pieces.push((ends[i], None));
        }
        let inner: Vec<u32> = pieces.iter().map(|(end, _)| *end).collect();
        by_warp(l, warp, &inner, &mut |l, i| {
            if let Some(region) = pieces[i].1 {
                lower_partition(l, specialize, (region, ranges[region]));
            }
        });
        l.gpu.cta_barrier(&mut l.e);
        // Before the barrier, idle warps would take registers back that other warps wait for.
        if let Some((initial, own)) = change {
            l.gpu.set_registers(&mut l.e, own, initial);
        }
    });
}

fn lower_partition<'c>(
    l: &mut Lowering<'c>,
    specialize: ttg::WarpSpecialize<'c, 'c>,
    (region, warps): (usize, RegionWarps),
) {
    let Some(held) = partitions_of(specialize) else {
        return;
    };
    let graph = BlockGraph::of(held.op(), region - 1);
    let Some(entry) = graph.entry() else {
        return;
    };
    let op = specialize.op();
    let captures = Captures::of(specialize);
    let outer_op = l.bounds.enter(op);
    l.bounds.is_again = true;
    let arguments = block_arguments(entry);
    for ((argument, value), offset) in arguments.iter().zip(&captures.values).zip(captures.offsets)
    {
        l.e.location = op.location();
        match offset {
            Some(offset) => {
                let types = l.placeholder_types(value.r#type());
                let slots = slots(l, op, offset);
                let registers = types.iter().zip(slots);
                let registers: Vec<Val<'c>> = registers
                    .map(|(type_, slot)| load(l, slot, *type_))
                    .collect();
                l.set(*argument, registers);
            }
            None => {
                rematerialise(l, *value);
                l.set_same(*argument, *value);
            }
        }
    }
    l.bounds.is_again = false;
    l.bounds.leave(outer_op);
    let outer = (l.gpu, l.warp_group.take());
    l.gpu = l.gpu.with_warps(warps);
    l.allocation.set_warps(warps.count);
    warp_group::begin_region(l, held.op());
    if let Err(diagnostic) = l.region(&graph, &[]) {
        l.report(op, &diagnostic);
    }
    (l.gpu, l.warp_group) = outer;
    l.allocation.set_warps(l.gpu.num_warps);
}

fn load<'c>(l: &mut Lowering<'c>, address: Val<'c>, type_: Type<'c>) -> Val<'c> {
    let in_memory = match type_ == l.e.types.i1 {
        true => l.e.types.i8,
        false => type_,
    };
    let loaded = l.e.load(address, in_memory, SLOT);
    from_memory(l, loaded, type_)
}

/// At the insertion point, lowers again the operations that compute a captured value.
///
/// The new registers replace those of the earlier lowering.
fn rematerialise<'c>(l: &mut Lowering<'c>, value: Val<'c>) {
    let Some(op) = sys::defining_operation(value) else {
        return;
    };
    for operand in build::operands(op) {
        rematerialise(l, operand);
    }
    l.e.location = op.location();
    l.lower_unordered(op);
}
