//! Fuzzing of every tool: `make fuzz` for hours, and a few fixed seeds in `make test`.
//!
//! A kind of input is a row of [`KINDS`]: a function from a seed to the failures of its input.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests draw small numbers"
)]
#![expect(
    clippy::print_stdout,
    reason = "a harness of its own says what it found"
)]

mod assemble;
mod corpus;
mod inputs;
mod kernels;
mod mutate;
#[path = "../ptxas.rs"]
mod ptxas;
#[path = "../random_kernels/mod.rs"]
mod random_kernels;
/// Generators of random modules, shared with other tests.
#[path = "../rust/referee"]
#[allow(dead_code, reason = "kernels need a part of it")]
mod referee {
    pub(crate) mod memory;
    pub(crate) mod random;
    pub(crate) mod registers;
    pub(crate) mod text;
}
mod shared;
mod sources;
#[path = "../split_mix.rs"]
mod split_mix;
mod tool;

use inputs::Finding;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tool::Scratch;

/// A kind of input: its name, the check of one seed, and the number of seeds in a test run.
type InputKind = (&'static str, fn(u64, &Scratch) -> Vec<Finding>, u64);

const KINDS: [InputKind; 8] = [
    ("mutate", inputs::check, 60),
    ("kernels", kernels::check, 100),
    ("exchanges", kernels::check_exchanges, 100),
    ("products", kernels::check_products, 20),
    ("layouts", kernels::check_layouts, 60),
    ("settled", kernels::check_settled, 100),
    ("open", kernels::check_open, 60),
    ("assemble", assemble::check, 27),
];

const HELP: &str = "\
usage: make fuzz [WHAT=KIND] [SEEDS=FIRST..END] [HOURS=N]
   or: cargo test --test fuzz -- [KIND] [--seeds FIRST..END] [--hours N]
   or: cargo test --test fuzz -- corpus --dir FOLDER [--only TEXT] [--lower | --shared]

Each seed makes one input, which goes through the tools. What ends by a signal, a panic or an
internal error, or takes more than 10 seconds or 4 GB, is printed with its command, and the input
is kept below target/tmp/fuzz/bad. Seeds mean the same as long as the tests' modules do.

  KIND    mutate: modules of the tests with changed text or bytecode
          kernels: kernels of everything that lowers, compared with plain evaluation
          exchanges: kernels of reductions, scans, gathers, histograms and buffers alone, compared likewise
          products: kernels of matrix products in layouts of any instruction, compared likewise
          layouts: kernels of 50 to 500 operations in few layouts, before and after layouts are chosen
          settled: kernels like these, whose layouts are chosen twice: proved, no dearer, and the second time the same
          open: kernels some of whose layouts are left open, and found again: memory is the same
          assemble: kernels of everything and of matrix products through LLVM and the GPU's assembler
          default: every kind
  SEEDS   these seeds, END excluded; `make test` runs the first of each kind from 0
  HOURS   go on for so long, a fraction allowed, from the first seed, or from one the clock gives

`corpus` takes every module below a folder, as `test/referee/corpus.py` makes one of Python packages,
through `ll-opt`, `ll-translate` and the assembler, and prints what share of them comes to the end, and
why the others do not, by target, with and without tensor cores and asynchronous copies.

  --only TEXT   modules whose path has this text in it
  --lower       no further than `ll-opt`
  --shared      bytes of shared memory (`shared=baseline`) and barriers beside Triton's, for modules of which
                `test/referee/figures.py` has found out those
";

#[derive(Debug, Default)]
struct Options {
    kinds: Vec<String>,
    seeds: Option<Range<u64>>,
    hours: Option<f64>,
    /// Folder from which `corpus` reads modules. `None` for other commands.
    folder: Option<PathBuf>,
    only: String,
    lowers_only: bool,
    compares_shared: bool,
}

/// Parses the command line.
///
/// # Errors
/// Returns the error message, which is empty if help was requested.
fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .ok_or(format!("`{argument}` wants a value"))
        };
        match argument.as_str() {
            "--help" | "-h" => return Err(String::new()),
            "--seeds" => {
                let text = value()?;
                let range = text.split_once("..").and_then(|(first, end)| {
                    let first = first.parse().ok()?;
                    Some(
                        first..if end.is_empty() {
                            u64::MAX
                        } else {
                            end.parse().ok()?
                        },
                    )
                });
                options.seeds = Some(range.ok_or(format!("`{text}` is no FIRST..END"))?);
            }
            "--dir" => options.folder = Some(value()?.into()),
            "--only" => options.only = value()?,
            "--lower" => options.lowers_only = true,
            "--shared" => options.compares_shared = true,
            "--hours" => {
                let text = value()?;
                let hours = text.parse().ok().filter(|h: &f64| *h > 0.0 && *h < 1e6);
                options.hours = Some(hours.ok_or(format!("`{text}` is no number of hours"))?);
            }
            // Cargo passes its own options to every test: `--nocapture`, `--test-threads=1`.
            other if other.starts_with('-') => {}
            kind => options.kinds.push(kind.to_owned()),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    if std::env::args().any(|a| a == "--list") {
        println!("fuzz: test");
        return ExitCode::SUCCESS;
    }
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) if message.is_empty() => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprint!("error: {message}\n{HELP}");
            return ExitCode::FAILURE;
        }
    };
    let mut bad = 0;
    if let Some(folder) = options.folder {
        let request = corpus::Request {
            folder,
            only: options.only,
            lowers_only: options.lowers_only,
        };
        bad += if options.compares_shared {
            shared::run(&request)
        } else {
            corpus::run(&request)
        };
        return if bad == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    for (name, check, few) in KINDS {
        // As for other tests, a word selects the names that contain it.
        if options.kinds.is_empty() || options.kinds.iter().any(|kind| name.contains(&**kind)) {
            bad += campaign(name, check, few, &options);
        }
    }
    if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Interval between progress reports of a long run.
const PROGRESS: Duration = Duration::from_secs(60);

/// Checks the seeds of one kind of input on all cores. Returns the number of seeds that fail.
fn campaign(
    name: &str,
    check: fn(u64, &Scratch) -> Vec<Finding>,
    few: u64,
    options: &Options,
) -> usize {
    let end = options
        .hours
        .map(|hours| Instant::now() + Duration::from_secs_f64(hours * 3600.0));
    let seeds = match (&options.seeds, end) {
        (Some(seeds), _) => seeds.clone(),
        (None, None) => 0..few,
        (None, Some(_)) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(0, |now| now.as_secs() << 20)..u64::MAX
        }
    };
    println!("{name}: from seed {}", seeds.start);
    let next = AtomicU64::new(seeds.start);
    let bad = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, bad, seeds) = (&next, &bad, &seeds);
            scope.spawn(move || {
                let scratch = Scratch::new(&format!("{name}-{}-{worker}", std::process::id()));
                let mut told = Instant::now();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || end.is_some_and(|end| Instant::now() > end) {
                        break;
                    }
                    if worker == 0 && told.elapsed() > PROGRESS {
                        told = Instant::now();
                        println!(
                            "{name}: {} inputs in {} s",
                            seed - seeds.start,
                            begin.elapsed().as_secs()
                        );
                    }
                    for finding in check(seed, &scratch) {
                        report(name, seed, &finding);
                        bad.lock().expect("no worker panics").push(seed);
                    }
                }
                scratch.remove();
            });
        }
    });
    let mut bad = bad.into_inner().expect("no worker panics");
    bad.sort_unstable();
    bad.dedup();
    let made = next.into_inner().min(seeds.end) - seeds.start;
    println!(
        "{name}: {made} inputs from seed {} in {} s, {} of them bad",
        seeds.start,
        begin.elapsed().as_secs(),
        bad.len()
    );
    bad.len()
}

/// Saves a failing input, and prints the command that reproduces the failure.
fn report(kind: &str, seed: u64, finding: &Finding) {
    let folder = tool::folder().join("bad");
    let file = folder.join(format!("{kind}-{seed}"));
    let kept =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &finding.input));
    let command = finding
        .command
        .replace("INPUT", &file.display().to_string());
    println!(
        "{kind} seed {seed}, from {}: {}\n  {command}",
        finding.source, finding.fault
    );
    if let Err(reason) = kept {
        println!("  {} cannot be written: {reason}", file.display());
    }
}
