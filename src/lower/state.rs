//! The state of lowering one function: what its values became, its layouts, its shared memory.

use super::allocate::SharedMemory;
use super::areas::FunctionScratch;
use super::bounds::Bounds;
use super::copies::CountedCopies;
use super::emit::Emitter;
use super::gpu::Gpu;
use super::texts::Texts;
use super::types::{is_buffer, scalar_type};
use super::value::{Buffer, Lowered, Registers};
use crate::analysis::axis::AxisAnalysis;
use crate::ir::{Layouts, TensorLayout, TensorType};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Diagnostic, Reported, value_id};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The name of the shared memory of a module.
pub(crate) const SHARED: &str = "global_smem";

/// What lowering an operation gives, or why it cannot be.
pub(crate) type Outcome = Result<(), Diagnostic>;

/// Lowers one operation.
pub(crate) type Lower = for<'c> fn(&mut Lowering<'c>, Op<'c>) -> Outcome;

/// The state of lowering one function.
pub(crate) struct Lowering<'c> {
    pub(crate) e: Emitter<'c>,
    pub(crate) gpu: Gpu,
    pub(crate) axis: AxisAnalysis,
    pub(crate) allocation: SharedMemory,
    /// Where the function's shared memory begins, in bytes.
    pub(super) frame: u32,
    /// The marks of allocations and bounds, where they are asked for.
    pub(super) bounds: Bounds<'c>,
    /// Calls libraries for every function that they have.
    pub(super) call_libraries: bool,
    /// Its memory in global memory.
    pub(crate) scratch: FunctionScratch<'c>,
    pub(super) layouts: &'c Layouts,
    pub(super) values: HashMap<usize, Lowered<'c>>,
    /// The number of the warp group, in functions with products of several.
    pub(super) warp_group: Option<Val<'c>>,
    /// The new block for each one that is lowered.
    pub(crate) targets: HashMap<usize, Blk<'c>>,
    /// What the region lowered last hands on.
    pub(crate) handed_on: Vec<Val<'c>>,
    /// Where control goes at the end of the region of several blocks that is being lowered.
    pub(crate) exit: Option<Blk<'c>>,
    pub(crate) emitted: Option<Reported>,
    /// The operations that have been reported.
    pub(crate) refused: HashSet<usize>,
    /// What the module says to its user.
    pub(crate) texts: Rc<RefCell<Texts>>,
    /// Copies and waits where waits count instructions.
    pub(super) counted: CountedCopies<'c>,
    /// How an operation is lowered: the dispatch, which knows all families.
    pub(super) lower: Lower,
}

impl<'c> Lowering<'c> {
    /// A barrier for shared memory alone. Where copies are counted with loads, a barrier for all memory would wait for
    /// them.
    pub(crate) fn shared_barrier(&mut self) {
        if self.e.are_copies_apart {
            self.gpu.shared_barrier(&mut self.e);
        } else {
            self.gpu.block_barrier(&mut self.e);
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
        let is_missing = |i| matches!(self.lowered(build::operand(op, i)), Lowered::Missing);
        self.emitted.is_some() && (0..op.operand_count()).any(is_missing)
    }

    /// What a value became.
    fn lowered(&self, value: Val<'c>) -> &Lowered<'c> {
        self.values
            .get(&value_id(value))
            .expect("a value is lowered before it is used")
    }

    /// The registers of a value.
    pub(crate) fn get(&self, value: Val<'c>) -> Registers<'c> {
        self.lowered(value).registers()
    }

    /// The buffer that a value is.
    pub(crate) fn buffer(&self, value: Val<'c>) -> Result<Buffer<'c>, Diagnostic> {
        match self.lowered(value) {
            Lowered::Buffer(buffer) => Ok(*buffer),
            Lowered::Registers(_) | Lowered::Token | Lowered::Missing => {
                Err(Diagnostic::new(format!(
                    "needs a buffer in shared memory, but has `{}`",
                    value.r#type()
                )))
            }
        }
    }

    /// The registers of an operand.
    pub(crate) fn operand(&self, op: Op<'c>, i: usize) -> Registers<'c> {
        self.get(build::operand(op, i))
    }

    /// Gives a value the registers that its type asks for.
    pub(crate) fn set(&mut self, value: Val<'c>, registers: impl Into<Registers<'c>>) {
        let registers = registers.into();
        let lowered = match registers[..] {
            [] if sys::is_async_token(value.r#type()) => Lowered::Token,
            [] => Lowered::Missing,
            [base, position] if is_buffer(value.r#type()) => {
                Lowered::Buffer(Buffer { base, position })
            }
            _ => Lowered::Registers(registers),
        };
        self.values.insert(value_id(value), lowered);
    }

    pub(crate) fn set_buffer(&mut self, value: Val<'c>, buffer: Buffer<'c>) {
        self.values.insert(value_id(value), Lowered::Buffer(buffer));
    }

    /// The layout of a tensor type, or nothing for a scalar.
    pub(crate) fn layout(&self, type_: Type<'c>) -> Result<Option<Arc<TensorLayout>>, Diagnostic> {
        let Some(tensor) = TensorType::of(type_) else {
            return Ok(None);
        };
        if tensor.encoding.is_none() {
            return Err(
                Diagnostic::new(format!("has a tensor without an encoding, `{type_}`"))
                    .note("assign encodings first, as `convert-triton-to-tritongpu` does"),
            );
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
        if is_buffer(type_) {
            return Ok(vec![self.e.types.shared_pointer, self.e.types.i32]);
        }
        let element = TensorType::of(type_).map_or(type_, |tensor| tensor.element);
        let Some(scalar) = scalar_type(self.e.context, element) else {
            if sys::is_async_token(type_) {
                return Ok(Vec::new());
            }
            return Err(Diagnostic::new(format!(
                "has the type `{type_}`, which has no LLVM type"
            )));
        };
        let count = self
            .layout(type_)?
            .map_or(1, |layout| layout.num_registers());
        Ok(vec![scalar; count])
    }

    /// The address of a byte of the function's shared memory, which begins where that of its callers ends.
    pub(crate) fn shared_memory(&mut self, offset: u32) -> Val<'c> {
        let base = self.e.address_of_shared(SHARED);
        match self.bounds.allocation(&self.e, &self.allocation) {
            Some((start, marks)) => {
                let own = self.e.gep_bytes(base, self.frame + start);
                let own = self.e.marked(own, &marks);
                self.e.gep_bytes(own, offset - start)
            }
            None => self.e.gep_bytes(base, self.frame + offset),
        }
    }

    /// An index that must be below a bound; `of` says of what, after the operation's name.
    pub(crate) fn bounded(&mut self, index: Val<'c>, bound: u64, of: &str) -> Val<'c> {
        self.bounds.index(&mut self.e, index, bound, of)
    }

    /// Indices along a dimension of so many elements.
    pub(crate) fn bounded_along(
        &mut self,
        indices: &[Val<'c>],
        axis: i64,
        size: u64,
    ) -> Vec<Val<'c>> {
        let of = format!("along dimension {axis} of {size} elements");
        let indices = indices.iter();
        indices
            .map(|index| self.bounded(*index, size, &of))
            .collect()
    }

    /// The layouts of the module's types.
    pub(crate) fn layouts(&self) -> &'c Layouts {
        self.layouts
    }

    /// Gives each value its share of a flat list.
    pub(crate) fn distribute(
        &mut self,
        values: impl Iterator<Item = Val<'c>>,
        counts: &[usize],
        flat: &[Val<'c>],
    ) {
        let mut rest = flat;
        for (value, count) in values.zip(counts) {
            let (own, others) = rest.split_at(*count);
            self.set(value, own.to_vec());
            rest = others;
        }
    }

    /// The registers of all operands of an operation, end to end.
    pub(crate) fn operands(&self, op: Op<'c>) -> Vec<Val<'c>> {
        (0..op.operand_count())
            .flat_map(|i| self.operand(op, i).to_vec())
            .collect()
    }
}
