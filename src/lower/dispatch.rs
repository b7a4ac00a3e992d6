//! Dispatch table from operations to their lowerings.
//!
//! [`own`] matches all operations of this project exhaustively, so a new operation needs a row to compile.
//! [`can_be_lowered`] lists the table for diagnostics and documentation.

use super::allocate::PlanContext;
use super::state::{LowerFn, Lowering, Outcome};
use super::{
    assembly, asynchronous, atomic, branch, buffer, calls, casts, constant, control, convert,
    copies, elementwise, externs, float, float4, gather, histogram, inline, integer, local, math,
    mbarrier, memory, poll, print, product, program, range, reduce, scan, scratch, stagger,
    tensor_copy, views, warp_group, warp_specialize,
};
use crate::analysis::effects::{Buffers, Effects};
use crate::ir::{AnyKind, OpKind, UpstreamKind, kinds};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic, Reported};
use melior::ir::operation::{OperationLike, WalkOrder, WalkResult};

/// Lowers an operation.
///
/// # Errors
/// Fails for unsupported operations and for errors of the lowering.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let kind = AnyKind::of(op);
    let found = match kind {
        AnyKind::Own(kind) => own(kind),
        AnyKind::Upstream(kind) => upstream(kind),
        AnyKind::Other => None,
    };
    match found {
        // The error of a missing operand has been reported. Control flow forwards the other operands.
        Some(_) if l.lacks_operand(op) && !is_control(kind) => {
            l.set_placeholders(op);
            Ok(())
        }
        Some(lower) => lower(l, op).and_then(|()| l.check_carried(op)),
        None => Err(unsupported()),
    }
}

/// Checks the operations of functions before any planning. `refuse` returns a diagnostic if a kind of operation is
/// not supported.
///
/// # Errors
/// Reports each unsupported operation.
pub(super) fn check(
    functions: &[Op<'_>],
    refuse: impl Fn(OpKind) -> Option<Diagnostic>,
) -> Result<(), Reported> {
    let mut outcome = Ok(());
    for function in functions {
        function.walk(WalkOrder::PreOrder, |op| {
            if let Some(diagnostic) = OpKind::of(op).and_then(&refuse) {
                outcome = Err(sys::emit_error(op, &diagnostic));
            }
            WalkResult::Advance
        });
    }
    outcome
}

pub(super) fn unlowered(kind: OpKind) -> Option<Diagnostic> {
    use OpKind as K;
    let is_unlowered = kind != K::TtFunc && own(kind).is_none();
    is_unlowered.then(|| match kind {
        K::TtDescriptorLoad
        | K::TtDescriptorReduce
        | K::TtDescriptorStore
        | K::TtMakeTensorDesc => unsupported().note(
            "the pass `lower-descriptors` converts the operation to TMA copies, for `cuda:90` or later and \
             one CTA per cluster",
        ),
        _ => unsupported(),
    })
}

pub(super) fn one_cta_only(kind: OpKind, num_ctas: u32) -> Option<Diagnostic> {
    (!is_supported_in_clusters(kind)).then(|| {
        Diagnostic::new(format!(
            "is not supported in clusters (`ttg.num-ctas` is {num_ctas})"
        ))
        .note("compile the kernel with one CTA per cluster")
    })
}

/// Returns true if operations of this kind can be lowered for clusters of several CTAs, because the lowering uses
/// the CTA rank or does not depend on it. Planning may still refuse an operation, e.g. a conversion between CTAs.
fn is_supported_in_clusters(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        kinds!(Elementwise)
            | K::TtAssert
            | K::TtBroadcast
            | K::TtCall
            | K::TtCat
            | K::TtExpandDims
            | K::TtFunc
            | K::TtGetNumPrograms
            | K::TtGetProgramId
            | K::TtGridDependencyLaunchDependents
            | K::TtGridDependencyWait
            | K::TtJoin
            | K::TtLoad
            | K::TtMakeRange
            | K::TtMapElementwise
            | K::TtMapElementwiseReturn
            | K::TtPrint
            | K::TtReduce
            | K::TtReduceReturn
            | K::TtReshape
            | K::TtReturn
            | K::TtScan
            | K::TtScanReturn
            | K::TtSplat
            | K::TtSplit
            | K::TtStore
            | K::TtTrans
            | K::TtUnsplat
            | K::TtgBarrier
            | K::TtgConvertLayout
            | K::TtgFp4ToFp
            | K::TtgWarpId
    )
}

/// Returns the shared-memory effects of an operation.
///
/// # Errors
/// Fails if the operation cannot be planned.
pub(crate) fn effects(
    context: &mut PlanContext<'_>,
    op: Op<'_>,
    buffers: &Buffers,
) -> Result<Effects, Diagnostic> {
    use OpKind as K;
    let kind = match AnyKind::of(op) {
        AnyKind::Own(kind) => kind,
        AnyKind::Upstream(UpstreamKind::RocdlSBarrier) => return Ok(program::barrier_effects()),
        AnyKind::Upstream(_) | AnyKind::Other => return Ok(Effects::forwarding(buffers)),
    };
    match kind {
        K::AmdgCondBarrier => match &context.staggered {
            Ok(staggered) => staggered.effects(op),
            Err(refusal) => Err(refusal.clone()),
        },
        K::AmdgInThreadTranspose | K::TtgConvertLayout => convert::effects(context, op),
        K::TtgLocalAlloc
        | K::TtgLocalDealloc
        | K::TtgLocalGather
        | K::TtgLocalLoad
        | K::TtgLocalScatter
        | K::TtgLocalStore
        | K::TtgMemDescIndex
        | K::TtgMemDescReinterpret
        | K::TtgMemDescReshape
        | K::TtgMemDescSubslice
        | K::TtgMemDescTrans => local::effects(context, op),
        K::TtgLocalAtomicScatterRMW => local::atomic::effects(context, op),
        K::TtGather => gather::effects(context, op),
        K::TtDot => product::effects(context, op),
        K::TtDotScaled => product::effects_of_scaled(context, op),
        K::TtHistogram => histogram::effects(context, op),
        K::TtReduce => reduce::effects(context, op),
        K::TtScan => scan::effects(context, op),
        K::AmdgBufferAtomicCAS
        | K::AmdgBufferAtomicRMW
        | K::TtAtomicCAS
        | K::TtAtomicLoad
        | K::TtAtomicRMW
        | K::TtAtomicStore => atomic::effects(context, op),
        K::TtAtomicPoll => poll::effects(context, op),
        K::TtgMask | K::TtgMaskReturn => Ok(Effects::forwarding(buffers)),
        K::TtAssert => Ok(print::assert_effects(op)),
        K::TtCall => Ok(calls::effects(context, op, buffers)),
        K::TtgBarrier => Ok(program::barrier_effects()),
        K::TtgWarpSpecialize => warp_specialize::effects(op),
        K::TtgWarpReturn | K::TtgWarpSpecializePartitions | K::TtgWarpYield => {
            Ok(Effects::default())
        }
        K::TtReturn => Ok(Effects {
            is_return: true,
            ..Effects::default()
        }),
        kinds!(Elementwise) | kinds!(LL_NoSharedMemory) => Ok(Effects::default()),
        // Unsupported operations get the effects of unknown operations.
        kinds!(LL_NotLowered)
        | K::AmdgAsyncWait
        | K::AmdgBufferLoadToLocal
        | K::TtgAsyncCommitGroup
        | K::TtgAsyncCopyGlobalToLocal
        | K::TtgAsyncWait
        | K::TtngArriveBarrier
        | K::TtngAsyncCopyMbarrierArrive
        | K::TtngAsyncTMACopyGlobalToLocal
        | K::TtngAsyncTMACopyLocalToGlobal
        | K::TtngAsyncTMAReduce
        | K::TtngBarrierExpect
        | K::TtngFenceAsyncShared
        | K::TtngInitBarrier
        | K::TtngInvalBarrier
        | K::TtngTMAStoreWait
        | K::TtngWaitBarrier
        | K::TtngWarpGroupDotWait => Ok(asynchronous::effects(kind, op, buffers)),
        K::TtngWarpGroupDot => warp_group::effects(context, op, buffers),
        K::TtngTensormapCreate => Ok(tensor_copy::create_effects()),
    }
}

/// Returns true for control flow that forwards operands of any type.
fn is_control(kind: AnyKind) -> bool {
    use UpstreamKind as K;
    matches!(
        kind,
        AnyKind::Upstream(
            K::CfBranch
                | K::CfCondBranch
                | K::CfSwitch
                | K::ScfFor
                | K::ScfIf
                | K::ScfWhile
                | K::ScfIndexSwitch
                | K::ScfCondition
                | K::ScfYield
        )
    )
}

fn own(kind: OpKind) -> Option<LowerFn> {
    use OpKind as K;
    Some(match kind {
        K::TtApproxDivF | K::TtClampF | K::TtPreciseDivF | K::TtPreciseSqrt => float::lower,
        K::TtAddPtr => elementwise::addptr,
        K::TtAssert => print::assert,
        K::TtAtomicCAS | K::TtAtomicLoad | K::TtAtomicRMW | K::TtAtomicStore => atomic::lower,
        K::TtAtomicPoll => poll::lower,
        K::TtBitcast => casts::bitcast,
        K::TtBroadcast | K::TtExpandDims | K::TtReshape | K::TtTrans => views::rename,
        K::TtCall => calls::call,
        K::TtCat => views::cat,
        K::TtElementwiseInlineAsm => assembly::elementwise,
        K::TtDot => product::lower,
        K::TtDotScaled => product::lower_scaled,
        K::TtExternElementwise => externs::elementwise,
        K::TtFpToFp => casts::fp_to_fp,
        K::TtGather => gather::lower,
        K::TtGetNumPrograms => program::get_num_programs,
        K::TtGetProgramId => program::get_program_id,
        K::TtGridDependencyLaunchDependents => program::launch_dependents,
        K::TtGridDependencyWait => program::grid_dependency_wait,
        K::TtHistogram => histogram::lower,
        K::TtIntToPtr | K::TtPtrToInt => casts::address,
        K::TtJoin => views::join,
        K::TtLoad => memory::load,
        K::TtMapElementwise => inline::map_elementwise,
        K::TtMapElementwiseReturn | K::TtReduceReturn | K::TtScanReturn => inline::end,
        K::TtMakeRange => range::make_range,
        K::TtMulhiUI => integer::multiply,
        K::TtPrint => print::print,
        K::TtReduce => reduce::lower,
        K::TtReturn => calls::return_,
        K::TtScan => scan::lower,
        K::TtSplat => views::splat,
        K::TtSplit => views::split,
        K::TtStore => memory::store,
        K::TtUnsplat => views::unsplat,
        K::TtgAsyncCommitGroup => copies::commit,
        K::TtgAsyncCopyGlobalToLocal => copies::copy,
        K::TtgAsyncWait => copies::wait,
        K::TtgBarrier => program::barrier,
        K::AmdgInThreadTranspose | K::TtgConvertLayout => convert::lower,
        K::TtgGlobalScratchAlloc => scratch::alloc,
        K::TtgFp4ToFp => float4::widen,
        K::TtgLocalAlloc => local::alloc,
        K::TtgLocalAtomicScatterRMW => local::atomic::scatter,
        K::TtgLocalDealloc => local::dealloc,
        K::TtgLocalGather | K::TtgLocalLoad | K::TtgLocalScatter | K::TtgLocalStore => {
            local::access
        }
        K::TtgMask => control::mask,
        K::TtgMaskReturn => control::end_of_region,
        K::TtgMemDescIndex => local::views::index,
        K::TtgMemDescReinterpret => local::views::reinterpret,
        K::TtgMemDescReshape => local::views::reshape,
        K::TtgMemDescSubslice => local::views::subslice,
        K::TtgMemDescTrans => local::views::trans,
        K::TtgPredicateStage => control::predicate_stage,
        K::TtgWarpId => program::warp_id,
        K::TtgWarpReturn | K::TtgWarpYield => inline::end,
        K::TtgWarpSpecialize => warp_specialize::lower,
        K::TtgWarpSpecializePartitions => warp_specialize::partitions,
        K::AmdgBufferAtomicCAS | K::AmdgBufferAtomicRMW => atomic::lower,
        K::AmdgAsyncWait => copies::wait_for_all,
        K::AmdgBufferLoad => buffer::load,
        K::AmdgBufferLoadToLocal => copies::copy_from_buffer,
        K::AmdgBufferStore => buffer::store,
        K::AmdgConcat => views::concat,
        K::AmdgCondBarrier => stagger::cond_barrier,
        K::AmdgExtractSlice => views::extract_slice,
        K::TtngArriveBarrier => mbarrier::arrive,
        K::TtngAsyncCopyMbarrierArrive => mbarrier::arrive_after_copies,
        K::TtngAsyncTMACopyGlobalToLocal => tensor_copy::load,
        K::TtngAsyncTMACopyLocalToGlobal => tensor_copy::store,
        K::TtngAsyncTMAReduce => tensor_copy::reduce,
        K::TtngBarrierExpect => mbarrier::expect,
        K::TtngFenceAsyncShared => mbarrier::fence,
        K::TtngInitBarrier => mbarrier::init,
        K::TtngInvalBarrier => mbarrier::invalidate,
        K::TtngReinterpretTensorDesc => tensor_copy::reinterpret,
        K::TtngTMAStoreWait => tensor_copy::wait,
        K::TtngTensormapCreate => tensor_copy::create,
        K::TtngTensormapFenceproxyAcquire => tensor_copy::acquire,
        K::TtngWaitBarrier => mbarrier::wait,
        K::TtngWarpGroupDot => warp_group::dot,
        K::TtngWarpGroupDotWait => warp_group::wait,
        kinds!(LL_NotLowered) => return None,
    })
}

fn upstream(kind: UpstreamKind) -> Option<LowerFn> {
    use UpstreamKind as K;
    Some(match kind {
        K::ArithConstant => constant::lower,
        K::ArithBitcast => casts::bitcast,
        K::ArithExtF | K::ArithTruncF => casts::resize,
        K::ArithIndexCast | K::ArithIndexCastUI => casts::index,
        K::ArithAddUIExtended => integer::add,
        K::ArithMulSIExtended | K::ArithMulUIExtended => integer::multiply,
        K::LlvmAssume
        | K::LlvmFence
        | K::RocdlIglpOpt
        | K::RocdlSetPrio
        | K::RocdlSchedBarrier
        | K::RocdlSchedGroupBarrier => elementwise::keep,
        K::RocdlSBarrier => program::wave_barrier,
        K::RocdlThreadIdX => stagger::thread_id,
        K::UbPoison => elementwise::poison,
        K::ScfIndexSwitch => control::index_switch,
        K::ScfFor => control::for_loop,
        K::ScfIf => control::branch,
        K::ScfWhile => control::while_loop,
        K::ScfCondition | K::ScfYield => control::end_of_region,
        K::CfBranch | K::CfCondBranch | K::CfSwitch => branch::branch,
        _ if kind.name().starts_with("math.") => math::lower,
        _ if kind.is_elementwise() => elementwise::lower,
        _ => return None,
    })
}

#[cfg(test)]
pub(super) fn is_in_table(kind: AnyKind) -> bool {
    match kind {
        AnyKind::Own(kind) => kind == OpKind::TtFunc || own(kind).is_some(),
        AnyKind::Upstream(kind) => upstream(kind).is_some(),
        AnyKind::Other => false,
    }
}

/// Returns the sorted names of the supported operations of a dialect, without the dialect prefix.
fn lowered_of(dialect: &str) -> Vec<&'static str> {
    let own = OpKind::ALL
        .iter()
        // Functions have no row in the table.
        .filter(|kind| **kind == OpKind::TtFunc || own(**kind).is_some())
        .map(|kind| kind.name());
    let upstream = UpstreamKind::ALL
        .iter()
        .filter(|kind| upstream(**kind).is_some())
        .map(|kind| kind.name());
    own.chain(upstream)
        .filter_map(|name| name.split_once('.'))
        .filter(|(of, _)| *of == dialect)
        .map(|(_, name)| name)
        .collect()
}

/// Returns the name of each dialect that has supported operations, with the names of these operations. The names
/// have no dialect prefix.
#[must_use]
pub fn can_be_lowered() -> Vec<(&'static str, Vec<&'static str>)> {
    let names = OpKind::ALL.iter().map(|kind| kind.name());
    let mut dialects: Vec<&str> = names
        .chain(UpstreamKind::ALL.iter().map(|kind| kind.name()))
        .filter_map(|name| name.split_once('.'))
        .map(|(dialect, _)| dialect)
        .collect();
    dialects.dedup();
    dialects
        .into_iter()
        .map(|dialect| (dialect, lowered_of(dialect)))
        .filter(|(_, names)| !names.is_empty())
        .collect()
}

pub(super) fn unsupported() -> Diagnostic {
    Diagnostic::new("is not supported by the lowering to LLVM")
        .note("`ll-opt --list-lowered-operations` lists the supported operations")
}
