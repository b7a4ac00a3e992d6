//! MLIR diagnostics as values, for tools that print them or return them as errors.

use crate::sys::bounded;
use melior::Context;
use melior::diagnostic::{Diagnostic, DiagnosticSeverity};
use melior::ir::Location;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A position in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// File name, as given by the user.
    pub file: String,
    /// Line, starting at 1.
    pub line: usize,
    /// Column in bytes, starting at 1.
    pub column: usize,
}

/// Maximum length in bytes of a source line that a message shows.
const MAX_LINE: usize = 1000;

/// Severity of a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The operation has failed.
    Error,
    /// The operation has succeeded, with a possibly unintended result.
    Warning,
    /// Additional information that does not point to a problem.
    Remark,
    /// Details attached to another message.
    Note,
}

/// A diagnostic, copied out of MLIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Severity.
    pub severity: Severity,
    /// Source location, if known.
    pub location: Option<SourceLocation>,
    /// Text without severity and location.
    pub text: String,
    /// Label of the broken rule, for example `reduce_c4`, or empty.
    pub rule: String,
    /// True for a note in which MLIR prints an operation.
    pub shows_operation: bool,
    /// Attached notes.
    pub notes: Vec<Message>,
}

impl Message {
    /// Returns an error without location or notes.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::of(Severity::Error, text.into())
    }

    /// Returns a note without a location.
    #[must_use]
    pub fn note(text: impl Into<String>) -> Self {
        Self::of(Severity::Note, text.into())
    }

    fn of(severity: Severity, text: String) -> Self {
        Self {
            severity,
            location: None,
            text,
            rule: String::new(),
            shows_operation: false,
            notes: Vec::new(),
        }
    }

    /// Returns true for [`Severity::Error`].
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
            location: source_location(diagnostic.location()),
            text,
            rule,
            shows_operation,
            notes: (0..diagnostic.note_count())
                .filter_map(|i| diagnostic.note(i).ok())
                .map(|note| Self::copy(&note, String::new()))
                .collect(),
        }
    }

    /// Replaces the file name `from` by `to` in the message and its notes. MLIR uses `-` for modules parsed from
    /// memory.
    #[must_use]
    pub fn in_file(mut self, from: &str, to: &str) -> Self {
        if let Some(location) = self
            .location
            .as_mut()
            .filter(|location| location.file == from)
        {
            to.clone_into(&mut location.file);
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
        match &self.location {
            None => writeln!(f, "{severity}: {}", self.text)?,
            Some(SourceLocation { file, line, column }) => {
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

    /// Formats the message and its notes, each followed by its source line. A source line is omitted if it is
    /// unreadable or longer than 1000 bytes.
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

/// Formats as `file:line:column: error: text`, with one line per note.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}

/// The arguments of a diagnostic, printed by MLIR one by one.
#[derive(Default)]
struct Arguments(Vec<String>);

impl fmt::Write for Arguments {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push(text.to_owned());
        Ok(())
    }
}

/// Returns the text of a diagnostic, and true if the diagnostic is a note that prints an operation.
///
/// Names in bytecode may contain invalid UTF-8. The text ends before the first invalid byte.
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
    // MLIR starts an operation of several lines on a new line.
    if let ([words, operation], true) | ([words, "\n", operation], true) = (&texts[..], is_note) {
        // Only the first line of the operation is kept.
        let mut lines = operation.trim_start().lines();
        let first = format!("{words}`{}`", lines.next().unwrap_or_default());
        let more = if lines.next().is_some() { " ..." } else { "" };
        return (bounded(&first).replace('`', "") + more, true);
    }
    (bounded(&arguments.0.concat()).into_owned(), false)
}

/// Formats a location as `file:line:column`. Returns `None` if the location contains no file position.
pub(crate) fn location_text(location: Location<'_>) -> Option<String> {
    let SourceLocation { file, line, column } = source_location(location)?;
    Some(format!("{file}:{line}:{column}"))
}

/// Returns the first file position in a location.
fn source_location(location: Location<'_>) -> Option<SourceLocation> {
    if location.is_file_line_col_range() {
        let file = location.file_line_col_range_filename();
        Some(SourceLocation {
            file: crate::sys::text(file.as_string_ref()),
            line: location.file_line_col_range_start_line(),
            column: location.file_line_col_range_start_column(),
        })
    } else if location.is_name() {
        source_location(location.name_child_location())
    } else if location.is_call_site() {
        source_location(location.call_site_callee())
    } else if location.is_fused() {
        (0..location.fused_num_locations())
            .find_map(|i| source_location(location.fused_location(i)))
    } else {
        None
    }
}

/// A recorder for the diagnostics of a context. Recorded diagnostics are not printed.
///
/// ```
/// use linear_layout_mlir::ir::Recorder;
/// use melior::{Context, ir::Module};
/// let context = Context::new();
/// let recorder = Recorder::attach(&context);
/// assert!(Module::parse(&context, "module {").is_none());
/// assert_eq!(recorder.take()[0].location.as_ref().map(|p| p.line), Some(1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<Vec<Message>>>);

impl Recorder {
    /// Records diagnostics for the lifetime of the context.
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

    /// Returns the messages since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, Severity, SourceLocation};

    #[test]
    fn a_message_names_its_place_and_its_notes() {
        let note = Message {
            severity: Severity::Note,
            location: None,
            text: "nearest fix".to_owned(),
            rule: String::new(),
            shows_operation: false,
            notes: Vec::new(),
        };
        let message = Message {
            severity: Severity::Error,
            location: Some(SourceLocation {
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
