//! Floats: arithmetic, the functions that LLVM has on every GPU, comparisons, formats.

use super::emitter::{Emitter, Named};
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// Comparisons of floats, as MLIR numbers them: all but the last are false for NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FloatPredicate {
    Equal = 1,
    Greater = 2,
    GreaterOrEqual = 3,
    Less = 4,
    NotEqual = 6,
    /// One of them is NaN.
    Unordered = 14,
}

impl<'c> Emitter<'c> {
    /// An operation on values of one type, which is its result's type too.
    fn same_type(&mut self, name: &'static str, operands: &[Val<'c>]) -> Val<'c> {
        self.pure(name, operands, operands[0].r#type(), &[])
    }

    pub(crate) fn fadd(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.fadd", a, b)
    }

    pub(crate) fn fsub(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.fsub", a, b)
    }

    pub(crate) fn fmul(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.fmul", a, b)
    }

    pub(crate) fn fdiv(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.fdiv", a, b)
    }

    /// The quotient as the GPU's own division has it, which is not rounded to nearest.
    pub(crate) fn fdiv_approximate(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let flags = self.kept("#llvm.fastmath<afn>");
        let attributes = [("fastmathFlags", flags)];
        self.pure("llvm.fdiv", &[a, b], a.r#type(), &attributes)
    }

    /// The remainder, with the sign of `a`.
    pub(crate) fn frem(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.frem", a, b)
    }

    pub(crate) fn fneg(&mut self, a: Val<'c>) -> Val<'c> {
        self.same_type("llvm.fneg", &[a])
    }

    pub(crate) fn fabs(&mut self, a: Val<'c>) -> Val<'c> {
        self.same_type("llvm.intr.fabs", &[a])
    }

    /// The size of `a` with the sign of `b`.
    pub(crate) fn copysign(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.binary("llvm.intr.copysign", a, b)
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn fma(&mut self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.same_type("llvm.intr.fma", &[a, b, c])
    }

    pub(crate) fn sqrt(&mut self, a: Val<'c>) -> Val<'c> {
        self.same_type("llvm.intr.sqrt", &[a])
    }

    /// The nearest integer, an even one of two.
    pub(crate) fn round_even(&mut self, a: Val<'c>) -> Val<'c> {
        self.same_type("llvm.intr.roundeven", &[a])
    }

    /// The integer next to `a` on the side of zero.
    pub(crate) fn round_to_zero(&mut self, a: Val<'c>) -> Val<'c> {
        self.same_type("llvm.intr.trunc", &[a])
    }

    /// 2 to the power of `a`.
    pub(crate) fn exp2(&mut self, a: Val<'c>) -> Val<'c> {
        self.same_type("llvm.intr.exp2", &[a])
    }

    /// 2 to the power of `a`, as an approximation.
    pub(crate) fn approximate_exp2(&mut self, a: Val<'c>) -> Val<'c> {
        let flags = [("fastmathFlags", self.kept("#llvm.fastmath<afn>"))];
        self.pure("llvm.intr.exp2", &[a], a.r#type(), &flags)
    }

    /// What an operation of `arith` or `math` says that may be an approximation.
    pub(crate) fn approximate_flags(&mut self) -> Named<'c> {
        ("fastmath", self.kept("#arith.fastmath<afn>"))
    }

    pub(crate) fn fcmp(&mut self, predicate: FloatPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = self.i64_attr(predicate as i64);
        let i1 = self.types.i1;
        self.pure("llvm.fcmp", &[a, b], i1, &[("predicate", predicate)])
    }

    /// In a wider format, the same number.
    pub(crate) fn fpext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.fpext", &[value], type_, &[])
    }

    /// In a narrower format, rounded to nearest.
    pub(crate) fn fptrunc(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.fptrunc", &[value], type_, &[])
    }

    /// A signed integer as a float.
    pub(crate) fn sitofp(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.sitofp", &[value], type_, &[])
    }

    /// An unsigned integer as a float.
    pub(crate) fn uitofp(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.uitofp", &[value], type_, &[])
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
        self.pure("llvm.fptosi", &[value], type_, &[])
    }
}
