//! Constructors of basic register layouts.

use super::RegisterLayout;
use super::error::{ErrorKind, TilusError};
use super::register_layout::{check_count, check_extents, entry_of, product, replication};
use super::{Extents, Modes};

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns a layout with one mode for each dim of extent 2 or more. The functions `spatial_modes` and `local_modes`
/// compute the spatial and the local list from the number of modes.
#[inline]
fn one_mode_each(
    shape: &[u64],
    spatial_modes: impl FnOnce(usize) -> Modes<i64>,
    local_modes: impl FnOnce(usize) -> Modes<usize>,
) -> Result<RegisterLayout, TilusError> {
    check_extents(shape, "shape")?;
    let modes = shape.iter().filter(|extent| **extent > 1).count();
    Ok(RegisterLayout {
        shape: shape.into(),
        mode_shape: if modes == shape.len() {
            shape.into()
        } else {
            shape.iter().copied().filter(|extent| *extent > 1).collect()
        },
        spatial_modes: spatial_modes(modes),
        local_modes: local_modes(modes),
    })
}

#[inline]
fn none<T: Copy + Default>(_: usize) -> Modes<T> {
    Modes::new()
}

/// Returns the inverse of the permutation `ranks`. Returns an error if `ranks` is not a permutation of `0..rank`.
fn order_of(ranks: &[usize], rank: usize) -> Result<Modes<usize>, TilusError> {
    check_count("ranks", ranks.len(), "dim", rank)?;
    let mut order: Modes<usize> = Modes::from_elem(usize::MAX, rank);
    for (dim, &found) in ranks.iter().enumerate() {
        match order.get_mut(found) {
            Some(to) if *to == usize::MAX => *to = dim,
            Some(_) => return Err(ErrorKind::DimTwice { dim: found }.into()),
            None => return Err(ErrorKind::NoSuchDim { found, rank }.into()),
        }
    }
    Ok(order)
}

fn modes_by_rank(shape: &[u64], ranks: &[usize]) -> Result<Modes<usize>, TilusError> {
    let order = order_of(ranks, shape.len())?;
    let with_mode = order.iter().copied().filter(|dim| shape[*dim] > 1);
    let number = |dim: usize| shape[..dim].iter().filter(|extent| **extent > 1).count();
    Ok(with_mode.map(number).collect())
}

/// Returns the layout with one element per thread. Threads are numbered in row-major order.
///
/// ```
/// # use linear_layout_tilus::spatial;
/// assert_eq!(spatial(&[2, 3])?.threads_of(&[1, 0])?.collect::<Vec<_>>(), [3]);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Errors
/// Returns an error if an extent is zero, or if the product of the extents is too large.
#[inline]
pub fn spatial(shape: &[u64]) -> Result<RegisterLayout, TilusError> {
    one_mode_each(shape, |modes| (0..modes).map(entry_of).collect(), none)
}

/// Returns the layout in which thread 0 holds all elements, in row-major order.
///
/// # Errors
/// Returns an error if an extent is zero, or if the product of the extents is too large.
#[inline]
pub fn local(shape: &[u64]) -> Result<RegisterLayout, TilusError> {
    one_mode_each(shape, none, |modes| (0..modes).collect())
}

/// Returns the same layout as [`local`], under the name in older publications on Tilus.
///
/// # Errors
/// Returns an error in the same cases as [`local`].
pub fn repeat(shape: &[u64]) -> Result<RegisterLayout, TilusError> {
    local(shape)
}

/// Returns the layout with one element per thread. `ranks[i]` is the position of dim `i` in the thread number; position
/// 0 is the slowest.
///
/// # Errors
/// Returns an error in the same cases as [`spatial`], and if the ranks are not a permutation of `0..rank`.
pub fn spatial_ranked(shape: &[u64], ranks: &[usize]) -> Result<RegisterLayout, TilusError> {
    let modes = modes_by_rank(shape, ranks)?;
    let spatial_modes = |_| modes.iter().map(|mode| entry_of(*mode)).collect();
    one_mode_each(shape, spatial_modes, none)
}

/// Returns the layout in which thread 0 holds all elements. `ranks[i]` is the position of dim `i` in the order of the
/// registers; position 0 is the slowest.
///
/// # Errors
/// Returns an error in the same cases as [`local`], and if the ranks are not a permutation of `0..rank`.
pub fn local_ranked(shape: &[u64], ranks: &[usize]) -> Result<RegisterLayout, TilusError> {
    let modes = modes_by_rank(shape, ranks)?;
    one_mode_each(shape, none, |_| modes)
}

/// Returns the layout with one element per thread. Threads are numbered in column-major order.
///
/// # Errors
/// Returns an error in the same cases as [`spatial`].
pub fn column_spatial(shape: &[u64]) -> Result<RegisterLayout, TilusError> {
    let spatial_modes = |modes| (0..modes).rev().map(entry_of).collect();
    one_mode_each(shape, spatial_modes, none)
}

/// Returns the layout in which thread 0 holds all elements, in column-major order.
///
/// # Errors
/// Returns an error in the same cases as [`local`].
pub fn column_local(shape: &[u64]) -> Result<RegisterLayout, TilusError> {
    one_mode_each(shape, none, |modes| (0..modes).rev().collect())
}

/// Returns the layout in which each of `threads` threads holds all elements, in row-major order.
///
/// # Errors
/// Returns an error in the same cases as [`local`], and if `threads` is zero or too large.
pub fn replicated(shape: &[u64], threads: u64) -> Result<RegisterLayout, TilusError> {
    let mut layout = local(shape)?;
    check_extents(&[threads], "number of threads")?;
    layout.spatial_modes.push(replication(threads));
    Ok(layout)
}

/// Returns a layout `local(..).spatial(..)` whose extents are chosen automatically. Adjacent elements along the
/// last dims are in different threads. If there are more elements than threads, each thread holds several elements.
/// If there are more threads than elements, several threads hold the same element.
///
/// ```
/// # use linear_layout_tilus::{auto_local_spatial, local};
/// assert_eq!(auto_local_spatial(16, &[2, 32])?, local(&[2, 2])?.spatial(&[1, 16])?);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Errors
/// Returns an error in the same cases as [`spatial`], and if neither the number of threads nor the number of
/// elements divides the other.
pub fn auto_local_spatial(threads: u64, shape: &[u64]) -> Result<RegisterLayout, TilusError> {
    check_extents(shape, "shape")?;
    check_extents(&[threads], "number of threads")?;
    let size = product(shape.iter().copied(), "shape")?;
    if !size.is_multiple_of(threads) && !threads.is_multiple_of(size) {
        return Err(ErrorKind::ThreadsDoNotFit { threads, size }.into());
    }
    let (mut outer, mut inner): (Extents, Extents) = (shape.into(), shape.into());
    let mut left = threads;
    for dim in (0..shape.len()).rev() {
        inner[dim] = gcd(left, shape[dim]);
        outer[dim] = shape[dim] / inner[dim];
        left /= inner[dim];
    }
    let mut layout = local(&outer)?.compose(&spatial(&inner)?)?;
    if left > 1 {
        let replicated = [replication(left)].into_iter();
        layout.spatial_modes = replicated
            .chain(layout.spatial_modes.iter().copied())
            .collect();
    }
    Ok(layout)
}

impl RegisterLayout {
    /// Returns the layout of rank 0: one element in one thread, the identity of [`compose`](Self::compose).
    #[must_use]
    pub fn unit() -> Self {
        Self {
            shape: Extents::new(),
            mode_shape: Modes::new(),
            spatial_modes: Modes::new(),
            local_modes: Modes::new(),
        }
    }

    /// Returns `self.compose(&spatial(shape)?)`; see [`spatial`].
    ///
    /// # Errors
    /// Returns an error in the same cases as [`spatial`] and [`compose`](Self::compose).
    pub fn spatial(&self, shape: &[u64]) -> Result<Self, TilusError> {
        self.compose(&spatial(shape)?)
    }

    /// Returns `self.compose(&local(shape)?)`; see [`local`].
    ///
    /// ```
    /// # use linear_layout_tilus::local;
    /// // The accumulator of `mma.m16n8k8`.
    /// let mma = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
    /// assert_eq!(mma.to_string(), "RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], \
    ///     spatial_modes=[1, 2], local_modes=[0, 3])");
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`local`] and [`compose`](Self::compose).
    pub fn local(&self, shape: &[u64]) -> Result<Self, TilusError> {
        self.compose(&local(shape)?)
    }

    /// Returns the same layout as [`local`](Self::local), under the name in older publications on Tilus.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`local`](Self::local).
    pub fn repeat(&self, shape: &[u64]) -> Result<Self, TilusError> {
        self.local(shape)
    }

    /// Returns `self.compose(&column_spatial(shape)?)`; see [`column_spatial`].
    ///
    /// # Errors
    /// Returns an error in the same cases as [`column_spatial`] and [`compose`](Self::compose).
    pub fn column_spatial(&self, shape: &[u64]) -> Result<Self, TilusError> {
        self.compose(&column_spatial(shape)?)
    }

    /// Returns `self.compose(&column_local(shape)?)`; see [`column_local`].
    ///
    /// # Errors
    /// Returns an error in the same cases as [`column_local`] and [`compose`](Self::compose).
    pub fn column_local(&self, shape: &[u64]) -> Result<Self, TilusError> {
        self.compose(&column_local(shape)?)
    }
}
