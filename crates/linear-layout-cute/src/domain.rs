//! Nullspaces and distributions over shapes.

use super::coalesce::coalesced;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::mode::gcd;
use super::tuple::{IntTuple, Leaves};

impl Layout {
    /// Returns the layout of the coordinates with index 0 due to modes of stride 0.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,2,3):(2,0,0)".parse()?;
    /// assert_eq!(layout.nullspace().to_string(), "(2,3):(4,8)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `self.at(null.at(i)) == 0`; its size is that of `self` divided by the product of shapes with other strides.
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

    /// Returns a layout of up to `size` coordinates of a shape, taken from each mode in turn up to the greatest common
    /// divisor of its shape and the remaining size.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout = Layout::domain_distribute(&"(15,14)".parse()?, 6)?;
    /// assert_eq!(layout.to_string(), "(3,2):(1,15)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// Its size divides `size`, and it is strictly increasing.
    /// # Errors
    /// If `size` is less than 1, or as of [`new`](Self::new) for the shape.
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
