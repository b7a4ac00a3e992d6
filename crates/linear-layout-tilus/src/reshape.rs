//! Reshapes of register layouts: dims are added, dropped, permuted, merged, split or reduced.

use core::ops::{Bound, RangeBounds};

use super::RegisterLayout;
use super::error::{ErrorKind, TilusError};
use super::register_layout::{
    check_count, check_extents, check_groups, entry_of, groups, mode_of, product, replication,
};
use super::{Extents, Modes};

/// Returns a flag for each of `rank` dims, which is true if `dims` contains the dim. Returns an error if `dims`
/// contains a dim twice or a dim that does not exist.
fn named(dims: &[usize], rank: usize) -> Result<Modes<bool>, TilusError> {
    let mut is_named: Modes<bool> = Modes::from_elem(false, rank);
    for &dim in dims {
        match is_named.get_mut(dim) {
            Some(is_named) if *is_named => return Err(ErrorKind::DimTwice { dim }.into()),
            Some(is_named) => *is_named = true,
            None => return Err(ErrorKind::NoSuchDim { found: dim, rank }.into()),
        }
    }
    Ok(is_named)
}

/// Splits the modes `mode_shape` into parts, so that no part crosses a boundary between two dims of `shape`. The
/// product of `mode_shape` must equal the product of `shape`.
///
/// Returns (extents of all parts, first). The parts of mode `i` have the indices `first[i]..first[i + 1]`.
pub(super) fn split_modes(
    mode_shape: &[u64],
    shape: &[u64],
) -> Result<(Modes<u64>, Modes<usize>), TilusError> {
    let mut parts: Modes<u64> = Modes::new();
    let mut first: Modes<usize> = Modes::new();
    let mut dims = shape.iter().copied().enumerate();
    let (mut dim, mut left) = (0, 1);
    for (mode, &extent) in mode_shape.iter().enumerate() {
        first.push(parts.len());
        let mut rest = extent;
        while rest > 1 {
            while left == 1 {
                // The products are equal, so there is another dim as long as there is another mode.
                (dim, left) = dims.next().unwrap_or((dim, rest));
            }
            let part = if left.is_multiple_of(rest) {
                rest
            } else if rest.is_multiple_of(left) {
                left
            } else {
                return Err(ErrorKind::Straddles {
                    mode,
                    extent,
                    rest,
                    dim,
                    left,
                }
                .into());
            };
            parts.push(part);
            rest /= part;
            left /= part;
        }
    }
    first.push(parts.len());
    Ok((parts, first))
}

impl RegisterLayout {
    /// Returns the layout without the dims `dims`, which must have extent 1.
    ///
    /// # Errors
    /// Returns an error if a dim is missing or repeated, or has another extent.
    pub fn squeeze(&self, dims: &[usize]) -> Result<Self, TilusError> {
        let is_named = named(dims, self.rank())?;
        for &dim in dims {
            let extent = self.shape[dim];
            if extent != 1 {
                return Err(ErrorKind::NotExtentOne { dim, extent }.into());
            }
        }
        let rest = self.shape.iter().zip(is_named.iter());
        Ok(Self {
            shape: rest.filter(|(_, n)| !**n).map(|(e, _)| *e).collect(),
            ..self.clone()
        })
    }

    /// Returns the layout with new dims of extent 1 at the positions `dims` of the new shape.
    ///
    /// ```
    /// # use linear_layout_tilus::spatial;
    /// assert_eq!(spatial(&[2, 3])?.unsqueeze(&[0, 2])?.shape(), [1, 2, 1, 3]);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if a position is beyond the new shape or repeated.
    pub fn unsqueeze(&self, dims: &[usize]) -> Result<Self, TilusError> {
        let is_new = named(dims, self.rank() + dims.len())?;
        let mut old = self.shape.iter();
        let shape = is_new.iter().map(|is_new| match is_new {
            true => 1,
            false => *old.next().unwrap_or(&1),
        });
        Ok(Self {
            shape: shape.collect(),
            ..self.clone()
        })
    }

    /// Returns the layout whose dim `i` is dim `dims[i]` of `self`.
    ///
    /// # Errors
    /// Returns an error if `dims` is not a permutation of the dims.
    pub fn permute(&self, dims: &[usize]) -> Result<Self, TilusError> {
        let rank = self.rank();
        check_count("dims in the permutation", dims.len(), "dim", rank)?;
        named(dims, rank)?;
        let mut starts: Modes<(usize, usize)> = Modes::new();
        starts.extend(self.mode_groups().map(|group| (group.start, group.end)));
        let mut number: Modes<usize> = Modes::from_elem(0, self.mode_shape.len());
        let mut mode_shape: Modes<u64> = Modes::new();
        for &dim in dims {
            let (start, end) = starts[dim];
            for mode in start..end {
                number[mode] = mode_shape.len();
                mode_shape.push(self.mode_shape[mode]);
            }
        }
        Ok(Self {
            shape: dims.iter().map(|dim| self.shape[*dim]).collect(),
            mode_shape,
            spatial_modes: self
                .spatial_modes
                .iter()
                .map(|&entry| mode_of(entry).map_or(entry, |mode| entry_of(number[mode])))
                .collect(),
            local_modes: self.local_modes.iter().map(|mode| number[*mode]).collect(),
        }
        .into_merged())
    }

    /// Returns the layout of shape `shape` with the same modes and lists.
    ///
    /// # Errors
    /// Returns an error if the modes do not fill the new dims one after the other.
    pub fn with_shape(&self, shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        check_groups(shape, &self.mode_shape)?;
        Ok(Self {
            shape: shape.into(),
            ..self.clone()
        })
    }

    /// Returns the layout of the tensor reshaped to `shape`, in row-major order. Modes are split at the boundaries
    /// of the new dims.
    ///
    /// ```
    /// # use linear_layout_tilus::{local, spatial};
    /// let l = spatial(&[8])?.local(&[4])?.reshape(&[4, 2, 4])?;
    /// assert_eq!(l, spatial(&[4, 2, 1])?.local(&[1, 1, 4])?);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// The thread and position of each row-major number are preserved (property `reshape_keeps_the_order`).
    ///
    /// # Errors
    /// Returns an error if `shape` has a different number of elements. Also returns an error if a mode crosses a
    /// boundary between two dims of `shape` and cannot be split there.
    pub fn reshape(&self, shape: &[u64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        let (found, expected) = (product(shape.iter().copied(), "shape")?, self.size());
        if found != expected {
            return Err(ErrorKind::SizesDiffer { found, expected }.into());
        }
        let whole = self.merged();
        let (mode_shape, first) = split_modes(&whole.mode_shape, shape)?;
        let parts = |mode: usize| first[mode]..first[mode + 1];
        let mut spatial_modes: Modes<i64> = Modes::new();
        for &entry in whole.spatial_modes.iter() {
            match mode_of(entry) {
                Some(mode) => spatial_modes.extend(parts(mode).map(entry_of)),
                None => spatial_modes.push(entry),
            }
        }
        Ok(Self {
            shape: shape.into(),
            mode_shape,
            spatial_modes,
            local_modes: whole.local_modes.iter().flat_map(|m| parts(*m)).collect(),
        }
        .into_merged())
    }

    /// Merges a range of dims into one dim, in row-major order. An empty range inserts a dim of extent 1.
    /// ```
    /// # use linear_layout_tilus::local;
    /// let l = local(&[3, 4, 5])?;
    /// assert_eq!(l.flatten(1..)?.shape(), [3, 20]);
    /// assert_eq!(l.flatten(0..=1)?.shape(), [12, 5]);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if the range is out of bounds.
    pub fn flatten(&self, dims: impl RangeBounds<usize>) -> Result<Self, TilusError> {
        let rank = self.rank();
        let start = match dims.start_bound() {
            Bound::Included(dim) => *dim,
            Bound::Excluded(dim) => dim.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match dims.end_bound() {
            Bound::Included(dim) => dim.saturating_add(1),
            Bound::Excluded(dim) => *dim,
            Bound::Unbounded => rank,
        };
        if start > end || end > rank {
            return Err(ErrorKind::RangeOfDims { start, end, rank }.into());
        }
        let mut shape: Extents = self.shape[..start].into();
        shape.push(self.shape[start..end].iter().product());
        shape.extend(self.shape[end..].iter().copied());
        self.with_shape(&shape).map(Self::into_merged)
    }

    /// Returns the layout of the result of a reduction along `dims`. The threads that hold an element also hold the
    /// result to which the element contributes. If `keeps_dims` is true, the reduced dims have extent 1; otherwise
    /// they are removed.
    ///
    /// ```
    /// # use linear_layout_tilus::spatial;
    /// let column_sums = spatial(&[3, 4])?.reduce(&[0], false)?;
    /// assert_eq!(column_sums.threads_of(&[1])?.collect::<Vec<_>>(), [1, 5, 9]);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if a dim does not exist or is repeated.
    pub fn reduce(&self, dims: &[usize], keeps_dims: bool) -> Result<Self, TilusError> {
        let is_named = named(dims, self.rank())?;
        if dims.is_empty() {
            return Ok(self.clone());
        }
        let mut number: Modes<usize> = Modes::from_elem(usize::MAX, self.mode_shape.len());
        let mut mode_shape: Modes<u64> = Modes::new();
        let mut shape = Extents::new();
        for (dim, group) in groups(&self.shape, &self.mode_shape).enumerate() {
            if is_named[dim] {
                shape.extend(keeps_dims.then_some(1));
                continue;
            }
            shape.push(self.shape[dim]);
            for mode in group {
                number[mode] = mode_shape.len();
                mode_shape.push(self.mode_shape[mode]);
            }
        }
        Ok(Self {
            shape,
            mode_shape,
            spatial_modes: self
                .spatial_modes
                .iter()
                .map(|&entry| match mode_of(entry) {
                    Some(mode) if number[mode] == usize::MAX => replication(self.mode_shape[mode]),
                    Some(mode) => entry_of(number[mode]),
                    None => entry,
                })
                .collect(),
            local_modes: self
                .local_modes
                .iter()
                .map(|mode| number[*mode])
                .filter(|number| *number != usize::MAX)
                .collect(),
        }
        .into_merged())
    }

    /// [Reduces](Self::reduce) the layout to the shape `shape`, whose dims correspond to the last dims of `self`. A
    /// dim with extent 1 in `shape` is reduced and keeps the extent 1. The leading dims of `self` that `shape`
    /// lacks are reduced and removed.
    ///
    /// # Errors
    /// Returns an error if `shape` has more dims than `self`, or if an extent is neither the extent of `self` nor
    /// 1.
    pub fn reduce_to(&self, shape: &[u64]) -> Result<Self, TilusError> {
        let Some(missing) = self.rank().checked_sub(shape.len()) else {
            return Err(ErrorKind::ReducedRank {
                found: shape.len(),
                rank: self.rank(),
            }
            .into());
        };
        let mut to_one: Modes<usize> = Modes::new();
        for (i, &found) in shape.iter().enumerate() {
            let (dim, extent) = (missing + i, self.shape[missing + i]);
            if found != extent {
                if found != 1 {
                    return Err(ErrorKind::NotBroadcast { dim, extent, found }.into());
                }
                to_one.push(dim);
            }
        }
        let leading: Modes<usize> = (0..missing).collect();
        self.reduce(&to_one, true)?.reduce(&leading, false)
    }
}
