//! Runs the plan of a sharing on element names, which owners alone hold at first.

use super::matrix::address_of;
use super::plan::{PlanFault, check_plan, columns, span};
use crate::layout::{Dim, LayoutError};
use crate::plan::memory::MemoryPlan;
use crate::plan::share::{SharePlan, ShareWay, ThroughMemory, told_apart};
use crate::target::Target;
use std::collections::HashMap;
use thiserror::Error;

/// What is wrong with the plan of a sharing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct ShareFault(#[from] Kind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Kind {
    #[error(transparent)]
    Layout(LayoutError),
    #[error(transparent)]
    Lanes(PlanFault),
    #[error("nothing is shared, but register {register} of thread {thread} is a copy")]
    Repeated { register: usize, thread: u64 },
    #[error("element {element} is stored where thread {thread} stores another one")]
    Stored { element: u64, thread: u64 },
    #[error("register {register} of thread {thread} is loaded from where its element is not")]
    Loaded { register: usize, thread: u64 },
}

/// Runs the plan for every thread and checks that each register ends with its element.
///
/// # Errors
/// The first fault: an element that reaches nobody, or the wrong register, or is stored over another one.
pub fn check_sharing(plan: &SharePlan, target: &Target) -> Result<(), ShareFault> {
    match plan.way() {
        ShareWay::Alone => alone(plan),
        ShareWay::Lanes(conversion) => {
            let (from, to) = told_apart(plan.layout()).map_err(Kind::Layout)?;
            check_plan(conversion.program(), &from, &to, target).map_err(Kind::Lanes)?;
            Ok(())
        }
        ShareWay::Memory(memory) => through_memory(plan, memory),
    }
}

/// The element of each register of each thread.
fn places(plan: &SharePlan) -> impl Iterator<Item = (usize, u64, u64)> {
    let (registers, threads) = columns(plan.layout());
    let (registers, threads) = (span(&registers), span(&threads));
    (0u64..).zip(threads).flat_map(move |(thread, there)| {
        let registers = registers.clone();
        let at = move |(register, here): (usize, u64)| (register, thread, here ^ there);
        registers.into_iter().enumerate().map(at)
    })
}

fn alone(plan: &SharePlan) -> Result<(), ShareFault> {
    let mut held = HashMap::new();
    for (register, thread, element) in places(plan) {
        if held.insert(element, thread).is_some() {
            return Err(Kind::Repeated { register, thread }.into());
        }
    }
    Ok(())
}

fn through_memory(plan: &SharePlan, memory: &ThroughMemory) -> Result<(), ShareFault> {
    let layout = plan.layout();
    let free = layout.free_variable_masks();
    let lanes_log2 = layout.in_bits(Dim::LANE);
    let lane_and_warp = |thread: u64| [thread & ((1 << lanes_log2) - 1), thread >> lanes_log2];
    let copies = free.mask(Dim::LANE) | free.mask(Dim::WARP) << lanes_log2;
    let address = |plan: &MemoryPlan, register: usize, thread: u64| {
        address_of(plan, register, lane_and_warp(thread), 0)
    };
    let mut cells = HashMap::new();
    for (register, thread, element) in places(plan).filter(|(_, thread, _)| thread & copies == 0) {
        // A register that repeats another one is stored by none.
        let Some(stored) = memory.registers.iter().position(|r| *r == register) else {
            continue;
        };
        let at = address(&memory.store, stored, thread);
        if cells.insert(at, element).is_some_and(|old| old != element) {
            return Err(Kind::Stored { element, thread }.into());
        }
    }
    for (register, thread, element) in places(plan) {
        if cells.get(&address(&memory.load, register, thread)) != Some(&element) {
            return Err(Kind::Loaded { register, thread }.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{LinearLayout, Surjectivity};

    fn target() -> &'static Target {
        Target::parse("cuda:90").expect("it is in the table")
    }

    /// A layout of these columns for registers, 32 lanes and 4 warps.
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
    fn check(layout: &LinearLayout, way: &str) -> SharePlan {
        let mut last = None;
        for bits in [16, 32, 64] {
            let plan = SharePlan::new(layout, bits, target()).expect("there is a plan");
            assert_eq!(check_sharing(&plan, target()), Ok(()));
            let found = match plan.way() {
                ShareWay::Alone => "alone",
                ShareWay::Lanes(_) => "lanes",
                ShareWay::Memory(_) => "memory",
            };
            assert_eq!(found, way, "{bits}");
            last = Some(plan);
        }
        last.expect("there were widths")
    }

    #[test]
    fn copies_take_the_shortest_way() {
        check(&layout(&[1, 2], [4, 8, 16, 32, 64], [128, 256], 9), "alone");
        check(&layout(&[1, 2], [4, 8, 0, 0, 16], [32, 64], 7), "lanes");
        // A lane that holds what another register of another one does.
        check(&layout(&[1, 2], [4, 8, 16, 32, 5], [64, 128], 8), "memory");
        check(&layout(&[1, 2], [4, 0, 0, 0, 0], [0, 8], 4), "memory");
        // A register that holds what two others add up to, and copies in warps.
        check(&layout(&[1, 2, 3], [4, 8, 16, 32, 64], [0, 5], 7), "memory");
        check(&layout(&[], [0; 5], [0; 2], 0), "memory");
    }

    #[test]
    fn what_is_broken_is_noticed() {
        let copies = layout(&[1, 2], [4, 8, 16, 32, 64], [0, 0], 7);
        let mut plan = check(&copies, "memory");
        let ShareWay::Memory(memory) = plan.way() else {
            panic!("it goes through memory");
        };
        let mut wrong = memory.clone();
        wrong.registers.swap(0, 1);
        plan = plan.with_way(ShareWay::Memory(wrong));
        let fault = check_sharing(&plan, target()).unwrap_err().to_string();
        assert!(
            fault.starts_with("register 0 of thread 0 is loaded"),
            "{fault}"
        );
        plan = plan.with_way(ShareWay::Alone);
        let fault = check_sharing(&plan, target()).unwrap_err().to_string();
        assert!(fault.starts_with("nothing is shared"), "{fault}");
    }
}
