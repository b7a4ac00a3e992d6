//! `#ttg.partitioned_shared`: the layout of one tensor in several shared-memory buffers.

use crate::number::narrow;
use core::fmt;
use std::sync::Arc;

use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, require, unknown_key};
use super::tiling::{OFFSET, Tiling};
use super::{CgaLayout, Encoding, EncodingError, List, MAX_RANK};
use crate::layout::Dim;

const FAMILY: &str = "partitioned_shared";
const KEYS: &str = "`numPartitions`, `numGroups`, `partitionDim`, `partitionLayout`";

/// A layout that splits a tensor along one dim into equal parts, and distributes the parts over several buffers
/// (the partitions) in round-robin order.
///
/// For example, two partitions and two groups split 64 rows into four parts of 16 rows. Parts 0 and 2 are in the
/// first buffer, and parts 1 and 3 are in the second buffer.
/// # Shape
/// (offset, block, partition) -> (dim0, dim1, ...).
/// # Source
/// Triton's `PartitionedSharedEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionedSharedEncoding {
    num_partitions: u32,
    num_groups: u32,
    partition_dim: u32,
    partition_layout: Arc<Encoding>,
}

impl PartitionedSharedEncoding {
    /// Returns the encoding that splits a tensor along dim `partition_dim` into `num_partitions * num_groups`
    /// parts. Each part has the encoding `partition_layout`.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - `num_partitions` is less than 2, or is not a power of two.
    /// - `num_groups` is not a power of two.
    /// - `partition_dim` is not below the rank of `partition_layout`.
    /// - `partition_layout` is not a shared encoding.
    /// - The CTAs of `partition_layout` do not split the tensor into contiguous parts.
    pub fn new(
        num_partitions: u32,
        num_groups: u32,
        partition_dim: u32,
        partition_layout: impl Into<Arc<Encoding>>,
    ) -> Result<Self, EncodingError> {
        let partition_layout = partition_layout.into();
        if !partition_layout.is_shared() {
            return Err(EncodingError::new(EncodingErrorKind::WrongFamily {
                what: "partitionLayout",
                found: partition_layout.family(),
                expected: "a shared encoding",
            })
            .of_rule("partitioned_shared_c1"));
        }
        if num_partitions < 2 || !num_partitions.is_power_of_two() {
            let expected = "a power of two, 2 or more";
            return Err(
                EncodingError::bad_value("numPartitions", num_partitions, expected)
                    .of_rule("partitioned_shared_c2"),
            );
        }
        if !num_groups.is_power_of_two() {
            return Err(
                EncodingError::bad_value("numGroups", num_groups, "a power of two")
                    .of_rule("partitioned_shared_c3"),
            );
        }
        if partition_dim as usize >= partition_layout.rank() {
            let rank = partition_layout.rank();
            let expected = format!("less than {rank}, the rank of `partitionLayout`");
            return Err(
                EncodingError::bad_value("partitionDim", partition_dim, expected)
                    .of_rule("partitioned_shared_c4"),
            );
        }
        // The CTAs must split a part of the tensor into contiguous pieces.
        partition_layout.cga_layout()?;
        Ok(Self {
            num_partitions,
            num_groups,
            partition_dim,
            partition_layout,
        })
    }

    /// Returns the number of buffers.
    #[must_use]
    pub fn num_partitions(&self) -> u32 {
        self.num_partitions
    }

    /// Returns the number of parts that each buffer holds.
    #[must_use]
    pub fn num_groups(&self) -> u32 {
        self.num_groups
    }

    /// Returns the dim that is split.
    #[must_use]
    pub fn partition_dim(&self) -> usize {
        self.partition_dim as usize
    }

    /// Returns the encoding of one part.
    #[must_use]
    pub fn partition_layout(&self) -> &Encoding {
        &self.partition_layout
    }

    pub(crate) fn rank(&self) -> usize {
        self.partition_layout.rank()
    }

    /// Returns the shape of one part, or `None` if the split dim cannot be divided into nonempty parts of equal
    /// size.
    fn piece_shape(&self, shape: &[u64]) -> Option<List<u64, MAX_RANK>> {
        let pieces = u64::from(self.num_partitions) * u64::from(self.num_groups);
        let mut piece = List::collect(shape.iter().copied());
        let size = piece.get_mut(self.partition_dim())?;
        *size /= pieces;
        (*size > 0 && *size * pieces == shape[self.partition_dim()]).then_some(piece)
    }

    pub(crate) fn piece(&self, shape: &[u64]) -> Result<List<u64, MAX_RANK>, EncodingError> {
        self.piece_shape(shape).ok_or_else(|| {
            EncodingError::new(EncodingErrorKind::TooSmall {
                family: FAMILY,
                dim: "the partitioned dim",
                found: shape.get(self.partition_dim()).copied().unwrap_or(0),
                expected: u64::from(self.num_partitions) * u64::from(self.num_groups),
            })
            .of_rule("partitioned_shared_c5")
        })
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        self.partition_layout.cga_layout()
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
        let dim = self.partition_dim();
        let piece = self.piece(shape)?;
        let mut tiling = match &*self.partition_layout {
            Encoding::PaddedShared(padded) => padded.piece_tiling(&piece)?,
            layout => layout.tiling(&piece)?,
        };
        let inner = tiling.bits(dim);
        let partitions = narrow(self.num_partitions.trailing_zeros());
        let groups = narrow(self.num_groups.trailing_zeros());
        tiling.grow(dim, partitions + groups)?;
        let slot = tiling.slot_of(Dim::PARTITION);
        for bit in 0..partitions {
            tiling.push_bit(slot, dim, inner + bit);
        }
        for bit in 0..groups {
            tiling.push_bit(OFFSET, dim, inner + partitions + bit);
        }
        Ok(tiling)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let (mut partitions, mut groups, mut dim, mut layout) = (0, 0, 0, None);
        p.dict(|p, key| {
            match key {
                "numPartitions" => partitions = p.number()?,
                "numGroups" => groups = p.number()?,
                "partitionDim" => dim = p.number()?,
                "partitionLayout" => layout = Some(p.encoding()?),
                _ => return unknown_key(FAMILY, key, KEYS),
            }
            Ok(())
        })?;
        let layout = require(layout, FAMILY, "partitionLayout")?;
        Ok(Self::new(partitions, groups, dim, layout)?.into())
    }
}

impl fmt::Display for PartitionedSharedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.partitioned_shared<{{numPartitions = {}, numGroups = {}, partitionDim = {}, partitionLayout = {}}}>",
            self.num_partitions, self.num_groups, self.partition_dim, self.partition_layout
        )
    }
}
