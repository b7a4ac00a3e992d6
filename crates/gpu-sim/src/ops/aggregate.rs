//! Insertion and extraction of vector elements and struct fields.

use super::{Family, OpRow, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, part};
use crate::exec::{Exec, GARBAGE, Instruction, MarkKind, Marks, PoisonEffect, Regs};
use crate::ir::{Attribute, Operation, Type};

pub(super) const FAMILY: Family = Family {
    title: "vectors and structs",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.extractvalue", |d, op| {
        let whole = d.operand(op, 0)?;
        let (start, count) = position(d, op, &whole.ty)?;
        d.define(op, &whole.slots[start..start + count])
    }),
    row("llvm.insertvalue", |d, op| {
        let whole = d.operand(op, 0)?;
        let (start, count) = position(d, op, &whole.ty)?;
        let new = d.operand(op, 1)?;
        if new.slots.len() != count {
            let found = new.slots.len();
            let text = format!("the inserted value has {found} scalars, expected {count}");
            return Err(d.malformed(op, text));
        }
        let mut slots = whole.slots.to_vec();
        slots[start..start + count].copy_from_slice(&new.slots);
        d.define(op, slots)
    }),
    row("llvm.extractelement", |d, op| {
        let vector = d.operand(op, 0)?;
        let index = d.scalar(op, 1)?;
        let reg = match d.b.constant_of(index) {
            Some(position) => match vector.slots.get(position as usize) {
                Some(&reg) => reg,
                None => {
                    let bits = d.result_slots(op)?[0].bits;
                    d.undefined(MarkKind::Poison, bits, OUTSIDE)
                }
            },
            None => {
                let elems = vector.slots[..].into();
                d.emit(|dst| ExtractAt { dst, elems, index })
            }
        };
        d.define(op, vec![reg])
    }),
    row("llvm.insertelement", |d, op| {
        let vector = d.operand(op, 0)?;
        let [value, index] = d.scalars(op, [1, 2])?;
        let mut slots = vector.slots.to_vec();
        match d.b.constant_of(index) {
            Some(position) => match slots.get_mut(position as usize) {
                Some(slot) => *slot = value,
                None => {
                    let bits = d.result_slots(op)?[0].bits;
                    slots.fill_with(|| d.undefined(MarkKind::Poison, bits, OUTSIDE));
                }
            },
            None => {
                let dst = d.b.regs(slots.len());
                d.b.push(InsertAt {
                    dst: dst.clone().into(),
                    elems: slots.into(),
                    value,
                    index,
                });
                slots = dst;
            }
        }
        d.define(op, slots)
    }),
    row("llvm.shufflevector", |d, op| {
        let (a, b) = (d.operand(op, 0)?, d.operand(op, 1)?);
        let both: Vec<Reg> = a.slots.iter().chain(&*b.slots).copied().collect();
        let bits = d.result_slots(op)?[0].bits;
        let mut slots = Vec::new();
        for &index in op.ints("mask").unwrap_or(&[]) {
            let found = usize::try_from(index).ok();
            let found = found.and_then(|index| both.get(index).copied());
            let text = "use of an undefined element: the mask of `llvm.shufflevector` selects no source for \
                the element";
            slots.push(found.unwrap_or_else(|| d.undefined(MarkKind::Poison, bits, text)));
        }
        d.define(op, slots)
    }),
];

/// Returns (first slot, number of slots) of the element that the attribute `position` selects.
fn position(d: &Decoder<'_>, op: &Operation, whole: &Type) -> DecodeResult<(usize, usize)> {
    let Some(Attribute::Ints(path)) = op.attribute("position") else {
        return Err(d.malformed(op, "the attribute `position` is missing"));
    };
    let Some((start, ty)) = part(whole, path) else {
        let text = format!("position {path:?} is outside of type `{whole}`");
        return Err(d.malformed(op, text));
    };
    Ok((start, d.flat(op, ty)?.len()))
}

const OUTSIDE: &str = "use of a poison value: the index is past the end of the vector";

/// Marks `dst` as poison in lanes whose index is past the end of the vector.
fn check_index(exec: &mut Exec<'_>, dst: Reg, index: Reg, count: usize) {
    for at in 0..exec.lanes.len() {
        let lane = exec.lanes[at];
        let index = exec.get(index, lane);
        if index >= count as u64 {
            let text = || format!("index {index} is past the end of a vector of {count} elements");
            exec.poison(dst, lane, text);
        }
    }
}

#[derive(Debug)]
struct ExtractAt {
    dst: Reg,
    elems: Box<[Reg]>,
    index: Reg,
}

impl Instruction for ExtractAt {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [&*self.elems, &[self.index]].concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let index = exec.get(self.index, lane) as usize;
            let found = self.elems.get(index);
            let value = found.map_or(GARBAGE, |&reg| exec.get(reg, lane));
            exec.set(self.dst, lane, value);
        }
        check_index(exec, self.dst, self.index, self.elems.len());
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let found = self.elems.get(lane.get(self.index) as usize);
        PoisonEffect::Results(match lane.of(&[self.index]) {
            Some(mark) => Some(mark),
            None => found.and_then(|&reg| lane.mark(reg)),
        })
    }
}

#[derive(Debug)]
struct InsertAt {
    dst: Box<[Reg]>,
    elems: Box<[Reg]>,
    value: Reg,
    index: Reg,
}

impl Instruction for InsertAt {
    fn regs(&self) -> Regs {
        let reads = [&*self.elems, &[self.value, self.index]].concat();
        Regs::new(&*self.dst, reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (position, (&dst, &elem)) in self.dst.iter().zip(&self.elems).enumerate() {
            exec.map3(dst, [elem, self.value, self.index], |old, new, index| {
                if index == position as u64 { new } else { old }
            });
            check_index(exec, dst, self.index, self.elems.len());
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        if let Some(mark) = lane.of(&[self.index]) {
            return PoisonEffect::Results(Some(mark));
        }
        let inserted = lane.get(self.index) as usize;
        let element = |(position, &reg): (usize, &Reg)| match position == inserted {
            true => lane.mark(self.value),
            false => lane.mark(reg),
        };
        PoisonEffect::Each(self.elems.iter().enumerate().map(element).collect())
    }
}
