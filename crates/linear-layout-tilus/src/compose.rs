//! Composition and division of register layouts.

use super::RegisterLayout;
use super::error::{ErrorKind, ModeList, TilusError};
use super::register_layout::{MAX_SIZE, entry_of, mode_of, product, replication};
use super::{Extents, Modes};

/// The divisor of a composition `outer.compose(&inner)`: its inner or its outer layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The divisor is the inner layout, whose indices are the low-order digits of the composed indices.
    Inner,
    /// The divisor is the outer layout, whose indices are the high-order digits of the composed indices.
    Outer,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Outer => "outer",
        }
    }

    const fn at(self, step: usize, len: usize) -> usize {
        match self {
            Self::Inner => len - 1 - step,
            Self::Outer => step,
        }
    }
}

/// Extent 0 in the spatial list of a quotient. It marks a replication with a single replica (the entry `-1`). The
/// quotient keeps this entry, although it drops other entries of extent 1.
const KEPT: u64 = 0;

/// Splits the factor `size` off a number in mixed radix whose digits have the extents `extents`. [`Part::Inner`]
/// takes digits from the last (fastest) one, and [`Part::Outer`] from the first one. Each digit is taken whole, but
/// of the final one, only a factor of its extent may be taken. Sets `taken[i]` to the factor that is taken of digit
/// `i`.
///
/// Returns the number of digits that contribute a factor, or `None` if the factors cannot have the product `size`.
#[inline]
fn take(extents: &[u64], size: u64, part: Part, taken: &mut [u64]) -> Option<usize> {
    let mut left = size;
    let mut digits = 0;
    while left > 1 {
        if digits == extents.len() {
            return None;
        }
        let at = part.at(digits, extents.len());
        let extent = extents[at];
        if left.is_multiple_of(extent) {
            taken[at] = extent;
            left /= extent;
        } else if extent.is_multiple_of(left) {
            taken[at] = left;
            left = 1;
        } else {
            return None;
        }
        digits += 1;
    }
    Some(digits)
}

impl RegisterLayout {
    /// Returns the composition of two layouts, in which a copy of `inner` replaces each element of `self`.
    ///
    /// Element `i * inner.shape + j` is in thread `s * n + t`: element `i` of `self` is in thread `s`, element `j`
    /// of `inner` is in thread `t`, and `inner` has `n` threads. Positions are composed in the same way. The
    /// shorter shape is padded with leading dims of extent 1.
    /// ```
    /// # use linear_layout_tilus::{local, spatial};
    /// let l = local(&[3, 4])?.compose(&spatial(&[2, 3])?)?;
    /// // Row 5 = 2*2 + 1, column 7 = 2*3 + 1: thread (1, 1) of 2 x 3, place (2, 2) of 3 x 4.
    /// assert_eq!((l.threads_of(&[5, 7])?.next(), l.local_of(&[5, 7])?), (Some(4), 10));
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// Composition is associative, with the identity [`unit`](Self::unit) (property `composition_is_a_monoid`).
    ///
    /// # Errors
    /// Returns an error if the product of the shapes or of the thread counts is too large.
    pub fn compose(&self, inner: &Self) -> Result<Self, TilusError> {
        let rank = self.rank().max(inner.rank());
        let padded = |layout: &Self, dim: usize| {
            (dim + layout.rank())
                .checked_sub(rank)
                .map_or(1, |i| layout.shape[i])
        };
        let mut shape: Extents = Extents::new();
        for dim in 0..rank {
            // If the product saturates, the check below returns an error.
            shape.push(padded(self, dim).saturating_mul(padded(inner, dim)));
        }
        product(shape.iter().copied(), "shape")?;
        check_threads(self, inner)?;
        let mut mode_shape: Modes<u64> = Modes::new();
        let (mut of_outer, mut of_inner): (Modes<usize>, Modes<usize>) =
            (Modes::new(), Modes::new());
        let (mut outer_groups, mut inner_groups) = (self.mode_groups(), inner.mode_groups());
        for dim in 0..rank {
            if dim + self.rank() >= rank {
                for mode in outer_groups.next().unwrap_or_default() {
                    of_outer.push(mode_shape.len());
                    mode_shape.push(self.mode_shape[mode]);
                }
            }
            if dim + inner.rank() >= rank {
                for mode in inner_groups.next().unwrap_or_default() {
                    of_inner.push(mode_shape.len());
                    mode_shape.push(inner.mode_shape[mode]);
                }
            }
        }
        let (spatial_modes, local_modes) = self.lists_with(inner, &of_outer, &of_inner);
        Ok(Self {
            shape,
            mode_shape,
            spatial_modes,
            local_modes,
        }
        .into_merged())
    }

    /// Concatenates the spatial lists of both layouts, and also their local lists. In the result, mode `m` of
    /// `self` has the number `of_self[m]`, and mode `m` of `other` has the number `of_other[m]`.
    fn lists_with(
        &self,
        other: &Self,
        of_self: &[usize],
        of_other: &[usize],
    ) -> (Modes<i64>, Modes<usize>) {
        let (mut spatial, mut local): (Modes<i64>, Modes<usize>) = (Modes::new(), Modes::new());
        for (layout, number) in [(self, of_self), (other, of_other)] {
            let entries = layout.spatial_modes.iter();
            spatial.extend(
                entries.map(|&entry| mode_of(entry).map_or(entry, |mode| entry_of(number[mode]))),
            );
            local.extend(layout.local_modes.iter().map(|&mode| number[mode]));
        }
        (spatial, local)
    }

    /// Returns the Cartesian product of two layouts. The dims of `self` precede the dims of `other`. In the thread
    /// number and in the position, the digits of `other` are the low-order digits.
    ///
    /// # Errors
    /// Returns an error if the product of the shapes or of the thread counts is too large.
    pub fn concat(&self, other: &Self) -> Result<Self, TilusError> {
        let shape: Extents = self
            .shape
            .iter()
            .chain(other.shape.iter())
            .copied()
            .collect();
        product(shape.iter().copied(), "shape")?;
        check_threads(self, other)?;
        let modes = self.mode_shape.len();
        let of_self: Modes<usize> = (0..modes).collect();
        let of_other: Modes<usize> = (modes..modes + other.mode_shape.len()).collect();
        let (spatial_modes, local_modes) = self.lists_with(other, &of_self, &of_other);
        Ok(Self {
            shape,
            mode_shape: self
                .mode_shape
                .iter()
                .chain(other.mode_shape.iter())
                .copied()
                .collect(),
            spatial_modes,
            local_modes,
        }
        .into_merged())
    }

    /// Returns the quotient of `self` by an inner layout: the layout `x` with `x.compose(&inner) == self`.
    ///
    /// ```
    /// # use linear_layout_tilus::{local, spatial};
    /// let l = local(&[3, 4])?.spatial(&[2, 3])?;
    /// assert_eq!(l.divide(&spatial(&[2, 3])?)?, local(&[3, 4])?);
    /// assert_eq!(l.divide(&spatial(&[2, 2])?).unwrap_err().to_string(),
    ///     "the modes of dim 1 (extent 12) cannot be split at 2, the extent of the divisor in this dim");
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// Every result `x` satisfies `x.compose(&inner) == self`. A result is found if there is one (property
    /// `a_quotient_is_found_where_there_is_one`).
    ///
    /// # Errors
    /// Returns an error, with the dim, list or mode that cannot be split, if there is no quotient.
    pub fn divide(&self, inner: &Self) -> Result<Self, TilusError> {
        self.quotient(inner, Part::Inner)
    }

    /// Returns the quotient of `self` by an outer layout: the layout `x` with `outer.compose(&x) == self`.
    ///
    /// ```
    /// # use linear_layout_tilus::{local, spatial};
    /// let l = local(&[3, 4])?.spatial(&[2, 3])?;
    /// assert_eq!(l.left_divide(&local(&[3, 4])?)?, spatial(&[2, 3])?);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// Every result `x` satisfies `outer.compose(&x) == self`. A result is found if there is one (property
    /// `a_quotient_is_found_where_there_is_one`).
    ///
    /// # Errors
    /// Returns an error, with the dim, list or mode that cannot be split, if there is no quotient.
    pub fn left_divide(&self, outer: &Self) -> Result<Self, TilusError> {
        self.quotient(outer, Part::Outer)
    }

    fn quotient(&self, divisor: &Self, part: Part) -> Result<Self, TilusError> {
        if self.has_modes_to_merge() {
            return self.merged().quotient(divisor, part);
        }
        // First without changes of the replications, which then keep their form in the quotient.
        let found = self.quotient_as_spelled(divisor, part);
        if found.is_err() {
            let canonical = self.canonical();
            if !canonical.has_same_text(self) {
                let other = canonical.quotient_as_spelled(divisor, part);
                if other.is_ok() {
                    return other;
                }
            }
        }
        found
    }

    fn quotient_as_spelled(&self, divisor: &Self, part: Part) -> Result<Self, TilusError> {
        let rank = self.rank();
        let Some(missing) = rank.checked_sub(divisor.rank()) else {
            return Err(ErrorKind::RankLarger {
                found: divisor.rank(),
                rank,
            }
            .into());
        };
        let mut taken: Modes<u64> = Modes::from_elem(1, self.mode_shape.len());
        let mut shape = Extents::new();
        for (dim, group) in self.mode_groups().enumerate() {
            let by = dim.checked_sub(missing).map_or(1, |i| divisor.shape[i]);
            let extent = self.shape[dim];
            let modes = &self.mode_shape[group.clone()];
            take(modes, by, part, &mut taken[group]).ok_or(ErrorKind::DimNotDivisible {
                dim,
                extent,
                by,
            })?;
            shape.push(extent / by);
        }
        let threads: Modes<u64> = self.spatial_shape().collect();
        let by = divisor.spatial_size();
        let mut of_threads: Modes<u64> = Modes::from_elem(1, threads.len());
        let digits = take(&threads, by, part, &mut of_threads).ok_or_else(|| {
            ErrorKind::ListNotDivisible {
                list: ModeList::Spatial,
                size: self.spatial_size(),
                by,
            }
        })?;
        let places: Modes<u64> = self.local_shape().collect();
        let by = divisor.local_size();
        let mut of_places: Modes<u64> = Modes::from_elem(1, places.len());
        take(&places, by, part, &mut of_places).ok_or_else(|| ErrorKind::ListNotDivisible {
            list: ModeList::Local,
            size: self.local_size(),
            by,
        })?;
        let agrees = |list, mode: usize, by_list| {
            if taken[mode] == by_list {
                return Ok(());
            }
            Err(TilusError::from(ErrorKind::CutsDiffer {
                list,
                mode,
                extent: self.mode_shape[mode],
                by_dim: taken[mode],
                by_list,
            }))
        };
        for (&entry, &by_list) in self.spatial_modes.iter().zip(of_threads.iter()) {
            if let Some(mode) = mode_of(entry) {
                agrees(ModeList::Spatial, mode, by_list)?;
            }
        }
        for (&mode, &by_list) in self.local_modes.iter().zip(of_places.iter()) {
            agrees(ModeList::Local, mode, by_list)?;
        }
        // Leading dims of extent 1 that the divisor lacks are dropped.
        let found = self.with_extents(divisor.shape.clone(), &taken, &of_threads);
        if found != *divisor {
            return Err(ErrorKind::PartDiffers {
                which: part.name(),
                found: found.merged().to_string(),
            }
            .into());
        }
        let left: Modes<u64> = self
            .mode_shape
            .iter()
            .zip(taken.iter())
            .map(|(a, b)| a / b)
            .collect();
        let mut threads_left: Modes<u64> = threads
            .iter()
            .zip(of_threads.iter())
            .map(|(a, b)| a / b)
            .collect();
        if self.spatial_modes.contains(&-1) {
            self.keep_singles(divisor, digits, part, &mut threads_left);
        }
        Ok(self.with_extents(shape, &left, &threads_left).into_merged())
    }

    /// Handles the replications with a single replica (`-1`) in the spatial list of `self`. If such an entry is not
    /// part of the divisor, its extent in `left`, the spatial extents of the quotient, is set to [`KEPT`]. The
    /// quotient then keeps the entry, and its text shows the entry.
    fn keep_singles(&self, divisor: &Self, taken: usize, part: Part, left: &mut Modes<u64>) {
        let len = left.len();
        let is_single = |step: usize| self.spatial_modes[part.at(step, len)] == -1;
        let inside = (0..taken).filter(|step| is_single(*step)).count();
        let of_divisor = divisor.spatial_modes.iter().filter(|e| **e == -1).count();
        // Replications of one thread that belong to the divisor may also be at its edge.
        let edge = of_divisor.saturating_sub(inside);
        let at_edge = (taken..len).take(edge).take_while(|step| is_single(*step));
        let first = taken + at_edge.count();
        for step in (first..len).filter(|step| is_single(*step)) {
            left[part.at(step, len)] = KEPT;
        }
    }

    /// Returns a copy of `self` with the shape `shape` and with other extents: `modes` has the extent of each mode,
    /// and `threads` has the extent of each entry of the spatial list. Modes and entries of extent 1 are dropped.
    /// Entries of extent [`KEPT`] remain as `-1`.
    fn with_extents(&self, shape: Extents, modes: &[u64], threads: &[u64]) -> Self {
        let mut number: Modes<usize> = Modes::new();
        let mut kept = 0;
        for &extent in modes {
            number.push(kept);
            kept += usize::from(extent > 1);
        }
        Self {
            shape,
            mode_shape: modes.iter().copied().filter(|e| *e > 1).collect(),
            spatial_modes: self
                .spatial_modes
                .iter()
                .zip(threads)
                .filter(|(_, extent)| **extent != 1)
                .map(|(&entry, &extent)| match mode_of(entry) {
                    Some(mode) => entry_of(number[mode]),
                    None => replication(extent.max(1)),
                })
                .collect(),
            local_modes: self
                .local_modes
                .iter()
                .copied()
                .filter(|mode| modes[*mode] > 1)
                .map(|mode| number[mode])
                .collect(),
        }
    }
}

fn check_threads(a: &RegisterLayout, b: &RegisterLayout) -> Result<(), TilusError> {
    match a.spatial_size().checked_mul(b.spatial_size()) {
        Some(threads) if threads <= MAX_SIZE => Ok(()),
        _ => Err(ErrorKind::TooLarge {
            what: "number of threads",
        }
        .into()),
    }
}
