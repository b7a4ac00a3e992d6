//! Reads a file as a module of the LLVM dialect, lowering it first where it is not yet.

use gpu_sim::Decoded;
use linear_layout_mlir::ir::{Recorder, chosen_module, inner_modules};
use linear_layout_mlir::passes::{self, SIMULATED_LOWERING};
use linear_layout_mlir::simulated;
use linear_layout_mlir::sys::{self, build};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use melior::utility::register_all_dialects;

/// Parses text or bytecode, lowers it by `pipeline` or where it holds `tt.func`, and decodes one kernel.
///
/// # Errors
/// The diagnostics of MLIR or of the decoder, each on its own lines.
pub(crate) fn decode(
    input: impl AsRef<[u8]>,
    file: &str,
    entry: Option<&str>,
    pipeline: Option<&str>,
) -> Result<Decoded, String> {
    with_lowered(input.as_ref(), file, entry, pipeline, |module| {
        let module = simulated::module(module, file);
        gpu_sim::decode(&module, entry).map_err(|error| format!("error: {error}"))
    })
}

/// Whether a module, or one inside it, still holds `tt` functions.
fn has_kernels(module: OperationRef<'_, '_>) -> bool {
    build::module_body(module).is_some_and(|body| {
        build::operations(body)
            .into_iter()
            .any(|op| sys::text(op.name().as_string_ref()) == "tt.func")
    }) || inner_modules(module).into_iter().any(has_kernels)
}

/// Reads the module that holds the kernel `entry`, or the only one, lowered by `pipeline` or where it holds `tt.func`.
///
/// # Errors
/// The diagnostics of MLIR, or those of `read`.
pub(crate) fn with_lowered<T>(
    input: &[u8],
    file: &str,
    entry: Option<&str>,
    pipeline: Option<&str>,
    read: impl FnOnce(OperationRef<'_, '_>) -> Result<T, String>,
) -> Result<T, String> {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    let recorder = Recorder::attach(&context);
    let problems = |fallback: String| {
        let said: String = recorder
            .take()
            .into_iter()
            .map(|message| message.in_file("-", file).with_source())
            .collect();
        if said.is_empty() {
            fallback
        } else {
            said.trim_end().to_owned()
        }
    };
    let Some(mut module) = sys::parse_input(&context, input) else {
        return Err(problems(format!("{file}: error: not an MLIR module")));
    };
    let lowered = has_kernels(module.as_operation()).then_some(SIMULATED_LOWERING);
    if let Some(pipeline) = pipeline.or(lowered) {
        passes::run_pipeline(&context, &mut module, pipeline)
            .map_err(|error| problems(format!("error: pipeline `{pipeline}`: {error}")))?;
    }
    let file_module = module.as_operation();
    // Of an entry that no function of one module has the decoder says what there is.
    let chosen = if inner_modules(file_module).is_empty() {
        file_module
    } else {
        chosen_module(file_module, entry, "--entry").map_err(|reason| {
            let notes = reason.notes.iter().map(|note| format!("\nnote: {note}"));
            format!(
                "error: {file} {}{}",
                reason.message,
                notes.collect::<String>()
            )
        })?
    };
    read(chosen)
}
