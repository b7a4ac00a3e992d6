//! What a program costs by the target's model.

use super::super::Cost;
use super::Turns;
use super::act::{Act, Combining, Conversion};
use crate::number::narrow;

/// What the steps of a program cost.
pub(super) fn cost_of(
    steps: &[Act],
    conversions: &[Conversion],
    combining: Combining<'_>,
    warps_log2: u32,
) -> Cost {
    let mut cost = Cost::default();
    let (costs, warps) = (combining.target.costs, 1u32 << warps_log2);
    let mut is_used = false;
    for step in steps {
        match step {
            Act::Combine { .. } => {
                cost.arithmetic += combining.combine * costs.select * warps;
            }
            Act::Select { .. } => {
                let words: u32 = combining.widths.iter().map(|bits| words(*bits, 1)).sum();
                cost.arithmetic += words * costs.select * warps;
            }
            Act::Exchange {
                values, lane_mask, ..
            } => {
                let is_arithmetic = combining.target.xor_shuffle(*lane_mask).is_arithmetic();
                add_lanes(&mut cost, combining, values.len(), is_arithmetic, warps);
            }
            Act::Fetch { values, .. } => {
                add_lanes(&mut cost, combining, values.len(), false, warps);
            }
            Act::ReduceLanes { values, .. } => {
                let widths = combining.widths.iter();
                let below_word = narrow::<u32>(widths.filter(|bits| **bits < 32).count());
                let count = narrow::<u32>(values.len());
                cost.load_store += count * costs.lane_reduction * warps;
                // Widened, and narrowed again.
                cost.arithmetic += 2 * below_word * count * costs.select * warps;
            }
            Act::Convert { conversion, .. } => {
                let mut waiting = 0;
                let plans = &conversions[*conversion].plans;
                let uses_scratch = plans.iter().any(|p| p.program().scratch_bytes() > 0);
                if uses_scratch && combining.room.turns == Turns::Conversions {
                    waiting += if is_used { costs.barrier } else { 0 };
                    is_used = true;
                }
                let mut together = 0;
                for plan in plans {
                    cost.load_store += plan.program().cost().load_store;
                    cost.arithmetic += plan.program().cost().arithmetic;
                    let own = plan.program().cost().waiting;
                    if combining.room.turns == Turns::Operands {
                        waiting += own + costs.barrier;
                    } else {
                        // Operands wait together.
                        together = together.max(own);
                    }
                }
                cost.waiting += waiting + together;
            }
        }
    }
    cost
}

/// What lanes give each other.
fn add_lanes(
    cost: &mut Cost,
    combining: Combining<'_>,
    count: usize,
    is_arithmetic: bool,
    warps: u32,
) {
    let (costs, count) = (combining.target.costs, narrow::<u32>(count));
    let widths = combining.widths.iter();
    let total: u32 = widths.clone().map(|bits| words(*bits, count)).sum();
    // Narrow elements are brought together, and taken apart again.
    let below_word = narrow::<u32>(widths.filter(|bits| **bits < 32 && count > 1).count());
    cost.arithmetic += below_word * count * costs.select * warps;
    if is_arithmetic {
        cost.arithmetic += total * costs.lane_alu * warps;
    } else {
        cost.load_store += total * costs.shuffle * warps;
    }
}

/// The words that so many elements travel in.
fn words(bits: u32, count: u32) -> u32 {
    (bits.max(8) * count).div_ceil(32)
}
