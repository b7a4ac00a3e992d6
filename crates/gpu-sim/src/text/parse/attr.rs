//! Attributes and types.

use super::{Parsed, Parser};
use crate::float::FloatTy;
use crate::text::{Attr, FloatBits, Ty};

impl<'a> Parser<'a> {
    pub(super) fn attr(&mut self) -> Parsed<Attr> {
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
                    .map_or_else(|error| Attr::Bytes(error.into_bytes()), Attr::Str))
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

    pub(super) fn ty(&mut self) -> Parsed<Ty> {
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
            "struct" => {
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
            "func" => {
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
