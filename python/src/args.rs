//! Argument types: numbers, shapes, dims, and sizes of dims.

use crate::error::{Failure, failed};
use linear_layout::layout::{Dim, LinearLayout};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};

/// Converts a Python integer to `T`. Raises `LayoutError` for an integer out of range, and `TypeError` for other
/// types. Error messages call the argument `what`, and describe the expected value with the text `expected`.
pub(crate) fn number<T>(value: &Bound<'_, PyAny>, what: &str, expected: &str) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    value.extract::<T>().map_err(|error| {
        let py = value.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            return failed(format!("{what} is {value}, expected {expected}"));
        }
        if !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        let kind = value.get_type();
        let found = kind
            .name()
            .map_or_else(|_| String::new(), |n| n.to_string());
        PyTypeError::new_err(format!("{what} is of type `{found}`, expected {expected}"))
    })
}

const NATURAL: &str = "a whole number from 0 to 2^64 - 1";

pub(crate) fn natural(value: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    number(value, what, NATURAL)
}

/// Converts a sequence of natural numbers. A single number is converted to a list with one item.
fn naturals(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u64>> {
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "{what} is the string {}, expected whole numbers such as [16, 8]",
            value.repr()?
        )));
    }
    let items = match value.try_iter() {
        Ok(items) => items.enumerate(),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            return Ok(vec![natural(value, what)?]);
        }
        Err(error) => return Err(error),
    };
    items
        .map(|(i, item)| natural(&item?, &format!("{what}[{i}]")))
        .collect()
}

/// An argument that contains the sizes of dims. An integer is a shape of rank 1.
pub(crate) struct Shape(pub(crate) Vec<u64>);

impl<'a, 'py> FromPyObject<'a, 'py> for Shape {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        naturals(&value, "shape").map(Self)
    }
}

/// An argument that is a list of dim positions or mode positions, such as `[1, 0]`.
pub(crate) struct Places(pub(crate) Vec<usize>);

impl<'a, 'py> FromPyObject<'a, 'py> for Places {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let numbers = naturals(&value, "index")?.into_iter();
        numbers.map(place).collect::<PyResult<_>>().map(Self)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Natural(pub(crate) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Natural {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        natural(&value, "the argument").map(Self)
    }
}

/// A position in a list of dims or modes, or a rank.
#[derive(Clone, Copy)]
pub(crate) struct Place(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Place {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        place(natural(&value, "the argument")?).map(Self)
    }
}

fn place(number: u64) -> PyResult<usize> {
    usize::try_from(number).map_err(|_| failed(format!("index {number} is out of range")))
}

#[derive(Clone, Copy)]
pub(crate) struct Integer(pub(crate) i64);

impl<'a, 'py> FromPyObject<'a, 'py> for Integer {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let expected = "a whole number from -2^63 to 2^63 - 1";
        number(&value, "the argument", expected).map(Self)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Name(pub(crate) Dim);

impl<'a, 'py> FromPyObject<'a, 'py> for Name {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let name = value.cast::<PyString>().map_err(|_| {
            PyTypeError::new_err(format!(
                "expected the name of a dim, such as \"lane\" or \"dim0\", found {}",
                value.get_type()
            ))
        })?;
        Dim::try_named(name.to_str()?).map(Self).map_err(failed)
    }
}

/// An argument that contains names of dims. A string is a single name.
pub(crate) struct Names(pub(crate) Vec<Dim>);

impl<'a, 'py> FromPyObject<'a, 'py> for Names {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            return Ok(Self(vec![value.extract::<Name>()?.0]));
        }
        let items = value.try_iter()?;
        let dims = items.map(|item| Ok(item?.extract::<Name>()?.0));
        dims.collect::<PyResult<_>>().map(Self)
    }
}

/// Dims with their sizes, in order. In Python, the argument is a mapping or a sequence of pairs.
pub(crate) struct Sizes(pub(crate) Vec<(Dim, u64)>);

impl<'a, 'py> FromPyObject<'a, 'py> for Sizes {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let mut sizes = Vec::new();
        for pair in pairs(&value)? {
            let (Name(dim), size) = pair?;
            sizes.push((dim, natural(&size, &format!("the size of `{dim}`"))?));
        }
        Ok(Self(sizes))
    }
}

/// Returns the items of a mapping whose keys are dim names, or of a sequence of pairs that begin with a dim name.
pub(crate) fn pairs<'py>(
    value: &Bound<'py, PyAny>,
) -> PyResult<impl Iterator<Item = PyResult<(Name, Bound<'py, PyAny>)>> + use<'py>> {
    let items = match value.cast::<PyMapping>() {
        Ok(mapping) => mapping.items()?.into_any().try_iter()?,
        Err(_) => value.try_iter()?,
    };
    Ok(items.map(|pair| {
        let pair = pair?;
        let parts: Vec<Bound<'py, PyAny>> = match pair.cast::<PyString>() {
            Ok(_) => Vec::new(),
            Err(_) => pair.try_iter()?.collect::<PyResult<_>>()?,
        };
        match <[_; 2]>::try_from(parts) {
            Ok([name, value]) => Ok((name.extract()?, value)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "expected a mapping from dim names, such as {{\"dim0\": 16}}, or a list of pairs; found \
                 the item {}",
                pair.repr()?
            ))),
        }
    }))
}

pub(crate) fn sizes_to_python<'py>(
    py: Python<'py>,
    sizes: impl Iterator<Item = (Dim, u64)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (dim, size) in sizes {
        dict.set_item(dim.name(), size)?;
    }
    Ok(dict)
}

/// Log2 of the maximum size of a layout from which an array of all elements can be created. The size of a layout is
/// the number of inputs or the number of elements, whichever is larger.
pub(crate) const MOST_BITS: usize = 26;

/// Raises `LayoutError` if a layout has more than 2^`most_bits` inputs or elements. The error message calls the
/// limited operation `what`.
pub(crate) fn check_size(layout: &LinearLayout, most_bits: usize, what: &str) -> PyResult<()> {
    let bits = layout.total_in_bits().max(layout.total_out_bits());
    if bits <= most_bits {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the layout has 2^{} places and 2^{} elements; {what} is limited to 2^{most_bits} of each",
        layout.total_in_bits(),
        layout.total_out_bits()
    ))
    .note("use a smaller shape; a larger shape repeats the same pattern")
    .into())
}
