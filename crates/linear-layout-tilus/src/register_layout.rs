//! Representation, validation and queries of register layouts.

use core::hash::{Hash, Hasher};
use core::ops::Range;

use super::error::{ErrorKind, ModeList, TilusError};
use super::{Extents, Modes};

/// Maximum number of elements, maximum number of threads, and maximum offset. A number up to this limit fits in an
/// `i64`, and the sum of two such numbers fits in a `u64`.
pub(super) const MAX_SIZE: u64 = 1 << 62;

/// A register layout: maps each element of a tensor to the threads that hold the element, and to a position in the
/// registers of these threads.
///
/// The extent of each dim is split into *modes*, the digits of an index. Each mode is in the spatial or in the
/// local list. The digits of the spatial modes form the thread number, and the digits of the local modes form the
/// position. The first digit of each list is the most significant. A layout with 6 = 3 x 2 rows and 12 = 4 x 3
/// columns:
/// ```
/// use linear_layout_tilus::RegisterLayout;
/// let l = RegisterLayout::new(&[6, 12], &[3, 2, 4, 3], &[1, 3], &[0, 2])?;
/// // Element (5, 7): digits 5 = 2*2 + 1 and 7 = 2*3 + 1, so thread 1*3 + 1, place 2*4 + 2.
/// assert_eq!(l.threads_of(&[5, 7])?.collect::<Vec<_>>(), [4]);
/// assert_eq!(l.local_of(&[5, 7])?, 10);
/// assert_eq!(l.index_of(4, 10)?, [5, 7]);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// A negative spatial mode `-r` is a *replication*: a digit of the thread number that does not depend on the index.
/// `r` threads then hold the same element.
///
/// # Shape
/// The rank and the extents are arbitrary. The product of the extents is at most `2^62`.
///
/// # Units
/// Threads are numbered from 0 within the thread block. Positions count elements from 0.
///
/// # Laws
/// Two layouts are equal if they have the same shape and the same map, even if their modes differ. Equal layouts
/// have equal hashes (property `equality_is_that_of_the_maps`).
#[derive(Clone, Debug)]
pub struct RegisterLayout {
    pub(super) shape: Extents,
    /// Extents of the modes, in the order of their dims. No extent is 1. The product of the extents of a dim's
    /// modes is the extent of the dim.
    pub(super) mode_shape: Modes<u64>,
    /// Entries of the spatial list: the index of a mode, or `-r` for a replication of `r` threads.
    pub(super) spatial_modes: Modes<i64>,
    pub(super) local_modes: Modes<usize>,
}

/// Returns the mode in an entry of the spatial list, or `None` if the entry is a replication.
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "an entry of zero or more is the index of a mode"
)]
pub(super) const fn mode_of(entry: i64) -> Option<usize> {
    if entry < 0 {
        None
    } else {
        Some(entry as usize)
    }
}

#[expect(
    clippy::cast_possible_wrap,
    reason = "a list of modes is shorter than 2^63"
)]
pub(super) const fn entry_of(mode: usize) -> i64 {
    mode as i64
}

#[expect(clippy::cast_possible_wrap, reason = "no extent is above 2^62")]
pub(super) const fn replication(times: u64) -> i64 {
    -(times as i64)
}

/// Returns the product of the extents, or an error if the product exceeds [`MAX_SIZE`].
pub(super) fn product(
    extents: impl IntoIterator<Item = u64>,
    what: &'static str,
) -> Result<u64, TilusError> {
    extents
        .into_iter()
        .try_fold(1u64, |size, extent| size.checked_mul(extent))
        .filter(|size| *size <= MAX_SIZE)
        .ok_or_else(|| ErrorKind::TooLarge { what }.into())
}

/// Checks that no extent is zero, and that the product of the extents is at most [`MAX_SIZE`].
pub(super) fn check_extents(extents: &[u64], what: &'static str) -> Result<(), TilusError> {
    match extents.iter().position(|extent| *extent == 0) {
        Some(at) => Err(ErrorKind::Zero { what, at }.into()),
        None => product(extents.iter().copied(), what).map(|_| ()),
    }
}

#[inline]
pub(super) fn check_count(
    what: &'static str,
    found: usize,
    of: &'static str,
    expected: usize,
) -> Result<(), TilusError> {
    if found == expected {
        return Ok(());
    }
    Err(ErrorKind::LengthsDiffer {
        what,
        found,
        of,
        expected,
    }
    .into())
}

#[inline]
pub(super) fn check_index(index: &[u64], shape: &[u64]) -> Result<(), TilusError> {
    check_count("indices", index.len(), "dim", shape.len())?;
    match index.iter().zip(shape).position(|(i, size)| i >= size) {
        None => Ok(()),
        Some(dim) => Err(ErrorKind::OutOfRange {
            what: "index",
            at: Some(dim),
            found: index[dim],
            size: shape[dim],
        }
        .into()),
    }
}

/// Checks that the modes fill the dims one after the other. This means that each dim has consecutive modes whose
/// product is the extent of the dim. Modes of extent 1 are ignored.
pub(super) fn check_groups(shape: &[u64], mode_shape: &[u64]) -> Result<(), TilusError> {
    let mut modes = mode_shape
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, extent)| *extent != 1);
    for (dim, &of) in shape.iter().enumerate() {
        let mut left = of;
        while left > 1 {
            let Some((mode, extent)) = modes.next() else {
                return Err(ErrorKind::ModesMissing { dim, left, of }.into());
            };
            if !left.is_multiple_of(extent) {
                return Err(ErrorKind::ModeDoesNotDivide {
                    mode,
                    extent,
                    dim,
                    left,
                    of,
                }
                .into());
            }
            left /= extent;
        }
    }
    match modes.next() {
        Some((mode, extent)) => Err(ErrorKind::ModesLeft { mode, extent }.into()),
        None => Ok(()),
    }
}

/// Returns for each dim the range of the modes that split it, as indices into `mode_shape`. The arguments must be
/// valid, as checked by [`check_groups`], and no mode may have extent 1.
pub(super) fn groups<'a>(
    shape: &'a [u64],
    mode_shape: &'a [u64],
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut next = 0;
    shape.iter().map(move |&extent| {
        let first = next;
        let mut left = extent;
        while left > 1 {
            left /= mode_shape[next];
            next += 1;
        }
        first..next
    })
}

/// Returns for each dim the range of the modes that split it, as indices into `mode_shape`.
///
/// ```
/// # use linear_layout_tilus::mode_groups;
/// assert_eq!(mode_groups(&[6, 1, 4], &[6, 2, 2])?, [0..1, 1..1, 1..3]);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Errors
/// Returns an error if an extent is zero, if a mode has extent 1, or if the modes do not fill the dims one after
/// the other.
pub fn mode_groups(shape: &[u64], mode_shape: &[u64]) -> Result<Vec<Range<usize>>, TilusError> {
    check_extents(shape, "shape")?;
    check_extents(mode_shape, "mode shape")?;
    if let Some(mode) = mode_shape.iter().position(|extent| *extent == 1) {
        return Err(ErrorKind::ModesLeft { mode, extent: 1 }.into());
    }
    check_groups(shape, mode_shape)?;
    Ok(groups(shape, mode_shape).collect())
}

impl RegisterLayout {
    /// Returns the layout with the given modes and lists. Consecutive modes of a dim are merged if they are also
    /// consecutive in a list.
    ///
    /// ```
    /// # use linear_layout_tilus::RegisterLayout;
    /// let l = RegisterLayout::new(&[8, 4], &[2, 4, 1, 4], &[0, 1], &[3])?;
    /// assert_eq!(l.to_string(),
    ///     "RegisterLayout(shape=[8, 4], mode_shape=[8, 4], spatial_modes=[0], local_modes=[1])");
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if
    /// - an extent is zero, or a product is too large,
    /// - the modes do not fill the dims one after the other,
    /// - a list names a mode that does not exist, a mode is named twice, or the local list has a replication, or
    /// - a mode of extent 2 or more is in neither list: several elements would have the same position.
    pub fn new(
        shape: &[u64],
        mode_shape: &[u64],
        spatial_modes: &[i64],
        local_modes: &[i64],
    ) -> Result<Self, TilusError> {
        Self::spelled(shape, mode_shape, spatial_modes, local_modes).map(Self::into_merged)
    }

    /// Returns the layout with the given modes and lists. Unlike [`new`](Self::new), keeps modes separate that
    /// could be merged. Modes of extent 1 are dropped.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn spelled(
        shape: &[u64],
        mode_shape: &[u64],
        spatial_modes: &[i64],
        local_modes: &[i64],
    ) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        check_extents(mode_shape, "mode shape")?;
        check_groups(shape, mode_shape)?;
        let mut is_used: Modes<bool> = Modes::from_elem(false, mode_shape.len());
        let mut mark = |list, found: i64| {
            let mode = mode_of(found).filter(|mode| *mode < mode_shape.len());
            let Some(mode) = mode else {
                return Err(TilusError::from(ErrorKind::NoSuchMode {
                    list,
                    found,
                    modes: mode_shape.len(),
                }));
            };
            if is_used[mode] {
                return Err(ErrorKind::ModeTwice { mode }.into());
            }
            is_used[mode] = true;
            Ok(mode)
        };
        for &entry in spatial_modes {
            if entry >= 0 {
                mark(ModeList::Spatial, entry)?;
            }
        }
        for &entry in local_modes {
            mark(ModeList::Local, entry)?;
        }
        for (mode, &extent) in mode_shape.iter().enumerate() {
            if extent > 1 && !is_used[mode] {
                return Err(ErrorKind::ModeUnused { mode, extent }.into());
            }
        }
        let threads = spatial_modes.iter().map(|&entry| match mode_of(entry) {
            Some(mode) => mode_shape[mode],
            None => entry.unsigned_abs(),
        });
        product(threads, "number of threads")?;
        // Modes of extent 1 are dropped, and all other modes are renumbered.
        let mut number: Modes<usize> = Modes::new();
        let mut kept = 0;
        for &extent in mode_shape {
            number.push(kept);
            kept += usize::from(extent > 1);
        }
        let is_kept = |mode: usize| mode_shape[mode] > 1;
        Ok(Self {
            shape: shape.into(),
            mode_shape: mode_shape.iter().copied().filter(|e| *e > 1).collect(),
            spatial_modes: spatial_modes
                .iter()
                .filter_map(|&entry| match mode_of(entry) {
                    Some(mode) => is_kept(mode).then(|| entry_of(number[mode])),
                    None => Some(entry),
                })
                .collect(),
            local_modes: local_modes
                .iter()
                .filter_map(|&entry| mode_of(entry))
                .filter(|mode| is_kept(*mode))
                .map(|mode| number[mode])
                .collect(),
        })
    }

    /// Returns the rank of the tensor.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the extents of the modes, in the order of their dims. Modes of extent 1 are omitted.
    #[must_use]
    pub fn mode_shape(&self) -> &[u64] {
        &self.mode_shape
    }

    /// Returns one entry per digit of the thread number, most significant digit first. The entry is a mode `m`, or
    /// `-r` for a replication of `r` threads.
    #[must_use]
    pub fn spatial_modes(&self) -> &[i64] {
        &self.spatial_modes
    }

    /// Returns the local list: the modes whose digits form the position in the registers, most significant first.
    #[must_use]
    pub fn local_modes(&self) -> &[usize] {
        &self.local_modes
    }

    /// Returns for each dim the range of the modes that split it, as indices into [`mode_shape`](Self::mode_shape).
    pub fn mode_groups(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        groups(&self.shape, &self.mode_shape)
    }

    /// Returns the extent of each entry of the spatial list. A replication `-r` has extent `r`.
    pub fn spatial_shape(
        &self,
    ) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + Clone + '_ {
        self.spatial_modes
            .iter()
            .map(|&entry| self.spatial_extent(entry))
    }

    pub(super) fn spatial_extent(&self, entry: i64) -> u64 {
        match mode_of(entry) {
            Some(mode) => self.mode_shape[mode],
            None => entry.unsigned_abs(),
        }
    }

    /// Returns the extent of each mode of the local list.
    pub fn local_shape(
        &self,
    ) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + Clone + '_ {
        self.local_modes.iter().map(|&mode| self.mode_shape[mode])
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn spatial_size(&self) -> u64 {
        self.spatial_shape().product()
    }

    /// Returns the number of elements per thread.
    #[must_use]
    pub fn local_size(&self) -> u64 {
        self.local_shape().product()
    }

    /// Returns the number of elements of the tensor.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Returns the number of threads that hold each element.
    #[must_use]
    pub fn replications(&self) -> u64 {
        let replications = self.spatial_modes.iter().filter(|entry| **entry < 0);
        replications.map(|entry| entry.unsigned_abs()).product()
    }

    /// Merges consecutive modes of a dim that are also consecutive in the spatial or in the local list. The result
    /// equals `self`.
    ///
    /// As in Tilus, replications are unchanged. [`canonical`](Self::canonical) merges replications, too.
    #[must_use]
    pub fn merged(&self) -> Self {
        self.clone().into_merged()
    }

    pub(super) fn has_modes_to_merge(&self) -> bool {
        let follows = |first: usize, second: usize| {
            second == first + 1 && self.mode_groups().all(|group| group.start != second)
        };
        self.local_modes.windows(2).any(|p| follows(p[0], p[1]))
            || self.spatial_modes.windows(2).any(|pair| {
                match (mode_of(pair[0]), mode_of(pair[1])) {
                    (Some(first), Some(second)) => follows(first, second),
                    _ => false,
                }
            })
    }

    pub(super) fn into_merged(self) -> Self {
        if !self.has_modes_to_merge() {
            return self;
        }
        // `next` is the successor of each mode in its list.
        let modes = self.mode_shape.len();
        let mut next: Modes<usize> = Modes::from_elem(usize::MAX, modes);
        for pair in self.spatial_modes.windows(2) {
            if let (Some(first), Some(second)) = (mode_of(pair[0]), mode_of(pair[1])) {
                next[first] = second;
            }
        }
        for pair in self.local_modes.windows(2) {
            next[pair[0]] = pair[1];
        }
        let mut number: Modes<usize> = Modes::from_elem(0, modes);
        let mut mode_shape: Modes<u64> = Modes::new();
        for group in self.mode_groups() {
            let first = group.start;
            for mode in group {
                if mode > first && next[mode - 1] == mode {
                    let last = mode_shape.len() - 1;
                    mode_shape[last] *= self.mode_shape[mode];
                    number[mode] = usize::MAX;
                } else {
                    number[mode] = mode_shape.len();
                    mode_shape.push(self.mode_shape[mode]);
                }
            }
        }
        Self {
            mode_shape,
            spatial_modes: self
                .spatial_modes
                .iter()
                .filter_map(|&entry| match mode_of(entry) {
                    Some(mode) => (number[mode] != usize::MAX).then(|| entry_of(number[mode])),
                    None => Some(entry),
                })
                .collect(),
            local_modes: self
                .local_modes
                .iter()
                .map(|&mode| number[mode])
                .filter(|number| *number != usize::MAX)
                .collect(),
            shape: self.shape,
        }
    }

    /// Returns the normal form, which is the same for all equal layouts. Adjacent modes are merged, and so are
    /// adjacent replications.
    ///
    /// ```
    /// # use linear_layout_tilus::RegisterLayout;
    /// let l = RegisterLayout::new(&[4], &[4], &[-2, -3, 0, -1], &[])?;
    /// assert_eq!(l.canonical().spatial_modes(), [-6, 0]);
    /// assert_eq!(l, RegisterLayout::new(&[4], &[2, 2], &[-6, 0, 1], &[])?);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// `a == b` if and only if their normal forms have the same modes and lists (property
    /// `equality_is_that_of_the_maps`).
    #[must_use]
    pub fn canonical(&self) -> Self {
        self.with_merged_replications().into_merged()
    }

    /// Merges adjacent replications, and drops replications of one thread.
    pub(super) fn with_merged_replications(&self) -> Self {
        let mut spatial_modes: Modes<i64> = Modes::new();
        for &entry in self.spatial_modes.iter().filter(|entry| **entry != -1) {
            match spatial_modes.last_mut() {
                Some(last) if entry < 0 && *last < 0 => {
                    *last = replication(last.unsigned_abs() * entry.unsigned_abs());
                }
                _ => spatial_modes.push(entry),
            }
        }
        Self {
            spatial_modes,
            ..self.clone()
        }
    }

    /// Returns true if both layouts have the same modes and lists, and therefore the same text.
    #[must_use]
    pub fn has_same_text(&self, other: &Self) -> bool {
        self.shape == other.shape
            && self.mode_shape == other.mode_shape
            && self.spatial_modes == other.spatial_modes
            && self.local_modes == other.local_modes
    }
}

impl PartialEq for RegisterLayout {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape
            && (self.has_same_text(other) || self.canonical().has_same_text(&other.canonical()))
    }
}

impl Eq for RegisterLayout {}

impl Hash for RegisterLayout {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let canonical = self.canonical();
        canonical.shape.hash(state);
        canonical.mode_shape.hash(state);
        canonical.spatial_modes.hash(state);
        canonical.local_modes.hash(state);
    }
}
