//! Division and product of CuTe layouts by tilers.
//!
//! A tiler is a layout, a size, `None` (keeps the mode), or a tuple with one tiler per mode.

use super::layout::CuteLayout;
use super::tuple::{LayoutArgument, Numbers, TilerArgument};
use crate::error::failed;
use pyo3::prelude::*;

#[pymethods]
impl CuteLayout {
    /// Returns the layout divided into tiles: a pair of modes `(tile, rest)`. The mode `tile` enumerates the
    /// elements of one tile, and the mode `rest` enumerates the tiles.
    ///
    /// If `tiler` is a tuple, each item divides one mode of this layout. The divided mode becomes a pair
    /// `(tile, rest)`. Modes without a tiler do not change.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("12:1").logical_divide("4:3")
    ///     Layout('(4,3):(3,1)')
    fn logical_divide(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.logical_divide(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the result of `logical_divide`, with its modes arranged as `((tiles), (rests))`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,6):(6,1)").zipped_divide((4, "2:3"))
    ///     Layout('((4,2),(2,3)):((6,3),(24,1))')
    fn zipped_divide(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.zipped_divide(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the result of `logical_divide`, with its modes arranged as `((tiles), rest, rest, ...)`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,6):(6,1)").tiled_divide((4, 2))
    ///     Layout('((4,2),2,3):((6,1),24,2)')
    fn tiled_divide(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.tiled_divide(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the result of `logical_divide`, with its modes arranged as `(tile, tile, ..., rest, rest, ...)`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,6):(6,1)").flat_divide((4, 2))
    ///     Layout('(4,2,2,3):(6,1,24,2)')
    fn flat_divide(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.flat_divide(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns this layout repeated as a block: `(block, repetitions)`. The mode `repetitions` enumerates the
    /// copies of the block in the order of `tiler`. If `tiler` is a tuple, each mode with a tiler becomes such a
    /// pair.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,2):(4,1)").logical_product("6:1")
    ///     Layout('((2,2),(2,3)):((4,1),(2,8))')
    fn logical_product(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.logical_product(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the result of `logical_product`, with its modes arranged as `((blocks), (repetitions))`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,5):(5,1)").zipped_product((3, 4))
    ///     Layout('((2,5),(3,4)):((5,1),(1,5))')
    fn zipped_product(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.zipped_product(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the result of `logical_product`, with its modes arranged as
    /// `((blocks), repetition, repetition, ...)`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,5):(5,1)").tiled_product((3, 4))
    ///     Layout('((2,5),3,4):((5,1),1,5)')
    fn tiled_product(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.tiled_product(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the result of `logical_product`, with its modes arranged as
    /// `(block, block, ..., repetition, repetition, ...)`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,5):(5,1)").flat_product((3, 4))
    ///     Layout('(2,5,3,4):(5,1,1,5)')
    fn flat_product(&self, tiler: TilerArgument) -> PyResult<Self> {
        self.0.flat_product(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns a layout that consists of copies of this layout, which is called the block. Mode `i` of `tiler`
    /// describes the copies along mode `i` of the block. In each mode of the result, the coordinate within the
    /// block varies faster than the number of the copy.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,5):(5,1)").blocked_product("(3,4):(1,3)")
    ///     Layout('((2,3),(5,4)):((5,10),(1,30))')
    fn blocked_product(&self, tiler: LayoutArgument) -> PyResult<Self> {
        self.0.blocked_product(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the layout that repeats this layout, the block, according to `tiler`, mode by mode. In each mode,
    /// the repetition varies faster than the coordinate within the block.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,5):(5,1)").raked_product("(3,4):(1,3)")
    ///     Layout('((3,2),(4,5)):((10,5),(30,1))')
    fn raked_product(&self, tiler: LayoutArgument) -> PyResult<Self> {
        self.0.raked_product(&tiler.0).map(Self).map_err(failed)
    }

    /// Returns the layout that repeats this layout, the block, until it has the shape `shape`. `order` is the order
    /// of the repetitions, as in `Layout.ordered`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,2):(2,1)").tile_to_shape((4, 6), (1, 0))
    ///     Layout('((2,2),(2,3)):((2,12),(1,4))')
    #[pyo3(signature = (shape, order=None))]
    fn tile_to_shape(&self, shape: Numbers, order: Option<Numbers>) -> PyResult<Self> {
        let order = order.as_ref().map(|order| &order.0);
        let layout = self.0.tile_to_shape(&shape.0, order);
        layout.map(Self).map_err(failed)
    }
}
