//! `reduce-data-duplication`: moves operands of products through shared-memory buffers.
//!
//! A conversion to an operand layout replicates elements over many threads. A buffer stores each element once, and a
//! later pass can fill it in advance. The buffer is read at the first use, or in front of a loop unless the loop would
//! then spill registers. The pass takes the cheapest swizzle to fill and read.
//!
//! # Source
//! Triton's `tritongpu-reduce-data-duplication`, which replaces every such conversion between warps, with a swizzle
//! from a table.

use super::Pass;
use super::context::PassContext;
use super::pipeline_loops::copies_to_any_address;
use super::proof::Claim;
use super::respell::attribute;
use super::rewrite_layouts::first_use;
use super::table::ReduceDataDuplicationOptions;
use crate::analysis::assignment::plan_buffer_access;
use crate::analysis::pressure::{self, is_loop};
use crate::ir::ops::ttg::ConvertLayout;
use crate::ir::ops::{scf, tt};
use crate::ir::{TensorType, builders, element_bits, memdesc};
use crate::sys::build::{self, Op};
use crate::sys::{self, FollowUp, Reported};
use linear_layout::encoding::{Encoding, SwizzledSharedEncoding};
use linear_layout::layout::Dim;
use linear_layout::plan::{Cost, PlanKind, PlanOptions, plan_conversion};
use linear_layout::target::{Access, Target};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

const WIDEST_BITS: u32 = 128;
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
    let (cost, buffer) = best?;
    // Loads from a buffer fill registers on demand; the results of a conversion are all live at once.
    let is_small = pressure::words(layouts, to) <= MOST_WORDS;
    let is_cheaper = cost < plan.program().cost().total();
    if only_cheaper && !is_cheaper && is_small && !is_prefetchable {
        return None;
    }
    let noted = build::discardable_attributes(op);
    let buffer = builders::ttg::local_alloc(Some(cvt.src()), buffer).before(rewriter, op)?;
    let load = builders::ttg::local_load(buffer, None, to).with_discardable(&noted);
    // Operations between the store and the load, such as loads of the other operand, do not wait for the barrier.
    let uses = sys::uses(cvt.result()).into_iter();
    let users: Vec<Op<'c>> = uses.map(|(user, _)| user).collect();
    let mut place = build::block_around(op).and_then(|block| first_use(&users, block));
    // In a loop without enough registers, the buffer is read in each iteration. With one block per processor, the
    // registers are for global loads in flight, since no other block hides their latency.
    while let Some(looped) = place.filter(|op| is_loop(*op)) {
        let is_alone = pressure::resident_blocks(looped, target) <= 1;
        if !is_alone && !pressure::exceeds_registers(layouts, looped, target) {
            break;
        }
        let mut bodies = (0..looped.region_count()).flat_map(|i| build::blocks(looped, i));
        place = bodies.find_map(|body| first_use(&users, body));
    }
    let load = load.before(rewriter, place.unwrap_or(op))?;
    rewriter.replace(op, &[load]);
    Some(())
}

/// Returns true if the converted operand is loaded in a loop, so that `pipeline-loops` can fill its buffer
/// iterations in advance.
fn is_prefetchable(cvt: ConvertLayout<'_, '_>, target: &Target) -> bool {
    let load = sys::defining_operation(cvt.src()).and_then(tt::Load::of);
    let around = load.and_then(|load| build::parent(load.op()));
    copies_to_any_address(target) && around.and_then(scf::For::of).is_some()
}
