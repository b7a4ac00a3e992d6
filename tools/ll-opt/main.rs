//! `ll-opt`: runs passes on MLIR files, as `mlir-opt` does, with the `tt` and `ttg` dialects.

use std::process::ExitCode;

fn main() -> ExitCode {
    linear_layout::sys::stop_at_broken_pipe();
    linear_layout::install();
    let arguments: Vec<String> = std::env::args().collect();
    ExitCode::from(u8::try_from(linear_layout::sys::opt_main(&arguments)).unwrap_or(1))
}
