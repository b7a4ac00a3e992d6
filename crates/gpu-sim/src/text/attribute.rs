//! Parser of attributes and types.

use super::{Parsed, Parser};
use crate::float::FloatTy;
use crate::ir::{Attribute, Type};

impl<'a> Parser<'a> {
    pub(super) fn attr(&mut self) -> Parsed<Attribute> {
        let Some(byte) = self.peek() else {
            return Err(self.error("an attribute"));
        };
        match byte {
            b'"' => {
                let bytes = self.string_bytes()?;
                if self.eat(":") {
                    self.ty()?;
                }
                Ok(String::from_utf8(bytes)
                    .map_or_else(|error| Attribute::Bytes(error.into_bytes()), Attribute::Str))
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
                Ok(Attribute::Symbol(name))
            }
            b'#' => {
                let start = self.at;
                self.at += 1;
                self.ident();
                if self.text[self.at..].starts_with('<') {
                    self.balanced()?;
                }
                Ok(Attribute::Opaque(self.text[start..self.at].to_owned()))
            }
            b'[' => {
                self.at += 1;
                Ok(Attribute::Array(self.list("]", Self::attr)?))
            }
            b'{' => {
                self.at += 1;
                Ok(Attribute::Dict(self.list("}", Self::entry)?))
            }
            b'-' | b'0'..=b'9' => self.numeric(),
            b'!' | b'(' => Ok(Attribute::Type(self.ty()?)),
            _ => self.keyword_attr(),
        }
    }

    fn keyword_attr(&mut self) -> Parsed<Attribute> {
        let start = self.at;
        let word = self.ident();
        match word {
            "true" => return Ok(Attribute::Bool(true)),
            "false" => return Ok(Attribute::Bool(false)),
            "unit" => return Ok(Attribute::Unit),
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
                return Ok(Attribute::Ints(ints));
            }
            "dense" => return self.dense(),
            "loc" | "affine_map" | "affine_set" | "dense_resource" | "sparse" | "strided" => {
                self.balanced()?;
                if self.eat(":") {
                    self.ty()?;
                }
                return Ok(Attribute::Opaque(self.text[start..self.at].to_owned()));
            }
            _ => {}
        }
        self.at = start;
        Ok(Attribute::Type(self.ty()?))
    }

    fn plain_int(&mut self) -> Parsed<i64> {
        match self.word(|c| c.is_alphanumeric() || "-+.".contains(c)) {
            "true" => Ok(1),
            "false" => Ok(0),
            // Float elements are read as integers; they do not affect the kernel.
            digits => digits
                .parse::<i64>()
                .or_else(|_| digits.parse::<f64>().map(|value| value as i64))
                .map_err(|_| self.error("a number")),
        }
    }

    fn numeric(&mut self) -> Parsed<Attribute> {
        let literal = self.literal()?;
        let ty = if self.eat(":") {
            Some(self.ty()?)
        } else {
            None
        };
        Ok(match (literal, ty) {
            (Attribute::Int(value, old), ty) => typed(value, &ty.unwrap_or(old)),
            (Attribute::Float(bits, old), Some(Type::Float(ty))) => {
                Attribute::Float(ty.from_f64(old.to_f64(bits)), ty)
            }
            (other, _) => other,
        })
    }

    fn literal(&mut self) -> Parsed<Attribute> {
        if self.eat("true") {
            return Ok(Attribute::Bool(true));
        }
        if self.eat("false") {
            return Ok(Attribute::Bool(false));
        }
        let negative = self.eat("-");
        let digits = self.word(|c| c.is_ascii_hexdigit() || c == 'x' || c == '.');
        if let Some(hex) = digits.strip_prefix("0x") {
            let value =
                u128::from_str_radix(hex, 16).map_err(|_| self.error("a hexadecimal number"))?;
            return Ok(Attribute::Int(value as i128, Type::Int(64)));
        }
        if digits.contains('.') {
            // The digit loop took the exponent's `e` as hexadecimal, but not its sign.
            let mut text = digits.to_owned();
            if text.ends_with(['e', 'E']) {
                text += self.word(|c| c.is_ascii_digit() || c == '+' || c == '-');
            }
            let value: f64 = text.parse().map_err(|_| self.error("a number"))?;
            let value = if negative { -value } else { value };
            return Ok(Attribute::Float(value.to_bits(), FloatTy::F64));
        }
        let value: i128 = digits.parse().map_err(|_| self.error("a number"))?;
        Ok(Attribute::Int(
            if negative { -value } else { value },
            Type::Int(64),
        ))
    }

    fn dense(&mut self) -> Parsed<Attribute> {
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
            return self.dense_raw(&raw, &ty);
        }
        let element = element_type(&ty);
        for value in &mut elements {
            match (&*value, &element) {
                (Attribute::Int(bits, _), _) => *value = typed(*bits, &element),
                (Attribute::Float(bits, from), Type::Float(ty)) => {
                    *value = Attribute::Float(ty.from_f64(from.to_f64(*bits)), *ty);
                }
                _ => {}
            }
        }
        Ok(Attribute::Dense { splat, elements })
    }

    fn dense_elements(&mut self, out: &mut Vec<Attribute>) -> Parsed<()> {
        if self.eat("[") {
            self.list("]", |p| p.dense_elements(out))?;
        } else {
            out.push(self.literal()?);
        }
        Ok(())
    }

    /// Parses the hexadecimal text `raw` of an attribute such as `dense<"0x0011...">` into elements of the type
    /// `ty`.
    fn dense_raw(&self, raw: &str, ty: &Type) -> Parsed<Attribute> {
        let element = element_type(ty);
        let width = match &element {
            Type::Int(bits) => (*bits).div_ceil(8) as usize,
            Type::Float(float) => float.bits() as usize / 8,
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
        let elements: Vec<Attribute> = bytes
            .chunks(width)
            .map(|chunk| {
                let bits = chunk
                    .iter()
                    .rev()
                    .fold(0u64, |v, &byte| v << 8 | u64::from(byte));
                typed(bits.into(), &element)
            })
            .collect();
        Ok(Attribute::Dense {
            splat: elements.len() == 1,
            elements,
        })
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.skip();
        let start = self.at;
        if self.eat("(") {
            self.list(")", Self::ty)?;
            self.expect("->")?;
            if self.eat("(") {
                self.list(")", Self::ty)?;
            } else {
                self.ty()?;
            }
            return Ok(Type::Other(self.text[start..self.at].to_owned()));
        }
        if self.eat("!llvm.") {
            return Ok(match self.llvm_ty()? {
                Type::Other(_) => Type::Other(self.text[start..self.at].to_owned()),
                ty => ty,
            });
        }
        if self.eat("!") {
            self.ident();
            if self.text[self.at..].starts_with('<') {
                self.balanced()?;
            }
            return Ok(Type::Other(self.text[start..self.at].to_owned()));
        }
        self.llvm_ty()
    }

    /// Parses a type. The prefix `!llvm.` of an LLVM type may be missing, because MLIR omits it for types inside
    /// another LLVM type.
    fn llvm_ty(&mut self) -> Parsed<Type> {
        self.skip();
        let start = self.at;
        if self.text[self.at..].starts_with('!') {
            return self.ty();
        }
        let word = self.word(|c| c.is_alphanumeric() || c == '_');
        if let Some(ty) = FloatTy::parse(word) {
            return Ok(Type::Float(ty));
        }
        let angled = self.text[self.at..].starts_with('<');
        match word {
            "index" => return Ok(Type::Int(64)),
            "void" => return Ok(Type::Void),
            "none" => return Ok(Type::Void),
            "ptr" => {
                let space = if angled {
                    self.expect("<")?;
                    let space = self.number()? as u32;
                    self.expect(">")?;
                    space
                } else {
                    0
                };
                return Ok(Type::Ptr(space));
            }
            "vec" | "vector" | "tensor" | "array" if angled => {
                self.expect("<")?;
                let mut count = 1u64;
                // Each dimension ends in `x`, and the element type follows the last `x`.
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
                    "array" => Type::Array(count, element),
                    _ => Type::Vector(count as u32, element),
                });
            }
            "struct" => {
                self.expect("<")?;
                if self.peek() == Some(b'"') {
                    self.string()?;
                    self.eat(",");
                }
                let packed = self.eat("packed");
                let body = if self.eat("(") {
                    Some(self.list(")", Self::llvm_ty)?)
                } else {
                    self.eat("opaque");
                    None
                };
                self.expect(">")?;
                // Without a body, it is opaque or refers to the enclosing structure.
                return Ok(body.map_or_else(
                    || Type::Other(self.text[start..self.at].to_owned()),
                    |body| Type::Struct { packed, body },
                ));
            }
            "func" => {
                self.balanced()?;
                return Ok(Type::Other(self.text[start..self.at].to_owned()));
            }
            _ => {}
        }
        if let Some(bits) = word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
            return Ok(Type::Int(bits));
        }
        if word.starts_with("f8") {
            return Ok(Type::Int(8));
        }
        if word.is_empty() {
            return Err(self.error("a type"));
        }
        if angled {
            self.balanced()?;
        }
        Ok(Type::Other(self.text[start..self.at].to_owned()))
    }
}

fn element_type(ty: &Type) -> Type {
    match ty {
        Type::Vector(_, element) | Type::Array(_, element) => element_type(element),
        other => other.clone(),
    }
}

/// Returns an attribute of type `ty`. For a float type, `value` holds the bits of the float.
fn typed(value: i128, ty: &Type) -> Attribute {
    match ty {
        Type::Float(float) => Attribute::Float(value as u64, *float),
        ty => Attribute::Int(value, ty.clone()),
    }
}
