//! The LLVM dialect as plain data, and the reader of MLIR's generic form.
//!
//! `mlir-opt-22 --mlir-print-op-generic --mlir-print-debuginfo` and every MLIR printer can
//! produce this form; it has one syntax for all operations, so that this reader needs no dialect.

mod parse;

pub(super) use parse::parse_module;

use super::float::FloatTy;

/// A type of the LLVM dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Int(u32),
    Float(FloatTy),
    /// A pointer with its address space.
    Ptr(u32),
    Vector(u32, Box<Ty>),
    Array(u64, Box<Ty>),
    Struct {
        packed: bool,
        body: Vec<Ty>,
    },
    Function {
        params: Vec<Ty>,
        result: Box<Ty>,
    },
    Void,
    /// Anything else, by its text.
    Other(String),
}

/// An attribute.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Attr {
    Unit,
    Bool(bool),
    Int(i128, Ty),
    /// The number, or the raw bits where MLIR printed those.
    Float(FloatBits, Ty),
    Str(String),
    /// A string that is not UTF-8.
    Bytes(Vec<u8>),
    Type(Ty),
    Symbol(String),
    Array(Vec<Attr>),
    /// `array<i32: ...>`.
    Ints(Vec<i64>),
    /// Elements of a vector or tensor; one element stands for all of a splat.
    Dense {
        splat: bool,
        elements: Vec<Attr>,
        ty: Ty,
    },
    Dict(Vec<(String, Attr)>),
    /// Any other attribute, by its text.
    Opaque(String),
}

impl Attr {
    /// The bytes of a string.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Str(text) => Some(text.as_bytes()),
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A float as MLIR spells it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum FloatBits {
    Decimal(f64),
    Raw(u64),
}

/// A name of an SSA value: `%5#1` is (`%5`, 1).
pub(super) type Value<'a> = (&'a str, u32);

/// One operation.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    pub(super) operands: Vec<Value<'a>>,
    pub(super) results: Vec<(Value<'a>, Ty)>,
    pub(super) successors: Vec<&'a str>,
    pub(super) attrs: Vec<(String, Attr)>,
    pub(super) regions: Vec<Vec<BlockNode<'a>>>,
    /// The operation's text without its regions.
    pub(super) text: &'a str,
    /// What stands in its `loc(...)`.
    pub(super) loc: &'a str,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BlockNode<'a> {
    /// `^bb0`, or empty for an entry block without label.
    pub(super) label: &'a str,
    pub(super) args: Vec<(Value<'a>, Ty)>,
    pub(super) ops: Vec<Node<'a>>,
}

/// A parsed file.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Module<'a> {
    pub(super) root: Node<'a>,
    /// Alias definitions: `#loc3` and what stands after the `=`.
    pub(super) aliases: Vec<(&'a str, &'a str)>,
}

impl Node<'_> {
    pub(super) fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, attr)| attr)
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match self.attr(name)? {
            Attr::Int(value, _) => i64::try_from(*value).ok(),
            Attr::Bool(value) => Some((*value).into()),
            _ => None,
        }
    }

    pub(super) fn str(&self, name: &str) -> Option<&str> {
        match self.attr(name)? {
            Attr::Str(text) | Attr::Symbol(text) | Attr::Opaque(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.attr(name)? {
            Attr::Ints(values) => Some(values),
            _ => None,
        }
    }
}

impl Module<'_> {
    /// The `file:line:column` in a location's text, through aliases.
    pub(super) fn location(&self, loc: &str) -> String {
        let mut text = loc;
        for _ in 0..16 {
            if let Some(found) = file_location(text) {
                return found;
            }
            let Some(start) = text.find("#loc") else {
                break;
            };
            let rest = &text[start..];
            let end = rest[1..]
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .map_or(rest.len(), |e| e + 1);
            let Some((_, target)) = self.aliases.iter().find(|(name, _)| *name == &rest[..end])
            else {
                break;
            };
            text = target;
        }
        String::new()
    }
}

/// Finds `"file":line:column`.
fn file_location(text: &str) -> Option<String> {
    let mut rest = text;
    loop {
        let open = rest.find('"')?;
        let close = rest[open + 1..].find('"')? + open + 1;
        let after = &rest[close + 1..];
        if let Some(numbers) = after.strip_prefix(':') {
            let end = numbers
                .find(|c: char| !c.is_ascii_digit() && c != ':')
                .unwrap_or(numbers.len());
            return Some(format!(
                "{}:{}",
                &rest[open + 1..close],
                numbers[..end].trim_end_matches(':')
            ));
        }
        rest = after;
    }
}
