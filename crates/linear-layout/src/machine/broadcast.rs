//! Verification of broadcasts to replicas, on symbolic elements.

use super::plan::{PlanFault, check_owned};
use crate::layout::{Dim, LinearLayout};
use crate::plan::program::Program;
use crate::target::Target;

/// Executes a broadcast plan for every thread and checks the final element of every register.
///
/// When the execution starts, only one replica of each element (the owner) holds a value.
///
/// # Shape
/// `plan` is the result of [`crate::plan::broadcast::plan_broadcast`] for `layout`.
/// # Errors
/// Returns the first fault: a register with a missing or wrong element, a race, or a malformed step.
pub fn check_broadcast(
    plan: &Program,
    layout: &LinearLayout,
    target: &Target,
) -> Result<(), PlanFault> {
    let free = layout.free_variable_masks();
    let lanes_log2 = layout.in_bits(Dim::LANE);
    let threads = free.mask(Dim::LANE) | free.mask(Dim::WARP) << lanes_log2;
    let registers = free.mask(Dim::REGISTER);
    let is_owner = |register: usize, thread: usize| {
        (register as u64 & registers, thread as u64 & threads) == (0, 0)
    };
    check_owned(plan, layout, target, is_owner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Surjectivity;
    use crate::plan::broadcast::plan_broadcast;
    use crate::plan::program::Step;

    fn target() -> &'static Target {
        Target::parse("cuda:90").expect("it is in the table")
    }

    /// Returns a layout of `2^bits` elements for 32 lanes and 4 warps. The other arguments are the bases of the
    /// registers, lanes and warps.
    fn layout(registers: &[u64], lanes: [u64; 5], warps: [u64; 2], bits: u32) -> LinearLayout {
        let ins = [
            (Dim::REGISTER, 1 << registers.len()),
            (Dim::LANE, 32),
            (Dim::WARP, 4),
        ];
        let columns = [registers, &lanes, &warps].concat();
        let outs = [(Dim::out(0), 1 << bits)];
        LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)
            .expect("the columns reach every element")
    }

    #[track_caller]
    fn check(layout: &LinearLayout, route: &str) -> Program {
        let mut last = None;
        for bits in [16, 32, 64] {
            let plan = plan_broadcast(layout, bits, target()).expect("there is a plan");
            assert_eq!(check_broadcast(&plan, layout, target()), Ok(()), "{plan}");
            let found = match plan.num_barriers() {
                0 if plan.is_identity() => "alone",
                0 => "lanes",
                _ => "memory",
            };
            assert_eq!(found, route, "{bits}");
            last = Some(plan);
        }
        last.expect("there were widths")
    }

    #[test]
    fn copies_take_the_shortest_route() {
        check(&layout(&[1, 2], [4, 8, 16, 32, 64], [128, 256], 9), "alone");
        check(&layout(&[1, 2], [4, 8, 0, 0, 16], [32, 64], 7), "lanes");
        // A lane holds the element of another register of another lane.
        check(&layout(&[1, 2], [4, 8, 16, 32, 5], [64, 128], 8), "memory");
        check(&layout(&[1, 2], [4, 0, 0, 0, 0], [0, 8], 4), "memory");
        // A register column that is the sum of two others, and replicas in warps.
        check(&layout(&[1, 2, 3], [4, 8, 16, 32, 64], [0, 5], 7), "memory");
        check(&layout(&[], [0; 5], [0; 2], 0), "memory");
    }

    #[test]
    fn broken_plans_are_rejected() {
        let copies = layout(&[1, 2], [4, 8, 16, 32, 64], [0, 0], 7);
        let unique = layout(&[1, 2], [4, 8, 16, 32, 64], [128, 256], 9);
        let plan = check(&copies, "memory");
        let alone = check(&unique, "alone");
        for at in 0..plan.steps().len() {
            let without = plan.edited(|steps| {
                steps.remove(at);
            });
            assert!(
                check_broadcast(&without, &copies, target()).is_err(),
                "{without}"
            );
        }
        // Threads that own nothing store, too.
        let unguarded = plan.edited(|steps| {
            for step in steps {
                if let Step::Store { guard, .. } = step {
                    *guard = None;
                }
            }
        });
        assert!(check_broadcast(&unguarded, &copies, target()).is_err());
        assert!(check_broadcast(&alone, &copies, target()).is_err());
    }
}
