//! Candidates for slices.

use super::{BasisSteps, blocked, matrix};
use crate::encoding::{Encoding, MAX_RANK, SliceEncoding};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;

/// Returns the slices that may have the layout `layout`. A dim of size 1 is inserted at each position, and each
/// encoding that may have the resulting layout is tried as the parent.
pub(super) fn candidates<'a>(
    layout: &'a LinearLayout,
    shape: &'a [u64],
) -> impl Iterator<Item = Encoding> + 'a {
    let rank = shape.len();
    let copies =
        layout.columns_of(Dim::LANE).contains(&0) || layout.columns_of(Dim::WARP).contains(&0);
    let dims = if copies && rank < MAX_RANK {
        0..rank + 1
    } else {
        0..0
    };
    dims.rev().flat_map(move |dim| {
        let wide = insert_dim(layout, dim).and_then(|l| BasisSteps::of(&l));
        let mut padded = [1u64; MAX_RANK];
        for (i, size) in shape.iter().enumerate() {
            padded[i + usize::from(i >= dim)] = *size;
        }
        wide.into_iter()
            .flat_map(move |s| slices_of(&s, dim, &padded[..=rank]))
    })
}

/// Returns slices along dim `gone` that may have the bases `s`. In some of their parents, the lanes and warps whose
/// bases are zero in `s` step along `gone`. In the other parents, they hold copies.
fn slices_of(s: &BasisSteps, gone: usize, shape: &[u64]) -> Vec<Encoding> {
    let grown = s.unfold_along(gone);
    let parents = blocked::candidates(&grown, shape)
        .into_iter()
        .chain(matrix::candidates(&grown))
        .chain(matrix::candidates(s));
    parents
        .filter_map(|p| Some(SliceEncoding::new(narrow(gone), p).ok()?.into()))
        .collect()
}

/// Inserts an output dim of size 1 at position `dim`. Returns `None` if the result is not a valid layout.
fn insert_dim(layout: &LinearLayout, dim: usize) -> Option<LinearLayout> {
    let mut outs: Vec<(Dim, u64)> = layout.out_shape().collect();
    outs.insert(dim, (Dim::out(0), 1));
    for (i, out) in outs.iter_mut().enumerate() {
        out.0 = Dim::out(i);
    }
    let ins: Vec<(Dim, u64)> = layout.in_shape().collect();
    let any = Surjectivity::NotRequired;
    LinearLayout::from_columns(&ins, &outs, layout.columns(), any).ok()
}
