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
//! A product of warp groups whose result is only yielded stays in flight until the next product has started. If that
//! is in the next iteration, the product still reads its slot: the buffers have one slot more, or the copies follow the
//! wait for the product.
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

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::rewrite_layouts::functions;
use super::table::PipelineLoopsOptions;
use crate::analysis::axis::Dividends;
use crate::ir::discardable;
use crate::ir::ops::scf;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic, FollowUp, Reported};
use linear_layout::target::Target;
use loads::PipelinedLoop;
use melior::ir::operation::OperationLike;

impl Pass for PipelineLoopsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        let default = u32::try_from(self.num_stages)
            .ok()
            .filter(|stages| *stages > 0);
        let Some(default) = default else {
            return Err(context.fail(&Diagnostic::new(format!(
                "invalid option `num-stages={}`, expected 1 or more",
                self.num_stages
            ))));
        };
        for function in functions(context.module()) {
            for op in build::in_order(function) {
                if let Some(looped) = scf::For::of(op) {
                    self.pipeline(context, looped, target, default)?;
                }
            }
        }
        Ok(Vec::new())
    }

    fn dividends(&self) -> Dividends {
        Dividends::of_option(self.non_negative_dividends)
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Iterations {
            distinct_arguments: self.distinct_arguments,
        })
    }
}

impl PipelineLoopsOptions {
    fn pipeline<'c>(
        &self,
        context: &PassContext<'c>,
        looped: scf::For<'c, 'c>,
        target: &Target,
        default: u32,
    ) -> Result<(), Reported> {
        let own = stages(looped.op())?;
        let requested = own.unwrap_or(default);
        let outcome = PipelinedLoop::of(
            context,
            looped,
            target,
            self.distinct_arguments,
            own.is_some(),
        )
        .and_then(|plan| {
            let stages = plan.stages(target, requested)?;
            Ok((plan, stages))
        });
        let text = match outcome {
            Ok((plan, stages)) => {
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
