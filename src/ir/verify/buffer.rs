//! Rules of operations on shared-memory buffers, and of their views.

use super::common::{
    Verdict, axes, axis_within, broken, buffer, dimensions, encoding_of, ensure, memory_name, rule,
    tensor, verdict,
};
use super::memdesc::{SHARED, is_in};
use crate::ir::TensorType;
use crate::ir::ops::ttg;
use crate::sys::{self, BufferType, Diagnostic};
use linear_layout::encoding::{Encoding, EncodingError, infer};
use linear_layout::layout::Dim;

pub(super) fn same_contents(tensor: &TensorType<'_>, buffer: &BufferType<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        local_alloc_c1
            | local_load_c1
            | local_store_c2
            | tmem_alloc_c6
            | tmem_load_c11
            | tmem_store_c5
            | async_shared_store_c3,
        tensor.element == buffer.element,
        "requires a tensor and a buffer of the same element type, but got `{}` and `{}`",
        tensor.element,
        buffer.element
    );
    rule!(
        diagnostics,
        local_alloc_c2
            | local_load_c2
            | local_store_c3
            | tmem_alloc_c7
            | tmem_load_c12
            | tmem_store_c6
            | async_shared_store_c4,
        tensor.shape == buffer.shape,
        "requires a tensor and a buffer of the same shape, but got {} and {}",
        dimensions(tensor.shape),
        dimensions(&buffer.shape)
    );
    diagnostics
}

pub(super) fn in_memory(buffer: &BufferType<'_>, memory: &str) -> Option<Diagnostic> {
    (!is_in(buffer, memory)).then(|| {
        broken!(
            local_alloc_c4 | local_gather_c1 | local_scatter_c2 | memdesc_subslice_c6,
            "requires a buffer in `{memory}`, but the buffer is in `{}`",
            memory_name(buffer)
        )
    })
}

pub(super) fn writable(buffer: &BufferType<'_>) -> Option<Diagnostic> {
    (!buffer.is_mutable).then(|| {
        broken!(
            local_store_c1
                | local_atomic_scatter_rmw_c1
                | async_copy_global_to_local_c1
                | async_shared_store_c1
                | tma_c11
                | tmem_copy_c3
                | tmem_store_c4,
            "must not write to an immutable buffer"
        )
        .note("make the buffer `mutable` in its type")
    })
}

pub(super) fn local_alloc(op: ttg::LocalAlloc<'_, '_>) -> Verdict {
    let Some(buffer) = buffer(op.result()) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    match op.src().and_then(tensor) {
        Some(contents) => {
            ensure_rank(&contents, &buffer)?;
            diagnostics.extend(same_contents(&contents, &buffer));
        }
        None if !buffer.is_mutable => diagnostics.push(
            broken!(
                local_alloc_c3,
                "requires an initial value for an immutable buffer"
            )
            .note("make the buffer `mutable` in its type, or add an initial value"),
        ),
        None => {}
    }
    diagnostics.extend(in_memory(&buffer, SHARED));
    rule!(
        diagnostics,
        local_alloc_c5,
        buffer.shape == buffer.alloc_shape,
        "result type is a view of shape {} in an allocation of shape {}; expected a whole buffer",
        dimensions(&buffer.shape),
        dimensions(&buffer.alloc_shape)
    );
    verdict(diagnostics)
}

pub(super) fn local_load(op: ttg::LocalLoad<'_, '_>) -> Verdict {
    let (Some(buffer), Some(tensor)) = (buffer(op.src()), tensor(op.result())) else {
        return Ok(());
    };
    ensure_rank(&tensor, &buffer)?;
    verdict(same_contents(&tensor, &buffer))
}

fn ensure_rank(tensor: &TensorType<'_>, buffer: &BufferType<'_>) -> Verdict {
    let rank = encoding_of(buffer).map_or(tensor.shape.len(), |e| e.rank());
    ensure!(
        local_alloc_c6 | local_load_c3 | local_store_c4,
        tensor.shape.len() == rank,
        "tensor `{}` has rank {}; expected {rank}, the rank of the buffer's encoding",
        tensor.type_,
        tensor.shape.len()
    );
    Ok(())
}

pub(super) fn local_store(op: ttg::LocalStore<'_, '_>) -> Verdict {
    let (Some(tensor), Some(buffer)) = (tensor(op.src()), buffer(op.dst())) else {
        return Ok(());
    };
    let mut diagnostics: Vec<Diagnostic> = writable(&buffer).into_iter().collect();
    ensure_rank(&tensor, &buffer)?;
    diagnostics.extend(same_contents(&tensor, &buffer));
    verdict(diagnostics)
}

/// Checks the buffer, the indices and the values of a gather or scatter.
fn indexed(
    buffer: &BufferType<'_>,
    rank: usize,
    axis: i64,
    indices: &TensorType<'_>,
    values: &TensorType<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = in_memory(buffer, SHARED).into_iter().collect();
    rule!(
        diagnostics,
        local_gather_c2 | local_scatter_c3,
        indices.shape == values.shape,
        "requires indices and values of the same shape, but got {} and {}",
        dimensions(indices.shape),
        dimensions(values.shape)
    );
    rule!(
        diagnostics,
        local_gather_c3 | local_scatter_c4,
        rank == indices.shape.len(),
        "requires a buffer and indices of the same rank, but got {rank} and {}",
        indices.shape.len()
    );
    rule!(
        diagnostics,
        local_gather_c4 | local_scatter_c5,
        axis_within(axis, buffer.shape.len()).is_some(),
        "axis {axis} is out of bounds for the buffer of rank {}",
        axes(buffer.shape.len())
    );
    rule!(
        diagnostics,
        local_gather_c5 | local_scatter_c6,
        values.element == buffer.element,
        "requires values and a buffer of the same element type, but got `{}` and `{}`",
        values.element,
        buffer.element
    );
    rule!(
        diagnostics,
        local_gather_c6 | local_scatter_c7,
        values.encoding == indices.encoding,
        "requires indices and values of the same layout, but got `{}` and `{}`",
        indices.type_,
        values.type_
    );
    diagnostics
}

pub(super) fn local_gather(op: ttg::LocalGather<'_, '_>) -> Verdict {
    let (Some(buffer), Some(indices), Some(values)) =
        (buffer(op.src()), tensor(op.indices()), tensor(op.result()))
    else {
        return Ok(());
    };
    let rank = buffer.shape.len();
    verdict(indexed(&buffer, rank, op.axis(), &indices, &values))
}

pub(super) fn local_scatter(op: ttg::LocalScatter<'_, '_>) -> Verdict {
    let (Some(buffer), Some(values), Some(indices)) =
        (buffer(op.dst()), tensor(op.values()), tensor(op.indices()))
    else {
        return Ok(());
    };
    let rank = buffer.shape.len();
    verdict(indexed(&buffer, rank, op.axis(), &indices, &values))
}

pub(super) fn local_atomic_scatter_rmw(op: ttg::LocalAtomicScatterRMW<'_, '_>) -> Verdict {
    let buffer = buffer(op.dst());
    if let Some(diagnostic) = buffer.as_ref().and_then(writable) {
        return Err(vec![diagnostic]);
    }
    let values = tensor(op.values());
    if let Some(values) = &values {
        ensure!(
            local_atomic_scatter_rmw_c2,
            sys::pointer(values.element).is_none(),
            "requires values of integer or float type, but got `{}`",
            values.type_
        );
    }
    let (Some(buffer), Some(values), Some(indices)) = (buffer, values, tensor(op.indices())) else {
        return Ok(());
    };
    // A buffer of a multi-buffer has the rank of the encoding.
    let rank = encoding_of(&buffer).map_or(buffer.shape.len(), |e| e.rank());
    verdict(indexed(&buffer, rank, op.axis(), &indices, &values))
}

pub(super) fn memdesc_index(op: ttg::MemDescIndex<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.result())) else {
        return Ok(());
    };
    let mut diagnostics = same_buffer(&src, &dst);
    if dst.shape != src.shape[1..] {
        diagnostics.push(broken!(
            memdesc_index_c5,
            "expected a result of shape {}, but got {}",
            dimensions(&src.shape[1..]),
            dimensions(&dst.shape)
        ));
        return Err(diagnostics);
    }
    rule!(
        diagnostics,
        memdesc_index_c6,
        src.alloc_shape.len() == src.shape.len()
            && src.alloc_shape[src.alloc_shape.len() - src.shape.len() + 1..] == src.shape[1..],
        "operand is a view of shape {} in an allocation of shape {}; expected the same shape, except for the \
         first dimension",
        dimensions(&src.shape),
        dimensions(&src.alloc_shape)
    );
    rule!(
        diagnostics,
        memdesc_index_c7,
        dst.alloc_shape == dst.shape,
        "result type is a view of shape {} in an allocation of shape {}; expected a whole buffer",
        dimensions(&dst.shape),
        dimensions(&dst.alloc_shape)
    );
    verdict(diagnostics)
}

/// Checks that a view has the element type and the encoding of its operand.
fn same_buffer(src: &BufferType<'_>, dst: &BufferType<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        memdesc_index_c1 | memdesc_subslice_c1,
        src.element == dst.element,
        "result has element type `{}`, but the operand has `{}`; expected the same element type",
        dst.element,
        src.element
    );
    if src.encoding != dst.encoding {
        let text = |b: &BufferType<'_>| b.encoding.map_or_else(String::new, |e| e.to_string());
        diagnostics.push(broken!(
            memdesc_index_c2 | memdesc_subslice_c2,
            "result has encoding `{}`, but the operand has `{}`; expected the same encoding",
            text(dst),
            text(src)
        ));
    }
    diagnostics
}

pub(super) fn memdesc_subslice(op: ttg::MemDescSubslice<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.result())) else {
        return Ok(());
    };
    let mut diagnostics = same_buffer(&src, &dst);
    let offsets = op.offsets();
    if offsets.len() != src.shape.len() || dst.shape.len() != src.shape.len() {
        diagnostics.push(broken!(
            memdesc_subslice_c3,
            "operand has rank {}, result has rank {}, and there are {} offsets; expected these numbers to be \
             equal",
            src.shape.len(),
            dst.shape.len(),
            offsets.len()
        ));
        return Err(diagnostics);
    }
    rule!(
        diagnostics,
        memdesc_subslice_c5,
        src.alloc_shape == dst.alloc_shape,
        "result type has allocation shape {}; expected {}, the allocation shape of the operand",
        dimensions(&dst.alloc_shape),
        dimensions(&src.alloc_shape)
    );
    diagnostics.extend(in_memory(&src, SHARED));
    // The leading (multi-buffer) dimension may be cut freely.
    let leading = encoding_of(&src).map_or(0, |encoding| {
        src.shape.len().saturating_sub(encoding.rank())
    });
    for (i, offset) in offsets.iter().enumerate() {
        let (from, to) = (src.shape[i], dst.shape[i]);
        let end = u64::try_from(*offset).map_or(u64::MAX, |offset| offset + to);
        if from == to && *offset != 0 {
            diagnostics.push(broken!(
                memdesc_subslice_c7,
                "offset in dimension {i} is {offset}; expected 0, because the slice has the full size of the \
                 dimension"
            ));
        } else if end > from {
            diagnostics.push(broken!(
                memdesc_subslice_c8,
                "slice of size {to} at offset {offset} is out of bounds in dimension {i} of size {from}"
            ));
        } else if i >= leading && !end.is_multiple_of(to) {
            diagnostics.push(broken!(
                memdesc_subslice_c9,
                "requires an offset that is a multiple of {to} in dimension {i}, but got {offset}"
            ));
        }
    }
    diagnostics.extend(uncut_swizzle(&src, &dst));
    verdict(diagnostics)
}

/// Checks that the bounds of a subview are at boundaries of the swizzle pattern.
fn uncut_swizzle(src: &BufferType<'_>, dst: &BufferType<'_>) -> Option<Diagnostic> {
    let encoding = encoding_of(src)?;
    let rank = encoding.rank();
    let leading = src.shape.len() - rank;
    if src.shape == dst.shape {
        return None;
    }
    let is_padded = match &*encoding {
        Encoding::PartitionedShared(e) => matches!(e.partition_layout(), Encoding::PaddedShared(_)),
        e => matches!(e, Encoding::PaddedShared(_)),
    };
    let layout = match &*encoding {
        _ if is_padded && leading > 0 => {
            return Some(broken!(
                memdesc_subslice_c10,
                "cannot slice a multi-buffer with padding: the operand has rank {}, but `{encoding}` has \
                 rank {rank}; select one buffer with `ttg.memdesc_index` first",
                src.shape.len()
            ));
        }
        Encoding::PaddedShared(e) => e.linear_component().clone(),
        e => {
            let alloc = &src.alloc_shape[src.alloc_shape.len() - rank..];
            e.to_linear_layout(alloc).ok()?
        }
    };
    let inverse = layout.pseudoinvert().ok()?;
    let at = inverse.out_index(Dim::OFFSET)?;
    for i in 0..rank {
        let (from, to) = (src.shape[leading + i], dst.shape[leading + i]);
        let mut size = to;
        while size < from {
            let point: Vec<(Dim, u64)> = (0..rank)
                .map(|d| (Dim::out(d), if d == i { size } else { 0 }))
                .collect();
            let offset = inverse.apply(&point).map_or(0, |place| place.at(at));
            if !offset.is_power_of_two() && offset != 0 {
                return Some(broken!(
                    memdesc_subslice_c11,
                    "slice of size {to} in dimension {0} splits a swizzle period of `{encoding}`: element \
                     {size} of dimension {0} has memory offset {offset}; expected a power of two",
                    leading + i
                ));
            }
            size *= 2;
        }
    }
    None
}

fn inferred(
    dst: &BufferType<'_>,
    declared: &Encoding,
    expected: Result<Encoding, EncodingError>,
) -> Vec<Diagnostic> {
    let expected = match expected {
        Ok(expected) => expected,
        Err(e) if e.is_inference() => {
            return vec![broken!(memdesc_trans_c3 | memdesc_reshape_c3, "{e}")];
        }
        Err(e) => {
            let diagnostic = broken!(
                memdesc_trans_c3 | memdesc_reshape_c3,
                "operand has no valid layout: {e}"
            );
            // The encoding's own rule is more specific.
            return vec![match e.rule() {
                Some(rule) => diagnostic.of_rules([rule]),
                None => diagnostic,
            }];
        }
    };
    let shape = &dst.alloc_shape[dst.alloc_shape.len().saturating_sub(expected.rank())..];
    if infer::equivalent(&expected, declared, shape) {
        return Vec::new();
    }
    vec![
        broken!(
            memdesc_trans_c3 | memdesc_reshape_c3,
            "result encoding `{declared}` does not have the layout inferred from the operand"
        )
        .note(format!("expected `{expected}`")),
    ]
}

pub(super) fn memdesc_trans(op: ttg::MemDescTrans<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.result())) else {
        return Ok(());
    };
    let order: Vec<usize> = op
        .order()
        .iter()
        .map(|o| usize::try_from(*o).unwrap_or(usize::MAX))
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    ensure!(
        memdesc_trans_c1,
        sorted.iter().copied().eq(0..src.shape.len()),
        "requires a permutation of 0 to {} as `order`, but got {:?}",
        src.shape.len().saturating_sub(1),
        op.order()
    );
    let expected: Vec<u64> = order.iter().map(|o| src.shape[*o]).collect();
    ensure!(
        memdesc_trans_c2,
        dst.shape == expected,
        "expected a result of shape {}, but got {}",
        dimensions(&expected),
        dimensions(&dst.shape)
    );
    let mut diagnostics = same_memory(&src, &dst);
    let leading = src.alloc_shape.len() - order.len();
    let mut alloc = src.alloc_shape[..leading].to_vec();
    alloc.extend(order.iter().map(|o| src.alloc_shape[leading + o]));
    diagnostics.extend(same_allocation(&dst, &alloc));
    if let (Some(from), Some(to)) = (encoding_of(&src), encoding_of(&dst)) {
        let rank = from.rank();
        if rank == order.len() && src.alloc_shape.len() >= rank {
            let shape = &src.alloc_shape[src.alloc_shape.len() - rank..];
            diagnostics.extend(inferred(&dst, &to, infer::trans(&from, shape, &order)));
        }
    }
    verdict(diagnostics)
}

fn same_allocation(dst: &BufferType<'_>, expected: &[u64]) -> Option<Diagnostic> {
    (dst.alloc_shape != expected).then(|| {
        broken!(
            memdesc_trans_c6 | memdesc_reshape_c6,
            "expected a result with allocation shape {}, but got {}",
            dimensions(expected),
            dimensions(&dst.alloc_shape)
        )
    })
}

pub(super) fn same_memory(src: &BufferType<'_>, dst: &BufferType<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    rule!(
        diagnostics,
        memdesc_trans_c4 | memdesc_reshape_c4 | memdesc_reinterpret_c1,
        src.memory_space == dst.memory_space,
        "operand is in `{}`, but the result is in `{}`; expected the same memory space",
        memory_name(src),
        memory_name(dst)
    );
    rule!(
        diagnostics,
        memdesc_trans_c5 | memdesc_reshape_c5 | memdesc_reinterpret_c2,
        src.is_mutable == dst.is_mutable,
        "only the {} is `mutable`; expected operand and result to be both mutable or both immutable",
        if src.is_mutable { "operand" } else { "result" }
    );
    diagnostics
}

pub(super) fn memdesc_reshape(op: ttg::MemDescReshape<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (buffer(op.src()), buffer(op.result())) else {
        return Ok(());
    };
    let count = |shape: &[u64]| shape.iter().product::<u64>();
    ensure!(
        memdesc_reshape_c1,
        count(&src.shape) == count(&dst.shape),
        "requires the same number of elements in result and operand, but got {} and {}",
        count(&dst.shape),
        count(&src.shape)
    );
    let mut diagnostics = same_memory(&src, &dst);
    let leading = src.alloc_shape.len().saturating_sub(src.shape.len());
    if src.alloc_shape[leading..] != src.shape {
        diagnostics.push(broken!(
            memdesc_reshape_c2,
            "operand is a view of shape {} in an allocation of shape {}; expected a whole buffer",
            dimensions(&src.shape),
            dimensions(&src.alloc_shape)
        ));
        return Err(diagnostics);
    }
    let mut alloc = src.alloc_shape[..leading].to_vec();
    alloc.extend(&dst.shape);
    diagnostics.extend(same_allocation(&dst, &alloc));
    if let (Some(from), Some(to)) = (encoding_of(&src), encoding_of(&dst))
        && from.rank() == src.shape.len()
        && to.rank() == dst.shape.len()
    {
        // A partitioned encoding has only one spelling.
        let expected = if reshaped_pieces(&from, &src.shape, &to, &dst.shape) {
            Ok((*to).clone())
        } else {
            infer::reshape(&from, &src.shape, &dst.shape)
        };
        diagnostics.extend(inferred(&dst, &to, expected));
    }
    verdict(diagnostics)
}

/// Returns true if `from` and `to` are both partitioned shared-memory encodings, and a reshape from `src` to `dst`
/// turns the layout of `from` into the layout of `to`. Here, `src` is the shape of the buffer with encoding `from`,
/// and `dst` is that of the buffer with encoding `to`.
fn reshaped_pieces(from: &Encoding, src: &[u64], to: &Encoding, dst: &[u64]) -> bool {
    let is_partitioned = |e: &Encoding| matches!(e, Encoding::PartitionedShared(_));
    let reshaped = || {
        let layout = from.to_linear_layout(src).ok()?;
        layout.reshape_standard(dst).ok()
    };
    is_partitioned(from)
        && is_partitioned(to)
        && reshaped().is_some_and(|found| to.to_linear_layout(dst).is_ok_and(|l| l == found))
}

pub(super) fn async_copy(op: ttg::AsyncCopyGlobalToLocal<'_, '_>) -> Verdict {
    match buffer(op.result()).as_ref().and_then(writable) {
        Some(diagnostic) => Err(vec![diagnostic]),
        None => Ok(()),
    }
}
