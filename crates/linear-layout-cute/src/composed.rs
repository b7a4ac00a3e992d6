//! Composed layouts: a layout followed by an offset and a swizzle.

use core::fmt;

use super::error::CuteError;
use super::layout::Layout;
use super::swizzle::Swizzle;

/// A layout followed by an offset and a swizzle: `Sw<2,0,3> o 8 o (4,4):(1,4)` maps a coordinate c to `Sw(8 + L(c))`,
/// where L is `(4,4):(1,4)`.
///
/// ```
/// use linear_layout_cute::ComposedLayout;
/// let composed: ComposedLayout = "Sw<2,0,3> o 8 o (4,4):(1,4)".parse()?;
/// assert_eq!(composed.at(5)?, (8 + 5) ^ 1);
/// assert_eq!(composed.to_string(), "Sw<2,0,3> o 8 o (4,4):(1,4)");
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComposedLayout {
    /// The swizzle, applied last.
    pub swizzle: Swizzle,
    /// The offset, added before the swizzle.
    pub offset: i64,
    /// The layout, applied first.
    pub layout: Layout,
}

impl ComposedLayout {
    /// Returns `swizzle o offset o layout`.
    #[must_use]
    pub fn new(swizzle: Swizzle, offset: i64, layout: Layout) -> Self {
        Self {
            swizzle,
            offset,
            layout,
        }
    }

    /// Returns the index of an integer coordinate; see [`Layout::at`].
    /// # Errors
    /// Returns an error if the index does not fit in an `i64`.
    pub fn at(&self, coordinate: i64) -> Result<i64, CuteError> {
        let index = self.layout.at(coordinate)?.checked_add(self.offset);
        let index = index.ok_or(super::error::ErrorKind::Overflow)?;
        Ok(self.swizzle.apply(index))
    }
}

impl From<Layout> for ComposedLayout {
    fn from(layout: Layout) -> Self {
        Self::new(Swizzle::IDENTITY, 0, layout)
    }
}

/// Prints a composed layout such as `Sw<2,0,3> o 0 o (4,4):(1,4)`. With `{:#}`, the offset and the numbers of the
/// layout are marked as static with `_`.
impl fmt::Display for ComposedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o ", self.swizzle)?;
        super::tuple::write_int(f, self.offset)?;
        f.write_str(" o ")?;
        fmt::Display::fmt(&self.layout, f)
    }
}
