//! Broadcasts of results from the owner of each element to its replicas; see [`linear_layout::plan::broadcast`].

use super::allocate::PlanContext;
use super::plans::{OpPlan, wrong};
use super::state::Lowering;
use super::steps::{self, ProgramInputs};
use super::value::Registers;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::lower::gpu::Gpu;
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::broadcast::{plan_broadcast, scalar_layout};
use melior::ir::{Type, ValueLike};
use std::sync::Arc;

pub(super) fn plan(
    context: &mut PlanContext<'_>,
    op: Op<'_>,
    type_: Type<'_>,
) -> Result<Arc<OpPlan>, Diagnostic> {
    let (layouts, gpu) = (context.layouts, context.gpu);
    let key = vec![sys::type_id(type_)];
    context.plans.plan(op, key, || make(layouts, gpu, type_))
}

fn make(layouts: &Layouts, gpu: Gpu, type_: Type<'_>) -> Result<OpPlan, Diagnostic> {
    let tensor = TensorType::of(type_);
    let element = tensor.map_or(type_, |tensor| tensor.element);
    let bits = element_bits(element).ok_or_else(|| {
        Diagnostic::new(format!(
            "requires elements of known bit width, but got `{type_}`"
        ))
    })?;
    // Booleans are exchanged as bytes.
    let bits = bits.max(8);
    let error = |reason: String| Diagnostic::new(reason);
    let layout = match tensor {
        Some(tensor) => {
            let layout = layouts.tensor(&tensor).map_err(|e| error(e.to_string()))?;
            layout.unique.clone()
        }
        None => scalar_layout(gpu.num_warps, gpu.target).map_err(|e| error(e.to_string()))?,
    };
    let plan = plan_broadcast(&layout, bits, gpu.target).map_err(|e| error(e.to_string()))?;
    machine::check_broadcast(&plan, &layout, gpu.target).map_err(wrong)?;
    Ok(OpPlan {
        program: plan,
        baseline_bytes: None,
    })
}

/// Emits the planned broadcast. `values` are the registers before the broadcast.
pub(super) fn broadcast<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    values: Vec<Val<'c>>,
) -> Registers<'c> {
    let Some((plan, offset)) = l
        .allocation
        .plan::<OpPlan>(op)
        .filter(|(plan, _)| !plan.program.is_identity())
    else {
        return values.into();
    };
    let i1 = l.e.types.i1;
    let is_boolean = values[0].r#type() == i1;
    let bytes = match is_boolean {
        true => {
            let i8 = l.e.types.i8;
            values.iter().map(|value| l.e.zext(*value, i8)).collect()
        }
        false => values,
    };
    let inputs = ProgramInputs::uniform(&plan.program, &bytes, offset);
    let shared = steps::emit(l, &plan.program, inputs).expect("nothing is combined");
    match is_boolean {
        true => shared.iter().map(|byte| l.e.trunc(*byte, i1)).collect(),
        false => shared.into(),
    }
}
