//! Modes: pairs of an extent and a stride.

/// One number of a shape, with its stride.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    /// The number of elements along the mode, at least one.
    pub shape: i64,
    /// The distance between the indices of consecutive elements.
    pub stride: i64,
}

impl Mode {
    /// Returns the mode `shape:stride`.
    #[inline]
    #[must_use]
    pub const fn new(shape: i64, stride: i64) -> Self {
        Self { shape, stride }
    }
}

pub(crate) fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
