//! Comparisons and `select`.

mod float;

use super::claim::fast_math;
use super::{Family, OpRow, row};
use crate::bits::signed;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, SlotKind};
use crate::exec::points_to::PointerFlow;
use crate::exec::{Exec, Instruction, Marks, PoisonEffect, Regs};
use crate::float::FloatTy;
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "comparisons and choices",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.icmp", |d, op| {
        comparison(d, op, |d, _, number, (kind, bits), dst, [a, b]| {
            let pred = INT_PREDICATES.get(number).copied();
            let (Some(pred), SlotKind::Int | SlotKind::Ptr(_)) = (pred, kind) else {
                return false;
            };
            d.b.push(IntCompare {
                pred,
                bits,
                dst,
                a,
                b,
            });
            true
        })
    }),
    row("llvm.fcmp", |d, op| {
        comparison(d, op, |d, op, number, (kind, _), dst, [a, b]| {
            let pred = float::PREDICATES.get(number).copied();
            let (Some(pred), SlotKind::Float(ty)) = (pred, kind) else {
                return false;
            };
            d.b.push(float::FloatCompare {
                pred,
                ty,
                dst,
                a,
                b,
            });
            fast_math(d, op, ty, dst, &[a, b]);
            true
        })
    }),
    row("llvm.select", select),
];

/// Emits the float comparison with the PTX name `name`, if there is one. For a NaN operand, `lt` is false and `ltu` is
/// true.
pub(crate) fn compare_floats(
    d: &mut Decoder<'_>,
    name: &str,
    ty: FloatTy,
    [a, b]: [Reg; 2],
) -> Option<Reg> {
    const NAMES: [&str; 16] = [
        "", "eq", "gt", "ge", "lt", "le", "ne", "num", "equ", "gtu", "geu", "ltu", "leu", "neu",
        "nan", "",
    ];
    let number = NAMES.iter().position(|known| *known == name)?;
    let pred = float::PREDICATES[number];
    Some(d.emit(|dst| float::FloatCompare {
        pred,
        ty,
        dst,
        a,
        b,
    }))
}

#[derive(Debug)]
pub(crate) struct IntPredicate {
    all: fn(&mut Exec<'_>, &IntCompare),
}

/// Defines integer predicates in the order of MLIR's enum.
macro_rules! int_predicates {
    ($($name:ident |$bits:ident, $a:ident, $b:ident| $result:expr;)*) => {
        $(pub(crate) static $name: IntPredicate = IntPredicate {
            all: |exec, c| {
                let $bits = c.bits;
                exec.map2(c.dst, [c.a, c.b], |$a, $b| u64::from($result));
            },
        };)*
        const INT_PREDICATES: &[&IntPredicate] = &[$(&$name),*];
    };
}

int_predicates! {
    EQ |_bits, a, b| a == b;
    NE |_bits, a, b| a != b;
    SLT |bits, a, b| signed(a, bits) < signed(b, bits);
    SLE |bits, a, b| signed(a, bits) <= signed(b, bits);
    SGT |bits, a, b| signed(a, bits) > signed(b, bits);
    SGE |bits, a, b| signed(a, bits) >= signed(b, bits);
    ULT |_bits, a, b| a < b;
    ULE |_bits, a, b| a <= b;
    UGT |_bits, a, b| a > b;
    UGE |_bits, a, b| a >= b;
}

#[derive(Debug)]
pub(crate) struct IntCompare {
    pub(crate) pred: &'static IntPredicate,
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for IntCompare {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::Nothing
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        (self.pred.all)(exec, self);
        Ok(())
    }
}

/// Emits one comparison. The arguments are the decoder, the operation, the predicate number, (kind, width) of
/// the operands, the result and the operands. Returns false if the type does not have this predicate.
type Make<'m> = fn(&mut Decoder<'m>, &Operation, usize, (SlotKind, u32), Reg, [Reg; 2]) -> bool;

fn comparison<'m>(d: &mut Decoder<'m>, op: &Operation, make: Make<'m>) -> DecodeResult {
    let (left, right) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let number = op.int("predicate").and_then(|n| usize::try_from(n).ok());
    let slots = d.flat(op, &left.ty)?;
    let mut results = Vec::new();
    for ((slot, &a), &b) in slots.iter().zip(&*left.slots).zip(&*right.slots) {
        let dst = d.b.reg();
        let made = number.is_some_and(|n| make(d, op, n, (slot.kind, slot.bits), dst, [a, b]));
        if !made {
            let text = format!("the predicate is not defined for type `{}`", left.ty);
            return Err(d.malformed(op, text));
        }
        results.push(dst);
    }
    d.define(op, results)
}

/// Computes `cond ? a : b`. The condition is the lowest bit of `cond`.
#[derive(Debug)]
pub(crate) struct Select {
    pub(crate) dst: Reg,
    pub(crate) cond: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for Select {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.cond, self.a, self.b])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.map3(self.dst, [self.cond, self.a, self.b], |cond, a, b| {
            if cond & 1 == 1 { a } else { b }
        });
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let chosen = if lane.get(self.cond) & 1 == 1 {
            self.a
        } else {
            self.b
        };
        PoisonEffect::Results(match lane.mark(self.cond) {
            Some(_) if lane.bits(self.cond) & 1 == 1 => lane.of(&[self.cond, chosen]),
            _ => lane.mark(chosen),
        })
    }
}

fn select(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let [cond, yes, no] = [d.operand(op, 0)?, d.operand(op, 1)?, d.operand(op, 2)?];
    if cond.slots.is_empty() || yes.slots.len() != no.slots.len() {
        let (found, expected) = (no.slots.len(), yes.slots.len());
        let text = format!("operand 2 has {found} elements, but operand 1 has {expected}");
        return Err(d.malformed(op, text));
    }
    let kinds = d.flat(op, &yes.ty)?;
    let mut results = Vec::new();
    for (index, (&a, &b)) in yes.slots.iter().zip(&*no.slots).enumerate() {
        let cond = cond.slots[index % cond.slots.len()];
        let dst = d.emit(|dst| Select { dst, cond, a, b });
        if let SlotKind::Float(ty) = kinds[index].kind {
            fast_math(d, op, ty, dst, &[dst]);
        }
        results.push(dst);
    }
    d.define(op, results)
}
