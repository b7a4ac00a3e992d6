//! Rules of operations that change element types or select elements.

use super::common::{
    Verdict, axes, axis_within, broken, buffer, dimensions, element, ensure, layouts, pointee,
    rule, tensor, verdict,
};
use crate::ir::ops::{MemSemantic, tt, ttg};
use crate::ir::{OpKind, TensorType, element_bits, is_element_of_block};
use crate::sys;
use crate::sys::build::Val;
use linear_layout::encoding::infer;
use linear_layout::layout::Dim;
use melior::ir::{Type, ValueLike};

pub(super) fn gather(op: tt::Gather<'_, '_>) -> Verdict {
    let (Some(src), Some(indices), Some(dst)) =
        (tensor(op.src()), tensor(op.indices()), tensor(op.result()))
    else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        gather_c1,
        indices.shape == dst.shape,
        "requires indices and a result of the same shape, but got {} and {}",
        dimensions(indices.shape),
        dimensions(dst.shape)
    );
    rule!(
        diagnostics,
        gather_c2,
        indices.encoding == dst.encoding,
        "requires indices and a result of the same encoding, but got `{}` and `{}`",
        indices.type_,
        dst.type_
    );
    rule!(
        diagnostics,
        gather_c3,
        src.element == dst.element,
        "result has element type `{}`, but the operand has `{}`; expected the same element type",
        dst.element,
        src.element
    );
    if src.shape.len() != indices.shape.len() {
        diagnostics.push(broken!(
            gather_c4,
            "requires an operand and indices of the same rank, but got {} and {}",
            src.shape.len(),
            indices.shape.len()
        ));
        return Err(diagnostics);
    }
    let axis = op.axis();
    let Some(axis) = axis_within(axis, src.shape.len()) else {
        diagnostics.push(broken!(
            gather_c5,
            "axis {axis} is out of bounds for the operand of rank {}",
            axes(src.shape.len())
        ));
        return Err(diagnostics);
    };
    for (i, (from, at)) in src.shape.iter().zip(indices.shape).enumerate() {
        rule!(
            diagnostics,
            gather_c6,
            i == axis || from == at,
            "dimension {i} has size {from} in the operand and {at} in the indices; expected equal sizes except \
             along axis {axis}"
        );
    }
    verdict(diagnostics)
}

pub(super) fn unsplat(op: tt::Unsplat<'_, '_>) -> Verdict {
    match tensor(op.src()) {
        Some(src) if src.num_elements() != 1 => Err(vec![broken!(
            unsplat_c1,
            "requires a tensor of one element, but `{}` has {}",
            src.type_,
            src.num_elements()
        )]),
        _ => Ok(()),
    }
}

pub(super) fn bitcast(op: tt::Bitcast<'_, '_>) -> Verdict {
    let (from, to) = (element(op.src().r#type()), element(op.result().r#type()));
    match (sys::pointer(from), sys::pointer(to)) {
        (Some((_, a)), Some((_, b))) if a != b => Err(vec![broken!(
            bitcast_c1,
            "cannot change the address space of a pointer: `{from}` to `{to}`"
        )]),
        (Some(_), Some(_)) => Ok(()),
        (None, None) if element_bits(from) == element_bits(to) => Ok(()),
        (None, None) => Err(vec![broken!(
            bitcast_c3,
            "requires types of the same width, but `{from}` has {} bits and `{to}` has {}",
            element_bits(from).unwrap_or(0),
            element_bits(to).unwrap_or(0)
        )]),
        _ => Err(vec![broken!(
            bitcast_c2,
            "cannot convert between pointer and non-pointer types: `{from}` to `{to}`; use `{}`",
            if sys::pointer(from).is_some() {
                OpKind::TtPtrToInt.name()
            } else {
                OpKind::TtIntToPtr.name()
            }
        )]),
    }
}

pub(super) fn fp_to_fp(op: tt::FpToFp<'_, '_>) -> Verdict {
    let (from, to) = (element(op.src().r#type()), element(op.result().r#type()));
    if element_bits(to) < element_bits(from) && op.rounding().is_none() {
        return Err(vec![
            broken!(
                fp_to_fp_c1,
                "requires a rounding mode to narrow `{from}` to `{to}`"
            )
            .note("add `, rounding = rtne` (to nearest) or `, rounding = rtz` (towards zero)"),
        ]);
    }
    Ok(())
}

fn pointee_bits(ptr: Val<'_>) -> Option<u32> {
    element_bits(pointee(ptr)?.0)
}

/// Checks the element width and the memory ordering of an atomic load or store.
pub(super) fn atomic_access(ptr: Val<'_>, sem: MemSemantic, allowed: [MemSemantic; 2]) -> Verdict {
    ordering(sem, allowed)?;
    let bits = pointee_bits(ptr).unwrap_or(8);
    ensure!(
        atomic_load_c2 | atomic_store_c2,
        bits >= 8,
        "requires elements of at least 8 bits, but got {bits}"
    );
    Ok(())
}

pub(super) fn atomic_poll(op: tt::AtomicPoll<'_, '_>) -> Verdict {
    ordering(op.sem(), [MemSemantic::Relaxed, MemSemantic::Acquire])?;
    let bits = pointee_bits(op.ptr()).unwrap_or(32);
    ensure!(
        atomic_poll_c1,
        matches!(bits, 16 | 32 | 64),
        "requires elements of 16, 32 or 64 bits, but got {bits}"
    );
    Ok(())
}

fn ordering(found: MemSemantic, allowed: [MemSemantic; 2]) -> Verdict {
    ensure!(
        atomic_load_c1 | atomic_store_c1,
        allowed.contains(&found),
        "requires memory semantics `{}` or `{}`, but got `{}`",
        allowed[0].name(),
        allowed[1].name(),
        found.name()
    );
    Ok(())
}

pub(super) fn fp4_to_fp(op: ttg::Fp4ToFp<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        fp4_to_fp_c1,
        element_bits(dst.element) == Some(16),
        "requires a result of element type `f16` or `bf16`, but got `{}`",
        dst.element
    );
    verdict(diagnostics)?;
    let axis = op.axis();
    let Some(axis) = axis_within(axis, src.shape.len()) else {
        return Err(vec![broken!(
            fp4_to_fp_c3,
            "axis {axis} is out of bounds for the operand of rank {}",
            axes(src.shape.len())
        )]);
    };
    fp4_pairs(&src, &dst, axis)
}

/// Checks that the shapes and layouts of a packed and an unpacked tensor match. `packed` has two 4-bit elements per
/// byte along `axis`, and `wide` has the same elements unpacked.
pub(super) fn fp4_pairs(packed: &TensorType<'_>, wide: &TensorType<'_>, axis: usize) -> Verdict {
    ensure!(
        fp4_to_fp_c2 | scaled_c12,
        packed.shape.len() == wide.shape.len(),
        "requires two tensors of the same rank, but got `{}` and `{}`",
        packed.type_,
        wide.type_
    );
    let mut expected = packed.shape.to_vec();
    expected[axis] *= 2;
    ensure!(
        fp4_to_fp_c4 | scaled_c13,
        wide.shape == expected,
        "unpacked tensor is `{}`; expected shape {}, which is twice the packed shape {} along dimension {axis}",
        wide.type_,
        dimensions(&expected),
        dimensions(packed.shape)
    );
    ensure!(
        fp4_to_fp_c5 | scaled_c14,
        packed.encoding.is_some() == wide.encoding.is_some(),
        "only the {} tensor has an encoding; expected an encoding on both operand and result, or on neither",
        if packed.encoding.is_some() {
            "packed"
        } else {
            "unpacked"
        }
    );
    let Some((from, to)) = layouts(packed, wide) else {
        return Ok(());
    };
    let inferred = infer::fp4_to_fp_source(&to.encoding, wide.shape, axis)
        .map_err(|e| vec![broken!(fp4_to_fp_c6 | scaled_c15, "{e}")])?;
    if infer::equivalent(&inferred, &from.encoding, packed.shape) {
        return Ok(());
    }
    match inferred.to_linear_layout(packed.shape) {
        Ok(layout) => Err(vec![
            broken!(
                fp4_to_fp_c6 | scaled_c15,
                "packed type `{}` does not have the layout inferred from `{}`",
                packed.type_,
                wide.type_
            )
            .note(format!("the inferred layout is:{layout}")),
        ]),
        Err(e) => Err(vec![broken!(fp4_to_fp_c6 | scaled_c15, "{e}")]),
    }
}

pub(super) fn convert_layout(op: ttg::ConvertLayout<'_, '_>) -> Verdict {
    if !op.force_warp_shuffle() {
        return Ok(());
    }
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    let crosses = from
        .full
        .minimal_conversion_to(&to.full)
        .is_ok_and(|moved| moved.has_in_dim(Dim::WARP) || moved.has_in_dim(Dim::BLOCK));
    if crosses {
        return Err(vec![broken!(convert_layout_c1, "`force_warp_shuffle` requires a conversion within warps, but the conversion moves data between warps")
        .note(
            "remove `force_warp_shuffle`, or choose layouts that give each warp the same elements",
        )]);
    }
    Ok(())
}

/// Checks that a descriptor's block has the element type and the number of elements of the loaded or stored tensor.
pub(super) fn descriptor(desc: Val<'_>, value: Val<'_>) -> Verdict {
    let (Some(desc), Some(tensor)) = (buffer(desc), tensor(value)) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        descriptor_load_c1 | descriptor_store_c1 | descriptor_reduce_c1,
        is_element_of_block(tensor.element, desc.element),
        "requires a block and a tensor of the same element type, but got `{}` and `{}`",
        desc.element,
        tensor.element
    );
    let elements: u64 = desc.shape.iter().product();
    rule!(
        diagnostics,
        descriptor_load_c2 | descriptor_store_c2 | descriptor_reduce_c2,
        elements == tensor.num_elements(),
        "block {} has {elements} elements, but tensor {} has {}; expected the same number of elements",
        dimensions(&desc.shape),
        dimensions(tensor.shape),
        tensor.num_elements()
    );
    verdict(diagnostics)
}

/// Checks `tt.descriptor_gather` and `tt.descriptor_scatter`, which copy rows; each row is one block of the descriptor.
pub(super) fn descriptor_rows(desc: Val<'_>, rows: Val<'_>, value: Val<'_>) -> Verdict {
    let (Some(block), Some(rows), Some(tensor)) = (buffer(desc), tensor(rows), tensor(value))
    else {
        return Ok(());
    };
    ensure!(
        descriptor_gather_c1 | descriptor_scatter_c1,
        block.shape.len() == 2,
        "descriptor has blocks of shape {}; expected rank 2",
        dimensions(&block.shape)
    );
    ensure!(
        descriptor_gather_c2 | descriptor_scatter_c2,
        block.shape[0] == 1,
        "descriptor has blocks of shape {}; expected one row",
        dimensions(&block.shape)
    );
    gathered(&rows, tensor.type_, tensor.shape, tensor.element)?;
    ensure!(
        descriptor_gather_c8 | descriptor_scatter_c8,
        tensor.shape[1] == block.shape[1],
        "tensor `{}` has {} columns; expected {}, as in the blocks of the descriptor",
        tensor.type_,
        tensor.shape[1],
        block.shape[1]
    );
    ensure!(
        descriptor_gather_c9 | descriptor_scatter_c9,
        is_element_of_block(tensor.element, block.element),
        "tensor type is `{}`; expected element type `{}`, as in the blocks of the descriptor",
        tensor.type_,
        block.element
    );
    Ok(())
}

/// Checks that the hardware can gather or scatter the rows of a tensor. `rows` are the indices of these rows.
pub(super) fn gathered(
    rows: &TensorType<'_>,
    type_: Type<'_>,
    shape: &[u64],
    element: Type<'_>,
) -> Verdict {
    ensure!(
        descriptor_gather_c3 | descriptor_scatter_c3,
        rows.shape.len() == 1,
        "requires row indices of rank 1, but got `{}`",
        rows.type_
    );
    ensure!(
        descriptor_gather_c4 | descriptor_scatter_c4,
        shape.len() == 2,
        "requires a tensor of rank 2, but got `{type_}`"
    );
    ensure!(
        descriptor_gather_c5 | descriptor_scatter_c5,
        shape[0] >= 8,
        "requires at least 8 rows, but `{type_}` has {}",
        shape[0]
    );
    let bits = element_bits(element).unwrap_or(0);
    ensure!(
        descriptor_gather_c6 | descriptor_scatter_c6,
        bits <= 32,
        "requires elements of at most 32 bits, but `{element}` has {bits}"
    );
    let least = 256 / u64::from(bits.max(1));
    ensure!(
        descriptor_gather_c7 | descriptor_scatter_c7,
        shape[1] >= least,
        "requires at least 32 bytes per row ({least} columns of `{element}`), but `{type_}` has {} columns",
        shape[1]
    );
    ensure!(
        descriptor_gather_c10 | descriptor_scatter_c10,
        shape[0] == rows.shape[0],
        "requires one index for each of {} rows, but got `{}`",
        shape[0],
        rows.type_
    );
    Ok(())
}
