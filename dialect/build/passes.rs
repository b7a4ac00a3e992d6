//! Generator of the C++ and Rust tables of passes and options from `passes/Passes.td`.
//!
//! A pass crosses the FFI as an index, options as typed values in table order. `passes/table.rs` includes the result.

use crate::options::{self, Choice, Declared, Kind};
use tblgen::{Record, RecordKeeper};

pub(crate) struct GeneratedPasses {
    /// Text of `PassList.inc`: an X-macro list with one entry per pass. The entry contains the name, the index and
    /// the options of the pass.
    pub(crate) cpp: String,
    /// Text of `passes.rs`: the options of each pass, and the enum of passes in index order.
    pub(crate) rust: String,
}

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

pub(crate) fn generate(keeper: &RecordKeeper<'static>) -> GeneratedPasses {
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
    GeneratedPasses {
        cpp: options::cpp(&passes),
        rust: options::rust(&passes),
    }
}
