//! Rules of functions.

use super::common::{Verdict, broken, verdict};
use crate::ir::TensorType;
use crate::ir::discardable::{CONSTANCY, CONTIGUITY, DIVISIBILITY};
use crate::ir::ops::tt;
use crate::sys::{self, Diagnostic, build};
use melior::ir::attribute::{ArrayAttribute, DenseElementsAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type};

pub(super) fn function(op: tt::Func<'_, '_>) -> Verdict {
    let Some(arguments) = op
        .arg_attrs()
        .and_then(|a| ArrayAttribute::try_from(a).ok())
    else {
        return Ok(());
    };
    let types = FunctionType::try_from(op.function_type()).ok();
    let mut diagnostics = Vec::new();
    for i in 0..arguments.len() {
        let Ok(entries) = arguments.element(i) else {
            continue;
        };
        let type_ = types.and_then(|types| types.input(i).ok());
        for name in [DIVISIBILITY, CONTIGUITY, CONSTANCY] {
            if let Some(hint) = sys::dictionary_entry(entries, name) {
                diagnostics.extend(invalid_hint(name, i, hint, type_));
            }
        }
    }
    verdict(diagnostics)
}

/// Returns a diagnostic if an axis hint is invalid.
///
/// A valid hint is one power of two or, for a tensor, one power of two per dimension.
fn invalid_hint(
    name: &str,
    argument: usize,
    hint: Attribute<'_>,
    type_: Option<Type<'_>>,
) -> Option<Diagnostic> {
    if let Ok(list) = DenseElementsAttribute::try_from(hint) {
        let rank = type_
            .and_then(TensorType::of)
            .map_or(1, |tensor| tensor.shape.len());
        if list.len() != rank {
            return Some(broken!(
                func_c1,
                "axis hint `{name}` of argument {argument} is `{hint}`; expected one integer for each of {rank} dimensions"
            ).note("a single integer, such as `16 : i32`, applies to the first dimension"));
        }
        let number = |d: usize| list.i32_element(d).ok().and_then(|n| u64::try_from(n).ok());
        let wrong = (0..rank).find(|d| !number(*d).is_some_and(u64::is_power_of_two))?;
        let diagnostic = broken!(
            func_c1,
            "axis hint `{name}` of argument {argument} is `{hint}`; expected positive powers of two of type `i32`"
        );
        return Some(match number(wrong).filter(|n| *n > 0) {
            Some(n) => diagnostic.note(suggest_power(n)),
            None => diagnostic.note("use 1 if nothing is known"),
        });
    }
    let number = build::integer_value(hint).and_then(|n| u64::try_from(n).ok());
    if number.is_some_and(u64::is_power_of_two) {
        return None;
    }
    let diagnostic = broken!(
        func_c1,
        "axis hint `{name}` of argument {argument} is `{hint}`; expected an integer that is a positive power of two"
    );
    Some(match number.filter(|n| *n > 0) {
        Some(n) => diagnostic.note(suggest_power(n)),
        None => diagnostic.note("use 1 if nothing is known"),
    })
}

/// Returns a note with the largest power of two that divides `number`.
fn suggest_power(number: u64) -> String {
    format!(
        "the largest power of two that divides {number} is {}",
        number & number.wrapping_neg()
    )
}
