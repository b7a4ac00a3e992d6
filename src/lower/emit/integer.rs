//! Integers: arithmetic, folded where a constant makes it trivial, and comparisons.

use super::emitter::Emitter;
use crate::ir::UpstreamKind;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// Comparisons of integers, as MLIR numbers them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IntPredicate {
    Equal = 0,
    NotEqual = 1,
    SignedLess = 2,
    UnsignedLess = 6,
}

impl<'c> Emitter<'c> {
    /// An operation on two values of one type, which is its result's type too.
    pub(super) fn binary(&mut self, name: &'static str, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(name, &[a, b], a.r#type(), &[])
    }

    pub(crate) fn and(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.known_constant(b) {
            Some(0) => b,
            _ => self.binary("llvm.and", a, b),
        }
    }

    pub(crate) fn or(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.or", a, b)
    }

    /// Or of values without a bit in common.
    pub(crate) fn or_disjoint(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => {
                let unit = self.unit();
                self.pure("llvm.or", &[a, b], a.r#type(), &[("isDisjoint", unit)])
            }
        }
    }

    pub(crate) fn xor(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.binary("llvm.xor", a, b),
        }
    }

    pub(crate) fn add(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.binary("llvm.add", a, b),
        }
    }

    pub(crate) fn sub(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.sub", a, b)
    }

    pub(crate) fn mul(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(1)) => a,
            (Some(1), _) => b,
            _ => self.binary("llvm.mul", a, b),
        }
    }

    /// `a << by`, by less than the width.
    pub(crate) fn shift_left(&mut self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        self.binary("llvm.shl", a, by)
    }

    /// `a >> by` without sign, by less than the width.
    pub(crate) fn shift_right(&mut self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        self.binary("llvm.lshr", a, by)
    }

    /// `a >> by` with the sign, by less than the width.
    pub(crate) fn shift_right_signed(&mut self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        self.binary("llvm.ashr", a, by)
    }

    /// `a << by` of any integer, by a constant.
    pub(crate) fn shl(&mut self, a: Val<'c>, by: u32) -> Val<'c> {
        if by == 0 {
            return a;
        }
        let by = self.constant(a.r#type(), i64::from(by));
        self.shift_left(a, by)
    }

    /// `a >> by` of any integer, without sign, by a constant.
    pub(crate) fn lshr(&mut self, a: Val<'c>, by: u32) -> Val<'c> {
        if by == 0 {
            return a;
        }
        let by = self.constant(a.r#type(), i64::from(by));
        self.shift_right(a, by)
    }

    /// The larger of two signed integers.
    pub(crate) fn signed_max(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.intr.smax", a, b)
    }

    /// The smaller of two signed integers.
    pub(crate) fn signed_min(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.intr.smin", a, b)
    }

    /// How many bits are set.
    pub(crate) fn count_ones(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure("llvm.intr.ctpop", &[a], a.r#type(), &[])
    }

    /// How many zeros stand above the highest bit that is set; the width for 0.
    pub(crate) fn count_leading_zeros(&mut self, a: Val<'c>) -> Val<'c> {
        let of_zero = [("is_zero_poison", self.bool_attr(false))];
        self.pure("llvm.intr.ctlz", &[a], a.r#type(), &of_zero)
    }

    /// How many zeros stand below the lowest bit that is set; the width for 0.
    pub(crate) fn count_trailing_zeros(&mut self, a: Val<'c>) -> Val<'c> {
        let of_zero = [("is_zero_poison", self.bool_attr(false))];
        self.pure("llvm.intr.cttz", &[a], a.r#type(), &of_zero)
    }

    /// The bits in the opposite order.
    pub(crate) fn reverse_bits(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure("llvm.intr.bitreverse", &[a], a.r#type(), &[])
    }

    /// The size of a signed integer; the smallest one is its own.
    pub(crate) fn abs(&mut self, a: Val<'c>) -> Val<'c> {
        let of_smallest = [("is_int_min_poison", self.bool_attr(false))];
        self.pure("llvm.intr.abs", &[a], a.r#type(), &of_smallest)
    }

    pub(crate) fn icmp(&mut self, predicate: IntPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = self.i64_attr(predicate as i64);
        let i1 = self.types.i1;
        self.pure("llvm.icmp", &[a, b], i1, &[("predicate", predicate)])
    }

    /// `a < b` of signed integers, those of type `index` too.
    pub(crate) fn signed_less(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = self.i64_attr(IntPredicate::SignedLess as i64);
        let i1 = self.types.i1;
        let attributes = [("predicate", predicate)];
        self.upstream(UpstreamKind::ArithCmpI, &[a, b], i1, &attributes)
    }

    /// `a == 0`
    pub(crate) fn is_zero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.icmp(IntPredicate::Equal, a, zero)
    }

    /// `a != 0`
    pub(crate) fn is_nonzero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.icmp(IntPredicate::NotEqual, a, zero)
    }

    pub(crate) fn sext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.sext", &[value], type_, &[])
    }

    pub(crate) fn zext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.zext", &[value], type_, &[])
    }

    pub(crate) fn trunc(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.trunc", &[value], type_, &[])
    }
}
