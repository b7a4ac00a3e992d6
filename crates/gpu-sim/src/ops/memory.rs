//! Loads and stores.

use super::{Counted, Family, Instruction, Regs, Row, Turn, order, row};
use crate::code::{Reg, Space};
use crate::decode::{Decoder, Done, size_align};
use crate::exec::{Exec, Fate, Marks};
use crate::ir::{Operation, Type};
use gpu_race::Sync;
use linear_layout::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "loads and stores",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[Row] = &[
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
        d.b.push(Store(access));
        Ok(())
    }),
];

/// One register's part of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// The register that is loaded or stored.
    pub(crate) reg: Reg,
    /// Its place, in bytes from the access's address.
    pub(crate) offset: u32,
    /// How many bytes it takes in memory, 1 to 8.
    pub(crate) bytes: u8,
}

/// A condition on a lane: the register's lowest bit, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    /// The register that holds the bit.
    pub(crate) reg: Reg,
    /// Act where the bit is 0 instead of 1.
    pub(crate) negated: bool,
}

/// A load or a store of one or more neighbouring registers.
///
/// A load of `vector<4xf32>` has four fields of 4 bytes at offsets 0, 4, 8, 12, size 16.
/// # Units
/// `offset`, `size` and `align` are bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    /// The memory.
    pub(crate) space: Space,
    /// The register that holds the address.
    pub(crate) addr: Reg,
    /// Added to the address.
    pub(crate) offset: i64,
    /// The registers, in order of their place.
    pub(crate) fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub(crate) size: u32,
    /// The address must be a multiple of this.
    pub(crate) align: u32,
    /// Lanes where this fails do nothing; a load leaves their registers as they were.
    pub(crate) guard: Option<Guard>,
    /// The order that it keeps, if it is atomic.
    pub(crate) sync: Option<Sync>,
}

impl Access {
    /// The registers that are loaded or stored, and those that say where.
    fn data_and_place(&self) -> [Vec<Reg>; 2] {
        let data = self.fields.iter().map(|field| field.reg).collect();
        let guard = self.guard.map(|guard| guard.reg);
        [data, [self.addr].into_iter().chain(guard).collect()]
    }
}

/// The fate of an access under a guard where the guard decides it: undefined, or off.
fn guarded(guard: Option<Guard>, lane: &Marks<'_>) -> Option<Fate> {
    let guard = guard?;
    if let Some(mark) = lane
        .mark(guard.reg)
        .filter(|_| lane.bits(guard.reg) & 1 == 1)
    {
        return Some(Fate::Harm(mark));
    }
    let is_off = (lane.get(guard.reg) & 1 == 1) == guard.negated;
    is_off.then_some(Fate::Untouched)
}

/// The fate of an access whose operands must all be defined in lanes that take part.
pub(super) fn harm_where(guard: Option<Guard>, lane: &Marks<'_>) -> Fate {
    guarded(guard, lane).unwrap_or_else(|| lane.harm())
}

/// Reads memory.
#[derive(Debug)]
pub(crate) struct Load(pub(crate) Access);

impl Instruction for Load {
    fn regs(&self) -> Regs {
        let [data, place] = self.0.data_and_place();
        Regs::new(data, place)
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        exec.load(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        guarded(self.0.guard, lane).unwrap_or_else(|| lane.harm_of(&[self.0.addr]))
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, words: Assembly) -> Option<Counted> {
        Some(name(words, "load", self.0.space, self.0.size))
    }
}

/// Reads memory in lanes whose guard holds; the others get a fallback.
#[derive(Debug)]
pub(crate) struct GuardedLoad {
    pub(crate) access: Access,
    /// A register for each field.
    pub(crate) fallback: Box<[Reg]>,
}

impl Instruction for GuardedLoad {
    fn regs(&self) -> Regs {
        let [data, place] = self.access.data_and_place();
        Regs::new(data, [&place[..], &self.fallback].concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        for (field, &src) in self.access.fields.iter().zip(&self.fallback) {
            exec.map1(field.reg, src, |a| a);
        }
        exec.load(&self.access)
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        match guarded(self.access.guard, lane) {
            Some(Fate::Untouched) => {
                Fate::Each(self.fallback.iter().map(|&reg| lane.mark(reg)).collect())
            }
            Some(fate) => fate,
            None => lane.harm_of(&[self.access.addr]),
        }
    }

    fn ignores_constants(&self, exec: &Exec<'_>) -> bool {
        let guard = self.access.guard;
        exec.lanes.iter().all(|&lane| exec.is_on(guard, lane))
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, words: Assembly) -> Option<Counted> {
        Some(name(words, "load", self.access.space, self.access.size))
    }
}

/// Writes memory.
#[derive(Debug)]
pub(crate) struct Store(pub(crate) Access);

impl Instruction for Store {
    fn regs(&self) -> Regs {
        Regs::new([], self.0.data_and_place().concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        exec.store(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        if let Some(fate) = guarded(self.0.guard, lane) {
            return fate;
        }
        let address = lane.get(self.0.addr).wrapping_add_signed(self.0.offset);
        // Shared memory and the stack keep marks: what is loaded again has them.
        let is_global = self.0.space.is_global(address);
        let mut stored = self.0.fields.iter().filter(|_| is_global);
        match stored.find_map(|field| lane.stored(field)) {
            Some(mark) => Fate::Harm(mark),
            None => lane.harm_of(&[self.0.addr]),
        }
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, words: Assembly) -> Option<Counted> {
        Some(name(words, "store", self.0.space, self.0.size))
    }
}

/// What an access is called: as the assembly spells it.
fn name(words: Assembly, verb: &str, space: Space, bytes: u32) -> Counted {
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
        Space::Shared => Counted::Shared(name),
        _ => Counted::Global(name),
    }
}

/// A width as AMD's assembler spells it.
pub(super) fn dwords(bytes: u32) -> String {
    match bytes {
        1 => "byte".to_owned(),
        2 => "short".to_owned(),
        0..=4 => "dword".to_owned(),
        _ => format!("dwordx{}", bytes.div_ceil(4)),
    }
}

/// The memory that operand `index`, a pointer, points to.
pub(super) fn space(d: &Decoder<'_>, op: &Operation, index: usize) -> Done<Space> {
    let Type::Ptr(number) = d.operand(op, index)?.ty else {
        return Err(d.malformed(op, format!("operand {index} must be a pointer")));
    };
    Space::from_number(number).ok_or_else(|| {
        let text = format!("access to address space {number} is not supported");
        d.unsupported(op, text)
    })
}

/// Where the scalars of a type lie in memory, and the bytes up to the end of the last.
pub(super) fn fields(
    d: &Decoder<'_>,
    op: &Operation,
    ty: &Type,
    regs: &[Reg],
) -> Done<(Box<[Field]>, u32)> {
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
) -> Done<Access> {
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
