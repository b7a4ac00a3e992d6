//! The rules of operations. Each carries the label that its operation's documentation gives it.
//!
//! What ODS checks (operand counts, element types) is not checked again here.

/// Stops at a rule that does not hold. The label of the rule stands behind it.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(vec![$crate::sys::Complaint::new(format!($($message)+))]);
        }
    };
}

/// Notes a rule that does not hold, and goes on. The label of the rule stands behind it.
macro_rules! rule {
    ($broken:ident, $holds:expr, $($message:tt)+) => {
        if !$holds {
            $broken.push($crate::sys::Complaint::new(format!($($message)+)));
        }
    };
}

mod amd;
mod barrier;
mod buffer;
mod cache;
mod cache_policy;
mod combine;
mod convert;
mod generic;
mod packed;
mod place;
mod product;
mod reinterpret;
mod tdm;
mod tensor_core;
mod tensor_memory;
mod tma;
mod warps;

pub(crate) use amd::static_offsets;
pub(crate) use buffer::type_rules;
pub(crate) use cache::policy;
pub(crate) use cache_policy::cache_policy;
pub use place::attribute;
pub(crate) use tensor_memory::can_store;

use crate::encoding::{Encoding, infer};
use crate::ir::{Layouts, TensorLayout, TensorType};
use crate::layout::Dim;
use crate::sys::{Complaint, build};
use melior::ir::attribute::{BoolAttribute, DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::sync::Arc;

type Verdict = Result<(), Vec<Complaint>>;

fn one(complaint: Complaint) -> Vec<Complaint> {
    vec![complaint]
}

/// Checks that all operands of an operation, and with `results` its results, have one encoding.
///
/// # Errors
/// The first two that differ.
pub fn same_encoding(op: OperationRef<'_, '_>, results: bool) -> Verdict {
    let types: Vec<TensorType<'_>> = op
        .operands()
        .map(|v| v.r#type())
        .chain(op.results().filter(|_| results).map(|v| v.r#type()))
        .filter_map(TensorType::of)
        .collect();
    let Some(first) = types.first() else {
        return Ok(());
    };
    for other in &types[1..] {
        if other.encoding.is_some() != first.encoding.is_some() {
            return Err(one(Complaint::new(format!(
                "needs an encoding on all operands{0}, or on none, but has `{1}` and `{2}`",
                if results { " and results" } else { "" },
                first.type_,
                other.type_
            )))); // ttg_c1
        }
        if other.encoding != first.encoding {
            return Err(one(Complaint::new(format!(
                "needs the same encoding for all operands{}, but has `{}` and `{}`",
                if results { " and results" } else { "" },
                first.type_,
                other.type_
            )) // ttg_c1
            .note("convert one of them with `ttg.convert_layout`")));
        }
    }
    Ok(())
}

/// Checks an operation's tensors against the module, then the operation's own rules.
///
/// # Errors
/// Every rule that is broken.
pub fn operation(op: OperationRef<'_, '_>) -> Verdict {
    let name = op.name();
    let name = name.as_string_ref().as_str().unwrap_or_default();
    place::operands_and_results(op, name)?;
    match name {
        "tt.make_range" => make_range(op),
        "tt.expand_dims" => expand_dims(op),
        "tt.broadcast" => broadcast(op),
        "tt.trans" => trans(op),
        "tt.reshape" => reshape(op),
        "tt.join" => join(op),
        "tt.cat" => cat(op),
        "tt.split" => split(op),
        "tt.gather" => convert::gather(op),
        "tt.unsplat" => convert::unsplat(op),
        "tt.bitcast" => convert::bitcast(op),
        "tt.fp_to_fp" => convert::fp_to_fp(op),
        "tt.load" => cache::load(op),
        "tt.store" => cache::store(op),
        "tt.atomic_load" => convert::atomic_access(op, &[1, 2]),
        "tt.atomic_store" => convert::atomic_access(op, &[1, 3]),
        "tt.atomic_poll" => convert::atomic_poll(op),
        "ttg.fp4_to_fp" => convert::fp4_to_fp(op),
        "ttg.inline_asm" => combine::assembly(op),
        "ttg.convert_layout" => convert::convert_layout(op),
        "tt.descriptor_load" => convert::descriptor(op, result_type(op, 0)),
        "tt.descriptor_store" | "tt.descriptor_reduce" => {
            convert::descriptor(op, operand_type(op, 1))
        }
        "tt.descriptor_gather" => convert::descriptor_gather(op, result_type(op, 0)),
        "tt.descriptor_scatter" => convert::descriptor_gather(op, operand_type(op, 3)),
        "tt.dot" => product::dot(op),
        "tt.dot_scaled" => product::dot_scaled(op),
        "ttng.warp_group_dot" => product::warp_group_dot(op),
        "tt.reduce" => combine::reduce(op),
        "tt.scan" => combine::scan(op),
        "tt.elementwise_inline_asm" => combine::inline_asm(op),
        "tt.map_elementwise" => combine::map_elementwise(op),
        "ttg.local_alloc" => buffer::local_alloc(op),
        "ttg.local_load" => buffer::local_load(op),
        "ttg.local_store" => buffer::local_store(op),
        "ttg.local_gather" => buffer::local_gather(op),
        "ttg.local_scatter" => buffer::local_scatter(op),
        "ttg.local_atomic_scatter_rmw" => buffer::local_atomic_scatter_rmw(op),
        "ttg.memdesc_index" => buffer::memdesc_index(op),
        "ttg.memdesc_subslice" => buffer::memdesc_subslice(op),
        "ttg.memdesc_trans" => buffer::memdesc_trans(op),
        "ttg.memdesc_reshape" => buffer::memdesc_reshape(op),
        "ttg.memdesc_reinterpret" => reinterpret::memdesc_reinterpret(op),
        "ttg.async_copy_global_to_local" => buffer::async_copy(op),
        "ttng.inval_barrier"
        | "ttng.wait_barrier"
        | "ttng.async_copy_mbarrier_arrive"
        | "amdg.wait_barrier"
        | "amdg.async_copy_mbarrier_arrive" => barrier::barrier(op),
        "amdg.init_barrier" | "amdg.arrive_barrier" => barrier::counted(op),
        "ttng.init_barrier" => barrier::init(op),
        "ttng.barrier_expect" => barrier::expect(op),
        "ttng.arrive_barrier" => barrier::arrive(op),
        "ttng.tc_gen5_commit" => barrier::commit(op),
        "ttng.clc_try_cancel" => barrier::try_cancel(op),
        "ttng.clc_try_cancel_sync" => barrier::try_cancel_sync(op),
        "ttng.clc_load_result" => barrier::load_result(op),
        "ttng.cluster_barrier" => barrier::cluster(op),
        "ttng.fence_mbarrier_init_release_cluster"
        | "amdg.cluster_barrier_arrive"
        | "amdg.cluster_barrier_wait" => barrier::in_cluster(op),
        "ttng.tmem_alloc" => tensor_memory::alloc(op),
        "ttng.tmem_load" => tensor_memory::load(op),
        "ttng.tmem_store" => tensor_memory::store(op),
        "ttng.tmem_copy" => tensor_memory::copy(op),
        "ttng.tmem_subslice" => tensor_memory::subslice(op),
        "ttng.tmem_wait" => tensor_core::on_blackwell(op),
        "ttng.tc_gen5_mma" => tensor_core::mma(op),
        "ttng.tc_gen5_mma_scaled" => tensor_core::mma_scaled(op),
        "ttng.packed_arith" => packed::packed_arith(op),
        "ttng.async_tma_copy_global_to_local" => tma::load(op),
        "ttng.async_tma_copy_local_to_global" => tma::store(op),
        "ttng.async_tma_reduce" => tma::reduce(op),
        "ttng.async_tma_gather" => tma::gather(op),
        "ttng.async_tma_scatter" => tma::scatter(op),
        "ttng.tensormap_create" => tma::tensormap_create(op),
        "ttng.async_shared_store" => tma::shared_store(op),
        "amdg.extract_slice" => amd::extract_slice(op),
        "amdg.concat" => amd::concat(op),
        "amdg.in_thread_transpose" => amd::in_thread_transpose(op),
        "amdg.scaled_upcast_fp4" => amd::scaled(op, amd::Packing::Operand),
        "amdg.scaled_downcast_fp4" => amd::scaled(op, amd::Packing::Result),
        "amdg.scaled_upcast_fp8" => amd::scaled_upcast_fp8(op),
        "amdg.scaled_downcast_fp8" => amd::scaled(op, amd::Packing::None),
        "amdg.local_load_packed_transposed" => amd::local_load_packed_transposed(op),
        "amdg.buffer_load_to_local" => amd::buffer_load_to_local(op),
        "amdg.buffer_load" => amd::buffer_access(op, 0, result_type(op, 0)),
        "amdg.buffer_store" => amd::buffer_write(op, 1, operand_type(op, 0)),
        "amdg.buffer_atomic_rmw" | "amdg.buffer_atomic_cas" => {
            amd::buffer_write(op, 0, result_type(op, 0))
        }
        "amdg.async_copy_local_to_global" => amd::async_copy_local_to_global(op),
        "amdg.async_tdm_copy_global_to_local" => tdm::load(op),
        "amdg.async_tdm_copy_local_to_global" => tdm::store(op),
        "amdg.async_tdm_fused_copy_global_to_local" => tdm::fused(op),
        "amdg.async_tdm_gather" => tdm::gather(op),
        "amdg.async_tdm_scatter" => tdm::scatter(op),
        "amdg.update_tensor_descriptor" => tdm::update(op),
        "amdg.tdm_prefetch" => tdm::prefetch(op),
        "ttng.warp_group_dot_wait" => product::warp_group_dot_wait(op),
        "ttg.warp_specialize" => warps::warp_specialize(op),
        "ttg.warp_specialize.partitions" => warps::partitions(op),
        "ttg.warp_yield" => warps::warp_yield(op),
        _ => Ok(()),
    }
}

/// The operands of one of an operation's operand groups, in the order of its declaration.
pub(crate) fn segment(op: OperationRef<'_, '_>, group: usize) -> std::ops::Range<usize> {
    let sizes: Vec<usize> = integers(op, "operandSegmentSizes")
        .iter()
        .map(|n| usize::try_from(*n).unwrap_or(0))
        .collect();
    let start = sizes.iter().take(group).sum();
    start..start + sizes.get(group).copied().unwrap_or(0)
}

pub(crate) fn integer(op: OperationRef<'_, '_>, name: &str) -> i64 {
    op.attribute(name)
        .ok()
        .and_then(|a| IntegerAttribute::try_from(a).ok())
        .map_or(0, |a| a.signed_value())
}

/// Whether an operation has a `bool` attribute that is true.
pub(super) fn flag(op: OperationRef<'_, '_>, name: &str) -> bool {
    op.attribute(name)
        .ok()
        .and_then(|a| BoolAttribute::try_from(a).ok())
        .is_some_and(|a| a.value())
}

/// The `order` attribute of `tt.trans`.
pub(crate) fn order(op: OperationRef<'_, '_>) -> Vec<i32> {
    integers(op, "order")
}

/// An attribute that is a list of 32-bit integers.
pub(crate) fn integers(op: OperationRef<'_, '_>, name: &str) -> Vec<i32> {
    op.attribute(name)
        .ok()
        .and_then(|a| DenseI32ArrayAttribute::try_from(a).ok())
        .map(|a| (0..a.len()).filter_map(|i| a.element(i).ok()).collect())
        .unwrap_or_default()
}

/// The type of an operand, where there is one.
///
/// melior's error for a missing operand prints the operation, which verifies it first: an operation
/// must not be asked for what it does not have while it is being verified.
fn operand_type<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<Type<'c>> {
    (i < op.operand_count()).then(|| build::operand(op, i).r#type())
}

/// The type of a result, where there is one; see [`operand_type`].
fn result_type<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<Type<'c>> {
    (i < op.result_count()).then(|| build::result(op, i).r#type())
}

fn operand<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<TensorType<'c>> {
    operand_type(op, i).and_then(TensorType::of)
}

fn result<'c>(op: OperationRef<'c, '_>, i: usize) -> Option<TensorType<'c>> {
    result_type(op, i).and_then(TensorType::of)
}

/// The layouts of two tensors, where both have one that is valid; the invalid ones have their own
/// complaint.
fn layouts(
    a: &TensorType<'_>,
    b: &TensorType<'_>,
) -> Option<(Arc<TensorLayout>, Arc<TensorLayout>)> {
    let cache = Layouts::of(context(a.type_));
    Some((cache.tensor(a).ok()?, cache.tensor(b).ok()?))
}

fn context(type_: Type<'_>) -> melior::ContextRef<'_> {
    use melior::ir::TypeLike;
    type_.context()
}

fn make_range(op: OperationRef<'_, '_>) -> Verdict {
    let (start, end) = (integer(op, "start"), integer(op, "end"));
    if start >= end {
        return Err(one(Complaint::new(format!(
            "needs `start` less than `end`, but has {start} and {end}"
        )))); // make_range_c1
    }
    let Some(tensor) = result(op, 0) else {
        return Ok(());
    };
    let mut complaints = Vec::new();
    if tensor.shape.len() != 1 {
        complaints.push(Complaint::new(format!(
            "needs a result of rank 1, but `{}` has rank {}",
            tensor.type_,
            tensor.shape.len()
        ))); // make_range_c2
    } else if i64::try_from(tensor.shape[0]) != Ok(end - start) {
        complaints.push(Complaint::new(format!(
            "ranges over [{start}, {end}), which has {} elements, but the result has {}",
            end - start,
            tensor.shape[0]
        ))); // make_range_c3
    }
    if super::tensor::element_bits(tensor.element) != Some(32) {
        complaints.push(Complaint::new(format!(
            "needs elements of type `i32`, but the result has `{}`",
            tensor.element
        ))); // make_range_c4
    }
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(complaints)
    }
}

fn expand_dims(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let axis = integer(op, "axis");
    let Some(axis) = usize::try_from(axis).ok().filter(|a| *a <= src.shape.len()) else {
        return Err(one(Complaint::new(format!(
            "has axis {axis}, but a tensor of rank {} takes axes 0 to {}",
            src.shape.len(),
            src.shape.len()
        )))); // expand_dims_c1
    };
    let mut expected = src.shape.to_vec();
    expected.insert(axis, 1);
    if dst.shape != expected {
        return Err(one(Complaint::new(format!(
            "makes the shape {}, but the result is `{}`",
            dimensions(&expected),
            dst.type_
        )))); // expand_dims_c2
    }
    let (Some(encoding), Some(parent)) = (src.encoding, dst.encoding) else {
        return both_or_neither(&src, &dst); // expand_dims_c4
    };
    let cache = Layouts::of(op.context());
    let (Ok(known), Ok(declared)) = (cache.encoding(encoding), cache.encoding(parent)) else {
        return Ok(());
    };
    match known.as_ref() {
        // The parent's spelling may differ where its layout does not.
        Encoding::Slice(slice)
            if slice.dim() == axis && infer::equivalent(slice.parent(), &declared, &expected) =>
        {
            Ok(())
        }
        _ => Err(one(Complaint::new(format!(
            "needs an operand whose encoding is a slice of the result's along dimension {axis}, but it is `{encoding}`"
        ))
        .note(format!("expected `#ttg.slice<{{dim = {axis}, parent = {parent}}}>`")))), // expand_dims_c3
    }
}

/// Where one of two tensors has a layout, so has the other.
fn both_or_neither(src: &TensorType<'_>, dst: &TensorType<'_>) -> Verdict {
    if src.encoding.is_some() == dst.encoding.is_some() {
        return Ok(());
    }
    Err(one(Complaint::new(
        "needs an encoding on both operand and result, or on neither",
    ))) // cat_c3, expand_dims_c4, join_c4, reshape_c2, split_c5, trans_c5
}

fn same_element(src: &TensorType<'_>, dst: &TensorType<'_>) -> Verdict {
    if src.element == dst.element {
        return Ok(());
    }
    Err(one(Complaint::new(format!(
        "needs a result of the operand's `{}`, but has `{}`",
        src.element, dst.type_
    )))) // join_c3, split_c4
}

/// A rank, and which axes there are, as the end of a complaint of another axis: `2; expected 0 to 1`.
fn axes(rank: usize) -> String {
    match rank.checked_sub(1) {
        Some(last) => format!("{rank}; expected 0 to {last}"),
        None => "0".to_owned(),
    }
}

fn dimensions(shape: &[u64]) -> String {
    shape
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join("x")
}

fn broadcast(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if src.shape.len() != dst.shape.len() {
        return Err(one(Complaint::new(format!(
            "needs operand and result of one rank, but has ranks {} and {}",
            src.shape.len(),
            dst.shape.len()
        )))); // broadcast_c1
    }
    let complaints: Vec<Complaint> = (0..src.shape.len())
        .filter(|i| src.shape[*i] != dst.shape[*i] && src.shape[*i] != 1)
        .map(|i| {
            Complaint::new(format!(
                "changes dimension {i} from {} to {}, but only a dimension of size 1 can be repeated",
                src.shape[i], dst.shape[i]
            ))
        })
        .collect(); // broadcast_c2
    if !complaints.is_empty() {
        return Err(complaints);
    }
    // Spellings that differ only where the operand has one element are one layout of the operand.
    let (Some(from), Some(to)) = (src.encoding, dst.encoding) else {
        return Ok(());
    };
    let cache = Layouts::of(op.context());
    if from == to {
        return Ok(());
    }
    let unique = |encoding: melior::ir::Attribute<'_>| {
        cache
            .encoding(encoding)
            .ok()?
            .to_linear_layout(src.shape)
            .ok()?
            .remove_zero_bases(Dim::REGISTER)
            .ok()
    };
    match (unique(from), unique(to)) {
        (Some(a), Some(b)) if a == b => Ok(()),
        _ => Err(one(Complaint::new(format!(
            "needs the same layout for operand and result, but has `{}` and `{}`",
            src.type_, dst.type_
        )) // broadcast_c3
        .note("convert one of them with `ttg.convert_layout`"))),
    }
}

fn trans(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let order = order(op);
    let rank = src.shape.len();
    if order.len() != rank {
        return Err(one(Complaint::new(format!(
            "needs an `order` of {rank} entries for `{}`, but has {}",
            src.type_,
            order.len()
        )))); // trans_c1
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted
        .iter()
        .copied()
        .eq(0..i32::try_from(rank).unwrap_or(0))
    {
        return Err(one(Complaint::new(format!(
            "needs a permutation of 0 to {} as `order`, but has {order:?}",
            rank.saturating_sub(1)
        )))); // trans_c2
    }
    let order: Vec<usize> = order
        .iter()
        .filter_map(|d| usize::try_from(*d).ok())
        .collect();
    let expected: Vec<u64> = order.iter().map(|d| src.shape[*d]).collect();
    if dst.shape != expected {
        return Err(one(Complaint::new(format!(
            "makes the shape {}, but the result is `{}`",
            dimensions(&expected),
            dst.type_
        )))); // trans_c3
    }
    both_or_neither(&src, &dst)?; // trans_c5
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match super::view::transposed(&from.full, &order) {
        Ok(inferred) if inferred == to.full => Ok(()),
        Ok(inferred) => Err(inference_mismatch(&dst, &inferred)), // trans_c4
        Err(e) => Err(one(Complaint::new(e.to_string()))),        // trans_c4
    }
}

fn reshape(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if src.num_elements() != dst.num_elements() {
        return Err(one(Complaint::new(format!(
            "needs as many elements in the result as in the operand, but has {} and {}",
            dst.num_elements(),
            src.num_elements()
        )))); // reshape_c1
    }
    both_or_neither(&src, &dst)?; // reshape_c2
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    // Elements may change places, but none may be copied or dropped: as many in each thread, and
    // copies of others' elements in the same registers and threads.
    let copies = |layout: &TensorLayout| {
        let masks = layout.full.free_variable_masks();
        [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK].map(|dim| masks.mask(dim))
    };
    if op.has_attribute("allow_reorder")
        && from.full.in_size(Dim::REGISTER) == to.full.in_size(Dim::REGISTER)
        && copies(&from) == copies(&to)
    {
        return Ok(());
    }
    match super::view::reshaped(&from.full, dst.shape) {
        Ok(inferred) if inferred == to.full => Ok(()),
        Ok(inferred) => Err(inference_mismatch(&dst, &inferred)), // reshape_c3
        Err(e) => Err(one(Complaint::new(e.to_string()))),        // reshape_c3
    }
}

fn inference_mismatch(
    declared: &TensorType<'_>,
    inferred: &crate::layout::LinearLayout,
) -> Vec<Complaint> {
    one(Complaint::new(format!(
        "has a result `{}` whose layout is not the one that follows from the operand",
        declared.type_
    )) // trans_c4, reshape_c3, split_c2
    .note(format!("the layout that follows is:{inferred}")))
}

fn join(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let mut expected = src.shape.to_vec();
    expected.push(2);
    if dst.shape != expected {
        return Err(one(Complaint::new(format!(
            "makes the shape {}, but the result is `{}`",
            dimensions(&expected),
            dst.type_
        )))); // join_c1
    }
    same_element(&src, &dst)?; // join_c3
    both_or_neither(&src, &dst)?; // join_c4
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match super::view::split_last(&to.unique) {
        Ok(half) if half == from.unique => Ok(()),
        Ok(half) => Err(one(Complaint::new(format!(
            "has a result `{}` that does not hold each operand in the operand's layout",
            dst.type_
        ))
        .note(format!("half of the result has the layout:{half}")))), // join_c2
        Err(reason) => Err(one(Complaint::new(reason))), // join_c2
    }
}

fn split(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if src.shape.last() != Some(&2) {
        return Err(one(Complaint::new(format!(
            "needs an operand whose last dimension has size 2, but has `{}`",
            src.type_
        )))); // split_c1
    }
    let expected = &src.shape[..src.shape.len() - 1];
    if dst.shape != expected {
        return Err(one(Complaint::new(format!(
            "makes the shape {}, but the results are `{}`",
            dimensions(expected),
            dst.type_
        )))); // split_c3
    }
    same_element(&src, &dst)?; // split_c4
    both_or_neither(&src, &dst)?; // split_c5
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match super::view::split_last(&from.unique) {
        Ok(half) if half == to.unique => Ok(()),
        Ok(half) => Err(inference_mismatch(&dst, &half)), // split_c2
        Err(reason) => Err(one(Complaint::new(reason))),  // split_c2
    }
}

fn cat(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if dst.num_elements() != 2 * src.num_elements() {
        return Err(one(Complaint::new(format!(
            "needs a result with the {} elements of both operands, but has `{}`",
            2 * src.num_elements(),
            dst.type_
        )))); // cat_c1
    }
    both_or_neither(&src, &dst)?; // cat_c3
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    if to.num_registers() != 2 * from.num_registers() {
        return Err(one(Complaint::new(format!(
            "needs a result with {} elements in each thread, those of both operands, but its layout has {}",
            2 * from.num_registers(),
            to.num_registers()
        ))
        .note("convert the operands or the result with `ttg.convert_layout`"))); // cat_c2
    }
    Ok(())
}
