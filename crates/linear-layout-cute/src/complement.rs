//! Complements: the indices that a layout leaves out.

use super::coalesce::{coalesced, filtered};
use super::error::{CuteError, Kind};
use super::layout::Layout;
use super::mode::Mode;
use super::tuple::{IntTuple, Leaves};

impl Layout {
    /// Returns the layout that reaches what `self` leaves out of 0..cotarget: together they reach it all, and nothing
    /// twice.
    ///
    /// `(2,2):(1,6)` reaches 0, 1, 6 and 7. From 0, 2 and 4, and 12 further, it reaches the rest of 0..24:
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,2):(1,6)".parse()?;
    /// assert_eq!(layout.complement(24)?.to_string(), "(3,2):(2,12)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// The complement is strictly increasing and has no index but 0 in common with `self`. If the modes of `self` that
    /// move reach nothing twice, neither do both together, and their cosize is at least `cotarget`.
    /// # Errors
    /// When modes of `self` overlap or have negative strides, and when `cotarget` is less than 1.
    pub fn complement(&self, cotarget: i64) -> Result<Self, CuteError> {
        free_places(self.leaves(), cotarget, 1)
    }

    /// Returns the complement in the cosize of what moves in `self`.
    /// # Errors
    /// As of [`complement`](Self::complement).
    pub fn complement_in_cosize(&self) -> Result<Self, CuteError> {
        self.complement(self.filter().cosize())
    }

    /// Returns the complement in a shape, of which what is left is counted from mode to mode: after 5 of (4,3), 1 of
    /// the first mode and then 2 of the second.
    /// # Errors
    /// As of [`complement`](Self::complement); when what is left does not come out even, so that the complement would be
    /// too short.
    pub fn complement_in(&self, shape: &IntTuple) -> Result<Self, CuteError> {
        let found = rests(self.leaves(), shape.leaves())?;
        let (reached, size) = (
            reach(self.leaves()).saturating_add(reach(found.leaves())),
            shape.product()?,
        );
        if reached < size - 1 {
            return Err(Kind::ComplementTooShort { reached, size }.into());
        }
        Ok(found)
    }
}

fn positive(size: i64) -> Result<i64, CuteError> {
    match size {
        1.. => Ok(size),
        found => Err(Kind::CotargetNotPositive { found }.into()),
    }
}

/// The largest index of modes without negative strides.
fn reach(modes: &[Mode]) -> i64 {
    modes
        .iter()
        .map(|mode| (mode.shape - 1) * mode.stride)
        .sum()
}

/// The gaps between modes in ascending order, and where the last of them ends.
#[inline]
fn gaps(modes: &[Mode]) -> Result<(Leaves<Mode>, i64), CuteError> {
    let mut sorted = filtered(modes);
    sorted.sort_by_key(|mode| mode.stride);
    let mut found = Leaves::new();
    let mut reached = 1_i64;
    for &mode in sorted.iter() {
        if mode.stride < 0 {
            return Err(Kind::NegativeStride { mode }.into());
        }
        let gap = mode.stride / reached;
        if gap == 0 {
            return Err(Kind::Overlap { mode, reached }.into());
        }
        found.push(Mode::new(gap, reached));
        reached = mode.stride.checked_mul(mode.shape).ok_or(Kind::Overflow)?;
    }
    Ok((found, reached))
}

/// The complement of at least this cosize together with the modes, and of at least this size.
pub(crate) fn free_places(modes: &[Mode], cotarget: i64, size: i64) -> Result<Layout, CuteError> {
    let (mut found, reached) = gaps(modes)?;
    let below = reach(modes).saturating_add(reach(&found));
    // Where gaps do not come out even, more is missing at the end.
    let missing = positive(cotarget)?
        .saturating_sub(below.saturating_add(1))
        .max(0);
    let for_cosize = if missing == 0 {
        1
    } else {
        (missing - 1) / reached + 2
    };
    let inside: i64 = found.iter().map(|gap| gap.shape).product();
    let for_size = (positive(size)? - 1) / inside + 1;
    found.push(Mode::new(for_cosize.max(for_size), reached));
    Layout::checked(Layout::of_modes(coalesced(&found)).into_tuple())
}

/// The complement in a shape, of which each number is divided by what those before it have left over, as C++ has it.
#[inline]
pub(crate) fn rests(modes: &[Mode], shape: &[i64]) -> Result<Layout, CuteError> {
    let (mut found, reached) = gaps(modes)?;
    let (mut rest, mut divisor) = (1_i64, reached);
    for &size in shape {
        let here = (positive(size)? - 1) / divisor + 1;
        rest = rest.checked_mul(here).ok_or(Kind::Overflow)?;
        divisor = (divisor - 1) / size + 1;
    }
    found.push(Mode::new(rest, reached));
    Layout::checked(Layout::of_modes(coalesced(&found)).into_tuple())
}
