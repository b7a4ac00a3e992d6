//! `ll-translate`: from the LLVM dialect, or a kernel that it lowers first, to LLVM IR, PTX, AMDGCN assembly or an AMD code object.

mod clock;
mod debug;
mod emit;
mod fits;
mod gpu;
mod link;
mod loops;

use clap::{Parser, ValueEnum};
use clock::Clock;
use emit::Artifact;
use fits::Language;
use gpu::Gpu;
use linear_layout::target::{Assembly, Target};
use linear_layout_mlir::ir::{ModuleInfo, Recorder, Severity, chosen_module, inner_modules};
use linear_layout_mlir::passes::{self, LOWERING};
use linear_layout_mlir::sys::{self, Diagnostic};
use link::Missing;
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationPrintingFlags, WalkOrder, WalkResult};
use melior::ir::{Module, OperationRef};
use melior::utility::{register_all_dialects, register_all_llvm_translations};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// LLVM IR, after optimisation
    LlvmIr,
    /// PTX assembly, for NVIDIA GPUs
    Ptx,
    /// AMDGCN assembly, for AMD GPUs
    Amdgcn,
    /// A code object that the driver loads, for AMD GPUs
    Object,
}

/// Translate a kernel in MLIR's LLVM dialect to LLVM IR, assembly or an object
///
/// The input is what `ll-opt --convert-layouts-to-llvm` writes: a module of the LLVM dialect with
/// NVVM or ROCDL; `--lower` takes the kernel itself. The GPU is the module's `ttg.target`, unless `--target` says otherwise.
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

    /// What to write [default: the assembly of the target]
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

    /// Print how long each phase takes, in milliseconds, to standard error: the best of so many rounds [default: 5]
    ///
    /// Every round begins with the text, in a context of its own, whose making is not counted.
    #[arg(
        long, value_name = "ROUNDS", num_args = 0..=1, require_equals = true, default_missing_value = "5",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    time: Option<u32>,

    /// Optimisation level; 0 translates only
    #[arg(short = 'O', default_value_t = 3, value_name = "0-3", value_parser = clap::value_parser!(u8).range(0..=3))]
    optimize: u8,

    /// GPU to translate for, as `cuda:90` or `hip:gfx942` [default: the module's `ttg.target`]
    #[arg(long, value_name = "GPU")]
    target: Option<String>,

    /// The module to translate, where the file holds several: its symbol, a function in it, or its number from 0 on
    #[arg(long, value_name = "NAME")]
    module: Option<String>,

    /// Say which line of the source each instruction comes from: `.loc` in PTX, DWARF for AMD GPUs
    ///
    /// The lines are those of MLIR's locations, which `ll-opt --mlir-print-debuginfo` hands on; of a text without
    /// them, its own.
    #[arg(short = 'g', long = "debug-info")]
    debug_info: bool,

    /// LLVM's name of the processor, as `sm_90a` or `gfx942` [default: follows from the target]
    #[arg(long, value_name = "NAME")]
    target_cpu: Option<String>,

    /// LLVM's target features to add, as `+ptx84` or `+wavefrontsize64`, separated by commas
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    features: Option<String>,

    /// Bitcode to link in: a file, or the name of a GPU maker's library, as `libdevice`, `ocml` or `ockl`, where it
    /// is installed; may be given several times
    #[arg(long, value_name = "FILE", alias = "link")]
    link_bitcode: Vec<PathBuf>,
}

/// What went wrong, ready to print: the error and its notes.
#[derive(Debug)]
struct Failure(String);

impl Failure {
    fn new(message: impl fmt::Display) -> Self {
        Self(format!("error: {message}\n"))
    }

    /// A failure whose errors the context's diagnostic handler has.
    fn reported() -> Self {
        Self(String::new())
    }

    /// Adds the nearest fix.
    fn note(mut self, note: impl fmt::Display) -> Self {
        self.0 += &format!("note: {note}\n");
        self
    }
}

fn main() -> ExitCode {
    sys::stop_at_broken_pipe();
    sys::exit_on_fatal_error();
    linear_layout_mlir::install();
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(text)) => {
            say(&text);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let input = read(&arguments.input)?;
    let (made, mut best) = translate(arguments, &input)?;
    say(&made.said);
    if let Some(rounds) = arguments.time {
        for _ in 1..rounds {
            best = best.best(translate(arguments, &input)?.1);
        }
        say(&best.table());
    }
    write(&arguments.output, &made.bytes, made.artifact)
}

/// What a round makes of the input.
struct Made {
    bytes: Vec<u8>,
    artifact: Artifact,
    /// Warnings, ready to print.
    said: String,
}

/// The whole way, from the input's bytes to the output's.
fn translate(arguments: &Arguments, input: &[u8]) -> Result<(Made, Clock), Failure> {
    let context = context();
    let recorder = Recorder::attach(&context);
    let mut clock = Clock::start();
    let mut module = parse(&context, &recorder, &arguments.input, input)?;
    let mut warnings = said(&recorder, &arguments.input);
    clock.end("parse");
    if let Some(pipeline) = &arguments.lower {
        if let Some(name) = &arguments.target {
            let gpu = Target::parse(name).map_err(Failure::new)?;
            sys::rewrite(&mut module, |rewriter, module| {
                ModuleInfo::set_gpu(rewriter, module, gpu);
            });
        }
        lower(&context, &recorder, &mut module, arguments, pipeline)?;
        warnings += &said(&recorder, &arguments.input);
        clock.end("lower");
    }
    if let Some(chosen) = chosen(&context, &module, arguments)? {
        module = chosen;
    }
    let gpu = Gpu::choose(&module, arguments)?;
    let artifact = Artifact::choose(arguments.emit, gpu.target)?;
    let file = sys::input_name(&arguments.input);
    let reported = |Failure(text)| Failure(said(&recorder, &arguments.input) + &text);
    fits::check_gpu(&module, gpu.target, shown_input(&arguments.input, &file)).map_err(reported)?;
    let language = match (artifact, gpu.target.assembly) {
        (Artifact::Ir, _) => None,
        (Artifact::Object, _) => Some(Language::Object),
        (Artifact::Assembly, Assembly::Ptx) => Some(Language::Ptx),
        (Artifact::Assembly, Assembly::Gcn) => Some(Language::Gcn),
    };
    if let Some(language) = language {
        fits::check_names(&module, language).map_err(reported)?;
    }
    let machine = gpu.machine(arguments.optimize)?;
    // The machine is made once for any number of modules.
    clock.skip();
    // Before translation, since the alignment of an access follows from the data layout.
    sys::rewrite(&mut module, |rewriter, module| {
        for (name, value) in [
            ("llvm.data_layout", gpu::data_layout(&machine)),
            ("llvm.target_triple", gpu.target.llvm_triple.to_owned()),
        ] {
            let value = StringAttribute::new(&context, &value).into();
            rewriter.set_attribute(module, name, value);
        }
    });

    loops::annotate(&mut module);
    if arguments.debug_info {
        debug::describe(&context, &mut module, gpu.target, &file)?;
    }
    let llvm = inkwell::context::Context::create();
    let translated = sys::to_llvm_ir(&module, &llvm);
    let said = said(&recorder, &arguments.input);
    let Some(translated) = translated else {
        return Err(not_translated(said, &recorder, &module, &arguments.input));
    };
    warnings += &said;
    link::add_bitcode(&translated, &arguments.link_bitcode, gpu.target, &machine)?;
    clock.end("translate");
    emit::optimize(&translated, &machine, arguments.optimize)?;
    clock.end("optimise");
    if artifact != Artifact::Ir {
        let missing = link::missing(&translated);
        if !missing.is_empty() {
            return Err(not_defined(&missing, &recorder, &module, &arguments.input));
        }
    }
    let bytes = emit::emit(&translated, &machine, artifact)?;
    clock.end("emit");
    let made = Made {
        bytes,
        artifact,
        said: warnings,
    };
    Ok((made, clock))
}

/// The module that is meant, where the file holds others than its own.
fn chosen<'c>(
    context: &'c Context,
    file: &Module<'c>,
    arguments: &Arguments,
) -> Result<Option<Module<'c>>, Failure> {
    let outermost = file.as_operation();
    if inner_modules(outermost).is_empty() {
        return Ok(None);
    }
    let asked = arguments.module.as_deref();
    let chosen = chosen_module(outermost, asked, "--module").map_err(|reason| {
        let text = format!("`{}` {}", sys::input_name(&arguments.input), reason.message);
        let notes = reason.notes.iter();
        notes.fold(Failure::new(text), |failure, note| failure.note(note))
    })?;
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    let text = chosen.to_string_with_flags(flags);
    Ok(text.ok().and_then(|text| Module::parse(context, &text)))
}

/// Lowers a module by a pipeline of passes.
fn lower(
    context: &Context,
    recorder: &Recorder,
    module: &mut Module<'_>,
    arguments: &Arguments,
    pipeline: &str,
) -> Result<(), Failure> {
    passes::run_pipeline(context, module, pipeline).map_err(|error| {
        let said = said(recorder, &arguments.input);
        if said.is_empty() {
            Failure::new(format!("pipeline `{pipeline}`: {error}"))
        } else {
            Failure(said)
        }
    })
}

/// A context that knows every dialect, ours among them, so that a kernel that has not been lowered
/// yet is recognised as such.
fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    register_all_llvm_translations(&context);
    context
}

/// The bytes of the input, where MLIR can read them.
fn read(input: &Path) -> Result<Vec<u8>, Failure> {
    if is_standard(input) && std::io::stdin().is_terminal() {
        say("reading standard input; `ll-translate --help` shows how to name a file\n");
    }
    let name = sys::input_name(input);
    let bytes = sys::read_input(input)
        .map_err(|reason| Failure::new(format!("cannot open `{name}`: {reason}")))?;
    sys::checked_input(&name, bytes).map_err(|refusal| Failure(refusal + "\n"))
}

/// Whether the input is standard input.
fn is_standard(input: &Path) -> bool {
    input.as_os_str() == "-"
}

/// The name of the input in commands that messages show.
fn shown_input<'n>(input: &Path, name: &'n str) -> &'n str {
    if is_standard(input) {
        "kernel.mlir"
    } else {
        name
    }
}

/// Writes to standard error; nobody listens where that fails.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn parse<'c>(
    context: &'c Context,
    recorder: &Recorder,
    input: &Path,
    bytes: &[u8],
) -> Result<Module<'c>, Failure> {
    sys::parse_input(context, bytes).ok_or_else(|| {
        let said = said(recorder, input);
        if said.is_empty() {
            let name = sys::input_name(input);
            Failure::new(format!("`{name}` is not an MLIR module"))
        } else {
            Failure(said)
        }
    })
}

/// What MLIR has said since the last call; without remarks, and without the operations that it prints, which
/// may be the whole module.
fn said(recorder: &Recorder, input: &Path) -> String {
    let name = sys::input_name(input);
    recorder
        .take()
        .into_iter()
        .filter(|message| message.severity != Severity::Remark)
        .map(|mut message| {
            message.notes.retain(|note| !note.shows_operation);
            // A module that is parsed from memory calls its file "-".
            message.in_file("-", &name).with_source()
        })
        .collect()
}

/// Why MLIR did not translate a module, with the fix where that is plain.
fn not_translated(said: String, recorder: &Recorder, module: &Module<'_>, input: &Path) -> Failure {
    let name = sys::input_name(input);
    let shown = shown_input(input, &name);
    // MLIR's own words would show the whole function.
    let mut is_lowered = true;
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        if fits::is_lowered(op) {
            return WalkResult::Advance;
        }
        let diagnostic = Diagnostic::new("is not of the LLVM dialect, NVVM or ROCDL");
        let fix = format!(
            "lower the module first: `ll-translate --lower {shown}`, or \
             `ll-opt --convert-layouts-to-llvm {shown} | ll-translate`"
        );
        sys::emit_error(op, &diagnostic.note(fix));
        is_lowered = false;
        WalkResult::Interrupt
    });
    Failure(if !is_lowered {
        crate::said(recorder, input)
    } else if said.is_empty() {
        "error: MLIR cannot translate the module to LLVM IR\n".to_owned()
    } else {
        said
    })
}

/// Why a module is not complete: where the functions that nothing defines are called first, and how to get them.
fn not_defined(
    missing: &[Missing],
    recorder: &Recorder,
    module: &Module<'_>,
    input: &Path,
) -> Failure {
    let mut rest: Vec<&Missing> = missing.iter().collect();
    let mut report = |op: OperationRef<'_, '_>| {
        let name = op.name();
        if name.as_string_ref().as_str() != Ok("llvm.call") {
            return;
        }
        let callee = op.attribute("callee").ok();
        let callee = callee.and_then(sys::symbol_name);
        let place = callee.and_then(|callee| {
            rest.iter()
                .position(|function| function.name.as_bytes() == callee.bytes())
        });
        if let Some(place) = place {
            let function = rest.remove(place);
            let text = format!("calls `{}`, which nothing defines", function.name);
            sys::emit_error(op, &Diagnostic::new(text).note(&function.fix));
        }
    };
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        report(op);
        WalkResult::Advance
    });
    let mut text = said(recorder, input);
    // What LLVM made a call of.
    for function in rest {
        let called = format!(
            "the module calls `{}`, which nothing defines",
            function.name
        );
        text += &Failure::new(called).note(&function.fix).0;
    }
    Failure(text)
}

fn write(output: &Path, bytes: &[u8], artifact: Artifact) -> Result<(), Failure> {
    let result = if output == Path::new("-") {
        let mut out = std::io::stdout().lock();
        if artifact == Artifact::Object && out.is_terminal() {
            return Err(Failure::new("an object is no text for a terminal")
                .note("name a file: `-o kernel.hsaco`"));
        }
        out.write_all(bytes).and_then(|()| out.flush())
    } else {
        std::fs::write(output, bytes)
    };
    result.map_err(|reason| Failure::new(format!("cannot write `{}`: {reason}", output.display())))
}
