//! Diagnostics of unknown operations, attributes and types.

use crate::sys::Diagnostic;
use linear_layout::encoding::spelling::nearest;

/// Supported version of Triton.
pub const TRITON_VERSION: &str = "3.9";

/// Dialects without a counterpart in Triton.
const NOT_OF_TRITON: [&str; 2] = ["cute", "tilus"];

/// Returns the diagnostic for an unknown name, given the `known` names of the dialect.
///
/// For `ttg.local_laod`, the diagnostic has the note ``the nearest operation is `ttg.local_load` ``.
#[must_use]
pub fn unknown_name(kind: &str, dialect: &str, name: &str, known: &[String]) -> Diagnostic {
    // These dialects do not depend on a version of Triton.
    let why = match NOT_OF_TRITON.contains(&dialect) {
        true => format!("dialect `{dialect}` has no such {kind}"),
        false => format!("dialect `{dialect}` of Triton {TRITON_VERSION} has no such {kind}"),
    };
    let diagnostic = Diagnostic::new(format!("unknown {kind} `{dialect}.{name}`: {why}"));
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => diagnostic.note(format!("the nearest {kind} is `{dialect}.{near}`")),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_named() {
        let known = ["local_load", "local_store", "memdesc_index"].map(str::to_owned);
        let notes = |name| unknown_name("operation", "ttg", name, &known).notes;
        assert_eq!(
            notes("local_laod"),
            ["the nearest operation is `ttg.local_load`"]
        );
        assert_eq!(notes("quantum_dot"), [""; 0]);
        assert_eq!(notes(""), [""; 0]);
    }

    #[test]
    fn message_names_operation_and_version() {
        assert_eq!(
            unknown_name("operation", "tt", "warp_dot", &[]).message,
            "unknown operation `tt.warp_dot`: dialect `tt` of Triton 3.9 has no such operation"
        );
    }
}
