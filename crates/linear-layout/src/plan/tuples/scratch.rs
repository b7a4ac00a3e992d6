//! Scratch memory of the conversions in a program on tuples, which is either disjoint or reused.

use super::{ScratchReuse, TupleError};
use crate::plan::program::Program;

/// The scratch memory budget of a program: the maximal number of bytes, and the extent to which conversions reuse
/// bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct ScratchBudget {
    pub(in crate::plan) reuse: ScratchReuse,
    /// Maximal number of bytes of scratch memory, if lower than the target's limit.
    pub(in crate::plan) limit: Option<u32>,
}

/// Returns the key by which programs are compared; the program with the lowest key is best. The key is (number of
/// barriers beyond those of the baseline, cost). The first component is 0 if there is no limit. `plain_barriers` is the
/// number of barriers of the baseline.
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

/// Plans a program within the scratch limit. Without a limit, returns the program whose conversions have disjoint
/// scratch memory, if this program fits. Otherwise, returns the better of this program and the program whose
/// conversions reuse bytes. If neither program fits, returns the program in which the operands of one conversion also
/// reuse bytes, which serialises the operands.
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
