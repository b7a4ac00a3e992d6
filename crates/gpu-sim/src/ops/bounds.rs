//! Marks of lowered modules: where allocations in shared memory begin and end, and what indices are below.

use super::convert::Move;
use super::{Instruction, Regs};
use crate::bits::signed;
use crate::code::Reg;
use crate::decode::{Decoder, Done};
use crate::exec::{Exec, Fate, Marks};
use crate::ir::Operation;
use crate::marks;

/// Returns the register of the result of an operation that has a mark.
pub(super) fn marked(d: &mut Decoder<'_>, op: &Operation) -> Done<Option<Reg>> {
    if let Some(bound) = op.int(marks::INDEX_BOUND) {
        let src = d.scalar(op, 0)?;
        let bits = d.scalar_slot(op, 0)?.bits;
        let index = d.emit(|dst| Move { dst, src });
        d.b.push(Below {
            index,
            bits,
            bound: bound.cast_unsigned(),
            of: op.str(marks::INDEX_OF).unwrap_or("").to_owned(),
        });
        return Ok(Some(index));
    }
    if op.attribute(marks::END).is_some() {
        let address = d.scalar(op, 0)?;
        d.b.push(End(address));
        return Ok(Some(address));
    }
    let (key, kind) = match op.str(marks::BUFFER) {
        Some(_) => (marks::BUFFER, "the buffer"),
        None => (marks::SCRATCH, "the scratch memory"),
    };
    let Some(name) = op.str(key) else {
        return Ok(None);
    };
    let src = d.scalar(op, 0)?;
    let bytes = op.int(marks::BYTES).and_then(|b| u32::try_from(b).ok());
    let (Some(bytes), Some((at, _))) = (bytes, d.b.address_of(src)) else {
        return Ok(Some(src));
    };
    let name = format!("{kind} of `{name}`");
    let Some((address, number)) = d.shared_allocation(op, name, at, bytes) else {
        return Ok(Some(src));
    };
    if key == marks::BUFFER {
        d.b.push(Begin(number));
    }
    Ok(Some(address))
}

/// An index that must be below a bound; one that is not is poison.
#[derive(Debug)]
struct Below {
    index: Reg,
    bits: u32,
    bound: u64,
    of: String,
}

impl Instruction for Below {
    fn regs(&self) -> Regs {
        Regs::new([], [self.index])
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
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

    fn poison(&self, _: &Marks<'_>) -> Fate {
        Fate::Untouched
    }
}

/// The life of an allocation begins: it holds nothing.
#[derive(Debug)]
struct Begin(u32);

impl Instruction for Begin {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        exec.begin_life(self.0);
        Ok(())
    }
}

/// The life of what an address points to ends.
#[derive(Debug)]
struct End(Reg);

impl Instruction for End {
    fn regs(&self) -> Regs {
        Regs::new([], [self.0])
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        exec.end_life(self.0);
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }
}
