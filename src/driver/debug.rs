//! Debug information: which line of the source each instruction comes from, by MLIR's locations.

use super::Failure;
use crate::sys;
use crate::sys::build::{self, Op};
use linear_layout::target::{Assembly, Target};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Location, Module, RegionLike};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_passes};

/// What MLIR calls the file of a module that is parsed from memory.
const UNNAMED: &str = "-";

/// Describes each function of a module to debuggers, so that translation writes the locations in it.
///
/// `file` is what the input is called: operations whose text says no location are at their place in it.
pub(super) fn describe(
    context: &Context,
    module: &mut Module<'_>,
    target: &Target,
    file: &str,
) -> Result<(), Failure> {
    sys::rewrite(module, |rewriter, module| {
        locate(rewriter, module, module.location(), file);
    });
    // PTX has directives for lines, which `ptxas` takes beside all optimisations; debug sections would end those.
    let kind = match target.assembly {
        Assembly::Ptx => "DebugDirectivesOnly",
        Assembly::Gcn => "LineTablesOnly",
    };
    let pass =
        format!("builtin.module(ensure-debug-info-scope-on-llvm-func{{emission-kind={kind}}})");
    register_all_passes();
    let manager = PassManager::new(context);
    let failed =
        |reason| Failure::new(format!("cannot describe the module to debuggers: {reason}"));
    parse_pass_pipeline(manager.as_operation_pass_manager(), &pass).map_err(failed)?;
    manager.run(module).map_err(failed)
}

/// Gives an operation, and all below it, a location in a file: LLVM asks for one at each call.
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

/// Returns a location that has a place in a file wherever MLIR's pass looks for one: it crashes at a call site whose
/// callee has none, so that is left out. Returns nothing where no part of the location has a place.
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
