//! Shared memory of conversions: bytes of their own, or the same bytes in turns.

use super::{TupleError, Turns};
use crate::plan::program::Program;

/// The shared memory of a program.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Room {
    pub(in crate::plan) turns: Turns,
    /// The most bytes that it may take, where they are fewer than the GPU has.
    pub(in crate::plan) limit: Option<u32>,
}

/// What programs are compared by: given a limit, those come first that wait as often as the plain way at most; then
/// the cheapest.
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

/// The program whose conversions have bytes of their own. Given a limit, the better of this and the one in which they
/// take turns; and where neither fits, the one in which operands do, each of which waits for the one before.
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
    // What takes turns needs less shared memory; other reasons against it are the same.
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
