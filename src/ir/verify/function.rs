//! The rules of functions.

use super::Verdict;
use crate::sys::{self, Diagnostic, build};
use melior::ir::OperationRef;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;

pub(super) fn function(op: OperationRef<'_, '_>) -> Verdict {
    let arguments = op.attribute("arg_attrs").ok();
    let Some(arguments) = arguments.and_then(|a| ArrayAttribute::try_from(a).ok()) else {
        return Ok(());
    };
    let promises = (0..arguments.len()).filter_map(|i| {
        let entries = arguments.element(i).ok()?;
        Some((i, sys::dictionary_entry(entries, "tt.divisibility")?))
    });
    let mut broken = Vec::new();
    for (i, promise) in promises {
        let number = build::integer_value(promise).and_then(|n| u64::try_from(n).ok());
        if !number.is_some_and(u64::is_power_of_two) {
            let diagnostic = Diagnostic::new(format!(
                "needs `tt.divisibility` to be a positive power of two, but argument {i} has `{promise}`"
            )); // func_c1
            broken.push(match number.filter(|n| *n > 0) {
                // What a number divides, its powers of two divide.
                Some(n) => diagnostic.note(format!(
                    "{} is the power of two in it",
                    n & n.wrapping_neg()
                )),
                None => diagnostic.note("1 promises nothing"),
            });
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken)
    }
}
