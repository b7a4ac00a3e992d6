//! Conversion of nested tuples of numbers, coordinates and tilers from and to Python.

use super::layout::CuteLayout;
use crate::args::number;
use crate::error::failed;
use crate::text::cute_error;
use linear_layout::cute::{Coord, IntTuple, Tiler, Tuple};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

const MOST_NESTED: usize = 64;

fn check_depth(depth: usize) -> PyResult<()> {
    if depth <= MOST_NESTED {
        return Ok(());
    }
    Err(failed(format!(
        "the tuple is nested more than {MOST_NESTED} levels deep"
    )))
}

fn is_sequence(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>()
}

fn nested<T: Copy + Default>(
    value: &Bound<'_, PyAny>,
    depth: usize,
    leaf: &impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Tuple<T>> {
    check_depth(depth)?;
    if !is_sequence(value) {
        return Ok(Tuple::leaf(leaf(value)?));
    }
    let items = value
        .try_iter()?
        .map(|item| nested(&item?, depth + 1, leaf))
        .collect::<PyResult<Vec<_>>>()?;
    Tuple::of(&items).map_err(failed)
}

fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    number(
        value,
        "an entry of the argument",
        "a whole number from -2^63 to 2^63 - 1",
    )
}

/// An argument that is a shape, a stride or a coordinate. It is given as a number, as a nested tuple, or as text.
pub(crate) struct Numbers(pub(crate) IntTuple);

impl<'a, 'py> FromPyObject<'a, 'py> for Numbers {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| cute_error(&e, text));
        }
        nested(&value, 0, &integer).map(Self)
    }
}

/// An argument that is a coordinate, given as a value or as text. `None` in the value, or `_` in the text, marks a
/// mode for which no number is given.
pub(crate) struct Coordinate(pub(crate) Coord);

impl<'a, 'py> FromPyObject<'a, 'py> for Coordinate {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| cute_error(&e, text));
        }
        let leaf = |value: &Bound<'_, PyAny>| {
            if value.is_none() {
                return Ok(None);
            }
            integer(value).map(Some)
        };
        nested(&value, 0, &leaf).map(Self)
    }
}

/// An argument that is a tiler. It is given as a layout, the text of a layout, a size, `None` to keep a mode, or a
/// tuple of tilers.
pub(crate) struct TilerArgument(pub(crate) Tiler);

impl<'a, 'py> FromPyObject<'a, 'py> for TilerArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        tiler(&value, 0).map(Self)
    }
}

fn tiler(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Tiler> {
    check_depth(depth)?;
    if let Ok(layout) = value.cast::<CuteLayout>() {
        return Ok(Tiler::Layout(layout.get().0.clone()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        let layout = text.parse().map_err(|e| cute_error(&e, text))?;
        return Ok(Tiler::Layout(layout));
    }
    if value.is_none() {
        return Ok(Tiler::Keep);
    }
    if !is_sequence(value) {
        return integer(value).map(Tiler::Size);
    }
    let parts = value.try_iter()?.map(|part| tiler(&part?, depth + 1));
    parts.collect::<PyResult<_>>().map(Tiler::Modes)
}

/// A CuTe layout, or its text.
pub(crate) struct LayoutArgument(pub(crate) linear_layout::cute::Layout);

impl<'a, 'py> FromPyObject<'a, 'py> for LayoutArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match tiler(&value, 0) {
            Ok(Tiler::Layout(layout)) => Ok(Self(layout)),
            Err(error) if value.is_instance_of::<PyString>() => Err(error),
            _ => Err(PyTypeError::new_err(format!(
                "expected a CuTe layout or the text of a CuTe layout, found {}",
                value.repr()?
            ))),
        }
    }
}

pub(crate) fn to_python<'py>(py: Python<'py>, tuple: &IntTuple) -> PyResult<Bound<'py, PyAny>> {
    if tuple.is_leaf() {
        return Ok(tuple.leaves()[0].into_pyobject(py)?.into_any());
    }
    let items = tuple.items().map(|item| to_python(py, &item));
    let items = items.collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, items)?.into_any())
}
