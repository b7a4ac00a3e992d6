//! Accesses through AMD's buffer descriptors.

use super::memory::{Field, dwords, fields};
use super::{Counted, Family, Instruction, Regs, Row, Turn, row};
use crate::machine::kernel::code::Reg;
use crate::machine::kernel::decode::{Decoder, Done};
use crate::machine::kernel::exec::{Exec, Fate, Marks};
use crate::machine::kernel::text::{Node, Ty};
use crate::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "buffer accesses (AMD)",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[Row] = &[
    row("rocdl.make.buffer.rsrc", |d, op| {
        let parts = d.scalars(op, [0, 1, 2, 3])?;
        d.define(op, parts)
    }),
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

/// A load or store through an AMD buffer descriptor, checked against its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BufferAccess {
    /// Base address, stride, number of bytes, flags.
    pub(crate) rsrc: [Reg; 4],
    /// Byte offset per lane.
    pub(crate) offset: Reg,
    /// Byte offset shared by the wave.
    pub(crate) soffset: Reg,
    /// The registers, in order of their place.
    pub(crate) fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub(crate) size: u32,
}

impl BufferAccess {
    /// The registers that are loaded or stored, and those that say where.
    fn data_and_place(&self) -> [Vec<Reg>; 2] {
        let data = self.fields.iter().map(|field| field.reg).collect();
        let [base, stride, records, flags] = self.rsrc;
        let place = vec![base, stride, records, flags, self.offset, self.soffset];
        [data, place]
    }
}

/// Reads through a descriptor; outside of it reads 0.
#[derive(Debug)]
pub(crate) struct BufferLoad(pub(crate) BufferAccess);

impl Instruction for BufferLoad {
    fn regs(&self) -> Regs {
        let [data, place] = self.0.data_and_place();
        Regs::new(data, place)
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        exec.buffer_load(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, _: Assembly) -> Option<Counted> {
        let name = format!("buffer_load_{}", dwords(self.0.size));
        Some(Counted::Global(name))
    }
}

/// Writes through a descriptor; outside of it nothing happens.
#[derive(Debug)]
pub(crate) struct BufferStore(pub(crate) BufferAccess);

impl Instruction for BufferStore {
    fn regs(&self) -> Regs {
        Regs::new([], self.0.data_and_place().concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        exec.buffer_store(&self.0)
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, _: Assembly) -> Option<Counted> {
        let name = format!("buffer_store_{}", dwords(self.0.size));
        Some(Counted::Global(name))
    }
}

fn access<'a>(
    d: &Decoder<'_, 'a>,
    op: &Node<'a>,
    first: usize,
    ty: &Ty,
    regs: &[Reg],
) -> Done<BufferAccess> {
    let rsrc = d.operand(op, first)?;
    let &[base, stride, records, flags] = &rsrc.slots[..] else {
        return Err(d.unsupported(op, "a descriptor not made by `rocdl.make.buffer.rsrc`"));
    };
    if d.b.constant_of(stride).is_some_and(|stride| stride != 0) {
        return Err(d.unsupported(op, "a buffer whose descriptor has a stride"));
    }
    let (fields, size) = fields(d, op, ty, regs)?;
    let [offset, soffset] = d.scalars(op, [first + 1, first + 2])?;
    Ok(BufferAccess {
        rsrc: [base, stride, records, flags],
        offset,
        soffset,
        fields,
        size,
    })
}
