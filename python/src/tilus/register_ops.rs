//! Tilus register layouts: composition, division, reshaping.

use super::create::extents;
use super::register::RegisterLayout;
use crate::args::{Place, Places, Shape};
use crate::error::failed;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl RegisterLayout {
    /// Returns the layout in which each element of this layout is replaced by a tile with the layout `inner`.
    /// `a * b` is `a.compose(b)`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).compose(ll.tilus.spatial(8, 4)) == ll.tilus.local(2, 1) * ll.tilus.spatial(8, 4)
    ///     True
    fn compose(&self, inner: &Self) -> PyResult<Self> {
        self.0.compose(&inner.0).map(Self).map_err(failed)
    }

    fn __mul__(&self, inner: &Self) -> PyResult<Self> {
        self.compose(inner)
    }

    /// Returns the layout with the dims of this layout, followed by the dims of `other`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(2).concat(ll.tilus.local(3)).shape
    ///     (2, 3)
    fn concat(&self, other: &Self) -> PyResult<Self> {
        self.0.concat(&other.0).map(Self).map_err(failed)
    }

    /// Returns the layout `q` with `q.compose(inner) == self`.
    ///
    /// Raises `LayoutError` if there is no such layout.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).divide(ll.tilus.spatial(8, 4)) == ll.tilus.local(2, 1)
    ///     True
    fn divide(&self, inner: &Self) -> PyResult<Self> {
        self.0.divide(&inner.0).map(Self).map_err(failed)
    }

    /// Returns the layout `q` with `outer.compose(q) == self`.
    ///
    /// Raises `LayoutError` if there is no such layout.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).left_divide(ll.tilus.local(2, 1)) == ll.tilus.spatial(8, 4)
    ///     True
    fn left_divide(&self, outer: &Self) -> PyResult<Self> {
        self.0.left_divide(&outer.0).map(Self).map_err(failed)
    }

    /// Returns `self.compose(ll.tilus.spatial(*shape))`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).spatial_size
    ///     32
    #[pyo3(signature = (*shape))]
    fn spatial(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.0.spatial(&extents(shape)?).map(Self).map_err(failed)
    }

    /// Returns `self.compose(ll.tilus.local(*shape))`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(8, 4).local(1, 2).local_size
    ///     2
    #[pyo3(signature = (*shape))]
    fn local(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.0.local(&extents(shape)?).map(Self).map_err(failed)
    }

    /// Returns `self.compose(ll.tilus.column_spatial(*shape))`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).column_spatial(8, 4).threads_of(1, 0)
    ///     [1]
    #[pyo3(signature = (*shape))]
    fn column_spatial(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let layout = self.0.column_spatial(&extents(shape)?);
        layout.map(Self).map_err(failed)
    }

    /// Returns `self.compose(ll.tilus.column_local(*shape))`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(8, 4).column_local(2, 2).local_of(1, 0)
    ///     1
    #[pyo3(signature = (*shape))]
    fn column_local(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let layout = self.0.column_local(&extents(shape)?);
        layout.map(Self).map_err(failed)
    }

    /// Returns the layout whose dim `i` is dim `dims[i]` of this layout.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(8, 4).permute([1, 0]).shape
    ///     (4, 8)
    fn permute(&self, dims: Places) -> PyResult<Self> {
        self.0.permute(&dims.0).map(Self).map_err(failed)
    }

    /// Returns the layout of the same elements, arranged in the shape `shape`. The row-major order of the elements
    /// does not change.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(8, 4).reshape(32) == ll.tilus.spatial(32)
    ///     True
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.0.reshape(&extents(shape)?).map(Self).map_err(failed)
    }

    /// Returns the layout without the given dims, which must have extent 1.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(1, 32).squeeze(0).shape
    ///     (32,)
    fn squeeze(&self, dims: Places) -> PyResult<Self> {
        self.0.squeeze(&dims.0).map(Self).map_err(failed)
    }

    /// Returns the layout with new dims of extent 1 at positions `dims` of the new shape.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(2, 3).unsqueeze([0, 2]).shape
    ///     (1, 2, 1, 3)
    fn unsqueeze(&self, dims: Places) -> PyResult<Self> {
        self.0.unsqueeze(&dims.0).map(Self).map_err(failed)
    }

    /// Returns the layout with dims `begin` to `end - 1` merged into one dim.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(2, 3, 4).flatten(0, 2).shape
    ///     (6, 4)
    fn flatten(&self, begin: Place, end: Place) -> PyResult<Self> {
        self.0.flatten(begin.0..end.0).map(Self).map_err(failed)
    }

    /// Returns the layout of a tensor after a reduction along `dims`. Threads that held different elements along
    /// `dims` hold replicas of the result.
    ///
    /// If `keep_dims` is true, the reduced dims are kept with extent 1. Otherwise, they are removed.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(8, 4).reduce(1).threads_of(1)
    ///     [4, 5, 6, 7]
    #[pyo3(signature = (dims, *, keep_dims=false))]
    fn reduce(&self, dims: Places, keep_dims: bool) -> PyResult<Self> {
        let layout = self.0.reduce(&dims.0, keep_dims);
        layout.map(Self).map_err(failed)
    }

    /// Returns the layout after a reduction to `shape`, which has extent 1 for each reduced dim.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(8, 4).reduce_to([8, 1]).replications
    ///     4
    fn reduce_to(&self, shape: Shape) -> PyResult<Self> {
        self.0.reduce_to(&shape.0).map(Self).map_err(failed)
    }
}
