//! Votes: the distribution of histogram bins over lanes and registers.

use crate::number::narrow;

/// The parameters of a vote: a ballot in which the lanes of a warp count the elements in each bin of a histogram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vote {
    /// For each bit of a bin number, lowest bit first, the lane bit or register bit that is equal to it. All these
    /// bits together determine the lane and the register that hold the count of the bin.
    pub bin_bits: Vec<BinBit>,
    /// Mask of lane bits. A lane in which at least one of these bits is set holds a replica, which is not counted.
    pub copies: u32,
}

/// A bit of the lane number or of the register index that corresponds to one bit of a bin number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinBit {
    /// Bit with this index in the lane number.
    Lane(u32),
    /// Bit with this index in the register index. The register index numbers the registers that hold counts, and no
    /// other registers.
    Register(u32),
}

impl Vote {
    /// Returns log2 of the number of bins that each lane owns.
    pub(crate) fn counts_log2(&self) -> u32 {
        let of_register = |bit: &&BinBit| matches!(bit, BinBit::Register(_));
        narrow::<u32>(self.bin_bits.iter().filter(of_register).count())
    }

    /// Returns the mask of the lane bits that correspond to bits of the bin number.
    pub(crate) fn lane_mask(&self) -> u32 {
        self.bin_bits.iter().fold(0, |mask, bit| match bit {
            BinBit::Lane(bit) => mask | 1 << bit,
            BinBit::Register(_) => mask,
        })
    }

    /// Returns the number of the bin whose count is in register `register` of lane `lane`.
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
