//! Where the library's verdict differs from Triton's on purpose.
//!
//! Each is a rule on what was said, never a list of seeds; `tools/docs/differences.md` gives the
//! reasons, under the same names.

use super::verdict::Verdict;

/// A module on which the two verdicts differ.
pub(super) struct Case<'a> {
    pub(super) op: &'a str,
    pub(super) text: &'a str,
    pub(super) theirs: Verdict,
    pub(super) their_message: &'a str,
    pub(super) our_message: &'a str,
}

/// The name of the intended difference that a case shows.
pub(super) fn intended(_case: &Case<'_>) -> Option<&'static str> {
    None
}
