//! `fold-layout-conversions`: conversions that move nothing disappear.

use super::Pass;
use super::context::PassContext;
use super::respell::{Inventory, attribute, respell, root};
use super::table::FoldLayoutConversionsOptions;
use crate::ir::TensorType;
use crate::ir::ops::ttg;
use crate::sys::{self, FollowUp, Reported};
use melior::ir::{OperationRef, ValueLike};
use std::collections::HashSet;

impl Pass for FoldLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_, '_>) -> Result<Vec<FollowUp>, Reported> {
        unify_spellings(context);
        // Folding one conversion may erase others of the list.
        let mut erased = HashSet::new();
        for op in conversions(context.module()) {
            if !erased.contains(&sys::operation_id(op.op())) {
                fold(op, &mut erased);
            }
        }
        Ok(Vec::new())
    }
}

type Conversion<'c> = ttg::ConvertLayout<'c, 'c>;

fn conversions<'c>(module: OperationRef<'c, '_>) -> Vec<Conversion<'c>> {
    let operations = Inventory::of(module).operations.into_iter();
    operations.filter_map(Conversion::of).collect()
}

/// Gives two spellings of one layout one spelling, wherever a conversion goes between them.
fn unify_spellings(context: &PassContext<'_, '_>) {
    let (module, layouts) = (context.module(), context.layouts());
    for op in conversions(module) {
        let types = [op.src().r#type(), op.result().r#type()];
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
fn fold(op: Conversion<'_>, erased: &mut HashSet<usize>) {
    let result = op.result();
    let mut source = op.src();
    while source.r#type() != result.r#type() {
        match sys::defining_operation(source).and_then(Conversion::of) {
            Some(inner) => source = inner.src(),
            None => break,
        }
    }
    if source.r#type() == result.r#type() {
        sys::replace_all_uses(result, source);
    } else if source != op.src() {
        sys::set_operand(op.op(), op.src_at().start, source);
    }
    erase_unused(op, erased);
}

/// Erases a conversion without uses, and then those that only it used; notes which.
fn erase_unused(op: Conversion<'_>, erased: &mut HashSet<usize>) {
    let mut next = Some(op);
    while let Some(op) = next.filter(|op| sys::is_unused(op.result())) {
        next = sys::defining_operation(op.src()).and_then(Conversion::of);
        erased.insert(sys::operation_id(op.op()));
        sys::erase(op.op());
    }
}
