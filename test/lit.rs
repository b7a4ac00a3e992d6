//! Runs the lit suites: `cargo test --test lit`, or `cargo test --test lit -- Dialect/round-trip`.
//!
//! lit, `FileCheck` and `mlir-opt` are those of the LLVM that the tools are linked with. A test
//! that needs what this machine lacks is skipped, with the reason.

#![expect(
    clippy::print_stdout,
    reason = "a harness of its own says what it found"
)]

mod ptxas;

use ptxas::ptxas;
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// For each feature that a test may require in `REQUIRES:`, the reason why it is absent and, in most cases, a
/// command that provides it.
const FEATURES: [(&str, &str); 7] = [
    (
        "ptxas",
        "no `ptxas` on the path or under target/tools: `pip install nvidia-cuda-nvcc`",
    ),
    (
        "amdgcn-link",
        "no `ld.lld`, `llvm-mc` and `llvm-readelf` beside LLVM: `apt-get install lld-22 llvm-22`",
    ),
    (
        "embed-rust",
        "no `embed-rust` beside the tools: `cargo test --workspace` builds it",
    ),
    (
        "ll-layout",
        "no `ll-layout` beside the tools: `cargo test` builds it",
    ),
    ("cmake", "no `cmake` on the path: `apt-get install cmake`"),
    (
        "sanitizer",
        "its host is built without the sanitizer, and cannot load what is built with it",
    ),
    (
        "pkg-config",
        "no `pkg-config` on the path: `apt-get install pkg-config`",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--list") {
        println!("lit: test");
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    match run(&filters) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("lit: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs lit and prints the reasons of skipped tests and a summary. Returns true if all tests passed.
fn run(filters: &[&String]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let prefix = env::var("MLIR_SYS_220_PREFIX")
        .map(PathBuf::from)
        .map_err(|_| "MLIR_SYS_220_PREFIX is not set: run tools/setup.sh")?;
    let lit = prefix.join("bin/lit");
    if !lit.exists() {
        return Err(format!("{} is missing: run tools/setup.sh", lit.display()));
    }
    let tools = Path::new(env!("CARGO_BIN_EXE_ll-opt"))
        .parent()
        .ok_or("the tools lie in no folder")?;
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lit");
    let report = output.join("report.json");
    std::fs::create_dir_all(&output).map_err(|e| format!("{}: {e}", output.display()))?;

    let mut command = Command::new(lit);
    command
        .arg("-v")
        .arg("--order=lexical")
        .arg("-o")
        .arg(&report)
        .arg(root.join("test"))
        .env("LL_LIT_OUTPUT", &output)
        .env("LL_TOOLS", tools)
        .env("LL_LLVM_PREFIX", &prefix)
        .env("LL_PLUGIN", plugin(tools)?);
    if let Some(ptxas) = ptxas(root) {
        command.env("LL_PTXAS", ptxas);
    }
    if !filters.is_empty() {
        let any: Vec<&str> = filters.iter().map(|f| f.as_str()).collect();
        command.arg("--filter").arg(any.join("|"));
    }
    let status = command
        .status()
        .map_err(|e| format!("cannot run lit: {e}"))?;

    let text = std::fs::read_to_string(&report).map_err(|e| format!("lit left no report: {e}"))?;
    let report: Value = serde_json::from_str(&text).map_err(|e| format!("lit's report: {e}"))?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for test in report["tests"].as_array().into_iter().flatten() {
        match test["code"].as_str().unwrap_or_default() {
            "PASS" | "XFAIL" | "FLAKYPASS" => passed += 1,
            "UNSUPPORTED" | "SKIPPED" => {
                skipped += 1;
                println!(
                    "skipped {}: {}",
                    test["name"].as_str().unwrap_or_default(),
                    reason(test["output"].as_str().unwrap_or_default())
                );
            }
            "EXCLUDED" => {}
            _ => failed += 1,
        }
    }
    println!("\n{passed} passed, {failed} failed, {skipped} skipped");
    if passed + failed == 0 {
        return Err("no test was run".to_owned());
    }
    Ok(status.success() && failed == 0)
}

/// Returns the reason for which lit skipped a test. `output` is lit's output for the test.
fn reason(output: &str) -> String {
    FEATURES
        .iter()
        .find(|(name, _)| output.contains(name))
        .map_or_else(
            || output.trim().to_owned(),
            |(_, words)| (*words).to_owned(),
        )
}

/// Returns the path of the plugin library, which cargo builds together with the tools.
fn plugin(tools: &Path) -> Result<PathBuf, String> {
    [tools.join("deps"), tools.to_owned()]
        .iter()
        .map(|folder| folder.join("liblinear_layout_mlir.so"))
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)))
        .max()
        .map(|(_, file)| file)
        .ok_or_else(|| format!("no liblinear_layout_mlir.so in {}", tools.display()))
}
