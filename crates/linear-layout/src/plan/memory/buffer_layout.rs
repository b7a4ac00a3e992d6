//! Buffer layouts: the position of each element, and the padding of the buffer.

use super::error::{MOST_BYTES, MemoryError, MemoryErrorKind};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::gf2::apply;

/// A padding rule of a buffer. After every `1 << interval_log2` bytes of data, there is a gap of
/// `1 << padding_log2` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Padding {
    /// log2 of the number of bytes from the end of a gap to the start of the next gap.
    pub interval_log2: u32,
    /// log2 of the size of a gap in bytes.
    pub padding_log2: u32,
}

/// The layout of a buffer in shared memory: the position of each element, and the gaps between elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferLayout {
    layout: LinearLayout,
    paddings: Vec<Padding>,
    pub(super) bytes_log2: u32,
}

impl BufferLayout {
    /// Returns the layout of a buffer. `layout` maps the input dims of a shared-memory encoding (`offset`, and
    /// possibly `block` and `partition`) to the dims of the tensor. Each entry of `interval_paddings` is a pair
    /// (interval, padding), whose numbers count elements. `bits` is the width of an element in bits.
    ///
    /// Each partition is contiguous, and consecutive partitions are adjacent.
    ///
    /// # Errors
    /// Returns an error if an element does not fill 1, 2, 4 or 8 bytes, if the buffer is distributed over several
    /// CTAs, or if the buffer exceeds 32-bit addresses.
    pub fn new(
        layout: LinearLayout,
        interval_paddings: &[(u32, u32)],
        bits: u32,
    ) -> Result<Self, MemoryError> {
        if !matches!(bits, 8 | 16 | 32 | 64) {
            return Err(MemoryError::from(MemoryErrorKind::Width { bits }));
        }
        if layout.in_bits(Dim::BLOCK) != 0 {
            return Err(MemoryError::from(MemoryErrorKind::SeveralBlocks {
                blocks: layout.in_size(Dim::BLOCK),
            }));
        }
        let bytes_log2 = (bits / 8).trailing_zeros();
        let paddings = interval_paddings
            .iter()
            .map(|(interval, padding)| Padding {
                interval_log2: interval.trailing_zeros() + bytes_log2,
                padding_log2: padding.trailing_zeros() + bytes_log2,
            })
            .collect();
        let elements = 1u128 << layout.total_in_bits();
        let buffer = Self {
            layout,
            paddings,
            bytes_log2,
        };
        if buffer.pitch_log2() > MOST_BYTES.ilog2() || buffer.size_bytes(1) > MOST_BYTES {
            return Err(MemoryError::from(MemoryErrorKind::TooLarge {
                elements,
                bits,
            }));
        }
        Ok(buffer)
    }

    /// Returns the linear layout that maps the location of an element in the buffer to the dims of the tensor. Its
    /// input dims are `offset`, and possibly `block` and `partition`.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    /// Returns the padding rules.
    #[must_use]
    pub fn paddings(&self) -> &[Padding] {
        &self.paddings
    }

    /// Returns log2 of the number of bytes of one buffer without padding. In an array of buffers, this is log2 of
    /// the distance between the positions at which consecutive buffers start.
    #[must_use]
    pub fn pitch_log2(&self) -> u32 {
        let bits = self.layout.in_bits(Dim::OFFSET) + self.layout.in_bits(Dim::PARTITION);
        narrow::<u32>(bits) + self.bytes_log2
    }

    /// Returns the number of bytes of one element.
    #[must_use]
    pub const fn element_bytes(&self) -> u64 {
        1 << self.bytes_log2
    }

    /// Returns the number of bytes, including padding, of `count` consecutive buffers with this layout.
    #[must_use]
    pub fn size_bytes(&self, count: u64) -> u64 {
        let element = 1 << self.bytes_log2;
        let bytes = count.saturating_mul(1 << self.pitch_log2());
        bytes
            .checked_sub(element)
            .map_or(0, |last| self.padded(last).saturating_add(element))
    }

    /// Returns the address of `position`, which is the position plus the sizes of all gaps before it.
    #[must_use]
    pub fn padded(&self, position: u64) -> u64 {
        padded(&self.paddings, position)
    }

    /// Returns the layout that maps the input dims of `points` to the input dims of the buffer's layout (see
    /// [`Self::layout`]). `points` maps its input dims, e.g. (register, lane, warp), to the dims of the tensor.
    pub(super) fn positions(&self, points: &LinearLayout) -> Result<LinearLayout, MemoryError> {
        points
            .invert_and_compose(&self.layout)
            .map_err(MemoryError::from)
    }

    /// Returns the value that is XORed into a position in bytes if bit `bit` of the input dim `dim` is set.
    /// `positions` is a layout that [`Self::positions`] returned.
    pub(super) fn column(&self, positions: &LinearLayout, dim: Dim, bit: usize) -> u64 {
        let part = |out| {
            if positions.has_out_dim(out) {
                positions.basis_component(dim, bit, out)
            } else {
                0
            }
        };
        let above = self.layout.in_bits(Dim::OFFSET);
        (part(Dim::OFFSET) | part(Dim::PARTITION) << above) << self.bytes_log2
    }

    /// Returns the position in bytes of the element at `coords`.
    ///
    /// # Errors
    /// Returns an error if the number of coordinates is not the number of dims, if a coordinate is not below the
    /// size of its dim, or if the layout does not reach every element.
    pub fn position(&self, coords: &[u64]) -> Result<u64, MemoryError> {
        let whole = self.layout.pseudoinvert().map_err(MemoryError::from)?;
        let point: Vec<(Dim, u64)> = self.layout.out_dims().zip(coords.iter().copied()).collect();
        whole.pack_in(&point).map_err(MemoryError::from)?;
        let dims = self.steps()?.into_iter().zip(coords);
        Ok(dims.fold(0, |position, (steps, value)| {
            position ^ apply(&steps, *value)
        }))
    }

    /// Returns lists `steps`, in which `steps[d][i]` is XORed into the position of an element, in bytes, if bit `i`
    /// of its coordinate `d` is set.
    ///
    /// # Errors
    /// Returns an error if the layout does not reach every element.
    pub(crate) fn steps(&self) -> Result<Vec<Vec<u64>>, MemoryError> {
        let whole = self.layout.pseudoinvert().map_err(MemoryError::from)?;
        let column = |dim| {
            let bits = 0..whole.in_bits(dim);
            bits.map(|bit| self.column(&whole, dim, bit)).collect()
        };
        Ok(self.layout.out_dims().map(column).collect())
    }

    /// Returns the mask of the bits that may be set in the position at which a view with shape `shape` starts.
    ///
    /// # Errors
    /// Returns an error if the layout does not reach every element.
    pub fn view_mask(&self, shape: &[u64]) -> Result<u64, MemoryError> {
        Ok(self.masks(shape)?.1)
    }

    /// Returns the number of bytes of a view with shape `shape`, or `None` if such a view is not contiguous at some
    /// start position. The elements of a contiguous view are at constant offsets from the start of the view.
    ///
    /// # Errors
    /// Returns an error if the layout does not reach every element.
    pub fn contiguous_bytes(&self, shape: &[u64]) -> Result<Option<u64>, MemoryError> {
        let (within, starts) = self.masks(shape)?;
        let bytes = (within | ((1 << self.bytes_log2) - 1)) + 1;
        Ok((bytes.is_power_of_two() && within & starts == 0).then_some(bytes))
    }

    /// Returns two masks of position bits for views with shape `shape`. The first contains the bits that differ
    /// between the elements of a view. The second contains the bits that may be set in the start position of a
    /// view.
    fn masks(&self, shape: &[u64]) -> Result<(u64, u64), MemoryError> {
        let whole = self.layout.pseudoinvert().map_err(MemoryError::from)?;
        let mut masks = (0, 0);
        for (dim, size) in self.layout.out_dims().zip(shape) {
            for bit in 0..whole.in_bits(dim) {
                let column = self.column(&whole, dim, bit);
                let is_within = bit < size.trailing_zeros() as usize;
                *(if is_within {
                    &mut masks.0
                } else {
                    &mut masks.1
                }) |= column;
            }
        }
        Ok(masks)
    }
}

/// Returns the address of `position`, which is the position plus the sizes of all gaps before it. `gaps` contains
/// the padding rules of the buffer.
pub(crate) fn padded(gaps: &[Padding], position: u64) -> u64 {
    gaps.iter().fold(position, |address, gap| {
        address.saturating_add(position >> gap.interval_log2 << gap.padding_log2)
    })
}
