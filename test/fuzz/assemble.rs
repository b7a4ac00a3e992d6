//! Random kernels through LLVM and the GPU's assembler: `ptxas`, or LLVM's own for AMD.

use crate::inputs::Finding;
use crate::kernels::with_runner;
use crate::ptxas::ptxas;
use crate::random_kernels::generate::{generate_for, products_for};
use crate::random_kernels::kernel::Kernel;
use crate::random_kernels::run::Failure;
use crate::random_kernels::text;
use crate::referee::random::Rng;
use crate::tool::{self, Scratch};
use linear_layout::target::{TARGETS, Target, Vendor};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Number of kernels that one run of the tools processes. It is above 1 because the start-up of the tools takes
/// most of the time.
const KERNELS: usize = 4;

/// Returns the path of the assembler, and its help text, which lists the GPUs it supports. `None` if there is no
/// assembler.
fn assembler() -> Option<&'static (PathBuf, String)> {
    static FOUND: OnceLock<Option<(PathBuf, String)>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            let found = ptxas(Path::new(env!("CARGO_MANIFEST_DIR"))).and_then(|path| {
                let help = Command::new(&path).arg("--help").output().ok()?;
                Some((path, String::from_utf8_lossy(&help.stdout).into_owned()))
            });
            match &found {
                None => println!("assemble: no `ptxas`, so PTX is written and not assembled"),
                Some((_, help)) => {
                    let missing: Vec<&str> = TARGETS
                        .iter()
                        .filter(|t| t.vendor == Vendor::Nvidia && !knows(help, t))
                        .map(|t| t.llvm_cpu)
                        .collect();
                    if !missing.is_empty() {
                        let missing = missing.join(", ");
                        println!("assemble: this `ptxas` does not know {missing}");
                    }
                }
            }
            found
        })
        .as_ref()
}

fn knows(help: &str, target: &Target) -> bool {
    help.contains(&format!("'{}'", target.llvm_cpu))
}

/// Generates kernels for one target, which the seed selects. All kernels have the same number of warps. Half of
/// them contain arbitrary operations, and half contain matrix products.
fn kernels(seed: u64) -> Vec<Kernel> {
    let target = &TARGETS[(seed % TARGETS.len() as u64) as usize];
    let mut found: Vec<Kernel> = Vec::new();
    let mut next = seed.wrapping_mul(1 << 16);
    while found.len() < KERNELS {
        let rng = Rng::new(next);
        let kernel = if found.len().is_multiple_of(2) {
            generate_for(rng, target)
        } else {
            products_for(rng, target)
        };
        next = next.wrapping_add(1);
        if found
            .first()
            .is_none_or(|first| first.warps == kernel.warps)
        {
            found.push(kernel);
        }
    }
    found
}

/// Generates kernels from a seed, and lowers, translates and assembles them.
pub(crate) fn check(seed: u64, scratch: &Scratch) -> Vec<Finding> {
    let kernels = kernels(seed);
    let target = kernels[0].target;
    let source = text::module(&kernels.iter().collect::<Vec<_>>());
    let finding = |command: &str, fault: String| {
        vec![Finding {
            command: format!("ll-opt --convert-layouts-to-llvm INPUT {command}"),
            fault,
            source: format!("the generator, for {}", target.name),
            input: source.clone().into_bytes(),
        }]
    };
    let lowered = with_runner(|runner| {
        let lowered = runner.lower(&source);
        lowered.map_err(|message| (Failure::Refused, message))
    });
    let lowered = match lowered {
        Ok(text) => scratch.write("lowered.mlir", text.as_bytes()),
        Err((failure, message)) => return finding("", format!("{failure:?}: {message}")),
    };
    match translate(target, &lowered, scratch) {
        Ok(()) => Vec::new(),
        Err(unassembled) => finding(&unassembled.command, unassembled.message),
    }
}

/// The failure of a module that could not be translated and assembled.
#[derive(Debug)]
pub(crate) struct Unassembled {
    /// The part of the shell command that follows `ll-opt INPUT`.
    command: String,
    pub(crate) message: String,
    /// True if the failure is a fault of the tools, which no module may cause.
    pub(crate) is_fault: bool,
}

/// Translates a lowered module, and assembles it if there is an assembler for its GPU.
pub(crate) fn translate(
    target: &Target,
    lowered: &Path,
    scratch: &Scratch,
) -> Result<(), Unassembled> {
    let (format, output) = match target.vendor {
        Vendor::Nvidia => ("--emit=ptx", scratch.path("kernels.ptx")),
        Vendor::Amd => ("--emit=object", scratch.path("kernels.hsaco")),
    };
    let (lowered, output) = (lowered.display().to_string(), output.display().to_string());
    let run = tool::run(
        scratch,
        "ll-translate",
        &[format, &lowered, "-o", &output],
        None,
    );
    let command = format!("| ll-translate {format} -o OUTPUT");
    if !run.succeeded {
        return Err(Unassembled {
            command,
            is_fault: run.fault.is_some(),
            message: run.fault.unwrap_or_else(|| scratch.stderr()),
        });
    }
    let Some((ptxas, help)) = assembler() else {
        return Ok(());
    };
    if target.vendor != Vendor::Nvidia || !knows(help, target) {
        return Ok(());
    }
    let arch = format!("-arch={}", target.llvm_cpu);
    let run = Command::new(ptxas)
        .args([&*arch, &*output, "-o"])
        .arg(scratch.path("kernels.cubin"))
        .output();
    let message = match run {
        Ok(run) if run.status.success() => return Ok(()),
        Ok(run) => String::from_utf8_lossy(&run.stderr).into_owned(),
        Err(reason) => format!("cannot run `ptxas`: {reason}"),
    };
    Err(Unassembled {
        command: format!("{command} && ptxas {arch} OUTPUT"),
        message,
        is_fault: true,
    })
}
