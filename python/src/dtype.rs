//! Widths of element types.

use crate::args::natural;
use crate::error::Failure;
use linear_layout::encoding::{ElementTypeError, element_bits_of_name, is_element_width};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyType};

/// Returns the width of an element type in bits. `dtype` is a number of bits, a name as in IR, NumPy, PyTorch or
/// Triton, or a type object from these libraries.
pub(crate) fn element_bits(dtype: &Bound<'_, PyAny>) -> PyResult<u32> {
    if dtype.is_instance_of::<PyInt>() {
        let bits = natural(dtype, "the width of an element")?;
        return width(bits).ok_or_else(|| {
            Failure::new(format!(
                "an element has {bits} bits, expected a power of two from 1 to 64"
            ))
            .note("valid widths are 1, 2, 4, 8, 16, 32 and 64 bits")
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
        // Python's own `float` has 64 bits, CUDA's 32: the name alone would be read as CUDA's.
        if dtype.getattr("__module__")?.eq("builtins")? {
            return Err(unknown(&ElementTypeError::new(&dtype.to_string())));
        }
        return of_name(dtype.getattr("__name__")?.cast::<PyString>()?.to_str()?);
    }
    match dtype
        .getattr("itemsize")
        .and_then(|bytes| bytes.extract::<u64>())
    {
        Ok(bytes) => width(bytes.saturating_mul(8))
            .ok_or_else(|| unknown(&ElementTypeError::new(&dtype.to_string()))),
        Err(_) => Err(unknown(&ElementTypeError::new(&dtype.to_string()))),
    }
}

fn width(bits: u64) -> Option<u32> {
    let bits = u32::try_from(bits).ok()?;
    is_element_width(bits).then_some(bits)
}

fn of_name(text: &str) -> PyResult<u32> {
    element_bits_of_name(text).map_err(|error| unknown(&error))
}

fn unknown(error: &ElementTypeError) -> PyErr {
    let failure =
        Failure::new(error).note("give a width in bits, or a type of NumPy, PyTorch or Triton");
    let notes = error.notes();
    notes.iter().fold(failure, Failure::note).into()
}
