//! One side of a layout: its dims in order and the log2 of their sizes.

use super::{Dim, LayoutError, Role};
use crate::f2::{low_mask, shl, shr};

/// The most dims that a layout has on one side.
pub const MAX_DIMS: usize = 8;
/// The most bits of one dim, so that every size fits a `u64`.
const MAX_DIM_BITS: usize = 63;

/// Dims and sizes of one side. Unused places are zero, so comparing all of it compares the side.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Side {
    ids: [u16; MAX_DIMS],
    log2: [u8; MAX_DIMS],
    len: u8,
    bits: u8,
}

impl Side {
    pub(super) const EMPTY: Self = Self {
        ids: [0; MAX_DIMS],
        log2: [0; MAX_DIMS],
        len: 0,
        bits: 0,
    };

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// All bits of the side together, at most 64.
    #[inline]
    pub(super) const fn bits(&self) -> usize {
        self.bits as usize
    }

    #[inline]
    pub(super) fn dim(&self, i: usize) -> Dim {
        Dim::from_id(self.ids[i])
    }

    #[inline]
    pub(super) fn log2(&self, i: usize) -> usize {
        usize::from(self.log2[i])
    }

    #[inline]
    pub(super) fn size(&self, i: usize) -> u64 {
        1 << self.log2[i]
    }

    /// Bits below the `i`-th dim.
    #[inline]
    pub(super) fn offset(&self, i: usize) -> usize {
        // Byte-wise prefix sums by one multiplication; no byte overflows, since the total is <= 64.
        let sums = u64::from_le_bytes(self.log2).wrapping_mul(0x0101_0101_0101_0101);
        if i == 0 {
            0
        } else {
            (sums >> (8 * (i - 1)) & 0xff) as usize
        }
    }

    #[inline]
    pub(super) fn position(&self, dim: Dim) -> Option<usize> {
        let id = dim.id();
        (0..self.len()).find(|&i| self.ids[i & (MAX_DIMS - 1)] == id)
    }

    /// Where the dim begins and how many bits it has.
    #[inline]
    pub(super) fn range(&self, dim: Dim) -> Option<(usize, usize)> {
        self.position(dim).map(|i| (self.offset(i), self.log2(i)))
    }

    pub(super) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = Dim> + ExactSizeIterator + Clone + '_ {
        self.ids[..self.len()].iter().map(|id| Dim::from_id(*id))
    }

    /// Appends a dim; every check on names and sizes is made here.
    #[inline]
    pub(super) fn push(&mut self, role: Role, dim: Dim, log2: usize) -> Result<(), LayoutError> {
        let at = self.len();
        if at == MAX_DIMS {
            return Err(LayoutError::too_many_dims(role, MAX_DIMS));
        }
        if self.position(dim).is_some() {
            return Err(LayoutError::duplicate_dim(role, dim));
        }
        self.check_bits(role, dim, log2, self.bits() + log2)?;
        self.ids[at] = dim.id();
        self.log2[at] = log2 as u8;
        self.len += 1;
        self.bits += log2 as u8;
        Ok(())
    }

    #[inline]
    fn check_bits(
        &self,
        role: Role,
        dim: Dim,
        log2: usize,
        total: usize,
    ) -> Result<(), LayoutError> {
        if log2 > MAX_DIM_BITS {
            return Err(LayoutError::dim_too_large(role, dim, log2));
        }
        if total > 64 {
            return Err(LayoutError::too_many_bits(role, dim, total));
        }
        Ok(())
    }

    /// Appends a dim whose size is given.
    #[inline]
    pub(super) fn push_size(&mut self, role: Role, dim: Dim, size: u64) -> Result<(), LayoutError> {
        self.push(role, dim, log2_of(role, dim, size)?)
    }

    /// Changes the size of the `i`-th dim.
    pub(super) fn set_log2(
        &mut self,
        role: Role,
        i: usize,
        log2: usize,
    ) -> Result<(), LayoutError> {
        let total = self.bits() - self.log2(i) + log2;
        self.check_bits(role, self.dim(i), log2, total)?;
        self.log2[i] = log2 as u8;
        self.bits = total as u8;
        Ok(())
    }

    /// Renames the `i`-th dim.
    pub(super) fn rename(&mut self, role: Role, i: usize, to: Dim) -> Result<(), LayoutError> {
        match self.position(to) {
            Some(j) if j != i => Err(LayoutError::duplicate_dim(role, to)),
            _ => {
                self.ids[i] = to.id();
                Ok(())
            }
        }
    }

    /// Takes the `i`-th dim's value out of a packed word.
    #[inline]
    pub(super) fn extract(&self, i: usize, packed: u64) -> u64 {
        shr(packed, self.offset(i)) & low_mask(self.log2(i))
    }

    /// The bits of the `i`-th dim in a packed word.
    #[inline]
    pub(super) fn mask(&self, i: usize) -> u64 {
        shl(low_mask(self.log2(i)), self.offset(i))
    }

    /// Tells whether both have the same dims in the same order, whatever their sizes.
    #[inline]
    pub(super) fn same_names(&self, other: &Self) -> bool {
        self.len == other.len && self.ids == other.ids
    }

    /// Tells whether both have the same dims, in any order.
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

    /// The union of two sides that respects both orders, the first one's where they disagree; each
    /// dim has the bits of both.
    pub(super) fn merge(&self, other: &Self, role: Role) -> Result<Self, LayoutError> {
        let mut merged = Self::EMPTY;
        if self.same_names(other) {
            for i in 0..self.len() {
                merged.push(role, self.dim(i), self.log2(i) + other.log2(i))?;
            }
            return Ok(merged);
        }
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
            // A dim that the other list does not wait for comes first; if each list waits for the
            // other's dim, the orders disagree and the shorter wait wins, the first list on a tie.
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

/// Returns log2 of a size that must be a power of two.
#[inline]
pub(super) fn log2_of(role: Role, dim: Dim, size: u64) -> Result<usize, LayoutError> {
    if size.is_power_of_two() {
        Ok(size.trailing_zeros() as usize)
    } else {
        Err(LayoutError::size_not_power_of_two(role, dim, size))
    }
}

/// How bit fields move from one packing of a side to another.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    len: usize,
    fields: [Field; MAX_DIMS],
}

#[derive(Clone, Copy)]
struct Field {
    /// Bits of the old packing that this field takes.
    mask: u64,
    left: u8,
    right: u8,
}

impl Moves {
    pub(super) const NONE: Self = Self {
        len: 0,
        fields: [Field {
            mask: 0,
            left: 0,
            right: 0,
        }; MAX_DIMS],
    };

    /// Moves `bits` bits from bit `from` to bit `to`. At most [`MAX_DIMS`] fields are ever added.
    #[inline]
    pub(super) fn add(&mut self, from: usize, bits: usize, to: usize) {
        if bits == 0 {
            return;
        }
        let mask = shl(low_mask(bits), from);
        let (left, right) = (to.saturating_sub(from) as u8, from.saturating_sub(to) as u8);
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

    /// The move of every dim of `from` to the place of the same dim in `to`; dims that `to` lacks
    /// are dropped, as are bits that it has no room for.
    #[inline]
    pub(super) fn between(from: &Side, to: &Side) -> Self {
        let mut moves = Self::NONE;
        for i in 0..from.len() {
            if let Some(j) = to.position(from.dim(i)) {
                moves.add(from.offset(i), from.log2(i).min(to.log2(j)), to.offset(j));
            }
        }
        moves
    }

    /// Tells whether nothing moves and nothing outside `low_mask(bits)` needs to be kept.
    #[inline]
    pub(super) fn is_identity(&self, bits: usize) -> bool {
        match self.len {
            0 => bits == 0,
            1 => {
                let f = self.fields[0];
                (f.left, f.right) == (0, 0) && f.mask == low_mask(bits)
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn apply(&self, x: u64) -> u64 {
        let mut y = 0;
        for f in &self.fields[..self.len.min(MAX_DIMS)] {
            // Shifts are below 64: a field of at least one bit lies inside 64 bits on both ends.
            y |= ((x & f.mask) << (f.left & 63)) >> (f.right & 63);
        }
        y
    }
}
