//! Drivers of the command-line tools and of the C API.
//!
//! [`translate`] emits LLVM IR, assembly or a code object, [`decode`] returns a kernel for [`gpu_sim`], and [`rewrite`]
//! runs passes. [`requests`] wraps these functions for callers with text and JSON. Each driver takes the bytes of a
//! file and creates an MLIR context. Drivers return messages with the result or error. They do not print, read a
//! command line, or end the process.

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

/// The messages of a failed driver function: errors, and earlier warnings and remarks.
#[derive(Clone, Debug)]
pub struct Failure(pub Vec<Message>);

impl Failure {
    fn new(message: impl fmt::Display) -> Self {
        Self(vec![Message::error(message.to_string())])
    }

    /// Attaches a note to the last message.
    fn note(mut self, note: impl fmt::Display) -> Self {
        if let Some(last) = self.0.last_mut() {
            last.notes.push(Message::note(note.to_string()));
        }
        self
    }
}

/// Prints all messages except remarks, with notes and source lines.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |message: &&Message| message.severity != Severity::Remark;
        let mut messages = self.0.iter().filter(shown);
        messages.try_for_each(|message| f.write_str(&message.with_source()))
    }
}

impl std::error::Error for Failure {}

/// Creates a context with all dialects, including untranslatable ones, so that unlowered modules can be parsed and
/// reported.
fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    crate::register_dialects(&registry);
    Context::new_with_registry(&registry, false)
}

/// Parses text or bytecode accepted by [`sys::checked_input`]. `file` is the input's name in messages.
fn parse<'c>(
    context: &'c Context,
    recorder: &Recorder,
    file: &str,
    bytes: &[u8],
) -> Result<Module<'c>, Failure> {
    sys::parse_input(context, bytes).ok_or_else(|| {
        let messages = take_messages(recorder, file);
        if messages.is_empty() {
            Failure::new(format!("`{file}` is not an MLIR module"))
        } else {
            Failure(messages)
        }
    })
}

/// Takes all messages from `recorder`. Notes in which MLIR prints an operation are dropped, since the operation may
/// be the whole module.
fn take_messages(recorder: &Recorder, file: &str) -> Vec<Message> {
    recorder
        .take()
        .into_iter()
        .map(|mut message| {
            message.notes.retain(|note| !note.shows_operation);
            message.in_file("-", file)
        })
        .collect()
}

fn run_pipeline(
    context: &Context,
    recorder: &Recorder,
    module: &mut Module<'_>,
    file: &str,
    pipeline: &str,
) -> Result<(), Failure> {
    crate::passes::run_pipeline(context, module, pipeline).map_err(|error| {
        let messages = take_messages(recorder, file);
        if messages.iter().any(Message::is_error) {
            Failure(messages)
        } else {
            let failure = Failure::new(format!("pipeline `{pipeline}`: {error}"));
            match crate::passes::nearest_pass(pipeline) {
                Some(near) => failure.note(format!("the nearest pass is `{near}`")),
                None => failure,
            }
        }
    })
}
