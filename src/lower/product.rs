//! `tt.dot`: by the matrix instruction that its layouts are made for.

use super::allocate::Asked;
use super::gpu::Gpu;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, Given};
use crate::analysis::effects::Effects;
use crate::ir::ops::tt;
use crate::ir::{Layouts, ProductTypes};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::product::{MatrixProduct, ProductPlan, plan_product};
use melior::ir::ValueLike;

/// What a product does in shared memory.
pub(crate) fn effects(asked: &mut Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let dot = tt::Dot::of(op).expect("the dispatch goes by kind");
    let types = [dot.a(), dot.b(), dot.c()].map(|value| sys::type_id(value.r#type()));
    let precision = dot.input_precision() as usize;
    let key = vec![types[0], types[1], types[2], precision];
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let plan = asked.plans.plan(op, key, || plan(layouts, gpu, dot))?;
    Ok(Effects::of_program(plan.program(), None))
}

/// Plans a product, and has the machine prove the plan.
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
    machine::check_product(plan.program(), &product).map_err(wrong)?;
    Ok(plan)
}

/// Lowers `tt.dot`.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let dot = tt::Dot::of(op).expect("the dispatch goes by kind");
    let Some((plan, scratch)) = l.allocation.plan::<ProductPlan>(op) else {
        // The plan could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let operands = [dot.c(), dot.a(), dot.b()].map(|value| l.get(value).to_vec());
    let elements = operands.iter().map(|registers| registers[0].r#type());
    let elements = elements.collect();
    let sources = operands.concat();
    let given = Given {
        sources: &sources,
        elements,
        scratch,
        buffer: None,
        region: None,
    };
    let results = steps::emit(l, plan.program(), given)?;
    l.set(dot.d(), results);
    Ok(())
}
