//! State of the lowering of one function: value map, layouts, memory and emitter.

use super::allocate::SharedMemory;
use super::areas::FunctionScratch;
use super::bounds::Bounds;
use super::copies::CountedCopies;
use super::declarations::Declarations;
use super::emit::Emitter;
use super::gpu::Gpu;
use super::types::{is_buffer, scalar_type};
use super::value::{LoweredValue, Registers, SharedBuffer};
use super::warp_specialize::Workers;
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

/// Symbol of the dynamic shared memory.
pub(crate) const SHARED: &str = "global_smem";

pub(crate) type Outcome = Result<(), Diagnostic>;

pub(crate) type LowerFn = for<'c> fn(&mut Lowering<'c>, Op<'c>) -> Outcome;

pub(crate) struct Lowering<'c> {
    pub(crate) e: Emitter<'c>,
    pub(crate) gpu: Gpu,
    pub(crate) axis: AxisAnalysis,
    /// Axis analysis under assumptions about indices. `None` if nothing is assumed.
    pub(super) assumed_axis: Option<AxisAnalysis>,
    pub(crate) allocation: SharedMemory,
    pub(super) frame: u32,
    pub(super) bounds: Bounds<'c>,
    /// If true, functions of the vendor's device library are called. If false, a function that has an expansion is
    /// emitted inline instead.
    pub(super) call_libraries: bool,
    pub(crate) scratch: FunctionScratch<'c>,
    pub(super) layouts: &'c Layouts,
    pub(super) values: HashMap<usize, LoweredValue<'c>>,
    /// Lowering state of the warps that execute only partitions of `ttg.warp_specialize`. `None` if there are no
    /// such warps.
    pub(super) workers: Option<Workers<'c>>,
    /// Number of registers per thread at kernel start. `None` if no warp changes its number of registers.
    pub(super) registers: Option<u32>,
    /// Warp-group index of the thread. Set if warp-group products are distributed over several warp groups.
    pub(super) warp_group: Option<Val<'c>>,
    /// Lowered blocks, keyed by the identifier of the source block.
    pub(crate) targets: HashMap<usize, Blk<'c>>,
    /// Registers that the last lowered region with a single block has yielded.
    pub(crate) yielded: Vec<Val<'c>>,
    /// Exit block of the region that is being inlined. `None` if the region has a single block.
    pub(crate) exit: Option<Blk<'c>>,
    /// Proof of a reported error. `None` if no error was reported.
    pub(crate) emitted: Option<Reported>,
    /// Identifiers of the operations for which an error was reported.
    pub(crate) refused: HashSet<usize>,
    pub(crate) declarations: Rc<RefCell<Declarations>>,
    /// Copies in flight. Empty unless the GPU's wait instruction counts copy instructions.
    pub(super) counted: CountedCopies<'c>,
    pub(super) lower: LowerFn,
}

impl<'c> Lowering<'c> {
    /// Returns the axis analysis that determines the widths of global accesses.
    pub(super) fn widths(&self) -> &AxisAnalysis {
        self.assumed_axis.as_ref().unwrap_or(&self.axis)
    }

    /// Emits a barrier for the executing warps that orders shared memory.
    ///
    /// If the function starts copies, and the GPU counts copies with the same counter as loads, the barrier orders
    /// only shared memory. A full barrier would then also wait for the copies in flight.
    pub(crate) fn shared_barrier(&mut self) {
        if self.e.separates_copies {
            self.gpu.shared_barrier(&mut self.e);
        } else {
            self.gpu.block_barrier(&mut self.e);
        }
    }

    /// Checks that the results of an operation with regions have LLVM types. Skips the check after an earlier
    /// error.
    pub(crate) fn check_carried(&self, op: Op<'c>) -> Outcome {
        if op.region_count() > 0 && self.emitted.is_none() {
            for result in op.results() {
                self.types_of(result.r#type())?;
            }
        }
        Ok(())
    }

    /// Sets the registers of all results of `op` to undefined values, so that later operations can still be
    /// checked.
    pub(crate) fn set_placeholders(&mut self, op: Op<'c>) {
        for i in 0..op.result_count() {
            self.set_placeholder(build::result(op, i));
        }
    }

    /// Sets the registers of `value` to undefined values. A value without an LLVM type gets no registers.
    fn set_placeholder(&mut self, value: Val<'c>) {
        let types = self.placeholder_types(value.r#type());
        let registers: Vec<_> = types.iter().map(|t| self.e.undefined(*t)).collect();
        self.set(value, registers);
    }

    pub(crate) fn placeholder_types(&self, type_: Type<'c>) -> Vec<Type<'c>> {
        self.types_of(type_).unwrap_or_default()
    }

    /// Returns true if the lowering of an operand failed. The failure was already reported.
    pub(crate) fn lacks_operand(&self, op: Op<'c>) -> bool {
        let is_missing = |i| matches!(self.lowered(build::operand(op, i)), LoweredValue::Missing);
        self.emitted.is_some() && (0..op.operand_count()).any(is_missing)
    }

    fn lowered(&self, value: Val<'c>) -> &LoweredValue<'c> {
        self.values
            .get(&value_id(value))
            .expect("a value is lowered before it is used")
    }

    pub(crate) fn get(&self, value: Val<'c>) -> Registers<'c> {
        self.lowered(value).registers()
    }

    /// Returns the base address and the byte offset of a lowered memdesc.
    ///
    /// # Errors
    /// Fails if the value is not a memdesc.
    pub(crate) fn buffer(&self, value: Val<'c>) -> Result<SharedBuffer<'c>, Diagnostic> {
        match self.lowered(value) {
            LoweredValue::Buffer(buffer) => Ok(*buffer),
            LoweredValue::Registers(_) | LoweredValue::Token | LoweredValue::Missing => {
                Err(Diagnostic::new(format!(
                    "requires a buffer in shared memory, but got `{}`",
                    value.r#type()
                )))
            }
        }
    }

    pub(crate) fn operand(&self, op: Op<'c>, i: usize) -> Registers<'c> {
        self.get(build::operand(op, i))
    }

    /// Sets the registers that represent `value`. There must be one register for each LLVM type to which the type
    /// of `value` is lowered.
    pub(crate) fn set(&mut self, value: Val<'c>, registers: impl Into<Registers<'c>>) {
        let registers = registers.into();
        let lowered = match registers[..] {
            [] if sys::is_async_token(value.r#type()) => LoweredValue::Token,
            [] => LoweredValue::Missing,
            [base, position] if is_buffer(value.r#type()) => {
                LoweredValue::Buffer(SharedBuffer { base, position })
            }
            _ => LoweredValue::Registers(registers),
        };
        self.values.insert(value_id(value), lowered);
    }

    pub(crate) fn set_same(&mut self, value: Val<'c>, source: Val<'c>) {
        let lowered = self.lowered(source).clone();
        self.values.insert(value_id(value), lowered);
    }

    pub(crate) fn set_buffer(&mut self, value: Val<'c>, buffer: SharedBuffer<'c>) {
        self.values
            .insert(value_id(value), LoweredValue::Buffer(buffer));
    }

    /// Returns the layout of a tensor type, or `None` for a scalar type. Fails if a tensor type has no encoding.
    pub(crate) fn layout(&self, type_: Type<'c>) -> Result<Option<Arc<TensorLayout>>, Diagnostic> {
        let Some(tensor) = TensorType::of(type_) else {
            return Ok(None);
        };
        if tensor.encoding.is_none() {
            return Err(Diagnostic::new(format!(
                "requires tensors with an encoding, but got `{type_}`"
            ))
            .note("assign encodings first, for example with `convert-triton-to-tritongpu`"));
        }
        self.layouts
            .tensor(&tensor)
            .map(Some)
            .map_err(|reason| Diagnostic::new(reason.to_string()))
    }

    /// Returns the layout of a tensor. Fails if the value is not a tensor.
    pub(crate) fn tensor_layout(&self, value: Val<'c>) -> Result<Arc<TensorLayout>, Diagnostic> {
        self.layout(value.r#type())?.ok_or_else(|| {
            Diagnostic::new(format!("requires a tensor, but got `{}`", value.r#type()))
        })
    }

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
                "type `{type_}` cannot be converted to an LLVM type"
            )));
        };
        let count = self
            .layout(type_)?
            .map_or(1, |layout| layout.num_registers());
        Ok(vec![scalar; count])
    }

    /// Returns the register types of all values in one list, and the number of registers of each value.
    pub(crate) fn types_of_all(
        &self,
        values: &[Val<'c>],
    ) -> Result<(Vec<Type<'c>>, Vec<usize>), Diagnostic> {
        let types = values.iter().map(|value| self.types_of(value.r#type()));
        let types: Vec<Vec<Type<'c>>> = types.collect::<Result<_, _>>()?;
        let counts = types.iter().map(Vec::len).collect();
        Ok((types.concat(), counts))
    }

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

    /// Annotates `index` as an index below `bound`, for the simulator's bounds check.
    ///
    /// `of` completes the error message, for example `selects one of 4 buffers`.
    pub(crate) fn bounded(&mut self, index: Val<'c>, bound: u64, of: &str) -> Val<'c> {
        self.bounds.index(&mut self.e, index, bound, of)
    }

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

    pub(crate) fn layouts(&self) -> &'c Layouts {
        self.layouts
    }

    /// Splits `flat`, the concatenated registers of `values`, and sets the registers of each value. `counts`
    /// contains the number of registers of each value.
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

    pub(crate) fn operands(&self, op: Op<'c>) -> Vec<Val<'c>> {
        (0..op.operand_count())
            .flat_map(|i| self.operand(op, i).to_vec())
            .collect()
    }
}
