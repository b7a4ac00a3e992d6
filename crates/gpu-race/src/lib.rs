//! Dynamic data-race detection for GPU kernels.
//!
//! Two accesses of different threads to one byte must be ordered if at least one of them is a write. The order comes
//! from:
//! - block barriers, for the threads of a block;
//! - warp barriers, for the lanes of a warp;
//! - program order, for the lanes of a wave that runs in lockstep (AMD);
//! - joint accesses: lanes of a warp that access one address in one instruction. A joint access is ordered before every
//!   later access of each of its lanes.
//!
//! Barriers do not order different thread blocks. [`Shadow`] keeps constant-size records for kernels that only use
//! barriers. [`Clocks`] and [`History`] also handle atomic accesses and fences.
//!
//! Unordered stores of the same value to a byte do not race with each other, since the last store does not change the
//! value. Every other access must be ordered against all of these stores: a store that comes late may overwrite a byte
//! that was reused (`tools/docs/adr/0006-copies-wait-for-the-block.md`).

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "tests draw small numbers"
    )
)]

mod clocks;
mod history;
mod shadow;
#[cfg(test)]
#[path = "../../../test/split_mix.rs"]
mod split_mix;
mod timestamp;

pub use clocks::{AtomicAddress, Clocks, Scope, Sync, ThreadClock};
pub use history::{AccessKind, Findings, History, HistoryAccess, Race};
pub use shadow::Shadow;
pub use timestamp::{ShadowAccess, TimestampBounds, Timestamps};

const NO_THREAD: u32 = u32::MAX;

/// A point of execution: the thread, the instruction and the barrier epochs of an access.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionPoint {
    /// Index of the thread within the grid.
    pub thread: u32,
    /// Index, within the grid, of the first thread in the block of `thread`.
    pub block: u32,
    /// Index, within the grid, of the first thread in the warp of `thread`.
    pub warp: u32,
    /// Index of the instruction in the program.
    pub op: u32,
    /// Value of a launch-wide counter when the block started or last executed a block barrier. Each start of a
    /// block and each block barrier of any block increments the counter.
    pub block_epoch: u32,
    /// Epoch of the warp. Accesses of the warp in earlier epochs happen before its accesses in later epochs. A
    /// barrier of the warp begins a new epoch. On targets with lockstep waves, each memory instruction also begins
    /// a new epoch.
    pub warp_epoch: u32,
    /// Mask of the lanes that take part in a joint access; 0 if the access is not joint. In a joint access, several
    /// lanes of a warp access the same address with one instruction. In a joint store, all of them store the same
    /// value.
    pub joint_lanes: u64,
}

/// The parameters that determine which accesses to a memory are ordered by barriers.
#[derive(Clone, Copy, Debug)]
pub struct OrderRules {
    /// Number of threads per block.
    pub threads_per_block: u32,
    /// Number of lanes per warp.
    pub lanes_per_warp: u32,
    /// Smallest block epoch of valid records. Records with a smaller epoch belong to earlier blocks and are
    /// ignored.
    pub first_epoch: u32,
    /// True if only one thread block uses the memory. A block barrier then orders all earlier accesses before all
    /// later accesses.
    pub is_block_own: bool,
}

impl OrderRules {
    fn same_block(self, thread: u32, now: ExecutionPoint) -> bool {
        thread.wrapping_sub(now.block) < self.threads_per_block
    }

    /// Returns true if `thread` is in the warp of `now`. Also compares the blocks: if the last warp of a block is
    /// partial, the thread indices after it are in the next block.
    fn same_warp(self, thread: u32, now: ExecutionPoint) -> bool {
        thread.wrapping_sub(now.warp) < self.lanes_per_warp && self.same_block(thread, now)
    }

    /// Returns true if every lane that takes part in the access at `now` also took part in an earlier joint access.
    /// `lanes` is the lane mask of the earlier access, and `thread` is one of its threads.
    fn is_joint(self, thread: u32, lanes: u64, now: ExecutionPoint) -> bool {
        let own = match now.joint_lanes {
            0 => 1 << (now.thread - now.warp),
            lanes => lanes,
        };
        lanes != 0 && self.same_warp(thread, now) && own & !lanes == 0
    }

    fn before(self, thread: u32, block_epoch: u32, warp_epoch: u32, now: ExecutionPoint) -> bool {
        // Program order applies to a lane that acts alone.
        (thread == now.thread && now.joint_lanes & (now.joint_lanes.wrapping_sub(1)) == 0)
            || (block_epoch < now.block_epoch && self.same_block(thread, now))
            || (warp_epoch < now.warp_epoch && self.same_warp(thread, now))
    }
}

/// A conflict between two accesses, described by the earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Index, within the grid, of the thread that made the earlier access.
    pub thread: u32,
    /// Index, within the program, of the instruction that made the earlier access.
    pub op: u32,
    /// True if the earlier access was a write.
    pub wrote: bool,
}

/// A set of accesses to one [`ShadowCell`], represented by at most two of the accessing threads.
///
/// If threads of several warps made these accesses, the two representatives are in different warps. Therefore, for
/// every thread, at least one representative is in another warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct AccessGroup {
    first: u32,
    /// Second representative thread; [`NO_THREAD`] if there is none.
    second: u32,
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
    /// Mask of the lanes that took part in every access of the group. 0 if there are no such lanes, or if several
    /// warps accessed the cell.
    joint_lanes: u64,
}

const NO_GROUP: AccessGroup = AccessGroup {
    first: NO_THREAD,
    second: NO_THREAD,
    op: 0,
    block_epoch: 0,
    warp_epoch: 0,
    joint_lanes: 0,
};

impl AccessGroup {
    fn only(now: ExecutionPoint) -> Self {
        Self {
            first: now.thread,
            second: NO_THREAD,
            op: now.op,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
            joint_lanes: now.joint_lanes,
        }
    }

    fn is_live(&self, order: OrderRules) -> bool {
        self.first != NO_THREAD && self.block_epoch >= order.first_epoch
    }

    /// Returns (thread, instruction) of an access in the group that is not ordered before `now`, or `None` if there
    /// is no such access.
    fn unordered(&self, now: ExecutionPoint, order: OrderRules) -> Option<(u32, u32)> {
        if !self.is_live(order) {
            return None;
        }
        let thread = [self.first, self.second].into_iter().find(|&thread| {
            thread != NO_THREAD
                && !order.before(thread, self.block_epoch, self.warp_epoch, now)
                && !order.is_joint(thread, self.joint_lanes, now)
        })?;
        Some((thread, self.op))
    }

    /// Mask of the lanes that took part in every access that the warp of `first` made in the recorded epochs. 0 if
    /// there are no such lanes, if a single lane made all these accesses, or if another warp has accessed the cell
    /// since the first of them.
    fn joint(&self, now: ExecutionPoint, order: OrderRules) -> u64 {
        let bit = |thread: u32| match order.same_warp(thread, now) {
            true => 1 << (thread - now.warp),
            false => 0,
        };
        // A single thread has no lane mask.
        let own = match (self.joint_lanes, self.second) {
            (0, NO_THREAD) => bit(self.first),
            (lanes, _) => lanes,
        };
        let new = match now.joint_lanes {
            0 => bit(now.thread),
            lanes => lanes,
        };
        let is_alone = self.second == NO_THREAD && self.first == now.thread;
        match own & new {
            joint if is_alone && joint == bit(now.thread) => 0,
            joint => joint,
        }
    }

    fn add(&mut self, now: ExecutionPoint, order: OrderRules) {
        if self.first == now.thread
            && self.block_epoch == now.block_epoch
            && self.warp_epoch == now.warp_epoch
        {
            self.joint_lanes = self.joint(now, order);
            self.op = now.op;
            return;
        }
        let live = self.is_live(order);
        let over = live && self.block_epoch < now.block_epoch && order.same_block(self.first, now);
        if !live || over {
            // All threads of this block are ordered before `now`. A representative of another block is kept.
            let foreign = live && self.second != NO_THREAD && !order.same_block(self.second, now);
            if !foreign {
                self.second = NO_THREAD;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
            self.joint_lanes = now.joint_lanes;
        } else if !order.same_warp(self.first, now) {
            self.second = now.thread;
            self.joint_lanes = 0;
        } else if self.warp_epoch < now.warp_epoch {
            // Earlier threads of the warp are ordered before `now`. A representative of another warp is kept.
            if self.second != NO_THREAD && order.same_warp(self.second, now) {
                self.second = NO_THREAD;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
            self.joint_lanes = now.joint_lanes;
        } else {
            let joint = self.joint(now, order);
            if self.first != now.thread && self.second == NO_THREAD {
                self.second = now.thread;
            }
            self.joint_lanes = joint;
        }
        self.op = now.op;
        self.block_epoch = now.block_epoch;
    }
}

/// The record of the accesses to one unit of memory. The unit is a granule of bytes with the same history, or one
/// tensor element in a symbolic check.
#[derive(Clone, Copy, Debug)]
pub struct ShadowCell {
    writers: AccessGroup,
    /// The stores of the previous value. The stores in `writers` have replaced this value.
    before: AccessGroup,
    readers: AccessGroup,
}

/// A cell that no thread has accessed.
pub const UNTOUCHED: ShadowCell = ShadowCell {
    writers: NO_GROUP,
    before: NO_GROUP,
    readers: NO_GROUP,
};

impl ShadowCell {
    /// Records a read. Returns a flag that is true if the cell was written before, and the earlier write that races
    /// with the read, if there is one.
    pub fn read(&mut self, now: ExecutionPoint, order: OrderRules) -> (bool, Option<Conflict>) {
        let conflict = conflict(&self.writers, now, order, true);
        self.readers.add(now, order);
        (self.writers.is_live(order), conflict)
    }

    /// Records a write. `same` is true if the write leaves the value unchanged.
    pub fn write(&mut self, same: bool, now: ExecutionPoint, order: OrderRules) -> WriteVerdict {
        let read = conflict(&self.readers, now, order, false);
        let written = conflict(&self.writers, now, order, true);
        let same = same && self.writers.is_live(order);
        // A repeated store must also be ordered after the stores of the previous value.
        let replaced = same.then(|| conflict(&self.before, now, order, true));
        let found = match (read, written, replaced) {
            (Some(conflict), ..) | (None, _, Some(Some(conflict))) => {
                WriteVerdict::Conflict(conflict)
            }
            (None, Some(_), Some(None)) => WriteVerdict::Redundant,
            (None, Some(conflict), None) => WriteVerdict::Conflict(conflict),
            (None, None, _) => WriteVerdict::Clean,
        };
        if same {
            self.writers.add(now, order);
        } else {
            self.before = self.writers;
            self.writers = AccessGroup::only(now);
        }
        found
    }
}

fn conflict(
    group: &AccessGroup,
    now: ExecutionPoint,
    order: OrderRules,
    wrote: bool,
) -> Option<Conflict> {
    let (thread, op) = group.unordered(now, order)?;
    Some(Conflict { thread, op, wrote })
}

/// The result of checking a store for races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteVerdict {
    /// The store does not race.
    Clean,
    /// An unordered store of another thread had already stored the same value. This is not a race.
    Redundant,
    /// The store races with the access that this [`Conflict`] describes.
    Conflict(Conflict),
}

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
