//! Names of attributes that stand on a module, a function or an argument without being declared there.
//!
//! What an operation declares is read through its view in [`super::ops`]; these belong to no declaration,
//! so their names stand here and nowhere else.

use melior::ir::OperationRef;
use melior::ir::attribute::BoolAttribute;
use melior::ir::operation::OperationLike;

/// On a module or a function: warps that run it, of one CTA.
pub const NUM_WARPS: &str = "ttg.num-warps";
/// On a module: lanes of a warp.
pub const THREADS_PER_WARP: &str = "ttg.threads-per-warp";
/// On a module: CTAs of a cluster.
pub const NUM_CTAS: &str = "ttg.num-ctas";
/// On a module: the GPU that it is for, as `cuda:90` or `hip:gfx942`.
pub const TARGET: &str = "ttg.target";
/// On a module: registers that a thread may use.
pub const MAX_REGISTERS: &str = "ttg.maxnreg";
/// On a lowered module: bytes of shared memory that a CTA needs.
pub const SHARED_BYTES: &str = "ttg.shared";
/// On a module lowered for Triton's runtime: warps of a CTA, those of partitions too.
pub const TOTAL_NUM_WARPS: &str = "ttg.total-num-warps";
/// On a module lowered for Triton's runtime: columns of tensor memory that a CTA needs.
pub const TENSOR_MEMORY_COLUMNS: &str = "ttg.tensor_memory_size";
/// On a module lowered for Triton's runtime: bytes of global memory that a program needs for itself.
pub const GLOBAL_SCRATCH_BYTES: &str = "ttg.global_scratch_memory_size";
/// On a module lowered for Triton's runtime: what their address is a multiple of.
pub const GLOBAL_SCRATCH_ALIGNMENT: &str = "ttg.global_scratch_memory_alignment";
/// On a module lowered for Triton's runtime: bytes of global memory that a tool needs for a program.
pub const PROFILE_SCRATCH_BYTES: &str = "ttg.profile_scratch_memory_size";
/// On a module lowered for Triton's runtime: what their address is a multiple of.
pub const PROFILE_SCRATCH_ALIGNMENT: &str = "ttg.profile_scratch_memory_alignment";
/// On a module: whether pairs of CTAs do matrix products together.
pub const TWO_CTAS: &str = "ttng.two-ctas";
/// On a loop: how many of its rounds become one.
pub const UNROLL_FACTOR: &str = "tt.loop_unroll_factor";
/// On an argument or an operation: what divides the first of elements that follow each other: a pointer's address
/// in bytes, or an integer.
pub const DIVISIBILITY: &str = "tt.divisibility";
/// On an argument or an operation: how many elements in a row follow each other.
pub const CONTIGUITY: &str = "tt.contiguity";
/// On an argument or an operation: how many elements in a row are equal.
pub const CONSTANCY: &str = "tt.constancy";
/// On a function: whether it stays a function of its own where it is called.
pub const NOINLINE: &str = "noinline";
/// On a constant of a lowered module: it stands for the value of a lane that a masked load without `other` skips.
pub const UNSET: &str = "ttg.unset";

/// Whether one of these stands on an operation and is `true`.
#[must_use]
pub fn is_true(op: OperationRef<'_, '_>, name: &str) -> bool {
    op.attribute(name)
        .ok()
        .and_then(|attribute| BoolAttribute::try_from(attribute).ok())
        .is_some_and(|attribute| attribute.value())
}
