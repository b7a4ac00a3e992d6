//! Memdesc views: changes of the byte offset, without data movement.
//!
//! The layout of the result type must map every element to its position in the source memdesc. All other types are
//! errors.

use super::rotation;
use super::view::{ALIGNMENT, MemdescLayout, narrow, padded};
use crate::analysis::effects::{self, ViewRange};
use crate::ir::ops::ttg;
use crate::ir::{Layouts, integer_constant};
use crate::lower::state::{Lowering, Outcome};
use crate::lower::value::SharedBuffer;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use crate::sys::{self};
use linear_layout::layout::{LayoutError, LinearLayout};
use melior::ir::ValueLike;

/// Returns the source and the result of a memdesc view, and the byte range of the source that the view selects.
/// Returns `None` if `op` is not a view.
pub(super) fn view(layouts: &Layouts, op: Op<'_>) -> Option<effects::BufferView> {
    let of = |src: Val<'_>, result: Val<'_>, range| effects::BufferView {
        source: sys::value_id(src),
        result: sys::value_id(result),
        range,
    };
    if let Some(index) = ttg::MemDescIndex::of(op) {
        let range = integer_constant(index.index())
            .and_then(|first| u64::try_from(first).ok())
            .and_then(|first| buffers_range(layouts, index.src(), first, 1))
            .or_else(|| selected_range(layouts, index))
            .unwrap_or(ViewRange::Unknown);
        return Some(of(index.src(), index.result(), range));
    }
    if let Some(slice) = ttg::MemDescSubslice::of(op) {
        let range = MemdescLayout::of(layouts, slice.src().r#type())
            .ok()
            .filter(|src| src.leading == 1)
            .zip(MemdescLayout::of(layouts, slice.result().r#type()).ok())
            .filter(|(src, result)| src.shape() == result.shape())
            .and_then(|(_, result)| {
                let first = u64::try_from(*slice.offsets().first()?).ok()?;
                buffers_range(layouts, slice.src(), first, result.type_.shape[0])
            })
            .unwrap_or(ViewRange::Unknown);
        return Some(of(slice.src(), slice.result(), range));
    }
    let (src, result) = if let Some(trans) = ttg::MemDescTrans::of(op) {
        (trans.src(), trans.result())
    } else if let Some(reshape) = ttg::MemDescReshape::of(op) {
        (reshape.src(), reshape.result())
    } else {
        let reinterpret = ttg::MemDescReinterpret::of(op)?;
        (reinterpret.src(), reinterpret.result())
    };
    Some(of(src, result, ViewRange::All))
}

pub(super) fn root<'c>(value: Val<'c>) -> Val<'c> {
    let mut root = value;
    while let Some(src) = operand_of_view(root) {
        root = src;
    }
    root
}

fn operand_of_view<'c>(value: Val<'c>) -> Option<Val<'c>> {
    let op = sys::defining_operation(value)?;
    if let Some(index) = ttg::MemDescIndex::of(op) {
        return Some(index.src());
    }
    if let Some(slice) = ttg::MemDescSubslice::of(op) {
        return Some(slice.src());
    }
    if let Some(trans) = ttg::MemDescTrans::of(op) {
        return Some(trans.src());
    }
    if let Some(reshape) = ttg::MemDescReshape::of(op) {
        return Some(reshape.src());
    }
    Some(ttg::MemDescReinterpret::of(op)?.src())
}

/// Returns the byte range of the `count` consecutive buffers that begin with buffer `first` of the multi-buffer
/// `buffers`.
fn buffers_range(layouts: &Layouts, buffers: Val<'_>, first: u64, count: u64) -> Option<ViewRange> {
    let place = MemdescLayout::of(layouts, buffers.r#type()).ok()?.place;
    let at = |number: u64| {
        let position = number.checked_mul(1 << place.pitch_log2())?;
        u32::try_from(place.padded(position)).ok()
    };
    Some(ViewRange::Bytes {
        from: at(first)?,
        to: at(first.checked_add(count)?)?,
    })
}

/// Returns the byte range of the buffer that a `ttg.memdesc_index` with a dynamic index selects. Returns `None` if
/// the buffers do not all have the same size in bytes.
fn selected_range(layouts: &Layouts, index: ttg::MemDescIndex<'_, '_>) -> Option<ViewRange> {
    let buffers = MemdescLayout::of(layouts, index.src().r#type()).ok()?;
    let count = *buffers.type_.shape.first()?;
    let of = |first| match buffers_range(layouts, index.src(), first, 1)? {
        ViewRange::Bytes { from, to } => Some((from, to)),
        _ => None,
    };
    let (_, bytes) = of(0)?;
    let is_regular = |(n, first): (u64, u32)| of(n) == Some((first, first + bytes));
    let mut firsts = (0..count).zip((0..).step_by(bytes.max(1) as usize));
    firsts.all(is_regular).then_some(ViewRange::Indexed {
        index: sys::value_id(index.index()),
        bytes,
        rotation: rotation::of(index.index())
            .filter(|rotation| u64::from(rotation.modulus) <= count),
    })
}

pub(crate) fn index<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let index = ttg::MemDescIndex::of(op).expect("the dispatch goes by kind");
    let src = MemdescLayout::of(l.layouts(), index.src().r#type())?;
    let SharedBuffer { base, position } = l.buffer(index.src())?;
    let number = l.get(index.index())[0];
    let count = src.type_.shape.first().copied().unwrap_or(1);
    let number = l.bounded(number, count, &format!("selects one of {count} buffers"));
    let bytes = l.e.shl(number, src.place.pitch_log2());
    let position = l.e.add(position, bytes);
    l.set_buffer(index.result(), SharedBuffer { base, position });
    Ok(())
}

pub(crate) fn subslice<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let slice = ttg::MemDescSubslice::of(op).expect("the dispatch goes by kind");
    let src = MemdescLayout::of(l.layouts(), slice.src().r#type())?;
    let offsets: Vec<u64> = slice
        .offsets()
        .iter()
        .map(|offset| u64::from(offset.unsigned_abs()))
        .collect();
    let (leading, within) = offsets.split_at(src.leading);
    let before = leading.iter().sum::<u64>() << src.place.pitch_log2();
    let bytes = src
        .place
        .position(within)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    let SharedBuffer { base, position } = l.buffer(slice.src())?;
    let bytes = l.e.i32(narrow(before + bytes));
    // Offsets are multiples of the slice's size, so the addition does not carry within a buffer.
    let position = l.e.add(position, bytes);
    l.set_buffer(slice.result(), SharedBuffer { base, position });
    Ok(())
}

pub(crate) fn trans<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let trans = ttg::MemDescTrans::of(op).expect("the dispatch goes by kind");
    let order: Vec<usize> = trans
        .order()
        .iter()
        .map(|d| d.unsigned_abs() as usize)
        .collect();
    same_positions(l, trans.src(), trans.result(), |src, _| {
        let (leading, within) = order.split_at(src.leading);
        let is_in_place = leading.iter().enumerate().all(|(i, d)| i == *d);
        let within: Vec<usize> = within.iter().map(|d| d.wrapping_sub(src.leading)).collect();
        is_in_place.then(|| src.place.layout().transpose_standard(&within))
    })
}

pub(crate) fn reshape<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let reshape = ttg::MemDescReshape::of(op).expect("the dispatch goes by kind");
    same_positions(l, reshape.src(), reshape.result(), |src, dst| {
        let leading = |view: &MemdescLayout<'c>| view.type_.shape[..view.leading].to_vec();
        (leading(src) == leading(dst)).then(|| src.place.layout().reshape_standard(dst.shape()))
    })
}

/// Lowers a view that does not move elements: each element has the same byte offset in the source and in the
/// result.
///
/// `expected` computes the layout that the result type must have from the layouts of the source and the result. It
/// returns `None` if the view changes the multi-buffer dimension, which is an error.
fn same_positions<'c>(
    l: &mut Lowering<'c>,
    src: Val<'c>,
    result: Val<'c>,
    expected: impl Fn(
        &MemdescLayout<'c>,
        &MemdescLayout<'c>,
    ) -> Option<Result<LinearLayout, LayoutError>>,
) -> Outcome {
    let from = MemdescLayout::of(l.layouts(), src.r#type())?;
    let to = MemdescLayout::of(l.layouts(), result.r#type())?;
    let layout = expected(&from, &to).ok_or_else(|| {
        Diagnostic::new("cannot change the leading (multi-buffer) dimension of a memdesc")
            .note("select one buffer first, with `ttg.memdesc_index`")
    })?;
    if layout.as_ref() != Ok(to.place.layout()) || from.place.paddings() != to.place.paddings() {
        return Err(Diagnostic::new(format!(
            "must not move elements, but the result `{}` and the operand `{}` have different element offsets",
            result.r#type(),
            src.r#type()
        )));
    }
    let buffer = l.buffer(src)?;
    l.set_buffer(result, buffer);
    Ok(())
}

pub(crate) fn reinterpret<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = ttg::MemDescReinterpret::of(op).expect("the dispatch goes by kind");
    let src = MemdescLayout::of(l.layouts(), view.src().r#type())?;
    // The verifier checks that paddings are equal in bytes.
    if !src.is_whole() {
        check_contiguous(&src)?;
    }
    let SharedBuffer { base, position } = l.buffer(view.src())?;
    let offset = padded(&mut l.e, &src.place, position);
    let i8 = l.e.types.i8;
    let base = l.e.gep(base, i8, offset);
    let position = l.e.i32(0);
    l.set_buffer(view.result(), SharedBuffer { base, position });
    Ok(())
}

/// Checks that the operand of a reinterpretation is contiguous, and that its size is a multiple of `ALIGNMENT`.
fn check_contiguous(part: &MemdescLayout<'_>) -> Outcome {
    let contiguous = part
        .place
        .contiguous_bytes(part.shape())
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    let is_whole = part.shape() == part.alloc_shape();
    let count: u64 = part.type_.shape[..part.leading].iter().product();
    let Some(bytes) = contiguous.filter(|_| is_whole || count == 1) else {
        return Err(
            Diagnostic::new("requires an operand that is contiguous in shared memory").note(
                "slice whole rows; their number must be a multiple of the buffer's swizzle period",
            ),
        );
    };
    if !bytes.is_multiple_of(u64::from(ALIGNMENT)) {
        return Err(Diagnostic::new(format!(
            "requires an operand whose size is a multiple of {ALIGNMENT} bytes, but got {bytes} bytes"
        )));
    }
    Ok(())
}
