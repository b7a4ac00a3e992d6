//! Decoding of a module to a simulator kernel.

use super::{Failure, context, parse, run_pipeline};
use crate::ir::{OpKind, Recorder, chosen_module, inner_modules};
use crate::passes::{SIMULATED_LOWERING, SIMULATED_LOWERING_WITH_SCRATCH};
use crate::simulated;
use crate::sys::{self, build};
use gpu_sim::Decoded;
use melior::ir::OperationRef;
use melior::ir::operation::{OperationLike, WalkOrder, WalkResult};

/// Parses a module in text or bytecode, lowers it, and decodes the kernel `entry` for the simulator. If `entry` is
/// `None`, decodes the only kernel.
///
/// `file` is the input's name in messages. `pipeline` lowers the module. If it is `None`, modules with a `tt.func`
/// are lowered by a default pipeline, and other modules are not lowered.
///
/// # Errors
/// Returns the diagnostics of MLIR or of the decoder.
pub fn decode(
    input: &[u8],
    file: &str,
    entry: Option<&str>,
    pipeline: Option<&str>,
) -> Result<Decoded, Failure> {
    with_lowered(input, file, entry, pipeline, |module| {
        let module = simulated::module(module, file);
        gpu_sim::decode(&module, entry).map_err(Failure::new)
    })?
}

/// Returns true if a `tt.func` exists in the module or in a nested module.
fn has_kernels(module: OperationRef<'_, '_>) -> bool {
    build::module_body(module).is_some_and(|body| {
        build::operations(body)
            .into_iter()
            .any(|op| sys::text(op.name().as_string_ref()) == "tt.func")
    }) || inner_modules(module).into_iter().any(has_kernels)
}

/// Returns the default lowering pipeline, or `None` if the module contains no `tt.func`.
fn default_pipeline(module: OperationRef<'_, '_>) -> Option<&'static str> {
    let mut uses_scratch = false;
    module.walk(WalkOrder::PreOrder, |op| {
        uses_scratch |= OpKind::TtgGlobalScratchAlloc.is(op);
        WalkResult::Advance
    });
    has_kernels(module).then_some(match uses_scratch {
        true => SIMULATED_LOWERING_WITH_SCRATCH,
        false => SIMULATED_LOWERING,
    })
}

/// Parses and lowers like [`decode`]. Then applies `read` to the module that contains the kernel `entry`, or to the
/// only module if `entry` is `None`.
///
/// # Errors
/// Returns the diagnostics of MLIR. Also returns an error if `entry` is unknown, or if it is `None` and there are
/// several modules.
pub fn with_lowered<T>(
    input: &[u8],
    file: &str,
    entry: Option<&str>,
    pipeline: Option<&str>,
    read: impl FnOnce(OperationRef<'_, '_>) -> T,
) -> Result<T, Failure> {
    let context = context();
    let recorder = Recorder::attach(&context);
    let mut module = parse(&context, &recorder, file, input)?;
    if let Some(pipeline) = pipeline.or_else(|| default_pipeline(module.as_operation())) {
        run_pipeline(&context, &recorder, &mut module, file, pipeline)?;
    }
    let file_module = module.as_operation();
    // The decoder lists the kernels of a single module if `entry` is unknown.
    let chosen = if inner_modules(file_module).is_empty() {
        file_module
    } else {
        chosen_module(file_module, entry, "--entry").map_err(|reason| {
            let failure = Failure::new(format!("{file} {}", reason.message));
            reason.notes.iter().fold(failure, Failure::note)
        })?
    };
    Ok(read(chosen))
}
