//! Time to choose the layouts of whole kernels, best of many rounds: `cargo bench --bench choices`.
//!
//! `LL_PEER_CHOICES` may name a command that times Triton's removal of conversions on the same files: it gets the files
//! as arguments and prints `file<TAB>milliseconds` lines. The command and this benchmark run in turns, and the ratio of
//! their times is printed.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

mod peer;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects};
use peer::Peer;
use std::path::Path;
use std::time::{Duration, Instant};

/// Name of the environment variable that holds the benchmark command of the peer, which is another implementation.
const PEER: &str = "LL_PEER_CHOICES";
const TARGETS: [&str; 2] = ["sm_90", "gfx942"];
/// Number of measurements of each kernel in one turn of the benchmark. Only the fastest measurement counts.
const ROUNDS: usize = 20;

/// A kernel, and the fastest measurement of it so far.
struct Row {
    name: String,
    file: String,
    text: String,
    best: Duration,
}

fn rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/kernels/conversions");
    let mut rows = Vec::new();
    for target in TARGETS {
        let entries =
            std::fs::read_dir(folder.join(target)).expect("the kernels are part of the project");
        for entry in entries {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_stem().and_then(|name| name.to_str());
            rows.push(Row {
                name: format!("{target}/{}", name.unwrap_or_default()),
                text: std::fs::read_to_string(&path).expect("a kernel is text"),
                file: path.display().to_string(),
                best: Duration::MAX,
            });
        }
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

/// Runs `remove-layout-conversions` on a kernel in a new context with empty caches. Returns the time without
/// parsing.
fn choose(text: &str) -> Duration {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    let mut module = Module::parse(&context, text).expect("the kernel parses");
    let manager = PassManager::new(&context);
    parse_pass_pipeline(
        manager.as_operation_pass_manager(),
        "builtin.module(remove-layout-conversions)",
    )
    .expect("the pass is registered");
    let start = Instant::now();
    manager.run(&mut module).expect("layouts can be chosen");
    start.elapsed()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut peer = Peer::named(PEER, std::env::var(PEER));
    let mut rows = rows();
    let files: Vec<String> = rows.iter().map(|row| row.file.clone()).collect();
    let turns = if peer.is_some() { peer::TURNS } else { 1 };
    for _ in 0..turns {
        for row in &mut rows {
            let times = (0..ROUNDS).map(|_| choose(&row.text));
            row.best = times.min().unwrap_or(row.best).min(row.best);
        }
        if let Some(peer) = &mut peer {
            peer.take_turn(&files)?;
        }
    }
    println!("{:<30} {:>8}{}", "kernel", "ms", peer::heads(peer.as_ref()));
    for row in &rows {
        let ours = row.best.as_secs_f64() * 1e3;
        let theirs = peer.as_ref().and_then(|peer| peer.time(&row.file));
        println!(
            "{:<30} {ours:>8.2}{}",
            row.name,
            peer::columns(theirs, ours)
        );
    }
    Ok(())
}
