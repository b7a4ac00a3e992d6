//! Parsing and verification per operation, for a Triton kernel in this project's dialects and for the same kernel in
//! upstream dialects, which use the C++ code of `mlir-opt`.
//!
//! The same libMLIR in one process reads both kernels. `fresh` parses each file in a new context, which loads dialects
//! on demand, as a tool does; `warm` parses it in a context that has types and encodings cached. `verify` is the time
//! of the verifiers within the warm time. The last row is a lower bound: MLIR's parser on the cheapest operation with
//! two operands.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, OperationRef, RegionLike};
use melior::utility::register_all_dialects;
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;
const CHEAPEST: usize = 150;
const OURS: (&str, &str) = (
    "sm_90/matmul, tt + ttg + ttng",
    include_str!("../../test/kernels/sm_90/matmul.ttgir"),
);
const THEIRS: (&str, &str) = (
    "the same, tensor + linalg",
    include_str!("matmul_linalg.mlir"),
);

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);

    Context::new_with_registry(&registry, false)
}

fn count(op: OperationRef<'_, '_>) -> u32 {
    let mut operations = 1;
    for region in op.regions() {
        let mut block = region.first_block();
        while let Some(current) = block {
            let mut inner = current.first_operation();
            while let Some(op) = inner {
                operations += count(op);
                inner = op.next_in_block();
            }
            block = current.next_in_region();
        }
    }
    operations
}

fn parse(context: &Context, text: &str) -> Duration {
    let start = Instant::now();
    let module = Module::parse(context, text).expect("the kernel parses");
    let time = start.elapsed();
    drop(module);
    time
}

/// Returns a module with a chain of `arith.addi` operations. Each operation has a location alias, as in the output
/// of a compiler.
fn cheapest() -> String {
    let chain: String = (1..=CHEAPEST)
        .map(|i| format!("  %{i} = arith.addi %{}, %0 : i32 loc(#loc1)\n", i - 1))
        .collect();
    format!(
        "#loc1 = loc(\"kernels.py\":37:1)\nmodule {{\n  %0 = arith.constant 1 : i32 loc(#loc1)\n{chain}}}\n"
    )
}

/// A kernel to parse.
///
/// `warm` is a context that has already parsed the text. `best` holds the best times so far of parsing in a new
/// context, of parsing in `warm`, and of the verifiers alone.
struct Row<'t> {
    name: &'t str,
    text: &'t str,
    warm: Context,
    best: [Duration; 3],
}

impl<'t> Row<'t> {
    fn of(name: &'t str, text: &'t str) -> Self {
        let warm = context();
        parse(&warm, text);
        let best = [Duration::MAX; 3];
        Self {
            name,
            text,
            warm,
            best,
        }
    }

    fn time(&mut self) {
        let fresh = context();
        let module = Module::parse(&self.warm, self.text).expect("the kernel parses");
        let start = Instant::now();
        assert!(module.as_operation().verify(), "the kernel is valid");
        let verify = start.elapsed();
        let times = [
            parse(&fresh, self.text),
            parse(&self.warm, self.text),
            verify,
        ];
        for (best, time) in self.best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }

    /// Prints the row of the table. Returns the parse times per operation in a new context and in a warm context,
    /// in microseconds.
    fn print(&self) -> (f64, f64) {
        let module = Module::parse(&self.warm, self.text).expect("the kernel parses");
        let operations = count(module.as_operation());
        let [fresh, warm, verify] = self
            .best
            .map(|time| time.as_secs_f64() * 1e6 / f64::from(operations));
        println!(
            "{:<32} {operations:>10} {fresh:>14.2} {warm:>13.2} {verify:>13.2}",
            self.name
        );
        (fresh, warm)
    }
}

fn main() {
    println!(
        "{:<32} {:>10} {:>14} {:>13} {:>13}",
        "parse + verify", "operations", "fresh us/op", "warm us/op", "verify us/op"
    );
    let floor = cheapest();
    let mut rows =
        [OURS, THEIRS, ("arith.addi only", &*floor)].map(|(name, text)| Row::of(name, text));
    // Alternates, so that machine noise affects all rows alike.
    for _ in 0..ROUNDS {
        for row in &mut rows {
            row.time();
        }
    }
    let rows = rows.map(|row| row.print());
    let [ours, theirs, floor] = rows;
    println!(
        "{:<32} {:>10} {:>13.2}x {:>12.2}x",
        "ours / theirs",
        "",
        ours.0 / theirs.0,
        ours.1 / theirs.1
    );
    println!(
        "{:<32} {:>10} {:>13.2}x {:>12.2}x",
        "arith.addi only / theirs",
        "",
        floor.0 / theirs.0,
        floor.1 / theirs.1
    );
}
