//! `choose-transfer-layouts`: chooses the layouts of tensors that threads copy from one buffer to another.
//!
//! ```text
//! x = read A; B = buffer of x        the layout of x is only that of the copy
//! ```
//! If other elements are adjacent in B than in A, as in a transposed operand of `wgmma`, every layout of a load from global
//! memory has bank conflicts in one of the buffers; the layout of `plan_transfer` has few.

use super::Pass;
use super::context::PassContext;
use super::respell::attribute;
use super::rewrite_layouts::functions;
use super::table::ChooseTransferLayoutsOptions;
use crate::analysis::assignment::{Role, plan_buffer_access, plan_buffer_transfer};
use crate::ir::ops::ttg;
use crate::ir::{OpView, TensorType, builders};
use crate::sys::build::{self, Op};
use crate::sys::{self, FollowUp, Reported, operation_id};
use linear_layout::encoding::{Encoding, LinearEncoding};
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::target::Access;
use melior::ir::{Type, ValueLike};

impl Pass for ChooseTransferLayoutsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        for function in functions(context.module()) {
            let ops = build::in_order(function).into_iter();
            for read in ops.filter_map(ttg::LocalLoad::of).collect::<Vec<_>>() {
                // MLIR has reported why it rejects an operation.
                let _ = split(context, read);
            }
        }
        Ok(Vec::new())
    }
}

/// Gives each copy of `read` to another buffer a read of its own, if this costs less. Returns `None` if MLIR rejects an
/// operation.
fn split<'c>(context: &PassContext<'c>, read: ttg::LocalLoad<'c, 'c>) -> Option<()> {
    let rewriter = context.rewriter();
    let users = sys::uses(read.result());
    let is_only = users.len() == 1;
    for (user, operand) in users {
        if let Some(type_) = transfer_type(context, read, (user, operand), is_only) {
            let own = builders::ttg::local_load(read.src(), read.token(), type_);
            let place = latest_place(read.op(), user);
            rewriter.set_operand(user, operand, own.before(rewriter, place)?);
        }
    }
    if sys::is_unused(read.result()) {
        rewriter.erase(read.op());
    }
    Some(())
}

/// Returns `user` if the buffer that `read` reads is unchanged until then, so that fewer tensors are live at once. Otherwise
/// returns `read`.
fn latest_place<'c>(read: Op<'c>, user: Op<'c>) -> Op<'c> {
    let Some(block) = build::block_around(read).filter(|block| build::is_in(user, *block)) else {
        return read;
    };
    let is = |a: Op<'c>, b: Op<'c>| operation_id(a) == operation_id(b);
    let ops = build::operations(block).into_iter();
    let mut between = ops
        .skip_while(|op| !is(*op, read))
        .take_while(|op| !is(*op, user));
    let leaves_buffers = |op: Op<'c>| {
        // A new buffer is none that is already read.
        let accesses = matches!(
            OpView::of(op),
            Some(OpView::TtgLocalLoad(_) | OpView::TtgLocalAlloc(_) | OpView::TtgMemDescTrans(_))
        );
        accesses || Role::of(op).is_pure()
    };
    match between.all(leaves_buffers) {
        true => user,
        false => read,
    }
}

/// Returns the type of a tensor that costs less to read and to write to the buffer of `user` than the result of `read`. If
/// `is_only` is false, `read` stays for its other users. Returns `None` if there is no such type, or if `user` does not copy the
/// tensor to a buffer.
fn transfer_type<'c>(
    context: &PassContext<'c>,
    read: ttg::LocalLoad<'c, 'c>,
    (user, operand): (Op<'c>, usize),
    is_only: bool,
) -> Option<Type<'c>> {
    let to = match OpView::of(user)? {
        OpView::TtgLocalAlloc(alloc) => alloc.result(),
        OpView::TtgLocalStore(store) if operand == 0 => store.dst(),
        _ => return None,
    };
    let (layouts, target) = (context.layouts(), context.default_gpu());
    let [from, to] = [read.src(), to].map(|buffer| buffer.r#type());
    let tensor = TensorType::of(read.result().r#type())?;
    let old = layouts.tensor(&tensor).ok()?;
    if old.full.in_bits(Dim::BLOCK) > 0 {
        return None;
    }
    let warps_log2 = u32::try_from(old.full.in_bits(Dim::WARP)).ok()?;
    let new = plan_buffer_transfer([from, to], warps_log2, target)?;
    let cost = |layout: &LinearLayout, buffer, access| {
        let plan = plan_buffer_access(layout, buffer, access, target)?;
        Some(plan.cost(target).total())
    };
    let read_cost = |layout: &LinearLayout| cost(layout, from, Access::Load);
    let write_cost = |layout: &LinearLayout| cost(layout, to, Access::Store);
    let saved = if is_only { read_cost(&old.unique)? } else { 0 };
    if read_cost(&new)? + write_cost(&new)? >= saved + write_cost(&old.unique)? {
        return None;
    }
    let encoding = Encoding::from(LinearEncoding::new(new).ok()?);
    Some(tensor.with_encoding(attribute(user, &encoding)?))
}
