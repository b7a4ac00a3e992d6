//! Layouts of coordinates: nullspaces, and distributions over shapes.

use super::coalesce::coalesced;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::mode::gcd;
use super::tuple::{IntTuple, Leaves};

impl Layout {
    /// Returns the nullspace: the layout that enumerates the coordinates that are 0 along every mode of non-zero
    /// stride.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,2,3):(2,0,0)".parse()?;
    /// assert_eq!(layout.nullspace().to_string(), "(2,3):(4,8)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `self.at(null.at(i)) == 0`, where `null` is the nullspace. The size of the nullspace is the product of the
    /// shapes with stride 0.
    #[must_use]
    pub fn nullspace(&self) -> Self {
        let mut before = 1;
        let mut found = Leaves::new();
        for mode in self.leaves() {
            if mode.stride == 0 {
                let stride = if mode.shape == 1 { 0 } else { before };
                found.push(Mode::new(mode.shape, stride));
            }
            before *= mode.shape;
        }
        Self::of_modes(found)
    }

    /// Returns a layout that enumerates at most `size` integer coordinates of `shape`. For each mode of `shape` in
    /// turn, the result has a mode whose shape is the greatest common divisor of the mode's shape and the remaining
    /// size. The remaining size is then divided by this divisor.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout = Layout::domain_distribute(&"(15,14)".parse()?, 6)?;
    /// assert_eq!(layout.to_string(), "(3,2):(1,15)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// The size of the result divides `size`, and the result is strictly increasing.
    /// # Errors
    /// Returns an error if `size` is less than 1, or if [`new`](Self::new) rejects the shape.
    pub fn domain_distribute(shape: &IntTuple, size: i64) -> Result<Self, CuteError> {
        if size < 1 {
            return Err(ErrorKind::CotargetNotPositive { found: size }.into());
        }
        let domain = Self::compact(shape)?;
        let mut rest = size;
        let mut found = Leaves::new();
        for mode in domain.leaves() {
            let common = gcd(mode.shape, rest);
            rest /= common;
            found.push(Mode::new(common, mode.stride));
        }
        Ok(Self::of_modes(coalesced(&found)))
    }
}
