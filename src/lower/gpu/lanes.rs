//! Combine regions that one instruction applies across the lanes of a warp.

use crate::ir::{SingleOperation, UpstreamKind};
use crate::sys;
use crate::sys::build::Op;
use linear_layout::plan::tuples::LaneReduction;
use linear_layout::target::Target;
use melior::ir::{Type, TypeLike};

/// An operation that reduces the values of all lanes of a warp to one value. The values are f32, or integers of at
/// most 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LaneOperation {
    Add,
    And,
    Or,
    Xor,
    Max,
    Min,
    UnsignedMax,
    UnsignedMin,
    /// Maximum of f32 values. If `nan` is true, the result is NaN if any value is NaN; otherwise NaN values are
    /// ignored.
    FloatMax {
        nan: bool,
    },
    FloatMin {
        nan: bool,
    },
}

impl LaneOperation {
    pub(crate) fn of(op: Op<'_>) -> Option<Self> {
        SingleOperation::of(op).and_then(|single| Self::known(single.kind, single.element))
    }

    fn known(kind: UpstreamKind, type_: Type<'_>) -> Option<Self> {
        use UpstreamKind as K;
        if let Some(width) = sys::float_width(type_) {
            let found = match kind {
                K::ArithMaximumF => Self::FloatMax { nan: true },
                K::ArithMinimumF => Self::FloatMin { nan: true },
                K::ArithMaxNumF => Self::FloatMax { nan: false },
                K::ArithMinNumF => Self::FloatMin { nan: false },
                _ => return None,
            };
            return (width == 32).then_some(found);
        }
        let found = match kind {
            K::ArithAddI => Self::Add,
            K::ArithAndI => Self::And,
            K::ArithOrI => Self::Or,
            K::ArithXOrI => Self::Xor,
            K::ArithMaxSI => Self::Max,
            K::ArithMinSI => Self::Min,
            K::ArithMaxUI => Self::UnsignedMax,
            K::ArithMinUI => Self::UnsignedMin,
            _ => return None,
        };
        let is_word = type_.is_integer() && crate::lower::types::bits_of(type_) <= 32;
        is_word.then_some(found)
    }

    /// Returns the properties of this operation that the planner of reductions needs. Returns `None` if the target
    /// has no instruction that reduces the values of a warp with this operation.
    pub(crate) fn planned(self, target: &Target) -> Option<LaneReduction> {
        let is_float = matches!(self, Self::FloatMax { .. } | Self::FloatMin { .. });
        let has = if is_float {
            target.instructions.float_lane_reductions
        } else {
            target.instructions.lane_reductions
        };
        let is_idempotent = !matches!(self, Self::Add | Self::Xor);
        has.then_some(LaneReduction { is_idempotent })
    }
}
