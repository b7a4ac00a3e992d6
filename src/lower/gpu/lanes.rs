//! What one instruction combines all lanes of a warp by.

use crate::ir::{AnyKind, UpstreamKind};
use crate::lower::emit::block_arguments;
use crate::plan::tuples::LaneReduction;
use crate::sys;
use crate::sys::build::{self, Op, Val};
use crate::target::Target;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};

/// An operation on integers of up to 32 bits, or on f32.
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
    /// The larger number; one that is not a number counts where `nan` says so.
    FloatMax {
        nan: bool,
    },
    FloatMin {
        nan: bool,
    },
}

impl LaneOperation {
    /// Finds what the region of an operation on one tensor does, where it is one operation and on elements that
    /// instructions take.
    pub(crate) fn of(op: Op<'_>) -> Option<Self> {
        let mut blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
        let block = blocks.next().filter(|_| op.result_count() == 1)?;
        let arguments = block_arguments(block);
        let [single, end] = build::operations(block)[..] else {
            return None;
        };
        let operands = |op: Op<'_>| -> Vec<usize> {
            let operands = (0..op.operand_count()).map(|i| build::operand(op, i));
            operands.map(sys::value_id).collect()
        };
        let ids = |values: &[Val<'_>]| -> Vec<usize> {
            values.iter().map(|v| sys::value_id(*v)).collect()
        };
        let mut taken = operands(single);
        if taken.first() != ids(&arguments).first() {
            taken.reverse();
        }
        let made: Vec<Val<'_>> = (0..single.result_count())
            .map(|i| build::result(single, i))
            .collect();
        let is_whole = taken == ids(&arguments) && operands(end) == ids(&made);
        let type_ = made.first()?.r#type();
        let AnyKind::Upstream(kind) = AnyKind::of(single) else {
            return None;
        };
        Self::known(kind, type_).filter(|_| is_whole && blocks.next().is_none())
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

    /// What a plan must know, where the GPU has the instruction.
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
