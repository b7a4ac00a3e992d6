//! Matrix descriptors: the 64-bit words by which `wgmma` addresses operands in shared memory.

/// The swizzle of a matrix in shared memory: a permutation of 16-byte chunks within 8 rows.
///
/// The address bits from 7 on are XORed into the bits from 4 on. The 128-byte swizzle XORs three bits, the 64-byte
/// swizzle two bits, and the 32-byte swizzle one bit.
///
/// # Source
/// PTX ISA, "Shared memory matrix layout" and "Swizzling modes".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixSwizzle {
    /// No swizzle: core matrices of 8 contiguous rows of 16 bytes.
    None,
    /// A swizzle within atoms that have 8 rows of 32 bytes.
    Bytes32,
    /// A swizzle within atoms that have 8 rows of 64 bytes.
    Bytes64,
    /// A swizzle within atoms that have 8 rows of 128 bytes.
    Bytes128,
}

impl MatrixSwizzle {
    /// All swizzles, the widest first.
    pub const ALL: [Self; 4] = [Self::Bytes128, Self::Bytes64, Self::Bytes32, Self::None];

    /// Returns the number of bytes in one of the 8 rows of an atom. Without a swizzle it is 16, the row of a core
    /// matrix.
    #[must_use]
    pub const fn row_bytes(self) -> u64 {
        match self {
            Self::None => 16,
            Self::Bytes32 => 32,
            Self::Bytes64 => 64,
            Self::Bytes128 => 128,
        }
    }

    /// Returns the number that encodes this swizzle in bits 62 and 63 of the descriptor.
    #[must_use]
    pub const fn code(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Bytes128 => 1,
            Self::Bytes64 => 2,
            Self::Bytes32 => 3,
        }
    }

    /// Returns the mask of the address bits that are XORed into the bits three positions below them.
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

    /// Applies the swizzle to an address.
    ///
    /// # Laws
    /// The swizzle is a linear map and its own inverse, because it changes no bit that it reads as a source.
    #[must_use]
    pub const fn swizzled(self, address: u64) -> u64 {
        address ^ (address & self.source_bits()) >> 3
    }
}

/// The part of a matrix descriptor that is known at compile time: everything but the start address.
///
/// In this example, 64 x 64 elements of `f16` are stored in swizzled rows of 128 bytes, so 8 rows take 1024 bytes:
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
/// The fields are in bytes. The word counts units of 16 bytes.
/// # Source
/// PTX ISA, "Matrix descriptor format" of `wgmma`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatrixDescriptor {
    /// Swizzle of the matrix in shared memory.
    pub swizzle: MatrixSwizzle,
    /// Leading dimension byte offset; 0 if the instruction does not use it. With a swizzle, it is the distance between
    /// atoms along m or n of an MN-major matrix. Without a swizzle, it is the distance between core matrices along k.
    pub leading_bytes: u64,
    /// Stride dimension byte offset; 0 if the instruction does not use it. With a swizzle, it is the distance between
    /// groups of 8 rows. Without a swizzle, it is the distance between core matrices along m or n.
    pub stride_bytes: u64,
    /// True if elements that are adjacent along k are adjacent in memory. The descriptor's word does not encode this.
    /// If it is false, the instruction transposes the operand (`tnspA` or `tnspB` is 1).
    pub is_k_major: bool,
}

/// Width in bits of each address field in a descriptor's word. The fields count units of 16 bytes.
const FIELD_BITS: u32 = 14;
/// log2 of the number of bytes in one unit of the address fields.
const UNIT_LOG2: u32 = 4;

impl MatrixDescriptor {
    /// Number of bytes of shared memory that a descriptor can address. All addresses and offsets must be smaller.
    pub const REACH_BYTES: u64 = 1 << (FIELD_BITS + UNIT_LOG2);

    /// Returns the compile-time part of the 64-bit descriptor: its value for start address 0 and base offset 0.
    #[must_use]
    pub const fn word(&self) -> u64 {
        Self::field(self.leading_bytes) << 16
            | Self::field(self.stride_bytes) << 32
            | self.swizzle.code() << 62
    }

    /// Returns the start address field for `address`. Adding it to the [`word`](Self::word) gives the complete
    /// descriptor.
    #[must_use]
    pub const fn start(&self, address: u64) -> u64 {
        Self::field(address)
    }

    /// Returns the alignment in bytes that the buffer's start address must have, so that base offset 0 is valid. It
    /// is the size of the 8 rows of a swizzle atom, or 16 bytes without a swizzle.
    #[must_use]
    pub const fn alignment_bytes(&self) -> u64 {
        match self.swizzle {
            MatrixSwizzle::None => 16,
            swizzle => 8 * swizzle.row_bytes(),
        }
    }

    /// Returns the mask of the start address field, which consists of the lowest bits of the descriptor. The field
    /// counts units of 16 bytes.
    #[must_use]
    pub const fn field_mask() -> u32 {
        (1 << FIELD_BITS) - 1
    }

    const fn field(bytes: u64) -> u64 {
        bytes >> UNIT_LOG2 & ((1 << FIELD_BITS) - 1)
    }
}
