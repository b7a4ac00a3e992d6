//! Fitting a layout to a tensor shape, by broadcasting or repetition.

use super::side::{FieldMoves, log2_of};
use super::{Dim, LayoutError, LinearLayout, Role};
use crate::f2::{low_mask, shl};

/// Returns a copy of `layout` in which each out-dim that is larger than its size in `shape` is reduced to this
/// size.
///
/// A basis component that is not below the size in `shape` becomes zero, so that an input bit that steps outside
/// `shape` becomes a broadcast. If `broadcast_registers` is false, a register basis that becomes zero is dropped,
/// so that a thread holds no copies. For example, four registers along a row are fitted to a row of two:
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout, ensure_not_larger_than};
/// let d = Dim::out(0);
/// let four = LinearLayout::identity_1d(4, Dim::REGISTER, d)?;
/// assert_eq!(ensure_not_larger_than(&four, &[(d, 2)], true)?.columns(), [1, 0]);
/// assert_eq!(ensure_not_larger_than(&four, &[(d, 2)], false)?.columns(), [1]);
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Shape
/// `shape` names each out-dim once, in any order. In-dims and dim orders are unchanged.
/// # Errors
/// Returns an error if the dims of `shape` are not the out-dims, or a size is not a power of two.
/// # Source
/// Triton's `ensureLayoutNotLargerThan`.
pub fn ensure_not_larger_than(
    layout: &LinearLayout,
    shape: &[(Dim, u64)],
    broadcast_registers: bool,
) -> Result<LinearLayout, LayoutError> {
    let mut outs = layout.outs;
    // For each dim that shrinks: the mask of the dropped bits, and the mask of the whole dim.
    let mut cuts = [(0u64, 0u64); super::MAX_DIMS];
    let mut any = false;
    for (i, wanted) in wanted_bits(layout, shape)?
        .into_iter()
        .enumerate()
        .take(outs.len())
    {
        let bits = outs.log2(i);
        if wanted < bits {
            let high = shl(low_mask(bits - wanted), layout.outs.offset(i) + wanted);
            cuts[i] = (high, layout.outs.mask(i));
            outs.set_log2(Role::Out, i, wanted)?;
            any = true;
        }
    }
    if !any {
        return Ok(layout.clone());
    }
    let moves = FieldMoves::between(&layout.outs, &outs);
    let mut result = LinearLayout::zero(layout.ins, outs);
    let mut to = 0;
    for i in 0..layout.ins.len() {
        let dim = layout.ins.dim(i);
        let mut kept_bits = 0;
        for &col in layout.columns_of(dim) {
            let mut kept = col;
            for (high, whole) in &cuts[..outs.len()] {
                if col & high != 0 {
                    kept &= !whole;
                }
            }
            let became_zero = kept == 0 && col != 0;
            if became_zero && !broadcast_registers && dim == Dim::REGISTER {
                continue;
            }
            result.cols[to] = moves.apply(kept);
            to += 1;
            kept_bits += 1;
        }
        result.ins.set_log2(Role::In, i, kept_bits)?;
    }
    Ok(result)
}

/// Returns `layout`, repeated until no out-dim is smaller than its size in `shape`.
///
/// For each out-dim that is too small, in order, the layout is multiplied by an identity from its first in-dim
/// (usually `register` or `offset`) to this out-dim. For example, two lanes are repeated along a row of eight
/// elements, so that each lane holds four registers:
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout, ensure_not_smaller_than};
/// let d = Dim::out(0);
/// let one = LinearLayout::identity_1d(1, Dim::REGISTER, d)?;
/// let lanes = one.product(&LinearLayout::identity_1d(2, Dim::LANE, d)?)?;
/// assert_eq!(ensure_not_smaller_than(&lanes, &[(d, 8)])?.columns(), [2, 4, 1]);
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Shape
/// `shape` names each out-dim once, in any order.
/// # Errors
/// Returns an error if the dims of `shape` are not the out-dims, a size is not a power of two, the layout has no
/// in-dim, or a limit is exceeded.
/// # Source
/// Triton's `ensureLayoutNotSmallerThan`.
pub fn ensure_not_smaller_than(
    layout: &LinearLayout,
    shape: &[(Dim, u64)],
) -> Result<LinearLayout, LayoutError> {
    let wanted = wanted_bits(layout, shape)?;
    let mut result = layout.clone();
    for (i, wanted) in wanted.into_iter().enumerate().take(layout.outs.len()) {
        let more = wanted.saturating_sub(layout.outs.log2(i));
        if more == 0 {
            continue;
        }
        if layout.ins.len() == 0 {
            return Err(LayoutError::at_least_one_dim(Role::In));
        }
        let repeat = LinearLayout::identity_1d(1 << more, layout.ins.dim(0), layout.outs.dim(i))?;
        result = result.product(&repeat)?;
    }
    Ok(result)
}

/// Returns log2 of the sizes in `shape`, in out-dim order. Returns an error if the dims of `shape` are not the
/// out-dims of `layout`.
fn wanted_bits(
    layout: &LinearLayout,
    shape: &[(Dim, u64)],
) -> Result<[usize; super::MAX_DIMS], LayoutError> {
    let mut wanted = [0; super::MAX_DIMS];
    let mut seen = 0u32;
    for &(dim, size) in shape {
        let i = layout
            .outs
            .position(dim)
            .ok_or_else(|| LayoutError::no_such_dim(Role::Out, dim))?;
        if seen >> i & 1 == 1 {
            return Err(LayoutError::duplicate_dim(Role::Out, dim));
        }
        seen |= 1 << i;
        wanted[i] = log2_of(Role::Out, dim, size)?;
    }
    match (0..layout.outs.len()).find(|i| seen >> i & 1 == 0) {
        Some(i) => Err(LayoutError::dim_missing(Role::Out, layout.outs.dim(i))),
        None => Ok(wanted),
    }
}
