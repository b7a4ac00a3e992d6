//! `convert-layouts-to-llvm`: see [`crate::lower`].

use super::Pass;
use super::context::PassContext;
use super::table::ConvertLayoutsToLLVMOptions;
use crate::lower;
use crate::sys::{FollowUp, Reported};

/// What finishes the loops, `arith` and `math` that the lowering leaves; all but the loops in one sweep.
const FINISH: [FollowUp; 4] = [
    FollowUp::ScfToControlFlow,
    FollowUp::ToLlvm,
    FollowUp::ReconcileCasts,
    FollowUp::Cse,
];

impl Pass for ConvertLayoutsToLLVMOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let gpu = context.gpu(self.target.as_deref());
        lower::lower_module(context.rewriter(), context.module(), gpu)?;
        Ok(FINISH.to_vec())
    }

    /// After the last conversion there is nothing but the LLVM dialect.
    fn finish(&self, context: &PassContext<'_>) -> Result<(), Reported> {
        lower::check_lowered(context.module())
    }
}
