//! Digits of indices, dealt out to registers, lanes and warps.

use super::error::{CompilerLayoutError, Kind};
use crate::layout::{Dim, LinearLayout, Surjectivity};

/// What a step along a digit adds to the index along one dim of the tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    pub(super) dim: usize,
    pub(super) weight: u64,
    pub(super) extent: u64,
}

/// The images of the bits of registers, lanes and warps.
pub(super) struct Columns {
    shape: Vec<u64>,
    pub(super) register: Vec<u64>,
    pub(super) lane: Vec<u64>,
    pub(super) warp: Vec<u64>,
}

/// Fails where an extent is not a power of two.
pub(super) fn check_power(
    what: &'static str,
    dim: usize,
    value: u64,
) -> Result<(), CompilerLayoutError> {
    if value.is_power_of_two() {
        Ok(())
    } else {
        Err(Kind::NotPowerOfTwo { what, dim, value }.into())
    }
}

/// What is left of an extent when parts of it are taken.
pub(super) fn quotient(
    what: &'static str,
    dim: usize,
    extent: u64,
    by: u64,
) -> Result<u64, CompilerLayoutError> {
    match extent.checked_rem(by) {
        Some(0) => Ok(extent / by),
        _ => Err(Kind::NotDivisible {
            what,
            dim,
            extent,
            by,
        }
        .into()),
    }
}

/// A product that does not pass the limit.
pub(super) fn product(a: u64, b: u64) -> Result<u64, CompilerLayoutError> {
    match a.checked_mul(b) {
        Some(c) if c < 1 << 62 => Ok(c),
        _ => Err(Kind::TooLarge.into()),
    }
}

impl Columns {
    /// None yet, of a tensor of this shape.
    pub(super) fn new(shape: &[u64]) -> Result<Self, CompilerLayoutError> {
        let mut size = 1;
        for (dim, &extent) in shape.iter().enumerate() {
            check_power("the tensor", dim, extent)?;
            size = product(size, extent)?;
        }
        Ok(Self {
            shape: shape.to_vec(),
            register: Vec::new(),
            lane: Vec::new(),
            warp: Vec::new(),
        })
    }

    /// The column that moves the index along a dim, its first dim in the low bits.
    pub(super) fn column(&self, dim: usize, weight: u64) -> u64 {
        let below: u32 = self.shape[..dim].iter().map(|e| e.trailing_zeros()).sum();
        // What is beyond the dim is nothing: tiles that go on start anew.
        if weight < self.shape[dim] {
            weight << below
        } else {
            0
        }
    }

    /// The columns of digits, the fastest first; extents and weights are powers of two.
    pub(super) fn of(&self, digits: impl IntoIterator<Item = Digit>) -> Vec<u64> {
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
            return Err(Kind::TooLarge.into());
        }
        let ins = ins.map(|(dim, bits)| (dim, 1 << bits));
        let columns = [self.register, self.lane, self.warp].concat();
        let layout = LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)?;
        Ok(layout)
    }
}
