//! A Rust compiler that embeds linear-layout. It parses a kernel in Triton's GPU dialect and lowers it: `embed-rust
//! kernel.ttgir cuda:90`.

use linear_layout_mlir::sys::parse_file;
use melior::dialect::DialectRegistry;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects, register_all_passes};
use melior::{Context, Error};
use std::process::ExitCode;

/// Lowers the kernel for a target. MLIR prints diagnostics of the kernel to standard error.
fn lower(context: &Context, path: &str, target: &str) -> Result<String, Error> {
    let mut module = parse_file(context, path).ok_or(Error::RunPass)?;
    let passes = PassManager::new(context);
    parse_pass_pipeline(
        passes.as_operation_pass_manager(),
        &format!("builtin.module(canonicalize,convert-layouts-to-llvm{{target={target}}})"),
    )?;
    passes.run(&mut module)?;
    Ok(module.as_operation().to_string())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, target] = &arguments[..] else {
        eprintln!("usage: embed-rust FILE TARGET, as in: embed-rust kernel.ttgir cuda:90");
        return ExitCode::from(2);
    };
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    register_all_passes();
    let context = Context::new_with_registry(&registry, false);
    match lower(&context, path, target) {
        Ok(lowered) => println!("{lowered}"),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
