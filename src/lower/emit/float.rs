//! Floats: arithmetic, the functions that LLVM has on every GPU, comparisons, formats.

use super::emitter::{Emitter, Named};
use crate::ir::builders::llvm::{self, FCmpPredicate};
use crate::sys::build::Val;
use melior::ir::Type;

/// What an operation says that may be an approximation.
const APPROXIMATE: &str = "#llvm.fastmath<afn>";

impl<'c> Emitter<'c> {
    /// The quotient as the GPU's own division has it, which is not rounded to nearest.
    pub(crate) fn fdiv_approximate(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let flags = self.kept(APPROXIMATE);
        self.pure(llvm::fdiv(a, b).fastmath_flags(flags))
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
}
