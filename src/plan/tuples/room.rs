//! Whether conversions have bytes of shared memory of their own.

use super::{TupleError, TupleProgram};
use crate::target::Target;

/// The program whose conversions have bytes of their own; or the one in which they take turns, where the former needs
/// more than there is, or so much that fewer blocks run on a processor at the same time.
///
/// Several operands take turns only where they must: each would wait for the one before.
pub(in crate::plan) fn plan_in_room<P>(
    num_operands: usize,
    threads: u32,
    target: &Target,
    plan: impl Fn(bool) -> Result<P, TupleError>,
    program: impl Fn(&P) -> &TupleProgram,
) -> Result<P, TupleError> {
    // What takes turns needs less shared memory; other reasons against it are the same.
    let Ok(own) = plan(false) else {
        return plan(true);
    };
    let bytes = |planned: &P| program(planned).scratch_bytes();
    let is_cheap = |needed: u32| bytes(&own) <= target.shared_bytes_as_cheap_as(needed, threads);
    if num_operands > 1 || is_cheap(0) {
        return Ok(own);
    }
    let turns = plan(true)?;
    Ok(if is_cheap(bytes(&turns)) { own } else { turns })
}
