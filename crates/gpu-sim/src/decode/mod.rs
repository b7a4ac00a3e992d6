//! Decoder from a module of the LLVM dialect to a [`Program`].
//!
//! An aggregate becomes a list of scalars ("slots"), each in its own register, so most operations on aggregates only
//! rename registers. Called functions are inlined.

mod module;
#[cfg(test)]
mod tests;
mod types;

use super::bits::mask;
use super::code::{BlockId, ParamTy, Reg};
use super::error::{FaultKind, KernelError, Site};
use super::exec::program::{GlobalSymbol, InitialContent, Program, ProgramBuilder};
use super::exec::{Instruction, MarkKind};
use super::ir::{Attribute, Block, Module, Operation, Type, Value};
use super::launch::{Arg, Machine};
use super::marks;
use super::memory::{Memory, write_le};
pub use module::ModuleInfo;
use module::{
    block_size, cluster_size, collect_top, has_body, machine_of, module_info, pick_kernel,
};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
pub(crate) use types::{Slot, SlotKind, constant_bits, flatten, part, size_align};

/// A decoded kernel with the launch parameters of its module.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The decoded kernel.
    pub program: Program,
    /// Launch parameters from the attributes of the module.
    pub info: ModuleInfo,
    /// The simulated machine, which is the machine of the module's target. If the module has no target, a kernel
    /// with the attribute `rocdl.kernel` or with a ROCDL operation selects an AMD machine, and any other kernel
    /// selects an NVIDIA machine.
    pub machine: Machine,
}

impl Decoded {
    /// Returns the two scratch-memory arguments that Triton's launcher appends to the first `given` arguments: the
    /// addresses of global scratch memory and of profile scratch memory. Adds both scratch memories to `memory`.
    ///
    /// Returns an empty list if the module specifies no scratch memory, or if the kernel does not have exactly
    /// `given + 2` parameters.
    ///
    /// # Errors
    /// Returns an error if more than 1 GiB of scratch memory would be needed.
    pub fn scratch_arguments(
        &self,
        given: usize,
        grid: [u32; 3],
        memory: &mut Memory,
    ) -> Result<Vec<Arg>, KernelError> {
        const MAX_BYTES: u128 = 1 << 30;
        let Some(bytes) = self.info.scratch else {
            return Ok(Vec::new());
        };
        if given + bytes.len() != self.program.params().len() {
            return Ok(Vec::new());
        }
        let programs: u128 = grid.iter().map(|n| u128::from(*n)).product();
        let total = programs * u128::from(bytes[0].max(bytes[1]));
        if total > MAX_BYTES {
            let text = format!(
                "a grid of {programs} blocks requires {total} bytes of scratch memory, but the limit is {MAX_BYTES}"
            );
            return Err(KernelError::new(FaultKind::Launch, text));
        }
        let areas = [
            ("the global scratch memory", bytes[0]),
            ("the profile scratch memory", bytes[1]),
        ];
        let argument = |(name, bytes): (&str, u32)| match bytes {
            0 => Arg::Int(0),
            _ => Arg::Buffer(memory.add(name, vec![0xdb; programs as usize * bytes as usize])),
        };
        Ok(areas.map(argument).into())
    }
}

/// Decodes the kernel `entry` of a module, or the only kernel if `entry` is `None`. `operation` decodes one operation.
pub(crate) fn decode(
    module: &Module,
    entry: Option<&str>,
    operation: Decode,
) -> Result<Decoded, KernelError> {
    let mut top = Vec::new();
    collect_top(&module.root, &mut top);
    let functions: Vec<&Operation> = top
        .iter()
        .copied()
        .filter(|op| op.name == "llvm.func")
        .collect();
    let kernel = pick_kernel(&functions, entry)?;
    let info = module_info(&module.root);
    let machine = machine_of(kernel, &info)?;
    let mut decoder = Decoder {
        module,
        operation,
        functions: functions
            .iter()
            .filter_map(|f| Some((f.str("sym_name")?, *f)))
            .collect(),
        globals: top
            .iter()
            .filter(|op| op.name == "llvm.mlir.global")
            .filter_map(|op| Some((op.str("sym_name")?, *op)))
            .collect(),
        addresses: HashMap::new(),
        allocations: HashMap::new(),
        b: ProgramBuilder::new(kernel.str("sym_name").unwrap_or("kernel")),
        machine,
        frames: Vec::new(),
        num_calls: 0,
        num_called: 0,
        texts: HashMap::new(),
    };
    decoder.kernel(kernel, &info)?;
    Ok(Decoded {
        program: decoder.b.finish()?,
        info,
        machine,
    })
}

/// Maximum number of inlined calls. Without a limit, a small module can cause exponential work: if each of n
/// functions calls the next function twice, there are 2^n calls.
const MAX_CALLS: u32 = 1 << 14;

const MAX_NESTED: usize = 256;

const MAX_CALLED_OPERATIONS: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub(crate) ty: Type,
    pub(crate) slots: Rc<[Reg]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ReturnTarget {
    Kernel,
    /// The block at which the caller continues after an inlined call. The parameters of this block receive the
    /// results of the call.
    Caller(BlockId),
}

struct CallFrame<'m> {
    name: &'m str,
    calls: Arc<[String]>,
    values: HashMap<Value, Val>,
    /// Maps the index of a block in the function's region to the corresponding block of the program. The entry
    /// block is not in the map, because its operations continue the block that contains the call, or the entry
    /// block of the program.
    blocks: HashMap<usize, BlockId>,
    exit: ReturnTarget,
}

/// Identifies a shared-memory allocation: (address, size in bytes, number of the allocation, location of the
/// operation). The number is `None` if the operation has no `ll.number` attribute.
type AllocationKey = (u64, u32, Option<i64>, String);

pub(crate) struct Decoder<'m> {
    module: &'m Module,
    operation: Decode,
    functions: HashMap<&'m str, &'m Operation>,
    globals: HashMap<&'m str, &'m Operation>,
    addresses: HashMap<String, u64>,
    allocations: HashMap<AllocationKey, (Reg, u32)>,
    pub(crate) b: ProgramBuilder,
    pub(crate) machine: Machine,
    /// Functions whose bodies are being decoded, outermost first.
    frames: Vec<CallFrame<'m>>,
    num_calls: u32,
    num_called: usize,
    /// Text and location of each decoded operation.
    texts: HashMap<*const Operation, (Arc<str>, Arc<str>)>,
}

pub(crate) type DecodeResult<T = ()> = Result<T, KernelError>;

pub(crate) type Decode = for<'d, 'm> fn(&'d mut Decoder<'m>, &'m Operation) -> DecodeResult;

impl<'m> Decoder<'m> {
    fn kernel(&mut self, kernel: &'m Operation, info: &ModuleInfo) -> DecodeResult {
        if let Some(size) = block_size(kernel, info, self.machine) {
            self.b.set_block_size(size);
        }
        self.b.set_cluster(cluster_size(kernel));
        let mut args = Vec::new();
        for (value, ty) in &kernel.regions[0][0].arguments {
            let slots = self.flat(kernel, ty)?;
            let [slot] = slots[..] else {
                let text = format!(
                    "kernel parameter `{}` is an aggregate, which is not supported",
                    self.module.name(*value)
                );
                return Err(self.unsupported(kernel, text));
            };
            args.push(Rc::from([self.b.param(match slot.kind {
                SlotKind::Ptr(_) => ParamTy::Pointer,
                SlotKind::Int => ParamTy::Int(slot.bits),
                SlotKind::Float(float) => ParamTy::Float(float),
            })]));
        }
        let entry = self.b.block();
        self.b.switch_to(entry);
        self.body(kernel, args, ReturnTarget::Kernel, Arc::new([]))
    }

    fn body(
        &mut self,
        function: &'m Operation,
        args: Vec<Rc<[Reg]>>,
        exit: ReturnTarget,
        calls: Arc<[String]>,
    ) -> DecodeResult {
        let blocks = &function.regions[0];
        let mut frame = CallFrame {
            name: function.str("sym_name").unwrap_or(""),
            calls,
            values: HashMap::new(),
            blocks: HashMap::new(),
            exit,
        };
        let bind = |(value, ty): &(Value, Type), slots| {
            let ty = ty.clone();
            (*value, Val { ty, slots })
        };
        let params = blocks[0].arguments.iter().zip(args);
        frame
            .values
            .extend(params.map(|(arg, slots)| bind(arg, slots)));
        let order = visit_order(blocks);
        for &index in order.iter().skip(1) {
            let block = &blocks[index];
            let id = self.b.block();
            frame.blocks.insert(index, id);
            for arg in &block.arguments {
                let slots = self.block_params(function, &arg.1, id)?;
                frame.values.extend([bind(arg, slots)]);
            }
        }
        self.frames.push(frame);
        for &index in &order {
            let block = &blocks[index];
            if let Some(id) = self.block(index).filter(|_| index != 0) {
                self.b.switch_to(id);
            }
            for op in &block.operations {
                let site = self.shared_site(op);
                self.b.at(site);
                (self.operation)(self, op)?;
            }
        }
        self.frames.pop();
        Ok(())
    }

    /// Returns an error if the target GPU does not have the instruction that `op` needs. `lacking` returns the
    /// reason, or `None` if the target has the instruction. Without a known target, every instruction is accepted.
    pub(crate) fn check_has(
        &self,
        op: &Operation,
        lacking: impl FnOnce(&'static linear_layout::target::Target) -> Option<String>,
    ) -> DecodeResult {
        match self.machine.target.and_then(lacking) {
            Some(text) => Err(self.unsupported(op, text)),
            None => Ok(()),
        }
    }

    fn block_params(
        &mut self,
        op: &Operation,
        ty: &Type,
        block: BlockId,
    ) -> DecodeResult<Rc<[Reg]>> {
        let count = self.flat(op, ty)?.len();
        Ok((0..count).map(|_| self.b.block_param(block)).collect())
    }

    fn site(&self, op: &Operation) -> Site {
        let calls = self.frames.last().map(|frame| frame.calls.clone());
        Site {
            text: self.module.show(op).into(),
            location: (*op.location).into(),
            calls: calls.unwrap_or_default(),
        }
    }

    /// Returns the site of an operation. An operation in a function that is called several times is decoded once
    /// per call, and each time has its own site. These sites share the strings `text` and `location`.
    fn shared_site(&mut self, op: &'m Operation) -> Site {
        let known = self.texts.get(&std::ptr::from_ref(op)).cloned();
        let Some((text, location)) = known else {
            let site = self.site(op);
            let texts = (site.text.clone(), site.location.clone());
            self.texts.insert(op, texts);
            return site;
        };
        let calls = self.frames.last().map(|frame| frame.calls.clone());
        Site {
            text,
            location,
            calls: calls.unwrap_or_default(),
        }
    }

    fn error(&self, kind: FaultKind, op: &Operation, text: impl Into<String>) -> KernelError {
        KernelError::new(kind, text).at(self.site(op))
    }

    pub(crate) fn malformed(&self, op: &Operation, text: impl Into<String>) -> KernelError {
        self.error(FaultKind::Malformed, op, text)
    }

    pub(crate) fn unsupported(&self, op: &Operation, text: impl Into<String>) -> KernelError {
        self.error(FaultKind::Unsupported, op, text)
    }

    pub(crate) fn flat(&self, op: &Operation, ty: &Type) -> DecodeResult<Vec<Slot>> {
        flatten(ty).map_err(|text| self.unsupported(op, text))
    }

    pub(crate) fn operand(&self, op: &Operation, index: usize) -> DecodeResult<Val> {
        let Some(value) = op.operands.get(index) else {
            return Err(self.malformed(op, format!("`{}` has no operand {index}", op.name)));
        };
        let values = self.frames.last().map(|frame| &frame.values);
        let found = values.and_then(|values| values.get(value)).cloned();
        found.ok_or_else(|| {
            let name = self.module.name(*value);
            let text = format!("value `{name}` is used before it is defined");
            self.malformed(op, text)
        })
    }

    /// Returns the register that holds the operand with the index `index`. Returns an error if the operand is not a
    /// scalar.
    pub(crate) fn scalar(&self, op: &Operation, index: usize) -> DecodeResult<Reg> {
        match self.operand(op, index)?.slots[..] {
            [reg] => Ok(reg),
            _ => {
                let text = format!("operand {index} is a vector or struct, expected a scalar");
                Err(self.unsupported(op, text))
            }
        }
    }

    /// Returns the slot of the operand with the index `index`. Returns an error if the operand is not a scalar.
    pub(crate) fn scalar_slot(&self, op: &Operation, index: usize) -> DecodeResult<Slot> {
        match self.flat(op, &self.operand(op, index)?.ty)?[..] {
            [slot] => Ok(slot),
            _ => {
                let text = format!("operand {index} is a vector or struct, expected a scalar");
                Err(self.unsupported(op, text))
            }
        }
    }

    /// Returns the registers of the operands with the indices `indices`. Returns an error if one of these operands
    /// is not a scalar.
    pub(crate) fn scalars<const N: usize>(
        &self,
        op: &Operation,
        indices: [usize; N],
    ) -> DecodeResult<[Reg; N]> {
        let mut regs = [Reg(0); N];
        for (reg, index) in regs.iter_mut().zip(indices) {
            *reg = self.scalar(op, index)?;
        }
        Ok(regs)
    }

    /// Returns the registers of all slots of the operands whose indices are in `range`.
    pub(crate) fn slots(&self, op: &Operation, range: Range<usize>) -> DecodeResult<Box<[Reg]>> {
        let mut regs = Vec::new();
        for index in range {
            regs.extend(self.operand(op, index)?.slots.iter().copied());
        }
        Ok(regs.into())
    }

    pub(crate) fn define(&mut self, op: &Operation, slots: impl Into<Rc<[Reg]>>) -> DecodeResult {
        let [(value, ty)] = &op.results[..] else {
            let text = format!("`{}` has {} results, expected 1", op.name, op.results.len());
            return Err(self.malformed(op, text));
        };
        let val = Val {
            ty: ty.clone(),
            slots: slots.into(),
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.values.insert(*value, val);
        }
        Ok(())
    }

    pub(crate) fn defined(&self, op: &Operation) -> Option<Rc<[Reg]>> {
        let (value, _) = op.results.first()?;
        let frame = self.frames.last()?;
        Some(frame.values.get(value)?.slots.clone())
    }

    pub(crate) fn result_ty<'n>(&self, op: &'n Operation) -> DecodeResult<&'n Type> {
        match op.results.first() {
            Some((_, ty)) => Ok(ty),
            None => Err(self.malformed(op, format!("`{}` has no result, expected 1", op.name))),
        }
    }

    /// Returns the slots of an operation's result, or an error if there are none.
    pub(crate) fn result_slots(&self, op: &Operation) -> DecodeResult<Vec<Slot>> {
        let slots = self.flat(op, self.result_ty(op)?)?;
        if slots.is_empty() {
            return Err(self.malformed(op, format!("the result of `{}` has no elements", op.name)));
        }
        Ok(slots)
    }

    /// Decodes an operation element by element. Calls
    /// `make(decoder, slot of the result, result register, operand registers)` for each element. If `make` does not
    /// support the slot, it returns false, and `elementwise` returns an error.
    pub(crate) fn elementwise<const N: usize>(
        &mut self,
        op: &Operation,
        mut make: impl FnMut(&mut Self, Slot, Reg, [Reg; N]) -> bool,
    ) -> DecodeResult {
        let slots = self.flat(op, self.result_ty(op)?)?;
        let mut operands = Vec::with_capacity(N);
        for index in 0..N {
            let value = self.operand(op, index)?;
            let same = |(a, b): (&Slot, &Slot)| (a.kind, a.bits) == (b.kind, b.bits);
            let found = self.flat(op, &value.ty)?;
            if found.len() != slots.len() || !found.iter().zip(&slots).all(same) {
                let (found, expected) = (&value.ty, self.result_ty(op)?);
                let text = format!(
                    "operand {index} has type `{found}`, but the result has type `{expected}`"
                );
                return Err(self.malformed(op, text));
            }
            operands.push(value.slots);
        }
        let mut results = Vec::with_capacity(slots.len());
        for (index, slot) in slots.into_iter().enumerate() {
            let dst = self.b.reg();
            let regs = std::array::from_fn(|operand| operands[operand][index]);
            if !make(self, slot, dst, regs) {
                let ty = self.result_ty(op)?;
                let text = format!("the operation is not defined for type `{ty}`");
                return Err(self.malformed(op, text));
            }
            results.push(dst);
        }
        self.define(op, results)
    }

    /// Returns a register of `bits` bits whose value is undefined. A use of this value at run time is an error,
    /// which is reported as the use of an uninitialised register.
    pub(crate) fn nothing(&mut self, bits: u32) -> Reg {
        self.undefined(MarkKind::Undef, bits, "use of an uninitialised register")
    }

    /// Returns a register with an undefined value of `bits` bits. `text` is the error message for a use of this
    /// value.
    pub(crate) fn undefined(&mut self, kind: MarkKind, bits: u32, text: &'static str) -> Reg {
        self.b
            .undefined(kind, 0xbad0_bad0_bad0_bad0 & mask(bits), text)
    }

    /// Allocates a result register, appends the instruction that `make` returns for it, and returns the register.
    pub(crate) fn emit<I: Instruction>(&mut self, make: impl FnOnce(Reg) -> I) -> Reg {
        let dst = self.b.reg();
        self.b.push(make(dst));
        dst
    }

    pub(crate) fn block(&self, number: usize) -> Option<BlockId> {
        self.frames.last()?.blocks.get(&number).copied()
    }

    pub(crate) fn exit(&self) -> ReturnTarget {
        self.frames
            .last()
            .map_or(ReturnTarget::Kernel, |frame| frame.exit)
    }

    pub(crate) fn function(&self, name: &str) -> Option<&'m Operation> {
        let function = self.functions.get(name).copied()?;
        has_body(function).then_some(function)
    }

    pub(crate) fn call(
        &mut self,
        op: &Operation,
        callee: &str,
        function: &'m Operation,
    ) -> DecodeResult {
        if self.frames.iter().any(|frame| frame.name == callee) {
            let chain = self.frames.iter().map(|frame| frame.name).chain([callee]);
            let chain: Vec<String> = chain.map(|name| format!("`{name}`")).collect();
            return Err(self
                .unsupported(
                    op,
                    format!("`{callee}` calls itself, which is not supported"),
                )
                .note(format!("the calls are {}", chain.join(", "))));
        }
        self.num_calls += 1;
        if self.num_calls > MAX_CALLS {
            let text = format!("the kernel makes more than {MAX_CALLS} calls");
            return Err(self
                .unsupported(op, text)
                .note("the simulator inlines each call"));
        }
        if self.frames.len() > MAX_NESTED {
            let text = format!("calls are nested more than {MAX_NESTED} levels deep");
            return Err(self.unsupported(op, text));
        }
        let operations: usize = function.regions[0]
            .iter()
            .map(|block| block.operations.len())
            .sum();
        self.num_called += operations;
        if self.num_called > MAX_CALLED_OPERATIONS {
            let text = format!(
                "the inlined calls of the kernel have more than {MAX_CALLED_OPERATIONS} operations"
            );
            return Err(self
                .unsupported(op, text)
                .note("the simulator inlines each call"));
        }
        let (wanted, found) = (function.regions[0][0].arguments.len(), op.operands.len());
        if wanted != found {
            let text = format!("`{callee}` takes {wanted} arguments, found {found}");
            return Err(self.malformed(op, text));
        }
        let args = (0..found).map(|index| Ok(self.operand(op, index)?.slots));
        let args = args.collect::<DecodeResult<_>>()?;
        let next = self.b.block();
        if let [(_, ty)] = &op.results[..] {
            let slots = self.block_params(op, ty, next)?;
            self.define(op, slots)?;
        }
        let site = self.site(op);
        let outer = site.calls.iter().cloned();
        let calls = [site.location.to_string()]
            .into_iter()
            .chain(outer)
            .collect();
        self.body(function, args, ReturnTarget::Caller(next), calls)?;
        self.b.switch_to(next);
        Ok(())
    }

    /// Returns the address of a global variable, which is added to the program at its first use.
    pub(crate) fn symbol(&mut self, op: &Operation, name: &str) -> DecodeResult<u64> {
        if let Some(&address) = self.addresses.get(name) {
            return Ok(address);
        }
        let Some(&global) = self.globals.get(name) else {
            if self.functions.contains_key(name) {
                let text = format!("the address of the function `{name}` is not supported");
                return Err(self.unsupported(op, text).note("call the function by name"));
            }
            let text = format!("the module has no global variable `{name}`");
            return Err(self.malformed(op, text));
        };
        let Some(Attribute::Type(ty)) = global.attribute("global_type") else {
            return Err(self.malformed(global, "the global variable has no type"));
        };
        let (size, _) = size_align(ty).map_err(|text| self.unsupported(global, text))?;
        let space = global.int("addr_space").unwrap_or(0);
        let address = if space == 3 {
            let open = size == 0;
            self.b
                .shared_symbol(name, (!open).then_some(size as u32))
                .into()
        } else {
            let bytes = self.initial_bytes(global, ty, size as usize)?;
            let writable = global.attribute("constant").is_none() && space != 4;
            self.b.global_symbol(GlobalSymbol {
                name: name.to_owned(),
                content: InitialContent::Bytes(bytes),
                writable,
            })
        };
        self.addresses.insert(name.to_owned(), address);
        Ok(address)
    }

    /// Returns the register that holds the start address of a shared-memory allocation, and the index of the
    /// allocation. Creates the allocation at the address `at` of a shared variable if it does not exist yet. If the
    /// enclosing function is called several times, all calls share the allocation. Each allocation has its own
    /// range of simulator addresses. Returns `None` if `at` is in no shared variable, or if all address ranges are
    /// used.
    pub(crate) fn shared_allocation(
        &mut self,
        op: &Operation,
        name: String,
        at: u64,
        bytes: u32,
    ) -> Option<(Reg, u32)> {
        let location = op.location.clone();
        let key = (at, bytes, op.int(marks::NUMBER), location);
        if let Some(&known) = self.allocations.get(&key) {
            return Some(known);
        }
        let name = match &*key.3 {
            "" => name,
            location => format!("{name} at {location}"),
        };
        let made = self.b.shared_allocation(name, at, bytes)?;
        self.allocations.insert(key, made);
        Some(made)
    }

    /// Returns the address of AMD's hidden kernel arguments, which are added to the program at their first use.
    pub(crate) fn implicit_arguments(&mut self, name: &str) -> u64 {
        if let Some(&address) = self.addresses.get(name) {
            return address;
        }
        let address = self.b.global_symbol(GlobalSymbol {
            name: name.to_owned(),
            content: InitialContent::ImplicitArguments,
            writable: false,
        });
        self.addresses.insert(name.to_owned(), address);
        address
    }

    fn initial_bytes(&self, global: &Operation, ty: &Type, size: usize) -> DecodeResult<Vec<u8>> {
        let mut bytes = vec![0; size];
        let Some(value) = global.attribute("value") else {
            return Ok(bytes);
        };
        if let Some(text) = value.bytes() {
            let count = text.len().min(size);
            bytes[..count].copy_from_slice(&text[..count]);
            return Ok(bytes);
        }
        let slots = self.flat(global, ty)?;
        let Some(bits) = constant_bits(value, &slots) else {
            let text = format!("the initial value is not supported for type `{ty}`");
            return Err(self.unsupported(global, text));
        };
        for (slot, bits) in slots.iter().zip(bits) {
            write_le(&mut bytes, slot.offset as usize, slot.bytes(), bits);
        }
        Ok(bytes)
    }
}

/// Returns the keyword of an enum attribute, such as `bfly` of `#nvvm<shfl_kind bfly>`.
pub(crate) fn keyword(text: &str) -> &str {
    text.trim_end_matches('>')
        .rsplit(['<', ' '])
        .next()
        .unwrap_or("")
}

/// Returns the indices of the reachable blocks in reverse post-order, in which definitions precede uses.
fn visit_order(blocks: &[Block]) -> Vec<usize> {
    let succs = |block: usize| -> Vec<usize> {
        let last = blocks[block].operations.last();
        let all = last.map_or(&[][..], |op| &op.successors[..]);
        let known = all.iter().copied().filter(|next| *next < blocks.len());
        known.collect()
    };
    let mut order = Vec::new();
    let mut seen = vec![false; blocks.len()];
    let mut stack = vec![(0, succs(0))];
    seen[0] = true;
    while let Some((block, mut rest)) = stack.pop() {
        match rest.pop() {
            Some(next) => {
                stack.push((block, rest));
                if !seen[next] {
                    seen[next] = true;
                    stack.push((next, succs(next)));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
