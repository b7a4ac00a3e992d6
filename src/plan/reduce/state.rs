//! Where the elements are in the middle of a reduction.

use super::super::ValueId;
use super::super::tuples::Coordinates;
use crate::f2::{Echelon, low_mask};
use crate::layout::{Dim, LinearLayout};

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

impl State {
    /// Where a layout puts elements; `values` are the tuples of its unique registers.
    pub(super) fn of(src: &LinearLayout, values: Vec<ValueId>) -> Self {
        let columns = |dim: Dim| src.columns_of(dim).to_vec();
        let mut reg = columns(Dim::REGISTER);
        reg.retain(|column| *column != 0);
        Self {
            values,
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
