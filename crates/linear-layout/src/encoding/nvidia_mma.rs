//! `#ttg.nvidia_mma`: the layout of the accumulator of NVIDIA's `mma` and `wgmma` instructions.

use core::fmt;

use super::blocked::matrix_order;
use super::cga::{check_rank, fmt_cga, powers_of_two, same_rank};
use super::error::RuleLabel;
use super::text::{Parser, unknown_key};
use super::tiling::{DISTRIBUTED, LANE, REGISTER, Tiling, WARP};
use super::{CgaLayout, Encoding, EncodingError, Ints};

const FAMILY: &str = "nvidia_mma";
const KEYS: &str = "`versionMajor`, `versionMinor`, `warpsPerCTA`, `instrShape`, `CGALayout`";

/// The layout of the accumulator of NVIDIA's `mma.sync` (version 2) or `wgmma` (version 3) instructions.
///
/// In a 16x8 tile of version 2, each thread holds two adjacent elements of a row, and four threads cover a row. The
/// threads of rows 0 to 7 also hold rows 8 to 15. `T1` is thread 1:
/// ```text
/// row 0:  T0 T0 T1 T1 T2 T2 T3 T3
/// row 1:  T4 T4 T5 T5 ...
/// row 8:  T0 T0 T1 T1 ...          (registers 2 and 3)
/// ```
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1). If the rank is 3, dim0 is a batch dim, and the matrix dims
/// follow.
/// # Units
/// `instr_shape` counts elements. It contains one size per tensor dim for version 2, e.g. `[m, n]`, and `[m, n, k]`
/// for version 3. `m` and `n` are the sizes of the part of the result that one warp holds, and `k` is the length of
/// the sum. `warps_per_cta` counts warps.
/// # Source
/// Triton's `NvidiaMmaEncodingAttr`; PTX ISA, "Matrix fragments for mma.m16n8k16".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NvidiaMmaEncoding {
    version_major: u32,
    version_minor: u32,
    warps_per_cta: Ints,
    cga: CgaLayout,
    instr_shape: Ints,
}

impl NvidiaMmaEncoding {
    /// Returns the encoding of the result of the instruction with shape `instr_shape`, if a CTA has
    /// `warps_per_cta[i]` warps along dim `i`.
    ///
    /// As in Triton, an instruction shape for which no layout exists is accepted, e.g. if `n` is not a power of
    /// two. [`Encoding::to_linear_layout`](super::Encoding::to_linear_layout) then returns an error.
    /// # Errors
    /// Returns an error if the version is not 2 or 3, the rank is not 1 to 16, or the rank differs from the rank of
    /// `cga`.
    pub fn new(
        version_major: u32,
        version_minor: u32,
        warps_per_cta: &[u32],
        cga: CgaLayout,
        instr_shape: &[u32],
    ) -> Result<Self, EncodingError> {
        check_rank("warpsPerCTA", warps_per_cta.len())?;
        let of_cga = Ints::filled(0, cga.rank());
        same_rank("CGALayout", &of_cga, "warpsPerCTA", warps_per_cta).of_rule("cga_layout_c1")?;
        if !matches!(version_major, 2 | 3) {
            let expected = "2 for `mma` or 3 for `wgmma`";
            return Err(
                EncodingError::bad_value("versionMajor", version_major, expected)
                    .of_rule("nvidia_mma_c1"),
            );
        }
        Ok(Self {
            version_major,
            version_minor,
            warps_per_cta: Ints::from_slice(warps_per_cta)?,
            cga,
            instr_shape: Ints::from_slice(instr_shape)?,
        })
    }

    /// Returns the generation of the instruction: 2 for `mma`, 3 for `wgmma`.
    #[must_use]
    pub fn version_major(&self) -> u32 {
        self.version_major
    }

    /// Returns the minor version of the instruction, which is 1 on Turing.
    #[must_use]
    pub fn version_minor(&self) -> u32 {
        self.version_minor
    }

    /// Returns true for `mma.sync` (version 2), and false for `wgmma` (version 3).
    #[must_use]
    pub fn is_ampere(&self) -> bool {
        self.version_major == 2
    }

    pub(crate) fn is_hopper(&self) -> bool {
        self.version_major == 3
    }

    /// Returns the number of warps of a CTA along each dim.
    #[must_use]
    pub fn warps_per_cta(&self) -> &[u32] {
        &self.warps_per_cta
    }

    /// Returns the shape of the instruction in elements, `[m, n]` or `[m, n, k]`.
    #[must_use]
    pub fn instr_shape(&self) -> &[u32] {
        &self.instr_shape
    }

    /// Returns the parameter `CGALayout`, which describes the distribution of the tensor over the CTAs of a
    /// cluster.
    #[must_use]
    pub fn cga_layout(&self) -> &CgaLayout {
        &self.cga
    }

    pub(crate) fn rank(&self) -> usize {
        self.warps_per_cta.len()
    }

    pub(crate) fn warp_order(&self) -> Ints {
        matrix_order(self.rank(), !self.is_hopper())
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let rank = self.rank();
        let mut tiling = Tiling::new(FAMILY, &DISTRIBUTED, shape, &self.cga)?;
        let tile = match self.is_hopper() {
            true => self.instr_shape.get(..2).unwrap_or_default(),
            false => &self.instr_shape[..],
        };
        if rank < 2 || tile.len() != rank {
            return Err(no_layout(format!(
                "`instrShape` is {}, expected a size for each of {} dims",
                self.instr_shape,
                rank.max(2)
            ))
            .of_rule("nvidia_mma_c2"));
        }
        powers_of_two("warpsPerCTA", &self.warps_per_cta).of_rule("nvidia_mma_c3")?;
        let order = matrix_order(rank, true);
        let (inner, outer) = (order[0] as usize, order[1] as usize);
        lay_mma_tile(&mut tiling, (outer, tile[outer]), (inner, tile[inner]), 2)
            .of_rule("nvidia_mma_c4")?;
        for dim in self.warp_order().iter().map(|d| *d as usize) {
            tiling.lay(WARP, u64::from(self.warps_per_cta[dim]), dim);
        }
        tiling.fill(REGISTER, order.iter().map(|d| *d as usize));
        tiling.lay_ctas(3, &self.cga);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut major, mut minor) = (0, 0);
        let (mut warps, mut instr, mut cga) = (Ints::new(), Ints::new(), None);
        p.dict(|p, key| {
            match key {
                "versionMajor" => major = p.number()?,
                "versionMinor" => minor = p.number()?,
                "warpsPerCTA" => warps = p.numbers()?,
                "instrShape" => instr = p.numbers()?,
                "CGALayout" => cga = Some(p.bases()?),
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        check_rank("warpsPerCTA", warps.len())?;
        let cga = CgaLayout::from_bases(warps.len(), &cga.unwrap_or_default())?;
        Ok(Self::new(major, minor, &warps, cga, &instr)?.into())
    }
}

#[cold]
fn no_layout(reason: String) -> EncodingError {
    EncodingError::no_layout(FAMILY, reason)
}

/// Appends one tile of `mma` fragments to `tiling`. The tile has `outer_size` elements along dim `outer`, and
/// `inner_size` elements along dim `inner`. It consists of these factors, the fastest first:
/// - `k_width` registers along `inner`,
/// - 4 lanes along `inner`,
/// - 8 lanes along `outer`,
/// - `outer_size / 8` registers along `outer`,
/// - `inner_size / (4 * k_width)` registers along `inner`.
pub(crate) fn lay_mma_tile(
    tiling: &mut Tiling,
    (outer, outer_size): (usize, u32),
    (inner, inner_size): (usize, u32),
    k_width: u32,
) -> Result<(), EncodingError> {
    let unit = k_width.checked_mul(4).filter(|_| k_width.is_power_of_two());
    let is_power = |reps: u32| reps == 0 || reps.is_power_of_two();
    let reps = match unit {
        Some(unit)
            if outer_size % 8 == 0
                && inner_size % unit == 0
                && is_power(outer_size / 8)
                && is_power(inner_size / unit) =>
        {
            (outer_size / 8, inner_size / unit)
        }
        _ => {
            return Err(no_layout(format!(
                "a tile is {outer_size} by {inner_size} elements, expected powers of two, at least 8 by {}",
                4 * u64::from(k_width)
            )));
        }
    };
    tiling.lay(REGISTER, u64::from(k_width), inner);
    tiling.lay(LANE, 4, inner);
    tiling.lay(LANE, 8, outer);
    tiling.lay(REGISTER, u64::from(reps.0), outer);
    tiling.lay(REGISTER, u64::from(reps.1), inner);
    Ok(())
}

impl fmt::Display for NvidiaMmaEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = {}, warpsPerCTA = {}",
            self.version_major, self.version_minor, self.warps_per_cta
        )?;
        fmt_cga(f, &self.cga)?;
        write!(f, ", instrShape = {}}}>", self.instr_shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::tiling::DISTRIBUTED;
    use crate::layout::Dim;

    fn tile(outer: u32, inner: u32, k_width: u32) -> Result<[Vec<u64>; 2], EncodingError> {
        let mut tiling = Tiling::bare(&DISTRIBUTED, 2);
        tiling.set_bits(&[8, 8]);
        lay_mma_tile(&mut tiling, (0, outer), (1, inner), k_width)?;
        let layout = tiling.into_layout()?;
        Ok([Dim::REGISTER, Dim::LANE].map(|dim| layout.columns_of(dim).to_vec()))
    }

    const fn row(row: u64) -> u64 {
        row
    }

    const fn column(column: u64) -> u64 {
        column << 8
    }

    #[test]
    fn a_tile_repeats_rows_then_columns() {
        let lanes = |width| {
            let across = [column(width), column(2 * width)];
            [&across[..], &[row(1), row(2), row(4)]].concat()
        };
        let check = |(outer, inner, k_width), registers: &[u64]| {
            let expected = [registers.to_vec(), lanes(u64::from(k_width))];
            assert_eq!(tile(outer, inner, k_width).unwrap(), expected);
        };
        check((8, 8, 2), &[column(1)]);
        check((16, 8, 2), &[column(1), row(8)]);
        check((8, 16, 2), &[column(1), column(8)]);
        check(
            (32, 32, 2),
            &[column(1), row(8), row(16), column(8), column(16)],
        );
        check((16, 16, 1), &[row(8), column(4), column(8)]);
        check((8, 64, 16), &[column(1), column(2), column(4), column(8)]);
        // A tile without rows or columns has only the fragment.
        check((0, 8, 2), &[column(1)]);
        check((8, 0, 2), &[column(1)]);
    }

    #[test]
    fn a_tile_that_no_fragments_fill_is_an_error() {
        for (outer, inner, k_width) in [
            (4, 8, 2),
            (12, 8, 2),
            (24, 8, 2),
            (8, 4, 2),
            (8, 12, 2),
            (8, 24, 2),
            (8, 12, 3),
            (8, 8, 0),
            (8, 8, 1 << 31),
        ] {
            let error = tile(outer, inner, k_width).unwrap_err().to_string();
            let found = format!("a tile is {outer} by {inner} elements, expected powers of two");
            assert!(error.contains(&found), "{error}");
        }
    }
}
