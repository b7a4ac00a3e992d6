//! `fold-layout-conversions`: conversions that move nothing disappear.

use super::Pass;
use super::context::PassContext;
use super::respell::{Inventory, attribute, respell, root};
use super::table::FoldLayoutConversionsOptions;
use crate::ir::{OpKind, TensorType};
use crate::sys::build::{self, Op};
use crate::sys::{self, FollowUp, Reported};
use melior::ir::{OperationRef, ValueLike};
use std::collections::HashSet;

impl Pass for FoldLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_, '_>) -> Result<Vec<FollowUp>, Reported> {
        unify_spellings(context);
        // Folding one conversion may erase others of the list.
        let mut erased = HashSet::new();
        for op in conversions(context.module()) {
            if !erased.contains(&sys::operation_id(op)) {
                fold(op, &mut erased);
            }
        }
        Ok(Vec::new())
    }
}

fn is_conversion(op: Op<'_>) -> bool {
    OpKind::TtgConvertLayout.is(op)
}

fn conversions<'c>(module: OperationRef<'c, '_>) -> Vec<Op<'c>> {
    Inventory::of(module)
        .operations
        .into_iter()
        .filter(|op| is_conversion(*op))
        .collect()
}

/// Gives two spellings of one layout one spelling, wherever a conversion goes between them.
fn unify_spellings(context: &PassContext<'_, '_>) {
    let (module, layouts) = (context.module(), context.layouts());
    for op in conversions(module) {
        let types = [
            build::operand(op, 0).r#type(),
            build::result(op, 0).r#type(),
        ];
        let [Some(from), Some(to)] = types.map(TensorType::of) else {
            continue;
        };
        let (Ok(a), Ok(b)) = (layouts.tensor(&from), layouts.tensor(&to)) else {
            continue;
        };
        let (old, new) = (root(&b.encoding), root(&a.encoding));
        if a.unique != b.unique || old == new {
            continue;
        }
        let inventory = Inventory::of(module);
        for (old, new) in [(old, new), (new, old)] {
            if !inventory.allows(layouts, old, new) {
                continue;
            }
            let pair = attribute(module, old).zip(attribute(module, new));
            if pair.is_some_and(|pair| respell(context, &inventory, vec![pair])) {
                break;
            }
        }
    }
}

/// A chain of conversions becomes one, from the first operand; one that arrives where it began
/// disappears.
fn fold(op: Op<'_>, erased: &mut HashSet<usize>) {
    let result = build::result(op, 0);
    let mut source = build::operand(op, 0);
    while source.r#type() != result.r#type() {
        match sys::defining_operation(source).filter(|def| is_conversion(*def)) {
            Some(inner) => source = build::operand(inner, 0),
            None => break,
        }
    }
    if source.r#type() == result.r#type() {
        sys::replace_all_uses(result, source);
    } else if source != build::operand(op, 0) {
        sys::set_operand(op, 0, source);
    }
    erase_unused(op, erased);
}

/// Erases a conversion without uses, and then those that only it used; notes which.
fn erase_unused(op: Op<'_>, erased: &mut HashSet<usize>) {
    let mut next = Some(op);
    while let Some(op) = next.filter(|op| sys::is_unused(build::result(*op, 0))) {
        next = sys::defining_operation(build::operand(op, 0)).filter(|def| is_conversion(*def));
        erased.insert(sys::operation_id(op));
        sys::erase(op);
    }
}
