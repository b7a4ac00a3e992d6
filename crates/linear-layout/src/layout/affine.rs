//! Affine layouts: linear maps with an offset, for slices, flips and subviews.

use core::fmt;

use super::side::{FieldMoves, log2_of};
use super::{Coords, Dim, LayoutError, LinearLayout, Role};
use crate::f2::{low_mask, shl};

/// A linear layout with an offset: `y = A x ^ b`.
///
/// Slices, flips and subviews of a layout are affine but not linear: they do not map zero to zero. For example,
/// this map reads a row of eight elements backwards:
/// ```
/// # use linear_layout::layout::{AffineLayout, Dim, LinearLayout};
/// let row = LinearLayout::identity_1d(8, Dim::LANE, Dim::out(0))?;
/// let backwards = AffineLayout::from(row).flip_in(Dim::LANE)?;
/// assert_eq!(backwards.apply(&[(Dim::LANE, 2)])?, [5]); // 7 - 2 = 2 ^ 7
/// assert_eq!(backwards.invert()?.apply(&[(Dim::out(0), 5)])?, [2]);
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Shape
/// An affine layout has the dims, sizes and units of its linear part. The offset has the units of the out-dims.
/// # Laws
/// `a.compose(&b)` applies `a`, then `b` (property `affine_compose_is_application`). `a.compose(&a.invert()?)` is
/// the identity (`affine_inverse_undoes`).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AffineLayout {
    linear: LinearLayout,
    offset: u64,
}

impl From<LinearLayout> for AffineLayout {
    fn from(linear: LinearLayout) -> Self {
        Self { linear, offset: 0 }
    }
}

impl AffineLayout {
    /// Returns the map `x -> linear(x) ^ offset`. `offset` has one coordinate for each out-dim, in any order.
    ///
    /// # Errors
    /// Returns an error if an out-dim is missing, unknown or named twice, or a coordinate is not below its dim's size.
    pub fn new(linear: LinearLayout, offset: &[(Dim, u64)]) -> Result<Self, LayoutError> {
        let mut packed = 0;
        let mut seen = 0u32;
        for &(dim, value) in offset {
            let Some(i) = linear.outs.position(dim) else {
                return Err(LayoutError::no_such_dim(Role::Out, dim));
            };
            if seen >> i & 1 == 1 {
                return Err(LayoutError::duplicate_dim(Role::Out, dim));
            }
            seen |= 1 << i;
            packed |= shl(
                check_coordinate(dim, value, linear.outs.size(i))?,
                linear.outs.offset(i),
            );
        }
        match (0..linear.outs.len()).find(|i| seen >> i & 1 == 0) {
            Some(i) => Err(LayoutError::dim_missing(Role::Out, linear.outs.dim(i))),
            None => Ok(Self {
                linear,
                offset: packed,
            }),
        }
    }

    /// Returns the linear part of the map, which is `A` in `y = A x ^ b`.
    #[must_use]
    pub const fn linear(&self) -> &LinearLayout {
        &self.linear
    }

    /// Returns the image of zero (`b` in `y = A x ^ b`), with one coordinate for each out-dim.
    #[must_use]
    pub fn offset(&self) -> Coords {
        self.linear.unpack(self.offset)
    }

    /// Returns the image of zero (`b` in `y = A x ^ b`), packed into one word. The first out-dim is in the low
    /// bits.
    #[must_use]
    pub const fn offset_packed(&self) -> u64 {
        self.offset
    }

    /// Maps `point` to output coordinates, like [`LinearLayout::apply`].
    ///
    /// # Errors
    /// Returns an error under the same conditions as [`LinearLayout::apply`].
    pub fn apply(&self, point: &[(Dim, u64)]) -> Result<Coords, LayoutError> {
        Ok(self
            .linear
            .unpack(self.apply_packed(self.linear.pack_in(point)?)))
    }

    /// Maps a packed input to a packed output, like [`LinearLayout::apply_packed`].
    #[must_use]
    pub fn apply_packed(&self, x: u64) -> u64 {
        self.linear.apply_packed(x) ^ self.offset
    }

    /// Returns the composition `x -> outer(self(x))`.
    ///
    /// # Errors
    /// Returns an error under the same conditions as [`LinearLayout::compose`].
    pub fn compose(&self, outer: &Self) -> Result<Self, LayoutError> {
        let linear = self.linear.compose(&outer.linear)?;
        let moves = FieldMoves::between(&self.linear.outs, &outer.linear.ins);
        Ok(Self {
            linear,
            offset: outer.apply_packed(moves.apply(self.offset)),
        })
    }

    /// Returns the direct product of `self` and `outer`, like [`LinearLayout::product`]. `self` determines the low
    /// bits of each common dim, and `outer` the high bits.
    ///
    /// # Errors
    /// Returns an error under the same conditions as [`LinearLayout::product`].
    pub fn product(&self, outer: &Self) -> Result<Self, LayoutError> {
        let linear = self.linear.product(&outer.linear)?;
        let mut offset = 0;
        for i in 0..linear.outs.len() {
            let (dim, at) = (linear.outs.dim(i), linear.outs.offset(i));
            let part = |l: &Self| {
                l.linear
                    .outs
                    .position(dim)
                    .map_or(0, |j| l.linear.outs.extract(j, l.offset))
            };
            let above = self.linear.out_bits(dim);
            offset |= shl(part(self) | shl(part(outer), above), at);
        }
        Ok(Self { linear, offset })
    }

    /// Returns the inverse of a one-to-one map.
    ///
    /// # Errors
    /// Returns an error if the linear part is not invertible.
    pub fn invert(&self) -> Result<Self, LayoutError> {
        let linear = self.linear.invert()?;
        let offset = linear.apply_packed(self.offset);
        Ok(Self { linear, offset })
    }

    /// Returns a right inverse, like [`LinearLayout::pseudoinvert`].
    ///
    /// # Errors
    /// Returns an error if the linear part is not surjective.
    pub fn pseudoinvert(&self) -> Result<Self, LayoutError> {
        let linear = self.linear.pseudoinvert()?;
        let offset = linear.apply_packed(self.offset);
        Ok(Self { linear, offset })
    }

    /// Returns a solution `x` of `x.compose(outer) == self`. If there are several solutions, one is chosen as in
    /// [`LinearLayout::invert_and_compose`].
    ///
    /// # Errors
    /// Returns an error under the same conditions as [`LinearLayout::invert_and_compose`], or if the XOR of the two
    /// offsets is outside the image of the linear part of `outer`.
    pub fn invert_and_compose(&self, outer: &Self) -> Result<Self, LayoutError> {
        let linear = self.linear.invert_and_compose(&outer.linear)?;
        let moves = FieldMoves::between(&self.linear.outs, &outer.linear.outs);
        let wanted = moves.apply(self.offset) ^ outer.offset;
        match outer.linear.echelon().solve(wanted) {
            Some(offset) => Ok(Self { linear, offset }),
            None => Err(LayoutError::offset_not_in_image()),
        }
    }

    /// Restricts in-dim `dim` to the indices `start..start + size`, which are renumbered from zero.
    ///
    /// For example, this window contains rows 4 to 7 of a buffer that has eight rows and two columns:
    /// ```
    /// # use linear_layout::layout::{AffineLayout, Dim, LinearLayout};
    /// let (rows, cols, at) = (Dim::out(0), Dim::out(1), Dim::OFFSET);
    /// let buffer = LinearLayout::identity_nd(at, &[8, 2], &[1, 0])?.invert()?;
    /// let window = AffineLayout::from(buffer).slice_in(rows, 4, 4)?;
    /// assert_eq!(window.apply(&[(rows, 1), (cols, 1)])?, [11]); // row 4 + 1, 2 * 5 + 1
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Errors
    /// Returns an error if there is no such in-dim, `size` is not a power of two, `start` is not a multiple of
    /// `size`, or the slice exceeds the dim.
    pub fn slice_in(&self, dim: Dim, start: u64, size: u64) -> Result<Self, LayoutError> {
        let Some(i) = self.linear.ins.position(dim) else {
            return Err(LayoutError::no_such_dim(Role::In, dim));
        };
        let whole = self.linear.ins.size(i);
        log2_of(Role::In, dim, size)?;
        if size > whole {
            return Err(LayoutError::size_too_large(dim, size, whole));
        }
        if !start.is_multiple_of(size) {
            return Err(LayoutError::misaligned(dim, start, size));
        }
        check_coordinate(dim, start, whole)?;
        let moved = self
            .linear
            .apply_packed(shl(start, self.linear.ins.offset(i)));
        Ok(Self {
            linear: self.linear.resize_in(dim, size)?,
            offset: self.offset ^ moved,
        })
    }

    /// Reverses in-dim `dim`: input `x` becomes `in_size - 1 - x`.
    ///
    /// # Errors
    /// Returns an error if there is no such in-dim.
    pub fn flip_in(&self, dim: Dim) -> Result<Self, LayoutError> {
        let Some(i) = self.linear.ins.position(dim) else {
            return Err(LayoutError::no_such_dim(Role::In, dim));
        };
        let moved = self.linear.apply_packed(self.linear.ins.mask(i));
        Ok(Self {
            linear: self.linear.clone(),
            offset: self.offset ^ moved,
        })
    }

    /// Reverses out-dim `dim`: coordinate `y` becomes `out_size - 1 - y`.
    ///
    /// # Errors
    /// Returns an error if there is no such out-dim.
    pub fn flip_out(&self, dim: Dim) -> Result<Self, LayoutError> {
        let size = self.linear.out_size(dim);
        self.translate_out(dim, size - 1)
    }

    /// Returns the map in which `by` is XORed into the output coordinate `dim`.
    ///
    /// If `by` and the coordinate have no common set bit, the XOR is an addition.
    ///
    /// # Errors
    /// Returns an error if there is no such out-dim, or `by` is not below the size of `dim`.
    pub fn translate_out(&self, dim: Dim, by: u64) -> Result<Self, LayoutError> {
        let Some(i) = self.linear.outs.position(dim) else {
            return Err(LayoutError::no_such_dim(Role::Out, dim));
        };
        let by = shl(
            check_coordinate(dim, by, self.linear.outs.size(i))?,
            self.linear.outs.offset(i),
        );
        Ok(Self {
            linear: self.linear.clone(),
            offset: self.offset ^ by,
        })
    }
}

fn check_coordinate(dim: Dim, value: u64, size: u64) -> Result<u64, LayoutError> {
    if value > low_mask(size.trailing_zeros() as usize) {
        return Err(LayoutError::point_too_large(dim, value, size));
    }
    Ok(value)
}

/// Prints the linear part, then a line `xor <offset>`.
impl fmt::Display for AffineLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nxor {}", self.linear, self.offset())
    }
}

impl fmt::Debug for AffineLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AffineLayout {{{self}}}")
    }
}
