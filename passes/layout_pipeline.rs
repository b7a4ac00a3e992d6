//! `layout-pipeline`: this project's passes for kernels with default layouts, down to the LLVM dialect.

use super::Pass;
use super::context::PassContext;
use super::table::{
    ChooseDescriptorEncodingsOptions, ChooseMatrixInstructionsOptions,
    ChooseTransferLayoutsOptions, CoalesceOptions, ConvertLayoutsToLLVMOptions,
    DecomposeProductsOptions, FoldLayoutConversionsOptions, HoistLoadsOptions,
    LayoutPipelineOptions, LowerDescriptorsOptions, OrderReshapesOptions, PipelineLoopsOptions,
    ReduceDataDuplicationOptions, RemoveLayoutConversionsOptions, ResolveAutoLayoutsOptions,
    Spelled,
};
use crate::sys::{FollowUp, Reported};

/// Value of the option `barrier-cost` in this pipeline, in cycles: a conversion through shared memory adds a barrier to
/// a pipelined loop, which otherwise has only one.
///
/// On an H100, products of 128 x 256 x 64 whose mask is converted take 1.10 times as long as Triton's without this
/// penalty. A single warp needs no barriers: on an H200, three of four kernels of one warp took 5 to 26 % longer with it.
const BARRIER_COST: i64 = 130;

impl Pass for LayoutPipelineOptions {
    fn run(&self, _: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        Ok(Vec::new())
    }

    fn pipeline(&self) -> String {
        let target = || self.target.clone();
        let layouts: [&dyn Spelled; 13] = [
            &ResolveAutoLayoutsOptions { target: target() },
            &OrderReshapesOptions {},
            &CoalesceOptions {
                triton_indices: self.triton_indices,
            },
            &DecomposeProductsOptions { target: target() },
            &ChooseMatrixInstructionsOptions {
                target: target(),
                memory: self.memory.clone(),
                triton_indices: self.triton_indices,
                ..Default::default()
            },
            &ChooseDescriptorEncodingsOptions { target: target() },
            &RemoveLayoutConversionsOptions {
                target: target(),
                memory: self.memory.clone(),
                triton_indices: self.triton_indices,
                barrier_cost: BARRIER_COST,
                num_stages: self.num_stages,
                distinct_arguments: self.distinct_arguments,
                ..Default::default()
            },
            &ReduceDataDuplicationOptions { only_cheaper: true },
            &FoldLayoutConversionsOptions::default(),
            &PipelineLoopsOptions {
                target: target(),
                num_stages: self.num_stages,
                triton_indices: self.triton_indices,
                distinct_arguments: self.distinct_arguments,
                ..Default::default()
            },
            &LowerDescriptorsOptions { target: target() },
            &ChooseTransferLayoutsOptions {},
            &HoistLoadsOptions {},
        ];
        let lowering = ConvertLayoutsToLLVMOptions {
            target: target(),
            abi: self.abi.clone(),
            shared: self.shared.clone(),
            shared_limit: self.shared_limit.clone(),
            triton_indices: self.triton_indices,
            ..Default::default()
        };
        let mut passes: Vec<String> = layouts.map(Spelled::spelled).into();
        passes.extend(self.lower.then(|| lowering.spelled()));
        passes.join(",")
    }
}
