//! Functions: signature, the walk over operations, the table of register lists.

use super::allocate::SharedMemory;
use super::calls::{self, Planned};
use super::dispatch;
use super::emit::{self, Emitter, Named, attributes_of, block_arguments};
use super::gpu::Gpu;
use crate::analysis::axis::AxisAnalysis;
use crate::f2::apply_columns;
use crate::ir::discardable::DIVISIBILITY;
use crate::ir::ops::tt;
use crate::ir::{Layouts, ModuleInfo, TensorLayout, TensorType};
use crate::layout::Dim;
use crate::plan::program::{IndexProgram, Join};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Diagnostic, Reported, Rewriter, value_id};
use melior::ir::attribute::{ArrayAttribute, BoolAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Identifier, Type, ValueLike};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The registers of a value: one for a scalar, one per unique register for a tensor.
pub(crate) type Registers<'c> = Rc<[Val<'c>]>;

/// The name of the shared memory of a module.
const SHARED: &str = "global_smem";

/// What lowering an operation gives, or why it cannot be.
pub(crate) type Outcome = Result<(), Diagnostic>;

/// The state of lowering one function.
pub(crate) struct Lowering<'c> {
    pub(crate) e: Emitter<'c>,
    pub(crate) gpu: Gpu,
    pub(crate) axis: AxisAnalysis,
    pub(crate) allocation: SharedMemory,
    /// Where the function's shared memory begins, in bytes.
    frame: u32,
    layouts: &'c Layouts,
    values: HashMap<usize, Registers<'c>>,
    /// The new block for each one that is lowered.
    pub(crate) targets: HashMap<usize, Blk<'c>>,
    pub(crate) emitted: Option<Reported>,
}

/// Whether a function is seen from outside its module, which makes it a kernel.
pub(crate) fn is_kernel(function: tt::Func<'_, '_>) -> bool {
    function.sym_visibility() != Some("private")
}

/// Lowers one function to an `llvm.func` at the end of `body`.
pub(crate) fn lower<'c>(
    rewriter: Rewriter<'c>,
    planned: Planned<'c>,
    gpu: Gpu,
    body: Blk<'c>,
) -> Result<(), Reported> {
    let function = planned.function.op();
    let fail = |diagnostic: Diagnostic| sys::emit_error(function, &diagnostic);
    let is_kernel = is_kernel(planned.function);
    let type_ = FunctionType::try_from(planned.function.function_type())
        .expect("the verifier checked the function's type");
    let Some(entry) = planned.graph.entry() else {
        return Err(fail(Diagnostic::new(
            "has no body in this module: a kernel needs one",
        )));
    };
    if is_kernel && type_.result_count() != 0 {
        return Err(fail(
            Diagnostic::new("returns values, but nobody takes what a kernel returns")
                .note("store them, or make the function `private` and call it"),
        ));
    }
    check_shared_memory(&planned, gpu).map_err(fail)?;

    let context = build::context(function);
    let location = function.location();
    let region = melior::ir::Region::new();
    // The arguments follow, once the types of their registers are known.
    let block = rewriter.append_block(&region, &[]);
    let mut lowering = Lowering {
        e: Emitter::new(rewriter, context, location, block),
        gpu,
        axis: AxisAnalysis::of(function),
        allocation: planned.allocation,
        frame: planned.frame,
        layouts: Layouts::of(function.context()),
        values: HashMap::new(),
        targets: HashMap::new(),
        emitted: planned.reported,
    };
    let l = &mut lowering;
    let mut arguments = Vec::new();
    let mut counts = Vec::new();
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
    let results = (0..type_.result_count()).filter_map(|i| type_.result(i).ok());
    let mut returned = Vec::new();
    for result in results {
        match l.types_of(result) {
            Ok(registers) => returned.extend(registers),
            Err(diagnostic) => l.emitted = Some(fail(diagnostic)),
        }
    }
    l.distribute(
        block_arguments(entry).into_iter(),
        &counts,
        &block_arguments(block),
    );
    l.blocks(&planned.graph, &region, block);
    if let Some(emitted) = lowering.emitted {
        return Err(emitted);
    }
    lowering.e.sweep();

    let result = calls::returned_type(&lowering, &returned);
    let llvm_type = lowering.e.function_type(result, &arguments);
    let e = &mut lowering.e;
    let own = if is_kernel {
        let registers = ModuleInfo::asked_registers(function);
        gpu.kernel_attributes(e, registers)
    } else if is_noinline(function) {
        vec![(emit::NO_INLINE, e.unit())]
    } else {
        Vec::new()
    };
    let mut attributes: Vec<Named<'c>> = Vec::new();
    if let Some(hints) = argument_attributes(e, planned.function, &counts, &arguments) {
        attributes.push((emit::ARGUMENTS, hints));
    }
    // What a user says to the LLVM dialect and those of the GPUs goes on to them.
    for (key, value) in attributes_of(function) {
        if emit::is_of_output(key) && !own.iter().any(|(known, _)| *known == key) {
            attributes.push((key, value));
        }
    }
    attributes.extend(own);
    e.location = location;
    let name = planned.function.sym_name();
    e.function(body, name, llvm_type, is_kernel, &attributes, region)
        .map_err(|reason| fail(Diagnostic::new(reason)))
}

/// What keeps a function from being copied into those that call it. It has nothing to say of a kernel.
const NOINLINE: &str = "noinline";

fn is_noinline(function: Op<'_>) -> bool {
    let flag = function.attribute(NOINLINE).ok();
    flag.and_then(|flag| BoolAttribute::try_from(flag).ok())
        .is_some_and(|flag| flag.value())
}

fn check_shared_memory(planned: &Planned<'_>, gpu: Gpu) -> Outcome {
    let (bytes, most) = (planned.end(), gpu.target.max_shared_bytes);
    if bytes <= most {
        return Ok(());
    }
    let of_callers = match planned.frame {
        0 => String::new(),
        frame => format!(" ({frame} of them for its callers)"),
    };
    let name = gpu.target.name;
    Err(Diagnostic::new(format!(
        "needs {bytes} bytes of shared memory{of_callers}, but {name} has {most} per CTA"
    ))
    .note("use smaller tensors, or layouts whose conversion stays within a warp"))
}

/// The types of an argument's registers: a kernel takes scalars and pointers, one to one.
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
                "has an argument of type `{type_}`, but a kernel takes numbers and pointers"
            ))
        })
}

/// What is said of arguments to dialects of the output, and the promised alignment of pointers. An argument
/// that became several registers has nothing said of it.
fn argument_attributes<'c>(
    e: &Emitter<'c>,
    function: tt::Func<'c, 'c>,
    counts: &[usize],
    registers: &[Type<'c>],
) -> Option<Attribute<'c>> {
    let promised = ArrayAttribute::try_from(function.arg_attrs()?).ok()?;
    let mut texts = Vec::new();
    let mut at = 0;
    for (i, count) in counts.iter().enumerate() {
        let entries = promised.element(i).map(sys::dictionary_entries).ok()?;
        let own = &registers[at..at + count];
        at += count;
        texts.push(match own {
            [one] => register_attributes(entries, *one),
            several => vec!["{}"; several.len()].join(", "),
        });
    }
    texts.retain(|text| !text.is_empty());
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
            DIVISIBILITY => alignment = build::integer_value(value),
            key if emit::is_of_output(key) => kept.push(format!("{key} = {value}")),
            // The others are for passes before this one and for the axis analysis.
            _ => {}
        }
    }
    let align = emit::ALIGN;
    let is_given = kept
        .iter()
        .any(|text| text.starts_with(&format!("{align} ")));
    if let Some(bytes) = alignment
        && sys::is_llvm_pointer(type_)
        && bytes > 1
        && !is_given
    {
        kept.push(format!("{align} = {bytes} : i64"));
    }
    format!("{{{}}}", kept.join(", "))
}

/// The LLVM type of a scalar: pointers become `!llvm.ptr`, numbers stay, but the bits of a float of
/// 8 bits, which LLVM does not have, travel as `i8`.
pub(crate) fn scalar_type<'c>(context: &'c melior::Context, type_: Type<'c>) -> Option<Type<'c>> {
    if let Some((_, space)) = sys::pointer(type_) {
        return Some(emit::pointer_type(context, u32::try_from(space).ok()?));
    }
    match sys::float_width(type_) {
        Some(8) => Some(melior::ir::r#type::IntegerType::new(context, 8).into()),
        Some(16 | 32 | 64) => Some(type_),
        // 4 and 6 bits, tf32, and what only CPUs have.
        Some(_) => None,
        None => crate::ir::element_bits(type_).map(|_| type_),
    }
}

/// Declares the shared memory of the module, whose size the launcher gives.
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

impl<'c> Lowering<'c> {
    /// Lowers the operations of a block, in order.
    pub(crate) fn block(&mut self, block: Blk<'c>) {
        for op in build::operations(block) {
            self.operation(op);
        }
    }

    /// Lowers an operation; reports that it cannot be, and goes on with something in place of its results.
    pub(crate) fn operation(&mut self, op: Op<'c>) {
        self.e.location = op.location();
        if self.allocation.needs_barrier(op) {
            self.gpu.block_barrier(&mut self.e);
        }
        if let Err(diagnostic) = dispatch::lower(self, op) {
            self.emitted = Some(sys::emit_error(op, &diagnostic));
            self.set_placeholders(op);
        }
    }

    /// What a loop or a branch hands on must be made of numbers and pointers, unless what made it has
    /// been reported.
    pub(crate) fn check_carried(&self, op: Op<'c>) -> Outcome {
        if op.region_count() > 0 && self.emitted.is_none() {
            for result in op.results() {
                self.types_of(result.r#type())?;
            }
        }
        Ok(())
    }

    /// Something in place of the results, so that later operations can be checked too.
    pub(crate) fn set_placeholders(&mut self, op: Op<'c>) {
        for i in 0..op.result_count() {
            self.set_placeholder(build::result(op, i));
        }
    }

    /// Something in place of a value: registers that hold nothing, or none where it has no LLVM type.
    fn set_placeholder(&mut self, value: Val<'c>) {
        let types = self.placeholder_types(value.r#type());
        let registers: Vec<_> = types.iter().map(|t| self.e.undefined(*t)).collect();
        self.set(value, registers);
    }

    pub(crate) fn placeholder_types(&self, type_: Type<'c>) -> Vec<Type<'c>> {
        self.types_of(type_).unwrap_or_default()
    }

    /// Whether an operand could not be lowered, which has been reported.
    pub(crate) fn lacks_operand(&self, op: Op<'c>) -> bool {
        self.emitted.is_some() && (0..op.operand_count()).any(|i| self.operand(op, i).is_empty())
    }

    /// The registers of a value.
    pub(crate) fn get(&self, value: Val<'c>) -> Registers<'c> {
        self.values
            .get(&value_id(value))
            .cloned()
            .expect("a value is lowered before it is used")
    }

    /// The registers of an operand.
    pub(crate) fn operand(&self, op: Op<'c>, i: usize) -> Registers<'c> {
        self.get(build::operand(op, i))
    }

    pub(crate) fn set(&mut self, value: Val<'c>, registers: impl Into<Registers<'c>>) {
        self.values.insert(value_id(value), registers.into());
    }

    /// The layout of a tensor type, or nothing for a scalar.
    pub(crate) fn layout(&self, type_: Type<'c>) -> Result<Option<Arc<TensorLayout>>, Diagnostic> {
        let Some(tensor) = TensorType::of(type_) else {
            return Ok(None);
        };
        if tensor.encoding.is_none() {
            return Err(Diagnostic::new(format!(
                "has a tensor without an encoding, `{type_}`: nothing says which thread holds what"
            ))
            .note("give it one, as `convert-triton-to-tritongpu` does"));
        }
        self.layouts
            .tensor(&tensor)
            .map(Some)
            .map_err(|reason| Diagnostic::new(reason.to_string()))
    }

    /// The layout of a value that must be a tensor.
    pub(crate) fn tensor_layout(&self, value: Val<'c>) -> Result<Arc<TensorLayout>, Diagnostic> {
        self.layout(value.r#type())?
            .ok_or_else(|| Diagnostic::new(format!("needs a tensor, but has `{}`", value.r#type())))
    }

    /// The LLVM types of a value's registers.
    pub(crate) fn types_of(&self, type_: Type<'c>) -> Result<Vec<Type<'c>>, Diagnostic> {
        if super::local::is_buffer(type_) {
            return Ok(super::local::Buffer::types(self));
        }
        let element = TensorType::of(type_).map_or(type_, |tensor| tensor.element);
        let scalar = scalar_type(self.e.context, element).ok_or_else(|| {
            Diagnostic::new(format!("has the type `{type_}`, which has no LLVM type"))
        })?;
        let count = self
            .layout(type_)?
            .map_or(1, |layout| layout.num_registers());
        Ok(vec![scalar; count])
    }

    /// Where each register's element lies: for every register, one `i32` index per tensor dim.
    pub(crate) fn indices(&mut self, layout: &TensorLayout) -> Vec<Vec<Val<'c>>> {
        let program = IndexProgram::from_layout(&layout.unique, &[Dim::LANE, Dim::WARP]);
        let inputs = [self.gpu.lane(&mut self.e), self.gpu.warp(&mut self.e)];
        let base = super::convert::emit_index(&mut self.e, &program, &inputs);
        (0..layout.num_registers())
            .map(|register| {
                let columns = layout.unique.columns_of(Dim::REGISTER);
                let constant = apply_columns(columns, register as u64);
                let constant = layout.unique.unpack(constant);
                base.iter()
                    .enumerate()
                    .map(|(dim, value)| {
                        let part = u32::try_from(constant.at(dim)).expect("an index below 2^20");
                        let part_value = self.e.i32(part);
                        match program.join(dim, u64::from(part)) {
                            Join::Nothing => *value,
                            Join::Add => self.e.or_disjoint(*value, part_value),
                            Join::Xor => self.e.xor(*value, part_value),
                        }
                    })
                    .collect()
            })
            .collect()
    }

    pub(crate) fn make_range(&mut self, op: Op<'c>) -> Outcome {
        let range = tt::MakeRange::of(op).expect("the dispatch goes by kind");
        let result = range.result();
        let layout = self.tensor_layout(result)?;
        let start = self.e.constant(self.e.types.i32, range.start());
        let indices = self.indices(&layout);
        let values: Vec<_> = indices
            .iter()
            .map(|index| self.e.add(index[0], start))
            .collect();
        self.set(result, values);
        Ok(())
    }

    /// The address of a byte of the function's shared memory, which begins where that of its callers ends.
    pub(crate) fn shared_memory(&mut self, offset: u32) -> Val<'c> {
        let base = self.e.address_of_shared(SHARED);
        self.e.gep_bytes(base, self.frame + offset)
    }

    /// The layouts of the module's types.
    pub(crate) fn layouts(&self) -> &'c Layouts {
        self.layouts
    }
}
