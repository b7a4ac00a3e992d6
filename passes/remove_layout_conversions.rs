//! `remove-layout-conversions`: joint assignment of layouts to all values of a kernel.
//!
//! [`crate::analysis::assignment`] computes the assignment, [`super::rewrite_layouts`] applies it in one rewrite.
//! [`super::proof`] verifies the result independently.

mod report;

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::rewrite_layouts::{drop_dead, functions, rewrite};
use super::table::{PipelineLoopsOptions, RemoveLayoutConversionsOptions};
use crate::analysis::assignment::{
    self, Assignment, AssignmentOptions, ConversionOutcome, ConversionReport, Kernel, NodeOrSlice,
    PriceCache, Scope, ScratchOverflow,
};
use crate::analysis::axis::Indices;
use crate::ir::ops::tt;
use crate::ir::{ModuleInfo, ProductTypes, TensorType};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic, FollowUp, Reported};
use linear_layout::assign::Price;
use linear_layout::target::Target;
use melior::ir::ValueLike;

const MEMORY: [&str; 2] = ["pinned", "free"];

impl Pass for RemoveLayoutConversionsOptions {
    fn indices(&self) -> Indices {
        Indices::of_option(self.triton_indices)
    }

    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let options = self.assignment_options(context)?;
        let module = context.module();
        let mut entries = Vec::new();
        let barrier_cost = penalty(context, "barrier-cost", self.barrier_cost)?;
        for function in functions(module) {
            let is_one_warp = ModuleInfo::around(function).is_ok_and(|info| info.num_warps == 1);
            let options = match is_one_warp {
                true => of_one_warp(options),
                false => AssignmentOptions {
                    conversion_cost: options.conversion_cost + barrier_cost,
                    ..options
                },
            };
            self.function(context, function, options, &mut entries)?;
        }
        if let Some(file) = &self.report {
            report::write(file, &entries).map_err(|error| sys::emit_error(module, &error))?;
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
    pub(super) fn assignment_options(
        &self,
        context: &PassContext<'_>,
    ) -> Result<AssignmentOptions, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        if !MEMORY.contains(&self.memory.as_str()) {
            let error = Diagnostic::new(format!(
                "invalid option `memory={}`, expected {}",
                self.memory,
                MEMORY.join(" or ")
            ));
            return Err(context.fail_with_nearest(error, &self.memory, MEMORY));
        }
        let conversion_cost = penalty(context, "conversion-cost", self.conversion_cost)?;
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
        if !(0..=100).contains(&self.min_gain) {
            return Err(context.fail(&Diagnostic::new(format!(
                "invalid option `min-gain={}`, expected 0 to 100 percent",
                self.min_gain
            ))));
        }
        Ok(AssignmentOptions {
            target,
            scope: if self.memory == MEMORY[0] {
                Scope::AllButMemory
            } else {
                Scope::All
            },
            loop_weight,
            conversion_cost,
            scratch_budget,
            barrier_latency: 0,
            latency: 0,
            blocked_scans: self.blocked_scans,
        })
    }

    pub(super) fn default_options(target: &'static Target, scope: Scope) -> AssignmentOptions {
        let defaults = Self::default();
        AssignmentOptions {
            target,
            scope,
            loop_weight: defaults.loop_weight.unsigned_abs(),
            conversion_cost: 4 * defaults.conversion_cost.unsigned_abs(),
            scratch_budget: None,
            barrier_latency: 0,
            latency: 0,
            blocked_scans: defaults.blocked_scans,
        }
    }

    fn function<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        options: AssignmentOptions,
        entries: &mut Vec<String>,
    ) -> Result<(), Reported> {
        let rewriter = context.rewriter();
        let explains = self.explain || self.report.is_some();
        let (num_stages, distinct_arguments) = (self.num_stages, self.distinct_arguments);
        let pipelining = PipelineLoopsOptions::later(context, num_stages, distinct_arguments)?;
        let mut first = None;
        let mut plans = PriceCache::of(options);
        // The costs without a budget, for comparison.
        let free = match options.scratch_budget.filter(|_| explains) {
            None => None,
            Some(_) => {
                let mut kernel = pipelining.kernel(context, function, options)?;
                let options = AssignmentOptions {
                    scratch_budget: None,
                    ..options
                };
                let free = assignment::assign(&mut kernel, options, &mut PriceCache::of(options));
                Some((free.before, free.price.0.min(free.before.0)))
            }
        };
        // The last round finds no cheaper assignment, which makes the pass idempotent.
        for round in 0..MAX_ROUNDS {
            drop_dead(rewriter, function, &mut |_| ());
            let mut kernel = pipelining.kernel(context, function, options)?;
            let (assignment, explanation) = if explains {
                let (assignment, explanation) =
                    assignment::assign_explained(&mut kernel, options, &mut plans);
                (assignment, Some(explanation))
            } else {
                (assignment::assign(&mut kernel, options, &mut plans), None)
            };
            let is_better = assignment.is_better();
            if round == 0 && is_better && !self.gains_enough(&assignment) {
                if self.explain {
                    let (before, after) = (assignment.before.0, assignment.price.0);
                    let text = report::of_kept(before, after, self.min_gain);
                    context.remark(function, &text);
                }
                let costs = (assignment.before, assignment.price);
                entries.push(report::kept_entry((function, options), costs));
                return Ok(());
            }
            let is_done = !is_better;
            if let Some(overflow) = assignment.largest.filter(|_| is_done) {
                return Err(self.fail_budget(&kernel, overflow));
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
                        budget: options.scratch_budget.zip(free).map(|(bytes, (_, free))| {
                            (bytes, assignment.before.0.saturating_sub(free))
                        }),
                    };
                    self.explain_remaining(context, function, (&kernel, &explanation), costs);
                    if self.explain {
                        explain_products(context, function, options, &mut plans);
                    }
                    entries.push(report::entry(
                        (function, options),
                        costs,
                        &report::remaining(&kernel, &explanation),
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

    fn gains_enough(&self, assignment: &Assignment) -> bool {
        let (before, after) = (
            u128::from(assignment.before.0),
            u128::from(assignment.price.0),
        );
        let rest = u128::from(100 - self.min_gain.unsigned_abs());
        self.min_gain == 0 || after * 100 <= before * rest
    }

    /// Reports the error that every assignment needs more scratch memory than the budget allows.
    fn fail_budget(&self, kernel: &Kernel<'_>, overflow: ScratchOverflow) -> Reported {
        let op = match overflow.of {
            NodeOrSlice::Node(node) => kernel.nodes[node].op,
            NodeOrSlice::Slice(slice) => kernel.slices[slice].op,
        };
        let what = match overflow.is_conversion {
            true => "has a result whose conversion requires",
            false => "requires",
        };
        let error = format!(
            "{what} {} bytes of shared memory for every choice of layouts, but `scratch-budget` allows {}",
            overflow.bytes, self.scratch_budget
        );
        let nearest = format!("`scratch-budget={}` is sufficient", overflow.bytes);
        sys::emit_error(op, &Diagnostic::new(error).note(nearest))
    }

    fn explain_removed<'c>(
        &self,
        context: &PassContext<'c>,
        kernel: &Kernel<'c>,
        report: &ConversionReport,
    ) {
        let outcomes = kernel.conversions.iter().zip(&report.outcomes);
        for (conversion, outcome) in outcomes.filter(|_| self.explain) {
            if !matches!(outcome, ConversionOutcome::Kept(_)) {
                context.remark(conversion.op, &outcome.to_string());
            }
        }
    }

    fn explain_remaining<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        (kernel, report): (&Kernel<'c>, &ConversionReport),
        costs: report::Costs,
    ) {
        if !self.explain {
            return;
        }
        context.remark(function, &report::of_function(costs));
        for (conversion, outcome) in kernel.conversions.iter().zip(&report.outcomes) {
            if let ConversionOutcome::Kept(at) = outcome {
                let text = report::of_remaining(kernel, conversion.op, &report.remaining[*at]);
                context.remark(conversion.op, &text);
            }
        }
    }
}

fn explain_products<'c>(
    context: &PassContext<'c>,
    function: Op<'c>,
    options: AssignmentOptions,
    plans: &mut PriceCache,
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
        let Ok(product) = plans.product(&types, layouts, options) else {
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
                "product uses {} and converts {} internally: {} cycles per execution for the conversions",
                product.plan.instruction(),
                names.join(" and "),
                cycles.div_ceil(4)
            ),
        );
    }
}

/// Maximum latency that a conversion or a further access of a load adds per execution in a thread block of one warp, in
/// quarters of a cycle.
///
/// Such a conversion needs no barrier, and the warps of many other blocks run meanwhile. On an H200, with this latency
/// instead of 130 cycles per conversion, kernels of one warp take 0.81 to 0.96 of the time (triangular solves, norms,
/// recurrences). Without any latency, conversions in front of the products of a loop make kernels take 1.11 to 1.19 of the
/// time. If only conversions have a latency, a triangular solve loads a row twice to save a shuffle, and takes 1.39 of the
/// time.
const ONE_WARP_LATENCY: Price = 4 * 10;

/// Returns the options for a function whose thread blocks have one warp.
fn of_one_warp(options: AssignmentOptions) -> AssignmentOptions {
    let latency = options.conversion_cost.min(ONE_WARP_LATENCY);
    AssignmentOptions {
        conversion_cost: 0,
        latency: u32::try_from(latency).unwrap_or(u32::MAX),
        ..options
    }
}

/// Maximum value of the options `conversion-cost` and `barrier-cost`, in cycles.
const MAX_CYCLES: u64 = 1 << 20;

/// Returns the value of an option in cycles as a price, in quarters of a cycle.
fn penalty(context: &PassContext<'_>, option: &str, cycles: i64) -> Result<Price, Reported> {
    let valid = u64::try_from(cycles).ok().filter(|n| *n <= MAX_CYCLES);
    let valid = valid.ok_or_else(|| {
        context.fail(&Diagnostic::new(format!(
            "invalid option `{option}={cycles}`, expected 0 to {MAX_CYCLES} cycles"
        )))
    })?;
    Ok(valid * 4)
}

/// Maximum number of rounds. Each round computes an assignment and rewrites the function. Two rounds are usual.
const MAX_ROUNDS: usize = 6;
