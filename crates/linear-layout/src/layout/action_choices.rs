//! Register permutations for lowerings: broadcast removal, division by a tile, additive addresses.

use super::side::FieldMoves;
use super::{Dim, LayoutError, LinearLayout, RegisterPermutation, Role};
use crate::f2::low_mask;
use crate::number::narrow;

impl RegisterPermutation {
    /// Returns the action on in-dim `dim` that drops the zero bases that this dim has in `layout`.
    ///
    /// # Errors
    /// Returns an error if the layout does not have the dim.
    pub fn removing_broadcast(layout: &LinearLayout, dim: Dim) -> Result<Self, LayoutError> {
        if !layout.has_in_dim(dim) {
            return Err(LayoutError::no_such_dim(Role::In, dim));
        }
        let columns = layout.columns_of(dim);
        let mut result = Self::new(&[], dim, columns.len())?;
        for (i, _) in columns.iter().enumerate().filter(|(_, c)| **c != 0) {
            result.push(i);
        }
        Ok(result)
    }

    /// Returns a permutation of the bases of the first in-dim of `layout`. If `left` is true, the permutation moves
    /// the bases that `tile` has in this dim to the front. Otherwise, it moves them to the end.
    ///
    /// Returns `None` if an out-dim is larger in `tile` than in `layout`, or a basis of `tile` has no equal basis
    /// in `layout`. A later division by `tile` can still fail, because other bases and in-dims are not checked.
    /// # Errors
    /// Returns an error if the first in-dims differ or are missing, or `tile` has an out-dim that `layout` lacks.
    /// # Source
    /// Triton's `regPermForDivide`.
    pub fn for_division(
        layout: &LinearLayout,
        tile: &LinearLayout,
        left: bool,
    ) -> Result<Option<Self>, LayoutError> {
        let Some(dim) = layout.in_dims().next() else {
            return Err(LayoutError::at_least_one_dim(Role::In));
        };
        match tile.in_dims().next() {
            None => return Err(LayoutError::at_least_one_dim(Role::In)),
            Some(first) if first != dim => {
                return Err(LayoutError::order_differs(Role::In, first, dim));
            }
            Some(_) => {}
        }
        let mut moves = FieldMoves::NONE;
        for i in 0..tile.outs.len() {
            let out = tile.outs.dim(i);
            let Some((at, bits)) = layout.outs.range(out) else {
                return Err(LayoutError::no_such_dim(Role::Out, out));
            };
            let tile_bits = tile.outs.log2(i);
            let Some(rest) = bits.checked_sub(tile_bits) else {
                return Ok(None);
            };
            moves.add(
                tile.outs.offset(i),
                tile_bits,
                if left { at } else { at + rest },
            );
        }
        let columns = layout.columns_of(dim);
        let wanted = tile.columns_of(dim);
        let mut chosen = [0usize; 64];
        let mut used = 0u64;
        for (to, &col) in chosen.iter_mut().zip(wanted) {
            let col = moves.apply(col);
            let found = columns
                .iter()
                .enumerate()
                .find(|(j, c)| used >> j & 1 == 0 && **c == col);
            let Some((j, _)) = found else {
                return Ok(None);
            };
            used |= 1 << j;
            *to = j;
        }
        let chosen = &chosen[..wanted.len()];
        let mut result = Self::new(&[], dim, columns.len())?;
        if left {
            chosen.iter().for_each(|j| result.push(*j));
        }
        (0..columns.len())
            .filter(|j| used >> j & 1 == 0)
            .for_each(|j| result.push(j));
        if !left {
            chosen.iter().for_each(|j| result.push(*j));
        }
        Ok(Some(result))
    }

    /// Returns `(n, permutation)`. `permutation` moves the registers with additive addresses to the front, and `n`
    /// is the number of these registers.
    ///
    /// An address is the XOR of two parts: `layout` computes one part from the register, and `addr` computes the
    /// other part from all other inputs. `span_mask` is the mask of the address bits that the offset of a subview
    /// may change. A register basis is additive in two cases:
    /// - It has no common bits with the bases of `addr` or with `span_mask`. Its part can then be *added* to a
    ///   base address.
    /// - It equals a basis of `addr`.
    ///
    /// # Errors
    /// Returns an error if the first in-dim of `layout` is not `register`, or `layout` or `addr` does not have
    /// exactly one out-dim.
    /// # Source
    /// Triton's `actionAdditiveStrides`.
    pub fn additive_strides(
        layout: &LinearLayout,
        addr: &LinearLayout,
        span_mask: u64,
    ) -> Result<(u64, Self), LayoutError> {
        match layout.in_dims().next() {
            None => return Err(LayoutError::no_such_dim(Role::In, Dim::REGISTER)),
            Some(first) if first != Dim::REGISTER => {
                return Err(LayoutError::order_differs(Role::In, first, Dim::REGISTER));
            }
            Some(_) => {}
        }
        for l in [layout, addr] {
            if l.num_out_dims() != 1 {
                return Err(LayoutError::out_dim_count(l.num_out_dims(), 1));
            }
        }
        let bits = addr
            .columns()
            .iter()
            .fold(span_mask, |bits, col| bits | col);
        let columns = layout.columns_of(Dim::REGISTER);
        let additive = |col: u64| col & bits == 0 || addr.columns().contains(&col);
        let mut result = Self::new(&[], Dim::REGISTER, columns.len())?;
        let pick = |wanted| {
            columns
                .iter()
                .enumerate()
                .filter(move |(_, c)| additive(**c) == wanted)
                .map(|(i, _)| i)
        };
        pick(true).for_each(|i| result.push(i));
        let front = result.out_bits();
        pick(false).for_each(|i| result.push(i));
        Ok((1 << front, result))
    }
}

impl LinearLayout {
    /// Returns `slot` without the bits that are free in in-dim `dim` (see
    /// [`free_variable_masks`](Self::free_variable_masks)). The other bits move together, so that they form a
    /// consecutive number. A slot is an index of `dim`, for example a register number.
    ///
    /// If all free bits of `dim` have zero bases, slots with the same result hold the same value. The result is
    /// then the position of this value in the list of the distinct values. The list contains the values of the
    /// slots whose free bits are all zero, in the order of these slots.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[0], &[1]])], &[Dim::out(0)])?;
    /// let slots: Vec<u64> = (0..4).map(|r| l.unique_value_of(Dim::REGISTER, r)).collect();
    /// assert_eq!(slots, [0, 0, 1, 1]); // registers 0 and 1 are one value, 2 and 3 the other
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Source
    /// Triton's `broadcastAs`.
    #[must_use]
    pub fn unique_value_of(&self, dim: Dim, slot: u64) -> u64 {
        let kept = low_mask(self.in_bits(dim)) & !self.free_variable_masks().mask(dim);
        let (mut value, mut to, mut mask) = (0, 0, kept);
        while mask != 0 {
            value |= (slot >> mask.trailing_zeros() & 1) << to;
            to += 1;
            mask &= mask - 1;
        }
        value
    }

    /// Copies each distinct value to all slots that hold it: `out[slot] = unique[unique_value_of(dim, slot)]`.
    ///
    /// `unique` contains the values of the slots whose free bits are all zero, in the order of these slots.
    ///
    /// # Errors
    /// Returns an error if `unique` or `out` has the wrong length.
    pub fn broadcast_values<T: Clone>(
        &self,
        dim: Dim,
        unique: &[T],
        out: &mut [T],
    ) -> Result<(), LayoutError> {
        let free = self.free_variable_masks().mask(dim).count_ones() as usize;
        let bits = self.in_bits(dim);
        for (found, bits) in [(unique.len(), bits - free), (out.len(), bits)] {
            if found as u64 != 1 << bits {
                return Err(LayoutError::value_count(dim, found, 1 << bits));
            }
        }
        for (slot, to) in out.iter_mut().enumerate() {
            *to = unique[narrow::<usize>(self.unique_value_of(dim, slot as u64))].clone();
        }
        Ok(())
    }
}
