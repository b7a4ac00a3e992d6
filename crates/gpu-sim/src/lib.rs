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
//! Modules, each of which uses only those to its left:
//! ```text
//! bits, error, graph, marks, memory ◄ float, launch, report ◄ code, data, ir ◄ tensor_map ◄ exec, text ◄ apart, decode ◄ ops, run ◄ kernel
//! ```
//! Reading order: `ir` (a module as data), `exec` (what an instruction and a program are; control flow, lanes, memory,
//! poison, the order of warps), `decode` (from operations to instructions), `ops` (all operations, a file for each
//! family), `kernel` and `run` (what users call).
//!
//! Deliberately missing: timing, caches, tensor memory, clusters, and blocks that wait for each other; blocks run one after the other.
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
mod kernel;
mod launch;
pub mod marks;
mod memory;
mod ops;
mod report;
mod run;
mod tensor_map;
#[cfg(test)]
mod tests;
mod text;

pub use code::{Param, ParamTy};
pub use data::{ArgSpec, ArgValue, Comparison, ElementTy, Fill, Tolerance, compare, initial_bytes};
pub use decode::{Decoded, ModuleInfo};
pub use error::{FaultKind, KernelError, Site, ThreadPlace};
pub use exec::program::Program;
pub use float::FloatTy;
pub use kernel::{decode, decode_generic};
pub use launch::{Arg, Arrival, Launch, Machine, Schedule};
pub use memory::{BufferId, Memory};
pub use ops::list_operations;
pub use report::{GlobalUse, LineUse, Report, SharedUse, json_string};
pub use tensor_map::{Swizzle, TensorElement, TensorMap};
pub use text::read_generic;
