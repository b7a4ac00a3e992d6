//! Translation validation of layout passes.
//!
//! `names` compares the values before and after a pass and ignores layouts; `registers` checks that each thread holds
//! the elements that its operations need. Together they prove the following: every register of every lane that reaches
//! memory, control flow or a call holds the same element of the same value as before the pass. The proof does not
//! depend on the code that chooses, infers or lowers layouts. Operations that move data between threads (conversions,
//! reductions, gathers) are validated when they are lowered, by their plans.

mod names;
mod registers;
#[cfg(test)]
mod tests;

use super::context::PassContext;
use super::rewrite_layouts::functions;
use crate::sys::{self, Diagnostic, Reported};
use names::Names;

/// The invariant that a pass claims to preserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// All used values and the order of effects stay the same. The pass changes only layouts.
    Values,
    /// The registers that operations read stay the same. Unused loop-carried values may change.
    Registers,
}

/// The proof that a pass keeps its claim. It contains the value numbers of each function before the pass, for
/// [`Claim::Values`] only.
pub(super) struct Proof(Option<Vec<Names>>);

impl Proof {
    /// Takes a snapshot of the module before a pass.
    pub(super) fn begin(claim: Claim, context: &PassContext<'_>) -> Self {
        let read = || functions(context.module()).into_iter().map(names::names);
        Self((claim == Claim::Values).then(|| read().collect()))
    }

    /// Validates the module after the pass.
    ///
    /// # Errors
    /// Reports a computation that has changed, or a thread that lacks an element that its operation needs.
    pub(super) fn finish(self, context: &PassContext<'_>) -> Result<(), Reported> {
        let mut before = self.0.map(Vec::into_iter);
        for function in functions(context.module()) {
            let names = before.as_mut().and_then(Iterator::next);
            let same = names.map_or(Ok(()), |mut names| names::compare(&mut names, function));
            same.map_err(|reason| (function, reason))
                .and_then(|()| registers::check(function))
                .map_err(|(op, reason)| {
                    sys::emit_error(
                        op,
                        &Diagnostic::new(format!(
                            "internal error, please report it: the chosen layouts change the result: {reason}"
                        )),
                    )
                })?;
        }
        Ok(())
    }
}
