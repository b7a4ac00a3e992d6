//! Constants: numbers, zeros and undefined values.

use super::emitter::Emitter;
use crate::ir::builders::llvm;
use crate::ir::discardable::UNSET;
use crate::sys::build::{self, Val};
use crate::sys::{self, value_id};
use melior::ir::attribute::FloatAttribute;
use melior::ir::{Attribute, Type, TypeLike};

impl<'c> Emitter<'c> {
    pub(crate) fn constant(&mut self, type_: Type<'c>, value: i64) -> Val<'c> {
        let attribute = if type_ == self.types.i1 {
            self.bool_attr(value != 0)
        } else {
            self.int_attr(type_, value)
        };
        let constant = self.constant_of(type_, attribute);
        self.constants
            .insert(value_id(constant), value.cast_unsigned());
        constant
    }

    /// Emits a constant. Integers are recorded for later folding.
    pub(crate) fn constant_attr(&mut self, type_: Type<'c>, value: Attribute<'c>) -> Val<'c> {
        let constant = self.constant_of(type_, value);
        if let Some(integer) = build::integer_value(value) {
            self.constants
                .insert(value_id(constant), integer.cast_unsigned());
        }
        constant
    }

    fn constant_of(&mut self, type_: Type<'c>, value: Attribute<'c>) -> Val<'c> {
        self.pure(llvm::mlir_constant(value, type_))
    }

    pub(crate) fn i32(&mut self, value: u32) -> Val<'c> {
        self.constant(self.types.i32, i64::from(value.cast_signed()))
    }

    pub(crate) fn float(&mut self, type_: Type<'c>, value: f64) -> Val<'c> {
        let attribute = FloatAttribute::new(self.context, type_, value).into();
        self.constant_of(type_, attribute)
    }

    pub(crate) fn zero(&mut self, type_: Type<'c>) -> Val<'c> {
        if sys::float_width(type_).is_some() {
            return self.float(type_, 0.0);
        }
        if type_.is_integer() {
            return self.constant(type_, 0);
        }
        self.pure(llvm::mlir_zero(type_))
    }

    /// Emits a zero for an undefined value, with a mark for the simulator.
    ///
    /// Poison would leave a register of inline assembly uninitialised and change the output of assemblers.
    pub(crate) fn unset(&mut self, type_: Type<'c>) -> Val<'c> {
        let mark = [(UNSET, self.unit())];
        self.pure(llvm::mlir_zero(type_).with_attributes(&mark))
    }

    pub(crate) fn undefined(&mut self, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::mlir_poison(type_))
    }

    pub(crate) fn known_constant(&self, value: Val<'c>) -> Option<u64> {
        self.constants.get(&value_id(value)).copied()
    }
}
