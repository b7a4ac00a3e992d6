//! Layout conversions, planned by `linear_layout::plan` and emitted by [`steps`].

use super::allocate::PlanContext;
use super::gpu::Gpu;
use super::plans::{OpPlan, layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, ProgramInputs};
use crate::analysis::effects::Effects;
use crate::ir::ops::OpView;
use crate::ir::{Layouts, OpKind, TensorType, element_bits};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::{PlanKind, PlanOptions, Strategy, baseline_conversion, plan_conversion};
use melior::ir::ValueLike;

#[derive(Clone, Copy)]
struct ConversionOp<'c> {
    src: Val<'c>,
    result: Val<'c>,
    /// True if the conversion must neither move data between warps nor use shared memory.
    force_warp_shuffle: bool,
}

impl<'c> ConversionOp<'c> {
    fn of(op: Op<'c>) -> Self {
        match OpView::of(op) {
            Some(OpView::TtgConvertLayout(op)) => Self {
                src: op.src(),
                result: op.result(),
                force_warp_shuffle: op.force_warp_shuffle(),
            },
            // in_thread_transpose_c3: elements stay in their thread.
            Some(OpView::AmdgInThreadTranspose(op)) => Self {
                src: op.src(),
                result: op.result(),
                force_warp_shuffle: true,
            },
            _ => unreachable!("the dispatch goes by kind"),
        }
    }
}

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let conversion = ConversionOp::of(op);
    let (layouts, gpu) = (context.layouts, context.gpu);
    let [from, to] = [conversion.src, conversion.result].map(|v| sys::type_id(v.r#type()));
    let is_forced = usize::from(conversion.force_warp_shuffle);
    let kind = OpKind::TtgConvertLayout as usize;
    let key = vec![kind, from, to, is_forced, context.limit_key()];
    let limit = context.scratch_limit;
    let plan = context
        .plans
        .plan(op, key, || plan(layouts, gpu, conversion, limit))?;
    Ok(plan.effects(context, op))
}

fn plan<'c>(
    layouts: &Layouts,
    gpu: Gpu,
    conversion: ConversionOp<'c>,
    scratch_limit: Option<u32>,
) -> Result<OpPlan, Diagnostic> {
    let (from, to) = (conversion.src.r#type(), conversion.result.r#type());
    let (src, dst) = (layout_of(layouts, from)?, layout_of(layouts, to)?);
    let bits = TensorType::of(from)
        .and_then(|tensor| element_bits(tensor.element))
        .ok_or_else(|| {
            Diagnostic::new(format!(
                "requires elements of known bit width, but got `{from}`"
            ))
        })?;
    let mut options = PlanOptions::new();
    options.scratch_limit = scratch_limit;
    if conversion.force_warp_shuffle {
        // convert_layout_c1: the plan fails if data leaves its warp.
        options = options.with_strategy(Strategy::Shuffle);
    }
    let plan = plan_conversion(&src.full, &dst.full, bits, gpu.target, &options)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_plan(plan.program(), &src.full, &dst.full, gpu.target).map_err(wrong)?;
    let is_fixed = conversion.force_warp_shuffle
        || matches!(
            plan.kind(),
            PlanKind::Rename | PlanKind::Select | PlanKind::Cluster
        );
    let baseline_bytes = match is_fixed {
        true => None,
        false => {
            let plain = baseline_conversion(&src.full, &dst.full, bits, gpu.target);
            Some(plain.map_err(|e| Diagnostic::new(e.to_string()))?.bytes)
        }
    };
    Ok(OpPlan {
        program: plan.into_program(),
        baseline_bytes,
    })
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let conversion = ConversionOp::of(op);
    let Some((plan, offset)) = l.allocation.plan::<OpPlan>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let sources = l.get(conversion.src);
    let inputs = ProgramInputs::uniform(&plan.program, &sources, offset);
    let results = steps::emit(l, &plan.program, inputs)?;
    l.set(conversion.result, results);
    Ok(())
}
