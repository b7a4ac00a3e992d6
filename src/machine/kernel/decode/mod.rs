//! From a module of the LLVM dialect to a [`Program`].
//!
//! Values of aggregate types become lists of scalar registers ("slots"), so that most of an
//! aggregate's life is renaming. Functions that the kernel calls are decoded in place.

mod arith;
mod asm;
mod gpu;
mod memory;
#[cfg(test)]
mod tests;
mod types;

use super::error::{FaultKind, KernelError, Site};
use super::launch::Machine;
use super::op::{BlockId, Edge, Op, Reg, Terminator};
use super::program::{GlobalSymbol, ParamTy, Program, ProgramBuilder};
use super::text::{Attr, BlockNode, Module, Node, Ty, Value, parse_module};
use crate::encoding::spelling::edits;
use crate::target::{Target, Vendor};
use std::collections::HashMap;
use std::rc::Rc;
use types::{Slot, SlotKind, constant_bits, flatten, size_align};

/// What the operations of a module say about its launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModuleInfo {
    /// `ttg.target`, such as `cuda:90` or `hip:gfx942`.
    pub target: Option<String>,
    /// `ttg.threads-per-warp`.
    pub threads_per_warp: Option<u32>,
    /// `ttg.num-warps`.
    pub num_warps: Option<u32>,
    /// `ttg.shared`: bytes of dynamic shared memory.
    pub shared: Option<u32>,
}

/// A kernel decoded from text, with what its module says about the launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Decoded {
    /// The kernel.
    pub program: Program,
    /// The module's own words.
    pub info: ModuleInfo,
    /// The machine that operations and attributes point to.
    pub machine: Machine,
}

/// Decodes the kernel `entry` of a module in MLIR's generic form.
///
/// Without `entry` the module must have exactly one kernel.
/// ```
/// use linear_layout::machine::kernel::decode_generic;
/// let text = r#""builtin.module"() ({
///   "llvm.func"() <{function_type = !llvm.func<void ()>, sym_name = "k"}> ({
///     %0 = "llvm.mlir.constant"() <{value = 3 : i32}> : () -> i32
///     %1 = "llvm.add"(%0, %0) : (i32, i32) -> i32
///     "llvm.return"() : () -> ()
///   }) {nvvm.kernel, nvvm.reqntid = array<i32: 64>} : () -> ()
/// }) : () -> ()"#;
/// let decoded = decode_generic(text, None)?;
/// assert_eq!(decoded.program.name(), "k");
/// assert_eq!(decoded.program.block_size(), Some([64, 1, 1]));
/// # Ok::<(), linear_layout::machine::kernel::KernelError>(())
/// ```
/// # Errors
/// `Malformed` where the text is not MLIR's generic form or contradicts itself; `Unsupported`
/// for an operation or type that the simulator does not know, with the nearest that it does;
/// `Launch` for a target that the table does not have.
pub fn decode_generic(text: &str, entry: Option<&str>) -> Result<Decoded, KernelError> {
    let module = parse_module(text)?;
    let mut top = Vec::new();
    collect_top(&module.root, &mut top);
    let functions: Vec<&Node<'_>> = top
        .iter()
        .copied()
        .filter(|op| op.name == "llvm.func")
        .collect();
    let kernel = pick_kernel(&functions, entry)?;
    let info = module_info(&module.root);
    let machine = machine_of(kernel, &info)?;
    let mut decoder = Decoder {
        module: &module,
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
        b: ProgramBuilder::new(kernel.str("sym_name").unwrap_or("kernel")),
        machine,
        calls: Vec::new(),
        num_calls: 0,
    };
    decoder.kernel(kernel, &info)?;
    Ok(Decoded {
        program: decoder.b.finish()?,
        info,
        machine,
    })
}

/// The operations of the module and of modules inside it.
fn collect_top<'m, 'a>(root: &'m Node<'a>, out: &mut Vec<&'m Node<'a>>) {
    for op in root.regions.iter().flatten().flat_map(|block| &block.ops) {
        if matches!(op.name, "builtin.module" | "gpu.module") {
            collect_top(op, out);
        } else {
            out.push(op);
        }
    }
}

fn pick_kernel<'m, 'a>(
    functions: &[&'m Node<'a>],
    entry: Option<&str>,
) -> Result<&'m Node<'a>, KernelError> {
    let bodies = functions
        .iter()
        .copied()
        .filter(|f| f.regions.iter().any(|r| !r.is_empty()));
    let bodies: Vec<&Node<'_>> = bodies.collect();
    let is_kernel =
        |f: &&&Node<'_>| f.attr("nvvm.kernel").is_some() || f.attr("rocdl.kernel").is_some();
    let marked: Vec<&Node<'_>> = bodies.iter().filter(is_kernel).copied().collect();
    let candidates = if marked.is_empty() { &bodies } else { &marked };
    let names = || {
        let names = bodies.iter().filter_map(|f| f.str("sym_name"));
        names
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let launch = |text: String| KernelError::new(FaultKind::Launch, text);
    match (entry, candidates.as_slice()) {
        (Some(entry), _) => bodies
            .iter()
            .copied()
            .find(|f| f.str("sym_name") == Some(entry))
            .ok_or_else(|| {
                launch(format!("the module has no function `{entry}` with a body"))
                    .note(format!("it has: {}", names()))
            }),
        (None, [kernel]) => Ok(kernel),
        (None, []) => Err(
            launch("the module has no `llvm.func` with a body".to_owned())
                .note("is it lowered? the simulator runs the LLVM dialect"),
        ),
        (None, _) => Err(launch("the module has several kernels".to_owned())
            .note(format!("choose one of {}", names()))),
    }
}

fn module_info(root: &Node<'_>) -> ModuleInfo {
    let count = |name| root.int(name).and_then(|value| u32::try_from(value).ok());
    ModuleInfo {
        target: root.str("ttg.target").map(str::to_owned),
        threads_per_warp: count("ttg.threads-per-warp"),
        num_warps: count("ttg.num-warps"),
        shared: count("ttg.shared"),
    }
}

/// The machine of the module's target; where it names none, AMD's where the kernel's mark or any
/// operation is ROCDL's.
fn machine_of(kernel: &Node<'_>, info: &ModuleInfo) -> Result<Machine, KernelError> {
    let Some(name) = &info.target else {
        let blocks = kernel.regions.iter().flatten();
        let uses_rocdl = blocks
            .flat_map(|block| &block.ops)
            .any(|op| op.name.starts_with("rocdl."));
        return Ok(if uses_rocdl || kernel.attr("rocdl.kernel").is_some() {
            Machine::amd(info.threads_per_warp.unwrap_or(64))
        } else {
            Machine::nvidia()
        });
    };
    let target = Target::parse(name).map_err(|error| {
        KernelError::new(FaultKind::Launch, format!("the module has an {error}"))
    })?;
    let mut machine = Machine::of(target);
    // A wave of RDNA may have 64 lanes too.
    if let (Vendor::Amd, Some(lanes)) = (target.vendor, info.threads_per_warp) {
        machine.lanes_per_warp = lanes;
    }
    Ok(machine)
}

/// The most calls of one kernel, those inside of called functions each time: a chain of functions that call the
/// next one twice doubles at each link.
const MOST_CALLS: u32 = 1 << 14;

/// A value: its type and a register per slot.
#[derive(Clone, Debug)]
struct Val {
    ty: Ty,
    slots: Rc<[Reg]>,
}

type Values<'a> = HashMap<Value<'a>, Val>;

/// Where `llvm.return` of the function at hand goes.
enum Exit {
    Kernel,
    /// The caller's next block, whose parameters take the results.
    Caller(BlockId),
}

struct Decoder<'m, 'a> {
    module: &'m Module<'a>,
    functions: HashMap<&'m str, &'m Node<'a>>,
    globals: HashMap<&'m str, &'m Node<'a>>,
    /// Address of each global variable that is used.
    addresses: HashMap<String, u64>,
    b: ProgramBuilder,
    machine: Machine,
    /// Functions being decoded, outermost first.
    calls: Vec<&'m str>,
    num_calls: u32,
}

type Done<T = ()> = Result<T, KernelError>;

impl<'m, 'a> Decoder<'m, 'a> {
    fn kernel(&mut self, kernel: &'m Node<'a>, info: &ModuleInfo) -> Done {
        if let Some(size) = block_size(kernel, info, self.machine) {
            self.b.set_block_size(size);
        }
        let blocks = &kernel.regions[0];
        let mut values = Values::new();
        for (value, ty) in &blocks[0].args {
            let slots = self.flat(kernel, ty)?;
            let [slot] = slots[..] else {
                let text = format!(
                    "kernel parameter `{}` is an aggregate, which is not supported",
                    value.0
                );
                return Err(KernelError::new(FaultKind::Unsupported, text).at(self.site(kernel)));
            };
            let ty = match slot.kind {
                SlotKind::Ptr(_) => ParamTy::Pointer,
                SlotKind::Int => ParamTy::Int(slot.bits),
                SlotKind::Float(float) => ParamTy::Float(float),
            };
            let reg = self.b.param(ty);
            values.insert(
                *value,
                Val {
                    ty: blocks[0].args[values.len()].1.clone(),
                    slots: Rc::new([reg]),
                },
            );
        }
        let entry = self.b.block();
        self.b.switch_to(entry);
        self.body(kernel, values, &Exit::Kernel)
    }

    /// Decodes a function's blocks; the first one continues the current block.
    fn body(&mut self, function: &'m Node<'a>, mut values: Values<'a>, exit: &Exit) -> Done {
        let name = function.str("sym_name").unwrap_or("");
        let node: &'m Node<'a> = function;
        self.calls.push(
            self.functions
                .get_key_value(name)
                .map_or("", |(key, _)| key),
        );
        let blocks = &node.regions[0];
        let order = visit_order(blocks);
        let mut ids: HashMap<&str, BlockId> = HashMap::new();
        for &index in order.iter().skip(1) {
            let block = &blocks[index];
            let id = self.b.block();
            ids.insert(block.label, id);
            for (value, ty) in &block.args {
                let count = self.flat(function, ty)?.len();
                let slots: Vec<Reg> = (0..count).map(|_| self.b.block_param(id)).collect();
                values.insert(
                    *value,
                    Val {
                        ty: ty.clone(),
                        slots: slots.into(),
                    },
                );
            }
        }
        for &index in &order {
            let block = &blocks[index];
            if index != 0 {
                self.b.switch_to(ids[block.label]);
            }
            for op in &block.ops {
                self.b.at(self.site(op));
                self.op(op, &mut values, &ids, exit)?;
            }
        }
        self.calls.pop();
        Ok(())
    }

    fn site(&self, op: &Node<'_>) -> Site {
        let text = op.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Site {
            text,
            location: self.module.location(op.loc),
        }
    }

    fn error(&self, kind: FaultKind, op: &Node<'_>, text: impl Into<String>) -> KernelError {
        KernelError::new(kind, text).at(self.site(op))
    }

    fn malformed(&self, op: &Node<'_>, text: impl Into<String>) -> KernelError {
        self.error(FaultKind::Malformed, op, text)
    }

    fn unsupported(&self, op: &Node<'_>, text: impl Into<String>) -> KernelError {
        self.error(FaultKind::Unsupported, op, text)
    }

    /// The slots of a type.
    fn flat(&self, op: &Node<'_>, ty: &Ty) -> Done<Vec<Slot>> {
        flatten(ty).map_err(|text| self.unsupported(op, text))
    }

    fn operand(&self, op: &Node<'a>, index: usize, values: &Values<'a>) -> Done<Val> {
        let Some(value) = op.operands.get(index) else {
            return Err(self.malformed(op, format!("`{}` has no operand {index}", op.name)));
        };
        values.get(value).cloned().ok_or_else(|| {
            self.malformed(
                op,
                format!("value `{}` is used before it is defined", value.0),
            )
        })
    }

    /// The register of an operand that has one slot.
    fn scalar(&self, op: &Node<'a>, index: usize, values: &Values<'a>) -> Done<Reg> {
        let value = self.operand(op, index, values)?;
        match value.slots[..] {
            [reg] => Ok(reg),
            _ => Err(self.unsupported(
                op,
                format!("`{}` on a vector or struct is not supported", op.name),
            )),
        }
    }

    fn define(&self, op: &Node<'a>, slots: impl Into<Rc<[Reg]>>, values: &mut Values<'a>) -> Done {
        let [(value, ty)] = &op.results[..] else {
            return Err(self.malformed(op, format!("`{}` must have one result", op.name)));
        };
        values.insert(
            *value,
            Val {
                ty: ty.clone(),
                slots: slots.into(),
            },
        );
        Ok(())
    }

    fn result_ty<'n>(&self, op: &'n Node<'a>) -> Done<&'n Ty> {
        match op.results.first() {
            Some((_, ty)) => Ok(ty),
            None => Err(self.malformed(op, format!("`{}` must have a result", op.name))),
        }
    }

    /// A pattern that shows, for values that nobody defined.
    fn garbage(&mut self, bits: u32) -> Reg {
        self.b
            .constant(0xbad0_bad0_bad0_bad0 & super::eval::mask(bits))
    }

    fn op(
        &mut self,
        op: &'m Node<'a>,
        values: &mut Values<'a>,
        ids: &HashMap<&str, BlockId>,
        exit: &Exit,
    ) -> Done {
        match op.name {
            "llvm.br" | "llvm.cond_br" | "llvm.switch" | "llvm.return" | "llvm.unreachable" => {
                self.terminator(op, values, ids, exit)
            }
            "llvm.mlir.constant" | "llvm.mlir.undef" | "llvm.mlir.poison" | "llvm.mlir.zero" => {
                self.constant(op, values)
            }
            "llvm.call" => self.call(op, values),
            _ if self.arith(op, values)? => Ok(()),
            _ if self.aggregate(op, values)? => Ok(()),
            _ if self.memory(op, values)? => Ok(()),
            _ if self.gpu(op, values)? => Ok(()),
            "llvm.inline_asm" => self.inline_asm(op, values),
            // Hints and debug information.
            "llvm.intr.assume"
            | "llvm.intr.lifetime.start"
            | "llvm.intr.lifetime.end"
            | "llvm.intr.dbg.value"
            | "llvm.intr.dbg.declare"
            | "llvm.intr.dbg.label"
            | "llvm.intr.prefetch"
            | "llvm.intr.experimental.noalias.scope.decl" => Ok(()),
            _ => Err(self.unknown(op)),
        }
    }

    fn unknown(&self, op: &Node<'_>) -> KernelError {
        let error = self.unsupported(op, format!("operation `{}` is not supported", op.name));
        if op.name.starts_with("llvm.")
            || op.name.starts_with("nvvm.")
            || op.name.starts_with("rocdl.")
        {
            error.note(format!(
                "the nearest that is supported: {}",
                nearest(op.name)
            ))
        } else {
            error.note(
                "the simulator runs the LLVM dialect with NVVM or ROCDL; lower the module first",
            )
        }
    }

    fn constant(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done {
        let ty = self.result_ty(op)?.clone();
        let slots = self.flat(op, &ty)?;
        let regs: Vec<Reg> = match op.name {
            "llvm.mlir.zero" => slots.iter().map(|_| self.b.constant(0)).collect(),
            "llvm.mlir.constant" => {
                let Some(value) = op.attr("value") else {
                    return Err(self.malformed(op, "constant without a value"));
                };
                let Some(bits) = constant_bits(value, &slots) else {
                    return Err(self.unsupported(op, "constant of a form that is not supported"));
                };
                bits.into_iter().map(|bits| self.b.constant(bits)).collect()
            }
            _ => slots.iter().map(|slot| self.garbage(slot.bits)).collect(),
        };
        self.define(op, regs, values)
    }

    /// The edge to successor `index`, whose values stand at `range` of the operands.
    fn edge(
        &self,
        op: &Node<'a>,
        index: usize,
        range: std::ops::Range<usize>,
        values: &Values<'a>,
        ids: &HashMap<&str, BlockId>,
    ) -> Done<Edge> {
        let target = op.successors.get(index).and_then(|label| ids.get(label));
        let Some(&target) = target else {
            return Err(self.malformed(op, format!("successor {index} is no block")));
        };
        let mut args = Vec::new();
        for operand in range {
            args.extend(self.operand(op, operand, values)?.slots.iter().copied());
        }
        Ok(Edge {
            target,
            args: args.into(),
        })
    }

    fn terminator(
        &mut self,
        op: &Node<'a>,
        values: &Values<'a>,
        ids: &HashMap<&str, BlockId>,
        exit: &Exit,
    ) -> Done {
        let segments = |name: &str| -> Option<Vec<usize>> {
            op.ints(name)?
                .iter()
                .map(|&n| usize::try_from(n).ok())
                .collect()
        };
        let total = op.operands.len();
        let terminator = match op.name {
            "llvm.br" => Terminator::Branch(self.edge(op, 0, 0..total, values, ids)?),
            "llvm.cond_br" => {
                let sizes = segments("operandSegmentSizes").unwrap_or_default();
                let &[_, yes, no] = &sizes[..] else {
                    return Err(self.malformed(op, "`operandSegmentSizes` must have three entries"));
                };
                let then = self.edge(op, 0, 1..1 + yes, values, ids)?;
                let other = self.edge(op, 1, 1 + yes..1 + yes + no, values, ids)?;
                Terminator::CondBranch {
                    cond: self.scalar(op, 0, values)?,
                    then,
                    other,
                }
            }
            "llvm.switch" => {
                let sizes = segments("operandSegmentSizes").unwrap_or_default();
                let default = sizes.get(1).copied().unwrap_or(0);
                let case_sizes = segments("case_operand_segments").unwrap_or_default();
                let width = self.flat(op, &self.operand(op, 0, values)?.ty)?[0].bits;
                let literals = match op.attr("case_values") {
                    Some(Attr::Dense {
                        splat, elements, ..
                    }) => {
                        let count = if *splat {
                            op.successors.len() - 1
                        } else {
                            elements.len()
                        };
                        let at = |i: usize| if *splat { &elements[0] } else { &elements[i] };
                        (0..count).map(|i| at(i).clone()).collect()
                    }
                    _ => Vec::new(),
                };
                let mut start = 1 + default;
                let mut cases = Vec::new();
                for (index, literal) in literals.iter().enumerate() {
                    let Attr::Int(value, _) = literal else {
                        return Err(self.malformed(op, "case values must be integers"));
                    };
                    let count = case_sizes.get(index).copied().unwrap_or(0);
                    let edge = self.edge(op, index + 1, start..start + count, values, ids)?;
                    cases.push((*value as u64 & super::eval::mask(width), edge));
                    start += count;
                }
                let default = self.edge(op, 0, 1..1 + default, values, ids)?;
                let value = self.scalar(op, 0, values)?;
                Terminator::Switch {
                    value,
                    cases: cases.into(),
                    default,
                }
            }
            "llvm.return" => match exit {
                Exit::Kernel => Terminator::Return,
                Exit::Caller(target) => {
                    let mut args = Vec::new();
                    for operand in 0..total {
                        args.extend(self.operand(op, operand, values)?.slots.iter().copied());
                    }
                    Terminator::Branch(Edge {
                        target: *target,
                        args: args.into(),
                    })
                }
            },
            _ => Terminator::Unreachable,
        };
        self.b.terminate(terminator);
        Ok(())
    }

    /// Decodes a called function in place, or a known function of a maths library.
    fn call(&mut self, op: &'m Node<'a>, values: &mut Values<'a>) -> Done {
        let Some(callee) = op.str("callee") else {
            return Err(self.unsupported(op, "call through a pointer is not supported"));
        };
        let function = self.functions.get(callee).copied();
        let Some(function) = function.filter(|f| f.regions.iter().any(|r| !r.is_empty())) else {
            return match self.library_call(op, callee, values)? {
                true => Ok(()),
                false => Err(self
                    .unsupported(
                        op,
                        format!("function `{callee}` has no body and is not known"),
                    )
                    .note("known are `__nv_*` and `__ocml_*` functions of one or two floats")),
            };
        };
        if self.calls.contains(&callee) {
            let chain = self.calls.iter().copied().chain([callee]);
            let chain: Vec<String> = chain.map(|name| format!("`{name}`")).collect();
            return Err(self
                .unsupported(
                    op,
                    format!("`{callee}` calls itself, which is not supported"),
                )
                .note(format!("the calls are {}", chain.join(", "))));
        }
        self.num_calls += 1;
        if self.num_calls > MOST_CALLS {
            let text = format!("the kernel makes more than {MOST_CALLS} calls");
            return Err(self
                .unsupported(op, text)
                .note("a function is decoded wherever it is called"));
        }
        let params = &function.regions[0][0].args;
        if params.len() != op.operands.len() {
            let (wanted, found) = (params.len(), op.operands.len());
            let text = format!("`{callee}` takes {wanted} arguments, found {found}");
            return Err(self.malformed(op, text));
        }
        let mut inner = Values::new();
        for (index, (value, ty)) in params.iter().enumerate() {
            let slots = self.operand(op, index, values)?.slots;
            inner.insert(
                *value,
                Val {
                    ty: ty.clone(),
                    slots,
                },
            );
        }
        let next = self.b.block();
        if let [(value, ty)] = &op.results[..] {
            let count = self.flat(op, ty)?.len();
            let slots: Vec<Reg> = (0..count).map(|_| self.b.block_param(next)).collect();
            values.insert(
                *value,
                Val {
                    ty: ty.clone(),
                    slots: slots.into(),
                },
            );
        }
        self.body(function, inner, &Exit::Caller(next))?;
        self.b.switch_to(next);
        Ok(())
    }

    /// The address of a global variable; makes the variable on first use.
    fn symbol(&mut self, op: &Node<'a>, name: &str) -> Done<u64> {
        if let Some(&address) = self.addresses.get(name) {
            return Ok(address);
        }
        let Some(&global) = self.globals.get(name) else {
            if self.functions.contains_key(name) {
                let text = format!("the address of the function `{name}` is not supported");
                return Err(self
                    .unsupported(op, text)
                    .note("functions are called by name"));
            }
            return Err(self.malformed(op, format!("no global variable `{name}`")));
        };
        let Some(Attr::Type(ty)) = global.attr("global_type") else {
            return Err(self.malformed(global, "global variable without a type"));
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
            let writable = global.attr("constant").is_none() && space != 4;
            self.b.global_symbol(GlobalSymbol {
                name: name.to_owned(),
                bytes,
                writable,
            })
        };
        self.addresses.insert(name.to_owned(), address);
        Ok(address)
    }

    fn initial_bytes(&self, global: &Node<'_>, ty: &Ty, size: usize) -> Done<Vec<u8>> {
        let mut bytes = vec![0; size];
        let Some(value) = global.attr("value") else {
            return Ok(bytes);
        };
        if let Attr::Str(text) = value {
            let count = text.len().min(size);
            bytes[..count].copy_from_slice(&text.as_bytes()[..count]);
            return Ok(bytes);
        }
        let slots = self.flat(global, ty)?;
        let Some(bits) = constant_bits(value, &slots) else {
            return Err(self.unsupported(global, "initial value of a form that is not supported"));
        };
        for (slot, bits) in slots.iter().zip(bits) {
            super::memory::write_le(&mut bytes, slot.offset as usize, slot.bytes(), bits);
        }
        Ok(bytes)
    }

    /// One instruction with one new register.
    fn emit(&mut self, make: impl FnOnce(Reg) -> Op) -> Reg {
        let dst = self.b.reg();
        self.b.push(make(dst));
        dst
    }

    fn is_amd(&self) -> bool {
        self.machine.vendor == Vendor::Amd
    }
}

/// Reverse post-order: each definition comes before its uses.
fn visit_order(blocks: &[BlockNode<'_>]) -> Vec<usize> {
    let index: HashMap<&str, usize> = blocks
        .iter()
        .enumerate()
        .map(|(index, block)| (block.label, index))
        .collect();
    let succs = |block: usize| -> Vec<usize> {
        let last = blocks[block].ops.last();
        let labels = last.map_or(&[][..], |op| &op.successors[..]);
        labels
            .iter()
            .filter_map(|label| index.get(label).copied())
            .collect()
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

/// The block size that the kernel's attributes fix.
fn block_size(kernel: &Node<'_>, info: &ModuleInfo, machine: Machine) -> Option<[u32; 3]> {
    let axes = |values: &[i64]| {
        let mut size = [1; 3];
        for (axis, &value) in size.iter_mut().zip(values) {
            *axis = u32::try_from(value).unwrap_or(0);
        }
        size
    };
    for name in ["nvvm.reqntid", "rocdl.reqd_work_group_size"] {
        match kernel.attr(name) {
            Some(Attr::Ints(values)) => return Some(axes(values)),
            Some(Attr::Array(values)) => {
                let values = values.iter().filter_map(|v| match v {
                    Attr::Int(v, _) => i64::try_from(*v).ok(),
                    _ => None,
                });
                return Some(axes(&values.collect::<Vec<_>>()));
            }
            _ => {}
        }
    }
    // "128,128" fixes the size; "1,256" only limits it.
    let flat = kernel
        .str("rocdl.flat_work_group_size")
        .and_then(|text| text.split_once(','));
    if let Some((low, high)) = flat
        && low.trim() == high.trim()
        && let Ok(threads) = low.trim().parse()
    {
        return Some([threads, 1, 1]);
    }
    info.num_warps
        .map(|warps| [warps * machine.lanes_per_warp, 1, 1])
}

/// The supported operation whose name is most like `name`.
fn nearest(name: &str) -> String {
    let mut names: Vec<&str> = arith::NAMES
        .iter()
        .chain(memory::NAMES)
        .chain(gpu::NAMES)
        .copied()
        .collect();
    // A longer common start says more than fewer changed letters.
    let shared = |other: &str| {
        name.bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    names.sort_by_key(|other| (std::cmp::Reverse(shared(other)), edits(name, other), *other));
    names
        .iter()
        .take(3)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
