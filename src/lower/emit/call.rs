//! Calls: intrinsics, functions, inline assembly.

use super::emitter::Emitter;
use crate::ir::builders::llvm;
use crate::sys::build::{self, Val};
use melior::ir::{Attribute, Type};

const NO_MEMORY: &str = "#llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, \
                         errnoMem = none, targetMem0 = none, targetMem1 = none>";

impl<'c> Emitter<'c> {
    /// Calls a pure LLVM intrinsic for which the LLVM dialect has no operation.
    pub(crate) fn call_intrinsic(
        &mut self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        self.pure(llvm::call_intrinsic(name, operands, &[], Some(result)))
    }

    pub(crate) fn call_intrinsic_with_effect(
        &mut self,
        name: &'static str,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        self.effect(llvm::call_intrinsic(name, operands, &[], Some(result)))
    }

    pub(crate) fn call(
        &mut self,
        callee: Attribute<'c>,
        operands: &[Val<'c>],
        result: Option<Type<'c>>,
    ) -> Option<Val<'c>> {
        let call = self.operation(llvm::call(operands, &[], result).callee(callee));
        result.map(|_| build::only_result(call))
    }

    pub(crate) fn pure_call(
        &mut self,
        callee: Attribute<'c>,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let call = llvm::call(operands, &[], Some(result)).callee(callee);
        let call = call.memory_effects(self.cached_attr(NO_MEMORY));
        self.pure(call.no_unwind(true).will_return(true))
    }

    pub(crate) fn pure_asm(
        &mut self,
        text: &str,
        constraints: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        self.pure(llvm::inline_asm(operands, text, constraints, Some(result)))
    }

    pub(crate) fn inline_asm(
        &mut self,
        text: &str,
        constraints: &str,
        operands: &[Val<'c>],
        result: Option<Type<'c>>,
    ) -> Option<Val<'c>> {
        let assembly = llvm::inline_asm(operands, text, constraints, result);
        let op = self.operation(assembly.has_side_effects(true));
        result.map(|_| build::only_result(op))
    }
}
