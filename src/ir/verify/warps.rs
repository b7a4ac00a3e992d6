//! Rules of `ttg.warp_specialize` and its regions.

use super::common::{Verdict, broken, ensure, list, rule, types, verdict};
use crate::ir::discardable::NUM_WARPS;
use crate::ir::ops::ttg;
use crate::ir::{ModuleInfo, OpKind};
use crate::sys::build;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, RegionLike, Type, ValueLike};

const SPECIALIZE: &str = OpKind::TtgWarpSpecialize.name();
const PARTITIONS: &str = OpKind::TtgWarpSpecializePartitions.name();

pub(super) fn warp_specialize(op: ttg::WarpSpecialize<'_, '_>) -> Verdict {
    let holder = op.partition_op_holder().first_block();
    let held = holder.as_ref().and_then(|block| block.first_operation());
    let Some(held) = held.and_then(ttg::WarpSpecializePartitions::of) else {
        return Err(vec![broken!(
            warp_specialize_c1,
            "second region does not begin with `{PARTITIONS}`; expected exactly this operation"
        )]);
    };
    let mut diagnostics = Vec::new();
    let partitions = held.partition_regions().len();
    let num_warps = op.partition_num_warps();
    rule!(
        diagnostics,
        warp_specialize_c2,
        num_warps.len() == partitions,
        "has {partitions} partitions, but `partitionNumWarps` has {} entries",
        num_warps.len()
    );
    for (i, warps) in num_warps.iter().enumerate() {
        rule!(
            diagnostics,
            warp_specialize_c3,
            *warps > 0 && warps & (warps - 1) == 0,
            "partition {i} has {warps} warps; expected a power of two"
        );
    }
    if let Some(starts) = op.warp_group_start_ids() {
        let starts = starts.len();
        rule!(
            diagnostics,
            warp_specialize_c4,
            starts == partitions,
            "has {partitions} partitions, but `warpGroupStartIds` has {starts} entries"
        );
    }
    if let Some(warps) = ModuleInfo::num_warps(op.op()) {
        rule!(
            diagnostics,
            warp_specialize_c6,
            warps % 4 == 0,
            "requires a multiple of four warps, but the module's `\"{NUM_WARPS}\"` is {warps}"
        );
    }
    let mut around = build::ancestors(op.op());
    rule!(
        diagnostics,
        warp_specialize_c5,
        !around.any(|parent| OpKind::TtgWarpSpecialize.is(parent)),
        "must not be nested in another `{SPECIALIZE}`"
    );
    verdict(diagnostics)
}

pub(super) fn partitions(op: ttg::WarpSpecializePartitions<'_, '_>) -> Verdict {
    let captures = types(&op.explicit_captures());
    let mut diagnostics = Vec::new();
    for (i, region) in op.partition_regions().into_iter().enumerate() {
        let Some(block) = region.first_block() else {
            continue;
        };
        let arguments: Vec<Type<'_>> = (0..block.argument_count())
            .map(|j| build::argument(block, j).r#type())
            .collect();
        rule!(
            diagnostics,
            warp_specialize_partitions_c1,
            arguments == captures,
            "captures have types ({}), but the arguments of partition {i} have types ({}); expected the same \
             types",
            list(&captures),
            list(&arguments)
        );
    }
    verdict(diagnostics)
}

pub(super) fn warp_yield(op: ttg::WarpYield<'_, '_>) -> Verdict {
    let Some(parent) = op.op().parent_operation() else {
        return Ok(());
    };
    let given = types(&op.values());
    let results: Vec<Type<'_>> = parent.results().map(|v| v.r#type()).collect();
    ensure!(
        warp_yield_c1,
        given == results,
        "yields ({}), but `{SPECIALIZE}` has the results ({})",
        list(&given),
        list(&results)
    );
    Ok(())
}
