//! Parser of MLIR's generic form, whose syntax is the same for all dialects.
//!
//! For tests and examples. `ll-sim` parses with MLIR instead, and converts the operations to a [`Module`].

mod attribute;

use crate::error::{FaultKind, KernelError};
use crate::ir::{Attribute, Block, Module, Operation, Value};
use std::collections::HashMap;

/// Parses a module in MLIR's generic form.
///
/// ```
/// let module = gpu_sim::read_generic(r#""builtin.module"() ({ "llvm.func"() ({}) : () -> () }) : () -> ()"#)?;
/// assert_eq!(module.root.regions[0][0].operations[0].name, "llvm.func");
/// # Ok::<(), gpu_sim::KernelError>(())
/// ```
/// # Errors
/// Returns a `Malformed` error with line and column if the text is invalid.
pub fn read_generic(text: &str) -> Result<Module, KernelError> {
    let mut parser = Parser {
        text,
        at: 0,
        module: Module::default(),
        values: HashMap::new(),
        blocks: Vec::new(),
    };
    let mut aliases = HashMap::new();
    let mut root = None;
    loop {
        parser.skip();
        match parser.peek() {
            None => break,
            Some(b'#' | b'!') => {
                let (name, meaning) = parser.alias()?;
                aliases.insert(name, meaning);
            }
            Some(b'{') if root.is_some() => {
                // `{-# ... #-}` holds resources, which are not needed.
                parser.at = text.len();
            }
            Some(_) if root.is_none() => root = Some(parser.op()?),
            Some(_) => return Err(parser.error("the end of the text")),
        }
    }
    let mut root = root.ok_or_else(|| parser.error("an operation"))?;
    place(&mut root, &aliases);
    parser.module.root = root;
    Ok(parser.module)
}

/// Replaces the locations of `op` and of all nested operations. The new location is the first `file:line:column` in
/// the old location, after aliases are resolved. If the old location contains no such text, the new location is
/// empty.
fn place(op: &mut Operation, aliases: &HashMap<&str, &str>) {
    op.location = location(&op.location, aliases);
    let blocks = op.regions.iter_mut().flatten();
    for op in blocks.flat_map(|block| &mut block.operations) {
        place(op, aliases);
    }
}

fn location(text: &str, aliases: &HashMap<&str, &str>) -> String {
    let mut text = text;
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
        let Some(target) = aliases.get(&rest[..end]) else {
            break;
        };
        text = target;
    }
    String::new()
}

/// Returns the first location of the form `"file":line:column` in the text, without the quotes. Returns `None` if
/// there is none.
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

struct Parser<'a> {
    text: &'a str,
    at: usize,
    module: Module,
    /// Values by name and result number: the key of `%5#1` is (`%5`, 1).
    values: HashMap<(&'a str, u32), Value>,
    /// The block labels of each open region. The outermost region comes first, and the labels of each region are in
    /// the order of first mention.
    blocks: Vec<Vec<&'a str>>,
}

type Parsed<T> = Result<T, KernelError>;

impl<'a> Parser<'a> {
    fn error(&self, expected: &str) -> KernelError {
        let before = &self.text[..self.at.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
        let found: String = self.text[self.at.min(self.text.len())..]
            .chars()
            .take(20)
            .collect();
        let found = found.lines().next().unwrap_or("").to_owned();
        let found = if found.is_empty() {
            "the end of the text".to_owned()
        } else {
            format!("`{found}`")
        };
        let message = format!("line {line}, column {column}: expected {expected}, found {found}");
        KernelError::new(FaultKind::Malformed, message)
            .note("the simulator reads MLIR's generic form (`--mlir-print-op-generic`)")
    }

    fn skip(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte == b'/' && bytes.get(self.at + 1) == Some(&b'/') {
                self.at = self.text[self.at..]
                    .find('\n')
                    .map_or(self.text.len(), |n| self.at + n);
            } else {
                break;
            }
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.error(&format!("`{token}`")))
        }
    }

    fn word(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn ident(&mut self) -> &'a str {
        self.word(|c| c.is_alphanumeric() || "_.$-".contains(c))
    }

    fn number(&mut self) -> Parsed<u64> {
        let digits = self.word(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| self.error("a number"))
    }

    /// Parses items separated by commas, up to and including the token `close`.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// Consumes an expression in brackets, which may contain nested brackets, and returns its text.
    fn balanced(&mut self) -> Parsed<&'a str> {
        self.skip();
        let start = self.at;
        let mut open = Vec::new();
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'-' if bytes.get(self.at + 1) == Some(&b'>') => self.at += 1,
                b'(' | b'[' | b'{' | b'<' => open.push(byte),
                b')' | b']' | b'}' | b'>' => {
                    open.pop();
                }
                _ => {}
            }
            self.at += 1;
            if open.is_empty() {
                return Ok(&self.text[start..self.at]);
            }
        }
        Err(self.error("a closing bracket"))
    }

    /// Parses a string. Invalid UTF-8 becomes U+FFFD.
    fn string(&mut self) -> Parsed<String> {
        let bytes = self.string_bytes()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn string_bytes(&mut self) -> Parsed<Vec<u8>> {
        self.expect("\"")?;
        let mut out = Vec::new();
        let bytes = self.text.as_bytes();
        loop {
            let Some(&byte) = bytes.get(self.at) else {
                return Err(self.error("`\"`"));
            };
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let Some(&next) = bytes.get(self.at) else {
                        return Err(self.error("an escape"));
                    };
                    self.at += 1;
                    let hex = bytes.get(self.at).filter(|_| next.is_ascii_hexdigit());
                    match (next, hex) {
                        (b'n', _) => out.push(b'\n'),
                        (b't', _) => out.push(b'\t'),
                        (_, Some(&low)) if low.is_ascii_hexdigit() => {
                            self.at += 1;
                            let digit = |c: u8| char::from(c).to_digit(16).unwrap_or(0) as u8;
                            out.push(digit(next) << 4 | digit(low));
                        }
                        _ => out.push(next),
                    }
                }
                _ => out.push(byte),
            }
        }
        Ok(out)
    }

    /// Parses an alias definition `#name = ...` or `!name = ...`, and returns (name, value).
    fn alias(&mut self) -> Parsed<(&'a str, &'a str)> {
        self.skip();
        let start = self.at;
        self.at += 1;
        self.ident();
        let name = &self.text[start..self.at];
        self.expect("=")?;
        self.skip();
        let value = self.at;
        // The value is one word, perhaps followed by brackets.
        self.word(|c| c.is_alphanumeric() || "_.$#!".contains(c));
        while matches!(self.text.as_bytes().get(self.at), Some(b'<' | b'(' | b'[')) {
            self.balanced()?;
        }
        Ok((name, &self.text[value..self.at]))
    }

    /// Returns the SSA value with this name and result number. Creates the value at its first use.
    fn named(&mut self, (name, index): (&'a str, u32)) -> Value {
        let module = &mut self.module;
        *self.values.entry((name, index)).or_insert_with(|| {
            module.value(match index {
                0 => name.to_owned(),
                index => format!("{name}#{index}"),
            })
        })
    }

    fn value(&mut self) -> Parsed<Value> {
        let name = self.value_name()?;
        Ok(self.named(name))
    }

    fn value_name(&mut self) -> Parsed<(&'a str, u32)> {
        self.skip();
        let start = self.at;
        self.expect("%")?;
        self.ident();
        let name = &self.text[start..self.at];
        let index = if self.text[self.at..].starts_with('#') {
            self.at += 1;
            self.number()? as u32
        } else {
            0
        };
        Ok((name, index))
    }

    fn op(&mut self) -> Parsed<Operation> {
        let mut names = Vec::new();
        if self.peek() == Some(b'%') {
            loop {
                let (name, _) = self.value_name()?;
                let count = if self.eat(":") {
                    self.number()? as u32
                } else {
                    1
                };
                names.extend((0..count).map(|index| (name, index)));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        if self.peek() != Some(b'"') {
            return Err(self.error("an operation in generic form"));
        }
        let name = self.string()?;
        self.expect("(")?;
        let operands = self.list(")", Self::value)?;
        let mut successors = Vec::new();
        if self.eat("[") {
            successors = self.list("]", |p| {
                let label = p.label()?;
                Ok(p.mentioned(label))
            })?;
        }
        let mut attributes = Vec::new();
        if self.eat("<{") {
            attributes = self.list("}", Self::entry)?;
            self.expect(">")?;
        }
        let mut regions = Vec::new();
        if self.peek() == Some(b'(') {
            self.expect("(")?;
            regions = self.list(")", Self::region)?;
        }
        if self.eat("{") {
            attributes.extend(self.list("}", Self::entry)?);
        }
        self.expect(":")?;
        self.expect("(")?;
        let operand_types = self.list(")", Self::ty)?;
        self.expect("->")?;
        let types = if self.eat("(") {
            self.list(")", Self::ty)?
        } else {
            vec![self.ty()?]
        };
        let location = self.loc()?.to_owned();
        if types.len() != names.len() && !names.is_empty() {
            return Err(self.error(&format!("{} result types", names.len())));
        }
        let names = names.into_iter().map(|name| self.named(name));
        let results = names.collect::<Vec<_>>().into_iter().zip(types).collect();
        Ok(Operation {
            name,
            operands,
            operand_types,
            results,
            successors,
            attributes,
            regions,
            location,
        })
    }

    fn loc(&mut self) -> Parsed<&'a str> {
        if self.eat("loc") {
            self.balanced()
        } else {
            Ok("")
        }
    }

    fn label(&mut self) -> Parsed<&'a str> {
        self.skip();
        let start = self.at;
        self.expect("^")?;
        self.ident();
        Ok(&self.text[start..self.at])
    }

    /// Returns the index of the block `label` in the current region. Blocks are numbered in the order in which
    /// their labels are first mentioned.
    fn mentioned(&mut self, label: &'a str) -> usize {
        if self.blocks.is_empty() {
            self.blocks.push(Vec::new());
        }
        let known = self.blocks.last_mut().expect("a region is at hand");
        let found = known.iter().position(|other| *other == label);
        found.unwrap_or_else(|| {
            known.push(label);
            known.len() - 1
        })
    }

    fn region(&mut self) -> Parsed<Vec<Block>> {
        self.blocks.push(Vec::new());
        let mut blocks = Vec::new();
        // Block index by label index.
        let mut places = HashMap::new();
        self.expect("{")?;
        if self.peek().is_some_and(|byte| byte != b'^' && byte != b'}') {
            blocks.push(Block::default());
        }
        loop {
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b'^') => {
                    let label = self.label()?;
                    let mut block = Block::default();
                    if self.eat("(") {
                        block.arguments = self.list(")", |p| {
                            let value = p.value()?;
                            p.expect(":")?;
                            let ty = p.ty()?;
                            p.loc()?;
                            Ok((value, ty))
                        })?;
                    }
                    self.expect(":")?;
                    places.insert(self.mentioned(label), blocks.len());
                    blocks.push(block);
                }
                None => return Err(self.error("`}`")),
                Some(_) => {
                    let op = self.op()?;
                    match blocks.last_mut() {
                        Some(block) => block.operations.push(op),
                        None => return Err(self.error("a block")),
                    }
                }
            }
        }
        self.blocks.pop();
        let operations = blocks.iter_mut().flat_map(|block| &mut block.operations);
        for successor in operations.flat_map(|op| &mut op.successors) {
            // The label is never defined.
            *successor = places.get(successor).copied().unwrap_or(usize::MAX);
        }
        Ok(blocks)
    }

    fn entry(&mut self) -> Parsed<(String, Attribute)> {
        let key = if self.peek() == Some(b'"') {
            self.string()?
        } else {
            self.ident().to_owned()
        };
        if key.is_empty() {
            return Err(self.error("an attribute name"));
        }
        let attr = if self.eat("=") {
            self.attr()?
        } else {
            Attribute::Unit
        };
        Ok((key, attr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::FloatTy;
    use crate::ir::Type;

    #[test]
    fn reads_operations_blocks_and_locations() {
        let text = r#"#loc1 = loc("k.mlir":3:5)
"builtin.module"() <{sym_name = "m"}> ({
  "llvm.func"() <{function_type = !llvm.func<void (ptr<1>, i32)>, sym_name = "k"}> ({
  ^bb0(%arg0: !llvm.ptr<1> loc("x"), %arg1: i32):  // no predecessors
    %0:2 = "a.b"(%arg1) {"q-r" = dense<[1, 2]> : vector<2xi32>, f = -1.5e-01 : f32} : (i32) -> (i32, !llvm.struct<(i32, array<4 x f16>)>) loc(#loc1)
    "llvm.br"(%0#1)[^bb1] : (i32) -> () loc("z"("f.py":7:1))
  ^bb1(%1: i32):
    "llvm.return"() : () -> ()
  }) {nvvm.reqntid = array<i32: 128, 1, 1>, w = 0x7FC0 : bf16} : () -> ()
}) {"ttg.num-warps" = 4 : i32} : () -> ()
"#;
        let module = read_generic(text).unwrap();
        assert_eq!(module.root.int("ttg.num-warps"), Some(4));
        let func = &module.root.regions[0][0].operations[0];
        assert_eq!(func.ints("nvvm.reqntid"), Some(&[128, 1, 1][..]));
        assert_eq!(
            func.attribute("w"),
            Some(&Attribute::Float(0x7fc0, FloatTy::BF16))
        );
        let blocks = &func.regions[0];
        assert_eq!(blocks.len(), 2);
        let op = &blocks[0].operations[0];
        assert_eq!(module.name(op.results[1].0), "%0#1");
        let body = vec![
            Type::Int(32),
            Type::Array(4, Box::new(Type::Float(FloatTy::F16))),
        ];
        assert_eq!(
            op.results[1].1,
            Type::Struct {
                packed: false,
                body
            }
        );
        assert_eq!(
            op.attribute("f"),
            Some(&Attribute::Float(
                FloatTy::F32.from_f64(-0.15),
                FloatTy::F32
            ))
        );
        assert_eq!(op.location, "k.mlir:3:5");
        assert_eq!(blocks[0].operations[1].location, "f.py:7:1");
        assert_eq!(blocks[0].operations[1].operands, [op.results[1].0]);
        assert_eq!(blocks[0].operations[1].successors, [1]);
    }

    #[test]
    fn reads_every_kind_of_attribute() {
        let text = r#""builtin.module"() <{
  map = affine_map<(d0, d1) -> (d1)>, raw = dense<"0x0100FE00FF7F0080"> : tensor<4xi16>,
  dict = {a = 3 : i8, b = {}}, flag = unit, opaque = #d.x<(a) -> b, "]">, last = @m::@f,
  list = [1 : i8, "a", []], at = 3 : index
}> ({
}) : () -> ()
"#;
        let module = read_generic(text).unwrap();
        let i16 = |value: i128| Attribute::Int(value, Type::Int(16));
        match module.root.attribute("raw") {
            Some(Attribute::Dense {
                elements, splat, ..
            }) => {
                assert_eq!(elements, &[i16(1), i16(0xfe), i16(0x7fff), i16(0x8000)]);
                assert!(!splat);
            }
            other => panic!("{other:?}"),
        }
        match module.root.attribute("dict") {
            Some(Attribute::Dict(entries)) => {
                assert_eq!(entries.len(), 2);
                assert_eq!(entries[0], ("a".into(), Attribute::Int(3, Type::Int(8))));
                assert_eq!(entries[1], ("b".into(), Attribute::Dict(Vec::new())));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(module.root.attribute("flag"), Some(&Attribute::Unit));
        let opaque = "#d.x<(a) -> b, \"]\">".to_owned();
        assert_eq!(
            module.root.attribute("opaque"),
            Some(&Attribute::Opaque(opaque))
        );
        assert_eq!(
            module.root.attribute("last"),
            Some(&Attribute::Symbol("f".into()))
        );
        let list = vec![
            Attribute::Int(1, Type::Int(8)),
            Attribute::Str("a".into()),
            Attribute::Array(vec![]),
        ];
        assert_eq!(module.root.attribute("list"), Some(&Attribute::Array(list)));
        assert_eq!(
            module.root.attribute("at"),
            Some(&Attribute::Int(3, Type::Int(64)))
        );
    }

    /// In MLIR, `\0A` is the byte 0x0A, `\n` is a newline and `\t` is a tab. Before any other character, the
    /// backslash is dropped: `\%` is `%`.
    #[test]
    fn texts_have_bytes_and_escaped_characters() {
        for (written, meant) in [
            (r"a\0Ab", "a\nb"),
            (r"\C3\a4", "\u{e4}"),
            (r"\n\t", "\n\t"),
            (r#"\"\\"#, "\"\\"),
            (r"\ag", "ag"),
            (r"\%d", "%d"),
        ] {
            let text = format!("\"builtin.module\"() <{{s = \"{written}\"}}> ({{\n}}) : () -> ()");
            let module = read_generic(&text).unwrap();
            assert_eq!(module.root.str("s"), Some(meant), "{written}");
        }
    }

    #[test]
    fn errors_name_the_place() {
        let error = read_generic("\"builtin.module\"() ({\n  %0 = llvm.add").unwrap_err();
        let expect = "line 2, column 8: expected an operation in generic form, found `llvm.add`";
        assert_eq!(error.message(), expect);
    }
}
