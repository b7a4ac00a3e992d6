//! The room `f2` in a crate without the standard library; `no_std.rs` compiles it.

#![no_std]

#[path = "../../../crates/linear-layout/src/f2/mod.rs"]
pub mod f2;

/// Uses the room as a caller would: elimination, inverse, subspaces, messages.
pub fn rank_and_nullity(columns: &[u64]) -> Result<(usize, usize), f2::MatrixError> {
    let matrix = f2::BitMatrix::from_columns(64, columns)?;
    Ok((matrix.rank(), matrix.kernel().dimension()))
}
