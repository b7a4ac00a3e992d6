//! Byte strings of MLIR, and limits on quoted input in messages.

use super::Diagnostic;
use std::borrow::Cow;
use std::fmt;

/// The bytes of an MLIR name or string attribute, which need not be UTF-8.
///
/// [`Text::checked`] converts it to a `&str`. Messages show it in MLIR's string syntax: `\FF` for a byte that is
/// not UTF-8, `\00` for a control character.
///
/// ```
/// use linear_layout_mlir::sys::Text;
/// let text = Text::new(b"a\xffb");
/// assert_eq!(text.utf8(), None);
/// assert_eq!(text.to_string(), r"a\FFb");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'c>(&'c [u8]);

impl<'c> Text<'c> {
    /// Returns the text of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'c [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn bytes(self) -> &'c [u8] {
        self.0
    }

    /// Returns the string, or `None` if the text is not UTF-8.
    #[must_use]
    pub const fn utf8(self) -> Option<&'c str> {
        match std::str::from_utf8(self.0) {
            Ok(text) => Some(text),
            Err(_) => None,
        }
    }

    /// Returns the text as a string. `key` is the name of the attribute, which the error message states.
    ///
    /// # Errors
    /// Fails if the text is not UTF-8.
    pub fn checked(self, key: &str) -> Result<&'c str, Diagnostic> {
        self.utf8().ok_or_else(|| {
            Diagnostic::new(format!("has a `{key}` that is not UTF-8: `{self}`"))
                .note("remove or encode the bytes that are shown as a backslash and two digits")
        })
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_cut = self.0.len() > MAX_PIECE;
        let shown = &self.0[..self.0.len().min(MAX_PIECE)];
        for chunk in shown.utf8_chunks() {
            for c in chunk.valid().chars() {
                match u8::try_from(c) {
                    Ok(byte) if byte.is_ascii_control() => write!(f, "\\{byte:02X}")?,
                    _ => write!(f, "{c}")?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\{byte:02X}")?;
            }
        }
        if is_cut {
            f.write_str("...")?;
        }
        Ok(())
    }
}

/// Maximum number of bytes that a message quotes from a type, an attribute or a name.
const MAX_PIECE: usize = 1000;

/// Maximum size in bytes of a message that quotes input.
const MAX_MESSAGE: usize = 6000;

/// Shortens a message that quotes input. First each text in backticks is shortened, then the whole message.
///
/// ```
/// use linear_layout_mlir::sys::bounded;
/// let long = format!("expected `i32`, found `{}`", "x".repeat(1_000_000));
/// assert!(bounded(&long).len() < 1100);
/// assert!(bounded(&long).starts_with("expected `i32`, found `xxx"));
/// ```
#[must_use]
pub fn bounded(message: &str) -> Cow<'_, str> {
    if message.len() <= MAX_PIECE {
        return message.into();
    }
    let pieces = message
        .split('`')
        .enumerate()
        .map(|(i, piece)| match i % 2 {
            1 => shortened(piece, MAX_PIECE),
            _ => piece.into(),
        });
    let pieces: Vec<Cow<'_, str>> = pieces.collect();
    shortened(&pieces.join("`"), MAX_MESSAGE)
        .into_owned()
        .into()
}

/// If a text has more than `most` bytes, replaces its middle by `...`.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let (mut head, mut tail) = (most * 3 / 4, text.len() - most / 5);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}...{}", &text[..head], &text[tail..]).into()
}

#[cfg(test)]
mod tests {
    use super::{MAX_MESSAGE, MAX_PIECE, Text, bounded};

    #[test]
    fn text_that_is_not_utf8_is_an_error_that_names_it() {
        assert_eq!(Text::new(b"k").checked("sym_name"), Ok("k"));
        let error = Text::new(b"a\xff\xc0b").checked("sym_name").unwrap_err();
        assert_eq!(
            error.message,
            "has a `sym_name` that is not UTF-8: `a\\FF\\C0b`"
        );
        let long = Text::new(&[0xff; 100_000]).to_string();
        assert_eq!(long.len(), 3 * MAX_PIECE + 3);
    }

    #[test]
    fn a_message_is_bounded_wherever_it_is_long() {
        for text in ["short", &"x".repeat(MAX_PIECE)] {
            assert_eq!(bounded(text), text);
        }
        // Multi-byte characters are not split.
        for filler in ["x", "\u{e9}", "\u{1F600}"] {
            let long = filler.repeat(100_000);
            for message in [format!("has `{long}`, not `{long}`"), long] {
                assert!(bounded(&message).len() <= MAX_MESSAGE + 3);
            }
        }
    }
}
