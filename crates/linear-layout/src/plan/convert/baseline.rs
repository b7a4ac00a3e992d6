//! The baseline conversion: its use of scratch memory is the limit for the scratch memory of plans.

use super::error::PlanError;
use super::sides::Sides;
use super::swizzle::baseline_passes_log2;
use crate::layout::{Dim, LinearLayout};
use crate::plan::program::BarrierScope;
use crate::target::Target;

/// The scratch memory and the barriers that Triton's implementation of an operation would use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Baseline {
    /// Number of bytes of scratch memory.
    pub bytes: u32,
    /// Number of barriers that synchronise the whole block.
    pub barriers: u32,
}

/// Returns the scratch memory and the barriers that Triton's implementation of the conversion would use.
///
/// If at most one register bit is exchanged with a lane bit, Triton uses shuffles and no scratch memory. Otherwise,
/// it uses a swizzled buffer, in one or more rounds of stores and loads. The index of the round consists of the
/// register bits that both layouts have in common, except for those that select a bank of shared memory or an
/// element within a vector. Unless warp barriers suffice, there is a block barrier between the stores and the loads
/// of each round, and between two rounds.
///
/// A plan may use more bytes if it is faster. In nearly all cases, there is also a plan that uses no more bytes
/// than the baseline.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::baseline_conversion;
/// use linear_layout::target::Target;
/// // 64 x 32 elements on four warps: each has sixteen rows, or all.
/// let (d0, d1) = (Dim::out(0), Dim::out(1));
/// let registers = LinearLayout::identity_1d(16, Dim::REGISTER, d0)?;
/// let lanes = LinearLayout::identity_1d(32, Dim::LANE, d1)?;
/// let src = registers.product(&lanes)?.product(&LinearLayout::identity_1d(4, Dim::WARP, d0)?)?;
/// let copies = LinearLayout::zeros_1d(4, Dim::WARP, d0, 1)?;
/// let dst = LinearLayout::identity_1d(64, Dim::REGISTER, d0)?.product(&lanes)?.product(&copies)?;
/// let target = Target::parse("cuda:90")?;
/// // 2048 of 8192 bytes per round: four rounds, with two barriers each.
/// let baseline = baseline_conversion(&src, &dst, 32, target)?;
/// assert_eq!((baseline.bytes, baseline.barriers), (2048, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the errors of [`plan_conversion`](super::plan_conversion), except for the errors about limits.
pub fn baseline_conversion(
    src: &LinearLayout,
    dst: &LinearLayout,
    elem_bits: u32,
    target: &Target,
) -> Result<Baseline, PlanError> {
    let sides = Sides::new(src, dst, target)?;
    let moves: Vec<Dim> = src.minimal_conversion_to(dst)?.in_dims().collect();
    let leaves_warps = moves.contains(&Dim::WARP) || moves.contains(&Dim::BLOCK);
    let leaves_lanes = leaves_warps || moves.contains(&Dim::LANE);
    let (src, dst) = (&sides.src, &sides.dst);
    let common = |lanes: &[u64], registers: &[u64]| {
        let both = lanes.iter().filter(|column| registers.contains(column));
        both.count()
    };
    // Lanes with copies of each other on one side count as lanes that hold its additional registers.
    let exchanged = common(dst.lane(sides.lanes_log2), &src.reg)
        .max(common(src.lane(sides.lanes_log2), &dst.reg));
    if !leaves_lanes || !leaves_warps && exchanged < 2 {
        return Ok(Baseline::default());
    }
    let container_bits = elem_bits.max(8);
    let bytes = u64::from(container_bits / 8) << sides.bits;
    let rounds_log2 = baseline_passes_log2(&sides, container_bits, target);
    let waits = sides.barrier_scope() == BarrierScope::Block;
    Ok(Baseline {
        bytes: u32::try_from(bytes >> rounds_log2).unwrap_or(u32::MAX),
        barriers: if waits { (2 << rounds_log2) - 1 } else { 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the scratch sizes with those of kernels that Triton 3.9 compiled for `sm_90`. Each kernel consists
    /// of one conversion.
    ///
    /// A line of the file contains log2 of the number of elements, the two layouts (columns of registers, lanes and
    /// warps), the element width in bits, and the number of bytes of shared memory.
    #[test]
    fn scratch_is_that_of_triton() {
        let target = Target::parse("cuda:90").unwrap();
        let mut differing = 0;
        for line in include_str!("triton_scratch.jsonl").lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let layout = |side: &serde_json::Value| {
                let columns = |n: usize| -> Vec<[u64; 1]> {
                    let columns = side[n].as_array().unwrap().iter();
                    columns.map(|column| [column.as_u64().unwrap()]).collect()
                };
                let all = [0, 1, 2].map(columns);
                let [registers, lanes, warps] = all
                    .each_ref()
                    .map(|c| c.iter().map(|c| &c[..]).collect::<Vec<_>>());
                let bases = [
                    (Dim::REGISTER, &registers[..]),
                    (Dim::LANE, &lanes[..]),
                    (Dim::WARP, &warps[..]),
                ];
                LinearLayout::from_bases(&bases, &[Dim::out(0)]).unwrap()
            };
            let (src, dst) = (layout(&case[1]), layout(&case[2]));
            let width = u32::try_from(case[3].as_u64().unwrap()).unwrap();
            let found = baseline_conversion(&src, &dst, width, target).unwrap();
            differing += u32::from(u64::from(found.bytes) != case[4].as_u64().unwrap());
        }
        // Warps that hold copies, and rounds of conversions with many copies. Triton's scratch is smaller.
        assert!(differing <= 7, "{differing} of 200 differ");
    }
}
