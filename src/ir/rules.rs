//! Verifier rules by label, from the TableGen declarations.
//!
//! A rule is declared as `- reduce_c4: ...` in a description in `dialect/*.td`. The check refers to
//! [`labels::reduce_c4`], so undeclared labels do not compile. The error has the label, and [`explain`] prints the
//! rule.

use super::reference::{DIALECTS, Entry};
use linear_layout::encoding::spelling::nearest;
use std::fmt::Write;

/// A verifier rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Label, for example `reduce_c4`.
    pub label: &'static str,
    /// Requirement that every valid module satisfies.
    pub text: &'static str,
    /// Names of the dialects, operations, attributes and types that declare the rule.
    pub of: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/generated/rules.rs"));

/// Creates the diagnostic of a broken rule. The arguments are the labels of the rule, separated by `|`, and a
/// `format!` message.
///
/// If several operations share a check, each of these operations has its own label for the rule.
macro_rules! broken {
    ($($label:ident)|+, $($message:tt)+) => {
        $crate::sys::Diagnostic::new(format!($($message)+))
            .of_rules([$($crate::ir::rules::labels::$label),+])
    };
}
pub(super) use broken;

impl Rule {
    /// Returns the rule with the given label.
    ///
    /// ```
    /// use linear_layout_mlir::ir::rules::Rule;
    /// let rule = Rule::of_label("make_range_c1").unwrap();
    /// assert_eq!(rule.text, "`start` < `end`");
    /// ```
    #[must_use]
    pub fn of_label(label: &str) -> Option<&'static Self> {
        let at = RULES.binary_search_by(|rule| rule.label.cmp(label));
        at.ok().map(|at| &RULES[at])
    }
}

/// Returns a list of all rules, one per line.
#[must_use]
pub fn listing() -> String {
    let width = RULES.iter().map(|rule| rule.label.len()).max().unwrap_or(0);
    RULES.iter().fold(String::new(), |mut text, rule| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:width$}  {}", rule.label, rule.text);
        text
    })
}

/// Returns the text of a rule, followed by the entries that declare it and their examples.
///
/// # Errors
/// Returns an error for an unknown label, with the most similar label.
pub fn explain(label: &str) -> Result<String, String> {
    let Some(rule) = Rule::of_label(label) else {
        let labels = RULES.iter().map(|rule| rule.label);
        return Err(match nearest(label, labels) {
            Some(near) => format!("no rule has the label `{label}`; the nearest is `{near}`"),
            None => format!("no rule has the label `{label}`; `--explain-rule=list` lists all"),
        });
    };
    let mut text = format!("{label}: {}\n", rule.text);
    for name in rule.of {
        let dialect = || DIALECTS.iter().find(|dialect| dialect.name == *name);
        let entry = DIALECTS.iter().flat_map(|dialect| dialect.entries);
        // Writing to a string does not fail.
        match entry.clone().find(|entry| entry.name == *name) {
            Some(Entry {
                summary, example, ..
            }) => {
                let _ = writeln!(text, "declared by `{name}`: {summary}");
                for line in example.lines() {
                    let _ = writeln!(text, "    {line}");
                }
            }
            None => {
                let summary = dialect().map_or("", |dialect| dialect.summary);
                let _ = writeln!(text, "declared by dialect `{name}`: {summary}");
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{RULES, explain, listing};

    #[test]
    fn each_rule_can_be_explained() {
        for rule in RULES {
            let text = explain(rule.label).unwrap();
            assert!(text.starts_with(&format!("{}: {}\n", rule.label, rule.text)));
            assert!(text.lines().count() > rule.of.len(), "{text}");
        }
        assert_eq!(listing().lines().count(), RULES.len());
        assert!(RULES.is_sorted_by(|a, b| a.label < b.label));
    }

    #[test]
    fn a_wrong_label_names_the_nearest() {
        assert_eq!(
            explain("redoce_c4").unwrap_err(),
            "no rule has the label `redoce_c4`; the nearest is `reduce_c4`"
        );
        assert_eq!(
            explain("something else").unwrap_err(),
            "no rule has the label `something else`; `--explain-rule=list` lists all"
        );
    }
}
