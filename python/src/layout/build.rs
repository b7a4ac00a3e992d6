//! Construction of layouts from bases and identities, and from objects of Triton and Gluon.

use super::Layout;
use crate::args::{Name, Names, Natural, Places, Shape, Sizes, natural, pairs};
use crate::error::{Failure, failed};
use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyMapping};

/// The argument `bases`. It contains, for each in-dim, the images of the in-dim's bits, lowest bit first.
pub(crate) struct Bases(Vec<(Dim, Vec<Vec<u64>>)>);

impl<'a, 'py> FromPyObject<'a, 'py> for Bases {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let mut bases = Vec::new();
        for pair in pairs(&value)? {
            let (Name(dim), list) = pair?;
            let mut images = Vec::new();
            for (bit, basis) in list.try_iter()?.enumerate() {
                let what = format!("basis {bit} of `{dim}`");
                let basis = basis?;
                images.push(if basis.is_instance_of::<PyInt>() {
                    vec![natural(&basis, &what)?]
                } else {
                    let parts = basis.try_iter()?;
                    let parts = parts.map(|part| natural(&part?, &what));
                    parts.collect::<PyResult<Vec<u64>>>()?
                });
            }
            bases.push((dim, images));
        }
        Ok(Self(bases))
    }
}

/// The argument `out_dims`. It contains the names of the out-dims, and optionally their sizes.
pub(crate) enum Outs {
    Sized(Sizes),
    Named(Names),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Outs {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // A mapping also iterates over its keys.
        if value.cast::<PyMapping>().is_err()
            && let Ok(names) = value.extract()
        {
            return Ok(Self::Named(names));
        }
        value.extract().map(Self::Sized)
    }
}

impl Bases {
    fn layout(&self, outs: &Outs, is_surjective: bool) -> PyResult<LinearLayout> {
        let borrowed: Vec<(Dim, Vec<&[u64]>)> = self
            .0
            .iter()
            .map(|(dim, list)| (*dim, list.iter().map(Vec::as_slice).collect()))
            .collect();
        let borrowed: Vec<(Dim, &[&[u64]])> = borrowed
            .iter()
            .map(|(dim, list)| (*dim, list.as_slice()))
            .collect();
        let surjectivity = if is_surjective {
            Surjectivity::Required
        } else {
            Surjectivity::NotRequired
        };
        match outs {
            Outs::Sized(sizes) => LinearLayout::from_bases_sized(&borrowed, &sizes.0, surjectivity),
            Outs::Named(names) => {
                let sizes = names.0.iter().enumerate().map(|(i, dim)| {
                    let parts = self.0.iter().flat_map(|(_, list)| list);
                    let largest = parts.filter_map(|basis| basis.get(i)).max();
                    let size =
                        largest.map_or(Some(1), |v| v.checked_add(1)?.checked_next_power_of_two());
                    let too_large = || {
                        failed(format!(
                            "a basis vector is {} along `{dim}`, expected less than 2^63",
                            largest.copied().unwrap_or(0)
                        ))
                    };
                    Ok((*dim, size.ok_or_else(too_large)?))
                });
                let sizes = sizes.collect::<PyResult<Vec<_>>>()?;
                LinearLayout::from_bases_sized(&borrowed, &sizes, surjectivity)
            }
        }
        .map_err(failed)
    }
}

#[pymethods]
impl Layout {
    /// Returns the layout with the given basis vectors.
    ///
    /// `bases` maps each in-dim to its basis vectors, lowest bit first. A basis vector has one number per out-dim;
    /// if there is only one out-dim, a number may replace the vector. `out_dims` either maps each out-dim to its
    /// size, or lists the names of the out-dims. In the second case, each out-dim has the smallest size that fits.
    /// The order of dims is part of a layout.
    ///
    /// Raises `LayoutError` if a size is not a power of two, or if a basis vector does not fit. If `surjective` is
    /// true, the layout must also reach each element.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout.from_bases({"register": [[0, 1]], "lane": [[0, 2], [1, 0]]}, {"dim0": 2, "dim1": 4})
    ///     >>> layout.apply(register=1, lane=3)
    ///     (1, 3)
    ///     >>> ll.Layout.from_bases({"lane": [1, 2, 0]}, ["dim0"]).out_dims
    ///     {'dim0': 4}
    #[staticmethod]
    #[pyo3(signature = (bases, out_dims, surjective=true))]
    fn from_bases(bases: Bases, out_dims: Outs, surjective: bool) -> PyResult<Self> {
        Ok(bases.layout(&out_dims, surjective)?.into())
    }

    /// Returns the layout `i -> i` from `in_dim` to `out_dim`, both of size `size`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.identity_1d(4, "lane", "dim0").bases
    ///     {'lane': [[1], [2]]}
    #[staticmethod]
    fn identity_1d(size: Natural, in_dim: Name, out_dim: Name) -> PyResult<Self> {
        let layout = LinearLayout::identity_1d(size.0, in_dim.0, out_dim.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout `i -> i * stride` from `in_dim`, of size `size`, to `out_dim`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.strided_1d(4, 2, "lane", "dim0").apply(lane=3)
    ///     (6,)
    #[staticmethod]
    fn strided_1d(size: Natural, stride: Natural, in_dim: Name, out_dim: Name) -> PyResult<Self> {
        let layout = LinearLayout::strided_1d(size.0, stride.0, in_dim.0, out_dim.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout `i -> 0` (a broadcast) from `in_dim`, of size `size`, to `out_dim`, of size `out_size`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.zeros_1d(4, "warp", "dim0").bases
    ///     {'warp': [[0], [0]]}
    #[staticmethod]
    #[pyo3(signature = (size, in_dim, out_dim, out_size=Natural(1)), text_signature = "(size, in_dim, out_dim, out_size=1)")]
    fn zeros_1d(size: Natural, in_dim: Name, out_dim: Name, out_size: Natural) -> PyResult<Self> {
        let layout = LinearLayout::zeros_1d(size.0, in_dim.0, out_dim.0, out_size.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the layout that enumerates the elements of a tensor of shape `shape` along `in_dim`. Dim `order[0]`
    /// varies fastest.
    ///
    /// Example:
    ///
    ///     >>> row_major = ll.Layout.identity_nd("offset", [2, 4], [1, 0])
    ///     >>> row_major.apply(offset=5), list(row_major.out_dims)
    ///     ((1, 1), ['dim1', 'dim0'])
    #[staticmethod]
    fn identity_nd(in_dim: Name, shape: Shape, order: Places) -> PyResult<Self> {
        let layout = LinearLayout::identity_nd(in_dim.0, &shape.0, &order.0);
        Ok(layout.map_err(failed)?.into())
    }

    /// Returns the linear layout of a Gluon layout, such as `gl.BlockedLayout(...)`, on a tensor of shape `shape`.
    ///
    /// The class name and the attributes of the object are read; Triton is not imported. A layout that contains its
    /// own shape does not need `shape`. On a larger `shape`, such a layout is repeated.
    ///
    /// Raises `LayoutError` for an open layout (`AutoLayout`) or an invalid layout, and `TypeError` for other
    /// objects.
    ///
    /// Example:
    ///
    ///     >>> from dataclasses import dataclass
    ///     >>> @dataclass
    ///     ... class BlockedLayout:  # stands for triton.experimental.gluon.language.BlockedLayout
    ///     ...     size_per_thread: list
    ///     ...     threads_per_warp: list
    ///     ...     warps_per_cta: list
    ///     ...     order: list
    ///     >>> ll.Layout.from_gluon(BlockedLayout([1, 2], [8, 4], [2, 1], [1, 0]), [16, 8]).apply(lane=5, register=1)
    ///     (1, 3)
    #[staticmethod]
    #[pyo3(signature = (layout, shape=None))]
    fn from_gluon(layout: &Bound<'_, PyAny>, shape: Option<Shape>) -> PyResult<Self> {
        let module = layout.py().import("linear_layout._gluon")?;
        let read = module.call_method1("encoding", (layout,))?;
        let (text, own): (String, Option<Vec<u64>>) = read.extract()?;
        // Layouts with explicit bases contain their shape.
        let Some(shape) = shape.map(|shape| shape.0).or(own) else {
            return Err(Failure::new(
                "the tensor shape is missing; this Gluon layout requires a shape",
            )
            .note("add a shape, as in `ll.Layout.from_gluon(layout, [64, 16])`")
            .into());
        };
        let (linear, encoding) = crate::text::read(&text, Some(&shape), None, 32)?;
        Ok(Self { linear, encoding })
    }

    /// Converts a Triton `LinearLayout` (`triton._C.libtriton.linear_layout`) to a layout.
    ///
    /// The attributes `bases` and `out_dims` of the object are read as lists of pairs; Triton is not imported.
    ///
    /// Example:
    ///
    ///     >>> from types import SimpleNamespace
    ///     >>> theirs = SimpleNamespace(bases=[("lane", [[1], [2]])], out_dims=[("dim0", 4)])
    ///     >>> ll.Layout.from_triton(theirs) == ll.Layout.identity_1d(4, "lane", "dim0")
    ///     True
    #[staticmethod]
    fn from_triton(layout: &Bound<'_, PyAny>) -> PyResult<Self> {
        let missing = |_| {
            PyTypeError::new_err(format!(
                "expected a LinearLayout of Triton, which has `bases` and `out_dims`; found a `{}`",
                layout.get_type()
            ))
        };
        let bases: Bases = layout.getattr("bases").map_err(missing)?.extract()?;
        let outs: Sizes = layout.getattr("out_dims").map_err(missing)?.extract()?;
        Ok(bases.layout(&Outs::Sized(outs), false)?.into())
    }
}
