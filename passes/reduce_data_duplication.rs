//! `reduce-data-duplication`: moves operands of products through shared-memory buffers.
//!
//! A conversion to an operand layout replicates elements over many threads. A buffer stores each element once, and a
//! later pass can fill it in advance. The buffer is read at the first use, or in front of a loop. Loops that would then
//! spill registers read it in each iteration. The pass takes the cheapest swizzle to fill and read.
//!
//! With the option `only-cheaper`, several conversions of one tensor also read one buffer, see [`share_stores`].
//!
//! # Source
//! Triton's `tritongpu-reduce-data-duplication`, which replaces every such conversion between warps, with a swizzle
//! from a table.

use super::Pass;
use super::block_copies::buffers_of;
use super::context::PassContext;
use super::pipeline_loops::{bytes_of, copies_to_any_address};
use super::proof::Claim;
use super::respell::attribute;
use super::rewrite_layouts::{first_use, holder, same};
use super::table::ReduceDataDuplicationOptions;
use crate::analysis::assignment::{WIDEST_BITS, plan_buffer_access};
use crate::analysis::pressure::{self, is_loop};
use crate::ir::ops::ttg::{ConvertLayout, LocalAlloc};
use crate::ir::ops::{scf, tt};
use crate::ir::{TensorLayout, TensorType, builders, element_bits, memdesc};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, FollowUp, Reported, Rewriter};
use linear_layout::encoding::{Encoding, SwizzledSharedEncoding};
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::{Cost, PlanKind, PlanOptions, plan_conversion};
use linear_layout::target::{Access, Target};
use melior::ir::{Type, ValueLike};
use std::sync::Arc;

/// Maximum size of an operand, in 32-bit words per thread, for which the option `only-cheaper` compares costs.
/// Larger operands go through a buffer regardless of the cost.
const MOST_WORDS: u64 = 16;
/// Number of shared buffers for which the GPU must have enough shared memory. A buffer of several conversions occupies
/// shared memory until the last of them, while the scratch memory of a conversion is free after it.
const LEAST_BUFFERS: u64 = 8;
/// Maximum number of phases of a swizzle, and maximum number of rows per phase.
const MOST: u32 = 16;

impl Pass for ReduceDataDuplicationOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        context
            .rewriter()
            .each(build::in_order(context.module()), |op| {
                if let Some(cvt) = ConvertLayout::of(op) {
                    let _ = through_buffer(context, cvt, self.only_cheaper);
                }
            });
        if self.only_cheaper {
            share_stores(context);
        }
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Values)
    }
}

fn through_buffer<'c>(
    context: &PassContext<'c>,
    cvt: ConvertLayout<'c, 'c>,
    only_cheaper: bool,
) -> Option<()> {
    let (op, rewriter, layouts) = (cvt.op(), context.rewriter(), context.layouts());
    let (from, to) = (cvt.src().r#type(), cvt.result().r#type());
    let (source, result) = (TensorType::of(from)?, TensorType::of(to)?);
    let [src, dst] = [layouts.tensor(&source).ok()?, layouts.tensor(&result).ok()?];
    if !matches!(*dst.encoding, Encoding::DotOperand(_)) {
        return None;
    }
    let (bits, target) = (element_bits(source.element)?, context.default_gpu());
    let plan = plan_conversion(&src.full, &dst.full, bits, target, &PlanOptions::new()).ok()?;
    let is_prefetchable = is_prefetchable(cvt, target);
    if !matches!(plan.kind(), PlanKind::Shared | PlanKind::Mixed) && !is_prefetchable {
        return None;
    }
    let load_cost = |buffer| access_cost(&dst.unique, buffer, Access::Load, target);
    let through = |buffer| {
        let stored = access_cost(&src.unique, buffer, Access::Store, target)?;
        let loaded = load_cost(buffer)?;
        let both = Cost {
            load_store: stored.load_store + loaded.load_store,
            arithmetic: stored.arithmetic + loaded.arithmetic,
            waiting: waiting(target),
        };
        Some(both.total())
    };
    // A copy instruction fills at most one vector of the swizzle.
    let least_bits = if is_prefetchable { WIDEST_BITS } else { 0 };
    let buffers = buffers(op, &source, &src.encoding, least_bits).into_iter();
    let best = buffers.filter_map(|buffer| Some((through(buffer)?, buffer)));
    let best = best.min_by_key(|(cost, _)| *cost);
    // Another conversion of the same tensor may already have stored it.
    let block = build::block_around(op)?;
    let stored = buffers_of(cvt.src(), block).into_iter();
    let is_before =
        |alloc: &LocalAlloc<'c, 'c>| first_use(&[alloc.op(), op], block) == Some(alloc.op());
    let stored = stored.filter(is_before).filter_map(|alloc| {
        let buffer = alloc.result();
        Some((load_cost(buffer.r#type())?.total(), buffer))
    });
    let stored = stored.min_by_key(|(cost, _)| *cost);
    let (cost, buffer) = best?;
    let stored = stored.filter(|(again, _)| *again <= cost);
    let cost = stored.map_or(cost, |(again, _)| again);
    // Loads from a buffer fill registers on demand; the results of a conversion are all live at once.
    let is_small = pressure::words(layouts, to) <= MOST_WORDS;
    let is_cheaper = cost < plan.program().cost().total();
    if only_cheaper && !is_cheaper && is_small && !is_prefetchable {
        return None;
    }
    let buffer = match stored {
        Some((_, buffer)) => buffer,
        None => builders::ttg::local_alloc(Some(cvt.src()), buffer).before(rewriter, op)?,
    };
    read_instead(context, cvt, buffer)
}

/// Returns the types of buffers that can store a tensor, one for each swizzle whose vectors are at least `least_bits` wide.
/// A buffer without swizzle is always included.
fn buffers<'c>(
    op: Op<'c>,
    tensor: &TensorType<'c>,
    encoding: &Encoding,
    least_bits: u32,
) -> Vec<Type<'c>> {
    let swizzled = || {
        // `ttg.local_alloc` does not support `#ttg.generic_linear`.
        let own = (!encoding.is_generic()).then_some(encoding)?;
        let (order, cga) = (own.order(tensor.shape).ok()?, own.cga_layout().ok()?);
        let bits = element_bits(tensor.element)?;
        let powers = |most: u32| (0..=most.ilog2()).map(|n| 1 << n);
        let swizzles = powers(WIDEST_BITS / bits.clamp(1, WIDEST_BITS)).flat_map(|vec| {
            powers(MOST).flat_map(move |phases| powers(MOST).map(move |rows| (vec, rows, phases)))
        });
        // All swizzles with one phase are the same.
        let swizzles = swizzles.filter(|(vec, rows, phases)| match phases {
            1 => (*vec, *rows) == (1, 1),
            _ => vec * bits >= least_bits,
        });
        let buffer = |(vec, rows, phases)| {
            let swizzle = SwizzledSharedEncoding::new(vec, rows, phases, &order, cga).ok()?;
            let encoding = attribute(op, &Encoding::from(swizzle))?;
            memdesc(tensor.shape, tensor.element, encoding, false)
        };
        Some(swizzles.filter_map(buffer).collect())
    };
    swizzled().unwrap_or_default()
}

/// Replaces conversions of a tensor by loads from one buffer where this is cheaper: the buffer of another operand, or a new
/// one for at least two conversions.
///
/// A conversion alone is often cheaper than a buffer, since its plan can take any swizzle. Two conversions store the tensor
/// twice, and wait for twice as many barriers.
fn share_stores(context: &PassContext<'_>) {
    let ops = build::in_order(context.module());
    context.rewriter().each(ops, |op| {
        if let (Some(cvt), Some(block)) = (ConvertLayout::of(op), build::block_around(op)) {
            let _ = share_store(context, cvt.src(), block);
        }
    });
}

fn share_store<'c>(context: &PassContext<'c>, source: Val<'c>, block: Blk<'c>) -> Option<()> {
    let (rewriter, target) = (context.rewriter(), context.default_gpu());
    let tensor = TensorType::of(source.r#type())?;
    let own = context.layouts().tensor(&tensor).ok()?;
    let bits = element_bits(tensor.element)?;
    let users = sys::uses(source).into_iter().map(|(user, _)| user);
    let users = users.filter(|user| build::is_in(*user, block));
    let conversions = users.filter_map(|user| Converted::of(context, user, (&own, bits)));
    let conversions: Vec<Converted<'c>> = conversions.collect();
    let ops: Vec<Op<'c>> = conversions.iter().map(|one| one.cvt.op()).collect();
    let first = first_use(&ops, block)?;
    let saved = |buffer| -> u32 {
        let each = conversions.iter();
        each.filter_map(|one| one.saved_by(buffer, target)).sum()
    };
    let stored = buffers_of(source, block).into_iter();
    let stored = stored.map(|alloc| (saved(alloc.result().r#type()), alloc));
    let stored = stored.max_by_key(|(saved, _)| *saved);
    let buffer = match stored {
        Some((saved, alloc)) if saved > 0 => {
            if first_use(&[alloc.op(), first], block) == Some(alloc.op()) {
                alloc.result()
            } else {
                let copy = rewriter.copy_before(first, alloc.op());
                rewriter.replace(alloc.op(), &build::results(copy));
                build::only_result(copy)
            }
        }
        _ if conversions.len() < 2 => return None,
        _ => {
            let most = u64::from(target.max_shared_bytes) / LEAST_BUFFERS;
            let buffers = buffers(first, &tensor, &own.encoding, 0).into_iter();
            let buffers = buffers.filter(|buffer| bytes_of(*buffer).is_some_and(|n| n <= most));
            let saved = buffers.filter_map(|buffer| {
                let store = access_cost(&own.unique, buffer, Access::Store, target)?;
                let paid = store.total() + waiting(target);
                Some((saved(buffer).saturating_sub(paid), buffer))
            });
            let best = saved.max_by_key(|(saved, _)| *saved);
            let (_, best) = best.filter(|(saved, _)| *saved > 0)?;
            builders::ttg::local_alloc(Some(source), best).before(rewriter, first)?
        }
    };
    for one in &conversions {
        if one.saved_by(buffer.r#type(), target).is_some() {
            read_instead(context, one.cvt, buffer)?;
        }
    }
    Some(())
}

/// A conversion through shared memory.
struct Converted<'c> {
    cvt: ConvertLayout<'c, 'c>,
    result: Arc<TensorLayout>,
    cost: u32,
}

impl<'c> Converted<'c> {
    /// Returns `None` if `op` is not a conversion through shared memory. `source` is the layout of the converted tensor.
    fn of(
        context: &PassContext<'c>,
        op: Op<'c>,
        (source, bits): (&TensorLayout, u32),
    ) -> Option<Self> {
        let cvt = ConvertLayout::of(op)?;
        let result = TensorType::of(cvt.result().r#type())?;
        let result = context.layouts().tensor(&result).ok()?;
        let (target, options) = (context.default_gpu(), PlanOptions::new());
        let plan = plan_conversion(&source.full, &result.full, bits, target, &options).ok()?;
        let cost = plan.program().cost().total();
        let is_through_memory = matches!(plan.kind(), PlanKind::Shared | PlanKind::Mixed);
        is_through_memory.then_some(Self { cvt, result, cost })
    }

    /// Returns the cost that a load from `buffer` saves. Returns `None` if it saves none.
    fn saved_by(&self, buffer: Type<'c>, target: &Target) -> Option<u32> {
        let load = access_cost(&self.result.unique, buffer, Access::Load, target)?;
        let saved = self.cost.checked_sub(load.total())?;
        (saved > 0).then_some(saved)
    }
}

/// Returns the cost of a load from or store to a buffer, including the permutations of elements in words: a product reads
/// neighbouring elements as one word.
fn access_cost(
    layout: &LinearLayout,
    buffer: Type<'_>,
    access: Access,
    target: &Target,
) -> Option<Cost> {
    let plan = plan_buffer_access(layout, buffer, access, target)?;
    let warps = 1 << layout.in_bits(Dim::WARP);
    let cost = plan.cost(target);
    Some(Cost {
        arithmetic: cost.arithmetic + plan.permutes() * target.costs.select * warps,
        ..cost
    })
}

/// Returns the cost of waiting for a buffer: for the barrier, and for the first load.
fn waiting(target: &Target) -> u32 {
    target.costs.barrier + target.costs.round_trip
}

/// Replaces a conversion by loads from a buffer that holds the converted tensor.
fn read_instead<'c>(
    context: &PassContext<'c>,
    cvt: ConvertLayout<'c, 'c>,
    buffer: Val<'c>,
) -> Option<()> {
    let (rewriter, layouts, target) =
        (context.rewriter(), context.layouts(), context.default_gpu());
    let (op, to) = (cvt.op(), cvt.result().r#type());
    let block = build::block_around(op)?;
    let noted = build::discardable_attributes(op);
    let uses = sys::uses(cvt.result());
    // In a loop without enough registers, the buffer is read in each iteration. With one block per processor, the
    // registers are for global loads in flight, since no other block hides their latency.
    let is_read_within = |looped| {
        pressure::resident_blocks(looped, target) <= 1
            || pressure::exceeds_registers(layouts, looped, target)
    };
    let reads = Reads {
        rewriter,
        is_read_within: &is_read_within,
        load: &|place| {
            let load = builders::ttg::local_load(buffer, None, to);
            load.with_discardable(&noted).before(rewriter, place)
        },
    };
    reads.insert(&uses, block)?;
    rewriter.erase(op);
    Some(())
}

/// The insertion of loads from a buffer, in place of the uses of a value.
struct Reads<'p, 'c> {
    rewriter: Rewriter<'c>,
    /// Returns true if the uses in a loop get a load in the body of the loop.
    is_read_within: &'p dyn Fn(Op<'c>) -> bool,
    /// Inserts a load in front of an operation. Returns `None` if MLIR rejects the load.
    load: &'p dyn Fn(Op<'c>) -> Option<Val<'c>>,
}

impl<'c> Reads<'_, 'c> {
    /// Replaces `uses`, which are in `block`, in nested blocks or in blocks after it, by loads: one in the body of each
    /// loop that reads within, and one in front of the first other use. Operations between the store to the buffer and
    /// a load, such as loads of the other operand, do not wait for the barrier.
    fn insert(&self, uses: &[(Op<'c>, usize)], block: Blk<'c>) -> Option<()> {
        let mut bodies: Vec<(Blk<'c>, Vec<(Op<'c>, usize)>)> = Vec::new();
        let mut others = Vec::new();
        for used in uses {
            let around = holder(used.0, block);
            match around.filter(|(looped, _)| is_loop(*looped) && (self.is_read_within)(*looped)) {
                None => others.push(*used),
                Some((_, body)) => match bodies.iter_mut().find(|(known, _)| same(*known, body)) {
                    Some((_, known)) => known.push(*used),
                    None => bodies.push((body, vec![*used])),
                },
            }
        }
        for (body, uses) in bodies {
            self.insert(&uses, body)?;
        }
        if others.is_empty() {
            return Some(());
        }
        let users: Vec<Op<'c>> = others.iter().map(|(user, _)| *user).collect();
        // The terminator precedes users in other blocks of the region.
        let place = first_use(&users, block).or_else(|| build::operations(block).pop());
        let loaded = (self.load)(place?)?;
        for (user, at) in others {
            self.rewriter.set_operand(user, at, loaded);
        }
        Some(())
    }
}

/// Returns true if the converted operand is loaded in a loop, so that `pipeline-loops` can fill its buffer
/// iterations in advance.
fn is_prefetchable(cvt: ConvertLayout<'_, '_>, target: &Target) -> bool {
    let load = sys::defining_operation(cvt.src()).and_then(tt::Load::of);
    let around = load.and_then(|load| build::parent(load.op()));
    copies_to_any_address(target) && around.and_then(scf::For::of).is_some()
}
