//! Coordinates that the operands of a product share.

/// Coordinates of an element of any operand: the matrix, m, n, k; those that it does not have are 0.
pub(super) type At = [u64; 4];

pub(super) const M: usize = 1;
pub(super) const N: usize = 2;
pub(super) const K: usize = 3;

/// Which of [`At`] the last two dims of A, B, D are.
pub(super) const COORDINATES: [[usize; 2]; 3] = [[M, K], [K, N], [M, N]];
