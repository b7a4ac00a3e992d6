//! Index digits and their distribution over registers, lanes and warps.

use super::error::{CompilerLayoutError, CompilerLayoutErrorKind};
use crate::layout::{Dim, LinearLayout, Surjectivity};

/// A digit of the tensor index along dim `dim`. Its value is `index / weight % extent`.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexDigit {
    pub(super) dim: usize,
    pub(super) weight: u64,
    pub(super) extent: u64,
}

/// The basis vectors of a linear layout of a tensor with the shape `shape`. There is one list of vectors for each
/// of the input dims register, lane and warp. Each vector is packed into one integer, in which dim 0 has the low
/// bits.
pub(super) struct LayoutColumns {
    shape: Vec<u64>,
    pub(super) register: Vec<u64>,
    pub(super) lane: Vec<u64>,
    pub(super) warp: Vec<u64>,
}

pub(super) fn check_power(
    what: &'static str,
    dim: usize,
    value: u64,
) -> Result<(), CompilerLayoutError> {
    if value.is_power_of_two() {
        Ok(())
    } else {
        Err(CompilerLayoutErrorKind::NotPowerOfTwo { what, dim, value }.into())
    }
}

/// Returns `extent / by`, or an error if `by` does not divide `extent`. The error message cites `what` and `dim`.
pub(super) fn quotient(
    what: &'static str,
    dim: usize,
    extent: u64,
    by: u64,
) -> Result<u64, CompilerLayoutError> {
    match extent.checked_rem(by) {
        Some(0) => Ok(extent / by),
        _ => Err(CompilerLayoutErrorKind::NotDivisible {
            what,
            dim,
            extent,
            by,
        }
        .into()),
    }
}

/// Returns `a * b`, or an error if the product is not below 2^62.
pub(super) fn product(a: u64, b: u64) -> Result<u64, CompilerLayoutError> {
    match a.checked_mul(b) {
        Some(c) if c < 1 << 62 => Ok(c),
        _ => Err(CompilerLayoutErrorKind::TooLarge.into()),
    }
}

impl LayoutColumns {
    pub(super) fn new(shape: &[u64]) -> Result<Self, CompilerLayoutError> {
        let mut size = 1;
        for (dim, &extent) in shape.iter().enumerate() {
            check_power("the tensor shape", dim, extent)?;
            size = product(size, extent)?;
        }
        Ok(Self {
            shape: shape.to_vec(),
            register: Vec::new(),
            lane: Vec::new(),
            warp: Vec::new(),
        })
    }

    /// Returns the packed basis vector of a step by `weight` along `dim`, or 0 if `weight` is not below the size of
    /// this dim. The coordinate along dim 0 is stored in the low bits.
    pub(super) fn column(&self, dim: usize, weight: u64) -> u64 {
        let below: u32 = self.shape[..dim].iter().map(|e| e.trailing_zeros()).sum();
        // Tiles beyond the tensor wrap around, and are copies.
        if weight < self.shape[dim] {
            weight << below
        } else {
            0
        }
    }

    /// Returns one packed basis vector for each bit of `digits`. The vectors are in the order of the digits. For
    /// each digit, the vector of the lowest bit comes first. Extents and weights must be powers of two.
    pub(super) fn of(&self, digits: impl IntoIterator<Item = IndexDigit>) -> Vec<u64> {
        digits
            .into_iter()
            .flat_map(|digit| {
                (0..digit.extent.trailing_zeros()).map(move |bit| (digit.dim, digit.weight << bit))
            })
            .map(|(dim, weight)| self.column(dim, weight))
            .collect()
    }

    pub(super) fn into_layout(self) -> Result<LinearLayout, CompilerLayoutError> {
        let outs: Vec<(Dim, u64)> = self
            .shape
            .iter()
            .enumerate()
            .map(|(dim, extent)| (Dim::out(dim), *extent))
            .collect();
        let ins = [
            (Dim::REGISTER, self.register.len()),
            (Dim::LANE, self.lane.len()),
            (Dim::WARP, self.warp.len()),
            (Dim::BLOCK, 0),
        ];
        if ins.iter().map(|(_, bits)| bits).sum::<usize>() > 62 {
            return Err(CompilerLayoutErrorKind::TooLarge.into());
        }
        let ins = ins.map(|(dim, bits)| (dim, 1 << bits));
        let columns = [self.register, self.lane, self.warp].concat();
        let layout = LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)?;
        Ok(layout)
    }
}
