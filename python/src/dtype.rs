//! Element types; conversions need their width.

use crate::args::natural;
use crate::error::Failure;
use linear_layout::encoding::{self, FLOATS, is_element_width};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyType};

/// Returns the width of an element type in bits: a number of bits, a name of IR, NumPy, PyTorch or Triton, or a type
/// object of these.
pub(crate) fn element_bits(dtype: &Bound<'_, PyAny>) -> PyResult<u32> {
    if dtype.is_instance_of::<PyInt>() {
        let bits = natural(dtype, "the width of an element")?;
        return width(bits).ok_or_else(|| {
            Failure::new(format!("an element is {bits} bits wide, expected 1 to 64"))
                .note("widths are powers of two: 1, 2, 4, 8, 16, 32, 64")
                .into()
        });
    }
    if let Ok(text) = dtype.cast::<PyString>() {
        return of_name(text.to_str()?);
    }
    // Triton's types have a width in bits; NumPy's and PyTorch's in bytes, except for NumPy's scalar classes.
    if let Ok(bits) = dtype.getattr("primitive_bitwidth") {
        return element_bits(&bits);
    }
    if dtype.is_instance_of::<PyType>() {
        return of_name(dtype.getattr("__name__")?.cast::<PyString>()?.to_str()?);
    }
    match dtype
        .getattr("itemsize")
        .and_then(|bytes| bytes.extract::<u64>())
    {
        Ok(bytes) => width(bytes.saturating_mul(8)).ok_or_else(|| unknown(&dtype.to_string())),
        Err(_) => Err(unknown(&dtype.to_string())),
    }
}

fn width(bits: u64) -> Option<u32> {
    let bits = u32::try_from(bits).ok()?;
    is_element_width(bits).then_some(bits)
}

fn of_name(text: &str) -> PyResult<u32> {
    let name = text.trim();
    if let Some(bits) = encoding::element_bits(name) {
        return Ok(bits);
    }
    if name == "bool" {
        return Ok(8);
    }
    let prefixes = ["uint", "int", "bfloat", "float", "fp", "bf", "f", "i", "u"];
    let found = prefixes
        .iter()
        .filter_map(|prefix| name.strip_prefix(prefix)?.parse().ok())
        .find_map(|bits: u64| width(bits));
    // Floats of one byte or less need a format.
    found
        .filter(|bits| *bits >= 16 || !name.contains('f'))
        .ok_or_else(|| unknown(text))
}

fn unknown(text: &str) -> PyErr {
    let floats: Vec<&str> = FLOATS.iter().map(|(float, _)| *float).collect();
    Failure::new(format!("`{text}` is no type of elements that can be converted"))
        .note(format!(
            "expected a number of bits, `i1` to `i64`, a pointer such as `!tt.ptr<f16>`, one of {}, or a type of \
             NumPy, PyTorch or Triton",
            floats.join(", ")
        ))
        .into()
}
