//! Tensor types with encodings.

use crate::ir::Layouts;
use crate::sys;
use melior::ir::r#type::{IntegerType, RankedTensorType, TypeLike};
use melior::ir::{Attribute, Type};
use std::sync::Arc;

/// A ranked tensor of static shape.
#[derive(Clone, Copy, Debug)]
pub struct TensorType<'c> {
    /// The MLIR type.
    pub type_: Type<'c>,
    /// Sizes of the dimensions.
    pub shape: &'c [u64],
    /// The element type.
    pub element: Type<'c>,
    /// The encoding, if any.
    pub encoding: Option<Attribute<'c>>,
}

impl<'c> TensorType<'c> {
    /// Returns the components of a tensor type, or `None` unless the type is a ranked tensor of static shape.
    #[must_use]
    pub fn of(type_: Type<'c>) -> Option<Self> {
        let parts = sys::tensor(type_)?;
        Some(Self {
            type_,
            shape: parts.shape,
            element: parts.element,
            encoding: parts.encoding,
        })
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn num_elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Returns the tensor type with `encoding` instead of its own encoding.
    #[must_use]
    pub fn with_encoding(&self, encoding: Attribute<'c>) -> Type<'c> {
        RankedTensorType::new(self.shape, self.element, Some(encoding)).into()
    }
}

/// Returns the type of a buffer in shared memory. Returns `None` if an element is not a whole number of bytes, or if
/// MLIR rejects the type; MLIR then reports the reason.
pub(crate) fn memdesc<'c>(
    shape: &[u64],
    element: Type<'c>,
    encoding: Attribute<'c>,
    is_mutable: bool,
) -> Option<Type<'c>> {
    if !element_bits(element)?.is_multiple_of(8) {
        return None;
    }
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    let end = if is_mutable { ", mutable" } else { "" };
    let text = format!("!ttg.memdesc<{sizes}{element}, {encoding}, #ttg.shared_memory{end}>");
    Type::parse(sys::context_of(element.context()), &text)
}

/// Returns true if a tensor with element type `element` matches a descriptor's block with element type `block`.
/// Equal types match. A signless integer in the tensor also matches any integer of the same width in the block, for
/// example `i8` matches `si8`.
#[must_use]
pub fn is_element_of_block(element: Type<'_>, block: Type<'_>) -> bool {
    element == block
        || match (integer(element), integer(block)) {
            (Some(element), Some(block)) => {
                element.is_signless() && element.width() == block.width()
            }
            _ => false,
        }
}

/// Returns the cached text of an element type, for example `f8E5M2`.
#[must_use]
pub fn element_name(element: Type<'_>) -> Arc<str> {
    Layouts::of(element.context()).text_of_type(element)
}

/// Returns the width of an element type in bits, or `None` for other types.
///
/// `i1` has 1 bit, `f8E4M3FN` has 8 bits; `index`, `!tt.ptr<f32>` and `!llvm.ptr` have 64 bits.
#[must_use]
pub fn element_bits(element: Type<'_>) -> Option<u32> {
    if let Some(integer) = integer(element) {
        return Some(integer.width());
    }
    let is_pointer = sys::pointer(element).is_some() || sys::is_llvm_pointer(element);
    if element.is_index() || is_pointer {
        return Some(64);
    }
    sys::float_width(element)
}

/// Returns `type_` as an integer type, or `None` for other types. Does not use melior's conversion, which would
/// format the type for its error.
fn integer(type_: Type<'_>) -> Option<IntegerType<'_>> {
    type_
        .is_integer()
        .then(|| IntegerType::try_from(type_).ok())
        .flatten()
}
