//! The passes: one file each, named as on the command line, declared in `Passes.td`.
//!
//! `Pass` is what such a file implements, for the options of its pass; `table` is what the build
//! script makes of `Passes.td`: those options and the enum of passes. A pass that is declared and not
//! written does not compile.

mod choose_matrix_instructions;
mod coalesce;
mod context;
mod convert_encodings_to_linear;
mod convert_layouts_to_llvm;
mod count_async_waits;
mod decompose_products;
mod fold_layout_conversions;
mod inventory;
mod layout_pipeline;
mod optimize_thread_locality;
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

use crate::ir::LinearLayouts;
use crate::sys::build::Op;
use crate::sys::{self, FollowUp, NextPasses, OptionValue, Passes, Reported, Rewriter};
use context::PassContext;
use melior::Context;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_passes};
use proof::{Claim, Proof};
use std::borrow::Cow;
use table::{PassKind, Values};

/// Makes dialects and passes work, and registers the passes with MLIR. Idempotent.
pub(crate) fn install() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        sys::install(&LinearLayouts, &Table);
        sys::register_passes();
    });
}

/// The pipeline that lowers a kernel where nothing else is asked for.
pub const LOWERING: &str = "builtin.module(convert-layouts-to-llvm)";

/// As [`LOWERING`], with the marks by which the simulator checks bounds.
pub const SIMULATED_LOWERING: &str = "builtin.module(convert-layouts-to-llvm{bounds=true})";

/// Runs a pipeline, which may name any pass of this project's and of MLIR's: `builtin.module(cse)`, or `cse`.
///
/// # Errors
/// It is no pipeline, or one of its passes fails; why, goes to the context's diagnostic handler.
pub fn run_pipeline(
    context: &Context,
    module: &mut Module<'_>,
    pipeline: &str,
) -> Result<(), melior::Error> {
    let pipeline = &*anchored(pipeline);
    if ![LOWERING, SIMULATED_LOWERING].contains(&pipeline) {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(register_all_passes);
    }
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)?;
    manager.run(module)
}

/// A pipeline on modules: names of passes without what they run on are meant for the module.
fn anchored(pipeline: &str) -> Cow<'_, str> {
    match pipeline.find(['(', '{', ',']) {
        Some(at) if pipeline[at..].starts_with('(') => pipeline.into(),
        _ => format!("builtin.module({pipeline})").into(),
    }
}

/// A pass, as its options.
trait Pass {
    /// Runs it on a module; returns the passes of MLIR that are to run after it.
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported>;

    /// What it leaves as it is, which can be proved; nothing is said of a pass that changes what is computed.
    fn claim(&self) -> Option<Claim> {
        None
    }

    /// Whether a user asks this pass for the proof.
    fn is_verified(&self) -> bool {
        false
    }

    /// The passes of ours that are to run after it, before those of MLIR, as a textual pipeline on a module.
    fn pipeline(&self) -> String {
        String::new()
    }

    /// Checks what the passes after it have left.
    fn finish(&self, _: &PassContext<'_>) -> Result<(), Reported> {
        Ok(())
    }
}

/// The passes of `Passes.td`, by their numbers.
struct Table;

impl Table {
    fn pass(number: u16, options: &[OptionValue<'_>]) -> Box<dyn Pass> {
        // C++ has its numbers from the same table.
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
        let context = PassContext::of(rewriter, module);
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
