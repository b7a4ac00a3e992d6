//! `#ttg.dot_op`: the layout of an operand of a matrix product in registers.

use crate::number::narrow;
use core::fmt;
use std::sync::Arc;

use super::amd_mfma::LANES as MFMA_LANES;
use super::amd_wmma::AmdWmmaEncoding;
use super::blocked::matrix_order;
use super::cga::powers_of_two;
use super::error::{EncodingErrorKind, RuleLabel};
use super::nvidia_mma::lay_mma_tile;
use super::text::{Parser, require, unknown_key};
use super::tiling::{DISTRIBUTED, LANE, REGISTER, Tiling, WARP};
use super::{
    AmdMfmaEncoding, BlockedEncoding, CgaLayout, Encoding, EncodingError, Ints, MAX_RANK,
    NvidiaMmaEncoding,
};

const FAMILY: &str = "dot_op";

/// The encoding of operand A (`op_idx` 0) or B (`op_idx` 1) of a matrix product whose result has the encoding `parent`.
///
/// Warps that compute the same rows of the result hold copies of these rows of A, and warps that compute the same
/// columns hold copies of these columns of B. Along the summed dim K, a thread holds groups of `k_width` contiguous
/// elements.
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1), where K is dim1 of A and dim0 of B.
/// # Units
/// `k_width` counts elements. It is 0 if the parent is blocked, because each thread then holds all elements along K.
/// # Source
/// Triton's `DotOperandEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotOperandEncoding {
    op_idx: u32,
    parent: Arc<Encoding>,
    k_width: u32,
}

impl DotOperandEncoding {
    /// Returns the encoding of operand `op_idx` of a product whose result has the encoding `parent`.
    ///
    /// # Errors
    /// Returns an error if `op_idx` is not 0 or 1, the parent is neither blocked nor the encoding of a matrix
    /// instruction, or `k_width` is not valid for the parent.
    pub fn new(
        op_idx: u32,
        parent: impl Into<Arc<Encoding>>,
        k_width: u32,
    ) -> Result<Self, EncodingError> {
        let parent = parent.into();
        if op_idx > 1 {
            return Err(EncodingError::bad_value("opIdx", op_idx, "0 or 1").of_rule("dot_op_c1"));
        }
        let expected = match (&*parent, k_width) {
            (Encoding::NvidiaMma(_), 0) => "1 or more with an `nvidia_mma` parent",
            (Encoding::NvidiaMma(mma), _) if op_idx != 0 && mma.is_hopper() => {
                let expected =
                    "0 because an `nvidia_mma` parent of version 3 reads B from shared memory";
                return Err(
                    EncodingError::bad_value("opIdx", op_idx, expected).of_rule("dot_op_c3")
                );
            }
            (Encoding::AmdWmma(wmma), _) => match (wmma.version(), k_width) {
                (1, 8 | 16) | (2, 4 | 8 | 16) => "",
                (1, _) => "8 or 16 with an `amd_wmma` parent of version 1",
                (2, _) => "4, 8 or 16 with an `amd_wmma` parent of version 2",
                (_, 0) => "1 or more with an `amd_wmma` parent of version 3",
                _ => "",
            },
            (Encoding::AmdMfma(_), 0) => "1 or more with an `amd_mfma` parent",
            (Encoding::Blocked(_), 1..) => "0 with a `blocked` parent",
            (Encoding::NvidiaMma(_) | Encoding::AmdMfma(_) | Encoding::Blocked(_), _) => "",
            (other, _) => {
                return Err(EncodingError::new(EncodingErrorKind::WrongFamily {
                    what: "parent",
                    found: other.family(),
                    expected: "`blocked`, `nvidia_mma`, `amd_mfma` or `amd_wmma`",
                })
                .of_rule("dot_op_c2"));
            }
        };
        if !expected.is_empty() {
            return Err(EncodingError::bad_value("kWidth", k_width, expected).of_rule("dot_op_c4"));
        }
        Ok(Self {
            op_idx,
            parent,
            k_width,
        })
    }

    /// Returns the operand index: 0 for A, 1 for B.
    #[must_use]
    pub fn op_idx(&self) -> u32 {
        self.op_idx
    }

    /// Returns the encoding of the result of the matrix product.
    #[must_use]
    pub fn parent(&self) -> &Encoding {
        &self.parent
    }

    pub(crate) fn shared_parent(&self) -> &Arc<Encoding> {
        &self.parent
    }

    /// Returns the number of contiguous elements in a group along K, or 0 if the parent is blocked.
    #[must_use]
    pub fn k_width(&self) -> u32 {
        self.k_width
    }

    pub(crate) fn rank(&self) -> usize {
        self.parent.rank()
    }

    /// Returns the order of the dims: K first, then the other matrix dim, then the batch dim.
    pub(crate) fn order(&self) -> Ints {
        operand_order(self.op_idx, self.rank(), true)
    }

    pub(crate) fn k_dim(&self) -> usize {
        self.rank()
            .saturating_sub(if self.op_idx == 0 { 1 } else { 2 })
    }

    /// Returns the layout that splits the operand over the CTAs of a cluster. The operand is not split along K
    /// (dim1 of A, dim0 of B), so CTAs that differ only along this dim hold copies.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Encoding::cga_layout`] of the parent.
    pub fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        Ok(self.parent.cga_layout()?.broadcast_along(self.k_dim()))
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        if self.rank() < 2 {
            let reason = "`parent` has rank 1, expected 2 or more";
            return Err(EncodingError::no_layout(FAMILY, reason).of_rule("dot_op_c5"));
        }
        match &*self.parent {
            Encoding::Blocked(parent) => self.fma(parent, shape),
            Encoding::NvidiaMma(parent) => self.nvidia(parent, shape),
            Encoding::AmdMfma(parent) => self.mfma(parent, shape),
            Encoding::AmdWmma(parent) => self.wmma(parent, shape),
            other => Err(EncodingError::new(EncodingErrorKind::WrongFamily {
                what: "parent",
                found: other.family(),
                expected: "`blocked`, `nvidia_mma`, `amd_mfma` or `amd_wmma`",
            })
            .of_rule("dot_op_c2")),
        }
    }

    fn fma(&self, parent: &BlockedEncoding, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let cga = self.cga_layout()?;
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &cga)?;
        let k = self.k_dim();
        let dims = || parent.order().iter().map(|d| *d as usize);
        for dim in dims() {
            let size = if dim == k {
                shape[k]
            } else {
                u64::from(parent.size_per_thread()[dim])
            };
            tiling.lay(REGISTER, size, dim);
        }
        for (slot, sizes) in [
            (LANE, parent.threads_per_warp()),
            (WARP, parent.warps_per_cta()),
        ] {
            lay_with_copies(&mut tiling, slot, dims(), sizes, k);
        }
        tiling.fill(REGISTER, dims());
        tiling.lay_ctas(3, &cga);
        Ok(tiling)
    }

    fn nvidia(&self, parent: &NvidiaMmaEncoding, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let cga = self.cga_layout()?;
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &cga)?;
        powers_of_two("warpsPerCTA", parent.warps_per_cta()).of_rule("nvidia_mma_c3")?;
        let rank = self.rank();
        let order = self.order();
        let (k, other) = (order[0] as usize, order[1] as usize);
        let Some(instr_m) = parent.instr_shape().get(rank - 2).copied() else {
            let shape = Ints::collect(parent.instr_shape().iter().copied());
            let reason =
                format!("`instrShape` is {shape}, expected a size for each of {rank} dims");
            return Err(EncodingError::no_layout("nvidia_mma", reason).of_rule("nvidia_mma_c2"));
        };
        // Instructions for 64-bit elements have 8 rows, and half as many elements along K.
        let factor = if instr_m == 8 { 4 } else { 8 };
        let Some(k_tile) = self.k_width.checked_mul(factor) else {
            let most = u32::MAX / factor;
            let expected =
                format!("at most {most}, because {factor} * `kWidth` must fit into 32 bits");
            return Err(
                EncodingError::bad_value("kWidth", self.k_width, expected).of_rule("dot_op_c6")
            );
        };
        self.check_k_width()?;
        let other_size = if self.op_idx == 0 { instr_m } else { 8 };
        lay_mma_tile(&mut tiling, (other, other_size), (k, k_tile), self.k_width)
            .of_rule("nvidia_mma_c4")?;
        let warp_order = parent.warp_order();
        let warps = warp_order.iter().map(|d| *d as usize);
        lay_with_copies(&mut tiling, WARP, warps, parent.warps_per_cta(), k);
        tiling.fill(REGISTER, order.iter().map(|d| *d as usize));
        tiling.lay_ctas(3, &cga);
        Ok(tiling)
    }

    fn mfma(&self, parent: &AmdMfmaEncoding, shape: &[u64]) -> Result<Tiling, EncodingError> {
        // The operand is split over CTAs like the result.
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, parent.cga_layout())?;
        parent.check_layout()?;
        self.check_k_width()?;
        let order = self.order();
        let (k, other) = (order[0] as usize, order[1] as usize);
        let (m, n) = (parent.instr_shape()[0], parent.instr_shape()[1]);
        let size = if self.op_idx == 0 { m } else { n };
        tiling.lay(REGISTER, u64::from(self.k_width), k);
        tiling.lay(LANE, u64::from(size), other);
        tiling.lay(LANE, u64::from(MFMA_LANES / size), k);
        // The operand with the long side of a 64x4 product has 16 registers along K.
        if size == 64 {
            tiling.lay(REGISTER, 16, k);
        }
        tiling.lay_log2(
            REGISTER,
            narrow::<u8>(
                shape[k]
                    .trailing_zeros()
                    .saturating_sub(u32::from(tiling.used(k))),
            ),
            k,
        );
        tiling.lay(REGISTER, u64::from(parent.tiles_per_warp()[other]), other);
        for dim in matrix_order(self.rank(), true).iter().map(|d| *d as usize) {
            tiling.lay(WARP, u64::from(parent.warps_per_cta()[dim]), dim);
        }
        tiling.fill(REGISTER, order.iter().map(|d| *d as usize));
        tiling.lay_ctas(3, parent.cga_layout());
        Ok(tiling)
    }

    fn wmma(&self, parent: &AmdWmmaEncoding, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let cga = self.cga_layout()?;
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &cga)?;
        parent.check_layout()?;
        self.check_k_width()?;
        let order = self.order();
        let (k, other) = (order[0] as usize, order[1] as usize);
        tiling.lay(REGISTER, u64::from(self.k_width), k);
        tiling.lay(LANE, 16, other);
        if parent.version() == 1 {
            tiling.repeat(LANE, 2);
        } else {
            tiling.lay(LANE, 2, k);
        }
        // Half of an instruction's K is in the other half of the lanes, which hold copies in version 1.
        let own_k = u64::from(parent.instr_shape()[2] / 2);
        tiling.lay(REGISTER, own_k / u64::from(self.k_width), k);
        tiling.lay(
            REGISTER,
            u64::from(parent.operand_non_k(self.op_idx) / 16),
            other,
        );
        let mut tile = [0; MAX_RANK];
        tile[other] = tiling.used(other);
        parent.lay_cta(&mut tiling, &tile, Some(k));
        tiling.fill(REGISTER, order.iter().map(|d| *d as usize));
        tiling.lay_ctas(3, &cga);
        Ok(tiling)
    }

    fn check_k_width(&self) -> Result<(), EncodingError> {
        if self.k_width.is_power_of_two() {
            return Ok(());
        }
        let (what, value) = ("kWidth", u64::from(self.k_width));
        Err(EncodingError::new(EncodingErrorKind::NotPowerOfTwo {
            what,
            index: None,
            value,
        })
        .of_rule("dot_op_c6"))
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut op, mut parent, mut k_width) = (None, None, 0);
        p.dict(|p, key| {
            match key {
                "opIdx" => op = Some(p.number()?),
                "parent" => parent = Some(p.encoding()?),
                "kWidth" => k_width = p.number()?,
                _ => return unknown_key(FAMILY, key, "`opIdx`, `parent`, `kWidth`"),
            }
            Ok(())
        })?;
        let op = require(op, FAMILY, "opIdx")?;
        Ok(Self::new(op, require(parent, FAMILY, "parent")?, k_width)?.into())
    }
}

/// Returns the order of the dims of an operand, the fastest dim first. K is first if `k_first` is true, and second
/// otherwise; the batch dim is last.
pub(crate) fn operand_order(op_idx: u32, rank: usize, k_first: bool) -> Ints {
    matrix_order(rank, (op_idx == 1) != k_first)
}

/// Appends bits to the input dim `slot` of `tiling`, for each dim in `order`. The appended bits of a dim take
/// `sizes[dim]` values. Along the dim `k`, these values select copies of the same elements. Along any other dim,
/// they select different elements.
fn lay_with_copies(
    tiling: &mut Tiling,
    slot: usize,
    order: impl Iterator<Item = usize>,
    sizes: &[u32],
    k: usize,
) {
    for dim in order {
        if dim == k {
            tiling.repeat(slot, u64::from(sizes[dim]));
        } else {
            tiling.lay(slot, u64::from(sizes[dim]), dim);
        }
    }
}

impl fmt::Display for DotOperandEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.dot_op<{{opIdx = {}, parent = {}",
            self.op_idx, self.parent
        )?;
        if self.k_width != 0 {
            write!(f, ", kWidth = {}", self.k_width)?;
        }
        f.write_str("}>")
    }
}
