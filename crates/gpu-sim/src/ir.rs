//! A module of the LLVM dialect as plain data.
//!
//! A program that links MLIR fills a [`Module`] by walking the operations. [`read_generic`](crate::read_generic) parses
//! a module from MLIR's generic form. [`decode`](crate::decode()) turns a kernel of the module into a program.
//!
//! ```
//! use gpu_sim::ir::{Attribute, Block, Module, Operation, Type};
//! let mut module = Module::default();
//! let one = module.value("%0");
//! let constant = Operation {
//!     name: "llvm.mlir.constant".into(),
//!     results: vec![(one, Type::Int(32))],
//!     attributes: vec![("value".into(), Attribute::Int(1, Type::Int(32)))],
//!     ..Operation::default()
//! };
//! assert_eq!(module.show(&constant), "%0 = \"llvm.mlir.constant\"() <{value = 1 : i32}> : () -> i32");
//! ```

use crate::float::FloatTy;
use std::fmt::{self, Write as _};

/// A type of the LLVM dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// An integer of this width in bits. 8-bit floats are integers too, since LLVM has no types for them.
    Int(u32),
    /// A floating-point type.
    Float(FloatTy),
    /// A pointer in the given address space.
    Ptr(u32),
    /// A vector, given by the number of elements and the element type.
    Vector(u32, Box<Type>),
    /// An array, given by the number of elements and the element type.
    Array(u64, Box<Type>),
    /// A structure.
    Struct {
        /// True if there is no padding between the fields.
        packed: bool,
        /// Types of the fields.
        body: Vec<Type>,
    },
    /// The result type of functions that return nothing.
    Void,
    /// Any other type, as text.
    Other(String),
}

/// An attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Attribute {
    /// A unit attribute.
    Unit,
    /// A boolean.
    Bool(bool),
    /// An integer with its type.
    Int(i128, Type),
    /// A float, given by its bits and its format.
    Float(u64, FloatTy),
    /// A string.
    Str(String),
    /// A string whose bytes are not valid UTF-8.
    Bytes(Vec<u8>),
    /// A type.
    Type(Type),
    /// A symbol reference, as its leaf name.
    Symbol(String),
    /// An array of attributes.
    Array(Vec<Attribute>),
    /// A dense array of integers, such as `array<i32: 1, 2>`.
    Ints(Vec<i64>),
    /// A `dense` attribute.
    Dense {
        /// True if all elements are equal; `elements` then has a single entry.
        splat: bool,
        /// Elements in row-major order.
        elements: Vec<Attribute>,
    },
    /// A dictionary of (name, attribute) pairs.
    Dict(Vec<(String, Attribute)>),
    /// Any other attribute, as text.
    Opaque(String),
}

impl Attribute {
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Str(text) => Some(text.as_bytes()),
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// An SSA value: the index among the values that [`Module::value`] has created.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(u32);

/// An operation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Operation {
    /// Full name, such as `llvm.add`.
    pub name: String,
    /// Operands.
    pub operands: Vec<Value>,
    /// Types of the operands, in the same order.
    pub operand_types: Vec<Type>,
    /// Results with their types.
    pub results: Vec<(Value, Type)>,
    /// Successor blocks, as indices in the enclosing region.
    pub successors: Vec<usize>,
    /// Inherent and discardable attributes, as (name, attribute) pairs.
    pub attributes: Vec<(String, Attribute)>,
    /// Regions, each a list of basic blocks.
    pub regions: Vec<Vec<Block>>,
    /// Location as `file:line:column`; empty if unknown.
    pub location: String,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// Block arguments with their types.
    pub arguments: Vec<(Value, Type)>,
    /// Operations in program order.
    pub operations: Vec<Operation>,
}

/// A module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// The top-level operation.
    pub root: Operation,
    /// Printed names of the SSA values, indexed by [`Value`].
    names: Vec<String>,
}

impl Module {
    /// Creates an SSA value with the printed name `name`, for example `%5`.
    pub fn value(&mut self, name: impl Into<String>) -> Value {
        self.names.push(name.into());
        Value(self.names.len() as u32 - 1)
    }

    pub(crate) fn name(&self, value: Value) -> &str {
        self.names.get(value.0 as usize).map_or("%?", |name| name)
    }

    /// Returns the text of an operation in MLIR's generic form, without regions and location.
    #[must_use]
    pub fn show(&self, op: &Operation) -> String {
        let mut text = String::new();
        let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(", ");
        let types = |values: &mut dyn Iterator<Item = &Type>| {
            values.map(Type::to_string).collect::<Vec<_>>().join(", ")
        };
        let name = |value: &Value| self.name(*value).to_owned();
        if !op.results.is_empty() {
            text = list(&mut op.results.iter().map(|(value, _)| name(value))) + " = ";
        }
        let operands = list(&mut op.operands.iter().map(name));
        let _ = write!(text, "\"{}\"({operands})", op.name);
        if !op.successors.is_empty() {
            let successors = op.successors.iter().map(|block| format!("^bb{block}"));
            let _ = write!(text, "[{}]", list(&mut successors.into_iter()));
        }
        if !op.attributes.is_empty() {
            let _ = write!(text, " <{{{}}}>", Entries(&op.attributes));
        }
        if op.regions.is_empty() {
            let results = types(&mut op.results.iter().map(|(_, ty)| ty));
            let operands = types(&mut op.operand_types.iter());
            let _ = match op.results.len() {
                1 => write!(text, " : ({operands}) -> {results}"),
                _ => write!(text, " : ({operands}) -> ({results})"),
            };
        }
        text
    }
}

impl Operation {
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        let mut all = self.attributes.iter();
        all.find(|(key, _)| key == name)
            .map(|(_, attribute)| attribute)
    }

    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Int(value, _) => i64::try_from(*value).ok(),
            Attribute::Bool(value) => Some((*value).into()),
            _ => None,
        }
    }

    pub(crate) fn str(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            Attribute::Str(text) | Attribute::Symbol(text) | Attribute::Opaque(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.attribute(name)? {
            Attribute::Ints(values) => Some(values),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Float(ty) => f.write_str(ty.name()),
            Self::Ptr(0) => f.write_str("!llvm.ptr"),
            Self::Ptr(space) => write!(f, "!llvm.ptr<{space}>"),
            Self::Vector(count, element) => write!(f, "vector<{count}x{element}>"),
            Self::Array(count, element) => write!(f, "!llvm.array<{count} x {element}>"),
            Self::Struct { packed, body } => {
                let fields: Vec<String> = body.iter().map(Self::to_string).collect();
                let packed = if *packed { "packed " } else { "" };
                write!(f, "!llvm.struct<{packed}({})>", fields.join(", "))
            }
            Self::Void => f.write_str("!llvm.void"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// A list of attributes, which is printed as `name = value` pairs separated by commas.
struct Entries<'a>(&'a [(String, Attribute)]);

impl fmt::Display for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, attribute)) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{name}")?;
            if *attribute != Attribute::Unit {
                write!(f, " = {attribute}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, all: &[Self]| {
            let all: Vec<String> = all.iter().map(Self::to_string).collect();
            write!(f, "[{}]", all.join(", "))
        };
        match self {
            Self::Unit => f.write_str("unit"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value, ty) => write!(f, "{value} : {ty}"),
            Self::Float(bits, ty) => match ty.to_f64(*bits) {
                value if value.is_finite() => write!(f, "{value:e} : {}", ty.name()),
                _ => write!(f, "{bits:#X} : {}", ty.name()),
            },
            Self::Str(text) => write!(f, "{text:?}"),
            Self::Bytes(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Self::Type(ty) => write!(f, "{ty}"),
            Self::Symbol(name) => write!(f, "@{name}"),
            Self::Array(all) => list(f, all),
            Self::Ints(values) => write!(f, "array{values:?}"),
            Self::Dense { splat, elements } => match (splat, &elements[..]) {
                (true, [element]) => write!(f, "dense<{element}>"),
                _ => {
                    f.write_str("dense<")?;
                    list(f, elements)?;
                    f.write_str(">")
                }
            },
            Self::Dict(entries) => write!(f, "{{{}}}", Entries(entries)),
            Self::Opaque(text) => f.write_str(text),
        }
    }
}
