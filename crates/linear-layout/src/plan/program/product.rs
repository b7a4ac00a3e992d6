//! What an instruction that multiplies matrices does.

use crate::layout::{Dim, LayoutError, LinearLayout};
use thiserror::Error;

/// A matrix instruction of a warp, `D = A B + D`: what [`super::Step::Mma`] means.
///
/// # Shape
/// Each operand is a layout from registers, one element each, and lanes to two coordinates: of A to `(m, k)`, of B to
/// `(k, n)`, of D to `(m, n)`. Elements that several lanes or registers hold are copies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MmaRow {
    name: String,
    /// A, B, D.
    operands: [LinearLayout; 3],
    issue: u32,
}

/// Operands that do not fit each other.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{name}` has operands A of {a:?}, B of {b:?}, D of {d:?}: expected m x k, k x n, m x n")]
pub struct MmaSizesError {
    name: String,
    a: [u64; 2],
    b: [u64; 2],
    d: [u64; 2],
}

impl MmaRow {
    /// Returns the instruction of this name; `issue` is what it costs a warp, in the target's quarter cycles.
    ///
    /// # Errors
    /// The sizes of the operands are not those of a product.
    pub fn new(
        name: &str,
        [a, b, d]: [LinearLayout; 3],
        issue: u32,
    ) -> Result<Self, MmaSizesError> {
        let sizes = |layout: &LinearLayout| [0, 1].map(|i| layout.out_size(Dim::out(i)));
        let row = Self {
            name: name.to_owned(),
            operands: [a, b, d],
            issue,
        };
        let [a, b, d] = [&row.operands[0], &row.operands[1], &row.operands[2]].map(sizes);
        if (a[1], d) == (b[0], [a[0], b[1]]) {
            return Ok(row);
        }
        let name = row.name;
        Err(MmaSizesError { name, a, b, d })
    }

    /// The instruction's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it costs a warp.
    #[must_use]
    pub const fn issue(&self) -> u32 {
        self.issue
    }

    /// The layouts of A, B and D.
    #[must_use]
    pub const fn operands(&self) -> &[LinearLayout; 3] {
        &self.operands
    }

    /// The sizes m, n, k.
    #[must_use]
    pub fn sizes(&self) -> [u64; 3] {
        let [a, b, _] = &self.operands;
        let [row, column] = [0, 1].map(Dim::out);
        [a.out_size(row), b.out_size(column), a.out_size(column)]
    }

    /// The coordinates that an element of an operand has: of A, B or D, in a register of a lane.
    ///
    /// # Errors
    /// The operand has no such register or lane.
    pub(crate) fn coordinates(
        &self,
        operand: usize,
        register: u64,
        lane: u64,
    ) -> Result<[usize; 2], LayoutError> {
        let point = [(Dim::REGISTER, register), (Dim::LANE, lane)];
        let coords = self.operands[operand].apply(&point)?.to_vec();
        Ok([coords[0] as usize, coords[1] as usize])
    }
}
