//! `order-reshapes`: reshapes that may permute elements keep them in order.
//!
//! ```text
//! %y = tt.reshape %x allow_reorder : #a -> #b      becomes      %z = tt.reshape %x : #a -> #c
//!                                                               %y = ttg.convert_layout %z : #c -> #b
//! ```
//! With a permitted permutation, the layouts of operand and result do not determine each other, and neither can change.
//! In order they do, and `remove-layout-conversions` finds a layout without the conversion: a sum of all elements takes
//! any.
//!
//! # Source
//! Triton's `tritongpu-optimize-thread-locality`, which chooses the layout of such a reshape in front of a reduction.

use super::Pass;
use super::context::PassContext;
use super::respell::attribute;
use super::table::OrderReshapesOptions;
use crate::ir::infer::default_result_encoding;
use crate::ir::ops::tt;
use crate::ir::{TensorType, builders};
use crate::sys::build::{self, Op};
use crate::sys::{FollowUp, Reported};
use melior::ir::ValueLike;

impl Pass for OrderReshapesOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        for op in build::in_order(context.module()) {
            let _ = order(context, op);
        }
        Ok(Vec::new())
    }
}

fn order<'c>(context: &PassContext<'c>, op: Op<'c>) -> Option<()> {
    let (rewriter, layouts) = (context.rewriter(), context.layouts());
    let reshape = tt::Reshape::of(op)?;
    if !reshape.allow_reorder() || reshape.efficient_layout() {
        return None;
    }
    let operand = TensorType::of(reshape.src().r#type())?;
    let result = TensorType::of(reshape.result().r#type())?;
    let encoding = layouts.of_tensor(&operand).ok()?;
    let ordered = default_result_encoding(op, 0, &encoding).ok()?;
    let ordered = result.with_encoding(attribute(op, &ordered)?);
    let ordered = builders::tt::reshape(reshape.src(), ordered)
        .with_discardable(&build::discardable_attributes(op))
        .before(rewriter, op)?;
    let converted =
        builders::ttg::convert_layout(ordered, reshape.result().r#type()).before(rewriter, op)?;
    rewriter.replace(op, &[converted]);
    Some(())
}
