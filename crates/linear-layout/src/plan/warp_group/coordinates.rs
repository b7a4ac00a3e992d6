//! Names of the operands and of their dims.

/// Index of operand A. The index of B is 1, and the index of D is 2.
pub(super) const A: usize = 0;
pub(super) const B: usize = 1;
pub(super) const D: usize = 2;

/// Names of the two dims of A, B and D.
pub(super) const AXES: [[&str; 2]; 3] = [["m", "k"], ["k", "n"], ["m", "n"]];

pub(super) const fn letter(operand: usize) -> &'static str {
    ["A", "B", "D"][operand]
}

/// Formats the coordinates of an element of an operand, e.g. as `(m, k) = (8, 2)`.
pub(super) fn format_point(operand: usize, at: [u64; 2]) -> String {
    let [down, across] = AXES[operand];
    format!("({down}, {across}) = ({}, {})", at[0], at[1])
}
