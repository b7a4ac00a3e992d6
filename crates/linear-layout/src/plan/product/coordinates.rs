//! Coordinates of the operands of a product.

use super::MatrixProduct;

/// The coordinates (matrix index, m, n, k) of an element of an operand. A coordinate that the operand does not have
/// is 0.
pub(super) type Point = [u64; 4];

pub(super) const M: usize = 1;
pub(super) const N: usize = 2;
pub(super) const K: usize = 3;

/// Indices of the scale operands. The operands are A (0), B (1), D (2), the scales of A (3) and the scales of B (4).
pub(super) const SCALES: [usize; 2] = [3, 4];

/// The roles (m, n or k) that the last two dims of an operand have in the product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    pub(super) dims: [usize; 2],
    /// log2 of the number of values of k that one element of the tensor covers. It is nonzero if a byte holds two
    /// elements along k, and for scales, because one scale applies to a block of elements.
    pub(super) k_log2: u32,
}

impl Axes {
    /// Returns the axes of the operand with index `operand`.
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
