//! Branches of `cf`: LLVM's, to the new blocks, with the registers of each operand.

use super::emit::block_arguments;
use super::state::{Lowering, Outcome};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

/// A branch of `cf`: LLVM's, to the new blocks, with the registers of each operand.
pub(crate) fn branch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let targets = build::successors(op);
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .map(|i| build::operand(op, i))
        .collect();
    // What a block takes must be made of numbers and pointers.
    for value in &operands {
        if l.get(*value).is_empty() {
            l.types_of(value.r#type())?;
        }
    }
    let passed: usize = targets.iter().map(|t| block_arguments(*t).len()).sum();
    // The condition or the flag comes first, then what each block takes.
    let (head, mut rest) = operands.split_at(operands.len() - passed);
    let mut flat = l.carried(head.iter().copied());
    let mut shares = Vec::new();
    let mut new = Vec::new();
    for target in &targets {
        let (own, others) = rest.split_at(block_arguments(*target).len());
        rest = others;
        let registers = l.carried(own.iter().copied());
        shares.push(count(registers.len())?);
        flat.extend(registers);
        new.push(l.targets[&sys::block_id(*target)]);
    }
    l.e.rebuild_branch(op, &flat, &new, (head.len(), &shares));
    Ok(())
}

fn count(registers: usize) -> Result<i32, Diagnostic> {
    i32::try_from(registers)
        .map_err(|_| Diagnostic::new(format!("hands on {registers} registers, more than 2^31")))
}
