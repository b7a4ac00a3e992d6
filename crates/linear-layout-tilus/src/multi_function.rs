//! Multi-functions: maps from indices to sets of numbers, such as the threads that hold an element.

use core::hash::{Hash, Hasher};

use super::RegisterLayout;
use super::error::{ErrorKind, TilusError};
use super::register_layout::{
    check_extents, check_index, entry_of, groups, mode_of, product, replication,
};
use super::reshape::split_modes;
use super::{Extents, Modes};

/// A function that maps each index of a shape to a set of numbers, its values.
///
/// The row-major number of an index is split into digits, one for each mode of `mode_shape`. The list `modes`
/// selects the digits that form a value, most significant first. An entry `-r` of this list is a free digit: the
/// set has one value for each number below `r` in the place of this digit.
/// ```
/// use linear_layout_tilus::MultiFunction;
/// let f = MultiFunction::new(&[2, 3], &[2, 3], &[1, -2])?;
/// assert_eq!(f.image_of(&[1, 2])?, [4, 5]); // 2*2 + {0, 1}, in every row
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Laws
/// Two multi-functions are equal if they have the same values at every index, even if their modes differ (property
/// `multi_functions_are_equal_as_maps`).
#[derive(Clone, Debug)]
pub struct MultiFunction {
    shape: Extents,
    mode_shape: Modes<u64>,
    modes: Modes<i64>,
}

/// A digit of a value. The digit is `number / weight % extent` for the row-major number of an index. If `weight` is
/// `None`, the digit is free and takes all values below `extent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Digit {
    weight: Option<u64>,
    extent: u64,
}

impl Digit {
    /// Splits the digit into a high-order and a low-order digit. The low-order digit has the extent `fast`, which
    /// must divide `self.extent`.
    fn split(self, fast: u64) -> (Self, Self) {
        let slow = Self {
            weight: self.weight.map(|weight| weight * fast),
            extent: self.extent / fast,
        };
        (
            slow,
            Self {
                extent: fast,
                ..self
            },
        )
    }

    /// Returns the digit whose high-order part is `self` and whose low-order part is `fast`. Returns `None` if
    /// there is no such digit.
    fn merged(self, fast: Self) -> Option<Self> {
        let is_one = match (self.weight, fast.weight) {
            (None, None) => true,
            (Some(slow), Some(weight)) => slow == weight * fast.extent,
            _ => false,
        };
        is_one.then_some(Self {
            weight: fast.weight,
            extent: self.extent * fast.extent,
        })
    }
}

impl MultiFunction {
    /// Returns the multi-function whose modes have the extents `mode_shape`. `modes` lists the modes that form the
    /// value. Consecutive modes that are also consecutive in this list are merged.
    ///
    /// # Errors
    /// Returns an error if an extent is zero, if the product of the modes differs from the product of the shape, if
    /// the list names a mode twice or a mode that does not exist, or if the product of the listed extents is too
    /// large.
    pub fn new(shape: &[u64], mode_shape: &[u64], modes: &[i64]) -> Result<Self, TilusError> {
        check_extents(shape, "shape")?;
        check_extents(mode_shape, "mode shape")?;
        let expected = product(shape.iter().copied(), "shape")?;
        let found = product(mode_shape.iter().copied(), "mode shape")?;
        if found != expected {
            return Err(ErrorKind::SizesDiffer { found, expected }.into());
        }
        let mut is_used: Modes<bool> = Modes::from_elem(false, mode_shape.len());
        for &found in modes {
            let Some(mode) = mode_of(found) else { continue };
            match is_used.get_mut(mode) {
                Some(is_used) if *is_used => return Err(ErrorKind::ModeTwice { mode }.into()),
                Some(is_used) => *is_used = true,
                None => {
                    return Err(ErrorKind::NoSuchMode {
                        list: super::ModeList::Spatial,
                        found,
                        modes: mode_shape.len(),
                    }
                    .into());
                }
            }
        }
        let image = modes.iter().map(|&entry| extent_of(mode_shape, entry));
        product(image, "image")?;
        Ok(Self {
            shape: shape.into(),
            mode_shape: mode_shape.into(),
            modes: modes.into(),
        }
        .merged())
    }

    /// Returns the function from each index to its row-major number.
    ///
    /// # Errors
    /// Returns an error if an extent is zero, or if the product of the extents is too large.
    pub fn identity(shape: &[u64]) -> Result<Self, TilusError> {
        let modes: Modes<i64> = (0..shape.len()).map(entry_of).collect();
        Self::new(shape, shape, &modes)
    }

    /// Merges consecutive modes that are also consecutive in the list that forms the value. Drops modes of extent
    /// 1.
    fn merged(&self) -> Self {
        let mut next: Modes<usize> = Modes::from_elem(usize::MAX, self.mode_shape.len());
        let is_kept = |mode: usize| self.mode_shape[mode] > 1;
        let listed = |entry: &i64| mode_of(*entry).is_none_or(is_kept);
        let modes: Modes<i64> = self.modes.iter().copied().filter(listed).collect();
        for pair in modes.windows(2) {
            if let (Some(first), Some(second)) = (mode_of(pair[0]), mode_of(pair[1])) {
                next[first] = second;
            }
        }
        let mut number: Modes<usize> = Modes::from_elem(usize::MAX, self.mode_shape.len());
        let mut mode_shape: Modes<u64> = Modes::new();
        let mut last_kept = None;
        for (mode, &extent) in self.mode_shape.iter().enumerate() {
            if extent == 1 {
                continue;
            }
            match (last_kept, mode_shape.last_mut()) {
                (Some(before), Some(merged)) if next[before] == mode => *merged *= extent,
                _ => {
                    number[mode] = mode_shape.len();
                    mode_shape.push(extent);
                }
            }
            last_kept = Some(mode);
        }
        Self {
            shape: self.shape.clone(),
            mode_shape,
            modes: modes
                .iter()
                .filter_map(|&entry| match mode_of(entry) {
                    Some(mode) => (number[mode] != usize::MAX).then(|| entry_of(number[mode])),
                    None => Some(entry),
                })
                .collect(),
        }
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the extent of each mode.
    #[must_use]
    pub fn mode_shape(&self) -> &[u64] {
        &self.mode_shape
    }

    /// Returns one entry per digit of the value, most significant digit first. The entry is a mode `m`, or `-r` for
    /// a free digit of extent `r`.
    #[must_use]
    pub fn modes(&self) -> &[i64] {
        &self.modes
    }

    /// Returns the number of indices.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Returns the number of values that the digits can form: the product of their extents.
    #[must_use]
    pub fn image_size(&self) -> u64 {
        self.modes
            .iter()
            .map(|&entry| extent_of(&self.mode_shape, entry))
            .product()
    }

    /// Returns the digits of the value, most significant first. Contiguous digits are merged.
    fn digits(&self) -> Modes<Digit> {
        let mut weights: Modes<u64> = Modes::from_elem(1, self.mode_shape.len());
        for mode in (1..self.mode_shape.len()).rev() {
            weights[mode - 1] = weights[mode] * self.mode_shape[mode];
        }
        let mut digits: Modes<Digit> = Modes::new();
        for &entry in self.modes.iter() {
            let digit = Digit {
                weight: mode_of(entry).map(|mode| weights[mode]),
                extent: extent_of(&self.mode_shape, entry),
            };
            if digit.extent == 1 {
                continue;
            }
            match digits.last_mut() {
                Some(last) if last.merged(digit).is_some() => {
                    *last = last.merged(digit).unwrap_or(digit);
                }
                _ => digits.push(digit),
            }
        }
        digits
    }

    /// Returns all values at an index, in ascending order.
    ///
    /// # Errors
    /// Returns an error if the index has another rank or is out of bounds.
    pub fn image_of(&self, index: &[u64]) -> Result<Vec<u64>, TilusError> {
        let number = row_major_number(index, &self.shape)?;
        let mut values = vec![0];
        for digit in self.digits().iter() {
            let range = match digit.weight {
                Some(weight) => {
                    let value = number / weight % digit.extent;
                    value..value + 1
                }
                None => 0..digit.extent,
            };
            values = values
                .iter()
                .flat_map(|value| range.clone().map(move |d| value * digit.extent + d))
                .collect();
        }
        Ok(values)
    }

    /// Applies `self`, and then `after` to each value. A value of `self` is the row-major number of an index of
    /// `after`.
    ///
    /// # Errors
    /// Returns an error if the number of indices of `after` differs from the number of possible values of `self`.
    /// Also returns an error if a mode of `self` and a mode of `after` overlap, but cannot be split into common
    /// parts, because neither extent is divisible by the other.
    pub fn then(&self, after: &Self) -> Result<Self, TilusError> {
        let (found, expected) = (after.size(), self.image_size());
        if found != expected {
            return Err(ErrorKind::SizesDiffer { found, expected }.into());
        }
        // The digits of the image are split at the boundaries of the modes of `after`, and vice versa.
        let mut parts_of_entry: Modes<(usize, usize)> = Modes::new();
        let mut parts: Modes<u64> = Modes::new();
        let mut parts_of_after: Modes<(usize, usize)> = Modes::new();
        let mut rest_of_after = 1;
        for &entry in self.modes.iter() {
            let first = parts.len();
            let mut rest = extent_of(&self.mode_shape, entry);
            while rest > 1 {
                if rest_of_after == 1 {
                    let next = parts_of_after.len();
                    rest_of_after = after.mode_shape.get(next).copied().unwrap_or(rest);
                    parts_of_after.push((parts.len(), parts.len()));
                }
                let part = if rest.is_multiple_of(rest_of_after) {
                    rest_of_after
                } else if rest_of_after.is_multiple_of(rest) {
                    rest
                } else {
                    return Err(ErrorKind::Straddles {
                        mode: parts_of_after.len() - 1,
                        extent: rest_of_after,
                        rest: rest_of_after,
                        dim: parts_of_entry.len(),
                        left: rest,
                    }
                    .into());
                };
                parts.push(part);
                if let Some(of_after) = parts_of_after.last_mut() {
                    of_after.1 = parts.len();
                }
                rest /= part;
                rest_of_after /= part;
            }
            parts_of_entry.push((first, parts.len()));
        }
        // The new modes are the modes of `self`, with the listed modes split. `place` is the entry for each part of the
        // image.
        let mut place: Modes<i64> = parts.iter().map(|extent| replication(*extent)).collect();
        let mut mode_shape: Modes<u64> = Modes::new();
        for (mode, &extent) in self.mode_shape.iter().enumerate() {
            let listed = self.modes.iter().position(|&e| mode_of(e) == Some(mode));
            match listed {
                Some(at) => {
                    let (first, end) = parts_of_entry[at];
                    for part in first..end {
                        place[part] = entry_of(mode_shape.len());
                        mode_shape.push(parts[part]);
                    }
                }
                None => mode_shape.push(extent),
            }
        }
        let mut modes: Modes<i64> = Modes::new();
        for &entry in after.modes.iter() {
            match mode_of(entry) {
                Some(mode) => {
                    let (first, end) = parts_of_after[mode];
                    modes.extend(place[first..end].iter().copied());
                }
                None => modes.push(entry),
            }
        }
        Self::new(&self.shape, &mode_shape, &modes)
    }

    /// Removes from the value the digits that depend on the dims `dims`. The shape is unchanged.
    ///
    /// # Errors
    /// Returns an error if a dim does not exist. Also returns an error if a mode crosses a boundary between two
    /// dims and cannot be split there.
    pub fn collapse(&self, dims: &[usize]) -> Result<Self, TilusError> {
        let rank = self.shape.len();
        let mut is_kept: Modes<bool> = Modes::from_elem(true, rank);
        for &found in dims {
            match is_kept.get_mut(found) {
                Some(is_kept) => *is_kept = false,
                None => return Err(ErrorKind::NoSuchDim { found, rank }.into()),
            }
        }
        let (parts, first) = split_modes(&self.mode_shape, &self.shape)?;
        let mut dim_of_part: Modes<usize> = Modes::new();
        for (dim, group) in groups(&self.shape, &parts).enumerate() {
            dim_of_part.extend(group.map(|_| dim));
        }
        let mut modes: Modes<i64> = Modes::new();
        for &entry in self.modes.iter() {
            match mode_of(entry) {
                Some(mode) => modes.extend(
                    (first[mode]..first[mode + 1])
                        .filter(|part| is_kept[dim_of_part[*part]])
                        .map(entry_of),
                ),
                None => modes.push(entry),
            }
        }
        Self::new(&self.shape, &parts, &modes)
    }

    /// Returns true if the values of `self` include all values of `other` at every index.
    ///
    /// ```
    /// # use linear_layout_tilus::MultiFunction;
    /// let everyone = MultiFunction::new(&[2, 3], &[2, 3], &[0, -3])?;
    /// assert!(everyone.covers(&MultiFunction::identity(&[2, 3])?));
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Laws
    /// The result is the same as comparing the sets at every index (property `covering_is_inclusion_everywhere`).
    /// Functions with different numbers of indices give false.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        if self.size() != other.size() {
            return false;
        }
        let (mine, theirs) = (self.digits(), other.digits());
        let mut mine = mine.iter().rev().copied();
        let mut theirs = theirs.iter().rev().copied();
        let (mut a, mut b) = (mine.next(), theirs.next());
        loop {
            let (digit, given) = match (a, b) {
                (None, None) => return true,
                // `other` has values outside the image of `self`.
                (None, Some(_)) => return false,
                // The digit is zero in `other`, and free in `self`.
                (Some(Digit { weight: None, .. }), None) => {
                    a = mine.next();
                    continue;
                }
                (Some(_), None) => return false,
                (Some(digit), Some(given)) => (digit, given),
            };
            let fast = match (
                digit.extent.is_multiple_of(given.extent),
                given.extent.is_multiple_of(digit.extent),
            ) {
                (true, _) => given.extent,
                (_, true) => digit.extent,
                // The last digit of `self` is free: it covers all values below its extent.
                _ if digit.weight.is_none() && mine.next().is_none() => {
                    let rest: u64 = theirs.map(|digit| digit.extent).product();
                    return given.extent * rest <= digit.extent;
                }
                _ => return false,
            };
            let ((slow, digit), (slow_given, given)) = (digit.split(fast), given.split(fast));
            if digit.weight.is_some() && digit != given {
                return false;
            }
            a = if slow.extent > 1 {
                Some(slow)
            } else {
                mine.next()
            };
            b = if slow_given.extent > 1 {
                Some(slow_given)
            } else {
                theirs.next()
            };
        }
    }
}

fn extent_of(mode_shape: &[u64], entry: i64) -> u64 {
    match mode_of(entry) {
        Some(mode) => mode_shape[mode],
        None => entry.unsigned_abs(),
    }
}

pub(super) fn row_major_number(index: &[u64], shape: &[u64]) -> Result<u64, TilusError> {
    check_index(index, shape)?;
    let number = |number, (&at, &size): (&u64, &u64)| number * size + at;
    Ok(index.iter().zip(shape).fold(0, number))
}

impl PartialEq for MultiFunction {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.digits() == other.digits()
    }
}

impl Eq for MultiFunction {}

impl Hash for MultiFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shape.hash(state);
        self.digits().hash(state);
    }
}

impl RegisterLayout {
    /// Returns the function from the index of an element to the threads that hold the element.
    #[must_use]
    pub fn threads_function(&self) -> MultiFunction {
        MultiFunction {
            shape: self.shape.clone(),
            mode_shape: self.mode_shape.clone(),
            modes: self.spatial_modes.clone(),
        }
        .merged()
    }
}
