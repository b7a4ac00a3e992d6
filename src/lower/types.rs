//! Type conversion to the LLVM dialect, for registers and memory.

use super::emit;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::{self, Diagnostic};
use melior::Context;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};

pub(crate) fn bits_of(type_: Type<'_>) -> u32 {
    element_bits(type_).expect("registers hold numbers and pointers")
}

pub(crate) fn bits_of_several(bits: u32, count: usize) -> u32 {
    bits * u32::try_from(count).expect("a word or an access has few elements")
}

pub(crate) fn element_of<'c>(type_: Type<'c>) -> Type<'c> {
    TensorType::of(type_).map_or(type_, |tensor| tensor.element)
}

/// Address space of read-only kernel arguments (`tl.const`). This is global memory, not the constant bank of a module.
const CONSTANT_SPACE: u32 = 4;

pub(crate) const GLOBAL_SPACE: u32 = 1;

/// Returns the LLVM type of a scalar: `!llvm.ptr` for pointers, `i8` for 8-bit floats, `i64` for `index`. `None` if
/// there is no such type.
pub(crate) fn scalar_type<'c>(context: &'c Context, type_: Type<'c>) -> Option<Type<'c>> {
    if let Some((_, space)) = sys::pointer(type_) {
        let space = match u32::try_from(space).ok()? {
            CONSTANT_SPACE => GLOBAL_SPACE,
            space => space,
        };
        return Some(emit::pointer_type(context, space));
    }
    match sys::float_width(type_) {
        Some(8) => Some(IntegerType::new(context, 8).into()),
        Some(16 | 32 | 64) => Some(type_),
        // Floats of 4 and 6 bits, tf32, and float types of CPUs.
        Some(_) => None,
        None if type_.is_index() => Some(IntegerType::new(context, INDEX_BITS).into()),
        None if element_bits(type_).is_some() => Some(type_),
        None => is_descriptor(type_).then(|| emit::pointer_type(context, 0)),
    }
}

const INDEX_BITS: u32 = 64;

/// Returns the type with which a value of type `pointee` is stored in memory. A boolean occupies a byte.
pub(crate) fn memory_type<'c>(
    context: &'c Context,
    pointee: Type<'c>,
) -> Result<Type<'c>, Diagnostic> {
    let type_ = scalar_type(context, pointee).ok_or_else(|| {
        Diagnostic::new(format!(
            "pointee type `{pointee}` cannot be converted to an LLVM type"
        ))
    })?;
    Ok(if bits_of(type_) == 1 {
        IntegerType::new(context, 8).into()
    } else {
        type_
    })
}

pub(crate) fn is_descriptor(type_: Type<'_>) -> bool {
    sys::buffer(type_).is_some_and(|buffer| buffer.memory_space.is_none())
}

/// Returns true for a shared-memory memdesc.
pub(crate) fn is_buffer(type_: Type<'_>) -> bool {
    TensorType::of(type_).is_none()
        && sys::buffer(type_)
            .filter(|buffer| buffer.memory_space.is_some())
            .and_then(|buffer| Layouts::of(type_.context()).encoding(buffer.encoding?).ok())
            .is_some_and(|encoding| encoding.is_shared())
}
