//! Coordinates of a point, packed into a word.

use core::fmt;
use core::hash::{Hash, Hasher};

use super::side::{MAX_DIMS, Sizes};

/// The coordinates of a point, one for each dim, in the dim order of a layout.
///
/// ```
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let l = LinearLayout::from_bases(&[(Dim::LANE, &[&[1, 0], &[2, 1], &[0, 1]])], &[Dim::out(0), Dim::out(1)])?;
/// let point = l.basis(Dim::LANE, 1);
/// assert_eq!(point, [2, 1]);
/// assert_eq!((point.at(0), point.iter().sum::<u64>(), point.to_string()), (2, 3, "(2, 1)".to_owned()));
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
// Packed, because most users read one or two coordinates, and one word is cheaper to pass than eight.
#[derive(Clone, Copy)]
pub struct Coords {
    packed: u64,
    sizes: Sizes,
}

impl Coords {
    #[inline]
    pub(super) const fn new(packed: u64, sizes: Sizes) -> Self {
        Self { packed, sizes }
    }

    /// Returns the number of coordinates.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Returns true if the point has no coordinates.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the `i`-th coordinate, or 0 if `i` is not below [`len`](Self::len).
    #[inline]
    #[must_use]
    pub const fn at(&self, i: usize) -> u64 {
        // A missing dim has no bits.
        if i < MAX_DIMS {
            self.sizes.extract(i, self.packed)
        } else {
            0
        }
    }

    /// Returns the coordinates in dim order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + Clone + use<> {
        let Self { packed, sizes } = *self;
        (0..sizes.len()).map(move |i| sizes.extract(i, packed))
    }

    /// Returns the coordinates as a vector.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u64> {
        self.iter().collect()
    }

    /// Returns all coordinates packed into one word. The first dim is in the low bits.
    #[inline]
    #[must_use]
    pub const fn packed(&self) -> u64 {
        self.packed
    }
}

/// Two points are equal if they have the same coordinates. The sizes of the dims are not compared.
impl PartialEq for Coords {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Coords {}

impl Hash for Coords {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|value| state.write_u64(value));
    }
}

impl PartialEq<[u64]> for Coords {
    fn eq(&self, other: &[u64]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl<const N: usize> PartialEq<[u64; N]> for Coords {
    fn eq(&self, other: &[u64; N]) -> bool {
        *self == other[..]
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
