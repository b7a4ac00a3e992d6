//! Intermediate layouts of a reduction.

use super::super::tuples::{Coordinates, TupleError, TupleId};
use super::Reduction;
use crate::f2::{Echelon, low_mask};
use crate::layout::{Dim, LinearLayout};

/// The intermediate layout of a reduction: the column of each bit of the hardware position, and the tuples held.
///
/// A column is a packed coordinate, the rows low, the axis above them. A column along the axis numbers values that are
/// still to be combined; a zero column numbers replicas.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) reg: Vec<u64>,
    pub(super) lane: Vec<u64>,
    pub(super) warp: Vec<u64>,
    /// Tuple of each register.
    pub(super) values: Vec<TupleId>,
}

impl State {
    /// Returns the state of a layout; `values` are the tuples of its unique registers.
    pub(super) fn of(src: &LinearLayout, values: Vec<TupleId>) -> Self {
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

    /// Returns the state of a layout, repacked with the rows low and the axis above them.
    pub(super) fn to_intermediate(
        src: &LinearLayout,
        coordinates: &Coordinates,
        values: Vec<TupleId>,
    ) -> Self {
        let mut state = Self::of(src, values);
        let lists = [&mut state.reg, &mut state.lane, &mut state.warp];
        for column in lists.into_iter().flatten() {
            *column = coordinates.to_intermediate(*column);
        }
        state
    }

    /// Returns the columns of the result: registers, lanes, warps.
    ///
    /// # Errors
    /// If the result has other dims than the source without the axis.
    pub(super) fn result_columns(
        reduction: &Reduction<'_>,
        coordinates: &Coordinates,
    ) -> Result<[Vec<u64>; 3], TupleError> {
        let bits = |dim: Dim| reduction.src.columns_of(dim).len();
        Ok(match reduction.dst {
            Some(dst) => {
                coordinates.check_rows(dst)?;
                let dst = Self::of(dst, Vec::new());
                [dst.reg, dst.lane, dst.warp]
            }
            None => [
                Vec::new(),
                vec![0; bits(Dim::LANE)],
                vec![0; bits(Dim::WARP)],
            ],
        })
    }

    fn columns(&self) -> impl Iterator<Item = u64> + '_ {
        let all = self.reg.iter().chain(&self.lane).chain(&self.warp);
        all.copied()
    }

    /// Returns true if each bit moves along the axis or within a row, and bits are independent. Then one bit of the axis can
    /// be combined at a time.
    pub(super) fn is_simple(&self, coordinates: &Coordinates) -> bool {
        let mut echelon = Echelon::new();
        self.columns().enumerate().all(|(i, column)| {
            let row = column & low_mask(coordinates.row_bits() as usize);
            (row == 0 || row == column) && (column == 0 || echelon.insert(i, column).is_none())
        })
    }

    /// Returns the register bits along the axis, lowest first.
    pub(super) fn axis_registers(&self, coordinates: &Coordinates) -> Vec<usize> {
        bits_where(&self.reg, |column| coordinates.is_axis(column))
    }

    /// Returns the lane bits along the axis, lowest first.
    pub(super) fn axis_lanes(&self, coordinates: &Coordinates) -> Vec<usize> {
        bits_where(&self.lane, |column| coordinates.is_axis(column))
    }

    /// Returns the warp bits along the axis, lowest first.
    pub(super) fn axis_warps(&self, coordinates: &Coordinates) -> Vec<usize> {
        bits_where(&self.warp, |column| coordinates.is_axis(column))
    }

    /// Returns the columns after each warp bit of the axis is exchanged with a lane bit: of replicas if there are enough, or
    /// else the lowest ones. Returns `None` if there are fewer lane bits than warp bits.
    pub(super) fn with_warps_in_lanes(&self, coordinates: &Coordinates) -> Option<[Vec<u64>; 3]> {
        let warps = self.axis_warps(coordinates);
        let copies = bits_where(&self.lane, |column| column == 0);
        let lanes: Vec<usize> = if copies.len() < warps.len() {
            (0..self.lane.len()).collect()
        } else {
            copies
        };
        let (mut lane, mut warp) = (self.lane.clone(), self.warp.clone());
        for (i, bit) in warps.iter().enumerate() {
            core::mem::swap(lane.get_mut(*lanes.get(i)?)?, &mut warp[*bit]);
        }
        Some([self.reg.clone(), lane, warp])
    }

    /// Returns the columns after the warp bits of the axis become the lowest register bits: each warp has the partial results
    /// of all warps for the rows of its lanes.
    pub(super) fn with_warps_in_registers(&self, coordinates: &Coordinates) -> [Vec<u64>; 3] {
        let mut warp = self.warp.clone();
        let moved = self.axis_warps(coordinates).into_iter();
        let mut reg: Vec<u64> = moved.map(|bit| std::mem::take(&mut warp[bit])).collect();
        reg.extend(&self.reg);
        [reg, self.lane.clone(), warp]
    }

    /// Returns the pairs of tuples that a register bit tells apart, bit clear and bit set, and removes the bit.
    pub(super) fn split(&mut self, bit: usize) -> Vec<(TupleId, TupleId)> {
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
