//! Rules of buffer types in shared and tensor memory, and of im2col descriptors.

use super::common::{dimensions, memory_name};
use crate::ir::rules::labels;
use crate::ir::{Layouts, Reason, element_bits};
use crate::sys::{self, BufferType};
use linear_layout::encoding::{Encoding, NvmmaSharedEncoding};
use melior::ir::{AttributeLike, Type};

/// Creates the reason for a broken rule. The syntax is `broken!(label, message)`.
macro_rules! broken {
    ($label:ident, $($message:tt)+) => {
        Reason::from(format!($($message)+)).of_rule(labels::$label)
    };
}

/// Returns an error from the enclosing function if a rule is broken, that is, if the condition is false. The syntax
/// is `ensure!(label, condition, message)`.
macro_rules! ensure {
    ($label:ident, $holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(broken!($label, $($message)+));
        }
    };
}

pub(super) const SHARED: &str = "#ttg.shared_memory";
pub(super) const TENSOR: &str = "#ttng.tensor_memory";

pub(super) fn is_in(buffer: &BufferType<'_>, memory: &str) -> bool {
    buffer
        .memory_space
        .is_some_and(|space| *Layouts::of(space.context()).text_of_attribute(space) == *memory)
}

/// Checks the rules of `!ttg.memdesc`, and of im2col descriptors.
///
/// # Errors
/// Returns the first broken rule.
pub(crate) fn type_rules(layouts: &Layouts, type_: Type<'_>) -> Result<(), Reason> {
    let Some(buffer) = sys::buffer(type_) else {
        return Ok(());
    };
    ensure!(
        tensordesc_im2col_c1,
        !buffer.is_im2col || buffer.shape.len() == 2,
        "an im2col descriptor requires blocks of rank 2, but got {}",
        dimensions(&buffer.shape)
    );
    if buffer.memory_space.is_none() {
        return Ok(());
    }
    let (shape, alloc) = (&buffer.shape, &buffer.alloc_shape);
    ensure!(
        memdesc_c1,
        !shape.is_empty(),
        "buffer has rank 0; expected at least one dimension"
    );
    ensure!(
        memdesc_c2,
        !shape.contains(&0) && !alloc.contains(&0),
        "buffer has shape {} in an allocation of shape {}; expected no dimension of size 0",
        dimensions(shape),
        dimensions(alloc)
    );
    ensure!(
        memdesc_c3,
        alloc.len() >= shape.len(),
        "view of shape {} has a higher rank than the allocation of shape {}",
        dimensions(shape),
        dimensions(alloc)
    );
    let within = &alloc[alloc.len() - shape.len()..];
    ensure!(
        memdesc_c4,
        shape.iter().zip(within).all(|(part, whole)| part <= whole),
        "view of shape {} does not fit in the allocation of shape {}",
        dimensions(shape),
        dimensions(alloc)
    );
    let attribute = buffer
        .encoding
        .ok_or_else(|| broken!(memdesc_c5, "a buffer must have an encoding"))?;
    let encoding = layouts.encoding(attribute).map_err(|_| {
        broken!(
            memdesc_c5,
            "buffer has encoding `{attribute}`; expected a memory layout"
        )
    })?;
    let rank = encoding.rank();
    ensure!(
        memdesc_c5,
        !encoding.is_distributed(),
        "a buffer requires a memory layout, but `{attribute}` is a register layout"
    );
    let memory = if encoding.is_shared() { SHARED } else { TENSOR };
    ensure!(
        memdesc_c6,
        is_in(&buffer, memory),
        "`{attribute}` requires a buffer in `{memory}`, but the buffer is in `{}`",
        memory_name(&buffer)
    );
    ensure!(
        memdesc_c5,
        shape.len() == rank || shape.len() == rank + 1,
        "`{attribute}` requires a buffer of rank {rank}, or {} for a multi-buffer, but got rank {}",
        rank + 1,
        shape.len()
    );
    let bits = element_bits(buffer.element).ok_or_else(|| {
        broken!(
            memdesc_c7,
            "element type `{}` has no bit width",
            buffer.element
        )
    })?;
    ensure!(
        memdesc_c7,
        memory != SHARED || bits % 8 == 0,
        "elements in shared memory must have a multiple of 8 bits, but `{}` has {bits}",
        buffer.element
    );
    match &*encoding {
        Encoding::TensorMemory(e) if bits * e.col_stride() > 32 => {
            return Err(broken!(
                memdesc_c7,
                "an element must fit in a tensor-memory column of 32 bits, but `{}` with `colStride = {}` \
                 takes {} bits",
                buffer.element,
                e.col_stride(),
                bits * e.col_stride()
            ));
        }
        Encoding::TensorMemory(_) if bits < 8 => {
            return Err(broken!(
                memdesc_c7,
                "elements in tensor memory must have at least 8 bits, but `{}` has {bits}",
                buffer.element
            ));
        }
        Encoding::TensorMemory(e) => {
            let split = e.cga_layout().split_num();
            let shape = &shape[shape.len() - 2..];
            let rows = u64::from(e.block_m()) * u64::from(split[0]);
            let columns = u64::from(e.block_n()) * u64::from(split[1]);
            ensure!(
                memdesc_c10,
                shape[0] >= rows && (split[1] <= 1 || shape[1] >= columns),
                "buffer in tensor memory has shape {}; expected at least one block of `{attribute}`, \
                 {rows}x{columns}",
                dimensions(shape)
            );
        }
        Encoding::TensorMemoryScales(_) if alloc.len() != 2 => {
            return Err(broken!(
                memdesc_c11,
                "scales in tensor memory have shape {} in an allocation of shape {}; expected rank 2",
                dimensions(shape),
                dimensions(alloc)
            ));
        }
        Encoding::TensorMemoryScales(_) if bits != 8 => {
            return Err(broken!(
                memdesc_c7,
                "scales must have 8 bits, but `{}` has {bits}",
                buffer.element
            ));
        }
        _ => {}
    }
    ensure!(
        memdesc_c8,
        shape[shape.len() - rank..]
            .iter()
            .all(|n| n.is_power_of_two()),
        "the sizes of a buffer must be powers of two, but got {}",
        dimensions(shape)
    );
    let whole = &alloc[alloc.len() - rank..];
    match &*encoding {
        Encoding::NvmmaShared(e) => return swizzled_rows(e, whole),
        // Triton creates buffers smaller than a tile of these; other checks reject their reads.
        Encoding::PartitionedShared(_) => return Ok(()),
        _ => {}
    }
    encoding
        .to_surjective_layout(whole)
        .map(drop)
        .map_err(|e| Reason::from(e).of_rule(labels::memdesc_c9))
}

/// Checks that each CTA's part of a row has at least as many bytes as the swizzle. The number of rows is checked by
/// the rules of operations.
fn swizzled_rows(encoding: &NvmmaSharedEncoding, shape: &[u64]) -> Result<(), Reason> {
    let per_cta = encoding.cga_layout().shape_per_cta(shape);
    let along = if encoding.is_transposed() {
        0
    } else {
        shape.len() - 1
    };
    let bits = encoding.element_width_bits().max(1);
    // Padded 4-bit data take twice the bytes of their elements.
    let padding = if encoding.is_fp4_padded() { 2 } else { 1 };
    let least = u64::from(encoding.swizzle_bytes() * 8 / bits / padding);
    ensure!(
        memdesc_c12,
        per_cta[along] >= least,
        "a swizzle of {} bytes requires rows of at least {least} elements per CTA, but got {} along dimension {along}",
        encoding.swizzle_bytes(),
        per_cta[along]
    );
    Ok(())
}
