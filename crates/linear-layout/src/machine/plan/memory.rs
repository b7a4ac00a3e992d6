//! Shared memory of the plan checker: symbolic values of cells, and race detection.
//!
//! There are two race detectors, which agree on all plans that both support:
//!
//! - The *ledger* handles any order of steps. Its records are in [`race`](gpu_race), which also checks kernels.
//! - The *stamp* needs a quarter of the memory, but supports only plans that either store or load between two barriers,
//!   with barriers of one scope. It records only the last write of a cell.

use super::name::Name;
use crate::number::narrow;
use crate::plan::program::{BarrierScope, Program, Step};
use gpu_race::{ExecutionPoint, OrderRules, ShadowCell, UNTOUCHED, WriteVerdict};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CellFault {
    Race,
    Uninitialised,
}

pub(super) enum Memory<N> {
    Stamped {
        cells: Vec<Stamp<N>>,
        section: u32,
        by_warp: bool,
    },
    Recorded {
        cells: Vec<RecordedCell<N>>,
        order: OrderRules,
        epoch: u32,
        block_epoch: u32,
        /// Scope of a barrier that synchronises all threads. It is the block if the program runs on one block, and
        /// the cluster if it runs on several blocks.
        joint: BarrierScope,
    },
}

/// A cell `(value, accesses, is_sum)`. `is_sum` is true if the last write was an atomic addition.
pub(super) type RecordedCell<N> = (N, ShadowCell, bool);

/// The last write to a cell. It consists of the written value, the section in which the write happened, and a mask
/// of the warps that wrote the value.
///
/// A section is the part of the program between two barriers.
#[derive(Clone, Copy)]
pub(super) struct Stamp<N> {
    name: N,
    section: u32,
    warps: u64,
}

impl<N: Name> Memory<N> {
    pub(super) fn new(plan: &Program, cells: usize, warps: usize, force_ledger: bool) -> Self {
        if force_ledger || !stamps_suffice(plan, warps) {
            return Self::Recorded {
                cells: vec![(N::NOTHING, UNTOUCHED, false); cells],
                order: OrderRules {
                    threads_per_block: narrow::<u32>(warps) << plan.lanes_log2(),
                    lanes_per_warp: 1 << plan.lanes_log2(),
                    first_epoch: 0,
                    is_block_own: true,
                },
                epoch: 0,
                block_epoch: 0,
                joint: joint_scope(plan),
            };
        }
        let by_warp = warps > 1 && plan.steps().contains(&Step::Barrier(BarrierScope::Warp));
        let empty = Stamp {
            name: N::NOTHING,
            section: u32::MAX,
            warps: 0,
        };
        Self::Stamped {
            cells: vec![empty; cells],
            section: 0,
            by_warp,
        }
    }

    pub(super) fn peek(&self, at: usize) -> Option<N> {
        match self {
            Self::Stamped { cells, .. } => cells.get(at).map(|cell| cell.name),
            Self::Recorded { cells, .. } => cells.get(at).map(|cell| cell.0),
        }
    }

    pub(super) fn barrier(&mut self, scope: BarrierScope) {
        match self {
            Self::Stamped { section, .. } => *section += 1,
            Self::Recorded {
                epoch,
                block_epoch,
                joint,
                ..
            } => {
                *epoch += 1;
                if scope == *joint {
                    *block_epoch += 1;
                }
            }
        }
    }

    /// Stores the symbolic values `names` to consecutive cells, starting with cell `first`. An error contains the
    /// index of the cell that caused it.
    #[inline]
    pub(super) fn store(
        &mut self,
        first: usize,
        thread: u32,
        warp: u32,
        names: impl Iterator<Item = N>,
    ) -> Result<(), (usize, CellFault)> {
        let warp = 1u64 << (warp & 63);
        match self {
            Self::Stamped {
                cells,
                section,
                by_warp,
            } => {
                for (i, (cell, name)) in cells[first..].iter_mut().zip(names).enumerate() {
                    if cell.name == name {
                        cell.warps |= warp;
                    } else {
                        let meets = cell.section == *section || *by_warp && cell.warps & !warp != 0;
                        if meets && cell.name != N::NOTHING {
                            return Err((first + i, CellFault::Race));
                        }
                        cell.name = name;
                        cell.warps = warp;
                    }
                    cell.section = *section;
                }
            }
            Self::Recorded {
                cells,
                order,
                epoch,
                block_epoch,
                ..
            } => {
                let now = now(thread, *order, *epoch, *block_epoch);
                for (i, (cell, name)) in cells[first..].iter_mut().zip(names).enumerate() {
                    let is_copy = cell.0 == name && !cell.2;
                    let found = cell.1.write(is_copy, now, *order);
                    if matches!(found, WriteVerdict::Conflict(_)) {
                        return Err((first + i, CellFault::Race));
                    }
                    (cell.0, cell.2) = (name, false);
                }
            }
        }
        Ok(())
    }

    /// Adds the symbolic value `name` atomically to cell `at`. Atomic additions conflict with stores and loads, but
    /// not with each other.
    pub(super) fn add(&mut self, at: usize, thread: u32, name: N) -> Result<(), CellFault> {
        let Self::Recorded {
            cells,
            order,
            epoch,
            block_epoch,
            ..
        } = self
        else {
            unreachable!("additions are recorded")
        };
        let (sum, cell, is_sum) = &mut cells[at];
        let added = sum.combined_with(name).ok_or(CellFault::Uninitialised)?;
        let now = now(thread, *order, *epoch, *block_epoch);
        if matches!(cell.write(*is_sum, now, *order), WriteVerdict::Conflict(_)) {
            return Err(CellFault::Race);
        }
        (*sum, *is_sum) = (added, true);
        Ok(())
    }

    #[inline]
    pub(super) fn load(&mut self, at: usize, thread: u32, warp: u32) -> Result<N, CellFault> {
        let warp = 1u64 << (warp & 63);
        match self {
            Self::Stamped {
                cells,
                section,
                by_warp,
            } => {
                let cell = &cells[at];
                if cell.name == N::NOTHING {
                    return Err(CellFault::Uninitialised);
                }
                // A replica stored by another warp does not order this load.
                if cell.section == *section || *by_warp && cell.warps != warp {
                    return Err(CellFault::Race);
                }
                Ok(cell.name)
            }
            Self::Recorded {
                cells,
                order,
                epoch,
                block_epoch,
                ..
            } => {
                let (name, cell, _) = &mut cells[at];
                match cell.read(now(thread, *order, *epoch, *block_epoch), *order) {
                    (false, _) => Err(CellFault::Uninitialised),
                    (true, Some(_)) => Err(CellFault::Race),
                    (true, None) => Ok(*name),
                }
            }
        }
    }
}

const fn joint_scope(plan: &Program) -> BarrierScope {
    match plan.blocks_log2() {
        0 => BarrierScope::Block,
        _ => BarrierScope::Cluster,
    }
}

fn now(thread: u32, order: OrderRules, epoch: u32, block_epoch: u32) -> ExecutionPoint {
    ExecutionPoint {
        thread,
        block: 0,
        warp: thread & !(order.lanes_per_warp - 1),
        op: 0,
        block_epoch,
        warp_epoch: epoch,
        joint_lanes: 0,
    }
}

/// Returns true if stamps suffice to detect all races.
///
/// Stamps do not record readers. Therefore, they cannot check atomic additions, or a section that contains both
/// stores and loads. If there are several warps, they also cannot check a plan with two or more barriers unless
/// each barrier synchronises all threads.
fn stamps_suffice(plan: &Program, warps: usize) -> bool {
    let (mut stores, mut loads, mut scope) = (false, false, None);
    for step in plan.steps() {
        match *step {
            Step::Store { .. } | Step::StoreMatrices { .. } => stores = true,
            Step::Load { .. } | Step::LoadMatrices { .. } => loads = true,
            Step::AtomicAdd { .. } => return false,
            Step::Barrier(s) => {
                let same = scope.is_none_or(|known| known == s && s == joint_scope(plan));
                if !same && warps > 1 {
                    return false;
                }
                scope = Some(s);
                (stores, loads) = (false, false);
            }
            _ => {}
        }
        if stores && loads {
            return false;
        }
    }
    true
}
