//! `reorder-broadcast`: sinks splats and broadcasts below elementwise operations.
//!
//! ```text
//! splat a + splat b                       splat (a + b)
//! exp (broadcast x)                       broadcast (exp x)
//! broadcast x * splat a                   broadcast (x * splat a)
//! ```
//! A thread then computes on the registers of a row instead of a tile.
//!
//! # Source
//! Triton's `triton-reorder-broadcast`, which also folds views; in this project, canonicalisation patterns do that.

use super::Pass;
use super::context::PassContext;
use super::table::ReorderBroadcastOptions;
use crate::analysis::assignment::Role;
use crate::ir::ops::{arith, tt};
use crate::ir::{AnyKind, OpKind, TensorType, builders};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported, Rewriter};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Type, ValueLike};

impl Pass for ReorderBroadcastOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let rewriter = context.rewriter();
        // Definitions before uses.
        for op in build::in_order(context.module()) {
            if is_movable(op) && below_broadcast(rewriter, op).is_none() {
                above_splats(rewriter, op);
            }
        }
        Ok(Vec::new())
    }
}

fn is_movable(op: Op<'_>) -> bool {
    let is_known = match AnyKind::of(op) {
        AnyKind::Upstream(kind) => kind.is_elementwise(),
        AnyKind::Own(kind) => matches!(
            kind,
            OpKind::TtAddPtr | OpKind::TtFpToFp | OpKind::TtBitcast
        ),
        AnyKind::Other => false,
    };
    let is_tensor = |value: Val<'_>| TensorType::of(value.r#type()).is_some();
    is_known
        && Role::of(op) == Role::Elementwise
        && op.result_count() == 1
        && op.operand_count() > 0
        && build::operands(op)
            .into_iter()
            .chain(build::results(op))
            .all(is_tensor)
}

#[derive(Clone, Copy)]
enum SplatElement<'c> {
    Value(Val<'c>),
    Constant(Attribute<'c>),
}

fn everywhere<'c>(value: Val<'c>) -> Option<SplatElement<'c>> {
    let op = sys::defining_operation(value)?;
    if let Some(splat) = tt::Splat::of(op) {
        return Some(SplatElement::Value(splat.src()));
    }
    let constant = arith::Constant::of(op)?;
    build::splat_value(constant.value()).map(SplatElement::Constant)
}

/// Replaces an operation whose operands are splats. The new operation computes a scalar, which is then splatted.
fn above_splats<'c>(rewriter: Rewriter<'c>, op: Op<'c>) -> Option<()> {
    let operands = build::operands(op);
    let elements: Option<Vec<_>> = operands.iter().map(|value| everywhere(*value)).collect();
    let elements = elements?;
    // Folding handles operations on constants.
    if elements
        .iter()
        .all(|element| matches!(element, SplatElement::Constant(_)))
    {
        return None;
    }
    let result = build::only_result(op);
    let type_ = TensorType::of(result.r#type())?;
    let mut scalars = Vec::new();
    for (element, operand) in elements.into_iter().zip(&operands) {
        let element_type = TensorType::of(operand.r#type())?.element;
        scalars.push(match element {
            SplatElement::Value(value) => value,
            SplatElement::Constant(value) => {
                builders::arith::constant(value, element_type).before(rewriter, op)?
            }
        });
    }
    let once = rewriter.copy_before(op, op);
    for (i, scalar) in scalars.into_iter().enumerate() {
        rewriter.set_operand(once, i, scalar);
    }
    rewriter.set_result_type(once, 0, type_.element);
    let whole = builders::tt::splat(build::only_result(once), result.r#type());
    let whole = whole.before(rewriter, op)?;
    rewriter.replace(op, &[whole]);
    Some(())
}

/// Applies an operation to the sources of its broadcast operands, and broadcasts the result.
///
/// The remaining operands must be splats, and all sources must have the same shape and encoding.
fn below_broadcast<'c>(rewriter: Rewriter<'c>, op: Op<'c>) -> Option<()> {
    let operands = build::operands(op);
    let source = |value: Val<'c>| Some(tt::Broadcast::of(sys::defining_operation(value)?)?.src());
    let first = operands.iter().find_map(|value| source(*value))?;
    let small = TensorType::of(first.r#type())?;
    let alike = |value: Val<'c>| {
        let tensor = TensorType::of(value.r#type());
        tensor
            .is_some_and(|tensor| (tensor.shape, tensor.encoding) == (small.shape, small.encoding))
    };
    let is_ready = operands.iter().all(|value| match source(*value) {
        Some(source) => alike(source),
        None => everywhere(*value).is_some(),
    });
    if !is_ready {
        return None;
    }
    let of = |element: Type<'c>| -> Type<'c> {
        RankedTensorType::new(small.shape, element, small.encoding).into()
    };
    let mut sources = Vec::new();
    for operand in operands {
        let type_ = of(TensorType::of(operand.r#type())?.element);
        sources.push(match (source(operand), everywhere(operand)) {
            (Some(source), _) => source,
            (None, Some(SplatElement::Value(value))) => {
                builders::tt::splat(value, type_).before(rewriter, op)?
            }
            (None, Some(SplatElement::Constant(value))) => {
                let value = build::splat(type_, value);
                builders::arith::constant(value, type_).before(rewriter, op)?
            }
            (None, None) => return None,
        });
    }
    let result = build::only_result(op);
    let before = rewriter.copy_before(op, op);
    for (i, source) in sources.into_iter().enumerate() {
        rewriter.set_operand(before, i, source);
    }
    rewriter.set_result_type(before, 0, of(TensorType::of(result.r#type())?.element));
    let few = build::only_result(before);
    let whole = builders::tt::broadcast(few, result.r#type()).before(rewriter, op)?;
    rewriter.replace(op, &[whole]);
    Some(())
}
