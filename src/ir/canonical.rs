//! Canonical form of operations that move data between layouts.
//!
//! Every rewrite compares layouts as linear maps, never the names of encodings: a conversion between
//! two spellings of one layout moves nothing, and one that only renames registers is no barrier to
//! what stands before or after it.
//! # Source
//! Triton's canonicalisation patterns of `ttg.convert_layout` and of the operations around it.

use crate::encoding::Encoding;
use crate::encoding::infer::equivalent;
use crate::ir::ops::{amdg, ttng};
use crate::ir::verify::{can_store, integers};
use crate::ir::{Layouts, OpKind, TensorType, infer, uniform};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewrite};
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, ValueLike};

/// The conversion that makes a value, if one does.
fn conversion<'c>(value: Val<'c>) -> Option<Op<'c>> {
    sys::defining_operation(value).filter(|op| OpKind::TtgConvertLayout.is(*op))
}

/// What an operation becomes.
#[must_use]
pub fn rewrite<'c>(op: OperationRef<'c, '_>) -> Rewrite<'c> {
    let op = build::of_context(op);
    use OpKind as K;
    let Some(kind) = OpKind::of(op) else {
        return Rewrite::Keep;
    };
    match kind {
        K::TtgConvertLayout => convert(op),
        K::TtReshape => uniform::view(op).unwrap_or_else(|| reshape(op)),
        K::TtTrans => uniform::view(op).unwrap_or_else(|| trans(op)),
        K::TtExpandDims => uniform::view(op).unwrap_or(Rewrite::Keep),
        K::TtBroadcast => uniform::broadcast(op),
        K::TtSplat => uniform::splat(op),
        K::TtMakeRange => uniform::make_range(op),
        K::TtAddPtr => uniform::addptr(op),
        K::TtLoad => uniform::load(op),
        K::TtStore => uniform::store(op),
        K::TtgMemDescTrans => trans(op),
        K::TtSplit => split(op),
        K::TtGather => gather(op),
        K::TtgLocalAlloc => local_alloc(op),
        K::TtgLocalStore => through_conversion(op, 0),
        K::TtHistogram => histogram(op),
        K::TtngTMEMStore => tmem_store(op),
        K::TtgMemDescSubslice => subslice(op),
        K::TtBitcast | K::TtgMemDescReshape | K::TtgMemDescReinterpret => view_of_same_type(op),
        K::AmdgConcat => concat(op),
        K::AmdgExtractSlice => extract_slice(op),
        // C++ asks about what TableGen declares to be canonicalised, which stands above.
        _ => Rewrite::Keep,
    }
}

fn encoding<'c>(value: Val<'c>) -> Option<(TensorType<'c>, std::sync::Arc<Encoding>)> {
    let tensor = TensorType::of(value.r#type())?;
    let encoding = Layouts::of(value.context())
        .encoding(tensor.encoding?)
        .ok()?;
    Some((tensor, encoding))
}

/// Whether two tensors hold the same elements in the same registers of the same threads.
fn same_layout(a: Val<'_>, b: Val<'_>) -> bool {
    let (Some(left), Some(right)) = (TensorType::of(a.r#type()), TensorType::of(b.r#type())) else {
        return false;
    };
    let cache = Layouts::of(a.context());
    matches!((cache.tensor(&left), cache.tensor(&right)), (Ok(l), Ok(r)) if l.unique == r.unique)
}

fn convert<'c>(op: Op<'c>) -> Rewrite<'c> {
    let (source, result) = (build::operand(op, 0), build::result(op, 0));
    if source.r#type() == result.r#type() {
        return Rewrite::Replace(source);
    }
    let (Some((_, from)), Some((_, to))) = (encoding(source), encoding(result)) else {
        return Rewrite::Keep;
    };
    // The product of a product: the conversion is where a later pass looks for it.
    if matches!(
        (&*from, &*to),
        (Encoding::NvidiaMma(_), Encoding::DotOperand(_))
    ) {
        return Rewrite::Keep;
    }
    let Some(producer) = sys::defining_operation(source) else {
        return Rewrite::Keep;
    };
    match OpKind::of(producer) {
        Some(OpKind::TtgConvertLayout) => Rewrite::SetOperand(0, build::operand(producer, 0)),
        Some(OpKind::TtMakeRange | OpKind::TtHistogram) => Rewrite::Recreate(source),
        Some(OpKind::TtgLocalLoad) if sys::has_one_use(source) => Rewrite::Recreate(source),
        Some(OpKind::TtReshape)
            if producer.has_attribute("allow_reorder")
                && !producer.has_attribute("efficient_layout")
                && !is_operand(&from)
                && !is_operand(&to)
                && keeps_register_count(build::operand(producer, 0), result) =>
        {
            Rewrite::Recreate(source)
        }
        _ => uniform::view(op).unwrap_or(Rewrite::Keep),
    }
}

fn is_operand(encoding: &Encoding) -> bool {
    matches!(encoding, Encoding::DotOperand(_))
}

/// Whether a thread holds as many elements of both, so that registers need only be renamed.
fn keeps_register_count(a: Val<'_>, b: Val<'_>) -> bool {
    let registers = |value: Val<'_>| {
        let tensor = TensorType::of(value.r#type())?;
        let layout = Layouts::of(value.context()).tensor(&tensor).ok()?;
        Some(layout.num_registers())
    };
    registers(a).is_some_and(|n| registers(b) == Some(n))
}

fn reshape<'c>(op: Op<'c>) -> Rewrite<'c> {
    let (source, result) = (build::operand(op, 0), build::result(op, 0));
    if source.r#type() == result.r#type() && !op.has_attribute("allow_reorder") {
        return Rewrite::Replace(source);
    }
    let Some(cvt) = conversion(source) else {
        return Rewrite::Keep;
    };
    let original = build::operand(cvt, 0);
    let moves_nothing = same_layout(original, source);
    let may_reorder = op.has_attribute("allow_reorder")
        && !op.has_attribute("efficient_layout")
        && keeps_register_count(original, result);
    if moves_nothing || may_reorder {
        return Rewrite::SetOperand(0, original);
    }
    Rewrite::Keep
}

fn trans<'c>(op: Op<'c>) -> Rewrite<'c> {
    let (source, result) = (build::operand(op, 0), build::result(op, 0));
    let order = crate::ir::verify::order(op);
    let identity = order
        .iter()
        .enumerate()
        .all(|(i, o)| usize::try_from(*o) == Ok(i));
    if identity && source.r#type() == result.r#type() {
        return Rewrite::Replace(source);
    }
    // The same layout in another spelling: a conversion says so, and disappears where it can.
    if identity && TensorType::of(source.r#type()).is_some() && same_layout(source, result) {
        return Rewrite::Convert(source);
    }
    if let Some(inner) = sys::defining_operation(source).filter(|inner| {
        inner.name() == op.name() && build::operand(*inner, 0).r#type() == result.r#type()
    }) {
        // Two permutations that undo each other.
        let first = crate::ir::verify::order(inner);
        let undone = order.len() == first.len()
            && order.iter().enumerate().all(|(i, o)| {
                usize::try_from(*o).ok().and_then(|o| first.get(o).copied())
                    == i32::try_from(i).ok()
            });
        if undone {
            return Rewrite::Replace(build::operand(inner, 0));
        }
    }
    match conversion(source) {
        Some(cvt) if same_layout(build::operand(cvt, 0), source) => {
            Rewrite::SetOperand(0, build::operand(cvt, 0))
        }
        _ => Rewrite::Keep,
    }
}

fn split<'c>(op: Op<'c>) -> Rewrite<'c> {
    let source = build::operand(op, 0);
    let Some(cvt) = conversion(source) else {
        return Rewrite::Keep;
    };
    let original = build::operand(cvt, 0);
    let (Some((_, from)), Some((half, to))) = (encoding(original), encoding(build::result(op, 0)))
    else {
        return Rewrite::Keep;
    };
    match infer::result_encoding(op, 0, &from) {
        Ok(inferred) if equivalent(&inferred, &to, half.shape) => Rewrite::SetOperand(0, original),
        _ => Rewrite::Keep,
    }
}

/// Values are counted wherever they lie; a mask has to lie beside them.
fn histogram<'c>(op: Op<'c>) -> Rewrite<'c> {
    match conversion(build::operand(op, 0)) {
        Some(cvt) if op.operand_count() == 1 => Rewrite::SetOperand(0, build::operand(cvt, 0)),
        Some(cvt) => Rewrite::SetOperandAndConvertNext(0, build::operand(cvt, 0)),
        None => Rewrite::Keep,
    }
}

/// Tensor memory is written from any layout whose registers the instruction can take.
fn tmem_store<'c>(op: Op<'c>) -> Rewrite<'c> {
    let values = (1..op.operand_count()).map(|i| (i, build::operand(op, i)));
    let original = values.filter_map(|(i, value)| Some((i, build::operand(conversion(value)?, 0))));
    for (i, original) in original {
        let tensor = TensorType::of(original.r#type());
        if tensor
            .is_some_and(|tensor| ttng::TMEMStore::of(op).is_some_and(|op| can_store(op, &tensor)))
        {
            return Rewrite::SetOperand(i, original);
        }
    }
    Rewrite::Keep
}

/// A part of a part is a part of the whole.
fn subslice<'c>(op: Op<'c>) -> Rewrite<'c> {
    let source = build::operand(op, 0);
    let Some(outer) = sys::defining_operation(source).filter(|def| def.name() == op.name()) else {
        return Rewrite::Keep;
    };
    let (first, second) = (integers(outer, "offsets"), integers(op, "offsets"));
    let sum: Option<Vec<i32>> = first
        .iter()
        .zip(&second)
        .map(|(a, b)| a.checked_add(*b))
        .collect();
    match sum {
        Some(sum) if first.len() == second.len() => {
            let offsets = DenseI32ArrayAttribute::new(build::context(op), &sum);
            Rewrite::Subslice(build::operand(outer, 0), offsets.into())
        }
        _ => Rewrite::Keep,
    }
}

fn gather<'c>(op: Op<'c>) -> Rewrite<'c> {
    if op.has_attribute("efficient_layout") {
        return Rewrite::Keep;
    }
    through_conversion(op, 0)
}

/// What is put together of one part is that part.
fn concat<'c>(op: Op<'c>) -> Rewrite<'c> {
    let first = build::operand(op, 0);
    if op.operand_count() == 1 && first.r#type() == build::result(op, 0).r#type() {
        return Rewrite::Replace(first);
    }
    Rewrite::Keep
}

/// A slice of what was put together is the part that it was.
fn extract_slice<'c>(op: Op<'c>) -> Rewrite<'c> {
    let (source, result) = (build::operand(op, 0), build::result(op, 0));
    let Some(whole) = sys::defining_operation(source).filter(|def| OpKind::AmdgConcat.is(*def))
    else {
        return Rewrite::Keep;
    };
    let types = (
        TensorType::of(source.r#type()),
        TensorType::of(result.r#type()),
    );
    let (Some(all), Some(part)) = types else {
        return Rewrite::Keep;
    };
    let mut index = 0;
    let offsets = amdg::ExtractSlice::of(op).map(amdg::ExtractSlice::static_offsets);
    for (i, offset) in offsets.unwrap_or_default().iter().enumerate() {
        let Some(at) = u64::try_from(*offset)
            .ok()
            .filter(|at| at.is_multiple_of(part.shape[i]))
        else {
            return Rewrite::Keep;
        };
        index = index * (all.shape[i] / part.shape[i]) + at / part.shape[i];
    }
    let operand = usize::try_from(index)
        .ok()
        .filter(|index| *index < whole.operand_count())
        .map(|index| build::operand(whole, index));
    match operand {
        Some(operand) if operand.r#type() == result.r#type() => Rewrite::Replace(operand),
        _ => Rewrite::Keep,
    }
}

/// An operand that may have any layout is taken from before its conversion.
fn through_conversion<'c>(op: Op<'c>, operand: usize) -> Rewrite<'c> {
    match conversion(build::operand(op, operand)) {
        Some(cvt) => Rewrite::SetOperand(operand, build::operand(cvt, 0)),
        None => Rewrite::Keep,
    }
}

fn local_alloc<'c>(op: Op<'c>) -> Rewrite<'c> {
    if op.operand_count() == 0 {
        return Rewrite::Keep;
    }
    let contents = build::operand(op, 0);
    if let Some(load) =
        sys::defining_operation(contents).filter(|def| OpKind::TtgLocalLoad.is(*def))
    {
        let buffer = build::operand(load, 0);
        let is_same = buffer.r#type() == build::result(op, 0).r#type();
        let is_fixed = sys::buffer(buffer.r#type()).is_some_and(|b| !b.is_mutable);
        if is_same && is_fixed {
            return Rewrite::Replace(buffer);
        }
    }
    through_conversion(op, 0)
}

/// A view in the operand's own type is the operand.
fn view_of_same_type<'c>(op: Op<'c>) -> Rewrite<'c> {
    let (source, result) = (build::operand(op, 0), build::result(op, 0));
    if source.r#type() == result.r#type() {
        return Rewrite::Replace(source);
    }
    let inner = sys::defining_operation(source).filter(|inner| inner.name() == op.name());
    match inner.map(|inner| build::operand(inner, 0)) {
        Some(first) if first.r#type() == result.r#type() => Rewrite::Replace(first),
        _ => Rewrite::Keep,
    }
}
