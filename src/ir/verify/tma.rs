//! Rules of TMA copies, and of stores to the shared memory of other CTAs.

use super::barrier::{self, one_each};
use super::buffer::{same_contents, writable};
use super::cache;
use super::common::{
    Verdict, broken, buffer, dimensions, encoding_name, encoding_of, ensure, layout, rule, tensor,
    verdict,
};
use super::convert::gathered;
use crate::ir::discardable::TWO_CTAS;
use crate::ir::ops::{DescriptorReduceKind, ttng};
use crate::ir::{ModuleInfo, TensorType, element_bits, element_name, is_element_of_block};
use crate::sys::BufferType;
use crate::sys::build::Val;
use linear_layout::encoding::{CgaLayout, Encoding, NvmmaSharedEncoding};
use linear_layout::layout::Dim;
use melior::ir::attribute::BoolAttribute;
use melior::ir::{Attribute, OperationRef, ValueLike};

/// Checks that a descriptor and a buffer have the same layout.
fn alike(desc: &BufferType<'_>, buffer: &BufferType<'_>) -> Verdict {
    let nvmma = |b: &BufferType<'_>| -> Option<NvmmaSharedEncoding> {
        match encoding_of(b).as_deref() {
            Some(Encoding::NvmmaShared(e)) => Some(e.clone()),
            _ => None,
        }
    };
    let Some(memory) = nvmma(buffer) else {
        return Err(vec![broken!(
            tma_c1,
            "requires a buffer whose encoding is `#ttg.nvmma_shared`, but got `{}`",
            encoding_name(buffer)
        )]);
    };
    ensure!(
        tma_c12,
        memory.rank() == buffer.shape.len(),
        "buffer has shape {}, but encoding `{}` has rank {}; expected a single buffer, not a multi-buffer",
        dimensions(&buffer.shape),
        encoding_name(buffer),
        memory.rank()
    );
    let key = |e: &NvmmaSharedEncoding| {
        (
            e.is_transposed(),
            e.swizzle_bytes(),
            e.element_width_bits(),
            e.is_fp4_padded(),
        )
    };
    ensure!(
        tma_c2,
        nvmma(desc).is_some_and(|e| key(&e) == key(&memory)),
        "requires the same layout for descriptor and buffer, but got `{}` and `{}`",
        encoding_name(desc),
        encoding_name(buffer)
    );
    ensure!(
        tma_c3,
        !memory.is_transposed(),
        "requires a buffer that is not transposed, but got `{}`",
        encoding_name(buffer)
    );
    Ok(())
}

fn not_padded(buffer: &BufferType<'_>) -> Verdict {
    let padded = matches!(
        encoding_of(buffer).as_deref(),
        Some(Encoding::NvmmaShared(e)) if e.is_fp4_padded()
    );
    ensure!(
        tma_c4,
        !padded,
        "requires a buffer that is not `fp4Padded`, but got `{}`",
        encoding_name(buffer)
    );
    Ok(())
}

fn contents(desc: &BufferType<'_>, buffer: &BufferType<'_>) -> Verdict {
    ensure!(
        tma_c5,
        is_element_of_block(buffer.element, desc.element),
        "requires a block and a buffer of the same element type, but got `{}` and `{}`",
        desc.element,
        buffer.element
    );
    let count = |shape: &[u64]| shape.iter().product::<u64>();
    ensure!(
        tma_c6,
        count(&desc.shape) == count(&buffer.shape),
        "requires a block and a buffer with the same number of elements, but got {} and {}",
        dimensions(&desc.shape),
        dimensions(&buffer.shape)
    );
    Ok(())
}

fn coordinates(found: usize, desc: &BufferType<'_>) -> Verdict {
    ensure!(
        tma_c7,
        found == desc.shape.len(),
        "requires one coordinate for each of {} block dimensions, but got {found}",
        desc.shape.len()
    );
    ensure!(
        tma_c8,
        (1..=5).contains(&found),
        "requires 1 to 5 coordinates, but got {found}"
    );
    Ok(())
}

/// Checks that the completion barrier has one element per CTA or per pair of CTAs.
fn copy_barrier(op: OperationRef<'_, '_>, barrier: Val<'_>) -> Verdict {
    let Some(buffer) = buffer(barrier) else {
        return Ok(());
    };
    barrier::is_barrier(op, &buffer)?;
    let Some(pairs) = ModuleInfo::attribute(op, TWO_CTAS)
        .and_then(|a| BoolAttribute::try_from(a).ok())
        .map(|a| a.value())
    else {
        return Ok(());
    };
    let count = ModuleInfo::num_ctas(op);
    let found = encoding_of(&buffer).and_then(|e| e.cga_layout().ok());
    let in_pairs = || {
        let mut bases = vec![[0]];
        bases.extend((1..count.max(1).ilog2()).map(|bit| [1u32 << (bit - 1)]));
        CgaLayout::from_bases(1, &bases).ok()
    };
    ensure!(
        tma_c9,
        found == one_each(count) || (pairs && found == in_pairs()),
        "barrier has encoding `{}`; expected a `CGALayout` with one element per {}",
        encoding_name(&buffer),
        if pairs { "CTA or pair of CTAs" } else { "CTA" }
    );
    Ok(())
}

fn multicast(is_asked: bool, buffer: &BufferType<'_>) -> Verdict {
    let encoding = encoding_of(buffer);
    let by_ctas = encoding
        .as_ref()
        .and_then(|e| e.cga_layout().ok())
        .is_some_and(|cga| cga.bases().any(|b| b.iter().all(|v| *v == 0)));
    // CTAs also hold replicas if there is less than one element for each CTA.
    let copies = by_ctas
        || encoding.is_some_and(|e| {
            let leading = buffer.alloc_shape.len() - e.rank();
            e.to_linear_layout(&buffer.alloc_shape[leading..])
                .is_ok_and(|layout| layout.columns_of(Dim::BLOCK).contains(&0))
        });
    ensure!(
        tma_c10,
        copies || !is_asked,
        "`multicast` requires a buffer that is replicated over CTAs, but got `{}`",
        encoding_name(buffer)
    );
    Ok(())
}

pub(super) fn load(op: ttng::AsyncTMACopyGlobalToLocal<'_, '_>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer(op.desc()), buffer(op.result())) else {
        return Ok(());
    };
    let (coords, offsets) = (op.coord().len(), op.offsets().len());
    let columns = desc.is_im2col;
    if columns {
        ensure!(
            async_tma_copy_global_to_local_c1,
            (3..=5).contains(&coords),
            "im2col mode requires 3 to 5 coordinates, but got {coords}"
        );
    } else {
        coordinates(coords, &desc)?;
    }
    contents(&desc, &buffer)?;
    copy_barrier(op.op(), op.barrier())?;
    if let Some(diagnostic) = writable(&buffer) {
        return Err(vec![diagnostic]);
    }
    alike(&desc, &buffer)?;
    let expected = if columns { coords - 2 } else { 0 };
    ensure!(
        async_tma_copy_global_to_local_c2,
        offsets == expected,
        "`offsets` has {offsets} values; expected {expected} for {coords} coordinates in {} mode",
        if columns { "im2col" } else { "tiled" }
    );
    ensure!(
        async_tma_copy_global_to_local_c3,
        !op.is_volatile(),
        "must not be volatile; remove `isVolatile`"
    );
    cache::tma_policy(op.cache_policy())?;
    multicast(op.multicast(), &buffer)
}

pub(super) fn store(op: ttng::AsyncTMACopyLocalToGlobal<'_, '_>) -> Verdict {
    written(op.desc(), op.coord().len(), op.src(), op.cache_policy())
}

/// Checks a copy or reduction from a buffer to global memory.
fn written(desc: Val<'_>, coords: usize, src: Val<'_>, policy: Option<Attribute<'_>>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer(desc), buffer(src)) else {
        return Ok(());
    };
    coordinates(coords, &desc)?;
    contents(&desc, &buffer)?;
    not_padded(&buffer)?;
    cache::tma_policy(policy)?;
    alike(&desc, &buffer)
}

pub(super) fn reduce(op: ttng::AsyncTMAReduce<'_, '_>) -> Verdict {
    use DescriptorReduceKind as R;
    written(op.desc(), op.coord().len(), op.src(), None)?;
    let Some(desc) = buffer(op.desc()) else {
        return Ok(());
    };
    let kind = op.kind();
    let element = element_name(desc.element);
    let allowed = match kind {
        R::Add => ["i32", "i64", "ui32", "ui64", "si32", "f32", "f16", "bf16"].as_slice(),
        R::Min | R::Max => &["i32", "i64", "ui32", "ui64", "si32", "si64", "f16", "bf16"],
        R::And | R::Or | R::Xor => &["i32", "i64", "ui32", "ui64", "si32", "si64"],
        R::Inc | R::Dec => &[],
    };
    ensure!(
        async_tma_reduce_c1,
        allowed.contains(&&*element),
        "`{}` is not supported on `{element}` in global memory{}",
        kind.name(),
        if allowed.is_empty() {
            String::new()
        } else {
            format!(", only on `{}`", allowed.join("`, `"))
        }
    );
    Ok(())
}

fn rows(
    desc: &BufferType<'_>,
    indices: &TensorType<'_>,
    memory: Val<'_>,
    buffer: &BufferType<'_>,
) -> Verdict {
    ensure!(
        tma_rows_c1,
        desc.shape.len() == 2,
        "descriptor has blocks of shape {}; expected rank 2",
        dimensions(&desc.shape)
    );
    ensure!(
        tma_rows_c2,
        desc.shape[0] == 1,
        "descriptor has blocks of shape {}; expected one row",
        dimensions(&desc.shape)
    );
    gathered(indices, memory.r#type(), &buffer.shape, buffer.element)?;
    ensure!(
        tma_rows_c3,
        buffer.shape[1] == desc.shape[1],
        "buffer has shape {}; expected {} columns, as in the blocks of the descriptor",
        dimensions(&buffer.shape),
        desc.shape[1]
    );
    ensure!(
        tma_rows_c4,
        is_element_of_block(buffer.element, desc.element),
        "buffer has element type `{}`; expected `{}`, as in the blocks of the descriptor",
        buffer.element,
        desc.element
    );
    let Some(layout) = layout(indices) else {
        return Ok(());
    };
    let contiguous = layout
        .encoding
        .contig_per_thread(indices.shape)
        .map_or(0, |c| c[0]);
    ensure!(
        tma_rows_c5,
        contiguous >= 4,
        "requires at least 4 consecutive indices in each thread, but got {contiguous}"
    );
    ensure!(
        tma_rows_c6,
        layout.full.columns_of(Dim::LANE).iter().all(|c| *c == 0),
        "indices of type `{}` differ between the lanes of a warp; expected the same indices in all lanes",
        indices.type_
    );
    let along_rows = |cga: CgaLayout| -> Vec<u32> { cga.bases().map(|b| b[0]).collect() };
    let of_buffer = encoding_of(buffer).and_then(|e| e.cga_layout().ok());
    let of_indices = layout.encoding.cga_layout().ok();
    if let (Some(a), Some(b)) = (of_buffer, of_indices) {
        ensure!(
            tma_rows_c7,
            along_rows(a) == along_rows(b),
            "indices of type `{}` are not split over CTAs like the rows of the buffer; expected the same split",
            indices.type_
        );
    }
    Ok(())
}

pub(super) fn gather(op: ttng::AsyncTMAGather<'_, '_>) -> Verdict {
    let (Some(desc), Some(indices), Some(buffer)) = (
        buffer(op.desc()),
        tensor(op.x_offsets()),
        buffer(op.result()),
    ) else {
        return Ok(());
    };
    copy_barrier(op.op(), op.barrier())?;
    if let Some(diagnostic) = writable(&buffer) {
        return Err(vec![diagnostic]);
    }
    alike(&desc, &buffer)?;
    not_padded(&buffer)?;
    multicast(op.multicast(), &buffer)?;
    cache::tma_policy(op.cache_policy())?;
    rows(&desc, &indices, op.result(), &buffer)
}

pub(super) fn scatter(op: ttng::AsyncTMAScatter<'_, '_>) -> Verdict {
    let (Some(desc), Some(indices), Some(buffer)) =
        (buffer(op.desc()), tensor(op.x_offsets()), buffer(op.src()))
    else {
        return Ok(());
    };
    not_padded(&buffer)?;
    alike(&desc, &buffer)?;
    cache::tma_policy(op.cache_policy())?;
    rows(&desc, &indices, op.src(), &buffer)
}

pub(super) fn tensormap_create(op: ttng::TensormapCreate<'_, '_>) -> Verdict {
    let rank = op.box_dim().len();
    let sizes = op.global_dim().len();
    let (strides, steps) = (op.global_stride().len(), op.element_stride().len());
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        tensormap_create_c1,
        sizes == rank,
        "`global_dim` has {sizes} values; expected {rank}, one per dimension"
    );
    rule!(
        diagnostics,
        tensormap_create_c2,
        strides + 1 == rank,
        "`global_stride` has {strides} values for {rank} dimensions; expected one per dimension except the last"
    );
    rule!(
        diagnostics,
        tensormap_create_c3,
        steps == rank,
        "`element_stride` has {steps} values; expected {rank}, one per dimension"
    );
    verdict(diagnostics)
}

/// Checks a store to the shared memory of another CTA.
pub(super) fn shared_store(op: ttng::AsyncSharedStore<'_, '_>) -> Verdict {
    barrier::in_cluster(op.op())?;
    let (Some(tensor), Some(buffer)) = (tensor(op.src()), buffer(op.dst())) else {
        return Ok(());
    };
    if let Some(diagnostic) = writable(&buffer) {
        return Err(vec![diagnostic]);
    }
    verdict(same_contents(&tensor, &buffer))?;
    barrier::barrier(op.op(), op.mbarrier())?;
    let registers = layout(&tensor);
    let (Some(registers), Some(encoding)) = (registers, encoding_of(&buffer)) else {
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
        async_shared_store_c2,
        at_once * u64::from(bits) >= 32,
        "requires at least 32 bits that are contiguous both in registers and in memory, but got {} bits",
        at_once * u64::from(bits)
    );
    Ok(())
}
