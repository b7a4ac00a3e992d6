//! Reductions and scans with any number of operands, shared by `tt.reduce` and `tt.scan`.

use super::allocate::PlanContext;
use super::blocks::BlockGraph;
use super::gpu::{Gpu, LaneOperation};
use super::plans::{OpPlan, layout_of};
use super::state::{Lowering, Outcome};
use super::steps::{self, CombineRegion, ProgramInputs};
use crate::analysis::assignment::combination_cost;
use crate::analysis::effects::Effects;
use crate::ir::{Layouts, SingleOperation, TensorLayout, TensorType, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::layout::BlockSlice;
use linear_layout::target::Target;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::sync::Arc;

pub(super) struct CombineOperands {
    pub(super) layout: Arc<TensorLayout>,
    /// Number of bits of the elements of each operand.
    pub(super) widths: Vec<u32>,
    /// Estimated cost of the combine region.
    pub(super) combine: u32,
}

impl CombineOperands {
    /// Describes the operands of a reduction or scan. Fails if an operand is not a tensor, or if its elements have
    /// no known bit width.
    pub(super) fn of(layouts: &Layouts, op: Op<'_>, target: &Target) -> Result<Self, Diagnostic> {
        let operands: Vec<Val<'_>> = (0..op.operand_count())
            .map(|i| build::operand(op, i))
            .collect();
        let unlike = || Diagnostic::new("requires tensors as operands");
        let layout = layout_of(layouts, operands.first().ok_or_else(unlike)?.r#type())?;
        let widths = operands
            .iter()
            .map(|operand| {
                let tensor = TensorType::of(operand.r#type()).ok_or_else(unlike)?;
                element_bits(tensor.element).ok_or_else(|| {
                    Diagnostic::new(format!(
                        "requires elements of known bit width, but got `{}`",
                        operand.r#type()
                    ))
                })
            })
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(Self {
            layout,
            widths,
            combine: combination_cost(op, &target.costs),
        })
    }
}

/// Returns the part of the operands that one CTA holds. This part contains only complete rows.
///
/// # Errors
/// Fails if the axis is distributed over CTAs, or if CTAs and threads contribute to the same coordinate bit.
pub(super) fn rows_of_cta(
    operands: &CombineOperands,
    axis: usize,
) -> Result<BlockSlice, Diagnostic> {
    let slice = operands.layout.unique.block_slice().ok_or_else(|| {
        Diagnostic::new(format!(
            "operand layout `{}` does not divide the tensor into one slice per CTA",
            operands.layout.encoding
        ))
    })?;
    match slice.split.get(axis) {
        Some(0) | None => Ok(slice),
        Some(_) => Err(Diagnostic::new(format!(
            "is not supported along dimension {axis}, which is distributed over the CTAs of a cluster"
        ))
        .note("choose a `CGALayout` that distributes another dimension")),
    }
}

/// Plans an operation, unless an equal plan is cached, and returns its shared-memory effects.
///
/// `plan` is called with the limit for scratch memory in bytes. `options` are part of the cache key.
pub(super) fn effects(
    context: &mut PlanContext<'_>,
    op: Op<'_>,
    options: [usize; 3],
    plan: impl FnOnce(&Layouts, Gpu, &CombineOperands, Option<u32>) -> Result<OpPlan, Diagnostic>,
) -> Result<Effects, Diagnostic> {
    let (layouts, gpu, limit) = (context.layouts, context.gpu, context.scratch_limit);
    let operands = CombineOperands::of(layouts, op, context.gpu.target)?;
    let kind = crate::ir::OpKind::of(op).map_or(0, |kind| kind as usize);
    let types = (0..op.operand_count()).map(|i| build::operand(op, i));
    let results = (0..op.result_count()).map(|i| build::result(op, i));
    let ids = types
        .chain(results)
        .map(|value| sys::type_id(value.r#type()));
    let key = [kind, operands.combine as usize, context.limit_key()];
    let key = key.into_iter().chain(options).chain(ids).collect();
    let plan = context
        .plans
        .plan(op, key, || plan(layouts, gpu, &operands, limit))?;
    Ok(plan.effects(context, op))
}

pub(super) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let Some((plan, offset)) = l.allocation.plan::<OpPlan>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let sources: Vec<Val<'c>> = (0..op.operand_count())
        .flat_map(|i| l.operand(op, i).to_vec())
        .collect();
    let region = CombineRegion {
        graph: BlockGraph::of(op, 0),
        lane_operation: LaneOperation::of(op),
        packed: SingleOperation::packed(op, l.gpu.target),
    };
    let inputs = ProgramInputs {
        region: Some(&region),
        ..ProgramInputs::uniform(&plan.program, &sources, offset)
    };
    let results = steps::emit(l, &plan.program, inputs)?;
    let count = results.len() / op.result_count();
    for (i, registers) in results.chunks(count).enumerate() {
        l.set(build::result(op, i), registers.to_vec());
    }
    Ok(())
}
