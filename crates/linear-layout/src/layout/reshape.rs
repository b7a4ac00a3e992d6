//! Operations that change the dims of a layout: transpose, reshape, flatten, squeeze, rename, resize.

use super::side::{FieldMoves, LayoutSide, log2_of};
use super::{Dim, LayoutError, LinearLayout, Role};
use crate::f2::{low_mask, shl};

impl LinearLayout {
    /// Returns the layout with its in-dims in the order `order`.
    ///
    /// # Errors
    /// Returns an error if `order` is not a permutation of the in-dims.
    pub fn transpose_ins(&self, order: &[Dim]) -> Result<Self, LayoutError> {
        let ins = reorder_side(&self.ins, order, Role::In)?;
        let mut result = Self::zero(ins, self.outs);
        let mut at = 0;
        for &dim in order {
            let columns = self.columns_of(dim);
            result.cols[at..at + columns.len()].copy_from_slice(columns);
            at += columns.len();
        }
        Ok(result)
    }

    /// Returns the layout with its out-dims in the order `order`.
    ///
    /// # Errors
    /// Returns an error if `order` is not a permutation of the out-dims.
    pub fn transpose_outs(&self, order: &[Dim]) -> Result<Self, LayoutError> {
        let outs = reorder_side(&self.outs, order, Role::Out)?;
        Ok(self.apply_moves(outs, &FieldMoves::between(&self.outs, &outs)))
    }

    fn apply_moves(&self, outs: LayoutSide, moves: &FieldMoves) -> Self {
        let mut result = Self::zero(self.ins, outs);
        for (to, &col) in result.cols.iter_mut().zip(self.columns()) {
            *to = moves.apply(col);
        }
        result
    }

    /// Returns the layout in which the in-dims are replaced by `dims`, and the input bits are divided among these
    /// new in-dims. Each entry of `dims` is a pair `(name, size)`.
    ///
    /// The first dim gets the lowest bits.
    ///
    /// # Laws
    /// Columns and the packed map are unchanged (`reshape_keeps_packed_map`).
    /// # Errors
    /// Returns an error if a size is not a power of two, a dim is named twice, or the total size differs from the
    /// total size of the old in-dims.
    pub fn reshape_ins(&self, dims: &[(Dim, u64)]) -> Result<Self, LayoutError> {
        let ins = reshape_side(&self.ins, dims, Role::In)?;
        Ok(Self {
            ins,
            ..self.clone()
        })
    }

    /// Returns the layout in which the out-dims are replaced by `dims`, and the output bits are divided among these
    /// new out-dims. Each entry of `dims` is a pair `(name, size)`.
    ///
    /// The first dim gets the lowest bits.
    ///
    /// # Laws
    /// Columns and the packed map are unchanged (`reshape_keeps_packed_map`).
    /// # Errors
    /// Returns an error if a size is not a power of two, a dim is named twice, or the total size differs from the
    /// total size of the old out-dims.
    pub fn reshape_outs(&self, dims: &[(Dim, u64)]) -> Result<Self, LayoutError> {
        let outs = reshape_side(&self.outs, dims, Role::Out)?;
        Ok(Self {
            outs,
            ..self.clone()
        })
    }

    /// Joins all in-dims into one dim with the name of the first in-dim.
    ///
    /// A layout without in-dims is returned unchanged.
    /// # Errors
    /// Returns an error if the joined dim would have 64 bits.
    pub fn flatten_ins(&self) -> Result<Self, LayoutError> {
        let ins = flatten_side(&self.ins, Role::In)?;
        Ok(Self {
            ins,
            ..self.clone()
        })
    }

    /// Joins all out-dims into one dim with the name of the first out-dim.
    ///
    /// A layout without out-dims is returned unchanged.
    /// # Errors
    /// Returns an error if the joined dim would have 64 bits.
    pub fn flatten_outs(&self) -> Result<Self, LayoutError> {
        let outs = flatten_side(&self.outs, Role::Out)?;
        Ok(Self {
            outs,
            ..self.clone()
        })
    }

    /// Removes in-dim `dim`, which must have size 1.
    ///
    /// # Errors
    /// Returns an error if there is no such dim, or its size is not 1.
    pub fn squeeze_ins(&self, dim: Dim) -> Result<Self, LayoutError> {
        let ins = squeeze_side(&self.ins, dim, Role::In)?;
        Ok(Self {
            ins,
            ..self.clone()
        })
    }

    /// Removes out-dim `dim`, which must have size 1.
    ///
    /// # Errors
    /// Returns an error if there is no such dim, or its size is not 1.
    pub fn squeeze_outs(&self, dim: Dim) -> Result<Self, LayoutError> {
        let outs = squeeze_side(&self.outs, dim, Role::Out)?;
        Ok(Self {
            outs,
            ..self.clone()
        })
    }

    /// Renames in-dim `from` to `to`.
    ///
    /// # Errors
    /// Returns an error if there is no in-dim `from`, or another in-dim has the name `to`.
    pub fn rename_in(&self, from: Dim, to: Dim) -> Result<Self, LayoutError> {
        let i = self
            .ins
            .position(from)
            .ok_or_else(|| LayoutError::no_such_dim(Role::In, from))?;
        let mut result = self.clone();
        result.ins.rename(Role::In, i, to)?;
        Ok(result)
    }

    /// Renames out-dim `from` to `to`.
    ///
    /// # Errors
    /// Returns an error if there is no out-dim `from`, or another out-dim has the name `to`.
    pub fn rename_out(&self, from: Dim, to: Dim) -> Result<Self, LayoutError> {
        let i = self
            .outs
            .position(from)
            .ok_or_else(|| LayoutError::no_such_dim(Role::Out, from))?;
        let mut result = self.clone();
        result.outs.rename(Role::Out, i, to)?;
        Ok(result)
    }

    /// Changes the size of in-dim `dim` to `size`.
    ///
    /// A smaller size drops the most significant bases of the dim. A larger size appends zero bases, so that the
    /// added inputs are copies.
    ///
    /// # Errors
    /// Returns an error if there is no such in-dim, the size is not a power of two, or a limit is exceeded.
    pub fn resize_in(&self, dim: Dim, size: u64) -> Result<Self, LayoutError> {
        let i = self
            .ins
            .position(dim)
            .ok_or_else(|| LayoutError::no_such_dim(Role::In, dim))?;
        let mut ins = self.ins;
        ins.set_log2(Role::In, i, log2_of(Role::In, dim, size)?)?;
        let mut result = Self::zero(ins, self.outs);
        for j in 0..ins.len() {
            let columns = self.columns_of(ins.dim(j));
            let kept = columns.len().min(ins.log2(j));
            result.cols[ins.offset(j)..][..kept].copy_from_slice(&columns[..kept]);
        }
        Ok(result)
    }

    /// Reduces the size of out-dim `dim` to `size`.
    ///
    /// A basis component that is not below `size` becomes zero: for `size` 4, the component 5 becomes 0, not 1.
    ///
    /// # Errors
    /// Returns an error if there is no such out-dim, `size` is not a power of two, or `size` is larger than the old
    /// size.
    pub fn resize_out(&self, dim: Dim, size: u64) -> Result<Self, LayoutError> {
        let i = self
            .outs
            .position(dim)
            .ok_or_else(|| LayoutError::no_such_dim(Role::Out, dim))?;
        let bits = log2_of(Role::Out, dim, size)?;
        if bits > self.outs.log2(i) {
            return Err(LayoutError::not_resizable(dim, self.outs.size(i), size));
        }
        let mut outs = self.outs;
        outs.set_log2(Role::Out, i, bits)?;
        let (at, old) = (self.outs.offset(i), self.outs.log2(i));
        let high = shl(low_mask(old - bits), at + bits);
        let whole = self.outs.mask(i);
        let moves = FieldMoves::between(&self.outs, &outs);
        let mut result = Self::zero(self.ins, outs);
        for (to, &col) in result.cols.iter_mut().zip(self.columns()) {
            *to = moves.apply(if col & high == 0 { col } else { col & !whole });
        }
        Ok(result)
    }

    /// Drops the zero bases of in-dim `dim`. Each dropped basis halves the size of the dim.
    ///
    /// # Errors
    /// Returns an error if there is no such in-dim.
    pub fn remove_zero_bases(&self, dim: Dim) -> Result<Self, LayoutError> {
        let i = self
            .ins
            .position(dim)
            .ok_or_else(|| LayoutError::no_such_dim(Role::In, dim))?;
        let (at, bits) = (self.ins.offset(i), self.ins.log2(i));
        let kept = self.cols[at..at + bits].iter().filter(|c| **c != 0).count();
        let mut ins = self.ins;
        ins.set_log2(Role::In, i, kept)?;
        let mut result = Self::zero(ins, self.outs);
        let mut to = 0;
        for (j, &col) in self.columns().iter().enumerate() {
            if col != 0 || !(at..at + bits).contains(&j) {
                result.cols[to] = col;
                to += 1;
            }
        }
        Ok(result)
    }
}

fn reorder_side(side: &LayoutSide, order: &[Dim], role: Role) -> Result<LayoutSide, LayoutError> {
    let mut result = LayoutSide::EMPTY;
    for &dim in order {
        let Some((_, bits)) = side.range(dim) else {
            return Err(LayoutError::no_such_dim(role, dim));
        };
        result.push(role, dim, bits)?;
    }
    side.check_same_dims(role, &result)?;
    Ok(result)
}

fn reshape_side(
    side: &LayoutSide,
    dims: &[(Dim, u64)],
    role: Role,
) -> Result<LayoutSide, LayoutError> {
    let mut result = LayoutSide::EMPTY;
    for &(dim, size) in dims {
        result.push_size(role, dim, size)?;
    }
    if result.bits() != side.bits() {
        return Err(LayoutError::totals_differ(role, result.bits(), side.bits()));
    }
    Ok(result)
}

#[inline]
fn flatten_side(side: &LayoutSide, role: Role) -> Result<LayoutSide, LayoutError> {
    let mut result = LayoutSide::EMPTY;
    if side.len() > 0 {
        result.push(role, side.dim(0), side.bits())?;
    }
    Ok(result)
}

fn squeeze_side(side: &LayoutSide, dim: Dim, role: Role) -> Result<LayoutSide, LayoutError> {
    match side.position(dim) {
        None => Err(LayoutError::no_such_dim(role, dim)),
        Some(i) if side.log2(i) != 0 => Err(LayoutError::not_size_one(role, dim, side.size(i))),
        Some(at) => {
            let mut result = LayoutSide::EMPTY;
            for i in (0..side.len()).filter(|i| *i != at) {
                result.push(role, side.dim(i), side.log2(i))?;
            }
            Ok(result)
        }
    }
}
