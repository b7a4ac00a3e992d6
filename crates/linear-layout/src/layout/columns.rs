//! Storage for the columns of a layout: inline up to 24 columns, else on the heap.

use core::ops::{Deref, DerefMut};

use crate::f2::apply_columns;

/// Maximum number of columns that are stored inline.
///
/// A small inline buffer makes copies of a layout cheap. Layouts with more than 24 input bits are rare.
const INLINE: usize = 24;

/// A buffer with capacity for 24 or 64 columns. It holds the image of each input bit. The unused columns are zero.
#[derive(Clone)]
pub(super) struct ColumnBuffer(Storage);

#[derive(Clone)]
enum Storage {
    Inline([u64; INLINE]),
    Boxed(Box<[u64; 64]>),
}

impl ColumnBuffer {
    pub(super) const EMPTY: Self = Self(Storage::Inline([0; INLINE]));

    #[inline]
    pub(super) fn zero(bits: usize) -> Self {
        let mut columns = Self::EMPTY;
        columns.reserve(bits);
        columns
    }

    /// Grows the storage to a capacity of at least `bits` columns. `bits` is at most 64. Added columns are zero.
    #[inline]
    pub(super) fn reserve(&mut self, bits: usize) {
        if bits > INLINE {
            self.spill();
        }
    }

    /// Returns the XOR of the columns `i` for which bit `i` of `x` is set. Bits of `x` that select no column are
    /// ignored.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "higher bits of `x` select no inline column"
    )]
    pub(super) fn apply(&self, x: u64) -> u64 {
        match &self.0 {
            // Eight columns at a time without a branch: a loop over the set bits of `x` would mispredict its end for
            // each new `x`.
            Storage::Inline(columns) => {
                let x = x as u32;
                let mut y = xor_selected(columns, x, 0);
                if x >> 8 != 0 {
                    y ^= xor_selected(columns, x, 8);
                    if x >> 16 != 0 {
                        y ^= xor_selected(columns, x, 16);
                    }
                }
                y
            }
            Storage::Boxed(columns) => apply_columns(&columns[..], x),
        }
    }

    /// Returns true if the first `bits` columns are equal in both buffers. Both buffers must have capacity for
    /// `bits` columns, and all columns after these must be zero.
    #[inline]
    pub(super) fn same(&self, other: &Self, bits: usize) -> bool {
        if let (Storage::Inline(a), Storage::Inline(b)) = (&self.0, &other.0) {
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
    fn spill(&mut self) {
        if let Storage::Inline(inline) = &self.0 {
            let mut boxed = Box::new([0; 64]);
            boxed[..INLINE].copy_from_slice(inline);
            self.0 = Storage::Boxed(boxed);
        }
    }
}

/// Returns the XOR of the columns `i` in `first..first + 8` for which bit `i` of `x` is set.
#[inline]
fn xor_selected(columns: &[u64; INLINE], x: u32, first: usize) -> u64 {
    (first..first + 8).fold(0, |y, i| y ^ if x >> i & 1 == 1 { columns[i] } else { 0 })
}

impl Deref for ColumnBuffer {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match &self.0 {
            Storage::Inline(inline) => inline,
            Storage::Boxed(boxed) => &boxed[..],
        }
    }
}

impl DerefMut for ColumnBuffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match &mut self.0 {
            Storage::Inline(inline) => inline,
            Storage::Boxed(boxed) => &mut boxed[..],
        }
    }
}
