//! The linear layout: representation and constructors.

use core::hash::{Hash, Hasher};

use super::columns::ColumnBuffer;
use super::side::{LayoutSide, log2_of};
use super::{Dim, LayoutError, Role};
use crate::f2::{Echelon, low_mask, shl};

/// Selects whether a constructor also accepts layouts that are not surjective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surjectivity {
    /// Rejects a layout that is not surjective.
    Required,
    /// Accepts any layout.
    NotRequired,
}

/// A linear map over GF(2) from named input dims to named output dims.
///
/// In this example, eight lanes hold a row of eight elements. In the upper half, neighbouring elements are swapped:
/// lane 4 holds element 5, and lane 5 holds element 4.
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let l = LinearLayout::from_bases(&[(Dim::LANE, &[&[1], &[2], &[5]])], &[Dim::out(0)])?;
/// let at = |lane| l.apply(&[(Dim::LANE, lane)]).map(|p| p.at(0));
/// assert_eq!((at(3)?, at(4)?, at(5)?), (3, 5, 4)); // 5 = 0b101: basis 0 ^ basis 2 = 1 ^ 5
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// The [module documentation](super) explains the idea.
///
/// # Shape
/// At most [`MAX_DIMS`](super::MAX_DIMS) in-dims and as many out-dims. Every size is a power of two, with at most
/// 64 bits on each side and 63 in one dim. Dim order is part of a layout: the first dim is the fastest (most
/// minor).
///
/// # Units
/// Inputs count hardware slots or buffer elements, outputs count tensor elements (not bytes).
///
/// # Laws
/// `l(x ^ y) == l(x) ^ l(y)` (property `apply_is_linear`). Equal layouts have equal dims, dim orders, sizes and
/// bases.
///
/// # Source
/// Linear Layouts (Zhou et al., 2025), section 4; Triton's `LinearLayout`.
#[derive(Clone)]
pub struct LinearLayout {
    pub(super) ins: LayoutSide,
    pub(super) outs: LayoutSide,
    /// The packed images of the input bits, in the order of [`LinearLayout::columns`]. The unused columns are zero.
    pub(super) cols: ColumnBuffer,
}

impl LinearLayout {
    /// Returns the layout without dims. It is the identity element of [`product`](Self::product).
    ///
    /// ```
    /// # use linear_layout::layout::LinearLayout;
    /// assert_eq!(LinearLayout::empty().to_string(), "\n(empty layout)");
    /// ```
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            ins: LayoutSide::EMPTY,
            outs: LayoutSide::EMPTY,
            cols: ColumnBuffer::EMPTY,
        }
    }

    /// Returns the map `i -> i` on `[0, size)`. If `size` is 0, returns the empty layout.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::identity_1d(4, Dim::LANE, Dim::out(1))?;
    /// assert_eq!(l.columns(), [1, 2]);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// `input[size] -> output[size]`.
    /// # Errors
    /// Returns an error if the size is not a power of two.
    #[inline]
    pub fn identity_1d(size: u64, input: Dim, output: Dim) -> Result<Self, LayoutError> {
        Self::strided_1d(size, 1, input, output)
    }

    /// Returns the map `i -> stride * i` on `[0, size)`. If `size` is 0, returns the empty layout.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::strided_1d(4, 8, Dim::REGISTER, Dim::out(0))?;
    /// assert_eq!((l.columns(), l.out_size(Dim::out(0))), (&[8, 16][..], 32));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// `input[size] -> output[stride * size]`. The layout is surjective only for stride 1.
    /// # Errors
    /// Returns an error if the size or the stride is not a power of two, or the output would exceed 63 bits.
    #[inline]
    pub fn strided_1d(
        size: u64,
        stride: u64,
        input: Dim,
        output: Dim,
    ) -> Result<Self, LayoutError> {
        let mut result = Self::empty();
        match result.set_strided(size, stride, input, output) {
            Ok(()) => Ok(result),
            Err(e) => Err(e),
        }
    }

    /// Sets `self`, which must be empty, to the map `i -> stride * i` on `[0, size)`.
    // Out of line and in place, to avoid a copy of the layout.
    #[inline(never)]
    fn set_strided(
        &mut self,
        size: u64,
        stride: u64,
        input: Dim,
        output: Dim,
    ) -> Result<(), LayoutError> {
        if size == 0 {
            return Ok(());
        }
        let bits = log2_of(Role::In, input, size)?;
        let stride_bits = log2_of(Role::Out, output, stride)?;
        self.ins = LayoutSide::one(Role::In, input, bits)?;
        self.outs = LayoutSide::one(Role::Out, output, bits + stride_bits)?;
        self.cols.reserve(bits);
        let mut col = stride;
        for to in &mut self.cols[..bits] {
            *to = col;
            col <<= 1;
        }
        Ok(())
    }

    /// Returns the map `i -> 0` on `[0, size)`, a broadcast. If `size` is 0, returns the empty layout.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let l = LinearLayout::zeros_1d(4, Dim::LANE, Dim::out(0), 1)?;
    /// assert_eq!(l.columns(), [0, 0]);
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Shape
    /// `input[size] -> output[out_size]`.
    /// # Errors
    /// Returns an error if one of the sizes is not a power of two.
    #[inline]
    pub fn zeros_1d(
        size: u64,
        input: Dim,
        output: Dim,
        out_size: u64,
    ) -> Result<Self, LayoutError> {
        if size == 0 {
            return Ok(Self::empty());
        }
        let ins = LayoutSide::one(Role::In, input, log2_of(Role::In, input, size)?)?;
        let outs = LayoutSide::one(Role::Out, output, log2_of(Role::Out, output, out_size)?)?;
        Ok(Self::zero(ins, outs))
    }

    /// Builds a layout with the given bases. Each out-dim gets the smallest size that contains all bases.
    ///
    /// `bases` contains one list for each in-dim. The list contains the images of the bits of this in-dim, starting
    /// with the least significant bit. An image has one component for each out-dim.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// let (d0, d1) = (Dim::out(0), Dim::out(1));
    /// let l = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[0, 1], &[1, 0]]), (Dim::LANE, &[&[0, 2]])],
    ///     &[d0, d1],
    /// )?;
    /// assert_eq!((l.out_size(d0), l.out_size(d1)), (2, 4));
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Errors
    /// Returns an error if a dim is named twice, a basis has the wrong number of components, a limit is exceeded,
    /// or the layout is not surjective.
    pub fn from_bases(bases: &[(Dim, &[&[u64]])], outs: &[Dim]) -> Result<Self, LayoutError> {
        let mut side = LayoutSide::EMPTY;
        for (o, &out) in outs.iter().enumerate() {
            let max = bases
                .iter()
                .flat_map(|(_, list)| list.iter())
                .filter_map(|basis| basis.get(o))
                .fold(0, |acc, v| acc | v);
            side.push(Role::Out, out, (64 - max.leading_zeros()) as usize)?;
        }
        Self::from_bases_with(bases, side, Surjectivity::Required)
    }

    /// Builds a layout with the given bases. `outs` contains the names and sizes of the out-dims.
    ///
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
    /// let only_even = LinearLayout::from_bases_sized(
    ///     &[(Dim::LANE, &[&[2]])], &[(Dim::out(0), 4)], Surjectivity::NotRequired)?;
    /// assert_eq!(only_even.out_size(Dim::out(0)), 4);
    /// let required = LinearLayout::from_bases_sized(
    ///     &[(Dim::LANE, &[&[2]])], &[(Dim::out(0), 4)], Surjectivity::Required);
    /// assert_eq!(required.unwrap_err().to_string(),
    ///     "layout is not surjective: no input reaches dim0 = 1; the rank is 1, but the out-dims have 2 bits");
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Errors
    /// Returns an error under the same conditions as [`from_bases`](Self::from_bases), but a layout that is not
    /// surjective is an error only if surjectivity is required. Also returns an error if a size is not a power of
    /// two, or a component is not below the size of its out-dim.
    pub fn from_bases_sized(
        bases: &[(Dim, &[&[u64]])],
        outs: &[(Dim, u64)],
        surjectivity: Surjectivity,
    ) -> Result<Self, LayoutError> {
        let mut side = LayoutSide::EMPTY;
        for &(out, size) in outs {
            side.push_size(Role::Out, out, size)?;
        }
        Self::from_bases_with(bases, side, surjectivity)
    }

    fn from_bases_with(
        bases: &[(Dim, &[&[u64]])],
        outs: LayoutSide,
        surjectivity: Surjectivity,
    ) -> Result<Self, LayoutError> {
        let mut layout = Self {
            outs,
            ..Self::empty()
        };
        for &(dim, list) in bases {
            let at = layout.ins.bits();
            layout.ins.push(Role::In, dim, list.len())?;
            layout.cols.reserve(layout.ins.bits());
            for (bit, basis) in list.iter().enumerate() {
                layout.cols[at + bit] = pack(&outs, dim, bit, basis)?;
            }
        }
        match surjectivity {
            Surjectivity::Required => layout.ensure_surjective(),
            Surjectivity::NotRequired => Ok(layout),
        }
    }

    /// Builds a layout from the packed image of each input bit, in the format of [`columns`](Self::columns).
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
    /// let l = LinearLayout::from_columns(
    ///     &[(Dim::LANE, 4)], &[(Dim::out(0), 2), (Dim::out(1), 2)], &[0b10, 0b01], Surjectivity::Required)?;
    /// assert_eq!(l.basis(Dim::LANE, 0), [0, 1]); // dim0 is in the low bits
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    /// # Errors
    /// Returns an error if a size is not a power of two, a dim is named twice, a limit is exceeded, the number of
    /// columns differs from the number of input bits, a column has bits that are in no out-dim, or the layout is
    /// not surjective although this is required.
    pub fn from_columns(
        ins: &[(Dim, u64)],
        outs: &[(Dim, u64)],
        columns: &[u64],
        surjectivity: Surjectivity,
    ) -> Result<Self, LayoutError> {
        let mut layout = Self::empty();
        for &(dim, size) in ins {
            layout.ins.push_size(Role::In, dim, size)?;
        }
        for &(dim, size) in outs {
            layout.outs.push_size(Role::Out, dim, size)?;
        }
        if columns.len() != layout.ins.bits() {
            return Err(LayoutError::column_count(columns.len(), layout.ins.bits()));
        }
        layout.cols.reserve(columns.len());
        let mask = low_mask(layout.outs.bits());
        for (col, &given) in layout.cols.iter_mut().zip(columns) {
            if given & !mask != 0 {
                return Err(LayoutError::column_too_large(given, layout.outs.bits()));
            }
            *col = given;
        }
        match surjectivity {
            Surjectivity::Required => layout.ensure_surjective(),
            Surjectivity::NotRequired => Ok(layout),
        }
    }

    fn ensure_surjective(self) -> Result<Self, LayoutError> {
        if self.is_surjective() {
            return Ok(self);
        }
        let echelon = self.echelon();
        let missed = (0..self.outs.bits())
            .find(|b| !echelon.contains(1 << b))
            .unwrap_or(0);
        let i = (0..self.outs.len())
            .find(|&i| self.outs.mask(i) >> missed & 1 == 1)
            .unwrap_or(0);
        Err(LayoutError::not_surjective(
            echelon.rank(),
            self.outs.bits(),
            self.outs.dim(i),
            1 << (missed - self.outs.offset(i)),
        ))
    }

    pub(super) fn echelon(&self) -> Echelon {
        let mut echelon = Echelon::new();
        for (i, &col) in self.columns().iter().enumerate() {
            echelon.insert(i, col);
        }
        echelon
    }

    #[inline]
    pub(super) fn zero(ins: LayoutSide, outs: LayoutSide) -> Self {
        Self {
            ins,
            outs,
            cols: ColumnBuffer::zero(ins.bits()),
        }
    }
}

/// Packs `basis` into one word. `basis` is the image of bit `bit` of in-dim `dim`. Returns an error that names
/// `dim` and `bit` if the number of components or a component is wrong.
pub(super) fn pack(
    outs: &LayoutSide,
    dim: Dim,
    bit: usize,
    basis: &[u64],
) -> Result<u64, LayoutError> {
    if basis.len() != outs.len() {
        return Err(LayoutError::basis_length(dim, bit, basis.len(), outs.len()));
    }
    let mut packed = 0;
    for (i, &value) in basis.iter().enumerate() {
        if value >= outs.size(i) {
            return Err(LayoutError::basis_too_large(
                dim,
                bit,
                outs.dim(i),
                value,
                outs.size(i),
            ));
        }
        packed |= shl(value, outs.offset(i));
    }
    Ok(packed)
}

impl PartialEq for LinearLayout {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // The fast path covers sides with at most four dims.
        let (ins, outs) = (&self.ins, &self.outs);
        ins.difference_in_four(&other.ins) | outs.difference_in_four(&other.outs) == 0
            && (ins.beyond_four() | outs.beyond_four() == 0
                || *ins == other.ins && *outs == other.outs)
            && self.cols.same(&other.cols, ins.bits())
    }
}

impl Eq for LinearLayout {}

impl Hash for LinearLayout {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ins.hash(state);
        self.outs.hash(state);
        self.columns().hash(state);
    }
}

impl Default for LinearLayout {
    fn default() -> Self {
        Self::empty()
    }
}
