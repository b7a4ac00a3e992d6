//! Composition, inversion and slicing of swizzled layouts.

use super::composed::ComposedLayout;
use super::composition::MAX_COMPARED;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::mode::Mode;
use super::swizzle::Swizzle;
use super::tuple::{Coord, Leaves};

impl Swizzle {
    /// Returns the swizzle that XORs the bits of mask `source` into the bits of mask `target`.
    ///
    /// ```
    /// use linear_layout_cute::Swizzle;
    /// assert_eq!(Swizzle::from_masks(0b11000000, 0b110)?.to_string(), "Sw<2,1,5>");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if the bits of a mask are not contiguous, or if the masks intersect or have different numbers
    /// of bits.
    pub fn from_masks(source: i64, target: i64) -> Result<Self, CuteError> {
        if source == 0 && target == 0 {
            return Self::new(0, 0, 0);
        }
        let bits = source.count_ones();
        let is_run =
            |mask: i64| mask > 0 && ((mask >> mask.trailing_zeros()) + 1).count_ones() == 1;
        if bits != target.count_ones() || !is_run(source) || !is_run(target) {
            return Err(ErrorKind::SwizzleMasks {
                read: source,
                changed: target,
            }
            .into());
        }
        let (from, to) = (source.trailing_zeros(), target.trailing_zeros());
        let shift = i64::from(from) - i64::from(to);
        Self::new(i64::from(bits), i64::from(from.min(to)), shift)
    }

    /// Returns the swizzle that applies `inner` and then `self`.
    ///
    /// ```
    /// use linear_layout_cute::Swizzle;
    /// let both = Swizzle::new(1, 0, 3)?.composition(Swizzle::new(1, 1, 3)?)?;
    /// assert_eq!(both.to_string(), "Sw<2,0,3>");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Errors
    /// Returns an error if no single swizzle is equivalent: the shifts differ, the combined bits are not contiguous, or
    /// `self` reads bits that `inner` changes.
    pub fn composition(self, inner: Self) -> Result<Self, CuteError> {
        if self.shift() != inner.shift() {
            let (outer, inner) = (self.to_string(), inner.to_string());
            return Err(ErrorKind::ShiftsDiffer { outer, inner }.into());
        }
        if !self.is_identity() && self.source_mask() & inner.target_mask() != 0 {
            let (outer, inner) = (self.to_string(), inner.to_string());
            return Err(ErrorKind::SwizzlesChain { outer, inner }.into());
        }
        let source = self.source_mask() ^ inner.source_mask();
        let target = self.target_mask() ^ inner.target_mask();
        Self::from_masks(source, target)
    }
}

impl Layout {
    /// Moves a swizzle from coordinates to indices: returns a layout `Sw o 0 o self` that equals `self o inner`.
    ///
    /// For a transposition, a swizzle of columns becomes a swizzle of rows:
    /// ```
    /// use linear_layout_cute::{Layout, Swizzle};
    /// let layout: Layout = "(8,8):(8,1)".parse()?;
    /// let swizzled = layout.after_swizzle(Swizzle::new(3, 0, 3)?)?;
    /// assert_eq!(swizzled.to_string(), "Sw<3,0,-3> o 0 o (8,8):(8,1)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `swizzled.at(i) == self.at(inner.apply(i))` for i in 0..size.
    ///
    /// # Errors
    /// Returns an error with a mismatched element if no swizzle has this effect. Layouts of more than 65536
    /// elements are compared only at the coordinates with a single set bit. This comparison requires that all
    /// shapes are powers of two, that no stride is negative, that no two coordinate bits contribute to the same
    /// index bit, and that the swizzle uses only coordinate bits.
    pub fn after_swizzle(&self, inner: Swizzle) -> Result<ComposedLayout, CuteError> {
        if inner.is_identity() {
            return Ok(self.clone().into());
        }
        let (source, target) = (inner.source_mask(), inner.target_mask());
        let outer = Swizzle::from_masks(self.at(source)?, self.at(target)?)?;
        let found = self.swizzled_like(inner, outer);
        // Coordinates have no bits above the size: a swizzle that reads only such bits is the identity.
        if found.is_err() && source.trailing_zeros() >= 64 - (self.size() - 1).leading_zeros() {
            return Ok(self.clone().into());
        }
        found
    }

    /// Returns the layout `outer o 0 o self`. Returns an error if the layout differs from `self o inner`.
    fn swizzled_like(&self, inner: Swizzle, outer: Swizzle) -> Result<ComposedLayout, CuteError> {
        let found = ComposedLayout::new(outer, 0, self.clone());
        let compare = |i: i64| -> Result<(), CuteError> {
            let expected = self.at(inner.apply(i))?;
            match found.at(i)? {
                found if found == expected => Ok(()),
                found => Err(ErrorKind::NotSwizzled {
                    at: i,
                    expected,
                    found,
                }
                .into()),
            }
        };
        let size = self.size();
        let reaches_out = (inner.source_mask() | inner.target_mask()) >= size;
        if size <= MAX_COMPARED {
            (0..size).try_for_each(compare)?;
        } else if self.is_linear_over_bits() && !reaches_out {
            (0..size.trailing_zeros()).try_for_each(|bit| compare(1 << bit))?;
        } else {
            let limit = MAX_COMPARED;
            return Err(ErrorKind::NotDecided { size, limit }.into());
        }
        Ok(found)
    }

    /// Returns true if the contributions of the coordinate bits to the index can be XORed instead of added. This
    /// requires that all shapes are powers of two, that no stride is negative, and that no two coordinate bits
    /// contribute to the same bit of the index.
    fn is_linear_over_bits(&self) -> bool {
        let mut seen = 0_i64;
        self.leaves().iter().all(|mode| {
            mode.shape.count_ones() == 1
                && mode.stride >= 0
                && (0..mode.shape.trailing_zeros()).all(|bit| {
                    let step = mode.stride << bit;
                    let is_new = seen & step == 0;
                    seen |= step;
                    is_new
                })
        })
    }
}

/// A slice of a swizzled layout: the layout of the modes for which the coordinate has `_`, and an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedSlice {
    /// The layout of the modes for which the coordinate has `_`.
    pub layout: ComposedLayout,
    /// The offset, which is added to the index after the swizzle.
    pub offset: i64,
}

impl ComposedLayout {
    /// Returns true if the layout has neither a swizzle nor an offset.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.swizzle.is_identity() && self.offset == 0
    }

    /// Returns the longest layout that maps the indices 0, 1, 2, ... to their coordinates; see
    /// [`Layout::right_inverse`].
    ///
    /// ```
    /// use linear_layout_cute::ComposedLayout;
    /// let layout: ComposedLayout = "Sw<3,0,3> o 0 o (8,8):(8,1)".parse()?;
    /// assert_eq!(layout.right_inverse()?.to_string(), "Sw<3,0,-3> o 0 o (8,8):(8,1)");
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `self.at(inverse.at(i)) == i` for i in 0..size(inverse).
    /// # Errors
    /// Returns an error in the same cases as [`Layout::after_swizzle`], and if `self` has an offset.
    pub fn right_inverse(&self) -> Result<Self, CuteError> {
        self.without_offset()?;
        let found = self.layout.right_inverse().after_swizzle(self.swizzle)?;
        let size = found.layout.size().min(MAX_COMPARED);
        for i in 0..size {
            let index = self.at(found.at(i)?)?;
            if index != i {
                return Err(ErrorKind::NotSwizzled {
                    at: i,
                    expected: i,
                    found: index,
                }
                .into());
            }
        }
        Ok(found)
    }

    /// Returns a layout that maps each swizzled index back to its coordinate; see [`Layout::left_inverse`].
    /// # Errors
    /// Returns an error in the same cases as [`Layout::left_inverse`] and [`Layout::after_swizzle`], and if `self` has
    /// an offset.
    pub fn left_inverse(&self) -> Result<Self, CuteError> {
        self.without_offset()?;
        self.layout.left_inverse()?.after_swizzle(self.swizzle)
    }

    fn without_offset(&self) -> Result<(), CuteError> {
        match self.offset {
            0 => Ok(()),
            offset => Err(ErrorKind::OffsetNotZero { offset }.into()),
        }
    }

    /// Returns the slice of the layout at a coordinate. It consists of the layout of the modes for which the
    /// coordinate has `_`, and an offset.
    ///
    /// If possible, the strides of the slice have the effect of the swizzle, and the layout of the slice has no
    /// swizzle. This requires that the modes with `_` do not change both a bit that the swizzle reads and the bit
    /// into which this bit is XORed. In the example, the modes with `_` change only bits that the swizzle changes:
    /// ```
    /// use linear_layout_cute::ComposedLayout;
    /// let layout: ComposedLayout = "Sw<2,0,2> o 0 o (4,4):(1,4)".parse()?;
    /// let slice = layout.slice(&"(_,2)".parse()?)?;
    /// assert_eq!((slice.layout.layout.to_string().as_str(), slice.offset), ("((2,2)):((1,-2))", 10));
    /// assert!(slice.layout.is_plain());
    /// # Ok::<(), linear_layout_cute::CuteError>(())
    /// ```
    /// # Laws
    /// `slice.offset + slice.layout.at(k)` is the index of the coordinate in which the number k replaces `_`.
    /// # Errors
    /// Returns an error in the same cases as [`Layout::slice`].
    pub fn slice(&self, coordinate: &Coord) -> Result<ComposedSlice, CuteError> {
        let kept = self.layout.slice(coordinate)?;
        let start = self
            .offset
            .checked_add(kept.offset)
            .ok_or(ErrorKind::Overflow)?;
        let swizzle = self.swizzle;
        // Always correct: keeps the swizzle, and adds the whole offset before it.
        let whole = ComposedSlice {
            layout: Self::new(swizzle, start, kept.layout.clone()),
            offset: 0,
        };
        if coordinate.leaves().iter().all(Option::is_none) {
            return Ok(whole);
        }
        if swizzle.is_identity() {
            let layout = kept.layout.into();
            let offset = start;
            return Ok(ComposedSlice { layout, offset });
        }
        let mask = swizzle.source_mask() | swizzle.target_mask();
        // The index is split into the bits of the swizzle and the remaining bits, which are added after the swizzle.
        let (inside, outside) = (start & mask, start & !mask);
        let active = kept.layout.at(kept.layout.size() - 1)? & mask;
        let found = if active & !swizzle.apply(active) != 0 {
            Some(ComposedSlice {
                layout: Self::new(swizzle, inside, kept.layout.clone()),
                offset: outside,
            })
        } else {
            let strides = swizzle_strides(swizzle, inside)?;
            let layout = strides.composition(&kept.layout).ok();
            layout.map(|layout| ComposedSlice {
                layout: layout.into(),
                offset: swizzle.apply(inside).saturating_add(outside),
            })
        };
        match found {
            Some(found) if found.is_slice(&whole)? => Ok(found),
            _ => Ok(whole),
        }
    }
}

impl ComposedSlice {
    /// Returns true if the slices `self` and `whole` have the same index at each coordinate. If they have more than
    /// [`MAX_COMPARED`] elements, returns false without a comparison.
    fn is_slice(&self, whole: &Self) -> Result<bool, CuteError> {
        let size = whole.layout.layout.size();
        if size > MAX_COMPARED {
            return Ok(false);
        }
        for i in 0..size {
            if self.layout.at(i)?.checked_add(self.offset) != Some(whole.layout.at(i)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the layout that replaces `swizzle` within a slice. It maps the part of the index that varies within the
/// slice to the change that this part causes in the swizzled index. `inside` is the constant part of the index.
/// Each bit that the swizzle reads or changes has its own mode, and `inside` determines the stride of the mode.
fn swizzle_strides(swizzle: Swizzle, inside: i64) -> Result<Layout, CuteError> {
    let (bits, base) = (swizzle.bits(), swizzle.base());
    let distance = swizzle.shift().unsigned_abs();
    let source = 1_i64 << swizzle.source_mask().trailing_zeros();
    let target = 1_i64 << swizzle.target_mask().trailing_zeros();
    // A changed bit has a negative step if its read bit is set. A read bit also flips its changed bit.
    let changed = |bit: u32| match inside & (source << bit) {
        0 => target << bit,
        _ => -(target << bit),
    };
    let read = |bit: u32| match inside & (target << bit) {
        0 => (source + target) << bit,
        _ => (source - target) * (1 << bit),
    };
    let is_up = swizzle.shift() > 0;
    let mut modes = Leaves::new();
    modes.push(Mode::new(1 << base, 1));
    for bit in 0..bits {
        modes.push(Mode::new(2, if is_up { changed(bit) } else { read(bit) }));
    }
    modes.push(Mode::new(1 << (distance - bits), 1 << (base + bits)));
    for bit in 0..bits {
        modes.push(Mode::new(2, if is_up { read(bit) } else { changed(bit) }));
    }
    modes.push(Mode::new(1, 1 << (base + bits + distance)));
    Layout::checked(Layout::of_modes(modes).into_tuple())
}
