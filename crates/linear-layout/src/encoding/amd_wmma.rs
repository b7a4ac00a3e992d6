//! `#ttg.amd_wmma`: the layout of the accumulator of AMD's RDNA and gfx1250 matrix instructions.

use crate::number::narrow;
use core::fmt;
use std::sync::Arc;

use super::blocked::matrix_order;
use super::cga::{explicit_rank, fmt_cga};
use super::error::{EncodingErrorKind, RuleLabel};
use super::linear::{check_dims, fmt_bases, layout_from_bases, surjective};
use super::text::{Parser, RawBases, require, unknown_key};
use super::tiling::{DISTRIBUTED, LANE, REGISTER, Tiling, WARP};
use super::{CgaLayout, Encoding, EncodingError, Ints, MAX_RANK};
use crate::layout::{Dim, LinearLayout};

const FAMILY: &str = "amd_wmma";
const KEYS: &str = "`version`, `rank`, `isTranspose`, `instrShape`, `CGALayout`, `ctaLayout`";
const DEFAULT_INSTR_SHAPE: [u32; 3] = [16, 16, 16];

/// The layout of the accumulator of AMD's `v_wmma` instructions, which a warp of 32 lanes executes.
///
/// In a 16x16 tile that is not transposed, lane `l` holds elements of column `l % 16`. In version 2, the registers of
/// lanes 0 to 15 hold rows 0 to 7, and the registers of lanes 16 to 31 hold rows 8 to 15. In version 1, lanes 0 to 15
/// hold the even rows, and lanes 16 to 31 hold the odd rows.
///
/// `ctaLayout` distributes the tiles over registers and warps, in units of tiles: `{warp = [[0, 1], [1, 0]]}` puts warp
/// 1 to the right of warp 0 and warp 2 below warp 0.
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1). If the rank is 3, dim0 is a batch dim, and the matrix dims follow.
/// # Source
/// Triton's `AMDWmmaEncodingAttr`; the RDNA3, RDNA4 and gfx1250 instruction set guides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AmdWmmaEncoding {
    version: u32,
    cta_layout: Arc<LinearLayout>,
    is_transposed: bool,
    cga: CgaLayout,
    instr_shape: Ints,
}

impl AmdWmmaEncoding {
    /// Returns the encoding of the result of the `v_wmma` instruction with shape `instr_shape`. `cta_layout`
    /// distributes the instruction tiles over registers and warps.
    ///
    /// # Errors
    /// Returns an error if the version is not 1 to 3, if the version has no instruction of this shape, if the ranks
    /// differ, or if `cta_layout` is not a surjective map from (register, warp) to (dim0, dim1, ...).
    pub fn new(
        version: u32,
        cta_layout: LinearLayout,
        is_transposed: bool,
        cga: CgaLayout,
        instr_shape: &[u32],
    ) -> Result<Self, EncodingError> {
        let (family, shape) = (FAMILY, Ints::from_slice(instr_shape)?);
        let exists = match (version, instr_shape) {
            (1, [16, 16, 16]) | (2, [16, 16, 16 | 32]) => Ok(()),
            (3, [16, 16, 4 | 32 | 64 | 128] | [32, 16, 64 | 128]) => Ok(()),
            (1, _) => Err("[16, 16, 16] in version 1"),
            (2, _) => Err("[16, 16, 16] or [16, 16, 32] in version 2"),
            (3, _) => Err("[16, 16, 4|32|64|128] or [32, 16, 64|128] in version 3"),
            _ => {
                return Err(EncodingError::bad_value("version", version, "1, 2 or 3")
                    .of_rule("amd_wmma_c1"));
            }
        };
        if let Err(expected) = exists {
            return Err(EncodingError::new(EncodingErrorKind::BadInstruction {
                family,
                shape,
                expected,
            })
            .of_rule("amd_wmma_c2"));
        }
        let what = "ctaLayout";
        check_dims(
            what,
            &cta_layout,
            &[Dim::REGISTER, Dim::WARP],
            "register, warp -> dim0, dim1, ...",
        )
        .of_rule("amd_wmma_c3")?;
        surjective(what, &cta_layout).of_rule("amd_wmma_c5")?;
        if cta_layout.num_out_dims() != cga.rank() {
            return Err(EncodingError::new(EncodingErrorKind::RankMismatch {
                what,
                found: cta_layout.num_out_dims(),
                than: "CGALayout",
                expected: cga.rank(),
            })
            .of_rule("amd_wmma_c4"));
        }
        let cta_layout = Arc::new(cta_layout);
        Ok(Self {
            version,
            cta_layout,
            is_transposed,
            cga,
            instr_shape: shape,
        })
    }

    /// Returns the generation of the instruction set: 1 for RDNA3, 2 for RDNA4, 3 for gfx1250.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Returns the parameter `ctaLayout`, which maps registers and warps to tiles, in units of tiles.
    #[must_use]
    pub fn cta_layout(&self) -> &LinearLayout {
        &self.cta_layout
    }

    /// Returns true if the registers of a thread hold different columns of a tile, and false if they hold different
    /// rows.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        self.is_transposed
    }

    /// Returns the shape `[m, n, k]` of the instruction, in elements.
    #[must_use]
    pub fn instr_shape(&self) -> &[u32] {
        &self.instr_shape
    }

    /// Returns the parameter `CGALayout`, which splits the tensor over the CTAs of a cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    pub(crate) fn rank(&self) -> usize {
        self.cga.rank()
    }

    /// Returns true if `self` and `other` are equal apart from `CGALayout`.
    #[must_use]
    pub fn is_same_in_cta(&self, other: &Self) -> bool {
        let split = Self {
            cga: other.cga,
            ..self.clone()
        };
        split == *other
    }

    pub(crate) fn check_layout(&self) -> Result<(), EncodingError> {
        if matches!(self.rank(), 2 | 3) {
            return Ok(());
        }
        let reason = format!(
            "`ctaLayout` has rank {}, expected 2, or 3 with a batch dim",
            self.rank()
        );
        Err(EncodingError::no_layout(FAMILY, reason).of_rule("amd_wmma_c6"))
    }

    /// Returns the size of an instruction tile along the dim of operand A (`op` 0) or B (`op` 1) that is not K.
    /// This size is m for A, and n for B. A transposed instruction swaps the operands, so m and n are swapped.
    pub(crate) fn operand_non_k(&self, op: u32) -> u32 {
        let (m, n) = (self.instr_shape[0], self.instr_shape[1]);
        // A transposed product of unequal sizes swaps its operands.
        if (op == 0) != (self.is_transposed && m != n) {
            m
        } else {
            n
        }
    }

    /// Appends the bases of `ctaLayout` to `tiling`. These bases count tiles, and are converted to elements: a tile
    /// has `2^tile[d]` elements along dim `d`. Steps along the dim `skip` become zero. If `skip` is given, register
    /// bases without a step along another dim are omitted.
    pub(crate) fn lay_cta(&self, tiling: &mut Tiling, tile: &[u8], skip: Option<usize>) {
        let cta = &*self.cta_layout;
        for (slot, ind) in [(REGISTER, Dim::REGISTER), (WARP, Dim::WARP)] {
            for bit in 0..cta.in_bits(ind) {
                let basis = cta.basis(ind, bit);
                let parts = basis
                    .iter()
                    .enumerate()
                    .filter(|(d, v)| Some(*d) != skip && *v != 0);
                let (mut column, mut moves) = (0, false);
                for (dim, value) in parts {
                    column |= tiling.component_in_cta(dim, value << tile[dim]);
                    moves = true;
                }
                // Tiles that differ only along the summed dim would be copies of an operand.
                if moves || slot != REGISTER || skip.is_none() {
                    tiling.push(slot, column);
                }
            }
        }
        for dim in (0..self.rank()).filter(|d| Some(*d) != skip) {
            tiling.advance(dim, narrow(cta.out_bits(Dim::out(dim))));
        }
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &self.cga)?;
        self.check_layout()?;
        let rank = self.rank();
        // Adjacent lanes step along `wide`, registers of a thread along `tall`.
        let order = matrix_order(rank, !self.is_transposed);
        let (wide, tall) = (order[0] as usize, order[1] as usize);
        let double = self.instr_shape[0] == 32;
        let (registers, lane): (&[u8], u8) = match (self.version, double) {
            (1, _) => (&[1, 2, 3], 0),
            (_, false) => (&[0, 1, 2], 3),
            (_, true) => (&[0, 1, 2, 4], 3),
        };
        for bit in registers {
            tiling.push_bit_in_cta(REGISTER, tall, *bit);
        }
        tiling.lay(LANE, 16, wide);
        tiling.push_bit_in_cta(LANE, tall, lane);
        tiling.advance(tall, if double { 5 } else { 4 });
        let mut tile = [0; MAX_RANK];
        tile[wide] = tiling.used(wide);
        tile[tall] = tiling.used(tall);
        self.lay_cta(&mut tiling, &tile, None);
        tiling.fill(
            REGISTER,
            matrix_order(rank, true).iter().map(|d| *d as usize),
        );
        tiling.lay_ctas(3, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut version, mut rank, mut transposed) = (0, None, false);
        let mut instr = Ints::from_slice(&DEFAULT_INSTR_SHAPE)?;
        let (mut cta, mut cga) = (None, None);
        p.dict(|p, key| {
            match key {
                "version" => version = p.number()?,
                "rank" => rank = Some(p.number()?),
                "isTranspose" => transposed = p.boolean()?,
                "instrShape" => instr = p.numbers()?,
                "CGALayout" => cga = Some(p.bases()?),
                "ctaLayout" => {
                    let (mut register, mut warp) = (None, None);
                    p.fields(b'{', b'}', |p, key| {
                        match key {
                            "register" => register = Some(p.bases()?),
                            "warp" => warp = Some(p.bases()?),
                            _ => {
                                return unknown_key("ctaLayout", key, "`register`, `warp`")
                                    .of_rule("amd_wmma_c3");
                            }
                        }
                        Ok(())
                    })?;
                    cta = Some((register.unwrap_or_default(), warp));
                }
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        // Triton prints neither the rank nor empty lists of bases, so the text may lack them.
        let (register, warp): (RawBases, Option<RawBases>) =
            require(cta, FAMILY, "ctaLayout").of_rule("amd_wmma_c3")?;
        let bases = [register, warp.unwrap_or_default()];
        let written = bases.iter().flatten().next().map(|b| b.len());
        let rank = explicit_rank(rank)?.or(written).unwrap_or(2);
        let cta = layout_from_bases("ctaLayout", &[Dim::REGISTER, Dim::WARP], &bases, rank)
            .of_rules(|kind| match kind {
                EncodingErrorKind::BasisLength { .. } => Some("amd_wmma_c4"),
                EncodingErrorKind::NotSurjective { .. } => Some("amd_wmma_c5"),
                _ => None,
            })?;
        let cga = CgaLayout::from_bases(rank, &cga.unwrap_or_default())?;
        Ok(Self::new(version, cta, transposed, cga, &instr)?.into())
    }
}

impl fmt::Display for AmdWmmaEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, transposed) = (self.version, self.is_transposed);
        write!(
            f,
            "#ttg.amd_wmma<{{version = {version}, isTranspose = {transposed}, ctaLayout = {{"
        )?;
        fmt_bases(f, &self.cta_layout, |dim| self.cta_layout.in_bits(dim) == 0)?;
        f.write_str("}")?;
        fmt_cga(f, &self.cga)?;
        if self.cta_layout.total_in_bits() == 0 && self.rank() != 2 {
            write!(f, ", rank = {}", self.rank())?;
        }
        if *self.instr_shape != DEFAULT_INSTR_SHAPE {
            write!(f, ", instrShape = {}", self.instr_shape)?;
        }
        f.write_str("}>")
    }
}
