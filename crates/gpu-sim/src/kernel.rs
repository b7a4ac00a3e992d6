//! Entry points that decode a module with all supported operations.

use super::decode::{self, Decoded};
use super::error::KernelError;
use super::ir::Module;
use super::{ops, text};

/// Decodes the kernel `entry` of a module in MLIR's generic form; see [`decode()`].
///
/// ```
/// use gpu_sim::decode_generic;
/// let text = r#""builtin.module"() ({
///   "llvm.func"() <{function_type = !llvm.func<void ()>, sym_name = "k"}> ({
///     %0 = "llvm.mlir.constant"() <{value = 3 : i32}> : () -> i32
///     %1 = "llvm.add"(%0, %0) : (i32, i32) -> i32
///     "llvm.return"() : () -> ()
///   }) {nvvm.kernel, nvvm.reqntid = array<i32: 64>} : () -> ()
/// }) : () -> ()"#;
/// let decoded = decode_generic(text, None)?;
/// assert_eq!(decoded.program.name(), "k");
/// assert_eq!(decoded.program.block_size(), Some([64, 1, 1]));
/// # Ok::<(), gpu_sim::KernelError>(())
/// ```
/// # Errors
/// Returns a `Malformed` error for an invalid text, and the errors of [`decode()`].
pub fn decode_generic(text: &str, entry: Option<&str>) -> Result<Decoded, KernelError> {
    decode(&text::read_generic(text)?, entry)
}

/// Decodes the kernel `entry` of a module, or the only kernel if `entry` is `None`.
///
/// # Errors
/// - `Malformed`: the module is inconsistent.
/// - `Unsupported`: an operation or type is not supported. For an unknown intrinsic, and for an unknown operation of
///   the LLVM, NVVM or ROCDL dialect, the error lists supported names that are similar.
/// - `Launch`: there is no such kernel, the module has several kernels and `entry` is `None`, or the target is unknown.
pub fn decode(module: &Module, entry: Option<&str>) -> Result<Decoded, KernelError> {
    decode::decode(module, entry, ops::decode)
}
