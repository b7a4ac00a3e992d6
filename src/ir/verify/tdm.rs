//! Rules of AMD's tensor data mover.

use super::barrier;
use super::buffer::{buffer_of, encoding_name, encoding_of};
use super::{Verdict, dimensions, integer, integers, operand, result, segment};
use crate::encoding::{BlockedEncoding, Encoding};
use crate::ir::{Layouts, ModuleInfo, TensorType, element_bits, element_name};
use crate::layout::Dim;
use crate::sys::{Buffer, Diagnostic};
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;

/// The largest size of a block in one dimension.
const MAX_BLOCK: u64 = 65535;

/// What every copy asks of its block and its buffer.
fn common(op: OperationRef<'_, '_>, desc: &Buffer<'_>, buffer: &Buffer<'_>) -> Verdict {
    for (i, size) in desc.shape.iter().enumerate() {
        ensure!(
            *size <= MAX_BLOCK,
            "copies blocks of at most {MAX_BLOCK} in each dimension, but dimension {i} has {size}"
        ); // tdm_c1
    }
    if let Some(Encoding::SwizzledShared(e)) = encoding_of(op, buffer).as_deref() {
        ensure!(
            e.max_phase() == 1,
            "copies without swizzle, but the buffer is `{}`",
            encoding_name(buffer)
        ); // tdm_c2
    }
    Ok(())
}

/// A descriptor that says how its blocks are laid out says what the buffer does.
fn consistent(op: OperationRef<'_, '_>, desc: &Buffer<'_>, buffer: &Buffer<'_>) -> Verdict {
    if desc.encoding.is_none() {
        return Ok(());
    }
    let same = match (
        encoding_of(op, desc).as_deref(),
        encoding_of(op, buffer).as_deref(),
    ) {
        // Padded layouts name the tile too; only the padding counts.
        (Some(Encoding::PaddedShared(a)), Some(Encoding::PaddedShared(b))) => {
            a.interval_paddings() == b.interval_paddings()
        }
        // Blocks with leading dimensions of size 1 are those of fewer dimensions.
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
        same,
        "needs a descriptor with the buffer's layout, but they have `{}` and `{}`",
        encoding_name(desc),
        encoding_name(buffer)
    ); // tdm_c3
    Ok(())
}

/// How loads may lay out their buffer.
fn loadable(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Verdict {
    let Some(encoding) = encoding_of(op, buffer) else {
        return Ok(());
    };
    let inner = match &*encoding {
        Encoding::PartitionedShared(e) => e.partition_layout(),
        e => e,
    };
    match inner {
        Encoding::SwizzledShared(e) => ensure!(
            e.max_phase() == 1,
            "copies without swizzle, but the buffer is `{encoding}`"
        ), // tdm_c2
        Encoding::PaddedShared(e) => {
            let bits = element_bits(buffer.element).unwrap_or(0);
            let is_partitioned = matches!(&*encoding, Encoding::PartitionedShared(_));
            for (interval, padding) in e.interval_paddings() {
                ensure!(
                    is_partitioned || interval * bits / 32 >= 2,
                    "needs padding after at least 64 bits, but it comes after {interval} of `{}`",
                    buffer.element
                ); // tdm_c6
                ensure!(
                    is_partitioned || padding * bits / 32 >= 1,
                    "needs padding of at least 32 bits, but it is {padding} of `{}`",
                    buffer.element
                ); // tdm_c7
            }
        }
        _ => ensure!(
            false,
            "needs a buffer whose encoding is `#ttg.swizzled_shared` or `#ttg.padded_shared`, but has `{encoding}`"
        ), // tdm_c4
    }
    Ok(())
}

/// The warps that take part are one box of the warps, by their numbers' bits.
fn hint(op: OperationRef<'_, '_>, buffer: &Buffer<'_>, hint: i64) -> Verdict {
    let Ok(mask) = u32::try_from(hint & 0xffff_ffff) else {
        return Ok(());
    };
    let count = u64::from(mask.count_ones());
    if let Some(warps) = ModuleInfo::num_warps(op) {
        ensure!(
            warps < 32 && warps.is_power_of_two(),
            "chooses among fewer than 32 warps, a power of two, but the module has {warps}"
        ); // tdm_hint_c1
        ensure!(mask != 0, "needs a hint that chooses at least one warp"); // tdm_hint_c2
        ensure!(
            u64::from(mask) >> warps == 0,
            "chooses among {warps} warps, but the hint is {mask:#x}"
        ); // tdm_hint_c3
        ensure!(
            count.is_power_of_two(),
            "chooses a power of two of warps, but the hint {mask:#x} has {count}"
        ); // tdm_hint_c4
        let first = mask.trailing_zeros();
        let varying = (0..32)
            .filter(|warp| mask >> warp & 1 == 1)
            .fold(0u32, |bits, warp| bits | (warp ^ first));
        ensure!(
            varying.count_ones() == count.ilog2(),
            "chooses warps that differ in {} bits of their number, but the {count} of the hint {mask:#x} differ in {}",
            count.ilog2(),
            varying.count_ones()
        ); // tdm_hint_c5
    }
    if let Some(Encoding::PartitionedShared(e)) = encoding_of(op, buffer).as_deref() {
        let pieces = u64::from(e.num_partitions()) * u64::from(e.num_groups());
        ensure!(
            count % pieces == 0,
            "needs a multiple of {pieces} warps, one for each piece of the buffer, but the hint has {count}"
        ); // tdm_hint_c6
    }
    Ok(())
}

pub(super) fn load(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer_of(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    common(op, &desc, &buffer)?;
    loadable(op, &buffer)?;
    barrier::last(op, 2)?; // barrier_c1, barrier_c3
    if op.has_attribute("warp_used_hint") {
        hint(op, &buffer, integer(op, "warp_used_hint"))?;
    }
    consistent(op, &desc, &buffer)
}

pub(super) fn fused(op: OperationRef<'_, '_>) -> Verdict {
    let members = op.operand_count() / 2;
    ensure!(
        (2..=4).contains(&members),
        "does 2 to 4 copies at once, but has {members}"
    ); // async_tdm_fused_copy_global_to_local_c1
    let hints = integers(op, "warp_used_hints");
    ensure!(
        hints.len() == members,
        "needs a hint for each of {members} copies, but has {}",
        hints.len()
    ); // async_tdm_fused_copy_global_to_local_c2
    let mut rank = None;
    let mut taken = 0;
    for (i, warps) in hints.iter().enumerate() {
        let (Some(desc), Some(buffer)) = (buffer_of(op, i), buffer_of(op, members + i)) else {
            return Ok(());
        };
        common(op, &desc, &buffer)?;
        loadable(op, &buffer)?;
        consistent(op, &desc, &buffer)?;
        ensure!(
            *rank.get_or_insert(desc.shape.len()) == desc.shape.len(),
            "copies blocks of one rank, but copy {i} has {}",
            dimensions(&desc.shape)
        ); // async_tdm_fused_copy_global_to_local_c3
        hint(op, &buffer, i64::from(*warps))?;
        ensure!(
            taken & warps == 0,
            "gives each copy warps of its own, but the hint {warps:#x} of copy {i} shares some"
        ); // async_tdm_fused_copy_global_to_local_c4
        taken |= warps;
    }
    Ok(())
}

/// How stores may lay out their buffer: plain, or padded after each row of `last` elements.
fn storable(op: OperationRef<'_, '_>, buffer: &Buffer<'_>, last: Option<u64>) -> Verdict {
    match encoding_of(op, buffer).as_deref() {
        Some(Encoding::SwizzledShared(_)) => {}
        Some(Encoding::PaddedShared(e)) => {
            ensure!(
                e.interval_paddings().len() == 1,
                "copies with one interval and padding, but the buffer is `{}`",
                encoding_name(buffer)
            ); // tdm_c5
            let interval = u64::from(e.interval_paddings()[0].0);
            ensure!(
                last.is_none_or(|last| last == interval),
                "needs padding after each row of {} elements, but it comes after {interval}",
                last.unwrap_or(0)
            ); // tdm_store_c1
        }
        _ => ensure!(
            false,
            "needs a buffer whose encoding is `#ttg.swizzled_shared` or `#ttg.padded_shared`, but has `{}`",
            encoding_name(buffer)
        ), // tdm_c4
    }
    Ok(())
}

/// Elements that a CTA has of a row.
fn row(op: OperationRef<'_, '_>, block: &Buffer<'_>, buffer: &Buffer<'_>) -> Option<u64> {
    let shape = encoding_of(op, buffer)?.shape_per_cta(&block.shape).ok()?;
    shape.last().copied()
}

pub(super) fn store(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(desc), Some(buffer)) = (buffer_of(op, 0), buffer_of(op, 1)) else {
        return Ok(());
    };
    common(op, &desc, &buffer)?;
    storable(op, &buffer, row(op, &desc, &buffer))?;
    barrier::last(op, 2)?; // barrier_c1, barrier_c3
    consistent(op, &desc, &buffer)
}

/// What copies of rows ask: of their block, their buffer and their indices.
fn rows<'c>(
    op: OperationRef<'c, '_>,
) -> Result<Option<(Buffer<'c>, Buffer<'c>, TensorType<'c>)>, Vec<Diagnostic>> {
    let (Some(desc), Some(indices), Some(buffer)) =
        (buffer_of(op, 0), operand(op, 1), buffer_of(op, 2))
    else {
        return Ok(None);
    };
    ensure!(
        desc.shape.len() == 2,
        "copies rows of blocks of rank 2, but these are {}",
        dimensions(&desc.shape)
    ); // tdm_rows_c1
    common(op, &desc, &buffer)?;
    ensure!(
        indices.shape.len() == 1,
        "needs row indices of rank 1, but has `{}`",
        indices.type_
    ); // tdm_rows_c2
    ensure!(
        indices.shape[0].is_power_of_two(),
        "needs a power of two of row indices, but has {}",
        indices.shape[0]
    ); // tdm_rows_c3
    barrier::last(op, 3)?; // barrier_c1, barrier_c3
    Ok(Some((desc, buffer, indices)))
}

pub(super) fn scatter(op: OperationRef<'_, '_>) -> Verdict {
    let Some((desc, buffer, _)) = rows(op)? else {
        return Ok(());
    };
    storable(op, &buffer, row(op, &desc, &buffer))?;
    consistent(op, &desc, &buffer)
}

pub(super) fn gather(op: OperationRef<'_, '_>) -> Verdict {
    let Some((desc, buffer, indices)) = rows(op)? else {
        return Ok(());
    };
    storable(op, &buffer, None)?;
    let Some(encoding) = encoding_of(op, &buffer) else {
        return Ok(());
    };
    if let Encoding::PaddedShared(e) = &*encoding {
        let interval = u64::from(e.interval_paddings()[0].0);
        let row = row(op, &buffer, &buffer).unwrap_or(1);
        ensure!(
            row.is_multiple_of(interval),
            "needs padding after a part of a row of {row} elements, but it comes after {interval}"
        ); // async_tdm_gather_c1
    }
    let order = encoding
        .order(&buffer.shape)
        .map(|o| o.to_vec())
        .unwrap_or_default();
    ensure!(
        order.first().map(|d| *d as usize + 1) == Some(order.len()),
        "needs a buffer whose rows are contiguous, but its `order` is {order:?}"
    ); // async_tdm_gather_c2
    if let Ok(layout) = Layouts::of(op.context()).tensor(&indices) {
        ensure!(
            layout.full.columns_of(Dim::LANE).iter().all(|c| *c == 0),
            "needs the same indices in all threads of a warp, but has `{}`",
            indices.type_
        ); // async_tdm_gather_c3
        let along_rows = |e: &Encoding| -> Vec<u32> {
            e.cga_layout()
                .map(|cga| cga.bases().map(|b| b[0]).collect())
                .unwrap_or_default()
        };
        ensure!(
            along_rows(&layout.encoding) == along_rows(&encoding),
            "needs indices that are split over CTAs as the rows are, but has `{}`",
            indices.type_
        ); // async_tdm_gather_c4
    }
    consistent(op, &desc, &buffer)
}

pub(super) fn update(op: OperationRef<'_, '_>) -> Verdict {
    let Some(desc) = buffer_of(op, 0) else {
        return Ok(());
    };
    let rank = desc.shape.len();
    let [offsets, bounds, pred] = [1, 2, 3].map(|group| segment(op, group).len());
    for (name, count) in [("add_offsets", offsets), ("set_bounds", bounds)] {
        ensure!(
            count == 0 || count == rank,
            "needs one of `{name}` for each of {rank} dimensions, but has {count}"
        ); // update_tensor_descriptor_c1
    }
    ensure!(
        offsets + bounds + pred > 0,
        "needs something to change: `add_offsets`, `set_bounds` or `pred`"
    ); // update_tensor_descriptor_c2
    if op.has_attribute("clamp_bounds") {
        ensure!(
            offsets > 0,
            "has `clamp_bounds`, which needs `add_offsets` to clamp to"
        ); // update_tensor_descriptor_c3
        ensure!(
            bounds == 0,
            "has both `clamp_bounds` and `set_bounds`, of which it can have one"
        ); // update_tensor_descriptor_c4
    }
    Ok(())
}

/// Bytes that one prefetch brings into the cache.
const PREFETCH_BYTES: u64 = 256;

pub(super) fn prefetch(op: OperationRef<'_, '_>) -> Verdict {
    let returns = op.has_attribute("returnOffsets");
    ensure!(
        returns == (op.result_count() == 1),
        "needs both `returnOffsets` and a result, or neither"
    ); // tdm_prefetch_c1
    let (Some(desc), Some(tensor)) = (buffer_of(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let bits = u64::from(element_bits(desc.element).unwrap_or(8).max(1));
    let mut shape = desc.shape.clone();
    if let Some(last) = shape.last_mut() {
        *last = last.div_ceil(PREFETCH_BYTES * 8 / bits);
    }
    let module = ModuleInfo::around(op).map_err(|diagnostic| vec![diagnostic])?;
    let expected = BlockedEncoding::default_for_shape(
        &shape,
        module.num_warps.try_into().unwrap_or(1),
        module.threads_per_warp.try_into().unwrap_or(1),
        module.num_ctas.try_into().unwrap_or(1),
    )
    .map(Encoding::from);
    let found = tensor
        .encoding
        .and_then(|e| Layouts::of(op.context()).encoding(e).ok());
    let expected = expected.ok();
    ensure!(
        tensor.shape == shape
            && *element_name(tensor.element) == *"i64"
            && found.as_deref() == expected.as_ref(),
        "makes an `i64` for each prefetch, of {} with `{}`, but the result is `{}`",
        dimensions(&shape),
        expected.map_or_else(String::new, |e| e.to_string()),
        tensor.type_
    ); // tdm_prefetch_c2
    Ok(())
}
