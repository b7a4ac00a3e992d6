//! `#ttg.nvmma_shared`: the swizzled layouts of the tensor memory accelerator (TMA) and `wgmma`.

use crate::number::narrow;
use crate::plan::tensor_copy::TensorBox;
use core::fmt;

use super::cga::{explicit_rank, fmt_cga};
use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, require, unknown_key};
use super::tiling::{OFFSET, SHARED, Tiling};
use super::{CgaLayout, Encoding, EncodingError, List, MAX_RANK};

const FAMILY: &str = "nvmma_shared";
const KEYS: &str =
    "`swizzlingByteWidth`, `transposed`, `elementBitWidth`, `fp4Padded`, `rank`, `CGALayout`";
/// Maximum extent of a TMA box along a dim, in elements.
const MAX_TMA_SIZE: u64 = 256;
/// Number of rows after which the swizzle pattern repeats.
const CORE_ROWS: u64 = 8;

/// The layout of a tensor in shared memory that consists of swizzled tiles. A tile has 8 rows of 32, 64 or 128
/// bytes each, and the swizzle permutes the 16-byte vectors within a row.
///
/// For example, a row of 128 bytes with 16-bit elements has 8 vectors of 8 elements. In row `r`, vector `p` is at
/// position `p ^ (r % 8)`:
/// ```text
/// row 0:  0 1 2 3 4 5 6 7
/// row 1:  1 0 3 2 5 4 7 6
/// row 2:  2 3 0 1 6 7 4 5   ...
/// ```
/// If 4-bit data is padded, each 16-byte vector holds only 8 bytes of data, and two offsets map to each element.
/// # Shape
/// (offset, block) -> (dim0, dim1, ...). All dims except the last together enumerate the rows.
/// # Units
/// `swizzle_bytes` is the width of a row of the swizzle pattern in bytes. Offsets count elements.
/// # Source
/// Triton's `NVMMASharedEncodingAttr`; CUDA driver API, `CUtensorMapSwizzle`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NvmmaSharedEncoding {
    swizzle_bytes: u32,
    transposed: bool,
    element_width_bits: u32,
    fp4_padded: bool,
    cga: CgaLayout,
}

impl NvmmaSharedEncoding {
    /// Returns the encoding whose swizzle pattern has rows of `swizzle_bytes` bytes. 0 means no swizzle.
    ///
    /// # Errors
    /// Returns an error if `swizzle_bytes` is not 0, 32, 64 or 128, or `element_width_bits` is 0.
    pub fn new(
        swizzle_bytes: u32,
        transposed: bool,
        element_width_bits: u32,
        fp4_padded: bool,
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        if element_width_bits == 0 {
            return Err(EncodingError::bad_value("elementBitWidth", 0, "1 or more")
                .of_rule("nvmma_shared_c1"));
        }
        if !matches!(swizzle_bytes, 0 | 32 | 64 | 128) {
            let expected = "0, 32, 64 or 128";
            return Err(
                EncodingError::bad_value("swizzlingByteWidth", swizzle_bytes, expected)
                    .of_rule("nvmma_shared_c2"),
            );
        }
        Ok(Self {
            swizzle_bytes,
            transposed,
            element_width_bits,
            fp4_padded,
            cga,
        })
    }

    /// Returns the default encoding of a tensor descriptor. This encoding describes a block that TMA copies, with
    /// the widest swizzle that fits a row of the block.
    ///
    /// A block with fewer than 8 rows, or with rows of less than 32 bytes, has no swizzle.
    ///
    /// # Errors
    /// Returns an error if the rank is not supported, or `element_width_bits` is 0.
    /// # Source
    /// Triton's `NVMMASharedEncodingAttr::get` for a shape.
    pub fn of_block(shape: &[u64], element_width_bits: u32) -> Result<Self, EncodingError> {
        let (row, rows) = shape.split_last().unwrap_or((&1, &[]));
        let row_bytes = row * u64::from(element_width_bits) / 8;
        let is_tall = rows.iter().product::<u64>() >= CORE_ROWS;
        let swizzle_bytes = match row_bytes {
            _ if !is_tall => 0,
            128.. => 128,
            64.. => 64,
            32.. => 32,
            _ => 0,
        };
        let cga = CgaLayout::single(shape.len())?;
        Self::new(swizzle_bytes, false, element_width_bits, false, cga)
    }

    /// Returns the number of bytes in a row of the swizzle pattern, or 0 if there is no swizzle.
    #[must_use]
    pub fn swizzle_bytes(&self) -> u32 {
        self.swizzle_bytes
    }

    /// Returns true if dim0 is contiguous, and false if the last dim is contiguous.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// Returns the width of an element in bits.
    #[must_use]
    pub fn element_width_bits(&self) -> u32 {
        self.element_width_bits
    }

    /// Returns true if 4-bit data is padded to twice its size.
    #[must_use]
    pub fn is_fp4_padded(&self) -> bool {
        self.fp4_padded
    }

    /// Returns the parameter `CGALayout`, which describes the distribution of the tensor over the CTAs of a
    /// cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    /// Returns the number of tensor dims.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.cga.rank()
    }

    /// Returns a copy of this encoding whose `CGALayout` is `cga`. The rank of `cga`, which becomes the rank of the
    /// encoding, may differ from the old rank.
    #[must_use]
    pub fn with_cga(&self, cga: CgaLayout) -> Self {
        Self { cga, ..*self }
    }

    /// Returns the number of elements in a 16-byte vector, or 1 if there is no swizzle.
    pub(crate) fn vec(&self) -> u32 {
        if self.swizzle_bytes == 0 {
            1
        } else {
            128 / self.element_width_bits
        }
    }

    pub(crate) fn per_phase(&self) -> u32 {
        128_u32.checked_div(self.swizzle_bytes).unwrap_or(1)
    }

    pub(crate) fn max_phase(&self) -> u32 {
        if self.swizzle_bytes == 0 {
            1
        } else {
            self.swizzle_bytes / 16
        }
    }

    pub(crate) fn alignment_bytes(&self) -> u32 {
        128 * self.max_phase()
    }

    /// Returns the encoding that describes the transpose of the matrix in a buffer with this encoding. The buffer
    /// itself does not change. The rank must be 2.
    pub(crate) fn transposed(&self) -> Self {
        Self {
            transposed: !self.transposed,
            cga: self.cga.permute(&[1, 0]),
            ..*self
        }
    }

    /// Returns the box of elements that one TMA copy moves, to or from a buffer of this shape.
    ///
    /// # Errors
    /// Returns an error if the rank of `shape` differs from the rank of the encoding, or a row is narrower than a
    /// row of the swizzle pattern.
    pub fn tensor_box(&self, shape: &[u64]) -> Result<TensorBox, EncodingError> {
        let tiling = Tiling::new(FAMILY, &SHARED, shape, &self.cga)?;
        let sizes = self.tma_box_log2(&tiling)?;
        Ok(TensorBox {
            sizes: sizes.iter().map(|size| 1 << size).collect(),
            swizzle_bytes: self.swizzle_bytes,
        })
    }

    /// Returns log2 of the extent of the TMA box along each dim. The box never exceeds the part of the tensor that
    /// one CTA holds.
    fn tma_box_log2(&self, tiling: &Tiling) -> Result<List<u8, MAX_RANK>, EncodingError> {
        let rank = self.rank();
        let contiguous = if self.transposed { 0 } else { rank - 1 };
        let mut sizes = List::<u8, MAX_RANK>::collect((0..rank).map(|dim| {
            let padded = u8::from(self.fp4_padded && dim == contiguous);
            (tiling.limit(dim) + padded).min(narrow(MAX_TMA_SIZE.trailing_zeros()))
        }));
        if self.swizzle_bytes != 0 {
            if !self.element_width_bits.is_power_of_two() {
                let (what, value) = ("elementBitWidth", u64::from(self.element_width_bits));
                return Err(EncodingError::new(EncodingErrorKind::NotPowerOfTwo {
                    what,
                    index: None,
                    value,
                })
                .of_rule("nvmma_shared_c4"));
            }
            let width = 8 * self.swizzle_bytes / self.element_width_bits;
            if width == 0 || narrow::<u8>(width.trailing_zeros()) > sizes[contiguous] {
                return Err(EncodingError::new(EncodingErrorKind::TooSmall {
                    family: FAMILY,
                    dim: "the contiguous dim of one CTA",
                    found: 1 << sizes[contiguous],
                    expected: u64::from(width),
                })
                .of_rule("memdesc_c12"));
            }
            sizes[contiguous] = narrow(width.trailing_zeros());
        }
        if self.fp4_padded {
            match sizes[contiguous].checked_sub(1) {
                Some(half) => sizes[contiguous] = half,
                None => {
                    return Err(EncodingError::new(EncodingErrorKind::TooSmall {
                        family: FAMILY,
                        dim: "the contiguous dim of one CTA",
                        found: 1,
                        expected: 2,
                    })
                    .of_rule("memdesc_c12"));
                }
            }
        }
        Ok(sizes)
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let mut tiling = Tiling::new(FAMILY, &SHARED, shape, &self.cga)?;
        let rank = self.rank();
        if self.fp4_padded && (self.swizzle_bytes, self.element_width_bits) != (128, 8) {
            let reason = format!(
                "`fp4Padded` is true with `swizzlingByteWidth` {} and `elementBitWidth` {}, expected 128 \
                 and 8",
                self.swizzle_bytes, self.element_width_bits
            );
            return Err(EncodingError::no_layout(FAMILY, reason).of_rule("nvmma_shared_c3"));
        }
        let sizes = self.tma_box_log2(&tiling)?;
        if self.swizzle_bytes == 0 {
            if self.transposed {
                // Triton rotates the dims by one position twice in the same direction, instead of forth and back. This
                // is the identity up to rank 2, and a rotation for higher ranks.
                for dim in (0..rank).rev() {
                    let size = sizes[(dim + 1) % rank];
                    tiling.lay_log2(OFFSET, size, (dim + rank - 1) % rank);
                }
            } else {
                (0..rank)
                    .rev()
                    .for_each(|dim| tiling.lay_log2(OFFSET, sizes[dim], dim));
            }
            tiling.fill(OFFSET, (0..rank).rev());
        } else {
            self.lay_swizzled(&mut tiling, &sizes)?;
            tiling.fill(OFFSET, 0..rank);
        }
        tiling.lay_ctas(1, &self.cga);
        Ok(tiling)
    }

    /// Appends the offset bits of one TMA box to `tiling`. `sizes` is log2 of the extents of the box. The box is
    /// filled with copies of the swizzle pattern. Consecutive copies cover all rows of the box, before the next
    /// copies cover the next columns.
    fn lay_swizzled(&self, tiling: &mut Tiling, sizes: &[u8]) -> Result<(), EncodingError> {
        let rank = self.rank();
        if rank < 2 {
            let reason = format!("`rank` is {rank}, expected 2 or more with a swizzle");
            return Err(EncodingError::no_layout(FAMILY, reason).of_rule("nvmma_shared_c5"));
        }
        // The rows of the matrix run through all dims but the last, the columns through the last dim. Transposition
        // exchanges rows and columns. `position` maps bits of row-major matrix positions to tensor dims.
        let outer = sizes[..rank - 1].iter().sum::<u8>();
        let last = sizes[rank - 1];
        let (rows_log2, cols_log2) = if self.transposed {
            (last, outer)
        } else {
            (outer, last)
        };
        let total = rows_log2 + cols_log2;
        let mut position = [(0, 0); 64];
        let mut next = 0;
        for i in 0..rank {
            let dim = match i {
                _ if !self.transposed => rank - 1 - i,
                0 => 0,
                _ => rank - i,
            };
            for bit in 0..sizes[dim] {
                position[next as usize] = (dim, bit);
                next += 1;
            }
        }
        debug_assert_eq!(next, total);

        let core_cols =
            8 * u64::from(self.swizzle_bytes.max(16)) / u64::from(self.element_width_bits);
        let pack = |col: u64| {
            if self.fp4_padded {
                col / 16 * 8 + col % 8
            } else {
                col
            }
        };
        let core_cols_log2 = narrow::<u8>(core_cols.trailing_zeros()) - u8::from(self.fp4_padded);
        if rows_log2 < narrow::<u8>(CORE_ROWS.trailing_zeros()) {
            return Err(EncodingError::new(EncodingErrorKind::TooSmall {
                family: FAMILY,
                dim: "the non-contiguous dims of one CTA",
                found: 1 << rows_log2,
                expected: CORE_ROWS,
            })
            .of_rule("nvmma_shared_c6"));
        }
        if cols_log2 < core_cols_log2 {
            return Err(EncodingError::new(EncodingErrorKind::TooSmall {
                family: FAMILY,
                dim: "the contiguous dims of one CTA",
                found: 1 << cols_log2,
                expected: 1 << core_cols_log2,
            })
            .of_rule("nvmma_shared_c6"));
        }
        let flat = |tiling: &Tiling, row: u64, col: u64| {
            let mut bits = row << cols_log2 | col;
            let mut column = 0;
            while bits != 0 {
                let (dim, bit) = position[bits.trailing_zeros() as usize];
                column |= tiling.component_in_cta(dim, 1 << bit);
                bits &= bits - 1;
            }
            column
        };
        let (vec, per, max) = (
            u64::from(self.vec()),
            u64::from(self.per_phase()),
            u64::from(self.max_phase()),
        );
        for bit in 0..core_cols.trailing_zeros() {
            let column = flat(tiling, 0, pack(1 << bit));
            tiling.push(OFFSET, column);
        }
        for row in [1, 2, 4] {
            let column = flat(tiling, row, pack(vec * ((row / per) % max)));
            tiling.push(OFFSET, column);
        }
        for bit in 3..rows_log2 {
            let column = flat(tiling, 1 << bit, 0);
            tiling.push(OFFSET, column);
        }
        for bit in core_cols_log2..cols_log2 {
            let column = flat(tiling, 0, 1 << bit);
            tiling.push(OFFSET, column);
        }
        for (dim, size) in sizes.iter().enumerate() {
            tiling.advance(dim, *size);
        }
        Ok(())
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut swizzle, mut width, mut rank, mut cga) = (None, None, None, None);
        let (mut transposed, mut fp4) = (false, false);
        p.dict(|p, key| {
            match key {
                "swizzlingByteWidth" => swizzle = Some(p.number()?),
                "transposed" => transposed = p.boolean()?,
                "elementBitWidth" => width = Some(p.number()?),
                "fp4Padded" => fp4 = p.boolean()?,
                "rank" => rank = Some(p.number()?),
                "CGALayout" => cga = Some(p.bases()?),
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        let cga = cga.unwrap_or_default();
        let rank = explicit_rank(rank)?
            .or(cga.first().map(|b| b.len()))
            .unwrap_or(2);
        let cga = CgaLayout::from_bases(rank, &cga)?;
        let swizzle = require(swizzle, FAMILY, "swizzlingByteWidth")?;
        let width = require(width, FAMILY, "elementBitWidth")?;
        Ok(Self::new(swizzle, transposed, width, fp4, cga)?.into())
    }
}

impl fmt::Display for NvmmaSharedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}",
            self.swizzle_bytes, self.transposed, self.element_width_bits
        )?;
        if self.fp4_padded {
            f.write_str(", fp4Padded = true")?;
        }
        if self.cga.is_single() && self.rank() != 2 {
            write!(f, ", rank = {}", self.rank())?;
        }
        fmt_cga(f, &self.cga)?;
        f.write_str("}>")
    }
}
