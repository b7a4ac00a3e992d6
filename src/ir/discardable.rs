//! Names of discardable attributes of modules, functions and arguments.
//!
//! Declared attributes are read through the views of [`super::ops`].

use melior::ir::OperationRef;
use melior::ir::attribute::BoolAttribute;
use melior::ir::operation::OperationLike;

/// Attribute of a module or function: number of warps per CTA.
pub const NUM_WARPS: &str = "ttg.num-warps";
/// Attribute of a module: number of lanes per warp.
pub const THREADS_PER_WARP: &str = "ttg.threads-per-warp";
/// Attribute of a module: number of CTAs per cluster.
pub const NUM_CTAS: &str = "ttg.num-ctas";
/// Attribute of a module: the target GPU, for example `cuda:90` or `hip:gfx942`.
pub const TARGET: &str = "ttg.target";
/// Attribute of a module: maximum number of registers per thread.
pub const MAX_REGISTERS: &str = "ttg.maxnreg";
/// Attribute of a lowered module: size of the shared memory per CTA in bytes.
pub const SHARED_BYTES: &str = "ttg.shared";
/// Attribute of a module lowered for Triton's runtime: number of warps per CTA, including the warps of
/// `ttg.warp_specialize` partitions.
pub const TOTAL_NUM_WARPS: &str = "ttg.total-num-warps";
/// Attribute of a module lowered for Triton's runtime: number of tensor-memory columns per CTA.
pub const TENSOR_MEMORY_COLUMNS: &str = "ttg.tensor_memory_size";
/// Attribute of a module lowered for Triton's runtime: size of the global scratch memory in bytes for each instance
/// of a kernel.
pub const GLOBAL_SCRATCH_BYTES: &str = "ttg.global_scratch_memory_size";
/// Attribute of a module lowered for Triton's runtime: alignment of the global scratch memory in bytes.
pub const GLOBAL_SCRATCH_ALIGNMENT: &str = "ttg.global_scratch_memory_alignment";
/// Attribute of a module lowered for Triton's runtime: number of bytes of global memory that a profiling tool needs
/// for each instance of a kernel.
pub const PROFILE_SCRATCH_BYTES: &str = "ttg.profile_scratch_memory_size";
/// Attribute of a module lowered for Triton's runtime: alignment of the profiling tool's memory in bytes.
pub const PROFILE_SCRATCH_ALIGNMENT: &str = "ttg.profile_scratch_memory_alignment";
/// Attribute of a module: true if pairs of CTAs compute matrix products together.
pub const TWO_CTAS: &str = "ttng.two-ctas";
/// Attribute of a loop: the number of stages of its software pipeline.
pub const NUM_STAGES: &str = "tt.num_stages";
/// Attribute of a loop: the unroll factor.
pub const UNROLL_FACTOR: &str = "tt.loop_unroll_factor";
/// Attribute of an argument or operation: a number that divides the first element of each run of consecutive
/// elements.
///
/// The elements of a tensor of pointers are addresses in bytes.
pub const DIVISIBILITY: &str = "tt.divisibility";
/// Attribute of an argument or operation: the length of runs of consecutive elements.
pub const CONTIGUITY: &str = "tt.contiguity";
/// Attribute of an argument or operation: the length of runs of equal elements.
pub const CONSTANCY: &str = "tt.constancy";
/// Attribute of a function: true if calls are not inlined.
pub const NOINLINE: &str = "noinline";
/// Attribute of a constant in a lowered module. It marks a constant that replaces an undefined value, for example
/// in the masked-off lanes of a load without `other`.
pub const UNSET: &str = "ttg.unset";

/// Returns true if the attribute `name` is `true`.
#[must_use]
pub fn is_true(op: OperationRef<'_, '_>, name: &str) -> bool {
    op.attribute(name)
        .ok()
        .and_then(|attribute| BoolAttribute::try_from(attribute).ok())
        .is_some_and(|attribute| attribute.value())
}
