//! Simulated lane instructions per second on one core, with all checks: `cargo bench --bench simulate`.
//!
//! An instruction counts once for each thread of the block. Each result is the best of many rounds; parsing, decoding
//! and buffer creation are not timed.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

mod kernels;

use gpu_sim::{
    Arg, ArgSpec, ArgValue, Decoded, Launch, Memory, Report, decode_generic, initial_bytes,
};
use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

const TARGETS: [&str; 3] = ["sm_80", "sm_90", "gfx942"];
const ROUNDS: usize = 20;

/// Returns the grid and the arguments with which a kernel is launched. The arguments are in the notation of
/// `ll-sim`. Returns `None` if the kernel is unknown.
///
/// If a kernel masks out-of-bounds elements, the size in its arguments is not a multiple of the tile size.
fn launch_of(kernel: &str) -> Option<([u32; 3], &'static [&'static str])> {
    Some(match kernel {
        "vector_add" => (
            [512, 1, 1],
            &[
                "random:f32:524288",
                "random:f32:524288",
                "zeros:f32:524288",
                "524211:i32",
            ],
        ),
        "interleave" => (
            [512, 1, 1],
            &[
                "random:f16:262144",
                "random:f16:262144",
                "zeros:f16:524288",
                "262144:i32",
            ],
        ),
        "outer_scale" => (
            [64, 1, 1],
            &[
                "random:f32:262144",
                "random:f32:4096",
                "zeros:f32:262144",
                "64:i32",
            ],
        ),
        "transpose" => (
            [16, 16, 1],
            &[
                "random:f16:524288",
                "zeros:f16:524288",
                "1024:i32",
                "512:i32",
            ],
        ),
        "row_softmax" => (
            [128, 1, 1],
            &[
                "random:f32:262144",
                "zeros:f32:262144",
                "2000:i32",
                "2048:i32",
            ],
        ),
        "column_sum" => (
            [8, 1, 1],
            &["random:f16:524288", "zeros:f32:512", "1000:i32", "512:i32"],
        ),
        _ => return None,
    })
}

/// Lowers a kernel by `ll-opt` and decodes its generic form, which the simulator reads without MLIR.
fn decode(file: &str) -> Result<Decoded, Box<dyn Error>> {
    let output = Command::new(env!("CARGO_BIN_EXE_ll-opt"))
        .args(["--convert-layouts-to-llvm", "--mlir-print-op-generic", file])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(decode_generic(&String::from_utf8(output.stdout)?, None)?)
}

fn run(
    decoded: &Decoded,
    grid: [u32; 3],
    specs: &[ArgSpec],
) -> Result<(Duration, Report), Box<dyn Error>> {
    let mut memory = Memory::default();
    let mut args = Vec::new();
    for (seed, spec) in (0..).zip(specs) {
        args.push(match &spec.value {
            ArgValue::Buffer { fill, ty, count } => {
                let bytes = initial_bytes(fill, *ty, count.unwrap_or(0), seed);
                Arg::Buffer(memory.add("buffer", bytes))
            }
            ArgValue::Int(value, ..) => Arg::Int(*value),
            ArgValue::Float(value, ..) => Arg::Float(*value),
            ArgValue::Null => Arg::Int(0),
        });
    }
    let launch = Launch::new(decoded.machine)
        .grid(grid)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .args(args);
    let start = Instant::now();
    let report = launch.run(&decoded.program, &mut memory)?;
    Ok((start.elapsed(), report))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:24} {:>12} {:>16}",
        "kernel", "instructions", "millions/second"
    );
    for (name, file) in kernels::kernels(&TARGETS) {
        let kernel = name.rsplit('/').next().unwrap_or_default();
        let Some((grid, specs)) = launch_of(kernel) else {
            continue;
        };
        let decoded = decode(&file)?;
        let specs: Vec<ArgSpec> = specs
            .iter()
            .map(|spec| spec.parse())
            .collect::<Result<_, _>>()?;
        let mut best = Duration::MAX;
        let mut instructions = 0;
        for _ in 0..ROUNDS {
            let (time, report) = run(&decoded, grid, &specs)?;
            best = best.min(time);
            instructions = report.instructions * u64::from(report.threads_per_block);
        }
        let millions = instructions as f64 / best.as_secs_f64() / 1e6;
        println!("{name:24} {instructions:12} {millions:16.1}");
    }
    Ok(())
}
