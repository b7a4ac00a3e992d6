//! MLIR's diagnostics as values, for tools that print them or return them as errors.

use crate::sys::bounded;
use melior::Context;
use melior::diagnostic::{Diagnostic, DiagnosticSeverity};
use melior::ir::Location;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Where in a file something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
}

/// The longest line of a file that is shown below a message, in bytes.
const MAX_LINE: usize = 1000;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The work cannot be done.
    Error,
    /// It can be done, but perhaps not as meant.
    Warning,
    /// Something worth knowing.
    Remark,
    /// More about the message before it.
    Note,
}

/// One diagnostic, copied out of MLIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, if it has a place in a file.
    pub place: Option<Place>,
    /// What it is.
    pub text: String,
    /// The label of the rule that is broken, as `reduce_c4`; empty where there is none.
    pub rule: String,
    /// Whether it is a note in which MLIR shows an operation.
    pub shows_operation: bool,
    /// More about it.
    pub notes: Vec<Message>,
}

impl Message {
    /// An error that has no place in a file, and no notes.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::of(Severity::Error, text.into())
    }

    /// A note without a place, for the notes of another message.
    #[must_use]
    pub fn note(text: impl Into<String>) -> Self {
        Self::of(Severity::Note, text.into())
    }

    fn of(severity: Severity, text: String) -> Self {
        Self {
            severity,
            place: None,
            text,
            rule: String::new(),
            shows_operation: false,
            notes: Vec::new(),
        }
    }

    /// Returns whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    fn copy(diagnostic: &Diagnostic<'_>, rule: String) -> Self {
        let (text, shows_operation) = text_of(diagnostic);
        Self {
            severity: match diagnostic.severity() {
                DiagnosticSeverity::Error => Severity::Error,
                DiagnosticSeverity::Warning => Severity::Warning,
                DiagnosticSeverity::Remark => Severity::Remark,
                DiagnosticSeverity::Note => Severity::Note,
            },
            place: place(diagnostic.location()),
            text,
            rule,
            shows_operation,
            notes: (0..diagnostic.note_count())
                .filter_map(|i| diagnostic.note(i).ok())
                .map(|note| Self::copy(&note, String::new()))
                .collect(),
        }
    }

    /// The message with another name for one file, notes included: MLIR calls text that it did not
    /// read from a file `-`.
    #[must_use]
    pub fn in_file(mut self, from: &str, to: &str) -> Self {
        if let Some(place) = self.place.as_mut().filter(|place| place.file == from) {
            to.clone_into(&mut place.file);
        }
        self.notes = self
            .notes
            .into_iter()
            .map(|note| note.in_file(from, to))
            .collect();
        self
    }

    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        source: &dyn Fn(&str) -> Option<String>,
    ) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        };
        match &self.place {
            None => writeln!(f, "{severity}: {}", self.text)?,
            Some(Place { file, line, column }) => {
                writeln!(f, "{file}:{line}:{column}: {severity}: {}", self.text)?;
                let text = source(file);
                let text = text
                    .as_deref()
                    .and_then(|t| t.lines().nth(line.checked_sub(1)?));
                if let Some(text) = text.filter(|text| text.len() <= MAX_LINE) {
                    writeln!(f, "{text}\n{:>column$}", "^")?;
                }
            }
        }
        self.notes.iter().try_for_each(|note| note.write(f, source))
    }

    /// The message with its notes, each with the line that it is about where that can be read and is not too long.
    #[must_use]
    pub fn with_source(&self) -> String {
        struct WithSource<'a>(&'a Message);
        impl fmt::Display for WithSource<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, &|file| {
                    let bytes = std::fs::read(file).ok()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                })
            }
        }
        WithSource(self).to_string()
    }
}

/// `file:line:column: error: text`, then the notes, one per line.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}

/// The arguments of a diagnostic, which MLIR writes one by one.
#[derive(Default)]
struct Arguments(Vec<String>);

impl fmt::Write for Arguments {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push(text.to_owned());
        Ok(())
    }
}

/// The words of a diagnostic, as far as they are UTF-8, since names in bytecode need not be; and whether it is a note
/// that shows an operation: some words, and the operation.
fn text_of(diagnostic: &Diagnostic<'_>) -> (String, bool) {
    use fmt::Write;
    let mut arguments = Arguments::default();
    if write!(arguments, "{diagnostic}").is_err() {
        arguments
            .0
            .push("... (what follows is not UTF-8)".to_owned());
    }
    let texts: Vec<&str> = arguments.0.iter().map(String::as_str).collect();
    let is_note = matches!(diagnostic.severity(), DiagnosticSeverity::Note);
    // Where the operation has several lines, it begins one.
    if let ([words, operation], true) | ([words, "\n", operation], true) = (&texts[..], is_note) {
        // An operation is cut to its first line.
        let mut lines = operation.trim_start().lines();
        let first = format!("{words}`{}`", lines.next().unwrap_or_default());
        let more = if lines.next().is_some() { " ..." } else { "" };
        return (bounded(&first).replace('`', "") + more, true);
    }
    (bounded(&arguments.0.concat()).into_owned(), false)
}

/// `file:line:column`, where a location leads to one.
pub(crate) fn place_text(location: Location<'_>) -> Option<String> {
    let Place { file, line, column } = place(location)?;
    Some(format!("{file}:{line}:{column}"))
}

/// The place in a file that a location leads to.
fn place(location: Location<'_>) -> Option<Place> {
    if location.is_file_line_col_range() {
        let file = location.file_line_col_range_filename();
        Some(Place {
            file: crate::sys::text(file.as_string_ref()),
            line: location.file_line_col_range_start_line(),
            column: location.file_line_col_range_start_column(),
        })
    } else if location.is_name() {
        place(location.name_child_location())
    } else if location.is_call_site() {
        place(location.call_site_callee())
    } else if location.is_fused() {
        (0..location.fused_num_locations()).find_map(|i| place(location.fused_location(i)))
    } else {
        None
    }
}

/// Keeps the diagnostics of a context instead of printing them.
///
/// ```
/// use linear_layout_mlir::ir::Recorder;
/// use melior::{Context, ir::Module};
/// let context = Context::new();
/// let recorder = Recorder::attach(&context);
/// assert!(Module::parse(&context, "module {").is_none());
/// assert_eq!(recorder.take()[0].place.as_ref().map(|p| p.line), Some(1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<Vec<Message>>>);

impl Recorder {
    /// Records what is said in a context from now on, as long as the context lives.
    #[must_use]
    pub fn attach(context: &Context) -> Self {
        let recorder = Self::default();
        let messages = Arc::clone(&recorder.0);
        crate::sys::attach_diagnostic_handler(context, move |diagnostic, rule| {
            let message = Message::copy(diagnostic, rule);
            messages
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(message);
        });
        recorder
    }

    /// What has been said since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, Place, Severity};

    #[test]
    fn a_message_names_its_place_and_its_notes() {
        let note = Message {
            severity: Severity::Note,
            place: None,
            text: "nearest fix".to_owned(),
            rule: String::new(),
            shows_operation: false,
            notes: Vec::new(),
        };
        let message = Message {
            severity: Severity::Error,
            place: Some(Place {
                file: "k.mlir".to_owned(),
                line: 3,
                column: 5,
            }),
            text: "is wrong".to_owned(),
            rule: String::new(),
            shows_operation: false,
            notes: vec![note],
        };
        assert_eq!(
            message.to_string(),
            "k.mlir:3:5: error: is wrong\nnote: nearest fix\n"
        );
        let moved = message.in_file("other", "x").in_file("k.mlir", "l.mlir");
        assert_eq!(
            moved.to_string(),
            "l.mlir:3:5: error: is wrong\nnote: nearest fix\n"
        );
    }
}
