//! `#ttg.amd_rotating_shared`: like swizzled rows, with another phase in every block of rows.

use core::fmt;
use core::ops::Deref;

use super::error::{Kind, OfRule};
use super::swizzled_shared::Swizzle;
use super::text::Parser;
use super::tiling::Tiling;
use super::{CgaLayout, Encoding, EncodingError};

const FAMILY: &str = "amd_rotating_shared";

/// A tensor in shared memory swizzled so that both rows and blocks of rows go over all banks.
///
/// Row `r` has phase `(r / per_phase) % max_phase`, in block `r / per_phase / max_phase % max_phase`,
/// and its column `c` is stored at column `c ^ (vec * (phase ^ block))`.
/// # Shape
/// (offset, block) -> (dim0, dim1, ...).
/// # Units
/// As for [`SwizzledSharedEncoding`](super::SwizzledSharedEncoding).
/// # Source
/// Triton's `AMDRotatingSharedEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AmdRotatingSharedEncoding {
    pub(super) swizzle: Swizzle,
}

impl Deref for AmdRotatingSharedEncoding {
    type Target = Swizzle;

    fn deref(&self) -> &Swizzle {
        &self.swizzle
    }
}

/// The rules that a swizzle can break.
fn rules(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::NotPermutation { .. } => Some("amd_rotating_shared_c1"),
        Kind::NoLayout { .. } => Some("amd_rotating_shared_c2"),
        _ => None,
    }
}

impl AmdRotatingSharedEncoding {
    /// Returns the encoding with this swizzle.
    ///
    /// # Errors
    /// When `order` is no permutation, or its rank differs from that of `cga`.
    pub fn new(
        vec: u32,
        per_phase: u32,
        max_phase: u32,
        order: &[u32],
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        Ok(Self {
            swizzle: Swizzle::new([vec, per_phase, max_phase], order, cga).of_rules(rules)?,
        })
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let (per, max) = (u64::from(self.per_phase()), u64::from(self.max_phase()));
        // The pattern is that of the whole tensor, of which a CTA keeps its part.
        let reach = if self.rank() == 1 {
            Tiling::limit
        } else {
            Tiling::bits
        };
        let phase = |row| ((row / per) % max) ^ (row / max / per % max);
        self.swizzle
            .lay(FAMILY, shape, reach, phase)
            .of_rules(rules)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        Ok(Self {
            swizzle: Swizzle::parse(FAMILY, p).of_rules(rules)?,
        }
        .into())
    }
}

impl fmt::Display for AmdRotatingSharedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.swizzle.fmt(FAMILY, f)
    }
}
