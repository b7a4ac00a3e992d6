//! Front end: from text to the LLVM dialect, best of many rounds: `cargo bench --bench front`.
//!
//! `LL_PEER_FRONT` may name a command that times another compiler, such as Triton's front end: it gets the files of the
//! kernels as arguments and prints `file<TAB>milliseconds` lines. The command and this benchmark run in turns, and the
//! ratio of their times is printed.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

mod kernels;
mod peer;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects};
use peer::Peer;
use std::time::{Duration, Instant};

/// Name of the environment variable that holds the benchmark command of the peer, which is another implementation.
const PEER: &str = "LL_PEER_FRONT";
const TARGETS: [&str; 2] = ["sm_90", "gfx942"];

/// Number of measurements of each kernel in one turn of the benchmark. Only the fastest measurement counts.
const ROUNDS: usize = 20;

/// A kernel, and the fastest measurements of it so far.
struct Row {
    name: String,
    file: String,
    text: String,
    parse: Duration,
    lower: Duration,
}

impl Row {
    fn of((name, file): (String, String)) -> Self {
        Self {
            text: std::fs::read_to_string(&file).expect("the kernels are part of the project"),
            name,
            file,
            parse: Duration::MAX / 2,
            lower: Duration::MAX / 2,
        }
    }

    fn take_turn(&mut self) {
        for _ in 0..ROUNDS {
            let (parse, lower) = front(&self.text);
            if parse + lower < self.parse + self.lower {
                (self.parse, self.lower) = (parse, lower);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut peer = Peer::named(PEER, std::env::var(PEER));
    let kernels = kernels::kernels(&TARGETS);
    let mut rows: Vec<Row> = kernels.into_iter().map(Row::of).collect();
    let files: Vec<String> = rows.iter().map(|row| row.file.clone()).collect();
    let turns = if peer.is_some() { peer::TURNS } else { 1 };
    for _ in 0..turns {
        rows.iter_mut().for_each(Row::take_turn);
        if let Some(peer) = &mut peer {
            peer.take_turn(&files)?;
        }
    }
    println!(
        "{:<22} {:>8} {:>8} {:>10}{}",
        "kernel",
        "parse",
        "lower",
        "front ms",
        peer::heads(peer.as_ref())
    );
    for row in &rows {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let total = ms(row.parse) + ms(row.lower);
        let theirs = peer.as_ref().and_then(|peer| peer.time(&row.file));
        println!(
            "{:<22} {:>8.2} {:>8.2} {total:>10.2}{}",
            row.name,
            ms(row.parse),
            ms(row.lower),
            peer::columns(theirs, total)
        );
    }
    Ok(())
}

/// Parses and lowers a module in a new context. Returns the time of parsing and the time of lowering. The creation
/// of the context is not timed, because it is not timed for Triton either.
fn front(text: &str) -> (Duration, Duration) {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    let start = Instant::now();
    let mut module = Module::parse(&context, text).expect("the kernel parses");
    let parsed = start.elapsed();
    let manager = PassManager::new(&context);
    parse_pass_pipeline(
        manager.as_operation_pass_manager(),
        "builtin.module(convert-layouts-to-llvm)",
    )
    .expect("the pass is registered");
    manager.run(&mut module).expect("the kernel lowers");
    (parsed, start.elapsed() - parsed)
}
