//! Complements: layouts of the offsets at which copies of a layout fill an index range.

use super::coalesce::{coalesced, filtered};
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::tuple::{IntTuple, Leaves};

impl Layout {
    /// Returns the complement of `self` in 0..cotarget. The indices of the complement are offsets: copies of `self`
    /// that are shifted by these offsets do not overlap. The copies together reach every index of the range if each
    /// non-zero stride of `self` is divisible by the extent of the modes with smaller strides.
    ///
    /// For example, `(2,2):(1,6)` reaches 0, 1, 6 and 7. Copies shifted by 0, 2, 4, 12, 14 and 16 fill 0..24:
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,2):(1,6)".parse()?;
    /// assert_eq!(layout.complement(24)?.to_string(), "(3,2):(2,12)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// The complement is strictly increasing, and shares only the index 0 with `self`. If the modes of `self` with
    /// non-zero stride do not overlap, the modes of both layouts together do not overlap, and their common cosize
    /// is at least `cotarget`.
    /// # Errors
    /// Returns an error if modes of `self` overlap or have negative strides, or if `cotarget` is less than 1.
    pub fn complement(&self, cotarget: i64) -> Result<Self, CuteError> {
        free_positions(self.leaves(), cotarget, 1)
    }

    /// Returns the complement of `self` in the range from 0 to the cosize of `self`. Modes of stride 0 are ignored.
    /// # Errors
    /// Returns an error in the same cases as [`complement`](Self::complement).
    pub fn complement_in_cosize(&self) -> Result<Self, CuteError> {
        self.complement(self.filter().cosize())
    }

    /// Returns the complement of `self` for the shape `shape`, computed by the rule of CuTe's C++ implementation.
    /// The extent of `self` is the largest product of a stride and its shape. The rule divides the numbers of
    /// `shape` by this extent, from the first number to the last. The product of the quotients is the shape of the
    /// complement's last mode. For example, the extent 5 divides (4,3) to (1,2), whose product is 2.
    /// # Errors
    /// Returns an error in the same cases as [`complement`](Self::complement), and if the complement would be too
    /// short because a number of the shape is not divisible by the remaining extent.
    pub fn complement_in(&self, shape: &IntTuple) -> Result<Self, CuteError> {
        let found = remainders(self.leaves(), shape.leaves())?;
        let (reached, size) = (
            reach(self.leaves()).saturating_add(reach(found.leaves())),
            shape.product()?,
        );
        if reached < size - 1 {
            return Err(ErrorKind::ComplementTooShort { reached, size }.into());
        }
        Ok(found)
    }
}

fn positive(size: i64) -> Result<i64, CuteError> {
    match size {
        1.. => Ok(size),
        found => Err(ErrorKind::CotargetNotPositive { found }.into()),
    }
}

/// Returns the largest index of a layout with these modes. Strides must not be negative.
fn reach(modes: &[Mode]) -> i64 {
    modes
        .iter()
        .map(|mode| (mode.shape - 1) * mode.stride)
        .sum()
}

/// Returns (gaps, end) for the modes in ascending order of their strides. Modes of stride 0 or shape 1 are ignored,
/// and `modes` need not be sorted. The extent of a mode is its stride times its shape. For each mode, `gaps` has a
/// mode whose stride is the extent of the preceding mode (1 for the first mode), and whose shape is the number of
/// such extents that fit in the stride of the mode. `end` is the extent of the last mode.
#[inline]
fn gaps(modes: &[Mode]) -> Result<(Leaves<Mode>, i64), CuteError> {
    let mut sorted = filtered(modes);
    sorted.sort_by_key(|mode| mode.stride);
    let mut found = Leaves::new();
    let mut reached = 1_i64;
    for &mode in sorted.iter() {
        if mode.stride < 0 {
            return Err(ErrorKind::NegativeStride { mode }.into());
        }
        let gap = mode.stride / reached;
        if gap == 0 {
            return Err(ErrorKind::Overlap { mode, reached }.into());
        }
        found.push(Mode::new(gap, reached));
        reached = mode
            .stride
            .checked_mul(mode.shape)
            .ok_or(ErrorKind::Overflow)?;
    }
    Ok((found, reached))
}

/// Returns a complement of the layout with the modes `modes`. The complement has at least `size` elements, and the
/// modes of both together have a cosize of at least `cotarget`.
pub(crate) fn free_positions(
    modes: &[Mode],
    cotarget: i64,
    size: i64,
) -> Result<Layout, CuteError> {
    let (mut found, reached) = gaps(modes)?;
    let below = reach(modes).saturating_add(reach(&found));
    // If a gap is not divisible, the complement needs more elements at the end.
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

/// Returns the complement for the shape `shape` of the layout with the modes `modes`, computed by the rule of
/// CuTe's C++ implementation.
#[inline]
pub(crate) fn remainders(modes: &[Mode], shape: &[i64]) -> Result<Layout, CuteError> {
    let (mut found, reached) = gaps(modes)?;
    let (mut rest, mut divisor) = (1_i64, reached);
    for &size in shape {
        let here = (positive(size)? - 1) / divisor + 1;
        rest = rest.checked_mul(here).ok_or(ErrorKind::Overflow)?;
        divisor = (divisor - 1) / size + 1;
    }
    found.push(Mode::new(rest, reached));
    Layout::checked(Layout::of_modes(coalesced(&found)).into_tuple())
}
