//! Views of buffers: each moves the position, none moves data.
//!
//! A view is right where its type's layout puts every element at the position at which it is already; each
//! view checks that, so that a type whose layout says something else is an error.

use super::{Buffer, Outcome, View, padded};
use crate::ir::ops::ttg;
use crate::lower::function::Lowering;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use melior::ir::ValueLike;

pub(crate) fn index<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let index = ttg::MemDescIndex::of(op).expect("the dispatch goes by kind");
    let src = View::of(l.layouts(), index.src().r#type())?;
    let Buffer { base, position } = Buffer::of(l, index.src())?;
    let number = l.get(index.index())[0];
    let bytes = l.e.shl(number, src.place.pitch_log2());
    let position = l.e.add(position, bytes);
    Buffer { base, position }.set(l, index.result());
    Ok(())
}

pub(crate) fn subslice<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let slice = ttg::MemDescSubslice::of(op).expect("the dispatch goes by kind");
    let src = View::of(l.layouts(), slice.src().r#type())?;
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
    let Buffer { base, position } = Buffer::of(l, slice.src())?;
    let bytes = l.e.i32(super::narrow(before + bytes));
    // A part begins at a multiple of its size: no bit is carried within a buffer.
    let position = l.e.add(position, bytes);
    Buffer { base, position }.set(l, slice.result());
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
        src.place.layout().transpose_standard(&order).ok()
    })
}

pub(crate) fn reshape<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let reshape = ttg::MemDescReshape::of(op).expect("the dispatch goes by kind");
    same_positions(l, reshape.src(), reshape.result(), |src, dst| {
        src.place.layout().reshape_standard(dst.shape()).ok()
    })
}

/// Hands a buffer on under another type, whose layout must be the one that is `expected`.
fn same_positions<'c>(
    l: &mut Lowering<'c>,
    src: Val<'c>,
    result: Val<'c>,
    expected: impl Fn(&View<'c>, &View<'c>) -> Option<crate::layout::LinearLayout>,
) -> Outcome {
    let from = View::of(l.layouts(), src.r#type())?;
    let to = View::of(l.layouts(), result.r#type())?;
    if from.leading != 0 || to.leading != 0 {
        return Err(
            Diagnostic::new("cannot be lowered yet on several buffers in a row")
                .note("take one of them first, with `ttg.memdesc_index`"),
        );
    }
    let layout = expected(&from, &to);
    if layout.as_ref() != Some(to.place.layout()) || from.place.paddings() != to.place.paddings() {
        return Err(Diagnostic::new(format!(
            "cannot be lowered: the elements of `{}` are not where those of `{}` are",
            result.r#type(),
            src.r#type()
        )));
    }
    Buffer::of(l, src)?.set(l, result);
    Ok(())
}

pub(crate) fn reinterpret<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = ttg::MemDescReinterpret::of(op).expect("the dispatch goes by kind");
    let src = View::of(l.layouts(), view.src().r#type())?;
    let dst = View::of(l.layouts(), view.result().r#type())?;
    if !src.is_whole() {
        // Where a part begins, the accesses of another type may not be aligned.
        return Err(Diagnostic::new(
            "cannot be lowered yet on a part of a buffer; on a whole buffer it can",
        ));
    }
    if src.place.paddings() != dst.place.paddings() {
        return Err(Diagnostic::new(
            "cannot be lowered yet where the gaps of the operand and the result differ in bytes",
        )
        .note("elements of the same width have gaps of the same bytes"));
    }
    let Buffer { base, position } = Buffer::of(l, view.src())?;
    let offset = padded(l, &src.place, position);
    let i8 = l.e.types.i8;
    let base = l.e.gep(base, i8, offset);
    let position = l.e.i32(0);
    Buffer { base, position }.set(l, view.result());
    Ok(())
}
