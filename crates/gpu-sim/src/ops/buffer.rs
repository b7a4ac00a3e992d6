//! Accesses through AMD's buffer descriptors.

use super::atomic::{Atomic, Combine, CompareExchange};
use super::compare::{self, IntCompare};
use super::integer::{self, Int};
use super::memory::{dwords, fields};
use super::{Family, OpRow, float, needs, row};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder, SlotKind};
use crate::exec::{
    AccessLabel, AtomicOperand, BufferAccess, Exec, Field, Guard, Instruction, Marks, Move,
    PoisonEffect, Regs, WarpInteraction,
};
use crate::ir::{Operation, Type};
use gpu_race::{Scope, Sync};
use linear_layout::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "buffer accesses (AMD)",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("rocdl.make.buffer.rsrc", |d, op| {
        let parts = d.scalars(op, [0, 1, 2, 3])?;
        d.define(op, parts)
    })
    .needing(&needs::BUFFERS),
    row("rocdl.raw.ptr.buffer.load", |d, op| {
        let regs = d.b.regs(d.result_slots(op)?.len());
        let access = access(d, op, 0, d.result_ty(op)?, &regs)?;
        d.b.push(BufferLoad(access));
        d.define(op, regs)
    }),
    row("rocdl.raw.ptr.buffer.store", |d, op| {
        let value = d.operand(op, 0)?;
        let access = access(d, op, 1, &value.ty, &value.slots)?;
        d.b.push(BufferStore(access));
        Ok(())
    }),
];

const INTRINSICS: &[OpRow] = &[
    row("llvm.amdgcn.raw.ptr.buffer.atomic.swap", |d, op| {
        change(d, op, |_, _, new| new)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.add", |d, op| {
        change(d, op, integer::ADD.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.and", |d, op| {
        change(d, op, integer::AND.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.or", |d, op| {
        change(d, op, integer::OR.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.xor", |d, op| {
        change(d, op, integer::XOR.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.smax", |d, op| {
        change(d, op, integer::SMAX.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.smin", |d, op| {
        change(d, op, integer::SMIN.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.umax", |d, op| {
        change(d, op, integer::UMAX.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.umin", |d, op| {
        change(d, op, integer::UMIN.eval)
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.fadd", |d, op| {
        let slot = d.scalar_slot(op, 0)?;
        let SlotKind::Float(float) = slot.kind else {
            return Err(d.malformed(op, "operand 0 is not a float"));
        };
        let value = d.scalar(op, 0)?;
        let (place, dst) = atomic_operand(d, op, 1, slot.bits)?;
        d.b.push(Atomic {
            combine: Combine::Float(&float::ADD),
            float: Some(float),
            dst,
            place,
            value,
        });
        d.define(op, vec![dst])
    }),
    row("llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap", |d, op| {
        let [value, expected] = d.scalars(op, [0, 1])?;
        let bits = d.scalar_slot(op, 0)?.bits;
        let (place, dst) = atomic_operand(d, op, 2, bits)?;
        let success = d.b.reg();
        d.b.push(CompareExchange {
            dst,
            success,
            place,
            expected,
            value,
            acquires_on_failure: false,
        });
        d.define(op, vec![dst])
    }),
];

fn change(d: &mut Decoder<'_>, op: &Operation, eval: fn(u32, u64, u64) -> u64) -> DecodeResult {
    let value = d.scalar(op, 0)?;
    let bits = d.scalar_slot(op, 0)?.bits;
    let (place, dst) = atomic_operand(d, op, 1, bits)?;
    d.b.push(Atomic {
        combine: Combine::Bits(eval),
        float: None,
        dst,
        place,
        value,
    });
    d.define(op, vec![dst])
}

/// Returns the address operand of an atomic buffer operation, and the register for the old value. Operand
/// `first` is the buffer descriptor. Lanes that are out of bounds are inactive and get the old value 0.
fn atomic_operand(
    d: &mut Decoder<'_>,
    op: &Operation,
    first: usize,
    bits: u32,
) -> DecodeResult<(AtomicOperand, Reg)> {
    // Without fences the instruction is relaxed.
    let sync = Sync::relaxed(Scope::Device);
    d.b.has_atomic(Space::Global, sync);
    let [base, _, records, _] = descriptor(d, op, first)?;
    let [offset, soffset] = d.scalars(op, [first + 1, first + 2])?;
    let bytes = d.b.constant(u64::from(bits / 8));
    let mut sum = |a, b| {
        d.emit(|dst| Int {
            op: &integer::ADD,
            bits: 64,
            dst,
            a,
            b,
        })
    };
    let start = sum(offset, soffset);
    let (end, addr) = (sum(start, bytes), sum(base, start));
    let is_inside = d.emit(|dst| IntCompare {
        pred: &compare::ULE,
        bits: 64,
        dst,
        a: end,
        b: records,
    });
    let dst = d.b.reg();
    let src = d.b.constant(0);
    d.b.push(Move { dst, src });
    let place = AtomicOperand {
        space: Space::Global,
        addr,
        offset: 0,
        bits,
        guard: Some(Guard {
            reg: is_inside,
            negated: false,
        }),
        sync,
    };
    Ok((place, dst))
}

impl BufferAccess {
    fn data_and_address(&self) -> [Vec<Reg>; 2] {
        let data = self.fields.iter().map(|field| field.reg).collect();
        let [base, stride, records, flags] = self.rsrc;
        let place = vec![base, stride, records, flags, self.offset, self.soffset];
        [data, place]
    }
}

/// A load through a buffer descriptor. Fields that are out of bounds load 0.
#[derive(Debug)]
pub(crate) struct BufferLoad(pub(crate) BufferAccess);

impl Instruction for BufferLoad {
    fn regs(&self) -> Regs {
        let [data, place] = self.0.data_and_address();
        Regs::new(data, place)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.buffer_load(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, _: Assembly) -> Option<AccessLabel> {
        let name = format!("buffer_load_{}", dwords(self.0.size));
        Some(AccessLabel::Global(name))
    }
}

/// A store through a buffer descriptor. Fields that are out of bounds are not stored.
#[derive(Debug)]
pub(crate) struct BufferStore(pub(crate) BufferAccess);

impl Instruction for BufferStore {
    fn regs(&self) -> Regs {
        Regs::new([], self.0.data_and_address().concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.buffer_store(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let access = &self.0;
        let [_, place] = access.data_and_address();
        let [records, offset, soffset] =
            [access.rsrc[2], access.offset, access.soffset].map(|reg| lane.get(reg));
        let is_inside = |field: &&Field| {
            let end = u64::from(field.offset) + u64::from(field.bytes);
            offset + soffset + end <= records.min(0xffff_ffff)
        };
        let mut stored = access.fields.iter().filter(is_inside);
        match stored.find_map(|field| lane.stored(field)) {
            Some(mark) => PoisonEffect::Error(mark),
            None => lane.require_defined_in(&place),
        }
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, _: Assembly) -> Option<AccessLabel> {
        let name = format!("buffer_store_{}", dwords(self.0.size));
        Some(AccessLabel::Global(name))
    }
}

/// Returns the registers of the buffer descriptor in operand `operand`: base address, stride, number of bytes, and
/// flags.
pub(super) fn descriptor(
    d: &Decoder<'_>,
    op: &Operation,
    operand: usize,
) -> DecodeResult<[Reg; 4]> {
    let rsrc = d.operand(op, operand)?;
    let &[base, stride, records, flags] = &rsrc.slots[..] else {
        let text = format!("operand {operand} is not a result of `rocdl.make.buffer.rsrc`");
        return Err(d.unsupported(op, text));
    };
    if d.b.constant_of(stride).is_some_and(|stride| stride != 0) {
        return Err(d.unsupported(op, "the buffer descriptor has a stride, expected stride 0"));
    }
    Ok([base, stride, records, flags])
}

fn access(
    d: &Decoder<'_>,
    op: &Operation,
    first: usize,
    ty: &Type,
    regs: &[Reg],
) -> DecodeResult<BufferAccess> {
    let rsrc = descriptor(d, op, first)?;
    let (fields, size) = fields(d, op, ty, regs)?;
    let [offset, soffset] = d.scalars(op, [first + 1, first + 2])?;
    Ok(BufferAccess {
        rsrc,
        offset,
        soffset,
        fields,
        size,
    })
}
