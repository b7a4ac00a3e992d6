//! `tt.reduce`: the steps of a plan on tuples, one register of each operand.

use super::allocate::Asked;
use super::blocks::BlockGraph;
use super::convert::emit_plans;
use super::gpu::Gpu;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::words;
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::machine;
use crate::plan::reduce::{ReducePlan, ReduceStep, Reduction, plan_reduction};
use crate::plan::{ConvertPlan, ValueId};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use melior::ir::{Type, ValueLike};

/// What a reduction does in shared memory: what the conversions in its plan do.
pub(crate) fn effects(asked: &mut Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let reduce = tt::Reduce::of(op).expect("the dispatch goes by kind");
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let id = |value: Val<'_>| sys::type_id(value.r#type());
    let (combine, axis) = (instructions(reduce), reduce.axis() as usize);
    let key = [combine as usize, axis].into_iter();
    let key = key.chain(reduce.srcs().into_iter().map(id));
    let key = key.chain(reduce.result().into_iter().map(id)).collect();
    let plan = asked
        .reductions
        .plan(op, key, || plan(layouts, gpu, reduce, combine))?;
    let plans = plan.conversions().iter().flat_map(|c| &c.plans);
    let effects = Effects::of_programs(plans.map(ConvertPlan::program), plan.scratch_bytes());
    Ok(effects)
}

/// Plans a reduction, and has the machine prove the plan.
fn plan<'c>(
    layouts: &Layouts,
    gpu: Gpu,
    reduce: tt::Reduce<'c, 'c>,
    combine: u32,
) -> Result<ReducePlan, Diagnostic> {
    let operands = reduce.srcs();
    let unlike = || Diagnostic::new("needs operands of one layout, which are tensors");
    let src = layout_of(layouts, operands.first().ok_or_else(unlike)?.r#type())?;
    let result = reduce.result().first().map(|result| result.r#type());
    let dst = result
        .filter(|type_| TensorType::of(*type_).is_some())
        .map(|type_| layout_of(layouts, type_))
        .transpose()?;
    let widths = operands
        .iter()
        .map(|operand| {
            let tensor = TensorType::of(operand.r#type()).ok_or_else(unlike)?;
            element_bits(tensor.element).ok_or_else(|| {
                Diagnostic::new(format!(
                    "has elements of unknown width in `{}`",
                    operand.r#type()
                ))
            })
        })
        .collect::<Result<Vec<u32>, _>>()?;
    let reduction = Reduction {
        src: &src.unique,
        axis: usize::try_from(reduce.axis()).unwrap_or_default(),
        dst: dst.as_ref().map(|layout| &layout.unique),
        widths: &widths,
        combine,
        target: gpu.target,
    };
    let plan = plan_reduction(&reduction).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_reduction(&plan, &reduction).map_err(wrong)?;
    Ok(plan)
}

/// How many operations the region has, its end left out: about what a combination costs.
fn instructions(reduce: tt::Reduce<'_, '_>) -> u32 {
    let operations = build::blocks_of(reduce.combine_op())
        .into_iter()
        .map(|block| {
            let count = build::operations(block).len();
            u32::try_from(count).unwrap_or(u32::MAX)
        });
    operations.sum::<u32>().saturating_sub(1).max(1)
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let reduce = tt::Reduce::of(op).expect("the dispatch goes by kind");
    let Some((plan, offset)) = l.allocation.reduction(op) else {
        // The plan could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let operands: Vec<_> = reduce
        .srcs()
        .into_iter()
        .map(|value| l.get(value))
        .collect();
    let types: Vec<Type<'c>> = operands.iter().map(|list| list[0].r#type()).collect();
    let mut run = Run {
        graph: BlockGraph::of(op, 0),
        plan: &plan,
        offset,
        tuples: (0..plan.num_sources())
            .map(|i| operands.iter().map(|list| list[i]).collect())
            .collect(),
        types,
    };
    run.tuples.resize(plan.num_values(), Vec::new());
    for step in plan.steps() {
        run.step(l, step)?;
    }
    for (i, result) in reduce.result().into_iter().enumerate() {
        let of_tuple = |value: &ValueId| run.tuples[value.index()][i];
        let registers: Vec<Val<'c>> = plan.results().iter().map(of_tuple).collect();
        l.set(result, registers);
    }
    Ok(())
}

struct Run<'r, 'c> {
    graph: BlockGraph<'c>,
    plan: &'r ReducePlan,
    /// Where the scratch memory begins.
    offset: u32,
    /// The registers of each value, one for each operand.
    tuples: Vec<Vec<Val<'c>>>,
    types: Vec<Type<'c>>,
}

impl<'c> Run<'_, 'c> {
    fn step(&mut self, l: &mut Lowering<'c>, step: &ReduceStep) -> Outcome {
        match step {
            ReduceStep::Combine { out, acc, other } => {
                let both = [acc, other].map(|value| &self.tuples[value.index()][..]);
                self.tuples[out.index()] = l.inline(&self.graph, &both.concat(), &self.types)?;
            }
            ReduceStep::Exchange {
                first,
                values,
                lane_mask,
            } => {
                let lists = self.lists(values).into_iter().map(|list| {
                    let words = words::pack(&mut l.e, &list);
                    let received: Vec<Val<'c>> = words
                        .into_iter()
                        .map(|word| l.gpu.shuffle_xor(&mut l.e, word, *lane_mask))
                        .collect();
                    words::unpack(&mut l.e, &received, list.len(), list[0].r#type())
                });
                let lists: Vec<Vec<Val<'c>>> = lists.collect();
                self.set_lists(*first, &lists);
            }
            ReduceStep::Select {
                out,
                lane_bit,
                if_set,
                if_clear,
            } => {
                let lane = l.gpu.lane(&mut l.e);
                let bit = l.e.i32(1 << lane_bit);
                let bit = l.e.and(lane, bit);
                let is_set = l.e.is_nonzero(bit);
                let pairs = self.tuples[if_set.index()]
                    .iter()
                    .zip(&self.tuples[if_clear.index()]);
                self.tuples[out.index()] = pairs
                    .map(|(set, clear)| l.e.select(is_set, *set, *clear))
                    .collect();
            }
            ReduceStep::Convert {
                first,
                values,
                conversion,
            } => {
                let conversion = &self.plan.conversions()[*conversion];
                let sources = self.lists(values);
                let scratch: Vec<_> = conversion
                    .plans
                    .iter()
                    .zip(&conversion.offsets)
                    .map(|(plan, at)| {
                        (plan.program().scratch_bytes() > 0)
                            .then(|| l.shared_memory(self.offset + at))
                    })
                    .collect();
                let parts: Vec<_> = conversion
                    .plans
                    .iter()
                    .zip(&sources)
                    .zip(scratch)
                    .map(|((plan, sources), scratch)| (plan.program(), &sources[..], scratch))
                    .collect();
                let lists = emit_plans(&mut l.e, l.gpu, &parts);
                self.set_lists(*first, &lists);
            }
        }
        Ok(())
    }

    /// The registers of several values, by operand.
    fn lists(&self, values: &[ValueId]) -> Vec<Vec<Val<'c>>> {
        let of = |i: usize| values.iter().map(|v| self.tuples[v.index()][i]).collect();
        (0..self.types.len()).map(of).collect()
    }

    /// Gives values their registers, by operand.
    fn set_lists(&mut self, first: ValueId, lists: &[Vec<Val<'c>>]) {
        let count = lists.first().map_or(0, Vec::len);
        for i in 0..count {
            let tuple = lists.iter().map(|list| list[i]).collect();
            self.tuples[first.index() + i] = tuple;
        }
    }
}
