//! Floating-point arithmetic, comparisons and conversions.

use super::emitter::{Emitter, NamedAttr};
use crate::ir::builders::llvm::{self, FCmpPredicate};
use crate::sys::build::Val;
use melior::ir::Type;

const APPROXIMATE: &str = "#llvm.fastmath<afn>";

impl<'c> Emitter<'c> {
    /// Emits a division that LLVM may approximate.
    pub(crate) fn fdiv_approximate(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let flags = self.cached_attr(APPROXIMATE);
        self.pure(llvm::fdiv(a, b).fastmath_flags(flags))
    }

    pub(crate) fn approximate_exp2(&mut self, a: Val<'c>) -> Val<'c> {
        let flags = self.cached_attr(APPROXIMATE);
        self.pure(llvm::intr_exp2(a).fastmath_flags(flags))
    }

    pub(crate) fn approximate_flags(&mut self) -> NamedAttr<'c> {
        ("fastmath", self.cached_attr("#arith.fastmath<afn>"))
    }

    pub(crate) fn fcmp(&mut self, predicate: FCmpPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(llvm::fcmp(predicate, a, b, self.types.i1))
    }

    pub(crate) fn fpext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::fpext(value, type_))
    }

    /// Truncates a float to the type `type_`. Rounds to nearest even.
    pub(crate) fn fptrunc(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::fptrunc(value, type_))
    }

    /// Converts a float to an integer. Rounds towards zero and saturates. NaN becomes 0.
    pub(crate) fn fptoi_sat(
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
