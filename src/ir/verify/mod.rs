//! Operation verifiers. Each check has the label of the rule in the operation's description.
//!
//! A verifier takes the view of its operation kind and returns all broken rules; `common` has shared checks. ODS
//! constraints (operand counts, element types) are not repeated here.

mod amd;
mod barrier;
mod buffer;
mod cache;
mod cache_policy;
mod combine;
mod common;
mod convert;
mod function;
mod generic;
mod gluon;
mod memdesc;
mod packed;
mod product;
mod reinterpret;
mod shape;
mod tdm;
mod tensor_core;
mod tensor_memory;
mod tma;
mod values;
mod warps;

pub(crate) use cache::policy;
pub(crate) use cache_policy::cache_policy;
pub(crate) use memdesc::type_rules;
pub(crate) use tensor_memory::can_store;
pub use values::attribute;

use crate::ir::ops::MemSemantic;
use crate::ir::rules::Rule;
use crate::ir::{OpKind, OpView, TensorType, views};
use crate::sys::Diagnostic;
use common::{Verdict, broken, convert_note, ensure};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, ValueLike};

/// Checks that all operands have the same encoding. If `results` is true, all results must have it too.
///
/// # Errors
/// Returns the first pair of different encodings.
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
        ensure!(
            ttg_c1,
            other.encoding.is_some() == first.encoding.is_some(),
            "requires an encoding on all operands{0}, or on none, but got `{1}` and `{2}`",
            if results { " and results" } else { "" },
            first.type_,
            other.type_
        );
        if other.encoding != first.encoding {
            return Err(vec![
                broken!(
                    ttg_c1,
                    "requires the same encoding for all operands{}, but got `{}` and `{}`",
                    if results { " and results" } else { "" },
                    first.type_,
                    other.type_
                )
                .note(convert_note("one of the two tensors")),
            ]);
        }
    }
    Ok(())
}

/// Checks that the tensors and buffers of an operation match the numbers of lanes, warps and CTAs of the module.
/// Then checks the rules of the operation.
///
/// # Errors
/// Returns all broken rules.
pub fn operation(op: OperationRef<'_, '_>) -> Verdict {
    let Some(view) = OpView::of(op) else {
        return Ok(());
    };
    let kind = view.kind();
    values::operands_and_results(op, kind)
        .and_then(|()| gluon::same_open_layout(op))
        .and_then(|()| own_rules(view))
        .map_err(|broken| {
            broken
                .into_iter()
                .map(|one| with_own_rule(one, kind))
                .collect()
        })
}

/// Keeps only one label of a diagnostic with several labels: the label that the operation `kind` declares, or else
/// the first one.
fn with_own_rule(diagnostic: Diagnostic, kind: OpKind) -> Diagnostic {
    let of_kind =
        |label: &&str| Rule::of_label(label).is_some_and(|rule| rule.of.contains(&kind.name()));
    let own = diagnostic
        .rules
        .iter()
        .copied()
        .find(|label| of_kind(label));
    match own.or(diagnostic.rules.first().copied()) {
        Some(label) => diagnostic.of_rules([label]),
        None => diagnostic,
    }
}

fn own_rules(op: OpView<'_, '_>) -> Verdict {
    use OpView as V;
    match op {
        V::TtFunc(op) => function::function(op),
        V::TtMakeRange(op) => shape::make_range(op),
        V::TtExpandDims(op) => shape::expand_dims(op),
        V::TtBroadcast(op) => shape::broadcast(op),
        V::TtTrans(op) => shape::trans(op),
        V::TtReshape(op) => shape::reshape(op),
        V::TtJoin(op) => shape::join(op),
        V::TtCat(op) => shape::cat(op),
        V::TtSplit(op) => shape::split(op),
        V::TtGather(op) => convert::gather(op),
        V::TtUnsplat(op) => convert::unsplat(op),
        V::TtBitcast(op) => convert::bitcast(op),
        V::TtFpToFp(op) => convert::fp_to_fp(op),
        V::TtLoad(op) => cache::load(op.cache_policy()),
        V::TtStore(op) => cache::store(op.cache_policy()),
        V::TtAtomicLoad(op) => convert::atomic_access(
            op.ptr(),
            op.sem(),
            [MemSemantic::Relaxed, MemSemantic::Acquire],
        ),
        V::TtAtomicStore(op) => convert::atomic_access(
            op.ptr(),
            op.sem(),
            [MemSemantic::Relaxed, MemSemantic::Release],
        ),
        V::TtAtomicPoll(op) => convert::atomic_poll(op),
        V::TtgFp4ToFp(op) => convert::fp4_to_fp(op),
        V::TtgInlineAsm(op) => combine::assembly(op),
        V::TtgConvertLayout(op) => convert::convert_layout(op),
        V::TtDescriptorLoad(op) => convert::descriptor(op.desc(), op.result()),
        V::TtDescriptorStore(op) => convert::descriptor(op.desc(), op.src()),
        V::TtDescriptorReduce(op) => convert::descriptor(op.desc(), op.src()),
        V::TtDescriptorGather(op) => {
            convert::descriptor_rows(op.desc(), op.x_offsets(), op.result())
        }
        V::TtDescriptorScatter(op) => convert::descriptor_rows(op.desc(), op.x_offsets(), op.src()),
        V::TtDot(op) => product::dot(op),
        V::TtDotScaled(op) => product::dot_scaled(op),
        V::TtngWarpGroupDot(op) => product::warp_group_dot(op),
        V::TtReduce(op) => combine::reduce(op),
        V::TtScan(op) => combine::scan(op),
        V::TtElementwiseInlineAsm(op) => combine::inline_asm(op),
        V::TtMapElementwise(op) => combine::map_elementwise(op),
        V::TtgLocalAlloc(op) => buffer::local_alloc(op),
        V::TtgLocalLoad(op) => buffer::local_load(op),
        V::TtgLocalStore(op) => buffer::local_store(op),
        V::TtgLocalGather(op) => buffer::local_gather(op),
        V::TtgLocalScatter(op) => buffer::local_scatter(op),
        V::TtgLocalAtomicScatterRMW(op) => buffer::local_atomic_scatter_rmw(op),
        V::TtgMemDescIndex(op) => buffer::memdesc_index(op),
        V::TtgMemDescSubslice(op) => buffer::memdesc_subslice(op),
        V::TtgMemDescTrans(op) => buffer::memdesc_trans(op),
        V::TtgMemDescReshape(op) => buffer::memdesc_reshape(op),
        V::TtgMemDescReinterpret(op) => reinterpret::memdesc_reinterpret(op),
        V::TtgAsyncCopyGlobalToLocal(op) => buffer::async_copy(op),
        V::TtngInvalBarrier(op) => barrier::barrier(op.op(), op.alloc()),
        V::TtngWaitBarrier(op) => barrier::barrier(op.op(), op.alloc()),
        V::TtngAsyncCopyMbarrierArrive(op) => barrier::barrier(op.op(), op.barrier()),
        V::AmdgWaitBarrier(op) => barrier::barrier(op.op(), op.alloc()),
        V::AmdgAsyncCopyMbarrierArrive(op) => barrier::barrier(op.op(), op.barrier()),
        V::AmdgInitBarrier(op) => barrier::counted(op.op(), op.alloc(), op.count()),
        V::AmdgArriveBarrier(op) => barrier::counted(op.op(), op.alloc(), op.count()),
        V::TtngInitBarrier(op) => barrier::init(op),
        V::TtngBarrierExpect(op) => barrier::expect(op),
        V::TtngArriveBarrier(op) => barrier::arrive(op),
        V::TtngTCGen5Commit(op) => barrier::commit(op),
        V::TtngCLCTryCancel(op) => barrier::try_cancel(op),
        V::TtngCLCTryCancelSync(op) => barrier::try_cancel_sync(op),
        V::TtngCLCLoadResult(op) => barrier::answer(op.src()),
        V::TtngClusterBarrier(op) => barrier::cluster(op),
        V::TtngFenceMBarrierInitReleaseCluster(op) => barrier::in_cluster(op.op()),
        V::AmdgClusterBarrierArrive(op) => barrier::in_cluster(op.op()),
        V::AmdgClusterBarrierWait(op) => barrier::in_cluster(op.op()),
        V::TtngTMEMAlloc(op) => tensor_memory::alloc(op),
        V::TtngTMEMLoad(op) => tensor_memory::load(op),
        V::TtngTMEMStore(op) => tensor_memory::store(op),
        V::TtngTMEMCopy(op) => tensor_memory::copy(op),
        V::TtngTMEMSubSlice(op) => tensor_memory::subslice(op),
        V::TtngTMEMWait(op) => common::on_blackwell(op.op()),
        V::TtngTCGen5MMA(op) => tensor_core::mma(op),
        V::TtngTCGen5MMAScaled(op) => tensor_core::mma_scaled(op),
        V::TtngPackedArith(op) => packed::packed_arith(op),
        V::TtngAsyncTMACopyGlobalToLocal(op) => tma::load(op),
        V::TtngAsyncTMACopyLocalToGlobal(op) => tma::store(op),
        V::TtngAsyncTMAReduce(op) => tma::reduce(op),
        V::TtngAsyncTMAGather(op) => tma::gather(op),
        V::TtngAsyncTMAScatter(op) => tma::scatter(op),
        V::TtngTensormapCreate(op) => tma::tensormap_create(op),
        V::TtngAsyncSharedStore(op) => tma::shared_store(op),
        V::AmdgExtractSlice(op) => amd::extract_slice(op),
        V::AmdgConcat(op) => amd::concat(op),
        V::AmdgInThreadTranspose(op) => amd::in_thread_transpose(op),
        V::AmdgScaledUpcastFp4(op) => amd::scaled_upcast_fp4(op),
        V::AmdgScaledDowncastFp4(op) => amd::scaled_downcast_fp4(op),
        V::AmdgScaledUpcastFp8(op) => amd::scaled_upcast_fp8(op),
        V::AmdgScaledDowncastFp8(op) => amd::scaled_downcast_fp8(op),
        V::AmdgLocalLoadPackedTransposed(op) => amd::local_load_packed_transposed(op),
        V::AmdgBufferLoadToLocal(op) => amd::buffer_load_to_local(op),
        V::AmdgBufferLoad(op) => amd::buffer_access(op.ptr(), op.result()),
        V::AmdgBufferStore(op) => amd::buffer_write(op.ptr(), op.value()),
        V::AmdgBufferAtomicRMW(op) => amd::buffer_write(op.ptr(), op.result()),
        V::AmdgBufferAtomicCAS(op) => amd::buffer_write(op.ptr(), op.result()),
        V::AmdgAsyncCopyLocalToGlobal(op) => amd::async_copy_local_to_global(op),
        V::AmdgAsyncTDMCopyGlobalToLocal(op) => tdm::load(op),
        V::AmdgAsyncTDMCopyLocalToGlobal(op) => tdm::store(op),
        V::AmdgAsyncTDMFusedCopyGlobalToLocal(op) => tdm::fused(op),
        V::AmdgAsyncTDMGather(op) => tdm::gather(op),
        V::AmdgAsyncTDMScatter(op) => tdm::scatter(op),
        V::AmdgUpdateTensorDescriptor(op) => tdm::update(op),
        V::AmdgTDMPrefetch(op) => tdm::prefetch(op),
        V::TtngWarpGroupDotWait(op) => product::warp_group_dot_wait(op),
        V::TtgWarpSpecialize(op) => warps::warp_specialize(op),
        V::TtgWarpSpecializePartitions(op) => warps::partitions(op),
        V::TtgWarpYield(op) => warps::warp_yield(op),
        V::GluonSetAutoLayout(op) => gluon::set_auto_layout(op),
        // Checked in C++, with the symbol table.
        V::TtCall(_) | V::TtReturn(_) => Ok(()),
        // ODS constraints suffice.
        views!(WithoutRules) => Ok(()),
    }
}
