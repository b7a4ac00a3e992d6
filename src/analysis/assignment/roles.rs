//! Roles: how an operation constrains the layouts of its operands and results.

use crate::ir::ops::arith;
use crate::ir::{AnyKind, OpKind, OpView, TensorType, UpstreamKind, kinds};
use crate::sys::build::{self, Op};
use linear_layout::target::Costs;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A layout conversion.
    Conversion,
    /// An operation without tensor operands whose result may have any layout: a constant, a range or a splat.
    Source,
    /// A rematerialisable operation whose tensors all have the same encoding.
    Elementwise,
    /// A view. Operands and results determine each other's encodings, and no data moves.
    View,
    /// A reduction. Operands and results determine each other's encodings, and the cost depends on their layouts.
    Reduction,
    /// A scan. All tensors have the same encoding, and the cost depends on its layout.
    Scan,
    /// An access to global memory. All tensors of the operation have the same encoding.
    Access {
        is_store: bool,
    },
    /// An access to a shared-memory buffer. The tensor may have any layout.
    Buffer {
        is_store: bool,
    },
    /// An access to a block of global memory through a descriptor. The data pass through a shared-memory buffer,
    /// and the tensor may have any layout.
    Block {
        is_store: bool,
    },
    /// An operation that checks each element of a tensor, for example an assertion. The tensor may have any layout.
    Check,
    Loop,
    /// A conditional that executes at most one of its regions.
    Conditional,
    /// The terminator of a loop or conditional region. Its operands are treated as part of the loop or conditional.
    Terminator,
    /// An operation whose layouts must not change, or an unknown operation.
    Fixed,
}

impl Role {
    pub(crate) fn of(op: Op<'_>) -> Self {
        match AnyKind::of(op) {
            AnyKind::Own(kind) => own(op, kind),
            AnyKind::Upstream(kind) => upstream(op, kind),
            AnyKind::Other => Self::Fixed,
        }
    }

    /// Returns true if an operation with this role can be rematerialised.
    pub(crate) const fn is_repeatable(self) -> bool {
        matches!(self, Self::Source | Self::Elementwise | Self::View)
    }

    /// Returns true if the operation may be erased when its results are unused.
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
        K::TtgMask => Role::Conditional,
        K::TtgMaskReturn => Role::Terminator,
        K::TtgLocalLoad => Role::Buffer { is_store: false },
        K::TtgLocalAlloc | K::TtgLocalStore => Role::Buffer { is_store: true },
        K::TtDescriptorLoad => Role::Block { is_store: false },
        K::TtDescriptorStore | K::TtDescriptorReduce => Role::Block { is_store: true },
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

/// Returns true if no attribute of the operation pins its layouts.
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
        U::ScfIf | U::ScfIndexSwitch | U::ScfExecuteRegion => Role::Conditional,
        U::ScfYield | U::ScfCondition => Role::Terminator,
        _ if kind.is_elementwise() => Role::Elementwise,
        _ => Role::Fixed,
    }
}

/// Returns true for integer division and remainder operations.
pub(crate) const fn divides_integers(kind: UpstreamKind) -> bool {
    use UpstreamKind as U;
    matches!(
        kind,
        U::ArithDivSI
            | U::ArithDivUI
            | U::ArithRemSI
            | U::ArithRemUI
            | U::ArithCeilDivSI
            | U::ArithCeilDivUI
            | U::ArithFloorDivSI
    )
}

/// Returns the approximate cost of an operation for a warp, per 32-bit word that a thread computes.
pub(super) fn cost_per_word(op: Op<'_>, costs: &Costs) -> u32 {
    use UpstreamKind as U;
    let select = costs.select;
    match AnyKind::of(op) {
        AnyKind::Upstream(kind) => match kind {
            U::ArithAddF | U::ArithSubF | U::ArithMulF | U::ArithNegF | U::MathFma => {
                costs.multiply_add
            }
            _ if divides_integers(kind) => 16 * select,
            U::ArithDivF
            | U::MathExp
            | U::MathExp2
            | U::MathLog
            | U::MathLog2
            | U::MathSqrt
            | U::MathRsqrt => 4 * select,
            U::ArithRemF | U::MathExpM1 | U::MathLog10 | U::MathLog1p | U::MathCbrt => 8 * select,
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
            | U::MathTanh => 16 * select,
            U::ArithConstant => 0,
            _ => select,
        },
        AnyKind::Own(kind) => match kind {
            OpKind::TtApproxDivF => 4 * select,
            OpKind::TtPreciseDivF
            | OpKind::TtPreciseSqrt
            | OpKind::TtExternElementwise
            | OpKind::TtElementwiseInlineAsm => 8 * select,
            OpKind::TtFpToFp => 2 * select,
            OpKind::TtBitcast | OpKind::TtIntToPtr | OpKind::TtPtrToInt | OpKind::TtSplat => 0,
            _ => select,
        },
        AnyKind::Other => select,
    }
}

/// Returns the approximate cost for a warp of one application of the combine region of a reduction or scan; at least 1.
pub(crate) fn combination_cost(op: Op<'_>, costs: &Costs) -> u32 {
    let blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
    let operations = blocks.flat_map(|block| {
        let mut operations = build::operations(block);
        operations.pop();
        operations
    });
    operations
        .map(|op| cost_per_word(op, costs))
        .sum::<u32>()
        .max(1)
}

pub(super) fn has_tensors(op: Op<'_>) -> bool {
    let operands = (0..op.operand_count()).map(|i| build::operand(op, i).r#type());
    let results = (0..op.result_count()).map(|i| build::result(op, i).r#type());
    operands
        .chain(results)
        .filter_map(TensorType::of)
        .any(|tensor| tensor.encoding.is_some())
}
