//! What rules of canonical form begin with, and end with.

use crate::sys::Rewriter;
use crate::sys::build::{Op, Val};

/// Something that a rule was found for; nothing where the operation stays.
pub(crate) type Matched = Option<()>;

/// An operation that shows one value in another way.
#[derive(Clone, Copy)]
pub(super) struct View<'c> {
    pub(super) op: Op<'c>,
    /// Where `source` stands among the operands.
    pub(super) at: usize,
    pub(super) source: Val<'c>,
    pub(super) result: Val<'c>,
}

impl<'c> View<'c> {
    /// Takes the source from further up.
    pub(super) fn look_through(self, rewriter: Rewriter<'c>, source: Val<'c>) {
        rewriter.set_operand(self.op, self.at, source);
    }
}
