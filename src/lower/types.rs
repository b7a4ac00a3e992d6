//! Types: what those of the input are in the LLVM dialect, in registers and in memory.

use super::emit;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::{self, Diagnostic};
use melior::Context;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};

/// The width in bits of what a register holds: a number or a pointer.
pub(crate) fn bits_of(type_: Type<'_>) -> u32 {
    element_bits(type_).expect("registers hold numbers and pointers")
}

/// The width in bits of several elements of a width, which one word or access holds.
pub(crate) fn bits_of_several(bits: u32, count: usize) -> u32 {
    bits * u32::try_from(count).expect("a word or an access has few elements")
}

/// The type of a tensor's elements; another type is its own element.
pub(crate) fn element_of<'c>(type_: Type<'c>) -> Type<'c> {
    TensorType::of(type_).map_or(type_, |tensor| tensor.element)
}

/// The LLVM type of a scalar: pointers become `!llvm.ptr`, numbers stay, but the bits of a float of
/// 8 bits, which LLVM does not have, travel as `i8`.
pub(crate) fn scalar_type<'c>(context: &'c Context, type_: Type<'c>) -> Option<Type<'c>> {
    if let Some((_, space)) = sys::pointer(type_) {
        return Some(emit::pointer_type(context, u32::try_from(space).ok()?));
    }
    match sys::float_width(type_) {
        Some(8) => Some(IntegerType::new(context, 8).into()),
        Some(16 | 32 | 64) => Some(type_),
        // 4 and 6 bits, tf32, and what only CPUs have.
        Some(_) => None,
        // Numbers of type `index` count what an address counts.
        None if type_.is_index() => Some(IntegerType::new(context, INDEX_BITS).into()),
        None if element_bits(type_).is_some() => Some(type_),
        None => is_descriptor(type_).then(|| emit::pointer_type(context, 0)),
    }
}

/// The width in bits of a number of type `index`.
const INDEX_BITS: u32 = 64;

/// The type an element has in memory: booleans take a byte.
pub(crate) fn memory_type<'c>(
    context: &'c Context,
    pointee: Type<'c>,
) -> Result<Type<'c>, Diagnostic> {
    let type_ = scalar_type(context, pointee)
        .ok_or_else(|| Diagnostic::new(format!("points to `{pointee}`, which has no LLVM type")))?;
    Ok(if bits_of(type_) == 1 {
        IntegerType::new(context, 8).into()
    } else {
        type_
    })
}

/// Returns true if a type is that of descriptors of tensors, which are known by their address.
pub(crate) fn is_descriptor(type_: Type<'_>) -> bool {
    sys::buffer(type_).is_some_and(|buffer| buffer.memory_space.is_none())
}

/// Whether a type is that of a buffer in shared memory.
pub(crate) fn is_buffer(type_: Type<'_>) -> bool {
    TensorType::of(type_).is_none()
        && sys::buffer(type_)
            .filter(|buffer| buffer.memory_space.is_some())
            .and_then(|buffer| Layouts::of(type_.context()).encoding(buffer.encoding?).ok())
            .is_some_and(|encoding| encoding.is_shared())
}
