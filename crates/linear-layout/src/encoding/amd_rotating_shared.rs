//! `#ttg.amd_rotating_shared`: swizzled shared memory whose phase also rotates per block of rows.

use core::fmt;
use core::ops::Deref;

use super::error::{EncodingErrorKind, RuleLabel};
use super::swizzled_shared::SwizzleParameters;
use super::text::Parser;
use super::tiling::Tiling;
use super::{CgaLayout, Encoding, EncodingError};

const FAMILY: &str = "amd_rotating_shared";

/// The layout of a tensor in shared memory that is swizzled to spread both the rows and the blocks of rows over all
/// banks.
///
/// Row `r` has the phase `(r / per_phase) % max_phase`, and lies in block `r / per_phase / max_phase % max_phase`.
/// Column `c` of the row is stored at column `c ^ (vec * (phase ^ block))`.
/// # Shape
/// (offset, block) -> (dim0, dim1, ...).
/// # Units
/// The units are the same as in [`SwizzledSharedEncoding`](super::SwizzledSharedEncoding).
/// # Source
/// Triton's `AMDRotatingSharedEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AmdRotatingSharedEncoding {
    pub(super) swizzle: SwizzleParameters,
}

impl Deref for AmdRotatingSharedEncoding {
    type Target = SwizzleParameters;

    fn deref(&self) -> &SwizzleParameters {
        &self.swizzle
    }
}

/// Returns the label of the rule that this encoding breaks if it causes an error of the kind `kind`. Returns `None`
/// if the kind corresponds to no rule.
fn rules(kind: &EncodingErrorKind) -> Option<&'static str> {
    match kind {
        EncodingErrorKind::NotPermutation { .. } => Some("amd_rotating_shared_c1"),
        EncodingErrorKind::NoLayout { .. } => Some("amd_rotating_shared_c2"),
        _ => None,
    }
}

impl AmdRotatingSharedEncoding {
    /// Returns the encoding with the given swizzle parameters. `order` lists the dims, the fastest dim first.
    ///
    /// # Errors
    /// Returns an error if `order` is not a permutation, or the ranks of `order` and `cga` differ.
    pub fn new(
        vec: u32,
        per_phase: u32,
        max_phase: u32,
        order: &[u32],
        cga: CgaLayout,
    ) -> Result<Self, EncodingError> {
        Ok(Self {
            swizzle: SwizzleParameters::new([vec, per_phase, max_phase], order, cga)
                .of_rules(rules)?,
        })
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        let (per, max) = (u64::from(self.per_phase()), u64::from(self.max_phase()));
        // The pattern covers the whole tensor, of which a CTA keeps its part.
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
            swizzle: SwizzleParameters::parse(FAMILY, p).of_rules(rules)?,
        }
        .into())
    }
}

impl fmt::Display for AmdRotatingSharedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.swizzle.fmt(FAMILY, f)
    }
}
