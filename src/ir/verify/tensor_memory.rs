//! Rules of the operations on tensor memory.

use super::buffer::{
    SHARED, TENSOR, buffer_of, buffer_result, encoding_of, is_in, memory_name, same_contents,
    writable,
};
use super::convert::verdict;
use super::tensor_core::on_blackwell;
use super::{Verdict, axes, dimensions, flag, integer};
use crate::encoding::Encoding;
use crate::encoding::tensor_memory_access::check_access;
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits, element_name};
use crate::layout::{Dim, LinearLayout};
use crate::sys::{Buffer, Diagnostic};
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use std::sync::Arc;

/// The layout of a buffer's allocation, without the dimension of several buffers.
fn layout_of(encoding: &Encoding, buffer: &Buffer<'_>) -> Option<LinearLayout> {
    let leading = buffer.alloc_shape.len().checked_sub(encoding.rank())?;
    encoding
        .to_linear_layout(&buffer.alloc_shape[leading..])
        .ok()
}

/// The buffer is in tensor memory; without `scales`, it holds no scales.
fn in_tensor_memory(
    op: OperationRef<'_, '_>,
    buffer: &Buffer<'_>,
    scales: bool,
) -> Result<Arc<Encoding>, Vec<Diagnostic>> {
    let encoding = encoding_of(op, buffer).filter(|encoding| match &**encoding {
        Encoding::TensorMemory(_) => true,
        Encoding::TensorMemoryScales(_) => scales,
        _ => false,
    });
    encoding.ok_or_else(|| {
        vec![Diagnostic::new(format!(
            "needs a buffer whose encoding is `#ttng.tensor_memory_encoding`, but has `{}`",
            buffer.encoding.map_or_else(String::new, |e| e.to_string())
        ))] // tmem_alloc_c1, tmem_load_c1, tmem_store_c1
    })
}

/// The registers are where `tcgen05.ld` and `tcgen05.st` can reach them.
fn fits(op: OperationRef<'_, '_>, tensor: &TensorType<'_>, buffer: &Buffer<'_>) -> Verdict {
    ensure!(
        tensor.shape.len() == 2,
        "moves tensors of rank 2, but `{}` has rank {}",
        tensor.type_,
        tensor.shape.len()
    ); // tmem_alloc_c2, tmem_load_c2, tmem_store_c2
    if tensor.encoding.is_none() {
        return Ok(());
    }
    let registers = Layouts::of(op.context()).tensor(tensor).ok();
    let encoding = encoding_of(op, buffer);
    let memory = encoding.as_deref().and_then(|e| layout_of(e, buffer));
    let (Some(registers), Some(memory)) = (registers, memory) else {
        return Ok(());
    };
    let bits = element_bits(buffer.element).unwrap_or(0);
    check_access(&registers.full, &memory, bits, ModuleInfo::max_registers(op)).map_err(|reason| {
        vec![
            Diagnostic::new(format!(
                "cannot move `{}` to or from tensor memory: {reason}",
                tensor.type_
            ))
            .note(
                "a layout that fits gives each thread a row: `threadsPerWarp = [32, 1]`, `warpsPerCTA = [4, 1]`",
            ),
        ] // tmem_alloc_c3, tmem_load_c3, tmem_store_c3
    })
}

pub(super) fn alloc(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let Some(buffer) = buffer_result(op) else {
        return Ok(());
    };
    in_tensor_memory(op, &buffer, true)?;
    let contents = super::operand(op, 0);
    if let Some(contents) = &contents {
        fits(op, contents, &buffer)?;
    }
    ensure!(
        buffer.shape == buffer.alloc_shape,
        "makes a whole buffer, but its type is a view of {} in {}",
        dimensions(&buffer.shape),
        dimensions(&buffer.alloc_shape)
    ); // tmem_alloc_c4
    match contents {
        Some(contents) => verdict(same_contents(&contents, &buffer)),
        None if !buffer.is_mutable => Err(vec![
            Diagnostic::new("makes a buffer without contents that can never be written")
                .note("make the buffer `mutable` in its type, or give its contents"), // tmem_alloc_c5
        ]),
        None => Ok(()),
    }
}

/// Whether `tmem_store` could take a value of another layout than the one it has.
pub(crate) fn can_store(op: OperationRef<'_, '_>, value: &TensorType<'_>) -> bool {
    buffer_of(op, 0).is_some_and(|buffer| fits(op, value, &buffer).is_ok())
}

pub(super) fn store(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let Some(buffer) = buffer_of(op, 0) else {
        return Ok(());
    };
    in_tensor_memory(op, &buffer, true)?;
    let mut diagnostics: Vec<Diagnostic> = writable(&buffer).into_iter().collect(); // tmem_store_c4
    let value = (1..op.operand_count()).find_map(|i| super::operand(op, i));
    if let Some(value) = value {
        fits(op, &value, &buffer)?;
        diagnostics.extend(same_contents(&value, &buffer));
    }
    verdict(diagnostics)
}

pub(super) fn load(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let (Some(buffer), Some(tensor)) = (buffer_of(op, 0), super::result(op, 0)) else {
        return Ok(());
    };
    let encoding = in_tensor_memory(op, &buffer, false)?;
    fits(op, &tensor, &buffer)?;
    let reduces = op.has_attribute("redOp");
    let has_reduced = super::integers(op, "resultSegmentSizes").get(2) == Some(&1);
    let mut broken = Vec::new();
    rule!(
        broken,
        reduces == has_reduced,
        "needs both `redOp` and a result for what is reduced, or neither"
    ); // tmem_load_c5
    let is_f32 = *element_name(buffer.element) == *"f32";
    for name in ["abs", "NaN"] {
        rule!(
            broken,
            reduces || !flag(op, name),
            "has `{name}`, which says how to reduce, but no `redOp`"
        ); // tmem_load_c6
        rule!(
            broken,
            is_f32 || !flag(op, name),
            "has `{name}`, which needs elements of `f32`, but reads `{}`",
            buffer.element
        ); // tmem_load_c7
    }
    verdict(broken)?;
    if reduces {
        reducible(op, &tensor, &buffer, &encoding)?;
    }
    verdict(same_contents(&tensor, &buffer))
}

/// Each thread has whole rows of one block, so that it can reduce them.
fn reducible(
    op: OperationRef<'_, '_>,
    tensor: &TensorType<'_>,
    buffer: &Buffer<'_>,
    encoding: &Encoding,
) -> Verdict {
    let Ok(layout) = Layouts::of(op.context()).tensor(tensor) else {
        return Ok(());
    };
    let along = |input: Dim, out: usize| {
        (0..layout.full.in_bits(input))
            .any(|bit| layout.full.basis_component(input, bit, Dim::out(out)) != 0)
    };
    ensure!(
        !along(Dim::LANE, 1) && !along(Dim::WARP, 1),
        "reduces rows, but `{}` has each row in several threads",
        tensor.type_
    ); // tmem_load_c8
    ensure!(
        !along(Dim::REGISTER, 0),
        "reduces one row for each thread, but `{}` has several rows in a thread",
        tensor.type_
    ); // tmem_load_c9
    let packed = match encoding {
        Encoding::TensorMemory(e) => {
            e.col_stride() * element_bits(buffer.element).unwrap_or(32) <= 32 && e.col_stride() == 1
        }
        _ => true,
    };
    ensure!(
        packed,
        "reduces elements that fill their columns, but the buffer is `{encoding}`"
    ); // tmem_load_c10
    Ok(())
}

/// Each CTA has the same part of two buffers. A part of a buffer has CTAs without elements where it
/// is cut along a dimension that is split over them.
fn split_alike(src: (&Encoding, &Buffer<'_>), dst: (&Encoding, &Buffer<'_>)) -> bool {
    let is_cut = |(encoding, buffer): (&Encoding, &Buffer<'_>)| {
        let leading = buffer.shape.len() - encoding.rank();
        let alloc = &buffer.alloc_shape[buffer.alloc_shape.len() - encoding.rank()..];
        let split = encoding.cga_layout().map(|cga| cga.split_num());
        split.is_ok_and(|split| {
            (0..split.len()).any(|d| split[d] > 1 && buffer.shape[leading + d] != alloc[d])
        })
    };
    let whole = |(_, buffer): (&Encoding, &Buffer<'_>)| buffer.alloc_shape.ends_with(&buffer.shape);
    if whole(src) && whole(dst) {
        let (Some(shared), Some(tensor)) = (layout_of(src.0, src.1), layout_of(dst.0, dst.1))
        else {
            return true;
        };
        return tensor
            .invert_and_compose(&shared)
            .is_ok_and(|moved| moved.is_trivial_over(&[Dim::BLOCK]));
    }
    !is_cut(src) && !is_cut(dst) && src.0.cga_layout().ok() == dst.0.cga_layout().ok()
}

pub(super) fn copy(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    ensure!(
        is_in(&src, SHARED),
        "needs an operand in `{SHARED}`, but has one in `{}`",
        memory_name(&src)
    ); // tmem_copy_c1
    ensure!(
        src.shape == dst.shape,
        "needs two buffers of the same shape, but has {} and {}",
        dimensions(&src.shape),
        dimensions(&dst.shape)
    ); // tmem_copy_c2
    if let Some(diagnostic) = writable(&dst) {
        return Err(vec![diagnostic]); // tmem_copy_c3
    }
    let (Some(from), Some(to)) = (encoding_of(op, &src), encoding_of(op, &dst)) else {
        return Ok(());
    };
    let alignment = from.alignment_bytes().unwrap_or(0);
    ensure!(
        alignment >= 16,
        "needs an operand aligned to 16 bytes, but its layout is aligned to {alignment}"
    ); // tmem_copy_c4
    ensure!(
        split_alike((&from, &src), (&to, &dst)),
        "needs two buffers that are split over CTAs in one way, but has `{from}` and `{to}`"
    ); // tmem_copy_c5
    let nvmma = match &*from {
        Encoding::NvmmaShared(e) => Some(e),
        _ => None,
    };
    ensure!(
        nvmma.is_none_or(|e| !e.is_transposed() && !e.is_fp4_padded()),
        "copies rows as they are, but the operand's encoding is `{from}`"
    ); // tmem_copy_c6
    if let Encoding::TensorMemoryScales(_) = &*to {
        ensure!(
            nvmma.is_none_or(|e| e.swizzle_bytes() == 0),
            "copies scales from a buffer without swizzle, but the operand's encoding is `{from}`"
        ); // tmem_copy_c7
        return Ok(());
    }
    let Encoding::TensorMemory(tensor) = &*to else {
        return Err(vec![Diagnostic::new(format!(
            "needs a destination in `{TENSOR}`, but its encoding is `{to}`"
        ))]); // tmem_copy_c8
    };
    ensure!(
        tensor.block_m() == 128,
        "needs a destination with `blockM = 128`, but has {}",
        tensor.block_m()
    ); // tmem_copy_c9
    ensure!(
        nvmma.is_none_or(|e| e.swizzle_bytes() != 0),
        "copies from a buffer with swizzle, but the operand's encoding is `{from}`"
    ); // tmem_copy_c10
    ensure!(
        element_bits(src.element) == Some(32),
        "copies elements of 32 bits, but `{}` has {}",
        src.element,
        element_bits(src.element).unwrap_or(0)
    ); // tmem_copy_c11
    let part = &dst.shape[dst.shape.len().saturating_sub(to.rank())..];
    let whole = layout_of(&to, &dst).map_or(0, |layout| {
        (0..layout.in_bits(Dim::COL))
            .map(|bit| layout.basis(Dim::COL, bit))
            .take_while(|basis| {
                basis.iter().any(|at| at != 0)
                    && basis.iter().zip(part).all(|(at, size)| at < *size)
            })
            .count()
    });
    ensure!(
        whole >= 2,
        "needs at least 4 elements side by side in each row of the destination, but has {}",
        1u64 << whole
    ); // tmem_copy_c12
    Ok(())
}

pub(super) fn subslice(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let (Some(src), Some(dst)) = (buffer_of(op, 0), buffer_result(op)) else {
        return Ok(());
    };
    for (what, buffer) in [("an operand", &src), ("a result", &dst)] {
        ensure!(
            is_in(buffer, TENSOR),
            "needs {what} in `{TENSOR}`, but has one in `{}`",
            memory_name(buffer)
        ); // tmem_subslice_c1
    }
    ensure!(
        src.element == dst.element,
        "needs a result of the operand's element type, but has `{}` of `{}`",
        dst.element,
        src.element
    ); // tmem_subslice_c2
    ensure!(
        src.encoding == dst.encoding,
        "needs a result of the operand's encoding, but has `{}` of `{}`",
        dst.encoding.map_or_else(String::new, |e| e.to_string()),
        src.encoding.map_or_else(String::new, |e| e.to_string())
    ); // tmem_subslice_c3
    ensure!(
        src.alloc_shape == dst.alloc_shape,
        "needs a result in the operand's allocation of {}, but its type says {}",
        dimensions(&src.alloc_shape),
        dimensions(&dst.alloc_shape)
    ); // tmem_subslice_c4
    let rank = src.shape.len();
    ensure!(
        rank == dst.shape.len() && (rank == 2 || rank == 3),
        "cuts buffers of rank 2 or 3, but has ranks {rank} and {}",
        dst.shape.len()
    ); // tmem_subslice_c5
    let dim = if op.has_attribute("dim") {
        integer(op, "dim")
    } else {
        1
    };
    let Some(dim) = usize::try_from(dim).ok().filter(|dim| *dim < rank) else {
        return Err(vec![Diagnostic::new(format!(
            "cuts dimension {dim}, but the operand has rank {}",
            axes(rank)
        ))]); // tmem_subslice_c6
    };
    ensure!(
        (0..rank).all(|i| i == dim || src.shape[i] == dst.shape[i]),
        "cuts dimension {dim}, so the others stay, but {} becomes {}",
        dimensions(&src.shape),
        dimensions(&dst.shape)
    ); // tmem_subslice_c7
    let offset = integer(op, "offset");
    let fits = u64::try_from(offset)
        .is_ok_and(|offset| offset.saturating_add(dst.shape[dim]) <= src.shape[dim]);
    ensure!(
        fits,
        "takes {} from {offset} on in dimension {dim}, which has size {}",
        dst.shape[dim],
        src.shape[dim]
    ); // tmem_subslice_c8
    if rank == 3 && dim == 0 {
        return Ok(());
    }
    let offset = offset.unsigned_abs();
    match encoding_of(op, &src) {
        Some(encoding) => cut(&encoding, &src, dim, offset, dst.shape[dim]),
        None => Ok(()),
    }
}

/// `size` elements from `offset` on in one dimension lie in one piece.
fn cut(encoding: &Encoding, src: &Buffer<'_>, dim: usize, offset: u64, size: u64) -> Verdict {
    let Some(layout) = layout_of(encoding, src) else {
        return Ok(());
    };
    let dim = dim - (src.shape.len() - encoding.rank());
    let component =
        |input: Dim, bit: usize, out: usize| layout.basis_component(input, bit, Dim::out(out));
    let across = (0..layout.in_bits(Dim::BLOCK)).any(|bit| component(Dim::BLOCK, bit, dim) >= size);
    ensure!(
        !across,
        "takes {size} of {} in dimension {dim}, which would leave some CTAs without elements",
        src.shape[dim + src.shape.len() - encoding.rank()]
    ); // tmem_subslice_c10
    if !offset.is_multiple_of(size) {
        // Bits from the lowest of the offset to the highest that counting carries into.
        let first = offset.trailing_zeros() as usize;
        let last = (offset ^ (offset + size - 1)).ilog2() as usize;
        let consecutive = |input: Dim| {
            (0..layout.in_bits(input)).any(|start| {
                (first..=last).enumerate().all(|(i, bit)| {
                    start + i < layout.in_bits(input)
                        && component(input, start + i, dim) == 1 << bit
                        && component(input, start + i, 1 - dim) == 0
                })
            })
        };
        ensure!(
            consecutive(Dim::ROW) || consecutive(Dim::COL),
            "needs an offset that is a multiple of {size} in dimension {dim}, but has {offset}"
        ); // tmem_subslice_c9
    }
    let point = [0, 1].map(|out| (Dim::out(out), if out == dim { offset } else { 0 }));
    let column = layout
        .pseudoinvert()
        .and_then(|inverse| {
            let at = inverse.out_index(Dim::COL).unwrap_or(0);
            inverse.apply(&point).map(|place| place.at(at))
        })
        .unwrap_or(0);
    let bits = column * u64::from(element_bits(src.element).unwrap_or(0));
    ensure!(
        bits % 32 == 0,
        "needs an offset at the start of a column of 32 bits, but {offset} is {} bits into one",
        bits % 32
    ); // tmem_subslice_c11
    Ok(())
}
