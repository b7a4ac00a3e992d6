//! Giving what owners found out to all threads that hold copies: the ways of [`linear_layout::plan::share`].

use super::allocate::Asked;
use super::plans::{Planned, wrong};
use super::state::Lowering;
use super::steps::{self, Given};
use super::value::Registers;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::lower::gpu::Gpu;
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::share::{plan_sharing, scalar_layout};
use melior::ir::{Type, ValueLike};
use std::sync::Arc;

/// Plans how an operation's result, of which owners have the registers, gets to all threads.
pub(super) fn plan(
    asked: &mut Asked<'_>,
    op: Op<'_>,
    type_: Type<'_>,
) -> Result<Arc<Planned>, Diagnostic> {
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let key = vec![sys::type_id(type_)];
    asked.plans.plan(op, key, || make(layouts, gpu, type_))
}

fn make(layouts: &Layouts, gpu: Gpu, type_: Type<'_>) -> Result<Planned, Diagnostic> {
    let tensor = TensorType::of(type_);
    let element = tensor.map_or(type_, |tensor| tensor.element);
    let bits = element_bits(element)
        .ok_or_else(|| Diagnostic::new(format!("has elements of unknown width in `{type_}`")))?;
    // A truth value travels as a byte.
    let bits = bits.max(8);
    let said = |reason: String| Diagnostic::new(reason);
    let layout = match tensor {
        Some(tensor) => {
            let layout = layouts.tensor(&tensor).map_err(|e| said(e.to_string()))?;
            layout.unique.clone()
        }
        None => scalar_layout(gpu.num_warps, gpu.target).map_err(|e| said(e.to_string()))?,
    };
    let plan = plan_sharing(&layout, bits, gpu.target).map_err(|e| said(e.to_string()))?;
    machine::check_broadcast(&plan, &layout, gpu.target).map_err(wrong)?;
    Ok(Planned {
        program: plan,
        plain_bytes: None,
    })
}

/// Gives all threads the registers that owners have, of an operation whose sharing has been planned.
pub(super) fn share<'c>(l: &mut Lowering<'c>, op: Op<'c>, values: Vec<Val<'c>>) -> Registers<'c> {
    let Some((plan, offset)) = l
        .allocation
        .plan::<Planned>(op)
        .filter(|(plan, _)| !plan.program.is_identity())
    else {
        return values.into();
    };
    let i1 = l.e.types.i1;
    let is_truth = values[0].r#type() == i1;
    let bytes = match is_truth {
        true => {
            let i8 = l.e.types.i8;
            values.iter().map(|value| l.e.zext(*value, i8)).collect()
        }
        false => values,
    };
    let given = Given::alike(&plan.program, &bytes, offset);
    let shared = steps::emit(l, &plan.program, given).expect("nothing is combined");
    match is_truth {
        true => shared.iter().map(|byte| l.e.trunc(*byte, i1)).collect(),
        false => shared.into(),
    }
}
