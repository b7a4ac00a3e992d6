//! Requests of the C API: the text of a module, options as a JSON object, and buffers.
//!
//! The C API declares the functions, and the Python package documents the JSON objects. Each report has an array
//! `messages` of objects with `severity`, `text`, `rule`, `file`, `line`, `column` and `notes`. The error for an
//! unknown option lists the valid options.

mod compile;
mod simulate;

pub use compile::{compile, rewrite};
pub use simulate::simulate;

use super::Failure;
use crate::ir::{Message, Severity};
use crate::sys::{Answer, Requests};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The result of a request. A successful request returns the entries of its report, its messages and its output. A
/// failed request returns a [`Failure`].
type RequestResult = Result<(Map<String, Value>, Vec<Message>, Vec<u8>), Failure>;

fn answer(outcome: RequestResult) -> Answer {
    answer_with(outcome, None)
}

/// Converts a result to an answer. If `entry` is a pair of name and value, adds it to the report.
fn answer_with(outcome: RequestResult, entry: Option<(String, Value)>) -> Answer {
    let succeeded = outcome.is_ok();
    let (mut report, messages, output) =
        outcome.unwrap_or_else(|Failure(messages)| (Map::new(), messages, Vec::new()));
    let messages = messages.iter().map(message);
    report.insert("messages".to_owned(), messages.collect());
    report.extend(entry);
    Answer {
        succeeded,
        report: Value::from(report).to_string(),
        output,
    }
}

/// Implementation of the C API's requests.
pub(crate) struct Driver;

impl Requests for Driver {
    fn compile(&self, source: &[u8], options: &str) -> Answer {
        compile(source, options)
    }

    fn rewrite(&self, source: &[u8], options: &str) -> Answer {
        rewrite(source, options)
    }

    fn simulate(&self, source: &[u8], options: &str, buffers: &mut [&mut [u8]]) -> Answer {
        simulate(source, options, buffers)
    }

    fn refuse(&self, text: String) -> Answer {
        answer(Err(Failure::new(text)))
    }
}

fn message(message: &Message) -> Value {
    let severity = match message.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Remark => "remark",
        Severity::Note => "note",
    };
    let location = message.location.as_ref();
    json!({
        "severity": severity,
        "text": message.text,
        "rule": message.rule,
        "file": location.map(|location| &location.file),
        "line": location.map(|location| location.line),
        "column": location.map(|location| location.column),
        "notes": message.notes.iter().map(self::message).collect::<Vec<_>>(),
    })
}

/// Returns the name that messages use for an input without a file name.
fn unnamed() -> String {
    "<string>".to_owned()
}

/// Parses the JSON object with the options of a request.
///
/// # Errors
/// Returns an error for an unknown option or a value of the wrong type.
fn options<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::new(format!("options: {error}")))
}
