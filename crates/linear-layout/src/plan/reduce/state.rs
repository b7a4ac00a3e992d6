//! Intermediate layouts of a reduction.

use super::super::tuples::{Coordinates, TupleError, TupleId};
use super::Reduction;
use crate::f2::{Echelon, low_mask};
use crate::layout::{Dim, LinearLayout};

/// The state of a reduction: the tuples of a thread, and the columns of their layout. Each step changes both.
///
/// The column of a register, lane or warp bit is a packed coordinate, with the row bits below the axis bits.
/// Values that differ in a bit along the axis still have to be combined. Values that differ in a bit with
/// column 0 are replicas.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) reg: Vec<u64>,
    pub(super) lane: Vec<u64>,
    pub(super) warp: Vec<u64>,
    /// For each register, the tuple that it holds.
    pub(super) values: Vec<TupleId>,
}

impl State {
    /// Returns the state for the layout `src`. `values` contains one tuple for each register, except for registers
    /// that replicate other registers of the same thread.
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

    /// Returns the state for the layout `src`. The columns of the state are converted to the packing of
    /// intermediate layouts, in which the row bits are below the axis bits.
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

    /// Returns the columns of the result's layout: those of register bits, of lane bits and of warp bits.
    ///
    /// # Errors
    /// Returns an error if the dims of the result are not the dims of the source without the axis.
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

    /// Returns true if no layout bit contributes both to the coordinate along the axis and to row coordinates, and
    /// the nonzero columns are linearly independent. The bits along the axis can then be combined one at a time.
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

    /// Returns the columns of the state after each warp bit along the axis has been swapped with a lane bit. The
    /// swaps use the lane bits that number replicas or, if there are fewer of these than warp bits along the axis,
    /// the lowest lane bits. Returns `None` if there are fewer lane bits than warp bits along the axis.
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

    /// Returns the columns of the state after the warp bits along the axis are moved to the lowest register bits.
    /// Each thread then holds the partial results of all warps for its rows.
    pub(super) fn with_warps_in_registers(&self, coordinates: &Coordinates) -> [Vec<u64>; 3] {
        let mut warp = self.warp.clone();
        let moved = self.axis_warps(coordinates).into_iter();
        let mut reg: Vec<u64> = moved.map(|bit| std::mem::take(&mut warp[bit])).collect();
        reg.extend(&self.reg);
        [reg, self.lane.clone(), warp]
    }

    /// Removes register bit `bit` from the layout, and returns the pairs of tuples whose registers differ only in
    /// this bit. In each pair, the tuple of the register in which the bit is clear comes first.
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
