//! Structured control flow: the same `scf` operation, with one value per register carried.

use super::emit::block_arguments;
use super::state::{Lowering, Outcome};
use crate::ir::ops::scf;
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{RegionRef, ValueLike};

/// Both ends of a region: `scf.condition` has its condition first, a scalar like any other.
pub(crate) fn end_of_region<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands = l.operands(op);
    l.e.rebuild(op, &operands, &[], Vec::new());
    Ok(())
}

fn set_results<'c>(l: &mut Lowering<'c>, op: Op<'c>, counts: &[usize], lowered: Op<'c>) {
    let flat: Vec<Val<'c>> = (0..counts.iter().sum())
        .map(|i| build::result(lowered, i))
        .collect();
    let results: Vec<Val<'c>> = (0..op.result_count())
        .map(|i| build::result(op, i))
        .collect();
    l.distribute(results.into_iter(), counts, &flat);
}

/// Lowers a region with one block; its arguments get the registers that the new block has.
fn region<'c>(
    l: &mut Lowering<'c>,
    region: RegionRef<'_, 'c>,
) -> Result<melior::ir::Region<'c>, Diagnostic> {
    let block =
        build::block_of(region).ok_or_else(|| Diagnostic::new("needs regions of one block"))?;
    let arguments = block_arguments(block);
    let (types, counts) = l.flat_types(arguments.iter().map(ValueLike::r#type));
    let (region, inner) = l.e.open_region(&types);
    l.distribute(arguments.into_iter(), &counts, &inner);
    l.block(block);
    l.e.close_region();
    Ok(region)
}

pub(crate) fn for_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands = l.operands(op);
    let (types, counts) = l.flat_types(op.results().map(|r| r.r#type()));
    let loop_ = scf::For::of(op).expect("the dispatch goes by kind");
    let body = region(l, loop_.region())?;
    let lowered = l.e.rebuild(op, &operands, &types, vec![body]);
    set_results(l, op, &counts, lowered);
    Ok(())
}

pub(crate) fn branch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let branch = scf::If::of(op).expect("the dispatch goes by kind");
    let condition = l.get(branch.condition())[0];
    let (types, counts) = l.flat_types(op.results().map(|r| r.r#type()));
    let mut regions = vec![region(l, branch.then_region())?];
    regions.push(if build::block_of(branch.else_region()).is_some() {
        region(l, branch.else_region())?
    } else {
        melior::ir::Region::new()
    });
    let lowered = l.e.rebuild(op, &[condition], &types, regions);
    set_results(l, op, &counts, lowered);
    Ok(())
}

pub(crate) fn while_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands = l.operands(op);
    let (types, counts) = l.flat_types(op.results().map(|r| r.r#type()));
    let loop_ = scf::While::of(op).expect("the dispatch goes by kind");
    let before = region(l, loop_.before())?;
    let after = region(l, loop_.after())?;
    let lowered = l.e.rebuild(op, &operands, &types, vec![before, after]);
    set_results(l, op, &counts, lowered);
    Ok(())
}

/// The default region comes first, then one for each case.
pub(crate) fn index_switch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let switch = scf::IndexSwitch::of(op).expect("the dispatch goes by kind");
    let value = l.get(switch.arg())[0];
    let (types, counts) = l.flat_types(op.results().map(|r| r.r#type()));
    let cases = switch.case_regions();
    let regions = std::iter::once(switch.default_region())
        .chain(cases)
        .map(|one| region(l, one))
        .collect::<Result<Vec<_>, _>>()?;
    let lowered = l.e.rebuild(op, &[value], &types, regions);
    set_results(l, op, &counts, lowered);
    Ok(())
}
