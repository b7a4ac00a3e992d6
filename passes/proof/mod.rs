//! Translation validation of layout passes.
//!
//! `names` compares the values before and after a pass, without layouts. `registers` checks that each thread holds the
//! elements for its operations. Together: every register that reaches memory, control flow or a call holds the same
//! element of the same value as before. The proof is independent of the code that chooses, infers or lowers layouts.
//! Plans validate operations that move data between threads, at their lowering.
//!
//! `iterations` executes functions before and after a pass that moves operations between iterations of a loop.

mod iterations;
mod names;
mod registers;
mod terms;
#[cfg(test)]
mod tests;

use super::context::PassContext;
use super::rewrite_layouts::functions;
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic, Reported};
use iterations::Traces;
use names::Names;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// The pass changes only layouts. The operations with effects, their order, and the values that they use are
    /// unchanged.
    Values,
    /// Each operation still finds the elements that it needs in the registers that it reads. The pass may change
    /// unused loop-carried values, so values are not compared.
    Registers,
    /// Effects and their operands are unchanged, for every number of iterations. If `distinct_arguments` is true,
    /// different arguments are assumed to point to disjoint memory.
    Iterations { distinct_arguments: bool },
}

/// A proof in progress. It contains the facts that were recorded about each function before the pass.
pub(super) struct Proof(Before);

enum Before {
    Values(Vec<Names>),
    Registers,
    Iterations(Vec<Traces>),
}

impl Proof {
    pub(super) fn begin(claim: Claim, context: &PassContext<'_>) -> Self {
        let functions = functions(context.module()).into_iter();
        Self(match claim {
            Claim::Values => Before::Values(functions.map(names::names).collect()),
            Claim::Registers => Before::Registers,
            Claim::Iterations { distinct_arguments } => {
                let traces = functions.map(|function| Traces::of(function, distinct_arguments));
                Before::Iterations(traces.collect())
            }
        })
    }

    /// Validates the module after the pass.
    ///
    /// # Errors
    /// Reports a changed computation, or a thread that lacks an element.
    pub(super) fn finish(mut self, context: &PassContext<'_>) -> Result<(), Reported> {
        for (at, function) in functions(context.module()).into_iter().enumerate() {
            self.compare(at, function)
                .map_err(|reason| (function, reason))
                .and_then(|()| registers::check(function))
                .map_err(|(op, reason)| {
                    sys::emit_error(
                        op,
                        &Diagnostic::new(format!(
                            "internal error, please report it: the pass changes the result: {reason}"
                        )),
                    )
                })?;
        }
        Ok(())
    }

    /// Compares a function after the pass with the facts that were recorded about function number `at` before the
    /// pass.
    fn compare(&mut self, at: usize, function: Op<'_>) -> Result<(), String> {
        match &mut self.0 {
            Before::Values(before) => before
                .get_mut(at)
                .map_or(Ok(()), |names| names::compare(names, function)),
            Before::Registers => Ok(()),
            Before::Iterations(before) => before
                .get_mut(at)
                .map_or(Ok(()), |traces| traces.compare(function)),
        }
    }
}
