//! GPU targets.

use crate::error::failed;
use linear_layout::target::{TARGETS, Target};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A GPU, with its warp size, banks and shared memory.
///
/// `name` is a `ttg.target` (`cuda:90`, `hip:gfx942`), a processor (`sm_90`) or a product (`h100`). Raises
/// `LayoutError` for an unknown name. The message suggests the most similar name.
///
/// Example:
///
///     >>> target = ll.Target("sm_90")
///     >>> target
///     Target('cuda:90')
///     >>> target.lanes, target.banks, target.max_shared_bytes
///     (32, 32, 232448)
#[pyclass(module = "linear_layout", name = "Target", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyTarget(pub(crate) &'static Target);

#[pymethods]
impl PyTarget {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        Target::parse(name).map(Self).map_err(failed)
    }

    /// The name of the GPU in `ttg.target`.
    ///
    /// Example:
    ///
    ///     >>> ll.Target("gfx942").name
    ///     'hip:gfx942'
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    /// The vendor of the GPU: `nvidia` or `amd`.
    ///
    /// Example:
    ///
    ///     >>> ll.Target("gfx942").vendor
    ///     'amd'
    #[getter]
    fn vendor(&self) -> String {
        format!("{:?}", self.0.vendor).to_lowercase()
    }

    /// The number of lanes per warp (wave).
    ///
    /// Example:
    ///
    ///     >>> ll.Target("gfx942").lanes
    ///     64
    #[getter]
    fn lanes(&self) -> u32 {
        self.0.lanes
    }

    /// The number of banks of shared memory.
    ///
    /// Example:
    ///
    ///     >>> ll.Target("gfx950").banks
    ///     64
    #[getter]
    fn banks(&self) -> u32 {
        self.0.banks
    }

    /// The width of a bank in bytes.
    ///
    /// Example:
    ///
    ///     >>> ll.Target("sm_90").bank_bytes
    ///     4
    #[getter]
    fn bank_bytes(&self) -> u32 {
        self.0.bank_bytes
    }

    /// The maximum shared memory of a thread block, in bytes.
    ///
    /// Example:
    ///
    ///     >>> ll.Target("gfx942").max_shared_bytes
    ///     65536
    #[getter]
    fn max_shared_bytes(&self) -> u32 {
        self.0.max_shared_bytes
    }

    /// Returns the occupancy: the number of thread blocks that are resident on one SM (CU).
    ///
    /// A block has `threads` threads and `shared_bytes` bytes of shared memory, and each thread has `registers`
    /// 32-bit registers. If `registers` is 0, registers do not limit the result. The result is 0 if a block does
    /// not fit.
    ///
    /// Example:
    ///
    ///     >>> ll.Target("h100").resident_blocks(128, registers=110), ll.Target("h100").resident_blocks(128, registers=96)
    ///     (4, 5)
    #[pyo3(signature = (threads, shared_bytes = 0, registers = 0))]
    fn resident_blocks(&self, threads: u32, shared_bytes: u32, registers: u32) -> u32 {
        self.0.resident_blocks(threads, shared_bytes, registers)
    }

    fn __repr__(&self) -> String {
        format!("Target('{}')", self.0.name)
    }

    fn __str__(&self) -> &'static str {
        self.0.name
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, pyo3::types::PyType>, (&'static str,)) {
        (py.get_type::<Self>(), (self.0.name,))
    }
}

/// Returns all GPUs for which conversions can be planned.
///
/// Example:
///
///     >>> [target.name for target in ll.targets()][:3]
///     ['cuda:70', 'cuda:72', 'cuda:75']
///     >>> {target.vendor for target in ll.targets()} == {"nvidia", "amd"}
///     True
#[pyfunction]
pub(crate) fn targets() -> Vec<PyTarget> {
    TARGETS.iter().map(PyTarget).collect()
}

/// A `Target` or its name.
pub(crate) struct TargetArgument(pub(crate) &'static Target);

impl<'a, 'py> FromPyObject<'a, 'py> for TargetArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(target) = value.cast::<PyTarget>() {
            return Ok(Self(target.get().0));
        }
        let name = value.cast::<PyString>().map_err(|_| {
            pyo3::exceptions::PyTypeError::new_err(format!(
                "expected a `Target` or the name of a GPU, such as \"cuda:90\", found {}",
                value.get_type()
            ))
        })?;
        Target::parse(name.to_str()?).map(Self).map_err(failed)
    }
}
