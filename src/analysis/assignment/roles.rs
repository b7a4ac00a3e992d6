//! What an operation is to layouts: which of its tensors have layouts that go together, and how.

use crate::ir::ops::arith;
use crate::ir::{AnyKind, OpKind, OpView, TensorType, UpstreamKind, kinds};
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
        kinds!(LL_FixedLayouts) => Role::Fixed,
        _ if !is_free(op) => Role::Fixed,
        kinds!(Elementwise) => Role::Elementwise,
        K::TtgConvertLayout => Role::Conversion,
        K::TtMakeRange | K::TtSplat => Role::Source,
        K::TtBroadcast
        | K::TtExpandDims
        | K::TtJoin
        | K::TtReshape
        | K::TtSplit
        | K::TtTrans
        | K::TtgFp4ToFp => Role::View,
        K::TtReduce => Role::Reduction,
        K::TtScan => Role::Scan,
        K::TtLoad => Role::Access { is_store: false },
        K::TtStore => Role::Access { is_store: true },
        K::TtgMask => Role::Choice,
        K::TtgMaskReturn => Role::End,
        K::TtgLocalLoad => Role::Buffer { is_store: false },
        K::TtgLocalAlloc | K::TtgLocalStore => Role::Buffer { is_store: true },
        K::TtAssert => Role::Check,
        K::TtAtomicCAS
        | K::TtAtomicLoad
        | K::TtAtomicRMW
        | K::TtGather
        | K::TtMapElementwise
        | K::TtgMemDescReshape
        | K::TtgMemDescTrans
        | K::TtngWarpGroupDotWait => Role::Fixed,
    }
}

/// Whether no attribute of an operation keeps it in the layouts that it has.
fn is_free(op: Op<'_>) -> bool {
    use OpView as V;
    match OpView::of(op) {
        Some(V::TtgConvertLayout(op)) => !op.force_warp_shuffle(),
        Some(V::TtExternElementwise(op)) => op.pure(),
        Some(V::TtElementwiseInlineAsm(op)) => op.pure() && op.packed_element() == 1,
        Some(V::TtReshape(op)) => !op.allow_reorder(),
        Some(V::TtLoad(op)) => !op.is_volatile(),
        _ => true,
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
