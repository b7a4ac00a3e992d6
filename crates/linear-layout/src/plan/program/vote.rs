//! Votes: the distribution of histogram bins over lanes and registers.

use crate::number::narrow;

/// The owners of bins, and the lanes whose elements count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vote {
    /// Owner that each bit of a bin's index selects, lowest first.
    pub bin_bits: Vec<BinBit>,
    /// Lanes with one of these bits set hold replicas, which do not count.
    pub copies: u32,
}

/// The meaning of one bit of a bin's index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinBit {
    /// A bit of the lane.
    Lane(u32),
    /// A bit of the index of a lane's count.
    Register(u32),
}

impl Vote {
    /// Returns log2 of the number of counts of each lane.
    pub(crate) fn counts_log2(&self) -> u32 {
        let of_register = |bit: &&BinBit| matches!(bit, BinBit::Register(_));
        narrow::<u32>(self.bin_bits.iter().filter(of_register).count())
    }

    /// Returns the lane bits that tell bins apart.
    pub(crate) fn lane_mask(&self) -> u32 {
        self.bin_bits.iter().fold(0, |mask, bit| match bit {
            BinBit::Lane(bit) => mask | 1 << bit,
            BinBit::Register(_) => mask,
        })
    }

    /// Returns the bin that a lane counts in a register.
    pub(crate) fn bin(&self, register: u32, lane: u32) -> u32 {
        let bits = self.bin_bits.iter().enumerate();
        bits.fold(0, |bin, (i, owner)| {
            let is_set = match owner {
                BinBit::Lane(bit) => lane >> bit & 1,
                BinBit::Register(bit) => register >> bit & 1,
            };
            bin | is_set << i
        })
    }
}
