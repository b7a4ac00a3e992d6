//! Runs a lowered GPU kernel on the CPU, lane by lane, and finds its mistakes.
//!
//! A [`Program`] is a kernel in a form that runs fast: scalar registers, each holding the values
//! of all lanes of a block, and instructions that work on all lanes at once. A [`Launch`] runs it
//! over a grid on a [`Machine`] against a [`Memory`] of buffers and answers with a [`Report`].
//!
//! The run stops at the first mistake with a [`KernelError`] that names the operation, its source
//! location, and the lane, warp and block: accesses out of bounds or misaligned, shared memory read
//! before it is written, data races between barriers, barriers and shuffles that only a part
//! of their threads reaches, divisions without a result.
//!
//! ```
//! use gpu_sim::*;
//! // out[thread] = thread, for one block of 32 threads.
//! let text = r#""builtin.module"() ({
//!   "llvm.func"() <{function_type = !llvm.func<void (ptr<1>)>, sym_name = "iota"}> ({
//!   ^bb0(%out: !llvm.ptr<1>):
//!     %thread = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
//!     %p = "llvm.getelementptr"(%out, %thread) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}>
//!       : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
//!     "llvm.store"(%thread, %p) : (i32, !llvm.ptr<1>) -> ()
//!     "llvm.return"() : () -> ()
//!   }) {nvvm.kernel, nvvm.reqntid = array<i32: 32>} : () -> ()
//! }) : () -> ()"#;
//! let decoded = decode_generic(text, None)?;
//! let mut memory = Memory::default();
//! let buffer = memory.add("out", vec![0; 128]);
//! let launch = Launch::new(decoded.machine).args([Arg::Buffer(buffer)]);
//! let report = launch.run(&decoded.program, &mut memory)?;
//! assert_eq!(memory.bytes(buffer)[4..8], [1, 0, 0, 0]);
//! assert_eq!(report.global["st.global b32"].sectors, 4);
//! # Ok::<(), KernelError>(())
//! ```
//!
//! Reading order: `ops` (what an instruction is, and all of them), `decode` (from MLIR to instructions), `exec`
//! (control flow and lanes; below it memory, warps, poison and the order of warps), the races and banks of the
//! room above (the checks).
//!
//! Deliberately missing: timing, caches, tensor memory, products whose operands are in memory, clusters,
//! and blocks that wait for each other; blocks run one after the other.
#![forbid(unsafe_code)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "registers hold bit patterns: instructions cut them to a width and read them with or without a sign"
)]

mod apart;
mod bits;
mod code;
mod data;
mod decode;
mod error;
mod exec;
mod float;
pub mod graph;
pub mod ir;
mod launch;
pub mod marks;
mod memory;
mod ops;
mod origin;
mod program;
mod report;
#[cfg(test)]
mod tests;
pub mod text;

pub use data::{ArgSpec, ArgValue, Comparison, ElementTy, Fill, Tolerance, compare, initial_bytes};
pub use decode::{Decoded, ModuleInfo, decode, decode_generic};
pub use error::{FaultKind, KernelError, Site, ThreadPlace};
pub use float::FloatTy;
pub use launch::{Arg, Arrival, Launch, Machine, Schedule};
pub use memory::{BufferId, Memory};
pub use ops::list_operations;
pub use program::{Param, ParamTy, Program};
pub use report::json_string;
pub use report::{GlobalUse, LineUse, Report, SharedUse};
