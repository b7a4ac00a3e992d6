//! Tensor descriptors: the encodings of their blocks, and the buffers of block accesses.

use super::{Layouts, TensorType, element_bits, memdesc};
use crate::sys::{self, BufferType};
use linear_layout::encoding::{CgaLayout, Encoding, NvmmaSharedEncoding};
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};

/// Returns the tensor-descriptor type `type_` with an explicit encoding of its blocks. Returns `None` if `type_` is
/// not a tensor descriptor, if it already has an encoding, or if there is no default encoding for its blocks.
pub(crate) fn with_block_encoding(type_: Type<'_>) -> Option<Type<'_>> {
    let block = block(type_).filter(|block| block.encoding.is_none())?;
    let encoding = Encoding::from(block_encoding(&block)?);
    let sizes: String = block.shape.iter().map(|size| format!("{size}x")).collect();
    let text = format!("!tt.tensordesc<{sizes}{}, {encoding}>", block.element);
    Type::parse(sys::context_of(type_.context()), &text)
}

/// Returns the type of the shared-memory buffer through which a block passes between registers and global memory.
/// The buffer has the shape of `tensor`, the tensor in registers. This shape may have fewer leading dimensions than
/// the block.
pub(crate) fn block_buffer<'c>(
    descriptor: Type<'c>,
    tensor: Type<'c>,
    is_mutable: bool,
) -> Option<Type<'c>> {
    let tensor = TensorType::of(tensor)?;
    let encoding = block_encoding(&block(descriptor)?)?;
    let encoding = match encoding.rank() == tensor.shape.len() {
        true => encoding,
        false => encoding.with_cga(CgaLayout::single(tensor.shape.len()).ok()?),
    };
    let encoding = Encoding::from(encoding).to_string();
    let encoding = Attribute::parse(sys::context_of(descriptor.context()), &encoding)?;
    memdesc(tensor.shape, tensor.element, encoding, is_mutable)
}

/// Returns the shape, element type and encoding of the blocks that a tensor descriptor of type `type_` accesses.
/// Returns `None` for other types and for im2col descriptors.
pub(crate) fn block(type_: Type<'_>) -> Option<BufferType<'_>> {
    sys::buffer(type_).filter(|block| block.memory_space.is_none() && !block.is_im2col)
}

/// Returns the encoding of a descriptor's blocks. If the descriptor has no encoding, the blocks have the encoding
/// that [`NvmmaSharedEncoding::of_block`] returns.
pub(crate) fn block_encoding(block: &BufferType<'_>) -> Option<NvmmaSharedEncoding> {
    let Some(encoding) = block.encoding else {
        return NvmmaSharedEncoding::of_block(&block.shape, element_bits(block.element)?).ok();
    };
    match &*Layouts::of(encoding.context()).encoding(encoding).ok()? {
        Encoding::NvmmaShared(encoding) => Some(encoding.clone()),
        _ => None,
    }
}
