//! Branches, calls, returns, assumptions, and operations without effect.

use super::{Family, OpRow, float, intrinsic, nearest_intrinsics, needs, print, row};
use crate::bits::mask;
use crate::code::Reg;
use crate::code::{Edge, Terminator};
use crate::decode::{DecodeResult, Decoder, ReturnTarget};
use crate::error::FaultKind;
use crate::exec::{Exec, Instruction, Marks, PoisonEffect, Regs};
use crate::ir::{Attribute, Operation};
use std::ops::Range;

pub(super) const FAMILY: Family = Family {
    title: "control flow",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("llvm.br", |d, op| {
        let edge = edge(d, op, 0, 0..op.operands.len())?;
        d.b.terminate(Terminator::Branch(edge));
        Ok(())
    }),
    row("llvm.cond_br", |d, op| {
        let sizes = segments(op, "operandSegmentSizes");
        let &[_, yes, no] = &sizes[..] else {
            let text = format!(
                "`operandSegmentSizes` has {} entries, expected 3",
                sizes.len()
            );
            return Err(d.malformed(op, text));
        };
        let terminator = Terminator::CondBranch {
            cond: d.scalar(op, 0)?,
            then: edge(d, op, 0, 1..1 + yes)?,
            other: edge(d, op, 1, 1 + yes..1 + yes + no)?,
        };
        d.b.terminate(terminator);
        Ok(())
    }),
    row("llvm.switch", switch),
    row("llvm.return", |d, op| {
        let terminator = match d.exit() {
            ReturnTarget::Kernel => Terminator::Return,
            ReturnTarget::Caller(target) => {
                let args = d.slots(op, 0..op.operands.len())?;
                Terminator::Branch(Edge { target, args })
            }
        };
        d.b.terminate(terminator);
        Ok(())
    }),
    row("llvm.unreachable", |d, _| {
        d.b.terminate(Terminator::Unreachable);
        Ok(())
    }),
    row("llvm.call", |d, op| {
        let Some(callee) = op.str("callee") else {
            return Err(d.unsupported(op, "call through a pointer is not supported"));
        };
        if let Some(function) = d.function(callee) {
            return d.call(op, callee, function);
        }
        match print::call(d, op, callee)? || float::call(d, op, callee)? {
            true => Ok(()),
            false => Err(d
                .unsupported(
                    op,
                    format!("function `{callee}` has no body and is no known library function"),
                )
                .note("supported are `__nv_*` and `__ocml_*` functions of one or two floats")),
        }
    }),
    row("llvm.call_intrinsic", |d, op| {
        let name = op.str("intrin").unwrap_or("");
        if let Some(row) = intrinsic(name) {
            return row.decode(d, op);
        }
        match float::call(d, op, name)? {
            true => Ok(()),
            false => Err(d
                .unsupported(op, format!("intrinsic `{name}` is not supported"))
                .note(format!(
                    "supported intrinsics with similar names are {}",
                    nearest_intrinsics(name)
                ))),
        }
    }),
    row("llvm.intr.trap", |d, _| {
        d.b.push(Trap);
        Ok(())
    }),
    row("llvm.intr.assume", assume),
    row("llvm.intr.lifetime.start", lifetime),
    row("llvm.intr.lifetime.end", lifetime),
    // Hints and debug information have no effect.
    row("llvm.intr.dbg.value", nothing),
    row("llvm.intr.dbg.declare", nothing),
    row("llvm.intr.dbg.label", nothing),
    row("llvm.intr.prefetch", nothing),
    row("llvm.intr.experimental.noalias.scope.decl", nothing),
    row("nvvm.prefetch", nothing),
    row("nvvm.griddepcontrol", nothing).needing(&needs::GRID_DEPENDENCIES),
    row("nvvm.setmaxregister", set_max_registers).needing(&needs::CLUSTERS),
];

const INTRINSICS: &[OpRow] = &[row("llvm.assume", assume)];

/// Decodes a change of the register limit of a warp, which has no effect in the simulator.
fn set_max_registers(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let Some(count) = op.int("regCount") else {
        return Err(d.malformed(op, "the attribute `regCount` is not a number"));
    };
    match (24..=256).contains(&count) && count % 8 == 0 {
        true => Ok(()),
        false => Err(d.malformed(
            op,
            format!("`regCount` is {count}, expected a multiple of 8 from 24 to 256"),
        )),
    }
}

fn assume(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let cond = d.scalar(op, 0)?;
    if d.b.constant_of(cond).is_none_or(|bits| bits & 1 == 0) {
        d.b.push(Assume { cond });
    }
    Ok(())
}

fn lifetime(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let address = d.scalar(op, op.operands.len().saturating_sub(1))?;
    d.b.push(Lifetime { address });
    Ok(())
}

/// The start or end of a stack variable's lifetime, which makes the variable uninitialised.
#[derive(Debug)]
struct Lifetime {
    address: Reg,
}

impl Instruction for Lifetime {
    fn regs(&self) -> Regs {
        Regs::new([], [self.address])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            exec.forget_stack_variable(lane, exec.get(self.address, lane))?;
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Assume {
    cond: Reg,
}

impl Instruction for Assume {
    fn regs(&self) -> Regs {
        Regs::new([], [self.cond])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let mut lanes = exec.lanes.iter();
        match lanes.find(|&&lane| exec.get(self.cond, lane) & 1 == 0) {
            Some(&lane) => {
                let text = "the assumed condition is false: the behaviour is undefined".to_owned();
                Err(exec.fault(FaultKind::Assumption, lane, text))
            }
            None => Ok(()),
        }
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }
}

pub(super) fn nothing(_: &mut Decoder<'_>, _: &Operation) -> DecodeResult {
    Ok(())
}

/// Returns the CFG edge to successor `index`, with the operands in `range` as block arguments.
fn edge(d: &Decoder<'_>, op: &Operation, index: usize, range: Range<usize>) -> DecodeResult<Edge> {
    let target = op.successors.get(index).and_then(|block| d.block(*block));
    let Some(target) = target else {
        return Err(d.malformed(op, format!("successor {index} is not a block")));
    };
    let args = d.slots(op, range)?;
    Ok(Edge { target, args })
}

fn segments(op: &Operation, name: &str) -> Vec<usize> {
    let sizes = op.ints(name).unwrap_or(&[]);
    sizes
        .iter()
        .filter_map(|&size| usize::try_from(size).ok())
        .collect()
}

fn switch(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let default = segments(op, "operandSegmentSizes").get(1).copied();
    let default = default.unwrap_or(0);
    let sizes = segments(op, "case_operand_segments");
    let width = d.scalar_slot(op, 0)?.bits;
    let literals = match op.attribute("case_values") {
        Some(Attribute::Dense {
            splat: true,
            elements,
            ..
        }) => {
            let count = op.successors.len().saturating_sub(1);
            elements.iter().cycle().take(count).cloned().collect()
        }
        Some(Attribute::Dense { elements, .. }) => elements.clone(),
        _ => Vec::new(),
    };
    let mut start = 1 + default;
    let mut cases = Vec::new();
    for (index, literal) in literals.iter().enumerate() {
        let Attribute::Int(value, _) = literal else {
            return Err(d.malformed(op, "a case value is not an integer"));
        };
        let end = start + sizes.get(index).copied().unwrap_or(0);
        cases.push((
            *value as u64 & mask(width),
            edge(d, op, index + 1, start..end)?,
        ));
        start = end;
    }
    let terminator = Terminator::Switch {
        value: d.scalar(op, 0)?,
        cases: cases.into(),
        default: edge(d, op, 0, 1..1 + default)?,
    };
    d.b.terminate(terminator);
    Ok(())
}

#[derive(Debug)]
struct Trap;

impl Instruction for Trap {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let text = "the kernel executes a trap".to_owned();
        Err(exec.fault(FaultKind::Assertion, exec.lanes[0], text))
    }
}
