//! Shared memory and barriers of real modules, compared with Triton's, which `test/referee/figures.py` records.

use crate::corpus::{Request, each};
use crate::tool::{self, Scratch};
use linear_layout::target::{Target, Vendor};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Number of shared-memory bytes and number of barriers of a module.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    shared_bytes: u64,
    barriers: u64,
}

#[derive(Debug)]
struct Row {
    file: PathBuf,
    target: &'static str,
    /// Figures of the code that this project generates. `None` if the module cannot be lowered and translated.
    ours: Option<Figures>,
    triton: Figures,
}

/// Compares all modules for which Triton's figures are recorded, and prints the table. Returns the number of
/// modules that are not lowered.
pub(crate) fn run(request: &Request) -> usize {
    let rows = each(request, |file, scratch| {
        let text = std::fs::read_to_string(file.with_extension("json")).ok()?;
        let triton = Figures {
            shared_bytes: number_after(&text, "\"shared_bytes\":")?,
            barriers: number_after(&text, "\"barriers\":")?,
        };
        let module = std::fs::read_to_string(file).ok()?;
        let (_, rest) = module.split_once("ttg.target = \"")?;
        let target = Target::parse(rest.split('"').next()?).ok()?;
        Some(Row {
            file: file.to_owned(),
            target: target.name,
            ours: ours(file, target, scratch),
            triton,
        })
    });
    let mut rows: Vec<Row> = rows.into_iter().flatten().collect();
    rows.sort_by(|a, b| a.file.cmp(&b.file));
    println!("{}", table(&rows));
    rows.iter().filter(|row| row.ours.is_none()).count()
}

/// Returns the number that directly follows the first occurrence of `before` in a text.
fn number_after(text: &str, before: &str) -> Option<u64> {
    let (_, rest) = text.split_once(before)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

/// Lowers and translates a module, and returns its figures. `None` if one of the two steps fails.
fn ours(file: &Path, target: &Target, scratch: &Scratch) -> Option<Figures> {
    let (lowered, assembly) = (scratch.path("lowered.mlir"), scratch.path("assembly"));
    let (input, output) = (file.display().to_string(), lowered.display().to_string());
    let lower = [
        "--convert-layouts-to-llvm=shared=baseline",
        &input,
        "-o",
        &output,
    ];
    if !tool::run(scratch, "ll-opt", &lower, None).succeeded {
        return None;
    }
    let text = std::fs::read_to_string(&lowered).ok()?;
    let shared_bytes = number_after(&text, "ttg.shared =").unwrap_or_default();
    let (emit, barriers): (_, &[&str]) = match target.vendor {
        Vendor::Nvidia => (
            "--emit=ptx",
            &["bar.sync", "barrier.sync", "barrier.cta.sync"],
        ),
        // Where arrival and wait are two instructions, waits are counted.
        Vendor::Amd => ("--emit=amdgcn", &["s_barrier", "s_barrier_wait"]),
    };
    let into = assembly.display().to_string();
    if !tool::run(scratch, "ll-translate", &[emit, &output, "-o", &into], None).succeeded {
        return None;
    }
    let text = std::fs::read_to_string(&assembly).ok()?;
    let instruction = |line: &str| -> Option<String> {
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let word = if first.starts_with('@') {
            words.next()?
        } else {
            first
        };
        Some(
            word.trim_end_matches(';')
                .trim_end_matches(".aligned")
                .to_owned(),
        )
    };
    let waits = text.lines().filter_map(instruction);
    let waits = waits.filter(|word| barriers.contains(&&**word));
    Some(Figures {
        shared_bytes,
        barriers: waits.count() as u64,
    })
}

/// Formats a table with one row per target. For each figure, the row states how many modules are above Triton's
/// figure, how many are below it, and the sums of both figures. Then lists each module with a figure above
/// Triton's.
fn table(rows: &[Row]) -> String {
    let mut by_target: BTreeMap<&str, Vec<(&Row, Figures)>> = BTreeMap::new();
    for row in rows {
        let Some(ours) = row.ours else { continue };
        let all = [row.triton, ours];
        if all.iter().any(|f| f.shared_bytes + f.barriers > 0) {
            for target in ["all", row.target] {
                by_target.entry(target).or_default().push((row, ours));
            }
        }
    }
    let mut text = format!(
        "{} modules, of which {} are lowered; those that use shared memory:\n",
        rows.len(),
        rows.iter().filter(|row| row.ours.is_some()).count()
    );
    let _ = writeln!(
        text,
        "{:12} {:>7} | {:>6} {:>6} {:>9} {:>9} | {:>6} {:>6} {:>8} {:>8}",
        "target",
        "modules",
        "above",
        "below",
        "bytes",
        "Triton's",
        "above",
        "below",
        "barriers",
        "Triton's"
    );
    let of: [fn(&Figures) -> u64; 2] = [|f| f.shared_bytes, |f| f.barriers];
    for (target, rows) in &by_target {
        let [bytes, barriers] = of.map(|of| {
            let pairs = rows.iter().map(|(row, ours)| (of(ours), of(&row.triton)));
            let above = pairs.clone().filter(|(a, b)| a > b).count();
            let below = pairs.clone().filter(|(a, b)| a < b).count();
            let sums = pairs.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
            (above, below, sums)
        });
        let _ = writeln!(
            text,
            "{target:12} {:7} | {:6} {:6} {:9} {:9} | {:6} {:6} {:8} {:8}",
            rows.len(),
            bytes.0,
            bytes.1,
            bytes.2.0,
            bytes.2.1,
            barriers.0,
            barriers.1,
            barriers.2.0,
            barriers.2.1
        );
    }
    for (row, ours) in by_target.get("all").into_iter().flatten() {
        if of.iter().any(|of| of(ours) > of(&row.triton)) {
            let _ = writeln!(
                text,
                "above: {}: {} bytes against {}, {} barriers against {}",
                row.file.display(),
                ours.shared_bytes,
                row.triton.shared_bytes,
                ours.barriers,
                row.triton.barriers
            );
        }
    }
    text
}
