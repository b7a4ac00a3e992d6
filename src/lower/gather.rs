//! `tt.gather`, lowered to warp shuffles or shared-memory accesses.

use super::allocate::PlanContext;
use super::gpu::Gpu;
use super::local;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, ProgramInputs};
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::gather::{Gather, GatherPlan, plan_gather};
use melior::ir::ValueLike;

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let gather = tt::Gather::of(op).expect("the dispatch goes by kind");
    let types = [gather.src(), gather.indices()].map(|value| sys::type_id(value.r#type()));
    let axis = usize::try_from(gather.axis()).unwrap_or_default();
    let key = vec![types[0], types[1], axis];
    let (layouts, gpu) = (context.layouts, context.gpu);
    let plan = context
        .plans
        .plan(op, key, || plan(layouts, gpu, gather, axis))?;
    Ok(context.effects_of(op, plan.program(), None))
}

fn plan(
    layouts: &Layouts,
    gpu: Gpu,
    gather: tt::Gather<'_, '_>,
    axis: usize,
) -> Result<GatherPlan, Diagnostic> {
    let type_ = gather.src().r#type();
    let src = layout_of(layouts, type_)?;
    let indices = layout_of(layouts, gather.indices().r#type())?;
    let bits = TensorType::of(type_)
        .and_then(|tensor| element_bits(tensor.element))
        .ok_or_else(|| {
            Diagnostic::new(format!(
                "requires elements of known bit width, but got `{type_}`"
            ))
        })?;
    let gather = Gather {
        src: &src.unique,
        indices: &indices.unique,
        axis,
        bits,
        target: gpu.target,
    };
    let plan = plan_gather(&gather).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_gather(&plan, &gather).map_err(wrong)?;
    Ok(plan)
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let gather = tt::Gather::of(op).expect("the dispatch goes by kind");
    let Some((plan, offset)) = l.allocation.plan::<GatherPlan>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let src = l.get(gather.src());
    let axis = usize::try_from(gather.axis()).unwrap_or_default();
    let shape = TensorType::of(gather.src().r#type()).map(|tensor| tensor.shape);
    let size = shape.and_then(|shape| shape.get(axis).copied());
    let indices = l.get(gather.indices());
    let indices = l.bounded_along(&indices, gather.axis(), size.unwrap_or(1));
    let mut sources = src.to_vec();
    for index in indices {
        sources.push(local::indexed::index(l, index, plan.index_bits()));
    }
    let elements = vec![src[0].r#type(), l.e.types.i32];
    let inputs = ProgramInputs::new(&sources, elements, offset);
    let results = steps::emit(l, plan.program(), inputs)?;
    l.set(gather.result(), results);
    Ok(())
}
