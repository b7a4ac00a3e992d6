//! Planning of `tt.reduce`. [`tuples`] emits the plan.

use super::allocate::PlanContext;
use super::gpu::{Gpu, LaneOperation};
use super::lane_reductions::LaneReductions;
use super::plans::{OpPlan, layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::tuples::{self, CombineOperands};
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{Layouts, SingleOperation, TensorLayout, TensorType};
use crate::sys::Diagnostic;
use crate::sys::build::Op;
use linear_layout::layout::{BlockSlice, LinearLayout};
use linear_layout::machine;
use linear_layout::plan::reduce::{Reduction, baseline_reduction, plan_reduction};
use linear_layout::plan::tuples::LaneReduction;
use melior::ir::ValueLike;

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let reduce = tt::Reduce::of(op).expect("the dispatch goes by kind");
    let axis = usize::try_from(reduce.axis()).unwrap_or_default();
    let at_once = LaneOperation::of(op).and_then(|known| known.planned(context.gpu.target));
    let is_packed = SingleOperation::packed(op, context.gpu.target).is_some();
    let option = at_once.map_or(0, |known| 1 + usize::from(known.is_idempotent));
    // The value is the same for all reductions of a module, hence not in the key.
    let can_halve = context.lane_reductions == LaneReductions::Cheapest;
    tuples::effects(
        context,
        op,
        [axis, option, usize::from(is_packed)],
        |layouts, gpu, operands, limit| {
            let combining = (axis, at_once, is_packed);
            plan(
                (layouts, gpu),
                reduce,
                combining,
                (operands, limit, can_halve),
            )
        },
    )
}

fn plan<'c>(
    (layouts, gpu): (&Layouts, Gpu),
    reduce: tt::Reduce<'c, 'c>,
    (axis, at_once, is_packed): (usize, Option<LaneReduction>, bool),
    (operands, scratch_limit, can_halve): (&CombineOperands, Option<u32>, bool),
) -> Result<OpPlan, Diagnostic> {
    let result = reduce.result().first().map(|result| result.r#type());
    let slice = tuples::rows_of_cta(operands, axis)?;
    let dst = result
        .filter(|type_| TensorType::of(*type_).is_some())
        .map(|type_| layout_of(layouts, type_))
        .transpose()?;
    let dst = dst
        .map(|dst| result_of_cta(&dst, &slice, axis))
        .transpose()?;
    let reduction = Reduction {
        src: &slice.layout,
        axis,
        dst: dst.as_ref(),
        widths: &operands.widths,
        combine: operands.combine,
        at_once,
        is_packed,
        target: gpu.target,
        scratch_limit,
        can_halve,
    };
    let plan = plan_reduction(&reduction).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_reduction(&plan, &reduction).map_err(wrong)?;
    let baseline = baseline_reduction(&reduction).map_err(|e| Diagnostic::new(e.to_string()))?;
    Ok(OpPlan {
        program: plan.into_program(),
        baseline_bytes: baseline.map(|baseline| baseline.bytes),
    })
}

/// Returns the layout of the result within one CTA.
///
/// # Errors
/// Fails if the distribution of rows over CTAs differs between the source and the result.
fn result_of_cta(
    dst: &TensorLayout,
    src: &BlockSlice,
    axis: usize,
) -> Result<LinearLayout, Diagnostic> {
    let without_axis = |column: &Vec<u64>| {
        let dims = column.iter().enumerate().filter(|(dim, _)| *dim != axis);
        dims.map(|(_, component)| *component).collect::<Vec<_>>()
    };
    let mut blocks = src.blocks.iter().map(without_axis);
    let slice = dst.unique.block_slice();
    let slice = slice.filter(|slice| slice.blocks.iter().cloned().eq(blocks.by_ref()));
    slice.map(|slice| slice.layout).ok_or_else(|| {
        Diagnostic::new(format!(
            "requires the operand and the result to have the same distribution over CTAs, \
             but the result layout is `{}`",
            dst.encoding
        ))
    })
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    tuples::lower(l, op)
}
