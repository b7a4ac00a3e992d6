//! CuTe swizzles.

use crate::args::Integer;
use crate::error::failed;
use crate::layout::hash_of;
use crate::text::cute_error;
use linear_layout::cute;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// A CuTe swizzle `Sw<bits,base,shift>`. For each `i < bits`, it XORs bit `base + shift + i` of an index into bit
/// `base + i` of the index. If `shift` is negative, it XORs bit `base + i` into bit `base - shift + i` instead.
///
/// The only argument may also be the text of a swizzle, such as `Sw<3,4,3>`.
///
/// Example:
///
///     >>> swizzle = ll.cute.Swizzle(2, 0, 3)
///     >>> swizzle, swizzle(8)
///     (Swizzle(2, 0, 3), 9)
#[pyclass(module = "linear_layout.cute", name = "Swizzle", frozen)]
pub(crate) struct Swizzle(pub(crate) cute::Swizzle);

#[pymethods]
impl Swizzle {
    #[new]
    #[pyo3(signature = (bits, base=None, shift=None))]
    fn new(
        bits: &Bound<'_, PyAny>,
        base: Option<Integer>,
        shift: Option<Integer>,
    ) -> PyResult<Self> {
        if let Ok(text) = bits.cast::<PyString>() {
            let text = text.to_str()?;
            return text.parse().map(Self).map_err(|e| cute_error(&e, text));
        }
        let (Some(base), Some(shift)) = (base, shift) else {
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "expected the numbers bits, base and shift, or a text such as `Sw<3,4,3>`",
            ));
        };
        let bits: Integer = bits.extract()?;
        let swizzle = cute::Swizzle::new(bits.0, base.0, shift.0);
        swizzle.map(Self).map_err(failed)
    }

    /// The number of bits that are XORed.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Swizzle(3, 4, 3).bits
    ///     3
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// The lowest bit that the swizzle reads or changes.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Swizzle(2, 4, 3).base
    ///     4
    #[getter]
    fn base(&self) -> u32 {
        self.0.base()
    }

    /// The distance from the changed bits to the bits that are XORed into them. The distance may be negative.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Swizzle(2, 4, 3).shift
    ///     3
    #[getter]
    fn shift(&self) -> i32 {
        self.0.shift()
    }

    /// Returns true if the swizzle changes no index.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Swizzle(0, 4, 3).is_identity()
    ///     True
    fn is_identity(&self) -> bool {
        self.0.is_identity()
    }

    /// Returns the swizzled index.
    ///
    /// Example:
    ///
    ///     >>> [ll.cute.Swizzle(1, 0, 1)(i) for i in range(4)]
    ///     [0, 1, 3, 2]
    fn __call__(&self, index: Integer) -> i64 {
        self.0.apply(index.0)
    }

    /// Returns the swizzle `i -> self(inner(i))`.
    ///
    /// Raises `LayoutError` if the composition is not a swizzle.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Swizzle(2, 0, 3).composition(ll.cute.Swizzle(2, 0, 3)).is_identity()
    ///     True
    fn composition(&self, inner: &Self) -> PyResult<Self> {
        self.0.composition(inner.0).map(Self).map_err(failed)
    }

    /// Returns the swizzle of the same data, viewed as elements of `new_bits` bits instead of `old_bits` bits.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Swizzle(3, 4, 3).recast(8, 16)
    ///     Swizzle(3, 3, 3)
    fn recast(&self, old_bits: Integer, new_bits: Integer) -> PyResult<Self> {
        let swizzle = self.0.recast(old_bits.0, new_bits.0);
        swizzle.map(Self).map_err(failed)
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
        let [bits, base] = [self.0.bits(), self.0.base()];
        format!("Swizzle({bits}, {base}, {})", self.0.shift())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (u32, u32, i32)) {
        let arguments = (self.0.bits(), self.0.base(), self.0.shift());
        (py.get_type::<Self>(), arguments)
    }
}
