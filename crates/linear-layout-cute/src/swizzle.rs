//! `Swizzle<B,M,S>`: XORs some bits of an index into other bits of the index.

use core::fmt;

use super::error::{CuteError, ErrorKind};

/// A swizzle `Sw<B,M,S>`: XORs `B` source bits of an index into `B` target bits. The source bits start at bit
/// `M + S`, the target bits at bit `M`. A negative `S` swaps source and target: the target bits start at bit
/// `M + |S|`.
///
/// For example, `Sw<2,0,3>` XORs the two bits from bit 3 on into the two bits from bit 0 on: 0b01000 becomes
/// 0b01001.
/// ```
/// use linear_layout_cute::Swizzle;
/// let swizzle = Swizzle::new(2, 0, 3)?;
/// assert_eq!(swizzle.apply(0b11000), 0b11011);
/// assert_eq!(swizzle.to_string(), "Sw<2,0,3>");
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
/// # Laws
/// A swizzle is its own inverse: `apply(apply(x)) == x`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// The identity, in the form in which CuTe prints it: `Sw<0,4,3>`.
    pub const IDENTITY: Self = Self {
        bits: 0,
        base: 4,
        shift: 3,
    };

    /// Returns the swizzle `Sw<bits,base,shift>`.
    /// # Errors
    /// Returns an error if `bits` or `base` is negative, if |`shift`| is less than `bits`, or if a bit is above 62.
    pub fn new(bits: i64, base: i64, shift: i64) -> Result<Self, CuteError> {
        let none = || ErrorKind::SwizzleNumbers { bits, base, shift };
        let reach = shift.checked_abs().ok_or_else(none)?;
        if bits < 0 || base < 0 || reach < bits {
            return Err(none().into());
        }
        let top = bits
            .checked_add(base)
            .and_then(|top| top.checked_add(reach));
        if top.is_none_or(|top| top > 63) {
            return Err(none().into());
        }
        match (
            u32::try_from(bits),
            u32::try_from(base),
            i32::try_from(shift),
        ) {
            (Ok(bits), Ok(base), Ok(shift)) => Ok(Self { bits, base, shift }),
            _ => Err(none().into()),
        }
    }

    /// Returns `B`, the number of bits that the swizzle changes.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Returns `M`, the position of the lowest bit that the swizzle reads or changes.
    #[must_use]
    pub fn base(self) -> u32 {
        self.base
    }

    /// Returns `S`: the position of the lowest bit that the swizzle reads, minus the position of the lowest bit
    /// that it changes. `S` is negative if the bits that are read are below the changed bits.
    #[must_use]
    pub fn shift(self) -> i32 {
        self.shift
    }

    /// Returns the mask of the bits that the swizzle reads (CuTe's Y bits).
    #[must_use]
    pub fn source_mask(self) -> i64 {
        self.mask_at(self.base + self.shift.max(0).unsigned_abs())
    }

    /// Returns the mask of the bits that the swizzle changes (CuTe's Z bits).
    #[must_use]
    pub fn target_mask(self) -> i64 {
        self.mask_at(self.base + self.shift.min(0).unsigned_abs())
    }

    fn mask_at(self, base: u32) -> i64 {
        ((1_i64 << self.bits) - 1) << base
    }

    /// Returns true for the identity.
    #[must_use]
    pub fn is_identity(self) -> bool {
        self.bits == 0
    }

    /// Returns the swizzled index.
    #[inline]
    #[must_use]
    pub fn apply(self, index: i64) -> i64 {
        let read = index & self.source_mask();
        let moved = match self.shift {
            shift @ 0.. => read >> shift,
            shift => read << shift.unsigned_abs(),
        };
        index ^ moved
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}

impl fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
