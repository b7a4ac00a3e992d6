//! Structured control flow: the same `scf` operation, with the registers of each value carried.

use super::emit::{LOOP_ANNOTATION, block_arguments};
use super::state::{Lowering, Outcome};
use crate::ir::UpstreamKind;
use crate::ir::discardable::UNROLL_FACTOR;
use crate::ir::ops::{scf, ttg};
use crate::sys::Diagnostic;
use crate::sys::build::{self, Blk, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, RegionRef, Type, ValueLike};

/// Both ends of a region: `scf.condition` has its condition first, a scalar like any other.
pub(crate) fn end_of_region<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands = l.carried_operands(op);
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
    l.receive(results, counts, &flat);
}

/// Lowers a region with one block; its arguments get the registers that the new block has.
fn region<'c>(
    l: &mut Lowering<'c>,
    region: RegionRef<'_, 'c>,
) -> Result<melior::ir::Region<'c>, Diagnostic> {
    let block =
        build::block_of(region).ok_or_else(|| Diagnostic::new("needs regions of one block"))?;
    let arguments = block_arguments(block);
    let (types, counts) = l.carried_types(arguments.iter().map(ValueLike::r#type));
    let (region, inner) = l.e.open_region(&types);
    l.receive(arguments, &counts, &inner);
    l.block(block);
    l.e.close_region();
    Ok(region)
}

pub(crate) fn for_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands = l.carried_operands(op);
    let (types, counts) = l.carried_types(op.results().map(|r| r.r#type()));
    let loop_ = scf::For::of(op).expect("the dispatch goes by kind");
    let body = region(l, loop_.region())?;
    let lowered = l.e.rebuild(op, &operands, &types, vec![body]);
    if let Some(annotation) = annotation(l, op) {
        l.e.annotate_loop(lowered, annotation);
    }
    set_results(l, op, &counts, lowered);
    Ok(())
}

/// What LLVM is told of a loop: what its user says to LLVM, or the factor to unroll it by, where Triton's own
/// unrolling has left one. What Triton's pipeliner is told means nothing to LLVM.
fn annotation<'c>(l: &Lowering<'c>, op: Op<'c>) -> Option<Attribute<'c>> {
    let said = op.attribute(LOOP_ANNOTATION).ok();
    said.or_else(|| {
        let factor = op.attribute(UNROLL_FACTOR).ok()?;
        let factor = build::integer_value(factor).filter(|factor| *factor > 1)?;
        let factor = i32::try_from(factor).ok()?;
        Some(l.e.unrolled_by(factor))
    })
}

pub(crate) fn branch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let branch = scf::If::of(op).expect("the dispatch goes by kind");
    let condition = l.get(branch.condition())[0];
    let (types, counts) = l.carried_types(op.results().map(|r| r.r#type()));
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
    let operands = l.carried_operands(op);
    let (types, counts) = l.carried_types(op.results().map(|r| r.r#type()));
    let loop_ = scf::While::of(op).expect("the dispatch goes by kind");
    if let Some(annotation) = annotation(l, op) {
        let lowered = annotated_while(l, loop_, annotation, &operands, &types)?;
        set_results(l, op, &counts, lowered);
        return Ok(());
    }
    let before = region(l, loop_.before())?;
    let after = region(l, loop_.after())?;
    let lowered = l.e.rebuild(op, &operands, &types, vec![before, after]);
    set_results(l, op, &counts, lowered);
    Ok(())
}

/// A loop in blocks of its own, since MLIR's conversion of `scf.while` drops what is said of it.
///
/// ```text
/// begin: go to before        before: go to after or to end        after: go back to before (annotation)
/// ```
fn annotated_while<'c>(
    l: &mut Lowering<'c>,
    loop_: scf::While<'c, 'c>,
    annotation: Attribute<'c>,
    operands: &[Val<'c>],
    types: &[Type<'c>],
) -> Result<Op<'c>, Diagnostic> {
    let location = l.e.location;
    let one_block = |region| {
        build::block_of(region).ok_or_else(|| Diagnostic::new("needs regions of one block"))
    };
    let (condition, body) = (one_block(loop_.before())?, one_block(loop_.after())?);
    let region = melior::ir::Region::new();
    let begin = l.e.add_block(&region, &[]);
    let [before, after] = [condition, body].map(|block| l.add_block(&region, block));
    let end = l.e.add_block(&region, types);

    l.e.enter_block(begin);
    l.e.branch(before, operands, None);
    l.enter(before, condition);
    let passed = up_to_end(l, condition);
    l.e.location = location;
    if let [holds, passed @ ..] = &passed[..] {
        l.e.branch_if(*holds, [after, end], passed);
    }
    l.enter(after, body);
    let carried = up_to_end(l, body);
    l.e.location = location;
    l.e.branch(before, &carried, Some(annotation));
    l.e.leave_block();
    l.e.enter_block(end);
    l.e.scf_yield(&block_arguments(end));
    l.e.leave_block();
    l.e.leave_block();
    l.e.leave_block();
    Ok(l.e.execute_region(types, region))
}

/// Lowers a block but for its end; returns what that hands on.
fn up_to_end<'c>(l: &mut Lowering<'c>, block: Blk<'c>) -> Vec<Val<'c>> {
    let mut operations = build::operations(block);
    let end = operations.pop();
    for op in operations {
        l.operation(op);
    }
    end.map(|end| l.carried_operands(end)).unwrap_or_default()
}

/// The default region comes first, then one for each case.
pub(crate) fn index_switch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let switch = scf::IndexSwitch::of(op).expect("the dispatch goes by kind");
    let value = l.get(switch.arg())[0];
    let (types, counts) = l.carried_types(op.results().map(|r| r.r#type()));
    let cases = switch.case_regions();
    let regions = std::iter::once(switch.default_region())
        .chain(cases)
        .map(|one| region(l, one))
        .collect::<Result<Vec<_>, _>>()?;
    let lowered = l.e.rebuild(op, &[value], &types, regions);
    set_results(l, op, &counts, lowered);
    Ok(())
}

/// `ttg.mask`: its operations where the condition holds; where it does not, nothing takes effect, and results hold
/// nothing in particular.
pub(crate) fn mask<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let mask = ttg::Mask::of(op).expect("the dispatch goes by kind");
    let condition = l.get(mask.pred())[0];
    let results = mask.result();
    let handed = build::block_of(mask.region())
        .and_then(|block| build::operations(block).pop())
        .map(|end| (0..end.operand_count()).map(move |i| build::operand(end, i)))
        .map(|values| values.map(|value| value.r#type()).collect::<Vec<_>>())
        .unwrap_or_default();
    if handed != results.iter().map(ValueLike::r#type).collect::<Vec<_>>() {
        let list = |types: &mut dyn Iterator<Item = String>| {
            let list: Vec<String> = types.collect();
            format!("({})", list.join(", "))
        };
        return Err(Diagnostic::new(format!(
            "has a region that hands on {}, but results of {}",
            list(&mut handed.iter().map(|type_| format!("`{type_}`"))),
            list(&mut results.iter().map(|value| format!("`{}`", value.r#type()))),
        )));
    }
    let (types, counts) = l.carried_types(results.iter().map(ValueLike::r#type));
    let then = region(l, mask.region())?;
    let otherwise = (!types.is_empty()).then(|| {
        let (region, _) = l.e.open_region(&[]);
        let nothing: Vec<Val<'c>> = types.iter().map(|t| l.e.undefined(*t)).collect();
        l.e.scf_yield(&nothing);
        l.e.close_region();
        region
    });
    let lowered = l.e.scf_if(condition, &types, then, otherwise);
    set_results(l, op, &counts, lowered);
    Ok(())
}

/// `ttg.predicate_stage`: the round that began so many stages ago was one of the loop's.
pub(crate) fn predicate_stage<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = ttg::PredicateStage::of(op).expect("the dispatch goes by kind");
    let [counter, end, step] = [view.iv(), view.ub(), view.step()].map(|value| l.get(value)[0]);
    let type_ = counter.r#type();
    let ahead = l.e.int_attr(type_, view.max_stage() - view.stage());
    let ahead = l.e.constant_attr(type_, ahead);
    let ahead =
        l.e.upstream(UpstreamKind::ArithMulI, &[step, ahead], type_, &[]);
    let end =
        l.e.upstream(UpstreamKind::ArithSubI, &[end, ahead], type_, &[]);
    let runs = l.e.signed_less(counter, end);
    l.set(view.result(), [runs]);
    Ok(())
}
