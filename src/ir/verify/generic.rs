//! Where tensors laid out by `#ttg.generic_linear` may stand.

use super::common::{Verdict, broken, convert_note};
use crate::ir::OpKind;
use melior::ir::Type;

/// Operations of `tt`, `ttg` and `ttng` that take them.
const TAKEN_BY: [OpKind; 33] = [
    OpKind::GluonSetAutoLayout,
    OpKind::TtAddPtr,
    OpKind::TtApproxDivF,
    OpKind::TtAssert,
    OpKind::TtBitcast,
    OpKind::TtBroadcast,
    OpKind::TtCall,
    OpKind::TtClampF,
    OpKind::TtDot,
    OpKind::TtDotScaled,
    OpKind::TtElementwiseInlineAsm,
    OpKind::TtExpandDims,
    OpKind::TtExternElementwise,
    OpKind::TtFpToFp,
    OpKind::TtFunc,
    OpKind::TtIntToPtr,
    OpKind::TtJoin,
    OpKind::TtLoad,
    OpKind::TtMakeRange,
    OpKind::TtMulhiUI,
    OpKind::TtPreciseDivF,
    OpKind::TtPreciseSqrt,
    OpKind::TtPtrToInt,
    OpKind::TtReshape,
    OpKind::TtReturn,
    OpKind::TtSplat,
    OpKind::TtSplit,
    OpKind::TtStore,
    OpKind::TtTrans,
    OpKind::TtgConvertLayout,
    OpKind::TtgFp4ToFp,
    OpKind::TtgLocalLoad,
    OpKind::TtgLocalStore,
];

/// Whether an operation takes tensors whose warps are swizzled.
pub(crate) fn takes_swizzled_warps(kind: OpKind) -> bool {
    TAKEN_BY.contains(&kind)
}

/// Checks that an operation takes a tensor of this type, whose warps are swizzled.
pub(super) fn taken(kind: OpKind, type_: Type<'_>) -> Verdict {
    if takes_swizzled_warps(kind) {
        return Ok(());
    }
    Err(vec![
        broken!(
            generic_linear_c1,
            "does not take a tensor whose warps are swizzled, but has `{type_}`"
        )
        .note(convert_note("it")),
    ])
}
