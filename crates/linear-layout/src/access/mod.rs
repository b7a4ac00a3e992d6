//! Axis information (contiguity, divisibility and constancy of values), and vectorisation of memory accesses.
//!
//! The facts that determine vector widths are consecutive addresses, alignment, and uniform masks. [`AxisInfo`] is the
//! lattice of these facts, with one transfer function per operation. [`GlobalAccess`] derives the access width. The
//! data-flow analysis over functions is in the lowering.
//!
//! # A worked example
//! `x + pid * 64 + range(0, 64)` over `f32`, where `x` is aligned to 16 bytes:
//! ```
//! use linear_layout::access::{AxisInfo, BinaryOp};
//! let block = AxisInfo::scalar().with_non_negative();                      // pid: anything
//! let block = AxisInfo::binary(BinaryOp::Mul, &block, &AxisInfo::constant(&[], 64, 32), 32);
//! let range = AxisInfo::range(0, 64);
//! let offset = AxisInfo::binary(BinaryOp::Add, &block.splat(&[64]), &range, 32);
//! assert_eq!((offset.contiguity(0), offset.divisibility(0)), (64, 64));
//! let x = AxisInfo::argument(16).with_element_bytes(4).splat(&[64]);
//! let pointer = x.add_offset(&offset, 32);
//! // 64 addresses in a row, the first a multiple of 16 bytes: accesses of 4 floats.
//! assert_eq!((pointer.contiguity(0), pointer.divisibility(0)), (64, 16));
//! ```
//!
//! # Ground rules
//! - Facts hold in the wrapping arithmetic of the type: 127 and -128 are consecutive in 8 bits. Unless all elements are
//!   non-negative, extensions keep only contiguous groups that start at a multiple of their size.
//! - One assumption: sums, products and left shifts of non-negative values do not exceed the signed range of the type.
//!   Only signed division, signed remainder and extensions rely on it.
//! - Contiguity, divisibility and constancy are powers of two, at most 2^62 (the divisibility of zero).
//!
//! Reading order: this file (facts and shape operations), `arithmetic` (integer operations), `vector` (access widths).
//! Not here: facts about loaded values (another thread may write them) and value ranges.
//!
//! # Source
//! Triton's `AxisInfo.cpp`. This analysis is stricter about negative dividends and extensions. It is more general for
//! bit operations, comparisons of two contiguous operands, `<=` with constants, and reshapes.

mod arithmetic;
#[cfg(test)]
mod tests;
mod vector;

use crate::number::narrow;
pub use arithmetic::{BinaryOp, Comparison};
pub use vector::{GlobalAccess, VectorAccess};

use crate::layout::MAX_DIMS;
use core::fmt;

/// Saturation limit of the logarithms in axis information. Zero is divisible by 2^62.
const MAX_LOG2: u8 = 62;

/// Axis information of a tensor of integers, truth values or pointers. A scalar has one dimension of size 1.
///
/// ```text
/// value                              contiguity  divisibility  constancy
/// 8 9 10 11 12 13 14 15                  8             8           1
/// 8 9 10 11 16 17 18 19                  4             8           1
/// 4 4 4 4 12 12 12 12                    1             4           4
/// ```
/// # Units
/// Contiguity and constancy count elements. Divisibility is in units of the integer, or in bytes for pointers. The
/// getters return powers of two, not logarithms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AxisInfo {
    rank: u8,
    contiguity_log2: [u8; MAX_DIMS],
    divisibility_log2: [u8; MAX_DIMS],
    constancy_log2: [u8; MAX_DIMS],
    /// For addresses, log2 of a number of bytes that divides the difference of any two addresses. For integers, 0.
    step_log2: u8,
    non_negative: bool,
    constant: Option<i64>,
}

impl AxisInfo {
    /// Returns the axis information of a tensor about which nothing is known. Rank 0 is a scalar.
    ///
    /// Dimensions beyond the sixteenth are dropped.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the rank is at most `MAX_DIMS`"
    )]
    pub const fn unknown(rank: usize) -> Self {
        Self {
            rank: if rank == 0 {
                1
            } else if rank > MAX_DIMS {
                MAX_DIMS as u8
            } else {
                rank as u8
            },
            contiguity_log2: [0; MAX_DIMS],
            divisibility_log2: [0; MAX_DIMS],
            constancy_log2: [0; MAX_DIMS],
            step_log2: 0,
            non_negative: false,
            constant: None,
        }
    }

    /// Returns the axis information of a scalar about which nothing is known.
    #[must_use]
    pub const fn scalar() -> Self {
        Self::unknown(0)
    }

    /// Returns the axis information of an induction variable that starts at `first` and advances by `step`.
    #[must_use]
    pub fn counter(first: &Self, step: &Self) -> Self {
        let mut info = Self::scalar();
        info.divisibility_log2[0] = first.everywhere_log2().min(step.everywhere_log2());
        info.non_negative = first.non_negative;
        info
    }

    /// Returns the axis information of a tensor whose elements all equal `value`. An empty `shape` denotes a scalar.
    ///
    /// # Units
    /// `bits` is the width of the integer type. `value` is wrapped to this width.
    #[must_use]
    pub fn constant(shape: &[u64], value: i64, bits: u32) -> Self {
        let mut info = Self::unknown(shape.len());
        let value = arithmetic::wrap(i128::from(value), bits);
        info.constant = Some(value);
        info.non_negative = bits > 1 && value >= 0;
        info.constancy_log2 = sizes_log2(shape);
        info.divisibility_log2 = [divisor_log2(i128::from(value)); MAX_DIMS];
        info
    }

    /// Returns the axis information of the one-dimensional tensor `start`, `start + 1`, ..., `end - 1`.
    #[must_use]
    pub fn range(start: i64, end: i64) -> Self {
        let size = u64::try_from(end.saturating_sub(start)).unwrap_or(1).max(1);
        if size == 1 {
            return Self::constant(&[1], start, 64);
        }
        let mut info = Self::unknown(1);
        info.contiguity_log2[0] = divisor_log2(i128::from(size));
        info.divisibility_log2[0] = divisor_log2(i128::from(start));
        info.non_negative = start >= 0;
        info.cut_run(0, info.contiguity_log2[0]);
        info.finish(64)
    }

    /// Computes the strongest facts that hold for a tensor with the row-major elements `values`.
    ///
    /// # Errors
    /// Returns `None` if `values` is empty or does not fill `shape`, or if `shape` has more than 16 dimensions.
    #[must_use]
    pub fn of_elements(shape: &[u64], values: &[i64], bits: u32) -> Option<Self> {
        let count = shape.iter().try_fold(1u64, |n, s| n.checked_mul(*s))?;
        if shape.len() > MAX_DIMS || values.is_empty() || values.len() as u64 != count {
            return None;
        }
        if values.iter().all(|v| *v == values[0]) {
            return Some(Self::constant(shape, values[0], bits));
        }
        let mut info = Self::unknown(shape.len());
        info.non_negative = bits > 1 && values.iter().all(|v| *v >= 0);
        let sizes = sizes_log2(shape);
        for d in 0..shape.len() {
            let stride: usize = narrow(shape[d + 1..].iter().product::<u64>());
            // Groups divide the size, so dims before `d` do not affect the start of groups.
            let begins = |i: usize, group_log2: u8| (i / stride).is_multiple_of(1 << group_log2);
            // True if consecutive elements of every aligned group differ by `step`.
            let steps_by = |group_log2: u8, step: i64| {
                (0..values.len()).all(|i| {
                    begins(i, group_log2)
                        || values[i]
                            == arithmetic::wrap(
                                i128::from(values[i - stride]) + i128::from(step),
                                bits,
                            )
                })
            };
            let longest = |step| {
                (1..=sizes[d])
                    .take_while(|g| steps_by(*g, step))
                    .last()
                    .unwrap_or(0)
            };
            info.contiguity_log2[d] = longest(1);
            info.constancy_log2[d] = longest(0);
            info.divisibility_log2[d] = (0..values.len())
                .filter(|i| begins(*i, info.contiguity_log2[d]))
                .map(|i| divisor_log2(i128::from(values[i])))
                .min()
                .unwrap_or(0);
        }
        Some(info.finish(bits))
    }

    /// Returns the axis information of a scalar argument, an integer or an address, that is a multiple of
    /// `divisibility`.
    #[must_use]
    pub fn argument(divisibility: u64) -> Self {
        let mut info = Self::scalar();
        info.divisibility_log2[0] = divisor_log2(i128::from(divisibility.max(1)));
        info
    }

    /// Returns the axis information of the same addresses as pointers to elements of `element_bytes` bytes.
    #[must_use]
    pub fn with_element_bytes(mut self, element_bytes: u64) -> Self {
        self.step_log2 = divisor_log2(i128::from(element_bytes.max(1)));
        self
    }

    /// Returns `self` with the additional fact that no element is negative.
    #[must_use]
    pub const fn with_non_negative(mut self) -> Self {
        self.non_negative = true;
        self
    }

    /// Returns the axis information of the addresses `self + offsets`, as in `amdg.buffer_load`.
    ///
    /// # Units
    /// `self` is a scalar pointer. Its divisibility counts bytes. `offsets` counts elements.
    #[must_use]
    pub fn at_offsets(&self, offsets: &Self, offset_bits: u32, shape: &[u64]) -> Self {
        self.splat(shape).add_offset(offsets, offset_bits)
    }

    /// Adds the facts that the author of the kernel states about dimension `d`. `size` is the size of this
    /// dimension. A contiguity, divisibility or constancy of 1 states nothing.
    ///
    /// Each stated number is replaced by its largest power-of-two divisor: 12 counts as 4.
    #[must_use]
    pub fn with_hints(
        mut self,
        d: usize,
        size: u64,
        contiguity: u64,
        divisibility: u64,
        constancy: u64,
    ) -> Self {
        if d >= self.rank() {
            return self;
        }
        let limit = divisor_log2(i128::from(size.max(1)));
        let group = |n: u64| divisor_log2(i128::from(n.max(1))).min(limit);
        // Starts of longer runs are starts of shorter ones, so known divisors remain valid.
        self.contiguity_log2[d] = self.contiguity_log2[d].max(group(contiguity));
        self.constancy_log2[d] = self.constancy_log2[d].max(group(constancy));
        self.divisibility_log2[d] =
            self.divisibility_log2[d].max(divisor_log2(i128::from(divisibility.max(1))));
        self
    }

    /// Returns the number of dimensions, 1 for a scalar.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// Returns the contiguity along dimension `d`: each aligned group of this many elements holds consecutive
    /// integers, or the addresses of consecutive elements for pointers. Returns 1 if the dimension does not exist.
    #[must_use]
    pub fn contiguity(&self, d: usize) -> u64 {
        1 << self.contiguity_log2.get(d).copied().unwrap_or(0)
    }

    /// Returns a power of two that divides the first element of every contiguous group along `d`. For pointers, it
    /// divides the address in bytes.
    #[must_use]
    pub fn divisibility(&self, d: usize) -> u64 {
        1 << self.divisibility_log2.get(d).copied().unwrap_or(0)
    }

    /// Returns the constancy along dimension `d`: the largest known group size for which all elements of each
    /// aligned group are equal.
    #[must_use]
    pub fn constancy(&self, d: usize) -> u64 {
        1 << self.constancy_log2.get(d).copied().unwrap_or(0)
    }

    /// Returns the common value of all elements if known, sign-extended from the width of the type. A truth value is 0
    /// or 1.
    #[must_use]
    pub const fn constant_value(&self) -> Option<i64> {
        self.constant
    }

    /// Returns true if all elements are known to be non-negative as signed integers.
    #[must_use]
    pub const fn is_non_negative(&self) -> bool {
        self.non_negative
    }

    /// Returns the join: the facts that hold for both `self` and `other`.
    ///
    /// # Laws
    /// Commutative, associative and idempotent. Both operands imply every fact of the result.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self.rank != other.rank {
            return Self::unknown(self.rank().max(other.rank()));
        }
        let mut info = Self::unknown(self.rank());
        info.step_log2 = self.step_log2.min(other.step_log2);
        info.non_negative = self.non_negative && other.non_negative;
        info.constant = self.constant.filter(|c| other.constant == Some(*c));
        for d in 0..self.rank() {
            let mut run = self.contiguity_log2[d].min(other.contiguity_log2[d]);
            if self.step_log2 != other.step_log2 {
                run = 0;
            }
            info.contiguity_log2[d] = run;
            info.constancy_log2[d] = self.constancy_log2[d].min(other.constancy_log2[d]);
            info.divisibility_log2[d] = self
                .divisibility_at(d, run)
                .min(other.divisibility_at(d, run));
        }
        info.raise_divisibility();
        info
    }

    /// Broadcasts a scalar (or a tensor of one element) to a new shape.
    #[must_use]
    pub fn splat(&self, shape: &[u64]) -> Self {
        let mut info = Self::unknown(shape.len());
        info.copy_scalars(self);
        info.constancy_log2 = sizes_log2(shape);
        info.divisibility_log2 = [self.everywhere_log2(); MAX_DIMS];
        info
    }

    /// Adds a dimension of size 1 before dimension `axis`.
    #[must_use]
    pub fn expand_dims(&self, axis: usize) -> Self {
        if axis > self.rank() || self.rank() == MAX_DIMS {
            return Self::unknown(self.rank() + 1);
        }
        let mut info = Self::unknown(self.rank() + 1);
        info.copy_scalars(self);
        info.divisibility_log2[axis] = self.everywhere_log2();
        for d in 0..self.rank() {
            info.copy_dim(d + usize::from(d >= axis), self, d);
        }
        info
    }

    /// Broadcasts each dimension that has size 1 in `from` to its size in `to`.
    #[must_use]
    pub fn broadcast(&self, from: &[u64], to: &[u64]) -> Self {
        let mut info = *self;
        let sizes = sizes_log2(to);
        for d in 0..self.rank().min(from.len()).min(to.len()) {
            if from[d] != to[d] {
                info.contiguity_log2[d] = 0;
                info.constancy_log2[d] = sizes[d];
                info.divisibility_log2[d] = self.everywhere_log2();
            }
        }
        info
    }

    /// Reorders dimensions: dimension `i` of the result is dimension `order[i]` of `self`.
    #[must_use]
    pub fn transpose(&self, order: &[usize]) -> Self {
        let mut info = Self::unknown(order.len());
        if order.len() != self.rank() || order.iter().any(|d| *d >= self.rank()) {
            return info;
        }
        info.copy_scalars(self);
        for (i, d) in order.iter().enumerate() {
            info.copy_dim(i, self, *d);
        }
        info
    }

    /// Reshapes a tensor from shape `from` to shape `to`, in row-major order.
    ///
    /// If a result dimension has the stride of a source dimension, it keeps the contiguity and the constancy of the
    /// source dimension, up to its own size. If the stride of a result dimension is k times the stride of the
    /// source dimension that contains it, the contiguity is lost, and the constancy is divided by k. If a size is
    /// not a power of two, contiguity and constancy are lost in all dimensions.
    #[must_use]
    pub fn reshape(&self, from: &[u64], to: &[u64]) -> Self {
        let mut info = Self::unknown(to.len());
        info.copy_scalars(self);
        info.divisibility_log2 = [self.everywhere_log2(); MAX_DIMS];
        let powers = from.iter().chain(to).all(|s| s.is_power_of_two());
        if !powers || from.len() != self.rank() || to.len() > MAX_DIMS {
            return info;
        }
        if self.constant.is_some() {
            info.constancy_log2 = sizes_log2(to);
            return info;
        }
        // log2 of the row-major strides.
        let strides = |shape: &[u64]| {
            let mut strides = [0u32; MAX_DIMS];
            for d in (0..shape.len().saturating_sub(1)).rev() {
                strides[d] = strides[d + 1] + shape[d + 1].trailing_zeros();
            }
            strides
        };
        let (from_strides, to_strides) = (strides(from), strides(to));
        for (d, size) in to.iter().enumerate() {
            let size = narrow(size.trailing_zeros());
            let stride = to_strides[d];
            let source = (0..from.len()).find(|s| {
                from_strides[*s] <= stride && stride < from_strides[*s] + from[*s].trailing_zeros()
            });
            let (Some(s), true) = (source, size > 0) else {
                continue;
            };
            let jump = narrow(stride - from_strides[s]);
            if jump == 0 {
                let run = self.contiguity_log2[s].min(size);
                info.contiguity_log2[d] = run;
                info.divisibility_log2[d] = self.divisibility_at(s, run);
            }
            // Constant groups that span a whole source dimension continue in the next.
            let mut equal = self.constancy_log2[s];
            let mut next = s;
            let mut filled: u8 = narrow(from[s].trailing_zeros());
            while equal == filled && next > 0 {
                next -= 1;
                equal += self.constancy_log2[next];
                filled += narrow::<u8>(from[next].trailing_zeros());
            }
            info.constancy_log2[d] = equal.saturating_sub(jump).min(size);
        }
        info.raise_divisibility();
        info
    }

    /// Joins two tensors along a new last dimension of size 2.
    #[must_use]
    pub fn join_tensors(&self, other: &Self) -> Self {
        let mut info = self.join(other);
        if info.rank() == MAX_DIMS {
            return Self::unknown(MAX_DIMS);
        }
        let last = info.rank();
        info.rank += 1;
        info.divisibility_log2[last] = info.everywhere_log2_below(last);
        if info.constant.is_some() {
            info.constancy_log2[last] = 1;
        }
        info
    }

    /// Splits a tensor along the last dimension, which has size 2. The returned axis information holds for each of
    /// the two halves.
    #[must_use]
    pub fn split_tensor(&self) -> Self {
        let mut info = *self;
        if info.rank > 1 {
            info.rank -= 1;
            let last = info.rank();
            info.contiguity_log2[last] = 0;
            info.constancy_log2[last] = 0;
            info.divisibility_log2[last] = 0;
        }
        info
    }

    /// Returns the axis information of the result of an elementwise operation that the analysis does not know. Only
    /// the constancy is derived from `operands`: if two positions have equal elements in every operand, they also
    /// have equal elements in the result.
    #[must_use]
    pub fn elementwise(operands: &[Self]) -> Self {
        let Some(first) = operands.first() else {
            return Self::scalar();
        };
        let mut info = Self::unknown(first.rank());
        if operands.iter().all(|o| o.rank == first.rank) {
            for d in 0..first.rank() {
                info.constancy_log2[d] = operands
                    .iter()
                    .map(|o| o.constancy_log2[d])
                    .min()
                    .unwrap_or(0);
            }
        }
        info
    }

    /// Returns log2 of a number that divides the first element of every aligned group of 2^`run` elements along
    /// `d`.
    ///
    /// If 2^`run` is less than the contiguity, such a group may start inside a contiguous group, at a multiple of
    /// 2^`run` elements from its start.
    fn divisibility_at(&self, d: usize, run: u8) -> u8 {
        if run >= self.contiguity_log2[d] {
            self.divisibility_log2[d]
        } else {
            self.divisibility_log2[d].min(run + self.step_log2)
        }
    }

    fn everywhere_log2(&self) -> u8 {
        self.everywhere_log2_below(self.rank())
    }

    fn everywhere_log2_below(&self, rank: usize) -> u8 {
        (0..rank)
            .map(|d| self.divisibility_at(d, 0))
            .max()
            .unwrap_or(0)
    }

    /// Returns log2 of the largest group size g along `d` for which each group is contiguous and its first element
    /// is a multiple of g.
    fn aligned_run(&self, d: usize) -> u8 {
        self.contiguity_log2[d].min(self.divisibility_log2[d])
    }

    fn cut_run(&mut self, d: usize, run: u8) {
        if run < self.contiguity_log2[d] {
            self.divisibility_log2[d] = self.divisibility_at(d, run);
            self.contiguity_log2[d] = run;
        }
    }

    /// Raises the divisibility of every dimension to the largest number that is known to divide all elements of the
    /// tensor.
    fn raise_divisibility(&mut self) {
        let everywhere = self.everywhere_log2();
        for d in 0..self.rank() {
            self.divisibility_log2[d] = self.divisibility_log2[d].max(everywhere);
        }
    }

    /// Completes the axis information of `bits`-bit integers. The contiguity is limited to 2^(`bits` - 1). A
    /// contiguous group that starts at a multiple of its size then does not wrap around. The divisibility of every
    /// dimension is raised to the largest known divisor of all elements.
    fn finish(mut self, bits: u32) -> Self {
        let longest = u8::try_from(bits.saturating_sub(1)).unwrap_or(MAX_LOG2);
        for d in 0..self.rank() {
            self.divisibility_log2[d] = self.divisibility_log2[d].min(MAX_LOG2);
            self.cut_run(d, longest);
        }
        self.raise_divisibility();
        self
    }

    fn copy_scalars(&mut self, from: &Self) {
        self.step_log2 = from.step_log2;
        self.non_negative = from.non_negative;
        self.constant = from.constant;
    }

    fn copy_dim(&mut self, to: usize, from: &Self, d: usize) {
        self.contiguity_log2[to] = from.contiguity_log2[d];
        self.divisibility_log2[to] = from.divisibility_log2[d];
        self.constancy_log2[to] = from.constancy_log2[d];
    }
}

impl fmt::Debug for AxisInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints the facts, e.g. `contiguity [64], divisibility [16], constancy [1], not negative`.
impl fmt::Display for AxisInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, logs: &[u8; MAX_DIMS]| {
            write!(f, "{name} [")?;
            for (i, log2) in logs[..self.rank()].iter().enumerate() {
                write!(f, "{}{}", if i == 0 { "" } else { ", " }, 1u64 << log2)?;
            }
            f.write_str("]")
        };
        list(f, "contiguity", &self.contiguity_log2)?;
        list(f, ", divisibility", &self.divisibility_log2)?;
        list(f, ", constancy", &self.constancy_log2)?;
        if let Some(constant) = self.constant {
            write!(f, ", constant {constant}")?;
        }
        if self.non_negative && self.constant.is_none() {
            f.write_str(", not negative")?;
        }
        Ok(())
    }
}

/// Returns log2 of the largest power of two that divides `value`; [`MAX_LOG2`] for zero.
fn divisor_log2(value: i128) -> u8 {
    u8::try_from(value.trailing_zeros())
        .unwrap_or(MAX_LOG2)
        .min(MAX_LOG2)
}

fn sizes_log2(shape: &[u64]) -> [u8; MAX_DIMS] {
    let mut sizes = [0; MAX_DIMS];
    for (log2, size) in sizes.iter_mut().zip(shape) {
        *log2 = divisor_log2(i128::from((*size).max(1)));
    }
    sizes
}
