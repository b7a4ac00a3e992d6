//! The rules of functions.

use super::common::{Verdict, broken, verdict};
use crate::ir::discardable::DIVISIBILITY;
use crate::ir::ops::tt;
use crate::sys::{self, build};
use melior::ir::attribute::ArrayAttribute;

pub(super) fn function(op: tt::Func<'_, '_>) -> Verdict {
    let Some(arguments) = op
        .arg_attrs()
        .and_then(|a| ArrayAttribute::try_from(a).ok())
    else {
        return Ok(());
    };
    let promises = (0..arguments.len()).filter_map(|i| {
        let entries = arguments.element(i).ok()?;
        Some((i, sys::dictionary_entry(entries, DIVISIBILITY)?))
    });
    let mut diagnostics = Vec::new();
    for (i, promise) in promises {
        let number = build::integer_value(promise).and_then(|n| u64::try_from(n).ok());
        if !number.is_some_and(u64::is_power_of_two) {
            let diagnostic = broken!(
                func_c1,
                "needs `{DIVISIBILITY}` to be a positive power of two, but argument {i} has `{promise}`"
            );
            diagnostics.push(match number.filter(|n| *n > 0) {
                // What a number divides, its powers of two divide.
                Some(n) => diagnostic.note(format!(
                    "{} is the power of two in it",
                    n & n.wrapping_neg()
                )),
                None => diagnostic.note("1 promises nothing"),
            });
        }
    }
    verdict(diagnostics)
}
