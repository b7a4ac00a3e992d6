//! Algebra of layouts.

use super::Layout;
use crate::args::{Name, Names, Natural};
use crate::error::failed;
use linear_layout::layout::{LayoutError, LinearLayout};
use pyo3::prelude::*;

fn done(layout: Result<LinearLayout, LayoutError>) -> PyResult<Layout> {
    layout.map(Layout::from).map_err(failed)
}

#[pymethods]
impl Layout {
    /// Returns the inverse: `element -> place`.
    ///
    /// Raises `LayoutError` if the layout is not a bijection.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4).local(1, 2)")
    ///     >>> layout.invert().apply(dim0=1, dim1=3)
    ///     (1, 5, 0, 0)
    fn invert(&self) -> PyResult<Self> {
        done(self.linear.invert())
    }

    /// Returns a right inverse, which maps each element to one of its places.
    ///
    /// `layout.pseudo_invert().compose(layout)` is the identity. Raises `LayoutError` if the layout is not surjective.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout.from_bases({"lane": [1, 2, 0]}, {"dim0": 4})
    ///     >>> layout.pseudo_invert().apply(dim0=3)
    ///     (3,)
    fn pseudo_invert(&self) -> PyResult<Self> {
        done(self.linear.pseudoinvert())
    }

    /// Returns the layout `place -> outer(self(place))`.
    ///
    /// Raises `LayoutError` if the out-dims are not the in-dims of `outer`.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout.identity_1d(4, "lane", "offset").compose(ll.Layout.strided_1d(4, 2, "offset", "dim0"))
    ///     >>> layout.apply(lane=3)
    ///     (6,)
    fn compose(&self, outer: &Self) -> PyResult<Self> {
        done(self.linear.compose(&outer.linear))
    }

    /// Returns a layout `result` with `result.compose(outer) == self`.
    ///
    /// For example, `register -> element` and `offset -> element` give `register -> offset`: the offset at which to
    /// store each register. Raises `LayoutError` if `outer` does not hold each element of this layout.
    ///
    /// Example:
    ///
    ///     >>> registers = ll.Layout.from_bases({"register": [[0, 1], [1, 0]]}, ["dim0", "dim1"])
    ///     >>> column_major = ll.Layout.from_bases({"offset": [[1, 0], [0, 1]]}, ["dim0", "dim1"])
    ///     >>> registers.invert_and_compose(column_major).apply(register=1)
    ///     (2,)
    fn invert_and_compose(&self, outer: &Self) -> PyResult<Self> {
        done(self.linear.invert_and_compose(&outer.linear))
    }

    /// Returns the product of two layouts: this layout, repeated in the arrangement that `outer` describes. The
    /// matrix of the product is the direct sum of the matrices of both layouts.
    ///
    /// In each dim, the low bits of an index are those of this layout, and the high bits are those of `outer`.
    /// `a * b` is `a.product(b)`.
    ///
    /// Example:
    ///
    ///     >>> pair = ll.Layout.identity_1d(2, "register", "dim0")
    ///     >>> pair.product(ll.Layout.identity_1d(32, "lane", "dim0")).apply(register=1, lane=3)
    ///     (7,)
    ///     >>> pair * pair == ll.Layout.identity_1d(4, "register", "dim0")
    ///     True
    fn product(&self, outer: &Self) -> PyResult<Self> {
        done(self.linear.product(&outer.linear))
    }

    fn __mul__(&self, outer: &Self) -> PyResult<Self> {
        self.product(outer)
    }

    /// Returns the layout `rest` with `tile * rest == self`, up to the order of dims.
    ///
    /// Raises `LayoutError` if there is no such layout. The message names the first basis vector that is partly in the
    /// tile.
    ///
    /// Example:
    ///
    ///     >>> eight, two = (ll.Layout.identity_1d(n, "lane", "dim0") for n in (8, 2))
    ///     >>> eight.divide_left(two) == ll.Layout.identity_1d(4, "lane", "dim0")
    ///     True
    fn divide_left(&self, tile: &Self) -> PyResult<Self> {
        done(self.linear.divide_left(&tile.linear))
    }

    /// Returns the layout `rest` with `rest * tile == self`, up to the order of dims.
    ///
    /// Raises `LayoutError` if there is no such layout. The message names the first basis vector that is partly in the
    /// tile.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout.identity_1d(2, "register", "dim0") * ll.Layout.identity_1d(4, "lane", "dim0")
    ///     >>> layout.divide_right(ll.Layout.identity_1d(4, "lane", "dim0")).in_dims
    ///     {'register': 2, 'lane': 1}
    fn divide_right(&self, tile: &Self) -> PyResult<Self> {
        done(self.linear.divide_right(&tile.linear))
    }

    /// Returns the layout with the in-dims of this layout, followed by the in-dims of `other`. The out-dims must be the
    /// same.
    ///
    /// Example:
    ///
    ///     >>> lanes = ll.Layout.from_bases({"lane": [1, 2]}, {"dim0": 4})
    ///     >>> lanes.concat_ins(ll.Layout.from_bases({"warp": [3]}, {"dim0": 4}, surjective=False)).in_dims
    ///     {'lane': 4, 'warp': 2}
    fn concat_ins(&self, other: &Self) -> PyResult<Self> {
        done(self.linear.concat_ins(&other.linear))
    }

    /// Returns the layout with the out-dims of this layout, followed by the out-dims of `other`. The in-dims must be
    /// the same.
    ///
    /// Example:
    ///
    ///     >>> rows = ll.Layout.from_bases({"lane": [1, 0]}, {"dim0": 2})
    ///     >>> rows.concat_outs(ll.Layout.from_bases({"lane": [0, 1]}, {"dim1": 2})).apply(lane=2)
    ///     (0, 1)
    fn concat_outs(&self, other: &Self) -> PyResult<Self> {
        done(self.linear.concat_outs(&other.linear))
    }

    /// Returns the layout restricted to the given in-dims and out-dims.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4).local(1, 2)")
    ///     >>> layout.sublayout(["lane"], ["dim0"]).bases
    ///     {'lane': [[0], [0], [1], [2], [4]]}
    fn sublayout(&self, in_dims: Names, out_dims: Names) -> PyResult<Self> {
        done(self.linear.sublayout(&in_dims.0, &out_dims.0))
    }

    /// Returns the layout without the in-dims and out-dims named in `dims`. Returns `None` if the layout does not
    /// map each of these in-dims to the out-dim of the same name unchanged. Also returns `None` if one of these
    /// in-dims affects a remaining out-dim, or if a remaining in-dim affects one of these out-dims.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout.identity_1d(4, "lane", "lane") * ll.Layout.identity_1d(2, "warp", "warp")
    ///     >>> layout.quotient("warp") == ll.Layout.identity_1d(4, "lane", "lane")
    ///     True
    fn quotient(&self, dims: Names) -> Option<Self> {
        self.linear.quotient(&dims.0).map(Self::from)
    }

    /// Returns the conversion to `dst`, without the last in-dims if no element moves in them. The conversion maps
    /// each place of `dst` to a place of this layout that holds the same element.
    ///
    /// In-dims are removed from last to first, until a dim in which elements move is reached. If all in-dims are
    /// removed, no element moves. If only `register` remains, each element stays in its thread.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
    ///     >>> list(rows.minimal_conversion_to(columns).in_dims)
    ///     ['register', 'lane']
    ///     >>> list(rows.minimal_conversion_to(rows).in_dims)
    ///     []
    fn minimal_conversion_to(&self, dst: &Self) -> PyResult<Self> {
        done(self.linear.minimal_conversion_to(&dst.linear))
    }

    /// Returns the layout without the zero basis vectors (replicas) of in-dim `dim`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"register": [0, 1]}, ["dim0"]).remove_zero_bases("register").bases
    ///     {'register': [[1]]}
    fn remove_zero_bases(&self, dim: Name) -> PyResult<Self> {
        done(self.linear.remove_zero_bases(dim.0))
    }

    /// Returns the layout with the in-dim `dim` resized to `size`. If the size becomes smaller, the highest basis
    /// vectors are dropped. If it becomes larger, zero basis vectors are appended.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.identity_1d(2, "warp", "dim0").resize_in("warp", 4).bases
    ///     {'warp': [[1], [0]]}
    fn resize_in(&self, dim: Name, size: Natural) -> PyResult<Self> {
        done(self.linear.resize_in(dim.0, size.0))
    }

    /// Returns the layout with the size of the out-dim `dim` reduced to `size`. In this dim, each basis component
    /// that is not below `size` becomes 0.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.identity_1d(4, "lane", "dim0").resize_out("dim0", 2).bases
    ///     {'lane': [[1], [0]]}
    fn resize_out(&self, dim: Name, size: Natural) -> PyResult<Self> {
        done(self.linear.resize_out(dim.0, size.0))
    }
}
