//! `remove-layout-conversions`: the layouts of a whole kernel, chosen at once.
//!
//! [`crate::analysis::assignment`] decides; `rewrite` carries it out, once; `check` proves it, and knows nothing of
//! how it came about.

mod check;
mod rewrite;

use super::Pass;
use super::context::PassContext;
use super::table::RemoveLayoutConversionsOptions;
use crate::analysis::assignment::{self, Asked, Role};
use crate::encoding::spelling::nearest;
use crate::ir::NoGpu;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, FollowUp, Reported, Rewriter};
use melior::ir::operation::OperationLike;

/// What `memory` may be.
const MEMORY: [&str; 2] = ["pinned", "free"];

impl Pass for RemoveLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let asked = self.asked(context)?;
        let module = context.module();
        for block in build::blocks(module, 0) {
            for function in build::operations(block) {
                if function.region_count() > 0 {
                    self.function(context, function, asked)?;
                }
            }
        }
        Ok(Vec::new())
    }
}

impl RemoveLayoutConversionsOptions {
    fn asked(&self, context: &PassContext<'_>) -> Result<Asked, Reported> {
        let module = context.module();
        let wrong = |said: &Diagnostic| sys::emit_error(module, said);
        let target = context.gpu(self.target.as_deref()).map_err(|reason| {
            wrong(&match reason {
                NoGpu::Unsaid => Diagnostic::new("has no target that layouts could be chosen for")
                    .note(
                        "give the module `ttg.target = \"cuda:90\"`, or the pass `target=cuda:90`",
                    ),
                NoGpu::Unknown(e) => Diagnostic::new(format!("cannot be given layouts: {e}")),
            })
        })?;
        if !MEMORY.contains(&self.memory.as_str()) {
            let said = Diagnostic::new(format!(
                "cannot choose layouts with `memory={}`: it is {}",
                self.memory,
                MEMORY.join(" or ")
            ));
            return Err(wrong(&match nearest(&self.memory, MEMORY) {
                Some(near) => said.note(format!("did you mean `{near}`?")),
                None => said,
            }));
        }
        let loop_weight = u64::try_from(self.loop_weight).ok().filter(|n| *n > 0);
        let loop_weight = loop_weight.ok_or_else(|| {
            wrong(&Diagnostic::new(format!(
                "cannot choose layouts with `loop-weight={}`: a loop's body counts once at least",
                self.loop_weight
            )))
        })?;
        Ok(Asked {
            target,
            pins_memory: self.memory == MEMORY[0],
            loop_weight,
        })
    }

    fn function<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        asked: Asked,
    ) -> Result<(), Reported> {
        let rewriter = context.rewriter();
        drop_dead(rewriter, function);
        let mut kernel = assignment::read(function, asked.loop_weight);
        let assignment = assignment::assign(&mut kernel, asked);
        if self.explain {
            let (before, after) = (assignment.before, assignment.price);
            context.remark(
                function,
                &format!(
                    "{} cycles and {} conversions before, {} and {} after; none cost less than {}",
                    before.0.div_ceil(16),
                    before.1,
                    after.0.div_ceil(16),
                    after.1,
                    assignment.bound.div_ceil(16)
                ),
            );
        }
        if assignment.price >= assignment.before {
            return Ok(());
        }
        let names = self.verify.then(|| check::names(function));
        rewrite::rewrite(rewriter, &mut kernel, &assignment);
        drop_dead(rewriter, function);
        match names {
            Some(mut before) => check::compare(&mut before, function),
            None => Ok(()),
        }
    }
}

/// Takes away operations that do nothing and whose results nothing uses.
fn drop_dead<'c>(rewriter: Rewriter<'c>, op: Op<'c>) {
    for region in 0..op.region_count() {
        for block in build::blocks(op, region) {
            // Users before what they use.
            for inner in build::operations(block).into_iter().rev() {
                let is_unused = build::results(inner).into_iter().all(sys::is_unused);
                if is_unused && inner.result_count() > 0 && Role::of(inner).is_pure() {
                    rewriter.erase(inner);
                } else {
                    drop_dead(rewriter, inner);
                }
            }
        }
    }
}
