//! Shared helpers and checks of verifiers.

use crate::ir::{Layouts, ModuleInfo, OpKind, TensorLayout, TensorType};
use crate::sys::build::Val;
use crate::sys::{self, BufferType, Diagnostic};
use linear_layout::encoding::Encoding;
use linear_layout::layout::LinearLayout;
use linear_layout::target::Target;
use melior::ir::r#type::TypeLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::sync::Arc;

/// Returns the value of a 32-bit attribute as an unsigned number, for example 2^32 - 1 for -1. Triton reads such
/// attributes in the same way.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the attribute has 32 bits"
)]
pub(super) fn unsigned(number: i64) -> u64 {
    u64::from(number as u32)
}

pub(super) type Verdict = Result<(), Vec<Diagnostic>>;

/// Returns an error from the enclosing function if a rule is broken, that is, if the condition is false. The syntax
/// is `ensure!(labels, condition, message)`.
macro_rules! ensure {
    ($($label:ident)|+, $holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(vec![broken!($($label)|+, $($message)+)]);
        }
    };
}

/// Appends an error to `diagnostics` if a rule is broken, that is, if the condition is false. The syntax is
/// `rule!(diagnostics, labels, condition, message)`.
macro_rules! rule {
    ($diagnostics:ident, $($label:ident)|+, $holds:expr, $($message:tt)+) => {
        if !$holds {
            $diagnostics.push(broken!($($label)|+, $($message)+));
        }
    };
}

pub(super) use crate::ir::rules::broken;
pub(super) use {ensure, rule};

pub(super) fn verdict(diagnostics: Vec<Diagnostic>) -> Verdict {
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics)
    }
}

pub(super) fn tensor<'c>(value: Val<'c>) -> Option<TensorType<'c>> {
    TensorType::of(value.r#type())
}

/// Returns the type of a buffer or tensor descriptor.
pub(super) fn buffer<'c>(value: Val<'c>) -> Option<BufferType<'c>> {
    sys::buffer(value.r#type())
}

/// Returns the element type of a tensor, and any other type unchanged.
pub(super) fn element(type_: Type<'_>) -> Type<'_> {
    TensorType::of(type_).map_or(type_, |tensor| tensor.element)
}

/// Returns the pointee type and address space of a pointer, or of a tensor of pointers.
pub(super) fn pointee<'c>(value: Val<'c>) -> Option<(Type<'c>, i32)> {
    sys::pointer(element(value.r#type()))
}

/// Returns the encoding of a buffer, if valid.
pub(super) fn encoding_of(buffer: &BufferType<'_>) -> Option<Arc<Encoding>> {
    let layouts = Layouts::of(buffer.element.context());
    layouts.encoding(buffer.encoding?).ok()
}

pub(super) fn encoding_name(buffer: &BufferType<'_>) -> String {
    buffer
        .encoding
        .map_or_else(|| "none".to_owned(), |e| e.to_string())
}

pub(super) fn memory_name(buffer: &BufferType<'_>) -> String {
    buffer
        .memory_space
        .map_or_else(String::new, |space| space.to_string())
}

/// Returns the layout of a tensor, or `None` if the layout is invalid. Another check reports the invalid
/// layout.
pub(super) fn layout(tensor: &TensorType<'_>) -> Option<Arc<TensorLayout>> {
    Layouts::of(tensor.type_.context()).tensor(tensor).ok()
}

pub(super) fn layouts(
    a: &TensorType<'_>,
    b: &TensorType<'_>,
) -> Option<(Arc<TensorLayout>, Arc<TensorLayout>)> {
    Some((layout(a)?, layout(b)?))
}

/// Returns `axis` as an index if 0 <= `axis` < `rank`, and `None` otherwise.
pub(super) fn axis_within(axis: i64, rank: usize) -> Option<usize> {
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// Formats a rank and the range of valid axes, for example `2; expected 0 to 1`.
pub(super) fn axes(rank: usize) -> String {
    match rank.checked_sub(1) {
        Some(last) => format!("{rank}; expected 0 to {last}"),
        None => "0".to_owned(),
    }
}

/// Formats a shape: `16x64`.
pub(super) fn dimensions(shape: &[u64]) -> String {
    shape
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join("x")
}

/// Formats types: `f32, i32`.
pub(super) fn list(types: &[Type<'_>]) -> String {
    types
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

pub(super) fn types<'c>(values: &[Val<'c>]) -> Vec<Type<'c>> {
    values.iter().map(ValueLike::r#type).collect()
}

pub(super) fn both_or_neither(src: &TensorType<'_>, dst: &TensorType<'_>) -> Verdict {
    ensure!(
        cat_c3 | expand_dims_c4 | join_c4 | reshape_c2 | split_c5 | trans_c5,
        src.encoding.is_some() == dst.encoding.is_some(),
        "only the {} has an encoding; expected an encoding on both operand and result, or on neither",
        if src.encoding.is_some() {
            "operand"
        } else {
            "result"
        }
    );
    Ok(())
}

pub(super) fn inference_mismatch(declared: &TensorType<'_>, inferred: &LinearLayout) -> Diagnostic {
    broken!(
        trans_c4 | reshape_c3 | split_c2,
        "result type `{}` does not have the layout inferred from the operand",
        declared.type_
    )
    .note(format!("the inferred layout is:{inferred}"))
}

pub(super) fn convert_note(what: &str) -> String {
    format!("convert {what} with `{}`", OpKind::TtgConvertLayout.name())
}

/// Checks that the target has tensor memory, as Blackwell GPUs have. An unknown target is accepted.
pub(super) fn on_blackwell(op: OperationRef<'_, '_>) -> Verdict {
    let Some(target) = ModuleInfo::known_gpu(op) else {
        return Ok(());
    };
    ensure!(
        tensor_memory_c1,
        target.instructions.tensor_memory,
        "requires a target with tensor memory ({}), but got `{target}`",
        Target::names_with(|instructions| instructions.tensor_memory)
    );
    Ok(())
}
