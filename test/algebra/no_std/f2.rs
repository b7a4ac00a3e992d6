//! The room `f2` in a crate without the standard library; `no_std.rs` compiles it.

#![no_std]

#[path = "../../../crates/linear-layout/src/f2/mod.rs"]
pub mod f2;

/// Uses the room as a caller would: elimination and subspaces.
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
