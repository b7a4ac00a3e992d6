//! Swizzles of offsets in shared memory.

use super::TilusError;
use super::error::ErrorKind;

/// A swizzle: XORs `bits` source bits of an offset into `bits` target bits. The source bits start at bit
/// `base + shift`, the target bits at bit `base`.
///
/// ```
/// # use linear_layout_tilus::Swizzle;
/// let s = Swizzle::new(1, 2, 2)?; // bits 4 and 3 into bits 2 and 1
/// assert_eq!(s.apply(0b11000), 0b11110);
/// assert_eq!(s.apply(s.apply(27)), 27);
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Units
/// Offsets count elements. [`to_bytes`](Self::to_bytes) returns the swizzle of byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    base: u32,
    bits: u32,
    shift: u32,
}

impl Swizzle {
    /// Returns the swizzle that CuTe writes as `Sw<bits,base,shift>`.
    ///
    /// # Errors
    /// Returns an error if the swizzle would use a bit above 62.
    pub fn new(base: u32, bits: u32, shift: u32) -> Result<Self, TilusError> {
        match base.checked_add(bits).and_then(|b| b.checked_add(shift)) {
            Some(end) if end < 64 => Ok(Self { base, bits, shift }),
            _ => Err(ErrorKind::SwizzleTooLarge { base, bits, shift }.into()),
        }
    }

    /// Returns the position of the lowest changed bit.
    #[must_use]
    pub const fn base(self) -> u32 {
        self.base
    }

    /// Returns the number of changed bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the distance in bits from the changed bits up to the bits that are read.
    #[must_use]
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// Returns the swizzled offset.
    #[must_use]
    pub const fn apply(self, offset: u64) -> u64 {
        let mask = ((1 << self.bits) - 1) << self.base;
        offset ^ (offset >> self.shift & mask)
    }

    /// Returns true if the swizzle changes none of the offsets 0 to `offset`.
    pub(crate) const fn keeps_all_up_to(self, offset: u64) -> bool {
        self.bits == 0 || offset >> (self.base + self.shift) == 0
    }

    /// Returns the swizzle that maps `x * 2^log2` to `self.apply(x) * 2^log2`.
    pub(super) fn scaled(self, log2: u32) -> Result<Self, TilusError> {
        Self::new(self.base.saturating_add(log2), self.bits, self.shift)
    }

    /// Converts a swizzle of element offsets to the swizzle of byte offsets. An element has `bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if the size is not a power of two, or if the swizzle exceeds bit 62.
    pub fn to_bytes(self, bytes: u64) -> Result<Self, TilusError> {
        if bytes.is_power_of_two() {
            self.scaled(bytes.trailing_zeros())
        } else {
            Err(ErrorKind::ElementSize { bytes }.into())
        }
    }
}
