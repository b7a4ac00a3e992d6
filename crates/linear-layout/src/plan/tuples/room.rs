//! Scratch memory of conversions: disjoint or reused.

use super::{TupleError, Turns};
use crate::plan::program::Program;

/// The scratch memory budget of a program.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Room {
    pub(in crate::plan) turns: Turns,
    /// Bytes that it may take at most, if fewer than the GPU has.
    pub(in crate::plan) limit: Option<u32>,
}

/// Returns the key by which programs are compared: given a limit, the barriers beyond the baseline's; then the cost.
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

/// Returns the program whose conversions have disjoint scratch memory. Given a limit, returns the better of this and the
/// one whose conversions reuse bytes; if neither fits, the one whose operands reuse bytes, which serialises them.
pub(in crate::plan) fn plan_in_room<P>(
    limit: Option<u32>,
    plan: impl Fn(Room) -> Result<P, TupleError>,
    rank: impl Fn(&P) -> (usize, u32),
) -> Result<P, TupleError> {
    let within = |turns| plan(Room { turns, limit });
    let own = within(Turns::None);
    if limit.is_none() && own.is_ok() {
        return own;
    }
    // Reuse needs less shared memory; other errors are the same.
    match (own, within(Turns::Conversions)) {
        (Ok(own), Ok(turns)) => Ok(if rank(&turns) < rank(&own) {
            turns
        } else {
            own
        }),
        (Ok(plan), Err(_)) | (Err(_), Ok(plan)) => Ok(plan),
        (Err(_), Err(_)) => within(Turns::Operands),
    }
}
