//! Transfer functions of arithmetic operations on axis information.

use super::{AxisInfo, MAX_LOG2, divisor_log2};
use crate::number::narrow;

/// A binary operation on integers of one width, with wrapping arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Signed quotient, rounded towards zero.
    DivS,
    /// Unsigned quotient.
    DivU,
    /// Signed remainder, with the sign of the dividend.
    RemS,
    /// Unsigned remainder.
    RemU,
    /// Left shift.
    Shl,
    /// Arithmetic right shift.
    ShrS,
    /// Logical right shift.
    ShrU,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Signed minimum.
    MinS,
    /// Signed maximum.
    MaxS,
    /// Unsigned minimum.
    MinU,
    /// Unsigned maximum.
    MaxU,
}

/// A comparison of two integers. The variants are in the order of `arith.cmpi`'s predicate numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of `arith.cmpi`")]
pub enum Comparison {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

impl Comparison {
    /// All comparisons. The index is the predicate number of `arith.cmpi`.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 10] = [
        Self::Eq,
        Self::Ne,
        Self::Slt,
        Self::Sle,
        Self::Sgt,
        Self::Sge,
        Self::Ult,
        Self::Ule,
        Self::Ugt,
        Self::Uge,
    ];

    /// Returns the comparison that gives the same result after the operands are exchanged: `Sgt` for `Slt`.
    const fn swapped(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
        }
    }

    fn holds(self, x: i64, y: i64, bits: u32) -> bool {
        let (ux, uy) = (unsigned(x, bits), unsigned(y, bits));
        match self {
            Self::Eq => x == y,
            Self::Ne => x != y,
            Self::Slt => signed(x, bits) < signed(y, bits),
            Self::Sle => signed(x, bits) <= signed(y, bits),
            Self::Sgt => signed(x, bits) > signed(y, bits),
            Self::Sge => signed(x, bits) >= signed(y, bits),
            Self::Ult => ux < uy,
            Self::Ule => ux <= uy,
            Self::Ugt => ux > uy,
            Self::Uge => ux >= uy,
        }
    }
}

/// Wraps `value` to `bits` bits, and sign-extends the result. If `bits` is 1, the result is the truth value 0 or 1.
#[expect(clippy::cast_possible_truncation, reason = "reducing is what it does")]
pub(super) fn wrap(value: i128, bits: u32) -> i64 {
    match bits {
        0 => 0,
        1 => (value & 1) as i64,
        2..=63 => ((value << (128 - bits)) >> (128 - bits)) as i64,
        _ => value as i64,
    }
}

fn signed(value: i64, bits: u32) -> i128 {
    if bits == 1 {
        -i128::from(value & 1)
    } else {
        i128::from(value)
    }
}

fn unsigned(value: i64, bits: u32) -> u128 {
    let mask = if bits >= 64 {
        u128::from(u64::MAX)
    } else {
        (1u128 << bits) - 1
    };
    i128::from(value).cast_unsigned() & mask
}

/// Evaluates `op` on two constants. Returns `None` if the result is undefined.
fn fold(op: BinaryOp, x: i64, y: i64, bits: u32) -> Option<i64> {
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let (ux, uy) = (unsigned(x, bits), unsigned(y, bits));
    let shift = u32::try_from(uy).ok().filter(|s| *s < bits);
    let value = match op {
        BinaryOp::Add => sx + sy,
        BinaryOp::Sub => sx - sy,
        BinaryOp::Mul => sx.checked_mul(sy)?,
        BinaryOp::DivS => sx.checked_div(sy)?,
        BinaryOp::DivU => ux.checked_div(uy)?.cast_signed(),
        BinaryOp::RemS => sx.checked_rem(sy)?,
        BinaryOp::RemU => ux.checked_rem(uy)?.cast_signed(),
        BinaryOp::Shl => sx << shift?,
        BinaryOp::ShrS => sx >> shift?,
        BinaryOp::ShrU => (ux >> shift?).cast_signed(),
        BinaryOp::And => sx & sy,
        BinaryOp::Or => sx | sy,
        BinaryOp::Xor => sx ^ sy,
        BinaryOp::MinS => sx.min(sy),
        BinaryOp::MaxS => sx.max(sy),
        BinaryOp::MinU => ux.min(uy).cast_signed(),
        BinaryOp::MaxU => ux.max(uy).cast_signed(),
    };
    Some(wrap(value, bits))
}

/// Contiguity, divisibility and constancy along one dimension, as base-2 logarithms.
#[derive(Clone, Copy, Default)]
struct AxisFacts {
    contiguity: u8,
    divisibility: u8,
    constancy: u8,
}

impl AxisInfo {
    /// Returns the axis information of `op` applied to two tensors of equal shape.
    ///
    /// # Units
    /// `bits` is the width of the integer type, 64 for `index`.
    #[must_use]
    pub fn binary(op: BinaryOp, a: &Self, b: &Self, bits: u32) -> Self {
        if a.rank != b.rank {
            return Self::unknown(a.rank().max(b.rank()));
        }
        if let (Some(x), Some(y)) = (a.constant, b.constant) {
            return match fold(op, x, y, bits) {
                Some(value) => a.replaced_by(value, bits),
                None => Self::unknown(a.rank()),
            };
        }
        if let Some(known) = neutral(op, a, b, bits) {
            return known;
        }
        let mut info = Self::unknown(a.rank());
        info.non_negative = bits > 1 && stays_non_negative(op, a, b);
        for d in 0..a.rank() {
            let along = match op {
                BinaryOp::Add => sum(a, b, d),
                BinaryOp::Sub => difference(a, b, d),
                BinaryOp::Mul => AxisFacts {
                    divisibility: a.everywhere_log2() + b.everywhere_log2(),
                    ..AxisFacts::default()
                },
                BinaryOp::Shl => AxisFacts {
                    divisibility: a.everywhere_log2()
                        + b.constant.map_or(0, |s| narrow::<u8>(s.clamp(0, 63))),
                    ..AxisFacts::default()
                },
                BinaryOp::DivS => quotient(a, b, d, a.non_negative),
                BinaryOp::DivU => quotient(a, b, d, true),
                BinaryOp::RemS => remainder(a, b, d, a.non_negative),
                BinaryOp::RemU => remainder(a, b, d, true),
                BinaryOp::ShrS | BinaryOp::ShrU => match shift_divisor(b, bits) {
                    // Shifts round down, whatever the sign.
                    Some(divisor) => quotient(a, &divisor, d, true),
                    None => AxisFacts::default(),
                },
                BinaryOp::And => conjunction(a, b, d),
                BinaryOp::Or => disjunction(a, b, d),
                BinaryOp::Xor => disjoint_bits(a, b, d),
                BinaryOp::MinS | BinaryOp::MaxS | BinaryOp::MinU | BinaryOp::MaxU => {
                    // Two aligned runs never cross, so one operand is selected for the whole group.
                    let run = a.aligned_run(d).min(b.aligned_run(d));
                    AxisFacts {
                        contiguity: run,
                        divisibility: a.divisibility_at(d, run).min(b.divisibility_at(d, run)),
                        constancy: 0,
                    }
                }
            };
            info.contiguity_log2[d] = along.contiguity;
            info.divisibility_log2[d] = along.divisibility.min(MAX_LOG2);
            info.constancy_log2[d] = along
                .constancy
                .max(a.constancy_log2[d].min(b.constancy_log2[d]));
        }
        info.finish(bits)
    }

    /// Returns the axis information of `op`. If `op` is a signed division or remainder, the dividend is assumed to
    /// be non-negative.
    ///
    /// For all other operations and for a constant dividend, the result equals that of [`Self::binary`]. The
    /// assumption is not used to mark the result as non-negative.
    #[must_use]
    pub fn binary_of_non_negative(op: BinaryOp, a: &Self, b: &Self, bits: u32) -> Self {
        let exact = Self::binary(op, a, b, bits);
        if !matches!(op, BinaryOp::DivS | BinaryOp::RemS) || a.constant.is_some() {
            return exact;
        }
        Self {
            non_negative: exact.non_negative,
            ..Self::binary(op, &a.with_non_negative(), b, bits)
        }
    }

    /// Returns the axis information of the mask that results from the comparison of `a` and `b`, two tensors of
    /// `bits`-bit integers.
    ///
    /// Consider a group of g consecutive numbers that starts at a multiple of g. All comparisons `x < n` in the
    /// group give the same result if g divides n, and so do all comparisons `x >= n`. For `x <= n` and `x > n`, g
    /// must divide n + 1. For example, if 4 divides `n`, then `0 1 2 3 < n` has four equal results, but
    /// `0 1 2 3 <= n` may not.
    #[must_use]
    pub fn compare(comparison: Comparison, a: &Self, b: &Self, bits: u32) -> Self {
        if a.rank != b.rank {
            return Self::unknown(a.rank().max(b.rank()));
        }
        if let (Some(x), Some(y)) = (a.constant, b.constant) {
            return a.replaced_by(i64::from(comparison.holds(x, y, bits)), 1);
        }
        let mut info = Self::unknown(a.rank());
        for d in 0..a.rank() {
            info.constancy_log2[d] = [
                a.constancy_log2[d].min(b.constancy_log2[d]),
                // Two aligned runs keep their distance and never wrap.
                a.aligned_run(d).min(b.aligned_run(d)),
                run_against_fixed(comparison, a, b, d, bits),
                run_against_fixed(comparison.swapped(), b, a, d, bits),
            ]
            .into_iter()
            .max()
            .unwrap_or(0);
        }
        info
    }

    /// Returns the axis information of the elementwise selection `condition ? on_true : on_false`.
    ///
    /// If `is_scalar` is true, one condition chooses for all elements.
    #[must_use]
    pub fn select(condition: &Self, is_scalar: bool, on_true: &Self, on_false: &Self) -> Self {
        match condition.constant {
            Some(0) => return *on_false,
            Some(_) => return *on_true,
            None => {}
        }
        let mut info = on_true.join(on_false);
        if is_scalar || info.constant.is_some() {
            return info;
        }
        if condition.rank != info.rank {
            return Self::unknown(info.rank());
        }
        for d in 0..info.rank() {
            info.cut_run(d, condition.constancy_log2[d]);
            info.constancy_log2[d] = info.constancy_log2[d].min(condition.constancy_log2[d]);
        }
        info
    }

    /// Returns the axis information after an extension from `from_bits` to `to_bits` bits. The extension is a sign
    /// extension if `by_sign` is true, and a zero extension otherwise. If `to_bits` is smaller than `from_bits`,
    /// the value is [truncated](Self::truncate) instead.
    ///
    /// If elements may be negative, a contiguous group may wrap around, and is then not contiguous in the result:
    /// 127 and -128 are consecutive in 8 bits, but not in 16 bits. The contiguity is therefore reduced until each
    /// group starts at a multiple of its size, because such a group does not wrap around.
    #[must_use]
    pub fn extend(&self, from_bits: u32, to_bits: u32, by_sign: bool) -> Self {
        if from_bits == to_bits {
            return *self;
        }
        if from_bits > to_bits {
            return self.truncate(to_bits);
        }
        if let Some(value) = self.constant {
            let value = if by_sign {
                wrap(signed(value, from_bits), 64)
            } else {
                wrap(unsigned(value, from_bits).cast_signed(), 64)
            };
            return self.replaced_by(value, to_bits);
        }
        let mut info = *self;
        // A run that crosses the wrap-around would contain a negative number.
        if !self.non_negative {
            for d in 0..self.rank() {
                info.cut_run(d, self.aligned_run(d));
            }
        }
        info.non_negative |= !by_sign;
        info
    }

    /// Returns the axis information after a sign extension as [`Self::extend`] does, on the assumption that no contiguous group
    /// wraps around.
    #[must_use]
    pub fn extend_without_wrap(&self, from_bits: u32, to_bits: u32) -> Self {
        Self {
            non_negative: self.non_negative,
            ..self.with_non_negative().extend(from_bits, to_bits, true)
        }
    }

    /// Returns the axis information after a truncation to `to_bits`, or after a bitcast to a type of the same width.
    #[must_use]
    pub fn truncate(&self, to_bits: u32) -> Self {
        if let Some(value) = self.constant {
            return self.replaced_by(value, to_bits);
        }
        let mut info = *self;
        info.non_negative = false;
        info.finish(to_bits)
    }

    /// Returns the axis information of the pointers `self + offset`. Offsets narrower than 64 bits are sign-extended.
    ///
    /// # Units
    /// `self` counts bytes; `offset` counts elements of the pointee type.
    #[must_use]
    pub fn add_offset(&self, offset: &Self, offset_bits: u32) -> Self {
        if self.rank != offset.rank {
            return Self::unknown(self.rank().max(offset.rank()));
        }
        let offset = offset.extend(offset_bits, offset_bits.max(64), true);
        let mut info = Self::unknown(self.rank());
        info.step_log2 = self.step_log2;
        for d in 0..self.rank() {
            let along = sum(self, &offset, d);
            info.contiguity_log2[d] = along.contiguity;
            info.constancy_log2[d] = self.constancy_log2[d].min(offset.constancy_log2[d]);
            info.divisibility_log2[d] = self
                .divisibility_at(d, along.contiguity)
                .min(offset.divisibility_at(d, along.contiguity) + self.step_log2)
                .min(MAX_LOG2);
        }
        info.raise_divisibility();
        info
    }

    /// Returns the axis information of pointers after a cast. The element size changes from `old_element_bytes` to
    /// `element_bytes`. If `element_bytes` is 1, the result describes the addresses as integers.
    #[must_use]
    pub fn repoint(&self, old_element_bytes: u64, element_bytes: u64) -> Self {
        let mut info = *self;
        if old_element_bytes != element_bytes {
            for d in 0..self.rank() {
                info.cut_run(d, 0);
            }
        }
        info.non_negative = false;
        info.constant = None;
        info.with_element_bytes(element_bytes)
    }

    /// Returns the axis information of a tensor with the shape of `self` in which all elements equal `value`.
    fn replaced_by(&self, value: i64, bits: u32) -> Self {
        let mut info = Self::constant(&[], value, bits);
        info.rank = self.rank;
        info.constancy_log2 = self.constancy_log2;
        info
    }
}

/// Returns the axis information of `op` if one operand is a constant that leaves the other operand unchanged, as in
/// `x + 0`, or that determines the result, as in `x * 0`. Returns `None` otherwise.
fn neutral(op: BinaryOp, a: &AxisInfo, b: &AxisInfo, bits: u32) -> Option<AxisInfo> {
    let zero = |like: &AxisInfo| Some(like.replaced_by(0, bits));
    match (op, a.constant, b.constant) {
        (
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::ShrS
            | BinaryOp::ShrU,
            _,
            Some(0),
        )
        | (BinaryOp::Mul | BinaryOp::DivU, _, Some(1)) => Some(*a),
        (BinaryOp::DivS, _, Some(1)) if bits > 1 => Some(*a),
        (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, Some(0), _)
        | (BinaryOp::Mul, Some(1), _) => Some(*b),
        (BinaryOp::Mul | BinaryOp::And, _, Some(0))
        | (BinaryOp::RemS | BinaryOp::RemU, _, Some(1)) => zero(b),
        (BinaryOp::Mul | BinaryOp::And, Some(0), _) => zero(a),
        _ => None,
    }
}

fn stays_non_negative(op: BinaryOp, a: &AxisInfo, b: &AxisInfo) -> bool {
    let (a_is, b_is) = (a.non_negative, b.non_negative);
    match op {
        // Sums, products and left shifts by the no-overflow assumption in the module's documentation.
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::Shl
        | BinaryOp::DivS
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::MinS
        | BinaryOp::MaxU => a_is && b_is,
        BinaryOp::MaxS | BinaryOp::MinU | BinaryOp::And | BinaryOp::RemU => a_is || b_is,
        BinaryOp::DivU | BinaryOp::RemS | BinaryOp::ShrS => a_is,
        BinaryOp::ShrU => a_is || b.constant.is_some_and(|s| s > 0),
        BinaryOp::Sub => false,
    }
}

fn sum(a: &AxisInfo, b: &AxisInfo, d: usize) -> AxisFacts {
    let run = (a.contiguity_log2[d].min(b.constancy_log2[d]))
        .max(a.constancy_log2[d].min(b.contiguity_log2[d]));
    AxisFacts {
        contiguity: run,
        divisibility: a.divisibility_at(d, run).min(b.divisibility_at(d, run)),
        constancy: 0,
    }
}

fn difference(a: &AxisInfo, b: &AxisInfo, d: usize) -> AxisFacts {
    let run = a.contiguity_log2[d].min(b.constancy_log2[d]);
    AxisFacts {
        contiguity: run,
        divisibility: a.divisibility_at(d, run).min(b.divisibility_at(d, run)),
        // The difference of two parallel runs is constant.
        constancy: a.contiguity_log2[d].min(b.contiguity_log2[d]),
    }
}

/// Returns log2 of a group size g along dimension `d`. In each group, the elements of `a` are
/// `m * g, m * g + 1, ..., m * g + g - 1` for an integer m, and the elements of `b` are all equal to one multiple
/// of g.
fn aligned_to(a: &AxisInfo, b: &AxisInfo, d: usize) -> u8 {
    a.aligned_run(d)
        .min(b.divisibility_at(d, 0))
        .min(b.constancy_log2[d])
}

fn quotient(a: &AxisInfo, b: &AxisInfo, d: usize, rounds_down: bool) -> AxisFacts {
    let group = if rounds_down { aligned_to(a, b, d) } else { 0 };
    let exact = b
        .constant
        .filter(|c| *c > 0 && c.count_ones() == 1)
        .map(|c| narrow::<u8>(c.trailing_zeros()))
        // No run crosses a multiple of the divisor, so all elements of a run have one quotient.
        .filter(|log2| {
            a.divisibility_log2[d] >= *log2
                && (a.contiguity_log2[d] == 0 || (rounds_down && a.contiguity_log2[d] <= *log2))
        })
        .map_or(0, |log2| a.divisibility_log2[d] - log2);
    AxisFacts {
        contiguity: 0,
        divisibility: exact,
        constancy: group,
    }
}

fn remainder(a: &AxisInfo, b: &AxisInfo, d: usize, rounds_down: bool) -> AxisFacts {
    let run = if rounds_down { aligned_to(a, b, d) } else { 0 };
    AxisFacts {
        contiguity: run,
        divisibility: a.divisibility_at(d, run).min(b.divisibility_at(d, 0)),
        constancy: 0,
    }
}

/// Converts the shift distance `by` to the constant divisor 2^`by`: a right shift by `by` is equivalent to a
/// division by this divisor. Returns `None` if `by` is not constant, is negative, is not below `bits`, or is not
/// below 62.
fn shift_divisor(by: &AxisInfo, bits: u32) -> Option<AxisInfo> {
    let shift = by
        .constant
        .and_then(|s| u32::try_from(s).ok())
        .filter(|s| *s < bits.min(62))?;
    Some(by.replaced_by(1 << shift, 64))
}

/// Returns the number of trailing ones of a constant `b`, or 0 if `b` is not constant.
fn low_ones(b: &AxisInfo) -> u8 {
    b.constant
        .map_or(0, |c| u8::try_from(c.trailing_ones()).unwrap_or(MAX_LOG2))
        .min(MAX_LOG2)
}

fn conjunction(a: &AxisInfo, b: &AxisInfo, d: usize) -> AxisFacts {
    // Ones preserve a run's low bits, zeros clear them.
    let through = |run: &AxisInfo, mask: &AxisInfo| {
        run.aligned_run(d)
            .min(low_ones(mask))
            .min(mask.constancy_log2[d])
    };
    let run = through(a, b).max(through(b, a));
    AxisFacts {
        contiguity: run,
        divisibility: if run == 0 {
            a.everywhere_log2().max(b.everywhere_log2())
        } else if through(a, b) == run {
            a.divisibility_at(d, run)
        } else {
            b.divisibility_at(d, run)
        },
        constancy: aligned_to(a, b, d).max(aligned_to(b, a, d)),
    }
}

fn disjoint_bits(a: &AxisInfo, b: &AxisInfo, d: usize) -> AxisFacts {
    let run = aligned_to(a, b, d).max(aligned_to(b, a, d));
    AxisFacts {
        contiguity: run,
        divisibility: a.divisibility_at(d, run).min(b.divisibility_at(d, run)),
        constancy: 0,
    }
}

fn disjunction(a: &AxisInfo, b: &AxisInfo, d: usize) -> AxisFacts {
    let saturated = |run: &AxisInfo, mask: &AxisInfo| {
        run.aligned_run(d)
            .min(low_ones(mask))
            .min(mask.constancy_log2[d])
    };
    AxisFacts {
        constancy: saturated(a, b).max(saturated(b, a)),
        ..disjoint_bits(a, b, d)
    }
}

/// Returns log2 of a group size along dimension `d`. In each group, the elements of `run` are consecutive, those of
/// `fixed` are equal, and all comparisons give the same result.
fn run_against_fixed(
    comparison: Comparison,
    run: &AxisInfo,
    fixed: &AxisInfo,
    d: usize,
    bits: u32,
) -> u8 {
    let multiple = match comparison {
        Comparison::Slt | Comparison::Sge | Comparison::Ult | Comparison::Uge => {
            fixed.divisibility_at(d, 0)
        }
        // `x <= c` is `x < c + 1`, and `x > c` is `x >= c + 1`; the sum is computed without wrapping.
        Comparison::Sle | Comparison::Sgt => fixed
            .constant
            .map_or(0, |c| divisor_log2(signed(c, bits) + 1)),
        Comparison::Ule | Comparison::Ugt => fixed
            .constant
            .map_or(0, |c| divisor_log2(unsigned(c, bits).cast_signed() + 1)),
        Comparison::Eq | Comparison::Ne => 0,
    };
    run.aligned_run(d)
        .min(multiple)
        .min(fixed.constancy_log2[d])
}
