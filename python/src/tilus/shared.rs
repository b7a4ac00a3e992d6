//! Tilus shared layouts: offsets of elements in memory.

use super::create::extents;
use super::table;
use crate::args::{Natural, Places, Shape};
use crate::cute::ComposedLayout;
use crate::error::failed;
use crate::layout::picture::Pictured;
use crate::layout::{Layout, hash_of};
use crate::text::{not_linear, tilus_error};
use linear_layout::bridge::{cute_from_shared, memory_from_shared};
use linear_layout::tilus;
use linear_layout::view::{Scene, Window};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

/// A Tilus shared layout. It maps each element of a tensor to its offset in shared memory, in elements.
///
/// `shape` is the tensor shape, or the text of a whole layout as Tilus prints it. `mode_shape` splits the dims into
/// modes (mixed-radix digits). `mode_strides` contains the stride of each mode, in elements. `swizzle` is `None` or
/// `(base, bits, shift)`.
///
/// Example:
///
///     >>> ll.tilus.SharedLayout([4, 8], [4, 8], [8, 1]) == ll.tilus.SharedLayout.row_major(4, 8)
///     True
///     >>> ll.tilus.SharedLayout.row_major(4, 8)(2, 3)
///     19
#[pyclass(module = "linear_layout.tilus", name = "SharedLayout", frozen)]
pub(crate) struct SharedLayout(pub(crate) tilus::SharedLayout);

fn swizzle_of(parts: (Natural, Natural, Natural)) -> PyResult<tilus::Swizzle> {
    // `u32::MAX` is out of range for every swizzle.
    let narrow = |part: Natural| u32::try_from(part.0).unwrap_or(u32::MAX);
    let (base, bits, shift) = parts;
    tilus::Swizzle::new(narrow(base), narrow(bits), narrow(shift)).map_err(failed)
}

impl Pictured for SharedLayout {
    fn cells(&self) -> u64 {
        self.0.size()
    }

    fn title(&self) -> String {
        self.0.to_string()
    }

    fn scene(&self, window: Window) -> Scene {
        Scene::shared_layout(&self.0, window)
    }
}

#[pymethods]
impl SharedLayout {
    #[new]
    #[pyo3(signature = (shape, mode_shape=None, mode_strides=None, swizzle=None))]
    fn new(
        shape: &Bound<'_, PyAny>,
        mode_shape: Option<Shape>,
        mode_strides: Option<Shape>,
        swizzle: Option<(Natural, Natural, Natural)>,
    ) -> PyResult<Self> {
        if let Ok(text) = shape.cast::<PyString>() {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| tilus_error(&e, text));
        }
        let shape: Shape = shape.extract()?;
        let (Some(modes), Some(strides)) = (mode_shape, mode_strides) else {
            return Err(PyTypeError::new_err(
                "`mode_shape` or `mode_strides` is missing",
            ));
        };
        let swizzle = swizzle.map(swizzle_of).transpose()?;
        let layout = tilus::SharedLayout::new(&shape.0, &modes.0, &strides.0, swizzle);
        layout.map(Self).map_err(failed)
    }

    /// Returns the compact layout in which the last dim varies fastest.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8)(1, 0)
    ///     8
    #[staticmethod]
    #[pyo3(signature = (*shape))]
    fn row_major(shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let layout = tilus::SharedLayout::row_major(&extents(shape)?);
        layout.map(Self).map_err(failed)
    }

    /// Returns the compact layout in which the first dim varies fastest.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.column_major(4, 8)(1, 0)
    ///     1
    #[staticmethod]
    #[pyo3(signature = (*shape))]
    fn column_major(shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let layout = tilus::SharedLayout::column_major(&extents(shape)?);
        layout.map(Self).map_err(failed)
    }

    /// Returns the row-major layout with a swizzle. The swizzle avoids bank conflicts of 16-byte accesses along a
    /// column.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2)(1, 0)
    ///     72
    #[staticmethod]
    #[pyo3(signature = (*shape, element_bytes))]
    fn row_major_swizzled(shape: &Bound<'_, PyTuple>, element_bytes: Natural) -> PyResult<Self> {
        let layout = tilus::SharedLayout::row_major_swizzled(&extents(shape)?, element_bytes.0);
        layout.map(Self).map_err(failed)
    }

    /// The shape of the tensor.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).shape
    ///     (4, 8)
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// The extents of the modes.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).mode_shape
    ///     (4, 8)
    #[getter]
    fn mode_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.mode_shape())
    }

    /// The stride of each mode, in elements.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).mode_strides
    ///     (8, 1)
    #[getter]
    fn mode_strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.mode_strides())
    }

    /// The swizzle as `(base, bits, shift)`, or `None`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2).swizzle
    ///     (3, 3, 3)
    #[getter]
    fn swizzle(&self) -> Option<(u32, u32, u32)> {
        let swizzle = self.0.swizzle()?;
        Some((swizzle.base(), swizzle.bits(), swizzle.shift()))
    }

    /// The number of elements.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).size
    ///     32
    #[getter]
    fn size(&self) -> u64 {
        self.0.size()
    }

    /// The size of the buffer in elements. It is one more than the largest offset that an element has before the
    /// swizzle is applied.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout([4, 8], [4, 8], [9, 1]).span
    ///     35
    #[getter]
    fn span(&self) -> u64 {
        self.0.span()
    }

    /// Returns the offset of an element.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8)(2, 3)
    ///     19
    #[pyo3(signature = (*index))]
    fn __call__(&self, index: &Bound<'_, PyTuple>) -> PyResult<u64> {
        self.0.offset_of(&extents(index)?).map_err(failed)
    }

    /// Returns all offsets as an int64 array with the shape of the tensor.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.column_major(2, 3).to_numpy()
    ///     array([[0, 2, 4],
    ///            [1, 3, 5]])
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.0.shape(), None, |index| {
            Ok(vec![self.0.offset_of(index).map_err(failed)?])
        })
    }

    /// Returns the layout without its swizzle.
    ///
    /// Example:
    ///
    ///     >>> swizzled = ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2)
    ///     >>> swizzled.without_swizzle() == ll.tilus.SharedLayout.row_major(8, 64)
    ///     True
    fn without_swizzle(&self) -> Self {
        Self(self.0.without_swizzle())
    }

    /// Returns the layout followed by a swizzle.
    ///
    /// Raises `LayoutError` if the layout already has a swizzle.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(8, 8).with_swizzle(0, 3, 3)(1, 0)
    ///     9
    fn with_swizzle(&self, base: Natural, bits: Natural, shift: Natural) -> PyResult<Self> {
        let swizzle = swizzle_of((base, bits, shift))?;
        self.0.with_swizzle(swizzle).map(Self).map_err(failed)
    }

    /// Returns the layout in which each element of this layout is replaced by a copy of `inner`. Each copy takes
    /// `inner.span` elements of memory. `a * b` is `a.compose(b)`.
    ///
    /// Example:
    ///
    ///     >>> tile = ll.tilus.SharedLayout.row_major(2, 2)
    ///     >>> (ll.tilus.SharedLayout.row_major(1, 2) * tile)(0, 2)
    ///     4
    fn compose(&self, inner: &Self) -> PyResult<Self> {
        self.0.compose(&inner.0).map(Self).map_err(failed)
    }

    fn __mul__(&self, inner: &Self) -> PyResult<Self> {
        self.compose(inner)
    }

    /// Returns the layout whose dim `i` is dim `dims[i]` of this layout.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).permute([1, 0])(1, 0)
    ///     1
    fn permute(&self, dims: Places) -> PyResult<Self> {
        self.0.permute(&dims.0).map(Self).map_err(failed)
    }

    /// Returns the layout restricted to the dims `dims`, in this order. The index along all other dims is 0.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).slice([0])(3)
    ///     24
    fn slice(&self, dims: Places) -> PyResult<Self> {
        self.0.slice(&dims.0).map(Self).map_err(failed)
    }

    /// Returns the layout of the same elements, arranged in the shape `shape`. The row-major order of the elements
    /// does not change.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).reshape(2, 16)(1, 3)
    ///     19
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.0.reshape(&extents(shape)?).map(Self).map_err(failed)
    }

    /// Returns the layout with new dims of extent 1 at positions `dims` of the new shape.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).unsqueeze(1).shape
    ///     (4, 1, 8)
    fn unsqueeze(&self, dims: Places) -> PyResult<Self> {
        self.0.unsqueeze(&dims.0).map(Self).map_err(failed)
    }

    /// Returns the layout of `extent` consecutive copies of this buffer. A new first dim selects the copy.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).prepend_dim(2)(1, 0, 0)
    ///     32
    fn prepend_dim(&self, extent: Natural) -> PyResult<Self> {
        self.0.prepend_dim(extent.0).map(Self).map_err(failed)
    }

    /// Returns the linear layout `offset -> (dim0, dim1, ...)` of the buffer, as in an encoding.
    ///
    /// Raises `LayoutError` if the layout is not linear over GF(2).
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).to_linear().apply(offset=19)
    ///     (2, 3)
    fn to_linear(&self) -> PyResult<Layout> {
        Ok(memory_from_shared(&self.0).map_err(not_linear)?.into())
    }

    /// Returns the equivalent CuTe layout `(dim0, dim1, ...) -> offset`, with one mode per dim.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).to_cute()
    ///     ComposedLayout('((4),(8)):((8),(1))')
    fn to_cute(&self) -> PyResult<ComposedLayout> {
        cute_from_shared(&self.0)
            .map(ComposedLayout)
            .map_err(failed)
    }

    /// Returns a picture as text: a table of the offsets.
    ///
    /// Example:
    ///
    ///     >>> print(ll.tilus.SharedLayout.row_major(2, 3).text())
    ///     SharedLayout(shape=[2, 3], mode_shape=[2, 3], mode_strides=[3, 1], swizzle=None)
    ///     ┌───┬───┬───┐
    ///     │ 0 │ 1 │ 2 │
    ///     ├───┼───┼───┤
    ///     │ 3 │ 4 │ 5 │
    ///     └───┴───┴───┘
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn text(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_text(rows, columns)
    }

    /// Prints a picture as text.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.SharedLayout.row_major(1, 2).show()
    ///     SharedLayout(shape=[1, 2], mode_shape=[2], mode_strides=[1], swizzle=None)
    ///     ┌───┬───┐
    ///     │ 0 │ 1 │
    ///     └───┴───┘
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
    ///     >>> ll.tilus.SharedLayout.row_major(4, 8).svg().startswith("<svg")
    ///     True
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn svg(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_svg(rows, columns)
    }

    /// Returns the picture that a notebook shows.
    ///
    /// Example:
    ///
    ///     >>> "image/svg+xml" in ll.tilus.SharedLayout.row_major(4, 8)._repr_html_()
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

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.0.to_string(),))
    }
}
