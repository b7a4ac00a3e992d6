//! The combine region of a reduction or scan, if it consists of one operation.

use super::{AnyKind, UpstreamKind};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};

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
        let arguments = ids(build::block_arguments(block));
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

    /// Returns the only operation in the combine region of `op` if the target has a packed instruction for it, which
    /// operates on the two f16 or bf16 elements of a register.
    pub(crate) fn packed(op: Op<'c>, target: &Target) -> Option<Self> {
        Self::of(op).filter(|single| single.is_packed(target))
    }

    fn is_packed(&self, target: &Target) -> bool {
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
