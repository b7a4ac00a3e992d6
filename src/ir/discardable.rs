//! Names of discardable attributes of modules, functions and arguments.
//!
//! Declared attributes are read through the views of [`super::ops`].

use melior::ir::OperationRef;
use melior::ir::attribute::BoolAttribute;
use melior::ir::operation::OperationLike;

/// On a module or function: warps per CTA.
pub const NUM_WARPS: &str = "ttg.num-warps";
/// On a module: lanes per warp.
pub const THREADS_PER_WARP: &str = "ttg.threads-per-warp";
/// On a module: CTAs per cluster.
pub const NUM_CTAS: &str = "ttg.num-ctas";
/// On a module: the target GPU, for example `cuda:90` or `hip:gfx942`.
pub const TARGET: &str = "ttg.target";
/// On a module: maximum number of registers per thread.
pub const MAX_REGISTERS: &str = "ttg.maxnreg";
/// On a lowered module: bytes of shared memory per CTA.
pub const SHARED_BYTES: &str = "ttg.shared";
/// On a module lowered for Triton's runtime: warps per CTA, including those of partitions.
pub const TOTAL_NUM_WARPS: &str = "ttg.total-num-warps";
/// On a module lowered for Triton's runtime: columns of tensor memory per CTA.
pub const TENSOR_MEMORY_COLUMNS: &str = "ttg.tensor_memory_size";
/// On a module lowered for Triton's runtime: bytes of global scratch memory per program.
pub const GLOBAL_SCRATCH_BYTES: &str = "ttg.global_scratch_memory_size";
/// On a module lowered for Triton's runtime: alignment of global scratch memory in bytes.
pub const GLOBAL_SCRATCH_ALIGNMENT: &str = "ttg.global_scratch_memory_alignment";
/// On a module lowered for Triton's runtime: bytes of global memory per program for a profiling tool.
pub const PROFILE_SCRATCH_BYTES: &str = "ttg.profile_scratch_memory_size";
/// On a module lowered for Triton's runtime: alignment of the profiling tool's memory in bytes.
pub const PROFILE_SCRATCH_ALIGNMENT: &str = "ttg.profile_scratch_memory_alignment";
/// On a module: true if pairs of CTAs compute matrix products together.
pub const TWO_CTAS: &str = "ttng.two-ctas";
/// On a loop: the number of stages of its software pipeline.
pub const NUM_STAGES: &str = "tt.num_stages";
/// On a loop: the unroll factor.
pub const UNROLL_FACTOR: &str = "tt.loop_unroll_factor";
/// On an argument or operation: a divisor of the first element in each contiguous run.
///
/// For pointers, the element is the address in bytes.
pub const DIVISIBILITY: &str = "tt.divisibility";
/// On an argument or operation: the length of runs of consecutive elements.
pub const CONTIGUITY: &str = "tt.contiguity";
/// On an argument or operation: the length of runs of equal elements.
pub const CONSTANCY: &str = "tt.constancy";
/// On a function: true if calls are not inlined.
pub const NOINLINE: &str = "noinline";
/// On a constant in a lowered module: marks a constant that replaces an undefined value, for example in the
/// masked-off lanes of a load without `other`.
pub const UNSET: &str = "ttg.unset";

/// Returns true if the attribute `name` is `true`.
#[must_use]
pub fn is_true(op: OperationRef<'_, '_>, name: &str) -> bool {
    op.attribute(name)
        .ok()
        .and_then(|attribute| BoolAttribute::try_from(attribute).ok())
        .is_some_and(|attribute| attribute.value())
}
