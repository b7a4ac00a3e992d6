//! Rules of AMD's operations on registers and buffers.

use super::common::{
    Verdict, axes, axis_within, broken, buffer, dimensions, encoding_of, ensure, layout, layouts,
    memory_name, pointee, tensor,
};
use super::convert;
use super::memdesc::{SHARED, is_in};
use crate::ir::ops::amdg;
use crate::ir::{Layouts, ModuleInfo, TensorLayout, TensorType, element_name};
use crate::sys::build::Val;
use linear_layout::encoding::{BlockedEncoding, Encoding};
use linear_layout::f2::apply_columns;
use linear_layout::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use linear_layout::target::{ScaledConversion, Target};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, ValueLike};
use std::collections::BTreeSet;

/// Returns the coordinates of the elements that thread 0 holds.
fn held(layout: &LinearLayout) -> BTreeSet<Vec<u64>> {
    (0..layout.in_size(Dim::REGISTER))
        .map(|register| {
            let place = apply_columns(layout.columns_of(Dim::REGISTER), register);
            layout.unpack(place).to_vec()
        })
        .collect()
}

/// Checks that each thread holds the operand elements that form its result elements.
///
/// `source` maps result coordinates to operand coordinates.
fn check_no_data_movement(
    dst: &TensorLayout,
    src: &TensorLayout,
    source: impl Fn(&[u64]) -> Vec<u64>,
) -> Verdict {
    let registers = held(&src.full);
    for place in held(&dst.full) {
        ensure!(
            extract_slice_c4 | concat_c5,
            registers.contains(&source(&place)),
            "would move data between threads: thread 0 holds result element {place:?}, but not the source, \
             operand element {:?}",
            source(&place)
        );
    }
    for dim in [Dim::LANE, Dim::WARP] {
        let bases = |layout: &TensorLayout| -> Vec<Vec<u64>> {
            (0..layout.full.in_bits(dim))
                .map(|bit| layout.full.basis(dim, bit).to_vec())
                .collect()
        };
        ensure!(
            extract_slice_c5 | concat_c6,
            bases(dst) == bases(src),
            "{} bases are {:?} in the operand, but {:?} in the result; expected the same",
            dim.name(),
            bases(src),
            bases(dst)
        );
    }
    Ok(())
}

pub(super) fn extract_slice(op: amdg::ExtractSlice<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.source()), tensor(op.result())) else {
        return Ok(());
    };
    let offsets = op.static_offsets();
    let rank = src.shape.len();
    ensure!(
        extract_slice_c1,
        dst.shape.len() == rank && offsets.len() == rank,
        "operand has rank {rank}, result has rank {}, and there are {} offsets; expected these numbers to be \
         equal",
        dst.shape.len(),
        offsets.len()
    );
    for (i, offset) in offsets.iter().copied().enumerate() {
        ensure!(
            extract_slice_c2,
            dst.shape[i] <= src.shape[i],
            "slice of size {} exceeds dimension {i}, which has size {}",
            dst.shape[i],
            src.shape[i]
        );
        let fits = u64::try_from(offset)
            .is_ok_and(|from| from.saturating_add(dst.shape[i]) <= src.shape[i]);
        ensure!(
            extract_slice_c3,
            fits,
            "slice of size {} at offset {} is out of bounds in dimension {i} of size {}",
            dst.shape[i],
            offset,
            src.shape[i]
        );
    }
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    check_no_data_movement(&to, &from, |place| {
        place
            .iter()
            .zip(&offsets)
            .map(|(at, offset)| at + offset.unsigned_abs())
            .collect()
    })
}

pub(super) fn concat(op: amdg::Concat<'_, '_>) -> Verdict {
    let sources = op.sources();
    let src = sources.first().copied().and_then(tensor);
    let (Some(src), Some(dst)) = (src, tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        concat_c1,
        src.shape.len() == dst.shape.len(),
        "operand has rank {}, but the result has rank {}; expected the same rank",
        src.shape.len(),
        dst.shape.len()
    );
    ensure!(
        concat_c2,
        src.shape
            .iter()
            .zip(dst.shape)
            .all(|(part, whole)| whole % part == 0),
        "operand shape {} does not divide result shape {} in each dimension",
        dimensions(src.shape),
        dimensions(dst.shape)
    );
    let count: u64 = src
        .shape
        .iter()
        .zip(dst.shape)
        .map(|(a, b)| b / a)
        .product();
    ensure!(
        concat_c3,
        u64::try_from(sources.len()) == Ok(count),
        "requires {count} operands of shape {} for a result of shape {}, but got {}",
        dimensions(src.shape),
        dimensions(dst.shape),
        sources.len()
    );
    ensure!(
        concat_c4,
        sources.iter().all(|v| v.r#type() == src.type_),
        "operand 0 has type `{}`, but another operand has a different type; expected the same type for all \
         operands",
        src.type_
    );
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    check_no_data_movement(&to, &from, |place| {
        place
            .iter()
            .zip(src.shape)
            .map(|(at, size)| at % size)
            .collect()
    })
}

/// Returns `layout`, the layout of `blocked`, with the dimension order reversed within the registers of each
/// thread.
fn transposed(
    blocked: &BlockedEncoding,
    layout: &LinearLayout,
    shape: &[u64],
) -> Result<LinearLayout, LayoutError> {
    let sizes: Vec<u64> = blocked
        .size_per_thread()
        .iter()
        .zip(shape)
        .map(|(size, limit)| u64::from(*size).min(*limit))
        .collect();
    let order: Vec<usize> = blocked.order().iter().rev().map(|d| *d as usize).collect();
    let tile = LinearLayout::identity_nd(Dim::REGISTER, &sizes, &order)?;
    let outs: Vec<Dim> = layout.out_dims().collect();
    // The tile covers the tensor: the packed bases of the tile are those of the tensor.
    let mut tile = tile.transpose_outs(&outs)?;
    for out in &outs {
        let gap = layout.out_size(*out) / tile.out_size(*out);
        tile = tile.product(&LinearLayout::zeros_1d(1, Dim::REGISTER, *out, gap)?)?;
    }
    let mut columns = layout.columns().to_vec();
    let in_tile = blocked
        .size_per_thread()
        .iter()
        .map(|n| n.ilog2() as usize)
        .sum::<usize>()
        .min(layout.in_bits(Dim::REGISTER));
    for (bit, column) in columns.iter_mut().enumerate().take(in_tile) {
        *column = tile.columns().get(bit).copied().unwrap_or(0);
    }
    LinearLayout::from_columns(
        &layout.in_shape().collect::<Vec<_>>(),
        &layout.out_shape().collect::<Vec<_>>(),
        &columns,
        Surjectivity::NotRequired,
    )
}

pub(super) fn in_thread_transpose(op: amdg::InThreadTranspose<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        in_thread_transpose_c1,
        src.shape.len() == 2,
        "requires an operand of rank 2, but `{}` has rank {}",
        src.type_,
        src.shape.len()
    );
    let cache = Layouts::of(op.op().context());
    let known = src.encoding.and_then(|e| cache.encoding(e).ok());
    let Some(Encoding::Blocked(blocked)) = known.as_deref() else {
        return Err(vec![broken!(
            in_thread_transpose_c2,
            "requires an operand whose encoding is `#ttg.blocked`, but got `{}`",
            src.type_
        )]);
    };
    let Some(from) = layout(&src) else {
        return Ok(());
    };
    let expected = transposed(blocked, &from.full, src.shape);
    let found = layout(&dst);
    if expected
        .as_ref()
        .is_ok_and(|expected| found.is_some_and(|found| *expected == found.full))
    {
        return Ok(());
    }
    let diagnostic = broken!(
        in_thread_transpose_c3,
        "result type `{}` does not have the expected layout (the operand's layout, transposed within each \
         thread)",
        dst.type_
    );
    Err(vec![match expected {
        Ok(layout) => diagnostic.note(format!("the inferred layout is:{layout}")),
        Err(reason) => diagnostic.note(reason.to_string()),
    }])
}

/// The value of a scaled conversion that stores two 4-bit elements in each byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    /// The operand is packed, as in `amdg.scaled_upcast_fp4`.
    Operand,
    /// The result is packed, as in `amdg.scaled_downcast_fp4`.
    Result,
    /// No value is packed, as in `amdg.scaled_downcast_fp8`.
    None,
}

pub(super) fn scaled_upcast_fp4(op: amdg::ScaledUpcastFp4<'_, '_>) -> Verdict {
    let values = [op.input(), op.scale(), op.output()];
    scaled(op.op(), values, op.axis(), Packing::Operand)
}

pub(super) fn scaled_downcast_fp4(op: amdg::ScaledDowncastFp4<'_, '_>) -> Verdict {
    let values = [op.input(), op.scale(), op.output()];
    scaled(op.op(), values, op.axis(), Packing::Result)
}

pub(super) fn scaled_downcast_fp8(op: amdg::ScaledDowncastFp8<'_, '_>) -> Verdict {
    let values = [op.input(), op.scale(), op.output()];
    scaled(op.op(), values, op.axis(), Packing::None)
}

/// Checks a scaled conversion. `values` are the input, the scales and the output, in this order.
fn scaled(op: OperationRef<'_, '_>, values: [Val<'_>; 3], axis: i64, packing: Packing) -> Verdict {
    let [Some(src), Some(scale), Some(dst)] = values.map(tensor) else {
        return Ok(());
    };
    let rank = dst.shape.len();
    ensure!(
        scaled_c1,
        scale.shape.len() == rank,
        "scales have type `{}`; expected rank {rank}, the rank of the result",
        scale.type_
    );
    let Some(axis) = axis_within(axis, rank) else {
        return Err(vec![broken!(
            scaled_c2,
            "axis {axis} is out of bounds for the result of rank {}",
            axes(rank)
        )]);
    };
    ensure!(
        scaled_c3,
        (0..rank).all(|d| d == axis || scale.shape[d] == dst.shape[d]),
        "scales have shape {}, but the result has shape {}; expected equal sizes in all dimensions except \
         dimension {axis}",
        dimensions(scale.shape),
        dimensions(dst.shape)
    );
    ensure!(
        scaled_c4,
        scale.shape[axis] > 0 && dst.shape[axis] % scale.shape[axis] == 0,
        "dimension {axis} has {} scales for {} elements; expected the number of scales to divide the number \
         of elements",
        scale.shape[axis],
        dst.shape[axis]
    );
    ensure!(
        scaled_c5,
        scale.encoding.is_some() == dst.encoding.is_some(),
        "{}; expected an encoding on both scales and result, or on neither",
        if scale.encoding.is_some() {
            "the scales have an encoding, but the result has none"
        } else {
            "the result has an encoding, but the scales have none"
        }
    );
    if packing == Packing::Operand {
        upcast(op, &scale, &dst, 8)?;
    }
    match packing {
        Packing::Operand => convert::fp4_pairs(&src, &dst, axis)?,
        Packing::Result => convert::fp4_pairs(&dst, &src, axis)?,
        Packing::None => {
            ensure!(
                scaled_c6,
                src.shape == dst.shape,
                "result has shape {}, but the operand has shape {}; expected the same shape",
                dimensions(dst.shape),
                dimensions(src.shape)
            );
            ensure!(
                scaled_c7,
                src.encoding == dst.encoding,
                "result type is `{}`, but operand type is `{}`; expected the same encoding",
                dst.type_,
                src.type_
            );
        }
    }
    let wide = if packing == Packing::Operand {
        &dst
    } else {
        &src
    };
    let per_scale = wide.shape[axis] / scale.shape[axis];
    let narrow = dst.shape[axis] / scale.shape[axis];
    ensure!(
        scaled_c8,
        packing == Packing::Operand || narrow > 1,
        "requires more than one result element per scale along dimension {axis}, but got 1"
    );
    let Some((wide, scales)) = layouts(wide, &scale) else {
        return Ok(());
    };
    if per_scale == 1 {
        ensure!(
            scaled_c9,
            scales.unique == wide.unique,
            "scales have type `{}`; expected the layout of the elements, because there is one scale per \
             element",
            scale.type_
        );
        return Ok(());
    }
    ensure!(
        scaled_c10,
        per_scale % 8 == 0,
        "requires a multiple of 8 elements per scale along dimension {axis}, but got {per_scale}"
    );
    let Some(expected) = compact(&wide.full, axis, per_scale) else {
        return Ok(());
    };
    let shared = expected.in_bits(Dim::REGISTER) >= 3
        && expected.columns_of(Dim::REGISTER)[..3]
            .iter()
            .all(|c| *c == 0);
    ensure!(
        scaled_c11,
        shared,
        "first 8 registers of a thread have several scales along dimension {axis}; expected one scale for \
         all 8 registers"
    );
    let unique = expected.remove_zero_bases(Dim::REGISTER).ok();
    ensure!(
        scaled_c9,
        unique.as_ref() == Some(&scales.unique),
        "some scales in `{}` are in other threads than the elements that they scale; expected the same threads",
        scale.type_
    );
    Ok(())
}

/// Returns the layout of the scales, given the layout `wide` of the scaled elements. One scale applies to
/// `per_scale` consecutive elements along `axis`. The coordinate of a scale along `axis` is therefore the
/// coordinate of its elements divided by `per_scale`.
fn compact(wide: &LinearLayout, axis: usize, per_scale: u64) -> Option<LinearLayout> {
    let mut divide = LinearLayout::empty();
    for (i, (out, size)) in wide.out_shape().enumerate() {
        let part = if i == axis {
            LinearLayout::zeros_1d(per_scale, out, out, 1).and_then(|low| {
                low.product(&LinearLayout::identity_1d(size / per_scale, out, out)?)
            })
        } else {
            LinearLayout::identity_1d(size, out, out)
        };
        divide = divide.product(&part.ok()?).ok()?;
    }
    wide.compose(&divide).ok()
}

/// Checks the requirements of the instructions with which the target performs a scaled conversion. Each instruction
/// converts `on_gfx950` elements on `gfx950`, and 8 elements on later targets.
fn upcast(
    op: OperationRef<'_, '_>,
    scale: &TensorType<'_>,
    dst: &TensorType<'_>,
    on_gfx950: u64,
) -> Verdict {
    let Some(target) = ModuleInfo::known_gpu(op) else {
        return Ok(());
    };
    let conversion = target.instructions.scaled_conversion;
    ensure!(
        scaled_c16,
        conversion != ScaledConversion::Eights || *element_name(scale.element) == *"i8",
        "requires scales of element type `i8` on `{target}`, but got `{}`",
        scale.type_
    );
    let at_once = match conversion {
        ScaledConversion::Eights => 8,
        ScaledConversion::Words => on_gfx950,
        ScaledConversion::Any => return Ok(()),
    };
    let Some(layout) = layout(dst) else {
        return Ok(());
    };
    ensure!(
        scaled_c17,
        layout.unique.in_size(Dim::REGISTER) >= at_once,
        "requires at least {at_once} elements per thread on `{target}`, but got {} in `{}`",
        layout.unique.in_size(Dim::REGISTER),
        dst.type_
    );
    let runs_along = |dim: usize| {
        (0..at_once.ilog2() as usize).all(|bit| {
            let basis = layout.full.basis(Dim::REGISTER, bit).iter().enumerate();
            basis
                .into_iter()
                .all(|(d, at)| at == u64::from(d == dim) << bit)
        })
    };
    ensure!(
        scaled_c18,
        (0..dst.shape.len()).any(runs_along),
        "registers 0 to {} of `{}` do not hold {at_once} contiguous elements along one dimension, which \
         `{target}` requires",
        at_once - 1,
        dst.type_
    );
    Ok(())
}

pub(super) fn scaled_upcast_fp8(op: amdg::ScaledUpcastFp8<'_, '_>) -> Verdict {
    super::same_encoding(op.op(), true)?;
    match (tensor(op.scale()), tensor(op.output())) {
        (Some(scale), Some(dst)) => upcast(op.op(), &scale, &dst, 4),
        _ => Ok(()),
    }
}

pub(super) fn local_load_packed_transposed(op: amdg::LocalLoadPackedTransposed<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    let cache = Layouts::of(op.op().context());
    let encoding = dst.encoding.and_then(|e| cache.encoding(e).ok());
    let Some(Encoding::DotOperand(operand)) = encoding.as_deref() else {
        return Err(vec![broken!(
            local_load_packed_transposed_c1,
            "requires a result whose encoding is `#ttg.dot_op`, but got `{}`",
            dst.type_
        )]);
    };
    let Some(memory) = encoding_of(&src) else {
        return Ok(());
    };
    let rank = src.shape.len();
    let first = operand.op_idx() == 0;
    let expected: Vec<u32> = match (first, rank) {
        (true, 3) => vec![1, 2, 0],
        (true, _) => vec![0, 1],
        (false, 3) => vec![2, 1, 0],
        (false, _) => vec![1, 0],
    };
    let order = memory
        .order(&src.shape)
        .map(|o| o.to_vec())
        .unwrap_or_default();
    ensure!(
        local_load_packed_transposed_c2,
        order == expected,
        "requires a buffer with `order = {expected:?}` for operand {}, but got {order:?}",
        operand.op_idx()
    );
    let mut shape = dst.shape.to_vec();
    if shape.len() == rank && rank >= 2 {
        let (halved, doubled) = if first {
            (rank - 2, rank - 1)
        } else {
            (rank - 1, rank - 2)
        };
        shape[halved] /= 2;
        shape[doubled] *= 2;
    }
    ensure!(
        local_load_packed_transposed_c3,
        src.shape == shape,
        "buffer has shape {}; expected {}, because buffer and result (shape {}) pack pairs of elements along \
         different dimensions",
        dimensions(&src.shape),
        dimensions(&shape),
        dimensions(dst.shape)
    );
    Ok(())
}

pub(super) fn buffer_load_to_local(op: amdg::BufferLoadToLocal<'_, '_>) -> Verdict {
    // Nothing can be checked without a known target.
    if let Some(target) = ModuleInfo::known_gpu(op.op()) {
        ensure!(
            buffer_load_to_local_c1,
            target.instructions.buffer_to_shared,
            "requires a target with buffer loads to shared memory ({}), but got `{target}`",
            Target::names_with(|instructions| instructions.buffer_to_shared)
        );
    }
    let Some(dst) = buffer(op.dest()) else {
        return Ok(());
    };
    if let Some((pointee, _)) = pointee(op.ptr()) {
        ensure!(
            buffer_load_to_local_c2,
            pointee == dst.element,
            "pointer has pointee type `{pointee}`; expected `{}`, the element type of the buffer",
            dst.element
        );
    }
    if let (Some(other), Some(offsets)) = (op.other(), tensor(op.offsets())) {
        let matches = tensor(other).is_some_and(|other| {
            (&other.shape, other.encoding, other.element)
                == (&offsets.shape, offsets.encoding, dst.element)
        });
        ensure!(
            buffer_load_to_local_c3,
            matches,
            "`other` has type `{}`; expected element type `{}` and the shape and encoding of the offsets, `{}`",
            other.r#type(),
            dst.element,
            offsets.type_
        );
    }
    Ok(())
}

pub(super) fn async_copy_local_to_global(op: amdg::AsyncCopyLocalToGlobal<'_, '_>) -> Verdict {
    let Some(src) = buffer(op.src()) else {
        return Ok(());
    };
    ensure!(
        async_copy_local_to_global_c1,
        is_in(&src, SHARED),
        "requires a buffer in `{SHARED}`, but the buffer is in `{}`",
        memory_name(&src)
    );
    super::cache::store(op.cache_policy())
}

const GLOBAL: i32 = 1;

pub(super) fn buffer_write(ptr: Val<'_>, value: Val<'_>) -> Verdict {
    ensure!(
        buffer_c2,
        pointee(ptr).is_none_or(|(_, space)| space == GLOBAL),
        "requires a pointer to global memory, but got `{}`",
        ptr.r#type()
    );
    buffer_access(ptr, value)
}

/// Checks that `ptr` points to the element type of the tensor `value`.
pub(super) fn buffer_access(ptr: Val<'_>, value: Val<'_>) -> Verdict {
    let (Some((pointee, _)), Some(tensor)) = (pointee(ptr), tensor(value)) else {
        return Ok(());
    };
    ensure!(
        buffer_c1,
        pointee == tensor.element,
        "pointer has pointee type `{pointee}`; expected `{}`, the element type of the tensor",
        tensor.element
    );
    Ok(())
}
