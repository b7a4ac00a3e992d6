//! Atomic read-modify-write operations, and compare and exchange.

use super::memory::{require_defined_where, space};
use super::order;
use super::{Family, OpRow, float, integer, row};
use crate::bits::mask;
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder, SlotKind};
use crate::exec::{
    AccessLabel, AtomicOperand, Exec, Instruction, Marks, PoisonEffect, Regs, WarpInteraction,
};
use crate::float::FloatTy;
use crate::ir::Operation;
use linear_layout::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "atomic operations",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.atomicrmw", read_modify_write),
    row("llvm.cmpxchg", |d, op| {
        let [addr, expected, value] = d.scalars(op, [0, 1, 2])?;
        let bits = d.scalar_slot(op, 1)?.bits;
        let space = space(d, op, 0)?;
        let Some(sync) = order::sync(d, op, "success_ordering")? else {
            return Err(d.malformed(
                op,
                "the attribute `success_ordering` is missing or not atomic",
            ));
        };
        let on_failure = order::sync(d, op, "failure_ordering")?;
        d.b.has_atomic(space, sync);
        let (dst, success) = (d.b.reg(), d.b.reg());
        let place = AtomicOperand {
            space,
            addr,
            offset: 0,
            bits,
            guard: None,
            sync,
        };
        d.b.push(CompareExchange {
            dst,
            success,
            place,
            acquires_on_failure: on_failure.is_none_or(|sync| sync.acquires),
            expected,
            value,
        });
        d.define(op, vec![dst, success])
    }),
];

/// The function of a read-modify-write, which maps the old value and the operand to the new value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Combine {
    /// Receives (width in bits, old value, operand).
    Bits(fn(u32, u64, u64) -> u64),
    Float(&'static float::FloatBinaryOp),
}

/// The read-modify-write operations, as (number in MLIR's enum, function).
const OPERATIONS: [(i64, Combine); 17] = [
    (0, Combine::Bits(|_, _, new| new)),
    (1, Combine::Bits(integer::ADD.eval)),
    (2, Combine::Bits(integer::SUB.eval)),
    (3, Combine::Bits(integer::AND.eval)),
    (4, Combine::Bits(|bits, old, new| !(old & new) & mask(bits))),
    (5, Combine::Bits(integer::OR.eval)),
    (6, Combine::Bits(integer::XOR.eval)),
    (7, Combine::Bits(integer::SMAX.eval)),
    (8, Combine::Bits(integer::SMIN.eval)),
    (9, Combine::Bits(integer::UMAX.eval)),
    (10, Combine::Bits(integer::UMIN.eval)),
    (11, Combine::Float(&float::ADD)),
    (12, Combine::Float(&float::SUB)),
    (13, Combine::Float(&float::MAXNUM)),
    (14, Combine::Float(&float::MINNUM)),
    (19, Combine::Float(&float::MAXIMUM)),
    (20, Combine::Float(&float::MINIMUM)),
];

/// The number of the exchange in MLIR's enum. An exchange applies to values of any type.
const EXCHANGE: i64 = 0;

impl AtomicOperand {
    fn regs(&self) -> impl Iterator<Item = Reg> {
        let guard = self.guard.map(|guard| guard.reg);
        [self.addr].into_iter().chain(guard)
    }

    fn access(&self, words: Assembly) -> AccessLabel {
        let bits = self.bits;
        match (words, self.space) {
            (Assembly::Ptx, Space::Shared) => AccessLabel::Shared(format!("atom.shared b{bits}")),
            (Assembly::Ptx, _) => AccessLabel::Global(format!("atom.global b{bits}")),
            (Assembly::Gcn, Space::Shared) => AccessLabel::Shared(format!("ds_atomic_b{bits}")),
            (Assembly::Gcn, _) => AccessLabel::Global(format!("global_atomic_b{bits}")),
        }
    }
}

/// A read-modify-write; `dst` receives the old value.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub(crate) combine: Combine,
    /// Float format; `None` for integers.
    pub(crate) float: Option<FloatTy>,
    pub(crate) dst: Reg,
    pub(crate) place: AtomicOperand,
    pub(crate) value: Reg,
}

impl Instruction for Atomic {
    fn regs(&self) -> Regs {
        let reads: Vec<Reg> = self.place.regs().chain([self.value]).collect();
        Regs::new([self.dst], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.atomic(&self.place, true, |exec, lane, old| {
            let value = exec.get(self.value, lane);
            exec.set(self.dst, lane, old);
            Some(match self.combine {
                Combine::Bits(eval) => eval(self.place.bits, old, value),
                Combine::Float(op) => (op.eval)(self.float.unwrap_or(FloatTy::F32), old, value),
            })
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        require_defined_where(self.place.guard, lane)
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, words: Assembly) -> Option<AccessLabel> {
        Some(self.place.access(words))
    }
}

#[derive(Debug)]
pub(crate) struct CompareExchange {
    pub(crate) dst: Reg,
    pub(crate) success: Reg,
    pub(crate) place: AtomicOperand,
    pub(crate) expected: Reg,
    pub(crate) value: Reg,
    pub(crate) acquires_on_failure: bool,
}

impl Instruction for CompareExchange {
    fn regs(&self) -> Regs {
        let values = [self.expected, self.value];
        let reads: Vec<Reg> = self.place.regs().chain(values).collect();
        Regs::new([self.dst, self.success], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.atomic(&self.place, self.acquires_on_failure, |exec, lane, old| {
            let hit = exec.get(self.expected, lane) == old;
            exec.set(self.dst, lane, old);
            exec.set(self.success, lane, u64::from(hit));
            hit.then(|| exec.get(self.value, lane))
        })
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        require_defined_where(self.place.guard, lane)
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, words: Assembly) -> Option<AccessLabel> {
        Some(self.place.access(words))
    }
}

/// Decodes a read-modify-write. Each element of a vector is a separate access.
fn read_modify_write(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let addr = d.scalar(op, 0)?;
    let values = d.operand(op, 1)?.slots.to_vec();
    let space = space(d, op, 0)?;
    let Some(sync) = order::sync(d, op, "ordering")? else {
        return Err(d.malformed(op, "the attribute `ordering` is missing or not atomic"));
    };
    d.b.has_atomic(space, sync);
    let Some(number) = op.int("bin_op") else {
        return Err(d.malformed(op, "the attribute `bin_op` is missing"));
    };
    let mut regs = Vec::new();
    for (slot, value) in d.result_slots(op)?.into_iter().zip(values) {
        let float = match slot.kind {
            SlotKind::Float(ty) => Some(ty),
            _ => None,
        };
        let fits = |combine: &Combine| {
            number == EXCHANGE || matches!(combine, Combine::Float(_)) == float.is_some()
        };
        let known = OPERATIONS.iter().find(|(known, _)| *known == number);
        let Some((_, combine)) = known.filter(|(_, combine)| fits(combine)) else {
            let ty = d.result_ty(op)?;
            let text = format!("atomic operation {number} is not supported for type `{ty}`");
            return Err(d.unsupported(op, text));
        };
        let place = AtomicOperand {
            space,
            addr,
            offset: i64::from(slot.offset),
            bits: slot.bits,
            guard: None,
            sync,
        };
        regs.push(d.emit(|dst| Atomic {
            combine: *combine,
            float,
            dst,
            place,
            value,
        }));
    }
    d.define(op, regs)
}
