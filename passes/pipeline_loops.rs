//! `pipeline-loops`: software pipelining of loops whose loads fill buffers in shared memory.
//!
//! ```text
//! for i                                 copy of 0 to slot 0; copy of 1 to slot 1
//!   x = load p[i]                       for i
//!   buffer = alloc x           ->         wait for the copy of i
//!   .. buffer ..                          copy of i + 2 to slot (i + 2) % 3
//!                                         .. slot i % 3 ..
//! ```
//! Each buffer becomes several *slots*, which asynchronous copies fill iterations ahead. A copy overwrites the slot that
//! the iteration before has read. It follows the barrier after the wait, so one barrier per iteration serves both. A
//! load without a buffer gets slots of its own.
//!
//! Two slots are also filled two iterations ahead, where a third one would cost a resident block: the copies follow the
//! reads of the slot, behind a second barrier.
//!
//! A product of warp groups whose result is only yielded stays in flight until the next product has started. If that
//! is in the next iteration, the product still reads its slot: the buffers have one slot more, and the copies start while
//! the product runs; or the copies follow the wait for the product.
//!
//! - [`arguments`]: the arguments that pointers are based on.
//! - [`loads`]: the loads that become copies, and the operations that compute their addresses.
//! - [`products`]: the products that stay in flight.
//! - [`reads`]: the reads of a slot.
//! - [`shared_bytes`]: the shared memory in use during the loop.
//! - [`rewrite`]: the copies before and within the loop.
//!
//! # Source
//! Triton's `tritongpu-pipeline`, which copies after the reads of an iteration, and needs a second barrier there.
//!
//! A loop may store to global memory if loads and stores are based on different arguments of the kernel, and these are
//! assumed to be disjoint.

mod arguments;
mod loads;
mod products;
mod reads;
mod rewrite;
mod shared_bytes;

pub(super) use shared_bytes::bytes_of;

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::rewrite_layouts::functions;
use super::table::PipelineLoopsOptions;
use crate::analysis::assignment::{self, AssignmentOptions, Kernel};
use crate::analysis::axis::Indices;
use crate::analysis::pressure;
use crate::ir::discardable;
use crate::ir::ops::scf;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, FollowUp, Reported};
use linear_layout::target::Target;
use loads::{PipelinedLoop, Stages};
use melior::ir::operation::OperationLike;

impl Pass for PipelineLoopsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        let default = self.default_stages(context)?;
        for function in functions(context.module()) {
            for op in build::in_order(function) {
                if let Some(looped) = scf::For::of(op) {
                    self.pipeline(context, looped, target, default)?;
                }
            }
        }
        Ok(Vec::new())
    }

    fn indices(&self) -> Indices {
        Indices::of_option(self.triton_indices)
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Iterations {
            distinct_arguments: self.distinct_arguments,
        })
    }
}

impl PipelineLoopsOptions {
    /// Returns the options of a later run of the pass.
    ///
    /// # Errors
    /// Reports an invalid number of stages.
    pub(super) fn later(
        context: &PassContext<'_>,
        num_stages: i64,
        distinct_arguments: bool,
    ) -> Result<Self, Reported> {
        let later = Self {
            num_stages,
            distinct_arguments,
            ..Default::default()
        };
        later.default_stages(context)?;
        Ok(later)
    }

    /// Reads `function` as a layout assignment problem in which the values that the pass with these options prefetches can
    /// be read in any layout.
    ///
    /// # Errors
    /// Reports an invalid number of stages.
    pub(super) fn kernel<'c>(
        &self,
        context: &PassContext<'c>,
        function: Op<'c>,
        options: AssignmentOptions,
    ) -> Result<Kernel<'c>, Reported> {
        let mut kernel = assignment::read(function, options.loop_weight, context.get());
        let default = self.default_stages(context)?;
        let ops = build::in_order(function).into_iter();
        let loops: Vec<_> = ops.filter_map(scf::For::of).collect();
        if default == 1
            || loops.is_empty()
            || pressure::far_exceeds_registers(function, context.layouts(), options.target)
        {
            return Ok(kernel);
        }
        for looped in loops {
            if let Ok((plan, ..)) = self.plan(context, looped, options.target, default)? {
                plan.values().for_each(|value| kernel.set_prefetched(value));
            }
        }
        Ok(kernel)
    }

    /// Returns the number of stages of a loop without the attribute `tt.num_stages`.
    ///
    /// # Errors
    /// Reports an invalid number of stages.
    fn default_stages(&self, context: &PassContext<'_>) -> Result<u32, Reported> {
        let stages = u32::try_from(self.num_stages).ok();
        stages.filter(|stages| *stages > 0).ok_or_else(|| {
            context.fail(&Diagnostic::new(format!(
                "invalid option `num-stages={}`, expected 1 or more",
                self.num_stages
            )))
        })
    }

    /// Plans the pipelining of a loop. Returns the plan, its stages and the requested number of stages. The inner error is
    /// the reason if the loop is not pipelined.
    ///
    /// # Errors
    /// Reports an attribute `tt.num_stages` that is not an integer.
    fn plan<'c>(
        &self,
        context: &PassContext<'c>,
        looped: scf::For<'c, 'c>,
        target: &Target,
        default: u32,
    ) -> Result<Result<(PipelinedLoop<'c>, Stages, u32), String>, Reported> {
        let own = stages(looped.op())?;
        let requested = own.unwrap_or(default);
        let distinct = self.distinct_arguments;
        let plan = PipelinedLoop::of(context, looped, target, distinct, own.is_some());
        Ok(plan.and_then(|plan| {
            let stages = plan.stages(target, requested)?;
            Ok((plan, stages, requested))
        }))
    }

    fn pipeline<'c>(
        &self,
        context: &PassContext<'c>,
        looped: scf::For<'c, 'c>,
        target: &Target,
        default: u32,
    ) -> Result<(), Reported> {
        let outcome = self.plan(context, looped, target, default)?;
        let text = match outcome {
            Ok((plan, stages, requested)) => {
                let text = plan.explanation(stages, requested);
                match rewrite::rewrite(context, &plan, stages) {
                    Some(()) => text,
                    None => return Ok(()),
                }
            }
            Err(reason) => format!("loop not pipelined: {reason}"),
        };
        if self.explain {
            context.remark(looped.op(), &text);
        }
        Ok(())
    }
}

/// Returns the number of stages that an attribute of the loop requests, or `None` if the loop has no such
/// attribute.
///
/// # Errors
/// Reports an attribute that is not an integer.
fn stages(looped: Op<'_>) -> Result<Option<u32>, Reported> {
    let name = discardable::NUM_STAGES;
    let Ok(stages) = looped.attribute(name) else {
        return Ok(None);
    };
    match build::integer_value(stages) {
        Some(stages) => Ok(Some(u32::try_from(stages).unwrap_or(0))),
        None => Err(sys::emit_error(
            looped,
            &Diagnostic::new(format!("requires an integer `{name}`, but got `{stages}`")),
        )),
    }
}

/// Returns true if a GPU has asynchronous copies in which each thread has its own destination address.
pub(super) fn copies_to_any_address(target: &Target) -> bool {
    target.instructions.async_copies || target.instructions.async_to_shared
}
