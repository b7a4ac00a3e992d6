//! What an attribute of `arith` says of speed.

use melior::ir::Attribute;

/// Flags of one operation.
#[derive(Clone, Copy)]
pub(super) struct Fast<'c> {
    /// The same for the LLVM dialect; nothing where no flag is set.
    pub(super) said: Option<Attribute<'c>>,
    pub(super) may_approximate: bool,
}
