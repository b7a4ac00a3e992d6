//! Fragments of warp-wide matrix loads and stores: the distribution of rows of shared memory over lanes.
//!
//! Each lane supplies the address of one row, and holds a few units (elements) of several rows. The bits of the lane
//! number and of the unit index determine a unit's row, and its position in that row.
//!
//! | [`Fragment`] | instruction | a row | a lane holds |
//! |---|---|---|---|
//! | `Plain` | `ldmatrix`, `stmatrix` | 16 bytes | 4 bytes of one row |
//! | `Transposed` | the same, `.trans` | 16 bytes | 2 units of 16 bits, of two rows |
//! | `LoadedBytes` | `ldmatrix.m16n16.trans.b8` | 16 bytes | twice 4 bytes, of four rows |
//! | `StoredBytes` | `stmatrix.m16n8.trans.b8` | 16 bytes | twice 2 bytes, of two rows |
//! | `Read16`, `Read8` | `ds_read_b64_tr_b16`, `_b8` (gfx950) | 8 bytes | a unit of each of 4 rows, or 8 |
//! | `Load16` | `ds_load_tr16_b128` (gfx1250) | 16 bytes | a unit of each of 8 rows |
//! | `Load8` | `ds_load_tr8_b64` (gfx1250) | 8 bytes | a unit of each of 8 rows |
//!
//! # Source
//! PTX ISA 9, the figures of the fragments of `ldmatrix` and `stmatrix`. For AMD, the parameters with which Triton
//! emits these instructions.

use super::{Access, Target};
use crate::number::narrow;

/// The form of the matrix that a warp-wide instruction loads from or stores to shared memory, including the
/// distribution of the matrix over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fragment {
    /// `ldmatrix` and `stmatrix`: 8 rows of 16 bytes. Each lane holds 4 adjacent bytes of one row.
    Plain,
    /// `ldmatrix` and `stmatrix` with `.trans`: 8 rows of 16-bit units. Each lane holds two units of one column.
    Transposed,
    /// `ldmatrix.m16n16.trans.b8`: 16 rows of bytes. Each lane holds four bytes of each of two columns.
    LoadedBytes,
    /// `stmatrix.m16n8.trans.b8`: 8 rows of bytes. Each lane holds two bytes of each of two columns.
    StoredBytes,
    /// `ds_read_b64_tr_b16` (CDNA 4), a transposed read of rows of 16-bit units. Each lane supplies the address of
    /// one row.
    Read16,
    /// `ds_read_b64_tr_b8` (CDNA 4), a transposed read of rows of bytes. Each lane supplies the address of one row.
    Read8,
    /// `ds_load_tr16_b128` (gfx1250), a transposed read of rows of 16-bit units. Each lane supplies the address of
    /// one row.
    Load16,
    /// `ds_load_tr8_b64` (gfx1250), a transposed read of rows of bytes. Each lane supplies the address of one row.
    Load8,
}

/// The source of one bit of a unit's coordinates in a matrix. The coordinates are the row index and the position in
/// the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitSource {
    /// The lane bit with this index.
    Lane(usize),
    /// The lowest bit that is not yet assigned of the index that numbers the units of one lane. The bits of this
    /// index are assigned from lowest to highest: first to the `Unit` entries of `rows`, then to the `Unit` entries
    /// of `within`.
    Unit,
}

/// The distribution of a fragment's rows over lanes.
#[derive(Debug)]
#[non_exhaustive]
pub struct FragmentLayout {
    /// Number of bytes of a unit. A unit always stays in one lane.
    pub(crate) unit_bytes: u32,
    /// The source of each bit of the position in a row, lowest bit first.
    pub(crate) within: &'static [BitSource],
    /// The source of each bit of the row index, lowest bit first.
    pub(crate) rows: &'static [BitSource],
    /// log2 of the maximum number of fragments that one instruction moves.
    pub most_log2: u32,
}

impl FragmentLayout {
    /// Returns log2 of the number of units of one fragment that a lane holds.
    pub(crate) fn units_log2(&self) -> u32 {
        let units = self.within.iter().chain(self.rows);
        narrow::<u32>(units.filter(|held| **held == BitSource::Unit).count())
    }

    /// Returns the number of bytes of one fragment that a lane holds.
    pub fn lane_bytes(&self) -> u32 {
        self.unit_bytes << self.units_log2()
    }

    pub(crate) fn row_bytes(&self) -> u32 {
        self.unit_bytes << self.within.len()
    }

    pub(crate) fn row_count(&self) -> u32 {
        1 << self.rows.len()
    }
}

use BitSource::{Lane, Unit};

impl Fragment {
    /// Returns the distribution of this fragment's rows over lanes.
    pub const fn layout(self) -> &'static FragmentLayout {
        match self {
            Self::Plain => &FragmentLayout {
                unit_bytes: 4,
                within: &[Lane(0), Lane(1)],
                rows: &[Lane(2), Lane(3), Lane(4)],
                most_log2: 2,
            },
            Self::Transposed => &FragmentLayout {
                unit_bytes: 2,
                within: &[Lane(2), Lane(3), Lane(4)],
                rows: &[Unit, Lane(0), Lane(1)],
                most_log2: 2,
            },
            Self::LoadedBytes => &FragmentLayout {
                unit_bytes: 1,
                within: &[Lane(2), Lane(3), Lane(4), Unit],
                rows: &[Unit, Unit, Lane(0), Lane(1)],
                most_log2: 1,
            },
            Self::StoredBytes => &FragmentLayout {
                unit_bytes: 1,
                within: &[Lane(2), Lane(3), Lane(4), Unit],
                rows: &[Unit, Lane(0), Lane(1)],
                most_log2: 2,
            },
            Self::Read16 => &FragmentLayout {
                unit_bytes: 2,
                within: &[Lane(0), Lane(1)],
                rows: &[Lane(2), Lane(3), Unit, Unit, Lane(4), Lane(5)],
                most_log2: 0,
            },
            Self::Read8 => &FragmentLayout {
                unit_bytes: 1,
                within: &[Lane(0), Lane(1), Lane(2)],
                rows: &[Lane(3), Unit, Unit, Unit, Lane(4), Lane(5)],
                most_log2: 0,
            },
            Self::Load16 => &FragmentLayout {
                unit_bytes: 2,
                within: &[Lane(0), Lane(1), Lane(2)],
                rows: &[Unit, Unit, Unit, Lane(3), Lane(4)],
                most_log2: 0,
            },
            Self::Load8 => &FragmentLayout {
                unit_bytes: 1,
                within: &[Lane(0), Lane(1), Lane(2)],
                rows: &[Unit, Unit, Lane(3), Unit, Lane(4)],
                most_log2: 0,
            },
        }
    }
}

impl Target {
    /// Returns the fragments that this GPU can load from shared memory if `access` is a load, or that it can store
    /// to shared memory if `access` is a store.
    pub fn fragments(&self, access: Access) -> impl Iterator<Item = Fragment> + use<> {
        use Fragment as F;
        let has = &self.instructions;
        let (plain, bytes) = match access {
            Access::Load => (has.load_matrix, F::LoadedBytes),
            Access::Store => (has.store_matrix, F::StoredBytes),
        };
        let loads = access == Access::Load;
        let (reads, loads) = (has.read_transposed && loads, has.load_transposed && loads);
        [
            (plain, F::Plain),
            (plain, F::Transposed),
            (has.byte_matrices, bytes),
            (reads, F::Read16),
            (reads, F::Read8),
            (loads, F::Load16),
            (loads, F::Load8),
        ]
        .into_iter()
        .filter_map(|(exists, fragment)| exists.then_some(fragment))
    }
}
