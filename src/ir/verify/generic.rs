//! Rules of `#ttg.generic_linear`: support for swizzled warps.

use super::common::{Verdict, broken, convert_note};
use crate::ir::{OpKind, kinds};
use melior::ir::Type;

fn takes_swizzled_warps(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        kinds!(Elementwise)
            | K::GluonSetAutoLayout
            | K::TtAssert
            | K::TtBroadcast
            | K::TtCall
            | K::TtDot
            | K::TtDotScaled
            | K::TtExpandDims
            | K::TtFunc
            | K::TtJoin
            | K::TtLoad
            | K::TtMakeRange
            | K::TtReshape
            | K::TtReturn
            | K::TtSplat
            | K::TtSplit
            | K::TtStore
            | K::TtTrans
            | K::TtgConvertLayout
            | K::TtgFp4ToFp
            | K::TtgLocalLoad
            | K::TtgLocalStore
    )
}

pub(super) fn check_support(kind: OpKind, type_: Type<'_>) -> Verdict {
    if takes_swizzled_warps(kind) {
        return Ok(());
    }
    Err(vec![
        broken!(
            generic_linear_c1,
            "does not support an encoding with swizzled warps, but got `{type_}`"
        )
        .note(convert_note("the tensor")),
    ])
}
