//! Translation validation of layout passes.
//!
//! `names` compares the values before and after a pass, without layouts. `registers` checks that each thread holds the
//! elements for its operations. Together: every register that reaches memory, control flow or a call holds the same
//! element of the same value as before. The proof is independent of the code that chooses, infers or lowers layouts.
//! Plans validate operations that move data between threads, at their lowering.

mod names;
mod registers;
#[cfg(test)]
mod tests;

use super::context::PassContext;
use super::rewrite_layouts::functions;
use crate::sys::{self, Diagnostic, Reported};
use names::Names;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// Used values and the order of effects are unchanged; only layouts change.
    Values,
    /// The registers that operations read are unchanged. Unused loop-carried values may change.
    Registers,
}

/// A proof in progress. Holds the value numbers before the pass, for [`Claim::Values`] only.
pub(super) struct Proof(Option<Vec<Names>>);

impl Proof {
    pub(super) fn begin(claim: Claim, context: &PassContext<'_>) -> Self {
        let read = || functions(context.module()).into_iter().map(names::names);
        Self((claim == Claim::Values).then(|| read().collect()))
    }

    /// Validates the module after the pass.
    ///
    /// # Errors
    /// Reports a changed computation, or a thread that lacks an element.
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
