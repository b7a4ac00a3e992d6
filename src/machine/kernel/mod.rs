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
//! use linear_layout::machine::kernel::*;
//! // out[thread] = thread, for one block of 32 threads.
//! let mut b = ProgramBuilder::new("iota");
//! let out = b.param(ParamTy::Pointer);
//! let entry = b.block();
//! b.switch_to(entry);
//! let [thread, addr] = [b.reg(), b.reg()];
//! b.push(Op::Special { dst: thread, what: Special::Thread(0) });
//! b.push(Op::Scale { bits: 64, dst: addr, base: out, index: thread, index_bits: 32, scale: 4 });
//! let fields = Box::new([Field { reg: thread, offset: 0, bytes: 4 }]);
//! b.push(Op::Store(Box::new(Access {
//!     space: Space::Global, addr, offset: 0, fields, size: 4, align: 4, guard: None,
//! })));
//! b.terminate(Terminator::Return);
//! let program = b.finish()?;
//!
//! let mut memory = Memory::default();
//! let buffer = memory.add("out", vec![0; 128]);
//! let launch = Launch::new(Machine::nvidia()).block([32, 1, 1]).args([Arg::Buffer(buffer)]);
//! let report = launch.run(&program, &mut memory)?;
//! assert_eq!(memory.bytes(buffer)[4..8], [1, 0, 0, 0]);
//! assert_eq!(report.global["st.global b32"].sectors, 4);
//! # Ok::<(), KernelError>(())
//! ```
//!
//! Reading order: [`Op`] and [`Program`], then `exec` (control flow and arithmetic), `access`
//! (memory), `warp` (cross-lane), the races and banks of the room above (the checks).
//!
//! Deliberately missing: timing, caches, tensor memory, matrix multiply instructions, clusters,
//! and blocks that wait for each other; blocks run one after the other.

mod access;
mod data;
mod decode;
mod error;
mod eval;
mod exec;
mod float;
mod launch;
mod memory;
mod op;
mod program;
mod report;
#[cfg(test)]
mod tests;
mod text;
mod warp;

pub use data::{ArgSpec, ArgValue, Comparison, ElementTy, Fill, Tolerance, compare, initial_bytes};
pub use decode::{Decoded, ModuleInfo, decode_generic};
pub use error::{FaultKind, KernelError, Site, ThreadPlace};
pub use float::FloatTy;
pub use launch::{Arg, Launch, Machine, Schedule};
pub use memory::{BufferId, Memory};
pub use op::{
    Access, AtomicOp, BlockId, BufferAccess, Claim, Edge, Field, FloatOp, FloatPred, FloatUnary,
    Guard, IntOp, IntPred, IntUnary, Op, PermuteMode, Reg, ShuffleKind, Space, Special, Terminator,
    VoteKind, WaveOp,
};
pub use program::{Block, GlobalSymbol, Param, ParamTy, Program, ProgramBuilder, SharedSymbol};
pub use report::{GlobalUse, Report, SharedUse};
