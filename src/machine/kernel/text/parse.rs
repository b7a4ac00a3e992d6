//! The reader of MLIR's generic form.

use super::{Attr, BlockNode, FloatBits, Module, Node, Ty, Value};
use crate::machine::kernel::error::{FaultKind, KernelError};
use crate::machine::kernel::float::FloatTy;

/// Reads a file in MLIR's generic form.
///
/// `"builtin.module"() ({ "llvm.func"() <{sym_name = "k"}> ({ ... }) : () -> () }) : () -> ()`
/// # Errors
/// `Malformed` with line and column for anything else.
pub(crate) fn parse_module(text: &str) -> Result<Module<'_>, KernelError> {
    let mut parser = Parser { text, at: 0 };
    let mut aliases = Vec::new();
    let mut root = None;
    loop {
        parser.skip();
        match parser.peek() {
            None => break,
            Some(b'#' | b'!') => aliases.push(parser.alias()?),
            Some(b'{') if root.is_some() => {
                // `{-# ... #-}` holds resources that no kernel needs.
                parser.at = text.len();
            }
            Some(_) if root.is_none() => root = Some(parser.op()?),
            Some(_) => return Err(parser.error("one top-level operation")),
        }
    }
    let root = root.ok_or_else(|| parser.error("an operation"))?;
    Ok(Module { root, aliases })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
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
            "the end".to_owned()
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

    /// The next byte that is no space, without taking it.
    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes `token` if it comes next.
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

    /// Items up to `close`, separated by commas; `close` is taken.
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

    /// Everything up to the bracket that closes the one at the cursor, both included.
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

    fn string(&mut self) -> Parsed<String> {
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
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// `#name = ...` or `!name = ...`, up to the end of its value.
    fn alias(&mut self) -> Parsed<(&'a str, &'a str)> {
        self.skip();
        let start = self.at;
        self.at += 1;
        self.ident();
        let name = &self.text[start..self.at];
        self.expect("=")?;
        self.skip();
        let value = self.at;
        // The value is one word, perhaps with brackets behind it.
        self.word(|c| c.is_alphanumeric() || "_.$#!".contains(c));
        while matches!(self.text.as_bytes().get(self.at), Some(b'<' | b'(' | b'[')) {
            self.balanced()?;
        }
        Ok((name, &self.text[value..self.at]))
    }

    fn value(&mut self) -> Parsed<Value<'a>> {
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

    fn op(&mut self) -> Parsed<Node<'a>> {
        self.skip();
        let start = self.at;
        let mut names = Vec::new();
        if self.peek() == Some(b'%') {
            loop {
                let (name, _) = self.value()?;
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
        let name_start = self.at + 1;
        self.string()?;
        let name = &self.text[name_start..self.at - 1];
        self.expect("(")?;
        let operands = self.list(")", Self::value)?;
        let mut successors = Vec::new();
        if self.eat("[") {
            successors = self.list("]", |p| {
                p.skip();
                let start = p.at;
                p.expect("^")?;
                p.ident();
                Ok(&p.text[start..p.at])
            })?;
        }
        let mut attrs = Vec::new();
        if self.eat("<{") {
            attrs = self.list("}", Self::entry)?;
            self.expect(">")?;
        }
        let mut text_end = self.at;
        let mut regions = Vec::new();
        if self.peek() == Some(b'(') {
            self.expect("(")?;
            regions = self.list(")", Self::region)?;
        }
        if self.eat("{") {
            attrs.extend(self.list("}", Self::entry)?);
        }
        self.expect(":")?;
        self.expect("(")?;
        self.list(")", Self::ty)?;
        self.expect("->")?;
        let types = if self.eat("(") {
            self.list(")", Self::ty)?
        } else {
            vec![self.ty()?]
        };
        if regions.is_empty() {
            text_end = self.at;
        }
        let loc = self.loc()?;
        if types.len() != names.len() && !names.is_empty() {
            return Err(self.error(&format!("{} result types", names.len())));
        }
        let results = names.into_iter().zip(types).collect();
        let text = self.text[start..text_end].trim();
        Ok(Node {
            name,
            operands,
            results,
            successors,
            attrs,
            regions,
            text,
            loc,
        })
    }

    fn loc(&mut self) -> Parsed<&'a str> {
        if self.eat("loc") {
            self.balanced()
        } else {
            Ok("")
        }
    }

    fn region(&mut self) -> Parsed<Vec<BlockNode<'a>>> {
        self.expect("{")?;
        let mut blocks = Vec::new();
        if self.peek().is_some_and(|byte| byte != b'^' && byte != b'}') {
            blocks.push(BlockNode {
                label: "",
                args: Vec::new(),
                ops: Vec::new(),
            });
        }
        loop {
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(blocks);
                }
                Some(b'^') => {
                    let start = self.at;
                    self.at += 1;
                    self.ident();
                    let label = &self.text[start..self.at];
                    let mut args = Vec::new();
                    if self.eat("(") {
                        args = self.list(")", |p| {
                            let value = p.value()?;
                            p.expect(":")?;
                            let ty = p.ty()?;
                            p.loc()?;
                            Ok((value, ty))
                        })?;
                    }
                    self.expect(":")?;
                    blocks.push(BlockNode {
                        label,
                        args,
                        ops: Vec::new(),
                    });
                }
                None => return Err(self.error("`}`")),
                Some(_) => {
                    let op = self.op()?;
                    match blocks.last_mut() {
                        Some(block) => block.ops.push(op),
                        None => return Err(self.error("a block")),
                    }
                }
            }
        }
    }

    fn entry(&mut self) -> Parsed<(String, Attr)> {
        let key = if self.peek() == Some(b'"') {
            self.string()?
        } else {
            self.ident().to_owned()
        };
        if key.is_empty() {
            return Err(self.error("an attribute's name"));
        }
        let attr = if self.eat("=") {
            self.attr()?
        } else {
            Attr::Unit
        };
        Ok((key, attr))
    }

    fn attr(&mut self) -> Parsed<Attr> {
        let Some(byte) = self.peek() else {
            return Err(self.error("an attribute"));
        };
        match byte {
            b'"' => {
                let text = self.string()?;
                if self.eat(":") {
                    self.ty()?;
                }
                Ok(Attr::Str(text))
            }
            b'@' => {
                self.at += 1;
                let quoted = self.text[self.at..].starts_with('"');
                let mut name = if quoted {
                    self.string()?
                } else {
                    self.ident().to_owned()
                };
                while self.text[self.at..].starts_with("::@") {
                    self.at += 3;
                    name = self.ident().to_owned();
                }
                Ok(Attr::Symbol(name))
            }
            b'#' => {
                let start = self.at;
                self.at += 1;
                self.ident();
                if self.text[self.at..].starts_with('<') {
                    self.balanced()?;
                }
                Ok(Attr::Opaque(self.text[start..self.at].to_owned()))
            }
            b'[' => {
                self.at += 1;
                Ok(Attr::Array(self.list("]", Self::attr)?))
            }
            b'{' => {
                self.at += 1;
                Ok(Attr::Dict(self.list("}", Self::entry)?))
            }
            b'-' | b'0'..=b'9' => self.numeric(),
            b'!' | b'(' => Ok(Attr::Type(self.ty()?)),
            _ => self.keyword_attr(),
        }
    }

    fn keyword_attr(&mut self) -> Parsed<Attr> {
        let start = self.at;
        let word = self.ident();
        match word {
            "true" => return Ok(Attr::Bool(true)),
            "false" => return Ok(Attr::Bool(false)),
            "unit" => return Ok(Attr::Unit),
            "array" => {
                self.expect("<")?;
                self.ident();
                let ints = if self.eat(":") {
                    self.list(">", Self::plain_int)?
                } else {
                    Vec::new()
                };
                if ints.is_empty() {
                    self.eat(">");
                }
                return Ok(Attr::Ints(ints));
            }
            "dense" => return self.dense(),
            "loc" | "affine_map" | "affine_set" | "dense_resource" | "sparse" | "strided" => {
                self.balanced()?;
                if self.eat(":") {
                    self.ty()?;
                }
                return Ok(Attr::Opaque(self.text[start..self.at].to_owned()));
            }
            _ => {}
        }
        self.at = start;
        Ok(Attr::Type(self.ty()?))
    }

    fn plain_int(&mut self) -> Parsed<i64> {
        match self.word(|c| c.is_alphanumeric() || "-+.".contains(c)) {
            "true" => Ok(1),
            "false" => Ok(0),
            // Arrays of floats are read as integers; nothing in a kernel depends on them.
            digits => digits
                .parse::<i64>()
                .or_else(|_| digits.parse::<f64>().map(|value| value as i64))
                .map_err(|_| self.error("a number")),
        }
    }

    /// A number, with its type behind a colon.
    fn numeric(&mut self) -> Parsed<Attr> {
        let literal = self.literal()?;
        let ty = if self.eat(":") {
            Some(self.ty()?)
        } else {
            None
        };
        Ok(match (literal, ty) {
            (Attr::Int(value, _), Some(ty @ Ty::Float(_))) => {
                Attr::Float(FloatBits::Raw(value as u64), ty)
            }
            (Attr::Int(value, old), ty) => Attr::Int(value, ty.unwrap_or(old)),
            (Attr::Float(value, old), ty) => Attr::Float(value, ty.unwrap_or(old)),
            (other, _) => other,
        })
    }

    fn literal(&mut self) -> Parsed<Attr> {
        if self.eat("true") {
            return Ok(Attr::Bool(true));
        }
        if self.eat("false") {
            return Ok(Attr::Bool(false));
        }
        let negative = self.eat("-");
        let digits = self.word(|c| c.is_ascii_hexdigit() || c == 'x' || c == '.');
        if let Some(hex) = digits.strip_prefix("0x") {
            let value =
                u128::from_str_radix(hex, 16).map_err(|_| self.error("a hexadecimal number"))?;
            return Ok(Attr::Int(value as i128, Ty::Int(64)));
        }
        if digits.contains('.') {
            // The `e` of the exponent was read as a hexadecimal digit; its sign was not.
            let mut text = digits.to_owned();
            if text.ends_with(['e', 'E']) {
                text += self.word(|c| c.is_ascii_digit() || c == '+' || c == '-');
            }
            let value: f64 = text.parse().map_err(|_| self.error("a number"))?;
            let value = if negative { -value } else { value };
            return Ok(Attr::Float(
                FloatBits::Decimal(value),
                Ty::Float(FloatTy::F64),
            ));
        }
        let value: i128 = digits.parse().map_err(|_| self.error("a number"))?;
        Ok(Attr::Int(
            if negative { -value } else { value },
            Ty::Int(64),
        ))
    }

    /// What stands behind `dense`.
    fn dense(&mut self) -> Parsed<Attr> {
        self.expect("<")?;
        let mut elements = Vec::new();
        let mut raw = None;
        let splat = match self.peek() {
            Some(b'"') => {
                raw = Some(self.string()?);
                false
            }
            Some(b'[') => {
                self.dense_elements(&mut elements)?;
                false
            }
            Some(b'>') => false,
            _ => {
                elements.push(self.literal()?);
                true
            }
        };
        self.expect(">")?;
        self.expect(":")?;
        let ty = self.ty()?;
        if let Some(raw) = raw {
            return self.dense_raw(&raw, ty);
        }
        let element = element_type(&ty);
        for value in &mut elements {
            if let (Attr::Int(bits, _), Ty::Float(_)) = (&*value, &element) {
                *value = Attr::Float(FloatBits::Raw(*bits as u64), element.clone());
            }
        }
        Ok(Attr::Dense {
            splat,
            elements,
            ty,
        })
    }

    fn dense_elements(&mut self, out: &mut Vec<Attr>) -> Parsed<()> {
        if self.eat("[") {
            self.list("]", |p| p.dense_elements(out))?;
        } else {
            out.push(self.literal()?);
        }
        Ok(())
    }

    /// `dense<"0x0011...">`: the elements' bytes.
    fn dense_raw(&self, raw: &str, ty: Ty) -> Parsed<Attr> {
        let element = element_type(&ty);
        let width = match &element {
            Ty::Int(bits) => (*bits).div_ceil(8) as usize,
            Ty::Float(float) => float.bits() as usize / 8,
            _ => return Err(self.error("integers or floats")),
        };
        let hex = raw.strip_prefix("0x").unwrap_or(raw);
        let byte =
            |pair: &str| u8::from_str_radix(pair, 16).map_err(|_| self.error("hexadecimal bytes"));
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|i| {
                hex.get(2 * i..2 * i + 2)
                    .map_or_else(|| Err(self.error("hexadecimal bytes")), byte)
            })
            .collect::<Parsed<_>>()?;
        let elements: Vec<Attr> = bytes
            .chunks(width)
            .map(|chunk| {
                let bits = chunk
                    .iter()
                    .rev()
                    .fold(0u64, |v, &byte| v << 8 | u64::from(byte));
                match &element {
                    Ty::Float(_) => Attr::Float(FloatBits::Raw(bits), element.clone()),
                    _ => Attr::Int(bits.into(), element.clone()),
                }
            })
            .collect();
        Ok(Attr::Dense {
            splat: elements.len() == 1,
            elements,
            ty,
        })
    }

    fn ty(&mut self) -> Parsed<Ty> {
        self.skip();
        if self.eat("(") {
            let params = self.list(")", Self::ty)?;
            self.expect("->")?;
            let mut results = if self.eat("(") {
                self.list(")", Self::ty)?
            } else {
                vec![self.ty()?]
            };
            let result = Box::new(if results.len() == 1 {
                results.remove(0)
            } else {
                Ty::Void
            });
            return Ok(Ty::Function { params, result });
        }
        let start = self.at;
        if self.eat("!llvm.") {
            return self.llvm_ty();
        }
        if self.eat("!") {
            self.ident();
            if self.text[self.at..].starts_with('<') {
                self.balanced()?;
            }
            return Ok(Ty::Other(self.text[start..self.at].to_owned()));
        }
        self.llvm_ty()
    }

    /// A type inside of or outside of an LLVM type, whose nested types lose their prefix.
    fn llvm_ty(&mut self) -> Parsed<Ty> {
        self.skip();
        let start = self.at;
        if self.text[self.at..].starts_with('!') {
            return self.ty();
        }
        let word = self.word(|c| c.is_alphanumeric() || c == '_');
        if let Some(ty) = FloatTy::parse(word) {
            return Ok(Ty::Float(ty));
        }
        let angled = self.text[self.at..].starts_with('<');
        match word {
            "index" => return Ok(Ty::Int(64)),
            "void" => return Ok(Ty::Void),
            "none" => return Ok(Ty::Void),
            "ptr" => {
                let space = if angled {
                    self.expect("<")?;
                    let space = self.number()? as u32;
                    self.expect(">")?;
                    space
                } else {
                    0
                };
                return Ok(Ty::Ptr(space));
            }
            "vec" | "vector" | "tensor" | "array" if angled => {
                self.expect("<")?;
                let mut count = 1u64;
                // Dimensions end in `x`; what follows the last one is the element's type.
                loop {
                    self.skip();
                    let rest = &self.text[self.at..];
                    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
                    let after = rest[digits..].trim_start();
                    if digits == 0 || !after.starts_with('x') {
                        break;
                    }
                    count *= self.number()?;
                    self.expect("x")?;
                }
                let element = Box::new(self.llvm_ty()?);
                if self.eat(",") {
                    self.attr()?;
                }
                self.expect(">")?;
                return Ok(match word {
                    "array" => Ty::Array(count, element),
                    _ => Ty::Vector(count as u32, element),
                });
            }
            "struct" if angled => {
                self.expect("<")?;
                if self.peek() == Some(b'"') {
                    self.string()?;
                    self.eat(",");
                }
                let packed = self.eat("packed");
                let body = if self.eat("(") {
                    self.list(")", Self::llvm_ty)?
                } else {
                    Vec::new()
                };
                self.eat("opaque");
                self.expect(">")?;
                return Ok(Ty::Struct { packed, body });
            }
            "func" if angled => {
                self.expect("<")?;
                let result = Box::new(self.llvm_ty()?);
                self.expect("(")?;
                let params = self.list(")", |p| {
                    if p.eat("...") {
                        Ok(Ty::Other("...".to_owned()))
                    } else {
                        p.llvm_ty()
                    }
                })?;
                self.expect(">")?;
                return Ok(Ty::Function { params, result });
            }
            _ => {}
        }
        if let Some(bits) = word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
            return Ok(Ty::Int(bits));
        }
        if word.starts_with("f8") {
            return Ok(Ty::Int(8));
        }
        if word.is_empty() {
            return Err(self.error("a type"));
        }
        if angled {
            self.balanced()?;
        }
        Ok(Ty::Other(self.text[start..self.at].to_owned()))
    }
}

fn element_type(ty: &Ty) -> Ty {
    match ty {
        Ty::Vector(_, element) | Ty::Array(_, element) => element_type(element),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let module = parse_module(text).unwrap();
        assert_eq!(module.root.int("ttg.num-warps"), Some(4));
        let func = &module.root.regions[0][0].ops[0];
        assert_eq!(func.ints("nvvm.reqntid"), Some(&[128, 1, 1][..]));
        assert_eq!(
            func.attr("w"),
            Some(&Attr::Float(
                FloatBits::Raw(0x7fc0),
                Ty::Float(FloatTy::BF16)
            ))
        );
        let blocks = &func.regions[0];
        assert_eq!(blocks.len(), 2);
        let op = &blocks[0].ops[0];
        assert_eq!(op.results[1].0, ("%0", 1));
        let body = vec![Ty::Int(32), Ty::Array(4, Box::new(Ty::Float(FloatTy::F16)))];
        assert_eq!(
            op.results[1].1,
            Ty::Struct {
                packed: false,
                body
            }
        );
        assert_eq!(
            op.attr("f"),
            Some(&Attr::Float(
                FloatBits::Decimal(-0.15),
                Ty::Float(FloatTy::F32)
            ))
        );
        assert_eq!(module.location(op.loc), "k.mlir:3:5");
        assert_eq!(module.location(blocks[0].ops[1].loc), "f.py:7:1");
        assert_eq!(blocks[0].ops[1].operands, [("%0", 1)]);
        assert_eq!(blocks[0].ops[1].successors, ["^bb1"]);
    }

    #[test]
    fn errors_name_the_place() {
        let error = parse_module("\"builtin.module\"() ({\n  %0 = llvm.add").unwrap_err();
        let expect = "line 2, column 8: expected an operation in generic form, found `llvm.add`";
        assert_eq!(error.message(), expect);
    }
}
