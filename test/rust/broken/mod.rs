//! Mutation testing of the simulator: lowered kernels, broken at one place at a time.
//!
//! Each kernel of the suite is lowered and run. Then each mutation of [`mutate`] is applied, one at a time, and the
//! kernel runs again: the mutant is *found* if the simulator reports an error or an output differs, *equivalent* if
//! [`equal`] proves it, and *missed* otherwise. The test runs a sample; `LL_SCORES=1 cargo test --test rust broken`
//! runs everything and writes `tools/docs/broken-kernels.md`.

#![expect(
    clippy::print_stdout,
    reason = "missed mutants are printed for inspection"
)]

pub(crate) mod equal;
mod mutate;
pub(crate) mod text;

use super::simulated::generic_form;
use crate::late;
use equal::{EquivalenceProof, reason, replace};
use gpu_sim::{
    Arg, ArgSpec, ArgValue, Decoded, KernelError, Launch, Memory, Schedule, decode_generic,
    initial_bytes,
};
use mutate::{Mutant, MutationKind, mutants};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A kernel and its launches. Each launch has a grid and arguments.
struct KernelCase {
    file: &'static str,
    /// Folders that contain the kernel, relative to `test`.
    folders: &'static [&'static str],
    launches: &'static [([u32; 3], &'static [&'static str])],
}

const ALL: &[&str] = &["kernels/sm_80", "kernels/sm_90", "kernels/gfx942"];

/// Kernels to mutate. A buffer has no elements except those that the kernel may access. Output buffers are
/// initially filled with 768, or with 127 if their elements are bytes.
const CASES: &[KernelCase] = &[
    KernelCase {
        file: "vector_add.ttgir",
        folders: ALL,
        launches: &[
            (
                [2, 1, 1],
                &[
                    "random:f32:1900",
                    "iota:f32:1900",
                    "full:768:f32:1900",
                    "1900:i32",
                ],
            ),
            (
                [1, 1, 1],
                &["random:f32:5", "iota:f32:5", "full:768:f32:5", "5:i32"],
            ),
        ],
    },
    KernelCase {
        file: "outer_scale.ttgir",
        folders: ALL,
        launches: &[
            (
                [2, 1, 1],
                &[
                    "random:f32:8192",
                    "random:f32:128",
                    "full:768:f32:8192",
                    "64:i32",
                ],
            ),
            (
                [1, 1, 1],
                &[
                    "random:f32:5120",
                    "random:f32:64",
                    "full:768:f32:5120",
                    "80:i32",
                ],
            ),
        ],
    },
    KernelCase {
        file: "transpose.ttgir",
        folders: ALL,
        launches: &[
            (
                [2, 2, 1],
                &[
                    "random:i16:16128",
                    "full:768:i16:16128",
                    "112:i32",
                    "144:i32",
                ],
            ),
            (
                [1, 1, 1],
                &["random:i16:256", "full:768:i16:256", "16:i32", "16:i32"],
            ),
        ],
    },
    KernelCase {
        file: "interleave.ttgir",
        folders: ALL,
        launches: &[(
            [3, 1, 1],
            &[
                "random:i16:1536",
                "random:i16:1536",
                "full:768:i16:3072",
                "1536:i32",
            ],
        )],
    },
    KernelCase {
        file: "transpose_f32_64x64.mlir",
        folders: &["kernels/convert"],
        launches: &[(
            [2, 1, 1],
            &["random:f32:8192", "full:768:f32:8192", "0.75:f32", "3:i32"],
        )],
    },
    KernelCase {
        file: "intra_warp_f32_64x32.mlir",
        folders: &["kernels/convert"],
        launches: &[(
            [2, 1, 1],
            &["random:f32:4096", "full:768:f32:4096", "0.75:f32", "3:i32"],
        )],
    },
    KernelCase {
        file: "swap_lane_reg_f32.mlir",
        folders: &["kernels/convert"],
        launches: &[(
            [2, 1, 1],
            &["random:f32:2048", "full:768:f32:2048", "0.75:f32", "3:i32"],
        )],
    },
    KernelCase {
        file: "vec_change_f16_128x64.mlir",
        folders: &["kernels/convert"],
        launches: &[(
            [1, 1, 1],
            &["random:f16:8192", "full:768:f16:8192", "0.25:f16", "3:i32"],
        )],
    },
    KernelCase {
        file: "copies.mlir",
        folders: &["Tools/ll-sim"],
        launches: &[([1, 1, 1], &["full:127:i8:32", "zeros:i8:1"])],
    },
    KernelCase {
        file: "masked-byte.mlir",
        folders: &["Conversion"],
        launches: &[
            ([1, 1, 1], &["random:i8:32", "full:127:i8:32", "32:i32"]),
            ([1, 1, 1], &["random:i8:5", "full:127:i8:5", "5:i32"]),
        ],
    },
];

/// Runs a kernel. Returns the final contents of all buffers, and the number of executed instructions, summed over
/// the warps.
fn launch(
    decoded: &Decoded,
    (grid, args): &([u32; 3], &[&str]),
    limit: u64,
    schedule: Schedule,
) -> Result<(Vec<Vec<u8>>, u64), KernelError> {
    let mut memory = Memory::default();
    let mut buffers = Vec::new();
    let mut values = Vec::new();
    for (seed, arg) in (1..).zip(*args) {
        let spec: ArgSpec = arg.parse()?;
        values.push(match spec.value {
            ArgValue::Int(value, _) => Arg::Int(value),
            ArgValue::Float(value, _) => Arg::Float(value),
            ArgValue::Null => Arg::Int(0),
            ArgValue::Buffer { fill, ty, count } => {
                let bytes = initial_bytes(&fill, ty, count.unwrap_or(0), seed);
                let buffer = memory.add(*arg, bytes);
                buffers.push(buffer);
                Arg::Buffer(buffer)
            }
        });
    }
    let report = Launch::new(decoded.machine)
        .grid(*grid)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .step_limit(limit)
        .schedule(schedule)
        .args(values)
        .run(&decoded.program, &mut memory)?;
    let bytes = buffers.iter().map(|&buffer| memory.bytes(buffer).to_vec());
    // The limit counts each warp; a wave may be as narrow as 32 lanes.
    let warps = u64::from(report.threads_per_block.div_ceil(32));
    Ok((bytes.collect(), report.instructions * warps))
}

/// A lowered kernel with the expected output of each launch.
struct MutationBench {
    name: String,
    text: String,
    case: &'static KernelCase,
    /// The final buffers and the instruction limit of each launch.
    expected: Vec<(Vec<Vec<u8>>, u64)>,
}

impl MutationBench {
    fn new(name: String, text: String, case: &'static KernelCase) -> Self {
        let decoded = decode_generic(&text, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected = case
            .launches
            .iter()
            .map(|spec| {
                let (buffers, steps) = launch(&decoded, spec, u64::MAX, Schedule::Lockstep)
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                (buffers, 4 * steps + 1000)
            })
            .collect();
        let bench = Self {
            name,
            text,
            case,
            expected,
        };
        assert!(
            bench.is_right(&bench.text, Schedule::Lockstep),
            "{}",
            bench.name
        );
        bench
    }

    /// Returns true if all launches run without an error and give the expected output.
    fn is_right(&self, text: &str, schedule: Schedule) -> bool {
        let Ok(decoded) = decode_generic(text, None) else {
            return false;
        };
        self.case
            .launches
            .iter()
            .zip(&self.expected)
            .all(|(spec, (buffers, limit))| {
                launch(&decoded, spec, *limit, schedule).is_ok_and(|(found, _)| found == *buffers)
            })
    }

    fn judge(&self, mutant: &Mutant) -> MutantVerdict {
        let changed = replace(&self.text, mutant.at, &mutant.lines);
        if !self.is_right(&changed, Schedule::Lockstep) {
            return MutantVerdict::Found;
        }
        match reason(&self.text, mutant, &|text, schedule| {
            self.is_right(text, schedule)
        }) {
            Some(reason) => MutantVerdict::Equivalent(reason),
            None => MutantVerdict::Missed,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MutantVerdict {
    Found,
    Equivalent(EquivalenceProof),
    Missed,
}

#[derive(Clone, Copy, Default)]
struct MutantScore {
    found: usize,
    equivalent: usize,
    missed: usize,
}

impl MutantScore {
    fn add(&mut self, verdict: MutantVerdict) {
        match verdict {
            MutantVerdict::Found => self.found += 1,
            MutantVerdict::Equivalent(_) => self.equivalent += 1,
            MutantVerdict::Missed => self.missed += 1,
        }
    }

    fn percent(self) -> f64 {
        100.0 * self.found as f64 / (self.found + self.missed).max(1) as f64
    }

    fn row(self, title: &str) -> String {
        let all = self.found + self.equivalent + self.missed;
        let Self {
            found,
            equivalent,
            missed,
        } = self;
        // Rounded down: 100.0 means all of them.
        let percent = (self.percent() * 10.0).floor() / 10.0;
        format!("| {title} | {all} | {equivalent} | {found} | {missed} | {percent:.1} % |\n")
    }
}

/// Number of mutants with each verdict, grouped by kind of mutation and by kernel; and the number of equivalent
/// mutants per kind of proof.
#[derive(Default)]
struct MutantScores {
    kinds: BTreeMap<MutationKind, MutantScore>,
    kernels: BTreeMap<String, MutantScore>,
    reasons: BTreeMap<EquivalenceProof, usize>,
    total: MutantScore,
    missed: Vec<String>,
}

impl MutantScores {
    fn add(&mut self, bench: &MutationBench, mutant: &Mutant, verdict: MutantVerdict) {
        self.kinds.entry(mutant.kind).or_default().add(verdict);
        self.kernels
            .entry(bench.name.clone())
            .or_default()
            .add(verdict);
        self.total.add(verdict);
        match verdict {
            MutantVerdict::Equivalent(reason) => *self.reasons.entry(reason).or_default() += 1,
            MutantVerdict::Missed => {
                let lines = mutant.lines.join("; ");
                self.missed.push(format!(
                    "{}, line {}, {}:\n  {}\n  {lines}",
                    bench.name,
                    mutant.at + 1,
                    mutant.kind.title(),
                    mutant.before.print(),
                ));
            }
            MutantVerdict::Found => {}
        }
    }

    fn table(&self) -> String {
        const HEAD: &str = "changes | equivalent | found | missed | found of what matters |\n|---|--:|--:|--:|--:|--:|\n";
        let mut text = String::from(
            "# Broken kernels, and how many of them `ll-sim` finds\n\
             Lowered kernels of `test`, changed at one place at a time as a wrong compiler might have it, run on\n\
             the same inputs. A change is found if the simulator reports an error or a buffer differs in the end. It is\n\
             equivalent if that can be shown without the simulator's checks, as the second table says. Written by\n\
             `make scores`; `test/rust/broken` has the changes and the proofs, and runs a sample of them in `make test`.\n\n",
        );
        let _ = write!(text, "| change | {HEAD}");
        for kind in MutationKind::ALL {
            if let Some(score) = self.kinds.get(&kind) {
                text += &score.row(kind.title());
            }
        }
        text += &self.total.row("**all**");
        text += "\n| why it is equivalent | changes |\n|---|--:|\n";
        for reason in EquivalenceProof::ALL {
            if let Some(count) = self.reasons.get(&reason) {
                let _ = writeln!(text, "| {} | {count} |", reason.title());
            }
        }
        let _ = write!(text, "\n| kernel | {HEAD}");
        for (name, score) in &self.kernels {
            text += &score.row(&format!("`{name}`"));
        }
        text
    }
}

/// Lowers all kernels of the suite, and computes their expected outputs.
fn benches() -> Vec<MutationBench> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("test");
    let mut all = Vec::new();
    for case in CASES {
        for folder in case.folders {
            let name = format!("{folder}/{}", case.file);
            let source =
                std::fs::read_to_string(root.join(&name)).expect("a kernel of the project");
            let text = generic_form(source.as_bytes(), &name).unwrap_or_else(|e| panic!("{e}"));
            all.push(MutationBench::new(name, text, case));
        }
    }
    all
}

/// Judges every `step`-th mutant, starting with mutant `first`. The work is distributed over all CPU cores.
fn scores(benches: &[MutationBench], first: usize, step: usize) -> MutantScores {
    let work: Vec<(&MutationBench, Mutant)> = benches
        .iter()
        .flat_map(|bench| mutants(&bench.text).into_iter().map(move |m| (bench, m)))
        .skip(first)
        .step_by(step)
        .collect();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let verdicts: Vec<Vec<MutantVerdict>> = std::thread::scope(|scope| {
        let parts: Vec<_> = work
            .chunks(work.len().div_ceil(threads).max(1))
            .map(|part| scope.spawn(|| part.iter().map(|(b, m)| b.judge(m)).collect()))
            .collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let mut scores = MutantScores::default();
    for ((bench, mutant), verdict) in work.iter().zip(verdicts.into_iter().flatten()) {
        scores.add(bench, mutant, verdict);
    }
    scores
}

pub(crate) fn table_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/docs/broken-kernels.md")
}

#[test]
fn broken_kernels_are_found() {
    let benches = benches();
    if std::env::var_os("LL_SCORES").is_some() {
        let scores = scores(&benches, 0, 1);
        println!("{}", scores.missed.join("\n"));
        let text = std::fs::read_to_string(table_file()).unwrap();
        let rest = text.find(late::HEAD).map(|at| &text[at..]);
        let rest = rest.map_or(String::new(), |rest| format!("\n{rest}"));
        std::fs::write(table_file(), scores.table() + &rest).unwrap();
        assert!(scores.total.percent() >= 95.0, "{}", scores.table());
        return;
    }
    let scores = scores(&benches, 11, 61);
    let (all, missed) = (scores.total, scores.missed.join("\n"));
    assert!(all.found > 100, "{}", scores.table());
    assert!(all.percent() >= 95.0, "{}{missed}", scores.table());
}

/// Checks that the committed table has a row for each kernel and each kind of mutation.
#[test]
fn the_table_of_scores_is_of_this_suite() {
    let table = std::fs::read_to_string(table_file()).unwrap();
    let kernels = CASES.iter().flat_map(|case| {
        case.folders
            .iter()
            .map(move |folder| format!("`{folder}/{}`", case.file))
    });
    let kinds = MutationKind::ALL.iter().map(|kind| kind.title().to_owned());
    for title in kernels.chain(kinds) {
        let row = format!("| {title} | ");
        assert!(
            table.contains(&row),
            "`make scores` was not run: no row {row}"
        );
    }
    let all = table
        .lines()
        .find(|line| line.starts_with("| **all** |"))
        .unwrap();
    let percent = all
        .rsplit('|')
        .nth(1)
        .unwrap()
        .trim()
        .trim_end_matches(" %");
    assert!(percent.parse::<f64>().unwrap() >= 95.0, "{all}");
}
