//! Common parts of canonicalisation patterns.

use crate::sys::Rewriter;
use crate::sys::build::{Op, Val};

/// `Some` if a pattern matched and changed the IR.
pub(crate) type Matched = Option<()>;

/// An operation that renames or reshapes one operand.
#[derive(Clone, Copy)]
pub(super) struct View<'c> {
    pub(super) op: Op<'c>,
    /// Number of the operand `source`.
    pub(super) at: usize,
    pub(super) source: Val<'c>,
    pub(super) result: Val<'c>,
}

impl<'c> View<'c> {
    /// Replaces the source by one further up.
    pub(super) fn look_through(self, rewriter: Rewriter<'c>, source: Val<'c>) {
        rewriter.set_operand(self.op, self.at, source);
    }
}
