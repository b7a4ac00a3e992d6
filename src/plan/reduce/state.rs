//! Where the elements are in the middle of a reduction.

use super::super::ValueId;
use super::super::gf2::compress;
use super::error::{Kind, ReduceError};
use crate::f2::{Echelon, low_mask};
use crate::layout::{Dim, LinearLayout, Surjectivity};

/// Where each bit of the hardware position leads, and the tuples held.
///
/// A column is a packed coordinate, the rows low, the axis above them. One along the axis stands for what is not
/// combined yet; a zero column for copies.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) reg: Vec<u64>,
    pub(super) lane: Vec<u64>,
    pub(super) warp: Vec<u64>,
    /// One tuple for each register.
    pub(super) values: Vec<ValueId>,
}

/// The dims of the source, and how coordinates in the middle of a reduction are packed.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    /// The sizes of the dims that stay.
    rows: Vec<u64>,
    /// Which bits of the source's packed coordinates belong to the axis.
    axis_mask: u64,
    pub(super) bits: u32,
}

impl Coordinates {
    pub(super) fn of(src: &LinearLayout, axis: usize) -> Self {
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
            bits: at as u32,
        }
    }

    /// The result has the dims that stay.
    pub(super) fn check_rows(&self, dst: &LinearLayout) -> Result<(), ReduceError> {
        let sizes: Vec<u64> = dst.out_dims().map(|dim| dst.out_size(dim)).collect();
        if sizes == self.rows {
            return Ok(());
        }
        Err(Kind::Rows {
            expected: self.rows.clone(),
            found: dst.out_dims().map(|d| (d, dst.out_size(d))).collect(),
        }
        .into())
    }

    /// A packed coordinate of the source, with the rows low and the axis above them.
    pub(super) fn in_the_middle(&self, column: u64) -> u64 {
        let all = low_mask(self.bits as usize);
        compress(column, all & !self.axis_mask)
            | compress(column, self.axis_mask) << self.row_bits()
    }

    /// How many bits the axis has.
    pub(super) fn axis_bits(&self) -> usize {
        self.axis_mask.count_ones() as usize
    }

    /// How many bits the rows have.
    pub(super) fn row_bits(&self) -> u32 {
        self.bits - self.axis_mask.count_ones()
    }

    /// Whether a column moves along the axis.
    pub(super) fn is_axis(&self, column: u64) -> bool {
        column >> self.row_bits() != 0
    }

    /// The output dims of a layout in the middle: the rows, then so many bits of what is left of the axis.
    fn outs(&self, left: u32) -> Vec<(Dim, u64)> {
        let sizes = self.rows.iter().copied().chain([1u64 << left]);
        sizes
            .enumerate()
            .map(|(i, size)| (Dim::out(i), size))
            .collect()
    }

    /// A layout in the middle. `columns` are rows, above them what is left of the axis.
    pub(super) fn layout(
        &self,
        [reg, lane, warp]: [&[u64]; 3],
        left: u32,
    ) -> Result<LinearLayout, ReduceError> {
        let ins = [
            (Dim::REGISTER, 1u64 << reg.len()),
            (Dim::LANE, 1 << lane.len()),
            (Dim::WARP, 1 << warp.len()),
            (Dim::BLOCK, 1),
        ];
        let columns: Vec<u64> = [reg, lane, warp].concat();
        Ok(LinearLayout::from_columns(
            &ins,
            &self.outs(left),
            &columns,
            Surjectivity::Required,
        )?)
    }

    /// Bit `i` of what is left of the axis, as a column of a layout in the middle.
    pub(super) fn left(&self, i: usize) -> u64 {
        1 << (self.row_bits() as usize + i)
    }
}

impl State {
    pub(super) fn of(src: &LinearLayout) -> Self {
        let columns = |dim: Dim| src.columns_of(dim).to_vec();
        let mut reg = columns(Dim::REGISTER);
        reg.retain(|column| *column != 0);
        Self {
            values: (0..1 << reg.len()).map(ValueId).collect(),
            reg,
            lane: columns(Dim::LANE),
            warp: columns(Dim::WARP),
        }
    }

    fn columns(&self) -> impl Iterator<Item = u64> + '_ {
        let all = self.reg.iter().chain(&self.lane).chain(&self.warp);
        all.copied()
    }

    /// Whether each bit moves along the axis or within a row, and no two bits, nor sums of them, do the same.
    /// Then a bit of the axis can be combined alone.
    pub(super) fn is_simple(&self, coordinates: &Coordinates) -> bool {
        let mut echelon = Echelon::new();
        self.columns().enumerate().all(|(i, column)| {
            let row = column & low_mask(coordinates.row_bits() as usize);
            (row == 0 || row == column) && (column == 0 || echelon.insert(i, column).is_none())
        })
    }

    /// The registers' bits along the axis, lowest first.
    pub(super) fn axis_registers(&self, coordinates: &Coordinates) -> Vec<usize> {
        bits_where(&self.reg, |column| coordinates.is_axis(column))
    }

    /// The lanes' bits along the axis, lowest first.
    pub(super) fn axis_lanes(&self, coordinates: &Coordinates) -> Vec<usize> {
        bits_where(&self.lane, |column| coordinates.is_axis(column))
    }

    /// The warps' bits along the axis, lowest first.
    pub(super) fn axis_warps(&self, coordinates: &Coordinates) -> Vec<usize> {
        bits_where(&self.warp, |column| coordinates.is_axis(column))
    }

    /// The pairs of tuples that a register bit tells apart, bit clear and bit set; forgets the bit.
    pub(super) fn split(&mut self, bit: usize) -> Vec<(ValueId, ValueId)> {
        self.reg.remove(bit);
        let values = std::mem::take(&mut self.values);
        let low = (1usize << bit) - 1;
        (0..values.len() / 2)
            .map(|i| {
                let clear = (i & !low) << 1 | (i & low);
                (values[clear], values[clear | 1 << bit])
            })
            .collect()
    }
}

fn bits_where(columns: &[u64], holds: impl Fn(u64) -> bool) -> Vec<usize> {
    (0..columns.len())
        .filter(|bit| holds(columns[*bit]))
        .collect()
}
