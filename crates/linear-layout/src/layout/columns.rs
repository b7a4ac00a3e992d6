//! The columns of a layout, kept inline while there are few.

use core::ops::{Deref, DerefMut};

use crate::f2::apply_columns;

/// How many columns are kept inline: every layout with up to 2^24 inputs.
///
/// Layouts are moved about a lot, and moving them is most of what the cheap operations cost. Larger
/// layouts are rare enough to pay for an allocation.
const INLINE: usize = 24;

/// The image of each input bit; reads as a slice, at least as long as there are input bits, that is
/// zero from there on.
#[derive(Clone)]
pub(super) struct Columns(Store);

#[derive(Clone)]
enum Store {
    Inline([u64; INLINE]),
    Boxed(Box<[u64; 64]>),
}

impl Columns {
    pub(super) const EMPTY: Self = Self(Store::Inline([0; INLINE]));

    /// Room for this many columns, all zero.
    #[inline]
    pub(super) fn zero(bits: usize) -> Self {
        let mut columns = Self::EMPTY;
        columns.reserve(bits);
        columns
    }

    /// Makes room for this many columns, at most 64; the new ones are zero.
    #[inline]
    pub(super) fn reserve(&mut self, bits: usize) {
        if bits > INLINE {
            self.move_out();
        }
    }

    /// The XOR of the columns that `x` selects; bits beyond the last column select nothing.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "higher bits of `x` select no inline column"
    )]
    pub(super) fn apply(&self, x: u64) -> u64 {
        match &self.0 {
            // Eight columns at a time without a branch: a loop over the set bits of `x` would
            // mispredict its end for each new `x`. Inline columns are fewer than 32.
            Store::Inline(columns) => {
                let x = x as u32;
                let mut y = selected(columns, x, 0);
                if x >> 8 != 0 {
                    y ^= selected(columns, x, 8);
                    if x >> 16 != 0 {
                        y ^= selected(columns, x, 16);
                    }
                }
                y
            }
            Store::Boxed(columns) => apply_columns(&columns[..], x),
        }
    }

    /// Tells whether the first `bits` columns are the same; both have room for them.
    #[inline]
    pub(super) fn same(&self, other: &Self, bits: usize) -> bool {
        if let (Store::Inline(a), Store::Inline(b)) = (&self.0, &other.0) {
            // Columns beyond the last one are zero on both sides, so whole blocks can be compared.
            let difference = |range: core::ops::Range<usize>| {
                range.fold(0, |difference, i| difference | a[i] ^ b[i])
            };
            return difference(0..16) == 0 && (bits <= 16 || difference(16..INLINE) == 0);
        }
        self.same_slices(other, bits)
    }

    #[cold]
    fn same_slices(&self, other: &Self, bits: usize) -> bool {
        self[..bits] == other[..bits]
    }

    #[cold]
    fn move_out(&mut self) {
        if let Store::Inline(inline) = &self.0 {
            let mut boxed = Box::new([0; 64]);
            boxed[..INLINE].copy_from_slice(inline);
            self.0 = Store::Boxed(boxed);
        }
    }
}

/// The XOR of those of the eight columns from `first` on that `x` selects.
#[inline]
fn selected(columns: &[u64; INLINE], x: u32, first: usize) -> u64 {
    (first..first + 8).fold(0, |y, i| y ^ if x >> i & 1 == 1 { columns[i] } else { 0 })
}

impl Deref for Columns {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match &self.0 {
            Store::Inline(inline) => inline,
            Store::Boxed(boxed) => &boxed[..],
        }
    }
}

impl DerefMut for Columns {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match &mut self.0 {
            Store::Inline(inline) => inline,
            Store::Boxed(boxed) => &mut boxed[..],
        }
    }
}
