//! Memory: addresses, loads, stores, fences.

use super::emitter::Emitter;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// An index of a `getelementptr` that is a value and not a constant.
const DYNAMIC: i32 = i32::MIN;

/// How LLVM numbers the order that a fence keeps: what came before is seen before what comes after.
const ACQUIRE_RELEASE: i64 = 6;

impl<'c> Emitter<'c> {
    /// Loads from a multiple of so many bytes.
    pub(crate) fn load(&mut self, pointer: Val<'c>, type_: Type<'c>, alignment: u32) -> Val<'c> {
        let alignment = self.i64_attr(i64::from(alignment));
        self.effect("llvm.load", &[pointer], type_, &[("alignment", alignment)])
    }

    /// Loads what others may write at any time.
    pub(crate) fn load_volatile(
        &mut self,
        pointer: Val<'c>,
        type_: Type<'c>,
        alignment: u32,
    ) -> Val<'c> {
        let attributes = [
            ("alignment", self.i64_attr(i64::from(alignment))),
            ("volatile_", self.unit()),
        ];
        self.effect("llvm.load", &[pointer], type_, &attributes)
    }

    /// Stores to a multiple of so many bytes.
    pub(crate) fn store(&mut self, value: Val<'c>, pointer: Val<'c>, alignment: u32) {
        let attributes = [("alignment", self.i64_attr(i64::from(alignment)))];
        self.statement("llvm.store", &[value, pointer], &attributes);
    }

    /// Keeps the order of accesses among the threads of a scope, as `wavefront`.
    pub(crate) fn fence(&mut self, scope: &'static str) {
        let attributes = [
            ("ordering", self.i64_attr(ACQUIRE_RELEASE)),
            ("syncscope", self.string(scope)),
        ];
        self.statement("llvm.fence", &[], &attributes);
    }

    /// The address of a variable in shared memory.
    pub(crate) fn address_of_shared(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        let type_ = self.types.shared_pointer;
        self.pure("llvm.mlir.addressof", &[], type_, &[("global_name", name)])
    }

    /// `base + index` elements of a type.
    pub(crate) fn gep(&mut self, base: Val<'c>, element: Type<'c>, index: Val<'c>) -> Val<'c> {
        if self.known_constant(index) == Some(0) {
            return base;
        }
        self.element_pointer(&[base, index], DYNAMIC, element)
    }

    /// `base + bytes`, a constant number of them.
    pub(crate) fn gep_bytes(&mut self, base: Val<'c>, bytes: u32) -> Val<'c> {
        if bytes == 0 {
            return base;
        }
        let bytes = i32::try_from(bytes).expect("shared memory is small");
        self.element_pointer(&[base], bytes, self.types.i8)
    }

    fn element_pointer(&mut self, operands: &[Val<'c>], index: i32, element: Type<'c>) -> Val<'c> {
        let attributes = [
            ("rawConstantIndices", self.i32_array(&[index])),
            ("elem_type", self.type_attr(element)),
        ];
        let type_ = operands[0].r#type();
        self.pure("llvm.getelementptr", operands, type_, &attributes)
    }

    pub(crate) fn ptrtoint(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.ptrtoint", &[value], type_, &[])
    }

    pub(crate) fn inttoptr(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.inttoptr", &[value], type_, &[])
    }
}
