//! The proof of a pass that changes layouts only: `names` holds what each value is, layouts aside, to what it was;
//! `registers` holds what the registers of each thread name, operation by operation.
//!
//! Together they say that every register of every lane that reaches memory, control flow or a call holds the same
//! element of the same value as before. Neither knows how layouts are chosen, inferred or lowered. What an operation
//! that moves data between threads does (a conversion, a reduction, a gather) is not proved here: its plan is, when it
//! is lowered.

mod names;
mod registers;
#[cfg(test)]
mod tests;

use super::context::PassContext;
use super::rewrite_layouts::functions;
use crate::sys::{self, Diagnostic, Reported};
use names::Names;

/// What a pass leaves as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// Every value that is used, and the order of all effects: it changes layouts only.
    Values,
    /// What operations find in the registers of their threads; what loops carry and nobody looks at may be another value.
    Registers,
}

/// What the functions of a module compute, in order, where a pass claims to leave it.
pub(super) struct Proof(Option<Vec<Names>>);

impl Proof {
    /// Reads what there is before a pass.
    pub(super) fn begin(claim: Claim, context: &PassContext<'_>) -> Self {
        let read = || functions(context.module()).into_iter().map(names::names);
        Self((claim == Claim::Values).then(|| read().collect()))
    }

    /// Holds what there is after it to that.
    ///
    /// # Errors
    /// Something else is computed now, or a thread does not hold what an operation of its needs, which is reported.
    pub(super) fn finish(self, context: &PassContext<'_>) -> Result<(), Reported> {
        let mut before = self.0.map(Vec::into_iter);
        for function in functions(context.module()) {
            let names = before.as_mut().and_then(Iterator::next);
            let same = names.map_or(Ok(()), |mut names| names::compare(&mut names, function));
            same.map_err(|said| (function, said))
                .and_then(|()| registers::check(function))
                .map_err(|(op, said)| {
                    sys::emit_error(
                        op,
                        &Diagnostic::new(format!(
                            "internal error, please report it: the chosen layouts change the result: {said}"
                        )),
                    )
                })?;
        }
        Ok(())
    }
}
