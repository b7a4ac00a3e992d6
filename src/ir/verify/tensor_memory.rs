//! Rules of operations on tensor memory.

use super::buffer::{same_contents, writable};
use super::common::on_blackwell;
use super::common::{
    Verdict, axes, axis_within, broken, buffer, dimensions, encoding_of, ensure, layout,
    memory_name, rule, tensor, verdict,
};
use super::memdesc::{SHARED, TENSOR, is_in};
use crate::ir::ops::ttng;
use crate::ir::{ModuleInfo, TensorType, element_bits, element_name};
use crate::sys::{BufferType, Diagnostic};
use linear_layout::encoding::Encoding;
use linear_layout::encoding::tensor_memory_access::check_access;
use linear_layout::layout::{Dim, LinearLayout};
use melior::ir::OperationRef;
use std::sync::Arc;

/// Returns the layout of a buffer's allocation, without the multi-buffer dimension.
fn layout_of(encoding: &Encoding, buffer: &BufferType<'_>) -> Option<LinearLayout> {
    let leading = buffer.alloc_shape.len().checked_sub(encoding.rank())?;
    encoding
        .to_linear_layout(&buffer.alloc_shape[leading..])
        .ok()
}

/// Checks that a buffer is in tensor memory, and returns its encoding. Encodings of scales are valid only if
/// `scales` is true.
fn in_tensor_memory(
    buffer: &BufferType<'_>,
    scales: bool,
) -> Result<Arc<Encoding>, Vec<Diagnostic>> {
    let encoding = encoding_of(buffer).filter(|encoding| match &**encoding {
        Encoding::TensorMemory(_) => true,
        Encoding::TensorMemoryScales(_) => scales,
        _ => false,
    });
    encoding.ok_or_else(|| {
        vec![broken!(
            tmem_alloc_c1 | tmem_load_c1 | tmem_store_c1,
            "buffer has encoding `{}`; expected `#ttng.tensor_memory_encoding`{}",
            buffer.encoding.map_or_else(String::new, |e| e.to_string()),
            if scales {
                " or `#ttng.tensor_memory_scales_encoding`"
            } else {
                ""
            }
        )]
    })
}

/// Checks that `tcgen05.ld` and `tcgen05.st` support the register layout.
fn fits(op: OperationRef<'_, '_>, tensor: &TensorType<'_>, buffer: &BufferType<'_>) -> Verdict {
    ensure!(
        tmem_alloc_c2 | tmem_load_c2 | tmem_store_c2,
        tensor.shape.len() == 2,
        "requires a tensor of rank 2, but `{}` has rank {}",
        tensor.type_,
        tensor.shape.len()
    );
    if tensor.encoding.is_none() {
        return Ok(());
    }
    let registers = layout(tensor);
    let encoding = encoding_of(buffer);
    let memory = encoding.as_deref().and_then(|e| layout_of(e, buffer));
    let (Some(registers), Some(memory)) = (registers, memory) else {
        return Ok(());
    };
    let bits = element_bits(buffer.element).unwrap_or(0);
    check_access(&registers.full, &memory, bits, ModuleInfo::max_registers(op)).map_err(|reason| {
        vec![
            broken!(tmem_alloc_c3 | tmem_load_c3 | tmem_store_c3, "cannot move `{}` to or from tensor memory: {reason}",
                tensor.type_)
            .note(
                "a supported layout has one row per thread: `threadsPerWarp = [32, 1]`, `warpsPerCTA = [4, 1]`",
            ),
        ]
    })
}

pub(super) fn alloc(op: ttng::TMEMAlloc<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    let Some(buffer) = buffer(op.result()) else {
        return Ok(());
    };
    in_tensor_memory(&buffer, true)?;
    let contents = op.src().and_then(tensor);
    if let Some(contents) = &contents {
        fits(op.op(), contents, &buffer)?;
    }
    ensure!(
        tmem_alloc_c4,
        buffer.shape == buffer.alloc_shape,
        "result type is a view of shape {} in an allocation of shape {}; expected a whole buffer",
        dimensions(&buffer.shape),
        dimensions(&buffer.alloc_shape)
    );
    match contents {
        Some(contents) => verdict(same_contents(&contents, &buffer)),
        None if !buffer.is_mutable => Err(vec![
            broken!(
                tmem_alloc_c5,
                "requires an initial value for an immutable buffer"
            )
            .note("make the buffer `mutable` in its type, or add an initial value"),
        ]),
        None => Ok(()),
    }
}

/// Returns true if the store supports the layout of `value`, a candidate for its operand.
pub(crate) fn can_store(op: ttng::TMEMStore<'_, '_>, value: &TensorType<'_>) -> bool {
    buffer(op.dst()).is_some_and(|buffer| fits(op.op(), value, &buffer).is_ok())
}

pub(super) fn store(op: ttng::TMEMStore<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    let Some(buffer) = buffer(op.dst()) else {
        return Ok(());
    };
    in_tensor_memory(&buffer, true)?;
    let mut diagnostics: Vec<Diagnostic> = writable(&buffer).into_iter().collect();
    if let Some(value) = tensor(op.src()) {
        fits(op.op(), &value, &buffer)?;
        diagnostics.extend(same_contents(&value, &buffer));
    }
    verdict(diagnostics)
}

pub(super) fn load(op: ttng::TMEMLoad<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    let (Some(buffer), Some(tensor)) = (buffer(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    let encoding = in_tensor_memory(&buffer, false)?;
    fits(op.op(), &tensor, &buffer)?;
    let reduces = op.red_op().is_some();
    let mut broken = Vec::new();
    rule!(
        broken,
        tmem_load_c5,
        reduces == op.red().is_some(),
        "has {}; expected both or neither",
        if reduces {
            "`redOp`, but no result for the reduction"
        } else {
            "a result for the reduction, but not `redOp`"
        }
    );
    let is_f32 = *element_name(buffer.element) == *"f32";
    for (name, is_set) in [("abs", op.abs()), ("NaN", op.na_n())] {
        let is_set = is_set == Some(true);
        rule!(
            broken,
            tmem_load_c6,
            reduces || !is_set,
            "`{name}` requires `redOp`"
        );
        rule!(
            broken,
            tmem_load_c7,
            is_f32 || !is_set,
            "`{name}` requires elements of `f32`, but got `{}`",
            buffer.element
        );
    }
    verdict(broken)?;
    if reduces {
        reducible(&tensor, &buffer, &encoding)?;
    }
    verdict(same_contents(&tensor, &buffer))
}

/// Checks that each thread holds exactly one whole row, which it can reduce on its own, and that each column of
/// tensor memory holds one element of 32 bits.
fn reducible(tensor: &TensorType<'_>, buffer: &BufferType<'_>, encoding: &Encoding) -> Verdict {
    let Some(layout) = layout(tensor) else {
        return Ok(());
    };
    let along = |input: Dim, out: usize| {
        (0..layout.full.in_bits(input))
            .any(|bit| layout.full.basis_component(input, bit, Dim::out(out)) != 0)
    };
    ensure!(
        tmem_load_c8,
        !along(Dim::LANE, 1) && !along(Dim::WARP, 1),
        "reduction requires each row in one thread, but `{}` splits rows over several threads",
        tensor.type_
    );
    ensure!(
        tmem_load_c9,
        !along(Dim::REGISTER, 0),
        "reduction requires one row per thread, but `{}` has several",
        tensor.type_
    );
    let packed = match encoding {
        Encoding::TensorMemory(e) => {
            e.col_stride() * element_bits(buffer.element).unwrap_or(32) <= 32 && e.col_stride() == 1
        }
        _ => true,
    };
    ensure!(
        tmem_load_c10,
        packed,
        "reduction requires `colStride = 1`, but the buffer has encoding `{encoding}`"
    );
    Ok(())
}

/// Returns true if each CTA owns the same part of both buffers.
///
/// Returns false for a slice along a dimension that is split over CTAs, since some CTAs then have no elements.
fn split_alike(src: (&Encoding, &BufferType<'_>), dst: (&Encoding, &BufferType<'_>)) -> bool {
    let is_cut = |(encoding, buffer): (&Encoding, &BufferType<'_>)| {
        let leading = buffer.shape.len() - encoding.rank();
        let alloc = &buffer.alloc_shape[buffer.alloc_shape.len() - encoding.rank()..];
        let split = encoding.cga_layout().map(|cga| cga.split_num());
        split.is_ok_and(|split| {
            (0..split.len()).any(|d| split[d] > 1 && buffer.shape[leading + d] != alloc[d])
        })
    };
    let whole =
        |(_, buffer): (&Encoding, &BufferType<'_>)| buffer.alloc_shape.ends_with(&buffer.shape);
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

pub(super) fn copy(op: ttng::TMEMCopy<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.dst())) else {
        return Ok(());
    };
    ensure!(
        tmem_copy_c1,
        is_in(&src, SHARED),
        "requires an operand in `{SHARED}`, but the operand is in `{}`",
        memory_name(&src)
    );
    ensure!(
        tmem_copy_c2,
        src.shape == dst.shape,
        "requires two buffers of the same shape, but got {} and {}",
        dimensions(&src.shape),
        dimensions(&dst.shape)
    );
    if let Some(diagnostic) = writable(&dst) {
        return Err(vec![diagnostic]);
    }
    let (Some(from), Some(to)) = (encoding_of(&src), encoding_of(&dst)) else {
        return Ok(());
    };
    let alignment = from.alignment_bytes().unwrap_or(0);
    ensure!(
        tmem_copy_c4,
        alignment >= 16,
        "operand layout is aligned to {alignment} bytes; expected at least 16"
    );
    ensure!(
        tmem_copy_c5,
        split_alike((&from, &src), (&to, &dst)),
        "operand and destination are split over CTAs differently: `{from}` and `{to}`; expected the same split"
    );
    let nvmma = match &*from {
        Encoding::NvmmaShared(e) => Some(e),
        _ => None,
    };
    ensure!(
        tmem_copy_c6,
        nvmma.is_none_or(|e| !e.is_transposed() && !e.is_fp4_padded()),
        "operand has encoding `{from}`; expected neither `transposed` nor `fp4Padded`"
    );
    if let Encoding::TensorMemoryScales(_) = &*to {
        ensure!(
            tmem_copy_c7,
            nvmma.is_none_or(|e| e.swizzle_bytes() == 0),
            "operand has encoding `{from}`; expected `swizzlingByteWidth = 0` for a copy of scales"
        );
        return Ok(());
    }
    let Encoding::TensorMemory(tensor) = &*to else {
        return Err(vec![broken!(
            tmem_copy_c8,
            "destination has encoding `{to}`; expected `#ttng.tensor_memory_encoding` or \
             `#ttng.tensor_memory_scales_encoding`"
        )]);
    };
    ensure!(
        tmem_copy_c9,
        tensor.block_m() == 128,
        "requires a destination with `blockM = 128`, but got {}",
        tensor.block_m()
    );
    ensure!(
        tmem_copy_c10,
        nvmma.is_none_or(|e| e.swizzle_bytes() != 0),
        "operand has encoding `{from}`; expected a nonzero `swizzlingByteWidth`"
    );
    ensure!(
        tmem_copy_c11,
        element_bits(src.element) == Some(32),
        "requires elements of 32 bits, but `{}` has {}",
        src.element,
        element_bits(src.element).unwrap_or(0)
    );
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
        tmem_copy_c12,
        whole >= 2,
        "requires at least 4 contiguous elements in each row of the destination, but got {}",
        1u64 << whole
    );
    Ok(())
}

pub(super) fn subslice(op: ttng::TMEMSubSlice<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.result())) else {
        return Ok(());
    };
    for (what, buffer) in [("operand", &src), ("result", &dst)] {
        ensure!(
            tmem_subslice_c1,
            is_in(buffer, TENSOR),
            "{what} is in `{}`; expected `{TENSOR}`",
            memory_name(buffer)
        );
    }
    ensure!(
        tmem_subslice_c2,
        src.element == dst.element,
        "result has element type `{}`, but the operand has `{}`; expected the same element type",
        dst.element,
        src.element
    );
    ensure!(
        tmem_subslice_c3,
        src.encoding == dst.encoding,
        "result has encoding `{}`, but the operand has `{}`; expected the same encoding",
        dst.encoding.map_or_else(String::new, |e| e.to_string()),
        src.encoding.map_or_else(String::new, |e| e.to_string())
    );
    ensure!(
        tmem_subslice_c4,
        src.alloc_shape == dst.alloc_shape,
        "result type has allocation shape {}; expected {}, the allocation shape of the operand",
        dimensions(&dst.alloc_shape),
        dimensions(&src.alloc_shape)
    );
    let rank = src.shape.len();
    ensure!(
        tmem_subslice_c5,
        rank == dst.shape.len() && (rank == 2 || rank == 3),
        "operand has rank {rank}, and result has rank {}; expected the same rank, 2 or 3",
        dst.shape.len()
    );
    let dim = op.dim();
    let Some(dim) = axis_within(dim, rank) else {
        return Err(vec![broken!(
            tmem_subslice_c6,
            "dimension {dim} is out of bounds for the operand of rank {}",
            axes(rank)
        )]);
    };
    ensure!(
        tmem_subslice_c7,
        (0..rank).all(|i| i == dim || src.shape[i] == dst.shape[i]),
        "may only change the size of dimension {dim}, but shape {} becomes {}",
        dimensions(&src.shape),
        dimensions(&dst.shape)
    );
    let offset = op.offset();
    let fits = u64::try_from(offset)
        .is_ok_and(|offset| offset.saturating_add(dst.shape[dim]) <= src.shape[dim]);
    ensure!(
        tmem_subslice_c8,
        fits,
        "slice of size {} at offset {offset} is out of bounds in dimension {dim} of size {}",
        dst.shape[dim],
        src.shape[dim]
    );
    if rank == 3 && dim == 0 {
        return Ok(());
    }
    let offset = offset.unsigned_abs();
    match encoding_of(&src) {
        Some(encoding) => cut(&encoding, &src, dim, offset, dst.shape[dim]),
        None => Ok(()),
    }
}

/// Checks that the slice `offset..offset + size` of dimension `dim` is contiguous in every CTA, and that it starts
/// at a 32-bit column of tensor memory.
fn cut(encoding: &Encoding, src: &BufferType<'_>, dim: usize, offset: u64, size: u64) -> Verdict {
    let Some(layout) = layout_of(encoding, src) else {
        return Ok(());
    };
    let leading = src.shape.len() - encoding.rank();
    let dim = dim - leading;
    let component =
        |input: Dim, bit: usize, out: usize| layout.basis_component(input, bit, Dim::out(out));
    let across = (0..layout.in_bits(Dim::BLOCK)).any(|bit| component(Dim::BLOCK, bit, dim) >= size);
    ensure!(
        tmem_subslice_c10,
        !across,
        "slice of size {size} in dimension {} of size {} leaves some CTAs without elements",
        dim + leading,
        src.shape[dim + leading]
    );
    if !offset.is_multiple_of(size) {
        // From the lowest bit of the offset to the highest bit that a carry reaches.
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
            tmem_subslice_c9,
            consecutive(Dim::ROW) || consecutive(Dim::COL),
            "requires an offset that is a multiple of {size} in dimension {}, but got {offset}",
            dim + leading
        );
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
        tmem_subslice_c11,
        bits % 32 == 0,
        "requires an offset at the start of a 32-bit column, but offset {offset} is {} bits into a column",
        bits % 32
    );
    Ok(())
}
