//! Shared memory of the plan checker: names in cells, and who may touch a cell without a barrier.
//!
//! Two ways of watching for races, with the same verdict on the plans they share. The *ledger* keeps writers and
//! readers per cell and decides any order of steps. The *stamp* is a third of the size and serves the common case:
//! between two barriers a plan only stores or only loads, and all barriers have the same scope. Then a load can
//! meet no store of its own section, and it is enough to know when and by which warps a cell was last written.

use crate::plan::{BarrierScope, ConvertPlan, Step};

/// No name: the register or cell was never written.
pub(super) const NOTHING: u32 = u32::MAX;

/// What went wrong in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CellFault {
    Race,
    Uninitialised,
}

/// The cells, watched one way or the other.
pub(super) enum Memory {
    Stamped {
        cells: Vec<Stamp>,
        section: u32,
        by_warp: bool,
    },
    Recorded {
        cells: Vec<Ledger>,
        epoch: u32,
        block_epoch: u32,
    },
}

/// The last write of a cell: the name, the section between barriers, and the warps that wrote this name.
#[derive(Clone, Copy)]
pub(super) struct Stamp {
    name: u32,
    section: u32,
    warps: u64,
}

/// Per cell: who touched it since when. Epochs count barriers.
#[derive(Clone, Copy)]
pub(super) struct Ledger {
    name: u32,
    /// The last writer, and the warps that wrote this same name since the last block barrier.
    writer: u32,
    writer_warps: u64,
    written: u32,
    written_block: u32,
    /// The last reader (`NOTHING`: several), and its warps since the last block barrier.
    reader: u32,
    reader_warps: u64,
    read: u32,
    read_block: u32,
}

impl Memory {
    pub(super) fn new(plan: &ConvertPlan, cells: usize, warps: usize, force_ledger: bool) -> Self {
        if force_ledger || !is_plain(plan, warps) {
            let empty = Ledger {
                name: NOTHING,
                writer: NOTHING,
                writer_warps: 0,
                written: 0,
                written_block: 0,
                reader: NOTHING,
                reader_warps: 0,
                read: 0,
                read_block: 0,
            };
            return Self::Recorded {
                cells: vec![empty; cells],
                epoch: 0,
                block_epoch: 0,
            };
        }
        let by_warp = warps > 1 && plan.steps().contains(&Step::Barrier(BarrierScope::Warp));
        let empty = Stamp {
            name: NOTHING,
            section: u32::MAX,
            warps: 0,
        };
        Self::Stamped {
            cells: vec![empty; cells],
            section: 0,
            by_warp,
        }
    }

    pub(super) fn barrier(&mut self, scope: BarrierScope) {
        match self {
            Self::Stamped { section, .. } => *section += 1,
            Self::Recorded {
                epoch, block_epoch, ..
            } => {
                *epoch += 1;
                if scope == BarrierScope::Block {
                    *block_epoch += 1;
                }
            }
        }
    }

    /// Writes names `rows[i][thread]` to the cells from `first` on; answers the cell at fault.
    #[inline]
    pub(super) fn store(
        &mut self,
        first: usize,
        thread: u32,
        warp: u32,
        names: impl Iterator<Item = u32>,
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
                        if meets && cell.name != NOTHING {
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
                epoch,
                block_epoch,
            } => {
                for (i, (cell, name)) in cells[first..].iter_mut().zip(names).enumerate() {
                    if !cell.write(name, thread, warp, *epoch, *block_epoch) {
                        return Err((first + i, CellFault::Race));
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads cell `at`.
    #[inline]
    pub(super) fn load(&mut self, at: usize, thread: u32, warp: u32) -> Result<u32, CellFault> {
        let warp = 1u64 << (warp & 63);
        match self {
            Self::Stamped {
                cells,
                section,
                by_warp,
            } => {
                let cell = &cells[at];
                if cell.name == NOTHING {
                    return Err(CellFault::Uninitialised);
                }
                if cell.section == *section || *by_warp && cell.warps & warp == 0 {
                    return Err(CellFault::Race);
                }
                Ok(cell.name)
            }
            Self::Recorded {
                cells,
                epoch,
                block_epoch,
            } => cells[at].read(thread, warp, *epoch, *block_epoch),
        }
    }
}

impl Ledger {
    fn write(&mut self, name: u32, thread: u32, warp: u64, epoch: u32, block_epoch: u32) -> bool {
        let again = self.name == name;
        if !again {
            // Whoever read or wrote before must be behind a barrier.
            let meets = |who: u32, warps: u64, at: u32, block: u32| {
                let others = block == block_epoch && warps & !warp != 0;
                let lanes = at == epoch && warps & warp != 0 && who != thread;
                others || lanes
            };
            if meets(
                self.writer,
                self.writer_warps,
                self.written,
                self.written_block,
            ) || meets(self.reader, self.reader_warps, self.read, self.read_block)
            {
                return false;
            }
        }
        if again && self.written_block == block_epoch {
            self.writer_warps |= warp;
        } else {
            self.writer_warps = warp;
        }
        self.name = name;
        self.writer = thread;
        self.written = epoch;
        self.written_block = block_epoch;
        true
    }

    fn read(
        &mut self,
        thread: u32,
        warp: u64,
        epoch: u32,
        block_epoch: u32,
    ) -> Result<u32, CellFault> {
        if self.writer == NOTHING {
            return Err(CellFault::Uninitialised);
        }
        let own = self.writer == thread;
        let in_warp = self.writer_warps & warp != 0 && self.written != epoch;
        if !(own || in_warp || self.written_block != block_epoch) {
            return Err(CellFault::Race);
        }
        if self.read_block == block_epoch && self.reader_warps != 0 {
            let alone = self.reader == thread && self.read == epoch;
            self.reader_warps |= warp;
            self.reader = if alone { thread } else { NOTHING };
        } else {
            self.reader_warps = warp;
            self.reader = thread;
        }
        self.read = epoch;
        self.read_block = block_epoch;
        Ok(self.name)
    }
}

/// Only stores or only loads between barriers, and barriers of one scope.
fn is_plain(plan: &ConvertPlan, warps: usize) -> bool {
    let (mut stores, mut loads, mut scope) = (false, false, None);
    for step in plan.steps() {
        match *step {
            Step::Store { .. } => stores = true,
            Step::Load { .. } => loads = true,
            Step::Barrier(s) => {
                let same = scope.is_none_or(|known| known == s);
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
