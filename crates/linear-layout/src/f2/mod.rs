//! Linear algebra over GF(2) on packed bits.
//!
//! GF(2) is the field with two elements: adding is XOR, multiplying is AND. A vector of up to 64 bits is one `u64`. A
//! matrix of up to 64x64 bits is a slice with one word per *column*, and [`apply_columns`] XORs the selected columns:
//!
//! ```text
//!     | 1 0 1 |      columns, bit r = row r:  [0b01, 0b10, 0b11]
//! A = | 0 1 1 |      A (1, 0, 1) = column 0 ^ column 2 = 0b01 ^ 0b11 = 0b10
//! ```
//!
//! [`Echelon`] is an incremental elimination (solving, kernels, rank, membership), [`Span`] is a subspace. Larger
//! matrices are not supported. No function allocates; the module uses `core` only.

mod echelon;
mod span;
#[cfg(test)]
mod tests;

pub use echelon::Echelon;
pub use span::Span;

/// Returns a mask of the low `bits` bits, or of all bits if `bits` exceeds 64.
#[inline]
pub(crate) const fn low_mask(bits: usize) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1u64 << bits) - 1
    }
}

/// Gathers the bits of `x` selected by `mask`, like x86 `PEXT`: `compress(0b1010, 0b1110) == 0b101`.
pub(crate) fn compress(x: u64, mask: u64) -> u64 {
    if mask == u64::MAX || mask & (mask + 1) == 0 {
        return x & mask;
    }
    let (mut m, mut y, mut at) = (mask, 0, 0);
    while m != 0 {
        y |= ((x >> m.trailing_zeros()) & 1) << at;
        at += 1;
        m &= m - 1;
    }
    y
}

/// Returns `x << by`, or 0 if `by` is 64 or more.
#[inline]
pub(crate) const fn shl(x: u64, by: usize) -> u64 {
    if by >= 64 { 0 } else { x << by }
}

/// Returns `x >> by`, or 0 if `by` is 64 or more.
#[inline]
pub(crate) const fn shr(x: u64, by: usize) -> u64 {
    if by >= 64 { 0 } else { x >> by }
}

/// Returns the product of a matrix and the vector `x`: the XOR of the columns selected by `x`.
///
/// Bits of `x` beyond the last column are ignored.
///
/// ```
/// # use linear_layout::f2::apply_columns;
/// assert_eq!(apply_columns(&[0b01, 0b10, 0b11], 0b101), 0b10);
/// ```
#[inline]
#[must_use]
pub fn apply_columns(columns: &[u64], x: u64) -> u64 {
    let mut x = x & low_mask(columns.len());
    let mut y = 0;
    while x != 0 {
        // In range: bits beyond the columns are masked off.
        if let Some(column) = columns.get(x.trailing_zeros() as usize) {
            y ^= column;
        }
        x &= x - 1;
    }
    y
}
