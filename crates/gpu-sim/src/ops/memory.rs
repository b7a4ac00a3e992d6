//! Loads and stores.

use super::{Family, OpRow, order, row};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder, size_align};
use crate::exec::{
    Access, AccessLabel, Exec, Field, Guard, Instruction, Marks, PoisonEffect, Regs,
    WarpInteraction,
};
use crate::ir::{Operation, Type};
use linear_layout::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "loads and stores",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.load", |d, op| {
        let ty = d.result_ty(op)?.clone();
        let regs = d.b.regs(d.result_slots(op)?.len());
        let access = access(d, op, 0, &ty, &regs)?;
        d.b.push(Load(access));
        d.define(op, regs)
    }),
    row("llvm.store", |d, op| {
        let value = d.operand(op, 0)?;
        let access = access(d, op, 1, &value.ty, &value.slots)?;
        if access.space == Space::Cluster {
            return Err(d.unsupported(op, "stores to other blocks of a cluster are not supported"));
        }
        d.b.push(Store(access));
        Ok(())
    }),
];

impl Access {
    fn data_and_address(&self) -> [Vec<Reg>; 2] {
        let data = self.fields.iter().map(|field| field.reg).collect();
        let guard = self.guard.map(|guard| guard.reg);
        [data, [self.addr].into_iter().chain(guard).collect()]
    }
}

/// Returns the effect of an undefined or false guard; `None` if the lane is active.
fn guarded(guard: Option<Guard>, lane: &Marks<'_>) -> Option<PoisonEffect> {
    let guard = guard?;
    if let Some(mark) = lane
        .mark(guard.reg)
        .filter(|_| lane.bits(guard.reg) & 1 == 1)
    {
        return Some(PoisonEffect::Error(mark));
    }
    let is_off = (lane.get(guard.reg) & 1 == 1) == guard.negated;
    is_off.then_some(PoisonEffect::Untouched)
}

pub(super) fn require_defined_where(guard: Option<Guard>, lane: &Marks<'_>) -> PoisonEffect {
    guarded(guard, lane).unwrap_or_else(|| lane.require_defined())
}

#[derive(Debug)]
pub(crate) struct Load(pub(crate) Access);

impl Instruction for Load {
    fn regs(&self) -> Regs {
        let [data, place] = self.0.data_and_address();
        Regs::new(data, place)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.load(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        guarded(self.0.guard, lane).unwrap_or_else(|| lane.require_defined_in(&[self.0.addr]))
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, words: Assembly) -> Option<AccessLabel> {
        Some(name(words, "load", self.0.space, self.0.size))
    }
}

/// A load with a guard. In lanes in which the guard is false, the result is a fallback value.
#[derive(Debug)]
pub(crate) struct GuardedLoad {
    pub(crate) access: Access,
    pub(crate) fallback: Box<[Reg]>,
}

impl Instruction for GuardedLoad {
    fn regs(&self) -> Regs {
        let [data, place] = self.access.data_and_address();
        Regs::new(data, [&place[..], &self.fallback].concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (field, &src) in self.access.fields.iter().zip(&self.fallback) {
            exec.map1(field.reg, src, |a| a);
        }
        exec.load(&self.access)
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        match guarded(self.access.guard, lane) {
            Some(PoisonEffect::Untouched) => {
                PoisonEffect::Each(self.fallback.iter().map(|&reg| lane.mark(reg)).collect())
            }
            Some(fate) => fate,
            None => lane.require_defined_in(&[self.access.addr]),
        }
    }

    fn ignores_constants(&self, exec: &Exec<'_>) -> bool {
        let guard = self.access.guard;
        exec.lanes.iter().all(|&lane| exec.is_on(guard, lane))
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, words: Assembly) -> Option<AccessLabel> {
        Some(name(words, "load", self.access.space, self.access.size))
    }
}

#[derive(Debug)]
pub(crate) struct Store(pub(crate) Access);

impl Instruction for Store {
    fn regs(&self) -> Regs {
        Regs::new([], self.0.data_and_address().concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.store(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        if let Some(fate) = guarded(self.0.guard, lane) {
            return fate;
        }
        let address = lane.get(self.0.addr).wrapping_add_signed(self.0.offset);
        // Shared memory and the stack store marks with the values.
        let is_global = self.0.space.is_global(address);
        let mut stored = self.0.fields.iter().filter(|_| is_global);
        match stored.find_map(|field| lane.stored(field)) {
            Some(mark) => PoisonEffect::Error(mark),
            None => lane.require_defined_in(&[self.0.addr]),
        }
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, words: Assembly) -> Option<AccessLabel> {
        Some(name(words, "store", self.0.space, self.0.size))
    }
}

/// Returns the label of an access for reports, in the spelling of the assembly language.
fn name(words: Assembly, verb: &str, space: Space, bytes: u32) -> AccessLabel {
    let name = match (words, space) {
        (Assembly::Ptx, _) => {
            let short = if verb == "load" { "ld" } else { "st" };
            let space = match space {
                Space::Generic => String::new(),
                Space::Constant => ".const".to_owned(),
                other => format!(".{}", other.name()),
            };
            let width = match bytes {
                0..=4 => format!("b{}", bytes * 8),
                _ => format!("v{}.b32", bytes.div_ceil(4)),
            };
            format!("{short}{space} {width}")
        }
        (Assembly::Gcn, Space::Shared) => {
            let short = if verb == "load" { "read" } else { "write" };
            format!("ds_{short}_b{}", bytes * 8)
        }
        (Assembly::Gcn, _) => {
            let unit = match space {
                Space::Local => "scratch",
                Space::Generic => "flat",
                _ => "global",
            };
            format!("{unit}_{verb}_{}", dwords(bytes))
        }
    };
    match space {
        Space::Shared | Space::Cluster => AccessLabel::Shared(name),
        _ => AccessLabel::Global(name),
    }
}

/// Returns the width of an access in the spelling of AMD's assembler, such as `dwordx4`.
pub(super) fn dwords(bytes: u32) -> String {
    match bytes {
        1 => "byte".to_owned(),
        2 => "short".to_owned(),
        0..=4 => "dword".to_owned(),
        _ => format!("dwordx{}", bytes.div_ceil(4)),
    }
}

pub(super) fn space(d: &Decoder<'_>, op: &Operation, index: usize) -> DecodeResult<Space> {
    let ty = d.operand(op, index)?.ty;
    let Type::Ptr(number) = ty else {
        let text = format!("operand {index} has type `{ty}`, expected a pointer");
        return Err(d.malformed(op, text));
    };
    Space::from_number(number).ok_or_else(|| {
        let text = format!("access to address space {number} is not supported");
        d.unsupported(op, text)
    })
}

/// Returns the [`Field`]s of a memory access that loads or stores a value of type `ty` in the registers `regs`.
/// Also returns the size of `ty` in bytes, without tail padding.
pub(super) fn fields(
    d: &Decoder<'_>,
    op: &Operation,
    ty: &Type,
    regs: &[Reg],
) -> DecodeResult<(Box<[Field]>, u32)> {
    let slots = d.flat(op, ty)?;
    if slots.iter().any(|slot| slot.bits == 1) && slots.len() > 1 {
        return Err(d.unsupported(op, "vectors of i1 in memory are not supported"));
    }
    let ends = slots
        .iter()
        .map(|slot| slot.offset + u32::from(slot.bytes()));
    let size = ends.max().unwrap_or(0);
    let fields = slots.iter().zip(regs).map(|(slot, &reg)| Field {
        reg,
        offset: slot.offset,
        bytes: slot.bytes(),
    });
    Ok((fields.collect(), size))
}

fn access(
    d: &mut Decoder<'_>,
    op: &Operation,
    pointer: usize,
    ty: &Type,
    regs: &[Reg],
) -> DecodeResult<Access> {
    let space = space(d, op, pointer)?;
    let sync = order::sync(d, op, "ordering")?;
    if let Some(sync) = sync {
        d.b.has_atomic(space, sync);
    }
    let (fields, size) = fields(d, op, ty, regs)?;
    let natural = size_align(ty).map_err(|text| d.unsupported(op, text))?.1;
    let align = op.int("alignment");
    let align = align.and_then(|align| u32::try_from(align).ok());
    Ok(Access {
        space,
        addr: d.scalar(op, pointer)?,
        offset: 0,
        fields,
        size,
        align: align.unwrap_or(natural as u32),
        guard: None,
        sync,
    })
}
