//! Layouts of tensors in shared memory.

use core::hash::{Hash, Hasher};

use super::error::{ErrorKind, TilusError};
use super::register_layout::{MAX_SIZE, check_count, check_extents, check_groups, product};
use super::{Extents, Modes};
use super::{Swizzle, multi_function::row_major_number};

/// A layout in shared memory: maps each element of a tensor to an offset.
///
/// The shape is split into modes as in a [`RegisterLayout`](super::RegisterLayout), and each mode has a stride. The
/// offset is the sum of digit * stride over all modes, swizzled if there is a swizzle.
/// ```
/// # use linear_layout_tilus::SharedLayout;
/// let l = SharedLayout::new(&[4, 6], &[4, 2, 3], &[3, 12, 1], None)?;
/// assert_eq!(l.offset_of(&[2, 5])?, 2*3 + 12 + 2);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Units
/// Offsets count elements.
///
/// # Laws
/// Two layouts are equal if they have the same shape, the same offsets before the swizzle, and the same swizzle. A
/// swizzle that changes no offset counts as none (property `shared_layouts_are_equal_as_maps`).
#[derive(Clone, Debug)]
pub struct SharedLayout {
    shape: Extents,
    mode_shape: Modes<u64>,
    mode_strides: Modes<u64>,
    swizzle: Option<Swizzle>,
}

/// Returns the strides of the compact layout. `order` lists the dims, slowest first.
fn compact(shape: &[u64], order: impl DoubleEndedIterator<Item = usize>) -> Modes<u64> {
    let mut strides: Modes<u64> = Modes::from_elem(1, shape.len());
    let mut stride = 1;
    for dim in order.rev() {
        strides[dim] = stride;
        stride *= shape[dim];
    }
    strides
}

impl SharedLayout {
    /// Returns the layout whose modes have the given extents and strides. Consecutive modes of a dim are merged if
    /// their strides are contiguous.
    ///
    /// ```
    /// # use linear_layout_tilus::SharedLayout;
    /// let l = SharedLayout::new(&[8], &[2, 2, 2], &[4, 2, 1], None)?;
    /// assert_eq!((l.mode_shape(), l.mode_strides()), (&[8][..], &[1][..]));
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if an extent is zero, if the modes do not fill the dims one after the other, if the number
    /// of strides differs from the number of modes, or if an offset would be too large.
    pub fn new(
        shape: &[u64],
        mode_shape: &[u64],
        mode_strides: &[u64],
        swizzle: Option<Swizzle>,
    ) -> Result<Self, TilusError> {
        Self::spelled(shape, mode_shape, mode_strides, swizzle).map(|layout| layout.merged())
    }

    /// Returns the layout whose modes have the given extents and strides. Unlike [`new`](Self::new), does not merge
    /// modes.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn spelled(
        shape: &[u64],
        mode_shape: &[u64],
        mode_strides: &[u64],
        swizzle: Option<Swizzle>,
    ) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        check_extents(mode_shape, "mode shape")?;
        check_count("strides", mode_strides.len(), "mode", mode_shape.len())?;
        check_groups(shape, mode_shape)?;
        let mut last = 0u64;
        for (extent, stride) in mode_shape.iter().zip(mode_strides) {
            let reach = (extent - 1).checked_mul(*stride);
            last = reach
                .and_then(|reach| last.checked_add(reach))
                .filter(|last| *last < MAX_SIZE)
                .ok_or_else(|| {
                    TilusError::from(ErrorKind::TooLarge {
                        what: "largest offset",
                    })
                })?;
        }
        Ok(Self {
            shape: shape.into(),
            mode_shape: mode_shape.into(),
            mode_strides: mode_strides.into(),
            swizzle,
        })
    }

    fn compact_in(
        shape: &[u64],
        order: impl DoubleEndedIterator<Item = usize>,
    ) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        Self::new(shape, shape, &compact(shape, order), None)
    }

    /// Returns the compact layout with the last dim fastest.
    ///
    /// # Errors
    /// Returns an error if an extent is zero, or if the product of the extents is too large.
    pub fn row_major(shape: &[u64]) -> Result<Self, TilusError> {
        Self::compact_in(shape, 0..shape.len())
    }

    /// Returns the compact layout with the first dim fastest.
    ///
    /// # Errors
    /// Returns an error if an extent is zero, or if the product of the extents is too large.
    pub fn column_major(shape: &[u64]) -> Result<Self, TilusError> {
        Self::compact_in(shape, (0..shape.len()).rev())
    }

    /// Returns a layout that tensor cores read without bank conflicts. The rows of each matrix in the last two dims
    /// are split into pieces. The size of a piece is the largest power of two that divides the row size, but at
    /// most 128 bytes. The first pieces of all rows are stored one after the other, then the second pieces, and so
    /// on. The 16-byte units of each piece are swizzled.
    ///
    /// ```
    /// # use linear_layout_tilus::SharedLayout;
    /// let l = SharedLayout::row_major_swizzled(&[8, 64], 2)?;
    /// assert_eq!(l.swizzle().map(|s| s.to_string()).as_deref(), Some("Swizzle(base=3, bits=3, shift=3)"));
    /// assert_eq!(l.offset_of(&[1, 0])?, 64 + 8);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if there are fewer than two dims, if `element_bytes` is not 1, 2, 4, 8 or 16, if the number
    /// of rows is not a multiple of 8, or if the row size in bytes is not a multiple of 16.
    pub fn row_major_swizzled(shape: &[u64], element_bytes: u64) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        let &[ref head @ .., rows, columns] = shape else {
            let found = shape.len();
            return Err(ErrorKind::TileRank { found }.into());
        };
        if !element_bytes.is_power_of_two() || element_bytes > 16 {
            return Err(ErrorKind::ElementSize {
                bytes: element_bytes,
            }
            .into());
        }
        let row_bytes = product([columns, element_bytes], "row")?;
        if !rows.is_multiple_of(8) || !row_bytes.is_multiple_of(16) {
            return Err(ErrorKind::SwizzledTile { rows, row_bytes }.into());
        }
        let piece_bytes = 1 << row_bytes.trailing_zeros().min(7);
        let piece = piece_bytes / element_bytes;
        let mut mode_shape: Modes<u64> = head.into();
        mode_shape.extend([rows, columns / piece, piece]);
        // The blocks of columns are stored one after the other, and the rows of a block one after the other.
        let first = head.len();
        let order = (0..first).chain([first + 1, first, first + 2]);
        let order: Modes<usize> = order.collect();
        let strides = compact(&mode_shape, order.iter().copied());
        let bits = piece_bytes.trailing_zeros() - 4;
        let base = 4 - element_bytes.trailing_zeros();
        let swizzle = Swizzle::new(base, bits, 3)?;
        Self::new(shape, &mode_shape, &strides, Some(swizzle))
    }

    /// Returns an equal layout with fewer modes. Two consecutive modes of a dim are merged if the stride of the
    /// first is the stride times the extent of the second. Modes of extent 1 and a swizzle of zero bits are
    /// dropped.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut modes: Modes<(u64, u64)> = Modes::new();
        let mut of_self = self.mode_shape.iter().zip(self.mode_strides.iter());
        for &extent in self.shape.iter() {
            let mut left = extent;
            let mut is_first = true;
            while left > 1 {
                let Some((&extent, &stride)) = of_self.next() else {
                    break;
                };
                if extent == 1 {
                    continue;
                }
                left /= extent;
                match modes.last_mut() {
                    Some(last) if !is_first && last.1 == stride * extent => {
                        *last = (last.0 * extent, stride);
                    }
                    _ => modes.push((extent, stride)),
                }
                is_first = false;
            }
        }
        Self {
            shape: self.shape.clone(),
            mode_shape: modes.iter().map(|mode| mode.0).collect(),
            mode_strides: modes.iter().map(|mode| mode.1).collect(),
            swizzle: self.swizzle.filter(|swizzle| swizzle.bits() > 0),
        }
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the extents of the modes, in the order of their dims.
    #[must_use]
    pub fn mode_shape(&self) -> &[u64] {
        &self.mode_shape
    }

    /// Returns the stride of each mode.
    #[must_use]
    pub fn mode_strides(&self) -> &[u64] {
        &self.mode_strides
    }

    /// Returns the swizzle, if any.
    #[must_use]
    pub const fn swizzle(&self) -> Option<Swizzle> {
        self.swizzle
    }

    /// Returns the number of elements of the tensor.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Returns 1 plus the largest offset before the swizzle, in elements.
    #[must_use]
    pub fn span(&self) -> u64 {
        let reach = self.mode_shape.iter().zip(self.mode_strides.iter());
        1 + reach
            .map(|(extent, stride)| (extent - 1) * stride)
            .sum::<u64>()
    }

    /// Returns the offset of an element, after the swizzle.
    ///
    /// # Errors
    /// Returns an error if the index has another rank or is out of bounds.
    pub fn offset_of(&self, index: &[u64]) -> Result<u64, TilusError> {
        // The modes fill the dims one after the other, so the digits of an index are the digits of its row-major
        // number.
        let mut rest = row_major_number(index, &self.shape)?;
        let mut offset = 0;
        for (&extent, &stride) in self.mode_shape.iter().zip(self.mode_strides.iter()).rev() {
            offset += rest % extent * stride;
            rest /= extent;
        }
        Ok(self.swizzle.map_or(offset, |swizzle| swizzle.apply(offset)))
    }

    /// Returns the swizzle. Returns `None` if there is no swizzle, or if the swizzle changes no offset below the
    /// span.
    fn swizzle_in_effect(&self) -> Option<Swizzle> {
        let last = self.span() - 1;
        self.swizzle
            .filter(|swizzle| !swizzle.keeps_all_up_to(last))
    }

    /// Returns the layout without its swizzle.
    #[must_use]
    pub fn without_swizzle(&self) -> Self {
        Self {
            swizzle: None,
            ..self.clone()
        }
    }

    /// Returns the layout with its offsets swizzled by `swizzle`.
    ///
    /// # Errors
    /// Returns an error if the layout already has a swizzle.
    pub fn with_swizzle(&self, swizzle: Swizzle) -> Result<Self, TilusError> {
        if self.swizzle.is_some() {
            return Err(ErrorKind::SwizzleTwice.into());
        }
        Ok(Self {
            swizzle: Some(swizzle),
            ..self.clone()
        })
    }

    /// Returns the composition of two layouts, in which a tile with the layout `inner` replaces each element of
    /// `self`. Consecutive tiles are `inner.span()` elements apart. One of the two layouts may have a swizzle. The
    /// result then has a swizzle with the same effect.
    /// ```
    /// # use linear_layout_tilus::SharedLayout;
    /// let tile = SharedLayout::row_major_swizzled(&[8, 64], 2)?;
    /// let two = SharedLayout::row_major(&[2, 1])?.compose(&tile)?;
    /// assert_eq!(two.offset_of(&[9, 0])?, 512 + tile.offset_of(&[1, 0])?);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// `self.compose(&inner)` maps `i * inner.shape + j` to the offset of `i` in `self` times the span of `inner`,
    /// plus the offset of `j` in `inner` (property `shared_composition_is_tiles_of_tiles`).
    ///
    /// # Errors
    /// Returns an error if
    /// - the ranks differ, or the result is too large,
    /// - both layouts have a swizzle that changes offsets,
    /// - `inner` has a swizzle, and the span of `inner` is not a multiple of the size after which the swizzle
    ///   repeats, or
    /// - `self` has a swizzle, and the span of `inner` is not a power of two, so the swizzle would not move whole
    ///   tiles.
    pub fn compose(&self, inner: &Self) -> Result<Self, TilusError> {
        let rank = self.shape.len();
        check_count("dims in the tile", inner.shape.len(), "dim", rank)?;
        let span = inner.span();
        let swizzle = match (self.swizzle_in_effect(), inner.swizzle_in_effect()) {
            (None, None) => None,
            (Some(_), Some(_)) => return Err(ErrorKind::SwizzleTwice.into()),
            (Some(outer), None) if span.is_power_of_two() => {
                Some(outer.scaled(span.trailing_zeros())?)
            }
            (Some(_), None) => {
                let unit = span.next_power_of_two();
                return Err(ErrorKind::SwizzleNeedsTile { size: span, unit }.into());
            }
            (None, Some(swizzle)) => {
                let unit = 1 << (swizzle.base() + swizzle.bits() + swizzle.shift());
                if !span.is_multiple_of(unit) {
                    return Err(ErrorKind::SwizzleNeedsTile { size: span, unit }.into());
                }
                Some(swizzle)
            }
        };
        let mut shape = Extents::new();
        for (a, b) in self.shape.iter().zip(inner.shape.iter()) {
            shape.push(product([*a, *b], "shape")?);
        }
        let (outer, tile) = (self.merged(), inner.merged());
        let mut mode_shape: Modes<u64> = Modes::new();
        let mut mode_strides: Modes<u64> = Modes::new();
        for (of_outer, of_tile) in outer.groups().zip(tile.groups()) {
            for mode in of_outer {
                mode_shape.push(outer.mode_shape[mode]);
                mode_strides.push(product([outer.mode_strides[mode], span], "largest offset")?);
            }
            mode_shape.extend(tile.mode_shape[of_tile.clone()].iter().copied());
            mode_strides.extend(tile.mode_strides[of_tile].iter().copied());
        }
        Self::new(&shape, &mode_shape, &mode_strides, swizzle)
    }

    /// Returns for each dim the range of the modes that split it, as indices into the mode shape. No mode may have
    /// extent 1.
    fn groups(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        super::register_layout::groups(&self.shape, &self.mode_shape)
    }

    /// Returns the layout with permuted dims: dim `i` of the result is dim `dims[i]` of `self`.
    ///
    /// # Errors
    /// Returns an error if `dims` is not a permutation of the dims.
    pub fn permute(&self, dims: &[usize]) -> Result<Self, TilusError> {
        check_count(
            "dims in the permutation",
            dims.len(),
            "dim",
            self.shape.len(),
        )?;
        self.slice(dims)
    }

    /// Returns the layout of a slice of the tensor: the elements with index 0 in all dims except `dims`. Dim `i` of
    /// the slice is dim `dims[i]` of `self`.
    ///
    /// # Errors
    /// Returns an error if a dim does not exist or is repeated.
    pub fn slice(&self, dims: &[usize]) -> Result<Self, TilusError> {
        let rank = self.shape.len();
        let whole = self.merged();
        let mut of_dim: Modes<(usize, usize)> = Modes::new();
        of_dim.extend(whole.groups().map(|group| (group.start, group.end)));
        let mut is_named: Modes<bool> = Modes::from_elem(false, rank);
        let mut shape = Extents::new();
        let mut mode_shape: Modes<u64> = Modes::new();
        let mut mode_strides: Modes<u64> = Modes::new();
        for &dim in dims {
            let Some(&(first, end)) = of_dim.get(dim) else {
                return Err(ErrorKind::NoSuchDim { found: dim, rank }.into());
            };
            if is_named[dim] {
                return Err(ErrorKind::DimTwice { dim }.into());
            }
            is_named[dim] = true;
            shape.push(whole.shape[dim]);
            mode_shape.extend(whole.mode_shape[first..end].iter().copied());
            mode_strides.extend(whole.mode_strides[first..end].iter().copied());
        }
        Self::new(&shape, &mode_shape, &mode_strides, whole.swizzle)
    }

    /// Returns the layout of the tensor reshaped to `shape`, in row-major order.
    ///
    /// # Errors
    /// Returns an error if the number of elements differs, or if a mode cannot be split at the boundaries of the new
    /// dims.
    pub fn reshape(&self, shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        let (found, expected) = (product(shape.iter().copied(), "shape")?, self.size());
        if found != expected {
            return Err(ErrorKind::SizesDiffer { found, expected }.into());
        }
        let mut modes = self
            .mode_shape
            .iter()
            .zip(self.mode_strides.iter())
            .enumerate();
        let (mut mode, mut whole, mut rest, mut stride) = (0, 1, 1, 0);
        let mut mode_shape: Modes<u64> = Modes::new();
        let mut mode_strides: Modes<u64> = Modes::new();
        for (dim, &extent) in shape.iter().enumerate() {
            let mut left = extent;
            while left > 1 {
                while rest == 1 {
                    // The products are equal, so there is another mode as long as there is another dim.
                    let Some((next, (&extent, &of_mode))) = modes.next() else {
                        break;
                    };
                    (mode, whole, rest, stride) = (next, extent, extent, of_mode);
                }
                let part = gcd(left, rest);
                if part == 1 {
                    return Err(ErrorKind::Straddles {
                        mode,
                        extent: whole,
                        rest,
                        dim,
                        left,
                    }
                    .into());
                }
                rest /= part;
                left /= part;
                mode_shape.push(part);
                mode_strides.push(rest * stride);
            }
        }
        Self::new(shape, &mode_shape, &mode_strides, self.swizzle)
    }

    /// Returns the layout with new dims of extent 1 at the positions `dims` of the new shape.
    ///
    /// # Errors
    /// Returns an error if a position is beyond the new shape or repeated.
    pub fn unsqueeze(&self, dims: &[usize]) -> Result<Self, TilusError> {
        let rank = self.shape.len() + dims.len();
        let mut is_new: Modes<bool> = Modes::from_elem(false, rank);
        for &dim in dims {
            match is_new.get_mut(dim) {
                Some(is_new) if *is_new => return Err(ErrorKind::DimTwice { dim }.into()),
                Some(is_new) => *is_new = true,
                None => return Err(ErrorKind::NoSuchDim { found: dim, rank }.into()),
            }
        }
        let mut old = self.shape.iter();
        let shape = is_new.iter().map(|is_new| match is_new {
            true => 1,
            false => *old.next().unwrap_or(&1),
        });
        let shape: Extents = shape.collect();
        Self::new(&shape, &self.mode_shape, &self.mode_strides, self.swizzle)
    }

    /// Adds a new first dim of extent `extent`. The result stores `extent` tensors with the layout `self` one after
    /// the other, such as the buffers of a pipeline. Consecutive tensors are [`span`](Self::span) elements apart.
    ///
    /// # Errors
    /// Returns an error if `extent` is zero, or if the result is too large.
    pub fn prepend_dim(&self, extent: u64) -> Result<Self, TilusError> {
        let one_more = |first: u64, rest: &[u64]| -> Modes<u64> {
            core::iter::once(first)
                .chain(rest.iter().copied())
                .collect()
        };
        Self::spelled(
            &one_more(extent, &self.shape),
            &one_more(extent, &self.mode_shape),
            &one_more(self.span(), &self.mode_strides),
            self.swizzle,
        )
        .map(|layout| layout.without_single_first())
    }

    fn without_single_first(self) -> Self {
        match self.mode_shape.first() {
            Some(1) => Self {
                mode_shape: self.mode_shape[1..].into(),
                mode_strides: self.mode_strides[1..].into(),
                ..self
            },
            _ => self,
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl SharedLayout {
    fn canonical(&self) -> Self {
        Self {
            swizzle: self.swizzle_in_effect(),
            ..self.merged()
        }
    }
}

impl PartialEq for SharedLayout {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.canonical(), other.canonical());
        a.shape == b.shape
            && a.mode_shape == b.mode_shape
            && a.mode_strides == b.mode_strides
            && a.swizzle == b.swizzle
    }
}

impl Eq for SharedLayout {}

impl Hash for SharedLayout {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let canonical = self.canonical();
        canonical.shape.hash(state);
        canonical.mode_shape.hash(state);
        canonical.mode_strides.hash(state);
        canonical.swizzle.hash(state);
    }
}
