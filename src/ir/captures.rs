//! Canonicalisation of the captures and results of `ttg.warp_specialize`.

use super::builders::Building;
use super::ops::ttg;
use super::pattern::MatchResult;
use crate::sys::build::{self, Blk};
use crate::sys::{self, Rewriter};
use melior::ir::operation::OperationLike;
use melior::ir::{Region, ValueLike};

pub(super) fn drop_captures<'c>(
    rewriter: Rewriter<'c>,
    holder: ttg::WarpSpecializePartitions<'c, 'c>,
) -> MatchResult {
    let op = holder.op();
    let captures = holder.explicit_captures();
    let partitions: Vec<Blk<'c>> = (0..op.region_count())
        .map(|i| build::blocks(op, i).first().copied())
        .collect::<Option<_>>()?;
    for (i, capture) in captures.iter().enumerate() {
        let first = captures.iter().position(|other| other == capture)?;
        if first != i {
            for partition in &partitions {
                let [again, before] = [i, first].map(|i| build::argument(*partition, i));
                rewriter.replace_all_uses(again, before);
            }
        }
    }
    let is_unused: Vec<bool> = (0..captures.len())
        .map(|i| {
            let mut arguments = partitions.iter().map(|block| build::argument(*block, i));
            arguments.all(sys::is_unused)
        })
        .collect();
    if !is_unused.contains(&true) {
        return None;
    }
    for partition in partitions {
        rewriter.remove_arguments(partition, |i| is_unused[i]);
    }
    rewriter.remove_operands(op, |i| is_unused[i]);
    Some(())
}

pub(super) fn drop_results<'c>(
    rewriter: Rewriter<'c>,
    specialize: ttg::WarpSpecialize<'c, 'c>,
) -> MatchResult {
    let op = specialize.op();
    let (unused, used): (Vec<_>, Vec<_>) = specialize
        .default_passthrough()
        .into_iter()
        .partition(|result| sys::is_unused(*result));
    if unused.is_empty() {
        return None;
    }
    let types: Vec<_> = used.iter().map(ValueLike::r#type).collect();
    let fewer = Building::<()>::new(ttg::WarpSpecialize::KIND.into())
        .results(&types)
        .with_discardable(&build::attributes(op));
    let regions = 0..op.region_count();
    let fewer = regions.fold(fewer, |fewer, _| fewer.region(Region::new()));
    let is_unused: Vec<bool> = (0..op.result_count())
        .map(|i| sys::is_unused(build::result(op, i)))
        .collect();
    for block in build::blocks_of(ttg::WarpSpecialize::of(op)?.default_region()) {
        let last = build::operations(block).pop();
        if let Some(end) = last.and_then(ttg::WarpYield::of) {
            rewriter.remove_operands(end.op(), |i| is_unused[i]);
        }
    }
    let made = fewer.insert(rewriter, op, op.location())?;
    rewriter.move_regions(op, made);
    for (i, result) in used.into_iter().enumerate() {
        rewriter.replace_all_uses(result, build::result(made, i));
    }
    rewriter.erase(op);
    Some(())
}
