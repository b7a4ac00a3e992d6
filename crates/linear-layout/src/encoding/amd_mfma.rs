//! `#ttg.amd_mfma`: the layout of the accumulator of AMD's CDNA matrix instructions.

use crate::number::narrow;
use core::fmt;

use super::blocked::matrix_order;
use super::cga::{check_rank, fmt_cga, powers_of_two, same_rank};
use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, require, unknown_key};
use super::tiling::{DISTRIBUTED, LANE, REGISTER, Tiling, WARP};
use super::{CgaLayout, Encoding, EncodingError, Ints};

const FAMILY: &str = "amd_mfma";
const KEYS: &str = "`version`, `warpsPerCTA`, `instrShape`, `isTransposed`, `CGALayout`, `tilesPerWarp`, `elementBitWidth`";
pub(crate) const LANES: u32 = 64;

/// The layout of the accumulator of AMD's `v_mfma` instructions, which a wavefront of 64 lanes executes.
///
/// In a 16x16 tile of 32-bit elements that is not transposed, lane `l` holds elements of column `l % 16`. Each group of
/// 16 lanes holds four rows, one row in each register:
/// ```text
/// rows 0..4:   lanes  0..16      rows 8..12:  lanes 32..48
/// rows 4..8:   lanes 16..32      rows 12..16: lanes 48..64
/// ```
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1). If the rank is 3, dim0 is a batch dim, and the matrix dims follow.
/// # Units
/// `instr_shape` is `[m, n, k]` in elements, and `tiles_per_warp` counts instruction tiles.
/// # Source
/// Triton's `AMDMfmaEncodingAttr`; the CDNA instruction set guides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AmdMfmaEncoding {
    version: u32,
    warps_per_cta: Ints,
    instr_shape: Ints,
    is_transposed: bool,
    cga: CgaLayout,
    tiles_per_warp: Ints,
    element_width_bits: u32,
}

impl AmdMfmaEncoding {
    /// Returns the encoding of the result of the `v_mfma` instruction with shape `instr_shape`. An empty
    /// `tiles_per_warp` means one tile along each dim.
    ///
    /// # Errors
    /// Returns an error if the version is above 4, the tile is not 32x32, 16x16, 64x4 or 4x64, elements have neither 32
    /// nor 64 bits, or the ranks differ.
    pub fn new(
        version: u32,
        warps_per_cta: &[u32],
        instr_shape: &[u32],
        is_transposed: bool,
        cga: CgaLayout,
        tiles_per_warp: &[u32],
        element_width_bits: u32,
    ) -> Result<Self, EncodingError> {
        check_rank("warpsPerCTA", warps_per_cta.len())?;
        let of_cga = Ints::filled(0, cga.rank());
        same_rank("CGALayout", &of_cga, "warpsPerCTA", warps_per_cta).of_rule("cga_layout_c1")?;
        if version > 4 {
            return Err(
                EncodingError::bad_value("version", version, "0 to 4").of_rule("amd_mfma_c1")
            );
        }
        let shape = Ints::from_slice(instr_shape)?;
        if !matches!(
            instr_shape,
            [32, 32, ..] | [16, 16, ..] | [64, 4, ..] | [4, 64, ..]
        ) {
            let expected = "[32, 32, k], [16, 16, k], [64, 4, k] or [4, 64, k]";
            return Err(EncodingError::new(EncodingErrorKind::BadInstruction {
                family: FAMILY,
                shape,
                expected,
            })
            .of_rule("amd_mfma_c2"));
        }
        if !matches!(element_width_bits, 32 | 64) {
            let what = "elementBitWidth";
            return Err(
                EncodingError::bad_value(what, element_width_bits, "32 or 64")
                    .of_rule("amd_mfma_c3"),
            );
        }
        // One tile along each dim is the default, even if the length of the list is not the rank.
        let tiles_per_warp = match tiles_per_warp.iter().all(|t| *t == 1) {
            true => Ints::filled(1, instr_shape.len().max(3)),
            false => Ints::from_slice(tiles_per_warp)?,
        };
        Ok(Self {
            version,
            warps_per_cta: Ints::from_slice(warps_per_cta)?,
            instr_shape: shape,
            is_transposed,
            cga,
            tiles_per_warp,
            element_width_bits,
        })
    }

    /// Returns the generation of the instruction set: 1 for gfx908, 2 for gfx90a, 3 for gfx942, 4 for gfx950.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Returns the number of warps of a CTA along each dim.
    #[must_use]
    pub fn warps_per_cta(&self) -> &[u32] {
        &self.warps_per_cta
    }

    /// Returns the shape `[m, n, k]` of the instruction, in elements.
    #[must_use]
    pub fn instr_shape(&self) -> &[u32] {
        &self.instr_shape
    }

    /// Returns true if the registers of a thread hold different columns of a tile, and false if they hold different
    /// rows.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        self.is_transposed
    }

    /// Returns the number of adjacent instruction tiles that a warp holds along each dim.
    #[must_use]
    pub fn tiles_per_warp(&self) -> &[u32] {
        &self.tiles_per_warp
    }

    /// Returns the width of an accumulator element in bits, 32 or 64.
    #[must_use]
    pub fn element_width_bits(&self) -> u32 {
        self.element_width_bits
    }

    /// Returns the parameter `CGALayout`, which splits the tensor over the CTAs of a cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    pub(crate) fn rank(&self) -> usize {
        self.warps_per_cta.len()
    }

    /// Checks the rules that only a conversion to a linear layout requires. [`new`](Self::new) does not check them.
    pub(crate) fn check_layout(&self) -> Result<(), EncodingError> {
        let (rank, tiles) = (self.rank(), self.tiles_per_warp);
        if !matches!(rank, 2 | 3) {
            let reason =
                format!("`warpsPerCTA` has rank {rank}, expected 2, or 3 with a batch dim");
            return Err(EncodingError::no_layout(FAMILY, reason).of_rule("amd_mfma_c4"));
        }
        if tiles.len() < rank {
            let reason =
                format!("`tilesPerWarp` is {tiles}, expected a number for each of {rank} dims");
            return Err(EncodingError::no_layout(FAMILY, reason).of_rule("amd_mfma_c5"));
        }
        powers_of_two("warpsPerCTA", &self.warps_per_cta).of_rule("amd_mfma_c6")?;
        powers_of_two("tilesPerWarp", &tiles[..rank]).of_rule("amd_mfma_c6")
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &self.cga)?;
        self.check_layout()?;
        let rank = self.rank();
        let (dim_m, dim_n) = (rank - 2, rank - 1);
        let (m, n) = (self.instr_shape[0], self.instr_shape[1]);
        if (m, n) == (64, 4) && !self.is_transposed {
            let reason = "`isTransposed` is false, expected true because the 64x4 instruction swaps the \
                          operands";
            return Err(EncodingError::no_layout(FAMILY, reason).of_rule("amd_mfma_c7"));
        }
        // Registers of a thread step along `tall`, adjacent lanes along `wide`.
        let (tall, wide, wide_size) = if self.is_transposed {
            (dim_n, dim_m, m)
        } else {
            (dim_m, dim_n, n)
        };
        let height = if self.element_width_bits == 64 { 1 } else { 4 };
        tiling.lay(REGISTER, u64::from(height), tall);
        tiling.lay(LANE, u64::from(wide_size), wide);
        tiling.lay(LANE, u64::from(LANES / wide_size), tall);
        tiling.lay(REGISTER, u64::from(m * n / (LANES * height)), tall);
        // The tiles cover all columns of the tensor before the next row of tiles begins. The lowering of `dot` relies
        // on this order.
        let [tiles_m, tiles_n] = [self.tiles_per_warp[dim_m], self.tiles_per_warp[dim_n]];
        let [warps_m, warps_n] = [self.warps_per_cta[dim_m], self.warps_per_cta[dim_n]];
        tiling.lay(REGISTER, u64::from(tiles_n), dim_n);
        tiling.lay(WARP, u64::from(warps_n), dim_n);
        let covered = u128::from(n) * u128::from(tiles_n) * u128::from(warps_n);
        tiling.lay(REGISTER, narrow(u128::from(shape[dim_n]) / covered), dim_n);
        tiling.lay(REGISTER, u64::from(tiles_m), dim_m);
        tiling.lay(WARP, u64::from(warps_m), dim_m);
        if rank == 3 {
            tiling.lay(WARP, u64::from(self.warps_per_cta[0]), 0);
        }
        tiling.fill(
            REGISTER,
            matrix_order(rank, true).iter().map(|d| *d as usize),
        );
        tiling.lay_ctas(3, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut version, mut width, mut transposed) = (0, 32, None);
        let (mut warps, mut instr, mut tiles) = (Ints::new(), Ints::new(), Ints::new());
        let mut cga = None;
        p.dict(|p, key| {
            match key {
                "version" => version = p.number()?,
                "warpsPerCTA" => warps = p.numbers()?,
                "instrShape" => instr = p.numbers()?,
                "isTransposed" => transposed = Some(p.boolean()?),
                "CGALayout" => cga = Some(p.bases()?),
                "tilesPerWarp" => tiles = p.numbers()?,
                "elementBitWidth" => width = p.number()?,
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        check_rank("warpsPerCTA", warps.len())?;
        let cga = CgaLayout::from_bases(warps.len(), &cga.unwrap_or_default())?;
        let transposed = require(transposed, FAMILY, "isTransposed")?;
        Ok(Self::new(version, &warps, &instr, transposed, cga, &tiles, width)?.into())
    }
}

impl fmt::Display for AmdMfmaEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.amd_mfma<{{version = {}, warpsPerCTA = {}, instrShape = {}, isTransposed = {}",
            self.version, self.warps_per_cta, self.instr_shape, self.is_transposed
        )?;
        fmt_cga(f, &self.cga)?;
        if self.tiles_per_warp.iter().any(|t| *t != 1) {
            write!(f, ", tilesPerWarp = {}", self.tiles_per_warp)?;
        }
        if self.element_width_bits != 32 {
            write!(f, ", elementBitWidth = {}", self.element_width_bits)?;
        }
        f.write_str("}>")
    }
}
