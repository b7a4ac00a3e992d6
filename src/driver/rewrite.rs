//! Execution of pass pipelines on the text of a module.

use super::{Failure, context, parse, run_pipeline, take_messages};
use crate::ir::{Message, Recorder};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};

/// Runs a pipeline of this project's and MLIR's passes. Returns the resulting module as text, with warnings and
/// remarks.
///
/// `file` is the input's name in messages. If `keeps_locations` is true, the text contains the operations'
/// locations.
///
/// # Errors
/// Returns the diagnostics of MLIR or of a pass.
///
/// ```
/// use linear_layout_mlir::driver::rewrite;
/// let (text, _) = rewrite(b"module {}", "m.mlir", "builtin.module(canonicalize)", false).expect("it runs");
/// assert_eq!(text.trim(), "module {\n}");
/// ```
pub fn rewrite(
    input: &[u8],
    file: &str,
    pipeline: &str,
    keeps_locations: bool,
) -> Result<(String, Vec<Message>), Failure> {
    let context = context();
    let recorder = Recorder::attach(&context);
    let mut module = parse(&context, &recorder, file, input)?;
    run_pipeline(&context, &recorder, &mut module, file, pipeline)?;
    let flags = OperationPrintingFlags::new().enable_debug_info(keeps_locations, false);
    let text = module.as_operation().to_string_with_flags(flags);
    let text = text.map_err(|reason| Failure::new(format!("cannot print the module: {reason}")))?;
    Ok((text, take_messages(&recorder, file)))
}
