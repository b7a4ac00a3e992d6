//! `#tilus.register`: register layouts of Tilus.

use core::fmt;
use std::sync::Arc;

use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, QuotedText, unknown_key};
use super::tiling::Tiling;
use super::{CgaLayout, Encoding, EncodingError, LinearEncoding};
use crate::bridge::linear_from_tilus;
use crate::layout::LinearLayout;
use crate::tilus::RegisterLayout;

const FAMILY: &str = "tilus.register";
/// Default number of lanes of a warp.
pub(super) const THREADS_PER_WARP: u32 = 32;

/// A register layout of Tilus in which the extents of all modes are powers of two.
///
/// For example, `local(2, 1).spatial(8, 4).local(1, 2)` is the layout in which a 16x8 matrix instruction returns
/// its result. Lane 5 holds the elements (1, 2), (1, 3), (9, 2) and (9, 3). The lane is the low-order digit of a
/// thread number, and the warp is the high-order digit.
///
/// If the shape of a tensor differs from the layout's shape, the layout is extended or cut in the same way as a
/// [`LinearEncoding`] that has the same bases.
/// ```
/// use linear_layout::encoding::Encoding;
/// use linear_layout::layout::Dim;
/// let text = "#tilus.register<\"local(2, 1).spatial(8, 4).local(1, 2)\">";
/// let encoding: Encoding = text.parse()?;
/// assert_eq!(encoding.to_string(), text);
/// assert_eq!(encoding.to_linear_layout(&[16, 8])?.basis(Dim::LANE, 0), [0, 2]);
/// # Ok::<(), linear_layout::encoding::EncodingError>(())
/// ```
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1, ...). There is one CTA.
/// # Source
/// Tilus 0.2.0, `RegisterLayout`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TilusEncoding {
    text: Arc<str>,
    layout: Arc<RegisterLayout>,
    threads_per_warp: u32,
    linear: LinearEncoding,
}

impl TilusEncoding {
    /// Returns the encoding for the Tilus layout `layout`. Each warp consists of `threads_per_warp` consecutive
    /// threads.
    ///
    /// # Errors
    /// Returns an error if the extent of a mode, a replication or the number of lanes is not a power of two, or the
    /// layout has more dims or bits than a linear layout supports.
    pub fn new(layout: RegisterLayout, threads_per_warp: u32) -> Result<Self, EncodingError> {
        let text = layout.to_string();
        Self::with_text(&QuotedText { text: &text, at: 0 }, layout, threads_per_warp)
    }

    fn with_text(
        quoted: &QuotedText<'_>,
        layout: RegisterLayout,
        threads_per_warp: u32,
    ) -> Result<Self, EncodingError> {
        check_threads("tilus_register_c3", threads_per_warp)?;
        let linear: LinearLayout = linear_from_tilus(&layout, threads_per_warp.into())
            .map_err(|e| quoted.error(None, &e).of_rule("tilus_register_c2"))?;
        let linear = LinearEncoding::new(linear)
            .map_err(|e| quoted.error(None, &e).of_rule("tilus_register_c2"))?;
        Ok(Self {
            text: quoted.text.into(),
            layout: Arc::new(layout),
            threads_per_warp,
            linear,
        })
    }

    /// Returns the Tilus layout.
    #[must_use]
    pub fn layout(&self) -> &RegisterLayout {
        &self.layout
    }

    pub(crate) fn threads_per_warp(&self) -> u32 {
        self.threads_per_warp
    }

    pub(crate) fn rank(&self) -> usize {
        self.layout.rank()
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        self.linear.cga_layout()
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        self.linear.tiling_as(FAMILY, shape)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let mut threads = THREADS_PER_WARP;
        p.expect(b'<', "`<`")?;
        let quoted = p.quoted("a register layout in quotes")?;
        p.further_fields(|p, key| {
            match key {
                "threadsPerWarp" => threads = p.number()?,
                _ => return unknown_key(FAMILY, key, "`threadsPerWarp`"),
            }
            Ok(())
        })?;
        let layout: RegisterLayout =
            quoted.text.parse().map_err(|e: crate::tilus::TilusError| {
                quoted
                    .error(e.parse_offset(), &e)
                    .of_rule("tilus_register_c1")
            })?;
        Ok(Self::with_text(&quoted, layout, threads)?.into())
    }
}

impl fmt::Display for TilusEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#tilus.register<\"{}\"", self.text)?;
        if self.threads_per_warp != THREADS_PER_WARP {
            write!(f, ", threadsPerWarp = {}", self.threads_per_warp)?;
        }
        f.write_str(">")
    }
}

/// Returns an error with the label `rule` if the number of lanes is not a power of two.
pub(super) fn check_threads(
    rule: &'static str,
    threads_per_warp: u32,
) -> Result<(), EncodingError> {
    if threads_per_warp.is_power_of_two() {
        return Ok(());
    }
    let (what, value) = ("threadsPerWarp", u64::from(threads_per_warp));
    Err(EncodingError::new(EncodingErrorKind::NotPowerOfTwo {
        what,
        index: None,
        value,
    })
    .of_rule(rule))
}
