//! Fragments: the register layouts of the operands of `wgmma`.
//!
//! A warp group holds 64 rows, and each of its four warps holds 16 of them. For `w` elements in a 32-bit word:
//!
//! ```text
//! D    registers n 1 | m 8 | n 8, 16, ...         lanes n 2, 4      m 1, 2, 4    warps m 16, 32
//! A    registers k 1 .. w / 2 | m 8 | k 4 w       lanes k w, 2 w    m 1, 2, 4    warps m 16, 32
//! ```

use super::coordinates::{A, D};
use super::error::WarpGroupErrorKind;
use crate::f2::Echelon;
use crate::layout::{Dim, LinearLayout};
use crate::plan::gf2::echelon;

/// One bit of a coordinate: (the dim of the operand's tensor, the index of the bit).
type FragmentBit = (usize, u32);

/// The fragment of D or A: for each register, lane and warp bit of a warp group's tile, the coordinate bit to which
/// it is mapped.
#[derive(Clone, Debug)]
pub(super) struct WarpGroupFragment {
    pub(super) operand: usize,
    registers: Vec<FragmentBit>,
    lanes: [FragmentBit; 5],
    warps: [FragmentBit; 2],
}

const ROWS: usize = 0;
const COLUMNS: usize = 1;
const WARPS: [FragmentBit; 2] = [(ROWS, 4), (ROWS, 5)];

const fn lanes(first: u32) -> [FragmentBit; 5] {
    [
        (COLUMNS, first),
        (COLUMNS, first + 1),
        (ROWS, 0),
        (ROWS, 1),
        (ROWS, 2),
    ]
}

impl WarpGroupFragment {
    /// Returns the fragment of D with `1 << n_log2` columns.
    pub(super) fn sum(n_log2: u32) -> Self {
        let first = [(COLUMNS, 0), (ROWS, 3)];
        let further = (3..n_log2).map(|bit| (COLUMNS, bit));
        Self {
            operand: D,
            registers: first.into_iter().chain(further).collect(),
            lanes: lanes(1),
            warps: WARPS,
        }
    }

    /// Returns the fragment of A in which each 32-bit word contains `1 << word_log2` elements.
    pub(super) fn factor(word_log2: u32) -> Self {
        let word = (0..word_log2).map(|bit| (COLUMNS, bit));
        Self {
            operand: A,
            registers: word.chain([(ROWS, 3), (COLUMNS, word_log2 + 2)]).collect(),
            lanes: lanes(word_log2),
            warps: WARPS,
        }
    }
}

/// A register layout of D or A, divided into tiles of the instruction.
#[derive(Clone, Debug)]
pub(super) struct RegisterOperand<'a> {
    operand: usize,
    layout: &'a LinearLayout,
    registers: Echelon,
    /// For each register of a tile, the value that is XORed with the index of the tile's first register to obtain
    /// the index of the register. The registers are in the order in which the instruction takes them.
    tile: Vec<u64>,
    /// Mask of the packed coordinate bits that number the elements within a tile.
    tile_mask: u64,
}

pub(super) fn packed(layout: &LinearLayout, at: [u64; 2]) -> u64 {
    at[0] | at[1] << row_bits(layout)
}

/// Returns log2 of the size of the first output dim.
fn row_bits(layout: &LinearLayout) -> usize {
    layout
        .out_dims()
        .next()
        .map_or(0, |dim| layout.out_bits(dim))
}

pub(super) fn unpacked(layout: &LinearLayout, packed: u64) -> [u64; 2] {
    let bits = row_bits(layout);
    [packed & crate::f2::low_mask(bits), packed >> bits]
}

impl<'a> RegisterOperand<'a> {
    /// Divides a layout into tiles with the given fragment, or returns the first mismatch. The caller must have
    /// checked that the layout is at least as large as the fragment, and has enough lanes and warps.
    pub(super) fn of(
        layout: &'a LinearLayout,
        fragment: &WarpGroupFragment,
    ) -> Result<Self, WarpGroupErrorKind> {
        let operand = fragment.operand;
        let unit = |(dim, bit): FragmentBit| {
            let mut at = [0; 2];
            at[dim] = 1 << bit;
            at
        };
        let threads = [
            (Dim::LANE, &fragment.lanes[..]),
            (Dim::WARP, &fragment.warps[..]),
        ];
        let mut tile_mask = 0;
        for (dim, bits) in threads {
            for (number, bit) in bits.iter().enumerate() {
                let (found, expected) = (layout.column(dim, number), unit(*bit));
                tile_mask |= packed(layout, expected);
                if found != packed(layout, expected) {
                    return Err(WarpGroupErrorKind::Thread {
                        operand,
                        dim,
                        number,
                        found: unpacked(layout, found),
                        expected,
                    });
                }
            }
        }
        let registers = echelon(layout.columns_of(Dim::REGISTER));
        let mut tile = vec![0];
        for bit in &fragment.registers {
            let expected = unit(*bit);
            tile_mask |= packed(layout, expected);
            let register = registers
                .solve(packed(layout, expected))
                .ok_or(WarpGroupErrorKind::Register { operand, expected })?;
            tile.extend_from_within(..);
            let half = tile.len() / 2;
            for later in &mut tile[half..] {
                *later ^= register;
            }
        }
        Ok(Self {
            operand,
            layout,
            registers,
            tile,
            tile_mask,
        })
    }

    pub(super) const fn layout(&self) -> &'a LinearLayout {
        self.layout
    }

    /// Returns the registers that hold the tile whose first element has the coordinates `at` in warp 0. In another
    /// warp, the coordinates of the warp are added to those of the tile.
    pub(super) fn registers(&self, at: [u64; 2]) -> Result<Vec<u64>, WarpGroupErrorKind> {
        let start = self.registers.solve(packed(self.layout, at));
        let start = start.ok_or(WarpGroupErrorKind::Register {
            operand: self.operand,
            expected: at,
        })?;
        Ok(self.tile.iter().map(|register| register ^ start).collect())
    }

    /// Divides D into tiles of size `sizes`. The result contains the coordinates of the first element of each tile
    /// of warp group 0, row by row, and the contribution of each bit of the warp group's number to these
    /// coordinates.
    ///
    /// # Errors
    /// Returns an error if a register bit or a warp bit changes both the tile and the coordinates within the tile,
    /// or if registers hold replicas.
    pub(super) fn tiles(&self, sizes: [u64; 2]) -> Result<AccumulatorTiles, WarpGroupErrorKind> {
        let own = self.layout.columns_of(Dim::REGISTER);
        let mut reached = Echelon::new();
        let mut starts = Echelon::new();
        let mut bases = Vec::new();
        // Register coordinates within a tile; the others are those of lanes and warps.
        let mut within = 0;
        for bit in 0..u64::BITS {
            let unit = 1 << bit;
            if self.tile_mask & unit != 0 && self.registers.contains(unit) {
                within |= unit;
            }
        }
        for (number, column) in own.iter().enumerate() {
            if reached.insert(number, *column).is_some() {
                let found = unpacked(self.layout, *column);
                return Err(WarpGroupErrorKind::Copies { number, found });
            }
            let start = column & !within;
            self.check_whole((Dim::REGISTER, number), start, sizes)?;
            if starts.insert(bases.len(), start).is_none() {
                bases.push(start);
            }
        }
        let mut firsts: Vec<[u64; 2]> = (0..1u64 << bases.len())
            .map(|x| unpacked(self.layout, crate::f2::apply_columns(&bases, x)))
            .collect();
        firsts.sort_unstable();
        let mut groups = Vec::new();
        let warps = self.layout.columns_of(Dim::WARP).iter().enumerate();
        for (number, column) in warps.skip(WARPS.len()) {
            self.check_whole((Dim::WARP, number), *column, sizes)?;
            groups.push(unpacked(self.layout, *column));
        }
        Ok(AccumulatorTiles { firsts, groups })
    }

    fn check_whole(
        &self,
        (dim, number): (Dim, usize),
        column: u64,
        tile: [u64; 2],
    ) -> Result<(), WarpGroupErrorKind> {
        if column & self.tile_mask == 0 {
            return Ok(());
        }
        Err(WarpGroupErrorKind::Split {
            dim,
            number,
            found: unpacked(self.layout, column),
            tile,
        })
    }
}

/// The tiles of the accumulator D. Each instruction computes one tile in each warp group.
#[derive(Clone, Debug)]
pub(super) struct AccumulatorTiles {
    /// Coordinates (m, n) of the first element of each tile of the first warp group.
    pub(super) firsts: Vec<[u64; 2]>,
    /// For each bit of the warp group's number, its contribution to (m, n).
    pub(super) groups: Vec<[u64; 2]>,
}

/// Returns log2 of the number of columns of the widest possible tile of D. The number is a power of two from 8 to
/// 256. It is the largest for which all column bits of the tile except the lowest three are held in the registers
/// of one thread.
pub(super) fn widest_log2(layout: &LinearLayout, n_log2: u32) -> u32 {
    let registers = echelon(layout.columns_of(Dim::REGISTER));
    let is_held = |bit: &u32| registers.contains(packed(layout, [0, 1 << bit]));
    (3..n_log2.min(8))
        .take_while(is_held)
        .fold(3, |_, bit| bit + 1)
}
