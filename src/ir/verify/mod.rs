//! The rules of operations. Each carries the label that its operation's documentation gives it.
//!
//! What ODS checks (operand counts, element types) is not checked again here.

/// Stops at a rule that does not hold. The label of the rule stands behind it.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(vec![$crate::sys::Diagnostic::new(format!($($message)+))]);
        }
    };
}

/// Notes a rule that does not hold, and goes on. The label of the rule stands behind it.
macro_rules! rule {
    ($broken:ident, $holds:expr, $($message:tt)+) => {
        if !$holds {
            $broken.push($crate::sys::Diagnostic::new(format!($($message)+)));
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
mod function;
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
use crate::ir::{Layouts, OpKind, TensorLayout, TensorType};
use crate::layout::Dim;
use crate::sys::{Diagnostic, build};
use melior::ir::attribute::{BoolAttribute, DenseI32ArrayAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::sync::Arc;

type Verdict = Result<(), Vec<Diagnostic>>;

fn one(diagnostic: Diagnostic) -> Vec<Diagnostic> {
    vec![diagnostic]
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
            return Err(one(Diagnostic::new(format!(
                "needs an encoding on all operands{0}, or on none, but has `{1}` and `{2}`",
                if results { " and results" } else { "" },
                first.type_,
                other.type_
            )))); // ttg_c1
        }
        if other.encoding != first.encoding {
            return Err(one(Diagnostic::new(format!(
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
    let Some(kind) = OpKind::of(op) else {
        return Ok(());
    };
    place::operands_and_results(op, kind)?;
    use OpKind as K;
    match kind {
        K::TtFunc => function::function(op),
        K::TtMakeRange => make_range(op),
        K::TtExpandDims => expand_dims(op),
        K::TtBroadcast => broadcast(op),
        K::TtTrans => trans(op),
        K::TtReshape => reshape(op),
        K::TtJoin => join(op),
        K::TtCat => cat(op),
        K::TtSplit => split(op),
        K::TtGather => convert::gather(op),
        K::TtUnsplat => convert::unsplat(op),
        K::TtBitcast => convert::bitcast(op),
        K::TtFpToFp => convert::fp_to_fp(op),
        K::TtLoad => cache::load(op),
        K::TtStore => cache::store(op),
        K::TtAtomicLoad => convert::atomic_access(op, &[1, 2]),
        K::TtAtomicStore => convert::atomic_access(op, &[1, 3]),
        K::TtAtomicPoll => convert::atomic_poll(op),
        K::TtgFp4ToFp => convert::fp4_to_fp(op),
        K::TtgInlineAsm => combine::assembly(op),
        K::TtgConvertLayout => convert::convert_layout(op),
        K::TtDescriptorLoad => convert::descriptor(op, result_type(op, 0)),
        K::TtDescriptorStore | K::TtDescriptorReduce => {
            convert::descriptor(op, operand_type(op, 1))
        }
        K::TtDescriptorGather => convert::descriptor_gather(op, result_type(op, 0)),
        K::TtDescriptorScatter => convert::descriptor_gather(op, operand_type(op, 3)),
        K::TtDot => product::dot(op),
        K::TtDotScaled => product::dot_scaled(op),
        K::TtngWarpGroupDot => product::warp_group_dot(op),
        K::TtReduce => combine::reduce(op),
        K::TtScan => combine::scan(op),
        K::TtElementwiseInlineAsm => combine::inline_asm(op),
        K::TtMapElementwise => combine::map_elementwise(op),
        K::TtgLocalAlloc => buffer::local_alloc(op),
        K::TtgLocalLoad => buffer::local_load(op),
        K::TtgLocalStore => buffer::local_store(op),
        K::TtgLocalGather => buffer::local_gather(op),
        K::TtgLocalScatter => buffer::local_scatter(op),
        K::TtgLocalAtomicScatterRMW => buffer::local_atomic_scatter_rmw(op),
        K::TtgMemDescIndex => buffer::memdesc_index(op),
        K::TtgMemDescSubslice => buffer::memdesc_subslice(op),
        K::TtgMemDescTrans => buffer::memdesc_trans(op),
        K::TtgMemDescReshape => buffer::memdesc_reshape(op),
        K::TtgMemDescReinterpret => reinterpret::memdesc_reinterpret(op),
        K::TtgAsyncCopyGlobalToLocal => buffer::async_copy(op),
        K::TtngInvalBarrier
        | K::TtngWaitBarrier
        | K::TtngAsyncCopyMbarrierArrive
        | K::AmdgWaitBarrier
        | K::AmdgAsyncCopyMbarrierArrive => barrier::barrier(op),
        K::AmdgInitBarrier | K::AmdgArriveBarrier => barrier::counted(op),
        K::TtngInitBarrier => barrier::init(op),
        K::TtngBarrierExpect => barrier::expect(op),
        K::TtngArriveBarrier => barrier::arrive(op),
        K::TtngTCGen5Commit => barrier::commit(op),
        K::TtngCLCTryCancel => barrier::try_cancel(op),
        K::TtngCLCTryCancelSync => barrier::try_cancel_sync(op),
        K::TtngCLCLoadResult => barrier::load_result(op),
        K::TtngClusterBarrier => barrier::cluster(op),
        K::TtngFenceMBarrierInitReleaseCluster
        | K::AmdgClusterBarrierArrive
        | K::AmdgClusterBarrierWait => barrier::in_cluster(op),
        K::TtngTMEMAlloc => tensor_memory::alloc(op),
        K::TtngTMEMLoad => tensor_memory::load(op),
        K::TtngTMEMStore => tensor_memory::store(op),
        K::TtngTMEMCopy => tensor_memory::copy(op),
        K::TtngTMEMSubSlice => tensor_memory::subslice(op),
        K::TtngTMEMWait => tensor_core::on_blackwell(op),
        K::TtngTCGen5MMA => tensor_core::mma(op),
        K::TtngTCGen5MMAScaled => tensor_core::mma_scaled(op),
        K::TtngPackedArith => packed::packed_arith(op),
        K::TtngAsyncTMACopyGlobalToLocal => tma::load(op),
        K::TtngAsyncTMACopyLocalToGlobal => tma::store(op),
        K::TtngAsyncTMAReduce => tma::reduce(op),
        K::TtngAsyncTMAGather => tma::gather(op),
        K::TtngAsyncTMAScatter => tma::scatter(op),
        K::TtngTensormapCreate => tma::tensormap_create(op),
        K::TtngAsyncSharedStore => tma::shared_store(op),
        K::AmdgExtractSlice => amd::extract_slice(op),
        K::AmdgConcat => amd::concat(op),
        K::AmdgInThreadTranspose => amd::in_thread_transpose(op),
        K::AmdgScaledUpcastFp4 => amd::scaled(op, amd::Packing::Operand),
        K::AmdgScaledDowncastFp4 => amd::scaled(op, amd::Packing::Result),
        K::AmdgScaledUpcastFp8 => amd::scaled_upcast_fp8(op),
        K::AmdgScaledDowncastFp8 => amd::scaled(op, amd::Packing::None),
        K::AmdgLocalLoadPackedTransposed => amd::local_load_packed_transposed(op),
        K::AmdgBufferLoadToLocal => amd::buffer_load_to_local(op),
        K::AmdgBufferLoad => amd::buffer_access(op, 0, result_type(op, 0)),
        K::AmdgBufferStore => amd::buffer_write(op, 1, operand_type(op, 0)),
        K::AmdgBufferAtomicRMW | K::AmdgBufferAtomicCAS => {
            amd::buffer_write(op, 0, result_type(op, 0))
        }
        K::AmdgAsyncCopyLocalToGlobal => amd::async_copy_local_to_global(op),
        K::AmdgAsyncTDMCopyGlobalToLocal => tdm::load(op),
        K::AmdgAsyncTDMCopyLocalToGlobal => tdm::store(op),
        K::AmdgAsyncTDMFusedCopyGlobalToLocal => tdm::fused(op),
        K::AmdgAsyncTDMGather => tdm::gather(op),
        K::AmdgAsyncTDMScatter => tdm::scatter(op),
        K::AmdgUpdateTensorDescriptor => tdm::update(op),
        K::AmdgTDMPrefetch => tdm::prefetch(op),
        K::TtngWarpGroupDotWait => product::warp_group_dot_wait(op),
        K::TtgWarpSpecialize => warps::warp_specialize(op),
        K::TtgWarpSpecializePartitions => warps::partitions(op),
        K::TtgWarpYield => warps::warp_yield(op),
        // ODS says all there is to say of these.
        K::TtAddPtr
        | K::TtApproxDivF
        | K::TtAssert
        | K::TtAtomicCAS
        | K::TtAtomicRMW
        | K::TtCall
        | K::TtClampF
        | K::TtExternElementwise
        | K::TtGetNumPrograms
        | K::TtGetProgramId
        | K::TtGridDependencyLaunchDependents
        | K::TtGridDependencyWait
        | K::TtHistogram
        | K::TtIntToPtr
        | K::TtMakeTensorDesc
        | K::TtMapElementwiseReturn
        | K::TtMulhiUI
        | K::TtPreciseDivF
        | K::TtPreciseSqrt
        | K::TtPrint
        | K::TtPtrToInt
        | K::TtReduceReturn
        | K::TtReturn
        | K::TtScanReturn
        | K::TtSplat
        | K::TtgAsyncCommitGroup
        | K::TtgAsyncWait
        | K::TtgBarrier
        | K::TtgGlobalScratchAlloc
        | K::TtgLocalDealloc
        | K::TtgMask
        | K::TtgMaskReturn
        | K::TtgPredicateStage
        | K::TtgWarpId
        | K::TtgWarpReturn
        | K::TtngTMAStoreWait
        | K::TtngCLCGetProgramId
        | K::TtngCLCIsCanceled
        | K::TtngFenceAsyncShared
        | K::TtngReinterpretTensorDesc
        | K::TtngTensormapFenceproxyAcquire
        | K::AmdgAsyncTDMIntrinsicWait
        | K::AmdgAsyncTDMWait
        | K::AmdgAsyncWait
        | K::AmdgCondBarrier
        | K::AmdgMaskedLoad
        | K::AmdgMaskedStore => Ok(()),
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
    build::integer_attribute(op, name).unwrap_or(0)
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
/// diagnostic.
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
        return Err(one(Diagnostic::new(format!(
            "needs `start` less than `end`, but has {start} and {end}"
        )))); // make_range_c1
    }
    let Some(tensor) = result(op, 0) else {
        return Ok(());
    };
    let mut diagnostics = Vec::new();
    if tensor.shape.len() != 1 {
        diagnostics.push(Diagnostic::new(format!(
            "needs a result of rank 1, but `{}` has rank {}",
            tensor.type_,
            tensor.shape.len()
        ))); // make_range_c2
    } else if i64::try_from(tensor.shape[0]) != Ok(end - start) {
        diagnostics.push(Diagnostic::new(format!(
            "ranges over [{start}, {end}), which has {} elements, but the result has {}",
            end - start,
            tensor.shape[0]
        ))); // make_range_c3
    }
    if super::tensor::element_bits(tensor.element) != Some(32) {
        diagnostics.push(Diagnostic::new(format!(
            "needs elements of type `i32`, but the result has `{}`",
            tensor.element
        ))); // make_range_c4
    }
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics)
    }
}

fn expand_dims(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    let axis = integer(op, "axis");
    let Some(axis) = usize::try_from(axis).ok().filter(|a| *a <= src.shape.len()) else {
        return Err(one(Diagnostic::new(format!(
            "has axis {axis}, but a tensor of rank {} takes axes 0 to {}",
            src.shape.len(),
            src.shape.len()
        )))); // expand_dims_c1
    };
    let mut expected = src.shape.to_vec();
    expected.insert(axis, 1);
    if dst.shape != expected {
        return Err(one(Diagnostic::new(format!(
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
        _ => Err(one(Diagnostic::new(format!(
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
    Err(one(Diagnostic::new(
        "needs an encoding on both operand and result, or on neither",
    ))) // cat_c3, expand_dims_c4, join_c4, reshape_c2, split_c5, trans_c5
}

fn same_element(src: &TensorType<'_>, dst: &TensorType<'_>) -> Verdict {
    if src.element == dst.element {
        return Ok(());
    }
    Err(one(Diagnostic::new(format!(
        "needs a result of the operand's `{}`, but has `{}`",
        src.element, dst.type_
    )))) // join_c3, split_c4
}

/// A rank, and which axes there are, as the end of a diagnostic of another axis: `2; expected 0 to 1`.
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
        return Err(one(Diagnostic::new(format!(
            "needs operand and result of one rank, but has ranks {} and {}",
            src.shape.len(),
            dst.shape.len()
        )))); // broadcast_c1
    }
    let diagnostics: Vec<Diagnostic> = (0..src.shape.len())
        .filter(|i| src.shape[*i] != dst.shape[*i] && src.shape[*i] != 1)
        .map(|i| {
            Diagnostic::new(format!(
                "changes dimension {i} from {} to {}, but only a dimension of size 1 can be repeated",
                src.shape[i], dst.shape[i]
            ))
        })
        .collect(); // broadcast_c2
    if !diagnostics.is_empty() {
        return Err(diagnostics);
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
        _ => Err(one(Diagnostic::new(format!(
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
        return Err(one(Diagnostic::new(format!(
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
        return Err(one(Diagnostic::new(format!(
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
        return Err(one(Diagnostic::new(format!(
            "makes the shape {}, but the result is `{}`",
            dimensions(&expected),
            dst.type_
        )))); // trans_c3
    }
    both_or_neither(&src, &dst)?; // trans_c5
    let Some((from, to)) = layouts(&src, &dst) else {
        return Ok(());
    };
    match from.full.transpose_standard(&order) {
        Ok(inferred) if inferred == to.full => Ok(()),
        Ok(inferred) => Err(inference_mismatch(&dst, &inferred)), // trans_c4
        Err(e) => Err(one(Diagnostic::new(e.to_string()))),       // trans_c4
    }
}

fn reshape(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if src.num_elements() != dst.num_elements() {
        return Err(one(Diagnostic::new(format!(
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
    match from.full.reshape_standard(dst.shape) {
        Ok(inferred) if inferred == to.full => Ok(()),
        Ok(inferred) => Err(inference_mismatch(&dst, &inferred)), // reshape_c3
        Err(e) => Err(one(Diagnostic::new(e.to_string()))),       // reshape_c3
    }
}

fn inference_mismatch(
    declared: &TensorType<'_>,
    inferred: &crate::layout::LinearLayout,
) -> Vec<Diagnostic> {
    one(Diagnostic::new(format!(
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
        return Err(one(Diagnostic::new(format!(
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
        Ok(half) => Err(one(Diagnostic::new(format!(
            "has a result `{}` that does not hold each operand in the operand's layout",
            dst.type_
        ))
        .note(format!("half of the result has the layout:{half}")))), // join_c2
        Err(reason) => Err(one(Diagnostic::new(reason))), // join_c2
    }
}

fn split(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if src.shape.last() != Some(&2) {
        return Err(one(Diagnostic::new(format!(
            "needs an operand whose last dimension has size 2, but has `{}`",
            src.type_
        )))); // split_c1
    }
    let expected = &src.shape[..src.shape.len() - 1];
    if dst.shape != expected {
        return Err(one(Diagnostic::new(format!(
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
        Err(reason) => Err(one(Diagnostic::new(reason))), // split_c2
    }
}

fn cat(op: OperationRef<'_, '_>) -> Verdict {
    let (Some(src), Some(dst)) = (operand(op, 0), result(op, 0)) else {
        return Ok(());
    };
    if dst.num_elements() != 2 * src.num_elements() {
        return Err(one(Diagnostic::new(format!(
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
        return Err(one(Diagnostic::new(format!(
            "needs a result with {} elements in each thread, those of both operands, but its layout has {}",
            2 * from.num_registers(),
            to.num_registers()
        ))
        .note("convert the operands or the result with `ttg.convert_layout`"))); // cat_c2
    }
    Ok(())
}
