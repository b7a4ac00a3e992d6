//! Rules of buffers in shared and tensor memory: of their types, and of the operations on them.

use super::convert::verdict;
use super::{
    Verdict, axes, dimensions, integer, one, operand, operand_type, order, result, result_type,
};
use crate::encoding::{Encoding, NvmmaSharedEncoding, infer};
use crate::ir::{Layouts, TensorType, element_bits};
use crate::layout::Dim;
use crate::sys::{self, Buffer, Diagnostic};
use melior::ir::operation::OperationLike;
use melior::ir::{AttributeLike, OperationRef, Type};
use std::sync::Arc;

pub(super) const SHARED: &str = "#ttg.shared_memory";
pub(super) const TENSOR: &str = "#ttng.tensor_memory";

pub(super) fn is_in(buffer: &Buffer<'_>, memory: &str) -> bool {
    buffer
        .memory_space
        .is_some_and(|space| *Layouts::of(space.context()).text_of_attribute(space) == *memory)
}

/// The rules of `!ttg.memdesc`, whose documentation labels them.
///
/// # Errors
/// The first rule that is broken.
pub(crate) fn type_rules(layouts: &Layouts, type_: Type<'_>) -> Result<(), String> {
    let Some(buffer) = sys::buffer(type_) else {
        return Ok(());
    };
    if buffer.is_im2col && buffer.shape.len() != 2 {
        return Err(format!(
            "an image is read in blocks of rank 2, but these are {}",
            dimensions(&buffer.shape)
        )); // tensordesc_im2col_c1
    }
    if buffer.memory_space.is_none() {
        return Ok(());
    }
    let (shape, alloc) = (&buffer.shape, &buffer.alloc_shape);
    if shape.is_empty() {
        // memdesc_c1
        return Err("a buffer has at least one dimension, but this one has none".to_owned());
    }
    if shape.contains(&0) || alloc.contains(&0) {
        return Err(format!(
            "a buffer has no dimension of size 0, but this one is {} of {}",
            dimensions(shape),
            dimensions(alloc)
        )); // memdesc_c2
    }
    if alloc.len() < shape.len() {
        return Err(format!(
            "a view has at most the dimensions of its allocation, but {} has more than {}",
            dimensions(shape),
            dimensions(alloc)
        )); // memdesc_c3
    }
    let within = &alloc[alloc.len() - shape.len()..];
    if shape.iter().zip(within).any(|(part, whole)| part > whole) {
        return Err(format!(
            "a view lies within its allocation, but {} is larger than {}",
            dimensions(shape),
            dimensions(alloc)
        )); // memdesc_c4
    }
    // memdesc_c5
    let attribute = buffer.encoding.ok_or("a buffer has an encoding")?;
    let encoding = layouts
        .encoding(attribute)
        .map_err(|_| format!("`{attribute}` lays out no buffer"))?;
    let rank = encoding.rank();
    if encoding.is_distributed() {
        return Err(format!(
            "a buffer is laid out in memory, but `{attribute}` is a layout of registers"
        )); // memdesc_c5
    }
    let memory = if encoding.is_shared() { SHARED } else { TENSOR };
    if !is_in(&buffer, memory) {
        return Err(format!(
            "`{attribute}` lays out buffers in `{memory}`, but this one is in `{}`",
            memory_name(&buffer)
        )); // memdesc_c6
    }
    if shape.len() != rank && shape.len() != rank + 1 {
        return Err(format!(
            "`{attribute}` is for buffers of rank {rank}, or {} with one dimension of buffers, but this one has rank {}",
            rank + 1,
            shape.len()
        )); // memdesc_c5
    }
    let bits = element_bits(buffer.element)
        .ok_or_else(|| format!("elements of `{}` have no width", buffer.element))?;
    if memory == SHARED && bits % 8 != 0 {
        return Err(format!(
            "elements in shared memory have a multiple of 8 bits, but `{}` has {bits}",
            buffer.element
        )); // memdesc_c7
    }
    match &*encoding {
        Encoding::TensorMemory(e) if bits * e.col_stride() > 32 => {
            return Err(format!(
                "an element fills at most a column of 32 bits, but `{}` with `colStride = {}` has {}",
                buffer.element,
                e.col_stride(),
                bits * e.col_stride()
            )); // memdesc_c7
        }
        Encoding::TensorMemory(_) if bits < 8 => {
            return Err(format!(
                "elements in tensor memory have at least 8 bits, but `{}` has {bits}",
                buffer.element
            )); // memdesc_c7
        }
        Encoding::TensorMemory(e) => {
            let split = e.cga_layout().split_num();
            let shape = &shape[shape.len() - 2..];
            let rows = u64::from(e.block_m()) * u64::from(split[0]);
            let columns = u64::from(e.block_n()) * u64::from(split[1]);
            if shape[0] < rows || (split[1] > 1 && shape[1] < columns) {
                return Err(format!(
                    "a buffer in tensor memory has at least a block of `{attribute}`, {rows}x{columns}, but this one is {}",
                    dimensions(shape)
                )); // memdesc_c10
            }
        }
        Encoding::TensorMemoryScales(_) if alloc.len() != 2 => {
            return Err(format!(
                "scales in tensor memory have rank 2, but these are {} of {}",
                dimensions(shape),
                dimensions(alloc)
            )); // memdesc_c11
        }
        Encoding::TensorMemoryScales(_) if bits != 8 => {
            return Err(format!(
                "scales have 8 bits, but `{}` has {bits}",
                buffer.element
            )); // memdesc_c7
        }
        _ => {}
    }
    if shape[shape.len() - rank..]
        .iter()
        .any(|n| !n.is_power_of_two())
    {
        return Err(format!(
            "the sizes of a buffer are powers of two, but this one is {}",
            dimensions(shape)
        )); // memdesc_c8
    }
    let whole = &alloc[alloc.len() - rank..];
    match &*encoding {
        Encoding::NvmmaShared(e) => return swizzled_rows(e, whole),
        // Triton makes buffers smaller than a tile of these, which nothing can read.
        Encoding::PartitionedShared(_) => return Ok(()),
        _ => {}
    }
    encoding
        .to_surjective_layout(whole)
        .map(drop)
        .map_err(|e| e.to_string()) // memdesc_c9
}

/// Rows are at least as long as the swizzle; that there are too few of them is found where it matters.
fn swizzled_rows(encoding: &NvmmaSharedEncoding, shape: &[u64]) -> Result<(), String> {
    let per_cta = encoding.cga_layout().shape_per_cta(shape);
    let along = if encoding.is_transposed() {
        0
    } else {
        shape.len() - 1
    };
    let bits = encoding.element_width_bits().max(1);
    // Padding gives 4-bit data twice the bytes that the buffer's elements have.
    let padding = if encoding.is_fp4_padded() { 2 } else { 1 };
    let least = u64::from(encoding.swizzle_bytes() * 8 / bits / padding);
    if per_cta[along] < least {
        return Err(format!(
            "a swizzle of {} bytes needs rows of at least {least} elements in each CTA, but this buffer has {} along dimension {along}",
            encoding.swizzle_bytes(),
            per_cta[along]
        )); // memdesc_c12
    }
    Ok(())
}

pub(super) fn buffer_of<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<Buffer<'c>> {
    sys::buffer(operand_type(op, i)?)
}

pub(super) fn buffer_result<'c>(op: OperationRef<'c, '_>) -> Option<Buffer<'c>> {
    sys::buffer(result_type(op, 0)?)
}

pub(super) fn encoding_of(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Option<Arc<Encoding>> {
    Layouts::of(op.context()).encoding(buffer.encoding?).ok()
}

/// How a buffer's encoding is spelled, in a message.
pub(super) fn encoding_name(buffer: &Buffer<'_>) -> String {
    buffer
        .encoding
        .map_or_else(|| "none".to_owned(), |e| e.to_string())
}

/// How the memory that a buffer is in is spelled, in a message.
pub(super) fn memory_name(buffer: &Buffer<'_>) -> String {
    buffer
        .memory_space
        .map_or_else(String::new, |space| space.to_string())
}

/// A tensor and a buffer hold the same elements.
pub(super) fn same_contents(tensor: &TensorType<'_>, buffer: &Buffer<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if tensor.element != buffer.element {
        diagnostics.push(Diagnostic::new(format!(
            "needs a tensor and a buffer of the same element type, but has `{}` and `{}`",
            tensor.element, buffer.element
        ))); // local_alloc_c1, local_load_c1, local_store_c2, tmem_alloc_c6, tmem_load_c11, tmem_store_c5, async_shared_store_c3
    }
    if tensor.shape != buffer.shape {
        diagnostics.push(Diagnostic::new(format!(
            "needs a tensor and a buffer of the same shape, but has {} and {}",
            dimensions(tensor.shape),
            dimensions(&buffer.shape)
        ))); // local_alloc_c2, local_load_c2, local_store_c3, tmem_alloc_c7, tmem_load_c12, tmem_store_c6, async_shared_store_c4
    }
    diagnostics
}

pub(super) fn in_memory(buffer: &Buffer<'_>, memory: &str) -> Option<Diagnostic> {
    (!is_in(buffer, memory)).then(|| {
        Diagnostic::new(format!(
            "needs a buffer in `{memory}`, but has one in `{}`",
            memory_name(buffer)
        )) // local_alloc_c4, local_gather_c1, local_scatter_c2, memdesc_subslice_c6
    })
}

pub(super) fn writable(buffer: &Buffer<'_>) -> Option<Diagnostic> {
    (!buffer.is_mutable).then(|| {
        Diagnostic::new("writes to a buffer that may not be written") // local_store_c1, local_atomic_scatter_rmw_c1, async_copy_global_to_local_c1
            .note("make the buffer `mutable` in its type")
    })
}

pub(super) fn local_alloc(op: OperationRef<'_, '_>) -> Verdict {
    let Some(buffer) = buffer_result(op) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    match operand(op, 0) {
        Some(contents) => {
            ensure_rank(op, &contents, &buffer)?;
            diagnostics.extend(same_contents(&contents, &buffer));
        } // local_alloc_c1
        None if !buffer.is_mutable => diagnostics.push(
            Diagnostic::new("makes a buffer without contents that can never be written")
                .note("make the buffer `mutable` in its type, or give its contents"),
        ), // local_alloc_c3
        None => {}
    }
    diagnostics.extend(in_memory(&buffer, SHARED));
    if buffer.shape != buffer.alloc_shape {
        diagnostics.push(Diagnostic::new(format!(
            "makes a whole buffer, but its type is a view of {} in {}",
            dimensions(&buffer.shape),
            dimensions(&buffer.alloc_shape)
        ))); // local_alloc_c5
    }
    verdict(diagnostics)
}

pub(super) fn local_load(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(buffer), Some(tensor)) = (buffer_of(op, 0), result(op, 0)) else {
        return Ok(());
    };
    ensure_rank(op, &tensor, &buffer)?;
    verdict(same_contents(&tensor, &buffer))
}

/// A buffer's encoding is for one buffer, of the rank of the tensor that is moved.
fn ensure_rank(op: OperationRef<'_, '_>, tensor: &TensorType<'_>, buffer: &Buffer<'_>) -> Verdict {
    let rank = encoding_of(op, buffer).map_or(tensor.shape.len(), |e| e.rank());
    ensure!(
        tensor.shape.len() == rank,
        "moves one buffer, of rank {rank}, but `{}` has rank {}",
        tensor.type_,
        tensor.shape.len()
    ); // local_alloc_c6, local_load_c3, local_store_c4
    Ok(())
}

pub(super) fn local_store(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(tensor), Some(buffer)) = (operand(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    let mut diagnostics: Vec<Diagnostic> = writable(&buffer).into_iter().collect(); // local_store_c1
    ensure_rank(op, &tensor, &buffer)?;
    diagnostics.extend(same_contents(&tensor, &buffer));
    verdict(diagnostics)
}

/// What gathers and scatters share: where the indices point, and the tensor beside them.
fn indexed(
    op: OperationRef<'_, '_>,
    buffer: &Buffer<'_>,
    rank: usize,
    indices: &TensorType<'_>,
    values: &TensorType<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = in_memory(buffer, SHARED).into_iter().collect();
    if indices.shape != values.shape {
        diagnostics.push(Diagnostic::new(format!(
            "needs indices and values of the same shape, but has {} and {}",
            dimensions(indices.shape),
            dimensions(values.shape)
        ))); // local_gather_c2, local_scatter_c3
    }
    if rank != indices.shape.len() {
        diagnostics.push(Diagnostic::new(format!(
            "needs a buffer and indices of the same rank, but has {rank} and {}",
            indices.shape.len()
        ))); // local_gather_c3, local_scatter_c4
    }
    let axis = integer(op, "axis");
    if !usize::try_from(axis).is_ok_and(|axis| axis < buffer.shape.len()) {
        diagnostics.push(Diagnostic::new(format!(
            "has axis {axis}, but the buffer has rank {}",
            axes(buffer.shape.len())
        ))); // local_gather_c4, local_scatter_c5
    }
    if values.element != buffer.element {
        diagnostics.push(Diagnostic::new(format!(
            "needs values and a buffer of the same element type, but has `{}` and `{}`",
            values.element, buffer.element
        ))); // local_gather_c5, local_scatter_c6
    }
    if values.encoding != indices.encoding {
        diagnostics.push(Diagnostic::new(format!(
            "needs indices and values of the same layout, but has `{}` and `{}`",
            indices.type_, values.type_
        ))); // local_gather_c6, local_scatter_c7
    }
    diagnostics
}

pub(super) fn local_gather(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(buffer), Some(indices), Some(values)) =
        (buffer_of(op, 0), operand(op, 1), result(op, 0))
    else {
        return Ok(());
    };
    verdict(indexed(op, &buffer, buffer.shape.len(), &indices, &values))
}

pub(super) fn local_scatter(op: OperationRef<'_, '_>) -> Verdict {
    scatter(op, |buffer| buffer.shape.len())
}

fn scatter(op: OperationRef<'_, '_>, rank: impl Fn(&Buffer<'_>) -> usize) -> Verdict {
    let (Some(buffer), Some(values), Some(indices)) =
        (buffer_of(op, 0), operand(op, 1), operand(op, 2))
    else {
        return Ok(());
    };
    verdict(indexed(op, &buffer, rank(&buffer), &indices, &values))
}

pub(super) fn local_atomic_scatter_rmw(op: OperationRef<'_, '_>) -> Verdict {
    if let Some(diagnostic) = buffer_of(op, 0).as_ref().and_then(writable) {
        return Err(one(diagnostic)); // local_atomic_scatter_rmw_c1
    }
    if let Some(values) = operand(op, 1) {
        ensure!(
            sys::pointer(values.element).is_none(),
            "combines integers or floats, but the values are `{}`",
            values.type_
        ); // local_atomic_scatter_rmw_c2
    }
    // One of several buffers in a row has the rank of their encoding.
    scatter(op, |buffer| {
        encoding_of(op, buffer).map_or(buffer.shape.len(), |e| e.rank())
    })
}

pub(super) fn memdesc_index(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let mut diagnostics = same_buffer(&src, &dst);
    if dst.shape != src.shape[1..] {
        diagnostics.push(Diagnostic::new(format!(
            "makes the shape {}, but the result has {}",
            dimensions(&src.shape[1..]),
            dimensions(&dst.shape)
        ))); // memdesc_index_c5
        return Err(diagnostics);
    }
    if src.alloc_shape.len() != src.shape.len()
        || src.alloc_shape[src.alloc_shape.len() - src.shape.len() + 1..] != src.shape[1..]
    {
        diagnostics.push(Diagnostic::new(format!(
            "takes one of several whole buffers, but the operand is {} in an allocation of {}",
            dimensions(&src.shape),
            dimensions(&src.alloc_shape)
        ))); // memdesc_index_c6
    }
    if dst.alloc_shape != dst.shape {
        diagnostics.push(Diagnostic::new(format!(
            "makes a whole buffer, but its type is a view of {} in {}",
            dimensions(&dst.shape),
            dimensions(&dst.alloc_shape)
        ))); // memdesc_index_c7
    }
    verdict(diagnostics)
}

/// Element type, encoding, memory and mutability stay as they are.
fn same_buffer(src: &Buffer<'_>, dst: &Buffer<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if src.element != dst.element {
        diagnostics.push(Diagnostic::new(format!(
            "needs a result of the operand's element type, but has `{}` of `{}`",
            dst.element, src.element
        ))); // memdesc_index_c1, memdesc_subslice_c1
    }
    if src.encoding != dst.encoding {
        let text = |b: &Buffer<'_>| b.encoding.map_or_else(String::new, |e| e.to_string());
        diagnostics.push(Diagnostic::new(format!(
            "needs a result of the operand's encoding, but has `{}` of `{}`",
            text(dst),
            text(src)
        ))); // memdesc_index_c2, memdesc_subslice_c2
    }
    diagnostics
}

pub(super) fn memdesc_subslice(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let mut diagnostics = same_buffer(&src, &dst);
    let offsets = super::integers(op, "offsets");
    if offsets.len() != src.shape.len() || dst.shape.len() != src.shape.len() {
        diagnostics.push(Diagnostic::new(format!(
            "needs one offset and one result dimension for each of {}, but has {} and {}",
            dimensions(&src.shape),
            offsets.len(),
            dst.shape.len()
        ))); // memdesc_subslice_c3
        return Err(diagnostics);
    }
    if src.alloc_shape != dst.alloc_shape {
        diagnostics.push(Diagnostic::new(format!(
            "needs a result in the operand's allocation of {}, but its type says {}",
            dimensions(&src.alloc_shape),
            dimensions(&dst.alloc_shape)
        ))); // memdesc_subslice_c5
    }
    diagnostics.extend(in_memory(&src, SHARED));
    // Of several buffers in a row, any may be taken.
    let leading = encoding_of(op, &src).map_or(0, |encoding| {
        src.shape.len().saturating_sub(encoding.rank())
    });
    for (i, offset) in offsets.iter().enumerate() {
        let (from, to) = (src.shape[i], dst.shape[i]);
        let end = u64::try_from(*offset).map_or(u64::MAX, |offset| offset + to);
        if from == to && *offset != 0 {
            diagnostics.push(Diagnostic::new(format!(
                "has offset {offset} in dimension {i}, which is not cut"
            ))); // memdesc_subslice_c7
        } else if end > from {
            diagnostics.push(Diagnostic::new(format!(
                "takes {to} from {offset} on in dimension {i}, which has size {from}"
            ))); // memdesc_subslice_c8
        } else if i >= leading && !end.is_multiple_of(to) {
            diagnostics.push(Diagnostic::new(format!(
                "needs an offset that is a multiple of {to} in dimension {i}, but has {offset}"
            ))); // memdesc_subslice_c9
        }
    }
    diagnostics.extend(uncut_swizzle(op, &src, &dst));
    verdict(diagnostics)
}

/// A part of a swizzled buffer is cut where the swizzle does not carry across the cut.
fn uncut_swizzle(
    op: OperationRef<'_, '_>,
    src: &Buffer<'_>,
    dst: &Buffer<'_>,
) -> Option<Diagnostic> {
    let encoding = encoding_of(op, src)?;
    let rank = encoding.rank();
    let leading = src.shape.len() - rank;
    if src.shape == dst.shape {
        return None;
    }
    let is_padded = match &*encoding {
        Encoding::PartitionedShared(e) => matches!(e.partition_layout(), Encoding::PaddedShared(_)),
        e => matches!(e, Encoding::PaddedShared(_)),
    };
    let layout = match &*encoding {
        _ if is_padded && leading > 0 => {
            return Some(Diagnostic::new(format!(
                "cannot cut several padded buffers at once, but `{encoding}` is for buffers of rank {rank}, and the operand has rank {}",
                src.shape.len()
            ))); // memdesc_subslice_c10
        }
        Encoding::PaddedShared(e) => e.linear_component().clone(),
        e => {
            let alloc = &src.alloc_shape[src.alloc_shape.len() - rank..];
            e.to_linear_layout(alloc).ok()?
        }
    };
    let inverse = layout.pseudoinvert().ok()?;
    let at = inverse.out_index(Dim::OFFSET)?;
    for i in 0..rank {
        let (from, to) = (src.shape[leading + i], dst.shape[leading + i]);
        let mut size = to;
        while size < from {
            let point: Vec<(Dim, u64)> = (0..rank)
                .map(|d| (Dim::out(d), if d == i { size } else { 0 }))
                .collect();
            let offset = inverse.apply(&point).map_or(0, |place| place.at(at));
            if !offset.is_power_of_two() && offset != 0 {
                return Some(Diagnostic::new(format!(
                    "cuts dimension {} to {to}, which parts rows that the swizzle of `{encoding}` mixes: element {size} is at offset {offset}",
                    leading + i
                ))); // memdesc_subslice_c11
            }
            size *= 2;
        }
    }
    None
}

/// The result's layout is the inferred one.
fn inferred(
    dst: &Buffer<'_>,
    declared: &Encoding,
    expected: Result<Encoding, crate::encoding::EncodingError>,
) -> Vec<Diagnostic> {
    let expected = match expected {
        Ok(expected) => expected,
        Err(e) if e.is_inference() => return one(Diagnostic::new(e.to_string())), // memdesc_trans_c3, memdesc_reshape_c3
        Err(e) => {
            let reason = format!("cannot view an operand that has no layout: {e}");
            return one(Diagnostic::new(reason)); // memdesc_trans_c3, memdesc_reshape_c3
        }
    };
    let shape = &dst.alloc_shape[dst.alloc_shape.len().saturating_sub(expected.rank())..];
    if infer::equivalent(&expected, declared, shape) {
        return Vec::new();
    }
    one(Diagnostic::new(format!(
        "has a result of encoding `{declared}`, whose layout is not the one that follows from the operand"
    )) // memdesc_trans_c3, memdesc_reshape_c3
    .note(format!("expected `{expected}`")))
}

pub(super) fn memdesc_trans(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let order: Vec<usize> = order(op)
        .iter()
        .map(|o| usize::try_from(*o).unwrap_or(usize::MAX))
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..src.shape.len()) {
        return Err(one(Diagnostic::new(format!(
            "needs a permutation of 0 to {} as `order`, but has {order:?}",
            src.shape.len().saturating_sub(1)
        )))); // memdesc_trans_c1
    }
    let expected: Vec<u64> = order.iter().map(|o| src.shape[*o]).collect();
    if dst.shape != expected {
        return Err(one(Diagnostic::new(format!(
            "makes the shape {}, but the result has {}",
            dimensions(&expected),
            dimensions(&dst.shape)
        )))); // memdesc_trans_c2
    }
    let mut diagnostics = same_place(&src, &dst);
    let leading = src.alloc_shape.len() - order.len();
    let mut alloc = src.alloc_shape[..leading].to_vec();
    alloc.extend(order.iter().map(|o| src.alloc_shape[leading + o]));
    diagnostics.extend(same_allocation(&dst, &alloc)); // memdesc_trans_c6
    if let (Some(from), Some(to)) = (encoding_of(op, &src), encoding_of(op, &dst)) {
        let rank = from.rank();
        if rank == order.len() && src.alloc_shape.len() >= rank {
            let shape = &src.alloc_shape[src.alloc_shape.len() - rank..];
            diagnostics.extend(inferred(&dst, &to, infer::trans(&from, shape, &order))); // memdesc_trans_c3
        }
    }
    verdict(diagnostics)
}

/// The allocation stays the one that it is, seen as the result is.
fn same_allocation(dst: &Buffer<'_>, expected: &[u64]) -> Option<Diagnostic> {
    (dst.alloc_shape != expected).then(|| {
        Diagnostic::new(format!(
            "makes a view of an allocation of {}, but the result's type says {}",
            dimensions(expected),
            dimensions(&dst.alloc_shape)
        )) // memdesc_trans_c6, memdesc_reshape_c6
    })
}

/// Memory and mutability stay as they are.
pub(super) fn same_place(src: &Buffer<'_>, dst: &Buffer<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if src.memory_space != dst.memory_space {
        diagnostics.push(Diagnostic::new("needs a result in the operand's memory")); // memdesc_trans_c4, memdesc_reshape_c4, memdesc_reinterpret_c1
    }
    if src.is_mutable != dst.is_mutable {
        diagnostics.push(Diagnostic::new(
            "needs a result that may be written exactly if the operand may be",
        )); // memdesc_trans_c5, memdesc_reshape_c5, memdesc_reinterpret_c2
    }
    diagnostics
}

pub(super) fn memdesc_reshape(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let count = |shape: &[u64]| shape.iter().product::<u64>();
    if count(&src.shape) != count(&dst.shape) {
        return Err(one(Diagnostic::new(format!(
            "needs as many elements in the result as in the operand, but has {} and {}",
            count(&dst.shape),
            count(&src.shape)
        )))); // memdesc_reshape_c1
    }
    let mut diagnostics = same_place(&src, &dst);
    let leading = src.alloc_shape.len().saturating_sub(src.shape.len());
    if src.alloc_shape[leading..] != src.shape {
        diagnostics.push(Diagnostic::new(format!(
            "needs a whole buffer, but the operand is {} of {}",
            dimensions(&src.shape),
            dimensions(&src.alloc_shape)
        ))); // memdesc_reshape_c2
        return Err(diagnostics);
    }
    let mut alloc = src.alloc_shape[..leading].to_vec();
    alloc.extend(&dst.shape);
    diagnostics.extend(same_allocation(&dst, &alloc)); // memdesc_reshape_c6
    if let (Some(from), Some(to)) = (encoding_of(op, &src), encoding_of(op, &dst))
        && from.rank() == src.shape.len()
        && to.rank() == dst.shape.len()
    {
        // Pieces have no other spelling than their own: what is declared is all there is to compare.
        let expected = if reshaped_pieces(&from, &src.shape, &to, &dst.shape) {
            Ok((*to).clone())
        } else {
            infer::reshape(&from, &src.shape, &dst.shape)
        };
        diagnostics.extend(inferred(&dst, &to, expected));
    }
    verdict(diagnostics)
}

/// Whether an encoding in partitions is another one, reshaped.
fn reshaped_pieces(from: &Encoding, src: &[u64], to: &Encoding, dst: &[u64]) -> bool {
    let is_partitioned = |e: &Encoding| matches!(e, Encoding::PartitionedShared(_));
    let reshaped = || {
        let layout = from.to_linear_layout(src).ok()?;
        layout.reshape_standard(dst).ok()
    };
    is_partitioned(from)
        && is_partitioned(to)
        && reshaped().is_some_and(|found| to.to_linear_layout(dst).is_ok_and(|l| l == found))
}

pub(super) fn async_copy(op: OperationRef<'_, '_>) -> Verdict {
    match buffer_of(op, 1).as_ref().and_then(writable) {
        Some(diagnostic) => Err(one(diagnostic)), // async_copy_global_to_local_c1
        None => Ok(()),
    }
}
