//! Rules of buffers in shared and tensor memory: of their types, and of the operations on them.

use super::convert::verdict;
use super::{Verdict, dimensions, integer, one, operand, operand_type, order, result, result_type};
use crate::encoding::{Encoding, infer};
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::{self, Buffer, Complaint};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type};
use std::sync::Arc;

const SHARED: &str = "#ttg.shared_memory";
const TENSOR: &str = "#ttng.tensor_memory";

fn is_in(buffer: &Buffer<'_>, memory: &str) -> bool {
    buffer
        .memory_space
        .is_some_and(|space| space.to_string() == memory)
}

/// The rules of `!ttg.memdesc`, whose documentation labels them.
///
/// # Errors
/// The first rule that is broken.
pub(crate) fn type_rules(layouts: &Layouts, type_: Type<'_>) -> Result<(), String> {
    let Some(buffer) = sys::buffer(type_).filter(|b| b.memory_space.is_some()) else {
        return Ok(());
    };
    let (shape, alloc) = (&buffer.shape, &buffer.alloc_shape);
    if shape.is_empty() {
        return Err("a buffer has at least one dimension".to_owned());
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
            buffer
                .memory_space
                .map_or_else(String::new, |s| s.to_string())
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
    encoding
        .to_linear_layout(&alloc[alloc.len() - rank..])
        .map(drop)
        .map_err(|e| e.to_string()) // memdesc_c9
}

fn buffer_of<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<Buffer<'c>> {
    sys::buffer(operand_type(op, i)?)
}

fn buffer_result<'c>(op: OperationRef<'c, '_>) -> Option<Buffer<'c>> {
    sys::buffer(result_type(op, 0)?)
}

fn encoding_of(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Option<Arc<Encoding>> {
    Layouts::of(op.context()).encoding(buffer.encoding?).ok()
}

/// A tensor and a buffer hold the same elements.
fn same_contents(tensor: &TensorType<'_>, buffer: &Buffer<'_>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if tensor.element != buffer.element {
        complaints.push(Complaint::new(format!(
            "needs a tensor and a buffer of the same element type, but has `{}` and `{}`",
            tensor.element, buffer.element
        )));
    }
    if tensor.shape != buffer.shape {
        complaints.push(Complaint::new(format!(
            "needs a tensor and a buffer of the same shape, but has {} and {}",
            dimensions(&tensor.shape),
            dimensions(&buffer.shape)
        )));
    }
    complaints
}

fn in_memory(buffer: &Buffer<'_>, memory: &str) -> Option<Complaint> {
    (!is_in(buffer, memory)).then(|| {
        Complaint::new(format!(
            "needs a buffer in `{memory}`, but has one in `{}`",
            buffer
                .memory_space
                .map_or_else(String::new, |s| s.to_string())
        ))
    })
}

fn writable(buffer: &Buffer<'_>) -> Option<Complaint> {
    (!buffer.is_mutable).then(|| {
        Complaint::new("writes to a buffer that may not be written")
            .note("make the buffer `mutable` in its type")
    })
}

pub(super) fn local_alloc(op: OperationRef<'_, '_>) -> Verdict {
    let Some(buffer) = buffer_result(op) else {
        return Ok(());
    };
    let mut complaints = Vec::new();
    match operand(op, 0) {
        Some(contents) => complaints.extend(same_contents(&contents, &buffer)), // local_alloc_c1
        None if !buffer.is_mutable => complaints.push(
            Complaint::new("makes a buffer without contents that can never be written")
                .note("make the buffer `mutable` in its type, or give its contents"),
        ), // local_alloc_c3
        None => {}
    }
    complaints.extend(in_memory(&buffer, SHARED));
    if buffer.shape != buffer.alloc_shape {
        complaints.push(Complaint::new(format!(
            "makes a whole buffer, but its type is a view of {} in {}",
            dimensions(&buffer.shape),
            dimensions(&buffer.alloc_shape)
        )));
    }
    verdict(complaints)
}

pub(super) fn local_load(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(buffer), Some(tensor)) = (buffer_of(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let mut complaints = same_contents(&tensor, &buffer);
    complaints.extend(in_memory(&buffer, SHARED));
    verdict(complaints)
}

pub(super) fn local_store(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(tensor), Some(buffer)) = (operand(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = writable(&buffer).into_iter().collect(); // local_store_c1
    complaints.extend(same_contents(&tensor, &buffer));
    complaints.extend(in_memory(&buffer, SHARED));
    verdict(complaints)
}

/// What gathers and scatters share: where the indices point, and the tensor beside them.
fn indexed(
    op: OperationRef<'_, '_>,
    buffer: &Buffer<'_>,
    indices: &TensorType<'_>,
    values: &TensorType<'_>,
) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> = in_memory(buffer, SHARED).into_iter().collect();
    if indices.shape != values.shape {
        complaints.push(Complaint::new(format!(
            "needs indices and values of the same shape, but has {} and {}",
            dimensions(&indices.shape),
            dimensions(&values.shape)
        )));
    }
    if buffer.shape.len() != indices.shape.len() {
        complaints.push(Complaint::new(format!(
            "needs a buffer and indices of the same rank, but has {} and {}",
            buffer.shape.len(),
            indices.shape.len()
        )));
    }
    let axis = integer(op, "axis");
    if !usize::try_from(axis).is_ok_and(|axis| axis < buffer.shape.len()) {
        complaints.push(Complaint::new(format!(
            "has axis {axis}, but the buffer has rank {}",
            buffer.shape.len()
        )));
    }
    if values.element != buffer.element {
        complaints.push(Complaint::new(format!(
            "needs values and a buffer of the same element type, but has `{}` and `{}`",
            values.element, buffer.element
        )));
    }
    if values.encoding != indices.encoding {
        complaints.push(Complaint::new(format!(
            "needs indices and values of the same layout, but has `{}` and `{}`",
            indices.type_, values.type_
        )));
    }
    complaints
}

pub(super) fn local_gather(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(buffer), Some(indices), Some(values)) =
        (buffer_of(op, 0), operand(op, 1), result(op, 0))
    else {
        return Ok(());
    };
    verdict(indexed(op, &buffer, &indices, &values))
}

pub(super) fn local_scatter(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(buffer), Some(values), Some(indices)) =
        (buffer_of(op, 0), operand(op, 1), operand(op, 2))
    else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = writable(&buffer).into_iter().collect();
    complaints.extend(indexed(op, &buffer, &indices, &values));
    verdict(complaints)
}

pub(super) fn local_atomic_scatter_rmw(op: OperationRef<'_, '_>) -> Verdict {
    local_scatter(op)
}

pub(super) fn memdesc_index(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let mut complaints = same_buffer(&src, &dst);
    if dst.shape != src.shape[1..] {
        complaints.push(Complaint::new(format!(
            "makes the shape {}, but the result has {}",
            dimensions(&src.shape[1..]),
            dimensions(&dst.shape)
        ))); // memdesc_index_c5
        return Err(complaints);
    }
    if src.alloc_shape.len() < src.shape.len()
        || src.alloc_shape[src.alloc_shape.len() - src.shape.len() + 1..] != src.shape[1..]
    {
        complaints.push(Complaint::new(format!(
            "takes one of several whole buffers, but the operand is {} in an allocation of {}",
            dimensions(&src.shape),
            dimensions(&src.alloc_shape)
        )));
    }
    if dst.alloc_shape != dst.shape && dst.alloc_shape != src.alloc_shape {
        complaints.push(Complaint::new(format!(
            "makes a whole buffer, but its type is a view of {} in {}",
            dimensions(&dst.shape),
            dimensions(&dst.alloc_shape)
        )));
    }
    verdict(complaints)
}

/// Element type, encoding, memory and mutability stay as they are.
fn same_buffer(src: &Buffer<'_>, dst: &Buffer<'_>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if src.element != dst.element {
        complaints.push(Complaint::new(format!(
            "needs a result of the operand's element type, but has `{}` of `{}`",
            dst.element, src.element
        )));
    }
    if src.encoding != dst.encoding {
        let text = |b: &Buffer<'_>| b.encoding.map_or_else(String::new, |e| e.to_string());
        complaints.push(Complaint::new(format!(
            "needs a result of the operand's encoding, but has `{}` of `{}`",
            text(dst),
            text(src)
        )));
    }
    complaints
}

pub(super) fn memdesc_subslice(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let mut complaints = same_buffer(&src, &dst);
    let offsets: Vec<u64> = super::integers(op, "offsets")
        .iter()
        .map(|o| u64::try_from(*o).unwrap_or(u64::MAX))
        .collect();
    if offsets.len() != src.shape.len() || dst.shape.len() != src.shape.len() {
        complaints.push(Complaint::new(format!(
            "needs one offset and one result dimension for each of {}, but has {} and {}",
            dimensions(&src.shape),
            offsets.len(),
            dst.shape.len()
        )));
        return Err(complaints);
    }
    if src.alloc_shape != dst.alloc_shape {
        complaints.push(Complaint::new(format!(
            "needs a result in the operand's allocation of {}, but its type says {}",
            dimensions(&src.alloc_shape),
            dimensions(&dst.alloc_shape)
        )));
    }
    complaints.extend(in_memory(&src, SHARED));
    for (i, offset) in offsets.iter().enumerate() {
        let (from, to) = (src.shape[i], dst.shape[i]);
        if from == to && *offset != 0 {
            complaints.push(Complaint::new(format!(
                "has offset {offset} in dimension {i}, which is not cut"
            ))); // memdesc_subslice_c7
        } else if offset.saturating_add(to) > from {
            complaints.push(Complaint::new(format!(
                "takes {to} from {offset} on in dimension {i}, which has size {from}"
            ))); // memdesc_subslice_c8
        } else if offset % to != 0 {
            complaints.push(Complaint::new(format!(
                "needs an offset that is a multiple of {to} in dimension {i}, but has {offset}"
            )));
        }
    }
    verdict(complaints)
}

/// The result's layout is the inferred one.
fn inferred(
    dst: &Buffer<'_>,
    declared: &Encoding,
    expected: Result<Encoding, crate::encoding::EncodingError>,
) -> Vec<Complaint> {
    let expected = match expected {
        Ok(expected) => expected,
        Err(e) => return one(Complaint::new(e.to_string())),
    };
    let shape = &dst.alloc_shape[dst.alloc_shape.len().saturating_sub(expected.rank())..];
    if infer::equivalent(&expected, declared, shape) {
        return Vec::new();
    }
    one(Complaint::new(format!(
        "has a result of encoding `{declared}`, whose layout is not the one that follows from the operand"
    ))
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
        return Err(one(Complaint::new(format!(
            "needs a permutation of 0 to {} as `order`, but has {order:?}",
            src.shape.len().saturating_sub(1)
        ))));
    }
    let expected: Vec<u64> = order.iter().map(|o| src.shape[*o]).collect();
    if dst.shape != expected {
        return Err(one(Complaint::new(format!(
            "makes the shape {}, but the result has {}",
            dimensions(&expected),
            dimensions(&dst.shape)
        ))));
    }
    let mut complaints = same_place(&src, &dst);
    if let (Some(from), Some(to)) = (encoding_of(op, &src), encoding_of(op, &dst)) {
        let rank = from.rank();
        if rank == order.len() && src.alloc_shape.len() >= rank {
            let shape = &src.alloc_shape[src.alloc_shape.len() - rank..];
            complaints.extend(inferred(&dst, &to, infer::trans(&from, shape, &order))); // memdesc_trans_c3
        }
    }
    verdict(complaints)
}

/// Memory and mutability stay as they are.
fn same_place(src: &Buffer<'_>, dst: &Buffer<'_>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if src.memory_space != dst.memory_space {
        complaints.push(Complaint::new("needs a result in the operand's memory"));
    }
    if src.is_mutable != dst.is_mutable {
        complaints.push(Complaint::new(
            "needs a result that may be written exactly if the operand may be",
        ));
    }
    complaints
}

pub(super) fn memdesc_reshape(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let count = |shape: &[u64]| shape.iter().product::<u64>();
    if count(&src.shape) != count(&dst.shape) {
        return Err(one(Complaint::new(format!(
            "needs as many elements in the result as in the operand, but has {} and {}",
            count(&dst.shape),
            count(&src.shape)
        ))));
    }
    let mut complaints = same_place(&src, &dst);
    let leading = src.alloc_shape.len().saturating_sub(src.shape.len());
    if src.alloc_shape[leading..] != src.shape {
        complaints.push(Complaint::new(format!(
            "needs a whole buffer, but the operand is {} of {}",
            dimensions(&src.shape),
            dimensions(&src.alloc_shape)
        )));
        return Err(complaints);
    }
    if let (Some(from), Some(to)) = (encoding_of(op, &src), encoding_of(op, &dst)) {
        if from.rank() == src.shape.len() && to.rank() == dst.shape.len() {
            let expected = infer::reshape(&from, &src.shape, &dst.shape);
            complaints.extend(inferred(&dst, &to, expected));
        }
    }
    verdict(complaints)
}

pub(super) fn memdesc_reinterpret(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    let mut complaints = same_place(&src, &dst);
    if let (Some(from), Some(to)) = (encoding_of(op, &src), encoding_of(op, &dst)) {
        match (&*from, &*to) {
            (Encoding::PartitionedShared(_), _) | (_, Encoding::PartitionedShared(_)) => complaints
                .push(Complaint::new(
                    "cannot read a buffer in partitions as another type",
                )),
            (Encoding::PaddedShared(a), Encoding::PaddedShared(b))
                if a.interval_paddings() == b.interval_paddings() => {}
            (Encoding::PaddedShared(_), _) | (_, Encoding::PaddedShared(_)) => {
                complaints.push(Complaint::new(format!(
                    "needs the same padding in operand and result, but has `{from}` and `{to}`"
                )));
            }
            _ => {}
        }
    }
    if dst.shape != dst.alloc_shape {
        complaints.push(Complaint::new(format!(
            "makes a whole buffer, but its type is a view of {} in {}",
            dimensions(&dst.shape),
            dimensions(&dst.alloc_shape)
        )));
    }
    let bits = |b: &Buffer<'_>, shape: &[u64]| {
        shape.iter().product::<u64>() * u64::from(element_bits(b.element).unwrap_or(0))
    };
    let (has, needs) = (bits(&src, &src.alloc_shape), bits(&dst, &dst.shape));
    if is_in(&src, SHARED) && needs > has {
        complaints.push(Complaint::new(format!(
            "needs {} bytes for the result, but the operand has {}",
            needs / 8,
            has / 8
        )));
    }
    verdict(complaints)
}

pub(super) fn async_copy(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(pointers), Some(buffer)) = (operand(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = writable(&buffer).into_iter().collect();
    if let Some((pointee, _)) = sys::pointer(pointers.element) {
        if pointee != buffer.element {
            complaints.push(Complaint::new(format!(
                "copies elements of `{pointee}`, but the buffer has `{}`",
                buffer.element
            )));
        }
    }
    if pointers.shape != buffer.shape {
        complaints.push(Complaint::new(format!(
            "needs pointers and a buffer of the same shape, but has {} and {}",
            dimensions(&pointers.shape),
            dimensions(&buffer.shape)
        )));
    }
    verdict(complaints)
}

pub(super) fn barrier(op: OperationRef<'_, '_>) -> Verdict {
    let Some(buffer) = buffer_of(op, 0) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = in_memory(&buffer, SHARED).into_iter().collect();
    complaints.extend(writable(&buffer));
    if element_bits(buffer.element) != Some(64) || buffer.shape.len() != 1 {
        complaints.push(Complaint::new(format!(
            "needs a barrier of `i64` elements and rank 1, but has {} of `{}`",
            dimensions(&buffer.shape),
            buffer.element
        )));
    }
    if op.name().as_string_ref().as_str() == Ok("ttng.arrive_barrier") && integer(op, "count") < 1 {
        complaints.push(Complaint::new(format!(
            "arrives at least once, but `count` is {}",
            integer(op, "count")
        )));
    }
    verdict(complaints)
}

pub(super) fn tmem_alloc(op: OperationRef<'_, '_>) -> Verdict {
    let Some(buffer) = buffer_result(op) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = in_memory(&buffer, TENSOR).into_iter().collect();
    match operand(op, 0) {
        Some(contents) => complaints.extend(same_contents(&contents, &buffer)),
        None if !buffer.is_mutable => complaints.push(
            Complaint::new("makes a buffer without contents that can never be written")
                .note("make the buffer `mutable` in its type, or give its contents"),
        ),
        None => {}
    }
    verdict(complaints)
}

pub(super) fn tmem_load(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(buffer), Some(tensor)) = (buffer_of(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = in_memory(&buffer, TENSOR).into_iter().collect();
    complaints.extend(same_contents(&tensor, &buffer));
    verdict(complaints)
}

pub(super) fn tmem_store(op: OperationRef<'_, '_>) -> Verdict {
    let Some(buffer) = buffer_of(op, 0) else {
        return Ok(());
    };
    let mut complaints: Vec<Complaint> = in_memory(&buffer, TENSOR).into_iter().collect();
    complaints.extend(writable(&buffer));
    let value = (1..op.operand_count()).find_map(|i| operand(op, i));
    complaints.extend(value.into_iter().flat_map(|v| same_contents(&v, &buffer)));
    verdict(complaints)
}
