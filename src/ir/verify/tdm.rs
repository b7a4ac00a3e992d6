//! Rules of AMD's tensor data mover.

use super::barrier::barrier;
use super::common::{
    Verdict, broken, buffer, dimensions, encoding_name, encoding_of, ensure, layout, tensor,
};
use crate::ir::ops::amdg;
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits, element_name};
use crate::sys::build::Val;
use crate::sys::{BufferType, Diagnostic};
use linear_layout::encoding::{BlockedEncoding, Encoding};
use linear_layout::layout::Dim;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;

const MAX_BLOCK: u64 = 65535;

/// Checks the sizes of the block that is loaded or stored, and that the buffer is not swizzled.
fn common(desc: &BufferType<'_>, buffer: &BufferType<'_>) -> Verdict {
    for (i, size) in desc.shape.iter().enumerate() {
        ensure!(
            tdm_c1,
            *size <= MAX_BLOCK,
            "requires block sizes of at most {MAX_BLOCK}, but dimension {i} has size {size}"
        );
    }
    if let Some(Encoding::SwizzledShared(e)) = encoding_of(buffer).as_deref() {
        ensure!(
            tdm_c2,
            e.max_phase() == 1,
            "requires a buffer without swizzle, but got `{}`",
            encoding_name(buffer)
        );
    }
    Ok(())
}

/// Checks that a descriptor's layout, if any, equals the buffer's layout.
fn consistent(desc: &BufferType<'_>, buffer: &BufferType<'_>) -> Verdict {
    if desc.encoding.is_none() {
        return Ok(());
    }
    let same = match (encoding_of(desc).as_deref(), encoding_of(buffer).as_deref()) {
        // Padded layouts also encode the tile: only the padding matters.
        (Some(Encoding::PaddedShared(a)), Some(Encoding::PaddedShared(b))) => {
            a.interval_paddings() == b.interval_paddings()
        }
        // Leading dimensions of size 1 are ignored.
        (Some(a), Some(b)) if desc.shape.len() > buffer.shape.len() => {
            let (ones, rest) = desc.shape.split_at(desc.shape.len() - buffer.shape.len());
            let layouts = (
                a.to_linear_layout(&desc.shape),
                b.to_linear_layout(&buffer.shape),
            );
            ones.iter().all(|size| *size == 1)
                && rest == buffer.shape
                && matches!(layouts, (Ok(a), Ok(b)) if a.columns() == b.columns())
        }
        _ => desc.encoding == buffer.encoding,
    };
    ensure!(
        tdm_c3,
        same,
        "requires the same layout for descriptor and buffer, but got `{}` and `{}`",
        encoding_name(desc),
        encoding_name(buffer)
    );
    Ok(())
}

fn loadable(buffer: &BufferType<'_>) -> Verdict {
    let Some(encoding) = encoding_of(buffer) else {
        return Ok(());
    };
    let inner = match &*encoding {
        Encoding::PartitionedShared(e) => e.partition_layout(),
        e => e,
    };
    match inner {
        Encoding::SwizzledShared(e) => ensure!(
            tdm_c2,
            e.max_phase() == 1,
            "requires a buffer without swizzle, but got `{encoding}`"
        ),
        Encoding::PaddedShared(e) => {
            let bits = element_bits(buffer.element).unwrap_or(0);
            let is_partitioned = matches!(&*encoding, Encoding::PartitionedShared(_));
            for (interval, padding) in e.interval_paddings() {
                ensure!(
                    tdm_c6,
                    is_partitioned || interval * bits / 32 >= 2,
                    "padding interval has {} bits ({interval} x `{}`); expected at least 64 bits",
                    interval * bits,
                    buffer.element
                );
                ensure!(
                    tdm_c7,
                    is_partitioned || padding * bits / 32 >= 1,
                    "padding has {} bits ({padding} x `{}`); expected at least 32 bits",
                    padding * bits,
                    buffer.element
                );
            }
        }
        _ => ensure!(
            tdm_c4,
            false,
            "requires a buffer whose encoding is `#ttg.swizzled_shared` or `#ttg.padded_shared`, but got `{encoding}`"
        ),
    }
    Ok(())
}

/// Checks the warp hint, which is a mask of the warps that copy. These warps must form an affine subset of the warp
/// indices, for example warps 0, 1, 4 and 5.
fn hint(op: OperationRef<'_, '_>, buffer: &BufferType<'_>, hint: i64) -> Verdict {
    let Ok(mask) = u32::try_from(hint & 0xffff_ffff) else {
        return Ok(());
    };
    let count = u64::from(mask.count_ones());
    if let Some(warps) = ModuleInfo::num_warps(op) {
        ensure!(
            tdm_hint_c1,
            warps < 32 && warps.is_power_of_two(),
            "number of warps is {warps}; with a warp hint, expected a power of two below 32"
        );
        ensure!(
            tdm_hint_c2,
            mask != 0,
            "warp hint is 0; expected a mask with at least one warp"
        );
        ensure!(
            tdm_hint_c3,
            u64::from(mask) >> warps == 0,
            "warp hint {mask:#x} selects a warp that does not exist; expected warps 0 to {}",
            warps - 1
        );
        ensure!(
            tdm_hint_c4,
            count.is_power_of_two(),
            "warp hint {mask:#x} selects {count} warps; expected a power of two"
        );
        let first = mask.trailing_zeros();
        let varying = (0..32)
            .filter(|warp| mask >> warp & 1 == 1)
            .fold(0u32, |bits, warp| bits | (warp ^ first));
        ensure!(
            tdm_hint_c5,
            varying.count_ones() == count.ilog2(),
            "warp hint {mask:#x} selects {count} warps with indices that differ in {} bits; expected {}, \
             log2 of the number of selected warps",
            varying.count_ones(),
            count.ilog2()
        );
    }
    if let Some(Encoding::PartitionedShared(e)) = encoding_of(buffer).as_deref() {
        let pieces = u64::from(e.num_partitions()) * u64::from(e.num_groups());
        ensure!(
            tdm_hint_c6,
            count % pieces == 0,
            "warp hint selects {count} warps; expected a multiple of {pieces}, the partitions times the \
             groups of the buffer"
        );
    }
    Ok(())
}

fn completion(op: OperationRef<'_, '_>, at: Option<Val<'_>>) -> Verdict {
    at.map_or(Ok(()), |at| barrier(op, at))
}

pub(super) fn load(op: amdg::AsyncTDMCopyGlobalToLocal<'_, '_>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer(op.desc()), buffer(op.result())) else {
        return Ok(());
    };
    common(&desc, &buffer)?;
    loadable(&buffer)?;
    completion(op.op(), op.barrier())?;
    if let Some(warps) = op.warp_used_hint() {
        hint(op.op(), &buffer, warps)?;
    }
    consistent(&desc, &buffer)
}

pub(super) fn fused(op: amdg::AsyncTDMFusedCopyGlobalToLocal<'_, '_>) -> Verdict {
    let (descs, dests) = (op.descs(), op.dests());
    let members = descs.len();
    ensure!(
        async_tdm_fused_copy_global_to_local_c1,
        (2..=4).contains(&members),
        "expected 2 to 4 copies, but got {members}"
    );
    let hints = op.warp_used_hints();
    ensure!(
        async_tdm_fused_copy_global_to_local_c2,
        hints.len() == members,
        "requires one warp hint for each of {members} copies, but got {}",
        hints.len()
    );
    let mut rank = None;
    let mut taken = 0;
    for (i, warps) in hints.iter().enumerate() {
        let (Some(desc), Some(buffer)) = (buffer(descs[i]), buffer(dests[i])) else {
            return Ok(());
        };
        common(&desc, &buffer)?;
        loadable(&buffer)?;
        consistent(&desc, &buffer)?;
        ensure!(
            async_tdm_fused_copy_global_to_local_c3,
            *rank.get_or_insert(desc.shape.len()) == desc.shape.len(),
            "copy {i} has blocks of shape {}; expected rank {}, as in copy 0",
            dimensions(&desc.shape),
            rank.unwrap_or(0)
        );
        hint(op.op(), &buffer, i64::from(*warps))?;
        ensure!(
            async_tdm_fused_copy_global_to_local_c4,
            taken & warps == 0,
            "warp hint {warps:#x} of copy {i} overlaps the hints of earlier copies ({taken:#x}); expected \
             disjoint hints"
        );
        taken |= warps;
    }
    Ok(())
}

/// Checks the encoding of a buffer from which a TDM copy stores to global memory. The encoding must be
/// `#ttg.swizzled_shared`, or `#ttg.padded_shared` with a single padding interval. If `last` is `Some`, this
/// interval must be `last` elements, the length of one row.
fn storable(buffer: &BufferType<'_>, last: Option<u64>) -> Verdict {
    match encoding_of(buffer).as_deref() {
        Some(Encoding::SwizzledShared(_)) => {}
        Some(Encoding::PaddedShared(e)) => {
            ensure!(
                tdm_c5,
                e.interval_paddings().len() == 1,
                "requires a single padding interval, but got `{}`",
                encoding_name(buffer)
            );
            let interval = u64::from(e.interval_paddings()[0].0);
            ensure!(
                tdm_store_c1,
                last.is_none_or(|last| last == interval),
                "padding interval is {interval} elements; expected {}, the length of one row",
                last.unwrap_or(0)
            );
        }
        _ => ensure!(
            tdm_c4,
            false,
            "requires a buffer whose encoding is `#ttg.swizzled_shared` or `#ttg.padded_shared`, but got `{}`",
            encoding_name(buffer)
        ),
    }
    Ok(())
}

/// Returns the number of elements in each CTA's part of one row of a block. Returns `None` if the buffer has no
/// valid encoding.
fn row(block: &BufferType<'_>, buffer: &BufferType<'_>) -> Option<u64> {
    let shape = encoding_of(buffer)?.shape_per_cta(&block.shape).ok()?;
    shape.last().copied()
}

pub(super) fn store(op: amdg::AsyncTDMCopyLocalToGlobal<'_, '_>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer(op.desc()), buffer(op.src())) else {
        return Ok(());
    };
    common(&desc, &buffer)?;
    storable(&buffer, row(&desc, &buffer))?;
    completion(op.op(), op.barrier())?;
    consistent(&desc, &buffer)
}

/// Checks an operation that copies rows selected by indices. Returns the types of the block, the buffer and the
/// indices. Returns `None` if `desc` or `memory` is not a buffer or descriptor, or if `indices` is not a tensor.
fn rows<'c>(
    op: OperationRef<'_, 'c>,
    [desc, indices, memory]: [Val<'c>; 3],
    barrier: Option<Val<'c>>,
) -> Result<Option<(BufferType<'c>, BufferType<'c>, TensorType<'c>)>, Vec<Diagnostic>> {
    let (Some(desc), Some(indices), Some(buffer)) = (buffer(desc), tensor(indices), buffer(memory))
    else {
        return Ok(None);
    };
    ensure!(
        tdm_rows_c1,
        desc.shape.len() == 2,
        "descriptor has blocks of shape {}; expected rank 2",
        dimensions(&desc.shape)
    );
    common(&desc, &buffer)?;
    ensure!(
        tdm_rows_c2,
        indices.shape.len() == 1,
        "requires row indices of rank 1, but got `{}`",
        indices.type_
    );
    ensure!(
        tdm_rows_c3,
        indices.shape[0].is_power_of_two(),
        "number of row indices is {}; expected a power of two",
        indices.shape[0]
    );
    completion(op, barrier)?;
    Ok(Some((desc, buffer, indices)))
}

pub(super) fn scatter(op: amdg::AsyncTDMScatter<'_, '_>) -> Verdict {
    let parts = [op.desc(), op.dst_row_indices(), op.src()];
    let Some((desc, buffer, _)) = rows(op.op(), parts, op.barrier())? else {
        return Ok(());
    };
    storable(&buffer, row(&desc, &buffer))?;
    consistent(&desc, &buffer)
}

pub(super) fn gather(op: amdg::AsyncTDMGather<'_, '_>) -> Verdict {
    let parts = [op.desc(), op.src_row_indices(), op.dst()];
    let Some((desc, buffer, indices)) = rows(op.op(), parts, op.barrier())? else {
        return Ok(());
    };
    storable(&buffer, None)?;
    let Some(encoding) = encoding_of(&buffer) else {
        return Ok(());
    };
    if let Encoding::PaddedShared(e) = &*encoding {
        let interval = u64::from(e.interval_paddings()[0].0);
        let row = row(&buffer, &buffer).unwrap_or(1);
        ensure!(
            async_tdm_gather_c1,
            row.is_multiple_of(interval),
            "padding interval is {interval} elements; expected a divisor of {row}, the length of one row"
        );
    }
    let order = encoding
        .order(&buffer.shape)
        .map(|o| o.to_vec())
        .unwrap_or_default();
    ensure!(
        async_tdm_gather_c2,
        order.first().map(|d| *d as usize + 1) == Some(order.len()),
        "buffer has `order = {order:?}`; expected contiguous rows (the last dimension first in `order`)"
    );
    if let Some(layout) = layout(&indices) {
        ensure!(
            async_tdm_gather_c3,
            layout.full.columns_of(Dim::LANE).iter().all(|c| *c == 0),
            "indices of type `{}` differ between the lanes of a warp; expected the same indices in all lanes",
            indices.type_
        );
        let along_rows = |e: &Encoding| -> Vec<u32> {
            e.cga_layout()
                .map(|cga| cga.bases().map(|b| b[0]).collect())
                .unwrap_or_default()
        };
        ensure!(
            async_tdm_gather_c4,
            along_rows(&layout.encoding) == along_rows(&encoding),
            "indices of type `{}` are not split over CTAs like the rows of the buffer; expected the same split",
            indices.type_
        );
    }
    consistent(&desc, &buffer)
}

pub(super) fn update(op: amdg::UpdateTensorDescriptor<'_, '_>) -> Verdict {
    let Some(desc) = buffer(op.desc()) else {
        return Ok(());
    };
    let rank = desc.shape.len();
    let (offsets, bounds) = (op.add_offsets().len(), op.set_bounds().len());
    for (name, count) in [("add_offsets", offsets), ("set_bounds", bounds)] {
        ensure!(
            update_tensor_descriptor_c1,
            count == 0 || count == rank,
            "`{name}` has {count} values for {rank} dimensions; expected one value per dimension, or no values"
        );
    }
    ensure!(
        update_tensor_descriptor_c2,
        offsets + bounds > 0 || op.pred().is_some(),
        "requires at least one of `add_offsets`, `set_bounds` and `pred`"
    );
    if op.clamp_bounds() {
        ensure!(
            update_tensor_descriptor_c3,
            offsets > 0,
            "`clamp_bounds` requires `add_offsets`"
        );
        ensure!(
            update_tensor_descriptor_c4,
            bounds == 0,
            "must not have both `clamp_bounds` and `set_bounds`"
        );
    }
    Ok(())
}

const PREFETCH_BYTES: u64 = 256;

pub(super) fn prefetch(op: amdg::TDMPrefetch<'_, '_>) -> Verdict {
    ensure!(
        tdm_prefetch_c1,
        op.return_offsets() == op.offsets().is_some(),
        "has {}; expected both or neither",
        if op.return_offsets() {
            "`returnOffsets`, but no result"
        } else {
            "a result, but not `returnOffsets`"
        }
    );
    let (Some(desc), Some(tensor)) = (buffer(op.desc()), op.offsets().and_then(tensor)) else {
        return Ok(());
    };
    let bits = u64::from(element_bits(desc.element).unwrap_or(8).max(1));
    let mut shape = desc.shape.clone();
    if let Some(last) = shape.last_mut() {
        *last = last.div_ceil(PREFETCH_BYTES * 8 / bits);
    }
    let module = ModuleInfo::around(op.op()).map_err(|diagnostic| vec![diagnostic])?;
    let expected = BlockedEncoding::default_for_shape(
        &shape,
        module.num_warps.try_into().unwrap_or(1),
        module.threads_per_warp.try_into().unwrap_or(1),
        module.num_ctas.try_into().unwrap_or(1),
    )
    .map(Encoding::from);
    let found = tensor
        .encoding
        .and_then(|e| Layouts::of(op.op().context()).encoding(e).ok());
    let expected = expected.ok();
    ensure!(
        tdm_prefetch_c2,
        tensor.shape == shape
            && *element_name(tensor.element) == *"i64"
            && found.as_deref() == expected.as_ref(),
        "result type is `{}`; expected element type `i64` (one per prefetch), shape {} and encoding `{}`",
        tensor.type_,
        dimensions(&shape),
        expected.map_or_else(String::new, |e| e.to_string())
    );
    Ok(())
}
