//! Expected texts in tests, and their update by `make bless`.

use std::env;
use std::ops::Range;
use std::panic::Location;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Checks that `found` equals `expected`, which is a string literal in the call. If the environment variable
/// `LL_BLESS` is 1, nothing is checked; instead, a differing literal is replaced by `found` in the caller's source
/// file.
#[track_caller]
pub(crate) fn check_text(found: &str, expected: &str) {
    if env::var("LL_BLESS").as_deref() != Ok("1") {
        assert_eq!(found, expected);
    } else if found != expected {
        rewrite(Location::caller(), expected, found);
    }
}

/// Replaces a string literal in the source of the caller. Of the literals whose value is `expected`, the one
/// nearest to the caller's line is replaced by `found`.
fn rewrite(caller: &Location<'_>, expected: &str, found: &str) {
    static WRITES: Mutex<()> = Mutex::new(());
    let _alone = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    // Cargo runs tests in their package, but the compiler's paths are relative to the workspace.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|folder| folder.join(caller.file()).is_file())
        .expect("the source of the test is there");
    let path = root.join(caller.file());
    let source = std::fs::read_to_string(&path).expect("the source of the test is text");
    let line = caller.line() as usize - 1;
    let start: usize = source.split_inclusive('\n').take(line).map(str::len).sum();
    let place = literals(&source)
        .into_iter()
        .filter(|(_, value)| value == expected)
        .map(|(place, _)| place)
        .min_by_key(|place| place.start.abs_diff(start))
        .unwrap_or_else(|| panic!("no literal of what is expected near {caller}"));
    let mut blessed = source.clone();
    blessed.replace_range(place, &literal(found));
    std::fs::write(&path, blessed).expect("the source of the test can be written");
}

/// Formats a text as an ordinary string literal. Line breaks are not escaped.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the places and values of the ordinary string literals in Rust source. Literals with an escape other than
/// `\"`, `\\`, `\n` or an escaped line break are skipped.
fn literals(source: &str) -> Vec<(Range<usize>, String)> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        at += match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            // A quote as a character.
            b'\'' if rest.starts_with("'\"'") => 3,
            b'\'' if rest.starts_with("'\\\"'") => 4,
            b'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw_length(rest),
            b'"' => {
                let (length, value) = plain(rest);
                if let Some(value) = value {
                    found.push((at..at + length, value));
                }
                length
            }
            _ => 1,
        };
    }
    found
}

/// Returns the length of the raw string literal at the start of the text, or 1 if there is none.
fn raw_length(text: &str) -> usize {
    let hashes = text[1..].bytes().take_while(|b| *b == b'#').count();
    if text.as_bytes().get(1 + hashes) != Some(&b'"') {
        return 1;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let begin = hashes + 2;
    text[begin..]
        .find(&close)
        .map_or(text.len(), |end| begin + end + close.len())
}

/// Returns the length and the value of the ordinary string literal at the start of the text. The value is `None` if
/// the literal contains an unsupported escape.
fn plain(text: &str) -> (usize, Option<String>) {
    let mut value = Some(String::new());
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        let part = match c {
            '"' => return (at + 1, value),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => Some("\n"),
                Some('\\') => Some("\\"),
                Some('"') => Some("\""),
                Some('\n') => {
                    while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
                    Some("")
                }
                _ => None,
            },
            _ => Some(&text[at..at + c.len_utf8()]),
        };
        value = value.zip(part).map(|(value, part)| value + part);
    }
    (text.len(), None)
}

#[test]
fn literals_are_read_and_written() {
    let source = "f('\"', \"a\\n\\\"b\\\" \\\n     c\", r#\"\"no\"#, 'x'); // \"no\"\ng(\"\\u{1F600}\", \"ü\nd\")";
    let values: Vec<String> = literals(source).into_iter().map(|(_, v)| v).collect();
    assert_eq!(values, ["a\n\"b\" c", "ü\nd"]);
    for value in values {
        let written = literal(&value);
        assert_eq!(literals(&written), [(0..written.len(), value)]);
    }
}
