//! Coordinates that the operands of a product share.

use super::MatrixProduct;

/// Coordinates of an element of any operand: the matrix, m, n, k; those that it does not have are 0.
pub(super) type At = [u64; 4];

pub(super) const M: usize = 1;
pub(super) const N: usize = 2;
pub(super) const K: usize = 3;

/// Operands by number: A, B, D, the scales of A and those of B.
pub(super) const SCALES: [usize; 2] = [3, 4];

/// The coordinates that the last two dims of an operand are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    pub(super) dims: [usize; 2],
    /// log2 of the values of k that one place along it stands for: two elements in a byte, a block with one scale.
    pub(super) k_log2: u32,
}

impl Axes {
    /// Returns those of an operand of a product.
    pub(super) fn of(product: &MatrixProduct<'_>, operand: usize) -> Self {
        const DIMS: [[usize; 2]; 5] = [[M, K], [K, N], [M, N], [M, K], [N, K]];
        let k_log2 = match operand {
            0 | 1 => product.packed_log2(operand),
            2 => 0,
            _ => product.scales.map_or(0, |scales| scales.block_log2.into()),
        };
        Self {
            dims: DIMS[operand],
            k_log2,
        }
    }
}
