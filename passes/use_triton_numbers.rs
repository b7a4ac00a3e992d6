//! `use-triton-numbers`: floating-point accuracy of Triton's lowering.
//!
//! Allows approximations where Triton's lowering uses them. On NVIDIA: `div.full` for quotients, the difference to a
//! rounded multiple for remainders, instructions for roots and exponentials. On AMD, quotients are rounded to nearest
//! and remainders are exact; roots and exponentials are approximated. Products are fused with sums. Functions from a
//! library, such as sines, are not approximated.

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

const CONTRACT: &str = "contract";

/// Returns the fast-math flag that `op` needs to be lowered with the same precision as in Triton, e.g. `contract`
/// for `arith.addf`. Returns `None` if no flag is needed.
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
