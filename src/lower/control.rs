//! Structured control flow: branches and loops in blocks, with the registers of each value handed on.

use super::emit::{ICmpPredicate, LOOP_ANNOTATION, block_arguments};
use super::state::{Lowering, Outcome};
use super::warp_group;
use crate::ir::UpstreamKind;
use crate::ir::discardable::UNROLL_FACTOR;
use crate::ir::ops::{scf, ttg};
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, RegionRef, ValueLike};

/// The end of a region: what it hands on is for the operation around it.
pub(crate) fn end_of_region<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    l.handed_on = l.carried_operands(op);
    Ok(())
}

fn set_results<'c>(l: &mut Lowering<'c>, op: Op<'c>, flat: &[Val<'c>]) {
    let results = build::results(op);
    let (_, counts) = l.carried_types(results.iter().map(ValueLike::r#type));
    l.receive(results, &counts, flat);
}

/// Lowers a region with one block where the emitter stands, given the registers of its arguments; returns what it
/// hands on.
fn region<'c>(
    l: &mut Lowering<'c>,
    region: RegionRef<'_, 'c>,
    given: &[Val<'c>],
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let block =
        build::block_of(region).ok_or_else(|| Diagnostic::new("needs regions of one block"))?;
    let location = l.e.location;
    let arguments = block_arguments(block);
    let (_, counts) = l.carried_types(arguments.iter().map(ValueLike::r#type));
    l.receive(arguments, &counts, given);
    l.block(block);
    l.e.location = location;
    Ok(std::mem::take(&mut l.handed_on))
}

pub(crate) fn for_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let loop_ = scf::For::of(op).expect("the dispatch goes by kind");
    let [lower, upper, step] =
        [loop_.lower_bound(), loop_.upper_bound(), loop_.step()].map(|value| l.get(value)[0]);
    let annotation = annotation(l, op);
    let mut initial = l.carried(loop_.init_args());
    warp_group::settle_sums(l, loop_, &mut initial);
    let (header, round) = l.e.begin_loop(&[&[lower], &initial[..]].concat());
    let predicate = if loop_.unsigned_cmp() {
        ICmpPredicate::Ult
    } else {
        ICmpPredicate::Slt
    };
    let goes_on = l.e.icmp(predicate, round[0], upper);
    let body = l.e.begin_body(header, goes_on);
    let mut next = region(l, loop_.region(), &round)?;
    next.insert(0, l.e.add(round[0], step));
    l.e.end_loop(body, &next, annotation);
    set_results(l, op, &round[1..]);
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
    let fork = l.e.fork(condition);
    let then = region(l, branch.then_region(), &[])?;
    let results = if build::block_of(branch.else_region()).is_some() {
        let otherwise = l.e.otherwise(fork, &then);
        let values = region(l, branch.else_region(), &[])?;
        l.e.join(otherwise, &values)
    } else {
        l.e.join_or(fork, &then, &[])
    };
    set_results(l, op, &results);
    Ok(())
}

/// The first region is the beginning of each round: what it hands on beside its condition is what the second one is
/// given, and what the loop results in.
pub(crate) fn while_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let loop_ = scf::While::of(op).expect("the dispatch goes by kind");
    let annotation = annotation(l, op);
    let initial = l.carried_operands(op);
    let (header, round) = l.e.begin_loop(&initial);
    let handed_on = region(l, loop_.before(), &round)?;
    let [goes_on, passed @ ..] = &handed_on[..] else {
        return Err(Diagnostic::new("has no condition"));
    };
    let body = l.e.begin_body(header, *goes_on);
    let next = region(l, loop_.after(), passed)?;
    l.e.end_loop(body, &next, annotation);
    set_results(l, op, passed);
    Ok(())
}

/// The default region comes first, then one for each case.
pub(crate) fn index_switch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = scf::IndexSwitch::of(op).expect("the dispatch goes by kind");
    let value = l.get(view.arg())[0];
    let (types, _) = l.carried_types(op.results().map(|r| r.r#type()));
    let mut switch = l.e.switch(&types);
    for one in std::iter::once(view.default_region()).chain(view.case_regions()) {
        l.e.begin_case(&mut switch);
        let values = region(l, one, &[])?;
        l.e.end_case(&mut switch, &values);
    }
    let results = l.e.end_switch(switch, value, &view.cases());
    set_results(l, op, &results);
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
            "has a region that yields {}, but the results are {}",
            list(&mut handed.iter().map(|type_| format!("`{type_}`"))),
            list(&mut results.iter().map(|value| format!("`{}`", value.r#type()))),
        )));
    }
    let (types, _) = l.carried_types(results.iter().map(ValueLike::r#type));
    let nothing: Vec<Val<'c>> = types.iter().map(|t| l.e.undefined(*t)).collect();
    let fork = l.e.fork(condition);
    let values = region(l, mask.region(), &[])?;
    let either = l.e.join_or(fork, &values, &nothing);
    set_results(l, op, &either);
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
    let runs = l.e.icmp(ICmpPredicate::Slt, counter, end);
    l.set(view.result(), [runs]);
    Ok(())
}
