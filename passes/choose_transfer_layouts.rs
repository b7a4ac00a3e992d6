//! `choose-transfer-layouts`: chooses the layouts of tensors that threads write to buffers in which other elements are adjacent.
//!
//! ```text
//! x = read A; B = buffer of x        x = read A in layout T; B = buffer of x
//! y = load p; B = buffer of y   ->   y = load p; z = convert y to T; B = buffer of z
//! ```
//! An operand of `wgmma` that is transposed is such a buffer: a write in the layout of a load from global memory has bank
//! conflicts. Layout T, which `plan_transfer` returns, has few.

use super::Pass;
use super::context::PassContext;
use super::respell::attribute;
use super::rewrite_layouts::functions;
use super::table::ChooseTransferLayoutsOptions;
use crate::analysis::assignment::{
    Role, plan_buffer_access, plan_buffer_transfer, plan_converted_write,
};
use crate::ir::ops::ttg;
use crate::ir::{OpView, TensorLayout, TensorType, builders, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported, operation_id};
use linear_layout::encoding::{Encoding, LinearEncoding};
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::{PlanOptions, plan_conversion};
use linear_layout::target::{Access, Target};
use melior::ir::{Type, ValueLike};
use std::sync::Arc;

impl Pass for ChooseTransferLayoutsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        for function in functions(context.module()) {
            for write in build::in_order(function).into_iter().filter_map(Write::of) {
                // MLIR has reported why it rejects an operation.
                let _ = write.change_layout(context);
            }
        }
        Ok(Vec::new())
    }
}

/// A write of a tensor to a buffer.
struct Write<'c> {
    op: Op<'c>,
    tensor: Val<'c>,
    buffer: Type<'c>,
}

/// The layout of the written tensor.
struct Old<'c> {
    tensor: TensorType<'c>,
    layout: Arc<TensorLayout>,
    warps_log2: u32,
}

/// Another layout, and the cost of getting the tensor in it, in quarters of a cycle. The cost is negative if a read costs less
/// than in the old layout.
struct New {
    layout: LinearLayout,
    cost: i64,
}

impl<'c> Write<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let (tensor, buffer) = match OpView::of(op)? {
            OpView::TtgLocalAlloc(alloc) => (alloc.src()?, alloc.result()),
            OpView::TtgLocalStore(store) => (store.src(), store.dst()),
            _ => return None,
        };
        let buffer = buffer.r#type();
        Some(Self { op, tensor, buffer })
    }

    /// Writes the tensor in another layout, if this costs less. Returns `None` if not, or if MLIR rejects an operation.
    fn change_layout(&self, context: &PassContext<'c>) -> Option<()> {
        let (layouts, target) = (context.layouts(), context.default_gpu());
        let tensor = TensorType::of(self.tensor.r#type())?;
        let layout = layouts.tensor(&tensor).ok()?;
        if layout.full.in_bits(Dim::BLOCK) > 0 {
            return None;
        }
        let warps_log2 = u32::try_from(layout.full.in_bits(Dim::WARP)).ok()?;
        let old = Old {
            tensor,
            layout,
            warps_log2,
        };
        let read = sys::defining_operation(self.tensor).and_then(ttg::LocalLoad::of);
        let new = match read {
            Some(read) => self.copied(&old, read, target),
            None => self.converted(context, &old),
        }?;
        let write = |layout: &LinearLayout| cost(layout, self.buffer, Access::Store, target);
        if new.cost + write(&new.layout)? >= write(&old.layout.unique)? {
            return None;
        }
        let encoding = Encoding::from(LinearEncoding::new(new.layout).ok()?);
        let type_ = tensor.with_encoding(attribute(self.op, &encoding)?);
        let rewriter = context.rewriter();
        let value = match read {
            Some(read) => builders::ttg::local_load(read.src(), read.token(), type_)
                .before(rewriter, latest_place(read.op(), self.op))?,
            None => builders::ttg::convert_layout(self.tensor, type_).before(rewriter, self.op)?,
        };
        rewriter.set_operand(self.op, 0, value);
        if let Some(read) = read.filter(|read| sys::is_unused(read.result())) {
            rewriter.erase(read.op());
        }
        Some(())
    }

    /// Returns a layout for the copy of a buffer that `read` reads. `read` stays for its other users.
    fn copied(&self, old: &Old<'c>, read: ttg::LocalLoad<'c, 'c>, target: &Target) -> Option<New> {
        let from = read.src().r#type();
        let layout = plan_buffer_transfer([from, self.buffer], old.warps_log2, target)?;
        let read_cost = |layout: &LinearLayout| cost(layout, from, Access::Load, target);
        let saved = match sys::uses(read.result()).len() {
            1 => read_cost(&old.layout.unique)?,
            _ => 0,
        };
        let cost = read_cost(&layout)? - saved;
        Some(New { layout, cost })
    }

    /// Returns a layout to which the tensor is converted before the write.
    fn converted(&self, context: &PassContext<'c>, old: &Old<'c>) -> Option<New> {
        let target = context.default_gpu();
        let bits = element_bits(old.tensor.element)?;
        let encoding = context.layouts().encoding(old.tensor.encoding?).ok()?;
        let layout = plan_converted_write((&encoding, bits), self.buffer, old.warps_log2, target)?;
        let options = PlanOptions::new();
        let plan = plan_conversion(&old.layout.full, &layout, bits, target, &options).ok()?;
        let cost = plan.program().cost().total().into();
        Some(New { layout, cost })
    }
}

/// Returns the cost, in quarters of a cycle, of an access to a buffer of type `buffer`.
fn cost(layout: &LinearLayout, buffer: Type<'_>, access: Access, target: &Target) -> Option<i64> {
    let plan = plan_buffer_access(layout, buffer, access, target)?;
    Some(plan.cost(target).total().into())
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
