//! `remove-layout-conversions`: the layouts of a whole kernel, chosen at once.
//!
//! [`crate::analysis::assignment`] decides; `rewrite` carries it out, once; `check` proves it, and knows nothing of
//! how it came about.

mod check;
mod report;
mod rewrite;

use super::Pass;
use super::context::PassContext;
use super::table::RemoveLayoutConversionsOptions;
use crate::analysis::assignment::{self, Asked, Explanation, Kernel, Role, Went};
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, FollowUp, Reported, Rewriter};
use melior::ir::operation::OperationLike;

/// What `memory` may be.
const MEMORY: [&str; 2] = ["pinned", "free"];

impl Pass for RemoveLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let asked = self.asked(context)?;
        let module = context.module();
        let mut entries = Vec::new();
        let functions = build::module_body(module).map(build::operations);
        for function in functions.unwrap_or_default() {
            if function.region_count() > 0 {
                self.function(context, function, asked, &mut entries)?;
            }
        }
        if let Some(file) = &self.report {
            report::write(file, &entries).map_err(|said| sys::emit_error(module, &said))?;
        }
        Ok(Vec::new())
    }
}

impl RemoveLayoutConversionsOptions {
    fn asked(&self, context: &PassContext<'_>) -> Result<Asked, Reported> {
        let unsaid = "has no target that layouts could be chosen for";
        let target =
            context.known_gpu(self.target.as_deref(), unsaid, "cannot be given layouts")?;
        if !MEMORY.contains(&self.memory.as_str()) {
            let said = Diagnostic::new(format!(
                "cannot choose layouts with `memory={}`: it is {}",
                self.memory,
                MEMORY.join(" or ")
            ));
            return Err(context.fail_with_nearest(said, &self.memory, MEMORY));
        }
        let loop_weight = u64::try_from(self.loop_weight).ok().filter(|n| *n > 0);
        let loop_weight = loop_weight.ok_or_else(|| {
            context.fail(&Diagnostic::new(format!(
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
        entries: &mut Vec<String>,
    ) -> Result<(), Reported> {
        let rewriter = context.rewriter();
        let explains = self.explain || self.report.is_some();
        let mut first = None;
        // The last round finds nothing that costs less, so that a second run of the pass does not either.
        for _ in 0..MOST_ROUNDS {
            drop_dead(rewriter, function);
            let mut kernel = assignment::read(function, asked.loop_weight);
            let (assignment, explanation) = if explains {
                let (assignment, explanation) = assignment::assign_explained(&mut kernel, asked);
                (assignment, Some(explanation))
            } else {
                (assignment::assign(&mut kernel, asked), None)
            };
            let is_done = assignment.price >= assignment.before;
            if let Some(explanation) = explanation {
                if first.is_none() {
                    self.explain_removed(context, &kernel, &explanation);
                    first = Some((
                        assignment.before,
                        report::conversions(&kernel, &explanation),
                    ));
                }
                if let Some((before, conversions)) = first.as_ref().filter(|_| is_done) {
                    let costs = report::Costs {
                        before: *before,
                        after: assignment.before,
                        bound: assignment.bound.min(assignment.before.0),
                    };
                    self.explain_left(context, function, (&kernel, &explanation), costs);
                    entries.push(report::entry(
                        (function, asked),
                        costs,
                        &report::left(&kernel, &explanation),
                        conversions,
                    ));
                }
            }
            if is_done {
                break;
            }
            let names = self.verify.then(|| check::names(function));
            rewrite::rewrite(rewriter, &mut kernel, &assignment);
            drop_dead(rewriter, function);
            if let Some(mut before) = names {
                check::compare(&mut before, function)?;
            }
        }
        Ok(())
    }

    fn explain_removed<'c>(
        &self,
        context: &PassContext<'c>,
        kernel: &Kernel<'c>,
        explanation: &Explanation,
    ) {
        let went = kernel.conversions.iter().zip(&explanation.went);
        for (conversion, went) in went.filter(|_| self.explain) {
            if !matches!(went, Went::Stays(_)) {
                context.remark(conversion.op, report::of_conversion(*went));
            }
        }
    }

    fn explain_left<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        (kernel, explanation): (&Kernel<'c>, &Explanation),
        costs: report::Costs,
    ) {
        if !self.explain {
            return;
        }
        context.remark(function, &report::of_function(costs));
        for (conversion, went) in kernel.conversions.iter().zip(&explanation.went) {
            if let Went::Stays(at) = went {
                let text = report::of_left(kernel, &explanation.left[*at]);
                context.remark(conversion.op, &text);
            }
        }
    }
}

/// How often layouts are chosen for what the last choice made; twice is the rule.
const MOST_ROUNDS: usize = 6;

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
