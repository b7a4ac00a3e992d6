//! Intended differences between the library's verdicts and Triton's.
//!
//! Each is a rule on the messages, never a list of seeds; `tools/docs/differences.md` gives the
//! reasons, under the same names.

use super::verdict::TritonVerdict;

/// A module on which the two verdicts differ.
pub(super) struct Disagreement<'a> {
    pub(super) theirs: TritonVerdict,
    /// The beginning of what Triton says where it rejects the module.
    pub(super) their_message: &'a str,
    /// The library's error; empty if it accepts the module.
    pub(super) our_message: &'a str,
}

/// Names of intended differences, and what the library says where Triton says nothing.
const STRICTER: &[(&str, &[&str])] = &[
    (
        "a key that an encoding does not have",
        &["unexpected key `", "unknown struct parameter name"],
    ),
    (
        "a key that an encoding needs",
        &["struct is missing required parameter", "expected ','"],
    ),
    (
        "a number that does not fit",
        &["to 2147483647, got ", " has rank 0, expected 1 to 16"],
    ),
    (
        "a layout that does not exist",
        &[
            "is 0, expected a power of two",
            "has no linear layout here",
            "along the partitioned dim, but the tile of",
            "along the contiguous dim, but the tile of",
            "encoding is fixed to",
            "expected a permutation of",
        ],
    ),
    (
        "an encoding on some tensors of an operation",
        &[
            "'tt.broadcast' op needs an encoding on both operand and result, or on neither",
            "needs an encoding on all operands",
        ],
    ),
    (
        "an `other` without a mask",
        &["'tt.load' op failed to verify that other type matches the pointee type of ptr"],
    ),
    (
        "an offset in a dimension that does not exist",
        &["'amdg.extract_slice' op needs a result and offsets of the operand's rank"],
    ),
];

/// The name of the one difference where Triton says more: it compares the encodings of a result by
/// their spelling, the library by their layouts.
const SPELLING: &str = "another spelling of the layout that is inferred";

/// The name of the one where Triton knows less, and what it says.
const LINEAR_OPERANDS: (&str, &str) = (
    "operands of a product in linear layouts",
    "Dot's a/b's encoding should be of DotOperandEncodingAttr",
);

/// Operations whose results Triton compares by spelling, as its messages begin.
const COMPARED_BY_SPELLING: [&str; 2] = [
    "'tt.reduce' op inferred type(s)",
    "'tt.expand_dims' op inferred type(s)",
];

/// The name of the intended difference that a case shows.
pub(super) fn intended(case: &Disagreement<'_>) -> Option<&'static str> {
    if case.theirs == TritonVerdict::Reject {
        let by_spelling = |start: &&str| case.their_message.starts_with(*start);
        let (linear, said) = LINEAR_OPERANDS;
        return match case.our_message.is_empty() {
            true if COMPARED_BY_SPELLING.iter().any(by_spelling) => Some(SPELLING),
            true if case.their_message.starts_with(said) => Some(linear),
            _ => None,
        };
    }
    if case.theirs != TritonVerdict::Accept {
        return None;
    }
    STRICTER
        .iter()
        .find(|(_, messages)| {
            messages
                .iter()
                .any(|message| case.our_message.contains(message))
        })
        .map(|(name, _)| *name)
}

#[test]
fn differences_are_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/docs/differences.md");
    let text = std::fs::read_to_string(path).expect("the differences have a page");
    let more = [SPELLING, LINEAR_OPERANDS.0];
    for name in STRICTER.iter().map(|(name, _)| *name).chain(more) {
        let title = format!("## {}{}", name[..1].to_uppercase(), &name[1..]);
        assert!(text.contains(&title), "no `{title}` in {path}");
    }
}
