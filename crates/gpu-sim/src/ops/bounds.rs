//! Marks of the lowering in a module: lifetimes of allocations in shared memory, and bounds of indices.

use crate::bits::signed;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::exec::{Exec, Instruction, Marks, Move, PoisonEffect, Regs};
use crate::ir::Operation;
use crate::marks;

/// If `op` has an attribute of [`marks`](crate::marks), decodes the operation and returns its result register.
/// Otherwise returns `None`.
pub(super) fn marked(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult<Option<Reg>> {
    if let Some(bound) = op.int(marks::INDEX_BOUND) {
        let src = d.scalar(op, 0)?;
        let bits = d.scalar_slot(op, 0)?.bits;
        let index = d.emit(|dst| Move { dst, src });
        d.b.push(IndexBound {
            index,
            bits,
            bound: bound.cast_unsigned(),
            of: op.str(marks::INDEX_OF).unwrap_or("").to_owned(),
        });
        return Ok(Some(index));
    }
    if op.attribute(marks::END).is_some() {
        let address = d.scalar(op, 0)?;
        d.b.push(EndLifetime(address));
        return Ok(Some(address));
    }
    let (key, kind) = match op.str(marks::BUFFER) {
        Some(_) => (marks::BUFFER, "buffer"),
        None => (marks::SCRATCH, "scratch memory"),
    };
    let Some(name) = op.str(key) else {
        return Ok(None);
    };
    let src = d.scalar(op, 0)?;
    let bytes = op.int(marks::BYTES).and_then(|b| u32::try_from(b).ok());
    let (Some(bytes), Some((at, _))) = (bytes, d.b.address_of(src)) else {
        return Ok(Some(src));
    };
    let name = format!("the `{name}` {kind}");
    let Some((address, number)) = d.shared_allocation(op, name, at, bytes) else {
        return Ok(Some(src));
    };
    if key == marks::BUFFER && op.attribute(marks::AGAIN).is_none() {
        d.b.push(BeginLifetime(number));
    }
    Ok(Some(address))
}

/// Makes an index poison if it is out of range.
#[derive(Debug)]
struct IndexBound {
    index: Reg,
    bits: u32,
    bound: u64,
    of: String,
}

impl Instruction for IndexBound {
    fn regs(&self) -> Regs {
        Regs::new([], [self.index])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let index = exec.get(self.index, lane);
            if index >= self.bound {
                let text = format!(
                    "out-of-bounds index {}, expected 0 to {}: {}",
                    signed(index, self.bits),
                    self.bound - 1,
                    self.of
                );
                exec.poison(self.index, lane, || text);
            }
        }
        Ok(())
    }

    fn poison(&self, _: &Marks<'_>) -> PoisonEffect {
        PoisonEffect::Untouched
    }
}

/// Begins the lifetime of the allocation with this index. The bytes of the allocation become uninitialised.
#[derive(Debug)]
struct BeginLifetime(u32);

impl Instruction for BeginLifetime {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.begin_lifetime(self.0);
        Ok(())
    }
}

#[derive(Debug)]
struct EndLifetime(Reg);

impl Instruction for EndLifetime {
    fn regs(&self) -> Regs {
        Regs::new([], [self.0])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.end_lifetime(self.0);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }
}
