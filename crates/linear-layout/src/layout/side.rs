//! One side of a layout: its dims in order and the log2 of their sizes.

use super::{Coords, Dim, LayoutError, Role};
use crate::f2::{low_mask, shl, shr};
use crate::number::narrow;

/// Maximum number of in-dims, and also of out-dims, of a layout.
///
/// This number also limits a sort to `2^MAX_DIMS` elements, because the layout of a sorting network has one dim for
/// each bit of an element's index.
pub const MAX_DIMS: usize = 16;
/// Maximum log2 of the size of one dim. It ensures that every size fits in a `u64`.
const MAX_DIM_BITS: usize = 63;

/// The in-dims or the out-dims of a layout, packed into six words.
///
/// Unused bits are zero, so equal sides have equal words.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LayoutSide {
    /// The ids of the dims, with 16 bits each. The first dim is in the low bits of the first word.
    ids: [u64; MAX_DIMS / 4],
    sizes: Sizes,
}

/// The sizes of the dims of a layout side, with one byte for each dim. The first dim is in the low byte of the
/// first word. A byte consists of log2 of the size and the flag [`PRESENT`].
///
/// The log2 values add up to at most 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Sizes([u64; 2]);

/// Flag that is set in each byte that represents a dim. The size alone cannot show this, because log2 of the size
/// is 0 for a dim of size 1.
const PRESENT: u64 = 0x80;
const SIZES: u64 = 0x3f * ONES;

/// Multiplying a word by `ONES` computes the prefix sums of its bytes.
const ONES: u64 = 0x0101_0101_0101_0101;

#[inline]
const fn used_bytes(word: u64) -> usize {
    (71 - word.leading_zeros() as usize) / 8
}

/// Returns the sum of all log2 sizes stored in `word`. The sum is at most 64, so no byte overflows.
#[inline]
const fn sum(word: u64) -> usize {
    ((word & SIZES).wrapping_mul(ONES) >> 56) as usize
}

/// Returns a word of exclusive prefix sums. Its byte `i` is the sum of the log2 sizes that are stored in bytes
/// `0..i` of `word`.
#[inline]
const fn sums_below(word: u64) -> u64 {
    ((word & SIZES) << 8).wrapping_mul(ONES)
}

impl Sizes {
    #[inline]
    const fn word(self, i: usize) -> u64 {
        self.0[i >> 3 & 1]
    }

    #[inline]
    pub(super) const fn len(self) -> usize {
        // Nearly all sides have at most eight dims.
        if self.0[1] == 0 {
            used_bytes(self.0[0])
        } else {
            8 + used_bytes(self.0[1])
        }
    }

    #[inline]
    const fn log2(self, i: usize) -> usize {
        (self.word(i) >> (8 * (i & 7)) & 0x3f) as usize
    }

    #[inline]
    const fn offset(self, i: usize) -> usize {
        let below = if i & 8 == 0 { 0 } else { sum(self.0[0]) };
        below + (sums_below(self.word(i)) >> (8 * (i & 7)) & 0xff) as usize
    }

    #[inline]
    const fn bits(self) -> usize {
        sum(self.0[0]) + if self.0[1] == 0 { 0 } else { sum(self.0[1]) }
    }

    #[inline]
    const fn add(&mut self, i: usize, value: u64) -> u64 {
        let (word, at) = (&mut self.0[i >> 3 & 1], 8 * (i & 7));
        *word += value << at;
        *word >> at & 0xff
    }

    #[inline]
    pub(super) const fn extract(self, i: usize, packed: u64) -> u64 {
        shr(packed, self.offset(i)) & low_mask(self.log2(i))
    }
}

impl LayoutSide {
    pub(super) const EMPTY: Self = Self {
        ids: [0; MAX_DIMS / 4],
        sizes: Sizes([0; 2]),
    };

    /// Appends a new dim without checking the limits.
    #[inline]
    const fn put(&mut self, dim: Dim, log2: usize) {
        let at = self.len();
        self.ids[at / 4 % self.ids.len()] |= (dim.id() as u64) << (16 * (at & 3));
        self.sizes.add(at, log2 as u64 | PRESENT);
    }

    #[inline]
    pub(super) fn one(role: Role, dim: Dim, log2: usize) -> Result<Self, LayoutError> {
        if log2 > MAX_DIM_BITS {
            return Err(LayoutError::dim_too_large(role, dim, log2));
        }
        let mut side = Self::EMPTY;
        side.put(dim, log2);
        Ok(side)
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.sizes.len()
    }

    #[inline]
    pub(super) const fn bits(&self) -> usize {
        self.sizes.bits()
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lowest of four ids in a word"
    )]
    const fn id(&self, i: usize) -> u16 {
        (self.ids[i / 4 % (MAX_DIMS / 4)] >> (16 * (i & 3))) as u16
    }

    #[inline]
    pub(super) const fn dim(&self, i: usize) -> Dim {
        Dim::from_id(self.id(i))
    }

    #[inline]
    pub(super) const fn log2(&self, i: usize) -> usize {
        self.sizes.log2(i)
    }

    #[inline]
    pub(super) const fn size(&self, i: usize) -> u64 {
        1 << self.log2(i)
    }

    #[inline]
    pub(super) const fn offset(&self, i: usize) -> usize {
        self.sizes.offset(i)
    }

    #[inline]
    pub(super) fn position(&self, dim: Dim) -> Option<usize> {
        (0..self.len()).find(|i| self.id(*i) == dim.id())
    }

    /// Returns the position and the number of the bits that `dim` has in a packed word, as `(offset, bits)`.
    /// Returns `None` if there is no such dim.
    #[inline]
    pub(super) fn range(&self, dim: Dim) -> Option<(usize, usize)> {
        self.position(dim).map(|i| (self.offset(i), self.log2(i)))
    }

    pub(super) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = Dim> + ExactSizeIterator + Clone + '_ {
        (0..self.len()).map(|i| self.dim(i))
    }

    /// Appends a new dim. Returns an error if the side already has `dim`, or a limit is exceeded.
    #[inline]
    pub(super) fn push(&mut self, role: Role, dim: Dim, log2: usize) -> Result<(), LayoutError> {
        if self.len() == MAX_DIMS {
            return Err(LayoutError::too_many_dims(role, MAX_DIMS));
        }
        if self.position(dim).is_some() {
            return Err(LayoutError::duplicate_dim(role, dim));
        }
        check_bits(role, dim, log2, self.bits() + log2)?;
        self.put(dim, log2);
        Ok(())
    }

    #[inline]
    pub(super) fn push_size(&mut self, role: Role, dim: Dim, size: u64) -> Result<(), LayoutError> {
        self.push(role, dim, log2_of(role, dim, size)?)
    }

    /// Enlarges `dim` by `log2` high bits. If the side does not have `dim`, the dim is appended first.
    ///
    /// Returns the new side, and the offset that the lowest new bit has in a packed word.
    #[inline]
    pub(super) fn extend(
        &self,
        role: Role,
        dim: Dim,
        log2: usize,
    ) -> Result<(Self, usize), LayoutError> {
        let mut side = *self;
        let (at, old) = match self.position(dim) {
            Some(i) => (i, self.log2(i)),
            None => {
                let at = self.len();
                if at == MAX_DIMS {
                    return Err(LayoutError::too_many_dims(role, MAX_DIMS));
                }
                side.put(dim, 0);
                (at, 0)
            }
        };
        check_bits(role, dim, old + log2, self.bits() + log2)?;
        side.sizes.add(at, log2 as u64);
        Ok((side, self.offset(at) + old))
    }

    pub(super) fn set_log2(
        &mut self,
        role: Role,
        i: usize,
        log2: usize,
    ) -> Result<(), LayoutError> {
        check_bits(role, self.dim(i), log2, self.bits() - self.log2(i) + log2)?;
        let (word, at) = (&mut self.sizes.0[i >> 3 & 1], 8 * (i & 7));
        *word = *word & !(0x3f << at) | (log2 as u64) << at;
        Ok(())
    }

    pub(super) fn rename(&mut self, role: Role, i: usize, to: Dim) -> Result<(), LayoutError> {
        match self.position(to) {
            Some(j) if j != i => Err(LayoutError::duplicate_dim(role, to)),
            _ => {
                let (word, at) = (&mut self.ids[i / 4 % (MAX_DIMS / 4)], 16 * (i & 3));
                *word = *word & !(0xffff << at) | u64::from(to.id()) << at;
                Ok(())
            }
        }
    }

    /// Returns 0 if two conditions hold, and a nonzero word otherwise. All dims must have the same sizes on both
    /// sides, and the first four dims must have the same names.
    #[inline]
    pub(super) const fn difference_in_four(&self, other: &Self) -> u64 {
        let (a, b) = (self.sizes.0, other.sizes.0);
        a[0] ^ b[0] | a[1] ^ b[1] | self.ids[0] ^ other.ids[0]
    }

    /// Returns 0 if the side has at most four dims, and a nonzero word if it has more.
    #[inline]
    pub(super) const fn beyond_four(&self) -> u64 {
        self.sizes.0[0] >> 32 | self.sizes.0[1]
    }

    #[inline]
    pub(super) fn extract(&self, i: usize, packed: u64) -> u64 {
        self.sizes.extract(i, packed)
    }

    /// Packs `point` into one word, if it lists all dims in their order and there are at most four dims.
    ///
    /// Returns `None` for any other point, and if a value is not below the size of its dim.
    #[inline]
    pub(super) fn pack_in_order(&self, point: &[(Dim, u64)]) -> Option<u64> {
        // Nearly all sides have at most four dims. Four names fit one word.
        if point.len() != self.len() || point.len() > 4 {
            return None;
        }
        let (mut packed, mut ids, mut wrong) = (0, 0, 0);
        // The last dim's size in the low bits of the top byte.
        let mut log2 = (self.sizes.0[0] & SIZES).rotate_right(8 * narrow::<u32>(point.len()));
        for &(dim, value) in point.iter().rev() {
            let bits = log2 >> 56;
            log2 <<= 8;
            wrong |= value >> bits;
            packed = packed << bits | value;
            ids = ids << 16 | u64::from(dim.id());
        }
        (wrong == 0 && ids == self.ids[0]).then_some(packed)
    }

    #[inline]
    pub(super) const fn unpack(&self, packed: u64) -> Coords {
        Coords::new(packed, self.sizes)
    }

    #[inline]
    pub(super) fn mask(&self, i: usize) -> u64 {
        shl(low_mask(self.log2(i)), self.offset(i))
    }

    /// Returns true if both sides have the same dims in the same order. Sizes are ignored.
    #[inline]
    pub(super) fn same_names(&self, other: &Self) -> bool {
        self.len() == other.len() && self.ids == other.ids
    }

    /// Returns true if `self` begins with the dims of `other`, in the same order. `self` may have further dims
    /// after them. Sizes are ignored.
    #[inline]
    pub(super) fn starts_with(&self, other: &Self) -> bool {
        let mut bits = 16 * other.len();
        self.ids.iter().zip(&other.ids).all(|(a, b)| {
            let mask = low_mask(bits.min(64));
            bits = bits.saturating_sub(64);
            (a ^ b) & mask == 0
        })
    }

    /// Returns true if every dim of `self` has the same index in `other`, and begins at the same bit of a packed
    /// word.
    #[inline]
    pub(super) fn is_prefix_of(&self, other: &Self) -> bool {
        let offsets = sums_below(self.sizes.0[0]) ^ sums_below(other.sizes.0[0]);
        other.starts_with(self)
            && offsets & low_mask((8 * self.len()).min(64)) == 0
            && (8..self.len()).all(|i| self.offset(i) == other.offset(i))
    }

    /// Returns an error if one of the sides has a dim that the other does not have. Order and sizes are ignored.
    pub(super) fn check_same_dims(&self, role: Role, other: &Self) -> Result<(), LayoutError> {
        if self.same_names(other) {
            return Ok(());
        }
        for dim in other.iter() {
            if self.position(dim).is_none() {
                return Err(LayoutError::no_such_dim(role, dim));
            }
        }
        for dim in self.iter() {
            if other.position(dim).is_none() {
                return Err(LayoutError::dim_missing(role, dim));
            }
        }
        Ok(())
    }

    /// Returns the union of the dims of `self` and `other`, and the index that each dim of `other` has in the
    /// union.
    ///
    /// The number of bits of a common dim is the sum of its bits on both sides. If the orders of the two sides
    /// contradict each other, let `a` be the next dim of `self`, and `b` the next dim of `other`. `b` comes first
    /// if its index in `self` is smaller than the index of `a` in `other`. Otherwise, `a` comes first.
    #[inline]
    pub(super) fn merge(
        &self,
        other: &Self,
        role: Role,
    ) -> Result<(Self, [u8; MAX_DIMS]), LayoutError> {
        // The fast path: `other` has dims of `self` in the same order, then new dims.
        let mut merged = *self;
        let mut positions = [0; MAX_DIMS];
        let mut next = 0;
        let mut large = 0;
        for (i, to) in positions.iter_mut().enumerate().take(other.len()) {
            let at = match self.position(other.dim(i)) {
                Some(i) if i >= next => {
                    next = i + 1;
                    i
                }
                Some(_) => return self.merge_general(other, role),
                None => {
                    let at = merged.len();
                    if at == MAX_DIMS {
                        return Err(LayoutError::too_many_dims(role, MAX_DIMS));
                    }
                    merged.put(other.dim(i), 0);
                    next = MAX_DIMS;
                    at
                }
            };
            // No byte overflows into the next: 63 + 63 is below 128.
            large |= merged.sizes.add(at, other.log2(i) as u64);
            *to = narrow(at);
        }
        if large & 0x40 != 0 || self.bits() + other.bits() > 64 {
            return self.merge_general(other, role);
        }
        Ok((merged, positions))
    }

    #[cold]
    fn merge_general(
        &self,
        other: &Self,
        role: Role,
    ) -> Result<(Self, [u8; MAX_DIMS]), LayoutError> {
        let merged = self.merge_orders(other, role)?;
        let mut positions = [0; MAX_DIMS];
        for (to, dim) in positions.iter_mut().zip(other.iter()) {
            *to = narrow(merged.position(dim).unwrap_or(0));
        }
        Ok((merged, positions))
    }

    fn merge_orders(&self, other: &Self, role: Role) -> Result<Self, LayoutError> {
        let mut merged = Self::EMPTY;
        let add = |merged: &mut Self, dim: Dim| {
            let bits = |s: &Self| s.position(dim).map_or(0, |i| s.log2(i));
            merged.push(role, dim, bits(self) + bits(other))
        };
        let (mut i, mut j) = (0, 0);
        loop {
            while i < self.len() && merged.position(self.dim(i)).is_some() {
                i += 1;
            }
            while j < other.len() && merged.position(other.dim(j)).is_some() {
                j += 1;
            }
            let ahead_in_other =
                (i < self.len()).then(|| other.position(self.dim(i)).filter(|p| *p >= j));
            let ahead_in_self =
                (j < other.len()).then(|| self.position(other.dim(j)).filter(|p| *p >= i));
            // A dim comes first if it is not ahead in the opposite side. If the two orders disagree, the smaller index
            // in the opposite side comes first, and `self` wins a tie.
            match (ahead_in_other, ahead_in_self) {
                (None, None) => return Ok(merged),
                (Some(None), _) => add(&mut merged, self.dim(i))?,
                (_, Some(None)) => add(&mut merged, other.dim(j))?,
                (Some(Some(p)), Some(Some(q))) if p > q => add(&mut merged, other.dim(j))?,
                (Some(Some(_)), _) => add(&mut merged, self.dim(i))?,
                (None, Some(Some(_))) => add(&mut merged, other.dim(j))?,
            }
        }
    }
}

#[inline]
fn check_bits(role: Role, dim: Dim, log2: usize, total: usize) -> Result<(), LayoutError> {
    if log2 > MAX_DIM_BITS {
        return Err(LayoutError::dim_too_large(role, dim, log2));
    }
    if total > 64 {
        return Err(LayoutError::too_many_bits(role, dim, total));
    }
    Ok(())
}

/// Returns log2 of `size`. Returns an error that names `dim` if `size` is not a power of two.
#[inline]
pub(super) fn log2_of(role: Role, dim: Dim, size: u64) -> Result<usize, LayoutError> {
    if size.is_power_of_two() {
        Ok(size.trailing_zeros() as usize)
    } else {
        Err(LayoutError::size_not_power_of_two(role, dim, size))
    }
}

/// A list of bit-field moves that converts a packed point of a source side to a packed point of a destination side.
/// The two sides may store the same dim at different bits.
#[derive(Clone, Copy)]
pub(super) struct FieldMoves {
    len: usize,
    fields: [Field; MAX_DIMS],
}

#[derive(Clone, Copy)]
struct Field {
    mask: u64,
    left: u8,
    right: u8,
}

impl FieldMoves {
    pub(super) const NONE: Self = Self {
        len: 0,
        fields: [Field {
            mask: 0,
            left: 0,
            right: 0,
        }; MAX_DIMS],
    };

    /// Adds a move of `bits` bits from bit `from` to bit `to`. The caller must add at most [`MAX_DIMS`] moves.
    #[inline]
    pub(super) fn add(&mut self, from: usize, bits: usize, to: usize) {
        if bits == 0 {
            return;
        }
        let mask = shl(low_mask(bits), from);
        let (left, right) = (
            narrow(to.saturating_sub(from)),
            narrow(from.saturating_sub(to)),
        );
        // Fields that move by the same distance move together; the identity is one mask.
        for field in &mut self.fields[..self.len] {
            if (field.left, field.right) == (left, right) {
                field.mask |= mask;
                return;
            }
        }
        self.fields[self.len & (MAX_DIMS - 1)] = Field { mask, left, right };
        self.len += 1;
    }

    /// Returns the moves that convert packed points of `from` to packed points of `to`. Dims that `to` does not
    /// have, and bits that do not fit, are dropped.
    #[inline]
    pub(super) fn between(from: &LayoutSide, to: &LayoutSide) -> Self {
        let mut moves = Self::NONE;
        for i in 0..from.len() {
            if let Some(j) = to.position(from.dim(i)) {
                moves.add(from.offset(i), from.log2(i).min(to.log2(j)), to.offset(j));
            }
        }
        moves
    }

    #[inline]
    pub(super) fn apply(&self, x: u64) -> u64 {
        let mut y = 0;
        for f in &self.fields[..self.len.min(MAX_DIMS)] {
            // Shifts are below 64: a field with at least one bit lies within a word before and after the move.
            y |= ((x & f.mask) << (f.left & 63)) >> (f.right & 63);
        }
        y
    }
}
