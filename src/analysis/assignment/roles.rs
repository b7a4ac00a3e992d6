//! What an operation is to layouts: which of its tensors have layouts that go together, and how.

use crate::ir::ops::{arith, tt, ttg};
use crate::ir::{AnyKind, OpKind, TensorType, UpstreamKind};
use crate::sys::build::{self, Op};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

/// What an operation is to layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It gives a value another layout, and nothing else.
    Conversion,
    /// Its results have any layout, and no operand has one: constants, ranges, splats.
    Source,
    /// All its tensors have one encoding; it may be done again wherever its operands are.
    Elementwise,
    /// The encodings of operands and results follow from each other; no data moves.
    View,
    /// As a view, but what it costs depends on the layout.
    Reduction,
    /// All its tensors have one encoding; what it costs depends on the layout.
    Scan,
    /// All its tensors have one encoding, by which global memory is accessed.
    Access {
        /// Whether it writes.
        is_store: bool,
    },
    /// Its tensor has any layout, by which a buffer in shared memory is accessed.
    Buffer {
        /// Whether it writes.
        is_store: bool,
    },
    /// Its tensor has any layout: it is looked at, element by element.
    Check,
    /// Its regions run zero or more times, and hand values on.
    Loop,
    /// One of its regions runs, or none.
    Choice,
    /// It ends a region of one of the two, and is dealt with there.
    End,
    /// It keeps the layouts that it has: they are asked for by its kind, or not understood here.
    Fixed,
}

impl Role {
    /// Returns the role of an operation.
    pub(crate) fn of(op: Op<'_>) -> Self {
        match AnyKind::of(op) {
            AnyKind::Own(kind) => own(op, kind),
            AnyKind::Upstream(kind) => upstream(op, kind),
            AnyKind::Other => Self::Fixed,
        }
    }

    /// Whether an operation of this role may be done once more, in another layout.
    pub(crate) const fn is_repeatable(self) -> bool {
        matches!(self, Self::Source | Self::Elementwise | Self::View)
    }

    /// Whether an operation of this role is nothing where its results are not used.
    pub(crate) const fn is_pure(self) -> bool {
        matches!(
            self,
            Self::Conversion
                | Self::Source
                | Self::Elementwise
                | Self::View
                | Self::Reduction
                | Self::Scan
        )
    }
}

fn own(op: Op<'_>, kind: OpKind) -> Role {
    use OpKind as K;
    match kind {
        K::TtgConvertLayout => {
            let is_free = ttg::ConvertLayout::of(op).is_some_and(|cvt| !cvt.force_warp_shuffle());
            if is_free {
                Role::Conversion
            } else {
                Role::Fixed
            }
        }
        K::TtMakeRange | K::TtSplat => Role::Source,
        K::TtAddPtr
        | K::TtApproxDivF
        | K::TtBitcast
        | K::TtClampF
        | K::TtFpToFp
        | K::TtIntToPtr
        | K::TtMulhiUI
        | K::TtPreciseDivF
        | K::TtPreciseSqrt
        | K::TtPtrToInt => Role::Elementwise,
        K::TtExternElementwise => {
            let is_pure = tt::ExternElementwise::of(op).is_some_and(|op| op.pure());
            if is_pure {
                Role::Elementwise
            } else {
                Role::Fixed
            }
        }
        K::TtElementwiseInlineAsm => {
            let view = tt::ElementwiseInlineAsm::of(op);
            let is_free = view.is_some_and(|op| op.pure() && op.packed_element() == 1);
            if is_free {
                Role::Elementwise
            } else {
                Role::Fixed
            }
        }
        K::TtBroadcast | K::TtExpandDims | K::TtTrans | K::TtJoin | K::TtSplit | K::TtgFp4ToFp => {
            Role::View
        }
        K::TtReshape => {
            let is_view = tt::Reshape::of(op).is_some_and(|op| !op.allow_reorder());
            if is_view { Role::View } else { Role::Fixed }
        }
        K::TtReduce => Role::Reduction,
        K::TtScan => Role::Scan,
        K::TtLoad => {
            let is_free = tt::Load::of(op).is_some_and(|op| !op.is_volatile());
            if is_free {
                Role::Access { is_store: false }
            } else {
                Role::Fixed
            }
        }
        K::TtStore => Role::Access { is_store: true },
        K::TtgMask => Role::Choice,
        K::TtgMaskReturn => Role::End,
        K::TtgLocalLoad => Role::Buffer { is_store: false },
        K::TtgLocalAlloc | K::TtgLocalStore => Role::Buffer { is_store: true },
        K::TtAssert => Role::Check,
        K::TtAtomicCAS
        | K::TtAtomicLoad
        | K::TtAtomicPoll
        | K::TtAtomicRMW
        | K::TtAtomicStore
        | K::TtCall
        | K::TtCat
        | K::TtDescriptorGather
        | K::TtDescriptorLoad
        | K::TtDescriptorReduce
        | K::TtDescriptorScatter
        | K::TtDescriptorStore
        | K::TtDot
        | K::TtDotScaled
        | K::TtFunc
        | K::TtGather
        | K::TtGetNumPrograms
        | K::TtGetProgramId
        | K::TtGridDependencyLaunchDependents
        | K::TtGridDependencyWait
        | K::TtHistogram
        | K::TtMakeTensorDesc
        | K::TtMapElementwise
        | K::TtMapElementwiseReturn
        | K::TtPrint
        | K::TtReduceReturn
        | K::TtReturn
        | K::TtScanReturn
        | K::TtUnsplat
        | K::TtgAsyncCommitGroup
        | K::TtgAsyncCopyGlobalToLocal
        | K::TtgAsyncWait
        | K::TtgBarrier
        | K::TtgGlobalScratchAlloc
        | K::TtgInlineAsm
        | K::TtgLocalAtomicScatterRMW
        | K::TtgLocalDealloc
        | K::TtgLocalGather
        | K::TtgLocalScatter
        | K::TtgMemDescIndex
        | K::TtgMemDescReinterpret
        | K::TtgMemDescReshape
        | K::TtgMemDescSubslice
        | K::TtgMemDescTrans
        | K::TtgPredicateStage
        | K::TtgWarpId
        | K::TtgWarpReturn
        | K::TtgWarpSpecialize
        | K::TtgWarpSpecializePartitions
        | K::TtgWarpYield
        | K::TtngArriveBarrier
        | K::TtngAsyncCopyMbarrierArrive
        | K::TtngAsyncSharedStore
        | K::TtngAsyncTMACopyGlobalToLocal
        | K::TtngAsyncTMACopyLocalToGlobal
        | K::TtngAsyncTMAGather
        | K::TtngAsyncTMAReduce
        | K::TtngAsyncTMAScatter
        | K::TtngTMAStoreWait
        | K::TtngBarrierExpect
        | K::TtngCLCGetProgramId
        | K::TtngCLCIsCanceled
        | K::TtngCLCLoadResult
        | K::TtngCLCTryCancel
        | K::TtngCLCTryCancelSync
        | K::TtngClusterBarrier
        | K::TtngFenceAsyncShared
        | K::TtngFenceMBarrierInitReleaseCluster
        | K::TtngInitBarrier
        | K::TtngInvalBarrier
        | K::TtngPackedArith
        | K::TtngReinterpretTensorDesc
        | K::TtngTCGen5Commit
        | K::TtngTCGen5MMA
        | K::TtngTCGen5MMAScaled
        | K::TtngTensormapCreate
        | K::TtngTensormapFenceproxyAcquire
        | K::TtngTMEMAlloc
        | K::TtngTMEMCopy
        | K::TtngTMEMLoad
        | K::TtngTMEMStore
        | K::TtngTMEMSubSlice
        | K::TtngTMEMWait
        | K::TtngWaitBarrier
        | K::TtngWarpGroupDot
        | K::TtngWarpGroupDotWait
        | K::AmdgArriveBarrier
        | K::AmdgAsyncCopyLocalToGlobal
        | K::AmdgAsyncCopyMbarrierArrive
        | K::AmdgAsyncTDMCopyGlobalToLocal
        | K::AmdgAsyncTDMCopyLocalToGlobal
        | K::AmdgAsyncTDMFusedCopyGlobalToLocal
        | K::AmdgAsyncTDMGather
        | K::AmdgAsyncTDMIntrinsicWait
        | K::AmdgAsyncTDMScatter
        | K::AmdgAsyncTDMWait
        | K::AmdgAsyncWait
        | K::AmdgBufferAtomicCAS
        | K::AmdgBufferAtomicRMW
        | K::AmdgBufferLoad
        | K::AmdgBufferLoadToLocal
        | K::AmdgBufferStore
        | K::AmdgClusterBarrierArrive
        | K::AmdgClusterBarrierWait
        | K::AmdgConcat
        | K::AmdgCondBarrier
        | K::AmdgExtractSlice
        | K::AmdgInThreadTranspose
        | K::AmdgInitBarrier
        | K::AmdgLocalLoadPackedTransposed
        | K::AmdgMaskedLoad
        | K::AmdgMaskedStore
        | K::AmdgScaledDowncastFp4
        | K::AmdgScaledDowncastFp8
        | K::AmdgScaledUpcastFp4
        | K::AmdgScaledUpcastFp8
        | K::AmdgTDMPrefetch
        | K::AmdgUpdateTensorDescriptor
        | K::AmdgWaitBarrier
        | K::GluonSetAutoLayout => Role::Fixed,
    }
}

fn upstream(op: Op<'_>, kind: UpstreamKind) -> Role {
    use UpstreamKind as U;
    match kind {
        U::ArithConstant => {
            let is_splat =
                arith::Constant::of(op).is_some_and(|op| build::splat_value(op.value()).is_some());
            if is_splat { Role::Source } else { Role::Fixed }
        }
        U::ScfFor | U::ScfWhile => Role::Loop,
        U::ScfIf | U::ScfIndexSwitch | U::ScfExecuteRegion => Role::Choice,
        U::ScfYield | U::ScfCondition => Role::End,
        _ if kind.is_elementwise() => Role::Elementwise,
        _ => Role::Fixed,
    }
}

/// How many instructions an operation that works element by element takes for each word of a thread, about.
pub(super) fn instructions(op: Op<'_>) -> u64 {
    use UpstreamKind as U;
    match AnyKind::of(op) {
        AnyKind::Upstream(kind) => match kind {
            U::ArithDivSI
            | U::ArithDivUI
            | U::ArithRemSI
            | U::ArithRemUI
            | U::ArithCeilDivSI
            | U::ArithCeilDivUI
            | U::ArithFloorDivSI => 16,
            U::ArithDivF
            | U::ArithRemF
            | U::MathExp
            | U::MathExp2
            | U::MathExpM1
            | U::MathLog
            | U::MathLog10
            | U::MathLog1p
            | U::MathLog2
            | U::MathSqrt
            | U::MathRsqrt
            | U::MathCbrt => 8,
            U::MathAcos
            | U::MathAcosh
            | U::MathAsin
            | U::MathAsinh
            | U::MathAtan
            | U::MathAtan2
            | U::MathAtanh
            | U::MathCos
            | U::MathCosh
            | U::MathErf
            | U::MathErfc
            | U::MathFPowI
            | U::MathIPowI
            | U::MathPowF
            | U::MathSin
            | U::MathSincos
            | U::MathSinh
            | U::MathTan
            | U::MathTanh => 16,
            U::ArithConstant => 0,
            _ => 1,
        },
        AnyKind::Own(kind) => match kind {
            OpKind::TtPreciseDivF
            | OpKind::TtApproxDivF
            | OpKind::TtPreciseSqrt
            | OpKind::TtExternElementwise
            | OpKind::TtElementwiseInlineAsm => 8,
            OpKind::TtFpToFp => 2,
            OpKind::TtBitcast | OpKind::TtIntToPtr | OpKind::TtPtrToInt | OpKind::TtSplat => 0,
            _ => 1,
        },
        AnyKind::Other => 1,
    }
}

/// Whether an operation has a tensor with an encoding among its operands or results.
pub(super) fn has_tensors(op: Op<'_>) -> bool {
    let operands = (0..op.operand_count()).map(|i| build::operand(op, i).r#type());
    let results = (0..op.result_count()).map(|i| build::result(op, i).r#type());
    operands
        .chain(results)
        .filter_map(TensorType::of)
        .any(|tensor| tensor.encoding.is_some())
}
