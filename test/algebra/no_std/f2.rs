//! `f2` in a crate without the standard library; compiled by `no_std.rs`.

#![no_std]

#[path = "../../../crates/linear-layout/src/f2/mod.rs"]
pub mod f2;

/// Computes the rank and the nullity of a matrix, with the elimination and the subspaces of the `f2` module, as a
/// dependent crate would use them.
pub fn rank_and_nullity(columns: &[u64]) -> (usize, usize) {
    let mut echelon = f2::Echelon::new();
    let mut kernel = f2::Span::empty();
    for (index, column) in columns.iter().enumerate() {
        if let Some(vector) = echelon.insert(index, *column) {
            kernel.insert(vector);
        }
    }
    (echelon.rank(), kernel.dimension())
}
