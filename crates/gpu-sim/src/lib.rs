//! CPU simulator of lowered GPU kernels with dynamic checks.
//!
//! A [`Program`] is a decoded kernel: basic blocks of instructions over scalar registers, each with one value per lane
//! of a thread block. A [`Launch`] runs the program over a grid on a [`Machine`], with the buffers of a [`Memory`], and
//! returns a [`Report`].
//!
//! The run stops at the first fault with a [`KernelError`], which names the operation, its source location, the lane,
//! the warp and the thread block. Faults are out-of-bounds and misaligned accesses, reads of uninitialised memory, data
//! races, barriers and shuffles in divergent code, integer divisions by zero or with overflow, and uses of undefined
//! values.
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
//! Modules in dependency order; each module uses only modules to its left:
//! ```text
//! bits, error, graph, marks, memory ◄ float, launch, report ◄ code, data, ir ◄ tensor_map ◄ exec, text ◄ parallel, decode ◄ ops, run ◄ kernel
//! ```
//! Reading order: `ir` (a module as data), `exec` (programs, control flow, lanes, memory, poison, scheduling of warps),
//! `decode` (from operations to instructions), `ops` (all operations, one file per family), `kernel` and `run` (the
//! entry points).
//!
//! Timing, caches and tensor memory are not modelled; of clusters, only the barrier and loads from other blocks are.
//! Thread blocks run one after the other, except if a thread block waits for another thread block.
#![forbid(unsafe_code)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "registers hold bit patterns, which instructions truncate and interpret as signed or unsigned"
)]

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
mod parallel;
mod report;
mod run;
mod tensor_map;
#[cfg(test)]
mod tests;
mod text;

pub use code::{Param, ParamTy};
pub use data::{ArgSpec, ArgValue, Comparison, ElementTy, Fill, Tolerance, compare, initial_bytes};
pub use decode::{Decoded, ModuleInfo};
pub use error::{FaultKind, KernelError, Site, ThreadId};
pub use exec::program::Program;
pub use float::FloatTy;
pub use kernel::{decode, decode_generic};
pub use launch::{Arg, Arrival, Launch, Machine, Schedule};
pub use memory::{BufferId, Memory};
pub use ops::list_operations;
pub use report::{GlobalUse, LineUse, Report, SharedUse, json_string};
pub use tensor_map::{PixelOrder, Swizzle, TensorElement, TensorMap};
pub use text::read_generic;

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
