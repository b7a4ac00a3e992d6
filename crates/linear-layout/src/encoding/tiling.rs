//! Construction of the layout of an encoding on a shape, as a product of factors.
//!
//! Factors, such as `4 registers along dim1` and `8 lanes along dim0`, are appended one by one. Along each dim, a
//! factor begins at the end of the previous factor. Bases beyond the part of one CTA become zero (a broadcast).
//! Registers are added until one CTA's part is covered. The bases of the CTAs are appended last. The shape is known
//! from the start, so each basis is computed only once, as a packed number.

use super::cga::CgaLayout;
use super::error::{EncodingErrorKind, RuleLabel};
use super::{EncodingError, MAX_RANK};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;

const MAX_BITS: usize = 64;
/// log2 of the maximum size along one dim. Together with [`MAX_TOTAL_BITS`], it limits the sizes of a tensor such
/// that sums of their log2 values do not overflow.
const MAX_DIM_BITS: u32 = 31;
const MAX_TOTAL_BITS: u32 = 62;

pub(crate) const DISTRIBUTED: [Dim; 4] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];
pub(crate) const SHARED: [Dim; 2] = [Dim::OFFSET, Dim::BLOCK];
pub(crate) const REGISTER: usize = 0;
pub(crate) const LANE: usize = 1;
pub(crate) const WARP: usize = 2;
pub(crate) const OFFSET: usize = 0;

/// A builder that composes a layout from factors, which are appended one after the other. A *slot* is an index into
/// the input dims `ins`.
#[derive(Clone, Debug)]
pub(crate) struct Tiling {
    ins: [Dim; 4],
    num_ins: u8,
    rank: u8,
    /// log2 of the tensor size along each dim.
    bits: [u8; MAX_RANK],
    /// log2 of the size of one CTA's tile along each dim.
    limit: [u8; MAX_RANK],
    /// Position at which the bits of each dim start in a packed column. Dim 0 has the lowest bits.
    offset: [u8; MAX_RANK],
    /// log2 of the product of the sizes of the factors that were appended along each dim.
    used: [u8; MAX_RANK],
    len: u8,
    overflow: bool,
    slots: [u8; MAX_BITS],
    columns: [u64; MAX_BITS],
}

/// Returns log2 of each size in `shape`. Returns an error if the rank of `shape` is not `rank`, a size is not a
/// power of two, or the total size is too large.
pub(crate) fn shape_log2(
    family: &'static str,
    rank: usize,
    shape: &[u64],
) -> Result<[u8; MAX_RANK], EncodingError> {
    if shape.len() != rank || rank > MAX_RANK {
        let (found, expected) = (shape.len(), rank);
        return Err(EncodingError::new(EncodingErrorKind::ShapeRank {
            family,
            found,
            expected,
        })
        .of_rule("encoding_c2"));
    }
    let mut bits = [0; MAX_RANK];
    let mut total = 0;
    for (dim, size) in shape.iter().enumerate() {
        if !size.is_power_of_two() {
            return Err(
                EncodingError::new(EncodingErrorKind::ShapeSize { dim, size: *size })
                    .of_rule("encoding_c3"),
            );
        }
        let log2 = size.trailing_zeros();
        total += log2;
        if log2 > MAX_DIM_BITS || total > MAX_TOTAL_BITS {
            return Err(
                EncodingError::new(EncodingErrorKind::ShapeTooLarge { bits: total })
                    .of_rule("encoding_c4"),
            );
        }
        bits[dim] = narrow(log2);
    }
    Ok(bits)
}

impl Tiling {
    pub(crate) fn new(
        family: &'static str,
        ins: &[Dim],
        shape: &[u64],
        cga: &CgaLayout,
    ) -> Result<Self, EncodingError> {
        let bits = shape_log2(family, cga.rank(), shape)?;
        let mut tiling = Self::bare(ins, cga.rank());
        tiling.set_bits(&bits[..cga.rank()]);
        let split = cga.split_log2();
        for dim in 0..cga.rank() {
            tiling.limit[dim] = bits[dim].saturating_sub(split[dim]);
        }
        Ok(tiling)
    }

    /// Returns an empty [`Tiling`] with the input dims `ins`, in which every tensor dim has size 1.
    /// [`set_bits`](Self::set_bits) sets the actual sizes.
    pub(crate) fn bare(ins: &[Dim], rank: usize) -> Self {
        let mut dims = [Dim::REGISTER; 4];
        dims[..ins.len()].copy_from_slice(ins);
        Self {
            ins: dims,
            num_ins: narrow(ins.len()),
            rank: narrow(rank),
            bits: [0; MAX_RANK],
            limit: [0; MAX_RANK],
            offset: [0; MAX_RANK],
            used: [0; MAX_RANK],
            len: 0,
            overflow: false,
            slots: [0; MAX_BITS],
            columns: [0; MAX_BITS],
        }
    }

    /// Sets the size of the tensor along each dim `d` to `2^bits[d]`, and assigns the whole tensor to one CTA.
    pub(crate) fn set_bits(&mut self, bits: &[u8]) {
        let mut offset = 0;
        for (dim, bits) in bits.iter().enumerate() {
            self.bits[dim] = *bits;
            self.limit[dim] = *bits;
            self.offset[dim] = offset;
            offset += bits;
        }
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank as usize
    }

    pub(crate) fn limit(&self, dim: usize) -> u8 {
        self.limit[dim]
    }

    pub(crate) fn bits(&self, dim: usize) -> u8 {
        self.bits[dim]
    }

    pub(crate) fn set_limits(&mut self, limits: &[u8]) {
        self.limit[..limits.len()].copy_from_slice(limits);
    }

    /// Returns the slot of the input dim `ind`, which is added if it is missing.
    pub(crate) fn slot_of(&mut self, ind: Dim) -> usize {
        let num = self.num_ins as usize;
        match self.ins[..num].iter().position(|d| *d == ind) {
            Some(slot) => slot,
            None => {
                self.ins[num] = ind;
                self.num_ins += 1;
                num
            }
        }
    }

    /// Multiplies the size of the tensor along `dim` by `2^extra`. The new bits are the highest bits of `dim`.
    pub(crate) fn grow(&mut self, dim: usize, extra: u8) -> Result<(), EncodingError> {
        let total: u32 = self.bits[..self.rank()].iter().map(|b| u32::from(*b)).sum();
        if total + u32::from(extra) > MAX_TOTAL_BITS {
            return Err(EncodingError::new(EncodingErrorKind::ShapeTooLarge {
                bits: total + u32::from(extra),
            })
            .of_rule("encoding_c4"));
        }
        let cut = self.offset[dim] + self.bits[dim];
        for column in &mut self.columns[..self.len as usize] {
            let low = *column & ((1 << cut) - 1);
            *column = low | (*column >> cut) << (cut + extra);
        }
        self.bits[dim] += extra;
        for above in &mut self.offset[dim + 1..] {
            *above += extra;
        }
        Ok(())
    }

    pub(crate) fn used(&self, dim: usize) -> u8 {
        self.used[dim]
    }

    pub(crate) fn push(&mut self, slot: usize, column: u64) {
        match self.columns.get_mut(self.len as usize) {
            Some(last) => {
                *last = column;
                self.slots[self.len as usize] = narrow(slot);
                self.len += 1;
            }
            None => self.overflow = true,
        }
    }

    /// Appends to `slot` a basis that steps by `2^bit` along `dim`. The basis is zero if the step exceeds the
    /// tensor.
    pub(crate) fn push_bit(&mut self, slot: usize, dim: usize, bit: u8) {
        self.push(slot, self.component(dim, 1 << bit));
    }

    /// Appends to `slot` a basis that steps by `2^bit` along `dim`. The basis is zero if the step exceeds the tile
    /// of one CTA.
    pub(crate) fn push_bit_in_cta(&mut self, slot: usize, dim: usize, bit: u8) {
        self.push(slot, self.component_in_cta(dim, 1 << bit));
    }

    /// Returns the packed column whose coordinate along `dim` is `value` and whose other coordinates are 0. Returns
    /// 0 if `value` is not below the tensor's size along `dim`.
    pub(crate) fn component(&self, dim: usize, value: u64) -> u64 {
        if value >> self.bits[dim] == 0 {
            value << self.offset[dim]
        } else {
            0
        }
    }

    /// Returns the packed column whose coordinate along `dim` is `value` and whose other coordinates are 0. Returns
    /// 0 if `value` is not below the size of one CTA's tile along `dim`.
    pub(crate) fn component_in_cta(&self, dim: usize, value: u64) -> u64 {
        if value >> self.limit[dim] == 0 {
            value << self.offset[dim]
        } else {
            0
        }
    }

    /// Appends a factor that maps `size` consecutive indices of `slot` to consecutive coordinates along `dim`.
    ///
    /// `size` is a power of two. A `size` of 0 appends nothing.
    pub(crate) fn lay(&mut self, slot: usize, size: u64, dim: usize) {
        self.lay_log2(slot, narrow(size.checked_ilog2().unwrap_or(0)), dim);
    }

    pub(crate) fn lay_log2(&mut self, slot: usize, size_log2: u8, dim: usize) {
        for _ in 0..size_log2 {
            let used = self.used[dim];
            let column = if used < self.limit[dim] {
                1 << (self.offset[dim] + used)
            } else {
                0
            };
            self.push(slot, column);
            self.used[dim] = used.saturating_add(1);
        }
    }

    /// Appends log2 of `size` zero bases to `slot`. They multiply the size of this input dim by `size`, and the
    /// added indices hold copies of the same elements. `size` is a power of two.
    pub(crate) fn repeat(&mut self, slot: usize, size: u64) {
        for _ in 0..size.checked_ilog2().unwrap_or(0) {
            self.push(slot, 0);
        }
    }

    /// Marks the next `bits` bits of `dim` as used. This is needed for bases that were appended without
    /// [`lay`](Self::lay).
    pub(crate) fn advance(&mut self, dim: usize, bits: u8) {
        self.used[dim] = self.used[dim].saturating_add(bits);
    }

    /// Appends bases to `slot` until the tile of one CTA is covered. The dims are completed one after another, in
    /// the order `order`.
    pub(crate) fn fill(&mut self, slot: usize, order: impl IntoIterator<Item = usize>) {
        for dim in order {
            let missing = self.limit[dim].saturating_sub(self.used[dim]);
            self.lay_log2(slot, missing, dim);
        }
    }

    /// Appends to `slot` the bases of the CTA index, as `cga` describes them. A nonzero basis steps from the tile
    /// of one CTA to the tile of another one.
    pub(crate) fn lay_ctas(&mut self, slot: usize, cga: &CgaLayout) {
        for bit in cga.bits() {
            let column = match bit.step {
                Some((dim, bit)) if bit < self.bits[dim as usize] => {
                    let dim = dim as usize;
                    1 << (self.offset[dim] + self.limit[dim] + bit)
                }
                _ => 0,
            };
            self.push(slot, column);
        }
    }

    pub(crate) fn drop_zeros(&mut self, slot: usize) {
        let mut kept = 0;
        for i in 0..self.len as usize {
            if self.slots[i] as usize == slot && self.columns[i] == 0 {
                continue;
            }
            self.slots[kept] = self.slots[i];
            self.columns[kept] = self.columns[i];
            kept += 1;
        }
        self.len = narrow(kept);
    }

    /// Removes output dim `dim`, which must have size 1.
    pub(crate) fn drop_dim(&mut self, dim: usize) {
        debug_assert_eq!(self.bits[dim], 0);
        self.bits.copy_within(dim + 1.., dim);
        self.limit.copy_within(dim + 1.., dim);
        self.offset.copy_within(dim + 1.., dim);
        self.rank -= 1;
    }

    pub(crate) fn into_layout(self) -> Result<LinearLayout, EncodingError> {
        if self.overflow {
            return Err(EncodingError::new(EncodingErrorKind::TooManyBits).of_rule("encoding_c5"));
        }
        let mut counts = [0usize; 4];
        for slot in &self.slots[..self.len as usize] {
            counts[*slot as usize] += 1;
        }
        let mut next = [0usize; 4];
        for i in 1..4 {
            next[i] = next[i - 1] + counts[i - 1];
        }
        let mut columns = [0u64; MAX_BITS];
        for (slot, column) in self.slots.iter().zip(&self.columns).take(self.len as usize) {
            let index = &mut next[*slot as usize];
            columns[*index] = *column;
            *index += 1;
        }
        if counts.iter().any(|c| *c > 62) {
            return Err(EncodingError::new(EncodingErrorKind::TooManyBits).of_rule("encoding_c5"));
        }
        let ins: [(Dim, u64); 4] = core::array::from_fn(|i| (self.ins[i], 1 << counts[i]));
        let outs: [(Dim, u64); MAX_RANK] =
            core::array::from_fn(|dim| (Dim::out(dim), 1 << self.bits[dim]));
        Ok(LinearLayout::from_columns(
            &ins[..self.num_ins as usize],
            &outs[..self.rank()],
            &columns[..self.len as usize],
            Surjectivity::NotRequired,
        )?)
    }
}
