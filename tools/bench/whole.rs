//! Compilation from TTGIR to assembly, with properties of the output: `cargo bench --bench whole`.
//!
//! Times are measured as in `ll-translate --lower --time`: in one process, with a new context per round, as the best of
//! many rounds. `LL_PEER_WHOLE` may name a command that does the same with another compiler. The command and this
//! benchmark run in turns, and the numbers of the peer follow a slash.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

mod kernels;
#[expect(dead_code, reason = "the columns are this benchmark's own")]
mod peer;
#[path = "../../test/ptxas.rs"]
mod ptxas;

use peer::Peer;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the environment variable that holds the benchmark command of the peer, which is another implementation.
const PEER: &str = "LL_PEER_WHOLE";
const TARGETS: [&str; 3] = ["sm_80", "sm_90", "gfx942"];

/// Number of measurements of each kernel in one turn of the benchmark. Only the fastest measurement counts.
const ROUNDS: u32 = 20;

/// A kernel, and the best results of it so far.
struct Row {
    name: String,
    file: String,
    front: f64,
    total: f64,
    assembly: String,
}

impl Row {
    fn of((name, file): (String, String)) -> Self {
        Self {
            name,
            file,
            front: f64::MAX,
            total: f64::MAX,
            assembly: String::new(),
        }
    }

    fn take_turn(&mut self) -> Result<(), Box<dyn Error>> {
        let output = Command::new(env!("CARGO_BIN_EXE_ll-translate"))
            .args(["--lower", &format!("--time={ROUNDS}"), &self.file])
            .output()?;
        let text = String::from_utf8(output.stderr)?;
        if !output.status.success() {
            return Err(text.into());
        }
        let phase = |name: &str| -> Option<f64> {
            let line = text.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let (Some(parse), Some(lower), Some(total)) =
            (phase("parse"), phase("lower"), phase("total"))
        else {
            return Err(format!("`ll-translate --time` printed no times:\n{text}").into());
        };
        self.front = self.front.min(parse + lower);
        self.total = self.total.min(total);
        self.assembly = String::from_utf8(output.stdout)?;
        Ok(())
    }

    /// Lowers the kernel, and returns the number of operations in the lowered module.
    fn num_operations(&self) -> Result<usize, Box<dyn Error>> {
        let output = Command::new(env!("CARGO_BIN_EXE_ll-opt"))
            .args(["--convert-layouts-to-llvm", &self.file])
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let dialects = ["llvm.", "nvvm.", "rocdl."];
        let is_operation = |line: &&str| {
            let after = line.split_once(" = ").map_or(line.trim(), |(_, op)| op);
            dialects.iter().any(|dialect| after.starts_with(dialect))
        };
        Ok(text.lines().filter(is_operation).count())
    }

    /// Returns the numbers of instructions, registers and spills in the assembly. A number is `None` if it is
    /// unknown.
    ///
    /// Spills are counted in bytes for PTX, and in registers for AMD.
    fn figures(&self, ptxas: Option<&Path>) -> [Option<usize>; 3] {
        if self.name.starts_with("gfx") {
            return figures_of_gcn(&self.assembly);
        }
        let lines = self.assembly.lines();
        let is_instruction =
            |line: &str| line.starts_with('\t') && line.ends_with(';') && !line.starts_with("\t.");
        let instructions = lines.filter(|line| is_instruction(line)).count();
        let text = ptxas.and_then(|ptxas| assembled(ptxas, &self.assembly, &self.name));
        let text = text.unwrap_or_default();
        let before = |what: &str| -> Option<usize> {
            let (before, _) = text.split_once(what)?;
            before.rsplit([' ', '\n']).next()?.parse().ok()
        };
        [
            Some(instructions),
            before(" registers"),
            before(" bytes spill stores"),
        ]
    }
}

/// Returns the numbers of instructions, of vector registers, and of spilled vector registers in AMD assembly.
fn figures_of_gcn(assembly: &str) -> [Option<usize>; 3] {
    let is_instruction = |line: &&str| {
        line.starts_with('\t') && !line.starts_with("\t.") && !line.starts_with("\t;")
    };
    let after = |what: &str| -> Option<usize> {
        let (_, after) = assembly.split_once(what)?;
        after.split_whitespace().next()?.parse().ok()
    };
    [
        Some(assembly.lines().filter(is_instruction).count()),
        after(".vgpr_count:"),
        after(".vgpr_spill_count:"),
    ]
}

/// Assembles PTX by `ptxas -v`. Returns the messages of `ptxas`, which contain the numbers of registers and spills.
fn assembled(ptxas: &Path, ptx: &str, name: &str) -> Option<String> {
    let file = std::env::temp_dir().join(format!("ll-bench-{}.ptx", std::process::id()));
    std::fs::write(&file, ptx).ok()?;
    // `sm_90` stands for `sm_90a`.
    let arch = ptx.lines().find_map(|line| line.strip_prefix(".target "));
    let arch = arch.unwrap_or(name).split(',').next().unwrap_or(name);
    let output = Command::new(ptxas)
        .args(["-v", &format!("-arch={arch}"), "-o", "/dev/null"])
        .arg(&file)
        .output()
        .ok()?;
    let _ = std::fs::remove_file(&file);
    String::from_utf8(output.stderr).ok()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut peer = Peer::named(PEER, std::env::var(PEER));
    let kernels = kernels::kernels(&TARGETS);
    let mut rows: Vec<Row> = kernels.into_iter().map(Row::of).collect();
    let files: Vec<String> = rows.iter().map(|row| row.file.clone()).collect();
    for _ in 0..peer::TURNS {
        rows.iter_mut().try_for_each(Row::take_turn)?;
        if let Some(peer) = &mut peer {
            peer.take_turn(&files)?;
        }
    }
    let assembler: Option<PathBuf> = ptxas::ptxas(Path::new(env!("CARGO_MANIFEST_DIR")));
    println!(
        "{:<20} {:>16} {:>16} {:>8} {:>14} {:>11} {:>7}",
        "kernel", "front ms", "total ms", "LLVM ops", "instructions", "registers", "spilled"
    );
    for row in &rows {
        let theirs = |column| {
            peer.as_ref()
                .and_then(|peer| peer.figure(&row.file, column))
        };
        let time = |ours: f64, theirs: Option<f64>| match theirs {
            Some(theirs) => format!("{ours:.2}/{theirs:.1} {:.1}x", theirs / ours),
            None => format!("{ours:.2}"),
        };
        let [instructions, registers, spilled] = row.figures(assembler.as_deref());
        let count = |ours: Option<usize>, theirs: Option<f64>| {
            let ours = ours.map_or_else(|| "?".to_owned(), |count| count.to_string());
            theirs.map_or_else(|| ours.clone(), |theirs| format!("{ours}/{theirs:.0}"))
        };
        println!(
            "{:<20} {:>16} {:>16} {:>8} {:>14} {:>11} {:>7}",
            row.name,
            time(row.front, theirs(0)),
            time(row.total, theirs(1)),
            row.num_operations()?,
            count(instructions, theirs(2)),
            count(registers, theirs(3)),
            count(spilled, None),
        );
    }
    Ok(())
}
