//! Packed coordinates in the intermediate layouts of reductions and scans: the low bits are the row coordinates, and
//! the high bits are the coordinate along the axis.

use super::error::{TupleError, TupleErrorKind};
use crate::f2::{compress, low_mask};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;

/// The packing of coordinates in the intermediate layouts of a reduction or a scan. The low bits of a packed
/// coordinate are the row coordinates (those along all dims except the axis), and the high bits are the coordinate
/// along the axis.
#[derive(Clone, Debug)]
pub(in crate::plan) struct Coordinates {
    /// Sizes of all dims except the axis.
    rows: Vec<u64>,
    /// Mask of the axis bits in a packed coordinate of the source.
    axis_mask: u64,
    pub(in crate::plan) bits: u32,
}

impl Coordinates {
    pub(in crate::plan) fn of(src: &LinearLayout, axis: usize) -> Self {
        let mut at = 0;
        let mut axis_mask = 0;
        let mut rows = Vec::new();
        for (i, dim) in src.out_dims().enumerate() {
            let bits = src.out_bits(dim);
            if i == axis {
                axis_mask = low_mask(bits) << at;
            } else {
                rows.push(src.out_size(dim));
            }
            at += bits;
        }
        Self {
            rows,
            axis_mask,
            bits: narrow(at),
        }
    }

    /// Returns an error unless the dims of the result `dst` are the dims of the source without the axis.
    pub(in crate::plan) fn check_rows(&self, dst: &LinearLayout) -> Result<(), TupleError> {
        let sizes: Vec<u64> = dst.out_dims().map(|dim| dst.out_size(dim)).collect();
        if sizes == self.rows {
            return Ok(());
        }
        Err(TupleErrorKind::Rows {
            expected: self.rows.clone(),
            found: sizes,
        }
        .into())
    }

    /// Converts a packed coordinate of the source to the packing of intermediate layouts: row bits below axis bits.
    pub(in crate::plan) fn to_intermediate(&self, column: u64) -> u64 {
        let all = low_mask(self.bits as usize);
        compress(column, all & !self.axis_mask)
            | compress(column, self.axis_mask) << self.row_bits()
    }

    /// Returns the number of bits of the coordinate along the axis.
    pub(in crate::plan) fn axis_bits(&self) -> usize {
        self.axis_mask.count_ones() as usize
    }

    /// Returns the total number of bits of the row coordinates, which are the coordinates along all dims except the
    /// axis.
    pub(in crate::plan) fn row_bits(&self) -> u32 {
        self.bits - self.axis_mask.count_ones()
    }

    /// Returns true if at least one axis bit is set in `column`, a column of an intermediate layout.
    pub(in crate::plan) fn is_axis(&self, column: u64) -> bool {
        column >> self.row_bits() != 0
    }

    /// Returns the output dims of an intermediate layout with their sizes. The row dims come first. The last dim
    /// has `remaining_axis` bits, which are the axis bits that have not been combined yet.
    fn outs(&self, remaining_axis: u32) -> Vec<(Dim, u64)> {
        let sizes = self.rows.iter().copied().chain([1u64 << remaining_axis]);
        sizes
            .enumerate()
            .map(|(i, size)| (Dim::out(i), size))
            .collect()
    }

    /// Returns the intermediate layout with the given register, lane and warp columns. In each column, the low bits
    /// are the row bits, and the bits above are the remaining axis bits.
    pub(in crate::plan) fn layout(
        &self,
        [reg, lane, warp]: [&[u64]; 3],
        remaining_axis: u32,
    ) -> Result<LinearLayout, TupleError> {
        let ins = [
            (Dim::REGISTER, 1u64 << reg.len()),
            (Dim::LANE, 1 << lane.len()),
            (Dim::WARP, 1 << warp.len()),
            (Dim::BLOCK, 1),
        ];
        let columns: Vec<u64> = [reg, lane, warp].concat();
        Ok(LinearLayout::from_columns(
            &ins,
            &self.outs(remaining_axis),
            &columns,
            Surjectivity::Required,
        )?)
    }

    /// Returns the column in which only bit `i` of the remaining axis is set.
    pub(in crate::plan) fn remaining_axis(&self, i: usize) -> u64 {
        1 << (self.row_bits() as usize + i)
    }

    /// Returns `column` without the `count` lowest axis bits, which have been combined already. The higher axis
    /// bits move down.
    pub(in crate::plan) fn without_low_axis(&self, column: u64, count: usize) -> u64 {
        let rows = low_mask(self.row_bits() as usize);
        column & rows | (column & !rows) >> count & !rows
    }

    /// Returns the register, lane and warp columns of a layout. The bits of the axis, followed by the bits of the
    /// rows, are assigned to register bits first, then to lane bits, then to warp bits.
    pub(in crate::plan) fn axis_first(&self, lanes: usize, warps: usize) -> [Vec<u64>; 3] {
        let (rows, bits) = (self.row_bits(), self.bits);
        let mut columns = (rows..bits).chain(0..rows).map(|bit| 1u64 << bit);
        let registers = (bits as usize).saturating_sub(lanes + warps);
        let mut take = |count: usize| -> Vec<u64> {
            (0..count).map(|_| columns.next().unwrap_or(0)).collect()
        };
        [take(registers), take(lanes), take(warps)]
    }
}
