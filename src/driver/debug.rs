//! Debug information: line tables from MLIR locations.

use super::Failure;
use crate::sys;
use crate::sys::build::{self, Op};
use linear_layout::target::{Assembly, Target};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Location, Module, RegionLike};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_passes};

/// MLIR's file name for a module parsed from memory.
const UNNAMED: &str = "-";

/// Attaches debug information, from which the translation to LLVM IR emits line tables.
///
/// `file` is the input's name. Operations without an explicit location get their position in `file`.
pub(super) fn describe(
    context: &Context,
    module: &mut Module<'_>,
    target: &Target,
    file: &str,
) -> Result<(), Failure> {
    sys::rewrite(module, |rewriter, module| {
        locate(rewriter, module, module.location(), file);
    });
    // PTX has line directives, which `ptxas` accepts at all optimisation levels; debug sections disable optimisation.
    let kind = match target.assembly {
        Assembly::Ptx => "DebugDirectivesOnly",
        Assembly::Gcn => "LineTablesOnly",
    };
    let pass =
        format!("builtin.module(ensure-debug-info-scope-on-llvm-func{{emission-kind={kind}}})");
    register_all_passes();
    let manager = PassManager::new(context);
    let failed = |reason| {
        Failure::new(format!(
            "cannot add debug information to the module: {reason}"
        ))
    };
    parse_pass_pipeline(manager.as_operation_pass_manager(), &pass).map_err(failed)?;
    manager.run(module).map_err(failed)
}

/// Gives `op` and all nested operations a file location, since LLVM requires one at each call. An operation without
/// a file location gets the location of its parent, or `around` in the case of `op`.
fn locate<'c>(rewriter: sys::Rewriter<'c>, op: Op<'c>, around: Location<'c>, file: &str) {
    let mut pending = vec![(op, around)];
    while let Some((op, around)) = pending.pop() {
        let found = op.location();
        let context = build::context(op);
        let known = placed(found).unwrap_or(around);
        let unnamed = sys::file_location(known).filter(|place| place.file == UNNAMED);
        let own = unnamed.map_or(known, |place| {
            let [line, column] = [place.line, place.column].map(|n| n as usize);
            Location::new(context, file, line, column)
        });
        if own != found {
            rewriter.set_location(op, own);
        }
        for region in op.regions() {
            let mut next = region.first_block();
            while let Some(block) = next {
                pending.extend(build::operations(block).into_iter().map(|op| (op, own)));
                next = block.next_in_region();
            }
        }
    }
}

/// Returns a location that MLIR's debug-info pass accepts, or `None` if `location` contains no file location.
///
/// The pass crashes on a call site whose callee has no file location. A call site is replaced by its callee or
/// caller if only one of them has a file location.
fn placed(location: Location<'_>) -> Option<Location<'_>> {
    if location.is_call_site() {
        let (callee, caller) = (location.call_site_callee(), location.call_site_caller());
        match (placed(callee), placed(caller)) {
            (Some(callee), Some(caller)) => Some(Location::call_site(callee, caller)),
            (callee, caller) => callee.or(caller),
        }
    } else if location.is_name() {
        placed(location.name_child_location()).map(|_| location)
    } else if location.is_fused() {
        let mut parts = (0..location.fused_num_locations()).map(|at| location.fused_location(at));
        parts.any(|part| placed(part).is_some()).then_some(location)
    } else {
        location.is_file_line_col_range().then_some(location)
    }
}
