//! Detection of the system of a layout text.

/// A layout system with a text format of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// An encoding, `#ttg.blocked<{...}>`.
    Encoding,
    /// A linear layout as Triton prints it.
    Printed,
    /// A layout of CuTe, `(8,4):(4,1)` or `Sw<3,4,3> o 0 o (8,64):(64,1)`.
    Cute,
    /// A register layout of Tilus, `local(2, 1).spatial(8, 4)`.
    Register,
    /// A shared layout of Tilus, `SharedLayout(...)`.
    Shared,
}

impl System {
    /// Returns the system of a text by its beginning, or `None` for other text such as a file name.
    ///
    /// ```
    /// use linear_layout::bridge::System;
    /// assert_eq!(System::of("(8,4):(4,1)"), Some(System::Cute));
    /// assert_eq!(System::of("local(2, 1).spatial(8, 4)"), Some(System::Register));
    /// assert_eq!(System::of("layout.txt"), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let word = text
            .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
            .map_or("", |end| &text[..end]);
        let is_called = text[word.len()..].starts_with('(');
        Some(match word {
            _ if text.starts_with('#') => Self::Encoding,
            _ if text.starts_with("(empty layout") || text.contains("where out dims") => {
                Self::Printed
            }
            "SharedLayout" => Self::Shared,
            "S" | "Sw" if text.contains('<') => Self::Cute,
            "" if text.starts_with('(') => Self::Cute,
            number if text.contains(':') && number.bytes().all(|c| c.is_ascii_digit()) => {
                Self::Cute
            }
            word if is_called && word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Self::Register
            }
            _ => return None,
        })
    }
}
