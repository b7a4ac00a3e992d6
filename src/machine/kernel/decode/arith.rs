//! Arithmetic, comparisons, conversions, and taking aggregates apart.

mod names;

pub(super) use names::NAMES;
use names::{
    float_op, float_pred, float_unary, int_op, int_pred, int_unary, library_binary, library_unary,
};

use super::types::{Slot, SlotKind, part};
use super::{Decoder, Done, Val, Values};
use crate::machine::kernel::error::KernelError;
use crate::machine::kernel::float::FloatTy;
use crate::machine::kernel::op::{Claim, FloatOp, FloatUnary, IntOp, IntPred, Op, Reg};
use crate::machine::kernel::text::{Attr, Node, Ty};

/// Whether an operation says `nsw` and `nuw`.
fn overflow_flags(op: &Node<'_>) -> (bool, bool) {
    match op.attr("overflowFlags") {
        Some(Attr::Int(flags, _)) => (flags & 1 != 0, flags & 2 != 0),
        Some(Attr::Opaque(text)) => (text.contains("nsw"), text.contains("nuw")),
        _ => (false, false),
    }
}

impl<'a> Decoder<'_, 'a> {
    /// Decodes an elementwise operation; `false` if it is none.
    pub(super) fn arith(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        let Some(name) = op.name.strip_prefix("llvm.") else {
            return Ok(false);
        };
        let operands: Vec<Val> = (0..op.operands.len())
            .map(|i| self.operand(op, i, values))
            .collect::<Done<_>>()?;
        let make = |slot: Slot, dst: Reg, reg: &dyn Fn(usize) -> Reg| -> Option<Op> {
            let bits = slot.bits;
            let (a, b) = (|| reg(0), || reg(1));
            if let Some(op) = int_op(name) {
                return (slot.kind == SlotKind::Int).then(|| Op::Int {
                    op,
                    bits,
                    dst,
                    a: a(),
                    b: b(),
                });
            }
            if let Some(op) = int_unary(name) {
                return (slot.kind == SlotKind::Int).then(|| Op::IntUnary {
                    op,
                    bits,
                    dst,
                    a: a(),
                });
            }
            if matches!(name, "intr.fshl" | "intr.fshr") {
                let left = name == "intr.fshl";
                return Some(Op::Funnel {
                    left,
                    bits,
                    dst,
                    hi: a(),
                    lo: b(),
                    amount: reg(2),
                });
            }
            let SlotKind::Float(ty) = slot.kind else {
                return None;
            };
            if let Some(op) = float_op(name) {
                return Some(Op::Float {
                    op,
                    ty,
                    dst,
                    a: a(),
                    b: b(),
                });
            }
            if let Some(op) = float_unary(name) {
                return Some(Op::FloatUnary {
                    op,
                    ty,
                    dst,
                    a: a(),
                });
            }
            match name {
                "intr.fma" | "intr.fmuladd" => Some(Op::Fma {
                    ty,
                    dst,
                    a: a(),
                    b: b(),
                    c: reg(2),
                }),
                _ => None,
            }
        };
        let elementwise = int_op(name).is_some()
            || int_unary(name).is_some()
            || float_op(name).is_some()
            || float_unary(name).is_some()
            || matches!(
                name,
                "intr.fshl" | "intr.fshr" | "intr.fma" | "intr.fmuladd"
            );
        if elementwise {
            let slots = self.flat(op, self.result_ty(op)?)?;
            let mut out = Vec::with_capacity(slots.len());
            for (index, slot) in slots.iter().enumerate() {
                let missing = operands
                    .iter()
                    .any(|value| value.slots.len() != slots.len());
                if missing || operands.is_empty() {
                    return Err(self.malformed(op, "operands and result differ in shape"));
                }
                let dst = self.b.reg();
                let reg = |i: usize| operands[i.min(operands.len() - 1)].slots[index];
                let Some(made) = make(*slot, dst, &reg) else {
                    return Err(self.malformed(op, "operand of the wrong type"));
                };
                self.b.push(made);
                self.claims(op, name, *slot, dst, [reg(0), reg(1)])?;
                out.push(dst);
            }
            self.define(op, out, values)?;
            return Ok(true);
        }
        self.other_arith(op, name, &operands, values)
    }

    /// Comparisons, conversions and selections.
    fn other_arith(
        &mut self,
        op: &Node<'a>,
        name: &str,
        operands: &[Val],
        values: &mut Values<'a>,
    ) -> Done<bool> {
        match name {
            "icmp" | "fcmp" => self.comparison(op, operands, values)?,
            "select" => {
                let [cond, yes, no] = operands else {
                    return Err(self.malformed(op, "`llvm.select` takes three operands"));
                };
                let mut out = Vec::new();
                for (index, (&a, &b)) in yes.slots.iter().zip(&*no.slots).enumerate() {
                    let cond = cond.slots[index % cond.slots.len()];
                    out.push(self.emit(|dst| Op::Select { dst, cond, a, b }));
                }
                self.define(op, out, values)?;
            }
            "freeze"
            | "addrspacecast"
            | "intr.expect"
            | "intr.ssa.copy"
            | "intr.launder.invariant.group" => {
                self.renaming(op, name, operands, values)?;
            }
            "trunc" | "zext" | "sext" | "fptrunc" | "fpext" | "fptosi" | "fptoui" | "sitofp"
            | "uitofp" | "ptrtoint" | "inttoptr" | "intr.fptosi.sat" | "intr.fptoui.sat" => {
                self.conversion(op, name, operands, values)?;
            }
            "bitcast" => self.bitcast(op, operands, values)?,
            "intr.ldexp" | "intr.powi" => {
                let [base, exponent] = operands else {
                    return Err(self.malformed(op, "expected two operands"));
                };
                let slots = self.flat(op, &base.ty)?;
                let exponent_bits = self.flat(op, &exponent.ty)?[0].bits;
                let mut out = Vec::new();
                for (index, (slot, &a)) in slots.iter().zip(&*base.slots).enumerate() {
                    let SlotKind::Float(ty) = slot.kind else {
                        return Err(self.malformed(op, "operand of the wrong type"));
                    };
                    let exponent = exponent.slots[index % exponent.slots.len()];
                    out.push(if name == "intr.ldexp" {
                        self.emit(|dst| Op::Ldexp {
                            ty,
                            dst,
                            a,
                            exponent,
                            exponent_bits,
                        })
                    } else {
                        let b = self.emit(|dst| Op::IntToFloat {
                            bits: exponent_bits,
                            signed: true,
                            to: ty,
                            dst,
                            src: exponent,
                        });
                        self.emit(|dst| Op::Float {
                            op: FloatOp::Pow,
                            ty,
                            dst,
                            a,
                            b,
                        })
                    });
                }
                self.define(op, out, values)?;
            }
            "intr.uadd.with.overflow" | "intr.usub.with.overflow" | "intr.umul.with.overflow" => {
                let [a, b] = [operands[0].slots[0], operands[1].slots[0]];
                let bits = self.flat(op, &operands[0].ty)?[0].bits;
                let int = match name {
                    "intr.uadd.with.overflow" => IntOp::Add,
                    "intr.usub.with.overflow" => IntOp::Sub,
                    _ => IntOp::Mul,
                };
                let result = self.emit(|dst| Op::Int {
                    op: int,
                    bits,
                    dst,
                    a,
                    b,
                });
                let over = match int {
                    IntOp::Add => self.emit(|dst| Op::Compare {
                        pred: IntPred::Ult,
                        bits,
                        dst,
                        a: result,
                        b: a,
                    }),
                    IntOp::Sub => self.emit(|dst| Op::Compare {
                        pred: IntPred::Ult,
                        bits,
                        dst,
                        a,
                        b,
                    }),
                    _ => {
                        let high = self.emit(|dst| Op::Int {
                            op: IntOp::UMulHigh,
                            bits,
                            dst,
                            a,
                            b,
                        });
                        let b = self.b.constant(0);
                        self.emit(|dst| Op::Compare {
                            pred: IntPred::Ne,
                            bits,
                            dst,
                            a: high,
                            b,
                        })
                    }
                };
                self.define(op, vec![result, over], values)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn comparison(&mut self, op: &Node<'a>, operands: &[Val], values: &mut Values<'a>) -> Done {
        let [left, right] = operands else {
            return Err(self.malformed(op, "a comparison takes two operands"));
        };
        let number = op.int("predicate").unwrap_or(-1);
        let slots = self.flat(op, &left.ty)?;
        let mut out = Vec::new();
        for ((slot, &a), &b) in slots.iter().zip(&*left.slots).zip(&*right.slots) {
            let bits = slot.bits;
            let dst = self.b.reg();
            let made = match slot.kind {
                SlotKind::Float(ty) if op.name == "llvm.fcmp" => {
                    float_pred(number).map(|pred| Op::FloatCompare {
                        pred,
                        ty,
                        dst,
                        a,
                        b,
                    })
                }
                _ if op.name == "llvm.icmp" => int_pred(number).map(|pred| Op::Compare {
                    pred,
                    bits,
                    dst,
                    a,
                    b,
                }),
                _ => None,
            };
            let Some(made) = made else {
                return Err(self.malformed(op, "predicate and operand types do not fit"));
            };
            self.b.push(made);
            out.push(dst);
        }
        self.define(op, out, values)
    }

    /// Operations that change no bits, but perhaps which memory a pointer means.
    fn renaming(
        &mut self,
        op: &Node<'a>,
        name: &str,
        operands: &[Val],
        values: &mut Values<'a>,
    ) -> Done {
        let Some(value) = operands.first() else {
            return Err(self.malformed(op, "expected an operand"));
        };
        let (Ty::Ptr(from), Ty::Ptr(to)) = (&value.ty, self.result_ty(op)?) else {
            return self.define(op, value.slots.clone(), values);
        };
        let (from, to) = (*from, *to);
        let [src] = value.slots[..] else {
            return self.define(op, value.slots.clone(), values);
        };
        let reg = if name == "addrspacecast" && from != to {
            self.cast_pointer(src, from, to)
        } else {
            src
        };
        self.define(op, vec![reg], values)
    }

    fn conversion(
        &mut self,
        op: &Node<'a>,
        name: &str,
        operands: &[Val],
        values: &mut Values<'a>,
    ) -> Done {
        let Some(value) = operands.first() else {
            return Err(self.malformed(op, "expected an operand"));
        };
        let from = self.flat(op, &value.ty)?;
        let to = self.flat(op, self.result_ty(op)?)?;
        let mut out = Vec::new();
        for ((from, to), &src) in from.iter().zip(&to).zip(&*value.slots) {
            let dst = self.b.reg();
            let signed = matches!(name, "sext" | "fptosi" | "sitofp" | "intr.fptosi.sat");
            let made = match (from.kind, to.kind) {
                (SlotKind::Float(from), SlotKind::Float(to)) => {
                    Op::FloatToFloat { from, to, dst, src }
                }
                (SlotKind::Float(from), SlotKind::Int) => Op::FloatToInt {
                    from,
                    bits: to.bits,
                    signed,
                    dst,
                    src,
                },
                (SlotKind::Int, SlotKind::Float(to)) => Op::IntToFloat {
                    bits: from.bits,
                    signed,
                    to,
                    dst,
                    src,
                },
                (SlotKind::Float(_), SlotKind::Ptr(_)) | (SlotKind::Ptr(_), SlotKind::Float(_)) => {
                    return Err(self.malformed(op, "operand of the wrong type"));
                }
                _ if signed => Op::SignExtend {
                    from: from.bits,
                    to: to.bits,
                    dst,
                    src,
                },
                _ if to.bits < from.bits => Op::Trunc {
                    bits: to.bits,
                    dst,
                    src,
                },
                _ => Op::Move { dst, src },
            };
            self.b.push(made);
            if from.kind == SlotKind::Int {
                let (wraps_signed, wraps) = overflow_flags(op);
                let nneg = op.attr("nonNeg").is_some();
                let claims = [
                    (nneg, Claim::NonNegative(from.bits)),
                    (wraps, Claim::FitsUnsigned(to.bits)),
                    (
                        wraps_signed,
                        Claim::FitsSigned {
                            from: from.bits,
                            to: to.bits,
                        },
                    ),
                ];
                for (_, claim) in claims.into_iter().filter(|(flag, _)| *flag) {
                    self.b.push(Op::Claim {
                        claim,
                        value: dst,
                        a: src,
                        b: src,
                    });
                }
            }
            out.push(dst);
        }
        self.define(op, out, values)
    }

    /// The promises that the flags of an elementwise operation make of one result.
    fn claims(
        &mut self,
        op: &Node<'a>,
        name: &str,
        slot: Slot,
        value: Reg,
        [a, b]: [Reg; 2],
    ) -> Done {
        let mut claims = Vec::new();
        if let Some(int) = int_op(name) {
            let (no_signed_wrap, no_unsigned_wrap) = overflow_flags(op);
            if no_signed_wrap {
                claims.push(Claim::NoSignedWrap(int, slot.bits));
            }
            if no_unsigned_wrap {
                claims.push(Claim::NoUnsignedWrap(int, slot.bits));
            }
            if op.attr("isExact").is_some() {
                claims.push(Claim::Exact(int, slot.bits));
            }
            if op.attr("isDisjoint").is_some() {
                claims.push(Claim::Disjoint);
            }
        }
        for claim in claims {
            self.b.push(Op::Claim { claim, value, a, b });
        }
        Ok(())
    }

    /// The promise that a `range` attribute makes of a register of the machine.
    pub(super) fn claim_range(&mut self, op: &Node<'a>, bits: u32, value: Reg) -> Done {
        let Some(Attr::Opaque(text)) = op.attr("range") else {
            return Ok(());
        };
        let numbers: Vec<i64> = text
            .trim_end_matches('>')
            .split(',')
            .filter_map(|piece| piece.trim().parse().ok())
            .collect();
        let [low, high] = numbers[..] else {
            return Err(self.malformed(op, format!("`{text}` is no range of two numbers")));
        };
        let claim = Claim::Range {
            bits,
            low: low as u64,
            high: high as u64,
        };
        self.b.push(Op::Claim {
            claim,
            value,
            a: value,
            b: value,
        });
        Ok(())
    }

    fn bitcast(&mut self, op: &Node<'a>, operands: &[Val], values: &mut Values<'a>) -> Done {
        let Some(value) = operands.first() else {
            return Err(self.malformed(op, "expected an operand"));
        };
        let from = self.flat(op, &value.ty)?;
        let to = self.flat(op, self.result_ty(op)?)?;
        let regs = self.repack(&value.slots, from[0].bits, to[0].bits, to.len());
        self.define(op, regs, values)
    }

    /// The same bits in `count` registers of another width; renaming where the width agrees.
    pub(super) fn repack(
        &mut self,
        src: &[Reg],
        src_bits: u32,
        dst_bits: u32,
        count: usize,
    ) -> Vec<Reg> {
        if src_bits == dst_bits && src.len() == count {
            return src.to_vec();
        }
        let dst = self.b.regs(count);
        let (to, src) = (dst.clone().into_boxed_slice(), src.into());
        self.b.push(Op::Repack {
            dst: to,
            dst_bits,
            src,
            src_bits,
        });
        dst
    }

    /// Decodes an operation that takes aggregates apart or together; `false` if it is none.
    pub(super) fn aggregate(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        match op.name {
            "llvm.extractvalue" | "llvm.insertvalue" => {
                let whole = self.operand(op, 0, values)?;
                let path: Vec<i64> = match op.attr("position") {
                    Some(Attr::Ints(path)) => path.clone(),
                    _ => return Err(self.malformed(op, "expected a position")),
                };
                let Some((start, ty)) = part(&whole.ty, &path) else {
                    return Err(
                        self.malformed(op, format!("position {path:?} is not inside the value"))
                    );
                };
                let count = self.flat(op, ty)?.len();
                if op.name == "llvm.extractvalue" {
                    self.define(op, &whole.slots[start..start + count], values)?;
                } else {
                    let new = self.operand(op, 1, values)?;
                    let mut slots = whole.slots.to_vec();
                    if new.slots.len() != count {
                        return Err(self.malformed(op, "inserted value of the wrong type"));
                    }
                    slots[start..start + count].copy_from_slice(&new.slots);
                    self.define(op, slots, values)?;
                }
            }
            "llvm.extractelement" => {
                let vector = self.operand(op, 0, values)?;
                let index = self.scalar(op, 1, values)?;
                let reg = match self.b.constant_of(index) {
                    Some(position) => match vector.slots.get(position as usize) {
                        Some(&reg) => reg,
                        None => return Err(self.outside(op, position, vector.slots.len())),
                    },
                    None => {
                        let elems = vector.slots[..].into();
                        self.emit(|dst| Op::ExtractAt { dst, elems, index })
                    }
                };
                self.define(op, vec![reg], values)?;
            }
            "llvm.insertelement" => {
                let vector = self.operand(op, 0, values)?;
                let value = self.scalar(op, 1, values)?;
                let index = self.scalar(op, 2, values)?;
                let mut slots = vector.slots.to_vec();
                match self.b.constant_of(index) {
                    Some(position) => match slots.get_mut(position as usize) {
                        Some(slot) => *slot = value,
                        None => return Err(self.outside(op, position, slots.len())),
                    },
                    None => {
                        let dst = self.b.regs(slots.len());
                        let (to, elems) =
                            (dst.clone().into_boxed_slice(), slots.into_boxed_slice());
                        self.b.push(Op::InsertAt {
                            dst: to,
                            elems,
                            value,
                            index,
                        });
                        slots = dst;
                    }
                }
                self.define(op, slots, values)?;
            }
            "llvm.shufflevector" => {
                let (a, b) = (self.operand(op, 0, values)?, self.operand(op, 1, values)?);
                let both: Vec<Reg> = a.slots.iter().chain(&*b.slots).copied().collect();
                let mask = op.ints("mask").unwrap_or(&[]).to_vec();
                let pick = |d: &mut Self, index: i64| {
                    let found = usize::try_from(index)
                        .ok()
                        .and_then(|index| both.get(index).copied());
                    found.unwrap_or_else(|| d.garbage(32))
                };
                let slots: Vec<Reg> = mask.into_iter().map(|index| pick(self, index)).collect();
                self.define(op, slots, values)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn outside(&self, op: &Node<'a>, position: u64, count: usize) -> KernelError {
        let text = format!("element {position} of a vector of {count} has no value");
        self.malformed(op, text)
    }

    /// A call of `__nv_expf`, `__ocml_exp_f32` and the like; `false` if the name is not known.
    pub(super) fn library_call(
        &mut self,
        op: &Node<'a>,
        callee: &str,
        values: &mut Values<'a>,
    ) -> Done<bool> {
        let base = if let Some(name) = callee.strip_prefix("__nv_") {
            let name = name.strip_prefix("fast_").unwrap_or(name);
            let whole = library_binary(name).is_some() || library_unary(name).is_some();
            if whole || name == "fma" {
                name
            } else {
                name.strip_suffix('f').unwrap_or(name)
            }
        } else if let Some(name) = callee.strip_prefix("__ocml_") {
            let name = name.strip_prefix("native_").unwrap_or(name);
            name.rsplit_once('_').map_or(name, |(name, _)| name)
        } else if let Some(name) = callee.strip_prefix("llvm.nvvm.") {
            // `ex2.approx.ftz.f32`: how exact it is does not matter here.
            name.split('.').next().unwrap_or(name)
        } else if let Some(name) = callee.strip_prefix("llvm.amdgcn.") {
            match name.split('.').next().unwrap_or(name) {
                // Both work on powers of two.
                "log" => "log2",
                other => other,
            }
        } else if let Some(name) = callee.strip_prefix("llvm.") {
            name.rsplit_once('.').map_or(name, |(name, _)| name)
        } else {
            return Ok(false);
        };
        let slots = match op.results.first() {
            Some((_, ty)) => self.flat(op, ty)?,
            None => return Ok(false),
        };
        let [
            Slot {
                kind: SlotKind::Float(ty),
                ..
            },
        ] = slots[..]
        else {
            return Ok(false);
        };
        let reg = match op.operands.len() {
            1 => {
                let Some(unary) = library_unary(base) else {
                    return Ok(false);
                };
                let a = self.scalar(op, 0, values)?;
                self.emit(|dst| Op::FloatUnary {
                    op: unary,
                    ty,
                    dst,
                    a,
                })
            }
            2 => {
                let Some(binary) = library_binary(base) else {
                    return Ok(false);
                };
                let (a, b) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
                self.emit(|dst| Op::Float {
                    op: binary,
                    ty,
                    dst,
                    a,
                    b,
                })
            }
            3 if base == "fma" => {
                let [a, b, c] = [
                    self.scalar(op, 0, values)?,
                    self.scalar(op, 1, values)?,
                    self.scalar(op, 2, values)?,
                ];
                self.emit(|dst| Op::Fma { ty, dst, a, b, c })
            }
            _ => return Ok(false),
        };
        self.define(op, vec![reg], values)?;
        Ok(true)
    }

    /// `nvvm.ex2.approx` and the like on one float.
    pub(super) fn unary_float(
        &mut self,
        op: &Node<'a>,
        unary: FloatUnary,
        values: &mut Values<'a>,
    ) -> Done {
        let a = self.scalar(op, 0, values)?;
        let slots = self.flat(op, self.result_ty(op)?)?;
        let ty = match slots[0].kind {
            SlotKind::Float(ty) => ty,
            _ => FloatTy::F32,
        };
        let reg = self.emit(|dst| Op::FloatUnary {
            op: unary,
            ty,
            dst,
            a,
        });
        self.define(op, vec![reg], values)
    }
}
