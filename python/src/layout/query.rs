//! Properties of layouts: bases, dims, sizes.

use super::Layout;
use super::picture::trimmed;
use crate::args::{Name, natural, sizes_to_python};
use crate::error::{Failure, failed};
use linear_layout::encoding::Encoding;
use linear_layout::layout::Dim;
use linear_layout::view::{Holders, InPoint};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

const MOST_HOLDERS: u64 = 1 << 20;

#[pymethods]
impl Layout {
    /// The basis vectors of each in-dim, lowest bit first.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(2, 4)", lanes=4).bases
    ///     {'register': [], 'lane': [[0, 1], [0, 2]], 'warp': [[1, 0]], 'block': []}
    #[getter]
    pub(super) fn bases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for dim in self.linear.in_dims() {
            let bits = 0..self.linear.in_bits(dim);
            let list: Vec<Vec<u64>> = bits
                .map(|bit| self.linear.basis(dim, bit).to_vec())
                .collect();
            dict.set_item(dim.name(), list)?;
        }
        Ok(dict)
    }

    /// The in-dims with their sizes, in order.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("local(1, 2).spatial(8, 4)").in_dims
    ///     {'register': 2, 'lane': 32, 'warp': 1, 'block': 1}
    #[getter]
    fn in_dims<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        sizes_to_python(py, self.linear.in_shape())
    }

    /// The out-dims with their sizes, in order.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("local(1, 2).spatial(8, 4)").out_dims
    ///     {'dim0': 8, 'dim1': 8}
    #[getter]
    pub(super) fn out_dims<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        sizes_to_python(py, self.linear.out_shape())
    }

    /// The shape of the tensor: the sizes of the out-dims, in order.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("local(1, 2).spatial(8, 4)").shape
    ///     (8, 8)
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.sizes())
    }

    /// The padding of a padded shared-memory layout, as pairs `(interval, padding)`. After every `interval`
    /// elements, there are `padding` unused elements.
    ///
    /// Offsets in the layout do not count padding.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 128]}>", [8, 128]).paddings
    ///     [(32, 4)]
    #[getter]
    fn paddings(&self) -> Vec<(u32, u32)> {
        match &self.encoding {
            Some(Encoding::PaddedShared(padded)) => padded.interval_paddings().to_vec(),
            _ => Vec::new(),
        }
    }

    /// The rank of the layout's matrix over GF(2). It is log2 of the number of elements that the layout reaches.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"lane": [1, 2, 0]}, ["dim0"]).rank
    ///     2
    #[getter]
    fn rank(&self) -> usize {
        self.linear.rank()
    }

    /// Returns true if each element is held at one place or more.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"lane": [2]}, {"dim0": 4}, surjective=False).is_surjective()
    ///     False
    fn is_surjective(&self) -> bool {
        self.linear.is_surjective()
    }

    /// Returns true if no element is held at two places.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"lane": [1, 0]}, ["dim0"]).is_injective()
    ///     False
    fn is_injective(&self) -> bool {
        self.linear.is_injective()
    }

    /// Returns true if each element is held at exactly one place.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(8, 4)").is_invertible()
    ///     True
    fn is_invertible(&self) -> bool {
        self.linear.is_invertible()
    }

    /// Returns the mask of the free bits of each in-dim. A bit is free if its basis vector is an XOR of earlier
    /// basis vectors. Each element that the layout reaches has exactly one place with all free bits 0.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"lane": [1, 0, 2]}, ["dim0"]).free_variable_masks()
    ///     {'lane': 2}
    fn free_variable_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        sizes_to_python(py, self.linear.free_variable_masks().iter())
    }

    /// Returns the largest `2^k` for which the low `k` bits of the first out-dim are a copy of the low `k` bits of
    /// the first in-dim. No other input bit may affect these output bits.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"register": [1, 2, 8, 4]}, ["offset"]).num_consecutive_in_out()
    ///     4
    fn num_consecutive_in_out(&self) -> u64 {
        self.linear.num_consecutive_in_out()
    }

    /// Returns the largest power of two `n` such that all indices from 0 to `n - 1` along `dim` are reached. Index
    /// `i` counts as reached if some place holds the element whose index is `i` along `dim` and 0 along all other
    /// dims.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout.from_bases({"lane": [1, 2, 8]}, {"dim0": 16}, surjective=False)
    ///     >>> layout.contiguous_elems_along("dim0")
    ///     4
    fn contiguous_elems_along(&self, dim: Name) -> PyResult<u64> {
        if !self.linear.has_out_dim(dim.0) {
            return Err(self.no_such_dim(dim.0, "out-dim", self.linear.out_dims()));
        }
        Ok(self.linear.contiguous_elems_along(dim.0))
    }

    /// Returns the places that hold an element. Each place is a dict from in-dims to indices.
    ///
    /// Raises `LayoutError` if the index is outside the tensor.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout.from_bases({"register": [1], "lane": [2, 0]}, ["dim0"]).holders(3)
    ///     [{'register': 1, 'lane': 1}, {'register': 1, 'lane': 3}]
    #[pyo3(signature = (*index))]
    fn holders<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyTuple>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let shape: Vec<(Dim, u64)> = self.linear.out_shape().collect();
        if index.len() != shape.len() {
            return Err(failed(format!(
                "number of indices is {}, expected {}, one per dim of the tensor",
                index.len(),
                shape.len()
            )));
        }
        let (mut packed, mut shift) = (0_u64, 0);
        for (value, (dim, size)) in index.iter().zip(shape) {
            let value = natural(&value, &format!("the index along `{dim}`"))?;
            if value >= size {
                return Err(failed(format!(
                    "the index along `{dim}` is {value}, expected less than {size}"
                )));
            }
            // Beyond 64 bits all sizes are 1.
            packed |= value.checked_shl(shift).unwrap_or(0);
            shift += size.trailing_zeros();
        }
        let holders = Holders::new(&self.linear);
        if holders.copies().is_none_or(|copies| copies > MOST_HOLDERS) {
            return Err(failed(format!(
                "the element is held at more than {MOST_HOLDERS} places, the limit of `holders`"
            )));
        }
        let places = holders.of(packed);
        places
            .map(|input| sizes_to_python(py, InPoint::new(&self.linear, input).indices()))
            .collect()
    }

    /// Returns a description in words: the size of the layout, its replicas, and the effect of each basis.
    ///
    /// Example:
    ///
    ///     >>> print(ll.Layout.from_bases({"lane": [[0, 1], [1, 0]]}, ["dim0", "dim1"]).explain())
    ///     a tensor of 2x2 in 4 lanes
    ///     each element is held once
    ///     2 neighbours along dim1 lie side by side in lanes
    ///     <BLANKLINE>
    ///     lane: what its 2 bits do
    ///       lane 1: goes on by 1 along dim1
    ///       lane 2: goes on by 1 along dim0
    fn explain(&self) -> String {
        trimmed(linear_layout::view::words(&self.linear))
    }
}

impl Layout {
    /// Returns the error for an unknown dim. `what` states the kind of the dim in the message: `in-dim` or
    /// `out-dim`.
    pub(super) fn no_such_dim(
        &self,
        dim: Dim,
        what: &str,
        known: impl Iterator<Item = Dim>,
    ) -> PyErr {
        let known: Vec<&str> = known.map(Dim::name).collect();
        Failure::new(format!(
            "the layout has no {what} `{dim}`; expected one of {}",
            known.join(", ")
        ))
        .into()
    }
}
