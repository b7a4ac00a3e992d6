//! `reduce-data-duplication`: moves operands of products through shared-memory buffers.
//!
//! A conversion to an operand layout replicates elements over many threads. A buffer stores each element once, and a
//! later pass can fill it in advance. The buffer is read at the first use, or in front of a loop. Loops that would then
//! spill registers read it in each iteration. The pass takes the cheapest swizzle to fill and read.
//!
//! # Source
//! Triton's `tritongpu-reduce-data-duplication`, which replaces every such conversion between warps, with a swizzle
//! from a table.

use super::Pass;
use super::block_copies::buffers_of;
use super::context::PassContext;
use super::pipeline_loops::copies_to_any_address;
use super::proof::Claim;
use super::respell::attribute;
use super::rewrite_layouts::{first_use, holder, same};
use super::table::ReduceDataDuplicationOptions;
use crate::analysis::assignment::{WIDEST_BITS, plan_buffer_access};
use crate::analysis::pressure::{self, is_loop};
use crate::ir::ops::ttg::{ConvertLayout, LocalAlloc};
use crate::ir::ops::{scf, tt};
use crate::ir::{TensorType, builders, element_bits, memdesc};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, FollowUp, Reported, Rewriter};
use linear_layout::encoding::{Encoding, SwizzledSharedEncoding};
use linear_layout::layout::Dim;
use linear_layout::plan::{Cost, PlanKind, PlanOptions, plan_conversion};
use linear_layout::target::{Access, Target};
use melior::ir::{Type, ValueLike};

/// Maximum size of an operand, in 32-bit words per thread, for which the option `only-cheaper` compares costs.
/// Larger operands go through a buffer regardless of the cost.
const MOST_WORDS: u64 = 16;
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
    let own = &src.encoding;
    // `ttg.local_alloc` does not support `#ttg.generic_linear`.
    if own.is_generic() {
        return None;
    }
    let (order, cga) = (own.order(source.shape).ok()?, own.cga_layout().ok()?);
    let powers = |most: u32| (0..=most.ilog2()).map(|n| 1 << n);
    let warps = 1 << src.unique.in_bits(Dim::WARP);
    // Stores, a barrier, loads; a product reads neighbouring elements as one word.
    let through = |buffer| {
        let stored = plan_buffer_access(&src.unique, buffer, Access::Store, target)?;
        let loaded = plan_buffer_access(&dst.unique, buffer, Access::Load, target)?;
        let permutes = (stored.permutes() + loaded.permutes()) * target.costs.select * warps;
        let [stored, loaded] = [stored, loaded].map(|plan| plan.cost(target));
        let both = Cost {
            load_store: stored.load_store + loaded.load_store,
            arithmetic: stored.arithmetic + loaded.arithmetic + permutes,
            waiting: target.costs.barrier + target.costs.round_trip,
        };
        Some(both.total())
    };
    let mut best: Option<(u32, Type<'c>)> = None;
    for vec in powers(WIDEST_BITS / bits.clamp(1, WIDEST_BITS)) {
        for phases in powers(MOST) {
            for per_phase in powers(MOST) {
                // All spellings with one phase are the same.
                if phases == 1 && (vec, per_phase) != (1, 1) {
                    continue;
                }
                // A copy instruction fills at most one vector of the swizzle.
                if is_prefetchable && phases > 1 && vec * bits < WIDEST_BITS {
                    continue;
                }
                let encoding = SwizzledSharedEncoding::new(vec, per_phase, phases, &order, cga);
                let encoding = Encoding::from(encoding.ok()?);
                let encoding = attribute(op, &encoding)?;
                let buffer = memdesc(source.shape, source.element, encoding, false)?;
                let Some(cost) = through(buffer) else {
                    continue;
                };
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, buffer));
                }
            }
        }
    }
    // Another conversion of the same tensor may already have stored it.
    let block = build::block_around(op)?;
    let stored = buffers_of(cvt.src(), block).into_iter();
    let is_before =
        |alloc: &LocalAlloc<'c, 'c>| first_use(&[alloc.op(), op], block) == Some(alloc.op());
    let stored = stored.filter(is_before).filter_map(|alloc| {
        let buffer = alloc.result();
        let loaded = plan_buffer_access(&dst.unique, buffer.r#type(), Access::Load, target)?;
        Some((loaded.cost(target).total(), buffer))
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
    let noted = build::discardable_attributes(op);
    let buffer = match stored {
        Some((_, buffer)) => buffer,
        None => builders::ttg::local_alloc(Some(cvt.src()), buffer).before(rewriter, op)?,
    };
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
