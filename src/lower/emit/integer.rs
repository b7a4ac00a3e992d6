//! Integers: arithmetic, folded where a constant makes it trivial, and comparisons.

use super::emitter::Emitter;
use crate::ir::builders::llvm::{self, ICmpPredicate};
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

impl<'c> Emitter<'c> {
    pub(crate) fn and(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.known_constant(b) {
            Some(0) => b,
            _ => self.pure(llvm::and(a, b)),
        }
    }

    pub(crate) fn or(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::or(a, b))
    }

    /// Or of values without a bit in common.
    pub(crate) fn or_disjoint(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.pure(llvm::or(a, b).is_disjoint(true)),
        }
    }

    pub(crate) fn xor(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.pure(llvm::xor(a, b)),
        }
    }

    pub(crate) fn add(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.pure(llvm::add(a, b)),
        }
    }

    pub(crate) fn sub(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::sub(a, b))
    }

    pub(crate) fn mul(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(1)) => a,
            (Some(1), _) => b,
            _ => self.pure(llvm::mul(a, b)),
        }
    }

    /// `a << by`, by less than the width.
    pub(crate) fn shift_left(&mut self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        self.pure(llvm::shl(a, by))
    }

    /// `a >> by` without sign, by less than the width.
    pub(crate) fn shift_right(&mut self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        self.pure(llvm::lshr(a, by))
    }

    /// `a >> by` with the sign, by less than the width.
    pub(crate) fn shift_right_signed(&mut self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        self.pure(llvm::ashr(a, by))
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
        self.pure(llvm::intr_smax(a, b))
    }

    /// The smaller of two signed integers.
    pub(crate) fn signed_min(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_smin(a, b))
    }

    /// How many bits are set.
    pub(crate) fn count_ones(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_ctpop(a))
    }

    /// How many zeros stand above the highest bit that is set; the width for 0.
    pub(crate) fn count_leading_zeros(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_ctlz(a, false))
    }

    /// How many zeros stand below the lowest bit that is set; the width for 0.
    pub(crate) fn count_trailing_zeros(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_cttz(a, false))
    }

    /// The bits in the opposite order.
    pub(crate) fn reverse_bits(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_bitreverse(a))
    }

    /// The size of a signed integer; the smallest one is its own.
    pub(crate) fn abs(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_abs(a, false, a.r#type()))
    }

    pub(crate) fn icmp(&mut self, predicate: ICmpPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::icmp(predicate, a, b, self.types.i1))
    }

    /// `a == 0`
    pub(crate) fn is_zero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.icmp(ICmpPredicate::Eq, a, zero)
    }

    /// `a != 0`
    pub(crate) fn is_nonzero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.icmp(ICmpPredicate::Ne, a, zero)
    }

    pub(crate) fn sext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::sext(value, type_))
    }

    pub(crate) fn zext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::zext(value, type_))
    }

    pub(crate) fn trunc(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::trunc(value, type_))
    }
}
