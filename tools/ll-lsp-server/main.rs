//! `ll-lsp-server`: MLIR's language server with this project's dialects, and with layouts in hovers.
//!
//! The program is a proxy. MLIR's server runs as a child process and handles diagnostics, definitions, references and
//! completion. MLIR's server has no extension point for hovers, so the proxy adds the grid and the bases of the
//! encoding under the cursor to the server's answers to `textDocument/hover`. For a document that is nested too deep
//! for MLIR, the proxy publishes a diagnostic instead. The proxy tracks open documents, and validates the files that
//! are named in requests to convert bytecode.

mod conversion;
mod documents;
mod files;
mod hover;
mod message;
mod refused;

use clap::{Parser, ValueEnum};
use documents::Documents;
use refused::Refused;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const NAME: &str = "ll-lsp-server";

/// Language server for MLIR files with the dialects tt, ttg, ttng, amdg and gluon.
///
/// An editor starts this program and communicates with it by the Language Server Protocol on standard input and output.
#[derive(Debug, Parser)]
#[command(
    name = NAME,
    version = linear_layout_mlir::sys::version(),
    max_term_width = 100,
    after_help = "Example, in the settings of VS Code with the extension `llvm-vs-code-extensions.vscode-mlir`:
  \"mlir.server_path\": \"/path/to/ll-lsp-server\""
)]
struct Options {
    /// Amount of output that MLIR's server writes to standard error
    #[arg(long, value_enum, default_value = "info")]
    log: Log,

    /// Run only MLIR's server; this program starts a copy of itself with this option
    #[arg(long, hide = true)]
    mlir_server: bool,

    /// Report the reason if MLIR cannot read a file; before MLIR's server reads a file, this program starts a copy
    /// of itself with this option
    #[arg(long, hide = true, value_name = "FILE")]
    check_input: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Log {
    Error,
    Info,
    Verbose,
}

impl Options {
    /// Returns the log argument of MLIR's server.
    fn log_argument(&self) -> &'static str {
        match self.log {
            Log::Error => "--log=error",
            Log::Info => "--log=info",
            Log::Verbose => "--log=verbose",
        }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    if options.mlir_server {
        linear_layout_mlir::install();
        // Editors collapse notes.
        linear_layout_mlir::sys::name_rules(true);
        let arguments = [NAME, options.log_argument()].map(OsString::from);
        let code = linear_layout_mlir::sys::lsp_main(&arguments);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    if let Some(file) = &options.check_input {
        linear_layout_mlir::install();
        return match linear_layout_mlir::sys::read_checked_input(file) {
            Ok(_) => ExitCode::SUCCESS,
            Err(refusal) => {
                eprintln!("{refusal}");
                ExitCode::FAILURE
            }
        };
    }
    match serve(&options) {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// State that is shared by the two threads that forward messages, one in each direction.
#[derive(Debug, Default)]
struct Shared {
    /// Texts to add to the answers of pending hover requests, keyed by request id.
    hovers: HashMap<String, hover::Addition>,
    refused: Refused,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forwards messages between the editor and MLIR's server until the server exits.
fn serve(options: &Options) -> Result<ExitCode, String> {
    let mut child = start(options).map_err(|e| format!("cannot start MLIR's server: {e}"))?;
    let (Some(to_server), Some(from_server)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("MLIR's server has no pipes".to_owned());
    };
    let shared = Arc::<Mutex<Shared>>::default();
    let for_editor = Arc::clone(&shared);
    std::thread::spawn(move || {
        // A client that stops within a message has ended; closing the pipe ends the server.
        if let Err(reason) = from_client(io::stdin().lock(), to_server, &for_editor) {
            eprintln!("error: cannot forward messages of the editor to MLIR's server: {reason}");
        }
    });
    from_server_to_client(from_server, &shared)
        .map_err(|e| format!("cannot forward the output of MLIR's server: {e}"))?;
    let status = child
        .wait()
        .map_err(|e| format!("cannot wait for MLIR's server: {e}"))?;
    if let Some(code) = status.code() {
        return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)));
    }
    let text = format!(
        "MLIR's server exited with {status}, possibly because of the last change to a document"
    );
    let notice = json!({"jsonrpc": "2.0", "method": "window/showMessage",
                        "params": {"type": 1, "message": text}});
    // The editor may have ended as well.
    let _ = message::write(&mut io::stdout().lock(), notice.to_string().as_bytes());
    Err(text)
}

fn start(options: &Options) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["--mlir-server", options.log_argument()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
}

/// Forwards messages from the editor to MLIR's server. Also tracks the open documents, and computes the texts to
/// add to hovers.
fn from_client(from: impl Read, mut to: impl Write, shared: &Mutex<Shared>) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let mut documents = Documents::default();
    while let Some(body) = message::read(&mut from)? {
        // Deeply nested JSON would overflow the stack of MLIR's server.
        let mut message = match serde_json::from_slice::<Value>(&body) {
            Ok(message) => message,
            Err(error) => {
                let reason = format!("the message is not valid JSON: {error}");
                refuse(&Value::Null, PARSE_ERROR, &reason)?;
                continue;
            }
        };
        if let Some(reason) = files::refusal(&message) {
            refuse(&message["id"], REQUEST_FAILED, &reason)?;
            continue;
        }
        let params = &message["params"];
        let is_changed = match message["method"].as_str() {
            Some("textDocument/didOpen") => {
                documents.open(params);
                lock(shared).refused.guard(&mut message, &documents)
            }
            Some("textDocument/didChange") => {
                documents.change(params);
                lock(shared).refused.guard(&mut message, &documents)
            }
            Some("textDocument/didClose") => {
                documents.close(params);
                lock(shared).refused.close(params);
                false
            }
            Some("textDocument/hover") if !lock(shared).refused.is_about(params) => {
                let addition = documents
                    .place(params)
                    .and_then(|(text, offset)| hover::at(text, offset));
                if let Some(addition) = addition {
                    let id = message["id"].to_string();
                    lock(shared).hovers.insert(id, addition);
                }
                false
            }
            _ => false,
        };
        if is_changed {
            message::write(&mut to, message.to_string().as_bytes())?;
        } else {
            message::write(&mut to, &body)?;
        }
    }
    Ok(())
}

/// Error code of the Language Server Protocol for a message that cannot be parsed.
const PARSE_ERROR: i32 = -32700;
const REQUEST_FAILED: i32 = -32803;

/// Answers a request with an error.
fn refuse(id: &Value, code: i32, reason: &str) -> io::Result<()> {
    let error = json!({"code": code, "message": reason});
    let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
    message::write(&mut io::stdout().lock(), answer.to_string().as_bytes())
}

/// Forwards messages from MLIR's server to the editor, and adds texts to the answers to hover requests.
fn from_server_to_client(from: impl Read, shared: &Mutex<Shared>) -> io::Result<()> {
    let mut from = BufReader::new(from);
    while let Some(body) = message::read(&mut from)? {
        let mut answer = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        // Requests of the server may have the id of a request of the editor.
        let addition = match answer.get("method") {
            None => lock(shared).hovers.remove(&answer["id"].to_string()),
            Some(_) => None,
        };
        let is_changed = match addition {
            Some(addition) if answer.get("result").is_some() => {
                addition.add_to(&mut answer["result"]);
                true
            }
            _ => name_this_server(&mut answer) || lock(shared).refused.complete(&mut answer),
        };
        if is_changed {
            message::write(&mut io::stdout().lock(), answer.to_string().as_bytes())?;
        } else {
            message::write(&mut io::stdout().lock(), &body)?;
        }
    }
    Ok(())
}

/// Replaces the server's name and version in the answer to `initialize` by those of this server. Returns false if
/// the message is not such an answer.
fn name_this_server(answer: &mut Value) -> bool {
    let Some(info) = answer.pointer_mut("/result/serverInfo") else {
        return false;
    };
    *info = json!({"name": NAME, "version": linear_layout_mlir::sys::version()});
    true
}
