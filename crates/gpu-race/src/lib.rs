//! Shadow memory of the data-race check of plans and of kernels.
//!
//! Two accesses of different threads to one byte, one of them a write, must be ordered: by a
//! block barrier between them, or inside a warp by a warp barrier. On a machine whose waves run
//! in lockstep (AMD) the order of instructions inside a wave is enough. Everywhere, lanes of a warp that
//! execute a load or a store of one address together make a single access, which is ordered before whatever
//! any of them does next. Barriers do not order blocks; kernels with atomic accesses have more
//! ways to order threads, for which [`Clocks`] and [`History`] are.
//!
//! Copies of one value may be stored by several threads without order, since the byte is the same whoever is
//! last. They must be ordered against everything else: a reader that knows of one copy only meets the other
//! ones later, perhaps after the byte has been used again (`tools/docs/adr/0006-copies-wait-for-the-block.md`).

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
mod moment;
mod shadow;
#[cfg(test)]
#[path = "../../../test/split_mix.rs"]
mod split_mix;

pub use clocks::{Clocks, Knowledge, Location, Scope, Sync};
pub use history::{Clash, Findings, History, Kind, Step};
pub use moment::{Access, Bounds, Moments};
pub use shadow::Shadow;

const NOBODY: u32 = u32::MAX;

/// The moment of an access.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Thread within the whole grid.
    pub thread: u32,
    /// The first thread of its block.
    pub block: u32,
    /// The first thread of its warp.
    pub warp: u32,
    /// Index of the instruction.
    pub op: u32,
    /// Number of block barriers so far, over all blocks.
    pub block_epoch: u32,
    /// Number of orderings inside the thread's warp so far.
    pub warp_epoch: u32,
    /// The lanes of the warp that access the same address together; 0 where the thread accesses it alone.
    pub together: u64,
}

/// The grouping of threads into warps and blocks.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Lanes of a warp.
    pub lanes_per_warp: u32,
    /// Records of epochs before this one are void (shared memory of an earlier block).
    pub first_epoch: u32,
    /// True for memory of one block: accesses that a barrier of the block has ordered conflict with none after it.
    pub is_block_own: bool,
}

impl Order {
    /// Whether a thread is of the block in which the access happens.
    fn same_block(self, thread: u32, now: Now) -> bool {
        thread.wrapping_sub(now.block) < self.threads_per_block
    }

    /// Whether a thread is of the warp in which the access happens; the last one of a block may have fewer lanes.
    fn same_warp(self, thread: u32, now: Now) -> bool {
        thread.wrapping_sub(now.warp) < self.lanes_per_warp && self.same_block(thread, now)
    }

    /// Returns true if the thread accessed memory together with the lanes of its warp that these bits name, and the
    /// access is of none but these.
    fn is_together(self, thread: u32, lanes: u64, now: Now) -> bool {
        let own = match now.together {
            0 => 1 << (now.thread - now.warp),
            lanes => lanes,
        };
        lanes != 0 && self.same_warp(thread, now) && own & !lanes == 0
    }

    /// Whether an access by `thread` at the given epochs comes before `now` for sure.
    fn before(self, thread: u32, block_epoch: u32, warp_epoch: u32, now: Now) -> bool {
        // Of lanes that act together, one alone is ordered behind what it has done itself.
        (thread == now.thread && now.together & (now.together.wrapping_sub(1)) == 0)
            || (block_epoch < now.block_epoch && self.same_block(thread, now))
            || (warp_epoch < now.warp_epoch && self.same_warp(thread, now))
    }
}

/// The other side of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Thread within the whole grid.
    pub thread: u32,
    /// Index of its instruction.
    pub op: u32,
    /// True if it wrote.
    pub wrote: bool,
}

/// Threads that touched a cell, as far as the check must know them.
///
/// Two of them stand for all: where several warps took part, the two are of different warps, so a thread of
/// any warp meets one that is not of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Group {
    first: u32,
    /// Another thread than `first`, of another warp where there is one.
    second: u32,
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
    /// Lanes of the first one's warp that took part in all that the warp did here, together.
    together: u64,
}

const NO_GROUP: Group = Group {
    first: NOBODY,
    second: NOBODY,
    op: 0,
    block_epoch: 0,
    warp_epoch: 0,
    together: 0,
};

impl Group {
    fn only(now: Now) -> Self {
        Self {
            first: now.thread,
            second: NOBODY,
            op: now.op,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
            together: now.together,
        }
    }

    fn is_live(&self, order: Order) -> bool {
        self.first != NOBODY && self.block_epoch >= order.first_epoch
    }

    /// A thread of the group that is not ordered before `now`.
    fn unordered(&self, now: Now, order: Order) -> Option<(u32, u32)> {
        if !self.is_live(order) {
            return None;
        }
        let thread = [self.first, self.second].into_iter().find(|&thread| {
            thread != NOBODY
                && !order.before(thread, self.block_epoch, self.warp_epoch, now)
                && !order.is_together(thread, self.together, now)
        })?;
        Some((thread, self.op))
    }

    /// The lanes that took part in what the group did and take part in what is added to it.
    fn joint(&self, now: Now, order: Order) -> u64 {
        let bit = |thread: u32| match order.same_warp(thread, now) {
            true => 1 << (thread - now.warp),
            false => 0,
        };
        // A thread alone is not named by its lane.
        let own = match (self.together, self.second) {
            (0, NOBODY) => bit(self.first),
            (lanes, _) => lanes,
        };
        let new = match now.together {
            0 => bit(now.thread),
            lanes => lanes,
        };
        let is_alone = self.second == NOBODY && self.first == now.thread;
        match own & new {
            joint if is_alone && joint == bit(now.thread) => 0,
            joint => joint,
        }
    }

    fn add(&mut self, now: Now, order: Order) {
        if self.first == now.thread
            && self.block_epoch == now.block_epoch
            && self.warp_epoch == now.warp_epoch
        {
            self.together = self.joint(now, order);
            self.op = now.op;
            return;
        }
        let live = self.is_live(order);
        let over = live && self.block_epoch < now.block_epoch && order.same_block(self.first, now);
        if !live || over {
            // All threads of this block are ordered before; one of another block stays.
            let foreign = live && self.second != NOBODY && !order.same_block(self.second, now);
            if !foreign {
                self.second = NOBODY;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
            self.together = now.together;
        } else if !order.same_warp(self.first, now) {
            self.second = now.thread;
            self.together = 0;
        } else if self.warp_epoch < now.warp_epoch {
            // The warp's earlier threads are ordered before; another warp's stay.
            if self.second != NOBODY && order.same_warp(self.second, now) {
                self.second = NOBODY;
            }
            self.first = now.thread;
            self.warp_epoch = now.warp_epoch;
            self.together = now.together;
        } else {
            let joint = self.joint(now, order);
            if self.first != now.thread && self.second == NOBODY {
                self.second = now.thread;
            }
            self.together = joint;
        }
        self.op = now.op;
        self.block_epoch = now.block_epoch;
    }
}

/// The record of one byte, or of one element's name.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Those who wrote the value that is there now.
    writers: Group,
    /// Those who wrote the value before it.
    before: Group,
    readers: Group,
}

/// The record of a byte that nobody has touched.
pub const UNTOUCHED: Cell = Cell {
    writers: NO_GROUP,
    before: NO_GROUP,
    readers: NO_GROUP,
};

impl Cell {
    /// Notes a read; says whether anybody wrote before, and the first conflict.
    pub fn read(&mut self, now: Now, order: Order) -> (bool, Option<Conflict>) {
        let conflict = conflict(&self.writers, now, order, true);
        self.readers.add(now, order);
        (self.writers.is_live(order), conflict)
    }

    /// Notes a write; `same` says that the value is there already.
    pub fn write(&mut self, same: bool, now: Now, order: Order) -> Found {
        let read = conflict(&self.readers, now, order, false);
        let written = conflict(&self.writers, now, order, true);
        let same = same && self.writers.is_live(order);
        // A copy can also land before what the first copy replaced.
        let replaced = same.then(|| conflict(&self.before, now, order, true));
        let found = match (read, written, replaced) {
            (Some(conflict), ..) | (None, _, Some(Some(conflict))) => Found::Conflict(conflict),
            (None, Some(_), Some(None)) => Found::Redundant,
            (None, Some(conflict), None) => Found::Conflict(conflict),
            (None, None, _) => Found::Clean,
        };
        if same {
            self.writers.add(now, order);
        } else {
            self.before = self.writers;
            self.writers = Group::only(now);
        }
        found
    }
}

fn conflict(group: &Group, now: Now, order: Order, wrote: bool) -> Option<Conflict> {
    let (thread, op) = group.unordered(now, order)?;
    Some(Conflict { thread, op, wrote })
}

/// The verdict on a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Nothing in the way.
    Clean,
    /// Another thread stored the same value, unordered, and nobody has read it.
    Redundant,
    /// Another thread's access, unordered.
    Conflict(Conflict),
}
