//! Loop-carried values of `scf.for`.

use super::ops::scf;
use crate::sys::build::{Val, block_arguments, terminator_operands};
use crate::sys::{self, operation_id};
use melior::ir::BlockLike;

/// A loop-carried value of an `scf.for`.
pub(crate) struct Carried<'c> {
    /// The loop's operation id.
    pub(crate) loop_id: usize,
    pub(crate) initial: Val<'c>,
    pub(crate) next: Val<'c>,
}

impl<'c> Carried<'c> {
    /// Returns the loop-carried value for the block argument `value`, or `None` for other values. The induction
    /// variable is not loop-carried.
    pub(crate) fn of(value: Val<'c>) -> Option<Self> {
        let block = sys::block_of_argument(value)?;
        let loop_ = scf::For::of(block.parent_operation()?)?;
        let carried = block_arguments(block).into_iter().skip(1);
        let mut values = carried
            .zip(loop_.init_args())
            .zip(terminator_operands(block));
        let ((_, initial), next) = values.find(|((argument, _), _)| *argument == value)?;
        Some(Self {
            loop_id: operation_id(loop_.op()),
            initial,
            next,
        })
    }
}
