//! The baseline scan: its use of scratch memory is the limit for the scratch memory of plans.

use super::super::Baseline;
use super::super::tuples::Coordinates;
use super::Scan;
use crate::layout::Dim;

/// Returns the scratch memory and the barriers of Triton's scan. In Triton's scan, each warp stores totals, and all
/// warps read them. A warp stores one total for each row and for each value of the register bits along the axis
/// that are above the lowest lane or warp bit along the axis. If one warp holds the whole axis, the scan needs no
/// scratch memory.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::scan::{Scan, baseline_scan};
/// use linear_layout::target::Target;
/// // 256 elements in a row, four in each of 64 threads: two totals.
/// let d = Dim::out(0);
/// let part = |size, dim| LinearLayout::identity_1d(size, dim, d);
/// let src = part(4, Dim::REGISTER)?.product(&part(32, Dim::LANE)?)?.product(&part(2, Dim::WARP)?)?;
/// let target = Target::parse("cuda:90")?;
/// let scan =
///     Scan { src: &src, axis: 0, reverse: false, widths: &[32], combine: 1, is_packed: false, target, scratch_limit: None };
/// let baseline = baseline_scan(&scan);
/// assert_eq!((baseline.bytes, baseline.barriers), (8, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn baseline_scan(scan: &Scan<'_>) -> Baseline {
    let coordinates = Coordinates::of(scan.src, scan.axis);
    let columns = |dim: Dim| -> Vec<u64> {
        let columns = scan.src.columns_of(dim).iter();
        columns.map(|c| coordinates.to_intermediate(*c)).collect()
    };
    let [reg, lane, warp] = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(columns);
    let is_axis = |column: &&u64| coordinates.is_axis(**column);
    if !warp.iter().any(|column| is_axis(&column)) {
        return Baseline::default();
    }
    let first = lane.iter().chain(&warp).filter(is_axis).min();
    let runs = reg
        .iter()
        .filter(is_axis)
        .filter(|c| Some(*c) > first)
        .count();
    let rows = reg
        .iter()
        .chain(&lane)
        .filter(|c| **c != 0 && !is_axis(c))
        .count();
    let totals = 1u64 << (runs + rows + warp.len()).min(32);
    let bytes: u64 = scan
        .widths
        .iter()
        .map(|bits| u64::from(bits.div_ceil(8)))
        .sum();
    Baseline {
        bytes: u32::try_from(bytes * totals).unwrap_or(u32::MAX),
        barriers: 1,
    }
}
