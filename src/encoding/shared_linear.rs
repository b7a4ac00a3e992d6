//! `#ttg.shared_linear`: a shared-memory layout written out.

use core::fmt;
use std::sync::Arc;

use super::error::Kind;
use super::linear::{
    cga_of, check_dims, exact, fmt_bases, layout_from_bases, order_of, surjective,
};
use super::text::{Parser, required, unknown_key};
use super::tiling::{SHARED, Tiling};
use super::{CgaLayout, Encoding, EncodingError, Ints};
use crate::layout::{Dim, LinearLayout};

const FAMILY: &str = "shared_linear";

/// A shared-memory layout written out as bases, for what no other family can say.
///
/// `offset = [[0, 1], [0, 2], [1, 2]]` is a 2x4 tensor whose second row has its halves swapped. The
/// shape is that of the layout: nothing is repeated or cut.
/// # Shape
/// (offset, block) -> (dim0, dim1, ...).
/// # Units
/// Offsets count elements, the alignment bytes.
/// # Source
/// Triton's `SharedLinearEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedLinearEncoding {
    layout: Arc<LinearLayout>,
    alignment_bytes: u32,
}

impl SharedLinearEncoding {
    /// Returns the encoding of this layout in a buffer that starts at a multiple of `alignment_bytes`.
    ///
    /// # Errors
    /// When the alignment is no power of two, the input dims are not offset and block, the output
    /// dims not dim0, dim1, ..., or the layout without its zero bases is not one to one.
    pub fn new(layout: LinearLayout, alignment_bytes: u32) -> Result<Self, EncodingError> {
        if !alignment_bytes.is_power_of_two() {
            let value = u64::from(alignment_bytes);
            let what = "alignment";
            return Err(EncodingError::new(Kind::NotPowerOfTwo {
                what,
                index: None,
                value,
            }));
        }
        check_dims(FAMILY, &layout, &SHARED, "offset, block -> dim0, dim1, ...")?;
        surjective(FAMILY, &layout)?;
        let columns = layout.columns();
        if columns.iter().filter(|c| **c != 0).count() != layout.total_out_bits() {
            let index = first_dependent(columns);
            return Err(EncodingError::new(Kind::NotInjective {
                what: FAMILY,
                index,
            }));
        }
        Ok(Self {
            layout: Arc::new(layout),
            alignment_bytes,
        })
    }

    /// Returns the layout as it is written.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    /// Returns what the start address of a buffer must be a multiple of, in bytes.
    #[must_use]
    pub fn alignment_bytes(&self) -> u32 {
        self.alignment_bytes
    }

    /// Returns the number of tensor dims.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout.num_out_dims()
    }

    /// Returns the dims in the order in which offsets move, then those left, the last first.
    #[must_use]
    pub fn order(&self) -> Ints {
        order_of(&self.layout, Dim::OFFSET)
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        cga_of(&self.layout)
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        exact(FAMILY, &self.layout, shape)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut offset, mut block) = (None, None);
        p.expect(b'<', "`<`")?;
        p.fields(b'{', b'}', |p, key| {
            match key {
                "offset" => offset = Some(p.bases()?),
                "block" => block = Some(p.bases()?),
                "alignment" => return Err(p.error("`}` before `, alignment = N>`")),
                _ => return unknown_key(FAMILY, key, "`offset`, `block`"),
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
            required(offset, FAMILY, "offset")?,
            block.unwrap_or_default(),
        ];
        Ok(Self::new(layout_from_bases(FAMILY, &SHARED, &bases, 0)?, alignment)?.into())
    }
}

/// Returns the first column that is a sum of columns before it, zero columns aside.
pub(crate) fn first_dependent(columns: &[u64]) -> usize {
    let mut pivots: Vec<u64> = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let rest = pivots.iter().fold(*column, |rest, p| rest.min(rest ^ p));
        if rest == 0 && *column != 0 {
            return index;
        }
        if rest != 0 {
            pivots.push(rest);
        }
    }
    columns.len()
}

impl fmt::Display for SharedLinearEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#ttg.shared_linear<{")?;
        let single = self.layout.in_bits(Dim::BLOCK) == 0;
        fmt_bases(f, &self.layout, |dim| single && dim == Dim::BLOCK)?;
        write!(f, "}}, alignment = {}>", self.alignment_bytes)
    }
}
