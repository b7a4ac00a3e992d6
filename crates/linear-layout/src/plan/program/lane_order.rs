//! Lane order: the order in which the lanes of a warp store to contiguous bytes.
//!
//! Some instructions take one address per warp, and lane `l` writes `size` bytes at that address plus `l * size`. A
//! program has a lane order if the lanes of each warp fill `lanes * size` contiguous bytes. The lanes may be in any
//! linear order:
//!
//! ```text
//! columns of the lane bits      source lane
//! 4 8 16 32 64 128              the lane itself
//! 4 8 20 40 64 128              lane ^ (lane >> 2 & 3): a swizzle within the warp
//! 4 8 16 32 64 256              no lane order: the bytes of a warp have gaps
//! ```

use super::{Address, Program, Step};
use crate::f2::Echelon;
use crate::number::narrow;
use crate::plan::gf2::apply_u32;

/// A map from each thread to a source lane of its warp. If each thread stores the elements of its source lane, each
/// warp stores to contiguous bytes, in the order of its lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneOrder {
    /// Mask of the address bits that number the chunks of a warp. The contiguous bytes to which a warp stores
    /// consist of one chunk per lane. The address bits are clear in the start address of the contiguous bytes.
    mask: u32,
    bytes_log2: u32,
    /// Column `i` is XORed into the source lane if bit `i` of the thread number is set. The source lane is the lane
    /// whose elements the thread stores.
    columns: Vec<u32>,
    /// For each address bit in `mask`, lowest bit first, the value that is XORed into the source lane if the
    /// address bit is set.
    lanes: Vec<u32>,
}

impl LaneOrder {
    /// Returns the mask of the address bits that number the chunks of a warp. The contiguous bytes to which a warp
    /// stores consist of one chunk per lane.
    #[must_use]
    pub const fn mask(&self) -> u32 {
        self.mask
    }

    /// Returns, for each bit of the thread number, the value that is XORed into the source lane if the bit is set.
    /// Each thread must store the elements of its source lane.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the value that the constant `address.xor` contributes to the source lane. The source lane is the
    /// exclusive or of this value and the contributions of the thread bits. The value is the same for all threads.
    #[must_use]
    pub fn lane_xor(&self, address: Address) -> u32 {
        apply_u32(&self.lanes, (address.xor & self.mask) >> self.bytes_log2)
    }

    /// Returns true if, in all stores for which [`Self::lane_xor`] is 0, each lane is its own source lane.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        let lanes = self.lanes.len();
        let (own, warps) = self.columns.split_at(lanes);
        (0..).zip(own).all(|(bit, column)| *column == 1 << bit) && warps.iter().all(|c| *c == 0)
    }
}

impl Program {
    /// Returns the lane order of a program that consists of unguarded stores of `bytes` bytes per lane. Returns
    /// `None` if the program has steps of other kinds, or if the bytes to which a warp stores are not contiguous.
    #[must_use]
    pub fn lane_order(&self, bytes: u32) -> Option<LaneOrder> {
        let is_store = |step: &Step| matches!(step, Step::Store { guard: None, .. });
        let [base] = self.address_bases() else {
            return None;
        };
        let lanes_log2 = self.lanes_log2();
        if !bytes.is_power_of_two() || !self.steps().iter().all(is_store) {
            return None;
        }
        let bytes_log2 = bytes.trailing_zeros();
        let block_log2 = bytes_log2 + lanes_log2;
        let mask = (1 << block_log2) - bytes;
        let (own, warps) = base.columns.split_at(lanes_log2 as usize);
        let is_apart = own.iter().all(|column| column & !mask == 0)
            && warps.iter().all(|column| column & (bytes - 1) == 0)
            && base.number_bits & ((1 << block_log2) - 1) == 0
            && base.gaps.iter().all(|gap| gap.interval_log2 >= block_log2);
        if !is_apart {
            return None;
        }
        let mut solver = Echelon::new();
        for (bit, column) in own.iter().enumerate() {
            if solver.insert(bit, u64::from(*column)).is_some() {
                return None;
            }
        }
        let lane_of = |offset: u32| -> Option<u32> {
            let lane = solver.solve(u64::from(offset & mask))?;
            Some(narrow(lane))
        };
        let lanes: Vec<u32> = (0..lanes_log2)
            .map(|bit| lane_of(bytes << bit))
            .collect::<Option<_>>()?;
        let warps = warps.iter().map(|column| lane_of(*column));
        let columns = lanes.iter().map(|lane| Some(*lane)).chain(warps);
        Some(LaneOrder {
            mask,
            bytes_log2,
            columns: columns.collect::<Option<_>>()?,
            lanes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;
    use crate::layout::Dim;
    use crate::plan::memory::{BufferAccess, BufferLayout, plan_access};
    use crate::target::{Access, Target};

    const SHAPE: [u64; 2] = [64, 64];

    /// Builds the program of a copy in which each lane stores 16 bytes, as 8 elements of 16 bits.
    fn program(registers: &str, buffer: &str) -> Program {
        let [registers, buffer] = [registers, buffer].map(|text| text.parse::<Encoding>().unwrap());
        let registers = registers.to_surjective_layout(&SHAPE).unwrap();
        let registers = registers.remove_zero_bases(Dim::REGISTER).unwrap();
        let layout = buffer.to_surjective_layout(&SHAPE).unwrap();
        let buffer_layout = BufferLayout::new(layout, buffer.interval_paddings(), 16).unwrap();
        let access = BufferAccess {
            registers: &registers,
            buffer: &buffer_layout,
            view_mask: buffer_layout.view_mask(&SHAPE).unwrap(),
            indexed: None,
            access: Access::Store,
            neighbours: Some(&[0, 1, 2]),
            target: Target::parse("hip:gfx950").unwrap(),
        };
        plan_access(&access).unwrap()
    }

    const ROWS: &str = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
    const COLUMNS: &str = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [64, 1], warpsPerCTA = [1, 4], order = [0, 1]}>";
    const PLAIN: &str =
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    const SWIZZLED: &str =
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
    const PADDED: &str = "#ttg.padded_shared<[512:+8] {order = [1, 0], shape = [64, 64]}>";
    const NARROW: &str = "#ttg.padded_shared<[256:+8] {order = [1, 0], shape = [64, 64]}>";

    #[test]
    fn stores_of_lanes_in_order_are_those_of_the_program() {
        for (buffer, is_identity) in [(PLAIN, true), (SWIZZLED, false), (PADDED, true)] {
            let program = program(ROWS, buffer);
            let order = program.lane_order(16).unwrap();
            assert_eq!(order.is_identity(), is_identity);
            let base = &program.address_bases()[0];
            for step in program.steps() {
                let Step::Store { address, .. } = *step else {
                    panic!("a copy stores");
                };
                for thread in 0..256 {
                    let lane = apply_u32(order.columns(), thread) ^ order.lane_xor(address);
                    let source = thread & !63 | lane;
                    let stored = base.padded(base.apply(source) ^ address.xor) + address.add;
                    let warp = (base.apply(thread & !63) ^ address.xor) & !order.mask();
                    let given = base.padded(warp) + address.add;
                    assert_eq!(stored, given + 16 * (thread & 63), "{buffer} {thread}");
                }
            }
        }
    }

    #[test]
    fn warps_that_leave_gaps_have_no_lane_order() {
        assert_eq!(program(COLUMNS, PLAIN).lane_order(16), None);
        assert_eq!(program(ROWS, NARROW).lane_order(16), None);
        assert_eq!(program(ROWS, PLAIN).lane_order(4), None);
    }
}
