//! Combine regions with a single-instruction form, on packed elements or across the lanes of a warp.

use crate::ir::{AnyKind, UpstreamKind};
use crate::lower::emit::block_arguments;
use crate::sys;
use crate::sys::build::{self, Op, Val};
use linear_layout::plan::tuples::LaneReduction;
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};

/// A reduction over the lanes of a warp, for f32 and integers up to 32 bits.
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
    /// `nan` propagates NaN; otherwise NaN is ignored.
    FloatMax {
        nan: bool,
    },
    FloatMin {
        nan: bool,
    },
}

/// A combine region with a single operation on two elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleOperation<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) kind: UpstreamKind,
    pub(crate) element: Type<'c>,
    /// Set if the operands are the region's arguments in reverse order.
    pub(crate) is_swapped: bool,
}

impl<'c> SingleOperation<'c> {
    /// Returns the operation in the combine region of `op`.
    ///
    /// `None` if the region has several operations, or if the operation does not use exactly the region's
    /// arguments.
    pub(crate) fn of(op: Op<'c>) -> Option<Self> {
        let mut blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
        let block = blocks.next().filter(|_| op.result_count() == 1)?;
        let [single, end] = build::operations(block)[..] else {
            return None;
        };
        let ids = |values: Vec<Val<'c>>| -> Vec<usize> {
            values.into_iter().map(sys::value_id).collect()
        };
        let operands = |op: Op<'c>| -> Vec<Val<'c>> {
            let operands = 0..op.operand_count();
            operands.map(|i| build::operand(op, i)).collect()
        };
        let made: Vec<Val<'c>> = (0..single.result_count())
            .map(|i| build::result(single, i))
            .collect();
        let element = made.first()?.r#type();
        let arguments = ids(block_arguments(block));
        let mut taken = ids(operands(single));
        let is_swapped = taken.first() != arguments.first();
        if is_swapped {
            taken.reverse();
        }
        let is_whole = taken == arguments && ids(operands(end)) == ids(made);
        let AnyKind::Upstream(kind) = AnyKind::of(single) else {
            return None;
        };
        (is_whole && blocks.next().is_none()).then_some(Self {
            op: single,
            kind,
            element,
            is_swapped,
        })
    }

    /// Returns true if the target has a packed instruction for this operation on f16 or bf16.
    ///
    /// A packed instruction combines two elements in one register.
    pub(crate) fn is_packed(&self, target: &Target) -> bool {
        use UpstreamKind as K;
        let is_known = matches!(
            self.kind,
            K::ArithAddF
                | K::ArithMulF
                | K::ArithMaximumF
                | K::ArithMinimumF
                | K::ArithMaxNumF
                | K::ArithMinNumF
        );
        let context = sys::context_of(self.element.context());
        let is_half = self.element == Type::float16(context)
            || self.element == Type::bfloat16(context) && target.instructions.packed_bf16;
        is_known && is_half
    }
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

    /// Converts to the planner's type. `None` if the target has no such instruction.
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
