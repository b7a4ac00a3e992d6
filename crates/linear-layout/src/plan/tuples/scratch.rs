//! Scratch memory of the conversions in a program on tuples, which is either disjoint or reused.

use super::{ScratchReuse, TupleError};
use crate::plan::program::Program;

/// The scratch memory budget of a program: the maximal number of bytes, and the extent to which conversions reuse
/// bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct ScratchBudget {
    pub(in crate::plan) reuse: ScratchReuse,
    /// Maximal number of bytes of scratch memory. `None`, or a number above the target's limit, means the target's
    /// limit.
    pub(in crate::plan) limit: Option<u32>,
}

/// Returns the sort key of a program: (additional barriers, cost). The program with the lowest key is the best.
/// `plain_barriers` is the number of barriers of the baseline, and the additional barriers are those that exceed
/// it. If `limit` or `plain_barriers` is `None`, the first number of the key is 0.
pub(in crate::plan) fn rank(
    program: &Program,
    limit: Option<u32>,
    plain_barriers: Option<u32>,
) -> (usize, u32) {
    let most = plain_barriers.filter(|_| limit.is_some());
    let waits = program.num_barriers();
    let more = most.map_or(0, |most| waits.saturating_sub(most as usize));
    (more, program.cost().total())
}

/// Plans a program within the scratch limit:
/// - Plans a program with disjoint scratch memory for all conversions. If `limit` is `None` and this
///   program fits, returns it.
/// - Otherwise, also plans a program whose conversions reuse scratch bytes. If both programs fit, returns
///   the program with the lower rank. If only one program fits, returns it.
/// - If neither program fits, returns a program in which the operands of one conversion also reuse scratch
///   bytes. These operands are converted one after the other.
pub(in crate::plan) fn plan_within_budget<P>(
    limit: Option<u32>,
    plan: impl Fn(ScratchBudget) -> Result<P, TupleError>,
    rank: impl Fn(&P) -> (usize, u32),
) -> Result<P, TupleError> {
    let within = |reuse| plan(ScratchBudget { reuse, limit });
    let own = within(ScratchReuse::None);
    if limit.is_none() && own.is_ok() {
        return own;
    }
    // Reuse needs less shared memory; other errors are the same.
    match (own, within(ScratchReuse::Conversions)) {
        (Ok(own), Ok(reuse)) => Ok(if rank(&reuse) < rank(&own) {
            reuse
        } else {
            own
        }),
        (Ok(plan), Err(_)) | (Err(_), Ok(plan)) => Ok(plan),
        (Err(_), Err(_)) => within(ScratchReuse::Operands),
    }
}
