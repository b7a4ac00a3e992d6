//! Linear layouts.

mod algebra;
mod build;
pub(crate) mod numpy;
pub(crate) mod picture;
mod query;
mod reshape;

use crate::args::{Natural, Shape};
use crate::text;
use core::hash::{BuildHasher, BuildHasherDefault, Hash};
use linear_layout::encoding::Encoding;
use linear_layout::layout::LinearLayout;
use linear_layout::view::shape_text;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::hash::DefaultHasher;

/// A linear layout: a map from places (register, lane, warp, block, or memory offset) to elements of a tensor. The map
/// is linear over GF(2): `f(x ^ y) == f(x) ^ f(y)`.
///
/// `text` is a TTGIR encoding or type, a Triton LinearLayout as printed, or a layout in the notation of Gluon, CuTe,
/// CUTLASS, Tilus, XeGPU, IREE or Mosaic GPU. `shape` is the shape of the tensor, which encodings require. With a
/// shape, a CuTe layout is a thread-value layout `((threads), (values))`. `aliases` is the text of a module with the
/// `#name = ...` lines that `text` uses. `lanes` is the warp size for CuTe and Tilus layouts.
///
/// Layouts are immutable. Layouts compare equal if they are the same map between the same dims, even with different
/// texts. Raises `LayoutError` for text that is not a linear layout, and for a shape that does not fit.
///
/// Example:
///
///     >>> blocked = ll.Layout(
///     ...     "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>",
///     ...     [16, 8],
///     ... )
///     >>> blocked.apply(register=1, lane=5, warp=0)
///     (1, 3)
///     >>> ll.Layout("local(2, 1).spatial(8, 4).local(1, 2)").bases["register"]
///     [[0, 1], [8, 0]]
///     >>> ll.Layout("((4,8),(2,2)):((32,1),(16,8))", [16, 8]) == ll.Layout("local(2, 1).spatial(8, 4).local(1, 2)")
///     True
///     >>> ll.Layout("gl.BlockedLayout([1, 2], [8, 4], [2, 1], [1, 0])", [16, 8]) == blocked
///     True
#[pyclass(module = "linear_layout", name = "Layout", frozen)]
pub(crate) struct Layout {
    pub(crate) linear: LinearLayout,
    pub(crate) encoding: Option<Encoding>,
}

pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

impl From<LinearLayout> for Layout {
    fn from(linear: LinearLayout) -> Self {
        let encoding = None;
        Self { linear, encoding }
    }
}

impl Layout {
    fn title(&self) -> String {
        let shape = shape_text(&self.sizes());
        match &self.encoding {
            Some(encoding) => format!("{encoding} on {shape}"),
            None => format!("a layout of {shape}"),
        }
    }

    fn sizes(&self) -> Vec<u64> {
        self.linear.out_shape().map(|(_, size)| size).collect()
    }
}

#[pymethods]
impl Layout {
    #[new]
    #[pyo3(
        signature = (text, shape=None, *, aliases=None, lanes=Natural(32)),
        text_signature = "(text, shape=None, *, aliases=None, lanes=32)"
    )]
    fn new(
        text: &str,
        shape: Option<Shape>,
        aliases: Option<&str>,
        lanes: Natural,
    ) -> PyResult<Self> {
        let shape = shape.as_ref().map(|shape| shape.0.as_slice());
        let (linear, encoding) = text::read(text, shape, aliases, lanes.0)?;
        Ok(Self { linear, encoding })
    }

    /// The text of the encoding from which the layout was created, or `None`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>", 4).encoding
    ///     '#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>'
    ///     >>> ll.Layout("local(4)").encoding is None
    ///     True
    #[getter]
    fn encoding(&self) -> Option<String> {
        self.encoding.as_ref().map(ToString::to_string)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.linear == other.linear
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.linear)
    }

    fn __str__(&self) -> String {
        picture::trimmed(self.linear.to_string())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(if let Some(encoding) = &self.encoding {
            format!("Layout('{encoding}', {:?})", self.sizes())
        } else {
            let bases = self.bases(py)?.repr()?;
            let outs = self.out_dims(py)?.repr()?;
            let rest = if self.linear.is_surjective() {
                ""
            } else {
                ", surjective=False"
            };
            format!("Layout.from_bases({bases}, {outs}{rest})")
        })
    }

    /// Returns the constructor and the arguments for `pickle` and `copy`.
    ///
    /// Example:
    ///
    ///     >>> import pickle
    ///     >>> layout = ll.Layout("spatial(8, 4)")
    ///     >>> pickle.loads(pickle.dumps(layout)) == layout
    ///     True
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        if let Some(encoding) = &self.encoding {
            let arguments = (encoding.as_written().to_string(), self.sizes());
            return (class, arguments).into_pyobject(py);
        }
        let bases: Bound<'py, PyDict> = self.bases(py)?;
        let arguments = (bases, self.out_dims(py)?, false);
        (class.getattr("from_bases")?, arguments).into_pyobject(py)
    }
}
