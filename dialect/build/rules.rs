//! Generator of the table of labelled rules in the descriptions of dialects, operations, attributes and types.
//!
//! The text of a rule is written in `dialect/*.td` only. `src/ir/rules.rs` includes and documents the result.

use std::collections::BTreeMap;
use std::fmt::Write;
use tblgen::{Record, RecordKeeper};

#[derive(Default)]
struct Rule {
    text: String,
    of: Vec<String>,
}

/// Returns the text of `rules.rs`. It contains a constant for the label of each rule, and a table of all rules
/// sorted by label. The rules are those in the descriptions of dialects, operations, attributes and types; see
/// [`declared`].
pub(crate) fn generate(dialects: &[(&str, &RecordKeeper<'static>)]) -> String {
    let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
    for (namespace, keeper) in dialects {
        for (name, record) in described(namespace, keeper) {
            for (label, text) in declared(record.str_value("description").unwrap_or_default()) {
                let rule = rules.entry(label).or_default();
                // A shared rule keeps the text of the first declaration.
                if rule.text.is_empty() {
                    rule.text = text;
                }
                rule.of.push(name.clone());
            }
        }
    }
    let mut rust = String::from("// Made by `dialect/build/rules.rs` from the TableGen records.\n");
    rust += "/// Labels of rules as constants.\n\
             #[allow(non_upper_case_globals, reason = \"labels are spelled as in the documentation\")]\n\
             pub mod labels {\n";
    for (label, rule) in &rules {
        let text = documentation(&rule.text);
        let _ = writeln!(rust, "/// {text}\npub const {label}: &str = {label:?};");
    }
    rust += "}\n/// All rules, sorted by label.\npub const RULES: &[Rule] = &[\n";
    for (label, Rule { text, of }) in &rules {
        let _ = writeln!(
            rust,
            "Rule {{ label: {label:?}, text: {text:?}, of: &{of:?} }},"
        );
    }
    rust + "];\n"
}

/// Escapes the characters that rustdoc would interpret as links or tags. Code spans stay unchanged.
fn documentation(text: &str) -> String {
    let escaped = |(i, part): (usize, &str)| {
        if i % 2 == 1 {
            part.to_owned()
        } else {
            part.replace('[', "\\[")
                .replace(']', "\\]")
                .replace('<', "\\<")
        }
    };
    let parts: Vec<String> = text.split('`').enumerate().map(escaped).collect();
    parts.join("`")
}

/// Returns the records of the dialect `namespace` and of its operations, attributes and types. Each record is
/// paired with its name in the IR.
fn described<'a>(namespace: &str, keeper: &'a RecordKeeper<'static>) -> Vec<(String, Record<'a>)> {
    let is_own = |record: &Record<'_>, field: &str| {
        record
            .def_value(field)
            .and_then(|dialect| dialect.str_value("name"))
            .is_ok_and(|name| name == namespace)
    };
    let mut found: Vec<(String, Record<'a>)> = keeper
        .all_derived_definitions("Dialect")
        .filter(|record| record.str_value("name") == Ok(namespace))
        .map(|record| (namespace.to_owned(), record))
        .collect();
    for (class, dialect, name, sigil) in [
        ("Op", "opDialect", "opName", ""),
        ("AttrDef", "dialect", "mnemonic", "#"),
        ("TypeDef", "dialect", "mnemonic", "!"),
    ] {
        let own = keeper
            .all_derived_definitions(class)
            .filter(|record| is_own(record, dialect));
        found.extend(own.map(|record| {
            let name = record.str_value(name).unwrap_or_default();
            (format!("{sigil}{namespace}.{name}"), record)
        }));
    }
    found
}

/// Returns the label and the text of each rule in a description. A rule begins with a line `- label: text`, and
/// continues on the following lines as long as they are indented further.
pub(crate) fn declared(description: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = None;
    for line in description.lines() {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if let Some((label, text)) = body
            .strip_prefix("- ")
            .and_then(|item| item.split_once(": "))
        {
            found.push((label.to_owned(), text.trim_end().to_owned()));
            inside = Some(indent);
        } else if inside.is_some_and(|start| indent > start) && !body.is_empty() {
            let (_, text) = found.last_mut().expect("a rule has begun");
            text.push(' ');
            text.push_str(body.trim_end());
        } else {
            inside = None;
        }
    }
    found
}

/// Returns the text of the first `mlir` code block in a description, without its indentation.
pub(crate) fn example(description: &str) -> String {
    let lines = description.lines().map(str::trim);
    let inside = lines.skip_while(|line| *line != "```mlir").skip(1);
    let lines: Vec<&str> = inside.take_while(|line| *line != "```").collect();
    lines.join("\n")
}
