//! TTGIR to the LLVM dialect, one file per family of operations.
//!
//! A tensor value becomes the list of its unique registers: one LLVM value per non-broadcast
//! register of a thread, through loops and branches too. A buffer is two values, an address and a position. Elementwise operations are repeated per
//! register, as LLVM's where LLVM has the same; MLIR's own conversions finish loops and what is of type `index`.
//!
//! Reading order: [`lower_module`], `calls` (which functions), `function`, `state` (what values became), `walk`, `dispatch` (which file lowers what), `emit` (each pure operation once),
//! `memory`, `convert`. `gpu` is the only folder that knows NVVM from ROCDL.
//!
//! Missing on purpose: structs of registers, and index arithmetic that MLIR or LLVM would have to
//! clean up.

mod abi;
mod allocate;
mod areas;
mod assembly;
mod asynchronous;
mod atomic;
#[cfg(test)]
mod attributes {
    mod tests;
}
mod blocks;
mod bounds;
mod branch;
mod buffer;
mod calls;
mod carry;
mod casts;
mod constant;
mod control;
mod convert;
mod copies;
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
mod share;
mod shared;
mod state;
mod steps;
mod tensor_copy;
#[cfg(test)]
mod tests;
mod texts;
mod tuples;
mod types;
mod value;
mod views;
mod walk;
mod warp_group;
mod words;

pub use abi::Abi;
pub use dispatch::can_be_lowered;
pub use memory::MASKED_BITS;
pub use shared::{SharedBytes, SharedLimit};

use crate::ir::discardable::{
    GLOBAL_SCRATCH_ALIGNMENT, GLOBAL_SCRATCH_BYTES, NUM_WARPS, PROFILE_SCRATCH_ALIGNMENT,
    PROFILE_SCRATCH_BYTES, SHARED_BYTES, TENSOR_MEMORY_COLUMNS, THREADS_PER_WARP, TOTAL_NUM_WARPS,
};
use crate::ir::{GpuError, Layouts, ModuleInfo, OpKind, TensorType};
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, Reported, Rewriter};
use areas::ProgramScratch;
use gpu::Gpu;
use linear_layout::target::Target;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, ValueLike};
use std::cell::RefCell;
use std::rc::Rc;
use texts::Texts;

/// How a module is lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How kernels are called.
    pub abi: Abi,
    /// How much shared memory functions take.
    pub shared: SharedBytes,
    /// Whether allocations in shared memory and bounds of indices are marked for the simulator.
    pub bounds: bool,
    /// Calls libraries for every function that they have, also where the lowering has its own.
    pub call_libraries: bool,
    /// What is said of a function that takes more than the GPU has.
    pub shared_limit: SharedLimit,
}

/// A module and those inside it, from the outermost inwards: each has attributes and functions of its own.
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

/// Warps of a CTA where a module without tensors does not say, as in Triton.
const DEFAULT_NUM_WARPS: u32 = 4;

/// Makes a module say how many threads run it where it does not, if nothing in it is laid out over threads.
fn set_defaults<'c>(rewriter: Rewriter<'c>, module: Op<'c>, functions: &[Op<'c>], lanes: u32) {
    let lacks = |name: &str| ModuleInfo::attribute(module, name).is_none();
    let missing: Vec<(&str, u32)> = [(NUM_WARPS, DEFAULT_NUM_WARPS), (THREADS_PER_WARP, lanes)]
        .into_iter()
        .filter(|(name, value)| lacks(name) && !(*name == THREADS_PER_WARP && *value == 32))
        .collect();
    if missing.is_empty() || functions.iter().any(|function| holds_layouts(*function)) {
        return;
    }
    let i32 = IntegerType::new(build::context(module), 32).into();
    for (name, value) in missing {
        let value = IntegerAttribute::new(i32, i64::from(value)).into();
        rewriter.set_attribute(module, name, value);
    }
}

/// Whether a value within an operation has an encoding.
fn holds_layouts(op: Op<'_>) -> bool {
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

/// Lowers every `tt.func` of a module in place, to the LLVM dialect but for what MLIR's own
/// conversions finish: `scf`, `cf`, and what is of type `index` ([`left`]).
///
/// `target` is the GPU to lower for, if one is known; a module without functions needs none.
///
/// # Errors
/// Everything that cannot be lowered, each at its place; the module may then be half lowered.
pub fn lower_module<'c>(
    rewriter: Rewriter<'c>,
    module: Op<'c>,
    target: Result<&'static Target, GpuError>,
    Options {
        abi,
        shared,
        bounds,
        call_libraries,
        shared_limit,
    }: Options,
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
    let checks: Vec<_> = functions.iter().map(|op| dispatch::check(*op)).collect();
    checks.into_iter().collect::<Result<Vec<()>, _>>()?;
    let lanes = target.as_ref().map_or(32, |target| target.lanes);
    set_defaults(rewriter, module, &functions, lanes);
    let info = ModuleInfo::around(module).map_err(fail)?;
    let gpu = select_gpu(info, target).map_err(fail)?;

    let texts = Rc::new(RefCell::new(Texts::default()));
    let mut shared_bytes = 0;
    let mut failed = None;
    let layouts = Layouts::of(module.context());
    let planned = calls::plan(&functions, layouts, gpu, (dispatch::effects, shared))?;
    let scratch = ProgramScratch::of(planned.iter().map(calls::Planned::scratch_end));
    let target = function::Target {
        body,
        gpu,
        abi,
        scratch,
        bounds,
        call_libraries,
        shared_limit,
        texts: Rc::clone(&texts),
        lower: dispatch::lower,
    };
    // A private function that no kernel calls has nobody who could.
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
    let texts = texts.take();
    texts.declare(rewriter, build::context(module), body);
    function::declare_shared_memory(rewriter, module, body, shared_bytes);
    if abi == Abi::Triton {
        gpu.declare_launch(rewriter, build::context(module), body);
    }
    // Whoever reads the module next is to read it for the same GPU.
    ModuleInfo::set_gpu(rewriter, module, gpu.target);
    let mut said = vec![(SHARED_BYTES, shared_bytes)];
    if abi == Abi::Triton {
        said.extend([
            (TOTAL_NUM_WARPS, gpu.num_warps),
            (GLOBAL_SCRATCH_BYTES, scratch.bytes[0]),
            (GLOBAL_SCRATCH_ALIGNMENT, scratch.alignment[0]),
            (PROFILE_SCRATCH_BYTES, scratch.bytes[1]),
            (PROFILE_SCRATCH_ALIGNMENT, scratch.alignment[1]),
        ]);
        let has_tensor_memory = gpu.target.instructions.tensor_memory;
        said.extend(has_tensor_memory.then_some((TENSOR_MEMORY_COLUMNS, 0)));
    }
    let i32 = IntegerType::new(build::context(module), 32).into();
    for (name, value) in said {
        let value = IntegerAttribute::new(i32, i64::from(value)).into();
        rewriter.set_attribute(module, name, value);
    }
    Ok(())
}

/// What is left in a module that is not of the LLVM dialect, nor of NVVM or ROCDL beside it.
pub fn left<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let mut left = Vec::new();
    let mut pending = vec![module];
    while let Some(op) = pending.pop() {
        for i in 0..op.region_count() {
            for block in build::blocks(op, i) {
                pending.extend(build::operations(block));
            }
        }
        let name = op.name();
        if !emit::is_lowered(name.as_string_ref().as_str().unwrap_or_default()) {
            left.push(op);
        }
    }
    left
}

/// Checks that nothing is left in a module after the last conversion.
///
/// # Errors
/// Every operation that is, each at its place.
pub fn check_lowered(module: Op<'_>) -> Result<(), Reported> {
    let mut outcome = Ok(());
    for op in left(module) {
        let diagnostic = Diagnostic::new("was not converted to the LLVM dialect")
            .note("no conversion supports it on these types");
        outcome = Err(sys::emit_error(op, &diagnostic));
    }
    outcome
}

fn select_gpu(
    info: ModuleInfo,
    target: Result<&'static Target, GpuError>,
) -> Result<Gpu, Diagnostic> {
    let target = target?;
    if u64::from(target.lanes) != info.threads_per_warp {
        return Err(Diagnostic::new(format!(
            "has {} threads per warp, but a warp of {} has {}",
            info.threads_per_warp, target.name, target.lanes
        ))
        .note("compile the kernel for this GPU, or choose a target whose warps fit"));
    }
    if info.num_ctas != 1 {
        return Err(Diagnostic::new(format!(
            "uses clusters, which are not supported: `ttg.num-ctas` is {}, expected 1",
            info.num_ctas
        )));
    }
    let threads = info.threads_per_cta();
    let fits = threads <= u64::from(target.max_threads);
    let Some(num_warps) = u32::try_from(info.num_warps).ok().filter(|_| fits) else {
        return Err(Diagnostic::new(format!(
            "has {threads} threads per CTA ({} warps of {}), but {} allows {}",
            info.num_warps, info.threads_per_warp, target.name, target.max_threads
        )));
    };
    Ok(gpu::choose(target, num_warps))
}
