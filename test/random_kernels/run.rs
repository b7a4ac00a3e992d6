//! Lowering and simulation of a kernel, compared with plain evaluation byte by byte.

use super::evaluate;
use super::float::is_nan;
use super::kernel::{Content, Kernel};
use super::open::{GivenLayouts, left_open};
use super::systems;
use super::text;
use gpu_sim::{Arg, BufferId, Decoded, FaultKind, KernelError, Launch, Memory, decode_generic};
use linear_layout_mlir::ir::Recorder;
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects};

/// Initial value of every byte of an output buffer. Bytes that the kernel does not write keep it.
pub(crate) const UNTOUCHED: u8 = 0xa5;

/// Maximum number of steps of a simulation. Most kernels take a few thousand steps, but nested loops take millions.
const STEP_LIMIT: u64 = 1 << 26;

/// Pass pipelines. For each of them, the lowered kernel must compute the same result. Some pipelines only lower the
/// kernel; the others first fold layout conversions or choose layouts, either with a few passes or with the whole
/// layout pipeline.
const PIPELINES: [&str; 7] = [
    "builtin.module(convert-layouts-to-llvm)",
    BOUNDED,
    "builtin.module(layout-pipeline)",
    "builtin.module(reorder-broadcast,optimize-thread-locality,convert-layouts-to-llvm)",
    "builtin.module(fold-layout-conversions,convert-layouts-to-llvm)",
    "builtin.module(remove-layout-conversions{verify=true},convert-layouts-to-llvm)",
    "builtin.module(remove-layout-conversions{verify=true memory=free},convert-layouts-to-llvm)",
];

/// Pipeline that lowers with bounds checks. The checks reject histogram values that are not the index of a bin.
/// Kernels with histograms contain such values on purpose, to test that they are not counted, so this pipeline
/// skips those kernels.
const BOUNDED: &str = "builtin.module(convert-layouts-to-llvm{bounds=true})";

/// Passes that choose layouts. They must not change the result of any kernel. Running a pass a second time must not
/// change the module.
const CHOICES: [&str; 3] = [
    "fold-layout-conversions",
    "remove-layout-conversions{verify=true}",
    "remove-layout-conversions{memory=free verify=true}",
];

/// Returns true if an error message says that the given layouts do not determine all other layouts, or that an
/// operation rejects a layout that they imply.
fn is_no_layout(message: &str) -> bool {
    message.contains("cannot infer the layout") || message.contains("swizzled warps")
}

/// The kind of error that a generated kernel reveals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// The reference evaluation of the kernel fails, which is a bug of the generator.
    Meaningless,
    /// A verifier or a pass rejects the kernel.
    Refused,
    /// The simulator cannot decode the lowered kernel.
    NotDecoded,
    /// The simulator stops with an error while it runs the kernel.
    Fault(FaultKind),
    /// The final memory differs from the expected contents.
    Wrong,
    /// Replacing the CuTe or Tilus layouts of a kernel by encodings that list their bases changes the lowered code.
    SpelledApart,
    /// A second run of a pass changes the module again.
    NotSettled,
    /// Open layouts remain after layout inference.
    LeftOpen,
    /// A pass that chooses layouts reports a higher cost for its result than for its input, or a lower bound that
    /// exceeds the cost of its result.
    Dearer,
    Panic,
}

/// Runs MLIR passes on kernels. One context serves many kernels.
pub(crate) struct Runner {
    context: Context,
    recorder: Recorder,
}

impl Runner {
    pub(crate) fn new() -> Self {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        linear_layout_mlir::register_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        let recorder = Recorder::attach(&context);
        Self { context, recorder }
    }

    /// Lowers a module to the LLVM dialect. Returns its text in MLIR's generic form.
    ///
    /// # Errors
    /// MLIR's messages.
    pub(crate) fn lower(&self, text: &str) -> Result<String, String> {
        self.lower_by(PIPELINES[0], text)
    }

    fn lower_by(&self, pipeline: &str, text: &str) -> Result<String, String> {
        let errors = || -> String {
            let messages = self.recorder.take();
            messages.iter().map(|m| format!("{m}\n")).collect()
        };
        let mut module = Module::parse(&self.context, text).ok_or_else(errors)?;
        let manager = PassManager::new(&self.context);
        parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
            .map_err(|error| error.to_string())?;
        manager.run(&mut module).map_err(|_| errors())?;
        let flags = OperationPrintingFlags::new().print_generic_operation_form();
        module
            .as_operation()
            .to_string_with_flags(flags)
            .map_err(|error| error.to_string())
    }

    /// Lowers the kernel with each pipeline and simulates it. The final memory must equal that of the reference
    /// evaluation.
    ///
    /// # Errors
    /// The failure and its message.
    pub(crate) fn check(&self, kernel: &Kernel) -> Result<(), (Failure, String)> {
        let expected = expected(kernel)?;
        let has_histogram = text::module(&[kernel]).contains("tt.histogram");
        for pipeline in PIPELINES {
            if pipeline == BOUNDED && has_histogram {
                continue;
            }
            self.check_lowered_by(pipeline, kernel, &expected)
                .map_err(|(failure, what)| (failure, format!("{pipeline}: {what}")))?;
        }
        Ok(())
    }

    /// Checks each pass that chooses layouts. A second run of the pass must change nothing, the checks that the
    /// pass itself makes must succeed, and its result must not have a higher cost than its input.
    ///
    /// # Errors
    /// The failure and its message.
    pub(crate) fn check_settled(&self, kernel: &Kernel) -> Result<(), (Failure, String)> {
        let text = text::module(&[kernel]);
        for choice in CHOICES {
            let pipeline = format!("builtin.module({choice})");
            let run = |text: &str| {
                self.lower_by(&pipeline, text)
                    .map_err(|what| (Failure::Refused, format!("{choice}: {what}")))
            };
            self.check_cost(choice, &text)?;
            let once = run(&text)?;
            let twice = run(&once)?;
            let mut lines = once.lines().zip(twice.lines());
            if let Some((first, second)) = lines.find(|(first, second)| first != second) {
                let what = format!("{choice}: after one run: {first}\nafter two: {second}");
                return Err((Failure::NotSettled, what));
            }
        }
        Ok(())
    }

    /// Leaves some layouts of the kernel open, and checks the pass that infers them. With the inferred layouts, the
    /// kernel must leave the expected contents in memory. A second run of the pass must change nothing.
    ///
    /// # Errors
    /// The failure and its message.
    pub(crate) fn check_open(&self, kernel: &Kernel) -> Result<(), (Failure, String)> {
        let expected = expected(kernel)?;
        let seed = kernel.types.len() as u64;
        for given in [GivenLayouts::All, GivenLayouts::Some] {
            let open = left_open(kernel, seed, given);
            let text = text::module(&[&open]);
            let found = self.lower_by("builtin.module(resolve-auto-layouts)", &text);
            let once = match found {
                Ok(once) => once,
                // The given layouts need not determine all others.
                Err(what) if given == GivenLayouts::Some && is_no_layout(&what) => continue,
                Err(what) => return Err((Failure::Refused, format!("{given:?}: {what}"))),
            };
            if let Some(line) = once.lines().find(|line| line.contains("gluon.")) {
                return Err((Failure::LeftOpen, format!("{given:?}: {line}")));
            }
            let twice = self
                .lower_by("builtin.module(resolve-auto-layouts)", &once)
                .map_err(|what| (Failure::Refused, what))?;
            if once != twice {
                return Err((Failure::NotSettled, format!("{given:?}")));
            }
            let pipeline = "builtin.module(resolve-auto-layouts,convert-layouts-to-llvm)";
            self.check_lowered_by(pipeline, &open, &expected)
                .map_err(|(failure, what)| (failure, format!("{given:?}: {what}")))?;
        }
        Ok(())
    }

    /// Checks the costs that the pass `choice` reports. The cost of its result must not exceed the cost of its
    /// input, and the reported lower bound must not exceed the cost of the result.
    fn check_cost(&self, choice: &str, text: &str) -> Result<(), (Failure, String)> {
        let Some(options) = choice.strip_prefix("remove-layout-conversions{") else {
            return Ok(());
        };
        let name = format!(
            "settled-{}-{:?}.json",
            std::process::id(),
            std::thread::current().id()
        );
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let pipeline = format!(
            "builtin.module(remove-layout-conversions{{conversion-cost=0 report={} {options})",
            file.display()
        );
        let refused = |what: String| (Failure::Refused, format!("{choice}: {what}"));
        self.lower_by(&pipeline, text).map_err(refused)?;
        let report = std::fs::read_to_string(&file).map_err(|e| refused(e.to_string()))?;
        let _ = std::fs::remove_file(&file);
        let entries: Vec<serde_json::Value> =
            serde_json::from_str(&report).map_err(|e| refused(e.to_string()))?;
        for entry in entries {
            let cycles = |when: &str| entry[when]["cycles"].as_f64().unwrap_or(f64::NAN);
            let (before, after) = (cycles("before"), cycles("after"));
            let bound = entry["bound"].as_f64().unwrap_or(f64::NAN);
            if !(bound <= after && after <= before) {
                let what =
                    format!("{choice}: {before} cycles become {after}, the bound is {bound}");
                return Err((Failure::Dearer, what));
            }
        }
        Ok(())
    }

    fn check_lowered_by(
        &self,
        pipeline: &str,
        kernel: &Kernel,
        expected: &[Vec<u8>],
    ) -> Result<(), (Failure, String)> {
        let (mut memory, buffers, arguments) = launch_memory(kernel);
        let text = text::module(&[kernel]);
        let lowered = self
            .lower_by(pipeline, &text)
            .map_err(|e| (Failure::Refused, e))?;
        if pipeline == PIPELINES[0]
            && let Some(written) = systems::with_bases(&text)
        {
            let written = self.lower_by(pipeline, &written);
            let written = written.map_err(|e| (Failure::Refused, format!("with bases: {e}")))?;
            let mut lines = lowered.lines().zip(written.lines());
            if let Some((named, written)) = lines.find(|(named, written)| named != written) {
                let what = format!("named: {named}\nwith bases: {written}");
                return Err((Failure::SpelledApart, what));
            }
        }
        let decoded =
            decode_generic(&lowered, None).map_err(|e| (Failure::NotDecoded, e.to_string()))?;
        launch(kernel, &decoded, &mut memory, arguments)
            .map_err(|e| (Failure::Fault(e.kind()), e.to_string()))?;
        for (i, buffer) in buffers.iter().enumerate() {
            if let Some(what) = first_difference(kernel, i, memory.bytes(*buffer), &expected[i]) {
                return Err((Failure::Wrong, what));
            }
        }
        Ok(())
    }
}

/// Returns the expected final contents of the buffers, computed by the reference evaluation.
fn expected(kernel: &Kernel) -> Result<Vec<Vec<u8>>, (Failure, String)> {
    let (memory, buffers, arguments) = launch_memory(kernel);
    let mut expected = evaluate::Memory::new(
        buffers.iter().map(|b| memory.bytes(*b).to_vec()).collect(),
        buffers.iter().map(|b| memory.address(*b)).collect(),
        kernel
            .arguments
            .iter()
            .filter(|argument| !matches!(argument.content, Content::Number(_)))
            .map(|argument| argument.is_shared)
            .collect(),
    );
    let bits: Vec<u64> = arguments
        .iter()
        .map(|arg| match arg {
            Arg::Buffer(buffer) => memory.address(*buffer),
            Arg::Within(buffer, offset) => memory.address(*buffer) + offset,
            Arg::Int(number) => *number as u64,
            Arg::Float(_) => unreachable!("no argument is a float"),
        })
        .collect();
    evaluate::run(kernel, &bits, &mut expected).map_err(|e| (Failure::Meaningless, e))?;
    Ok(expected.buffers)
}

fn launch(
    kernel: &Kernel,
    decoded: &Decoded,
    memory: &mut Memory,
    arguments: Vec<Arg>,
) -> Result<(), KernelError> {
    Launch::new(decoded.machine)
        .grid(kernel.grid)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .step_limit(STEP_LIMIT)
        .args(arguments)
        .run(&decoded.program, memory)
        .map(drop)
}

/// Builds the memory for a launch of `kernel`. Returns the memory, its buffers in the order of the arguments, and
/// the values of the arguments.
fn launch_memory(kernel: &Kernel) -> (Memory, Vec<BufferId>, Vec<Arg>) {
    let mut memory = Memory::default();
    let (mut buffers, mut arguments): (Vec<BufferId>, Vec<Arg>) = (Vec::new(), Vec::new());
    for (i, argument) in kernel.arguments.iter().enumerate() {
        let bytes = match &argument.content {
            Content::Number(bits) => {
                arguments.push(Arg::Int(i128::from(*bits)));
                continue;
            }
            Content::Bytes(bytes) => bytes.clone(),
            Content::Pointers { into, offsets } => {
                let Arg::Buffer(buffer) = arguments[*into] else {
                    unreachable!("pointers point into a buffer");
                };
                let start = memory.address(buffer);
                offsets
                    .iter()
                    .flat_map(|offset| (start + offset).to_le_bytes())
                    .collect()
            }
        };
        let buffer = memory.add(format!("argument {i}"), bytes);
        buffers.push(buffer);
        arguments.push(Arg::Buffer(buffer));
    }
    (memory, buffers, arguments)
}

/// Describes the first element of buffer `index` that differs from the expected contents. Two NaNs count as equal
/// even if their bits differ. Returns `None` if there is no difference.
fn first_difference(
    kernel: &Kernel,
    index: usize,
    found: &[u8],
    expected: &[u8],
) -> Option<String> {
    let (argument, element) = kernel
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, a)| !matches!(a.content, Content::Number(_)))
        .map(|(i, _)| (i, kernel.types[i].element.pointee()))
        .nth(index)?;
    let size = element.bytes();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
    let pairs = found.chunks(size).zip(expected.chunks(size));
    for (i, (found, expected)) in pairs.enumerate() {
        let (found, expected) = (word(found), word(expected));
        let both_nan = !element.is_pointer()
            && is_nan(element.scalar, found)
            && is_nan(element.scalar, expected);
        if found != expected && !both_nan {
            return Some(format!(
                "element {i} of argument {argument} ({}) is {found:#x} and must be {expected:#x}",
                element.name()
            ));
        }
    }
    None
}
