//! `fold-layout-conversions`: conversions that move nothing disappear.

use super::Pass;
use super::context::PassContext;
use super::respell::{Inventory, attribute, respell, root};
use super::table::FoldLayoutConversionsOptions;
use crate::ir::ops::ttg::ConvertLayout;
use crate::ir::{TensorLayout, TensorType};
use crate::sys::build::Op;
use crate::sys::{self, FollowUp, Reported};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use std::collections::HashMap;
use std::sync::Arc;

impl Pass for FoldLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let folding = Folding {
            context,
            explain: self.explain,
        };
        let kept = folding.unify_spellings();
        let all = conversions(context).into_iter().map(ConvertLayout::op);
        context.rewriter().each(all, |op| {
            folding.fold(op);
        });
        folding.explain_rest(&kept);
        Ok(Vec::new())
    }
}

/// Why a conversion between two spellings of one layout keeps both.
enum Kept<'c> {
    /// This operation asks for one of them.
    AskedBy(Op<'c>),
    /// They are two layouts on other tensors of the module.
    DiffersElsewhere,
}

struct Folding<'a, 'c> {
    context: &'a PassContext<'c>,
    /// Whether to tell the user what becomes of each conversion.
    explain: bool,
}

fn conversion(op: Op<'_>) -> Option<ConvertLayout<'_, '_>> {
    ConvertLayout::of(op)
}

fn conversions<'c>(context: &PassContext<'c>) -> Vec<ConvertLayout<'c, 'c>> {
    let inventory = context.get::<Inventory<'_>>();
    let all = inventory.operations.iter();
    all.filter_map(|op| conversion(*op)).collect()
}

impl<'c> Folding<'_, 'c> {
    fn remark(&self, op: Op<'c>, text: impl FnOnce() -> String) {
        if self.explain {
            self.context.remark(op, &text());
        }
    }

    /// The layouts that a conversion goes between.
    fn layouts(&self, cvt: ConvertLayout<'c, 'c>) -> Option<[Arc<TensorLayout>; 2]> {
        let layout = |type_| {
            let tensor = TensorType::of(type_)?;
            self.context.layouts().tensor(&tensor).ok()
        };
        Some([layout(cvt.src().r#type())?, layout(cvt.result().r#type())?])
    }

    /// Gives two spellings of one layout one spelling, wherever a conversion goes between them; returns why
    /// the others keep theirs.
    fn unify_spellings(&self) -> HashMap<usize, Kept<'c>> {
        let mut kept = HashMap::new();
        for cvt in conversions(self.context) {
            let Some([from, to]) = self.layouts(cvt) else {
                continue;
            };
            let (old, new) = (root(&to.encoding), root(&from.encoding));
            if from.unique != to.unique || old == new {
                continue;
            }
            let mut reason = Kept::DiffersElsewhere;
            let mut is_done = false;
            for (old, new) in [(old, new), (new, old)] {
                let context = self.context;
                let inventory = context.get::<Inventory<'_>>();
                if is_done || !inventory.allows(context.layouts(), old, new) {
                    continue;
                }
                let module = context.module();
                let Some(pair) = attribute(module, old).zip(attribute(module, new)) else {
                    continue;
                };
                match respell(context, vec![pair]) {
                    Ok(()) => {
                        is_done = true;
                        self.remark(cvt.op(), || {
                            format!("`{old}` is spelled `{new}` everywhere: they are one layout")
                        });
                    }
                    Err(Some(op)) => reason = Kept::AskedBy(op),
                    Err(None) => {}
                }
            }
            if !is_done {
                kept.insert(sys::operation_id(cvt.op()), reason);
            }
        }
        kept
    }

    /// A chain of conversions becomes one, from the first operand; one that arrives where it began
    /// disappears.
    fn fold(&self, op: Op<'c>) -> Option<()> {
        let rewriter = self.context.rewriter();
        let cvt = conversion(op)?;
        let (own, result) = (cvt.src(), cvt.result());
        let mut source = own;
        while source.r#type() != result.r#type() {
            match sys::defining_operation(source).and_then(conversion) {
                Some(inner) => source = inner.src(),
                None => break,
            }
        }
        if source.r#type() == result.r#type() {
            self.remark(op, || {
                if source == own {
                    "is removed: its operand has the layout of its result".to_owned()
                } else {
                    "is removed: the conversions before it began with this layout".to_owned()
                }
            });
            rewriter.replace(op, &[source]);
            self.erase_unused(own);
            return Some(());
        }
        if source != own {
            self.remark(op, || {
                "takes its operand from before the conversions that made it".to_owned()
            });
            rewriter.set_operand(op, cvt.src_at().start, source);
            self.erase_unused(own);
        }
        self.erase_unused(result);
        Some(())
    }

    /// Erases the conversion that makes a value nobody uses, and then those that only it used.
    fn erase_unused(&self, mut value: sys::build::Val<'c>) {
        while sys::is_unused(value) {
            let Some(cvt) = sys::defining_operation(value).and_then(conversion) else {
                return;
            };
            self.remark(cvt.op(), || "is removed: nothing uses it".to_owned());
            value = cvt.src();
            self.context.rewriter().erase(cvt.op());
        }
    }

    /// Says why each conversion that is left stays.
    fn explain_rest(&self, kept: &HashMap<usize, Kept<'c>>) {
        if !self.explain {
            return;
        }
        for cvt in conversions(self.context) {
            let Some([from, to]) = self.layouts(cvt) else {
                continue;
            };
            let text = match kept.get(&sys::operation_id(cvt.op())) {
                _ if from.unique != to.unique => format!(
                    "stays: data moves from `{}` to `{}`",
                    from.encoding, to.encoding
                ),
                Some(Kept::AskedBy(op)) => format!(
                    "stays, and moves nothing: `{}` asks for `{}` by its kind",
                    sys::identifier_text(op.name()),
                    to.encoding
                ),
                Some(Kept::DiffersElsewhere) | None => format!(
                    "stays, and moves nothing: `{}` and `{}` differ on other tensors",
                    from.encoding, to.encoding
                ),
            };
            self.context.remark(cvt.op(), &text);
        }
    }
}
