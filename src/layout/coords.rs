//! A short list of coordinates, kept inline.

use core::fmt;
use core::ops::Deref;

use super::side::MAX_DIMS;

/// One coordinate for each dim of a side, in the layout's dim order; reads as a `[u64]`.
///
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let l = LinearLayout::strided_1d(4, 2, Dim::LANE, Dim::out(0))?;
/// assert_eq!(*l.basis(Dim::LANE, 1), [4]);
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Coords {
    values: [u64; MAX_DIMS],
    len: u8,
}

impl Coords {
    pub(super) const EMPTY: Self = Self {
        values: [0; MAX_DIMS],
        len: 0,
    };

    /// Appends a coordinate; a side never has more than [`MAX_DIMS`].
    #[inline]
    pub(super) fn push(&mut self, value: u64) {
        self.values[usize::from(self.len) & (MAX_DIMS - 1)] = value;
        self.len += 1;
    }
}

impl Deref for Coords {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.values[..usize::from(self.len).min(MAX_DIMS)]
    }
}

impl fmt::Debug for Coords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Display for Coords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, value) in self.iter().enumerate() {
            write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}
