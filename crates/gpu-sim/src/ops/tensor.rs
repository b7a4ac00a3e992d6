//! Tensor copies (`cp.async.bulk.tensor`), and changes of tensor maps (`tensormap.replace`).

use super::{Family, OpRow, needs, row};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder};
use crate::exec::{
    Access, Exec, Field, Guard, Instruction, Marks, MbarrierAddress, PoisonEffect, Regs, TensorBox,
    WarpInteraction,
};
use crate::ir::Operation;
use crate::ops::memory::{Load, Store};
use crate::tensor_map::{MAGIC, MAP_BYTES, field};

pub(super) const FAMILY: Family = Family {
    title: "tensor maps",
    operations: &[],
    intrinsics: &[INTRINSICS],
};

/// Defines the intrinsics that change a field of a tensor map. If the field is an array, the intrinsic has an
/// operand that gives the dimension.
macro_rules! replaces {
    ($($name:literal $field:literal;)*) => {
        const INTRINSICS: &[OpRow] = &[
            $(row(concat!("llvm.nvvm.tensormap.replace.", $name), |d, op| replace(d, op, $field))
                .needing(&needs::CLUSTERS),)*
        ];
    };
}

replaces! {
    "global.address" "global_address";
    "rank" "rank";
    "box.dim" "box_dim";
    "global.dim" "global_dim";
    "global.stride" "global_stride";
    "element.stride" "element_stride";
    "elemtype" "elemtype";
    "interleave.layout" "interleave_layout";
    "swizzle.mode" "swizzle_mode";
    "fill.mode" "fill_mode";
}

fn replace(d: &mut Decoder<'_>, op: &Operation, name: &str) -> DecodeResult {
    let space = super::memory::space(d, op, 0)?;
    let addr = d.scalar(op, 0)?;
    let value = d.scalar(op, op.operands.len().saturating_sub(1))?;
    let index = match op.operands.len() {
        3 => {
            let index = d.b.constant_of(d.scalar(op, 1)?);
            index.ok_or_else(|| d.unsupported(op, "operand 1 is not a constant"))?
        }
        _ => 0,
    };
    match replace_field(d, (space, addr, 0), name, index, value, None) {
        true => Ok(()),
        false => Err(d.malformed(
            op,
            format!("field `{name}` of a tensor map has no entry {index}"),
        )),
    }
}

/// Emits two stores to a tensor map. The first stores [`MAGIC`] to the first 8 bytes, which marks the memory as a
/// tensor map. The second stores `value` to the entry `index` of the field `name`. If the field or the entry does
/// not exist, emits nothing and returns false.
pub(crate) fn replace_field(
    d: &mut Decoder<'_>,
    (space, addr, offset): (Space, Reg, i64),
    name: &str,
    index: u64,
    value: Reg,
    guard: Option<Guard>,
) -> bool {
    let Some((first, bytes, _)) = field(name).filter(|field| index < field.2.into()) else {
        return false;
    };
    let magic = d.b.constant(MAGIC);
    let fields = [
        (magic, 0, 8),
        (value, first + index as u32 * u32::from(bytes), bytes),
    ];
    for (reg, at, bytes) in fields {
        let size = u32::from(bytes);
        d.b.push(Store(Access {
            space,
            addr,
            offset: offset + i64::from(at),
            fields: Box::new([Field {
                reg,
                offset: 0,
                bytes,
            }]),
            size,
            align: size,
            guard,
            sync: None,
        }));
    }
    true
}

/// Emits a copy of a tensor map from shared to global memory, followed by a release fence. The copy and the fence
/// are executed only by lanes in which `leader` is true.
pub(crate) fn publish(d: &mut Decoder<'_>, to: (Reg, i64), from: (Reg, i64), leader: Reg) {
    let guard = Some(Guard {
        reg: leader,
        negated: false,
    });
    for at in (0..MAP_BYTES as u32).step_by(8) {
        let reg = d.b.reg();
        let access = |space, (addr, offset): (Reg, i64)| Access {
            space,
            addr,
            offset: offset + i64::from(at),
            fields: Box::new([Field {
                reg,
                offset: 0,
                bytes: 8,
            }]),
            size: 8,
            align: 8,
            guard,
            sync: None,
        };
        d.b.push(Load(access(Space::Shared, from)));
        d.b.push(Store(access(Space::Global, to)));
    }
    d.b.push(MapFence {
        map: to,
        guard,
        acquires: false,
    });
}

#[derive(Debug)]
pub(crate) struct MapFence {
    pub(crate) map: (Reg, i64),
    pub(crate) guard: Option<Guard>,
    /// True for an acquire fence before copies that use the map, false for a release fence after writes to the map.
    pub(crate) acquires: bool,
}

impl Instruction for MapFence {
    fn regs(&self) -> Regs {
        let mut reads = vec![self.map.0];
        reads.extend(self.guard.map(|guard| guard.reg));
        Regs::new([], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for lane in exec.lanes.clone() {
            if exec.is_on(self.guard, lane) {
                exec.tensor_map_proxy(lane, self.map, self.acquires)?;
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.guarded(self.guard)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BoxCopyKind {
    /// A copy to shared memory, which signals its completion to the mbarrier at this address.
    Load(MbarrierAddress),
    Store,
    Add,
}

#[derive(Debug)]
pub(crate) struct TensorCopy {
    pub(crate) direction: BoxCopyKind,
    pub(crate) map: (Reg, i64),
    /// Coordinates of the first element of the box, innermost dimension first.
    pub(crate) start: Vec<Reg>,
    /// Offsets of each pixel in im2col mode, innermost dimension first. Empty if the box is a tile.
    pub(crate) pixel_offsets: Vec<Reg>,
    pub(crate) shared: (Reg, i64),
    pub(crate) guard: Option<Guard>,
    pub(crate) scratch: Reg,
}

impl Instruction for TensorCopy {
    fn regs(&self) -> Regs {
        let mut reads = [&self.start[..], &self.pixel_offsets[..]].concat();
        reads.extend([self.map.0, self.shared.0]);
        if let BoxCopyKind::Load(barrier) = self.direction {
            reads.push(barrier.addr);
        }
        reads.extend(self.guard.map(|guard| guard.reg));
        Regs::new([self.scratch], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for lane in exec.lanes.clone() {
            if !exec.is_on(self.guard, lane) {
                continue;
            }
            let start = self.start.iter().map(|reg| exec.get(*reg, lane) as i32);
            let start: Vec<i32> = start.collect();
            let offsets = self.pixel_offsets.iter();
            let offsets: Vec<u16> = offsets.map(|reg| exec.get(*reg, lane) as u16).collect();
            let of = TensorBox {
                map: self.map,
                start: &start,
                pixel_offsets: &offsets,
                shared: self.shared,
                scratch: self.scratch,
            };
            match self.direction {
                BoxCopyKind::Load(barrier) => exec.load_box(lane, of, barrier),
                BoxCopyKind::Store => exec.store_box(lane, of, false),
                BoxCopyKind::Add => exec.store_box(lane, of, true),
            }?;
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.guarded(self.guard)
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

#[cfg(test)]
mod tests;
