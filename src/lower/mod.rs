//! Lowering of TTGIR to the LLVM dialect. Each file lowers one family of operations.
//!
//! A tensor becomes a list of LLVM values, one per register, without replicas. Loops and branches carry this list. A
//! memdesc becomes two values, address and offset. Elementwise operations are emitted per register. Remaining `index`
//! values are left to MLIR's conversions.
//!
//! Reading order: [`lower_module`], `calls` (call graph and frames), `function`, `state` (value map), `walk`,
//! `dispatch` (operation to family), `emit` (IR builder with value numbering), `memory`, `convert`. Only `gpu`
//! distinguishes NVVM from ROCDL.
//!
//! There are no structs of registers, and no index arithmetic for MLIR or LLVM to simplify.

mod abi;
mod allocate;
mod areas;
mod assembly;
pub(crate) mod asynchronous;
mod atomic;
#[cfg(test)]
mod attributes {
    mod tests;
}
mod blocks;
mod bounds;
mod branch;
mod broadcast;
mod buffer;
mod calls;
mod carry;
mod casts;
mod constant;
mod control;
mod convert;
mod copies;
mod declarations;
mod dispatch;
mod elementwise;
mod emit;
mod externs;
mod float;
mod float4;
mod float8;
mod format;
mod function;
mod gather;
mod gpu;
mod histogram;
mod index;
mod inline;
mod integer;
mod lane_reductions;
mod library;
mod local;
mod math;
mod mbarrier;
mod memory;
mod plans;
mod poll;
mod print;
pub(crate) mod product;
mod program;
mod range;
mod reduce;
mod remainder;
mod scan;
mod scratch;
mod shared;
mod stagger;
mod state;
mod steps;
mod tensor_copy;
#[cfg(test)]
mod tests;
mod tuples;
mod types;
mod value;
mod views;
mod walk;
mod warp_group;
mod warp_specialize;
mod words;

pub use abi::Abi;
pub(crate) use copies::copied_bytes;
pub use dispatch::can_be_lowered;
pub use lane_reductions::LaneReductions;
pub use memory::MASKED_BITS;
pub use shared::{SharedBytes, SharedLimit};

use crate::analysis::axis::Indices;
use crate::ir::discardable::{
    GLOBAL_SCRATCH_ALIGNMENT, GLOBAL_SCRATCH_BYTES, NUM_WARPS, PROFILE_SCRATCH_ALIGNMENT,
    PROFILE_SCRATCH_BYTES, SHARED_BYTES, TENSOR_MEMORY_COLUMNS, THREADS_PER_WARP, TOTAL_NUM_WARPS,
};
use crate::ir::{GpuError, Layouts, ModuleInfo, OpKind, TensorType, partitions};
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, Reported, Rewriter};
use areas::ProgramScratch;
use declarations::Declarations;
use gpu::Gpu;
use linear_layout::target::Target;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, ValueLike};
use std::cell::RefCell;
use std::rc::Rc;

/// Options of [`lower_module`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoweringOptions {
    /// Kernel calling convention.
    pub abi: Abi,
    /// Rule that limits the shared memory of a function.
    pub shared: SharedBytes,
    /// Strategy for reductions across the lanes of a warp.
    pub lane_reductions: LaneReductions,
    /// Assumptions about indices. They affect only the widths and the addresses of global accesses.
    pub indices: Indices,
    /// If true, shared-memory allocations and index bounds are annotated for the simulator, which checks them.
    pub bounds: bool,
    /// If true, functions of the vendor's device library are called. If false, a function that has an expansion is
    /// emitted inline instead.
    pub call_libraries: bool,
    /// Severity of the diagnostic for a function that needs more shared memory than the GPU has.
    pub shared_limit: SharedLimit,
    /// If true, emits a remark for each operation that uses shared memory. The remark states the wavefronts, bank
    /// conflicts and barriers.
    pub explain: bool,
}

/// Returns a module and its nested modules, outer modules first.
#[must_use]
pub fn modules(module: Op<'_>) -> Vec<Op<'_>> {
    let mut found = vec![module];
    let mut next = 0;
    while let Some(module) = found.get(next).copied() {
        found.extend(crate::ir::inner_modules(module));
        next += 1;
    }
    found
}

/// Default value of `ttg.num-warps`, the same as in Triton. It is used only for modules without encodings.
const DEFAULT_NUM_WARPS: u32 = 4;

/// Sets `ttg.num-warps` if it is missing. Also sets `ttg.threads-per-warp` to `lanes` if it is missing and `lanes`
/// is not 32.
///
/// A module that contains encodings is not changed, because its layouts depend on these attributes.
fn set_defaults<'c>(rewriter: Rewriter<'c>, module: Op<'c>, functions: &[Op<'c>], lanes: u32) {
    let lacks = |name: &str| ModuleInfo::attribute(module, name).is_none();
    let missing: Vec<(&str, u32)> = [(NUM_WARPS, DEFAULT_NUM_WARPS), (THREADS_PER_WARP, lanes)]
        .into_iter()
        .filter(|(name, value)| lacks(name) && !(*name == THREADS_PER_WARP && *value == 32))
        .collect();
    if missing.is_empty() || functions.iter().any(|function| has_encodings(*function)) {
        return;
    }
    let i32 = IntegerType::new(build::context(module), 32).into();
    for (name, value) in missing {
        let value = IntegerAttribute::new(i32, i64::from(value)).into();
        rewriter.set_attribute(module, name, value);
    }
}

fn has_encodings(op: Op<'_>) -> bool {
    let has_encoding = |type_: Type<'_>| {
        sys::buffer(type_).is_some()
            || TensorType::of(type_).is_some_and(|tensor| tensor.encoding.is_some())
    };
    let mut pending = vec![op];
    while let Some(op) = pending.pop() {
        if op.results().any(|result| has_encoding(result.r#type())) {
            return true;
        }
        for i in 0..op.region_count() {
            for block in build::blocks(op, i) {
                let arguments = emit::block_arguments(block);
                if arguments
                    .iter()
                    .any(|argument| has_encoding(argument.r#type()))
                {
                    return true;
                }
                pending.extend(build::operations(block));
            }
        }
    }
    false
}

/// Lowers every `tt.func` of a module in place to the LLVM dialect.
///
/// `target` is the GPU, or an error if the GPU is unknown. A module without functions ignores this error.
/// Operations on values of type `index` may remain. [`unlowered`] returns these operations, and MLIR's conversions
/// lower them.
///
/// # Errors
/// Reports each operation that cannot be lowered. The module may then be partly lowered.
pub fn lower_module<'c>(
    rewriter: Rewriter<'c>,
    module: Op<'c>,
    target: Result<&'static Target, GpuError>,
    LoweringOptions {
        abi,
        shared,
        lane_reductions,
        indices,
        bounds,
        call_libraries,
        shared_limit,
        explain,
    }: LoweringOptions,
) -> Result<(), Reported> {
    let fail = |diagnostic: Diagnostic| sys::emit_error(module, &diagnostic);
    let Some(body) = build::module_body(module) else {
        return Ok(());
    };
    let functions: Vec<Op<'_>> = build::operations(body)
        .into_iter()
        .filter(|op| OpKind::TtFunc.is(*op))
        .collect();
    if functions.is_empty() {
        return Ok(());
    }
    dispatch::check(&functions, dispatch::unlowered)?;
    let lanes = target.as_ref().map_or(32, |target| target.lanes);
    set_defaults(rewriter, module, &functions, lanes);
    let info = ModuleInfo::around(module).map_err(fail)?;
    let gpu = select_gpu(module, info, target).map_err(fail)?;
    dispatch::check(&functions, |kind| warp_specialize::refuse(kind, gpu))?;
    if gpu.num_ctas > 1 {
        dispatch::check(&functions, |kind| {
            dispatch::one_cta_only(kind, gpu.num_ctas)
        })?;
    }

    let declarations = Rc::new(RefCell::new(Declarations::default()));
    let mut shared_bytes = 0;
    let mut failed = None;
    let layouts = Layouts::of(module.context());
    let planning = allocate::Planning {
        effects: dispatch::effects,
        shared,
        lane_reductions,
        explain,
    };
    let planned = calls::plan(&functions, layouts, gpu, planning)?;
    let scratch = ProgramScratch::of(planned.iter().map(calls::FunctionPlan::scratch_end));
    let target = function::ModuleContext {
        body,
        gpu,
        abi,
        scratch,
        indices,
        bounds,
        call_libraries,
        shared_limit,
        declarations: Rc::clone(&declarations),
        lower: dispatch::lower,
    };
    // Private functions that are unreachable from kernels have no plan and are dropped.
    for planned in planned {
        shared_bytes = shared_bytes.max(planned.end());
        if let Err(reported) = function::lower(rewriter, planned, &target) {
            failed = Some(reported);
        }
    }
    if let Some(reported) = failed {
        return Err(reported);
    }
    for function in functions {
        rewriter.erase(function);
    }
    drop(target);
    let declarations = declarations.take();
    declarations.declare(rewriter, build::context(module), body);
    function::declare_shared_memory(rewriter, module, body, shared_bytes);
    if abi == Abi::Triton {
        gpu.declare_launch(rewriter, build::context(module), body);
    }
    // Later passes must use the same GPU.
    ModuleInfo::set_gpu(rewriter, module, gpu.target);
    let mut attributes = vec![(SHARED_BYTES, shared_bytes)];
    if abi == Abi::Triton {
        attributes.extend([
            (TOTAL_NUM_WARPS, gpu.cta_warps),
            (GLOBAL_SCRATCH_BYTES, scratch.bytes[0]),
            (GLOBAL_SCRATCH_ALIGNMENT, scratch.alignment[0]),
            (PROFILE_SCRATCH_BYTES, scratch.bytes[1]),
            (PROFILE_SCRATCH_ALIGNMENT, scratch.alignment[1]),
        ]);
        let has_tensor_memory = gpu.target.instructions.tensor_memory;
        attributes.extend(has_tensor_memory.then_some((TENSOR_MEMORY_COLUMNS, 0)));
    }
    let i32 = IntegerType::new(build::context(module), 32).into();
    for (name, value) in attributes {
        let value = IntegerAttribute::new(i32, i64::from(value)).into();
        rewriter.set_attribute(module, name, value);
    }
    Ok(())
}

/// Returns the operations in a module that are not in the LLVM, NVVM or ROCDL dialect.
pub fn unlowered<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let mut unlowered = Vec::new();
    let mut pending = vec![module];
    while let Some(op) = pending.pop() {
        for i in 0..op.region_count() {
            for block in build::blocks(op, i) {
                pending.extend(build::operations(block));
            }
        }
        let name = op.name();
        if !emit::is_lowered(name.as_string_ref().as_str().unwrap_or_default()) {
            unlowered.push(op);
        }
    }
    unlowered
}

/// Checks that all operations are in the LLVM dialect, NVVM or ROCDL.
///
/// # Errors
/// Reports each operation of another dialect.
pub fn check_lowered(module: Op<'_>) -> Result<(), Reported> {
    let mut outcome = Ok(());
    for op in unlowered(module) {
        let diagnostic = Diagnostic::new("was not converted to the LLVM dialect")
            .note("no conversion supports this operation on these types");
        outcome = Err(sys::emit_error(op, &diagnostic));
    }
    outcome
}

fn select_gpu(
    module: Op<'_>,
    info: ModuleInfo,
    target: Result<&'static Target, GpuError>,
) -> Result<Gpu, Diagnostic> {
    let target = target?;
    if u64::from(target.lanes) != info.threads_per_warp {
        return Err(Diagnostic::new(format!(
            "has {} threads per warp, but {} requires {}",
            info.threads_per_warp, target.name, target.lanes
        ))
        .note(format!(
            "compile the kernel for {}, or choose a target with {} threads per warp",
            target.name, info.threads_per_warp
        )));
    }
    let num_warps = u32::try_from(info.num_warps).unwrap_or(u32::MAX);
    let cta_warps = partitions::cta_warps(module, num_warps);
    let threads = u64::from(cta_warps) * info.threads_per_warp;
    if threads > u64::from(target.max_threads) {
        return Err(Diagnostic::new(format!(
            "has {threads} threads per CTA ({cta_warps} warps of {} threads), but {} allows at most {}",
            info.threads_per_warp, target.name, target.max_threads
        )));
    }
    let most = target.max_ctas;
    let num_ctas = u32::try_from(info.num_ctas).unwrap_or(u32::MAX);
    if num_ctas > most {
        let found = Diagnostic::new(format!(
            "requires `ttg.num-ctas` to be at most {most} on {}, but got {}",
            target.name, info.num_ctas
        ));
        return Err(match most {
            1 => found.note("clusters of several CTAs are supported on `cuda:90` and later"),
            _ => found,
        });
    }
    Ok(gpu::choose(target, [num_warps, cta_warps], num_ctas))
}
