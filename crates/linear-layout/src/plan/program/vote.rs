//! Votes: the distribution of histogram bins over lanes and registers.

use crate::number::narrow;

/// The owner of each bin, and the lanes whose elements are counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vote {
    /// For each bit of a bin's index, lowest first, the bit of the owner that it selects.
    pub bin_bits: Vec<BinBit>,
    /// Mask of lane bits. Lanes in which one of these bits is set hold replicas, which are not counted.
    pub copies: u32,
}

/// The meaning of one bit of a bin's index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinBit {
    /// This bit of the number of the lane that owns the bin.
    Lane(u32),
    /// This bit of the index of the bin's count among the counts of its lane.
    Register(u32),
}

impl Vote {
    /// Returns log2 of the number of bins that each lane owns.
    pub(crate) fn counts_log2(&self) -> u32 {
        let of_register = |bit: &&BinBit| matches!(bit, BinBit::Register(_));
        narrow::<u32>(self.bin_bits.iter().filter(of_register).count())
    }

    /// Returns the mask of the lane bits that depend on the bin.
    pub(crate) fn lane_mask(&self) -> u32 {
        self.bin_bits.iter().fold(0, |mask, bit| match bit {
            BinBit::Lane(bit) => mask | 1 << bit,
            BinBit::Register(_) => mask,
        })
    }

    /// Returns the bin whose count `lane` holds in `register`.
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
