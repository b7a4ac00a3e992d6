//! Rules of copies by the tensor memory accelerator, and of other writes from afar.

use super::barrier::{self, one_each};
use super::buffer::{buffer_of, encoding_name, encoding_of, same_contents, writable};
use super::cache;
use super::convert::{gathered, verdict};
use super::{Verdict, dimensions, flag, integer, operand, operand_type, segment};
use crate::encoding::{CgaLayout, Encoding, NvmmaSharedEncoding};
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits, element_name, is_element_of_block};
use crate::layout::Dim;
use crate::sys::{Buffer, Diagnostic};
use melior::ir::OperationRef;
use melior::ir::attribute::BoolAttribute;
use melior::ir::operation::OperationLike;

/// The descriptor and the buffer are laid out alike, as the accelerator copies.
fn layouts(op: OperationRef<'_, '_>, desc: &Buffer<'_>, buffer: &Buffer<'_>) -> Verdict {
    let nvmma = |b: &Buffer<'_>| -> Option<NvmmaSharedEncoding> {
        match encoding_of(op, b).as_deref() {
            Some(Encoding::NvmmaShared(e)) => Some(e.clone()),
            _ => None,
        }
    };
    let Some(memory) = nvmma(buffer) else {
        return Err(vec![Diagnostic::new(format!(
            "copies to or from a buffer whose encoding is `#ttg.nvmma_shared`, but has `{}`",
            encoding_name(buffer)
        ))]); // tma_c1
    };
    ensure!(
        memory.rank() == buffer.shape.len(),
        "copies to or from one buffer, of rank {}, but has {} of `{}`",
        memory.rank(),
        dimensions(&buffer.shape),
        encoding_name(buffer)
    ); // tma_c12
    let key = |e: &NvmmaSharedEncoding| {
        (
            e.is_transposed(),
            e.swizzle_bytes(),
            e.element_width_bits(),
            e.is_fp4_padded(),
        )
    };
    ensure!(
        nvmma(desc).is_some_and(|e| key(&e) == key(&memory)),
        "needs a descriptor with the buffer's layout, but they have `{}` and `{}`",
        encoding_name(desc),
        encoding_name(buffer)
    ); // tma_c2
    ensure!(
        !memory.is_transposed(),
        "copies rows, but the buffer is transposed: `{}`",
        encoding_name(buffer)
    ); // tma_c3
    Ok(())
}

fn not_padded(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Verdict {
    let padded = matches!(
        encoding_of(op, buffer).as_deref(),
        Some(Encoding::NvmmaShared(e)) if e.is_fp4_padded()
    );
    ensure!(
        !padded,
        "cannot copy 4-bit elements with gaps, but the buffer is `{}`",
        encoding_name(buffer)
    ); // tma_c4
    Ok(())
}

/// A block as it is in memory and in a buffer.
fn contents(desc: &Buffer<'_>, buffer: &Buffer<'_>) -> Verdict {
    ensure!(
        is_element_of_block(buffer.element, desc.element),
        "needs a block and a buffer of the same element type, but has `{}` and `{}`",
        desc.element,
        buffer.element
    ); // tma_c5
    let count = |shape: &[u64]| shape.iter().product::<u64>();
    ensure!(
        count(&desc.shape) == count(&buffer.shape),
        "needs a block and a buffer of as many elements, but has {} and {}",
        dimensions(&desc.shape),
        dimensions(&buffer.shape)
    ); // tma_c6
    Ok(())
}

fn coordinates(found: usize, desc: &Buffer<'_>) -> Verdict {
    ensure!(
        found == desc.shape.len(),
        "needs a coordinate for each of {} dimensions of a block, but has {found}",
        desc.shape.len()
    ); // tma_c7
    ensure!(
        (1..=5).contains(&found),
        "copies blocks of rank 1 to 5, but has {found} coordinates"
    ); // tma_c8
    Ok(())
}

/// The barrier that learns of a copy has an element for each CTA, or for each pair of them.
fn copy_barrier(op: OperationRef<'_, '_>, i: usize) -> Verdict {
    let Some(buffer) = buffer_of(op, i) else {
        return Ok(());
    };
    barrier::is_barrier(op, &buffer)?;
    let Some(pairs) = ModuleInfo::attribute(op, "ttng.two-ctas")
        .and_then(|a| BoolAttribute::try_from(a).ok())
        .map(|a| a.value())
    else {
        return Ok(());
    };
    let count = ModuleInfo::num_ctas(op);
    let found = encoding_of(op, &buffer).and_then(|e| e.cga_layout().ok());
    let in_pairs = || {
        let mut bases = vec![[0]];
        bases.extend((1..count.max(1).ilog2()).map(|bit| [1u32 << (bit - 1)]));
        CgaLayout::from_bases(1, &bases).ok()
    };
    ensure!(
        found == one_each(count) || (pairs && found == in_pairs()),
        "needs a barrier with an element for each {}, but has `{}`",
        if pairs { "CTA or pair of CTAs" } else { "CTA" },
        encoding_name(&buffer)
    ); // tma_c9
    Ok(())
}

/// A multicast copy is one to a buffer that CTAs have copies of.
fn multicast(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Verdict {
    let encoding = encoding_of(op, buffer);
    let by_ctas = encoding
        .as_ref()
        .and_then(|e| e.cga_layout().ok())
        .is_some_and(|cga| cga.bases().any(|b| b.iter().all(|v| *v == 0)));
    // CTAs have copies also where there is less than one element for each.
    let copies = by_ctas
        || encoding.is_some_and(|e| {
            let leading = buffer.alloc_shape.len() - e.rank();
            e.to_linear_layout(&buffer.alloc_shape[leading..])
                .is_ok_and(|layout| layout.columns_of(Dim::BLOCK).contains(&0))
        });
    ensure!(
        copies || !op.has_attribute("multicast"),
        "has `multicast`, so it needs a buffer that several CTAs have the same part of, but has `{}`",
        encoding_name(buffer)
    ); // tma_c10
    Ok(())
}

pub(super) fn load(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer_of(op, 0), buffer_of(op, segment(op, 4).start)) else {
        return Ok(());
    };
    let (coords, offsets) = (segment(op, 1).len(), segment(op, 2).len());
    let columns = desc.is_im2col;
    if columns {
        ensure!(
            (3..=5).contains(&coords),
            "reads images of rank 3 to 5, but has {coords} coordinates"
        ); // async_tma_copy_global_to_local_c1
    } else {
        coordinates(coords, &desc)?;
    }
    contents(&desc, &buffer)?;
    copy_barrier(op, segment(op, 3).start)?;
    if let Some(diagnostic) = writable(&buffer) {
        return Err(vec![diagnostic]); // tma_c11
    }
    layouts(op, &desc, &buffer)?;
    let expected = if columns { coords - 2 } else { 0 };
    ensure!(
        offsets == expected,
        "needs {expected} `offsets` for {coords} coordinates{}, but has {offsets}",
        if columns { " of an image" } else { "" }
    ); // async_tma_copy_global_to_local_c2
    ensure!(
        !flag(op, "isVolatile"),
        "copies by TMA, which cannot be volatile; drop `isVolatile`"
    ); // async_tma_copy_global_to_local_c3
    cache::beside_first(op)?;
    multicast(op, &buffer)
}

pub(super) fn store(op: OperationRef<'_, '_>) -> Verdict {
    let last = op.operand_count().saturating_sub(1);
    let (Some(desc), Some(buffer)) = (buffer_of(op, 0), buffer_of(op, last)) else {
        return Ok(());
    };
    coordinates(last - 1, &desc)?;
    contents(&desc, &buffer)?;
    not_padded(op, &buffer)?;
    cache::beside_first(op)?;
    layouts(op, &desc, &buffer)
}

/// Operations of `tt.descriptor_reduce`, by their number in the enum.
const REDUCTIONS: [&str; 9] = ["", "add", "min", "max", "inc", "dec", "and", "or", "xor"];

pub(super) fn reduce(op: OperationRef<'_, '_>) -> Verdict {
    store(op)?;
    let Some(desc) = buffer_of(op, 0) else {
        return Ok(());
    };
    let kind = usize::try_from(integer(op, "kind"))
        .ok()
        .and_then(|i| REDUCTIONS.get(i).copied())
        .unwrap_or_default();
    let element = element_name(desc.element);
    let allowed = match kind {
        "add" => ["i32", "i64", "ui32", "ui64", "si32", "f32", "f16", "bf16"].as_slice(),
        "min" | "max" => ["i32", "i64", "ui32", "ui64", "si32", "si64", "f16", "bf16"].as_slice(),
        "and" | "or" | "xor" => ["i32", "i64", "ui32", "ui64", "si32", "si64"].as_slice(),
        _ => [].as_slice(),
    };
    ensure!(
        allowed.contains(&&*element),
        "cannot do `{kind}` on `{element}` in global memory{}",
        if allowed.is_empty() {
            String::new()
        } else {
            format!(", only on `{}`", allowed.join("`, `"))
        }
    ); // async_tma_reduce_c1
    Ok(())
}

/// Rows of one block each, between global memory and a buffer.
fn rows(
    op: OperationRef<'_, '_>,
    desc: &Buffer<'_>,
    indices: &TensorType<'_>,
    buffer: &Buffer<'_>,
    buffer_type: melior::ir::Type<'_>,
) -> Verdict {
    cache::beside_first(op)?;
    ensure!(
        desc.shape.len() == 2,
        "needs a descriptor of blocks of rank 2, but its blocks are {}",
        dimensions(&desc.shape)
    ); // tma_rows_c1
    ensure!(
        desc.shape[0] == 1,
        "needs a descriptor of blocks of one row, but its blocks are {}",
        dimensions(&desc.shape)
    ); // tma_rows_c2
    gathered(indices, buffer_type, &buffer.shape, buffer.element)?;
    ensure!(
        buffer.shape[1] == desc.shape[1],
        "needs a buffer with the {} columns of a block, but has {}",
        desc.shape[1],
        dimensions(&buffer.shape)
    ); // tma_rows_c3
    ensure!(
        is_element_of_block(buffer.element, desc.element),
        "needs a buffer of the block's `{}`, but has `{}`",
        desc.element,
        buffer.element
    ); // tma_rows_c4
    let Ok(layout) = Layouts::of(op.context()).tensor(indices) else {
        return Ok(());
    };
    let contiguous = layout
        .encoding
        .contig_per_thread(indices.shape)
        .map_or(0, |c| c[0]);
    ensure!(
        contiguous >= 4,
        "needs at least 4 consecutive indices in each thread, but has {contiguous}"
    ); // tma_rows_c5
    ensure!(
        layout.full.columns_of(Dim::LANE).iter().all(|c| *c == 0),
        "needs the same indices in all threads of a warp, but has `{}`",
        indices.type_
    ); // tma_rows_c6
    let along_rows = |cga: CgaLayout| -> Vec<u32> { cga.bases().map(|b| b[0]).collect() };
    let of_buffer = encoding_of(op, buffer).and_then(|e| e.cga_layout().ok());
    let of_indices = layout.encoding.cga_layout().ok();
    if let (Some(a), Some(b)) = (of_buffer, of_indices) {
        ensure!(
            along_rows(a) == along_rows(b),
            "needs indices that are split over CTAs as the rows are, but has `{}`",
            indices.type_
        ); // tma_rows_c7
    }
    Ok(())
}

pub(super) fn gather(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(desc), Some(indices), Some(buffer), Some(type_)) = (
        buffer_of(op, 0),
        operand(op, 1),
        buffer_of(op, 4),
        operand_type(op, 4),
    ) else {
        return Ok(());
    };
    copy_barrier(op, 3)?;
    if let Some(diagnostic) = writable(&buffer) {
        return Err(vec![diagnostic]); // tma_c11
    }
    layouts(op, &desc, &buffer)?;
    not_padded(op, &buffer)?;
    multicast(op, &buffer)?;
    rows(op, &desc, &indices, &buffer, type_)
}

pub(super) fn scatter(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(desc), Some(indices), Some(buffer), Some(type_)) = (
        buffer_of(op, 0),
        operand(op, 1),
        buffer_of(op, 3),
        operand_type(op, 3),
    ) else {
        return Ok(());
    };
    not_padded(op, &buffer)?;
    layouts(op, &desc, &buffer)?;
    rows(op, &desc, &indices, &buffer, type_)
}

pub(super) fn tensormap_create(op: OperationRef<'_, '_>) -> Verdict {
    let [rank, sizes, strides, steps] = [2, 3, 4, 5].map(|group| segment(op, group).len());
    let mut broken = Vec::new();
    rule!(
        broken,
        sizes == rank,
        "needs a size in `global_dim` for each of {rank} dimensions, but has {sizes}"
    ); // tensormap_create_c1
    rule!(
        broken,
        strides + 1 == rank,
        "needs a stride in `global_stride` for each of {rank} dimensions but the last, but has {strides}"
    ); // tensormap_create_c2
    rule!(
        broken,
        steps == rank,
        "needs a step in `element_stride` for each of {rank} dimensions, but has {steps}"
    ); // tensormap_create_c3
    verdict(broken)
}

/// A write to the shared memory of another CTA.
pub(super) fn shared_store(op: OperationRef<'_, '_>) -> Verdict {
    barrier::in_cluster(op)?;
    let (Some(tensor), Some(buffer)) = (operand(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    if let Some(diagnostic) = writable(&buffer) {
        return Err(vec![diagnostic]); // async_shared_store_c1
    }
    verdict(same_contents(&tensor, &buffer))?;
    if let Some(barrier) = buffer_of(op, 2) {
        barrier::is_barrier(op, &barrier)?;
    }
    let registers = Layouts::of(op.context()).tensor(&tensor).ok();
    let (Some(registers), Some(encoding)) = (registers, encoding_of(op, &buffer)) else {
        return Ok(());
    };
    let (memory, most) = match &*encoding {
        Encoding::PaddedShared(e) => (
            Some(e.linear_component().clone()),
            e.interval_paddings()
                .iter()
                .map(|(interval, _)| u64::from(*interval))
                .min(),
        ),
        e => {
            let leading = buffer.alloc_shape.len() - e.rank();
            (
                e.to_linear_layout(&buffer.alloc_shape[leading..]).ok(),
                None,
            )
        }
    };
    let bits = element_bits(buffer.element).unwrap_or(0);
    let at_once = memory
        .and_then(|memory| registers.full.invert_and_compose(&memory).ok())
        .and_then(|moved| moved.largest_vectorisation(bits, most).ok())
        .map_or(1, |(elements, _)| elements);
    ensure!(
        at_once * u64::from(bits) >= 32,
        "writes at least 32 bits at once, but the layouts have only {} bits together in registers and in memory",
        at_once * u64::from(bits)
    ); // async_shared_store_c2
    Ok(())
}
