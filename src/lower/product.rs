//! `tt.dot` and `tt.dot_scaled`, lowered to the matrix instruction for the operand layouts.

use super::allocate::PlanContext;
use super::gpu::Gpu;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, ProgramInputs};
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{Layouts, ProductTypes, ScaledTypes};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::product::{FactorScales, MatrixProduct, ProductPlan, plan_product};
use linear_layout::target::Target;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

pub(crate) fn effects(context: &mut PlanContext<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let dot = tt::Dot::of(op).expect("the dispatch goes by kind");
    let types = [dot.a(), dot.b(), dot.c()].map(|value| sys::type_id(value.r#type()));
    let precision = dot.input_precision() as usize;
    let key = vec![types[0], types[1], types[2], precision];
    let (layouts, gpu) = (context.layouts, context.gpu);
    let plan = context.plans.plan(op, key, || plan(layouts, gpu, dot))?;
    Ok(context.effects_of(op, plan.program(), None))
}

fn plan(layouts: &Layouts, gpu: Gpu, dot: tt::Dot<'_, '_>) -> Result<ProductPlan, Diagnostic> {
    let operands = [dot.a(), dot.b(), dot.c()];
    let [a, b, d] = operands.map(|value| layout_of(layouts, value.r#type()));
    let (a, b, d) = (a?, b?, d?);
    let types = ProductTypes::of(dot)?;
    let product = MatrixProduct {
        d: &d.unique,
        a: &a.unique,
        b: &b.unique,
        scales: None,
        factors: &types.factors,
        sum: types.sum,
        target: gpu.target,
    };
    let plan = plan_product(&product).map_err(|e| Diagnostic::new(e.to_string()))?;
    verify(&plan, &product)?;
    Ok(plan)
}

pub(crate) fn effects_of_scaled(
    context: &mut PlanContext<'_>,
    op: Op<'_>,
) -> Result<Effects, Diagnostic> {
    let dot = tt::DotScaled::of(op).expect("the dispatch goes by kind");
    let id = |value: Val<'_>| sys::type_id(value.r#type());
    let mut key: Vec<usize> = [dot.a(), dot.b(), dot.c()].map(id).to_vec();
    key.extend([dot.a_scale(), dot.b_scale()].map(|scale| scale.map_or(0, id)));
    key.extend([dot.a_elem_type() as usize, dot.b_elem_type() as usize]);
    key.extend([dot.lhs_k_pack(), dot.rhs_k_pack()].map(usize::from));
    let (layouts, gpu) = (context.layouts, context.gpu);
    let plan = context
        .plans
        .plan(op, key, || plan_scaled(layouts, gpu.target, dot, verify))?;
    Ok(context.effects_of(op, plan.program(), None))
}

/// Returns true if the product can be lowered to matrix instructions that apply the scales, and if the result of
/// these instructions needs no layout conversion.
///
/// Other scaled products are decomposed.
pub(crate) fn is_native(dot: tt::DotScaled<'_, '_>, target: &Target) -> bool {
    let layouts = Layouts::of(dot.op().context());
    let plan = plan_scaled(layouts, target, dot, |_, _| Ok(()));
    plan.is_ok_and(|plan| !plan.is_converted()[2])
}

fn verify(plan: &ProductPlan, product: &MatrixProduct<'_>) -> Result<(), Diagnostic> {
    machine::check_product(plan.program(), product).map_err(wrong)
}

fn plan_scaled(
    layouts: &Layouts,
    target: &Target,
    dot: tt::DotScaled<'_, '_>,
    verify: impl Fn(&ProductPlan, &MatrixProduct<'_>) -> Result<(), Diagnostic>,
) -> Result<ProductPlan, Diagnostic> {
    let types = ScaledTypes::native(dot, target)?;
    let layout = |value: Val<'_>| layout_of(layouts, value.r#type());
    let (a, b, d) = (layout(dot.a())?, layout(dot.b())?, layout(dot.c())?);
    let scale_a = dot.a_scale().map(layout).transpose()?;
    let scale_b = dot.b_scale().map(layout).transpose()?;
    let scales = [&scale_a, &scale_b].map(|scale| scale.as_ref().map(|layout| &layout.unique));
    let product = MatrixProduct {
        d: &d.unique,
        a: &a.unique,
        b: &b.unique,
        scales: Some(FactorScales {
            layouts: scales,
            block_log2: types.block_log2,
            number: types.scale,
        }),
        factors: &[types.factors],
        sum: types.sum,
        target,
    };
    let plan = plan_product(&product).map_err(|e| Diagnostic::new(e.to_string()))?;
    verify(&plan, &product)?;
    Ok(plan)
}

pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let dot = tt::Dot::of(op).expect("the dispatch goes by kind");
    let operands = [dot.c(), dot.a(), dot.b()].map(Some);
    emit(l, op, &operands, dot.d())
}

pub(crate) fn lower_scaled<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let dot = tt::DotScaled::of(op).expect("the dispatch goes by kind");
    let tensors = [dot.c(), dot.a(), dot.b()].map(Some);
    let operands = [&tensors[..], &[dot.a_scale(), dot.b_scale()]].concat();
    emit(l, op, &operands, dot.d())
}

/// Emits the plan of a product. `operands` contains the initial sum, A and B, and for a scaled product the scales
/// of A and B, each of which may be `None`.
fn emit<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    operands: &[Option<Val<'c>>],
    result: Val<'c>,
) -> Outcome {
    let Some((plan, scratch)) = l.allocation.plan::<ProductPlan>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let mut sources = Vec::new();
    let mut elements = Vec::new();
    for operand in operands {
        let registers = operand.map_or_else(Vec::new, |value| l.get(value).to_vec());
        // Absent scales have no registers.
        let element = registers
            .first()
            .map_or(l.e.types.i8, |register| register.r#type());
        elements.push(element);
        sources.extend(registers);
    }
    let inputs = ProgramInputs::new(&sources, elements, scratch);
    let results = steps::emit(l, plan.program(), inputs)?;
    l.set(result, results);
    Ok(())
}
