//! `tt.dot`: by the matrix instruction that its layouts are made for.

use super::allocate::Asked;
use super::gpu::Gpu;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::steps::{self, Given};
use crate::analysis::effects::Effects;
use crate::ir::ops::{InputPrecision, tt};
use crate::ir::{Layouts, TensorType, element_name};
use crate::sys::build::Op;
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::product::{MatrixProduct, ProductPlan, plan_product};
use linear_layout::target::Number;
use melior::ir::{Type, ValueLike};

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
    let types = [dot.a(), dot.b(), dot.c()].map(|value| value.r#type());
    let [a, b, d] = types.map(|type_| layout_of(layouts, type_));
    let (a, b, d) = (a?, b?, d?);
    let (factors, sum) = numbers(dot)?;
    let product = MatrixProduct {
        d: &d.unique,
        a: &a.unique,
        b: &b.unique,
        factors: &factors,
        sum,
        target: gpu.target,
    };
    let plan = plan_product(&product).map_err(|e| Diagnostic::new(e.to_string()))?;
    let all = [&d.unique, &a.unique, &b.unique];
    machine::check_product(plan.program(), all, gpu.target).map_err(wrong)?;
    Ok(plan)
}

/// Returns what the elements of `a` and `b` may be multiplied as, the best first, and the type of the sum.
///
/// # Errors
/// Elements that are not multiplied.
pub(crate) fn numbers(dot: tt::Dot<'_, '_>) -> Result<(Vec<[Number; 2]>, Number), Diagnostic> {
    let types = [dot.a(), dot.b(), dot.c()].map(|value| value.r#type());
    let [left, right, sum] = types.map(number);
    let (left, right, sum) = (left?, right?, sum?);
    let factors = match (left, right, dot.input_precision()) {
        (Number::F32, Number::F32, InputPrecision::Tf32) => {
            vec![[Number::Tf32; 2], [Number::F32; 2]]
        }
        _ => vec![[left, right]],
    };
    Ok((factors, sum))
}

/// What a tensor's elements are to a matrix instruction.
fn number(type_: Type<'_>) -> Result<Number, Diagnostic> {
    let tensor = TensorType::of(type_);
    let name = tensor.map(|tensor| element_name(tensor.element));
    let name = name.unwrap_or_default();
    Ok(match &*name {
        "f16" => Number::F16,
        "bf16" => Number::Bf16,
        "f32" => Number::F32,
        "f64" => Number::F64,
        "i8" => Number::I8,
        "i32" => Number::I32,
        "f8E4M3FN" => Number::E4m3,
        "f8E5M2" => Number::E5m2,
        "f8E4M3FNUZ" => Number::E4m3Fnuz,
        "f8E5M2FNUZ" => Number::E5m2Fnuz,
        _ => {
            return Err(Diagnostic::new(format!(
                "multiplies elements of `{name}`: expected f16, bf16, f32, f64, i8 or 8-bit floats, with a sum of f16, \
                 bf16, f32, f64 or i32"
            )));
        }
    })
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
