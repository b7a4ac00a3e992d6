//! The part of a layout that one thread block of a cluster holds.

use super::{Dim, LinearLayout, Surjectivity};
use crate::f2::{compress, low_mask};

/// The part of a layout that one thread block holds, with coordinates relative to the block.
///
/// # Laws
/// A coordinate in the tensor is composed of two bit fields. Its bits at the positions that are set in `split` are
/// those of `layout(block = b)`, where `layout` is the original layout. Its other bits are the bits of the
/// coordinate in the block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockSlice {
    /// The layout `(register, lane, warp) -> coordinates in the block`, which is the same for all blocks.
    pub layout: LinearLayout,
    /// `blocks[bit]` is the image of bit `bit` of the block index. It has one coordinate for each out-dim.
    pub blocks: Vec<Vec<u64>>,
    /// For each out-dim, the mask of the coordinate bits that depend on the block index.
    pub split: Vec<u64>,
}

impl LinearLayout {
    /// Returns the part of the layout that one thread block holds.
    ///
    /// Returns `None` if a coordinate bit depends on both the block and another in-dim, or the layout of the part
    /// is not surjective.
    ///
    /// ```
    /// use linear_layout::layout::{Dim, LinearLayout};
    /// // Two blocks of 32 lanes: block 1 holds elements 32 to 63.
    /// let d = Dim::out(0);
    /// let lanes = LinearLayout::identity_1d(32, Dim::LANE, d)?;
    /// let layout = lanes.product(&LinearLayout::identity_1d(2, Dim::BLOCK, d)?)?;
    /// let slice = layout.block_slice().expect("blocks split dim0");
    /// assert_eq!((slice.layout.out_size(d), slice.split), (32, vec![32]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn block_slice(&self) -> Option<BlockSlice> {
        let outs: Vec<Dim> = self.out_dims().collect();
        let blocks: Vec<Vec<u64>> = (0..self.in_bits(Dim::BLOCK))
            .map(|bit| {
                let components = outs.iter();
                components
                    .map(|out| self.basis_component(Dim::BLOCK, bit, *out))
                    .collect()
            })
            .collect();
        let split: Vec<u64> = (0..outs.len())
            .map(|dim| blocks.iter().fold(0, |bits, column| bits | column[dim]))
            .collect();
        let ins: Vec<(Dim, u64)> = self
            .in_dims()
            .filter(|dim| *dim != Dim::BLOCK)
            .map(|dim| (dim, self.in_size(dim)))
            .collect();
        let mut columns = Vec::new();
        for (dim, bit) in ins
            .iter()
            .flat_map(|(dim, _)| (0..self.in_bits(*dim)).map(|bit| (*dim, bit)))
        {
            let (mut column, mut shift) = (0, 0);
            for (out, split) in outs.iter().zip(&split) {
                let component = self.basis_component(dim, bit, *out);
                if component & split != 0 {
                    return None;
                }
                let kept = low_mask(self.out_bits(*out)) & !split;
                column |= compress(component, kept) << shift;
                shift += kept.count_ones();
            }
            columns.push(column);
        }
        let sizes: Vec<(Dim, u64)> = outs
            .iter()
            .zip(&split)
            .map(|(out, split)| (*out, self.out_size(*out) >> split.count_ones()))
            .collect();
        let layout = LinearLayout::from_columns(&ins, &sizes, &columns, Surjectivity::Required);
        Some(BlockSlice {
            layout: layout.ok()?,
            blocks,
            split,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::encoding::Encoding;
    use crate::layout::Dim;

    #[test]
    fn a_block_holds_the_elements_of_its_slice() {
        for cga in ["[[1, 0], [0, 1]]", "[[0, 1], [0, 2]]", "[[0, 0], [1, 0]]"] {
            let text = format!(
                "#ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], \
                 order = [1, 0], CGALayout = {cga}}}>"
            );
            let encoding: Encoding = text.parse().expect("well-formed");
            let layout = encoding.to_surjective_layout(&[64, 128]).expect("it fits");
            let slice = layout.block_slice().expect("blocks split dims");
            for (block, lane, warp, register) in
                [(0, 3, 1, 2), (1, 31, 3, 5), (2, 7, 2, 1), (3, 0, 0, 0)]
            {
                let within = [
                    (Dim::REGISTER, register),
                    (Dim::LANE, lane),
                    (Dim::WARP, warp),
                ];
                let all = [&within[..], &[(Dim::BLOCK, block)]].concat();
                let (whole, part) = (layout.apply(&all), slice.layout.apply(&within));
                let (whole, part) = (whole.expect("in range"), part.expect("in range"));
                for dim in 0..2 {
                    let origin = (0..2)
                        .filter(|bit| block >> bit & 1 == 1)
                        .fold(0, |sum, bit: usize| sum ^ slice.blocks[bit][dim]);
                    // Here the bits of the blocks are the highest bits of a dim.
                    assert_eq!(whole.at(dim), part.at(dim) ^ origin, "{cga} {all:?}");
                }
            }
        }
    }

    #[test]
    fn a_layout_whose_threads_reach_other_blocks_has_no_slice() {
        use crate::layout::LinearLayout;
        let d = Dim::out(0);
        let lanes = LinearLayout::identity_1d(32, Dim::LANE, d).expect("small");
        let copies = LinearLayout::zeros_1d(2, Dim::BLOCK, d, 1).expect("small");
        let slice = lanes.product(&copies).expect("small").block_slice();
        assert_eq!(slice.expect("replicas").split, [0]);
        let mixed =
            LinearLayout::from_bases(&[(Dim::LANE, &[&[1], &[2]]), (Dim::BLOCK, &[&[6]])], &[d]);
        assert_eq!(mixed.expect("surjective").block_slice(), None);
    }
}
