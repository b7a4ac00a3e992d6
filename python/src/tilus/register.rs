//! Tilus register layouts: construction, parts, evaluation.

use super::create::extents;
use super::table;
use crate::args::{Natural, Shape};
use crate::cute::CuteLayout;
use crate::error::failed;
use crate::layout::picture::{Pictured, trimmed};
use crate::layout::{Layout, hash_of};
use crate::text::{not_linear, tilus_error};
use linear_layout::bridge::{
    ElementOrder, linear_from_tilus, thread_value_from_tilus, tilus_from_linear,
};
use linear_layout::tilus;
use linear_layout::view::{Scene, Window, words_of_register};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

const MOST_THREADS: u64 = 1 << 20;

/// A Tilus register layout. For each element of a tensor, it contains the threads that hold the element, and the
/// local index (register) at which they hold it.
///
/// `shape` is the tensor shape, or the text of a whole layout, such as `local(2, 1).spatial(8, 4)`. `mode_shape`
/// splits the dims into modes (mixed-radix digits). `spatial_modes` lists the modes of the thread index, slowest
/// first; `local_modes` lists the modes of the local index. An entry `-n` in `spatial_modes` means `n` replicas.
/// Extents need not be powers of two.
///
/// Layouts compare equal if they are the same map, even with different modes.
///
/// Example:
///
///     >>> mma = ll.tilus.local(2, 1).spatial(8, 4).local(1, 2)
///     >>> mma
///     RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])
///     >>> mma == ll.tilus.RegisterLayout("local(2, 1).spatial(8, 4).local(1, 2)")
///     True
///     >>> mma.threads_of(10, 5), mma.local_of(10, 5)
///     ([10], 3)
#[pyclass(module = "linear_layout.tilus", name = "RegisterLayout", frozen)]
pub(crate) struct RegisterLayout(pub(crate) tilus::RegisterLayout);

/// Parses a list of modes. `what` names the argument in error messages.
pub(super) fn modes(list: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Vec<i64>> {
    let Some(list) = list else {
        return Err(PyTypeError::new_err(format!("`{what}` is missing")));
    };
    let items = list
        .try_iter()?
        .map(|item| crate::args::number(&item?, what, "a whole number from -2^63 to 2^63 - 1"));
    items.collect()
}

impl Pictured for RegisterLayout {
    fn cells(&self) -> u64 {
        self.0.size()
    }

    fn title(&self) -> String {
        self.0.to_string()
    }

    fn scene(&self, window: Window) -> Scene {
        Scene::register_layout(&self.0, window)
    }
}

#[pymethods]
impl RegisterLayout {
    #[new]
    #[pyo3(signature = (shape, mode_shape=None, spatial_modes=None, local_modes=None))]
    fn new(
        shape: &Bound<'_, PyAny>,
        mode_shape: Option<Shape>,
        spatial_modes: Option<&Bound<'_, PyAny>>,
        local_modes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if let Ok(text) = shape.cast::<PyString>() {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| tilus_error(&e, text));
        }
        let shape: Shape = shape.extract()?;
        let Some(mode_shape) = mode_shape else {
            return Err(PyTypeError::new_err("`mode_shape` is missing"));
        };
        let spatial = modes(spatial_modes, "spatial_modes")?;
        let local = modes(local_modes, "local_modes")?;
        let layout = tilus::RegisterLayout::new(&shape.0, &mode_shape.0, &spatial, &local);
        layout.map(Self).map_err(failed)
    }

    /// Returns the Tilus register layout of a linear layout. In the thread index, lanes vary fastest, then warps,
    /// then blocks.
    ///
    /// Raises `LayoutError` if a basis vector has more than one bit, or if two registers of a thread hold the same
    /// element.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.RegisterLayout.from_linear(ll.Layout("spatial(8, 4)")) == ll.tilus.spatial(8, 4)
    ///     True
    #[staticmethod]
    fn from_linear(layout: &Layout) -> PyResult<Self> {
        tilus_from_linear(&layout.linear).map(Self).map_err(failed)
    }

    /// The shape of the tensor.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).shape
    ///     (16, 4)
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// The extents of the modes.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).mode_shape
    ///     (2, 8, 4)
    #[getter]
    fn mode_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.mode_shape())
    }

    /// The modes of the thread index, slowest first. An entry `-n` means `n` replicas.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).spatial_modes
    ///     (1, 2)
    #[getter]
    fn spatial_modes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.spatial_modes())
    }

    /// The modes of the local index, slowest first.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).local_modes
    ///     (0,)
    #[getter]
    fn local_modes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.local_modes())
    }

    /// The number of threads.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).spatial_size
    ///     32
    #[getter]
    fn spatial_size(&self) -> u64 {
        self.0.spatial_size()
    }

    /// The number of elements per thread.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).local_size
    ///     2
    #[getter]
    fn local_size(&self) -> u64 {
        self.0.local_size()
    }

    /// The number of elements.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).size
    ///     64
    #[getter]
    fn size(&self) -> u64 {
        self.0.size()
    }

    /// The number of threads that hold each element.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.replicated(2, threads=3).replications
    ///     3
    #[getter]
    fn replications(&self) -> u64 {
        self.0.replications()
    }

    /// Returns the local index of an element, which is the same in all threads.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).local_of(9, 0)
    ///     1
    #[pyo3(signature = (*index))]
    fn local_of(&self, index: &Bound<'_, PyTuple>) -> PyResult<u64> {
        self.0.local_of(&extents(index)?).map_err(failed)
    }

    /// Returns the threads that hold an element, in ascending order.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(2).compose(ll.tilus.replicated(2, threads=3)).threads_of(3)
    ///     [3, 4, 5]
    #[pyo3(signature = (*index))]
    fn threads_of(&self, index: &Bound<'_, PyTuple>) -> PyResult<Vec<u64>> {
        let threads = self.0.threads_of(&extents(index)?).map_err(failed)?;
        if self.0.replications() > MOST_THREADS {
            return Err(failed(format!(
                "{} threads hold the element; `threads_of` lists at most {MOST_THREADS}",
                self.0.replications()
            )));
        }
        Ok(threads.collect())
    }

    /// Returns the tensor index of the element at local index `local` of thread `thread`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).index_of(5, 1)
    ///     (9, 1)
    fn index_of<'py>(
        &self,
        py: Python<'py>,
        thread: Natural,
        local: Natural,
    ) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.index_of(thread.0, local.0).map_err(failed)?)
    }

    /// Returns the tensor index of the element at each thread and local index. The result is an int64 array of
    /// shape `(spatial_size, local_size, rank)`.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).to_numpy()[5, 1]
    ///     array([9, 1])
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = [self.0.spatial_size(), self.0.local_size()];
        let rank = u64::try_from(self.0.rank()).map_err(failed)?;
        table(py, &shape, Some(rank), |place| {
            self.0.index_of(place[0], place[1]).map_err(failed)
        })
    }

    /// Returns the equivalent linear layout `(register, lane, warp, block) -> (dim0, dim1, ...)`, with `lanes` threads
    /// per warp.
    ///
    /// Raises `LayoutError` if an extent is not a power of two.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).to_linear().apply(register=1, lane=5)
    ///     (9, 1)
    #[pyo3(signature = (*, lanes=Natural(32)), text_signature = "($self, *, lanes=32)")]
    fn to_linear(&self, lanes: Natural) -> PyResult<Layout> {
        let layout = linear_from_tilus(&self.0, lanes.0).map_err(not_linear)?;
        Ok(layout.into())
    }

    /// Returns the equivalent CuTe layout `((threads), (values)) -> element`. Elements are numbered in column-major
    /// order, or in row-major order if `row_major` is true.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.local(2, 1).spatial(8, 4).local(1, 2).to_cute()
    ///     Layout('((4,8),(2,2)):((32,1),(16,8))')
    #[pyo3(signature = (*, row_major=false))]
    fn to_cute(&self, row_major: bool) -> PyResult<CuteLayout> {
        let order = if row_major {
            ElementOrder::RowMajor
        } else {
            ElementOrder::ColumnMajor
        };
        let layout = thread_value_from_tilus(&self.0, order);
        layout.map(CuteLayout).map_err(failed)
    }

    /// Returns a picture as text, with the thread and the local index of each element.
    ///
    /// Example:
    ///
    ///     >>> print(ll.tilus.local(2, 1).spatial(1, 2).text())
    ///     RegisterLayout(shape=[2, 2], mode_shape=[2, 2], spatial_modes=[1], local_modes=[0])
    ///     ┌──────┬──────┐
    ///     │ 0: 0 │ 1: 0 │
    ///     ├──────┼──────┤
    ///     │ 0: 1 │ 1: 1 │
    ///     └──────┴──────┘
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn text(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_text(rows, columns)
    }

    /// Prints a picture as text.
    ///
    /// Example:
    ///
    ///     >>> ll.tilus.spatial(1, 2).show()
    ///     RegisterLayout(shape=[1, 2], mode_shape=[2], spatial_modes=[0], local_modes=[])
    ///     ┌──────┬──────┐
    ///     │ 0: 0 │ 1: 0 │
    ///     └──────┴──────┘
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
    ///     >>> ll.tilus.spatial(8, 4).svg().startswith("<svg")
    ///     True
    #[pyo3(signature = (*, rows=None, columns=None))]
    fn svg(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        self.picture_svg(rows, columns)
    }

    /// Returns the picture that a notebook shows.
    ///
    /// Example:
    ///
    ///     >>> "image/svg+xml" in ll.tilus.spatial(8, 4)._repr_html_()
    ///     True
    fn _repr_html_(&self) -> PyResult<String> {
        self.picture_html()
    }

    /// Returns a description in words: the number of threads, the number of places (local indices) per thread, the
    /// number of replicas, and the effect of each mode.
    ///
    /// Example:
    ///
    ///     >>> print(ll.tilus.local(3, 1).spatial(2, 4).explain())
    ///     a tensor of 6x4 in 3 places of each of 8 threads
    ///     each element is held once
    ///     <BLANKLINE>
    ///     what the digits of an index do, the slowest first
    ///       3 steps of 2 along dim0: the place, by 1 each
    ///       2 steps of 1 along dim0: the thread, by 4 each
    ///       4 steps of 1 along dim1: the thread, by 1 each
    fn explain(&self) -> String {
        trimmed(words_of_register(&self.0))
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
