//! `ll-sim`: runs a lowered GPU kernel on the CPU and reports what it did and what is wrong.

mod progress;

use clap::Parser;
use clap::builder::{OsStringValueParser, TypedValueParser};
use gpu_sim::{
    Arg, ArgSpec, ArgValue, Arrival, BufferId, Decoded, ElementTy, FaultKind, Fill, KernelError,
    Launch, Machine, Memory, Param, ParamTy, Report, Schedule, Tolerance, compare, initial_bytes,
    list_operations,
};
use linear_layout_mlir::{driver, sys};
use progress::Progress;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a lowered GPU kernel on the CPU, lane by lane.
///
/// The input is MLIR: a module of the LLVM dialect with NVVM or ROCDL. A module that still contains `tt.func` is
/// lowered by `convert-layouts-to-llvm{bounds=true}` first, which marks allocations and indices. The run stops with
/// an error at an access out of bounds (of a buffer, or of an allocation within shared memory), an index out of
/// range, a misaligned access, a read of uninitialised shared memory, a data race, or a barrier in divergent code.
/// The error names the operation, lane, warp and block.
#[derive(Parser, Debug)]
#[command(name = "ll-sim", version = linear_layout_mlir::sys::version(), max_term_width = 100)]
struct Options {
    /// The file to run; `-` reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,

    /// The kernel's name; optional if the module has one kernel
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// Blocks per axis: X, X,Y or X,Y,Z
    #[arg(long, value_name = "X,Y,Z", default_value = "1", value_parser = parse_axes)]
    grid: [u32; 3],

    /// Threads per block along each axis; only needed if the kernel does not fix them
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_axes)]
    block: Option<[u32; 3]>,

    /// An argument, in order: `5:i32`, `1.5:f32`, `zeros|iota|random:TYPE:COUNT`, `full:VALUE:TYPE:COUNT`,
    /// `file:TYPE:PATH`, `null`; a prefix `NAME=` names a buffer
    #[arg(long = "arg", value_name = "[NAME=]VALUE", allow_hyphen_values = true, value_parser = OsStringValueParser::new().try_map(|text| parse_arg(&text)))]
    args: Vec<ArgSpec>,

    /// Compare a buffer with a file after the run; exit code 1 if it differs
    #[arg(long, value_name = "NAME=FILE")]
    expect: Vec<OsString>,

    /// Compare two buffers with each other after the run
    #[arg(long, value_name = "NAME=NAME")]
    expect_same: Vec<String>,

    /// Write a buffer to a file after the run
    #[arg(long, value_name = "NAME=FILE")]
    dump: Vec<OsString>,

    /// Tolerance of comparisons: ABSOLUTE or ABSOLUTE,RELATIVE
    #[arg(long, value_name = "ABS[,REL]", default_value = "0", value_parser = parse_tolerance)]
    tolerance: Tolerance,

    /// Number of bytes of dynamic shared memory [default: the module's `ttg.shared`]
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,

    /// Pass pipeline to run before the simulation
    #[arg(long, value_name = "PIPELINE")]
    lower: Option<String>,

    /// Seed of random buffers; buffer number N uses seed + N
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Largest number of executed instructions, counted once per warp
    #[arg(long, value_name = "N", default_value_t = Launch::DEFAULT_STEP_LIMIT)]
    step_limit: u64,

    /// Run the lanes of an NVIDIA warp in lockstep, as on AMD
    ///
    /// Program order then orders the accesses of the lanes of a warp. Without this option, a warp barrier must
    /// order them. In both cases, if several lanes load or store the same address with one instruction, they
    /// perform a single access. Any of these lanes may then store to the address without a race.
    #[arg(long)]
    lockstep: bool,

    /// Run the warps of a block one at a time, in an order drawn from this number
    ///
    /// Without this option, all warps execute each instruction together. Races, divergent barriers and deadlocks are
    /// errors in any order. A block that waits for another block yields to it.
    #[arg(long, value_name = "N")]
    schedule: Option<u64>,

    /// Arrival of the values of asynchronous copies: `early`, `late`, or `seed=N` for a random choice per copy
    ///
    /// The values of a copy may arrive at any time until its thread has waited for the copy. With every choice, it
    /// is an error to access the destination or to write the source before the wait. A correctly synchronised
    /// kernel therefore gives the same results with every choice.
    #[arg(long, value_name = "WHEN", default_value = "late", value_parser = parse_arrival)]
    arrival: Arrival,

    /// Number of host cores that run blocks in parallel [default: all]
    ///
    /// Results do not depend on this number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,

    /// Do not detect data races on global memory
    #[arg(long)]
    no_global_races: bool,

    /// Fail if shared accesses have bank conflicts
    #[arg(long)]
    no_conflicts: bool,

    /// Write the report as JSON to a file; `-` prints it instead of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Print no report
    #[arg(long, short)]
    quiet: bool,

    /// Print the supported operations, intrinsics and statements of inline PTX, and exit
    #[arg(long)]
    list_operations: bool,
}

fn parse_arrival(text: &str) -> Result<Arrival, String> {
    match (text, text.strip_prefix("seed=")) {
        ("early", _) => Ok(Arrival::Early),
        ("late", _) => Ok(Arrival::Late),
        (_, Some(seed)) => seed
            .parse()
            .map(Arrival::Random)
            .map_err(|_| format!("`{seed}` is not a seed; write, e.g., `seed=7`")),
        _ => Err("expected `early`, `late` or `seed=N`".to_owned()),
    }
}

fn parse_axes(text: &str) -> Result<[u32; 3], String> {
    let mut axes = [1; 3];
    let pieces: Vec<&str> = text.split(',').collect();
    if pieces.len() > 3 {
        return Err(format!("found {} axes, expected at most 3", pieces.len()));
    }
    for (axis, piece) in axes.iter_mut().zip(pieces) {
        *axis = match piece.trim().parse() {
            Ok(0) | Err(_) => {
                return Err(format!("`{piece}` is not a number from 1 to 2^32 - 1"));
            }
            Ok(value) => value,
        };
    }
    Ok(axes)
}

/// Parses the value of `--arg`. If it names a file, the path need not be UTF-8.
fn parse_arg(argument: &OsStr) -> Result<ArgSpec, String> {
    let bytes = argument.as_bytes();
    // The prefix `[NAME=]file:TYPE:`.
    let colon = |from: usize| Some(from + bytes[from..].iter().position(|b| *b == b':')? + 1);
    let path = colon(0).and_then(colon).unwrap_or(bytes.len());
    let (Ok(before), path) = (std::str::from_utf8(&bytes[..path]), &bytes[path..]) else {
        return Err(
            "the argument is not UTF-8; only the path after `file:TYPE:` may contain other bytes"
                .to_owned(),
        );
    };
    let text = format!("{before}{}", String::from_utf8_lossy(path));
    let mut spec: ArgSpec = text.parse().map_err(|error| format!("{error}"))?;
    if let ArgValue::Buffer {
        fill: Fill::File(file),
        ..
    } = &mut spec.value
    {
        *file = OsStr::from_bytes(path).into();
    }
    Ok(spec)
}

fn parse_tolerance(text: &str) -> Result<Tolerance, String> {
    let number = |text: &str| match text.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err(format!(
            "`{text}` is not a tolerance; expected a number of at least 0"
        )),
    };
    Ok(match text.split_once(',') {
        Some((absolute, relative)) => Tolerance {
            absolute: number(absolute)?,
            relative: number(relative)?,
        },
        None => Tolerance {
            absolute: number(text)?,
            relative: 0.0,
        },
    })
}

struct NamedBuffer {
    name: String,
    buffer: BufferId,
    ty: ElementTy,
}

fn main() -> ExitCode {
    sys::stop_at_broken_pipe();
    linear_layout_mlir::install();
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

/// Runs the kernel. Returns true if it ran and all comparisons were successful.
fn run(options: &Options) -> Result<bool, String> {
    if options.list_operations {
        return print(list_operations().trim_end()).map(|()| true);
    }
    let (name, input) = read_source(&options.file)?;
    let (entry, pipeline) = (options.entry.as_deref(), options.lower.as_deref());
    let decoded = driver::decode(&input, &name, entry, pipeline)
        .map_err(|failure| failure.to_string().trim_end().to_owned())?;
    let mut memory = Memory::default();
    let params = decoded.program.params();
    let (mut args, buffers) = make_arguments(options, params, &mut memory)?;
    let scratch = decoded.scratch_arguments(args.len(), options.grid, &mut memory);
    args.extend(scratch.map_err(|error| format!("error: {error}"))?);
    let launch = Launch::new(machine(options, &decoded))
        .grid(options.grid)
        .dynamic_shared(options.shared.or(decoded.info.shared).unwrap_or(0))
        .step_limit(options.step_limit)
        .threads(options.threads.unwrap_or_else(cores))
        .check_global_races(!options.no_global_races)
        .arrival(options.arrival)
        .schedule(options.schedule.map_or(Schedule::Lockstep, Schedule::Warps))
        .args(args);
    let launch = match options.block {
        Some(block) => launch.block(block),
        None => launch,
    };
    let blocks = options.grid.iter().map(|n| u64::from(*n)).product();
    let progress = Progress::of(blocks);
    let outcome = launch.run_watched(&decoded.program, &mut memory, &|done| progress.at(done));
    progress.end();
    // Output before a fault helps to find it.
    match memory.printed().trim_end_matches('\n') {
        "" => {}
        // With `--json -` standard output holds the report alone.
        lines if options.json.as_deref() == Some(Path::new("-")) => complain(lines),
        lines => print(lines)?,
    }
    let text = String::from_utf8_lossy(&input);
    let report = outcome.map_err(|error| show(&error, &name, &text))?;
    let report = report.with_source(&name, &text);
    print_report(options, &report)?;
    let find = |name: &str| {
        buffers
            .iter()
            .find(|named| named.name == name)
            .ok_or_else(|| {
                let known: Vec<&str> = buffers.iter().map(|named| named.name.as_str()).collect();
                format!(
                    "error: no buffer `{name}`; the buffers are: {}",
                    known.join(", ")
                )
            })
    };
    for pair in &options.dump {
        let (name, file) = split_pair("--dump", pair)?;
        let bytes = memory.bytes(find(name)?.buffer);
        let file = Path::new(file);
        std::fs::write(file, bytes)
            .map_err(|error| format!("error: cannot write {}: {error}", file.display()))?;
    }
    let mut good = true;
    let mut check = |named: &NamedBuffer, what: &str, expected: &[u8]| -> Result<(), String> {
        let found = memory.bytes(named.buffer);
        let result = compare(found, expected, named.ty, options.tolerance)
            .map_err(|error| format!("error: {what}: {error}"))?;
        if !result.is_equal() {
            complain(&format!("error: {what}: {result}"));
            good = false;
        }
        Ok(())
    };
    for pair in &options.expect {
        let (name, file) = split_pair("--expect", pair)?;
        let file = Path::new(file);
        let shown = file.display();
        let expected = sys::read_input(file)
            .map_err(|error| format!("error: cannot read {shown}: {error}"))?;
        check(
            find(name)?,
            &format!("buffer `{name}` against {shown}"),
            &expected,
        )?;
    }
    for pair in &options.expect_same {
        let (name, other) = split_pair("--expect-same", OsStr::new(pair))?;
        let other = &*other.to_string_lossy();
        let expected = memory.bytes(find(other)?.buffer);
        check(
            find(name)?,
            &format!("buffer `{name}` against `{other}`"),
            expected,
        )?;
    }
    let conflicts = report.bank_conflicts();
    if options.no_conflicts && conflicts > 0 {
        complain(&format!(
            "error: found {conflicts} bank conflicts; `--no-conflicts` allows none"
        ));
        good = false;
    }
    Ok(good)
}

/// Formats an error. If its location is in the file `file` with the contents `text`, the source line is appended.
fn show(error: &KernelError, file: &str, text: &str) -> String {
    let mut message = format!("error: {error}");
    if error.kind() == FaultKind::StepLimit {
        message += " with `--step-limit`";
    }
    let place = error
        .site()
        .and_then(|site| site.location.strip_prefix(file)?.strip_prefix(':'));
    let line = place.and_then(|place| place.split(':').next()?.parse::<usize>().ok());
    if let Some(number) = line
        && let Some(line) = number
            .checked_sub(1)
            .and_then(|index| text.lines().nth(index))
    {
        message += &format!("\n{number:>5} | {}", line.trim());
    }
    message
}

/// Returns the number of host cores.
fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(1)
}

fn machine(options: &Options, decoded: &Decoded) -> Machine {
    let mut machine = decoded.machine;
    if options.lockstep {
        machine.lockstep = true;
    }
    machine
}

/// Reads the input file. Returns its name for error messages and its bytes, or an error if MLIR cannot read it.
fn read_source(file: &Path) -> Result<(String, Vec<u8>), String> {
    let name = sys::input_name(file);
    let bytes =
        sys::read_input(file).map_err(|error| format!("error: cannot read {name}: {error}"))?;
    let bytes = sys::checked_input(&name, bytes)?;
    Ok((name, bytes))
}

/// Splits `NAME=PATH` at the first `=`. The path need not be UTF-8.
fn split_pair<'t>(option: &str, pair: &'t OsStr) -> Result<(&'t str, &'t OsStr), String> {
    let bytes = pair.as_bytes();
    let equal = bytes.iter().position(|byte| *byte == b'=');
    equal
        .and_then(|at| {
            let name = std::str::from_utf8(&bytes[..at]).ok()?;
            Some((name, OsStr::from_bytes(&bytes[at + 1..])))
        })
        .ok_or_else(|| format!("error: `{option} {}`: expected NAME=VALUE", pair.display()))
}

/// Creates the arguments for the parameters of the kernel, as the options specify them. Buffers are added to
/// `memory` and are also returned separately, with their names.
fn make_arguments(
    options: &Options,
    params: &[Param],
    memory: &mut Memory,
) -> Result<(Vec<Arg>, Vec<NamedBuffer>), String> {
    let mut args = Vec::new();
    let mut buffers = Vec::new();
    for (index, spec) in options.args.iter().enumerate() {
        let check = |given: ElementTy| {
            let wanted = match params.get(index).map(|param| param.ty) {
                Some(ParamTy::Int(bits)) => ElementTy::Int(bits),
                Some(ParamTy::Float(ty)) => ElementTy::Float(ty),
                _ => return Ok(()),
            };
            // An 8-bit float is passed as its code.
            if matches!((given, wanted), (ElementTy::Float8(_), ElementTy::Int(8))) {
                return Ok(());
            }
            // Integers are accepted for floats, and scalars for pointers.
            if given == wanted
                || matches!(given, ElementTy::Int(_)) != matches!(wanted, ElementTy::Int(_))
            {
                return Ok(());
            }
            Err(format!(
                "error: argument {index} has type {given}, but the kernel requires {wanted}"
            ))
        };
        args.push(match &spec.value {
            ArgValue::Int(value, ty) => {
                check(*ty)?;
                Arg::Int(*value)
            }
            ArgValue::Float(value, ty) => {
                check(*ty)?;
                match ty {
                    ElementTy::Float8(_) => Arg::Int(ty.encode(*value).into()),
                    _ => Arg::Float(*value),
                }
            }
            ArgValue::Null => Arg::Int(0),
            ArgValue::Buffer { fill, ty, count } => {
                let bytes = match fill {
                    Fill::File(path) => sys::read_input(path).map_err(|error| {
                        format!("error: cannot read {}: {error}", path.display())
                    })?,
                    _ => initial_bytes(fill, *ty, count.unwrap_or(0), options.seed + index as u64),
                };
                let name = spec.name.clone().unwrap_or_else(|| index.to_string());
                let buffer = memory.add(name.clone(), bytes);
                buffers.push(NamedBuffer {
                    name,
                    buffer,
                    ty: *ty,
                });
                Arg::Buffer(buffer)
            }
        });
    }
    Ok((args, buffers))
}

fn print_report(options: &Options, report: &Report) -> Result<(), String> {
    match options.json.as_deref() {
        Some(file) if file.as_os_str() == "-" => print(&report.to_json())?,
        Some(file) => {
            let json = report.to_json() + "\n";
            std::fs::write(file, json)
                .map_err(|error| format!("error: cannot write {}: {error}", file.display()))?;
        }
        None => {}
    }
    if !options.quiet && options.json.as_deref() != Some(Path::new("-")) {
        print(&report.to_string())?;
    }
    Ok(())
}

fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| format!("error: cannot write to standard output: {error}"))
}

/// Writes a line to standard error. A failed write is ignored.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
