//! `ll-layout`: shows and explains layouts, evaluates, converts, multiplies and compares layouts, and answers batches
//! of questions about layouts.

mod any_layout;
mod batch;
mod compare;
mod convert;
mod drawing;
mod element;
mod eval;
mod explain;
mod instruction;
mod list;
mod pair;
mod product;
mod show;
mod stream;
mod subject;
mod systems;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use serde_json::json;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show GPU tensor layouts, and compute with them
///
/// A layout is given by an encoding as in TTGIR and the shape of a tensor; by a type with an encoding,
/// `tensor<64x16xf16, #ttg...>`; by a layout of Gluon, `gl.BlockedLayout(...)`; by Triton's text for a LinearLayout; by
/// a layout of CuTe or CUTLASS, `(8,4):(4,1)`, `Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)`; or by a layout
/// of Tilus, `local(2, 1).spatial(8, 4)`.
#[derive(Debug, Parser)]
#[command(
    name = "ll-layout",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done, 1 there is no answer (the reason is printed), 2 wrong usage, \
                  3 `compare` found a difference."
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,

    /// Print JSON; an error is printed as {"error": ...}
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show a layout: its bases, the tensor, the hardware, the matrix, or shared memory by bank; or the operands of a
    /// matrix instruction
    #[command(after_help = show::EXAMPLES)]
    Show(show::Arguments),
    /// Print the element that a slot holds, or with --inverse the slots that hold an element
    #[command(after_help = eval::EXAMPLES)]
    Eval(eval::Arguments),
    /// Explain how elements move from one layout to another on a GPU, the reason for this plan, and its cost
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::Arguments),
    /// Compare two layouts, and print their first difference
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::Arguments),
    /// Explain the effect of each basis of a layout in words
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Arguments),
    /// Find the matrix instruction for tensors of these layouts, its cost, and the reasons against other instructions
    #[command(after_help = product::EXAMPLES)]
    Product(product::Arguments),
    /// List the encodings in an MLIR file and the shapes with which they are used, or the matrix instructions of a GPU
    #[command(after_help = list::EXAMPLES)]
    List(list::Arguments),
    /// Solve the cases in a file; each line of the input and of the output is one JSON object
    #[command(after_help = BATCH_EXAMPLES)]
    Batch {
        /// File of cases; `-` is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Print the number of cases and their rate to standard error
        #[arg(long)]
        stats: bool,
    },
    /// Print the completion script of a shell
    #[command(after_help = COMPLETION_EXAMPLES)]
    Completion {
        /// Name of the shell
        shell: Shell,
    },
    /// Print a manual page for `man`
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Name of a command, such as `show`; without it, the page lists all commands
        verb: Option<String>,
    },
}

const COMPLETION_EXAMPLES: &str = "Example:
  ll-layout completion bash > ~/.local/share/bash-completion/completions/ll-layout";

const MAN_EXAMPLES: &str = "Example:
  ll-layout man show > ~/.local/share/man/man1/ll-layout-show.1";

const BATCH_EXAMPLES: &str = r#"A case with `enc` and `shape` comes back with `bases` (and `interval_padding` where the encoding
pads), one with `op` and `args` with `ok`, and one without an answer with `error`. Other fields come
back as they were; answers in the input are computed again. A case without `shape` is answered for the
smallest shape that holds its `bases`. A bad line gets an `error` and does not stop the rest.

A linear layout is {"bases": [[in-dim, [basis, ...]], ...], "out_dims": [[name, size], ...]}. Operations:
  apply [layout, {"lane": 3}]    properties, print, invert, pseudoinvert [layout]
  invert_and_compose, compose, mul [a, b]    identity_1d [size, in, out]
  strided_1d [size, stride, in, out]    zeros_1d [size, in, out, out_size]

With "system": "cute" the operations are those of CuTe. A layout is {"shape": [4, [2, 3]], "stride": [1, [4, 8]]}
or its text, "(4,(2,3)):(1,(4,8))", a tuple of tilers {"tile": [4, 2]}, a swizzle [3, 4, 3], `_` null:
  coalesce, right_inverse, left_inverse [layout]    composition, logical_divide [layout, layout or tiler]
  complement [layout, cosize]    swizzled_slice [swizzle, layout, [null, 2]]

With "system": "tilus" or "bridge" the operations and their arguments are those of Tilus, such as
  chain [[["local", [2, 1]], ["spatial", [8, 4]]]]    compose, divide [layout, layout]
  cute_to_f2 [layout of CuTe]    f2_to_cute [bases]    tilus_convert [layout of Tilus]
and one that there is not is answered with the names of all.

Example:
  $ echo '{"id": 7, "op": "identity_1d", "args": [4, "lane", "dim0"]}' | ll-layout batch
  {"id":7,"op":"identity_1d","args":[4,"lane","dim0"],"ok":{"bases":[["lane",[[1],[2]]]],"out_dims":[["dim0",4]]}}"#;

/// Command-line arguments that select a layout.
#[derive(Debug, Args)]
struct Source {
    /// Encoding or type as in TTGIR, `#ttg.blocked<{...}>`; a LinearLayout as Triton prints it; a layout of Gluon;
    /// a layout of CuTe, `(8,4):(4,1)`; a layout of Tilus, `local(2, 1).spatial(8, 4)`; or a file that contains one
    /// of these; `-` is standard input
    #[arg(value_name = "ENC", allow_hyphen_values = true)]
    enc: OsString,

    /// File, such as a kernel in TTGIR, whose `#name = ...` lines the encoding may use
    #[arg(long, value_name = "FILE")]
    aliases: Option<PathBuf>,
}

/// An error, printed as text or as JSON.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    rest: String,
}

impl Failure {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        let message = message.to_string();
        let rest = String::new();
        Self { message, rest }
    }

    pub(crate) fn line(mut self, text: impl fmt::Display) -> Self {
        self.rest += &format!("{text}\n");
        self
    }

    /// Prefixes the message with the name of the invalid argument.
    pub(crate) fn within(self, argument: &str) -> Self {
        Self {
            message: format!("{argument}: {}", self.message),
            ..self
        }
    }

    /// Appends `text` to the message, with a caret under the character at byte `offset`. If `text` has several
    /// lines, nothing is appended.
    pub(crate) fn at(self, text: &str, offset: usize) -> Self {
        if !text.is_char_boundary(offset) || text.contains('\n') {
            return self;
        }
        let column = text[..offset].chars().count();
        self.line(format_args!("  {text}\n  {:>column$}^", ""))
    }

    pub(crate) fn note(self, note: impl fmt::Display) -> Self {
        self.line(format_args!("note: {note}"))
    }
}

/// Exit code of `compare` if the layouts differ.
const DIFFERENT: u8 = 3;

fn main() -> ExitCode {
    let arguments =
        Arguments::try_parse().unwrap_or_else(|error| without_shape_option(error).exit());
    let mut code = ExitCode::SUCCESS;
    let answer = match &arguments.verb {
        Verb::Show(show) => show::run(show, arguments.json),
        Verb::Eval(eval) => eval::run(eval, arguments.json),
        Verb::Convert(convert) => convert::run(convert, arguments.json),
        Verb::Compare(compare) => compare::run(compare, arguments.json).map(|(text, is_equal)| {
            if !is_equal {
                code = ExitCode::from(DIFFERENT);
            }
            text
        }),
        Verb::Explain(explain) => explain::run(explain, arguments.json),
        Verb::Product(product) => product::run(product, arguments.json),
        Verb::List(list) => list::run(list, arguments.json),
        Verb::Batch { file, stats } => stream::run(file, *stats).map(|()| String::new()),
        Verb::Completion { shell } => Ok(completion(*shell)),
        Verb::Man { verb } => man(verb.as_deref()),
    };
    let (text, code) = match answer {
        Ok(text) => (text, code),
        Err(failure) if arguments.json => (
            json!({"error": failure.message}).to_string() + "\n",
            ExitCode::FAILURE,
        ),
        Err(Failure { message, rest }) => {
            eprint!("error: {message}\n{rest}");
            (String::new(), ExitCode::FAILURE)
        }
    };
    match io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write to standard output: {e}");
            ExitCode::FAILURE
        }
        _ => code,
    }
}

/// Replaces clap's suggestion for an unknown option `--shape`.
fn without_shape_option(mut error: clap::Error) -> clap::Error {
    let found = error.get(ContextKind::InvalidArg);
    if error.kind() == ErrorKind::UnknownArgument
        && matches!(found, Some(ContextValue::String(name)) if name == "--shape")
    {
        let hint = "the shape follows the layout: ll-layout show '#ttg.blocked<{...}>' 64x16";
        let hint = ContextValue::StyledStrs(vec![hint.to_owned().into()]);
        error.insert(ContextKind::Suggested, hint);
    }
    error
}

fn completion(shell: Shell) -> String {
    let mut out = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(shell, &mut command, "ll-layout", &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn man(verb: Option<&str>) -> Result<String, Failure> {
    let mut command = Arguments::command();
    command.build();
    if let Some(verb) = verb {
        let verbs: Vec<String> = command
            .get_subcommands()
            .map(|c| c.get_name().to_owned())
            .collect();
        let Some(found) = command.find_subcommand(verb) else {
            return Err(Failure::new(format!("unknown command `{verb}`"))
                .note(format!("the commands are {}", verbs.join(", "))));
        };
        let name = format!("ll-layout-{}", found.get_name());
        command = found.clone().display_name(name);
    }
    let mut out = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut out)
        .map_err(|e| Failure::new(format!("cannot generate the manual page: {e}")))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
