//! `tt.histogram`: by additions to bins in shared memory, or by votes of lanes.
//!
//! An element whose value is no bin's number is not counted, on no GPU.

use super::allocate::Asked;
use super::gpu::{AtomicAccess, AtomicAction, AtomicMemory, CachePolicy, Gpu};
use super::local;
use super::memory::{Accesses, owner};
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, Given};
use super::types::bits_of;
use super::value::Buffer;
use crate::analysis::effects::{Act, Effects, Request, Touched};
use crate::ir::Layouts;
use crate::ir::builders::llvm;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp, tt};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::histogram::{
    BinBit, Bins, Histogram, HistogramPlan, HistogramWay, Voting, VotingEnd, plan_histogram,
};
use melior::ir::ValueLike;

/// What a histogram does in shared memory.
pub(crate) fn effects(asked: &mut Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let histogram = tt::Histogram::of(op).expect("the dispatch goes by kind");
    let key = [histogram.src(), histogram.result()].map(|value| sys::type_id(value.r#type()));
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let plan = asked
        .plans
        .plan(op, key.to_vec(), || plan(layouts, gpu, histogram))?;
    if let Some(conversion) = plan.conversion() {
        let program = conversion.program();
        return Ok(Effects::of_program(program, None));
    }
    let scratch = Touched::Scratch;
    let waits = plan.bins().is_some_and(|bins| !bins.is_one_warp);
    let acts = if waits {
        vec![
            Act::Write(scratch),
            Act::Barrier,
            Act::Write(scratch),
            Act::Barrier,
            Act::Read(scratch),
        ]
    } else {
        vec![Act::Write(scratch), Act::Read(scratch)]
    };
    Ok(Effects {
        scratch: Some(Request::scratch(plan.scratch_bytes())),
        acts,
        ..Effects::default()
    })
}

/// Plans a histogram, and has the machine prove the plan.
fn plan(
    layouts: &Layouts,
    gpu: Gpu,
    histogram: tt::Histogram<'_, '_>,
) -> Result<HistogramPlan, Diagnostic> {
    let src = layout_of(layouts, histogram.src().r#type())?;
    let dst = layout_of(layouts, histogram.result().r#type())?;
    let histogram = Histogram {
        src: &src.unique,
        dst: &dst.unique,
        target: gpu.target,
    };
    let plan = plan_histogram(&histogram).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_histogram(&plan, &histogram).map_err(wrong)?;
    Ok(plan)
}

/// Lowers `tt.histogram`.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let histogram = tt::Histogram::of(op).expect("the dispatch goes by kind");
    let Some((plan, offset)) = l.allocation.plan::<HistogramPlan>(op) else {
        // The plan could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let elements = Elements::of(l, &plan, histogram);
    let counts = match plan.way() {
        HistogramWay::Adding(bins) => {
            let layout = l.tensor_layout(histogram.src())?;
            let (is_owner, _) = owner(l, Some(&layout));
            in_memory(l, bins, offset, |l, base| {
                let one = l.e.i32(1);
                for (bin, counts) in elements.iter() {
                    let mask = both(l, *counts, is_owner);
                    add(l, base, *bin, one, mask);
                }
            })
        }
        HistogramWay::Voting(voting) => {
            let counts = vote(l, &plan, voting, &elements);
            match &voting.end {
                VotingEnd::Convert { plan, .. } => {
                    let given = Given::alike(plan.program(), &counts, offset);
                    steps::emit(l, plan.program(), given)?
                }
                VotingEnd::Add(bins) => {
                    let lanes = l.gpu.target.lanes - 1;
                    let idle = lanes & !voting.lane_mask();
                    let is_owner = has_none_of(l, idle, plan.copies().warps);
                    in_memory(l, bins, offset, |l, base| {
                        let own = own_bin(l, voting);
                        for (register, count) in (0u32..).zip(&counts) {
                            let bin = l.e.i32(voting.bin(register, 0));
                            let bin = l.e.or_disjoint(own, bin);
                            add(l, base, bin, *count, is_owner);
                        }
                    })
                }
            }
        }
    };
    let element = l.types_of(histogram.result().r#type())?[0];
    let results: Vec<Val<'c>> = counts
        .into_iter()
        .map(|count| match bits_of(element) {
            ..32 => l.e.trunc(count, element),
            32 => count,
            _ => l.e.zext(count, element),
        })
        .collect();
    l.set(histogram.result(), results);
    Ok(())
}

/// The bin of each element that is counted, an `i32`, and whether it is counted, where that is not certain.
struct Elements<'c>(Vec<(Val<'c>, Option<Val<'c>>)>);

impl<'c> Elements<'c> {
    fn of(l: &mut Lowering<'c>, plan: &HistogramPlan, op: tt::Histogram<'c, 'c>) -> Self {
        let values = l.get(op.src());
        let masks = op.mask().map(|mask| l.get(mask));
        let elements = plan.registers().iter().map(|register| {
            let mask = masks.as_ref().map(|masks| masks[*register]);
            let value = counted(l, values[*register], mask, plan.bins_log2());
            let is_bin = is_below(l, value, plan.bins_log2());
            let counts = both(l, mask, is_bin);
            (as_index(l, value), counts)
        });
        Self(elements.collect())
    }

    fn iter(&self) -> impl Iterator<Item = &(Val<'c>, Option<Val<'c>>)> {
        self.0.iter()
    }
}

/// The value of an element, which must be a bin's number where the mask holds.
fn counted<'c>(
    l: &mut Lowering<'c>,
    value: Val<'c>,
    mask: Option<Val<'c>>,
    bins_log2: u32,
) -> Val<'c> {
    let bins = 1u64 << bins_log2;
    let bounded = l.bounded(value, bins, &format!("counts in {bins} bins"));
    match mask {
        Some(mask) => l.e.select(mask, bounded, value),
        None => bounded,
    }
}

/// An integer as an `i32`; what is lost of a wider one is of no bin.
fn as_index<'c>(l: &mut Lowering<'c>, value: Val<'c>) -> Val<'c> {
    let i32 = l.e.types.i32;
    match bits_of(value.r#type()) {
        ..32 => l.e.zext(value, i32),
        32 => value,
        _ => l.e.trunc(value, i32),
    }
}

/// Whether an integer without sign is below a power of two; nothing where all of its type are.
fn is_below<'c>(l: &mut Lowering<'c>, value: Val<'c>, log2: u32) -> Option<Val<'c>> {
    if log2 >= bits_of(value.r#type()) {
        return None;
    }
    let above = l.e.lshr(value, log2);
    Some(l.e.is_zero(above))
}

/// Both conditions, each of which holds where it is not given.
fn both<'c>(l: &mut Lowering<'c>, a: Option<Val<'c>>, b: Option<Val<'c>>) -> Option<Val<'c>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(l.e.and(a, b)),
        (a, b) => a.or(b),
    }
}

/// Whether none of these bits of lane and warp are set; nothing where there are none.
fn has_none_of<'c>(l: &mut Lowering<'c>, lanes: u32, warps: u32) -> Option<Val<'c>> {
    let mask = lanes | warps << l.gpu.target.lanes_log2();
    if mask == 0 {
        return None;
    }
    let thread = l.gpu.thread_id(&mut l.e);
    let mask = l.e.i32(mask);
    let bits = l.e.and(thread, mask);
    Some(l.e.is_zero(bits))
}

/// Clears the bins, has everybody add to them, and loads what each register asks for.
fn in_memory<'c>(
    l: &mut Lowering<'c>,
    bins: &Bins,
    offset: u32,
    additions: impl FnOnce(&mut Lowering<'c>, Val<'c>),
) -> Vec<Val<'c>> {
    let buffer = Buffer {
        base: l.shared_memory(offset),
        position: l.e.i32(0),
    };
    let wait = |l: &mut Lowering<'c>| {
        if bins.is_one_warp {
            l.gpu.warp_barrier(&mut l.e);
        } else {
            l.gpu.block_barrier(&mut l.e);
        }
    };
    let zeros = vec![l.e.i32(0); bins.clear.held().len()];
    local::store_registers(l, &bins.clear, buffer, &zeros);
    wait(l);
    additions(l, buffer.base);
    wait(l);
    let i32 = l.e.types.i32;
    local::load_registers(l, &bins.load, buffer, i32)
}

/// Adds to a bin, where the mask holds.
fn add<'c>(
    l: &mut Lowering<'c>,
    base: Val<'c>,
    bin: Val<'c>,
    count: Val<'c>,
    mask: Option<Val<'c>>,
) {
    let i32 = l.e.types.i32;
    let pointer = l.e.gep(base, i32, bin);
    let (accesses, cache) = (Accesses::scalar(i32), CachePolicy::default());
    let access = AtomicAccess {
        at: accesses.global(pointer, mask, &cache, false),
        memory: AtomicMemory::Shared,
        sem: MemSemantic::Relaxed,
        scope: MemSyncScope::Cta,
        is_used: false,
    };
    let action = AtomicAction::Change(RMWOp::Add, count);
    l.gpu.atomic(&mut l.e, &access, action);
}

/// The bits of a lane's bins that its number says.
fn own_bin<'c>(l: &mut Lowering<'c>, voting: &Voting) -> Val<'c> {
    let lane = l.gpu.lane(&mut l.e);
    let mut bin = l.e.i32(0);
    for (i, place) in (0u32..).zip(&voting.places) {
        if let BinBit::Lane(bit) = place {
            let shifted = if *bit < i {
                l.e.shl(lane, i - bit)
            } else {
                l.e.lshr(lane, bit - i)
            };
            let mask = l.e.i32(1 << i);
            let own = l.e.and(shifted, mask);
            bin = l.e.or_disjoint(bin, own);
        }
    }
    bin
}

/// How many elements of the warp are in each of the bins that the lane owns.
fn vote<'c>(
    l: &mut Lowering<'c>,
    plan: &HistogramPlan,
    voting: &Voting,
    elements: &Elements<'c>,
) -> Vec<Val<'c>> {
    let lanes = l.gpu.target.lanes;
    let word = l.e.int_type(lanes);
    // All bits where the lane's own bit is clear: what is taken out of the votes to find who agrees.
    let lane = l.gpu.lane(&mut l.e);
    let turns: Vec<Option<Val<'c>>> = voting
        .places
        .iter()
        .map(|place| match place {
            BinBit::Lane(bit) => {
                let own = l.e.i32(1 << bit);
                let own = l.e.and(lane, own);
                let is_clear = l.e.is_zero(own);
                Some(l.e.sext(is_clear, word))
            }
            BinBit::Register(_) => None,
        })
        .collect();
    let owners = (0..lanes).filter(|lane| lane & plan.copies().lanes == 0);
    let owners = owners.fold(0u64, |mask, lane| mask | 1 << lane);
    let everybody = u64::MAX >> (64 - lanes);
    let mut counts: Vec<Option<Val<'c>>> = vec![None; 1 << voting.counts_log2()];
    for (bin, is_counted) in elements.iter() {
        let owners_mask = l.e.constant(word, owners.cast_signed());
        let mut who = match is_counted {
            Some(is_counted) => {
                let voters = l.gpu.ballot(&mut l.e, *is_counted);
                if owners == everybody {
                    voters
                } else {
                    l.e.and(voters, owners_mask)
                }
            }
            None => owners_mask,
        };
        let mut of_registers = Vec::new();
        for (i, turn) in (0u32..).zip(&turns) {
            let bit = l.e.i32(1 << i);
            let bit = l.e.and(*bin, bit);
            let is_set = l.e.is_nonzero(bit);
            let votes = l.gpu.ballot(&mut l.e, is_set);
            match turn {
                Some(turn) => {
                    let agree = l.e.xor(votes, *turn);
                    who = l.e.and(who, agree);
                }
                None => of_registers.push(votes),
            }
        }
        let mut parts = vec![who];
        for votes in of_registers {
            let all = l.e.constant(word, -1);
            let others = l.e.xor(votes, all);
            let clear: Vec<Val<'c>> = parts.iter().map(|p| l.e.and(*p, others)).collect();
            let set: Vec<Val<'c>> = parts.iter().map(|p| l.e.and(*p, votes)).collect();
            parts = [clear, set].concat();
        }
        for (count, part) in counts.iter_mut().zip(parts) {
            let found = l.e.pure(llvm::intr_ctpop(part));
            let found = if lanes > 32 {
                let i32 = l.e.types.i32;
                l.e.trunc(found, i32)
            } else {
                found
            };
            *count = Some(match *count {
                Some(count) => l.e.add(count, found),
                None => found,
            });
        }
    }
    let none = l.e.i32(0);
    counts
        .into_iter()
        .map(|count| count.unwrap_or(none))
        .collect()
}
