//! Structured control flow: the same `scf` operation, with one value per register carried.

use super::function::{Lowering, Outcome};
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

/// Both ends of a region: `scf.condition` has its condition first, a scalar like any other.
pub(crate) fn end_of_region<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .flat_map(|i| l.operand(op, i).to_vec())
        .collect();
    l.e.rebuild(op, &operands, &[], Vec::new());
    Ok(())
}

/// The registers' types of several values, end to end, and how many each has: none where a value
/// cannot be lowered.
fn flat_types<'c>(
    l: &Lowering<'c>,
    types: impl Iterator<Item = Type<'c>>,
) -> (Vec<Type<'c>>, Vec<usize>) {
    let mut flat = Vec::new();
    let mut counts = Vec::new();
    for type_ in types {
        let registers = l.placeholder_types(type_);
        counts.push(registers.len());
        flat.extend(registers);
    }
    (flat, counts)
}

/// Gives each value its share of a flat list.
fn distribute<'c>(
    l: &mut Lowering<'c>,
    values: impl Iterator<Item = Val<'c>>,
    counts: &[usize],
    flat: &[Val<'c>],
) {
    let mut rest = flat;
    for (value, count) in values.zip(counts) {
        let (own, others) = rest.split_at(*count);
        l.set(value, own.to_vec());
        rest = others;
    }
}

fn set_results<'c>(l: &mut Lowering<'c>, op: Op<'c>, counts: &[usize], lowered: Op<'c>) {
    let flat: Vec<Val<'c>> = (0..counts.iter().sum())
        .map(|i| build::result(lowered, i))
        .collect();
    let results: Vec<Val<'c>> = (0..op.result_count())
        .map(|i| build::result(op, i))
        .collect();
    distribute(l, results.into_iter(), counts, &flat);
}

/// Lowers a region with one block; its arguments get the registers that the new block has.
fn region<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    index: usize,
) -> Result<melior::ir::Region<'c>, Diagnostic> {
    let block = build::single_block(op, index)
        .ok_or_else(|| Diagnostic::new("needs regions of one block"))?;
    let arguments: Vec<Val<'c>> = (0..melior::ir::BlockLike::argument_count(&block))
        .map(|i| build::argument(block, i))
        .collect();
    let (types, counts) = flat_types(l, arguments.iter().map(ValueLike::r#type));
    let (region, inner) = l.e.open_region(&types);
    distribute(l, arguments.into_iter(), &counts, &inner);
    l.block(block);
    l.e.close_region();
    Ok(region)
}

pub(crate) fn for_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .flat_map(|i| l.operand(op, i).to_vec())
        .collect();
    let (types, counts) = flat_types(l, op.results().map(|r| r.r#type()));
    let body = region(l, op, 0)?;
    let lowered = l.e.rebuild(op, &operands, &types, vec![body]);
    set_results(l, op, &counts, lowered);
    Ok(())
}

pub(crate) fn branch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let condition = l.operand(op, 0)[0];
    let (types, counts) = flat_types(l, op.results().map(|r| r.r#type()));
    let mut regions = vec![region(l, op, 0)?];
    regions.push(if build::single_block(op, 1).is_some() {
        region(l, op, 1)?
    } else {
        melior::ir::Region::new()
    });
    let lowered = l.e.rebuild(op, &[condition], &types, regions);
    set_results(l, op, &counts, lowered);
    Ok(())
}

pub(crate) fn while_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands: Vec<Val<'c>> = (0..op.operand_count())
        .flat_map(|i| l.operand(op, i).to_vec())
        .collect();
    let (types, counts) = flat_types(l, op.results().map(|r| r.r#type()));
    let before = region(l, op, 0)?;
    let after = region(l, op, 1)?;
    let lowered = l.e.rebuild(op, &operands, &types, vec![before, after]);
    set_results(l, op, &counts, lowered);
    Ok(())
}

/// The default region comes first, then one for each case.
pub(crate) fn index_switch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let value = l.operand(op, 0)[0];
    let (types, counts) = flat_types(l, op.results().map(|r| r.r#type()));
    let regions = (0..op.region_count())
        .map(|i| region(l, op, i))
        .collect::<Result<Vec<_>, _>>()?;
    let lowered = l.e.rebuild(op, &[value], &types, regions);
    set_results(l, op, &counts, lowered);
    Ok(())
}
