//! Printer of kernels as modules: custom syntax for functions, MLIR's generic form for operations.

use super::kernel::{
    BufferAccess, Code, Element, Kernel, KernelOp, KernelRegion, KernelType, Scalar, Sync, Value,
};
use linear_layout::target::Assembly;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Returns the constraint string of inline assembly that forwards its operands. Each result is tied to the register
/// of one operand.
fn constraints(kernel: &Kernel, op: &KernelOp, pack: u32) -> String {
    let is_ptx = kernel.target.assembly == Assembly::Ptx;
    let words = op.operands.iter().flat_map(|operand| {
        let bits = kernel.types[*operand].element.bits();
        let letter = match (is_ptx, bits > 32) {
            (false, _) => "=v",
            (true, true) => "=l",
            (true, false) => "=r",
        };
        vec![letter; pack.div_ceil((32 / bits).max(1)) as usize]
    });
    let mut list: Vec<String> = words.map(str::to_owned).collect();
    let ties: Vec<String> = (0..list.len()).map(|i| i.to_string()).collect();
    list.extend(ties);
    list.join(",")
}

/// Returns a module with one function per kernel, named `k0`, `k1`, ... All kernels must have the same target and
/// number of warps.
pub(crate) fn module(kernels: &[&Kernel]) -> String {
    let mut printer = KernelPrinter::default();
    let functions: Vec<String> = kernels
        .iter()
        .enumerate()
        .map(|(i, kernel)| printer.function(kernel, i))
        .collect();
    let mut text = String::new();
    for (i, encoding) in printer.encodings.iter().enumerate() {
        let _ = writeln!(text, "#e{i} = {encoding}");
    }
    let first = kernels[0];
    let _ = writeln!(
        text,
        "module attributes {{\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = {} : i32, \
         ttg.target = \"{}\", \"ttg.threads-per-warp\" = {} : i32}} {{",
        first.warps, first.target.name, first.target.lanes
    );
    text += &functions.concat();
    text += "}\n";
    text
}

/// Names of MLIR's rounding modes; the index of a name is the number of its mode.
const ROUNDING_MODES: [&str; 5] = [
    "to_nearest_even",
    "downward",
    "upward",
    "toward_zero",
    "to_nearest_away",
];

/// Returns the ordering and scope properties of an atomic access.
fn sync(sync: &Sync) -> String {
    format!(
        "sem = {} : i32, scope = {} : i32",
        sync.ordering, sync.scope
    )
}

/// Formats a constant as an MLIR attribute without its type.
fn literal(element: Element, bits: u64) -> String {
    match element.scalar {
        Scalar::Int(1) => if bits == 0 { "false" } else { "true" }.to_owned(),
        Scalar::Int(width) => ((bits << (64 - width)).cast_signed() >> (64 - width)).to_string(),
        scalar => format!("0x{bits:0width$X}", width = scalar.bits() as usize / 4),
    }
}

/// Formats the elements of a constant tensor as nested lists, as in a `dense` attribute.
fn nested(element: Element, shape: &[u64], elements: &[u64]) -> String {
    let Some((&size, inner)) = shape.split_first() else {
        return literal(element, elements[0]);
    };
    let lists = elements.chunks(elements.len() / size as usize);
    let lists: Vec<String> = lists.map(|list| nested(element, inner, list)).collect();
    format!("[{}]", lists.join(", "))
}

#[derive(Default)]
struct KernelPrinter {
    names: HashMap<Rc<str>, usize>,
    encodings: Vec<Rc<str>>,
    /// Number of blocks with `cf` branches that have been created.
    blocks: usize,
}

impl KernelPrinter {
    fn type_(&mut self, type_: &KernelType) -> String {
        let element = type_.element.name();
        let Some(tensor) = &type_.tensor else {
            return element;
        };
        let next = self.encodings.len();
        let name = *self.names.entry(tensor.encoding.clone()).or_insert(next);
        if name == next {
            self.encodings.push(tensor.encoding.clone());
        }
        let sizes: String = tensor.shape.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{element}, #e{name}>")
    }

    fn types(&mut self, kernel: &Kernel, values: &[Value]) -> String {
        let types: Vec<String> = values
            .iter()
            .map(|v| self.type_(&kernel.types[*v]))
            .collect();
        format!("({})", types.join(", "))
    }

    fn function(&mut self, kernel: &Kernel, index: usize) -> String {
        let arguments: Vec<String> = kernel
            .arguments
            .iter()
            .enumerate()
            .map(|(i, argument)| {
                let hint = argument.divisibility.map_or(String::new(), |n| {
                    format!(" {{tt.divisibility = {n} : i32}}")
                });
                format!("%{i}: {}{hint}", self.type_(&kernel.types[i]))
            })
            .collect();
        let mut text = format!("  tt.func public @k{index}({}) {{\n", arguments.join(", "));
        for op in &kernel.body {
            self.op(kernel, op, 2, &mut text);
        }
        text + "    tt.return\n  }\n"
    }

    fn op(&mut self, kernel: &Kernel, op: &KernelOp, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let list = |values: &[Value]| {
            let names: Vec<String> = values.iter().map(|v| format!("%{v}")).collect();
            names.join(", ")
        };
        match op.code {
            Code::If { flat: true } => return self.branch(kernel, op, depth, text),
            Code::While { flat: true } => return self.circle(kernel, op, depth, text),
            _ => {}
        }
        if let Code::Buffer { encoding, access } = &op.code {
            return self.buffer(kernel, op, (encoding, access), &indent, text);
        }
        text.push_str(&indent);
        if !op.results.is_empty() {
            let _ = write!(text, "{} = ", list(&op.results));
        }
        let (name, properties) = self.name(kernel, op);
        let _ = write!(text, "\"{name}\"({})", list(&op.operands));
        if !properties.is_empty() {
            let _ = write!(text, " <{{{properties}}}>");
        }
        if !op.regions.is_empty() {
            text.push_str(" (");
            for (i, region) in op.regions.iter().enumerate() {
                text.push_str(if i == 0 { "{\n" } else { ", {\n" });
                self.region(kernel, region, depth + 1, text);
                let _ = write!(text, "{indent}}}");
            }
            text.push(')');
        }
        let (operands, results) = (
            self.types(kernel, &op.operands),
            self.types(kernel, &op.results),
        );
        let _ = writeln!(text, " : {operands} -> {results}");
    }

    /// Returns a new name for a block.
    fn block(&mut self) -> String {
        self.blocks += 1;
        format!("^bb{}", self.blocks)
    }

    /// Returns the label of a block: its name and its parameters with their types.
    fn label(&mut self, kernel: &Kernel, name: &str, params: &[Value]) -> String {
        let params: Vec<String> = params
            .iter()
            .map(|v| format!("%{v}: {}", self.type_(&kernel.types[*v])))
            .collect();
        match params.is_empty() {
            true => format!("  {name}:\n"),
            false => format!("  {name}({}):\n", params.join(", ")),
        }
    }

    /// Returns a `cf.br`, or a `cf.cond_br` if there is a condition. Each entry of `ways` is a successor block with
    /// the operands that it receives.
    fn jump(
        &mut self,
        kernel: &Kernel,
        condition: Option<Value>,
        ways: &[(&str, &[Value])],
    ) -> String {
        let blocks: Vec<&str> = ways.iter().map(|(block, _)| *block).collect();
        let mut operands: Vec<Value> = condition.into_iter().collect();
        operands.extend(ways.iter().flat_map(|(_, values)| values.iter()));
        let names: Vec<String> = operands.iter().map(|v| format!("%{v}")).collect();
        let counts: Vec<String> = ways.iter().map(|(_, v)| v.len().to_string()).collect();
        let (name, sizes) = match condition {
            None => ("cf.br", String::new()),
            Some(_) => (
                "cf.cond_br",
                format!(
                    " <{{operandSegmentSizes = array<i32: 1, {}>}}>",
                    counts.join(", ")
                ),
            ),
        };
        let types = self.types(kernel, &operands);
        format!(
            "    \"{name}\"({})[{}]{sizes} : {types} -> ()\n",
            names.join(", "),
            blocks.join(", ")
        )
    }

    /// Prints the operations of a region, except its terminator. Returns the operands of the terminator.
    fn straight<'k>(
        &mut self,
        kernel: &Kernel,
        region: &'k KernelRegion,
        depth: usize,
        text: &mut String,
    ) -> &'k [Value] {
        let Some((end, ops)) = region.ops.split_last() else {
            return &[];
        };
        for op in ops {
            self.op(kernel, op, depth, text);
        }
        &end.operands
    }

    /// Prints a branch as one block per side and a block at which both sides join.
    fn branch(&mut self, kernel: &Kernel, op: &KernelOp, depth: usize, text: &mut String) {
        let sides = [self.block(), self.block()];
        let end = self.block();
        let ways: [(&str, &[Value]); 2] = [(&sides[0], &[]), (&sides[1], &[])];
        text.push_str(&self.jump(kernel, Some(op.operands[0]), &ways));
        for (side, region) in sides.iter().zip(&op.regions) {
            text.push_str(&self.label(kernel, side, &[]));
            let handed = self.straight(kernel, region, depth, text);
            text.push_str(&self.jump(kernel, None, &[(&end, handed)]));
        }
        text.push_str(&self.label(kernel, &end, &op.results));
    }

    /// Prints a while loop as three blocks: header, body, and exit.
    fn circle(&mut self, kernel: &Kernel, op: &KernelOp, depth: usize, text: &mut String) {
        let [before, after, end] = [self.block(), self.block(), self.block()];
        text.push_str(&self.jump(kernel, None, &[(&before, &op.operands)]));
        text.push_str(&self.label(kernel, &before, &op.regions[0].arguments));
        let passed = self.straight(kernel, &op.regions[0], depth, text);
        let ways: [(&str, &[Value]); 2] = [(&after, &passed[1..]), (&end, &passed[1..])];
        text.push_str(&self.jump(kernel, Some(passed[0]), &ways));
        text.push_str(&self.label(kernel, &after, &op.regions[1].arguments));
        let handed = self.straight(kernel, &op.regions[1], depth, text);
        text.push_str(&self.jump(kernel, None, &[(&before, handed)]));
        text.push_str(&self.label(kernel, &end, &op.results));
    }

    /// Prints the allocation and initialisation of a shared-memory buffer, and the accesses to the buffer.
    fn buffer(
        &mut self,
        kernel: &Kernel,
        op: &KernelOp,
        (encoding, access): (&Rc<str>, &BufferAccess),
        indent: &str,
        text: &mut String,
    ) {
        let source = &kernel.types[op.operands[0]];
        let sizes: String = source
            .shape()
            .iter()
            .map(|size| format!("{size}x"))
            .collect();
        let element = source.element.name();
        let memory =
            format!("!ttg.memdesc<{sizes}{element}, {encoding}, #ttg.shared_memory, mutable>");
        let name = format!("%b{}", op.results[0]);
        let results: Vec<String> = op
            .results
            .iter()
            .map(|v| self.type_(&kernel.types[*v]))
            .collect();
        let operands: Vec<String> = op.operands[1..].iter().map(|v| format!("%{v}")).collect();
        let types = self.types(kernel, &op.operands[1..]);
        let types = types.trim_start_matches('(').trim_end_matches(')');
        let (others, result) = (operands.join(", "), op.results[0]);
        let first = self.type_(source);
        let _ = writeln!(
            text,
            "{indent}{name} = \"ttg.local_alloc\"(%{}) : ({first}) -> {memory}",
            op.operands[0]
        );
        let _ = match access {
            BufferAccess::Load => Ok(()),
            BufferAccess::Gather(axis) => writeln!(
                text,
                "{indent}%{result} = \"ttg.local_gather\"({name}, {others}) <{{axis = {axis} : i32}}> : ({memory}, {types}) -> {}",
                results[0]
            ),
            BufferAccess::Scatter(axis) => writeln!(
                text,
                "{indent}\"ttg.local_scatter\"({name}, {others}) <{{axis = {axis} : i32}}> : ({memory}, {types}) -> ()"
            ),
            BufferAccess::Update { axis, change } => writeln!(
                text,
                "{indent}%{} = \"ttg.local_atomic_scatter_rmw\"({name}, {others}) <{{atomic_rmw_op = {} : i32, axis = {axis} : i32}}> : ({memory}, {types}) -> {}",
                op.results[1], change.number, results[1]
            ),
        };
        if !matches!(access, BufferAccess::Gather(_)) {
            let _ = writeln!(
                text,
                "{indent}%{result} = \"ttg.local_load\"({name}) : ({memory}) -> {}",
                results[0]
            );
        }
    }

    fn region(&mut self, kernel: &Kernel, region: &KernelRegion, depth: usize, text: &mut String) {
        if !region.arguments.is_empty() {
            let arguments: Vec<String> = region
                .arguments
                .iter()
                .map(|v| format!("%{v}: {}", self.type_(&kernel.types[*v])))
                .collect();
            let _ = writeln!(
                text,
                "{}^bb0({}):",
                "  ".repeat(depth - 1),
                arguments.join(", ")
            );
        }
        for op in &region.ops {
            self.op(kernel, op, depth, text);
        }
    }

    /// Returns the name of an operation, and its properties as MLIR spells them.
    fn name(&mut self, kernel: &Kernel, op: &KernelOp) -> (&'static str, String) {
        let none = String::new();
        let policy = |policy: &str| {
            if policy.is_empty() {
                String::new()
            } else {
                format!("cachePolicy = #tt.cache_policy<{policy}>, ")
            }
        };
        let segments = |sizes: &[usize]| {
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            format!("operandSegmentSizes = array<i32: {}>", sizes.join(", "))
        };
        let has = |n: usize| usize::from(op.operands.len() > n);
        match &op.code {
            Code::ProgramId(axis) => ("tt.get_program_id", format!("axis = {axis} : i32")),
            Code::NumPrograms(axis) => ("tt.get_num_programs", format!("axis = {axis} : i32")),
            Code::Constant(bits) => {
                let type_ = &kernel.types[op.results[0]];
                let mut value = literal(type_.element, *bits);
                if type_.tensor.is_some() {
                    value = format!("dense<{value}>");
                }
                if type_.tensor.is_some() || type_.element.int() != Some(1) {
                    let _ = write!(value, " : {}", self.type_(type_));
                }
                ("arith.constant", format!("value = {value}"))
            }
            Code::Elements(elements) => {
                let type_ = &kernel.types[op.results[0]];
                let list = nested(type_.element, type_.shape(), elements);
                let value = format!("value = dense<{list}> : {}", self.type_(type_));
                ("arith.constant", value)
            }
            Code::AtomicChange { change, sync: by } => (
                "tt.atomic_rmw",
                format!("atomic_rmw_op = {} : i32, {}", change.number, sync(by)),
            ),
            Code::CompareExchange(by) => ("tt.atomic_cas", sync(by)),
            Code::AtomicLoad(by) => ("tt.atomic_load", sync(by)),
            Code::AtomicStore(by) => ("tt.atomic_store", sync(by)),
            Code::Poll(by) => ("tt.atomic_poll", sync(by)),
            Code::Barrier => ("ttg.barrier", "addrSpace = 31 : i32".to_owned()),
            Code::Range(start) => {
                let end = start + kernel.types[op.results[0]].shape()[0];
                (
                    "tt.make_range",
                    format!("start = {start} : i32, end = {end} : i32"),
                )
            }
            Code::Splat => ("tt.splat", none),
            Code::ExpandDims(axis) => ("tt.expand_dims", format!("axis = {axis} : i32")),
            Code::Broadcast => ("tt.broadcast", none),
            Code::Trans(order) => {
                let order: Vec<String> = order.iter().map(usize::to_string).collect();
                (
                    "tt.trans",
                    format!("order = array<i32: {}>", order.join(", ")),
                )
            }
            Code::Reshape => ("tt.reshape", none),
            Code::Join => ("tt.join", none),
            Code::Split => ("tt.split", none),
            Code::Convert => ("ttg.convert_layout", none),
            Code::SetLayout => ("gluon.set_auto_layout", none),
            Code::AddPointer => ("tt.addptr", none),
            Code::Load {
                volatile,
                policy: asked,
            } => (
                "tt.load",
                format!(
                    "{}isVolatile = {volatile}, {}",
                    policy(asked),
                    segments(&[1, has(1), has(2)])
                ),
            ),
            Code::Store { policy: asked } => {
                ("tt.store", policy(asked).trim_end_matches(", ").to_owned())
            }
            Code::BufferLoad => ("amdg.buffer_load", segments(&[1, 1, 0, has(2), has(3)])),
            Code::BufferStore => ("amdg.buffer_store", segments(&[1, 1, 1, 0, has(3)])),
            Code::Elementwise("tt.fp_to_fp.rtz") => {
                ("tt.fp_to_fp", "rounding = 0 : i32".to_owned())
            }
            Code::Elementwise("tt.fp_to_fp") => {
                let bits = |v: Value| kernel.types[v].element.bits();
                let narrows = bits(op.operands[0]) >= bits(op.results[0]);
                let rounding = if narrows { "rounding = 1 : i32" } else { "" };
                ("tt.fp_to_fp", rounding.to_owned())
            }
            Code::Elementwise(name) => match name.strip_prefix("arith.truncf.") {
                Some(mode) => {
                    let number = ROUNDING_MODES.iter().position(|known| *known == mode);
                    let number = number.expect("a truncation is in one of MLIR's modes");
                    ("arith.truncf", format!("roundingmode = {number} : i32"))
                }
                None => (name, none),
            },
            Code::Extern { symbol, .. } => (
                "tt.extern_elementwise",
                format!("libname = \"\", libpath = \"\", pure = true, symbol = \"{symbol}\""),
            ),
            Code::Assembly(pack) => {
                let constraints = constraints(kernel, op, *pack);
                (
                    "tt.elementwise_inline_asm",
                    format!(
                        "asm_string = \"\", constraints = \"{constraints}\", packed_element = {pack} : i32, \
                         pure = true"
                    ),
                )
            }
            Code::CompareInts(predicate) => {
                ("arith.cmpi", format!("predicate = {predicate} : i64"))
            }
            Code::CompareFloats(predicate) => {
                ("arith.cmpf", format!("predicate = {predicate} : i64"))
            }
            Code::For { unsigned } => (
                "scf.for",
                if *unsigned { "unsignedCmp" } else { "" }.to_owned(),
            ),
            Code::If { .. } => ("scf.if", none),
            Code::While { .. } => ("scf.while", none),
            Code::Mask => ("ttg.mask", none),
            Code::MaskReturn => ("ttg.mask.return", none),
            Code::PredicateStage { most, stage } => (
                "ttg.predicate_stage",
                format!("maxStage = {most} : i32, stage = {stage} : i32"),
            ),
            Code::Yield => ("scf.yield", none),
            Code::Reduce(axis) => ("tt.reduce", format!("axis = {axis} : i32")),
            Code::ReduceReturn => ("tt.reduce.return", none),
            Code::Scan { axis, reverse } => (
                "tt.scan",
                format!("axis = {axis} : i32, reverse = {reverse}"),
            ),
            Code::ScanReturn => ("tt.scan.return", none),
            Code::Dot => (
                "tt.dot",
                "inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32".to_owned(),
            ),
            Code::Gather(axis) => ("tt.gather", format!("axis = {axis} : i32")),
            Code::Histogram => ("tt.histogram", none),
            Code::Buffer { .. } => unreachable!("a buffer is several operations"),
            Code::Condition => ("scf.condition", none),
        }
    }
}
