//! Evaluation of layouts on numbers and NumPy arrays.
//!
//! NumPy is imported on first use. Arrays are passed as bytes, since the stable ABI of Python 3.10 has no buffer
//! protocol.

use super::Layout;
use crate::args::{MOST_BITS, check_size, natural, pairs};
use crate::error::failed;
use linear_layout::layout::{Dim, LinearLayout};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyTuple};

#[pymethods]
impl Layout {
    /// Returns the element at a place, as a tuple with one index per out-dim.
    ///
    /// A place is given by keyword arguments, or by a mapping if dim names are not identifiers. Omitted in-dims
    /// have index 0. If an index is an array, all indices are broadcast, and the result is a tuple of int64 arrays
    /// that can index the tensor.
    ///
    /// Raises `LayoutError` for an unknown in-dim or an index out of range, and `TypeError` for arrays of
    /// non-integers.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("local(1, 2).spatial(8, 4)")
    ///     >>> layout.apply(register=1, lane=9)
    ///     (2, 5)
    ///     >>> layout.apply({"lane": 9})
    ///     (2, 1)
    ///     >>> rows, columns = layout.apply(register=[[0], [1]], lane=np.arange(32))
    ///     >>> rows.shape, columns[:, 9]
    ///     ((2, 32), array([1, 5]))
    #[pyo3(signature = (place=None, /, **indices))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        place: Option<&Bound<'py, PyAny>>,
        indices: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut given: Vec<(Dim, Bound<'py, PyAny>)> = Vec::new();
        for source in [place, indices.map(|d| d.as_any())].into_iter().flatten() {
            for pair in pairs(source)? {
                let (name, value) = pair?;
                if !self.linear.has_in_dim(name.0) {
                    return Err(self.no_such_dim(name.0, "in-dim", self.linear.in_dims()));
                }
                if given.iter().any(|(dim, _)| *dim == name.0) {
                    return Err(failed(format!("the index of `{}` is given twice", name.0)));
                }
                given.push((name.0, value));
            }
        }
        let is_number = |value: &Bound<'py, PyAny>| {
            value.hasattr("__index__").unwrap_or(false) && !value.hasattr("__len__").unwrap_or(true)
        };
        if given.iter().all(|(_, value)| is_number(value)) {
            let mut packed = 0;
            for (dim, value) in &given {
                let value = natural(value, &format!("`{dim}`"))?;
                packed |= In::new(&self.linear, *dim).placed(value)?;
            }
            return PyTuple::new(
                py,
                self.linear.unpack(self.linear.apply_packed(packed)).iter(),
            );
        }
        self.apply_arrays(py, &given)
    }

    /// Returns the element at every place, as an int64 array.
    ///
    /// The array has one axis per in-dim and a last axis for the out-dims. For a register layout, the shape is
    /// `(register, lane, warp, block, rank)`. If `flat` is true, there is no last axis, and each element is given
    /// by its index in `tensor.ravel()`.
    ///
    /// Raises `LayoutError` for layouts with more than 2^26 places.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("local(1, 2).spatial(8, 4)")
    ///     >>> layout.to_numpy().shape, layout.to_numpy()[1, 9, 0, 0]
    ///     ((2, 32, 1, 1, 2), array([2, 5]))
    ///     >>> tensor = np.arange(64).reshape(8, 8)
    ///     >>> int(tensor.ravel()[layout.to_numpy(flat=True)][1, 9, 0, 0]), int(tensor[2, 5])
    ///     (21, 21)
    #[pyo3(signature = (*, flat=false))]
    fn to_numpy<'py>(&self, py: Python<'py>, flat: bool) -> PyResult<Bound<'py, PyAny>> {
        let layout = &self.linear;
        check_size(layout, MOST_BITS, "an array")?;
        let mut shape: Vec<u64> = layout.in_shape().map(|(_, size)| size).collect();
        // Places in row-major order: the last in-dim has the lowest bits.
        let dims: Vec<Dim> = layout.in_dims().collect();
        let columns = dims.iter().rev().flat_map(|dim| layout.columns_of(*dim));
        let columns: Vec<u64> = columns.copied().collect();
        let outs = OutNames::new(layout);
        let width = if flat { 1 } else { outs.fields.len() };
        let places = 1_usize << columns.len();
        let array = bytes(py, places * width, |out| {
            let mut image = 0;
            for (place, out) in (0..places).zip(out.chunks_exact_mut(8 * width.max(1))) {
                if flat {
                    out.copy_from_slice(&outs.row_major(image).to_ne_bytes());
                } else {
                    for (i, out) in out.chunks_exact_mut(8).enumerate() {
                        out.copy_from_slice(&outs.index(i, image).to_ne_bytes());
                    }
                }
                // The next place differs in the low bits, up to the lowest zero.
                let flipped = columns.iter().take(place.trailing_ones() as usize + 1);
                image = flipped.fold(image, |image, column| image ^ column);
            }
        })?;
        if !flat {
            shape.push(width as u64);
        }
        from_bytes(py, &array, &PyTuple::new(py, shape)?)
    }
}

impl Layout {
    fn apply_arrays<'py>(
        &self,
        py: Python<'py>,
        given: &[(Dim, Bound<'py, PyAny>)],
    ) -> PyResult<Bound<'py, PyTuple>> {
        let numpy = py.import("numpy")?;
        let arrays = given.iter().map(|(dim, value)| {
            let array = numpy.call_method1("asarray", (value,))?;
            let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
            if !matches!(kind.as_str(), "i" | "u" | "b")
                && array.getattr("size")?.extract::<usize>()? > 0
            {
                return Err(PyTypeError::new_err(format!(
                    "the indices along `{dim}` are of type {}, expected integers",
                    array.getattr("dtype")?
                )));
            }
            Ok((array, kind == "u"))
        });
        let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
        let only_arrays = arrays.iter().map(|(array, _)| array);
        let arguments = PyTuple::new(py, only_arrays)?;
        let broadcast = numpy.call_method1("broadcast_arrays", arguments);
        let broadcast = broadcast.map_err(|_| {
            let shapes = arrays.iter().zip(given).map(|((array, _), (dim, _))| {
                let shape = array.getattr("shape").and_then(|shape| shape.str());
                format!(
                    "{} for `{dim}`",
                    shape.map_or_else(|_| String::new(), |s| s.to_string())
                )
            });
            let shapes = shapes.collect::<Vec<_>>().join(", ");
            failed(format!(
                "the index arrays cannot be broadcast to a common shape: {shapes}"
            ))
        })?;
        let mut shape = None;
        let mut packed: Vec<u64> = Vec::new();
        for (i, array) in broadcast.try_iter()?.enumerate() {
            let array = array?;
            let ((dim, _), (_, is_unsigned)) = (&given[i], &arrays[i]);
            let name = if *is_unsigned { "uint64" } else { "int64" };
            let contiguous = numpy.call_method1("ascontiguousarray", (&array, name))?;
            let raw = contiguous.call_method0("tobytes")?;
            let raw = raw.cast::<PyBytes>()?.as_bytes();
            let field = In::new(&self.linear, *dim);
            packed.resize(raw.len() / 8, 0);
            for (packed, raw) in packed.iter_mut().zip(raw.chunks_exact(8)) {
                let value = u64::from_ne_bytes(raw.try_into().unwrap_or_default());
                if !is_unsigned && value.cast_signed() < 0 {
                    return Err(out_of_range(&self.linear, *dim, value.cast_signed()));
                }
                *packed |= field.placed(value)?;
            }
            shape = Some(array.getattr("shape")?);
        }
        let shape = shape.unwrap_or_else(|| PyTuple::empty(py).into_any());
        let images: Vec<u64> = py.detach(|| {
            packed
                .iter()
                .map(|x| self.linear.apply_packed(*x))
                .collect()
        });
        let outs = OutNames::new(&self.linear);
        let results = (0..outs.fields.len()).map(|i| {
            let array = bytes(py, images.len(), |out| {
                for (out, image) in out.chunks_exact_mut(8).zip(&images) {
                    out.copy_from_slice(&outs.index(i, *image).to_ne_bytes());
                }
            })?;
            from_bytes(py, &array, shape.cast::<PyTuple>()?)
        });
        PyTuple::new(py, results.collect::<PyResult<Vec<_>>>()?)
    }
}

/// The bit field of an in-dim in a packed place. A packed place is one integer that contains the indices along all
/// in-dims.
struct In<'l> {
    layout: &'l LinearLayout,
    dim: Dim,
    size: u64,
    shift: u32,
}

impl<'l> In<'l> {
    fn new(layout: &'l LinearLayout, dim: Dim) -> Self {
        let before = layout.in_dims().take_while(|d| *d != dim);
        let shift: usize = before.map(|d| layout.in_bits(d)).sum();
        Self {
            layout,
            dim,
            size: layout.in_size(dim),
            shift: u32::try_from(shift).unwrap_or(u64::BITS),
        }
    }

    /// Shifts `index` to the position of the bit field. Returns an error if the index is out of range.
    fn placed(&self, index: u64) -> PyResult<u64> {
        if index >= self.size {
            return Err(out_of_range(self.layout, self.dim, index));
        }
        // Beyond 64 bits all sizes are 1.
        Ok(index.checked_shl(self.shift).unwrap_or(0))
    }
}

fn out_of_range(layout: &LinearLayout, dim: Dim, value: impl std::fmt::Display) -> PyErr {
    failed(format!(
        "`{dim}` is {value}, expected 0 to {}",
        layout.in_size(dim) - 1
    ))
}

/// The bit fields of the out-dims in a packed element.
struct OutNames {
    /// Position of the lowest bit of each out-dim, and largest index along the out-dim.
    fields: Vec<(u32, u64)>,
}

impl OutNames {
    fn new(layout: &LinearLayout) -> Self {
        let mut fields = Vec::new();
        let mut shift = 0;
        for (_, size) in layout.out_shape() {
            fields.push((shift, size - 1));
            shift += size.trailing_zeros();
        }
        Self { fields }
    }

    fn index(&self, i: usize, image: u64) -> u64 {
        let (shift, mask) = self.fields[i];
        image.checked_shr(shift).unwrap_or(0) & mask
    }

    /// Returns the index of a packed element in `tensor.ravel()`, which is in row-major order.
    fn row_major(&self, image: u64) -> u64 {
        let fields = self.fields.iter().enumerate();
        fields.fold(0, |number, (i, (_, last))| {
            number * (last + 1) + self.index(i, image)
        })
    }
}

/// Returns a byte array for `numbers` 64-bit integers. `fill` writes the integers to the array.
fn bytes<'py>(
    py: Python<'py>,
    numbers: usize,
    fill: impl FnOnce(&mut [u8]),
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, numbers * 8, |out| {
        fill(out);
        Ok(())
    })
}

/// Returns an int64 array of shape `shape`. `numbers` provides its elements in row-major order.
pub(crate) fn numbers_to_array<'py>(
    py: Python<'py>,
    shape: &[u64],
    mut numbers: impl Iterator<Item = PyResult<i64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = shape.iter().product::<u64>();
    let count = usize::try_from(count).map_err(failed)?;
    let array = PyByteArray::new_with(py, count * 8, |out| {
        for (out, number) in out.chunks_exact_mut(8).zip(&mut numbers) {
            out.copy_from_slice(&number?.to_ne_bytes());
        }
        Ok(())
    })?;
    from_bytes(py, &array, &PyTuple::new(py, shape)?)
}

/// Returns an int64 array of shape `shape` that shares the memory of `bytes`.
fn from_bytes<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyByteArray>,
    shape: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("frombuffer", (bytes, "int64"))?;
    array.call_method1("reshape", (shape,))
}
