//! Construction of attributes and types.

use super::emitter::Emitter;
use super::types::pointer_type;
use crate::sys::build::Op;
use melior::dialect::llvm;
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute,
    StringAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type};

impl<'c> Emitter<'c> {
    pub(crate) fn set_attribute(&self, op: Op<'c>, name: &str, value: Attribute<'c>) {
        self.rewriter.set_attribute(op, name, value);
    }

    pub(crate) fn int_attr(&self, type_: Type<'c>, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(type_, value).into()
    }

    pub(crate) fn i32_attr(&self, value: i64) -> Attribute<'c> {
        self.int_attr(self.types.i32, value)
    }

    pub(crate) fn i64_attr(&self, value: i64) -> Attribute<'c> {
        self.int_attr(self.types.i64, value)
    }

    pub(crate) fn bool_attr(&self, value: bool) -> Attribute<'c> {
        BoolAttribute::new(self.context, value).into()
    }

    pub(crate) fn string(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    pub(crate) fn i32_array(&self, values: &[i32]) -> Attribute<'c> {
        DenseI32ArrayAttribute::new(self.context, values).into()
    }

    pub(crate) fn symbol(&self, name: &str) -> Attribute<'c> {
        FlatSymbolRefAttribute::new(self.context, name).into()
    }

    pub(crate) fn unit(&self) -> Attribute<'c> {
        Attribute::unit(self.context)
    }

    /// Parses an attribute that MLIR's C API cannot construct.
    pub(crate) fn parsed(&self, text: &str) -> Attribute<'c> {
        Attribute::parse(self.context, text).expect("the text is ours")
    }

    pub(crate) fn cached_attr(&mut self, text: &'static str) -> Attribute<'c> {
        if let Some(attribute) = self.parsed_attrs.get(text) {
            return *attribute;
        }
        let parsed = self.parsed(text);
        self.parsed_attrs.insert(text, parsed);
        parsed
    }

    pub(crate) fn range_below(&mut self, end: u32) -> Attribute<'c> {
        if let Some(range) = self.ranges.get(&end) {
            return *range;
        }
        let range = self.parsed(&format!("#llvm.constant_range<i32, 0, {end}>"));
        self.ranges.insert(end, range);
        range
    }

    pub(crate) fn int_type(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    pub(crate) fn vector_type(&self, count: usize, element: Type<'c>) -> Type<'c> {
        Type::vector(&[count as u64], element)
    }

    pub(crate) fn struct_type(&self, members: &[Type<'c>]) -> Type<'c> {
        llvm::r#type::r#struct(self.context, members, false)
    }

    pub(super) fn array_type(&self, element: Type<'c>, count: u32) -> Type<'c> {
        llvm::r#type::array(element, count)
    }

    pub(crate) fn void_type(&self) -> Type<'c> {
        llvm::r#type::void(self.context)
    }

    pub(crate) fn function_type(&self, result: Type<'c>, arguments: &[Type<'c>]) -> Type<'c> {
        llvm::r#type::function(result, arguments, false)
    }

    pub(crate) fn pointer_type(&self, space: u32) -> Type<'c> {
        pointer_type(self.context, space)
    }
}
