//! Output of `--explain-rule`: the text of a rule, and a module that breaks the rule.
//!
//! The modules come from tests, in which comments name the broken rules.

use linear_layout_mlir::ir::rules;

/// Texts of the test files that contain invalid modules.
const TESTS: &[&str] = &[
    include_str!("../../test/Dialect/invalid.mlir"),
    include_str!("../../test/Dialect/invalid-accesses.mlir"),
    include_str!("../../test/Dialect/invalid-amd.mlir"),
    include_str!("../../test/Dialect/invalid-barriers.mlir"),
    include_str!("../../test/Dialect/invalid-buffers.mlir"),
    include_str!("../../test/Dialect/invalid-elements.mlir"),
    include_str!("../../test/Dialect/invalid-empty.mlir"),
    include_str!("../../test/Dialect/invalid-encodings.mlir"),
    include_str!("../../test/Dialect/invalid-encodings-memory.mlir"),
    include_str!("../../test/Dialect/invalid-encodings-registers.mlir"),
    include_str!("../../test/Dialect/invalid-encodings-shapes.mlir"),
    include_str!("../../test/Dialect/invalid-gluon.mlir"),
    include_str!("../../test/Dialect/invalid-memdesc.mlir"),
    include_str!("../../test/Dialect/invalid-other-systems.mlir"),
    include_str!("../../test/Dialect/invalid-packed.mlir"),
    include_str!("../../test/Dialect/invalid-places.mlir"),
    include_str!("../../test/Dialect/invalid-products.mlir"),
    include_str!("../../test/Dialect/invalid-referee.mlir"),
    include_str!("../../test/Dialect/invalid-regions.mlir"),
    include_str!("../../test/Dialect/invalid-tdm.mlir"),
    include_str!("../../test/Dialect/invalid-tensor-core.mlir"),
    include_str!("../../test/Dialect/invalid-tensor-memory.mlir"),
    include_str!("../../test/Dialect/invalid-tma.mlir"),
    include_str!("../../test/Dialect/invalid-views.mlir"),
    include_str!("../../test/Dialect/invalid-warps.mlir"),
];

/// Returns the text of a rule, followed by a module that violates it. If `label` is `list`, returns the labels of
/// all rules.
///
/// # Errors
/// Returns an error if the label is unknown. The message names the most similar label.
pub(crate) fn explain(label: &str) -> Result<String, String> {
    if label == "list" {
        return Ok(rules::listing());
    }
    let mut text = rules::explain(label)?;
    if let Some(example) = example(label) {
        text += "a module that breaks the rule:\n";
        for line in example.lines() {
            text += &format!("    {line}");
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
    }
    Ok(text)
}

/// Returns the shortest test module that violates the rule `label`. The expected errors are included as comments.
/// Returns `None` if there is no such module.
fn example(label: &str) -> Option<String> {
    let sections = TESTS.iter().flat_map(|text| text.split("\n// -----\n"));
    let module = sections
        .filter(|section| names(section, label))
        .min_by_key(|section| section.len())?;
    let lines = module.lines().filter_map(|line| {
        let body = line.trim_start();
        let indent = &line[..line.len() - body.len()];
        match body.strip_prefix("//").map(str::trim_start) {
            None => Some(line.to_owned()),
            Some(comment) => {
                let (_, expected) = comment.strip_prefix("expected-error")?.split_once("{{")?;
                Some(format!(
                    "{indent}// error: {}",
                    expected.trim_end_matches("}}")
                ))
            }
        }
    });
    let text: Vec<String> = lines.collect();
    Some(text.join("\n").trim().to_owned())
}

/// Returns true if a comment in a test module mentions the rule `label`.
fn names(section: &str, label: &str) -> bool {
    section
        .lines()
        .filter_map(|line| line.split_once("//"))
        .filter(|(_, comment)| !comment.contains("expected-"))
        .flat_map(|(_, comment)| comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .any(|word| word == label)
}
