//! Matrix descriptors: the 64-bit words by which `wgmma` addresses operands in shared memory.

/// The swizzle of a matrix in shared memory: a permutation of 16-byte chunks within 8 rows.
///
/// Bits 4 and up of an address are XORed with its bits 7 and up: three bits with 128 bytes, two with 64, one with 32.
///
/// # Source
/// PTX ISA, "Shared memory matrix layout" and "Swizzling modes".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixSwizzle {
    /// Core matrices of 8 contiguous rows of 16 bytes.
    None,
    /// 8 rows of 32 bytes.
    Bytes32,
    /// 8 rows of 64 bytes.
    Bytes64,
    /// 8 rows of 128 bytes.
    Bytes128,
}

impl MatrixSwizzle {
    /// All swizzles, the widest first.
    pub const ALL: [Self; 4] = [Self::Bytes128, Self::Bytes64, Self::Bytes32, Self::None];

    /// Returns the bytes of one of the 8 rows of an atom: 16 without a swizzle.
    #[must_use]
    pub const fn row_bytes(self) -> u64 {
        match self {
            Self::None => 16,
            Self::Bytes32 => 32,
            Self::Bytes64 => 64,
            Self::Bytes128 => 128,
        }
    }

    /// Returns bits 62 and 63 of the descriptor, as a number.
    #[must_use]
    pub const fn code(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Bytes128 => 1,
            Self::Bytes64 => 2,
            Self::Bytes32 => 3,
        }
    }

    /// Returns the address bits that are XORed to the bits three positions below them.
    ///
    /// ```
    /// use linear_layout::plan::warp_group::MatrixSwizzle;
    /// assert_eq!(MatrixSwizzle::Bytes64.source_bits(), 0b11 << 7);
    /// assert_eq!(MatrixSwizzle::None.source_bits(), 0);
    /// ```
    #[must_use]
    pub const fn source_bits(self) -> u64 {
        (self.row_bytes() / 16 - 1) << 7
    }

    /// Applies the swizzle to an address; also its inverse.
    ///
    /// # Laws
    /// It is linear and its own inverse: no source bit is changed.
    #[must_use]
    pub const fn swizzled(self, address: u64) -> u64 {
        address ^ (address & self.source_bits()) >> 3
    }
}

/// The part of a matrix descriptor that is known at compile time: everything but the start address.
///
/// For 64 x 64 elements of `f16` in rows of 128 bytes, swizzled, 8 rows take 1024 bytes:
/// ```
/// use linear_layout::plan::warp_group::{MatrixDescriptor, MatrixSwizzle};
/// let of_rows = MatrixDescriptor {
///     swizzle: MatrixSwizzle::Bytes128,
///     leading_bytes: 0,
///     stride_bytes: 1024,
///     is_k_major: true,
/// };
/// assert_eq!(of_rows.word(), 0x4000_0040_0000_0000);
/// assert_eq!(of_rows.word() + of_rows.start(0x1_2400), 0x4000_0040_0000_1240);
/// ```
/// # Units
/// Bytes; the word counts units of 16 bytes.
/// # Source
/// PTX ISA, "Matrix descriptor format" of `wgmma`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatrixDescriptor {
    /// The swizzle.
    pub swizzle: MatrixSwizzle,
    /// Leading dimension byte offset, 0 if an instruction does not use it: with a swizzle the distance of atoms along m or
    /// n of an MN-major matrix, without one that of core matrices along k.
    pub leading_bytes: u64,
    /// Stride dimension byte offset, 0 if an instruction does not use it: with a swizzle the distance of groups of 8 rows,
    /// without one that of core matrices along m or n.
    pub stride_bytes: u64,
    /// True if neighbours along k are neighbours in memory. It is not in the word: if false, the operand of the instruction
    /// is transposed (`tnspA`, `tnspB` are 1).
    pub is_k_major: bool,
}

/// Width of the address fields of the word, in units of 16 bytes.
const FIELD_BITS: u32 = 14;
/// log2 of the bytes of a unit.
const UNIT_LOG2: u32 = 4;

impl MatrixDescriptor {
    /// Bytes of shared memory in reach of a descriptor: addresses and offsets are smaller.
    pub const REACH_BYTES: u64 = 1 << (FIELD_BITS + UNIT_LOG2);

    /// Returns the constant 64-bit word: the descriptor with start address 0 and base offset 0.
    #[must_use]
    pub const fn word(&self) -> u64 {
        Self::field(self.leading_bytes) << 16
            | Self::field(self.stride_bytes) << 32
            | self.swizzle.code() << 62
    }

    /// Returns the start address field, which is added to the [`word`](Self::word).
    #[must_use]
    pub const fn start(&self, address: u64) -> u64 {
        Self::field(address)
    }

    /// Returns the alignment of the buffer's start address that base offset 0 requires: 8 rows of the swizzle.
    #[must_use]
    pub const fn alignment_bytes(&self) -> u64 {
        match self.swizzle {
            MatrixSwizzle::None => 16,
            swizzle => 8 * swizzle.row_bytes(),
        }
    }

    /// Returns the mask of a start address in units of 16 bytes.
    #[must_use]
    pub const fn field_mask() -> u32 {
        (1 << FIELD_BITS) - 1
    }

    const fn field(bytes: u64) -> u64 {
        bytes >> UNIT_LOG2 & ((1 << FIELD_BITS) - 1)
    }
}
