//! Function calls, planning order and shared-memory frames.
//!
//! Private functions become internal functions with arguments and results in registers. Recursion is an error, so
//! frames have static offsets; a callee's frame follows the frames of its callers. A kernel needs as many bytes as its
//! deepest chain of calls.
//!
//! ```text
//! kernel: 1024 bytes at 0, calls f and g      f: 512 at 1024, calls g      g: 256 at 1536
//! ```

use super::allocate::{PlanContext, Planning, SharedMemory};
use super::areas::{Areas, NUM_AREAS, ProgramScratch, Scratch};
use super::blocks::BlockGraph;
use super::emit::block_arguments;
use super::gpu::Gpu;
use super::state::{Lowering, Outcome};
use super::types::is_buffer;
use super::warp_specialize;
use crate::analysis::effects::{AccessTarget, Act, Buffers, Effects, OpId};
use crate::ir::Layouts;
use crate::ir::ops::tt;
use crate::ir::partitions::region_around;
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic, Reported, Text, operation_id};
use gpu_sim::graph;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use std::collections::{HashMap, HashSet};

pub(crate) struct FunctionPlan<'c> {
    pub(crate) function: tt::Func<'c, 'c>,
    pub(crate) graph: BlockGraph<'c>,
    pub(crate) allocation: SharedMemory,
    /// Byte offset of the function's frame in shared memory.
    pub(crate) frame: u32,
    pub(crate) scratch: Scratch,
    /// Byte offset of the function's frame in each scratch area.
    pub(crate) scratch_frame: Areas,
    /// True if the function or one of its callees needs global scratch memory.
    pub(crate) needs_scratch: bool,
    pub(crate) scratch_calls: HashSet<OpId>,
    /// `Some` if an error in the function has been reported.
    pub(crate) reported: Option<Reported>,
}

impl FunctionPlan<'_> {
    pub(crate) fn end(&self) -> u32 {
        self.frame.saturating_add(self.allocation.bytes())
    }

    pub(crate) fn scratch_end(&self) -> (Areas, Areas) {
        let end = |area: usize| self.scratch_frame[area].saturating_add(self.scratch.bytes[area]);
        ([0, 1].map(end), self.scratch.alignment)
    }
}

/// Returns true for a function that is visible outside its module.
pub(crate) fn is_kernel(function: tt::Func<'_, '_>) -> bool {
    function.sym_visibility().and_then(Text::utf8) != Some("private")
}

/// Frame alignment in shared memory, in bytes.
const ALIGNMENT: u32 = 128;

/// Plans the kernels and all functions that kernels reach, callers first.
///
/// # Errors
/// Reports recursive calls, calls to kernels, and calls to functions without a body.
pub(crate) fn plan<'c>(
    functions: &[Op<'c>],
    layouts: &Layouts,
    gpu: Gpu,
    planning: Planning,
) -> Result<Vec<FunctionPlan<'c>>, Reported> {
    let functions: Vec<tt::Func<'c, 'c>> = functions
        .iter()
        .filter_map(|op| tt::Func::of(*op))
        .collect();
    let numbers: HashMap<Text<'_>, usize> = functions
        .iter()
        .enumerate()
        .map(|(i, function)| (function.sym_name(), i))
        .collect();
    let calls: Vec<Vec<(tt::Call<'c, 'c>, usize)>> = functions
        .iter()
        .map(|function| {
            let callee = |call: tt::Call<'c, 'c>| Some((call, *numbers.get(&callee_of(call)?)?));
            calls_in(function.op())
                .into_iter()
                .filter_map(callee)
                .collect()
        })
        .collect();
    let order = callers_first(&functions, &calls)?;

    // Callees first: a function accesses shared memory if a callee does.
    let mut touches = HashSet::new();
    let mut with_scratch = HashSet::new();
    let mut planned: HashMap<usize, FunctionPlan<'c>> = HashMap::new();
    for number in order.iter().rev() {
        let function = functions[*number];
        let calls_of = |callees: &HashSet<usize>| -> HashSet<OpId> {
            let calls = calls[*number].iter();
            let calls = calls.filter(|(_, callee)| callees.contains(callee));
            calls.map(|(call, _)| operation_id(call.op())).collect()
        };
        let (touching, scratch_calls) = (calls_of(&touches), calls_of(&with_scratch));
        let graph = BlockGraph::of(function.op(), 0);
        let (allocation, mut reported) =
            SharedMemory::of(function.op(), layouts, gpu, &touching, planning);
        let scratch = Scratch::of(function.op()).unwrap_or_else(|(op, diagnostic)| {
            reported = Some(sys::emit_error(op, &diagnostic));
            Scratch::default()
        });
        let needs_scratch = scratch.is_used() || !scratch_calls.is_empty();
        if needs_scratch {
            with_scratch.insert(*number);
        }
        let takes_buffers = graph.entry().is_some_and(|entry| {
            let arguments = block_arguments(entry);
            arguments.iter().any(|a| is_buffer(a.r#type()))
        });
        if allocation.bytes() > 0 || takes_buffers || !touching.is_empty() {
            touches.insert(*number);
        }
        let plan = FunctionPlan {
            function,
            graph,
            allocation,
            frame: 0,
            scratch,
            scratch_frame: [0; NUM_AREAS],
            needs_scratch,
            scratch_calls,
            reported,
        };
        planned.insert(*number, plan);
    }
    let mut frames = vec![0u32; functions.len()];
    let mut scratch_frames = vec![[0u32; NUM_AREAS]; functions.len()];
    // Callee frames use the largest alignment of any frame.
    let alignment = ProgramScratch::of(planned.values().map(FunctionPlan::scratch_end)).alignment;
    Ok(order
        .iter()
        .filter_map(|number| {
            let mut plan = planned.remove(number)?;
            // Aligning an empty frame would only move its end.
            plan.frame = match plan.allocation.bytes() {
                0 => Some(frames[*number]),
                _ => frames[*number].checked_next_multiple_of(ALIGNMENT),
            }
            .unwrap_or(u32::MAX);
            plan.scratch_frame = scratch_frames[*number];
            let (ends, _) = plan.scratch_end();
            for (_, callee) in &calls[*number] {
                frames[*callee] = frames[*callee].max(plan.end());
                for (area, frame) in scratch_frames[*callee].iter_mut().enumerate() {
                    let end = ends[area].checked_next_multiple_of(alignment[area]);
                    *frame = (*frame).max(end.unwrap_or(u32::MAX));
                }
            }
            Some(plan)
        })
        .collect())
}

fn callee_of<'c>(call: tt::Call<'c, 'c>) -> Option<Text<'c>> {
    sys::symbol_name(call.callee())
}

fn calls_in<'c>(function: Op<'c>) -> Vec<tt::Call<'c, 'c>> {
    let mut found = Vec::new();
    let mut pending = vec![function];
    while let Some(op) = pending.pop() {
        found.extend(tt::Call::of(op));
        for region in (0..op.region_count()).rev() {
            for block in build::blocks(op, region).into_iter().rev() {
                pending.extend(build::operations(block).into_iter().rev());
            }
        }
    }
    found
}

/// Returns the indices of the functions that are reachable from kernels. Callers precede their callees.
fn callers_first<'c>(
    functions: &[tt::Func<'c, 'c>],
    calls: &[Vec<(tt::Call<'c, 'c>, usize)>],
) -> Result<Vec<usize>, Reported> {
    let launcher = functions.len();
    let mut successors: Vec<Vec<usize>> = calls
        .iter()
        .map(|calls| calls.iter().map(|(_, callee)| *callee).collect())
        .collect();
    let kernels = (0..launcher).filter(|i| is_kernel(functions[*i]));
    successors.push(kernels.collect());
    let order = graph::reverse_post_order(launcher, &successors);
    let position: HashMap<usize, usize> =
        order.iter().enumerate().map(|(at, n)| (*n, at)).collect();
    let mut wrong = None;
    for number in order.iter().filter(|n| **n != launcher) {
        for (call, callee) in &calls[*number] {
            let function = functions[*callee];
            let name = function.sym_name();
            let diagnostic = if is_kernel(function) {
                Diagnostic::new(format!("callee @{name} must not be a kernel")).note(format!(
                    "make @{name} `private`, or move the shared code into a `private` function"
                ))
            } else if position[callee] <= position[number] {
                Diagnostic::new(format!("recursive call to @{name} is not supported"))
                    .note("replace the recursion by a loop")
            } else if build::blocks(function.op(), 0).is_empty() {
                Diagnostic::new(format!("callee @{name} has no body in this module"))
                    .note(format!("define @{name} in this module, or call an external function with `tt.extern_elementwise`"))
            } else {
                continue;
            };
            wrong = Some(sys::emit_error(call.op(), &diagnostic));
        }
    }
    match wrong {
        Some(reported) => Err(reported),
        None => Ok(order.into_iter().filter(|n| *n != launcher).collect()),
    }
}

/// Returns the return type of a lowered function whose results are held in registers of the types `registers`. The
/// return type is void if there are no registers, the register's type if there is one, and a struct otherwise.
pub(crate) fn returned_type<'c>(l: &Lowering<'c>, registers: &[Type<'c>]) -> Type<'c> {
    match registers {
        [] => l.e.void_type(),
        [one] => *one,
        many => l.e.struct_type(many),
    }
}

pub(crate) fn return_<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    warp_specialize::end_kernel(l);
    let registers = l.operands(op);
    let value = match registers[..] {
        [] => None,
        [one] => Some(one),
        _ => {
            let types: Vec<Type<'c>> = registers.iter().map(ValueLike::r#type).collect();
            let all = returned_type(l, &types);
            let undefined = l.e.undefined(all);
            let insert =
                |all, (i, register): (usize, &Val<'c>)| l.e.insert_value(all, *register, i);
            Some(registers.iter().enumerate().fold(undefined, insert))
        }
    };
    l.e.return_(value);
    Ok(())
}

/// Returns the shared-memory effects of a call. A callee may access its allocations and memdesc arguments, and may
/// return its arguments.
pub(crate) fn effects(context: &PlanContext<'_>, op: Op<'_>, buffers: &Buffers) -> Effects {
    if !context.calls.contains(&operation_id(op)) {
        return Effects::forwarding(buffers);
    }
    let mut effects = Effects::unknown(buffers);
    effects.acts.push(Act::Read(AccessTarget::External));
    effects.acts.push(Act::Write(AccessTarget::External));
    effects
}

pub(crate) fn call<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let call = tt::Call::of(op).expect("the dispatch goes by kind");
    // The callee is lowered for the default warps.
    if region_around(op).is_some_and(|(_, region)| region > 0) {
        return Err(
            Diagnostic::new("is not supported in a partition of `ttg.warp_specialize`")
                .note("inline the function into the partition"),
        );
    }
    let results = call.unnamed_0();
    let (types, counts) = l.types_of_all(&results)?;
    let mut operands = l.operands(op);
    operands.extend(l.scratch_of_call(op));
    let returned = (!types.is_empty()).then(|| returned_type(l, &types));
    let called = l.e.call(call.callee(), &operands, returned);
    let registers: Vec<Val<'c>> = match (called, &types[..]) {
        (Some(value), [_]) => vec![value],
        (Some(value), types) => types
            .iter()
            .enumerate()
            .map(|(i, type_)| l.e.extract_value(value, i, *type_))
            .collect(),
        (None, _) => Vec::new(),
    };
    l.distribute(results.into_iter(), &counts, &registers);
    Ok(())
}
