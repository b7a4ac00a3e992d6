//! Traffic of an access to global memory: the instructions, and the sectors that they touch.

use super::{AxisInfo, VectorAccess};
use crate::layout::{Dim, LinearLayout};

/// The smallest piece of global memory that is moved, in bytes.
pub const SECTOR_BYTES: u64 = 32;

/// The accesses and sectors that all warps of a block need for one tensor in global memory.
///
/// 32 lanes of a warp that load 4 floats in a row each, one lane after another, load 512 bytes by one instruction:
/// 16 sectors. With one float each and rows far apart, each lane touches a sector of its own.
/// # Units
/// Instructions of a warp, and sectors of [`SECTOR_BYTES`] that each of them touches, added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Instructions, of all warps.
    pub accesses: u64,
    /// Sectors that these touch, one touched by two instructions counted twice.
    pub sectors: u64,
}

/// The replicas that take part in an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Each thread that holds an element, as for a load.
    All,
    /// One of the threads that hold it, as for a store.
    Owners,
}

impl Traffic {
    /// Counts the accesses of one tensor.
    ///
    /// `layout` is (register, lane, warp, block) -> (dim0, ...) without zero register bases, `vector` the access that
    /// each thread makes. Addresses that are not known to lie in one run count as far apart.
    /// # Laws
    /// Never fewer sectors than the bytes need that one instruction moves.
    #[must_use]
    pub fn of(
        pointer: &AxisInfo,
        layout: &LinearLayout,
        element_bits: u32,
        vector: &VectorAccess,
        sharing: Sharing,
    ) -> Self {
        let bytes = u64::from(element_bits.max(8) / 8).max(1);
        let registers = 1u64 << layout.in_bits(Dim::REGISTER);
        let warps = (0..layout.in_bits(Dim::WARP)).filter(|bit| {
            sharing == Sharing::All || !layout.basis(Dim::WARP, *bit).iter().all(|c| c == 0)
        });
        let per_warp = registers / vector.elements() as u64;
        let accesses = per_warp << warps.count();
        // Lanes in one run that are less than a sector apart touch the same one; all others each their own.
        let apart = (0..layout.in_bits(Dim::LANE)).filter(|bit| {
            let basis = layout.basis(Dim::LANE, *bit);
            let mut moves = basis.iter().enumerate().filter(|(_, step)| *step != 0);
            match (moves.next(), moves.next()) {
                (None, _) => false,
                (Some((dim, step)), None) if step < pointer.contiguity(dim) => {
                    step * bytes >= SECTOR_BYTES
                }
                _ => true,
            }
        });
        let own = (vector.elements() as u64 * bytes).div_ceil(SECTOR_BYTES);
        let pieces = own << apart.count();
        Self {
            accesses,
            sectors: accesses * pieces,
        }
    }

    /// Returns whether neither count is larger than the other's.
    #[must_use]
    pub const fn is_at_most(&self, other: &Self) -> bool {
        self.accesses <= other.accesses && self.sectors <= other.sectors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::MemoryAccess;
    use crate::encoding::Encoding;

    /// Counts what a load of a 64x64 tensor of floats in rows asks for.
    #[track_caller]
    fn check(encoding: &str, sharing: Sharing, accesses: u64, sectors: u64) {
        let encoding: Encoding = encoding.parse().expect("the test's own");
        let layout = encoding.to_linear_layout(&[64, 64]).expect("it fits");
        let layout = layout.remove_zero_bases(Dim::REGISTER).expect("registers");
        let row = AxisInfo::range(0, 64).expand_dims(0);
        let pointer = AxisInfo::pointer_argument(4, 16)
            .splat(&[64, 64])
            .add_offset(&row.broadcast(&[1, 64], &[64, 64]), 32);
        let vector = MemoryAccess {
            pointer: &pointer,
            mask: None,
            element_bits: 32,
            layout: &layout,
            promised_elements: 1,
            widest_bits: 128,
        }
        .widest();
        let found = Traffic::of(&pointer, &layout, 32, &vector, sharing);
        assert_eq!(found, Traffic { accesses, sectors }, "{encoding}");
    }

    #[test]
    fn rows_take_few_sectors_and_columns_many() {
        // 16 KiB are 512 sectors.
        let rows = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>";
        check(rows, Sharing::All, 32, 512);
        let narrow = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>";
        check(narrow, Sharing::All, 128, 512);
        let columns = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>";
        check(columns, Sharing::All, 128, 4096);
    }

    #[test]
    fn copies_are_loaded_by_all_and_stored_by_one() {
        let copies = "#ttg.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], warp = [[0, 0], [0, 0]], block = []}>";
        check(copies, Sharing::All, 256, 2048);
        check(copies, Sharing::Owners, 64, 512);
    }
}
