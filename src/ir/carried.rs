//! Loop-carried values of `scf.for`.

use super::ops::scf;
use crate::sys::build::{Val, block_arguments, terminator_operands};
use crate::sys::{self, operation_id};
use melior::ir::BlockLike;

/// A value that an `scf.for` carries from one iteration to the next.
pub(crate) struct Carried<'c> {
    /// The identity of the loop.
    pub(crate) loop_id: usize,
    /// The value of the first iteration.
    pub(crate) initial: Val<'c>,
    /// The value of the next iteration.
    pub(crate) next: Val<'c>,
}

impl<'c> Carried<'c> {
    /// Returns `None` if `value` is not carried; the counter of a loop is not.
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
