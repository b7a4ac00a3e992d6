//! Frequently used types.

use melior::Context;
use melior::dialect::llvm;
use melior::ir::Type;
use melior::ir::r#type::IntegerType;

#[derive(Clone, Copy)]
pub(crate) struct Types<'c> {
    pub(crate) i1: Type<'c>,
    pub(crate) i8: Type<'c>,
    pub(crate) i16: Type<'c>,
    pub(crate) i32: Type<'c>,
    pub(crate) i64: Type<'c>,
    pub(crate) f32: Type<'c>,
    pub(crate) f64: Type<'c>,
    pub(crate) shared_pointer: Type<'c>,
}

impl<'c> Types<'c> {
    pub(crate) fn new(context: &'c Context) -> Self {
        let int = |bits| IntegerType::new(context, bits).into();
        Self {
            i1: int(1),
            i8: int(8),
            i16: int(16),
            i32: int(32),
            i64: int(64),
            f32: Type::float32(context),
            f64: Type::float64(context),
            shared_pointer: pointer_type(context, SHARED_SPACE),
        }
    }
}

/// Address space of shared memory, identical for both vendors.
const SHARED_SPACE: u32 = 3;

pub(crate) fn pointer_type(context: &Context, space: u32) -> Type<'_> {
    llvm::r#type::pointer(context, space)
}
