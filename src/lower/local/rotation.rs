//! Rotating indices: integers that count the iterations of an `scf.for` modulo a constant.
//!
//! ```text
//! scf.for iter_args(%index = 1) {            i + 1 modulo 3
//!   %next = %index + 1
//!   %wrapped = %next < 3 ? %next : 0         i + 2 modulo 3
//!   scf.yield %wrapped
//! ```

use crate::analysis::effects::Rotation;
use crate::ir::ops::arith::{self, CmpIPredicate as Predicate};
use crate::ir::{Carried, UpstreamKind, integer_constant};
use crate::sys;
use crate::sys::build::{self, Val};

pub(super) fn of(index: Val<'_>) -> Option<Rotation> {
    rotation(index, MAX_STEPS)
}

/// Maximum number of steps in the search that starts at an index and ends at the loop counter from which the index
/// is computed.
///
/// Each step replaces a sum by its operand, or a loop-carried value by the value that the loop yields for it.
const MAX_STEPS: u32 = 16;

fn rotation(index: Val<'_>, left: u32) -> Option<Rotation> {
    let left = left.checked_sub(1)?;
    if let Some(sum) = WrappedSum::of(index) {
        if let Some(counter) = sum.counter(index) {
            let next = integer_constant(counter.initial)?.checked_add(1)?;
            return sum.rotation(counter.loop_id, if next == sum.modulus { 0 } else { next });
        }
        let before = rotation(sum.value, left)?;
        let next = i64::from(before.phase) + 1;
        let is_same = i64::from(before.modulus) == sum.modulus;
        return is_same.then(|| sum.rotation(before.rotated_by, next % sum.modulus))?;
    }
    let carried = Carried::of(index)?;
    if let Some(sum) = WrappedSum::of(carried.next)
        && sum.value == index
    {
        return sum.rotation(carried.loop_id, integer_constant(carried.initial)?);
    }
    let rotation = rotation(carried.next, left)?.in_next_iteration();
    let is_same_loop = rotation.rotated_by == carried.loop_id;
    (is_same_loop && integer_constant(carried.initial) == Some(i64::from(rotation.phase)))
        .then_some(rotation)
}

/// An increment with wrap-around: `value + 1`, or 0 if this sum equals `modulus`.
struct WrappedSum<'c> {
    value: Val<'c>,
    modulus: i64,
}

impl<'c> WrappedSum<'c> {
    fn of(wrapped: Val<'c>) -> Option<Self> {
        use UpstreamKind as U;
        let op = sys::defining_operation(wrapped)?;
        let (next, modulus) = match (UpstreamKind::of(op)?, &build::operands(op)[..]) {
            (U::ArithSelect, &[condition, chosen, other]) => {
                let compared = arith::CmpI::of(sys::defining_operation(condition)?)?;
                let (next, zero) = match compared.predicate() {
                    Predicate::Slt | Predicate::Ult | Predicate::Ne => (chosen, other),
                    Predicate::Sge | Predicate::Uge | Predicate::Eq => (other, chosen),
                    _ => return None,
                };
                let wraps = integer_constant(zero) == Some(0) && compared.lhs() == next;
                (wraps.then_some(next)?, compared.rhs())
            }
            // The sum is at least 0, since rotations start at -1 or above.
            (U::ArithRemSI | U::ArithRemUI, &[next, modulus]) => (next, modulus),
            _ => return None,
        };
        let sum = sys::defining_operation(next)?;
        let is_sum = UpstreamKind::of(sum) == Some(U::ArithAddI);
        let [value, one] = build::operands(sum)[..] else {
            return None;
        };
        let modulus = integer_constant(modulus).filter(|modulus| *modulus > 0)?;
        (is_sum && integer_constant(one) == Some(1)).then_some(Self { value, modulus })
    }

    /// Returns `self.value` as a loop-carried value. Returns `None` if it is not loop-carried, or if the loop does
    /// not yield `wrapped` as its next value.
    fn counter(&self, wrapped: Val<'c>) -> Option<Carried<'c>> {
        Carried::of(self.value).filter(|carried| carried.next == wrapped)
    }

    /// Returns the rotation of an index that equals `first` in the first iteration of the loop with the identifier
    /// `rotated_by`, and that increases by 1 modulo `self.modulus` in each iteration. Returns `None` if `first` is
    /// negative or not below the modulus.
    fn rotation(&self, rotated_by: usize, first: i64) -> Option<Rotation> {
        let modulus = u32::try_from(self.modulus).ok()?;
        let phase = u32::try_from(first).ok().filter(|first| *first < modulus)?;
        Some(Rotation {
            rotated_by,
            modulus,
            phase,
        })
    }
}
