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

/// Formats the nonzero coordinates of `at`, e.g. as `m 8 and k 2`. If all coordinates are 0, the text is `a copy`,
/// because a bit with these coordinates numbers replicas.
pub(super) fn format_point(operand: usize, at: [u64; 2]) -> String {
    let named = AXES[operand].into_iter().zip(at);
    let parts: Vec<String> = named
        .filter(|(_, value)| *value != 0)
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    match parts.as_slice() {
        [] => "a copy".to_owned(),
        parts => parts.join(" and "),
    }
}
