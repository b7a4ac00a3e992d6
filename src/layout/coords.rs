//! A short list of coordinates, kept inline.

use core::fmt;
use core::ops::Deref;

use super::side::{Count, MAX_DIMS};

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
    len: Count,
}

impl Coords {
    #[inline]
    pub(super) const fn new(first: [u64; 4], rest: [u64; 4], len: Count) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (first, rest);
        Self {
            values: [a, b, c, d, e, f, g, h],
            len,
        }
    }
}

impl Deref for Coords {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.values[..(self.len as usize).min(MAX_DIMS)]
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
