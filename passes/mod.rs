//! The passes of `Passes.td`, each in a file with its command-line name.
//!
//! Each file implements `Pass` for its options type. `table` includes the generated options types and the enum of
//! passes, so a pass without an implementation does not compile.

mod block_copies;
mod choose_descriptor_encodings;
mod choose_matrix_instructions;
mod choose_transfer_layouts;
mod coalesce;
mod context;
mod convert_encodings_to_linear;
mod convert_layouts_to_llvm;
mod count_async_waits;
mod decompose_products;
mod fold_layout_conversions;
mod hoist_loads;
mod insertion;
mod inventory;
mod layout_pipeline;
mod lower_descriptors;
mod optimize_thread_locality;
mod order_reshapes;
mod pipeline_loops;
mod proof;
mod recognize_encodings;
mod reduce_data_duplication;
mod remove_layout_conversions;
mod reorder_broadcast;
mod resolve_auto_layouts;
mod respell;
mod rewrite_layouts;
mod table;
mod use_triton_numbers;

use crate::analysis::axis::Indices;
use crate::ir::LinearLayouts;
use crate::sys::build::Op;
use crate::sys::{self, FollowUp, NextPasses, OptionValue, Passes, Reported, Rewriter};
use context::PassContext;
use linear_layout::encoding::spelling::nearest;
use melior::Context;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_passes};
use proof::{Claim, Proof};
use std::borrow::Cow;
use table::{PassKind, Values};

/// Registers the passes once. Later calls have no effect.
pub(crate) fn install() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        sys::install(&LinearLayouts, &Table);
        sys::register_passes();
    });
}

/// Default pipeline to lower a kernel.
pub const LOWERING: &str = "builtin.module(convert-layouts-to-llvm)";

/// Like [`LOWERING`], but with annotations for the simulator's bounds checks.
pub const SIMULATED_LOWERING: &str = "builtin.module(convert-layouts-to-llvm{bounds=true})";

/// Like [`SIMULATED_LOWERING`], but for kernels with global scratch memory, which the simulator allocates.
pub const SIMULATED_LOWERING_WITH_SCRATCH: &str =
    "builtin.module(convert-layouts-to-llvm{abi=triton bounds=true})";

/// Runs a pipeline of this project's and MLIR's passes, such as `builtin.module(cse)` or `cse`.
///
/// # Errors
/// Fails if the pipeline is invalid, or if a pass fails. Diagnostics go to the context's handler.
pub fn run_pipeline(
    context: &Context,
    module: &mut Module<'_>,
    pipeline: &str,
) -> Result<(), melior::Error> {
    let pipeline = &*anchored(pipeline);
    if ![
        LOWERING,
        SIMULATED_LOWERING,
        SIMULATED_LOWERING_WITH_SCRATCH,
    ]
    .contains(&pipeline)
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(register_all_passes);
    }
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)?;
    manager.run(module)
}

/// Finds the first unknown pass of a pipeline, and returns the name of the known pass that is most similar.
pub(crate) fn nearest_pass(pipeline: &str) -> Option<&'static str> {
    let unknown = sys::unknown_pass(pipeline)?;
    nearest(&unknown, PassKind::ALL.iter().map(|pass| pass.argument()))
}

fn anchored(pipeline: &str) -> Cow<'_, str> {
    match pipeline.find(['(', '{', ',']) {
        Some(at) if pipeline[at..].starts_with('(') => pipeline.into(),
        _ => format!("builtin.module({pipeline})").into(),
    }
}

/// A pass. The implementing type holds the options.
trait Pass {
    /// Runs the pass. Returns the MLIR passes that the pass manager runs afterwards.
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported>;

    fn indices(&self) -> Indices {
        Indices::Any
    }

    /// Returns the property that translation validation checks after the pass. Returns `None` if the pass changes
    /// the computation.
    fn claim(&self) -> Option<Claim> {
        None
    }

    fn is_verified(&self) -> bool {
        false
    }

    /// Returns a pipeline of this project's passes, or an empty string. The pass manager runs this pipeline after
    /// `run`, and before the MLIR passes that `run` has returned.
    fn pipeline(&self) -> String {
        String::new()
    }

    /// Completes this pass after the passes that `pipeline` and `run` return.
    fn finish(&self, _: &PassContext<'_>) -> Result<(), Reported> {
        Ok(())
    }
}

struct Table;

impl Table {
    fn pass(number: u16, options: &[OptionValue<'_>]) -> Box<dyn Pass> {
        // C++ takes the indices from the same table.
        PassKind::ALL[usize::from(number)].with(&mut Values::of(options))
    }
}

impl Passes for Table {
    fn run<'c>(
        &self,
        number: u16,
        options: &[OptionValue<'_>],
        rewriter: Rewriter<'c>,
        module: Op<'c>,
    ) -> Result<NextPasses, Reported> {
        let pass = Self::pass(number, options);
        let context = PassContext::of(rewriter, module).assuming(pass.indices());
        let claim = pass.claim();
        let claim = claim.filter(|_| pass.is_verified() || sys::are_rewrites_verified());
        let proof = claim.map(|claim| Proof::begin(claim, &context));
        let follow_ups = pass.run(&context)?;
        if let Some(proof) = proof {
            proof.finish(&context)?;
        }
        Ok(NextPasses {
            follow_ups,
            pipeline: pass.pipeline(),
        })
    }

    fn finish<'c>(
        &self,
        number: u16,
        options: &[OptionValue<'_>],
        rewriter: Rewriter<'c>,
        module: Op<'c>,
    ) -> Result<(), Reported> {
        Self::pass(number, options).finish(&PassContext::of(rewriter, module))
    }
}
