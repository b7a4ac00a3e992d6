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
        "needs a result of the operand's `{}`, but has `{}`",
        src.element,
        dst.type_
    );
    Ok(())
}

pub(super) fn make_range(op: tt::MakeRange<'_, '_>) -> Verdict {
    let (start, end) = (op.start(), op.end());
    ensure!(
        make_range_c1,
        start < end,
        "needs `start` less than `end`, but has {start} and {end}"
    );
    let Some(tensor) = tensor(op.result()) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    if tensor.shape.len() != 1 {
        diagnostics.push(broken!(
            make_range_c2,
            "needs a result of rank 1, but `{}` has rank {}",
            tensor.type_,
            tensor.shape.len()
        ));
    } else if i64::try_from(tensor.shape[0]) != Ok(end - start) {
        diagnostics.push(broken!(
            make_range_c3,
            "ranges over [{start}, {end}), which has {} elements, but the result has {}",
            end - start,
            tensor.shape[0]
        ));
    }
    rule!(
        diagnostics,
        make_range_c4,
        element_bits(tensor.element) == Some(32),
        "needs elements of type `i32`, but the result has `{}`",
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
            "has axis {axis}, but a tensor of rank {} takes axes 0 to {}",
            src.shape.len(),
            src.shape.len()
        )]);
    };
    let mut expected = src.shape.to_vec();
    expected.insert(axis, 1);
    ensure!(
        expand_dims_c2,
        dst.shape == expected,
        "makes the shape {}, but the result is `{}`",
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
        _ => Err(vec![broken!(expand_dims_c3, "needs an operand whose encoding is a slice of the result's along dimension {axis}, but it is `{encoding}`")
        .note(format!("expected `#ttg.slice<{{dim = {axis}, parent = {parent}}}>`"))]),
    }
}

pub(super) fn broadcast(op: tt::Broadcast<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (tensor(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    ensure!(
        broadcast_c1,
        src.shape.len() == dst.shape.len(),
        "needs operand and result of one rank, but has ranks {} and {}",
        src.shape.len(),
        dst.shape.len()
    );
    let diagnostics: Vec<Diagnostic> = (0..src.shape.len())
        .filter(|i| src.shape[*i] != dst.shape[*i] && src.shape[*i] != 1)
        .map(|i| {
            broken!(broadcast_c2, "changes dimension {i} from {} to {}, but only a dimension of size 1 can be repeated",
                src.shape[i], dst.shape[i])
        })
        .collect();
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    // Spellings may differ only where the operand has size 1.
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
                "needs the same layout for operand and result, but has `{}` and `{}`",
                src.type_,
                dst.type_
            )
            .note(convert_note("one of them")),
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
        "needs an `order` of {rank} entries for `{}`, but has {}",
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
        "needs a permutation of 0 to {} as `order`, but has {order:?}",
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
        "makes the shape {}, but the result is `{}`",
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
        "needs as many elements in the result as in the operand, but has {} and {}",
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
        "makes the shape {}, but the result is `{}`",
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
                "has a result `{}` that does not hold each operand in the operand's layout",
                dst.type_
            )
            .note(format!("half of the result has the layout:{half}")),
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
        "needs an operand whose last dimension has size 2, but has `{}`",
        src.type_
    );
    let expected = &src.shape[..src.shape.len() - 1];
    ensure!(
        split_c3,
        dst.shape == expected,
        "makes the shape {}, but the results are `{}`",
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
        "needs a result with the {} elements of both operands, but has `{}`",
        2 * src.num_elements(),
        dst.type_
    );
    both_or_neither(&src, &dst)?;
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    if to.num_registers() != 2 * from.num_registers() {
        return Err(vec![broken!(cat_c2, "needs a result with {} elements in each thread, those of both operands, but its layout has {}",
            2 * from.num_registers(),
            to.num_registers())
        .note(convert_note("the operands or the result"))]);
    }
    Ok(())
}
