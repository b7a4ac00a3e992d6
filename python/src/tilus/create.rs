//! Primitive register layouts of Tilus.

use super::RegisterLayout;
use crate::args::{Natural, Places, Shape};
use crate::error::failed;
use linear_layout::tilus;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Extracts the extents from the positional arguments of a call. Accepts both `f(8, 4)` and `f([8, 4])`.
pub(super) fn extents(shape: &Bound<'_, PyTuple>) -> PyResult<Vec<u64>> {
    let shape: Shape = if shape.len() == 1 {
        shape.get_item(0)?.extract()?
    } else {
        shape.extract()?
    };
    Ok(shape.0)
}

/// Returns the layout in which each thread holds one element. Threads are numbered in row-major order.
///
/// If `ranks` is given, it determines the order in which threads are numbered. The dim with rank 0 varies slowest,
/// and the dim with the largest rank varies fastest; `ranks[i]` is the rank of dim `i`.
///
/// Example:
///
///     >>> ll.tilus.spatial(2, 3).threads_of(1, 0)
///     [3]
///     >>> ll.tilus.spatial(2, 3, ranks=[1, 0]) == ll.tilus.column_spatial(2, 3)
///     True
#[pyfunction]
#[pyo3(signature = (*shape, ranks=None))]
pub(crate) fn spatial(
    shape: &Bound<'_, PyTuple>,
    ranks: Option<Places>,
) -> PyResult<RegisterLayout> {
    let shape = extents(shape)?;
    match ranks {
        Some(ranks) => tilus::spatial_ranked(&shape, &ranks.0),
        None => tilus::spatial(&shape),
    }
    .map(RegisterLayout)
    .map_err(failed)
}

/// Returns the layout in which thread 0 holds all elements. The elements are numbered in row-major order.
///
/// If `ranks` is given, the elements are numbered in another order: `ranks[i]` is the position of dim `i` in the
/// list of dims from the slowest to the fastest.
///
/// Example:
///
///     >>> ll.tilus.local(2, 3).local_of(1, 0)
///     3
#[pyfunction]
#[pyo3(signature = (*shape, ranks=None))]
pub(crate) fn local(shape: &Bound<'_, PyTuple>, ranks: Option<Places>) -> PyResult<RegisterLayout> {
    let shape = extents(shape)?;
    match ranks {
        Some(ranks) => tilus::local_ranked(&shape, &ranks.0),
        None => tilus::local(&shape),
    }
    .map(RegisterLayout)
    .map_err(failed)
}

/// Returns the layout in which each thread holds one element. Threads are numbered in column-major order.
///
/// Example:
///
///     >>> ll.tilus.column_spatial(2, 3).threads_of(1, 0)
///     [1]
#[pyfunction]
#[pyo3(signature = (*shape))]
pub(crate) fn column_spatial(shape: &Bound<'_, PyTuple>) -> PyResult<RegisterLayout> {
    let layout = tilus::column_spatial(&extents(shape)?);
    layout.map(RegisterLayout).map_err(failed)
}

/// Returns the layout in which thread 0 holds all elements. The elements are numbered in column-major order.
///
/// Example:
///
///     >>> ll.tilus.column_local(2, 3).local_of(1, 0)
///     1
#[pyfunction]
#[pyo3(signature = (*shape))]
pub(crate) fn column_local(shape: &Bound<'_, PyTuple>) -> PyResult<RegisterLayout> {
    let layout = tilus::column_local(&extents(shape)?);
    layout.map(RegisterLayout).map_err(failed)
}

/// Returns the layout in which each of `threads` threads holds all elements. The elements are numbered in row-major
/// order.
///
/// Example:
///
///     >>> ll.tilus.replicated(2, threads=3).threads_of(1)
///     [0, 1, 2]
#[pyfunction]
#[pyo3(signature = (*shape, threads))]
pub(crate) fn replicated(shape: &Bound<'_, PyTuple>, threads: Natural) -> PyResult<RegisterLayout> {
    let layout = tilus::replicated(&extents(shape)?, threads.0);
    layout.map(RegisterLayout).map_err(failed)
}

/// Returns a layout `local(...).spatial(...)` of the given shape for `threads` threads. Threads are distributed
/// along the last dim first, then along the dim before it, and so on. Adjacent elements along these dims are
/// therefore in different threads.
///
/// Example:
///
///     >>> ll.tilus.auto_local_spatial(2, 32, threads=16) == ll.tilus.local(2, 2).spatial(1, 16)
///     True
#[pyfunction]
#[pyo3(signature = (*shape, threads))]
pub(crate) fn auto_local_spatial(
    shape: &Bound<'_, PyTuple>,
    threads: Natural,
) -> PyResult<RegisterLayout> {
    let layout = tilus::auto_local_spatial(threads.0, &extents(shape)?);
    layout.map(RegisterLayout).map_err(failed)
}
