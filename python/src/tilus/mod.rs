//! Tilus layouts.

mod create;
mod register;
mod register_ops;
mod shared;

pub(crate) use create::{
    auto_local_spatial, column_local, column_spatial, local, replicated, spatial,
};
pub(crate) use register::RegisterLayout;
pub(crate) use shared::SharedLayout;

use crate::error::failed;
use crate::layout::numpy::numbers_to_array;
use pyo3::prelude::*;

const MOST_LISTED: u64 = 1 << crate::args::MOST_BITS;

/// Returns an int64 array with the shape `shape`, in which `values(index)` provides the number at each index. If
/// `width` is given, `values` returns `width` numbers for each index, and the array has an additional last axis of
/// length `width`.
fn table<'py>(
    py: Python<'py>,
    shape: &[u64],
    width: Option<u64>,
    mut values: impl FnMut(&[u64]) -> PyResult<Vec<u64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let sizes = shape.iter().copied().chain(width);
    let count = sizes.clone().fold(1, u64::saturating_mul);
    if count > MOST_LISTED {
        return Err(failed(format!(
            "the array would have {count} numbers, expected at most {MOST_LISTED}"
        )));
    }
    let mut index = vec![0; shape.len()];
    let mut found = Vec::new().into_iter();
    let numbers = core::iter::from_fn(|| {
        if found.len() == 0 {
            match values(&index) {
                Ok(values) => found = values.into_iter(),
                Err(error) => return Some(Err(error)),
            }
            for (i, size) in index.iter_mut().zip(shape).rev() {
                *i += 1;
                if *i < *size {
                    break;
                }
                *i = 0;
            }
        }
        found
            .next()
            .map(|value| i64::try_from(value).map_err(failed))
    });
    numbers_to_array(py, &sizes.collect::<Vec<_>>(), numbers)
}
