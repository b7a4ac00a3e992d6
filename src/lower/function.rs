//! Lowering of functions: signatures, argument attributes and bodies.

use super::abi::Abi;
use super::areas::{FunctionScratch, NUM_AREAS, ProgramScratch};
use super::bounds::Bounds;
use super::calls::{self, FunctionPlan};
use super::copies::{self, CountedCopies};
use super::declarations::Declarations;
use super::emit::{self, Emitter, NamedAttr, attributes_of, block_arguments};
use super::gpu::Gpu;
use super::shared::SharedLimit;
use super::state::{LowerFn, Lowering, Outcome, SHARED};
use super::types::{GLOBAL_SPACE, is_descriptor, scalar_type};
use super::{warp_group, warp_specialize};
use crate::analysis::axis::{AxisAnalysis, Indices};
use crate::ir::discardable::DIVISIBILITY;
use crate::ir::ops::tt;
use crate::ir::{Layouts, ModuleInfo, TensorType};
use crate::sys::build::{self, Blk, Op};
use crate::sys::{self, Diagnostic, Reported, Rewriter};
use melior::ir::attribute::{ArrayAttribute, BoolAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Identifier, Type, ValueLike};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub(crate) struct ModuleContext<'c> {
    pub(crate) body: Blk<'c>,
    pub(crate) gpu: Gpu,
    pub(crate) abi: Abi,
    pub(crate) scratch: ProgramScratch,
    pub(crate) indices: Indices,
    /// If true, allocations and index bounds are annotated for the simulator.
    pub(crate) bounds: bool,
    /// If true, functions of the vendor's device library are called. If false, a function that has an expansion is
    /// emitted inline instead.
    pub(crate) call_libraries: bool,
    pub(crate) shared_limit: SharedLimit,
    pub(crate) declarations: Rc<RefCell<Declarations>>,
    pub(crate) lower: LowerFn,
}

pub(crate) fn lower<'c>(
    rewriter: Rewriter<'c>,
    planned: FunctionPlan<'c>,
    target: &ModuleContext<'c>,
) -> Result<(), Reported> {
    let gpu = target.gpu;
    let function = planned.function.op();
    let fail = |diagnostic: Diagnostic| sys::emit_error(function, &diagnostic);
    let is_kernel = calls::is_kernel(planned.function);
    let type_ = FunctionType::try_from(planned.function.function_type())
        .expect("the verifier checked the function's type");
    let Some(entry) = planned.graph.entry() else {
        return Err(fail(Diagnostic::new("a kernel must have a body")));
    };
    if is_kernel && type_.result_count() != 0 {
        return Err(fail(
            Diagnostic::new("a kernel must not return values")
                .note("store the values in memory, or make the function `private` and call it from a kernel"),
        ));
    }
    if let Err(exceeded) = check_shared_memory(&planned, gpu) {
        match target.shared_limit {
            SharedLimit::Error => return Err(fail(exceeded)),
            SharedLimit::Warning => sys::emit_warning(function, &exceeded),
        }
    }

    let registers = gpu.initial_registers(function);
    let context = build::context(function);
    let location = function.location();
    let region = melior::ir::Region::new();
    // Arguments are added once the types of their registers are known.
    let block = rewriter.append_block(&region, &[]);
    let mut lowering = Lowering {
        e: Emitter::new(rewriter, context, location, block),
        gpu,
        axis: AxisAnalysis::of(function),
        assumed_axis: (target.indices != Indices::Any)
            .then(|| AxisAnalysis::with(function, target.indices)),
        allocation: planned.allocation,
        frame: planned.frame,
        bounds: Bounds::new(target.bounds),
        call_libraries: target.call_libraries,
        layouts: Layouts::of(function.context()),
        values: HashMap::new(),
        workers: None,
        registers,
        warp_group: None,
        targets: HashMap::new(),
        yielded: Vec::new(),
        exit: None,
        emitted: planned.reported,
        refused: HashSet::new(),
        declarations: Rc::clone(&target.declarations),
        counted: CountedCopies::default(),
        lower: target.lower,
        scratch: FunctionScratch {
            scratch: planned.scratch,
            frame: planned.scratch_frame,
            program: target.scratch,
            calls: planned.scratch_calls,
            is_kernel,
            arguments: None,
        },
    };
    let l = &mut lowering;
    l.e.separates_copies = gpu.counts_copies_with_loads() && l.allocation.starts_copies();
    let mut arguments = Vec::new();
    let mut counts = Vec::new();
    let types: Vec<Type<'c>> = block_arguments(entry).iter().map(|a| a.r#type()).collect();
    for argument in block_arguments(entry) {
        let registers = argument_types(l, argument.r#type(), is_kernel);
        let registers = registers.unwrap_or_else(|diagnostic| {
            l.emitted = Some(fail(diagnostic));
            l.placeholder_types(argument.r#type())
        });
        counts.push(registers.len());
        for type_ in registers {
            rewriter.add_block_argument(block, type_, location);
            arguments.push(type_);
        }
    }
    if target.abi == Abi::Triton && (is_kernel || planned.needs_scratch) {
        let pointer = l.e.pointer_type(GLOBAL_SPACE);
        l.scratch.arguments = Some([(); NUM_AREAS].map(|()| {
            arguments.push(pointer);
            rewriter.add_block_argument(block, pointer, location);
            build::argument(block, arguments.len() - 1)
        }));
    }
    let results = (0..type_.result_count()).filter_map(|i| type_.result(i).ok());
    let mut returned = Vec::new();
    for result in results {
        match l.types_of(result) {
            Ok(registers) => returned.extend(registers),
            Err(diagnostic) => l.emitted = Some(fail(diagnostic)),
        }
    }
    let own: usize = counts.iter().sum();
    l.distribute(
        block_arguments(entry).into_iter(),
        &counts,
        &block_arguments(block)[..own],
    );
    let body = match is_kernel {
        true => warp_specialize::begin_kernel(l, function),
        false => None,
    };
    if let Some(body) = body {
        l.e.enter_block(body);
    }
    warp_group::begin_region(l, function);
    l.blocks(&planned.graph, body.unwrap_or(block));
    if body.is_some() {
        l.e.leave_block();
        warp_specialize::lower_workers(l);
    }
    if let Some(emitted) = lowering.emitted {
        return Err(emitted);
    }
    copies::set_counts(&mut lowering, is_kernel);
    lowering.e.sweep();

    let result = calls::returned_type(&lowering, &returned);
    let llvm_type = lowering.e.function_type(result, &arguments);
    let e = &mut lowering.e;
    let own = if is_kernel {
        let requested = ModuleInfo::requested_registers(function);
        let registers = requested.or(registers.map(u64::from));
        gpu.kernel_attributes(e, registers)
    } else if is_noinline(function) {
        vec![(emit::NO_INLINE, e.unit())]
    } else {
        Vec::new()
    };
    let mut attributes: Vec<NamedAttr<'c>> = Vec::new();
    if let Some(hints) = argument_attributes(
        e,
        planned.function,
        (&types, is_kernel),
        &counts,
        &arguments,
    ) {
        attributes.push((emit::ARGUMENTS, hints));
    }
    // The user's attributes of output dialects are kept.
    for (key, value) in attributes_of(function) {
        if emit::is_of_output(key) && !own.iter().any(|(name, _)| *name == key) {
            attributes.push((key, value));
        }
    }
    attributes.extend(own);
    e.location = location;
    let name = planned.function.sym_name().checked(tt::Func::SYM_NAME_KEY);
    let name = name.map_err(fail)?;
    e.function(target.body, name, llvm_type, is_kernel, &attributes, region)
        .map_err(|reason| fail(Diagnostic::new(reason)))
}

/// Name of the attribute that prevents inlining of a function. It has no effect on a kernel.
const NOINLINE: &str = "noinline";

fn is_noinline(function: Op<'_>) -> bool {
    let flag = function.attribute(NOINLINE).ok();
    flag.and_then(|flag| BoolAttribute::try_from(flag).ok())
        .is_some_and(|flag| flag.value())
}

fn check_shared_memory(planned: &FunctionPlan<'_>, gpu: Gpu) -> Outcome {
    let (bytes, most) = (planned.end(), gpu.target.max_shared_bytes);
    if bytes <= most {
        return Ok(());
    }
    let of_callers = match planned.frame {
        0 => String::new(),
        frame => format!(" ({frame} of these bytes for callers)"),
    };
    let name = gpu.target.name;
    Err(Diagnostic::new(format!(
        "requires {bytes} bytes of shared memory{of_callers}, but {name} has {most} per CTA"
    ))
    .note("use smaller tensors, or layouts whose conversion stays within a warp"))
}

/// Returns the types of the registers that hold an argument of type `type_`. A kernel argument must be a scalar, a
/// pointer or a descriptor.
fn argument_types<'c>(
    l: &Lowering<'c>,
    type_: Type<'c>,
    is_kernel: bool,
) -> Result<Vec<Type<'c>>, Diagnostic> {
    if !is_kernel {
        return l.types_of(type_);
    }
    scalar_type(l.e.context, type_)
        .filter(|_| TensorType::of(type_).is_none())
        .map(|scalar| vec![scalar])
        .ok_or_else(|| {
            Diagnostic::new(format!(
                "a kernel requires number, pointer or descriptor arguments, but got `{type_}`"
            ))
        })
}

/// Attributes of a kernel argument that passes a tensor descriptor by value.
const BY_VALUE: &str =
    "{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}";

/// Returns the attributes of all arguments of the lowered function, or `None` if no argument has attributes.
/// Attributes of the LLVM, NVVM and ROCDL dialects are kept. The divisibility of a pointer becomes its alignment.
/// An argument that is lowered to several registers gets no attributes.
fn argument_attributes<'c>(
    e: &Emitter<'c>,
    function: tt::Func<'c, 'c>,
    (types, is_kernel): (&[Type<'c>], bool),
    counts: &[usize],
    registers: &[Type<'c>],
) -> Option<Attribute<'c>> {
    let promised = function.arg_attrs();
    let promised = promised.and_then(|attrs| ArrayAttribute::try_from(attrs).ok());
    let by_value = |i: usize| is_kernel && is_descriptor(types[i]);
    if promised.is_none() && !(0..types.len()).any(by_value) {
        return None;
    }
    let mut texts = Vec::new();
    let mut at = 0;
    for (i, count) in counts.iter().enumerate() {
        let promised = promised.and_then(|promised| promised.element(i).ok());
        let entries = promised.map(sys::dictionary_entries);
        let own = &registers[at..at + count];
        at += count;
        texts.push(match own {
            [_] if by_value(i) => BY_VALUE.to_owned(),
            [one] => register_attributes(entries.into_iter().flatten(), *one),
            several => vec!["{}"; several.len()].join(", "),
        });
    }
    texts.retain(|text| !text.is_empty());
    // Scratch pointers have no attributes.
    texts.extend(registers[at..].iter().map(|_| "{}".to_owned()));
    Some(e.parsed(&format!("[{}]", texts.join(", "))))
}

fn register_attributes<'c>(
    entries: impl IntoIterator<Item = (Identifier<'c>, Attribute<'c>)>,
    type_: Type<'c>,
) -> String {
    let mut kept = Vec::new();
    let mut alignment = None;
    for (key, value) in entries {
        match sys::identifier_text(key) {
            DIVISIBILITY => alignment = scalar_divisibility(value),
            key if emit::is_of_output(key) => {
                kept.push(format!("\"{}\" = {value}", emit::escaped(key.as_bytes())));
            }
            // Other attributes are for earlier passes and the axis analysis.
            _ => {}
        }
    }
    let align = emit::ALIGN;
    let has_alignment = kept
        .iter()
        .any(|text| text.starts_with(&format!("\"{}\"", emit::escaped(align.as_bytes()))));
    if let Some(bytes) = alignment
        && sys::is_llvm_pointer(type_)
        && bytes > 1
        && !has_alignment
    {
        kept.push(format!("{align} = {bytes} : i64"));
    }
    format!("{{{}}}", kept.join(", "))
}

/// Returns the divisibility that a hint states for a scalar. The hint is a number, or a list that contains one
/// number.
fn scalar_divisibility(value: Attribute<'_>) -> Option<i64> {
    build::integer_value(value).or_else(|| build::integer_value(build::splat_value(value)?))
}

/// Declares the symbol of the dynamic shared memory. The declaration is inserted into `body`, unless `bytes` is 0.
pub(crate) fn declare_shared_memory<'c>(
    rewriter: Rewriter<'c>,
    module: Op<'c>,
    body: Blk<'c>,
    bytes: u32,
) {
    if bytes == 0 {
        return;
    }
    emit::declare_shared_memory(rewriter, build::context(module), body, SHARED);
}
