//! Floats: arithmetic, the functions that LLVM has on every GPU, comparisons, formats.

use super::emitter::{Emitter, Named};
use crate::ir::builders::llvm::{self, FCmpPredicate};
use crate::sys::build::Val;
use melior::ir::Type;

/// What an operation says that may be an approximation.
const APPROXIMATE: &str = "#llvm.fastmath<afn>";

impl<'c> Emitter<'c> {
    pub(crate) fn fadd(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::fadd(a, b))
    }

    pub(crate) fn fsub(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::fsub(a, b))
    }

    pub(crate) fn fmul(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::fmul(a, b))
    }

    pub(crate) fn fdiv(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::fdiv(a, b))
    }

    /// The quotient as the GPU's own division has it, which is not rounded to nearest.
    pub(crate) fn fdiv_approximate(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let flags = self.kept(APPROXIMATE);
        self.pure(llvm::fdiv(a, b).fastmath_flags(flags))
    }

    /// The remainder, with the sign of `a`.
    pub(crate) fn frem(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::frem(a, b))
    }

    pub(crate) fn fneg(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::fneg(a))
    }

    pub(crate) fn fabs(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_fabs(a))
    }

    /// The size of `a` with the sign of `b`.
    pub(crate) fn copysign(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_copysign(a, b))
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn fma(&mut self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_fma(a, b, c))
    }

    pub(crate) fn sqrt(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_sqrt(a))
    }

    /// The nearest integer, an even one of two.
    pub(crate) fn round_even(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_roundeven(a))
    }

    /// The integer next to `a` on the side of zero.
    pub(crate) fn round_to_zero(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_trunc(a))
    }

    /// 2 to the power of `a`.
    pub(crate) fn exp2(&mut self, a: Val<'c>) -> Val<'c> {
        self.pure(llvm::intr_exp2(a))
    }

    /// 2 to the power of `a`, as an approximation.
    pub(crate) fn approximate_exp2(&mut self, a: Val<'c>) -> Val<'c> {
        let flags = self.kept(APPROXIMATE);
        self.pure(llvm::intr_exp2(a).fastmath_flags(flags))
    }

    /// What an operation of `arith` or `math` says that may be an approximation.
    pub(crate) fn approximate_flags(&mut self) -> Named<'c> {
        ("fastmath", self.kept("#arith.fastmath<afn>"))
    }

    pub(crate) fn fcmp(&mut self, predicate: FCmpPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::fcmp(predicate, a, b, self.types.i1))
    }

    /// In a wider format, the same number.
    pub(crate) fn fpext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::fpext(value, type_))
    }

    /// In a narrower format, rounded to nearest.
    pub(crate) fn fptrunc(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::fptrunc(value, type_))
    }

    /// A signed integer as a float.
    pub(crate) fn sitofp(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::sitofp(value, type_))
    }

    /// An unsigned integer as a float.
    pub(crate) fn uitofp(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::uitofp(value, type_))
    }

    /// A float as an integer, rounded towards zero: the nearest one of the type, and 0 for NaN.
    pub(crate) fn saturated(
        &mut self,
        value: Val<'c>,
        type_: Type<'c>,
        is_signed: bool,
    ) -> Val<'c> {
        let name = if is_signed {
            "llvm.fptosi.sat"
        } else {
            "llvm.fptoui.sat"
        };
        self.call_intrinsic(name, &[value], type_)
    }

    /// A float as a signed integer, rounded towards zero.
    pub(crate) fn fptosi(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::fptosi(value, type_))
    }
}
