//! Hardware semantics of the matrix descriptor: the address of each element, computed from the descriptor word.
//!
//! The formulas follow the canonical layouts of the manual, independently of the planner. `T` is the number of elements
//! in 16 bytes, `W` the number of elements in a swizzled row (32, 64 or 128 bytes):
//!
//! ```text
//! swizzle, K-major      (line / 8) stride + (line % 8) row + k
//! swizzle, MN-major     (line / W) leading + (k / 8) stride + (k % 8) row + line % W
//! none, K-major         (line / 8) stride + (k / T) leading + (line % 8) 16 bytes + k % T
//! none, MN-major        (line / T) stride + (k / 8) leading + (k % 8) 16 bytes + line % T
//! ```
//!
//! The swizzle is applied to the address, not to the offset within the matrix.
//!
//! # Source
//! PTX ISA, "Matrix descriptor format", "Strides" and "Swizzling modes" of `wgmma`; CUTLASS, `make_gmma_desc`.

use thiserror::Error;

/// A matrix in shared memory, decoded from a descriptor word.
///
/// ```
/// use linear_layout::machine::DescribedMatrix;
/// // 8 rows of 128 bytes, swizzled, at address 0x400; groups of 8 rows are 1024 bytes apart.
/// let matrix = DescribedMatrix::decode(0x4000_0040_0000_0040)?;
/// // Element 8 of row 9 (f16) starts the second 16 bytes of row 1 of the second group. The swizzle moves
/// // it to the first 16 bytes of this row.
/// assert_eq!(matrix.address(2, true, 9, 8), 0x400 + 1024 + 128);
/// # Ok::<(), linear_layout::machine::DescriptorFault>(())
/// ```
/// # Units
/// All sizes and addresses count bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DescribedMatrix {
    start: u64,
    leading: u64,
    stride: u64,
    /// Size of a swizzled row in bytes, or 0 if there is no swizzle.
    row: u64,
}

/// The error for a descriptor word that has unsupported values in its fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("descriptor {word:#018x} has {what} {found:#x}: expected 0")]
pub struct DescriptorFault {
    word: u64,
    what: &'static str,
    found: u64,
}

/// Size of the address range that a descriptor can reach, in bytes: 14 address bits, in units of 16 bytes.
pub(super) const REACH: u64 = 1 << 18;

impl DescribedMatrix {
    /// Decodes a descriptor of `wgmma`.
    ///
    /// # Errors
    /// Returns an error if reserved bits are set, or if the base offset (bits 49 to 51) is not zero. Only buffers that
    /// are not aligned to 8 rows need a base offset.
    pub const fn decode(word: u64) -> Result<Self, DescriptorFault> {
        let offset = word >> 49 & 7;
        let reserved = word & !(0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 7 << 49 | 3 << 62);
        if reserved != 0 {
            return Err(DescriptorFault {
                word,
                what: "reserved bits",
                found: reserved,
            });
        }
        if offset != 0 {
            return Err(DescriptorFault {
                word,
                what: "a base offset of",
                found: offset,
            });
        }
        Ok(Self {
            start: word % 0x4000 * 16,
            leading: (word >> 16) % 0x4000 * 16,
            stride: (word >> 32) % 0x4000 * 16,
            row: match word >> 62 {
                0 => 0,
                1 => 128,
                2 => 64,
                _ => 32,
            },
        })
    }

    /// Returns the size of a swizzled row in bytes (32, 64 or 128), or 0 if there is no swizzle.
    #[must_use]
    pub const fn swizzle_bytes(&self) -> u64 {
        self.row
    }

    /// Returns the byte address of the element at index `k` of line `line`, which is a row of A or a column of B.
    /// `element_bytes` is 1, 2, 4 or 8. `is_k_major` is false if the instruction transposes the operand.
    #[must_use]
    pub const fn address(&self, element_bytes: u64, is_k_major: bool, line: u64, k: u64) -> u64 {
        let (inner, outer) = if is_k_major { (k, line) } else { (line, k) };
        let row = if self.row == 0 { 16 } else { self.row };
        let width = row / element_bytes;
        let (inner_step, outer_step) = if self.row != 0 || is_k_major {
            (self.leading, self.stride)
        } else {
            (self.stride, self.leading)
        };
        let within = outer % 8 * row + inner % width * element_bytes;
        let address = self.start + inner / width * inner_step + outer / 8 * outer_step + within;
        let swizzled = match self.row {
            128 => address ^ ((address / 128 % 8) * 16),
            64 => address ^ ((address / 128 % 4) * 16),
            32 => address ^ ((address / 128 % 2) * 16),
            _ => address,
        };
        swizzled % REACH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_instructions_are_refused() {
        let message = |word| DescribedMatrix::decode(word).unwrap_err().to_string();
        assert_eq!(
            message(1 << 46),
            "descriptor 0x0000400000000000 has reserved bits 0x400000000000: expected 0"
        );
        assert_eq!(
            message(3 << 49),
            "descriptor 0x0006000000000000 has a base offset of 0x3: expected 0"
        );
    }

    /// Checks the permutation in the manual's figures. If a row has `n` 16-byte units, unit p of row r is at
    /// position p ^ (r * n / 8).
    #[test]
    fn units_of_rows_are_permuted() {
        for (code, pieces) in [(1, 8), (2, 4), (3, 2)] {
            let matrix = DescribedMatrix::decode(code << 62).unwrap();
            for row in 0..8 {
                for piece in 0..pieces {
                    let phase = row * pieces / 8 % pieces;
                    let expected = 16 * (row * pieces + (piece ^ phase));
                    assert_eq!(matrix.address(2, true, row, 8 * piece), expected);
                    assert_eq!(matrix.address(2, false, 8 * piece, row), expected);
                }
            }
        }
    }
}
