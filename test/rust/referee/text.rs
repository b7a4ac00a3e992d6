//! Modules as data, and their text in MLIR's generic form.
//!
//! Every type and attribute of an operation is explicit in the generic form, so that each can be mutated alone; custom
//! syntax omits redundant ones.

use std::fmt::{self, Display, Write};

/// The kind of a shaped type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShapedKind {
    Tensor,
    Buffer,
    Descriptor,
    /// A tensor descriptor for im2col copies from an image.
    Image,
}

/// `#ttg.shared_memory`
pub(crate) const SHARED: &str = "#ttg.shared_memory";
/// `#ttng.tensor_memory`
pub(crate) const TENSOR_MEMORY: &str = "#ttng.tensor_memory";

/// The type of a tensor, a buffer or a tensor descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shaped {
    pub(crate) kind: ShapedKind,
    pub(crate) shape: Vec<u64>,
    pub(crate) element: String,
    pub(crate) encoding: Option<String>,
    /// Memory space of a buffer, as an MLIR attribute.
    pub(crate) space: &'static str,
    pub(crate) mutable: bool,
    /// Shape of the allocation of which a buffer is a part; empty if the buffer is the whole allocation.
    pub(crate) alloc: Vec<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Plain(String),
    Shaped(Shaped),
}

impl From<&str> for Type {
    fn from(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }
}

impl From<Shaped> for Type {
    fn from(shaped: Shaped) -> Self {
        Self::Shaped(shaped)
    }
}

impl From<&Shaped> for Type {
    fn from(shaped: &Shaped) -> Self {
        Self::Shaped(shaped.clone())
    }
}

impl Shaped {
    pub(crate) fn tensor(shape: &[u64], element: &str, encoding: Option<String>) -> Self {
        Self {
            kind: ShapedKind::Tensor,
            shape: shape.to_vec(),
            element: element.to_owned(),
            encoding,
            space: SHARED,
            mutable: false,
            alloc: Vec::new(),
        }
    }

    /// Returns a mutable buffer in shared memory.
    pub(crate) fn buffer(shape: &[u64], element: &str, encoding: String) -> Self {
        Self {
            kind: ShapedKind::Buffer,
            mutable: true,
            ..Self::tensor(shape, element, Some(encoding))
        }
    }

    pub(crate) fn descriptor(shape: &[u64], element: &str, encoding: Option<String>) -> Self {
        Self {
            kind: ShapedKind::Descriptor,
            ..Self::tensor(shape, element, encoding)
        }
    }

    /// Returns this type with the element type replaced by `element`.
    pub(crate) fn of(&self, element: &str) -> Self {
        Self {
            element: element.to_owned(),
            ..self.clone()
        }
    }

    pub(crate) fn with_encoding(&self, encoding: Option<String>) -> Self {
        Self {
            encoding,
            ..self.clone()
        }
    }

    pub(crate) fn with_shape(&self, shape: &[u64]) -> Self {
        Self {
            shape: shape.to_vec(),
            ..self.clone()
        }
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }
}

impl Display for Shaped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            ShapedKind::Tensor => "tensor<",
            ShapedKind::Buffer => "!ttg.memdesc<",
            ShapedKind::Descriptor => "!tt.tensordesc<",
            ShapedKind::Image => "!ttng.tensordesc_im2col<",
        })?;
        for size in &self.shape {
            write!(f, "{size}x")?;
        }
        f.write_str(&self.element)?;
        if let Some(encoding) = &self.encoding {
            write!(f, ", {encoding}")?;
        }
        if self.kind == ShapedKind::Buffer {
            write!(f, ", {}", self.space)?;
            if self.mutable {
                f.write_str(", mutable")?;
            }
            if !self.alloc.is_empty() {
                let sizes: Vec<String> = self.alloc.iter().map(u64::to_string).collect();
                write!(f, ", {}", sizes.join("x"))?;
            }
        }
        f.write_char('>')
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) => f.write_str(text),
            Self::Shaped(shaped) => shaped.fmt(f),
        }
    }
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Attr {
    I32(i64),
    Bool(bool),
    I32s(Vec<i64>),
    I64s(Vec<i64>),
    Unit,
    Text(String),
}

impl Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, of: &str, list: &[i64]| {
            let numbers: Vec<String> = list.iter().map(i64::to_string).collect();
            let colon = if list.is_empty() { "" } else { ": " };
            write!(f, "array<{of}{colon}{}>", numbers.join(", "))
        };
        match self {
            Self::I32(n) => write!(f, "{n} : i32"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::I32s(numbers) => list(f, "i32", numbers),
            Self::I64s(numbers) => list(f, "i64", numbers),
            Self::Unit => f.write_str("unit"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandSource {
    /// A new function argument, which no other operand uses.
    Function,
    /// The value of an earlier operand of the same operation. The number is the index of that operand.
    SameAs(usize),
    /// An argument of the region that contains the operation. The number is the index of the argument.
    Region(usize),
    /// A result of an operation in the same block. The first number is the index of the operation, the second that
    /// of the result.
    Result(usize, usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub(crate) type_: Type,
    pub(crate) source: OperandSource,
}

/// A region with a single block.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) arguments: Vec<Type>,
    pub(crate) ops: Vec<Op>,
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Op {
    pub(crate) name: String,
    pub(crate) operands: Vec<Operand>,
    pub(crate) attributes: Vec<(String, Attr)>,
    pub(crate) results: Vec<Type>,
    pub(crate) regions: Vec<Region>,
    /// Discardable attributes, which the operation does not declare.
    pub(crate) discardable: Vec<(String, Attr)>,
}

impl Op {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Adds an operand that is a new argument of the function.
    pub(crate) fn takes(self, type_: impl Into<Type>) -> Self {
        self.takes_from(OperandSource::Function, type_)
    }

    pub(crate) fn takes_from(mut self, source: OperandSource, type_: impl Into<Type>) -> Self {
        self.operands.push(Operand {
            type_: type_.into(),
            source,
        });
        self
    }

    pub(crate) fn takes_all<T: Into<Type>>(self, types: impl IntoIterator<Item = T>) -> Self {
        types.into_iter().fold(self, Self::takes)
    }

    pub(crate) fn with(mut self, name: &str, value: Attr) -> Self {
        self.attributes.push((name.to_owned(), value));
        self
    }

    pub(crate) fn i32(self, name: &str, value: impl TryInto<i64>) -> Self {
        self.with(name, Attr::I32(value.try_into().unwrap_or(i64::MAX)))
    }

    /// Sets the attribute `operandSegmentSizes` to the number of operands in each group.
    pub(crate) fn segments(self, sizes: &[usize]) -> Self {
        let sizes = sizes.iter().map(|n| *n as i64).collect();
        self.with("operandSegmentSizes", Attr::I32s(sizes))
    }

    pub(crate) fn gives(mut self, type_: impl Into<Type>) -> Self {
        self.results.push(type_.into());
        self
    }

    pub(crate) fn gives_all<T: Into<Type>>(self, types: impl IntoIterator<Item = T>) -> Self {
        types.into_iter().fold(self, Self::gives)
    }

    pub(crate) fn region(mut self, arguments: Vec<Type>, ops: Vec<Op>) -> Self {
        self.regions.push(Region { arguments, ops });
        self
    }
}

/// The module attributes that describe the target machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Setting {
    pub(crate) lanes: u64,
    pub(crate) warps: u64,
    pub(crate) ctas: u64,
    pub(crate) target: &'static str,
    /// Number of warps of the function, if it differs from that of the module.
    pub(crate) own_warps: Option<u64>,
    /// Value of the attribute `"ttng.two-ctas"`; `None` if the module lacks it.
    pub(crate) pairs: Option<bool>,
    /// Module attributes that are omitted. Each is given by its position among the module attributes in printing
    /// order.
    pub(crate) without: Vec<usize>,
}

/// A module with one function, and the functions that it calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Module {
    pub(crate) setting: Setting,
    pub(crate) ops: Vec<Op>,
    /// Text of the functions that the main function calls.
    pub(crate) called: String,
}

impl Module {
    pub(crate) fn new(setting: Setting, op: Op) -> Self {
        Self {
            setting,
            ops: vec![op],
            called: String::new(),
        }
    }
}

impl Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            format!("\"ttg.num-ctas\" = {} : i32", self.ctas),
            format!("\"ttg.num-warps\" = {} : i32", self.warps),
            format!("ttg.target = \"{}\"", self.target),
            format!("\"ttg.threads-per-warp\" = {} : i32", self.lanes),
        ];
        let mut kept: Vec<String> = (0..all.len())
            .filter(|i| !self.without.contains(i))
            .map(|i| all[i].clone())
            .collect();
        kept.extend(
            self.pairs
                .map(|pairs| format!("\"ttng.two-ctas\" = {pairs}")),
        );
        f.write_str(&kept.join(", "))
    }
}

struct ModulePrinter {
    text: String,
    arguments: Vec<String>,
    names: usize,
}

impl ModulePrinter {
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("%{prefix}{}", self.names)
    }

    /// Prints the operations of a block. `region` holds the names and types of the block arguments.
    fn block(&mut self, ops: &[Op], region: &[(String, Type)], indent: &str) {
        let mut results: Vec<Vec<(String, Type)>> = Vec::new();
        for op in ops {
            let mut operands: Vec<(String, Type)> = Vec::new();
            for operand in &op.operands {
                let missing = || ("%missing".to_owned(), operand.type_.clone());
                let value = match operand.source {
                    OperandSource::Function => {
                        let name = format!("%a{}", self.arguments.len());
                        self.arguments.push(format!("{name}: {}", operand.type_));
                        (name, operand.type_.clone())
                    }
                    OperandSource::SameAs(i) => operands.get(i).cloned().unwrap_or_else(missing),
                    OperandSource::Region(i) => region.get(i).cloned().unwrap_or_else(missing),
                    OperandSource::Result(i, j) => results
                        .get(i)
                        .and_then(|r| r.get(j))
                        .cloned()
                        .unwrap_or_else(missing),
                };
                operands.push(value);
            }
            let own: Vec<(String, Type)> = op
                .results
                .iter()
                .map(|type_| (self.fresh("r"), type_.clone()))
                .collect();
            self.text.push_str(indent);
            if !own.is_empty() {
                let _ = write!(self.text, "{} = ", joined(own.iter().map(|(name, _)| name)));
            }
            let _ = write!(
                self.text,
                "\"{}\"({})",
                op.name,
                joined(operands.iter().map(|(name, _)| name))
            );
            if !op.attributes.is_empty() {
                let _ = write!(self.text, " <{{{}}}>", entries(&op.attributes));
            }
            self.regions(&op.regions, indent);
            if !op.discardable.is_empty() {
                let _ = write!(self.text, " {{{}}}", entries(&op.discardable));
            }
            let types = joined(operands.iter().map(|(_, type_)| type_));
            let made = joined(&op.results);
            let _ = writeln!(self.text, " : ({types}) -> ({made})");
            results.push(own);
        }
    }

    fn regions(&mut self, regions: &[Region], indent: &str) {
        for (i, region) in regions.iter().enumerate() {
            self.text.push_str(if i == 0 { " ({\n" } else { ", {\n" });
            let arguments: Vec<(String, Type)> = region
                .arguments
                .iter()
                .map(|type_| (self.fresh("b"), type_.clone()))
                .collect();
            if !arguments.is_empty() {
                let list = arguments
                    .iter()
                    .map(|(name, type_)| format!("{name}: {type_}"));
                let _ = writeln!(self.text, "{indent}^bb0({}):", joined(list));
            }
            self.block(&region.ops, &arguments, &format!("{indent}  "));
            let _ = write!(self.text, "{indent}}}");
        }
        if !regions.is_empty() {
            self.text.push(')');
        }
    }
}

/// Formats attributes as the entries of a dictionary attribute.
fn entries(attributes: &[(String, Attr)]) -> String {
    joined(attributes.iter().map(|(key, value)| match value {
        Attr::Unit => key.clone(),
        value => format!("{key} = {value}"),
    }))
}

fn joined<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = ModulePrinter {
            text: String::new(),
            arguments: Vec::new(),
            names: 0,
        };
        printer.block(&self.ops, &[], "    ");
        writeln!(f, "module attributes {{{}}} {{", self.setting)?;
        f.write_str(&self.called)?;
        write!(f, "  tt.func @f({})", printer.arguments.join(", "))?;
        if let Some(warps) = self.setting.own_warps {
            write!(f, " attributes {{\"ttg.num-warps\" = {warps} : i32}}")?;
        }
        f.write_str(" {\n")?;
        f.write_str(&printer.text)?;
        writeln!(f, "    tt.return\n  }}\n}}")
    }
}
