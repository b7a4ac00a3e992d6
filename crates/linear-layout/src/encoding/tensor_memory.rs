//! `#ttng.tensor_memory_encoding` and `#ttng.tensor_memory_scales_encoding`: layouts in the tensor memory of Blackwell.

use crate::number::narrow;
use core::fmt;

use super::cga::fmt_cga;
use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, require, unknown_key};
use super::tiling::{Tiling, shape_log2};
use super::{CgaLayout, Encoding, EncodingError};
use crate::layout::Dim;

const FAMILY: &str = "tensor_memory_encoding";
const KEYS: &str = "`blockM`, `blockN`, `colStride`, `CGALayout`, `twoCTAs`, `fp4Padded`";
const SCALES: &str = "tensor_memory_scales_encoding";
const INS: [Dim; 3] = [Dim::ROW, Dim::COL, Dim::BLOCK];
const ROW: usize = 0;
const COL: usize = 1;
const BLOCK: usize = 2;

/// The layout of a matrix in tensor memory, which has 128 rows. The matrix occupies as many columns as it needs.
///
/// The matrix is divided into blocks of `block_m` rows and `block_n` columns. They are stored one after the other:
/// first the blocks along dim0, then those along dim1.
///
/// If a block has 64 rows and is not shared by two CTAs, it occupies the first 16 rows of each quarter of the 128
/// rows. The other 16 rows of each quarter hold the next block. If there is no next block, they are unused, and the
/// basis that selects them is zero:
/// ```text
/// row   0..16:   rows  0..16 of block 0      row  16..32:   rows  0..16 of the next block
/// row  32..48:   rows 16..32 of block 0      row  48..64:   rows 16..32 of the next block   ...
/// ```
/// If two CTAs share blocks of 64 rows, the lower 64 rows hold the first half of a block's columns, and the upper
/// 64 rows hold the second half.
/// # Shape
/// (row 128, col, block) -> (dim0, dim1).
/// # Units
/// `col` counts columns that are one element wide. `col_stride` is the distance between adjacent elements of a row,
/// in such columns.
/// # Source
/// Triton's `TensorMemoryEncodingAttr`; PTX ISA, "tcgen05 data path layouts".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryEncoding {
    block_m: u32,
    block_n: u32,
    col_stride: u32,
    cga: CgaLayout,
    two_ctas: bool,
    fp4_padded: bool,
}

impl TensorMemoryEncoding {
    /// Returns the encoding with blocks of `block_m` rows and `block_n` columns.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - `block_m` is not 64 or 128.
    /// - `block_n` is not a power of two up to 512.
    /// - `col_stride` is not 1, 2 or 4, or is not 1 although `fp4_padded` is true.
    /// - The rank of `cga` is not 2.
    /// - `two_ctas` is true, but the first basis of `cga` does not split the rows between two CTAs.
    pub fn new(
        block_m: u32,
        block_n: u32,
        col_stride: u32,
        cga: CgaLayout,
        two_ctas: bool,
        fp4_padded: bool,
    ) -> Result<Self, EncodingError> {
        check_rank_2(&cga).of_rule("cga_layout_c1")?;
        let bad = EncodingError::bad_value;
        if two_ctas && cga.bits().first().and_then(|b| b.step) != Some((0, 0)) {
            return Err(EncodingError::new(EncodingErrorKind::NotOfCluster)
                .of_rule("tensor_memory_encoding_c1"));
        }
        if !matches!(block_m, 64 | 128) {
            return Err(bad("blockM", block_m, "64 or 128").of_rule("tensor_memory_encoding_c2"));
        }
        if !block_n.is_power_of_two() || block_n > 512 {
            return Err(bad("blockN", block_n, "a power of two up to 512")
                .of_rule("tensor_memory_encoding_c3"));
        }
        if !matches!(col_stride, 1 | 2 | 4) {
            return Err(
                bad("colStride", col_stride, "1, 2 or 4").of_rule("tensor_memory_encoding_c4")
            );
        }
        if fp4_padded && col_stride != 1 {
            return Err(
                bad("colStride", col_stride, "1 because `fp4Padded` is true")
                    .of_rule("tensor_memory_encoding_c5"),
            );
        }
        Ok(Self {
            block_m,
            block_n,
            col_stride,
            cga,
            two_ctas,
            fp4_padded,
        })
    }

    /// Returns the number of rows of a block.
    #[must_use]
    pub fn block_m(&self) -> u32 {
        self.block_m
    }

    /// Returns the number of columns of a block.
    #[must_use]
    pub fn block_n(&self) -> u32 {
        self.block_n
    }

    /// Returns the distance between adjacent elements of a row, counted in columns that are one element wide.
    #[must_use]
    pub fn col_stride(&self) -> u32 {
        self.col_stride
    }

    /// Returns true if two CTAs execute a matrix instruction together.
    #[must_use]
    pub fn is_two_ctas(&self) -> bool {
        self.two_ctas
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

    /// Returns the rank of the tensor, which is 2.
    #[must_use]
    pub fn rank(&self) -> usize {
        2
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let mut tiling = start(FAMILY, shape, &self.cga)?;
        let (rows, cols) = (tiling.limit(0), tiling.limit(1));
        let block_m = narrow(self.block_m.trailing_zeros());
        let block_n = narrow::<u8>(self.block_n.trailing_zeros()).min(cols);
        let stride = if self.fp4_padded { 2 } else { self.col_stride };
        let interleaved = block_m == 6 && !self.two_ctas;
        let tile_rows = block_m + u8::from(interleaved && rows > block_m);
        if rows < tile_rows {
            return Err(EncodingError::new(EncodingErrorKind::TooSmall {
                family: FAMILY,
                dim: "dim0 of one CTA",
                found: 1 << rows,
                expected: u64::from(self.block_m),
            })
            .of_rule("tensor_memory_encoding_c6"));
        }
        if interleaved {
            tiling.repeat(COL, u64::from(stride));
            tiling.lay(ROW, 16, 0);
            tiling.lay_log2(COL, block_n, 1);
            // The other half of each quarter holds the block below, or the block to the right, or is unused.
            if rows > block_m {
                tiling.push_bit(ROW, 0, 6);
            } else if cols > block_n {
                tiling.push_bit(ROW, 1, block_n);
                tiling.advance(1, 1);
            } else {
                tiling.push(ROW, 0);
            }
            tiling.push_bit(ROW, 0, 4);
            tiling.push_bit(ROW, 0, 5);
            tiling.advance(0, tile_rows - 4);
        } else if block_m == 6 {
            // Each of the two CTAs holds 64 rows. The other 64 rows of tensor memory hold the upper half of the
            // columns.
            tiling.lay(ROW, 64, 0);
            match block_n.checked_sub(1) {
                Some(half) => {
                    tiling.repeat(COL, u64::from(stride));
                    tiling.lay_log2(COL, half, 1);
                    tiling.lay(ROW, 2, 1);
                }
                None if stride > 1 => {
                    tiling.repeat(COL, u64::from(stride / 2));
                    tiling.push(ROW, 0);
                }
                None => {
                    let reason = "a block has 1 column, expected at least 2 columns to split between two CTAs";
                    return Err(EncodingError::no_layout(FAMILY, reason)
                        .of_rule("tensor_memory_encoding_c7"));
                }
            }
        } else {
            tiling.repeat(COL, u64::from(stride));
            tiling.lay(ROW, 128, 0);
            tiling.lay_log2(COL, block_n, 1);
        }
        tiling.fill(COL, [0, 1]);
        tiling.lay_ctas(BLOCK, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut m, mut n, mut stride, mut cga) = (None, None, None, None);
        let (mut two, mut fp4) = (false, false);
        p.fields(b'<', b'>', |p, key| {
            match key {
                "blockM" => m = Some(p.number()?),
                "blockN" => n = Some(p.number()?),
                "colStride" => stride = Some(p.number()?),
                "CGALayout" => cga = Some(p.bases()?),
                "twoCTAs" => two = p.boolean()?,
                "fp4Padded" => fp4 = p.boolean()?,
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        let m = require(m, FAMILY, "blockM")?;
        let n = require(n, FAMILY, "blockN")?;
        let stride = require(stride, FAMILY, "colStride")?;
        let cga = CgaLayout::from_bases(2, &cga.unwrap_or_default())?;
        Ok(Self::new(m, n, stride, cga, two, fp4)?.into())
    }
}

/// The order in which the blocks of a scale matrix are stored one after the other in tensor memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScalesBlockOrder {
    /// First the blocks along the summed dim K, then the blocks along the other dim (M or N).
    KThenMn,
    /// First the blocks along the other dim (M or N), then the blocks along the summed dim K.
    #[default]
    MnThenK,
}

/// The scale factors of an operand of a block-scaled matrix product, stored in tensor memory.
///
/// Rows 0 to 31 of tensor memory hold 32 rows of scales. Rows 32 to 127 hold three more copies, so that each of
/// four warps has a copy. The first 4 columns hold 4 scales of each of these 32 rows. The next 4 columns hold 4
/// scales of each of the next 32 rows.
/// # Shape
/// (row 128, col, block) -> (dim0, dim1).
/// # Source
/// Triton's `TensorMemoryScalesEncodingAttr`; PTX ISA, "tcgen05 scale factor layouts".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryScalesEncoding {
    cga: CgaLayout,
    block_order: ScalesBlockOrder,
}

impl TensorMemoryScalesEncoding {
    /// Returns the encoding in which blocks of scales are stored in the order `block_order`.
    ///
    /// # Errors
    /// Returns an error if the rank of `cga` is not 2.
    pub fn new(cga: CgaLayout, block_order: ScalesBlockOrder) -> Result<Self, EncodingError> {
        check_rank_2(&cga).of_rule("cga_layout_c1")?;
        Ok(Self { cga, block_order })
    }

    /// Returns the parameter `CGALayout`, which describes the distribution of the tensor over the CTAs of a
    /// cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    /// Returns the order in which blocks of scales are stored.
    #[must_use]
    pub fn block_order(&self) -> ScalesBlockOrder {
        self.block_order
    }

    /// Returns the rank of the tensor, which is 2.
    #[must_use]
    pub fn rank(&self) -> usize {
        2
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let mut tiling = start(SCALES, shape, &self.cga)?;
        tiling.lay(ROW, 32, 0);
        tiling.repeat(ROW, 4);
        tiling.lay(COL, 4, 1);
        tiling.lay(COL, 2, 0);
        match self.block_order {
            ScalesBlockOrder::MnThenK => tiling.fill(COL, [0, 1]),
            ScalesBlockOrder::KThenMn => {
                // The second half of a block of 128 rows may be missing.
                if tiling.limit(0) > tiling.used(0) {
                    tiling.lay(COL, 2, 0);
                }
                tiling.fill(COL, [1, 0]);
            }
        }
        tiling.lay_ctas(BLOCK, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut cga, mut order) = (None, ScalesBlockOrder::default());
        p.fields(b'<', b'>', |p, key| {
            match key {
                "CGALayout" => cga = Some(p.bases()?),
                "blockRepOrder" => {
                    order = match p.ident("`kThenMn` or `mnThenK`")? {
                        "kThenMn" => ScalesBlockOrder::KThenMn,
                        "mnThenK" => ScalesBlockOrder::MnThenK,
                        _ => return Err(p.error("`kThenMn` or `mnThenK`")),
                    }
                }
                _ => return unknown_key(SCALES, key, "`CGALayout`, `blockRepOrder`"),
            }
            Ok(())
        })?;
        let cga = CgaLayout::from_bases(2, &cga.unwrap_or_default())?;
        Ok(Self::new(cga, order)?.into())
    }
}

fn check_rank_2(cga: &CgaLayout) -> Result<(), EncodingError> {
    if cga.rank() == 2 {
        return Ok(());
    }
    let (what, found) = ("CGALayout", cga.rank());
    Err(EncodingError::new(EncodingErrorKind::RankUnsupported {
        what,
        found,
        expected: "2",
    }))
}

/// Returns an empty [`Tiling`] of a tensor with the shape `shape` that is split over the CTAs as `cga` describes. A
/// dim that is split into more parts than it has elements is enlarged until every part has an element. `family` is
/// the name of the encoding in error messages.
fn start(family: &'static str, shape: &[u64], cga: &CgaLayout) -> Result<Tiling, EncodingError> {
    let bits = shape_log2(family, 2, shape)?;
    let split = cga.split_log2();
    let limits = [0, 1].map(|d| bits[d].saturating_sub(split[d]));
    let mut tiling = Tiling::bare(&INS, 2);
    tiling.set_bits(&[limits[0] + split[0], limits[1] + split[1]]);
    tiling.set_limits(&limits);
    Ok(tiling)
}

impl fmt::Display for TensorMemoryEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            block_m,
            block_n,
            col_stride,
            ..
        } = self;
        write!(
            f,
            "#ttng.tensor_memory_encoding<blockM = {block_m}, blockN = {block_n}, colStride = {col_stride}"
        )?;
        fmt_cga(f, &self.cga)?;
        if self.two_ctas {
            f.write_str(", twoCTAs = true")?;
        }
        if self.fp4_padded {
            f.write_str(", fp4Padded = true")?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for TensorMemoryScalesEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#ttng.tensor_memory_scales_encoding<")?;
        let order = self.block_order == ScalesBlockOrder::KThenMn;
        if !self.cga.is_single() {
            write!(
                f,
                "CGALayout = {}{}",
                self.cga,
                if order { ", " } else { "" }
            )?;
        }
        if order {
            f.write_str("blockRepOrder = kThenMn")?;
        }
        f.write_str(">")
    }
}
