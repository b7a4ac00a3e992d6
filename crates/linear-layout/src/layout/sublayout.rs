//! Sub-matrices of a layout, and tests for zero and identity blocks.

use super::side::{FieldMoves, LayoutSide};
use super::{Dim, LayoutError, LinearLayout, Role};
use crate::f2::{low_mask, shl};

impl LinearLayout {
    /// Returns the sub-matrix that maps the in-dims `ins` to the out-dims `outs`. The dims stay in the order that
    /// they have in `self`.
    ///
    /// The sizes of the dims are unchanged, so the result may not be surjective.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[1, 1]])], &[Dim::out(0), Dim::out(1)])?;
    /// let lanes_to_dim1 = l.sublayout(&[Dim::LANE], &[Dim::out(1)])?;
    /// assert_eq!(lanes_to_dim1.basis(Dim::LANE, 0), [1]);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Errors
    /// Returns an error if a dim is not in `self`.
    pub fn sublayout(&self, ins: &[Dim], outs: &[Dim]) -> Result<Self, LayoutError> {
        let kept_ins = select(&self.ins, ins, Role::In)?;
        let kept_outs = select(&self.outs, outs, Role::Out)?;
        let moves = FieldMoves::between(&self.outs, &kept_outs.side);
        let mut result = Self::zero(kept_ins.side, kept_outs.side);
        let mut at = 0;
        for dim in kept_ins.side.iter() {
            for &col in self.columns_of(dim) {
                result.cols[at] = moves.apply(col);
                at += 1;
            }
        }
        Ok(result)
    }

    /// Returns true if the out-dims `outs` do not depend on the in-dims `ins`.
    ///
    /// # Errors
    /// Returns an error if a dim is not in `self`.
    pub fn sublayout_is_zero(&self, ins: &[Dim], outs: &[Dim]) -> Result<bool, LayoutError> {
        let in_mask = select(&self.ins, ins, Role::In)?.mask;
        let out_mask = select(&self.outs, outs, Role::Out)?.mask;
        Ok(self.block_is_zero(in_mask, out_mask))
    }

    fn block_is_zero(&self, in_mask: u64, out_mask: u64) -> bool {
        let mut touched = 0;
        for (i, &col) in self.columns().iter().enumerate() {
            if in_mask >> i & 1 == 1 {
                touched |= col;
            }
        }
        touched & out_mask == 0
    }

    /// Returns true if the sub-matrix from the in-dims `dims` to the out-dims `dims` is the identity.
    ///
    /// Returns false if a dim is missing. Unlike in [`is_trivial_over`](Self::is_trivial_over), the entries between
    /// `dims` and other dims are ignored.
    fn square_sublayout_is_identity(&self, dims: &[Dim]) -> bool {
        let mut out_mask = 0;
        for &dim in dims {
            match self.outs.position(dim) {
                Some(i) => out_mask |= self.outs.mask(i),
                None => return false,
            }
        }
        dims.iter().all(|&dim| {
            let (Some((_, in_bits)), Some((at, out_bits))) =
                (self.ins.range(dim), self.outs.range(dim))
            else {
                return false;
            };
            in_bits == out_bits
                && self
                    .columns_of(dim)
                    .iter()
                    .enumerate()
                    .all(|(bit, col)| col & out_mask == shl(1, at + bit))
        })
    }

    /// Returns true if the layout maps the in-dims `dims` identically to the out-dims of the same names, and no
    /// entry of the layout's matrix connects these dims with other dims.
    ///
    /// Returns false if a dim is missing.
    #[must_use]
    pub fn is_trivial_over(&self, dims: &[Dim]) -> bool {
        let (Ok(ins), Ok(outs)) = (
            select(&self.ins, dims, Role::In),
            select(&self.outs, dims, Role::Out),
        ) else {
            return false;
        };
        let rest_in = low_mask(self.ins.bits()) & !ins.mask;
        let rest_out = low_mask(self.outs.bits()) & !outs.mask;
        self.square_sublayout_is_identity(dims)
            && self.block_is_zero(rest_in, outs.mask)
            && self.block_is_zero(ins.mask, rest_out)
    }

    /// Returns the layout without `dims`, or `None` if the layout is not [trivial](Self::is_trivial_over) over `dims`.
    #[must_use]
    pub fn quotient(&self, dims: &[Dim]) -> Option<Self> {
        if !self.is_trivial_over(dims) {
            return None;
        }
        let mut ins = [Dim::REGISTER; super::MAX_DIMS];
        let mut outs = ins;
        let rest = |side: &LayoutSide, list: &mut [Dim]| {
            let mut n = 0;
            for dim in side.iter().filter(|d| !dims.contains(d)) {
                list[n] = dim;
                n += 1;
            }
            n
        };
        let num_ins = rest(&self.ins, &mut ins);
        let num_outs = rest(&self.outs, &mut outs);
        self.sublayout(&ins[..num_ins], &outs[..num_outs]).ok()
    }

    /// Returns true if in-dim `dim` maps identically to out-dim `dim`, and no other in-dim changes this out-dim.
    #[must_use]
    pub fn is_identity_on_out_dim(&self, dim: Dim) -> bool {
        let Ok(outs) = select(&self.outs, &[dim], Role::Out) else {
            return false;
        };
        let own = self.ins.position(dim).map_or(0, |i| self.ins.mask(i));
        self.square_sublayout_is_identity(&[dim])
            && self.block_is_zero(low_mask(self.ins.bits()) & !own, outs.mask)
    }
}

struct Selection {
    side: LayoutSide,
    mask: u64,
}

/// Returns those dims of `side` that are listed in `dims`, in the order of `side`. A dim that is listed repeatedly
/// is returned once.
///
/// Returns an error if a listed dim is not in `side`.
fn select(side: &LayoutSide, dims: &[Dim], role: Role) -> Result<Selection, LayoutError> {
    if let Some(&dim) = dims.iter().find(|d| side.position(**d).is_none()) {
        return Err(LayoutError::no_such_dim(role, dim));
    }
    let mut result = Selection {
        side: LayoutSide::EMPTY,
        mask: 0,
    };
    for i in (0..side.len()).filter(|&i| dims.contains(&side.dim(i))) {
        result.side.push(role, side.dim(i), side.log2(i))?;
        result.mask |= side.mask(i);
    }
    Ok(result)
}
