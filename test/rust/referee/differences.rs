//! Intended differences between the library's verdicts and Triton's.
//!
//! Each is a rule on the messages, never a list of seeds; `tools/docs/differences.md` gives the
//! reasons, under the same titles.

use super::verdict::TritonVerdict;

/// A module that only one of Triton and the library accepts.
pub(super) struct Disagreement<'a> {
    pub(super) theirs: TritonVerdict,
    /// The start of Triton's error message, if Triton rejects the module.
    pub(super) their_message: &'a str,
    /// The library's error message; empty if the library accepts the module.
    pub(super) our_message: &'a str,
}

/// Intended differences in which only the library rejects a module. Each has a title, and parts of the library's
/// error messages by which it is recognized.
const STRICTER: &[(&str, &[&str])] = &[
    (
        "unknown keys of an encoding",
        &["unexpected key `", "unknown struct parameter name"],
    ),
    (
        "missing keys of an encoding",
        &["struct is missing required parameter", "expected ','"],
    ),
    (
        "integers out of range",
        &["to 2147483647, got ", " has rank 0, expected 1 to 16"],
    ),
    (
        "encodings without a layout",
        &[
            "is 0, expected a power of two",
            "cannot be converted to a linear layout",
            "along the partitioned dim, expected a multiple of",
            "along the contiguous dim of one CTA, expected a multiple of",
            "encoding has exactly",
            "expected a permutation of",
        ],
    ),
    (
        "encodings on some tensors of an operation",
        &[
            "'tt.broadcast' op only the ",
            "requires an encoding on all operands",
        ],
    ),
    (
        "`other` without a mask",
        &["'tt.load' op failed to verify that other type matches the pointee type of ptr"],
    ),
    (
        "offsets of dimensions that do not exist",
        &["'amdg.extract_slice' op operand has rank "],
    ),
];

/// Title of a difference in which only Triton rejects a module, because the encoding of a result is not the
/// inferred one. Triton requires that both encodings are the same attribute; the library requires only that their
/// layouts are equal.
const SPELLING: &str = "equal layouts with another encoding";

/// Title of a difference in which Triton requires an operand encoding that the library does not require, and the
/// start of Triton's message.
const LINEAR_OPERANDS: (&str, &str) = (
    "operands of a product in linear layouts",
    "Dot's a/b's encoding should be of DotOperandEncodingAttr",
);

/// Starts of Triton's error messages for results whose encoding is not the same attribute as the inferred encoding.
const COMPARED_BY_SPELLING: [&str; 2] = [
    "'tt.reduce' op inferred type(s)",
    "'tt.expand_dims' op inferred type(s)",
];

/// Returns the title of the intended difference that explains the disagreement. Returns `None` if the disagreement
/// is not intended.
pub(super) fn intended(case: &Disagreement<'_>) -> Option<&'static str> {
    if case.theirs == TritonVerdict::Reject {
        let by_spelling = |start: &&str| case.their_message.starts_with(*start);
        let (linear, message) = LINEAR_OPERANDS;
        return match case.our_message.is_empty() {
            true if COMPARED_BY_SPELLING.iter().any(by_spelling) => Some(SPELLING),
            true if case.their_message.starts_with(message) => Some(linear),
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
