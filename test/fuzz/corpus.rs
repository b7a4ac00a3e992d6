//! Real modules: the share of a folder that lowers and assembles, and the reasons of the others.
//!
//! `test/referee/corpus.py` collects such a folder from the kernels of Python packages.

use crate::assemble::translate;
use crate::sources::collect;
use crate::tool::{self, Scratch};
use linear_layout::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Parts of operation names. An operation whose name contains one of them needs tensor cores or asynchronous
/// copies.
const MATRICES_AND_COPIES: [&str; 12] = [
    "_dot",
    ".dot",
    "mma",
    "async_",
    "tma_",
    "tdm",
    "mbarrier",
    "_barrier ",
    "tmem",
    "to_local ",
    "local_prefetch",
    "warp_specialize",
];

/// If `ll-opt` needs more processor time than this for a module, the module is listed as slow.
const SLOW: Duration = Duration::from_secs(1);

/// The outcome for a module: it passes all stages, or it is refused, or it causes a fault.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Assembles,
    /// The module could not be lowered or assembled. Contains the reasons, each only once.
    Refused(BTreeSet<String>),
    /// The module caused a fault of the tools, which no module may cause. Contains its description.
    Fault(String),
}

#[derive(Debug)]
struct ModuleVerdict {
    file: PathBuf,
    target: &'static str,
    has_matrices_or_copies: bool,
    outcome: Outcome,
    /// Processor time of `ll-opt`.
    lowering: Duration,
    /// Wall time of the translation, including the assembler.
    translation: Duration,
}

/// Options of the `corpus` command. It uses the modules in `folder` whose path contains the text `only`.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) folder: PathBuf,
    pub(crate) only: String,
    /// True if modules are only lowered, but not translated and assembled.
    pub(crate) lowers_only: bool,
}

/// Calls `work` with each module and returns the results. The calls are distributed over all cores, so the order of
/// the results is not fixed.
pub(crate) fn each<T: Send>(
    request: &Request,
    work: impl Fn(&Path, &Scratch) -> T + Sync,
) -> Vec<T> {
    let mut files = Vec::new();
    collect(&request.folder, &mut files);
    files.retain(|file| file.display().to_string().contains(&request.only));
    files.sort();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, done, files, work) = (&next, &done, &files, &work);
            scope.spawn(move || {
                let scratch = Scratch::new(&format!("corpus-{}-{worker}", std::process::id()));
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = work(file, &scratch);
                    done.lock().expect("no worker panics").push(answer);
                }
                scratch.remove();
            });
        }
    });
    done.into_inner().expect("no worker panics")
}

/// Runs all modules on all cores, prints the tables, and returns the number of modules with a fault.
pub(crate) fn run(request: &Request) -> usize {
    let mut verdicts = each(request, |file, scratch| judge(file, request, scratch));
    verdicts.sort_by(|a, b| a.file.cmp(&b.file));
    println!("{}", tables(&verdicts));
    let each = tool::folder().join("corpus.tsv");
    match std::fs::write(&each, list(&verdicts)) {
        Ok(()) => println!("each module: {}", each.display()),
        Err(reason) => println!("{} cannot be written: {reason}", each.display()),
    }
    let is_fault = |v: &&ModuleVerdict| matches!(v.outcome, Outcome::Fault(_));
    verdicts.iter().filter(is_fault).count()
}

fn judge(file: &Path, request: &Request, scratch: &Scratch) -> ModuleVerdict {
    let text = std::fs::read_to_string(file).expect("a module is text");
    let target = text
        .split_once("ttg.target = \"")
        .and_then(|(_, rest)| Target::parse(rest.split('"').next()?).ok());
    let lowered = scratch.path("lowered.mlir");
    let (input, output) = (file.display().to_string(), lowered.display().to_string());
    let run = tool::run(
        scratch,
        "ll-opt",
        &["--convert-layouts-to-llvm", &input, "-o", &output],
        None,
    );
    let begin = Instant::now();
    let outcome = if let Some(fault) = run.fault {
        Outcome::Fault(fault)
    } else if !run.succeeded {
        Outcome::Refused(reasons(&scratch.stderr(), &text))
    } else {
        match target.filter(|_| !request.lowers_only) {
            None => Outcome::Assembles,
            Some(target) => match translate(target, &lowered, scratch) {
                Ok(()) => Outcome::Assembles,
                Err(why) if why.is_fault => Outcome::Fault(short(&why.message)),
                Err(why) => Outcome::Refused(BTreeSet::from([short(&why.message)])),
            },
        }
    };
    ModuleVerdict {
        file: file.to_owned(),
        target: target.map_or("no target", |target| target.name),
        has_matrices_or_copies: text.lines().filter_map(operation).any(|name| {
            MATRICES_AND_COPIES
                .iter()
                .any(|word| format!("{name} ").contains(word))
        }),
        outcome,
        lowering: run.processor,
        translation: begin.elapsed(),
    }
}

/// Returns the name of the operation at the start of a line, or `None` if the line begins with no operation.
///
/// `%1 = tt.load %0 : ...` and `"tt.reduce"(%0) ...` give `tt.load` and `tt.reduce`.
fn operation(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix('%') {
        Some(results) => results.split_once(" = ")?.1,
        None => line,
    };
    let line = line.trim_start_matches('"');
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'));
    let name = &line[..end.unwrap_or(line.len())];
    name.contains('.').then_some(name)
}

/// Returns the errors in a message, without their locations. Numbers are replaced by `N`, and the name of the
/// operation in which an error occurs is appended to the error.
fn reasons(message: &str, module: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = module.lines().collect();
    let errors = message.lines().filter_map(|line| {
        let (place, message) = line.split_once(": error: ")?;
        let row: usize = place.rsplit(':').nth(1)?.parse().ok()?;
        let at = lines
            .get(row.wrapping_sub(1))
            .and_then(|line| operation(line));
        let message = short(message);
        Some(match at.filter(|name| !message.contains(name)) {
            Some(name) => format!("{message} [{name}]"),
            None => message,
        })
    });
    let found: BTreeSet<String> = errors.collect();
    if found.is_empty() {
        BTreeSet::from([short(message)])
    } else {
        found
    }
}

/// Returns the first non-empty line of a message, without its location. Numbers are replaced by `N`, and at most
/// 160 characters are kept.
fn short(message: &str) -> String {
    let line = message.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("no message");
    let line = line.split_once("error: ").map_or(line, |(_, rest)| rest);
    let mut text = String::new();
    for c in line.chars().take(160) {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('N') {
            text.push('N');
        }
    }
    text
}

/// Formats the share of modules that pass all stages, as two counts and a percentage.
fn share<'v>(verdicts: impl Iterator<Item = &'v ModuleVerdict>) -> String {
    let (mut good, mut all) = (0_u32, 0_u32);
    for verdict in verdicts {
        all += 1;
        good += u32::from(verdict.outcome == Outcome::Assembles);
    }
    let percent = 100.0 * f64::from(good) / f64::from(all.max(1));
    format!("{good:5} of {all:5}, {percent:5.1} %")
}

fn tables(verdicts: &[ModuleVerdict]) -> String {
    let mut text = String::new();
    let mut row = |name: &str, has: &dyn Fn(&ModuleVerdict) -> bool| {
        let all = share(verdicts.iter().filter(|v| has(v)));
        let plain = |v: &&ModuleVerdict| has(v) && !v.has_matrices_or_copies;
        let plain = share(verdicts.iter().filter(plain));
        let _ = writeln!(text, "{name:12} {all}   without dots and copies {plain}");
    };
    row("all", &|_| true);
    let targets: BTreeSet<&str> = verdicts.iter().map(|v| v.target).collect();
    for target in targets {
        row(target, &|v| v.target == target);
    }
    // Modules with the reason, those without another one, and both without dots and copies.
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for verdict in verdicts {
        if let Outcome::Refused(reasons) = &verdict.outcome {
            let is_alone = usize::from(reasons.len() == 1);
            let is_plain = usize::from(!verdict.has_matrices_or_copies);
            for reason in reasons {
                let count = counts.entry(reason).or_default();
                for (sum, one) in count
                    .iter_mut()
                    .zip([1, is_alone, is_plain, is_alone * is_plain])
                {
                    *sum += one;
                }
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(reason, [all, _, plain, _])| {
        (usize::MAX - plain, usize::MAX - all, *reason)
    });
    let _ = writeln!(
        text,
        "\n  all alone | plain alone | reason (plain: without dots and copies; alone: no other)"
    );
    for (reason, [all, alone, plain, plain_alone]) in counts {
        let _ = writeln!(
            text,
            "{all:5} {alone:5} | {plain:5} {plain_alone:5} | {reason}"
        );
    }
    for verdict in verdicts {
        let file = verdict.file.display();
        if let Outcome::Fault(fault) = &verdict.outcome {
            let _ = writeln!(text, "fault: {file}: {fault}");
        }
        if verdict.lowering > SLOW {
            let _ = writeln!(
                text,
                "slow: {file}: {} ms in `ll-opt`",
                verdict.lowering.as_millis()
            );
        }
    }
    text
}

/// Formats one line per module: its outcome, a word that states if it has matrix products or copies, the times of
/// lowering and translation in milliseconds, its file, and the reasons of its outcome.
fn list(verdicts: &[ModuleVerdict]) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let (word, why) = match &verdict.outcome {
            Outcome::Assembles => ("assembles", String::new()),
            Outcome::Refused(reasons) => {
                let reasons: Vec<&str> = reasons.iter().map(|reason| &**reason).collect();
                ("refused", reasons.join(" | "))
            }
            Outcome::Fault(fault) => ("fault", fault.clone()),
        };
        let kind = if verdict.has_matrices_or_copies {
            "matrices"
        } else {
            "plain"
        };
        let (lowering, translation) = (
            verdict.lowering.as_millis(),
            verdict.translation.as_millis(),
        );
        let file = verdict.file.display();
        let _ = writeln!(
            text,
            "{word}\t{kind}\t{lowering}\t{translation}\t{file}\t{why}"
        );
    }
    text
}
