//! What the rules of several operations share: how they are checked, and the checks themselves.

use crate::ir::{Layouts, ModuleInfo, OpKind, TensorLayout, TensorType};
use crate::sys::build::Val;
use crate::sys::{self, Buffer, Diagnostic};
use linear_layout::encoding::Encoding;
use linear_layout::layout::LinearLayout;
use linear_layout::target::Target;
use melior::ir::r#type::TypeLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::sync::Arc;

/// A 32-bit attribute as Triton reads it, which takes a negative number for a large one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the attribute has 32 bits"
)]
pub(super) fn unsigned(number: i64) -> u64 {
    u64::from(number as u32)
}

/// What a verifier gives: every rule that is broken, if any.
pub(super) type Verdict = Result<(), Vec<Diagnostic>>;

/// Stops at a rule that does not hold: labels, what holds, what to say.
macro_rules! ensure {
    ($($label:ident)|+, $holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(vec![broken!($($label)|+, $($message)+)]);
        }
    };
}

/// Notes a rule that does not hold, and goes on: where to, labels, what holds, what to say.
macro_rules! rule {
    ($noted:ident, $($label:ident)|+, $holds:expr, $($message:tt)+) => {
        if !$holds {
            $noted.push(broken!($($label)|+, $($message)+));
        }
    };
}

pub(super) use crate::ir::rules::broken;
pub(super) use {ensure, rule};

/// Gives what has been noted.
pub(super) fn verdict(noted: Vec<Diagnostic>) -> Verdict {
    if noted.is_empty() { Ok(()) } else { Err(noted) }
}

/// A value's type, where it is a tensor.
pub(super) fn tensor<'c>(value: Val<'c>) -> Option<TensorType<'c>> {
    TensorType::of(value.r#type())
}

/// A value's type, where it is a buffer or a descriptor of blocks.
pub(super) fn buffer<'c>(value: Val<'c>) -> Option<Buffer<'c>> {
    sys::buffer(value.r#type())
}

/// The element type of a tensor, or a number's own type.
pub(super) fn element(type_: Type<'_>) -> Type<'_> {
    TensorType::of(type_).map_or(type_, |tensor| tensor.element)
}

/// What a value points to, or each of its elements, and the memory that it points into.
pub(super) fn pointee<'c>(value: Val<'c>) -> Option<(Type<'c>, i32)> {
    sys::pointer(element(value.r#type()))
}

/// The encoding of a buffer, where it has a valid one.
pub(super) fn encoding_of(buffer: &Buffer<'_>) -> Option<Arc<Encoding>> {
    let layouts = Layouts::of(buffer.element.context());
    layouts.encoding(buffer.encoding?).ok()
}

/// How a buffer's encoding is spelled, in a message.
pub(super) fn encoding_name(buffer: &Buffer<'_>) -> String {
    buffer
        .encoding
        .map_or_else(|| "none".to_owned(), |e| e.to_string())
}

/// How the memory that a buffer is in is spelled, in a message.
pub(super) fn memory_name(buffer: &Buffer<'_>) -> String {
    buffer
        .memory_space
        .map_or_else(String::new, |space| space.to_string())
}

/// The layout of a tensor, where it has one that is valid; an invalid one has its own diagnostic.
pub(super) fn layout(tensor: &TensorType<'_>) -> Option<Arc<TensorLayout>> {
    Layouts::of(tensor.type_.context()).tensor(tensor).ok()
}

/// The layouts of two tensors, where both have one.
pub(super) fn layouts(
    a: &TensorType<'_>,
    b: &TensorType<'_>,
) -> Option<(Arc<TensorLayout>, Arc<TensorLayout>)> {
    Some((layout(a)?, layout(b)?))
}

/// An attribute that is an axis, where it is one of `rank` dimensions.
pub(super) fn axis_within(axis: i64, rank: usize) -> Option<usize> {
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// A rank, and which axes there are, as the end of a diagnostic of another axis: `2; expected 0 to 1`.
pub(super) fn axes(rank: usize) -> String {
    match rank.checked_sub(1) {
        Some(last) => format!("{rank}; expected 0 to {last}"),
        None => "0".to_owned(),
    }
}

/// A shape in a message: `16x64`.
pub(super) fn dimensions(shape: &[u64]) -> String {
    shape
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join("x")
}

/// Types in a message: `f32, i32`.
pub(super) fn list(types: &[Type<'_>]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The types of values.
pub(super) fn types<'c>(values: &[Val<'c>]) -> Vec<Type<'c>> {
    values.iter().map(ValueLike::r#type).collect()
}

/// Where one of two tensors has an encoding, so has the other.
pub(super) fn both_or_neither(src: &TensorType<'_>, dst: &TensorType<'_>) -> Verdict {
    ensure!(
        cat_c3 | expand_dims_c4 | join_c4 | reshape_c2 | split_c5 | trans_c5,
        src.encoding.is_some() == dst.encoding.is_some(),
        "needs an encoding on both operand and result, or on neither"
    );
    Ok(())
}

/// A declared result has another layout than the one that follows from the operand.
pub(super) fn inference_mismatch(declared: &TensorType<'_>, inferred: &LinearLayout) -> Diagnostic {
    broken!(
        trans_c4 | reshape_c3 | split_c2,
        "has a result `{}` whose layout is not the one that follows from the operand",
        declared.type_
    )
    .note(format!("the layout that follows is:{inferred}"))
}

/// The fix where two layouts differ: `convert them with ttg.convert_layout`.
pub(super) fn convert_note(what: &str) -> String {
    format!("convert {what} with `{}`", OpKind::TtgConvertLayout.name())
}

/// The GPU has tensor memory, as far as the module says which one it is.
pub(super) fn on_blackwell(op: OperationRef<'_, '_>) -> Verdict {
    // A target that names no GPU says nothing about one.
    let Some(target) = ModuleInfo::known_gpu(op) else {
        return Ok(());
    };
    ensure!(
        tensor_memory_c1,
        target.instructions.tensor_memory,
        "needs tensor memory, which {} have, but the module is for `{target}`",
        Target::names_with(|instructions| instructions.tensor_memory)
    );
    Ok(())
}
