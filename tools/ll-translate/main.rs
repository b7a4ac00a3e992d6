//! `ll-translate`: translation of the LLVM dialect, or of a kernel that is lowered first, to LLVM IR, PTX, AMDGCN
//! assembly or an AMD code object.

use clap::Parser;
use linear_layout_mlir::driver::{self, Artifact, Emit, Failure, Options, Translated};
use linear_layout_mlir::ir::Message;
use linear_layout_mlir::passes::LOWERING;
use linear_layout_mlir::sys;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Translate a kernel in MLIR's LLVM dialect to LLVM IR, assembly or an object file
///
/// The input is the output of `ll-opt --convert-layouts-to-llvm`: a module of the LLVM dialect with NVVM or ROCDL. With
/// `--lower`, the input is the kernel before lowering. The GPU is the module's `ttg.target`, unless `--target` names
/// another GPU.
#[derive(Debug, Parser)]
#[command(
    name = "ll-translate",
    version = sys::version(),
    after_help = "Examples:
  ll-opt --convert-layouts-to-llvm kernel.mlir | ll-translate --emit=ptx
  ll-translate --lower --emit=ptx kernel.mlir
  ll-translate --emit=object lowered.mlir -o kernel.hsaco
  ll-translate --emit=llvm-ir -O0 lowered.mlir
  ll-translate --emit=ptx --target cuda:90 --features +ptx84 lowered.mlir | ptxas -arch=sm_90a - "
)]
struct Arguments {
    /// File to read, text or bytecode; `-` is standard input
    #[arg(default_value = "-")]
    input: PathBuf,

    /// Kind of output [default: the assembly of the target]
    #[arg(long, value_enum, value_name = "FORMAT")]
    emit: Option<Emit>,

    /// File to write; `-` is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,

    /// Lower the module first, by this pipeline of passes [default: convert-layouts-to-llvm]
    #[arg(
        long, value_name = "PIPELINE", num_args = 0..=1, require_equals = true, default_missing_value = LOWERING
    )]
    lower: Option<String>,

    /// Print the time of each phase in milliseconds to standard error; each time is the best of this many rounds
    /// [default: 5]
    ///
    /// Each round starts from the text in a new context, whose creation is not timed.
    #[arg(
        long, value_name = "ROUNDS", num_args = 0..=1, require_equals = true, default_missing_value = "5",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    time: Option<u32>,

    /// Optimisation level; 0 only translates
    #[arg(short = 'O', default_value_t = 3, value_name = "0-3", value_parser = clap::value_parser!(u8).range(0..=3))]
    optimize: u8,

    /// GPU for which to translate, such as `cuda:90` or `hip:gfx942` [default: the module's `ttg.target`]
    #[arg(long, value_name = "GPU")]
    target: Option<String>,

    /// Module to translate, if the file contains several modules: its symbol, a function in it, or its number, starting
    /// at 0
    #[arg(long, value_name = "NAME")]
    module: Option<String>,

    /// Emit the source line of each instruction: `.loc` in PTX, DWARF for AMD GPUs
    ///
    /// The lines come from MLIR's locations, which `ll-opt --mlir-print-debuginfo` preserves. If the text contains no
    /// locations, its own lines are used.
    #[arg(short = 'g', long = "debug-info")]
    debug_info: bool,

    /// LLVM's name of the processor, such as `sm_90a` or `gfx942` [default: follows from the target]
    #[arg(long, value_name = "NAME")]
    target_cpu: Option<String>,

    /// LLVM's target features to add, such as `+ptx84` or `+wavefrontsize64`, separated by commas
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    features: Option<String>,

    /// Bitcode to link: a file, or the name of an installed library of the vendor, such as `libdevice`, `ocml` or
    /// `ockl`; may be given several times
    #[arg(long, value_name = "FILE", alias = "link")]
    link_bitcode: Vec<PathBuf>,
}

fn main() -> ExitCode {
    sys::stop_at_broken_pipe();
    linear_layout_mlir::install();
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            say(&text);
            ExitCode::FAILURE
        }
    }
}

/// Reads the input, translates it, and writes the output.
///
/// # Errors
/// Returns the error message, ready to print.
fn run(arguments: Arguments) -> Result<(), String> {
    let input = read(&arguments.input)?;
    let output = arguments.output;
    let rounds = arguments.time;
    let options = Options {
        emit: arguments.emit,
        lower: arguments.lower,
        optimize: arguments.optimize,
        target: arguments.target,
        module: arguments.module,
        debug_info: arguments.debug_info,
        cpu: arguments.target_cpu,
        features: arguments.features,
        bitcode: arguments.link_bitcode,
        ..Options::new(sys::input_name(&arguments.input))
    };
    let translate = || driver::translate(&input, &options).map_err(|failure| failure.to_string());
    let made = translate()?;
    say(&Failure(made.messages.clone()).to_string());
    if let Some(rounds) = rounds {
        let mut best = made.clock.clone();
        for _ in 1..rounds {
            best = best.best(translate()?.clock);
        }
        say(&best.table());
    }
    write(&output, &made)
}

/// Reads the input file or standard input. Returns its bytes, or an error message if MLIR cannot read it.
fn read(input: &Path) -> Result<Vec<u8>, String> {
    if input.as_os_str() == "-" && std::io::stdin().is_terminal() {
        say("reading standard input; `ll-translate --help` shows how to name a file\n");
    }
    let name = sys::input_name(input);
    let bytes = sys::read_input(input)
        .map_err(|reason| failure(format!("cannot open `{name}`: {reason}"), None))?;
    sys::checked_input(&name, bytes).map_err(|refusal| refusal + "\n")
}

/// Formats an error message. If `fix` is given, it is appended as a note.
fn failure(text: String, fix: Option<&str>) -> String {
    let mut message = Message::error(text);
    message.notes.extend(fix.map(Message::note));
    message.to_string()
}

/// Writes to standard error. A failed write is ignored.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn write(output: &Path, made: &Translated) -> Result<(), String> {
    let result = if output == Path::new("-") {
        let mut out = std::io::stdout().lock();
        if made.artifact == Artifact::Object && out.is_terminal() {
            let fix = "write to a file with `-o kernel.hsaco`";
            return Err(failure(
                "cannot write an object file to a terminal".to_owned(),
                Some(fix),
            ));
        }
        out.write_all(&made.bytes).and_then(|()| out.flush())
    } else {
        std::fs::write(output, &made.bytes)
    };
    result.map_err(|reason| {
        failure(
            format!("cannot write `{}`: {reason}", output.display()),
            None,
        )
    })
}
