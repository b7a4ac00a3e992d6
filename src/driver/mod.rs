//! From the text of a module to a result: what the command lines and the C API share.
//!
//! [`translate`] makes LLVM IR, assembly or a code object, [`decode`] a kernel that [`gpu_sim`] runs, and
//! [`rewrite`] runs passes. [`requests`] offers the three to callers that know text and JSON only.
//! Each takes the bytes of a file, works in a context of its own, and returns what was said with the result or
//! instead of it: nothing here prints, reads a command line, or ends the process.

mod clock;
mod debug;
mod decode;
mod emit;
mod fits;
mod gpu;
mod link;
mod loops;
mod order;
pub mod requests;
mod rewrite;
mod translate;

pub use clock::Clock;
pub use decode::{decode, with_lowered};
pub use emit::Artifact;
pub use rewrite::rewrite;
pub use translate::{Emit, Options, Translated, translate};

use crate::ir::{Message, Recorder, Severity};
use crate::sys;
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::utility::register_all_dialects;
use std::fmt;

/// The errors of work that failed, with their notes, and what was said before them.
#[derive(Clone, Debug)]
pub struct Failure(pub Vec<Message>);

impl Failure {
    fn new(message: impl fmt::Display) -> Self {
        Self(vec![Message::error(message.to_string())])
    }

    /// Adds the nearest fix to the last error.
    fn note(mut self, note: impl fmt::Display) -> Self {
        if let Some(last) = self.0.last_mut() {
            last.notes.push(Message::note(note.to_string()));
        }
        self
    }
}

/// Each message with its notes and, where it can be read, the line of the file that it is about.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |message: &&Message| message.severity != Severity::Remark;
        let mut messages = self.0.iter().filter(shown);
        messages.try_for_each(|message| f.write_str(&message.with_source()))
    }
}

impl std::error::Error for Failure {}

/// A context that knows every dialect, ours among them, so that a kernel that has not been lowered
/// yet is recognised as such.
fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    crate::register_dialects(&registry);
    Context::new_with_registry(&registry, false)
}

/// Reads a module, and checks first whether MLIR can; `file` is its name in messages.
fn parse<'c>(
    context: &'c Context,
    recorder: &Recorder,
    file: &str,
    bytes: &[u8],
) -> Result<Module<'c>, Failure> {
    sys::parse_input(context, bytes).ok_or_else(|| {
        let said = take_messages(recorder, file);
        if said.is_empty() {
            Failure::new(format!("`{file}` is not an MLIR module"))
        } else {
            Failure(said)
        }
    })
}

/// Returns MLIR's diagnostics since the last call, without the operations that it prints, which may be the whole module.
fn take_messages(recorder: &Recorder, file: &str) -> Vec<Message> {
    recorder
        .take()
        .into_iter()
        .map(|mut message| {
            message.notes.retain(|note| !note.shows_operation);
            // A module that is parsed from memory calls its file "-".
            message.in_file("-", file)
        })
        .collect()
}

/// Runs a pipeline of passes on a module.
fn run_pipeline(
    context: &Context,
    recorder: &Recorder,
    module: &mut Module<'_>,
    file: &str,
    pipeline: &str,
) -> Result<(), Failure> {
    crate::passes::run_pipeline(context, module, pipeline).map_err(|error| {
        let said = take_messages(recorder, file);
        if said.iter().any(Message::is_error) {
            Failure(said)
        } else {
            Failure::new(format!("pipeline `{pipeline}`: {error}"))
        }
    })
}
