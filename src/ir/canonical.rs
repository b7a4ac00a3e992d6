//! Canonicalisation of operations that move data between layouts.
//!
//! Rewrites compare layouts as linear maps, not encodings. A conversion between two spellings of one layout therefore
//! moves no data, and a conversion that only renames registers does not block other rewrites. Each function matches one
//! kind of operation, and returns `Some` after a rewrite.
//! # Source
//! Triton's canonicalisation patterns of `ttg.convert_layout` and of the operations around it.

use super::ops::{amdg, tt, ttg, ttng};
use super::pattern::{MatchResult, ViewOp};
use super::uniform::make_result;
use crate::ir::verify::can_store;
use crate::ir::{Layouts, OpKind, TensorType, builders, captures, infer, uniform};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewriter};
use linear_layout::encoding::Encoding;
use linear_layout::encoding::infer::equivalent;
use melior::ir::ValueLike;
use melior::ir::attribute::DenseI32ArrayAttribute;

/// Returns a [`ViewOp`] for an operation with one source and one result. The arguments of the macro are the Rust
/// type of the operation, and the operation itself. If the operation does not have this type, the enclosing
/// function returns `None`.
macro_rules! view {
    ($kind:ty, $op:ident) => {{
        let view = <$kind>::of($op)?;
        ViewOp {
            op: $op,
            at: view.src_at().start,
            source: view.src(),
            result: view.result(),
        }
    }};
}

/// Applies the first matching canonicalisation pattern.
pub(crate) fn canonicalize<'c>(rewriter: Rewriter<'c>, op: Op<'c>) -> MatchResult {
    use OpKind as K;
    match OpKind::of(op)? {
        K::TtgConvertLayout => convert(rewriter, view!(ttg::ConvertLayout<'_, '_>, op)),
        K::TtReshape => {
            let view = view!(tt::Reshape<'_, '_>, op);
            uniform::view(rewriter, view).or_else(|| reshape(rewriter, view))
        }
        K::TtTrans => {
            let (view, order) = (view!(tt::Trans<'_, '_>, op), tt::Trans::of(op)?.order());
            uniform::view(rewriter, view).or_else(|| trans(rewriter, view, &order))
        }
        K::TtgMemDescTrans => {
            let order = ttg::MemDescTrans::of(op)?.order();
            trans(rewriter, view!(ttg::MemDescTrans<'_, '_>, op), &order)
        }
        K::TtExpandDims => uniform::view(rewriter, view!(tt::ExpandDims<'_, '_>, op)),
        K::TtBroadcast => uniform::broadcast(rewriter, view!(tt::Broadcast<'_, '_>, op)),
        K::TtSplat => uniform::splat(rewriter, tt::Splat::of(op)?),
        K::TtMakeRange => uniform::make_range(rewriter, tt::MakeRange::of(op)?),
        K::TtAddPtr => uniform::addptr(rewriter, tt::AddPtr::of(op)?),
        K::TtLoad => uniform::load(rewriter, tt::Load::of(op)?),
        K::TtStore => uniform::store(rewriter, tt::Store::of(op)?),
        K::TtSplit => split(rewriter, tt::Split::of(op)?),
        K::TtGather => gather(rewriter, tt::Gather::of(op)?),
        K::TtgLocalAlloc => local_alloc(rewriter, ttg::LocalAlloc::of(op)?),
        K::TtgLocalStore => {
            let store = ttg::LocalStore::of(op)?;
            through_conversion(rewriter, op, store.src_at().start)
        }
        K::TtHistogram => histogram(rewriter, tt::Histogram::of(op)?),
        K::TtngTMEMStore => tmem_store(rewriter, ttng::TMEMStore::of(op)?),
        K::TtgMemDescSubslice => subslice(rewriter, ttg::MemDescSubslice::of(op)?),
        K::TtBitcast => view_of_same_type(rewriter, view!(tt::Bitcast<'_, '_>, op)),
        K::TtgMemDescReshape => view_of_same_type(rewriter, view!(ttg::MemDescReshape<'_, '_>, op)),
        K::TtgMemDescReinterpret => {
            view_of_same_type(rewriter, view!(ttg::MemDescReinterpret<'_, '_>, op))
        }
        K::AmdgConcat => concat(rewriter, amdg::Concat::of(op)?),
        K::AmdgExtractSlice => extract_slice(rewriter, amdg::ExtractSlice::of(op)?),
        K::TtgWarpSpecialize => captures::drop_results(rewriter, ttg::WarpSpecialize::of(op)?),
        K::TtgWarpSpecializePartitions => {
            captures::drop_captures(rewriter, ttg::WarpSpecializePartitions::of(op)?)
        }
        // All kinds with a canonicaliser in TableGen are listed above.
        _ => None,
    }
}

/// Returns the `ttg.convert_layout` that defines a value, if any.
fn conversion<'c>(value: Val<'c>) -> Option<ttg::ConvertLayout<'c, 'c>> {
    ttg::ConvertLayout::of(sys::defining_operation(value)?)
}

fn encoding<'c>(value: Val<'c>) -> Option<(TensorType<'c>, std::sync::Arc<Encoding>)> {
    let tensor = TensorType::of(value.r#type())?;
    let encoding = Layouts::of(value.context()).of_tensor(&tensor).ok()?;
    Some((tensor, encoding))
}

/// Returns true if both tensors have the same layout and the same register replicas. The replicas are compared too,
/// since inferred layouts depend on them.
fn same_layout(a: Val<'_>, b: Val<'_>) -> bool {
    let (Some(left), Some(right)) = (TensorType::of(a.r#type()), TensorType::of(b.r#type())) else {
        return false;
    };
    let cache = Layouts::of(a.context());
    matches!((cache.tensor(&left), cache.tensor(&right)), (Ok(l), Ok(r)) if l.full == r.full)
}

fn convert<'c>(rewriter: Rewriter<'c>, cvt: ViewOp<'c>) -> MatchResult {
    let ViewOp { source, result, .. } = cvt;
    if source.r#type() == result.r#type() {
        rewriter.replace(cvt.op, &[source]);
        return Some(());
    }
    let ((_, from), (_, to)) = (encoding(source)?, encoding(result)?);
    // The result of one product feeds another: a later pass matches this conversion.
    if matches!(
        (&*from, &*to),
        (Encoding::NvidiaMma(_), Encoding::DotOperand(_))
    ) {
        return None;
    }
    let producer = sys::defining_operation(source)?;
    match OpKind::of(producer) {
        Some(OpKind::TtgConvertLayout) => {
            cvt.set_source(rewriter, conversion(source)?.src());
            Some(())
        }
        Some(OpKind::TtMakeRange | OpKind::TtHistogram) => make_result(rewriter, cvt),
        Some(OpKind::TtgLocalLoad) if sys::has_one_use(source) => make_result(rewriter, cvt),
        Some(OpKind::TtReshape) if reshapes_to(tt::Reshape::of(producer)?, &from, &to, result) => {
            make_result(rewriter, cvt)
        }
        _ => uniform::view(rewriter, cvt),
    }
}

/// Returns true if `reshape` can directly produce the result of the layout conversion that follows it. Only a
/// reshape with `allow_reorder` can.
fn reshapes_to(
    reshape: tt::Reshape<'_, '_>,
    from: &Encoding,
    to: &Encoding,
    converted: Val<'_>,
) -> bool {
    may_reorder(reshape)
        && !is_operand(from)
        && !is_operand(to)
        && keeps_register_count(reshape.src(), converted)
}

fn may_reorder(reshape: tt::Reshape<'_, '_>) -> bool {
    reshape.allow_reorder() && !reshape.efficient_layout()
}

fn is_operand(encoding: &Encoding) -> bool {
    matches!(encoding, Encoding::DotOperand(_))
}

fn keeps_register_count(a: Val<'_>, b: Val<'_>) -> bool {
    let registers = |value: Val<'_>| {
        let tensor = TensorType::of(value.r#type())?;
        let layout = Layouts::of(value.context()).tensor(&tensor).ok()?;
        Some(layout.num_registers())
    };
    registers(a).is_some_and(|n| registers(b) == Some(n))
}

fn reshape<'c>(rewriter: Rewriter<'c>, view: ViewOp<'c>) -> MatchResult {
    let ViewOp { source, result, .. } = view;
    let op = tt::Reshape::of(view.op)?;
    if source.r#type() == result.r#type() && !op.allow_reorder() {
        rewriter.replace(view.op, &[source]);
        return Some(());
    }
    let original = conversion(source)?.src();
    let moves_nothing = same_layout(original, source);
    let may_reorder = may_reorder(op) && keeps_register_count(original, result);
    (moves_nothing || may_reorder).then(|| view.set_source(rewriter, original))
}

fn trans<'c>(rewriter: Rewriter<'c>, view: ViewOp<'c>, order: &[i32]) -> MatchResult {
    let ViewOp {
        op, source, result, ..
    } = view;
    let identity = order
        .iter()
        .enumerate()
        .all(|(i, o)| usize::try_from(*o) == Ok(i));
    if identity && source.r#type() == result.r#type() {
        rewriter.replace(op, &[source]);
        return Some(());
    }
    // Only the spelling changes: becomes a conversion, which folds where possible. Discardable attributes stay.
    if identity && TensorType::of(source.r#type()).is_some() && same_layout(source, result) {
        let discardable = build::discardable_attributes(op);
        let made =
            builders::ttg::convert_layout(source, result.r#type()).with_discardable(&discardable);
        let made = made.before(rewriter, op)?;
        rewriter.replace(op, &[made]);
        return Some(());
    }
    // Two inverse permutations.
    let inner = sys::defining_operation(source).and_then(|inner| {
        let of_tensor = tt::Trans::of(inner).map(|trans| (trans.src(), trans.order()));
        of_tensor.or_else(|| ttg::MemDescTrans::of(inner).map(|trans| (trans.src(), trans.order())))
    });
    if let Some((first, inner)) = inner.filter(|(first, _)| first.r#type() == result.r#type()) {
        let undone = order.len() == inner.len()
            && order.iter().enumerate().all(|(i, o)| {
                usize::try_from(*o).ok().and_then(|o| inner.get(o).copied())
                    == i32::try_from(i).ok()
            });
        if undone {
            rewriter.replace(op, &[first]);
            return Some(());
        }
    }
    let original = conversion(source)?.src();
    same_layout(original, source).then(|| view.set_source(rewriter, original))
}

fn split<'c>(rewriter: Rewriter<'c>, split: tt::Split<'c, 'c>) -> MatchResult {
    let original = conversion(split.src())?.src();
    let ((_, from), (half, to)) = (encoding(original)?, encoding(split.out_lhs())?);
    let at = split.src_at().start;
    match infer::result_encoding(split.op(), at, &from) {
        Ok(inferred) if equivalent(&inferred, &to, half.shape) => {
            rewriter.set_operand(split.op(), at, original);
            Some(())
        }
        _ => None,
    }
}

/// Removes the conversion of a histogram's operand, since the operand may have any layout. If the histogram has a
/// mask, converts the mask to the operand's new layout.
fn histogram<'c>(rewriter: Rewriter<'c>, histogram: tt::Histogram<'c, 'c>) -> MatchResult {
    let op = histogram.op();
    let original = conversion(histogram.src())?.src();
    if let Some(mask) = histogram.mask() {
        let encoding = TensorType::of(original.r#type())?.encoding?;
        let type_ = TensorType::of(mask.r#type())?.with_encoding(encoding);
        let beside = builders::ttg::convert_layout(mask, type_).before(rewriter, op)?;
        rewriter.set_operand(op, histogram.mask_at().start, beside);
    }
    rewriter.set_operand(op, histogram.src_at().start, original);
    Some(())
}

/// Removes the conversion of a value stored by `tmem_store`, if the instruction supports the original layout.
fn tmem_store<'c>(rewriter: Rewriter<'c>, store: ttng::TMEMStore<'c, 'c>) -> MatchResult {
    let original = conversion(store.src())?.src();
    let tensor = TensorType::of(original.r#type())?;
    can_store(store, &tensor)
        .then(|| rewriter.set_operand(store.op(), store.src_at().start, original))
}

/// Folds a subslice of a subslice into one subslice.
fn subslice<'c>(rewriter: Rewriter<'c>, part: ttg::MemDescSubslice<'c, 'c>) -> MatchResult {
    let outer = ttg::MemDescSubslice::of(sys::defining_operation(part.src())?)?;
    let (first, second) = (outer.offsets(), part.offsets());
    if first.len() != second.len() {
        return None;
    }
    let sums = first.iter().zip(&second).map(|(a, b)| a.checked_add(*b));
    let sum: Vec<i32> = sums.collect::<Option<_>>()?;
    let offsets = DenseI32ArrayAttribute::new(build::context(part.op()), &sum);
    rewriter.set_operand(part.op(), part.src_at().start, outer.src());
    rewriter.set_attribute(part.op(), ttg::MemDescSubslice::OFFSETS_KEY, offsets.into());
    Some(())
}

fn gather<'c>(rewriter: Rewriter<'c>, gather: tt::Gather<'c, 'c>) -> MatchResult {
    if gather.efficient_layout() {
        return None;
    }
    through_conversion(rewriter, gather.op(), gather.src_at().start)
}

/// Replaces a concatenation of a single operand by this operand.
fn concat<'c>(rewriter: Rewriter<'c>, concat: amdg::Concat<'c, 'c>) -> MatchResult {
    let &[only] = &*concat.sources() else {
        return None;
    };
    (only.r#type() == concat.result().r#type()).then(|| rewriter.replace(concat.op(), &[only]))
}

/// Replaces a slice of a concatenation by the concatenated operand that it selects.
fn extract_slice<'c>(rewriter: Rewriter<'c>, slice: amdg::ExtractSlice<'c, 'c>) -> MatchResult {
    let (source, result) = (slice.source(), slice.result());
    let whole = amdg::Concat::of(sys::defining_operation(source)?)?;
    let (all, part) = (
        TensorType::of(source.r#type())?,
        TensorType::of(result.r#type())?,
    );
    let mut index = 0;
    for (i, offset) in slice.static_offsets().iter().enumerate() {
        let at = u64::try_from(*offset).ok()?;
        if !at.is_multiple_of(part.shape[i]) {
            return None;
        }
        index = index * (all.shape[i] / part.shape[i]) + at / part.shape[i];
    }
    let part = *whole.sources().get(usize::try_from(index).ok()?)?;
    (part.r#type() == result.r#type()).then(|| rewriter.replace(slice.op(), &[part]))
}

/// Replaces operand `at` by the source of its `ttg.convert_layout`. The operation must accept any layout for `at`.
fn through_conversion<'c>(rewriter: Rewriter<'c>, op: Op<'c>, at: usize) -> MatchResult {
    let original = conversion(build::operand(op, at))?.src();
    rewriter.set_operand(op, at, original);
    Some(())
}

fn local_alloc<'c>(rewriter: Rewriter<'c>, alloc: ttg::LocalAlloc<'c, 'c>) -> MatchResult {
    let contents = alloc.src()?;
    if let Some(load) = sys::defining_operation(contents).and_then(ttg::LocalLoad::of) {
        let buffer = load.src();
        let is_same = buffer.r#type() == alloc.result().r#type();
        let is_fixed = sys::buffer(buffer.r#type()).is_some_and(|b| !b.is_mutable);
        if is_same && is_fixed {
            rewriter.replace(alloc.op(), &[buffer]);
            return Some(());
        }
    }
    through_conversion(rewriter, alloc.op(), alloc.src_at().start)
}

/// Replaces a view with equal operand and result types by its operand, and a pair of inverse views by the operand
/// of the first view.
fn view_of_same_type<'c>(rewriter: Rewriter<'c>, view: ViewOp<'c>) -> MatchResult {
    let ViewOp {
        op, source, result, ..
    } = view;
    if source.r#type() == result.r#type() {
        rewriter.replace(op, &[source]);
        return Some(());
    }
    let inner = sys::defining_operation(source)?;
    if OpKind::of(inner) != OpKind::of(op) {
        return None;
    }
    let first = build::operand(inner, view.at);
    (first.r#type() == result.r#type()).then(|| rewriter.replace(op, &[first]))
}
