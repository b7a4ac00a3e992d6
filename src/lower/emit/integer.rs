//! Integer arithmetic and comparisons, with folding of neutral constants.

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

    pub(crate) fn shl(&mut self, a: Val<'c>, by: u32) -> Val<'c> {
        if by == 0 {
            return a;
        }
        let by = self.constant(a.r#type(), i64::from(by));
        self.pure(llvm::shl(a, by))
    }

    pub(crate) fn lshr(&mut self, a: Val<'c>, by: u32) -> Val<'c> {
        if by == 0 {
            return a;
        }
        let by = self.constant(a.r#type(), i64::from(by));
        self.pure(llvm::lshr(a, by))
    }

    pub(crate) fn icmp(&mut self, predicate: ICmpPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::icmp(predicate, a, b, self.types.i1))
    }

    pub(crate) fn is_zero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.icmp(ICmpPredicate::Eq, a, zero)
    }

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
