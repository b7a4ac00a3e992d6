//! From a module to a kernel: decoding with all operations that there are.

use super::decode::{self, Decoded};
use super::error::KernelError;
use super::ir::Module;
use super::{ops, text};

/// Decodes the kernel `entry` of a module in MLIR's generic form, which tests and examples write; see [`decode()`].
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
/// `Malformed` where the text is not MLIR's generic form or contradicts itself; `Unsupported`
/// for an operation or type that the simulator does not know, with the nearest that it does;
/// `Launch` for a target that the table does not have.
pub fn decode_generic(text: &str, entry: Option<&str>) -> Result<Decoded, KernelError> {
    decode(&text::read_generic(text)?, entry)
}

/// Decodes the kernel `entry` of a module, or the only one that it has.
///
/// # Errors
/// `Malformed` where the module contradicts itself; `Unsupported` for an operation or type that the simulator does not
/// know, with the nearest that it does; `Launch` for a target that the table does not have.
pub fn decode(module: &Module, entry: Option<&str>) -> Result<Decoded, KernelError> {
    decode::decode(module, entry, ops::decode)
}
