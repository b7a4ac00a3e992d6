//! Division of layouts into tiles.

use super::coalesce::coalesced;
use super::complement::remainders;
use super::error::CuteError;
use super::layout::Layout;
use super::mode::Mode;
use super::tiler::{Tiler, UntiledModes, by_tiler, unzip};
use super::tuple::{Builder, Leaves, Tuple};

impl Layout {
    /// Divides the layout into tiles. In the result `(tile, rest)`, the mode `tile` enumerates the elements of one
    /// tile, and the mode `rest` enumerates the tiles. With [`Tiler::Modes`], each mode that has a tiler becomes a
    /// pair `(tile, rest)`.
    ///
    /// ```
    /// use linear_layout_cute::{Layout, Tiler};
    /// let layout: Layout = "12:1".parse()?;
    /// let every_third: Tiler = Tiler::Layout("4:3".parse()?);
    /// assert_eq!(layout.logical_divide(&every_third)?.to_string(), "(4,3):(3,1)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// Let `t` be the tiler, a layout. Mode 0 is the [`composition`](Self::composition) of `self` and `t`. The
    /// whole result is the composition of `self` and the layout `(t, c)`, where `c` is the complement of `t` for
    /// the shape of `self`. If `t` does not divide the layout, the last tile exceeds the layout.
    /// # Errors
    /// Returns an error in the same cases as [`composition`](Self::composition) and
    /// [`complement`](Self::complement). The error states the number of the mode.
    pub fn logical_divide(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        by_tiler(self, tiler, UntiledModes::Kept, &Self::divide_by_layout)
    }

    fn divide_by_layout(&self, tile: &Self) -> Result<Self, CuteError> {
        let mut shape: Leaves<i64> = Leaves::new();
        for mode in coalesced(self.leaves()).iter() {
            shape.push(mode.shape);
        }
        if shape.is_empty() {
            shape.push(1);
        }
        let rest = remainders(tile.leaves(), &shape)?;
        self.composition(&Self::concat([tile, &rest])?)
    }

    /// Returns [`logical_divide`](Self::logical_divide) with the tiles and the rests collected in two modes:
    /// `((tiles), (rests))`. A mode without a tile is among the rests.
    ///
    /// ```
    /// use linear_layout_cute::{Layout, Tiler};
    /// let layout: Layout = "(8,6):(6,1)".parse()?;
    /// let tiler = Tiler::Modes(vec![Tiler::Size(4), Tiler::Size(2)]);
    /// assert_eq!(layout.zipped_divide(&tiler)?.to_string(), "((4,2),(2,3)):((6,1),(24,2))");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error in the same cases as [`logical_divide`](Self::logical_divide), and if a tiler is
    /// [`Tiler::Keep`].
    pub fn zipped_divide(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        zipped(&self.logical_divide(tiler)?, tiler)
    }

    /// Returns [`zipped_divide`](Self::zipped_divide) with each rest as a separate mode: `((tiles), rest, rest,
    /// ...)`.
    /// # Errors
    /// Returns an error in the same cases as [`zipped_divide`](Self::zipped_divide).
    pub fn tiled_divide(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        tiled(&self.logical_divide(tiler)?, tiler)
    }

    /// Returns [`zipped_divide`](Self::zipped_divide) with each tile and each rest as a separate mode: `(tile,
    /// tile, ..., rest, rest, ...)`.
    /// # Errors
    /// Returns an error in the same cases as [`zipped_divide`](Self::zipped_divide).
    pub fn flat_divide(&self, tiler: &Tiler) -> Result<Self, CuteError> {
        flat(&self.logical_divide(tiler)?, tiler)
    }
}

/// Rearranges the pairs `(tile, rest), ...` of a divided layout to `((tiles), (rests))`.
pub(crate) fn zipped(pairs: &Layout, tiler: &Tiler) -> Result<Layout, CuteError> {
    let (tiles, rests) = unzip(pairs.as_ref(), tiler)?;
    let mut modes = Builder::new();
    modes.push(tiles.as_ref())?;
    modes.push(rests.as_ref())?;
    Layout::checked(modes.finish()?)
}

/// Rearranges the pairs `(tile, rest), ...` of a divided layout to `((tiles), rest, ...)`.
pub(crate) fn tiled(pairs: &Layout, tiler: &Tiler) -> Result<Layout, CuteError> {
    let (tiles, rests) = unzip(pairs.as_ref(), tiler)?;
    let mut modes = Builder::new();
    modes.push(tiles.as_ref())?;
    push_unpacked(&mut modes, &rests)?;
    Layout::checked(modes.finish()?)
}

/// Rearranges the pairs `(tile, rest), ...` of a divided layout to `(tile, ..., rest, ...)`.
pub(crate) fn flat(pairs: &Layout, tiler: &Tiler) -> Result<Layout, CuteError> {
    let (tiles, rests) = unzip(pairs.as_ref(), tiler)?;
    let mut modes = Builder::new();
    push_unpacked(&mut modes, &tiles)?;
    push_unpacked(&mut modes, &rests)?;
    Layout::checked(modes.finish()?)
}

/// Appends the items of `tuple` to `modes` as separate modes. As in C++, a tuple with one item is appended as a
/// tuple.
fn push_unpacked(modes: &mut Builder<Mode>, tuple: &Tuple<Mode>) -> Result<(), CuteError> {
    match tuple.rank() {
        1 => modes.push(tuple.as_ref()),
        _ => modes.push_items(tuple.as_ref()),
    }
}
