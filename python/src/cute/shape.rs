//! Equivalent CuTe layouts with other shapes: coalescing, filtering, grouping, recasting.

use super::layout::CuteLayout;
use super::tuple::Numbers;
use crate::args::{Integer, Place};
use crate::error::failed;
use pyo3::prelude::*;

/// Returns the range of modes `begin..end` for use in a layout of rank `rank`. Bounds that are too large are
/// reduced, so that the range contains at most one mode that does not exist. The error message for the range then
/// names this mode.
fn range(begin: &Place, end: &Place, rank: usize) -> core::ops::Range<usize> {
    begin.0.min(rank)..end.0.min(rank + 1)
}

#[pymethods]
impl CuteLayout {
    /// Returns the same function with as few modes as possible.
    ///
    /// If `profile` is given, each of its entries selects the mode at the same position of this layout. Only the
    /// selected modes are coalesced, each on its own.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,(1,6)):(1,(6,2))").coalesce()
    ///     Layout('12:1')
    ///     >>> ll.cute.Layout("(2,(1,6)):(1,(6,2))").coalesce((1, 1))
    ///     Layout('(2,6):(1,2)')
    #[pyo3(signature = (profile=None))]
    fn coalesce(&self, profile: Option<Numbers>) -> PyResult<Self> {
        match profile {
            None => Ok(Self(self.0.coalesce())),
            Some(profile) => self.0.coalesce_by(&profile.0).map(Self).map_err(failed),
        }
    }

    /// Returns the layout without its modes of stride 0. The remaining modes are coalesced. If `profile` is given,
    /// the modes at the positions of its entries are filtered separately.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,4,3):(0,1,4)").filter()
    ///     Layout('12:1')
    #[pyo3(signature = (profile=None))]
    fn filter(&self, profile: Option<Numbers>) -> PyResult<Self> {
        match profile {
            None => Ok(Self(self.0.filter())),
            Some(profile) => self.0.filter_by(&profile.0).map(Self).map_err(failed),
        }
    }

    /// Returns the layout in which each mode of stride 0 has size 1.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(2,4):(0,1)").filter_zeros()
    ///     Layout('(1,4):(0,1)')
    fn filter_zeros(&self) -> Self {
        Self(self.0.filter_zeros())
    }

    /// Returns the layout without nesting of modes.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").flatten()
    ///     Layout('(4,2,3):(6,3,1)')
    fn flatten(&self) -> Self {
        Self(self.0.flatten())
    }

    /// Returns the layout of modes `begin` to `end - 1`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2,3):(6,3,1)").take(1, 3)
    ///     Layout('(2,3):(3,1)')
    fn take(&self, begin: Place, end: Place) -> PyResult<Self> {
        let modes = range(&begin, &end, self.0.rank());
        self.0.take(modes).map(Self).map_err(failed)
    }

    /// Returns the layout with modes `begin` to `end - 1` grouped into one mode.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,2,3):(6,3,1)").group(0, 2)
    ///     Layout('((4,2),3):((6,3),1)')
    fn group(&self, begin: Place, end: Place) -> PyResult<Self> {
        let modes = range(&begin, &end, self.0.rank());
        self.0.group(modes).map(Self).map_err(failed)
    }

    /// Returns the layout with modes `1:0` appended until its rank is `rank`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("4:2").append(3)
    ///     Layout('(4,1,1):(2,0,0)')
    fn append(&self, rank: Place) -> PyResult<Self> {
        self.0.append(rank.0).map(Self).map_err(failed)
    }

    /// Returns the layout with modes `1:0` prepended until its rank is `rank`.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("4:2").prepend(2)
    ///     Layout('(1,4):(0,2)')
    fn prepend(&self, rank: Place) -> PyResult<Self> {
        self.0.prepend(rank.0).map(Self).map_err(failed)
    }

    /// Returns the layout of the same data, viewed as elements that are `factor` times as wide.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,4):(1,8)").upcast(2)
    ///     Layout('(4,4):(1,4)')
    fn upcast(&self, factor: Integer) -> PyResult<Self> {
        self.0.upcast(factor.0).map(Self).map_err(failed)
    }

    /// Returns the layout of the same data, viewed as elements that are `1 / factor` times as wide.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(4,4):(1,4)").downcast(2)
    ///     Layout('(8,4):(1,8)')
    fn downcast(&self, factor: Integer) -> PyResult<Self> {
        self.0.downcast(factor.0).map(Self).map_err(failed)
    }

    /// Returns the layout of the same data, viewed as elements of `new_bits` bits instead of `old_bits` bits.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,4):(1,8)").recast(16, 32)
    ///     Layout('(4,4):(1,4)')
    fn recast(&self, old_bits: Integer, new_bits: Integer) -> PyResult<Self> {
        let layout = self.0.recast(old_bits.0, new_bits.0);
        layout.map(Self).map_err(failed)
    }

    /// Returns the largest vector length `n`, in elements, to which the layout is aligned: for each multiple `m` of
    /// `n`, the image of the layout contains either all indices from `m` to `m + n - 1` or none of them.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(8,4):(1,12)").max_alignment()
    ///     4
    fn max_alignment(&self) -> i64 {
        self.0.max_alignment()
    }

    /// Returns the compact layout that has the same shape and whose strides have the same order. Modes of stride 0
    /// keep stride 0.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("(5,16,3):(96,6,2)").compact_like()
    ///     Layout('(5,16,3):(48,3,1)')
    fn compact_like(&self) -> PyResult<Self> {
        self.0.compact_like().map(Self).map_err(failed)
    }

    /// Returns the compact layout of the same shape for the registers of a thread. Mode 0 varies fastest, and the
    /// other modes follow in the order of their strides.
    ///
    /// Example:
    ///
    ///     >>> ll.cute.Layout("((2,2),4):((1,16),2)").fragment_like()
    ///     Layout('((2,2),4):((1,2),4)')
    fn fragment_like(&self) -> PyResult<Self> {
        self.0.fragment_like().map(Self).map_err(failed)
    }
}
