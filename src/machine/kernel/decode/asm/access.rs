//! Loads and stores in inline assembly.

use super::text::{Arg, ptx_type};
use super::{Decoder, Done, Scope};
use crate::machine::kernel::op::{Access, Field, Guard, Op, Reg, Space};
use crate::machine::kernel::text::Node;

impl<'a> Decoder<'_, 'a> {
    /// `ld` and `st` in all widths: `v1` to `v8`, `b8` to `b64`.
    pub(super) fn asm_access(
        &mut self,
        op: &Node<'a>,
        words: &[&str],
        args: &[Arg],
        guard: Option<Guard>,
        scope: &mut Scope,
    ) -> Done {
        let load = words[0] == "ld";
        let mut space = Space::Generic;
        let mut count = 1;
        let mut ty = None;
        for word in &words[1..] {
            let base = word.split("::").next().unwrap_or(word);
            match base {
                "global" => space = Space::Global,
                "shared" => {
                    if word.contains("cluster") {
                        return Err(self.unsupported(
                            op,
                            "inline assembly: shared memory of other blocks is not supported",
                        ));
                    }
                    space = Space::Shared;
                }
                "const" => space = Space::Constant,
                "local" => space = Space::Local,
                "v1" => count = 1,
                "v2" => count = 2,
                "v4" => count = 4,
                "v8" => count = 8,
                // Order, scope and caching do not change the value.
                "L1" | "L2" | "ca" | "cg" | "cs" | "cv" | "lu" | "wb" | "wt" | "nc"
                | "volatile" | "relaxed" | "acquire" | "release" | "weak" | "sys" | "gpu"
                | "cta" | "cluster" => {}
                other => match ptx_type(other) {
                    Some(found) if found.0 >= 8 && found.0 <= 64 => ty = Some(found),
                    _ => {
                        let text = format!(
                            "inline assembly: `.{word}` in `{}` is not supported",
                            words.join(".")
                        );
                        return Err(self.unsupported(op, text));
                    }
                },
            }
        }
        let (data, address) = if load {
            (args.first(), args.get(1))
        } else {
            (args.get(1), args.first())
        };
        let (Some((bits, signed)), Some(data), Some(Arg::Address(base, offset))) =
            (ty, data, address)
        else {
            let text = format!(
                "inline assembly: `{}` needs a type, a register and an address",
                words.join(".")
            );
            return Err(self.malformed(op, text));
        };
        let parts = match data {
            Arg::Vector(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        if parts.len() != count {
            let text = format!(
                "inline assembly: `{}` with {} registers",
                words.join("."),
                parts.len()
            );
            return Err(self.malformed(op, text));
        }
        let addr = self.asm_read(op, base, scope)?;
        let bytes = bits / 8;
        let size = bytes * count as u32;
        let mut fields = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let reg = if load {
                let reg = self.b.reg();
                if guard.is_some() {
                    // Lanes that are off keep what the register held.
                    let src = self.asm_read(op, part, scope)?;
                    self.b.push(Op::Move { dst: reg, src });
                }
                reg
            } else {
                self.asm_sized(op, part, bits, scope)?
            };
            fields.push(Field {
                reg,
                offset: bytes * index as u32,
                bytes: bytes as u8,
            });
        }
        let regs: Vec<Reg> = fields.iter().map(|field| field.reg).collect();
        let access = Access {
            space,
            addr,
            offset: *offset,
            fields: fields.into(),
            size,
            align: size,
            guard,
        };
        if !load {
            self.b.push(Op::Store(Box::new(access)));
            return Ok(());
        }
        self.b.push(Op::Load(Box::new(access)));
        for (part, reg) in parts.iter().zip(regs) {
            let Arg::Name(name) = part else {
                return Err(self.malformed(op, "inline assembly: load into no register"));
            };
            let reg = if signed && bits < 32 {
                self.emit(|dst| Op::SignExtend {
                    from: bits,
                    to: 32,
                    dst,
                    src: reg,
                })
            } else {
                reg
            };
            scope.current.insert(name.clone(), reg);
        }
        Ok(())
    }
}
