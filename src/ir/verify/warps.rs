//! Rules of `ttg.warp_specialize` and what it holds.

use super::convert::verdict;
use super::{Verdict, integers, one};
use crate::ir::{ModuleInfo, OpKind};
use crate::sys::Diagnostic;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, OperationRef, RegionLike, ValueLike};

const SPECIALIZE: &str = OpKind::TtgWarpSpecialize.name();
const PARTITIONS: &str = OpKind::TtgWarpSpecializePartitions.name();

pub(super) fn warp_specialize(op: OperationRef<'_, '_>) -> Verdict {
    let holder = op.regions().nth(1).and_then(|r| r.first_block());
    let held = holder.as_ref().and_then(|block| block.first_operation());
    let Some(held) = held.filter(|held| OpKind::TtgWarpSpecializePartitions.is(*held)) else {
        return Err(one(Diagnostic::new(format!(
            "needs a second region that holds one `{PARTITIONS}`"
        )))); // warp_specialize_c1
    };
    let mut diagnostics = Vec::new();
    let partitions = held.regions().count();
    let num_warps = integers(op, "partitionNumWarps");
    if num_warps.len() != partitions {
        diagnostics.push(Diagnostic::new(format!(
            "has {partitions} partitions, but `partitionNumWarps` has {} entries",
            num_warps.len()
        ))); // warp_specialize_c2
    }
    for (i, warps) in num_warps.iter().enumerate() {
        if *warps <= 0 || warps & (warps - 1) != 0 {
            diagnostics.push(Diagnostic::new(format!(
                "needs a power of two of warps in partition {i}, but has {warps}"
            ))); // warp_specialize_c3
        }
    }
    if op.has_attribute("warpGroupStartIds") {
        let starts = integers(op, "warpGroupStartIds").len();
        if starts != partitions {
            diagnostics.push(Diagnostic::new(format!(
                "has {partitions} partitions, but `warpGroupStartIds` has {starts} entries"
            ))); // warp_specialize_c4
        }
    }
    if let Some(warps) = ModuleInfo::num_warps(op) {
        rule!(
            diagnostics,
            warps % 4 == 0,
            "needs a multiple of four warps, but the module's `\"ttg.num-warps\"` is {warps}"
        ); // warp_specialize_c6
    }
    let mut above = op.parent_operation();
    while let Some(parent) = above {
        if OpKind::TtgWarpSpecialize.is(parent) {
            diagnostics.push(Diagnostic::new(format!(
                "cannot lie within another `{SPECIALIZE}`"
            ))); // warp_specialize_c5
            break;
        }
        above = parent.parent_operation();
    }
    verdict(diagnostics)
}

pub(super) fn partitions(op: OperationRef<'_, '_>) -> Verdict {
    let captures: Vec<String> = op.operands().map(|v| v.r#type().to_string()).collect();
    let mut diagnostics = Vec::new();
    for (i, region) in op.regions().enumerate() {
        let Some(block) = region.first_block() else {
            continue;
        };
        let arguments: Vec<String> = (0..block.argument_count())
            .filter_map(|j| block.argument(j).ok().map(|v| v.r#type().to_string()))
            .collect();
        if arguments != captures {
            diagnostics.push(Diagnostic::new(format!(
                "captures ({}), but partition {i} takes ({})",
                captures.join(", "),
                arguments.join(", ")
            ))); // warp_specialize_partitions_c1
        }
    }
    verdict(diagnostics)
}

pub(super) fn warp_yield(op: OperationRef<'_, '_>) -> Verdict {
    let Some(parent) = op.parent_operation() else {
        return Ok(());
    };
    let given: Vec<String> = op.operands().map(|v| v.r#type().to_string()).collect();
    let results: Vec<String> = parent.results().map(|v| v.r#type().to_string()).collect();
    if given == results {
        return Ok(());
    }
    Err(one(Diagnostic::new(format!(
        "gives ({}), but `{SPECIALIZE}` has the results ({})",
        given.join(", "),
        results.join(", ")
    )))) // warp_yield_c1
}
