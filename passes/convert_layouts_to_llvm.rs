//! `convert-layouts-to-llvm`: see [`crate::lower`].

use super::Pass;
use super::context::PassContext;
use super::table::ConvertLayoutsToLLVMOptions;
use crate::encoding::spelling::nearest;
use crate::lower::{self, Abi};
use crate::sys::{self, Diagnostic, FollowUp, Reported};

/// What finishes the loops and numbers of type `index` that the lowering leaves, where it leaves any; all but the
/// loops in one sweep.
const FINISH: [FollowUp; 4] = [
    FollowUp::ScfToControlFlow,
    FollowUp::ToLlvm,
    FollowUp::ReconcileCasts,
    FollowUp::Cse,
];

impl Pass for ConvertLayoutsToLLVMOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let gpu = context.gpu(self.target.as_deref());
        let abi = self.abi(context)?;
        lower::lower_module(context.rewriter(), context.module(), gpu, abi)?;
        // What was emitted once needs no clean-up; what MLIR's conversions make does.
        let is_finished = lower::left(context.module()).is_empty();
        Ok(if is_finished {
            Vec::new()
        } else {
            FINISH.to_vec()
        })
    }

    /// After the last conversion there is nothing but the LLVM dialect.
    fn finish(&self, context: &PassContext<'_>) -> Result<(), Reported> {
        lower::check_lowered(context.module())
    }
}

impl ConvertLayoutsToLLVMOptions {
    fn abi(&self, context: &PassContext<'_>) -> Result<Abi, Reported> {
        Abi::parse(&self.abi).ok_or_else(|| {
            let names = || Abi::ALL.into_iter().map(Abi::name);
            let said = Diagnostic::new(format!(
                "cannot be lowered for the ABI `{}`: there are {}",
                self.abi,
                names().collect::<Vec<_>>().join(" and ")
            ));
            let said = match nearest(&self.abi, names()) {
                Some(near) => said.note(format!("did you mean `{near}`?")),
                None => said,
            };
            sys::emit_error(context.module(), &said)
        })
    }
}
