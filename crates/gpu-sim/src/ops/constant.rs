//! Constants.

use super::{Family, OpRow, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, constant_bits};
use crate::exec::MarkKind;
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "constants",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.mlir.constant", |d, op| {
        let slots = d.flat(op, d.result_ty(op)?)?;
        let Some(value) = op.attribute("value") else {
            return Err(d.malformed(op, "constant without a value"));
        };
        let Some(bits) = constant_bits(value, &slots) else {
            let text = format!("the value is not supported for type `{}`", d.result_ty(op)?);
            return Err(d.unsupported(op, text));
        };
        let regs: Vec<Reg> = bits.into_iter().map(|bits| constant(d, op, bits)).collect();
        d.define(op, regs)
    }),
    row("llvm.mlir.zero", |d, op| {
        let count = d.flat(op, d.result_ty(op)?)?.len();
        let regs = vec![constant(d, op, 0); count];
        d.define(op, regs)
    }),
    row("llvm.mlir.undef", |d, op| {
        undefined(d, op, MarkKind::Undef, "use of an undefined value")
    }),
    row("llvm.mlir.poison", |d, op| {
        undefined(d, op, MarkKind::Poison, "use of a poison value")
    }),
];

/// Attribute of a constant that represents the undefined value of lanes that a masked load skips.
const UNSET: &str = "ttg.unset";

/// Returns a register that holds the constant `bits`. If `op` has the attribute [`UNSET`], the value of the
/// register is undefined.
fn constant(d: &mut Decoder<'_>, op: &Operation, bits: u64) -> Reg {
    if op.attribute(UNSET).is_none() {
        return d.b.constant(bits);
    }
    let text = "use of a value that was not loaded: the mask is false in this lane, and the load has no `other`";
    d.b.undefined(MarkKind::Unset, bits, text)
}

fn undefined(
    d: &mut Decoder<'_>,
    op: &Operation,
    kind: MarkKind,
    text: &'static str,
) -> DecodeResult {
    let slots = d.flat(op, d.result_ty(op)?)?;
    let regs = slots.iter().map(|slot| d.undefined(kind, slot.bits, text));
    let regs: Vec<Reg> = regs.collect();
    d.define(op, regs)
}
