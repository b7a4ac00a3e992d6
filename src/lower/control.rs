//! Structured control flow (`scf`) as basic blocks, with one block argument per loop-carried register.

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

/// Stores the registers of the terminator's operands in [`Lowering::yielded`].
pub(crate) fn end_of_region<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    l.yielded = l.carried_operands(op);
    Ok(())
}

fn set_results<'c>(l: &mut Lowering<'c>, op: Op<'c>, flat: &[Val<'c>]) {
    let results = build::results(op);
    let (_, counts) = l.carried_types(results.iter().map(ValueLike::r#type));
    l.receive(results, &counts, flat);
}

/// Lowers a single-block region at the insertion point. Returns the yielded registers.
fn region<'c>(
    l: &mut Lowering<'c>,
    region: RegionRef<'_, 'c>,
    registers: &[Val<'c>],
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let block = build::block_of(region)
        .ok_or_else(|| Diagnostic::new("requires regions with exactly one block"))?;
    let location = l.e.location;
    let arguments = block_arguments(block);
    let (_, counts) = l.carried_types(arguments.iter().map(ValueLike::r#type));
    l.receive(arguments, &counts, registers);
    l.block(block);
    l.e.location = location;
    Ok(std::mem::take(&mut l.yielded))
}

pub(crate) fn for_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let loop_ = scf::For::of(op).expect("the dispatch goes by kind");
    let [lower, upper, step] =
        [loop_.lower_bound(), loop_.upper_bound(), loop_.step()].map(|value| l.get(value)[0]);
    let annotation = annotation(l, op);
    let mut initial = l.carried(loop_.init_args());
    warp_group::materialise_sums(l, loop_, &mut initial);
    let (header, carried) = l.e.begin_loop(&[&[lower], &initial[..]].concat());
    let predicate = if loop_.unsigned_cmp() {
        ICmpPredicate::Ult
    } else {
        ICmpPredicate::Slt
    };
    let condition = l.e.icmp(predicate, carried[0], upper);
    let body = l.e.begin_body(header, condition);
    let mut next = region(l, loop_.region(), &carried)?;
    next.insert(0, l.e.add(carried[0], step));
    l.e.end_loop(body, &next, annotation);
    set_results(l, op, &carried[1..]);
    Ok(())
}

/// Returns the LLVM loop annotation of `op`. If `op` has none, returns an unroll annotation for
/// `tt.loop_unroll_factor`. Attributes of Triton's pipeliner are ignored.
fn annotation<'c>(l: &Lowering<'c>, op: Op<'c>) -> Option<Attribute<'c>> {
    let own = op.attribute(LOOP_ANNOTATION).ok();
    own.or_else(|| {
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
        let else_branch = l.e.begin_else(fork, &then);
        let values = region(l, branch.else_region(), &[])?;
        l.e.join(else_branch, &values)
    } else {
        l.e.join_or(fork, &then, &[])
    };
    set_results(l, op, &results);
    Ok(())
}

/// Lowers `scf.while`. The operands of `scf.condition` become the results of the loop and the arguments of the `after`
/// region.
pub(crate) fn while_loop<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let loop_ = scf::While::of(op).expect("the dispatch goes by kind");
    let annotation = annotation(l, op);
    let initial = l.carried_operands(op);
    let (header, carried) = l.e.begin_loop(&initial);
    let yielded = region(l, loop_.before(), &carried)?;
    let [condition, passed @ ..] = &yielded[..] else {
        return Err(Diagnostic::new(
            "requires a condition as the first operand of `scf.condition`",
        ));
    };
    let body = l.e.begin_body(header, *condition);
    let next = region(l, loop_.after(), passed)?;
    l.e.end_loop(body, &next, annotation);
    set_results(l, op, passed);
    Ok(())
}

/// Lowers `scf.index_switch`. The default region is the first case.
pub(crate) fn index_switch<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = scf::IndexSwitch::of(op).expect("the dispatch goes by kind");
    let value = l.get(view.arg())[0];
    let (types, _) = l.carried_types(op.results().map(|r| r.r#type()));
    let mut switch = l.e.switch(&types);
    for case in std::iter::once(view.default_region()).chain(view.case_regions()) {
        l.e.begin_case(&mut switch);
        let values = region(l, case, &[])?;
        l.e.end_case(&mut switch, &values);
    }
    let results = l.e.end_switch(switch, value, &view.cases());
    set_results(l, op, &results);
    Ok(())
}

/// Lowers `ttg.mask`. If the condition is false, the results are undefined.
pub(crate) fn mask<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let mask = ttg::Mask::of(op).expect("the dispatch goes by kind");
    let condition = l.get(mask.pred())[0];
    let results = mask.result();
    let yielded = build::block_of(mask.region())
        .and_then(|block| build::operations(block).pop())
        .map(|end| (0..end.operand_count()).map(move |i| build::operand(end, i)))
        .map(|values| values.map(|value| value.r#type()).collect::<Vec<_>>())
        .unwrap_or_default();
    if yielded != results.iter().map(ValueLike::r#type).collect::<Vec<_>>() {
        let list = |types: &mut dyn Iterator<Item = String>| {
            let list: Vec<String> = types.collect();
            format!("({})", list.join(", "))
        };
        return Err(Diagnostic::new(format!(
            "region yields types {}, but the result types are {}",
            list(&mut yielded.iter().map(|type_| format!("`{type_}`"))),
            list(&mut results.iter().map(|value| format!("`{}`", value.r#type()))),
        )));
    }
    let (types, _) = l.carried_types(results.iter().map(ValueLike::r#type));
    let undefined: Vec<Val<'c>> = types.iter().map(|t| l.e.undefined(*t)).collect();
    let fork = l.e.fork(condition);
    let values = region(l, mask.region(), &[])?;
    let joined = l.e.join_or(fork, &values, &undefined);
    set_results(l, op, &joined);
    Ok(())
}

/// Lowers `ttg.predicate_stage` to the condition `iv < ub - step * (max_stage - stage)`.
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
