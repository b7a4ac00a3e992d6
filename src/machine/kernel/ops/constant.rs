//! Constants.

use super::{Family, Instruction, Regs, Row, row};
use crate::machine::kernel::code::Reg;
use crate::machine::kernel::decode::{Decoder, Done, constant_bits};
use crate::machine::kernel::exec::Exec;
use crate::machine::kernel::text::Node;

pub(super) const FAMILY: Family = Family {
    title: "constants",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[Row] = &[
    row("llvm.mlir.constant", |d, op| {
        let slots = d.flat(op, d.result_ty(op)?)?;
        let Some(value) = op.attr("value") else {
            return Err(d.malformed(op, "constant without a value"));
        };
        let Some(bits) = constant_bits(value, &slots) else {
            return Err(d.unsupported(op, "constant of a form that is not supported"));
        };
        let regs: Vec<Reg> = bits.into_iter().map(|bits| d.b.constant(bits)).collect();
        d.define(op, regs)
    }),
    row("llvm.mlir.zero", |d, op| {
        let regs = vec![d.b.constant(0); d.flat(op, d.result_ty(op)?)?.len()];
        d.define(op, regs)
    }),
    row("llvm.mlir.undef", undefined),
    row("llvm.mlir.poison", undefined),
];

fn undefined<'a>(d: &mut Decoder<'_, 'a>, op: &Node<'a>) -> Done {
    let slots = d.flat(op, d.result_ty(op)?)?;
    let regs: Vec<Reg> = slots.iter().map(|slot| d.garbage(slot.bits)).collect();
    d.define(op, regs)
}

/// Registers that nobody writes: using what they hold is a mistake.
#[derive(Debug)]
pub(crate) struct Nothing(pub(crate) Box<[Reg]>);

impl Instruction for Nothing {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        for &reg in &self.0 {
            for at in 0..exec.lanes.len() {
                let text = "uninitialised register: nothing has given it a value";
                exec.poison(reg, exec.lanes[at], text.to_owned());
            }
        }
        Ok(())
    }
}
