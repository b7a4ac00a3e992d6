//! Right and left inverses of layouts.

use super::coalesce::coalesced;
use super::composition::MAX_COMPARED;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::tuple::Leaves;

impl Layout {
    /// Returns the right inverse: the longest layout with `self.at(inverse.at(i)) == i`.
    ///
    /// For example, `(8,16,4):(64,1,16)` reaches each index in 0..512 once. A step of the mode `16:1` is 8
    /// coordinates, a step of the mode `4:16` is 128 coordinates. The inverse is therefore `(16,4,8):(8,128,1)`.
    /// Merging its first two modes gives `(64,8):(8,1)`.
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(8,16,4):(64,1,16)".parse()?;
    /// let inverse = layout.right_inverse();
    /// assert_eq!(inverse.to_string(), "(64,8):(8,1)");
    /// assert_eq!(layout.at(inverse.at(77)?)?, 77);
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `self.at(inverse.at(i)) == i` for i in 0..size(inverse). The size of the inverse is at least 1.
    #[must_use]
    pub fn right_inverse(&self) -> Self {
        let mut next = 1;
        let mut found = Leaves::new();
        for &Numbered { mode, before } in by_stride(&coalesced(self.leaves())).iter() {
            if mode.stride == next {
                found.push(Mode::new(mode.shape, before));
                next *= mode.shape;
            }
        }
        Self::of_modes(coalesced(&found))
    }

    /// Returns a left inverse: a layout that maps each index of `self` back to a coordinate with this index.
    ///
    /// `self.at(inverse.at(self.at(i))) == self.at(i)`. If `self` is injective, `inverse.at(self.at(i)) == i`.
    ///
    /// Outside the image of `self`, the values of the inverse have no meaning: `4:2` has the inverse `(2,4):(0,1)`.
    /// ```
    /// use linear_layout_cute::Layout;
    /// let layout: Layout = "(4,3):(2,16)".parse()?;
    /// let inverse = layout.left_inverse()?;
    /// assert_eq!(inverse.to_string(), "(2,8,3):(0,1,4)");
    /// assert_eq!(inverse.at(layout.at(7)?)?, 7);
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if
    /// - a stride is negative,
    /// - a stride is not a multiple of the next smaller stride,
    /// - modes overlap, and the computed layout is not a left inverse, or
    /// - modes overlap, and the layout has more than 65536 elements.
    pub fn left_inverse(&self) -> Result<Self, CuteError> {
        let sorted = by_stride(&coalesced(self.leaves()));
        let mut found = Leaves::new();
        // The preceding mode. Initially, this mode has stride 0 in the coordinate.
        let mut last = Numbered {
            mode: Mode::new(1, 1),
            before: 0,
        };
        let mut is_exact = true;
        for &next in sorted.iter() {
            let mode = next.mode;
            if mode.stride < 0 {
                return Err(ErrorKind::NegativeStride { mode }.into());
            }
            if mode.stride == 0 {
                continue;
            }
            if mode.stride % last.mode.stride != 0 {
                let of = last.mode.stride;
                return Err(ErrorKind::StrideNotMultiple { mode, of }.into());
            }
            let gap = mode.stride / last.mode.stride;
            is_exact &= last.mode.shape <= gap;
            found.push(Mode::new(gap, last.before));
            last = next;
        }
        if last.before == 0 {
            // All strides are 0. As in C++, the index 0 then maps to all coordinates.
            let shape = sorted.last().map_or(1, |numbered| numbered.mode.shape);
            last.mode.shape = shape;
        }
        found.push(Mode::new(last.mode.shape, last.before));
        let found = Self::checked(Self::of_modes(coalesced(&found)).into_tuple())?;
        if !is_exact {
            self.check_left_inverse(&found)?;
        }
        Ok(found)
    }

    #[cold]
    fn check_left_inverse(&self, inverse: &Self) -> Result<(), CuteError> {
        let size = self.size();
        if size > MAX_COMPARED {
            let limit = MAX_COMPARED;
            return Err(ErrorKind::NotDecided { size, limit }.into());
        }
        for i in 0..size {
            let index = self.at(i)?;
            if self.at(inverse.at(index)?)? != index {
                return Err(ErrorKind::OverlapAt { at: i, index }.into());
            }
        }
        // If `self` is injective, an equal index means an equal coordinate.
        Ok(())
    }
}

/// A mode, together with the product of the shapes of all modes that precede it (`before`).
#[derive(Clone, Copy, Default)]
struct Numbered {
    mode: Mode,
    before: i64,
}

fn by_stride(modes: &[Mode]) -> Leaves<Numbered> {
    let mut before = 1;
    let mut sorted: Leaves<Numbered> = Leaves::new();
    for &mode in modes {
        sorted.push(Numbered { mode, before });
        before *= mode.shape;
    }
    sorted.sort_by_key(|numbered| numbered.mode.stride);
    sorted
}
