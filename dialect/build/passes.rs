//! What C++ and Rust know of passes, from `passes/Passes.td`: their numbers and their options.
//!
//! A pass crosses the border as its number, its options as typed values in the order of the table, so
//! that neither side reads a text that the other wrote. `passes/table.rs` takes the result in.

use crate::options::{self, Choice, Declared, Kind};
use tblgen::{Record, RecordKeeper};

/// What is written for C++ and for Rust.
pub(crate) struct Generated {
    /// `PassList.inc`: an X-macro for each pass, with its number and options.
    pub(crate) cpp: String,
    /// `passes.rs`: the options of each pass and the enum of passes, in the order of their numbers.
    pub(crate) rust: String,
}

/// Reads one option of a pass.
fn choice(record: Record<'_>) -> Choice<'_> {
    let text = |field| record.str_value(field).expect("an option has this field");
    // A list has no default in TableGen: it is empty.
    let default = record.str_value("defaultValue").unwrap_or_default();
    Choice {
        member: text("cppName"),
        key: text("argument"),
        kind: Kind::of(
            text("type"),
            default,
            record.subclass_of("ListOption"),
            text("cppName"),
        ),
        default,
        help: text("description"),
    }
}

/// Reads the records of `passes/Passes.td`.
pub(crate) fn generate(keeper: &RecordKeeper<'static>) -> Generated {
    let passes: Vec<Declared<'_>> = keeper
        .all_derived_definitions("PassBase")
        .map(|pass| {
            let options = pass.list_of_defs_value("options");
            Declared {
                name: pass.name().expect("a pass has a name"),
                argument: pass.str_value("argument").expect("a pass has an argument"),
                summary: pass.str_value("summary").unwrap_or_default(),
                options: options
                    .map(|list| list.into_iter().map(choice).collect())
                    .unwrap_or_default(),
            }
        })
        .collect();
    Generated {
        cpp: options::cpp(&passes),
        rust: options::rust(&passes),
    }
}
