//! `resolve-auto-layouts`: infers the layouts that a program leaves open.
//!
//! [`crate::analysis::automatic`] propagates required layouts. Memory accesses require the layouts of `coalesce`. A
//! value constrained only by conversions gets the layout with the cheapest plans. No conversion is added.
//!
//! # Source
//! Triton's `gluon-infer-coalesced-encodings` and `gluon-resolve-auto-encodings`.

use super::Pass;
use super::coalesce;
use super::context::PassContext;
use super::table::{PassKind, RemoveLayoutConversionsOptions, ResolveAutoLayoutsOptions};
use crate::analysis::assignment::{self, AssignmentOptions, Scope, ValueEncodings};
use crate::analysis::automatic::{Constraints, Requirement, open_layout_of, resolve};
use crate::ir::ops::{arith, gluon, tt};
use crate::ir::{Layouts, OpKind, TensorType, builders};
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, FollowUp, OpenLayout, Reported};
use linear_layout::encoding::Encoding;
use linear_layout::target::Target;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, BlockLike, Type, TypeLike, ValueLike};
use std::collections::HashMap;
use std::sync::Arc;

impl Pass for ResolveAutoLayoutsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let module = context.module();
        let operations = build::in_order(module);
        let is_open = |op: &Op<'_>| OpKind::GluonSetAutoLayout.is(*op);
        // `auto` layouts may follow from the layouts that memory accesses require.
        for which in [OpenLayout::Coalesced, OpenLayout::Auto] {
            let constraints = Constraints::of(module, which);
            if constraints.values.is_empty() {
                continue;
            }
            let requirements = match which {
                OpenLayout::Coalesced => accesses(context, &constraints, &operations),
                OpenLayout::Auto => explicit(context.layouts(), &operations),
            };
            let resolution = resolve(&constraints, &requirements, which == OpenLayout::Auto);
            let mut failed = None;
            for (op, error) in &resolution.errors {
                failed = Some(sys::emit_error(*op, error));
            }
            if let Some(reported) = failed {
                return Err(reported);
            }
            let mut retyping = Retyping::new(context);
            retyping.retype(&resolution.resolved);
            let several: Vec<_> = resolution.variants;
            for variants in &several {
                retyping.retype(&variants[0]);
            }
            if several.iter().any(|variants| variants.len() > 1) {
                let target = self.known_target(context)?;
                let chosen =
                    assignment::cheapest(module, &several, default_options(target), &context.get());
                for (variants, chosen) in several.iter().zip(chosen) {
                    retyping.retype(&variants[chosen]);
                }
            }
            declare(context, &operations);
        }
        for op in operations.into_iter().filter(is_open) {
            let Some(view) = gluon::SetAutoLayout::of(op) else {
                continue;
            };
            // A CuTe or Tilus encoding may have a different spelling of the same layout on each shape.
            let (src, type_) = (view.src(), view.result().r#type());
            let rewriter = context.rewriter();
            let convert = || builders::ttg::convert_layout(src, type_).before(rewriter, op);
            let named = (src.r#type() != type_).then(convert);
            rewriter.replace(op, &[named.flatten().unwrap_or(src)]);
        }
        Ok(Vec::new())
    }
}

impl ResolveAutoLayoutsOptions {
    fn known_target(&self, context: &PassContext<'_>) -> Result<&'static Target, Reported> {
        let named = self.target.as_deref();
        if named.is_none() && context.gpu(None).is_err() {
            return Ok(context.default_gpu());
        }
        context.known_gpu(named)
    }
}

fn default_options(target: &'static Target) -> AssignmentOptions {
    AssignmentOptions {
        conversion_cost: 0,
        ..RemoveLayoutConversionsOptions::default_options(target, Scope::AllButMemory)
    }
}

/// Checks that a module has no open layouts.
///
/// # Errors
/// Reports the first operation with an open layout in a result or block argument.
pub(super) fn check_resolved(context: &PassContext<'_>) -> Result<(), Reported> {
    for op in build::in_order(context.module()) {
        let blocks = (0..op.region_count()).flat_map(|i| build::blocks(op, i));
        let arguments = blocks
            .flat_map(|block| (0..block.argument_count()).map(move |i| build::argument(block, i)));
        let mut values = build::results(op).into_iter().chain(arguments);
        if let Some(value) = values.find(|value| open_layout_of(*value).is_some()) {
            let error = Diagnostic::new(format!(
                "requires a resolved layout, but got `{}`",
                value.r#type()
            ));
            let nearest = PassKind::ResolveAutoLayouts.argument();
            let note = format!("run the pass `{nearest}` first");
            return Err(sys::emit_error(op, &error.note(note)));
        }
    }
    Ok(())
}

fn accesses<'c>(
    context: &PassContext<'c>,
    constraints: &Constraints<'c>,
    operations: &[Op<'c>],
) -> Vec<Requirement<'c>> {
    let functions = operations.iter().filter(|op| OpKind::TtFunc.is(**op));
    let mut requirements = Vec::new();
    for (by, encoding) in functions.flat_map(|function| coalesce::decide(context, *function)) {
        let encoding = Arc::new(encoding);
        for value in build::operands(by) {
            if constraints.class(value).is_some() {
                requirements.push(Requirement {
                    value,
                    encoding: Arc::clone(&encoding),
                    by,
                });
            }
        }
    }
    requirements
}

fn explicit<'c>(layouts: &Layouts, operations: &[Op<'c>]) -> Vec<Requirement<'c>> {
    let requirements = operations.iter().filter_map(|op| {
        let view = gluon::SetAutoLayout::of(*op)?;
        let tensor = TensorType::of(view.result().r#type())?;
        Some(Requirement {
            value: view.src(),
            encoding: layouts.of_tensor(&tensor).ok()?,
            by: *op,
        })
    });
    requirements.collect()
}

struct Retyping<'r, 'c> {
    context: &'r PassContext<'c>,
    attributes: HashMap<Arc<Encoding>, Attribute<'c>>,
}

impl<'r, 'c> Retyping<'r, 'c> {
    fn new(context: &'r PassContext<'c>) -> Self {
        Self {
            context,
            attributes: HashMap::new(),
        }
    }

    fn retype(&mut self, resolved: &ValueEncodings<'c>) {
        let rewriter = self.context.rewriter();
        let mlir = build::context(self.context.module());
        for (value, encoding) in resolved {
            let known = self.attributes.get(encoding).copied();
            let attribute = known.unwrap_or_else(|| {
                let parsed = Attribute::parse(mlir, &encoding.to_string());
                parsed.expect("the printed encoding parses")
            });
            self.attributes.insert(Arc::clone(encoding), attribute);
            let tensor =
                TensorType::of(value.r#type()).expect("a value with an encoding is a tensor");
            let (old, new) = (value.r#type(), tensor.with_encoding(attribute));
            rewriter.set_type(*value, new);
            let constant = sys::defining_operation(*value).and_then(arith::Constant::of);
            if let Some(constant) = constant
                && let Some(value) = constant_of(constant.value(), (old, new))
            {
                rewriter.set_attribute(constant.op(), arith::Constant::VALUE_KEY, value);
            }
        }
    }
}

/// Returns the value attribute of a constant after the type of the constant changes from `old` to `new`.
fn constant_of<'c>(
    elements: Attribute<'c>,
    (old, new): (Type<'c>, Type<'c>),
) -> Option<Attribute<'c>> {
    if let Some(element) = build::splat_value(elements) {
        return Some(build::splat(new, element));
    }
    let text = elements.to_string();
    let values = text.strip_suffix(&old.to_string())?;
    let context = sys::context_of(new.context());
    Attribute::parse(context, &format!("{values}{new}"))
}

fn results_of(type_: Type<'_>) -> Vec<Type<'_>> {
    let function = FunctionType::try_from(type_);
    function.map_or_else(
        |_| Vec::new(),
        |function| {
            (0..function.result_count())
                .filter_map(|i| function.result(i).ok())
                .collect()
        },
    )
}

/// Updates the declared type of each function to the types of its arguments and of the values that it returns.
fn declare<'c>(context: &PassContext<'c>, operations: &[Op<'c>]) {
    for function in operations.iter().filter_map(|op| tt::Func::of(*op)) {
        let blocks = build::blocks_of(function.body());
        let Some(entry) = blocks.first() else {
            continue;
        };
        let arguments = entry.argument_count();
        let arguments: Vec<Type<'c>> = (0..arguments)
            .map(|i| build::argument(*entry, i).r#type())
            .collect();
        let mut ends = blocks
            .iter()
            .filter_map(|block| build::operations(*block).pop());
        let returned = ends.rfind(|end| OpKind::TtReturn.is(*end));
        let results: Vec<Type<'c>> = match returned {
            Some(end) => build::operands(end).iter().map(ValueLike::r#type).collect(),
            None => results_of(function.function_type()),
        };
        let mlir = build::context(context.module());
        let declared: Type<'c> = FunctionType::new(mlir, &arguments, &results).into();
        if declared != function.function_type() {
            let attribute = TypeAttribute::new(declared).into();
            context
                .rewriter()
                .set_attribute(function.op(), tt::Func::FUNCTION_TYPE_KEY, attribute);
        }
    }
}
