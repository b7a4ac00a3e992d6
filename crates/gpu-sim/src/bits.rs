//! Bit patterns of integers, zero-extended to 64 bits.

pub(crate) const fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

/// Sign-extends the lowest `bits` bits to 64 bits.
pub(crate) const fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}
