//! `optimize-thread-locality`: avoids data exchange between threads or warps.
//!
//! - A reshape with `allow_reorder` gets a layout that keeps a reduction within threads.
//! - A gather gets a layout with whole rows per warp, if the plan costs less.
//! - A loop-carried accumulation of reductions becomes an accumulation per thread, with one reduction after the loop:
//!   `accumulate`.
//!
//! # Source
//! Triton's `tritongpu-optimize-thread-locality`, which accumulates only loaded floats in blocked layouts, and
//! changes the layout of every gather.

mod accumulate;

use super::Pass;
use super::context::PassContext;
use super::respell::attribute;
use super::table::OptimizeThreadLocalityOptions;
use crate::ir::ops::tt;
use crate::ir::{ModuleInfo, TensorType, builders, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use linear_layout::encoding::{BlockedEncoding, Encoding};
use linear_layout::layout::Dim;
use linear_layout::plan::gather::{Gather, plan_gather};
use melior::ir::{Attribute, Type, ValueLike};

impl Pass for OptimizeThreadLocalityOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let operations = build::in_order(context.module());
        for op in &operations {
            reshape(context, *op);
        }
        for op in &operations {
            gather(context, *op);
        }
        for op in operations {
            accumulate::accumulate(context.rewriter(), context.layouts(), op);
        }
        Ok(Vec::new())
    }
}

/// Returns the number of warps that execute `op`, and the number of lanes per warp.
fn threads(op: Op<'_>) -> Option<(u32, u32)> {
    let info = ModuleInfo::around(op).ok()?;
    let warps = u32::try_from(info.num_warps).ok()?;
    Some((warps, u32::try_from(info.threads_per_warp).ok()?))
}

/// Sets the unit attribute `key` on `op`. With this attribute, later passes keep the layouts of `op`.
fn keep<'c>(context: &PassContext<'c>, op: Op<'c>, key: &str) {
    let unit = Attribute::unit(build::context(op));
    context.rewriter().set_attribute(op, key, unit);
}

/// Changes the type of `value` to `type_`, and inserts a conversion back to the old type for the users.
fn retype<'c>(context: &PassContext<'c>, value: Val<'c>, type_: Type<'c>) -> Option<()> {
    let rewriter = context.rewriter();
    let (old, users) = (value.r#type(), sys::uses(value));
    let place = build::next(sys::defining_operation(value)?)?;
    rewriter.set_type(value, type_);
    let back = builders::ttg::convert_layout(value, old).before(rewriter, place)?;
    for (user, at) in users {
        rewriter.set_operand(user, at, back);
    }
    Some(())
}

/// If `op` is a reshape with `allow_reorder` whose result is reduced, changes the layout of the result so that each
/// thread reduces whole rows.
fn reshape<'c>(context: &PassContext<'c>, op: Op<'c>) -> Option<()> {
    let view = tt::Reshape::of(op).filter(|view| view.allow_reorder())?;
    let result = build::only_result(op);
    let users = sys::uses(result).into_iter();
    let mut axes = users.filter_map(|(user, _)| tt::Reduce::of(user).map(tt::Reduce::axis));
    let axis = axes.next()?;
    if axes.any(|other| other != axis) {
        return None;
    }
    let axis = usize::try_from(axis).ok()?;
    let tensor = TensorType::of(result.r#type())?;
    let layout = context.layouts().tensor(&tensor).ok()?;
    let moves = |dim| {
        let bits = 0..layout.full.in_bits(dim);
        bits.map(|bit| layout.full.basis_component(dim, bit, Dim::out(axis)))
            .any(|at| at != 0)
    };
    if ![Dim::LANE, Dim::WARP, Dim::BLOCK].into_iter().any(moves) {
        return None;
    }
    let mut order: Vec<u32> = layout.encoding.order(tensor.shape).ok()?.to_vec();
    let last = u32::try_from(axis).ok()?;
    order.retain(|dim| *dim != last);
    order.push(last);
    let (warps, lanes) = threads(op)?;
    let ones = vec![1; order.len()];
    let cga = layout.encoding.cga_layout().ok()?;
    let blocked = BlockedEncoding::for_shape(tensor.shape, &ones, &order, warps, lanes, cga);
    let encoding = attribute(op, &Encoding::from(blocked.ok()?))?;
    let type_ = tensor.with_encoding(encoding);
    let registers = |type_| {
        let layout = context.layouts().tensor(&TensorType::of(type_)?).ok()?;
        Some(layout.full.in_bits(Dim::REGISTER))
    };
    // With more registers than the operand, elements would have to move.
    if type_ == result.r#type() || registers(type_)? != registers(view.src().r#type())? {
        return None;
    }
    retype(context, result, type_)?;
    keep(context, op, tt::Reshape::EFFICIENT_LAYOUT_KEY);
    Some(())
}

/// Changes the layouts of a gather so that each warp holds whole rows along the gather axis. Does nothing if the
/// new layouts are not cheaper.
fn gather<'c>(context: &PassContext<'c>, op: Op<'c>) -> Option<()> {
    let view = tt::Gather::of(op).filter(|view| !view.efficient_layout())?;
    let axis = usize::try_from(view.axis()).ok()?;
    let (src, indices) = (view.src(), view.indices());
    let (from, at) = (
        TensorType::of(src.r#type())?,
        TensorType::of(indices.r#type())?,
    );
    if from.shape.len() < 2 {
        return None;
    }
    let encoding = attribute(op, &warp_local(context, op, (&from, &at), axis)?)?;
    let [new_src, new_indices] = [&from, &at].map(|tensor| tensor.with_encoding(encoding));
    let bits = element_bits(from.element)?;
    let target = context.default_gpu();
    let layout = |type_| context.layouts().tensor(&TensorType::of(type_)?).ok();
    let cost = |src, indices| {
        let (src, indices) = (layout(src)?, layout(indices)?);
        let gather = Gather {
            src: &src.unique,
            indices: &indices.unique,
            axis,
            bits,
            target,
        };
        Some(plan_gather(&gather).ok()?.program().cost().total())
    };
    let now = cost(src.r#type(), indices.r#type());
    let new = cost(new_src, new_indices)?;
    if now.is_some_and(|now| now <= new) {
        return None;
    }
    let rewriter = context.rewriter();
    let result = build::only_result(op);
    let type_ = TensorType::of(result.r#type())?.with_encoding(encoding);
    for (operand, type_) in [(view.src_at(), new_src), (view.indices_at(), new_indices)] {
        for i in operand {
            let converted = builders::ttg::convert_layout(build::operand(op, i), type_);
            let converted = converted.before(rewriter, op)?;
            rewriter.set_operand(op, i, converted);
        }
    }
    retype(context, result, type_)?;
    keep(context, op, tt::Gather::EFFICIENT_LAYOUT_KEY);
    Some(())
}

/// Returns a blocked layout in which each warp holds whole rows of `src` and `indices` along `axis`. The lanes of a
/// warp are distributed along `axis` first, so that each thread holds as few elements of a row as possible.
fn warp_local<'c>(
    context: &PassContext<'c>,
    op: Op<'c>,
    (src, indices): (&TensorType<'c>, &TensorType<'c>),
    axis: usize,
) -> Option<Encoding> {
    let layout = context.layouts().tensor(src).ok()?;
    let (warps, lanes) = threads(op)?;
    let size = |dim: usize| u32::try_from(src.shape[dim]).unwrap_or(u32::MAX);
    let rank = src.shape.len();
    let (mut lanes_left, mut warps_left) = (lanes, warps);
    let mut order = vec![u32::try_from(axis).ok()?];
    let mut lanes_per = vec![1; rank];
    let mut warps_per = vec![1; rank];
    lanes_per[axis] = size(axis).min(lanes_left);
    lanes_left /= lanes_per[axis];
    for dim in layout.encoding.order(src.shape).ok()?.iter().copied() {
        let at = dim as usize;
        if at == axis {
            continue;
        }
        order.push(dim);
        lanes_per[at] = size(at).min(lanes_left);
        lanes_left /= lanes_per[at];
        warps_per[at] = (size(at) / lanes_per[at]).clamp(1, warps_left);
        warps_left /= warps_per[at];
    }
    let widest = src.shape[axis].max(indices.shape[axis]);
    let mut sizes = vec![1; rank];
    sizes[axis] = u32::try_from(widest).ok()?.div_ceil(lanes_per[axis]);
    // Remaining threads hold replicas along the axis.
    lanes_per[axis] *= lanes_left;
    warps_per[axis] *= warps_left;
    let cga = layout.encoding.cga_layout().ok()?;
    let blocked = BlockedEncoding::new(&sizes, &lanes_per, &warps_per, &order, cga);
    Some(Encoding::from(blocked.ok()?))
}
