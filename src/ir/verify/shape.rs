//! Rules of operations that create or reshape tensors.

use super::common::{
    Verdict, axis_within, both_or_neither, broken, convert_note, dimensions, ensure,
    inference_mismatch, layouts, rule, tensor, verdict,
};
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorLayout, TensorType, element_bits, view};
use crate::sys::Diagnostic;
use linear_layout::encoding::{Encoding, infer};
use linear_layout::layout::Dim;
use melior::ir::operation::OperationLike;

fn same_element(src: &TensorType<'_>, dst: &TensorType<'_>) -> Verdict {
    ensure!(
        join_c3 | split_c4,
        src.element == dst.element,
        "result type is `{}`; expected element type `{}`, as in the operand",
        dst.type_,
        src.element
    );
    Ok(())
}

pub(super) fn make_range(op: tt::MakeRange<'_, '_>) -> Verdict {
    let (start, end) = (op.start(), op.end());
    ensure!(
        make_range_c1,
        start < end,
        "requires `start` to be less than `end`, but got {start} and {end}"
    );
    let Some(tensor) = tensor(op.result()) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    if tensor.shape.len() != 1 {
        diagnostics.push(broken!(
            make_range_c2,
            "requires a result of rank 1, but `{}` has rank {}",
            tensor.type_,
            tensor.shape.len()
        ));
    } else if i64::try_from(tensor.shape[0]) != Ok(end - start) {
        diagnostics.push(broken!(
            make_range_c3,
            "range [{start}, {end}) has {} elements, but the result has {}",
            end - start,
            tensor.shape[0]
        ));
    }
    rule!(
        diagnostics,
        make_range_c4,
        element_bits(tensor.element) == Some(32),
        "requires elements of type `i32`, but the result has `{}`",
        tensor.element
    );
    verdict(diagnostics)
}

pub(super) fn expand_dims(op: tt::ExpandDims<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    let axis = op.axis();
    let Some(axis) = axis_within(axis, src.shape.len() + 1) else {
        return Err(vec![broken!(
            expand_dims_c1,
            "axis {axis} is out of bounds for the operand of rank {}; expected 0 to {}",
            src.shape.len(),
            src.shape.len()
        )]);
    };
    let mut expected = src.shape.to_vec();
    expected.insert(axis, 1);
    ensure!(
        expand_dims_c2,
        dst.shape == expected,
        "expected a result of shape {}, but got `{}`",
        dimensions(&expected),
        dst.type_
    );
    let (Some(encoding), Some(parent)) = (src.encoding, dst.encoding) else {
        return both_or_neither(&src, &dst);
    };
    let cache = Layouts::of(op.op().context());
    let (Ok(known), Ok(declared)) = (cache.of_tensor(&src), cache.of_tensor(&dst)) else {
        return Ok(());
    };
    match known.as_ref() {
        // The parent may be spelled differently if its layout is the same.
        Encoding::Slice(slice)
            if slice.dim() == axis && infer::equivalent(slice.parent(), &declared, &expected) =>
        {
            Ok(())
        }
        _ => Err(vec![
            broken!(
                expand_dims_c3,
                "operand encoding `{encoding}` is not the slice of the result's encoding along dimension {axis}"
            )
            .note(format!("expected `#ttg.slice<{{dim = {axis}, parent = {parent}}}>`")),
        ]),
    }
}

pub(super) fn broadcast(op: tt::Broadcast<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        broadcast_c1,
        src.shape.len() == dst.shape.len(),
        "requires operand and result of the same rank, but got ranks {} and {}",
        src.shape.len(),
        dst.shape.len()
    );
    let diagnostics: Vec<Diagnostic> = (0..src.shape.len())
        .filter(|i| src.shape[*i] != dst.shape[*i] && src.shape[*i] != 1)
        .map(|i| {
            broken!(
                broadcast_c2,
                "dimension {i} has size {} in the operand and {} in the result; expected size 1 in the \
                 operand, or equal sizes",
                src.shape[i],
                dst.shape[i]
            )
        })
        .collect();
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    // The encodings may differ only in dimensions in which the operand has size 1.
    let (Some(from), Some(to)) = (src.encoding, dst.encoding) else {
        return Ok(());
    };
    let cache = Layouts::of(op.op().context());
    if from == to {
        return Ok(());
    }
    let unique = |tensor: &TensorType<'_>| {
        cache
            .of_tensor(tensor)
            .ok()?
            .to_linear_layout(src.shape)
            .ok()?
            .remove_zero_bases(Dim::REGISTER)
            .ok()
    };
    match (unique(&src), unique(&dst)) {
        (Some(a), Some(b)) if a == b => Ok(()),
        _ => Err(vec![
            broken!(
                broadcast_c3,
                "requires the same layout for operand and result, but got `{}` and `{}`",
                src.type_,
                dst.type_
            )
            .note(convert_note("one of the two tensors")),
        ]),
    }
}

pub(super) fn trans(op: tt::Trans<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    let order = op.order();
    let rank = src.shape.len();
    ensure!(
        trans_c1,
        order.len() == rank,
        "requires an `order` of {rank} entries for `{}`, but got {}",
        src.type_,
        order.len()
    );
    let mut sorted = order.clone();
    sorted.sort_unstable();
    ensure!(
        trans_c2,
        sorted
            .iter()
            .copied()
            .eq(0..i32::try_from(rank).unwrap_or(0)),
        "requires a permutation of 0 to {} as `order`, but got {order:?}",
        rank.saturating_sub(1)
    );
    let order: Vec<usize> = order
        .iter()
        .filter_map(|d| usize::try_from(*d).ok())
        .collect();
    let expected: Vec<u64> = order.iter().map(|d| src.shape[*d]).collect();
    ensure!(
        trans_c3,
        dst.shape == expected,
        "expected a result of shape {}, but got `{}`",
        dimensions(&expected),
        dst.type_
    );
    both_or_neither(&src, &dst)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match from.full.transpose_standard(&order) {
        Ok(inferred) if inferred == to.full => Ok(()),
        Ok(inferred) => Err(vec![inference_mismatch(&dst, &inferred)]),
        Err(e) => Err(vec![broken!(trans_c4, "{e}")]),
    }
}

pub(super) fn reshape(op: tt::Reshape<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        reshape_c1,
        src.num_elements() == dst.num_elements(),
        "requires the same number of elements in result and operand, but got {} and {}",
        dst.num_elements(),
        src.num_elements()
    );
    both_or_neither(&src, &dst)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    // Elements may be permuted, but not replicated or dropped: equal counts per thread, and replicas in the same
    // registers and threads.
    let copies = |layout: &TensorLayout| {
        let masks = layout.full.free_variable_masks();
        [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK].map(|dim| masks.mask(dim))
    };
    if op.allow_reorder()
        && from.full.in_size(Dim::REGISTER) == to.full.in_size(Dim::REGISTER)
        && copies(&from) == copies(&to)
    {
        return Ok(());
    }
    match from.full.reshape_standard(dst.shape) {
        Ok(inferred) if inferred == to.full => Ok(()),
        Ok(inferred) => Err(vec![inference_mismatch(&dst, &inferred)]),
        Err(e) => Err(vec![broken!(reshape_c3, "{e}")]),
    }
}

pub(super) fn join(op: tt::Join<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.lhs()), tensor(op.result())) else {
        return Ok(());
    };
    let mut expected = src.shape.to_vec();
    expected.push(2);
    ensure!(
        join_c1,
        dst.shape == expected,
        "expected a result of shape {}, but got `{}`",
        dimensions(&expected),
        dst.type_
    );
    same_element(&src, &dst)?;
    both_or_neither(&src, &dst)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match view::split_last(&to.unique) {
        Ok(half) if half == from.unique => Ok(()),
        Ok(half) => Err(vec![
            broken!(
                join_c2,
                "halves of result type `{}` along the last dimension do not have the layout of the operands",
                dst.type_
            )
            .note(format!("each half of the result has the layout:{half}")),
        ]),
        Err(reason) => Err(vec![broken!(join_c2, "{reason}")]),
    }
}

pub(super) fn split(op: tt::Split<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.out_lhs())) else {
        return Ok(());
    };
    ensure!(
        split_c1,
        src.shape.last() == Some(&2),
        "requires an operand whose last dimension has size 2, but got `{}`",
        src.type_
    );
    let expected = &src.shape[..src.shape.len() - 1];
    ensure!(
        split_c3,
        dst.shape == expected,
        "expected results of shape {}, but got `{}`",
        dimensions(expected),
        dst.type_
    );
    same_element(&src, &dst)?;
    both_or_neither(&src, &dst)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match view::split_last(&from.unique) {
        Ok(half) if half == to.unique => Ok(()),
        Ok(half) => Err(vec![inference_mismatch(&dst, &half)]),
        Err(reason) => Err(vec![broken!(split_c2, "{reason}")]),
    }
}

pub(super) fn cat(op: tt::Cat<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.lhs()), tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        cat_c1,
        dst.num_elements() == 2 * src.num_elements(),
        "requires a result with {} elements, as many as both operands together, but got `{}`",
        2 * src.num_elements(),
        dst.type_
    );
    both_or_neither(&src, &dst)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    if to.num_registers() != 2 * from.num_registers() {
        return Err(vec![broken!(cat_c2, "requires a result with {} elements per thread, as many as both operands together, but got {}",
            2 * from.num_registers(),
            to.num_registers())
        .note(convert_note("the operands or the result"))]);
    }
    Ok(())
}
