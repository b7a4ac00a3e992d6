//! The baseline reduction: its use of scratch memory is the limit for the scratch memory of plans.

use super::super::tuples::{Coordinates, TupleError};
use super::super::{Baseline, baseline_conversion};
use super::Reduction;
use super::state::State;
use crate::layout::LinearLayout;
use crate::number::narrow;

/// Returns the number of scratch bytes and of barriers that Triton's reduction takes. Triton first moves the
/// partial results of all warps to different lanes of one warp, and combines them there. It then converts the
/// results to the requested layout. Both steps use the same scratch bytes, which hold all operands at the same
/// time.
///
/// Returns `None` if a layout bit contributes both to the coordinate along the axis and to other coordinates, if
/// nonzero columns are linearly dependent, or if the layout has fewer lane bits than warp bits along the axis.
///
/// A plan may use more bytes than the baseline if it is faster. In nearly all cases, there is also a plan that uses
/// no more bytes than the baseline.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::reduce::{Reduction, baseline_reduction};
/// use linear_layout::target::Target;
/// // 128 elements in a row on four warps, with one partial sum each.
/// let d = Dim::out(0);
/// let src = LinearLayout::identity_1d(32, Dim::LANE, d)?.product(&LinearLayout::identity_1d(4, Dim::WARP, d)?)?;
/// let target = Target::parse("cuda:90")?;
/// let widths = [32];
/// let reduction = Reduction {
///     src: &src, axis: 0, dst: None, widths: &widths, combine: 1, at_once: None, is_packed: false, target, scratch_limit: None,
///     can_halve: true,
/// };
/// let baseline = baseline_reduction(&reduction)?.expect("each bit moves along the axis");
/// assert_eq!((baseline.bytes, baseline.barriers), (16, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the errors of [`plan_reduction`](super::plan_reduction), except that no limit applies.
pub fn baseline_reduction(reduction: &Reduction<'_>) -> Result<Option<Baseline>, TupleError> {
    let coordinates = Coordinates::of(reduction.src, reduction.axis);
    let mut state = State::to_intermediate(reduction.src, &coordinates, Vec::new());
    if !state.is_simple(&coordinates) {
        return Ok(None);
    }
    state.reg.retain(|column| !coordinates.is_axis(*column));
    for bit in state.axis_lanes(&coordinates) {
        state.lane[bit] = 0;
    }
    let warps = state.axis_warps(&coordinates);
    for (i, bit) in warps.iter().enumerate() {
        state.warp[*bit] = coordinates.remaining_axis(i);
    }
    let mut all = Baseline::default();
    let mut convert =
        |from: &State, to: &[Vec<u64>; 3], remaining_axis: usize| -> Result<(), TupleError> {
            let layout = |[reg, lane, warp]: [&[u64]; 3]| -> Result<LinearLayout, TupleError> {
                coordinates.layout([reg, lane, warp], narrow(remaining_axis))
            };
            let from = layout([&from.reg, &from.lane, &from.warp])?;
            let to = layout([&to[0], &to[1], &to[2]])?;
            let mut both = Baseline::default();
            for bits in reduction.widths {
                let own = baseline_conversion(&from, &to, *bits, reduction.target)?;
                both.bytes = both.bytes.saturating_add(own.bytes);
                both.barriers = both.barriers.max(own.barriers);
            }
            // The second conversion waits until the bytes are free.
            all.barriers += both.barriers + u32::from(both.bytes > 0 && all.bytes > 0);
            all.bytes = all.bytes.max(both.bytes);
            Ok(())
        };
    if !warps.is_empty() {
        let Some(to) = state.with_warps_in_lanes(&coordinates) else {
            return Ok(None);
        };
        convert(&state, &to, warps.len())?;
        [state.reg, state.lane, state.warp] = to;
        for bit in state.axis_lanes(&coordinates) {
            state.lane[bit] = 0;
        }
    }
    let result_columns = State::result_columns(reduction, &coordinates)?;
    if result_columns != [&state.reg[..], &state.lane, &state.warp] {
        convert(&state, &result_columns, 0)?;
    }
    Ok(Some(all))
}
