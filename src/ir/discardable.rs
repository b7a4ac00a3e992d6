//! Names of discardable attributes of modules, functions and arguments.
//!
//! Declared attributes are read through the views of [`super::ops`]; these have no declaration, so their names are
//! listed here.

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
/// On a module lowered for Triton's runtime: alignment of that memory in bytes.
pub const GLOBAL_SCRATCH_ALIGNMENT: &str = "ttg.global_scratch_memory_alignment";
/// On a module lowered for Triton's runtime: bytes of global memory that a tool needs for a program.
pub const PROFILE_SCRATCH_BYTES: &str = "ttg.profile_scratch_memory_size";
/// On a module lowered for Triton's runtime: alignment of that memory in bytes.
pub const PROFILE_SCRATCH_ALIGNMENT: &str = "ttg.profile_scratch_memory_alignment";
/// On a module: true if pairs of CTAs carry out matrix products together.
pub const TWO_CTAS: &str = "ttng.two-ctas";
/// On a loop: the unroll factor.
pub const UNROLL_FACTOR: &str = "tt.loop_unroll_factor";
/// On an argument or an operation: divisor of the first of each run of consecutive elements, which are integers or
/// addresses in bytes.
pub const DIVISIBILITY: &str = "tt.divisibility";
/// On an argument or an operation: length of runs of consecutive elements.
pub const CONTIGUITY: &str = "tt.contiguity";
/// On an argument or an operation: length of runs of equal elements.
pub const CONSTANCY: &str = "tt.constancy";
/// On a function: true if calls to it are not inlined.
pub const NOINLINE: &str = "noinline";
/// On a constant of a lowered module: stands for lanes that a masked load without `other` skips.
pub const UNSET: &str = "ttg.unset";

/// Returns true if an operation has one of these attributes with the value `true`.
#[must_use]
pub fn is_true(op: OperationRef<'_, '_>, name: &str) -> bool {
    op.attribute(name)
        .ok()
        .and_then(|attribute| BoolAttribute::try_from(attribute).ok())
        .is_some_and(|attribute| attribute.value())
}
