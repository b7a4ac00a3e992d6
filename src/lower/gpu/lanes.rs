//! Combine regions with a single-instruction form, on packed elements or across the lanes of a warp.

use crate::ir::{AnyKind, UpstreamKind};
use crate::lower::emit::block_arguments;
use crate::sys;
use crate::sys::build::{self, Op, Val};
use linear_layout::plan::tuples::LaneReduction;
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};

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

/// The only operation of a combine region. It combines the arguments of the region, and the region yields its
/// result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleOperation<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) kind: UpstreamKind,
    pub(crate) element: Type<'c>,
    /// True if the operands are the region's arguments in reverse order.
    pub(crate) is_swapped: bool,
}

impl<'c> SingleOperation<'c> {
    /// Returns the only operation in the combine region of `op`.
    ///
    /// Returns `None` if the region has several operations, if `op` has several results, or if the operands of the
    /// operation are not exactly the region's arguments, in order or reversed.
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

    /// Returns true if the operation is on f16 or bf16 elements and the target has a packed instruction for it.
    ///
    /// A packed instruction operates on two elements per register.
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
