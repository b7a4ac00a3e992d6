//! Planning of `tt.scan`. [`tuples`] emits the plan.

use super::allocate::PlanContext;
use super::gpu::Gpu;
use super::plans::{OpPlan, wrong};
use super::state::{Lowering, Outcome};
use super::tuples::{self, CombineOperands};
use crate::analysis::effects::Effects;
use crate::ir::SingleOperation;
use crate::ir::ops::tt;
use crate::sys::Diagnostic;
use crate::sys::build::Op;
use linear_layout::machine;
use linear_layout::plan::scan::{Scan, baseline_scan, plan_scan};

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let scan = tt::Scan::of(op).expect("the dispatch goes by kind");
    let axis = usize::try_from(scan.axis()).unwrap_or_default();
    let reverse = scan.reverse();
    let is_packed = SingleOperation::packed(op, context.gpu.target).is_some();
    tuples::effects(
        context,
        op,
        [axis, usize::from(reverse), usize::from(is_packed)],
        |_, gpu, operands, limit| plan(gpu, (axis, reverse, is_packed), operands, limit),
    )
}

fn plan(
    gpu: Gpu,
    (axis, reverse, is_packed): (usize, bool, bool),
    operands: &CombineOperands,
    scratch_limit: Option<u32>,
) -> Result<OpPlan, Diagnostic> {
    let slice = tuples::rows_of_cta(operands, axis)?;
    let scan = Scan {
        src: &slice.layout,
        axis,
        reverse,
        widths: &operands.widths,
        combine: operands.combine,
        is_packed,
        target: gpu.target,
        scratch_limit,
    };
    let plan = plan_scan(&scan).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_scan(&plan, &scan).map_err(wrong)?;
    Ok(OpPlan {
        baseline_bytes: Some(baseline_scan(&scan).bytes),
        program: plan.into_program(),
    })
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    tuples::lower(l, op)
}
