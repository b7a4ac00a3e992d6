//! `use-triton-numbers`: floats as exact as Triton's own lowering has them, and as fast.
//!
//! Which operations may be approximations follows from what Triton lowers them to: for NVIDIA quotients by `div.full`,
//! remainders by a difference of a rounded multiple, roots and powers of two by the GPU's instructions; for AMD the
//! same but for quotients, which are rounded to nearest, and remainders. Products are fused with sums on both. What it computes with a library, as sines, stays exact.

use super::Pass;
use super::context::PassContext;
use super::inventory::Inventory;
use super::table::UseTritonNumbersOptions;
use crate::ir::{TensorType, UpstreamKind};
use crate::sys::build::{self, Op};
use crate::sys::{self, FollowUp, Reported};
use linear_layout::target::Assembly;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};

/// What an operation of `arith` or `math` says of how fast it may be.
const FAST: &str = "fastmath";

impl Pass for UseTritonNumbersOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        let has_quick_quotient = target.assembly == Assembly::Ptx;
        for op in &context.get::<Inventory<'_>>().operations {
            let flag = allowed(*op, has_quick_quotient);
            if let Some(flag) = flag.filter(|flag| self.fusion || *flag != CONTRACT) {
                allow(context, *op, flag);
            }
        }
        Ok(Vec::new())
    }
}

/// The flag that lets a product and a sum be fused.
const CONTRACT: &str = "contract";

/// What Triton takes an operation to allow.
fn allowed(op: Op<'_>, has_quick_quotient: bool) -> Option<&'static str> {
    use UpstreamKind as K;
    let flag = match UpstreamKind::of(op)? {
        K::ArithAddF | K::ArithMulF | K::ArithSubF => CONTRACT,
        K::ArithDivF | K::ArithRemF if has_quick_quotient => "afn",
        K::MathExp | K::MathExp2 | K::MathRsqrt | K::MathSqrt => "afn",
        _ => return None,
    };
    let type_ = build::only_result(op).r#type();
    let element = TensorType::of(type_).map_or(type_, |tensor| tensor.element);
    // f64 is rounded to nearest everywhere.
    let width = sys::float_width(element)?;
    (flag == CONTRACT || width <= 32).then_some(flag)
}

/// Adds a flag to those that an operation has.
fn allow<'c>(context: &PassContext<'c>, op: Op<'c>, flag: &str) {
    let said = op
        .attribute(FAST)
        .map(|flags| flags.to_string())
        .unwrap_or_default();
    let inside = said
        .split_once('<')
        .and_then(|(_, rest)| rest.strip_suffix('>'));
    let mut flags: Vec<&str> = inside
        .into_iter()
        .flat_map(|flags| flags.split(','))
        .map(str::trim)
        .filter(|flag| *flag != "none")
        .collect();
    if flags.contains(&flag) || flags.contains(&"fast") {
        return;
    }
    flags.push(flag);
    let text = format!("#arith.fastmath<{}>", flags.join(","));
    let flags = Attribute::parse(build::context(op), &text).expect("flags of one attribute");
    context.rewriter().set_attribute(op, FAST, flags);
}
