//! Tensor views: splat, `expand_dims`, broadcast, trans, reshape, join, split, cat, and AMD's slices and
//! concatenations. Views only rename registers.

use super::state::{Lowering, Outcome};
use crate::ir::ops::{amdg, tt};
use crate::ir::{OpKind, OpView, TensorLayout, view};
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use linear_layout::layout::Dim;
use melior::ir::ValueLike;

pub(crate) fn splat<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let splat = tt::Splat::of(op).expect("the dispatch goes by kind");
    let (source, result) = (l.get(splat.src()), splat.result());
    let count = l.tensor_layout(result)?.num_registers();
    l.set(result, vec![source[0]; count]);
    Ok(())
}

/// Lowers `tt.unsplat`. Every thread holds the single element.
pub(crate) fn unsplat<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let unsplat = tt::Unsplat::of(op).expect("the dispatch goes by kind");
    let element = l.get(unsplat.src())[0];
    l.set(unsplat.result(), [element]);
    Ok(())
}

/// Lowers a view whose result registers are source registers, which may be permuted and repeated.
///
/// The view must be a linear map from the packed coordinates of the result to those of the source.
pub(crate) fn rename<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let (source, result) = (build::only_operand(op), build::only_result(op));
    let (from, to) = (l.tensor_layout(source)?, l.tensor_layout(result)?);
    let sources = match OpView::of(op) {
        Some(OpView::TtExpandDims(_)) => {
            // The new dimension has size 1, hence no bits in packed coordinates.
            view::register_sources(&to.unique, &from.unique, |x| x)
        }
        Some(OpView::TtBroadcast(_)) => {
            let kept = broadcast_mask(&from, &to);
            view::register_sources(&to.unique, &from.unique, |x| compress(x, kept))
        }
        Some(OpView::TtTrans(trans)) => {
            let order: Vec<usize> = trans
                .order()
                .into_iter()
                .map(|d| usize::try_from(d).unwrap_or_default())
                .collect();
            let moved = from
                .unique
                .transpose_standard(&order)
                .map_err(to_diagnostic)?;
            view::register_sources(&to.unique, &moved, |x| x)
        }
        Some(OpView::TtReshape(reshape))
            if reshape.allow_reorder() && from.num_registers() == to.num_registers() =>
        {
            // Any bijection of elements is allowed; the identity on registers is free.
            Ok((0..to.num_registers()).collect())
        }
        _ => {
            let shape: Vec<u64> = (0..to.unique.num_out_dims())
                .map(|d| to.unique.out_size(Dim::out(d)))
                .collect();
            let moved = from
                .unique
                .reshape_standard(&shape)
                .map_err(to_diagnostic)?;
            view::register_sources(&to.unique, &moved, |x| x)
        }
    }
    .map_err(|reason| {
        Diagnostic::new(reason)
            .note("convert the operand to another layout first, with `ttg.convert_layout`")
    })?;
    let values = l.get(source);
    let renamed: Vec<Val<'c>> = sources.into_iter().map(|r| values[r]).collect();
    l.set(result, renamed);
    Ok(())
}

fn to_diagnostic(error: linear_layout::layout::LayoutError) -> Diagnostic {
    Diagnostic::new(error.to_string())
}

/// Returns a mask of bits in the packed coordinates of the result. It contains the bits of all dimensions that are
/// not broadcast.
fn broadcast_mask(from: &TensorLayout, to: &TensorLayout) -> u64 {
    let mut mask = 0;
    let mut at = 0;
    for d in 0..to.unique.num_out_dims() {
        let bits = to.unique.out_bits(Dim::out(d));
        if from.unique.out_bits(Dim::out(d)) == bits {
            mask |= ((1 << bits) - 1) << at;
        }
        at += bits;
    }
    mask
}

/// Packs the bits of `x` that are set in `mask` into the lowest bits, like the `pext` instruction.
fn compress(x: u64, mask: u64) -> u64 {
    let (mut out, mut at) = (0, 0);
    for bit in 0..64 {
        if mask >> bit & 1 == 1 {
            out |= (x >> bit & 1) << at;
            at += 1;
        }
    }
    out
}

fn half_bit(layout: &TensorLayout) -> Result<usize, Diagnostic> {
    let pair = 1u64 << (layout.unique.total_out_bits() - 1);
    layout
        .unique
        .columns_of(Dim::REGISTER)
        .iter()
        .position(|column| *column == pair)
        .ok_or_else(|| {
            Diagnostic::new(format!(
                "requires each thread to hold the two elements of the last dimension, but the layout is `{}`",
                layout.encoding
            ))
        })
}

/// Removes bit `bit` from a register index. Higher bits move down.
fn without_bit(r: usize, bit: usize) -> usize {
    (r & ((1 << bit) - 1)) | (r >> 1 & !((1 << bit) - 1))
}

pub(crate) fn join<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let join = tt::Join::of(op).expect("the dispatch goes by kind");
    let result = join.result();
    let layout = l.tensor_layout(result)?;
    let bit = half_bit(&layout)?;
    let halves = [join.lhs(), join.rhs()].map(|half| l.get(half));
    let joined: Vec<Val<'c>> = (0..layout.num_registers())
        .map(|r| halves[r >> bit & 1][without_bit(r, bit)])
        .collect();
    l.set(result, joined);
    Ok(())
}

pub(crate) fn split<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let split = tt::Split::of(op).expect("the dispatch goes by kind");
    let source = split.src();
    let layout = l.tensor_layout(source)?;
    let bit = half_bit(&layout)?;
    let values = l.get(source);
    for (half, result) in [split.out_lhs(), split.out_rhs()].into_iter().enumerate() {
        let part: Vec<Val<'c>> = (0..layout.num_registers())
            .filter(|r| r >> bit & 1 == half)
            .map(|r| values[r])
            .collect();
        debug_assert_eq!(values[0].r#type(), part[0].r#type());
        l.set(result, part);
    }
    Ok(())
}

/// Lowers `tt.cat` by concatenating registers. The element order of the result is unspecified, so no data moves.
pub(crate) fn cat<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let cat = tt::Cat::of(op).expect("the dispatch goes by kind");
    let result = cat.result();
    let to = l.tensor_layout(result)?.unique.free_variable_masks();
    let mut registers: Vec<Val<'c>> = Vec::new();
    for operand in [cat.lhs(), cat.rhs()] {
        let from = l.tensor_layout(operand)?.unique.free_variable_masks();
        // The operands and the result must have the same replicas.
        for dim in [Dim::LANE, Dim::WARP, Dim::BLOCK] {
            if from.mask(dim) != to.mask(dim) {
                return Err(Diagnostic::new(format!(
                    "requires operands and a result with the same replication, but `{}` and `{}` are replicated differently",
                    operand.r#type(),
                    result.r#type()
                ))
                .note(format!(
                    "convert the operands or the result with `{}`",
                    OpKind::TtgConvertLayout.name()
                )));
            }
        }
        registers.extend(l.get(operand).iter());
    }
    l.set(result, registers);
    Ok(())
}

/// Lowers `amdg.extract_slice` by selecting the registers that hold the slice.
pub(crate) fn extract_slice<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let slice = amdg::ExtractSlice::of(op).expect("the dispatch goes by kind");
    let offsets: Vec<u64> = slice
        .static_offsets()
        .iter()
        .map(|o| o.unsigned_abs())
        .collect();
    rename_parts(l, &[slice.source()], slice.result(), |element| {
        let pairs = element.iter().zip(&offsets);
        (0, pairs.map(|(at, offset)| at + offset).collect())
    })
}

/// Lowers `amdg.concat`. The operands are parts of the result that have equal shapes. The operands are ordered by
/// the row-major order of these parts in the result.
pub(crate) fn concat<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let concat = amdg::Concat::of(op).expect("the dispatch goes by kind");
    let (sources, result) = (concat.sources(), concat.result());
    let (part, whole) = (l.tensor_layout(sources[0])?, l.tensor_layout(result)?);
    let sizes: Vec<(u64, u64)> = (0..whole.unique.num_out_dims())
        .map(|d| {
            (
                part.unique.out_size(Dim::out(d)),
                whole.unique.out_size(Dim::out(d)),
            )
        })
        .collect();
    rename_parts(l, &sources, result, |element| {
        let pairs = element.iter().zip(&sizes);
        let index = pairs.clone().fold(0, |index, (at, (part, whole))| {
            index * (whole / part) + at / part
        });
        let index = usize::try_from(index).expect("the parts are operands");
        (index, pairs.map(|(at, (part, _))| at % part).collect())
    })
}

/// Lowers an operation whose result registers are registers of the operands `sources`.
///
/// `source` maps the coordinates of an element in the result to an operand and the coordinates in this operand.
fn rename_parts<'c>(
    l: &mut Lowering<'c>,
    sources: &[Val<'c>],
    result: Val<'c>,
    source: impl Fn(&[u64]) -> view::PartElement,
) -> Outcome {
    let (from, to) = (l.tensor_layout(sources[0])?, l.tensor_layout(result)?);
    let registers =
        view::part_sources(&to.unique, &from.unique, source).map_err(Diagnostic::new)?;
    let values: Vec<_> = sources.iter().map(|part| l.get(*part)).collect();
    let renamed: Vec<Val<'c>> = registers
        .into_iter()
        .map(|(part, r)| values[part][r])
        .collect();
    l.set(result, renamed);
    Ok(())
}
