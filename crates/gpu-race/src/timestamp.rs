//! Timestamps of accesses, stored once per launch, and accesses packed into one word (thread, timestamp index).

use super::{AccessGroup, ExecutionPoint, NO_GROUP, NO_THREAD, OrderRules};

/// Maximum number of timestamps in the table. When the table is full, all records are unpacked and the table is
/// cleared.
const MAX_TIMESTAMPS: usize = if cfg!(test) { 1 << 4 } else { 1 << 22 };

/// The fields of an [`ExecutionPoint`] that are equal for all lanes of a warp that execute an instruction together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Timestamp {
    op: u32,
    block_epoch: u32,
    warp_epoch: u32,
    joint_lanes: u64,
}

/// The table of timestamps of a launch.
#[derive(Clone, Debug, Default)]
pub struct Timestamps {
    list: Vec<Timestamp>,
    /// For each instruction, the index of its most recent timestamp; `u32::MAX` if the instruction has none.
    latest: Vec<u32>,
    bounds: TimestampBounds,
}

/// Timestamp indices that delimit the execution of a thread block. The timestamps of the block begin at the index
/// `block`, and those after its last barrier begin at the index `section`. `block_epoch` is the block epoch that
/// began with this barrier.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimestampBounds {
    block: u32,
    section: u32,
    block_epoch: u32,
}

impl Timestamps {
    /// Returns true if the table is full. The caller must then unpack all records
    /// ([`Shadow::unpack`](crate::Shadow::unpack)) and clear the table.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_TIMESTAMPS
    }

    /// Drops all timestamps.
    pub fn clear(&mut self) {
        self.list.clear();
        self.latest.clear();
        (self.bounds.block, self.bounds.section) = (0, 0);
    }

    fn next(&self) -> u32 {
        u32::try_from(self.list.len()).expect("timestamps are cleared when they are full")
    }

    /// Begins a new thread block, whose first timestamp is the next one to be added.
    pub fn begin_block(&mut self) {
        self.bounds.block = self.next();
    }

    /// Exchanges the bounds of the running block with `bounds`, which are the bounds of another block.
    pub fn swap_block(&mut self, bounds: &mut TimestampBounds) {
        std::mem::swap(&mut self.bounds, bounds);
    }

    /// Returns the index of the timestamp of `now`. Adds the timestamp if it is new.
    pub fn index_of(&mut self, now: ExecutionPoint) -> u32 {
        let timestamp = Timestamp {
            op: now.op,
            block_epoch: now.block_epoch,
            warp_epoch: now.warp_epoch,
            joint_lanes: now.joint_lanes,
        };
        if now.block_epoch > self.bounds.block_epoch {
            self.bounds.block_epoch = now.block_epoch;
            self.bounds.section = self.next();
        }
        let op = now.op as usize;
        if op >= self.latest.len() {
            self.latest.resize(op + 1, u32::MAX);
        }
        let latest = self.latest[op];
        if self.list.get(latest as usize) == Some(&timestamp) {
            return latest;
        }
        let index = self.next();
        self.list.push(timestamp);
        self.latest[op] = index;
        index
    }
}

/// An access by one thread, to be checked against a [`Shadow`](crate::Shadow).
#[derive(Clone, Copy, Debug)]
pub struct ShadowAccess<'m> {
    /// Thread and point of execution.
    pub now: ExecutionPoint,
    /// Index in `timestamps` of the timestamp of the point `now`.
    pub timestamp: u32,
    /// Rules that order the accesses to the memory.
    pub order: OrderRules,
    /// Table of timestamps.
    pub timestamps: &'m Timestamps,
}

/// A 64-bit word with one of three contents: (thread, timestamp index), the index of a `ShadowCell`, or
/// nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedAccess(u64);

impl PackedAccess {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn new(thread: u32, index: u32) -> Self {
        Self((u64::from(thread) + 1) << 32 | u64::from(index))
    }

    pub(crate) fn cell(index: usize) -> Self {
        Self(u64::from(u32::MAX) << 32 | index as u64)
    }

    pub(crate) fn as_cell(self) -> Option<usize> {
        (self.0 >> 32 == u64::from(u32::MAX)).then_some(self.index() as usize)
    }

    pub(crate) fn thread(self) -> u32 {
        ((self.0 >> 32) as u32).wrapping_sub(1)
    }

    /// Returns the low half of the word, which is the index of a timestamp or of a cell.
    #[expect(clippy::cast_possible_truncation, reason = "the low half of the word")]
    fn index(self) -> u32 {
        self.0 as u32
    }

    /// Unpacks the access into a group. The accesses of the group are represented by two threads: the thread of
    /// this packed access, and `second`, which may be [`NO_THREAD`].
    pub(crate) fn group(self, second: u32, timestamps: &Timestamps) -> AccessGroup {
        if self == Self::NONE {
            return NO_GROUP;
        }
        let timestamp = timestamps.list[self.index() as usize];
        AccessGroup {
            first: self.thread(),
            second,
            op: timestamp.op,
            block_epoch: timestamp.block_epoch,
            warp_epoch: timestamp.warp_epoch,
            joint_lanes: timestamp.joint_lanes,
        }
    }
}

/// The relation of an earlier access group to the access in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessRelation {
    /// The group is empty, or all its accesses are from an earlier block.
    None,
    /// All accesses of the group are ordered before this access and before all later accesses.
    Over,
    /// All accesses of the group are ordered before this access, but perhaps not before all later accesses.
    Before,
    /// At least one access of the group is concurrent with this access.
    Concurrent,
}

impl ShadowAccess<'_> {
    #[inline]
    pub(crate) fn entry(&self) -> PackedAccess {
        PackedAccess::new(self.now.thread, self.timestamp)
    }

    /// Returns the relation of an earlier access group to this access. `entry` contains the first representative
    /// thread of the group and its timestamp, and `second` is the second representative thread or [`NO_THREAD`].
    #[inline]
    pub(crate) fn relation(&self, entry: PackedAccess, second: u32) -> AccessRelation {
        if entry == PackedAccess::NONE {
            return AccessRelation::None;
        }
        let (order, now, timestamps) = (self.order, self.now, self.timestamps);
        let index = entry.index();
        if order.is_block_own && index < timestamps.bounds.section {
            // Accesses before a barrier of the block need no comparison of epochs.
            let is_old = index < timestamps.bounds.block;
            return if is_old {
                AccessRelation::None
            } else {
                AccessRelation::Over
            };
        }
        let timestamp = timestamps.list[index as usize];
        let is_before = |thread| {
            order.before(thread, timestamp.block_epoch, timestamp.warp_epoch, now)
                || order.is_joint(thread, timestamp.joint_lanes, now)
        };
        if !is_before(entry.thread()) || (second != NO_THREAD && !is_before(second)) {
            AccessRelation::Concurrent
        } else {
            AccessRelation::Before
        }
    }

    /// Returns true if a group of earlier accesses already represents this access, so that recording it would leave
    /// the group unchanged. `entry` contains the first representative thread of the group and its timestamp, and
    /// `second` is the second representative thread or [`NO_THREAD`].
    #[inline]
    pub(crate) fn is_in(&self, entry: PackedAccess, second: u32) -> bool {
        entry.index() == self.timestamp
            && second != NO_THREAD
            && self.order.same_warp(entry.thread(), self.now)
    }

    /// Returns true if no later access can conflict with `group`.
    pub(crate) fn is_over(&self, group: &AccessGroup) -> bool {
        !group.is_live(self.order)
            || (self.order.is_block_own && group.block_epoch < self.now.block_epoch)
    }

    /// Packs `group`, or returns `None` if it cannot be packed. A group can be packed if one of these conditions
    /// holds:
    /// - the group is empty
    /// - its instruction, epochs and lane mask are those of this access
    /// - it equals `old`, which is the packed group before this access
    pub(crate) fn pack(
        &self,
        group: &AccessGroup,
        old: (PackedAccess, u32),
    ) -> Option<(PackedAccess, u32)> {
        let now = self.now;
        let own = (now.op, now.block_epoch, now.warp_epoch, now.joint_lanes);
        if group.first == NO_THREAD {
            Some((PackedAccess::NONE, NO_THREAD))
        } else if (
            group.op,
            group.block_epoch,
            group.warp_epoch,
            group.joint_lanes,
        ) == own
        {
            Some((PackedAccess::new(group.first, self.timestamp), group.second))
        } else {
            let is_old = old.0.as_cell().is_none() && old.0.group(old.1, self.timestamps) == *group;
            is_old.then_some(old)
        }
    }
}
