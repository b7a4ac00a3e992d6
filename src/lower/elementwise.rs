//! Elementwise operations: one `arith` or `math` operation per register.

use super::emit::attributes_of;
use super::remainder;
use super::state::{Lowering, Outcome};
use super::types::memory_type;
use crate::ir::builders::llvm;
use crate::ir::ops::tt;
use crate::ir::{TensorType, UpstreamKind, element_name};
use crate::sys::build::{self, Op, Val};
use crate::sys::{Diagnostic, float_width};
use linear_layout::layout::Dim;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let kind = UpstreamKind::of(op).expect("the dispatch goes by kind");
    if op.region_count() != 0 || op.result_count() != 1 {
        return Err(Diagnostic::new(
            "is not supported with regions or several results",
        ));
    }
    lower_as(l, op, kind)
}

pub(crate) fn lower_as<'c>(l: &mut Lowering<'c>, op: Op<'c>, kind: UpstreamKind) -> Outcome {
    check_formats(op, kind)?;
    per_register(l, op, kind)
}

pub(super) fn per_register<'c>(l: &mut Lowering<'c>, op: Op<'c>, kind: UpstreamKind) -> Outcome {
    let result = build::only_result(op);
    let types = l.types_of(result.r#type())?;
    let operands: Vec<_> = (0..op.operand_count()).map(|i| l.operand(op, i)).collect();
    let attributes = attributes_of(op);
    let operation = l.e.as_upstream(kind, &attributes);
    let is_approximate = matches!(kind, UpstreamKind::ArithDivF | UpstreamKind::ArithRemF)
        && l.e.may_approximate(&attributes);
    let repeats = repeats(l, result)?;
    let mut registers: Vec<Val<'c>> = Vec::with_capacity(types.len());
    for (r, type_) in types.iter().enumerate() {
        if r & repeats != 0 {
            registers.push(registers[r & !repeats]);
            continue;
        }
        // A scalar operand, such as the condition of a select, applies to every register.
        let values: Vec<Val<'c>> = operands
            .iter()
            .map(|list| if list.len() == 1 { list[0] } else { list[r] })
            .collect();
        let own = match kind {
            // Triton lowers every `arith.remf` to `frem`.
            UpstreamKind::ArithRemF if is_approximate && float_width(*type_) == Some(32) => {
                Some(l.e.pure(llvm::frem(values[0], values[1])))
            }
            UpstreamKind::ArithRemF if !is_approximate => Some(remainder(l, &values, *type_)),
            UpstreamKind::ArithDivF if is_approximate && float_width(*type_) == Some(32) => {
                l.gpu.quotient(&mut l.e, values[0], values[1])
            }
            _ => None,
        };
        registers.push(own.unwrap_or_else(|| l.e.emit_upstream(&operation, &values, *type_)));
    }
    l.set(result, registers);
    Ok(())
}

/// Returns a mask of register-index bits. Registers whose indices differ only in these bits hold equal elements, as
/// follows from the constancy of `value`.
///
/// ```text
/// program * 128 + range(0, 128) < 1024     constancy 128: one comparison for all registers
/// ```
fn repeats<'c>(l: &Lowering<'c>, value: Val<'c>) -> Result<usize, Diagnostic> {
    let Some(layout) = l.layout(value.r#type())? else {
        return Ok(0);
    };
    let (info, layout) = (l.axis.get(value), &layout.unique);
    // Runs of equal elements are aligned, so a bit below the constancy stays within the run.
    let stays = |bit: &usize| {
        (0..info.rank())
            .all(|d| layout.basis_component(Dim::REGISTER, *bit, Dim::out(d)) < info.constancy(d))
    };
    let bits = (0..layout.in_bits(Dim::REGISTER)).filter(stays);
    Ok(bits.fold(0, |mask, bit| mask | 1 << bit))
}

/// Rejects floats narrower than 16 bits, except in selects. Such floats are lowered to `i8`, without arithmetic.
pub(super) fn check_formats(op: Op<'_>, kind: UpstreamKind) -> Outcome {
    if kind == UpstreamKind::ArithSelect {
        return Ok(());
    }
    let types = (0..op.operand_count())
        .map(|i| build::operand(op, i).r#type())
        .chain(op.results().map(|result| result.r#type()));
    for type_ in types {
        let element = TensorType::of(type_).map_or(type_, |tensor| tensor.element);
        if float_width(element).is_some_and(|width| width < 16) {
            return Err(Diagnostic::new(format!(
                "is not supported on `{}` elements",
                element_name(element)
            ))
            .note(
                "only loads, stores, selections, views, bitcasts and layout conversions support 8-bit floats; \
                 compute in f16 or f32",
            ));
        }
    }
    Ok(())
}

/// Computes the exact remainder of the first value divided by the second. The remainder of 16-bit floats is
/// computed in f32.
fn remainder<'c>(l: &mut Lowering<'c>, values: &[Val<'c>], type_: Type<'c>) -> Val<'c> {
    if float_width(type_) != Some(16) {
        return remainder::remainder(l, values[0], values[1]);
    }
    let f32 = l.e.types.f32;
    let wide: Vec<Val<'c>> = values.iter().map(|value| l.e.fpext(*value, f32)).collect();
    let result = remainder::remainder(l, wide[0], wide[1]);
    if type_ != Type::bfloat16(l.e.context) {
        return l.e.fptrunc(result, type_);
    }
    // The lower half of the f32 is zero. With `fptrunc`, LLVM would narrow the whole computation to bf16.
    let (word, half) = (l.e.types.i32, l.e.types.i16);
    let bits = l.e.bitcast(result, word);
    let upper = l.e.lshr(bits, 16);
    let upper = l.e.trunc(upper, half);
    l.e.bitcast(upper, type_)
}

/// Lowers `tt.addptr`. Offsets count elements.
pub(crate) fn addptr<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::AddPtr::of(op).expect("the dispatch goes by kind");
    let result = view.result();
    let element = TensorType::of(result.r#type()).map_or(result.r#type(), |t| t.element);
    let (pointee, _) = crate::sys::pointer(element)
        .ok_or_else(|| Diagnostic::new(format!("requires a pointer, but got `{element}`")))?;
    let pointee = memory_type(l.e.context, pointee)?;
    let (pointers, offsets) = (l.get(view.ptr()), l.get(view.offset()));
    let count = pointers.len().max(offsets.len());
    let registers: Vec<Val<'c>> = (0..count)
        .map(|r| {
            let pointer = pointers[r.min(pointers.len() - 1)];
            let offset = offsets[r.min(offsets.len() - 1)];
            l.e.gep(pointer, pointee, offset)
        })
        .collect();
    l.set(result, registers);
    Ok(())
}

/// Copies a scalar operation that has no results: `llvm.intr.assume`, a fence, or a scheduling hint.
pub(crate) fn keep<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .map(|i| l.operand(op, i)[0])
        .collect();
    l.e.rebuild(op, &operands);
    Ok(())
}

pub(crate) fn poison<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let result = build::only_result(op);
    let types = l.types_of(result.r#type())?;
    let registers: Vec<Val<'c>> = types
        .into_iter()
        .map(|type_| l.e.undefined(type_))
        .collect();
    l.set(result, registers);
    Ok(())
}
