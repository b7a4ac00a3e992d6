//! Common parts of canonicalisation patterns.

use crate::sys::Rewriter;
use crate::sys::build::{Op, Val};

/// The result of a canonicalisation pattern: `Some` if it has changed the IR.
pub(crate) type MatchResult = Option<()>;

/// An operation with one source operand and one result, for example a layout conversion, a reshape or a
/// transposition.
#[derive(Clone, Copy)]
pub(super) struct ViewOp<'c> {
    pub(super) op: Op<'c>,
    /// Operand index of `source`.
    pub(super) at: usize,
    pub(super) source: Val<'c>,
    pub(super) result: Val<'c>,
}

impl<'c> ViewOp<'c> {
    pub(super) fn set_source(self, rewriter: Rewriter<'c>, source: Val<'c>) {
        rewriter.set_operand(self.op, self.at, source);
    }
}
