//! Unstructured control flow (`cf`).

use super::emit::block_arguments;
use super::state::{Lowering, Outcome};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

pub(crate) fn branch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let targets = build::successors(op);
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .map(|i| build::operand(op, i))
        .collect();
    // Block operands must have LLVM types.
    for value in &operands {
        if l.get(*value).is_empty() {
            l.types_of(value.r#type())?;
        }
    }
    let passed: usize = targets.iter().map(|t| block_arguments(*t).len()).sum();
    // The condition or flag precedes the operands of each successor.
    let (head, mut rest) = operands.split_at(operands.len() - passed);
    let head = l.carried(head.iter().copied());
    let mut new = Vec::new();
    for target in &targets {
        let (own, others) = rest.split_at(block_arguments(*target).len());
        rest = others;
        let registers = l.carried(own.iter().copied());
        new.push((l.targets[&sys::block_id(*target)], registers));
    }
    l.e.rebuild_branch(op, &head, &new);
    Ok(())
}
