//! `#ttg.slice`: a distributed layout with one dim removed.

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, require, unknown_key};
use super::tiling::{REGISTER, Tiling};
use super::{CgaLayout, Encoding, EncodingError, List, MAX_RANK};

const FAMILY: &str = "slice";

/// A parent encoding from which dim `dim` is removed, e.g. the encoding of the row sums of a matrix. If the
/// elements that two threads hold in the parent differ only in their index along `dim`, the two threads hold copies
/// of the same element in the slice.
///
/// The result of a reduction along `dim` and the operand of an `expand_dims` at `dim` have a slice as their
/// encoding. To compute the layout on a shape, insert a size of 1 at `dim`, take the parent's layout on the
/// resulting shape, and remove output dim `dim`.
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1, ...), the dims of the parent without `dim`, renumbered.
/// # Source
/// Triton's `SliceEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SliceEncoding {
    dim: u32,
    parent: Arc<Encoding>,
}

impl SliceEncoding {
    /// Returns the encoding that removes dim `dim` from `parent`.
    ///
    /// # Errors
    /// Returns an error if the parent is not a distributed encoding, has only one dim, or has no dim `dim`.
    pub fn new(dim: u32, parent: impl Into<Arc<Encoding>>) -> Result<Self, EncodingError> {
        let parent = parent.into();
        if !parent.is_distributed() {
            return Err(EncodingError::new(EncodingErrorKind::WrongFamily {
                what: "parent",
                found: parent.family(),
                expected: match &*parent {
                    Encoding::Cute(_) => {
                        "a distributed encoding; add the key `tile` with the tensor shape to the parent"
                    }
                    _ => "a distributed encoding",
                },
            })
            .of_rule("slice_c1"));
        }
        let rank = parent.rank();
        if rank < 2 {
            let (what, found) = ("parent", rank);
            return Err(EncodingError::new(EncodingErrorKind::RankUnsupported {
                what,
                found,
                expected: "2 or more",
            })
            .of_rule("slice_c2"));
        }
        if dim as usize >= rank {
            let expected = format!("less than {rank}, the rank of the parent");
            return Err(EncodingError::bad_value("dim", dim, expected).of_rule("slice_c3"));
        }
        // The tile becomes explicit, because the slice would lose an implied tile.
        let parent = match parent.for_other_shapes() {
            Cow::Owned(written) => Arc::new(written),
            Cow::Borrowed(_) => parent,
        };
        Ok(Self { dim, parent })
    }

    /// Returns the dim of the parent that is removed.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim as usize
    }

    /// Returns the parent encoding.
    #[must_use]
    pub fn parent(&self) -> &Encoding {
        &self.parent
    }

    pub(crate) fn rank(&self) -> usize {
        self.parent.rank() - 1
    }

    /// Returns `shape` with a size of 1 inserted at `dim`. On this shape, the layout of the parent determines the
    /// layout of the slice.
    pub(crate) fn padded_shape(&self, shape: &[u64]) -> List<u64, MAX_RANK> {
        let (before, after) = shape.split_at(self.dim().min(shape.len()));
        List::collect(before.iter().chain(&[1]).chain(after).copied())
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        Ok(self.parent.cga_layout()?.without_dim(self.dim()))
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        if shape.len() != self.rank() {
            let (found, expected) = (shape.len(), self.rank());
            return Err(EncodingError::new(EncodingErrorKind::ShapeRank {
                family: FAMILY,
                found,
                expected,
            })
            .of_rule("encoding_c2"));
        }
        let mut tiling = self.parent.tiling(&self.padded_shape(shape))?;
        tiling.drop_dim(self.dim());
        tiling.drop_zeros(REGISTER);
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut dim, mut parent) = (None, None);
        p.dict(|p, key| {
            match key {
                "dim" => dim = Some(p.number()?),
                "parent" => parent = Some(p.encoding()?),
                _ => return unknown_key(FAMILY, key, "`dim`, `parent`"),
            }
            Ok(())
        })?;
        let dim = require(dim, FAMILY, "dim")?;
        Ok(Self::new(dim, require(parent, FAMILY, "parent")?)?.into())
    }
}

impl fmt::Display for SliceEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.slice<{{dim = {}, parent = {}}}>",
            self.dim, self.parent
        )
    }
}
