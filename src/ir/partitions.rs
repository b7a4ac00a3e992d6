//! Warps and registers of the regions of `ttg.warp_specialize`.
//!
//! The default region runs on the first warps of the CTA, followed by the partitions. Partitions with more warps come
//! first, so each partition starts at a multiple of its number of warps. Warp groups of four change their number of
//! registers together, so a CTA with partitions has a multiple of four warps.
//!
//! ```text
//! default region: 4 warps, partitions: 1, 4 and 2 warps
//! warps 0-3 default region, 4-7 partition 1, 8-9 partition 2, 10 partition 0, 11 idle
//! ```

use super::OpKind;
use super::discardable::TOTAL_NUM_WARPS;
use super::module::ModuleInfo;
use super::ops::ttg;
use crate::sys::build::{self, Op};
use melior::ir::BlockLike;
use melior::ir::operation::{OperationLike, OperationRef, WalkOrder, WalkResult};
use std::cmp::Reverse;

/// The contiguous range of warps that execute a region of `ttg.warp_specialize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegionWarps {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Index of the hardware barrier that synchronises the warps of the region.
    pub(crate) barrier: u32,
}

impl RegionWarps {
    /// Returns the index of the warp after the last one.
    pub(crate) const fn end(self) -> u32 {
        self.first.saturating_add(self.count)
    }
}

/// Index of the hardware barrier that synchronises the whole CTA. Each hardware barrier with a different index
/// synchronises one region.
pub(crate) const CTA_BARRIER: u32 = 1;

/// Number of hardware barriers per CTA.
const NUM_BARRIERS: u32 = 16;

/// Maximum number of partitions. Each needs a hardware barrier of its own, and two barriers are reserved for the
/// CTA and the default region.
pub(crate) const MAX_PARTITIONS: u32 = NUM_BARRIERS - 2;

/// Number of warps in a warp group. The warps of a group change their number of registers together.
pub(crate) const WARP_GROUP: u32 = 4;

fn small(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or_default()
}

/// Returns the warps of the default region, followed by the warps of each partition.
pub(crate) fn warps_of_regions(op: ttg::WarpSpecialize<'_, '_>) -> Vec<RegionWarps> {
    let base = small(ModuleInfo::num_warps(op.op()).unwrap_or_default());
    let counts = op.partition_num_warps().into_iter();
    let counts: Vec<u32> = counts.map(small).collect();
    let starts = match op.warp_group_start_ids() {
        Some(starts) => starts.into_iter().map(small).collect(),
        None => starts(base, &counts),
    };
    let default = RegionWarps {
        first: 0,
        count: base,
        barrier: 0,
    };
    let partitions = starts.into_iter().zip(counts).zip(CTA_BARRIER + 1..);
    let partitions = partitions.map(|((first, count), barrier)| RegionWarps {
        first,
        count,
        barrier,
    });
    std::iter::once(default).chain(partitions).collect()
}

/// Returns the index of the first warp of each partition. `counts` has the numbers of warps of the partitions. The
/// partitions with the most warps come first, starting at warp `first`.
fn starts(first: u32, counts: &[u32]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|i| Reverse(counts[*i]));
    let mut starts = vec![0; counts.len()];
    let mut next = first;
    for i in order {
        starts[i] = next;
        next = next.saturating_add(counts[i]);
    }
    starts
}

pub(crate) fn partitions_of<'c>(
    op: ttg::WarpSpecialize<'c, 'c>,
) -> Option<ttg::WarpSpecializePartitions<'c, 'c>> {
    let holder = build::block_of(op.partition_op_holder())?;
    let held = build::operations(holder);
    held.into_iter().find_map(ttg::WarpSpecializePartitions::of)
}

/// Returns the `ttg.warp_specialize` operations nested in `op`, in program order.
pub(crate) fn specializations<'c>(op: Op<'c>) -> Vec<ttg::WarpSpecialize<'c, 'c>> {
    let ops = build::in_order(op).into_iter();
    ops.filter_map(ttg::WarpSpecialize::of).collect()
}

/// Returns the innermost enclosing `ttg.warp_specialize`, and the index of the region that contains `op`. The
/// default region has index 0, and the partitions have the indices after it.
pub(crate) fn region_around<'c>(
    op: OperationRef<'_, 'c>,
) -> Option<(ttg::WarpSpecialize<'c, 'c>, usize)> {
    let mut inner = op;
    loop {
        let outer = inner.parent_operation()?;
        match OpKind::of(outer) {
            Some(OpKind::TtgWarpSpecializePartitions) => {
                let region = inner.block()?.parent_region()?;
                let index = outer.regions().position(|r| r == region)?;
                let holder = outer.parent_operation()?;
                return Some((ttg::WarpSpecialize::of(holder)?, index + 1));
            }
            Some(OpKind::TtgWarpSpecialize) => {
                return Some((ttg::WarpSpecialize::of(outer)?, 0));
            }
            _ => inner = outer,
        }
    }
}

/// Returns the number of warps per CTA, including those of partitions. `base` is the number of warps outside
/// partitions.
pub(crate) fn cta_warps(module: Op<'_>, base: u32) -> u32 {
    let mut end = base;
    module.walk(WalkOrder::PreOrder, |op| {
        if let Some(specialize) = ttg::WarpSpecialize::of(op) {
            let ends = warps_of_regions(specialize).into_iter();
            end = ends.map(RegionWarps::end).fold(end, u32::max);
        }
        WalkResult::Advance
    });
    if end == base {
        return base;
    }
    let stated = ModuleInfo::attribute(module, TOTAL_NUM_WARPS).and_then(build::integer_value);
    end.checked_next_multiple_of(WARP_GROUP)
        .unwrap_or(u32::MAX)
        .max(stated.map_or(0, small))
}

// --- registers ---

/// Registers per multiprocessor.
const REGISTER_FILE: u32 = 1 << 16;

/// Minimum and maximum registers per thread.
pub(crate) const REGISTER_RANGE: [u32; 2] = [24, 256];

/// Minimum number of registers per thread in a partition with calls, for example to print.
const REGISTERS_WITH_CALLS: u32 = 32;

/// Registers per thread in a CTA with partitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RegisterPlan {
    /// Registers per thread at the start of the kernel.
    pub(crate) initial: u32,
    /// Registers per thread of the default region, then of each partition. Partitions in one warp group have equal
    /// values.
    pub(crate) regions: Vec<u32>,
    /// Registers per thread of warp groups that execute no region.
    pub(crate) idle: u32,
}

const fn floor(registers: u32) -> u32 {
    registers / 8 * 8
}

/// Returns the number of registers per thread at the start of a kernel. Returns `None` if no `ttg.warp_specialize`
/// in the kernel changes the number of registers per thread.
pub(crate) fn initial_registers(kernel: Op<'_>, cta_threads: u32) -> Option<u32> {
    let mut moves = false;
    kernel.walk(WalkOrder::PreOrder, |op| {
        if let Some(op) = ttg::WarpSpecialize::of(op) {
            moves |= op.requested_registers().is_some() || op.actual_registers().is_some();
        }
        WalkResult::Advance
    });
    moves.then(|| {
        let stated = ModuleInfo::requested_registers(kernel).map(small);
        let all = floor(REGISTER_FILE / cta_threads.max(1)).min(REGISTER_RANGE[1]);
        stated.unwrap_or(all)
    })
}

/// Returns the registers per thread of each region in a `ttg.warp_specialize`.
///
/// Uses the attribute `actualRegisters` if present. Otherwise, partitions get the registers in
/// `requestedRegisters`, and the default region gets the remaining registers. Returns `None` if neither attribute
/// is present, or if the requests are too large.
pub(crate) fn register_plan(
    op: ttg::WarpSpecialize<'_, '_>,
    initial: u32,
    cta_warps: u32,
) -> Option<RegisterPlan> {
    let ranges = warps_of_regions(op);
    if let Some(stated) = op.actual_registers() {
        let regions: Vec<u32> = stated.into_iter().map(small).collect();
        return (regions.len() == ranges.len()).then_some(RegisterPlan {
            initial,
            regions,
            idle: REGISTER_RANGE[0],
        });
    }
    let requested = op.requested_registers()?;
    let (base, partitions) = ranges.split_first()?;
    let regions_of = partitions_of(op)?.partition_regions();
    let least = |i: usize| match regions_of.get(i) {
        Some(region) if calls(*region) => REGISTERS_WITH_CALLS,
        _ => REGISTER_RANGE[0],
    };
    // Idle warps need the minimum.
    let mut groups = vec![REGISTER_RANGE[0]; cta_warps.div_ceil(WARP_GROUP) as usize];
    let groups_of = |range: &RegionWarps| {
        let end = range.end().div_ceil(WARP_GROUP);
        (range.first / WARP_GROUP) as usize..end as usize
    };
    for (i, (range, count)) in partitions.iter().zip(requested).enumerate() {
        let count = small(count).next_multiple_of(8).max(least(i));
        for group in groups.get_mut(groups_of(range))? {
            *group = count.max(*group);
        }
    }
    let own = groups_of(base);
    let others = groups.iter().skip(own.len());
    let left = others.map(|count| i64::from(initial) - i64::from(*count));
    let left = left.sum::<i64>() / i64::try_from(own.len().max(1)).ok()?;
    let default = u32::try_from(i64::from(initial) + left).ok()?;
    let default = floor(default).min(REGISTER_RANGE[1]);
    if default < REGISTER_RANGE[0] {
        return None;
    }
    let of_partitions = partitions
        .iter()
        .map(|range| groups[groups_of(range).start]);
    Some(RegisterPlan {
        initial,
        regions: std::iter::once(default).chain(of_partitions).collect(),
        idle: REGISTER_RANGE[0],
    })
}

fn calls(region: melior::ir::RegionRef<'_, '_>) -> bool {
    let blocks = build::blocks_of(region).into_iter();
    let mut ops = blocks.flat_map(build::operations).flat_map(build::in_order);
    ops.any(|op| matches!(OpKind::of(op), Some(OpKind::TtPrint | OpKind::TtAssert)))
}
