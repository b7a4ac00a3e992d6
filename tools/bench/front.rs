//! Front time: from text to the LLVM dialect, beside Triton 3.9.0's.
//!
//! Triton's figures are those of its own wheel on the same files, best of 5, on a machine of this
//! kind (`front` in the project's measurements: parse, allocate, barriers, to LLVM dialect, clean
//! up). Times on another machine differ; the ratio is what to look at.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects};
use std::path::Path;
use std::time::{Duration, Instant};

/// Kernel and Triton's front time in milliseconds, per target.
const TRITON_MS: [(&str, [(&str, f64); 4]); 2] = [
    (
        "sm_90",
        [
            ("vector_add", 19.2),
            ("interleave", 19.9),
            ("outer_scale", 34.9),
            ("transpose", 78.8),
        ],
    ),
    (
        "gfx942",
        [
            ("vector_add", 14.3),
            ("interleave", 22.2),
            ("outer_scale", 27.5),
            ("transpose", 64.8),
        ],
    ),
];

const ROUNDS: usize = 20;

fn main() {
    println!(
        "{:<22} {:>8} {:>8} {:>10} {:>9} {:>7}",
        "kernel", "parse", "lower", "front ms", "Triton", "ratio"
    );
    for (target, kernels) in TRITON_MS {
        for (kernel, triton) in kernels {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("test/kernels/{target}/{kernel}.ttgir"));
            let text = std::fs::read_to_string(&path).expect("the kernels are part of the project");
            let (parse, lower) = (0..ROUNDS)
                .map(|_| front(&text))
                .min_by_key(|(p, l)| *p + *l)
                .expect("rounds");
            let ms = |d: Duration| d.as_secs_f64() * 1e3;
            let total = ms(parse) + ms(lower);
            println!(
                "{:<22} {:>8.2} {:>8.2} {total:>10.2} {triton:>9.1} {:>6.1}x",
                format!("{target}/{kernel}"),
                ms(parse),
                ms(lower),
                triton / total
            );
        }
    }
}

/// Parses and lowers a module in a fresh context; the context itself is not counted, as it is not
/// for Triton.
fn front(text: &str) -> (Duration, Duration) {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout::register_dialects(&registry);
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
