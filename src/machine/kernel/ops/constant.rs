//! Constants.

use super::{Family, Row, row};
use crate::machine::kernel::code::Reg;
use crate::machine::kernel::decode::{Decoder, Done, constant_bits};
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
