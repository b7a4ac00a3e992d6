//! Complements: layouts of the offsets at which copies of a layout fill an index range.

use super::coalesce::{coalesced, filtered};
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::tuple::{IntTuple, Leaves};

impl Layout {
    /// Returns the complement of `self` in 0..cotarget. The indices of the complement are offsets: copies of `self`
    /// that are shifted by these offsets do not overlap. Let the modes of non-zero stride be in ascending order of
    /// their strides. The copies together reach every index of the range if each stride is a multiple of the stride
    /// times the shape of the preceding mode.
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
    ///
    /// The rule starts with the extent of `self`, which is the largest product of a stride and its shape. For each
    /// number n of `shape`, it computes n / extent as a factor, and replaces the extent by extent / n; both are
    /// rounded up. The product of the factors is the shape of the complement's last mode. For example, for the extent
    /// 5 and the shape (4,3), the first factor is 4 / 5 = 1, the extent becomes 5 / 4 = 2, and the second factor is
    /// 3 / 2 = 2. The product is 2.
    /// # Errors
    /// Returns an error in the same cases as [`complement`](Self::complement). Also returns an error if the
    /// complement is too short: the sum of the largest indices of `self` and of the complement is below the largest
    /// coordinate of `shape`.
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

/// Returns (gaps, end). Modes of stride 0 or shape 1 are ignored, and the other modes are sorted by stride. Let the
/// end of a mode be its stride times its shape. `gaps` has one mode for each sorted mode. Its stride is the end of
/// the preceding sorted mode, or 1 if there is none. Its shape is the stride of the sorted mode divided by this
/// end, rounded down. The returned `end` is the end of the last sorted mode.
///
/// Returns an error if a stride is negative, or if a stride is below the end of the preceding mode.
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

/// Returns a complement of the layout with the modes `modes`. The complement has at least `size` elements. A layout
/// with the modes of both layouts has a cosize of at least `cotarget`.
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
