//! `convert-layouts-to-llvm`: lowers a module to the LLVM dialect; see [`crate::lower`].

use super::Pass;
use super::context::PassContext;
use super::decompose_products;
use super::resolve_auto_layouts::check_resolved;
use super::table::ConvertLayoutsToLLVMOptions;
use crate::analysis::axis::Indices;
use crate::ir::ModuleInfo;
use crate::lower::{self, Abi, LaneReductions, SharedBytes, SharedLimit};
use crate::sys::{Diagnostic, FollowUp, Reported};

/// MLIR passes that run if operations remain that this pass has not lowered. They convert the remaining `arith` and
/// `math` operations to the LLVM dialect, and clean up.
const FINISH: [FollowUp; 3] = [FollowUp::ToLlvm, FollowUp::ReconcileCasts, FollowUp::Cse];

impl Pass for ConvertLayoutsToLLVMOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        check_resolved(context)?;
        let abis = Abi::ALL.map(|abi| (abi.name(), abi));
        let amounts = SharedBytes::ALL.map(|shared| (shared.name(), shared));
        let reductions = LaneReductions::ALL.map(|choice| (choice.name(), choice));
        let limits = SharedLimit::ALL.map(|limit| (limit.name(), limit));
        let options = lower::LoweringOptions {
            abi: one_of(context, &self.abi, "abi", abis)?,
            shared: one_of(context, &self.shared, "shared", amounts)?,
            shared_limit: one_of(context, &self.shared_limit, "shared-limit", limits)?,
            lane_reductions: one_of(
                context,
                &self.lane_reductions,
                "lane-reductions",
                reductions,
            )?,
            indices: Indices::of_option(self.triton_indices),
            bounds: self.bounds,
            call_libraries: self.call_libraries,
            explain: self.explain,
        };
        let mut outcome = Ok(());
        for module in lower::modules(context.module()) {
            let gpu = ModuleInfo::gpu(module, self.target.as_deref());
            if let Ok(target) = gpu {
                decompose_products::decompose(context, module, target);
            }
            outcome = lower::lower_module(context.rewriter(), module, gpu, options).and(outcome);
        }
        outcome?;
        // Only the output of MLIR's conversions needs clean-up.
        let is_finished = lower::unlowered(context.module()).is_empty();
        Ok(if is_finished {
            Vec::new()
        } else {
            FINISH.to_vec()
        })
    }

    fn finish(&self, context: &PassContext<'_>) -> Result<(), Reported> {
        lower::check_lowered(context.module())
    }
}

fn one_of<T: Copy, const N: usize>(
    context: &PassContext<'_>,
    given: &str,
    option: &str,
    choices: [(&'static str, T); N],
) -> Result<T, Reported> {
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names = choices.map(|(name, _)| name);
        let said = Diagnostic::new(format!(
            "invalid option `{option}={given}`, expected {}",
            names.join(" or ")
        ));
        context.fail_with_nearest(said, given, names)
    })
}
