//! Selection, grouping and flattening of modes.

use core::ops::Range;

use super::error::{CuteError, ErrorKind};
use super::layout::{Layout, LayoutRef};
use super::mode::Mode;
use super::tuple::{Builder, Leaves};

impl Layout {
    /// Returns the layout without nesting: `(4,(2,3))` becomes `(4,2,3)`. A layout with one mode becomes a leaf.
    #[must_use]
    pub fn flatten(&self) -> Self {
        Self::of_modes(Leaves::from(self.leaves()))
    }

    /// Returns the layout of a range of modes.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(2,3,5,7):(105,35,7,1)".parse()?;
    /// assert_eq!(layout.take(1..3)?.to_string(), "(3,5):(35,7)");
    /// assert_eq!(layout.select(&[3, 0])?.to_string(), "(7,2):(1,105)");
    /// assert_eq!(layout.group(1..3)?.to_string(), "(2,(3,5),7):(105,(35,7),1)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the range is empty, or exceeds the number of modes.
    pub fn take(&self, range: Range<usize>) -> Result<Self, CuteError> {
        self.select(&range.collect::<Vec<_>>())
    }

    /// Returns the layout that consists of the modes of `self` whose numbers are in `modes`, in the order of
    /// `modes`.
    /// # Errors
    /// Returns an error if `modes` is empty or contains a number that is not a mode.
    pub fn select(&self, modes: &[usize]) -> Result<Self, CuteError> {
        let mut found = Builder::new();
        for &mode in modes {
            found.push(self.nth(mode)?)?;
        }
        Self::checked(found.finish()?)
    }

    /// Nests the modes of a range as one mode: `(4,2,3)` becomes `(4,(2,3))` for the range 1..3.
    /// # Errors
    /// Returns an error if the range is empty, or exceeds the number of modes.
    pub fn group(&self, range: Range<usize>) -> Result<Self, CuteError> {
        let inner = self.take(range.clone())?;
        let mut found = Builder::new();
        for (i, mode) in self.as_ref().items().enumerate() {
            if i == range.start {
                found.push(inner.as_ref())?;
            } else if !range.contains(&i) {
                found.push(mode)?;
            }
        }
        Self::checked(found.finish()?)
    }

    /// Appends modes `1:0` until the layout has `rank` modes. A layout with more modes is unchanged.
    ///
    /// ```
    /// use linear_layout_cute::Layout;
    /// assert_eq!("4:2".parse::<Layout>()?.append(3)?.to_string(), "(4,1,1):(2,0,0)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the result has too many modes.
    pub fn append(&self, rank: usize) -> Result<Self, CuteError> {
        if self.rank() >= rank {
            return Ok(self.clone());
        }
        let mut modes = Builder::new();
        modes.push_items(self.as_ref())?;
        for _ in self.rank()..rank {
            modes.push_leaf(Mode::new(1, 0))?;
        }
        Self::checked(modes.finish()?)
    }

    /// Prepends modes `1:0` until the layout has `rank` modes. A layout with more modes is unchanged.
    /// # Errors
    /// Returns an error if the result has too many modes.
    pub fn prepend(&self, rank: usize) -> Result<Self, CuteError> {
        if self.rank() >= rank {
            return Ok(self.clone());
        }
        let mut modes = Builder::new();
        for _ in self.rank()..rank {
            modes.push_leaf(Mode::new(1, 0))?;
        }
        modes.push_items(self.as_ref())?;
        Self::checked(modes.finish()?)
    }

    fn nth(&self, mode: usize) -> Result<LayoutRef<'_>, CuteError> {
        let rank = self.rank();
        let found = self.as_ref().items().nth(mode);
        found.ok_or_else(|| ErrorKind::NoSuchMode { mode, rank }.into())
    }
}
