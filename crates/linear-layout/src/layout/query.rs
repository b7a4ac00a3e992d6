//! Properties of a layout: dims, bases, application, rank and kernel.

use super::side::{LayoutSide, MAX_DIMS};
use super::{Coords, Dim, LayoutError, LinearLayout, Role};
use crate::f2::{Echelon, low_mask};

/// For each in-dim, the mask of its free input bits. See [`LinearLayout::free_variable_masks`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FreeMasks {
    ins: LayoutSide,
    packed: u64,
}

impl FreeMasks {
    /// Returns the mask of `dim`, or 0 if `dim` is not an in-dim.
    #[inline]
    #[must_use]
    pub fn mask(&self, dim: Dim) -> u64 {
        self.ins
            .position(dim)
            .map_or(0, |i| self.ins.extract(i, self.packed))
    }

    /// Returns all masks packed into one word. The mask of an in-dim occupies the same bits of the word as the
    /// in-dim's index occupies in the packed input of [`LinearLayout::apply_packed`].
    #[inline]
    #[must_use]
    pub const fn packed(&self) -> u64 {
        self.packed
    }

    /// Returns each in-dim with its mask, in dim order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Dim, u64)> + '_ {
        (0..self.ins.len()).map(|i| (self.ins.dim(i), self.ins.extract(i, self.packed)))
    }
}

impl core::fmt::Debug for FreeMasks {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl LinearLayout {
    /// Returns the in-dims, fastest first.
    pub fn in_dims(&self) -> impl DoubleEndedIterator<Item = Dim> + ExactSizeIterator + Clone + '_ {
        self.ins.iter()
    }

    /// Returns the out-dims. The fastest (most minor) out-dim comes first.
    pub fn out_dims(
        &self,
    ) -> impl DoubleEndedIterator<Item = Dim> + ExactSizeIterator + Clone + '_ {
        self.outs.iter()
    }

    /// Returns the in-dims and their sizes. The fastest (most minor) in-dim comes first.
    pub fn in_shape(
        &self,
    ) -> impl DoubleEndedIterator<Item = (Dim, u64)> + ExactSizeIterator + Clone + '_ {
        (0..self.ins.len()).map(|i| (self.ins.dim(i), self.ins.size(i)))
    }

    /// Returns the out-dims and their sizes. The fastest (most minor) out-dim comes first.
    pub fn out_shape(
        &self,
    ) -> impl DoubleEndedIterator<Item = (Dim, u64)> + ExactSizeIterator + Clone + '_ {
        (0..self.outs.len()).map(|i| (self.outs.dim(i), self.outs.size(i)))
    }

    /// Returns the number of in-dims.
    #[must_use]
    pub const fn num_in_dims(&self) -> usize {
        self.ins.len()
    }

    /// Returns the number of out-dims.
    #[must_use]
    pub const fn num_out_dims(&self) -> usize {
        self.outs.len()
    }

    /// Returns true if `dim` is an in-dim.
    #[must_use]
    pub fn has_in_dim(&self, dim: Dim) -> bool {
        self.ins.position(dim).is_some()
    }

    /// Returns true if `dim` is an out-dim.
    #[must_use]
    pub fn has_out_dim(&self, dim: Dim) -> bool {
        self.outs.position(dim).is_some()
    }

    /// Returns the index of out-dim `dim`, or `None` if `dim` is not an out-dim.
    #[must_use]
    pub fn out_index(&self, dim: Dim) -> Option<usize> {
        self.outs.position(dim)
    }

    /// Returns log2 of the size of in-dim `dim`, or 0 if there is no such in-dim.
    #[must_use]
    pub fn in_bits(&self, dim: Dim) -> usize {
        self.ins.position(dim).map_or(0, |i| self.ins.log2(i))
    }

    /// Returns log2 of the size of out-dim `dim`, or 0 if there is no such out-dim.
    #[must_use]
    pub fn out_bits(&self, dim: Dim) -> usize {
        self.outs.position(dim).map_or(0, |i| self.outs.log2(i))
    }

    /// Returns the size of in-dim `dim`, or 1 if there is no such in-dim.
    #[must_use]
    pub fn in_size(&self, dim: Dim) -> u64 {
        1 << self.in_bits(dim)
    }

    /// Returns the size of out-dim `dim`, or 1 if there is no such out-dim.
    #[must_use]
    pub fn out_size(&self, dim: Dim) -> u64 {
        1 << self.out_bits(dim)
    }

    /// Returns the total number of input bits of all in-dims.
    #[must_use]
    pub const fn total_in_bits(&self) -> usize {
        self.ins.bits()
    }

    /// Returns the total number of output bits of all out-dims.
    #[must_use]
    pub const fn total_out_bits(&self) -> usize {
        self.outs.bits()
    }

    /// Returns the packed image of each input bit, with the first out-dim in the low bits.
    ///
    /// The images are in the order of the in-dims. Within an in-dim, the image of the least significant bit comes
    /// first.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> &[u64] {
        &self.cols[..self.ins.bits()]
    }

    /// Returns the packed images of the bits of in-dim `dim`, or an empty slice if there is no such in-dim.
    #[inline]
    #[must_use]
    pub fn columns_of(&self, dim: Dim) -> &[u64] {
        match self.ins.range(dim) {
            Some((at, bits)) => &self.cols[at..at + bits],
            None => &[],
        }
    }

    /// Returns the packed image of bit `bit` of in-dim `dim`, or 0 if there is no such input bit.
    #[inline]
    #[must_use]
    pub fn column(&self, dim: Dim, bit: usize) -> u64 {
        self.columns_of(dim).get(bit).copied().unwrap_or(0)
    }

    /// Returns the image of bit `bit` of in-dim `dim`, with one coordinate for each out-dim.
    ///
    /// All coordinates are 0 if there is no such input bit.
    #[must_use]
    pub fn basis(&self, dim: Dim, bit: usize) -> Coords {
        self.unpack(self.column(dim, bit))
    }

    /// Returns coordinate `out` of [`basis`](Self::basis), or 0 if there is no such input bit or out-dim.
    #[must_use]
    pub fn basis_component(&self, dim: Dim, bit: usize, out: Dim) -> u64 {
        self.outs
            .position(out)
            .map_or(0, |i| self.outs.extract(i, self.column(dim, bit)))
    }

    /// Splits a packed output into coordinates. The first out-dim is in the low bits.
    #[inline]
    #[must_use]
    pub fn unpack(&self, packed: u64) -> Coords {
        self.outs.unpack(packed)
    }

    /// Maps `point` to output coordinates. `point` has one value for each in-dim, in any order.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[1, 0], &[2, 1]])], &[Dim::out(0), Dim::out(1)])?;
    /// // register 1 gives (0, 1); lane 3 gives (1, 0) ^ (2, 1) = (3, 1)
    /// assert_eq!(l.apply(&[(Dim::LANE, 3), (Dim::REGISTER, 1)])?, [3, 0]);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Laws
    /// `apply(x ^ y) == apply(x) ^ apply(y)` (property `apply_is_linear`).
    /// # Errors
    /// Returns an error if an in-dim is missing, unknown or named twice, or a value is not below its dim's size.
    #[inline]
    pub fn apply(&self, point: &[(Dim, u64)]) -> Result<Coords, LayoutError> {
        Ok(self.unpack(self.apply_packed(self.pack_in(point)?)))
    }

    /// Packs `point` into one word, with the first in-dim in the low bits.
    ///
    /// # Errors
    /// Returns an error under the same conditions as [`apply`](Self::apply).
    #[inline]
    pub fn pack_in(&self, point: &[(Dim, u64)]) -> Result<u64, LayoutError> {
        match self.ins.pack_in_order(point) {
            Some(packed) => Ok(packed),
            None => self.pack_in_any_order(point),
        }
    }

    #[cold]
    fn pack_in_any_order(&self, point: &[(Dim, u64)]) -> Result<u64, LayoutError> {
        let mut packed = 0;
        let mut seen = 0u32;
        for &(dim, value) in point {
            let Some(i) = self.ins.position(dim) else {
                return Err(LayoutError::no_such_dim(Role::In, dim));
            };
            if seen >> i & 1 == 1 {
                return Err(LayoutError::duplicate_dim(Role::In, dim));
            }
            seen |= 1 << i;
            if value > low_mask(self.ins.log2(i)) {
                return Err(LayoutError::point_too_large(dim, value, self.ins.size(i)));
            }
            packed |= crate::f2::shl(value, self.ins.offset(i));
        }
        if point.len() != self.ins.len() {
            let missing = (0..MAX_DIMS).find(|i| seen >> i & 1 == 0).unwrap_or(0);
            return Err(LayoutError::dim_missing(Role::In, self.ins.dim(missing)));
        }
        Ok(packed)
    }

    /// Maps a packed input to a packed output. In both, the first dim is in the low bits.
    ///
    /// Bits of `x` that are in no in-dim are ignored.
    #[inline]
    #[must_use]
    pub fn apply_packed(&self, x: u64) -> u64 {
        self.cols.apply(x)
    }

    /// Returns true if every output is the image of an input.
    #[must_use]
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.outs.bits()
    }

    /// Returns true if no two inputs have the same output.
    #[must_use]
    pub fn is_injective(&self) -> bool {
        self.rank() == self.ins.bits()
    }

    /// Returns true if the layout is a bijection.
    #[must_use]
    pub fn is_invertible(&self) -> bool {
        self.ins.bits() == self.outs.bits() && self.is_injective()
    }

    /// Returns the rank: the number of linearly independent bases.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.ins.bits() - self.free_bits().count_ones() as usize
    }

    /// Returns the mask of the *free* bits of each in-dim. An input bit is free if its basis is an XOR of earlier
    /// bases, or zero.
    ///
    /// Bases are ordered as in [`columns`](Self::columns). Every output in the image has exactly one input whose
    /// free bits are all zero.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[1], &[0], &[2]]), (Dim::LANE, &[&[3], &[4]])], &[Dim::out(0)])?;
    /// let free = l.free_variable_masks();
    /// // register bit 1 is zero; lane bit 0 is 3 = 1 ^ 2
    /// assert_eq!((free.mask(Dim::REGISTER), free.mask(Dim::LANE)), (0b010, 0b01));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn free_variable_masks(&self) -> FreeMasks {
        FreeMasks {
            ins: self.ins,
            packed: self.free_bits(),
        }
    }

    #[inline]
    fn free_bits(&self) -> u64 {
        // Most layouts need no elimination: a column with a new bit is independent, a zero column is not.
        let (mut seen, mut free) = (0u64, 0u64);
        for (i, &col) in self.columns().iter().enumerate() {
            if col & !seen == 0 {
                if col != 0 {
                    return self.free_bits_by_elimination();
                }
                free |= 1 << i;
            }
            seen |= col;
        }
        free
    }

    #[cold]
    fn free_bits_by_elimination(&self) -> u64 {
        low_mask(self.ins.bits()) & !self.echelon().pivot_columns()
    }

    /// Returns the largest `2^k` for which the low `k` bits of the first in-dim are mapped identically to the low
    /// `k` bits of the first out-dim, and no other input bit changes these output bits.
    ///
    /// The result is 1 if the layout has no in-dim or no out-dim.
    #[must_use]
    pub fn num_consecutive_in_out(&self) -> u64 {
        if self.ins.len() == 0 || self.outs.len() == 0 {
            return 1;
        }
        let first = self.ins.log2(0).min(self.outs.log2(0));
        let consecutive = self.cols[..first]
            .iter()
            .enumerate()
            .take_while(|(i, c)| **c == 1 << i)
            .count();
        let others = self.columns()[consecutive..]
            .iter()
            .fold(0, |acc, c| acc | c);
        let others = others & low_mask(self.outs.log2(0));
        1 << consecutive.min(others.trailing_zeros() as usize)
    }

    /// Returns the largest `2^k` for which each of the first `2^k` elements along out-dim `out` is the image of an
    /// input.
    ///
    /// The other coordinates of these elements are zero. The result is 1 if the layout does not have the out-dim
    /// `out`.
    #[must_use]
    pub fn contiguous_elems_along(&self, out: Dim) -> u64 {
        let Some((at, bits)) = self.outs.range(out) else {
            return 1;
        };
        let echelon: Echelon = self.echelon();
        let reached = (0..bits)
            .take_while(|b| echelon.contains(1 << (at + b)))
            .count();
        1 << reached
    }

    /// Returns true if the two layouts are equal except for the sizes of their out-dims.
    #[must_use]
    pub fn eq_ignoring_out_sizes(&self, other: &Self) -> bool {
        self.ins == other.ins
            && self.outs.same_names(&other.outs)
            && (self.outs == other.outs && self.columns() == other.columns()
                || self.columns().iter().zip(other.columns()).all(|(a, b)| {
                    (0..self.outs.len())
                        .all(|i| self.outs.extract(i, *a) == other.outs.extract(i, *b))
                }))
    }
}
