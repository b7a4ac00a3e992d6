//! Reference of the dialects: one line per declared operation, attribute and type.

use std::fmt::Write;

/// A dialect as declared in TableGen.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Name, for example `ttg`.
    pub name: &'static str,
    /// Summary of the purpose.
    pub summary: &'static str,
    /// Operations, attributes and types, each group sorted by name.
    pub entries: &'static [Entry],
}

/// An operation, attribute or type.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Name as in the IR: `tt.load`, `#ttg.blocked`, `!tt.ptr`.
    pub name: &'static str,
    /// Short summary.
    pub summary: &'static str,
    /// Syntax example, or empty.
    pub example: &'static str,
}

/// Kind of an [`Entry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// An operation.
    Operation,
    /// An attribute.
    Attribute,
    /// A type.
    Type,
}

/// The dialects as declared in TableGen.
pub const DIALECTS: &[Dialect] = &include!(concat!(env!("OUT_DIR"), "/generated/reference.rs"));

/// Returns the reference of all dialects, with one line per entry.
#[must_use]
pub fn listing() -> String {
    let entries = || DIALECTS.iter().flat_map(|dialect| dialect.entries);
    let width = entries().map(|e| e.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    // Writing to a string does not fail.
    for dialect in DIALECTS {
        let _ = writeln!(text, "{}: {}", dialect.name, dialect.summary);
        for (kind, title) in [
            (EntryKind::Operation, "operations"),
            (EntryKind::Attribute, "attributes"),
            (EntryKind::Type, "types"),
        ] {
            let mut found = dialect.entries.iter().filter(|e| e.kind == kind).peekable();
            if found.peek().is_some() {
                let _ = writeln!(text, "  {title}");
            }
            for entry in found {
                let _ = writeln!(text, "    {:<width$}  {}", entry.name, entry.summary);
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{DIALECTS, EntryKind};

    #[test]
    fn every_entry_says_what_it_is() {
        for dialect in DIALECTS {
            assert!(!dialect.summary.is_empty(), "{}", dialect.name);
            for entry in dialect.entries {
                assert!(!entry.summary.is_empty(), "{} has no summary", entry.name);
                assert!(!entry.summary.ends_with('.'), "{}", entry.name);
            }
            let is_op = |name| dialect.entries.iter().any(|e| e.name == name);
            assert!(dialect.name != "tt" || is_op("tt.load") && is_op("!tt.ptr"));
        }
        let operations = DIALECTS.iter().flat_map(|d| d.entries);
        assert!(
            operations
                .filter(|e| e.kind == EntryKind::Operation)
                .count()
                > 150
        );
    }
}
