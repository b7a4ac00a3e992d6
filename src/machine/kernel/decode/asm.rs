//! NVPTX inline assembly: predicated loads and stores and the few statements around them.
//!
//! ```text
//! mov.u32 $0, 0x0;
//! @$2 ld.global.L1::evict_last.b32 { $0 }, [ $1 + 16 ];
//! ```
//! A guarded statement that writes a register keeps the old value in lanes where the guard
//! fails; a register that nothing wrote before holds a pattern that shows.

mod access;
mod rules;
mod text;

use self::rules::Refusal;
use self::text::{Arg, Name, Statement, float_type, parse, ptx_type};
use super::{Decoder, Done, Values};
use crate::machine::kernel::eval::mask;
use crate::machine::kernel::op::{
    FloatOp, FloatUnary, Guard, IntOp, IntPred, Op, PermuteMode, Reg, ShuffleKind, Special,
};
use crate::machine::kernel::text::Node;
use std::collections::HashMap;

/// Registers of one inline assembly while it is decoded.
struct Scope {
    current: HashMap<Name, Reg>,
    /// Width in bits of `$n`.
    widths: Vec<u32>,
    /// Width in bits of the registers that the text declares.
    declared: HashMap<String, u32>,
}

impl Scope {
    /// Width in bits of a register, if there is one of this name.
    fn width(&self, name: &Name) -> Option<u32> {
        match name {
            Name::Operand(index) => self.widths.get(*index).copied(),
            Name::Local(name) if special(name).is_some() => Some(32),
            Name::Local(name) => self.declared.get(name).copied(),
        }
    }
}

/// Width of a register constraint.
fn constraint_bits(constraint: &str) -> Option<u32> {
    Some(match constraint.trim_start_matches(['=', '&', '+']) {
        "b" => 1,
        "c" | "h" => 16,
        "r" | "f" => 32,
        "l" | "d" => 64,
        _ => return None,
    })
}

impl<'a> Decoder<'_, 'a> {
    pub(super) fn inline_asm(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done {
        let text = op.str("asm_string").unwrap_or("").to_owned();
        let constraints: Vec<String> = op
            .str("constraints")
            .unwrap_or("")
            .split(',')
            .filter(|c| !c.is_empty() && !c.starts_with('~'))
            .map(str::to_owned)
            .collect();
        let num_outputs = constraints
            .iter()
            .take_while(|c| c.starts_with('='))
            .count();
        let inputs = &constraints[num_outputs..];
        if inputs.len() != op.operands.len() {
            let text = format!(
                "{} input constraints for {} operands",
                inputs.len(),
                op.operands.len()
            );
            return Err(self.malformed(op, text));
        }
        if self.is_amd() || text.trim().is_empty() {
            return self.plain_asm(op, &text, num_outputs, inputs, values);
        }
        let mut scope = Scope {
            current: HashMap::new(),
            widths: Vec::new(),
            declared: rules::declared(&text),
        };
        for (index, constraint) in constraints.iter().enumerate() {
            let tied = constraint.parse::<usize>().ok();
            let bits = match tied {
                Some(output) => scope.widths.get(output).copied(),
                None => constraint_bits(constraint),
            };
            let Some(bits) = bits else {
                return Err(
                    self.unsupported(op, format!("constraint `{constraint}` is not supported"))
                );
            };
            scope.widths.push(bits);
            if index < num_outputs {
                continue;
            }
            let value = self.operand(op, index - num_outputs, values)?;
            let slots = self.flat(op, &value.ty)?;
            let total: u32 = slots.iter().map(|slot| slot.bits).sum();
            if total > bits {
                let text =
                    format!("operand of {total} bits for constraint `{constraint}` of {bits}");
                return Err(self.malformed(op, text));
            }
            let reg = self.repack(&value.slots, slots[0].bits, total, 1)[0];
            scope.current.insert(Name::Operand(index), reg);
            if let Some(output) = tied {
                scope.current.insert(Name::Operand(output), reg);
            }
        }
        let statements = parse(&text).map_err(|problem| {
            self.unsupported(op, format!("inline assembly: {problem} is not supported"))
        })?;
        for statement in &statements {
            self.asm_rules(op, statement, &scope)?;
            self.statement(op, statement, &mut scope)?;
        }
        self.asm_results(op, num_outputs, &scope, values)
    }

    /// Refuses what an assembler refuses, and what nobody simulates.
    fn asm_rules(&self, op: &Node<'a>, statement: &Statement, scope: &Scope) -> Done {
        let opcode = statement.opcode.join(".");
        match rules::check(statement, |name| scope.width(name)) {
            Ok(()) => Ok(()),
            Err(Refusal::Unknown) => Err(self
                .unsupported(op, format!("inline assembly: `{opcode}` is not supported"))
                .note(
                    "supported are ld, st, mov, setp, selp, prmt, shfl, barriers and arithmetic",
                )),
            Err(Refusal::Form(forms)) => Err(self
                .malformed(
                    op,
                    format!("inline assembly: `{opcode}` is no instruction that can be run"),
                )
                .note(format!("the forms are: {forms}"))),
            Err(Refusal::Operand(problem)) => {
                Err(self.malformed(op, format!("inline assembly: `{opcode}`: {problem}")))
            }
        }
    }

    /// The outputs as the operation's result: one value or a struct of them.
    fn asm_results(
        &mut self,
        op: &Node<'a>,
        num_outputs: usize,
        scope: &Scope,
        values: &mut Values<'a>,
    ) -> Done {
        use crate::machine::kernel::text::Ty;
        if num_outputs == 0 || op.results.is_empty() {
            return Ok(());
        }
        let ty = self.result_ty(op)?.clone();
        let parts: Vec<Ty> = match ty {
            Ty::Struct { body, .. } => body,
            other => vec![other],
        };
        if parts.len() != num_outputs {
            let text = format!(
                "{num_outputs} output constraints for {} results",
                parts.len()
            );
            return Err(self.malformed(op, text));
        }
        let mut regs = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let slots = self.flat(op, part)?;
            let bits = scope.widths[index];
            let reg = match scope.current.get(&Name::Operand(index)) {
                Some(&reg) => reg,
                None => self.garbage(bits),
            };
            let total: u32 = slots.iter().map(|slot| slot.bits).sum();
            let reg = if total < bits {
                self.emit(|dst| Op::Trunc {
                    bits: total,
                    dst,
                    src: reg,
                })
            } else {
                reg
            };
            regs.extend(self.repack(&[reg], total, slots[0].bits, slots.len()));
        }
        self.define(op, regs, values)
    }

    /// Text without an effect on values: empty, or waits of AMD GPUs.
    fn plain_asm(
        &mut self,
        op: &Node<'a>,
        text: &str,
        num_outputs: usize,
        inputs: &[String],
        values: &mut Values<'a>,
    ) -> Done {
        const HARMLESS: [&str; 4] = ["s_waitcnt", "s_nop", "s_sleep", ";"];
        let mut lines = text.lines().map(str::trim);
        if !lines.all(|line| line.is_empty() || HARMLESS.iter().any(|word| line.starts_with(word)))
        {
            return Err(self.unsupported(op, "inline assembly of AMD GPUs is not supported"));
        }
        if num_outputs == 0 || op.results.is_empty() {
            return Ok(());
        }
        // Each output is tied to an input, or its value does not matter.
        let mut regs = Vec::new();
        for output in 0..num_outputs {
            match inputs.iter().position(|c| c.parse() == Ok(output)) {
                Some(input) => regs.extend(self.operand(op, input, values)?.slots.iter().copied()),
                None => {
                    return Err(self.unsupported(op, "inline assembly with an output of no input"));
                }
            }
        }
        self.define(op, regs, values)
    }

    /// The register that an argument names, or a constant.
    fn asm_read(&mut self, op: &Node<'a>, arg: &Arg, scope: &Scope) -> Done<Reg> {
        match arg {
            Arg::Immediate(value) => Ok(self.b.constant(*value)),
            Arg::Name(Name::Local(name)) if special(name).is_some() => {
                let what = special(name).unwrap_or(Special::Lane);
                Ok(self.emit(|dst| Op::Special { dst, what }))
            }
            Arg::Name(name) => match scope.current.get(name) {
                Some(&reg) => Ok(reg),
                None => Ok(self.garbage(64)),
            },
            _ => Err(self.unsupported(
                op,
                "inline assembly: a vector or address where a register must be",
            )),
        }
    }

    /// Makes `reg` the value of `arg` where the guard holds.
    fn asm_write(
        &mut self,
        op: &Node<'a>,
        arg: &Arg,
        reg: Reg,
        guard: Option<Guard>,
        scope: &mut Scope,
    ) -> Done {
        let Arg::Name(name) = arg else {
            return Err(self.unsupported(op, "inline assembly: a result that is no register"));
        };
        if matches!(name, Name::Local(name) if name == "_") {
            return Ok(());
        }
        let reg = match guard {
            None => reg,
            Some(guard) => {
                let old = self.asm_read(op, arg, scope)?;
                let (a, b) = if guard.negated {
                    (old, reg)
                } else {
                    (reg, old)
                };
                self.emit(|dst| Op::Select {
                    dst,
                    cond: guard.reg,
                    a,
                    b,
                })
            }
        };
        scope.current.insert(name.clone(), reg);
        Ok(())
    }

    fn statement(&mut self, op: &Node<'a>, statement: &Statement, scope: &mut Scope) -> Done {
        let guard = match &statement.guard {
            Some((name, negated)) => {
                let reg = self.asm_read(op, &Arg::Name(name.clone()), scope)?;
                Some(Guard {
                    reg,
                    negated: *negated,
                })
            }
            None => None,
        };
        let words: Vec<&str> = statement.opcode.iter().map(String::as_str).collect();
        let args = &statement.args;
        let unknown = |d: &Self| {
            d.unsupported(op, format!("inline assembly: `{}` is not supported", words.join(".")))
                .note("supported are ld, st, mov, setp, selp, prmt, shfl, barriers and integer arithmetic")
        };
        let ty = words.iter().rev().find_map(|word| ptx_type(word));
        let arg = |index: usize| args.get(index).ok_or_else(|| unknown(self));
        match words[0] {
            "ld" | "st" => self.asm_access(op, &words, args, guard, scope),
            "mov" => {
                let (to, from) = (arg(0)?.clone(), arg(1)?.clone());
                self.asm_move(
                    op,
                    &to,
                    &from,
                    ty.map_or(32, |(bits, _)| bits),
                    guard,
                    scope,
                )
            }
            "cvt" | "cvta" => {
                let (to, from) = (arg(0)?.clone(), arg(1)?.clone());
                let types: Vec<(u32, bool)> =
                    words.iter().filter_map(|word| ptx_type(word)).collect();
                let float = words.iter().any(|word| float_type(word).is_some());
                let [(to_bits, _), (from_bits, signed)] = types[..] else {
                    return Err(unknown(self));
                };
                if float || words[0] == "cvta" {
                    return Err(unknown(self));
                }
                let src = self.asm_read(op, &from, scope)?;
                let reg = if signed && from_bits < to_bits {
                    self.emit(|dst| Op::SignExtend {
                        from: from_bits,
                        to: to_bits,
                        dst,
                        src,
                    })
                } else {
                    let bits = to_bits.min(from_bits);
                    self.emit(|dst| Op::Trunc { bits, dst, src })
                };
                self.asm_write(op, &to, reg, guard, scope)
            }
            "selp" => {
                let to = arg(0)?.clone();
                let [a, b, cond] = [arg(1)?.clone(), arg(2)?.clone(), arg(3)?.clone()];
                let [a, b, cond] = [
                    self.asm_read(op, &a, scope)?,
                    self.asm_read(op, &b, scope)?,
                    self.asm_read(op, &cond, scope)?,
                ];
                let reg = self.emit(|dst| Op::Select { dst, cond, a, b });
                self.asm_write(op, &to, reg, guard, scope)
            }
            "setp" => {
                let (bits, signed) = ty.ok_or_else(|| unknown(self))?;
                let pred = match (*words.get(1).unwrap_or(&""), signed) {
                    ("eq", _) => IntPred::Eq,
                    ("ne", _) => IntPred::Ne,
                    ("lt", true) => IntPred::Slt,
                    ("le", true) => IntPred::Sle,
                    ("gt", true) => IntPred::Sgt,
                    ("ge", true) => IntPred::Sge,
                    ("lt" | "lo", false) => IntPred::Ult,
                    ("le" | "ls", false) => IntPred::Ule,
                    ("gt" | "hi", false) => IntPred::Ugt,
                    ("ge" | "hs", false) => IntPred::Uge,
                    _ => return Err(unknown(self)),
                };
                if words.iter().any(|word| float_type(word).is_some()) {
                    return Err(unknown(self));
                }
                let (to, a, b) = (arg(0)?.clone(), arg(1)?.clone(), arg(2)?.clone());
                let a = self.asm_read(op, &a, scope)?;
                let b = self.asm_sized(op, &b, bits, scope)?;
                let reg = self.emit(|dst| Op::Compare {
                    pred,
                    bits,
                    dst,
                    a,
                    b,
                });
                self.asm_write(op, &to, reg, guard, scope)
            }
            "prmt" => {
                let mode = match words.get(2) {
                    None => PermuteMode::Default,
                    Some(_) => return Err(unknown(self)),
                };
                let to = arg(0)?.clone();
                let rest = [arg(1)?.clone(), arg(2)?.clone(), arg(3)?.clone()];
                let [a, b, selector] = [
                    self.asm_read(op, &rest[0], scope)?,
                    self.asm_read(op, &rest[1], scope)?,
                    self.asm_read(op, &rest[2], scope)?,
                ];
                let reg = self.emit(|dst| Op::Permute {
                    mode,
                    dst,
                    a,
                    b,
                    selector,
                });
                self.asm_write(op, &to, reg, guard, scope)
            }
            "shfl" if guard.is_none() => {
                let kind = match words.get(2).copied() {
                    Some("bfly") => ShuffleKind::Bfly,
                    Some("up") => ShuffleKind::Up,
                    Some("down") => ShuffleKind::Down,
                    Some("idx") => ShuffleKind::Idx,
                    _ => return Err(unknown(self)),
                };
                let pair = args.len() == 6;
                let at = usize::from(pair);
                let regs: Vec<Reg> = args[1 + at..]
                    .iter()
                    .map(|arg| self.asm_read(op, arg, scope))
                    .collect::<Done<_>>()?;
                let [src, offset, clamp, mask] = regs[..] else {
                    return Err(unknown(self));
                };
                let dst = self.b.reg();
                let valid = pair.then(|| self.b.reg());
                self.b.push(Op::Shuffle {
                    kind,
                    dst,
                    valid,
                    mask,
                    src,
                    offset,
                    clamp,
                });
                self.asm_write(op, &args[0], dst, None, scope)?;
                match valid {
                    Some(valid) => self.asm_write(op, &args[1], valid, None, scope),
                    None => Ok(()),
                }
            }
            "bar" | "barrier" if guard.is_none() => {
                if words.get(1) == Some(&"warp") {
                    let mask = self.asm_read(op, &arg(0)?.clone(), scope)?;
                    self.b.push(Op::WarpBarrier { mask });
                    return Ok(());
                }
                let all = matches!(args[..], [Arg::Immediate(0)]);
                if !all {
                    return Err(unknown(self));
                }
                self.b.push(Op::Barrier);
                Ok(())
            }
            "membar" | "fence" | "prefetch" | "createpolicy" => Ok(()),
            _ => self.asm_arithmetic(op, &words, args, guard, scope),
        }
    }

    /// A register or an immediate cut to `bits`.
    fn asm_sized(&mut self, op: &Node<'a>, arg: &Arg, bits: u32, scope: &Scope) -> Done<Reg> {
        match arg {
            Arg::Immediate(value) => Ok(self.b.constant(value & mask(bits))),
            _ => self.asm_read(op, arg, scope),
        }
    }

    fn asm_move(
        &mut self,
        op: &Node<'a>,
        to: &Arg,
        from: &Arg,
        bits: u32,
        guard: Option<Guard>,
        scope: &mut Scope,
    ) -> Done {
        match (to, from) {
            (Arg::Vector(parts), _) => {
                let src = self.asm_read(op, from, scope)?;
                let width = bits / parts.len() as u32;
                let regs = self.repack(&[src], bits, width, parts.len());
                for (part, reg) in parts.iter().zip(regs) {
                    self.asm_write(op, part, reg, guard, scope)?;
                }
                Ok(())
            }
            (_, Arg::Vector(parts)) => {
                let regs: Vec<Reg> = parts
                    .iter()
                    .map(|part| self.asm_read(op, part, scope))
                    .collect::<Done<_>>()?;
                let width = bits / parts.len() as u32;
                let reg = self.repack(&regs, width, bits, 1)[0];
                self.asm_write(op, to, reg, guard, scope)
            }
            _ => {
                let src = self.asm_sized(op, from, bits, scope)?;
                self.asm_write(op, to, src, guard, scope)
            }
        }
    }

    fn asm_arithmetic(
        &mut self,
        op: &Node<'a>,
        words: &[&str],
        args: &[Arg],
        guard: Option<Guard>,
        scope: &mut Scope,
    ) -> Done {
        let unknown = |d: &Self| {
            d.unsupported(
                op,
                format!("inline assembly: `{}` is not supported", words.join(".")),
            )
            .note("supported are ld, st, mov, setp, selp, prmt, shfl, barriers and arithmetic")
        };
        let Some(to) = args.first() else {
            return Err(unknown(self));
        };
        let float = words.iter().rev().find_map(|word| float_type(word));
        let typed = words.iter().rev().find_map(|word| ptx_type(word));
        let Some((bits, signed)) = typed else {
            return Err(unknown(self));
        };
        let regs: Vec<Reg> = args[1..]
            .iter()
            .map(|arg| self.asm_sized(op, arg, bits, scope))
            .collect::<Done<_>>()?;
        let reg = match (float, &regs[..]) {
            (Some(ty), &[a]) => {
                let unary = match words[0] {
                    "ex2" => FloatUnary::Exp2,
                    "lg2" => FloatUnary::Log2,
                    "rcp" => FloatUnary::Rcp,
                    "rsqrt" => FloatUnary::Rsqrt,
                    "sqrt" => FloatUnary::Sqrt,
                    "sin" => FloatUnary::Sin,
                    "cos" => FloatUnary::Cos,
                    "tanh" => FloatUnary::Tanh,
                    "neg" => FloatUnary::Neg,
                    "abs" => FloatUnary::Abs,
                    _ => return Err(unknown(self)),
                };
                self.emit(|dst| Op::FloatUnary {
                    op: unary,
                    ty,
                    dst,
                    a,
                })
            }
            (Some(ty), &[a, b]) => {
                let binary = match words[0] {
                    "add" => FloatOp::Add,
                    "sub" => FloatOp::Sub,
                    "mul" => FloatOp::Mul,
                    "div" => FloatOp::Div,
                    "max" if words.contains(&"NaN") => FloatOp::Maximum,
                    "min" if words.contains(&"NaN") => FloatOp::Minimum,
                    "max" => FloatOp::MaxNum,
                    "min" => FloatOp::MinNum,
                    _ => return Err(unknown(self)),
                };
                self.emit(|dst| Op::Float {
                    op: binary,
                    ty,
                    dst,
                    a,
                    b,
                })
            }
            (Some(ty), &[a, b, c]) if words[0] == "fma" => {
                self.emit(|dst| Op::Fma { ty, dst, a, b, c })
            }
            (None, &[a, b]) => {
                let int = match (words[0], signed) {
                    ("add", _) => IntOp::Add,
                    ("sub", _) => IntOp::Sub,
                    ("mul", _) if words.contains(&"lo") => IntOp::Mul,
                    ("and", _) => IntOp::And,
                    ("or", _) => IntOp::Or,
                    ("xor", _) => IntOp::Xor,
                    ("shl", _) => IntOp::Shl,
                    ("shr", false) => IntOp::LShr,
                    ("shr", true) => IntOp::AShr,
                    ("min", true) => IntOp::SMin,
                    ("max", true) => IntOp::SMax,
                    ("min", false) => IntOp::UMin,
                    ("max", false) => IntOp::UMax,
                    _ => return Err(unknown(self)),
                };
                self.emit(|dst| Op::Int {
                    op: int,
                    bits,
                    dst,
                    a,
                    b,
                })
            }
            _ => return Err(unknown(self)),
        };
        self.asm_write(op, to, reg, guard, scope)
    }
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "%tid.x" => Special::Thread(0),
        "%tid.y" => Special::Thread(1),
        "%tid.z" => Special::Thread(2),
        "%ctaid.x" => Special::Block(0),
        "%ctaid.y" => Special::Block(1),
        "%ctaid.z" => Special::Block(2),
        "%ntid.x" => Special::BlockSize(0),
        "%nctaid.x" => Special::GridSize(0),
        "%laneid" => Special::Lane,
        _ => return None,
    })
}
