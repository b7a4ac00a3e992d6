//! The package's exception, and error messages with notes.

use core::fmt::{self, Display};
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(
    linear_layout,
    LayoutError,
    PyValueError,
    "A layout, a shape or a target that cannot be what was asked for.

The message says what was found, what was expected and, on lines of their own that begin with `note:`, the nearest fix.

Example:

    >>> try:
    ...     ll.Layout.identity_1d(6, \"lane\", \"dim0\")
    ... except ll.LayoutError as error:
    ...     print(error)
    size 6 of in-dim `lane` is not a power of two
"
);

/// The message of a `LayoutError`, with notes.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Display) -> Self {
        let message = message.to_string();
        Self { message }
    }

    /// Adds a note that states the most likely fix.
    pub(crate) fn note(mut self, note: impl Display) -> Self {
        self.message += &format!("\nnote: {note}");
        self
    }

    /// Adds the invalid text with a caret below the byte at `offset`, if the text has only one line.
    pub(crate) fn at(mut self, text: &str, offset: usize) -> Self {
        if text.is_char_boundary(offset) && !text.contains('\n') {
            let column = text[..offset].chars().count();
            self.message += &format!("\n  {text}\n  {:>column$}^", "");
        }
        self
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        LayoutError::new_err(failure.message)
    }
}

/// Converts an error to a `LayoutError` without notes.
pub(crate) fn failed(error: impl Display) -> PyErr {
    Failure::new(error).into()
}
