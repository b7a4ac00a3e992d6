//! Calls of what is not an operation: intrinsics, inline assembly.

use super::emitter::{Emitter, Named};
use crate::sys::build::{self, Val};
use melior::ir::{Attribute, Type};

/// What is said of a function that touches no memory.
const NO_MEMORY: &str = "#llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, \
                         errnoMem = none, targetMem0 = none, targetMem1 = none>";

impl<'c> Emitter<'c> {
    /// Calls an intrinsic of LLVM that has no operation of its own and no effect.
    pub(crate) fn call_intrinsic(
        &mut self,
        name: &'static str,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let attributes = self.intrinsic(name, operands);
        self.pure("llvm.call_intrinsic", operands, result, &attributes)
    }

    /// Calls an intrinsic of LLVM that has an effect.
    pub(crate) fn call_intrinsic_with_effect(
        &mut self,
        name: &'static str,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let attributes = self.intrinsic(name, operands);
        self.effect("llvm.call_intrinsic", operands, result, &attributes)
    }

    fn intrinsic(&self, name: &'static str, operands: &[Val<'c>]) -> [Named<'c>; 3] {
        let count = i32::try_from(operands.len()).expect("an intrinsic has a few operands");
        [
            ("intrin", self.string(name)),
            ("operandSegmentSizes", self.i32_array(&[count, 0])),
            ("op_bundle_sizes", self.i32_array(&[])),
        ]
    }

    /// Calls a function of the module; returns its result, if it has one.
    pub(crate) fn call(
        &mut self,
        callee: Attribute<'c>,
        operands: &[Val<'c>],
        result: Option<Type<'c>>,
    ) -> Option<Val<'c>> {
        let count = i32::try_from(operands.len()).expect("far fewer registers");
        let attributes = [
            ("callee", callee),
            ("operandSegmentSizes", self.i32_array(&[count, 0])),
            ("op_bundle_sizes", self.i32_array(&[])),
        ];
        let results: Vec<Type<'c>> = result.into_iter().collect();
        let call = self.operation("llvm.call", operands, &results, &attributes, Vec::new());
        result.map(|_| build::only_result(call))
    }

    /// Calls a function of the module that does nothing but compute its result.
    pub(crate) fn pure_call(
        &mut self,
        callee: Attribute<'c>,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let count = i32::try_from(operands.len()).expect("far fewer registers");
        let unit = self.unit();
        let attributes = [
            ("callee", callee),
            ("operandSegmentSizes", self.i32_array(&[count, 0])),
            ("op_bundle_sizes", self.i32_array(&[])),
            ("memory_effects", self.kept(NO_MEMORY)),
            ("no_unwind", unit),
            ("will_return", unit),
        ];
        self.pure("llvm.call", operands, result, &attributes)
    }

    /// Assembly of one instruction without an effect.
    pub(crate) fn pure_asm(
        &mut self,
        text: &str,
        constraints: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let attributes = [
            ("asm_string", self.string(text)),
            ("constraints", self.string(constraints)),
        ];
        self.pure("llvm.inline_asm", operands, result, &attributes)
    }

    /// Assembly with an effect, and its result where it has one.
    pub(crate) fn inline_asm(
        &mut self,
        text: &str,
        constraints: &str,
        operands: &[Val<'c>],
        result: Option<Type<'c>>,
    ) -> Option<Val<'c>> {
        let attributes = [
            ("asm_string", self.string(text)),
            ("constraints", self.string(constraints)),
            ("has_side_effects", self.unit()),
        ];
        let results: Vec<Type<'c>> = result.into_iter().collect();
        let op = self.operation("llvm.inline_asm", operands, &results, &attributes, vec![]);
        result.map(|_| build::only_result(op))
    }
}
