//! Rules and their labels: what descriptions declare, what checks name, and what errors carry.

use crate::files::{files, read, root};
use linear_layout_mlir::ir::rules::RULES;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns all rule labels in a text, such as `make_range_c1`.
fn labels(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| {
            word.rsplit_once("_c").is_some_and(|(name, number)| {
                !name.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            })
        })
        .map(str::to_owned)
        .collect()
}

/// Returns all rule labels that the descriptions of operations, types and attributes declare.
fn declared() -> BTreeSet<String> {
    RULES.iter().map(|rule| rule.label.to_owned()).collect()
}

#[test]
fn each_rule_is_checked() {
    let text = |folder: &str, ending: &str| -> String {
        let code = files(folder, &[ending]).into_iter().map(read);
        let code = code.map(|text| {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            code.lines().map(code_of).collect::<Vec<_>>().join("\n")
        });
        code.collect()
    };
    // Those of encodings in encodings stand beside their parameters.
    let td = text("dialect", "td");
    let inner = td.split("LL_Inner<\"").skip(1);
    let inner = inner.filter_map(|rest| rest.split('"').next().map(str::to_owned));
    // A label is an argument of the check: in comments it says nothing.
    let checked: BTreeSet<String> = ["src/ir", "crates/linear-layout/src/encoding"]
        .iter()
        .flat_map(|room| labels(&text(room, "rs")))
        .chain(labels(&text("dialect", "cpp")))
        .chain(inner)
        .collect();
    let declared = declared();
    let without: Vec<&String> = declared.difference(&checked).collect();
    assert_eq!(without, Vec::<&String>::new(), "labels without a check");
    let unknown: Vec<&String> = checked.difference(&declared).collect();
    assert_eq!(unknown, Vec::<&String>::new(), "checks of no rule");
}

/// Rules that hold, but whose violations are reported in another way: by MLIR itself, or by another rule. Each
/// entry holds the label of the rule, and the reason.
const SAID_OTHERWISE: [(&str, &str); 6] = [
    ("map_elementwise_c1", "MLIR counts operands before it asks"),
    ("memdesc_c9", "the error is that of the encoding's own rule"),
    ("reduce_c1", "MLIR counts operands before it asks"),
    ("scan_c1", "MLIR counts operands before it asks"),
    ("tensor_memory_encoding_c6", "memdesc_c10 says it of types"),
    ("ttg_c5", "the error is that of the encoding's own rule"),
];

/// Runs ll-opt on a file with `--rule-labels`, which adds a note with the label of the violated rule to an error.
/// Returns the line and the label of each of these notes.
fn carried(file: &Path, flags: &[&str]) -> Vec<(usize, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_ll-opt"))
        .arg(file)
        .args(flags)
        .arg("--rule-labels")
        .output()
        .expect("ll-opt runs");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let name = format!("{}:", file.display());
    let notes = messages.lines().filter_map(|line| {
        let (line, rest) = line.strip_prefix(&name)?.split_once(':')?;
        let (_, rule) = rest.split_once(" note: rule ")?;
        let (label, _) = rule.split_once(": ")?;
        Some((line.parse().ok()?, label.to_owned()))
    });
    notes.collect()
}

/// Checks the rule labels of errors. If the comments of a test section name rules, the errors in this section must
/// have exactly the labels of these rules; [`SAID_OTHERWISE`] lists the exceptions. Each rule that is not such an
/// exception must be violated in some test.
#[test]
fn errors_carry_the_labels_that_their_tests_name() {
    let otherwise: BTreeSet<String> = SAID_OTHERWISE.map(|(label, _)| label.to_owned()).into();
    let mut all = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in files("test", &["mlir"]) {
        let text = read(&file);
        let runs = text
            .lines()
            .filter_map(|line| line.strip_prefix("// RUN: ll-opt "));
        let mut runs = runs.filter(|run| run.contains("-verify-diagnostics"));
        let Some(run) = runs.next() else {
            continue;
        };
        let flags: Vec<&str> = run
            .split(' ')
            .filter(|flag| *flag != "%s" && !flag.contains("-verify-diagnostics"))
            .collect();
        let begins: Vec<usize> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.starts_with("// -----"))
            .map(|(at, _)| at + 1)
            .collect();
        let section_of = |line: usize| begins.iter().filter(|begin| **begin <= line).count();
        let mut found = vec![BTreeSet::new(); begins.len() + 1];
        for (line, label) in carried(&file, &flags) {
            all.insert(label.clone());
            found[section_of(line)].insert(label);
        }
        for ((comments, _), found) in sections(&text).iter().zip(&found) {
            let named: BTreeSet<String> = &labels(comments) - &otherwise;
            if !named.is_empty() && named != *found {
                wrong.push(format!(
                    "{}: tests {named:?}, has {found:?}",
                    file.display()
                ));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let declared = declared();
    let expected: BTreeSet<&String> = declared.difference(&otherwise).collect();
    let without: Vec<&String> = expected
        .into_iter()
        .filter(|label| !all.contains(*label))
        .collect();
    assert_eq!(without, Vec::<&String>::new(), "labels without a test");
    let seen: Vec<&String> = otherwise.intersection(&all).collect();
    assert_eq!(
        seen,
        Vec::<&String>::new(),
        "errors carry these: they are no exceptions"
    );
}

/// Checks that `--explain-rule` takes its examples from the test files whose comments name rules, and from no
/// others.
#[test]
fn every_test_of_what_is_wrong_is_an_example() {
    let code = read("tools/ll-opt/rules.rs");
    let shown: BTreeSet<&str> = code
        .split("include_str!(\"../../")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    for file in files("test/Dialect", &["mlir"]) {
        let name = file.strip_prefix(root()).expect("a file of the project");
        let name = name.to_str().expect("names are UTF-8");
        let has_labels = sections(&read(&file))
            .iter()
            .any(|(comments, _)| !labels(comments).is_empty());
        assert_eq!(shown.contains(name), has_labels, "{name}");
    }
}

/// Splits a test at its `// -----` lines. Returns the comments and the code of each section.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut all = vec![(String::new(), String::new())];
    for line in text.lines() {
        if line.starts_with("// -----") {
            all.push((String::new(), String::new()));
            continue;
        }
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let (comments, body) = all.last_mut().expect("there is a section");
        if !comment.contains("expected-") {
            *comments += comment;
            comments.push('\n');
        }
        *body += code.trim();
        body.push('\n');
    }
    all
}

/// Returns all sections of the tests with `-verify-diagnostics`, each as the file name, the comments and the code.
fn sections_of_what_is_wrong() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for file in files("test", &["mlir"]) {
        let text = fs::read_to_string(&file).expect("a test is text");
        let name = file.display().to_string();
        if text.contains("-verify-diagnostics") {
            let here = sections(&text).into_iter();
            all.extend(here.map(|(comments, body)| (name.clone(), comments, body)));
        }
    }
    all
}

#[test]
fn no_two_tests_are_the_same() {
    let mut seen = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, comments, body) in sections_of_what_is_wrong() {
        if body.trim().is_empty() {
            continue;
        }
        let labels: Vec<String> = labels(&comments).into_iter().collect();
        let here = format!("{name}: {labels:?}");
        if let Some(other) = seen.insert(body, here.clone()) {
            wrong.push(format!("{here} is {other}"));
        }
    }
    assert!(!seen.is_empty());
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_item_of_a_description_is_a_rule_with_a_label() {
    let mut wrong = Vec::new();
    for file in files("dialect", &["td"]) {
        let text = fs::read_to_string(&file).expect("a source file is text");
        for (at, line) in text.lines().enumerate() {
            let Some(item) = line.trim_start().strip_prefix("- ") else {
                continue;
            };
            let label = item.split(": ").next().unwrap_or_default();
            if labels(label).iter().next().map(String::as_str) != Some(label) {
                wrong.push(format!("{}:{}: {item}", file.display(), at + 1));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "rules without a label");
}

/// Code fragments with which the checks of operations begin.
const CHECKS_OF_OPERATIONS: [&str; 5] = [
    "ensure!(",
    "rule!(",
    "Diagnostic::new(",
    "Err(format!(",
    "Err(\"",
];

/// Code fragments with which the checks of encodings begin. They create an error or call a common check.
const CHECKS_OF_ENCODINGS: [&str; 13] = [
    "EncodingError::new(",
    "EncodingError::bad_value(",
    "EncodingError::no_layout(",
    "Err(bad(",
    "cannot(",
    "check_dims(",
    "check_rank_2(",
    "layout_from_bases(",
    "lay_mma_tile(",
    "permutation_matrix(",
    "powers_of_two(",
    "same_rank(",
    "surjective(",
];

/// Functions whose checks need no label. Common checks get their label from the caller; the other functions
/// construct encodings from values that are not attributes.
const UNLABELLED: [&str; 18] = [
    "check_dims",
    "check_rank",
    "check_rank_2",
    "default_for_shape",
    "first_uncovered",
    "for_shape",
    "from_split",
    "given_rank",
    "lay",
    "lay_mma_tile",
    "layout_from_bases",
    "no_layout",
    "parse_layout",
    "permutation",
    "permutation_matrix",
    "powers_of_two",
    "same_rank",
    "surjective",
];

/// Code fragments with which the checks in C++ begin.
const CHECKS_IN_CPP: [&str; 3] = [".emitError(", " emitError() <<", "emitOpError()"];

/// Files without labelled rules. They define the error type and a list type, parse text, name encodings, answer
/// queries about valid encodings, or compute accesses to tensor memory.
const WITHOUT_RULES: [&str; 8] = [
    "error.rs",
    "list.rs",
    "mlir_type.rs",
    "mod.rs",
    "name.rs",
    "query.rs",
    "tensor_memory_access.rs",
    "text.rs",
];

/// Returns a line without its comment.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Returns the numbers of the lines at which a check without a rule label begins. A line with one of the code
/// fragments `checks` begins a check. The label must occur before the next check or the end of the function.
fn checks_without_label(text: &str, checks: &[&str]) -> Vec<usize> {
    let begins =
        |line: &str| checks.iter().any(|start| line.contains(start)) && !line.contains("fn ");
    let lines: Vec<&str> = text.lines().collect();
    let mut macro_body = false;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        macro_body = line.starts_with("macro_rules!") || macro_body && *line != "}";
        if macro_body || line.trim_start().starts_with("//") || !begins(line) {
            continue;
        }
        let rest = lines[at + 1..]
            .iter()
            .take_while(|next| !begins(next) && **next != "}");
        let is_labelled = [line].into_iter().chain(rest).any(|line| {
            [".of_rule", "broken("]
                .iter()
                .any(|made| line.contains(made))
                || !labels(code_of(line)).is_empty()
        });
        if !is_labelled {
            found.push(at + 1);
        }
    }
    found
}

/// Returns `text` with the functions in `names` replaced by empty lines.
fn without_functions(text: &str, names: &[&str]) -> String {
    let mut end: Option<String> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let body = line.trim_start();
        let is_function = names.iter().any(|name| {
            body.split_once("fn ").is_some_and(|(before, rest)| {
                !before.contains("//")
                    && rest
                        .strip_prefix(name)
                        .is_some_and(|rest| rest.starts_with(['(', '<']))
            })
        });
        match &end {
            Some(closing) if line == closing => end = None,
            None if is_function => {
                end = Some(format!("{}}}", &line[..line.len() - body.len()]));
            }
            None => kept.push_str(line),
            Some(_) => {}
        }
        kept.push('\n');
    }
    kept
}

#[test]
fn each_check_has_a_label() {
    let mut wrong = Vec::new();
    let mut look = |file: &Path, text: &str, checks: &[&str]| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in checks_without_label(code, checks) {
            wrong.push(format!("{}:{line}", file.display()));
        }
    };
    let text = |file: &Path| fs::read_to_string(file).expect("a source file is text");
    for file in files("src/ir/verify", &["rs"]) {
        look(&file, &text(&file), &CHECKS_OF_OPERATIONS);
    }
    let encodings = root().join("crates/linear-layout/src/encoding");
    for file in files("crates/linear-layout/src/encoding", &["rs"]) {
        let name = file.file_name().and_then(|name| name.to_str());
        let is_family = file.parent() == Some(&encodings)
            && !name.is_some_and(|name| WITHOUT_RULES.contains(&name));
        if is_family {
            let text = without_functions(&text(&file), &UNLABELLED);
            look(&file, &text, &CHECKS_OF_ENCODINGS);
        }
    }
    // The others report what Rust says, or a name that is not known.
    for file in ["Text.cpp", "Triton.cpp"] {
        let file = root().join("dialect").join(file);
        look(&file, &text(&file), &CHECKS_IN_CPP);
    }
    assert_eq!(wrong, Vec::<String>::new(), "checks without a label");
}

#[test]
fn a_check_without_a_label_is_noticed() {
    let labelled = "fn f() {\n    ensure!(op_c1, a, \"b\");\n}\n";
    let bare = "fn f() {\n    ensure!(a, \"b\"); // op_c1\n}\n\nfn g() {\n    // op_c1\n}\n";
    let check = |text: &str| checks_without_label(text, &CHECKS_OF_OPERATIONS);
    assert_eq!(check(labelled), [0_usize; 0]);
    assert_eq!(check(bare), [2]);
    let called =
        "fn f() {\n    same_rank(a)?;\n}\nfn same_rank(a: u8) {\n    EncodingError::new(a)\n}\n";
    let kept = without_functions(called, &UNLABELLED);
    assert_eq!(checks_without_label(&kept, &CHECKS_OF_ENCODINGS), [2]);
    assert_eq!(kept.lines().count(), called.lines().count());
}
