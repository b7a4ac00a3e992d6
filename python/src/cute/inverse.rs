//! Composition, complements and inverses.

use super::layout::CuteLayout;
use super::tuple::{LayoutArgument, Numbers, TilerArgument};
use crate::error::failed;
use linear_layout::cute::Tiler;
use pyo3::prelude::*;

#[pymethods]
impl CuteLayout {
    /// Returns the layout `c -> self(inner(c))`. If `inner` is a tuple, it is a tiler, and each mode is composed
    /// with its own part of the tuple.
    ///
    /// Raises `LayoutError` if there is no such layout. The message names the mode that does not fit.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(6,2):(8,2)").composition("(4,3):(3,1)")
    ///     Layout('((2,2),3):((24,2),8)')
    ///     >>> ll.cute.Layout("(8,6):(6,1)").composition((4, "2:3"))
    ///     Layout('(4,2):(6,3)')
    fn composition(&self, inner: TilerArgument) -> PyResult<Self> {
        match &inner.0 {
            Tiler::Layout(inner) => self.0.composition(inner),
            tiler => self.0.composition_by(tiler),
        }
        .map(Self)
        .map_err(failed)
    }

    /// Returns the complement of this layout in the range from 0 to `cotarget - 1`. The indices of the complement
    /// are offsets: copies of this layout that are shifted by these offsets do not overlap. `cotarget` is a number
    /// or a shape; by default, it is the cosize of this layout.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,2):(1,6)").complement(24)
    ///     Layout('(3,2):(2,12)')
    #[pyo3(signature = (cotarget=None))]
    fn complement(&self, cotarget: Option<Numbers>) -> PyResult<Self> {
        match cotarget {
            None => self.0.complement_in_cosize(),
            Some(Numbers(target)) if target.is_leaf() => self.0.complement(target.leaves()[0]),
            Some(Numbers(shape)) => self.0.complement_in(&shape),
        }
        .map(Self)
        .map_err(failed)
    }

    /// Returns the largest layout `inverse` with `self(inverse(i)) == i` for every `i` below the size of `inverse`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,16,4):(64,1,16)").right_inverse()
    ///     Layout('(64,8):(8,1)')
    fn right_inverse(&self) -> Self {
        Self(self.0.right_inverse())
    }

    /// Returns a layout `inverse` with `inverse(self(c)) == c` for every coordinate `c`.
    ///
    /// Raises `LayoutError` if two coordinates have the same index.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2):(2,1)").left_inverse()
    ///     Layout('(2,4):(4,1)')
    fn left_inverse(&self) -> PyResult<Self> {
        self.0.left_inverse().map(Self).map_err(failed)
    }

    /// Returns a layout whose indices are the numbers of certain coordinates of this layout. These coordinates are
    /// 0 in every mode that has a non-zero stride, so this layout maps all of them to 0. Coordinates are numbered
    /// in column-major order.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2):(1,0)").nullspace()
    ///     Layout('2:4')
    fn nullspace(&self) -> Self {
        Self(self.0.nullspace())
    }

    /// Returns the largest layout `common` with `self(common(i)) == other(common(i)) == i` for every `i` below the
    /// size of `common`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,4):(1,4)").max_common_layout("(4,4):(1,8)")
    ///     Layout('4:1')
    fn max_common_layout(&self, other: LayoutArgument) -> PyResult<Self> {
        let layout = self.0.max_common_layout(&other.0);
        layout.map(Self).map_err(failed)
    }

    /// Returns the number of elements in the longest vector that can be copied at once between the two layouts.
    /// This is the size of `max_common_layout`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,4):(1,4)").max_common_vector("(4,4):(1,8)")
    ///     4
    fn max_common_vector(&self, other: LayoutArgument) -> PyResult<i64> {
        self.0.max_common_vector(&other.0).map_err(failed)
    }
}
