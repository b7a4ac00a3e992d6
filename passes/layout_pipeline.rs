//! `layout-pipeline`: this project's passes for kernels with default layouts, down to the LLVM dialect.

use super::Pass;
use super::context::PassContext;
use super::table::{
    ChooseMatrixInstructionsOptions, CoalesceOptions, ConvertLayoutsToLLVMOptions,
    DecomposeProductsOptions, FoldLayoutConversionsOptions, HoistLoadsOptions,
    LayoutPipelineOptions, ReduceDataDuplicationOptions, RemoveLayoutConversionsOptions,
    ResolveAutoLayoutsOptions, Spelled,
};
use crate::sys::{FollowUp, Reported};

impl Pass for LayoutPipelineOptions {
    fn run(&self, _: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        Ok(Vec::new())
    }

    fn pipeline(&self) -> String {
        let target = || self.target.clone();
        let passes: [&dyn Spelled; 9] = [
            &ResolveAutoLayoutsOptions { target: target() },
            &CoalesceOptions {
                non_negative_dividends: self.non_negative_dividends,
            },
            &DecomposeProductsOptions { target: target() },
            &ChooseMatrixInstructionsOptions {
                target: target(),
                memory: self.memory.clone(),
                non_negative_dividends: self.non_negative_dividends,
                ..Default::default()
            },
            &RemoveLayoutConversionsOptions {
                target: target(),
                memory: self.memory.clone(),
                non_negative_dividends: self.non_negative_dividends,
                ..Default::default()
            },
            &ReduceDataDuplicationOptions { only_cheaper: true },
            &FoldLayoutConversionsOptions::default(),
            &HoistLoadsOptions {},
            &ConvertLayoutsToLLVMOptions {
                target: target(),
                abi: self.abi.clone(),
                shared: self.shared.clone(),
                shared_limit: self.shared_limit.clone(),
                non_negative_dividends: self.non_negative_dividends,
                ..Default::default()
            },
        ];
        passes.map(Spelled::spelled).join(",")
    }
}
