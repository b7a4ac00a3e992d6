//! `ll-opt`: runs passes on MLIR files, as `mlir-opt` does, with the `tt` and `ttg` dialects.

mod rules;

use linear_layout_mlir::sys::{self, OptTexts};
use std::ffi::OsString;
use std::process::ExitCode;

const OVERVIEW: &str = "ll-opt: tensor layouts to NVVM and ROCDL; see the examples at the end\n";

const EXAMPLES: &str = "
EXAMPLES:
  Lower a kernel for the GPU that it names in `ttg.target`, or for another one:
    ll-opt --convert-layouts-to-llvm kernel.ttgir
    ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{target=cuda:90})' kernel.ttgir
  Choose the layouts of a kernel that has default ones, and lower it:
    ll-opt --layout-pipeline=target=cuda:90 kernel.ttgir
  Read a kernel: aliases that say what they are, and the linear layout of each encoding:
    ll-opt --pretty-encodings --print-linear-layouts kernel.ttgir
  See what a pass did:
    ll-opt --fold-layout-conversions --mlir-print-ir-before-all --pretty-encodings kernel.ttgir
  List the operations, attributes and types of tt, ttg, ttng, amdg, cute, tilus and gluon:
    ll-opt --show-dialects
  List the operations that convert-layouts-to-llvm lowers:
    ll-opt --list-lowered-operations
  Name the broken rule in a note of each error, and print a rule with a module that breaks the rule:
    ll-opt --rule-labels kernel.ttgir
    ll-opt --explain-rule=reduce_c4
";

fn main() -> ExitCode {
    sys::stop_at_broken_pipe();
    linear_layout_mlir::install();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let lowered: String = linear_layout_mlir::lower::can_be_lowered()
        .into_iter()
        .flat_map(|(dialect, names)| names.into_iter().map(move |name| (dialect, name)))
        .map(|(dialect, name)| format!("{dialect}.{name}\n"))
        .collect();
    let texts = OptTexts {
        overview: OVERVIEW,
        examples: EXAMPLES,
        dialects: &linear_layout_mlir::ir::reference::listing(),
        lowered: &lowered,
        explain_rule: rules::explain,
        version: &format!("ll-opt {}", sys::version()),
    };
    ExitCode::from(u8::try_from(sys::opt_main(&arguments, &texts)).unwrap_or(1))
}
