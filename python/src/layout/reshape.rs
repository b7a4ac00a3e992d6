//! Reordering, renaming and reshaping of dims.

use super::Layout;
use crate::args::{Name, Names, Sizes};
use crate::error::failed;
use pyo3::prelude::*;

#[pymethods]
impl Layout {
    /// Returns the layout with its in-dims in the given order.
    ///
    /// Example:
    ///
    ///     >>> list(ll.Layout("spatial(8, 4)").transpose_ins(["block", "warp", "lane", "register"]).in_dims)
    ///     ['block', 'warp', 'lane', 'register']
    fn transpose_ins(&self, order: Names) -> PyResult<Self> {
        let layout = self.linear.transpose_ins(&order.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout with its out-dims in the given order.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(8, 4)").transpose_outs(["dim1", "dim0"]).shape
    ///     (4, 8)
    fn transpose_outs(&self, order: Names) -> PyResult<Self> {
        let layout = self.linear.transpose_outs(&order.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout whose input bits are divided among the in-dims `dims`. The first of these in-dims has the
    /// lowest bits.
    ///
    /// Example:
    ///
    ///     >>> threads = ll.Layout.identity_1d(128, "lane", "dim0")
    ///     >>> threads.reshape_ins({"lane": 32, "warp": 4}).bases["warp"]
    ///     [[32], [64]]
    fn reshape_ins(&self, dims: Sizes) -> PyResult<Self> {
        let layout = self.linear.reshape_ins(&dims.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout whose output bits are divided among the out-dims `dims`. The first of these out-dims has
    /// the lowest bits.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.identity_1d(32, "lane", "dim0").reshape_outs({"dim0": 4, "dim1": 8}).apply(lane=7)
    ///     (3, 1)
    fn reshape_outs(&self, dims: Sizes) -> PyResult<Self> {
        let layout = self.linear.reshape_outs(&dims.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout with all in-dims merged into the first in-dim. The first in-dim keeps the lowest bits.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(8, 4).local(1, 2)").flatten_ins().in_dims
    ///     {'register': 64}
    fn flatten_ins(&self) -> PyResult<Self> {
        Ok(self.linear.flatten_ins().map_err(failed)?.into())
    }

    /// Returns the layout with all out-dims merged into the first out-dim. The first out-dim keeps the lowest bits.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(8, 4)").flatten_outs().apply(lane=5)
    ///     (9,)
    fn flatten_outs(&self) -> PyResult<Self> {
        Ok(self.linear.flatten_outs().map_err(failed)?.into())
    }

    /// Returns the layout without the in-dim `dim`, which must have size 1.
    ///
    /// Example:
    ///
    ///     >>> list(ll.Layout("spatial(8, 4)").squeeze_ins("block").in_dims)
    ///     ['register', 'lane', 'warp']
    fn squeeze_ins(&self, dim: Name) -> PyResult<Self> {
        Ok(self.linear.squeeze_ins(dim.0).map_err(failed)?.into())
    }

    /// Returns the layout without the out-dim `dim`, which must have size 1.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(1, 32)").squeeze_outs("dim0").out_dims
    ///     {'dim1': 32}
    fn squeeze_outs(&self, dim: Name) -> PyResult<Self> {
        Ok(self.linear.squeeze_outs(dim.0).map_err(failed)?.into())
    }

    /// Returns the layout with the in-dim `old` renamed to `new`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.identity_1d(4, "register", "dim0").rename_in("register", "lane").in_dims
    ///     {'lane': 4}
    fn rename_in(&self, old: Name, new: Name) -> PyResult<Self> {
        let layout = self.linear.rename_in(old.0, new.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout with the out-dim `old` renamed to `new`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.identity_1d(4, "lane", "dim0").rename_out("dim0", "offset").out_dims
    ///     {'offset': 4}
    fn rename_out(&self, old: Name, new: Name) -> PyResult<Self> {
        let layout = self.linear.rename_out(old.0, new.0);
        Ok(layout.map_err(failed)?.into())
    }
}
