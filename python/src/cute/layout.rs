//! CuTe layouts: construction, parts, evaluation.

use super::tuple::{Coordinate, Numbers, to_python};
use crate::args::{Integer, MOST_BITS, Natural, Places, Shape};
use crate::error::{Failure, failed};
use crate::layout::numpy::numbers_to_array;
use crate::layout::picture::{Pictured, trimmed};
use crate::layout::{Layout, hash_of};
use crate::text::{cute_error, linear_of_cute};
use linear_layout::bridge::{ElementOrder, tilus_from_thread_value};
use linear_layout::cute;
use linear_layout::view::{Scene, Window, words_of_cute};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

/// A CuTe layout: a function from coordinates to indices, given by a nested shape and nested strides.
///
/// `shape` is a number, a nested tuple, or the text of a whole layout, such as `(4,2):(2,1)`. `stride` is congruent to
/// `shape`; by default, the layout is compact and mode 0 varies fastest. Numbers need not be powers of two.
///
/// An operation raises `LayoutError` if its result is not a layout. The message names the mode that does not fit.
///
/// Example:
///
///     >>> layout = ll.cute.Layout((4, (2, 3)), (6, (3, 1)))
///     >>> layout
///     Layout('(4,(2,3)):(6,(3,1))')
///     >>> layout(2, 5), layout(2, (1, 2)), layout(22)
///     (17, 17, 17)
///     >>> ll.cute.Layout("(4,2)").stride
///     (1, 4)
#[pyclass(module = "linear_layout.cute", name = "Layout", frozen)]
pub(crate) struct CuteLayout(pub(crate) cute::Layout);

impl Pictured for CuteLayout {
    fn cells(&self) -> u64 {
        self.0.size().unsigned_abs()
    }

    fn title(&self) -> String {
        self.0.to_string()
    }

    fn scene(&self, window: Window) -> Scene {
        Scene::cute(&self.0.clone().into(), window)
    }
}

#[pymethods]
impl CuteLayout {
    #[new]
    #[pyo3(signature = (shape, stride=None))]
    fn new(shape: &Bound<'_, PyAny>, stride: Option<Numbers>) -> PyResult<Self> {
        if let (Ok(text), None) = (shape.cast::<PyString>(), &stride) {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| cute_error(&e, text));
        }
        let shape: Numbers = shape.extract()?;
        match stride {
            Some(stride) => cute::Layout::new(&shape.0, &stride.0),
            None => cute::Layout::compact(&shape.0),
        }
        .map(Self)
        .map_err(failed)
    }

    /// Returns the layout whose modes are the given layouts.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout.concat(ll.cute.Layout("4:2"), ll.cute.Layout("2:1"))
    ///     Layout('(4,2):(2,1)')
    #[staticmethod]
    #[pyo3(signature = (*layouts))]
    fn concat(layouts: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let parts = layouts.iter().map(|part| {
            let part = part.cast::<Self>().map_err(PyErr::from)?;
            Ok(part.get().0.clone())
        });
        let parts = parts.collect::<PyResult<Vec<_>>>()?;
        cute::Layout::concat(&parts).map(Self).map_err(failed)
    }

    /// Returns the compact layout of `shape`. The mode with the smallest number in `order` varies fastest.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout.ordered((2, 2, 2, 2), (0, 2, 3, 1))
    ///     Layout('(2,2,2,2):(1,4,8,2)')
    #[staticmethod]
    fn ordered(shape: Numbers, order: Numbers) -> PyResult<Self> {
        let layout = cute::Layout::ordered(&shape.0, &order.0);
        layout.map(Self).map_err(failed)
    }

    /// The shape of the layout: a number, or a tuple of numbers and tuples.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").shape
    ///     (4, (2, 3))
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.shape())
    }

    /// The stride of the layout, congruent to the shape.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").stride
    ///     (6, (3, 1))
    #[getter]
    fn stride<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.stride())
    }

    /// The number of coordinates.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2):(8,1)").size
    ///     8
    #[getter]
    fn size(&self) -> i64 {
        self.0.size()
    }

    /// One more than the largest index of the layout. A negative stride is counted with its absolute value.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2):(8,1)").cosize
    ///     26
    #[getter]
    fn cosize(&self) -> i64 {
        self.0.cosize()
    }

    /// The number of modes.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").rank
    ///     2
    #[getter]
    fn rank(&self) -> usize {
        self.0.rank()
    }

    /// The nesting depth of the shape, 0 for a number.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").depth
    ///     2
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    /// The modes of the layout, each as a layout.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").modes
    ///     [Layout('4:6'), Layout('(2,3):(3,1)')]
    #[getter]
    fn modes(&self) -> Vec<Self> {
        self.0.modes().map(Self).collect()
    }

    /// Returns the index of a coordinate. `coordinate` is one number, or one entry (a number or a tuple) per mode.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.cute.Layout("(4,(2,3)):(6,(3,1))")
    ///     >>> layout(2, (1, 2)), layout(22)
    ///     (17, 17)
    #[pyo3(signature = (*coordinate))]
    fn __call__(&self, coordinate: &Bound<'_, PyTuple>) -> PyResult<i64> {
        let coordinate: Numbers = match coordinate.len() {
            0 => {
                return Err(PyTypeError::new_err(
                    "expected a coordinate, found no argument",
                ));
            }
            1 => coordinate.get_item(0)?.extract()?,
            _ => coordinate.extract()?,
        };
        self.0.apply(&coordinate.0).map_err(failed)
    }

    /// Returns the coordinate whose number in column-major order is `number`. The coordinate is congruent to the
    /// shape.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").coordinate(22)
    ///     (2, (1, 2))
    fn coordinate<'py>(&self, py: Python<'py>, number: Integer) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.coordinate_of(number.0))
    }

    /// Returns the pair `(layout, offset)`. `layout` has the modes that are `None` in `coordinate`, and `offset` is
    /// the index to which the given numbers map.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(1,(4,8))").slice((None, (1, None)))
    ///     (Layout('(4,3):(1,8)'), 4)
    fn slice(&self, coordinate: Coordinate) -> PyResult<(Self, i64)> {
        let slice = self.0.slice(&coordinate.0).map_err(failed)?;
        Ok((Self(slice.layout), slice.offset))
    }

    /// Returns the layout with only those modes for which `coordinate` has a number. Modes for which `coordinate`
    /// has `None` are removed. The values of the numbers have no effect.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(1,(4,8))").dice((0, (None, 0)))
    ///     Layout('(4,3):(1,8)')
    fn dice(&self, coordinate: Coordinate) -> PyResult<Self> {
        self.0.dice(&coordinate.0).map(Self).map_err(failed)
    }

    /// Returns the indices of all coordinates as a one-dimensional int64 array. The first mode varies fastest.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,3):(3,1)").to_numpy()
    ///     array([0, 3, 1, 4, 2, 5])
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let size = listed(self.0.size())?;
        let indices = (0..size).map(|i| self.0.at(i).map_err(failed));
        numbers_to_array(py, &[size.unsigned_abs()], indices)
    }

    /// Returns the equivalent linear layout.
    ///
    /// Without `shape`, the result maps `(dim0, dim1, ...) -> offset`. With a tensor shape, this layout must be a
    /// thread-value layout: it maps `((threads), (values))` to column-major element indices. The result then maps
    /// `(register, lane, warp, block) -> (dim0, dim1, ...)`, with `lanes` threads per warp. Raises `LayoutError` if the
    /// layout is not linear over GF(2).
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,4):(4,1)").to_linear().apply(dim0=1, dim1=2)
    ///     (6,)
    ///     >>> ll.cute.Layout("((4,8),(2,2)):((32,1),(16,8))").to_linear([16, 8]).apply(lane=5, register=1)
    ///     (1, 3)
    #[pyo3(signature = (shape=None, *, lanes=Natural(32)), text_signature = "($self, shape=None, *, lanes=32)")]
    fn to_linear(&self, shape: Option<Shape>, lanes: Natural) -> PyResult<Layout> {
        let shape = shape.as_ref().map(|shape| shape.0.as_slice());
        let layout = linear_of_cute(&self.0.clone().into(), shape, lanes.0)?;
        Ok(layout.into())
    }

    /// Returns the Tilus register layout of this thread-value layout, for a tensor of shape `shape`.
    ///
    /// This layout maps `((threads), (values))` to element indices in column-major order, or in row-major order if
    /// `row_major` is true.
    ///
    /// Example:
    ///
    ///     >>> tv = ll.cute.Layout("((4,8),(2,2)):((32,1),(16,8))")
    ///     >>> tv.to_tilus([16, 8]) == ll.tilus.local(2, 1).spatial(8, 4).local(1, 2)
    ///     True
    #[pyo3(signature = (shape, *, row_major=false))]
    fn to_tilus(&self, shape: Shape, row_major: bool) -> PyResult<crate::tilus::RegisterLayout> {
        let order = match row_major {
            true => ElementOrder::RowMajor,
            false => ElementOrder::ColumnMajor,
        };
        let layout = tilus_from_thread_value(&self.0, &shape.0, order);
        layout.map(crate::tilus::RegisterLayout).map_err(failed)
    }

    /// Returns the layout with the given modes, in the given order.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2,3):(6,3,1)").select([2, 0])
    ///     Layout('(3,4):(1,6)')
    fn select(&self, modes: Places) -> PyResult<Self> {
        self.0.select(&modes.0).map(Self).map_err(failed)
    }

    /// Returns a picture as text: a table of the indices.
    ///
    /// Example:
    ///
    ///     >>> print(ll.cute.Layout("(2,3):(3,1)").text())
    ///     (2,3):(3,1): mode 0 down, mode 1 across; a cell is <index>
    ///         0  1  2
    ///     0:  0  1  2
    ///     1:  3  4  5
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn text(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_text(rows, columns)
    }

    /// Prints a picture as text.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,2):(2,1)").show()
    ///     (2,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
    ///         0  1
    ///     0:  0  1
    ///     1:  2  3
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
    ///     >>> ll.cute.Layout("(2,3):(3,1)").svg().startswith("<svg")
    ///     True
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn svg(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_svg(rows, columns)
    }

    /// Returns the picture that a notebook shows.
    ///
    /// Example:
    ///
    ///     >>> "image/svg+xml" in ll.cute.Layout("(2,3):(3,1)")._repr_html_()
    ///     True
    fn _repr_html_(&self) -> PyResult<String> {
        self.picture_html()
    }

    /// Returns a description in words: the number of coordinates and the effect of each mode.
    ///
    /// Example:
    ///
    ///     >>> print(ll.cute.Layout("(2,3):(3,1)").explain())
    ///     6 coordinates to indices below 6
    ///     <BLANKLINE>
    ///     what the modes do, the fastest of a coordinate that is one number first
    ///       mode 0: 2 steps of 3
    ///       mode 1: 3 steps of 1
    fn explain(&self) -> String {
        trimmed(words_of_cute(&self.0.clone().into()))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Layout('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.0.to_string(),))
    }
}

/// Returns `size`, or an error if `size` is above `2^MOST_BITS`.
pub(super) fn listed(size: i64) -> PyResult<i64> {
    if size <= 1 << MOST_BITS {
        return Ok(size);
    }
    Err(Failure::new(format!(
        "the layout has {size} coordinates; an array is limited to 2^{MOST_BITS}"
    ))
    .into())
}
