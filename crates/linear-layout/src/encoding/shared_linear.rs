//! `#ttg.shared_linear`: a shared-memory layout given by its bases.

use core::fmt;
use std::sync::Arc;

use super::error::{EncodingErrorKind, RuleLabel};
use super::linear::{
    cga_of, check_dims, exact, fmt_bases, layout_from_bases, numbers, order_of, surjective,
};
use super::text::{Parser, require, unknown_key};
use super::tiling::{SHARED, Tiling};
use super::{CgaLayout, Encoding, EncodingError, Ints};
use crate::f2::Echelon;
use crate::layout::{Dim, LinearLayout};

const FAMILY: &str = "shared_linear";

/// A shared-memory layout given by its bases. This is the most general encoding of a single buffer without padding.
///
/// For example, `offset = [[0, 1], [0, 2], [1, 2]]` stores a 2x4 tensor such that the two halves of the second row
/// are exchanged. The layout determines the shape of the tensor.
/// # Shape
/// (offset, block) -> (dim0, dim1, ...).
/// # Units
/// Offsets count elements, and the alignment counts bytes.
/// # Source
/// Triton's `SharedLinearEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedLinearEncoding {
    layout: Arc<LinearLayout>,
    alignment_bytes: u32,
}

impl SharedLinearEncoding {
    /// Returns the encoding whose bases are those of `layout`. The start address of the buffer must be a multiple
    /// of `alignment_bytes`.
    ///
    /// # Errors
    /// Returns an error if the alignment is not a power of two, the input dims are not offset and block, the output
    /// dims are not dim0, dim1, ..., or the layout without its zero bases is not invertible.
    pub fn new(layout: LinearLayout, alignment_bytes: u32) -> Result<Self, EncodingError> {
        if !alignment_bytes.is_power_of_two() {
            let value = u64::from(alignment_bytes);
            let what = "alignment";
            return Err(EncodingError::new(EncodingErrorKind::NotPowerOfTwo {
                what,
                index: None,
                value,
            })
            .of_rule("shared_linear_c1"));
        }
        check_dims(FAMILY, &layout, &SHARED, "offset, block -> dim0, dim1, ...")
            .of_rule("shared_linear_c2")?;
        surjective(FAMILY, &layout).of_rule("shared_linear_c4")?;
        let (mut span, mut index) = (Echelon::new(), 0);
        for dim in SHARED {
            for (bit, column) in layout.columns_of(dim).iter().enumerate() {
                index += 1;
                if *column != 0 && span.insert(index, *column).is_some() {
                    return Err(EncodingError::new(EncodingErrorKind::NotInjective {
                        what: dim.name(),
                        basis: numbers(layout.basis(dim, bit)),
                        advice: "write zeros for copies, or drop the basis",
                    })
                    .of_rule("shared_linear_c5"));
                }
            }
        }
        Ok(Self {
            layout: Arc::new(layout),
            alignment_bytes,
        })
    }

    /// Returns the linear layout that the bases define.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    /// Returns the alignment of the start address of a buffer, in bytes.
    #[must_use]
    pub fn alignment_bytes(&self) -> u32 {
        self.alignment_bytes
    }

    pub(crate) fn rank(&self) -> usize {
        self.layout.num_out_dims()
    }

    /// Returns the order of the dims, the fastest dim first. The dims along which an offset bit steps come first,
    /// in the order of the bits. The other dims follow, starting with the last one.
    #[must_use]
    pub fn order(&self) -> Ints {
        order_of(&self.layout, Dim::OFFSET)
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        cga_of(&self.layout)
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        exact(FAMILY, "shared_linear_c6", &self.layout, shape)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut offset, mut block) = (None, None);
        p.expect(b'<', "`<`")?;
        p.fields(b'{', b'}', |p, key| {
            match key {
                "offset" => offset = Some(p.bases()?),
                "block" => block = Some(p.bases()?),
                "alignment" => return Err(p.error("`}` before `, alignment = N>`")),
                _ => {
                    return unknown_key(FAMILY, key, "`offset`, `block`")
                        .of_rule("shared_linear_c2");
                }
            }
            Ok(())
        })?;
        p.expect(b',', "`, alignment = N`")?;
        if p.ident("`alignment`")? != "alignment" {
            return Err(p.error("`alignment`"));
        }
        p.expect(b'=', "`=`")?;
        let alignment = p.number()?;
        p.expect(b'>', "`>`")?;
        let bases = [
            require(offset, FAMILY, "offset").of_rule("shared_linear_c2")?,
            block.unwrap_or_default(),
        ];
        let layout = layout_from_bases(FAMILY, &SHARED, &bases, 0).of_rules(|kind| match kind {
            EncodingErrorKind::BasisLength { .. } => Some("shared_linear_c3"),
            EncodingErrorKind::NotSurjective { .. } => Some("shared_linear_c4"),
            _ => None,
        })?;
        Ok(Self::new(layout, alignment)?.into())
    }
}

impl fmt::Display for SharedLinearEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#ttg.shared_linear<{")?;
        let single = self.layout.in_bits(Dim::BLOCK) == 0;
        fmt_bases(f, &self.layout, |dim| single && dim == Dim::BLOCK)?;
        write!(f, "}}, alignment = {}>", self.alignment_bytes)
    }
}
