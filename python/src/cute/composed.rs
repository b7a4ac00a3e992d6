//! CuTe layouts with a swizzle.

use super::layout::{CuteLayout, listed};
use super::swizzle::Swizzle;
use super::tuple::Coordinate;
use crate::args::{Integer, Natural, Shape};
use crate::error::failed;
use crate::layout::numpy::numbers_to_array;
use crate::layout::picture::Pictured;
use crate::layout::{Layout, hash_of};
use crate::text::{cute_error, linear_of_cute};
use linear_layout::bridge::{cute_from_linear, memory_from_cute};
use linear_layout::cute;
use linear_layout::view::{Scene, Window};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// A CuTe layout that is followed by a swizzle. It maps a coordinate `c` to `swizzle(offset + layout(c))`.
///
/// The first argument may also be the text of the whole composed layout, such as `Sw<3,4,3> o 0 o (8,64):(64,1)`.
///
/// Example:
///
///     >>> layout = ll.cute.ComposedLayout(ll.cute.Swizzle(2, 0, 3), 0, ll.cute.Layout("(8,8):(8,1)"))
///     >>> layout(1)
///     9
///     >>> layout == ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)")
///     True
#[pyclass(module = "linear_layout.cute", name = "ComposedLayout", frozen)]
pub(crate) struct ComposedLayout(pub(crate) cute::ComposedLayout);

impl ComposedLayout {
    /// Returns the text of the layout. If there is neither a swizzle nor an offset, this is the text of the plain
    /// layout.
    fn spelled(&self) -> String {
        if self.0.is_plain() {
            self.0.layout.to_string()
        } else {
            self.0.to_string()
        }
    }
}

impl Pictured for ComposedLayout {
    fn cells(&self) -> u64 {
        self.0.layout.size().unsigned_abs()
    }

    fn title(&self) -> String {
        self.spelled()
    }

    fn scene(&self, window: Window) -> Scene {
        Scene::cute(&self.0, window)
    }
}

#[pymethods]
impl ComposedLayout {
    #[new]
    #[pyo3(signature = (swizzle, offset=None, layout=None))]
    fn new(
        swizzle: &Bound<'_, PyAny>,
        offset: Option<Integer>,
        layout: Option<&CuteLayout>,
    ) -> PyResult<Self> {
        if let Ok(text) = swizzle.cast::<PyString>() {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| cute_error(&e, text));
        }
        let (Ok(swizzle), Some(offset), Some(layout)) = (swizzle.cast::<Swizzle>(), offset, layout)
        else {
            return Err(PyTypeError::new_err(
                "expected a swizzle, an offset and a layout, or a text such as `Sw<3,4,3> o 0 o (8,64):(64,1)`",
            ));
        };
        let (swizzle, layout) = (swizzle.get().0, layout.0.clone());
        Ok(Self(cute::ComposedLayout::new(swizzle, offset.0, layout)))
    }

    /// Returns the CuTe layout that is equivalent to a linear layout `(dim0, dim1, ...) -> offset`. The result has
    /// a swizzle if it needs one.
    ///
    /// Raises `LayoutError` if no CuTe layout with at most one swizzle is equivalent.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout.from_linear(ll.Layout.strided_1d(4, 2, "dim0", "offset"))
    ///     ComposedLayout('((4)):((2))')
    #[staticmethod]
    fn from_linear(layout: &Layout) -> PyResult<Self> {
        let layout = cute_from_linear(&layout.linear);
        layout.map(Self).map_err(failed)
    }

    /// The swizzle.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)").swizzle
    ///     Swizzle(2, 0, 3)
    #[getter]
    fn swizzle(&self) -> Swizzle {
        Swizzle(self.0.swizzle)
    }

    /// The offset that is added before the swizzle.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<2,0,3> o 16 o (8,8):(8,1)").offset
    ///     16
    #[getter]
    fn offset(&self) -> i64 {
        self.0.offset
    }

    /// The layout that is applied before the swizzle.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)").layout
    ///     Layout('(8,8):(8,1)')
    #[getter]
    fn layout(&self) -> CuteLayout {
        CuteLayout(self.0.layout.clone())
    }

    /// Returns the index of a coordinate. `coordinate` is the number of the coordinate in column-major order.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)")(9)
    ///     8
    fn __call__(&self, coordinate: Integer) -> PyResult<i64> {
        self.0.at(coordinate.0).map_err(failed)
    }

    /// Returns the indices of all coordinates as a one-dimensional int64 array. The first mode varies fastest.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<1,0,1> o 0 o 4:1").to_numpy()
    ///     array([0, 1, 3, 2])
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let size = listed(self.0.layout.size())?;
        let indices = (0..size).map(|i| self.0.at(i).map_err(failed));
        numbers_to_array(py, &[size.unsigned_abs()], indices)
    }

    /// Returns the largest layout `inverse` with `self(inverse(i)) == i` for every `i` below the size of `inverse`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)").right_inverse()
    ///     ComposedLayout('Sw<3,0,-3> o 0 o (8,8):(8,1)')
    fn right_inverse(&self) -> PyResult<Self> {
        self.0.right_inverse().map(Self).map_err(failed)
    }

    /// Returns a layout `inverse` with `inverse(self(c)) == c` for every coordinate `c`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)").left_inverse()
    ///     ComposedLayout('Sw<3,0,-3> o 0 o (8,8):(8,1)')
    fn left_inverse(&self) -> PyResult<Self> {
        self.0.left_inverse().map(Self).map_err(failed)
    }

    /// Returns the pair `(layout, offset)`. `layout` has the modes that are `None` in `coordinate`, and `offset`
    /// must be added to the indices of `layout`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<2,0,2> o 0 o (4,4):(1,4)").slice((None, 2))
    ///     (ComposedLayout('((2,2)):((1,-2))'), 10)
    fn slice(&self, coordinate: Coordinate) -> PyResult<(Self, i64)> {
        let slice = self.0.slice(&coordinate.0).map_err(failed)?;
        Ok((Self(slice.layout), slice.offset))
    }

    /// Returns the equivalent linear layout. `shape` and `lanes` have the same meaning as in `Layout.to_linear`.
    ///
    /// If `memory` is true, the result is the inverse map `offset -> (dim0, dim1, ...)`, as in the encoding of a
    /// buffer. `shape` must then be `None`.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)")
    ///     >>> layout.to_linear().apply(dim0=1, dim1=0)
    ///     (9,)
    ///     >>> layout.to_linear(memory=True).apply(offset=9)
    ///     (1, 0)
    #[pyo3(
        signature = (shape=None, *, lanes=Natural(32), memory=false),
        text_signature = "($self, shape=None, *, lanes=32, memory=False)"
    )]
    fn to_linear(&self, shape: Option<Shape>, lanes: Natural, memory: bool) -> PyResult<Layout> {
        if memory {
            if shape.is_some() {
                return Err(failed(
                    "`shape` cannot be combined with `memory=True`; leave out `shape`",
                ));
            }
            return Ok(memory_from_cute(&self.0).map_err(failed)?.into());
        }
        let shape = shape.as_ref().map(|shape| shape.0.as_slice());
        Ok(linear_of_cute(&self.0, shape, lanes.0)?.into())
    }

    /// Returns a picture as text: a table of the indices.
    ///
    /// Example:
    ///
    ///     >>> print(ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)").text())
    ///     Sw<1,0,1> o 0 o (2,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
    ///         0  1
    ///     0:  0  1
    ///     1:  3  2
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn text(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_text(rows, columns)
    }

    /// Prints a picture as text.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)").show()
    ///     Sw<1,0,1> o 0 o (2,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
    ///         0  1
    ///     0:  0  1
    ///     1:  3  2
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn show(
        &self,
        py: Python<'_>,
        rows: Option<Natural>,
        columns: Option<Natural>,
    ) -> PyResult<()> {
        crate::layout::picture::print(py, &self.text(rows, columns)?)
    }

    /// Returns a picture as SVG.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)").svg().startswith("<svg")
    ///     True
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn svg(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_svg(rows, columns)
    }

    /// Returns the picture that a notebook shows.
    ///
    /// Example:
    ///
    ///     >>> "image/svg+xml" in ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)")._repr_html_()
    ///     True
    fn _repr_html_(&self) -> PyResult<String> {
        self.picture_html()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.0)
    }

    fn __str__(&self) -> String {
        self.spelled()
    }

    fn __repr__(&self) -> String {
        format!("ComposedLayout('{}')", self.spelled())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.0.to_string(),))
    }
}
