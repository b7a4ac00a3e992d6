//! The library's verdict on random modules, compared with Triton's recorded ones.

#![expect(
    clippy::print_stdout,
    reason = "the differences are printed for inspection"
)]

use super::differences::{Disagreement, intended};
use super::generate::{Generated, generate, hash};
use melior::Context;
use melior::diagnostic::DiagnosticSeverity;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::utility::register_all_dialects;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// Triton's verdict on a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TritonVerdict {
    Accept,
    Reject,
    /// The verifier aborted the process with a failed assertion.
    Crash,
}

struct RecordedVerdict {
    seed: u64,
    hash: String,
    verdict: TritonVerdict,
    /// For an accepted module, the hash of its generic form; otherwise, the beginning of the first error message.
    detail: String,
}

fn lines(text: &str) -> Vec<RecordedVerdict> {
    text.lines()
        .map(|line| {
            let parts: Vec<&str> = line.splitn(4, '\t').collect();
            let [seed, hash, verdict, detail] = parts[..] else {
                panic!("not a recorded verdict: {line}");
            };
            RecordedVerdict {
                seed: seed.parse().expect("a seed is a number"),
                hash: hash.to_owned(),
                verdict: match verdict {
                    "accept" => TritonVerdict::Accept,
                    "reject" => TritonVerdict::Reject,
                    "crash" => TritonVerdict::Crash,
                    other => panic!("no verdict: {other}"),
                },
                detail: detail.to_owned(),
            }
        })
        .collect()
}

/// An MLIR context with the library's dialects, and the messages that the library reports in it.
struct Library {
    context: Context,
    messages: Rc<RefCell<Vec<String>>>,
}

impl Library {
    fn new() -> Self {
        linear_layout_mlir::install();
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        linear_layout_mlir::register_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        let messages = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&messages);
        context.attach_diagnostic_handler(move |diagnostic| {
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                sink.borrow_mut().push(diagnostic.to_string());
            }
            true
        });
        Self { context, messages }
    }

    /// Parses and verifies a module. Returns its generic form if it is valid, and the error messages otherwise.
    fn verdict(&self, text: &str) -> Result<String, String> {
        self.messages.borrow_mut().clear();
        let Some(module) = Module::parse(&self.context, text) else {
            return Err(self.messages.borrow().join("\n"));
        };
        let flags = OperationPrintingFlags::new().print_generic_operation_form();
        let printed = module.as_operation().to_string_with_flags(flags);
        Ok(printed.expect("a module prints"))
    }
}

/// The result of comparing the library's verdict with the recorded verdict of Triton.
enum Comparison {
    Same,
    /// The verdicts differ as intended. The text is the title of the difference.
    Intended(&'static str),
    /// The verdicts differ unintentionally. The text describes the difference.
    Wrong(String),
}

/// Title of the group of modules on which Triton crashed. For these modules, there is no verdict of Triton to
/// compare.
const NO_ANSWER: &str = "crashes";

fn comparison(line: &RecordedVerdict, made: &Generated, library: &Library) -> Comparison {
    if format!("{:016x}", hash(&made.text)) != line.hash {
        return Comparison::Wrong("is another module than the recorded one".to_owned());
    }
    let ours = library.verdict(&made.text);
    match (line.verdict, &ours) {
        (TritonVerdict::Accept, Ok(printed)) => {
            let printed = format!("{}\n", printed.trim_end());
            if format!("{:016x}", hash(&printed)) == line.detail {
                Comparison::Same
            } else {
                Comparison::Wrong(format!("prints as:\n{printed}"))
            }
        }
        (TritonVerdict::Reject, Err(_)) => Comparison::Same,
        // Both verdicts are right.
        (TritonVerdict::Crash, _) => Comparison::Intended(NO_ANSWER),
        (verdict, ours) => {
            let case = Disagreement {
                theirs: verdict,
                their_message: &line.detail,
                our_message: ours.as_ref().err().map_or("", String::as_str),
            };
            let ours = match ours {
                Ok(_) => "accepted".to_owned(),
                Err(reason) => format!("rejected: {reason}"),
            };
            let theirs = if verdict == TritonVerdict::Accept {
                ""
            } else {
                &line.detail
            };
            intended(&case).map_or_else(
                || Comparison::Wrong(format!("is {ours}\nTriton: {verdict:?} {theirs}")),
                Comparison::Intended,
            )
        }
    }
}

/// Checks that a large share of the modules is broken on purpose, that Triton crashed on few of them, and that the
/// modules test most operations.
fn check_spread(lines: &[RecordedVerdict], made: &[Generated]) {
    let share = |n: usize| n * 100 / lines.len();
    let broken = made.iter().filter(|m| m.broken.is_some()).count();
    assert!((30..=40).contains(&share(broken)), "{broken} are broken");
    let accepted = lines.iter().filter(|l| l.verdict == TritonVerdict::Accept);
    assert!((50..=75).contains(&share(accepted.count())));
    let crashed = lines.iter().filter(|l| l.verdict == TritonVerdict::Crash);
    assert!(share(crashed.count()) < 4);
    let mut ops: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (line, made) in lines.iter().zip(made) {
        let counts = ops.entry(&made.op).or_default();
        counts[usize::from(line.verdict == TritonVerdict::Accept)] += 1;
    }
    let both = ops.values().filter(|[no, yes]| *no > 0 && *yes > 0);
    assert!(ops.len() > 100 && both.count() > 85, "{ops:?}");
}

#[test]
fn verdicts_are_those_of_triton() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let other = std::env::var_os("LL_REFEREE").map(PathBuf::from);
    let recorded = other
        .clone()
        .unwrap_or_else(|| root.join("test/golden/referee.tsv"));
    let text = std::fs::read_to_string(&recorded).expect("the verdicts are recorded");
    let lines = lines(&text);
    let made: Vec<Generated> = lines.iter().map(|line| generate(line.seed)).collect();
    let library = Library::new();
    if other.is_none() {
        assert_eq!(lines.len(), 2000);
        check_spread(&lines, &made);
    }
    let mut wrong: Vec<(&RecordedVerdict, &Generated, String)> = Vec::new();
    let mut differences: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, made) in lines.iter().zip(&made) {
        match comparison(line, made, &library) {
            Comparison::Same => {}
            Comparison::Intended(name) => *differences.entry(name).or_default() += 1,
            Comparison::Wrong(what) => wrong.push((line, made, what)),
        }
    }
    println!("intended differences: {differences:#?}");
    let shown = if other.is_some() { usize::MAX } else { 5 };
    let mut report = String::new();
    for (line, made, what) in wrong.iter().take(shown) {
        report += &format!(
            "seed {} ({}, {} changed) {what}\n{}\n",
            line.seed,
            made.op,
            made.broken.unwrap_or("nothing"),
            made.text
        );
    }
    assert!(
        wrong.is_empty(),
        "{report}{} of {} modules differ; to ask Triton about one, put it in a file and run \
         `test/referee/verdicts.py --ask FILE`; to record again after a change of the generator, \
         `test/referee/verdicts.py --record`",
        wrong.len(),
        lines.len()
    );
}
