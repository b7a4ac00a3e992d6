//! Vectors that two layouts have in common.

use super::error::CuteError;
use super::layout::Layout;

impl Layout {
    /// Returns the longest layout that maps each `i` to a coordinate at which both `self` and `other` have the
    /// index `i`. The elements at these coordinates are the longest common vector, which one vectorised copy can
    /// move.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let (a, b): (Layout, Layout) = ("(4,8):(1,4)".parse()?, "(4,8):(1,8)".parse()?);
    /// assert_eq!(a.max_common_layout(&b)?.to_string(), "4:1");
    /// assert_eq!(a.max_common_vector(&b)?, 4);
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `self.at(common.at(i)) == i` and `other.at(common.at(i)) == i` for i in 0..size(common).
    /// # Errors
    /// Returns an error if the [`composition`](Self::composition) of `self` and the right inverse of `other` is not
    /// a layout.
    pub fn max_common_layout(&self, other: &Self) -> Result<Self, CuteError> {
        let inverse = other.right_inverse();
        match self.common_run(&inverse)? {
            1 => Ok(Self::unit()),
            run => inverse.composition(&Self::scalar(run, 1)?),
        }
    }

    /// Returns the number of elements in the longest common vector, which is the size of
    /// [`max_common_layout`](Self::max_common_layout).
    /// # Errors
    /// Returns an error in the same cases as [`max_common_layout`](Self::max_common_layout).
    pub fn max_common_vector(&self, other: &Self) -> Result<i64, CuteError> {
        self.common_run(&other.right_inverse())
    }

    /// Returns the largest n for which the composition of `self` and `inverse` is the identity on 0..n.
    fn common_run(&self, inverse: &Self) -> Result<i64, CuteError> {
        let common = self.composition(inverse)?.coalesce();
        let first = common.leaves()[0];
        Ok(if first.stride == 1 { first.shape } else { 1 })
    }
}
