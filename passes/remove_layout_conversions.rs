//! `remove-layout-conversions`: the layouts of a whole kernel, chosen at once.
//!
//! [`crate::analysis::assignment`] decides; [`super::rewrite_layouts`] carries it out, once; [`super::proof`] proves it, and knows
//! nothing of how it came about.

mod report;

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::rewrite_layouts::{drop_dead, functions, rewrite};
use super::table::RemoveLayoutConversionsOptions;
use crate::analysis::assignment::{
    self, Asked, Explanation, Kernel, Large, Of, Plans, Scope, Went,
};
use crate::ir::ops::tt;
use crate::ir::{ProductTypes, TensorType};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic, FollowUp, Reported};
use linear_layout::target::Target;
use melior::ir::ValueLike;

/// What `memory` may be.
const MEMORY: [&str; 2] = ["pinned", "free"];

impl Pass for RemoveLayoutConversionsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let asked = self.asked(context)?;
        let module = context.module();
        let mut entries = Vec::new();
        for function in functions(module) {
            self.function(context, function, asked, &mut entries)?;
        }
        if let Some(file) = &self.report {
            report::write(file, &entries).map_err(|said| sys::emit_error(module, &said))?;
        }
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Values)
    }

    fn is_verified(&self) -> bool {
        self.verify
    }
}

impl RemoveLayoutConversionsOptions {
    pub(super) fn asked(&self, context: &PassContext<'_>) -> Result<Asked, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        if !MEMORY.contains(&self.memory.as_str()) {
            let said = Diagnostic::new(format!(
                "invalid option `memory={}`, expected {}",
                self.memory,
                MEMORY.join(" or ")
            ));
            return Err(context.fail_with_nearest(said, &self.memory, MEMORY));
        }
        let conversion_cost = u64::try_from(self.conversion_cost).ok();
        let conversion_cost = conversion_cost.filter(|cycles| *cycles <= MOST_CYCLES);
        let conversion_cost = conversion_cost.ok_or_else(|| {
            context.fail(&Diagnostic::new(format!(
                "invalid option `conversion-cost={}`, expected 0 to {MOST_CYCLES} cycles",
                self.conversion_cost
            )))
        })?;
        let scratch_budget = match self.scratch_budget {
            -1 => None,
            bytes => Some(u32::try_from(bytes).map_err(|_| {
                context.fail(&Diagnostic::new(format!(
                    "invalid option `scratch-budget={bytes}`, expected 0 or more bytes"
                )))
            })?),
        };
        let loop_weight = u64::try_from(self.loop_weight).ok().filter(|n| *n > 0);
        let loop_weight = loop_weight.ok_or_else(|| {
            context.fail(&Diagnostic::new(format!(
                "invalid option `loop-weight={}`, expected at least 1",
                self.loop_weight
            )))
        })?;
        Ok(Asked {
            target,
            scope: if self.memory == MEMORY[0] {
                Scope::AllButMemory
            } else {
                Scope::All
            },
            loop_weight,
            conversion_cost: conversion_cost * 4,
            scratch_budget,
            barrier_latency: 0,
        })
    }

    /// What the pass asks by default, for a GPU and within a scope.
    pub(super) fn usual(target: &'static Target, scope: Scope) -> Asked {
        let usual = Self::default();
        Asked {
            target,
            scope,
            loop_weight: usual.loop_weight.unsigned_abs(),
            conversion_cost: 4 * usual.conversion_cost.unsigned_abs(),
            scratch_budget: None,
            barrier_latency: 0,
        }
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
        let mut plans = Plans::default();
        // What would be chosen without a budget.
        let free = asked.scratch_budget.filter(|_| explains).map(|_| {
            let mut kernel = assignment::read(function, asked.loop_weight, context.get());
            let asked = Asked {
                scratch_budget: None,
                ..asked
            };
            let free = assignment::assign(&mut kernel, asked, &mut Plans::default());
            (free.before, free.price.0.min(free.before.0))
        });
        // The last round finds nothing that costs less, so that a second run of the pass does not either.
        for _ in 0..MOST_ROUNDS {
            drop_dead(rewriter, function, &mut |_| ());
            let mut kernel = assignment::read(function, asked.loop_weight, context.get());
            let (assignment, explanation) = if explains {
                let (assignment, explanation) =
                    assignment::assign_explained(&mut kernel, asked, &mut plans);
                (assignment, Some(explanation))
            } else {
                (assignment::assign(&mut kernel, asked, &mut plans), None)
            };
            let is_done = !assignment.is_better();
            if let Some(large) = assignment.largest.filter(|_| is_done) {
                return Err(self.beyond(&kernel, large));
            }
            if let Some(explanation) = explanation {
                if first.is_none() {
                    self.explain_removed(context, &kernel, &explanation);
                    first = Some((
                        free.map_or(assignment.before, |(before, _)| before),
                        report::conversions(&kernel, &explanation),
                    ));
                }
                if let Some((before, conversions)) = first.as_ref().filter(|_| is_done) {
                    let costs = report::Costs {
                        before: *before,
                        after: assignment.before,
                        bound: assignment.bound.min(assignment.before.0),
                        budget: asked.scratch_budget.zip(free).map(|(bytes, (_, free))| {
                            (bytes, assignment.before.0.saturating_sub(free))
                        }),
                    };
                    self.explain_left(context, function, (&kernel, &explanation), costs);
                    if self.explain {
                        explain_products(context, function, asked, &mut plans);
                    }
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
            rewrite(rewriter, &mut kernel, &assignment);
            drop_dead(rewriter, function, &mut |_| ());
        }
        Ok(())
    }

    /// Says that nothing keeps within the bytes that are allowed.
    fn beyond(&self, kernel: &Kernel<'_>, large: Large) -> Reported {
        let op = match large.of {
            Of::Node(node) => kernel.nodes[node].op,
            Of::Slice(slice) => kernel.slices[slice].op,
        };
        let what = match large.is_conversion {
            true => "has a result whose conversion takes",
            false => "takes",
        };
        let said = format!(
            "{what} {} bytes of shared memory, but no choice of layouts fits `scratch-budget={}`",
            large.bytes, self.scratch_budget
        );
        let nearest = format!("`scratch-budget={}` is sufficient", large.bytes);
        sys::emit_error(op, &Diagnostic::new(said).note(nearest))
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
                context.remark(conversion.op, &went.to_string());
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
                let text = report::of_left(kernel, conversion.op, &explanation.left[*at]);
                context.remark(conversion.op, &text);
            }
        }
    }
}

/// Emits a remark at each product that converts operands or its result itself.
fn explain_products<'c>(
    context: &PassContext<'c>,
    function: Op<'c>,
    asked: Asked,
    plans: &mut Plans,
) {
    for dot in build::in_order(function)
        .into_iter()
        .filter_map(tt::Dot::of)
    {
        let layout = |value: Val<'c>| {
            let tensor = TensorType::of(value.r#type())?;
            context.layouts().tensor(&tensor).ok()
        };
        let operands = (layout(dot.a()), layout(dot.b()), layout(dot.c()));
        let ((Some(a), Some(b), Some(d)), Ok(types)) = (operands, ProductTypes::of(dot)) else {
            continue;
        };
        let layouts = [&a.unique, &b.unique, &d.unique];
        let Ok(product) = plans.product(&types, layouts, asked) else {
            continue;
        };
        let is_converted = product.plan.is_converted().into_iter();
        let names = is_converted.zip(["the left operand", "the right operand", "the result"]);
        let names: Vec<&str> = names.filter(|(is, _)| *is).map(|(_, name)| name).collect();
        if names.is_empty() {
            continue;
        }
        let costs = product.plan.conversions().into_iter().flatten();
        let cycles: u32 = costs.map(|(_, cost)| cost.total()).sum();
        context.remark(
            dot.op(),
            &format!(
                "is multiplied by {}, for which it converts {} itself: {} cycles per execution",
                product.plan.instruction(),
                names.join(" and "),
                cycles.div_ceil(4)
            ),
        );
    }
}

/// The most that a conversion may count beyond its plan.
const MOST_CYCLES: u64 = 1 << 20;

/// How often layouts are chosen for what the last choice made; twice is the rule.
const MOST_ROUNDS: usize = 6;
