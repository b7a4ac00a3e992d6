//! Giving what owners found out to all threads that hold copies: the ways of [`linear_layout::plan::share`].

use super::allocate::Asked;
use super::convert::emit_plans;
use super::local;
use super::memory::owner;
use super::plans::wrong;
use super::state::Lowering;
use super::value::{Buffer, Registers};
use crate::analysis::effects::Effects;
use crate::ir::{Layouts, TensorLayout, TensorType, element_bits};
use crate::lower::gpu::Gpu;
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::share::{SharePlan, ShareWay};
use melior::ir::{Type, ValueLike};
use std::sync::Arc;

/// Plans how an operation's result, of which owners have the registers, gets to all threads.
pub(super) fn plan(
    asked: &mut Asked<'_>,
    op: Op<'_>,
    type_: Type<'_>,
) -> Result<Arc<SharePlan>, Diagnostic> {
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let key = vec![sys::type_id(type_)];
    asked.shares.plan(op, key, || make(layouts, gpu, type_))
}

fn make(layouts: &Layouts, gpu: Gpu, type_: Type<'_>) -> Result<SharePlan, Diagnostic> {
    let tensor = TensorType::of(type_);
    let element = tensor.map_or(type_, |tensor| tensor.element);
    let bits = element_bits(element)
        .ok_or_else(|| Diagnostic::new(format!("has elements of unknown width in `{type_}`")))?;
    // A truth value travels as a byte.
    let bits = bits.max(8);
    let said = |reason: String| Diagnostic::new(reason);
    let plan = match tensor {
        Some(tensor) => {
            let layout = layouts.tensor(&tensor).map_err(|e| said(e.to_string()))?;
            SharePlan::new(&layout.unique, bits, gpu.target)
        }
        None => SharePlan::of_scalar(gpu.num_warps, bits, gpu.target),
    };
    let plan = plan.map_err(|e| said(e.to_string()))?;
    machine::check_sharing(&plan, gpu.target).map_err(wrong)?;
    Ok(plan)
}

/// What a sharing does in shared memory.
pub(super) fn effects(plan: &SharePlan) -> Effects {
    match plan.way() {
        ShareWay::Memory(_) => Effects::exchanging(plan.scratch_bytes()),
        ShareWay::Alone | ShareWay::Lanes(_) => Effects::default(),
    }
}

/// Gives all threads the registers that owners have, of an operation whose sharing has been planned.
pub(super) fn share<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    layout: Option<&TensorLayout>,
    values: Vec<Val<'c>>,
) -> Registers<'c> {
    let Some((plan, offset)) = l.allocation.share(op) else {
        return values.into();
    };
    let i1 = l.e.types.i1;
    if values[0].r#type() == i1 && !matches!(plan.way(), ShareWay::Alone) {
        let i8 = l.e.types.i8;
        let bytes = values.iter().map(|value| l.e.zext(*value, i8)).collect();
        let shared = share(l, op, layout, bytes);
        return shared.iter().map(|byte| l.e.trunc(*byte, i1)).collect();
    }
    match plan.way() {
        ShareWay::Alone => values.into(),
        ShareWay::Lanes(plan) => {
            let shared = emit_plans(&mut l.e, l.gpu, &[(plan.program(), &values, None)]);
            shared.into_iter().flatten().collect()
        }
        ShareWay::Memory(memory) => {
            let buffer = Buffer {
                base: l.shared_memory(offset),
                position: l.e.i32(0),
            };
            let (is_owner, _) = owner(l, layout);
            let stored: Vec<Val<'c>> = memory.registers.iter().map(|r| values[*r]).collect();
            if let Some(is_owner) = is_owner {
                let fork = l.e.fork(is_owner);
                local::store_registers(l, &memory.store, buffer, &stored);
                l.e.join_or(fork, &[], &[]);
            } else {
                local::store_registers(l, &memory.store, buffer, &stored);
            }
            l.gpu.block_barrier(&mut l.e);
            local::load_registers(l, &memory.load, buffer, values[0].r#type()).into()
        }
    }
}
