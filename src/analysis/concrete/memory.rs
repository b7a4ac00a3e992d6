//! The state of shared memory on an executed path: accesses in flight, mbarriers, written bytes.

use super::clocks::{Moment, Party, TeamClock};
use crate::analysis::effects::{Channel, OpId};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bytes {
    pub(super) allocation: OpId,
    pub(super) from: u32,
    pub(super) to: u32,
    /// True if the whole range from `from` to `to` is meant. False if only an unknown part of the range is meant.
    pub(super) is_exact: bool,
}

impl Bytes {
    pub(super) const fn overlaps(self, other: Self) -> bool {
        self.allocation == other.allocation && self.from < other.to && other.from < self.to
    }

    const fn contains(self, other: Self) -> bool {
        self.allocation == other.allocation && self.from <= other.from && other.to <= self.to
    }

    const fn certainly_overlaps(self, other: Self) -> bool {
        match (self.is_exact, other.is_exact) {
            (true, true) => self.overlaps(other),
            (true, false) => self.contains(other),
            (false, true) => other.contains(self),
            (false, false) => false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) op: OpId,
    pub(super) bytes: Bytes,
    pub(super) is_write: bool,
    pub(super) start: Moment,
    /// The moment of completion, or `None` while it is unknown.
    pub(super) end: Option<Moment>,
}

impl Access {
    /// Returns true if `self` and `other` certainly touch a common byte, and at least one of them is a write.
    pub(super) const fn conflicts_with(&self, other: &Self) -> bool {
        (self.is_write || other.is_write) && self.bytes.certainly_overlaps(other.bytes)
    }

    /// Returns true if `self` and `other` describe the same access. An access can be recorded on several channels.
    fn is_same_as(&self, other: &Self) -> bool {
        self.op == other.op && self.bytes == other.bytes && self.start == other.start
    }

    /// Returns true if the completion of the access is in the past of `clock`.
    pub(super) fn is_complete(&self, clock: &TeamClock) -> bool {
        self.end.is_some_and(|end| clock.is_after(end))
    }
}

/// The asynchronous accesses in flight on one channel, grouped by commit.
#[derive(Debug, Default)]
pub(super) struct PathQueue {
    pub(super) open: Vec<Access>,
    /// Sequence number and accesses of each group, youngest group last.
    pub(super) groups: Vec<(u32, Vec<Access>)>,
    /// Number of groups committed so far.
    pub(super) closed: u32,
}

impl PathQueue {
    pub(super) fn commit(&mut self) {
        let group = std::mem::take(&mut self.open);
        self.groups.push((self.closed, group));
        self.closed += 1;
    }

    pub(super) fn has_group(&self, group: u32) -> bool {
        self.groups.iter().any(|(other, _)| *other == group)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Access> {
        let groups = self.groups.iter().flat_map(|(_, group)| group);
        groups.chain(&self.open)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        let groups = self.groups.iter_mut().flat_map(|(_, group)| group);
        groups.chain(&mut self.open)
    }
}

/// The queues of asynchronous accesses, one per channel, for the warps that execute one region.
#[derive(Debug, Default)]
pub(super) struct WarpQueues {
    copies: PathQueue,
    bulk_stores: PathQueue,
    pub(super) products: PathQueue,
}

impl WarpQueues {
    pub(super) const fn queue(&mut self, channel: Channel) -> Option<&mut PathQueue> {
        match channel {
            Channel::Copies => Some(&mut self.copies),
            Channel::BulkStores => Some(&mut self.bulk_stores),
            Channel::Products => Some(&mut self.products),
            Channel::Mbarrier(_) => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Mbarrier {
    pub(super) party: Party,
    pub(super) count: u32,
    pub(super) pending: u32,
    /// Number of bytes that the current phase still expects.
    pub(super) bytes: i64,
    pub(super) phase: u64,
    /// Copies that are complete when the current phase completes.
    pub(super) open: Vec<Access>,
    /// Copies that completed with an earlier phase, and whose completion no wait has observed yet.
    pub(super) ended: Vec<Access>,
    /// The operations that have waited for the phase before the current one, each with the moment of its wait. They
    /// are recorded only while several teams run.
    pub(super) waits: Vec<(OpId, Moment)>,
    /// Join of the clocks of all arrivals in the current phase.
    pub(super) arrived: TeamClock,
    /// Join of the clocks of all arrivals in completed phases.
    pub(super) released: TeamClock,
}

impl Mbarrier {
    /// Completes the current phase. Returns those waits for the preceding phase that nothing orders before this
    /// completion. In another schedule, such a wait could still be pending now.
    pub(super) fn complete(&mut self) -> Vec<OpId> {
        self.pending = self.count;
        self.phase += 1;
        let end = Moment {
            party: self.party,
            time: self.phase,
        };
        self.released.join(&std::mem::take(&mut self.arrived));
        let copies = std::mem::take(&mut self.open).into_iter();
        self.ended.extend(copies.map(|access| Access {
            end: Some(end),
            ..access
        }));
        let waits = std::mem::take(&mut self.waits).into_iter();
        let overtaken = waits.filter(|(_, moment)| !self.released.is_after(*moment));
        overtaken.map(|(op, _)| op).collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct PathState {
    /// The queues of the warps that execute each region. The key is the first warp of the region.
    queues: BTreeMap<u32, WarpQueues>,
    /// The initialised mbarriers, keyed by the operation that allocates the buffer and by the first byte of the
    /// mbarrier in this buffer.
    pub(super) mbarriers: BTreeMap<(OpId, u32), Mbarrier>,
    /// Number of mbarriers initialised so far.
    initialised: usize,
    pub(super) written: Vec<Bytes>,
    /// True after an operation was skipped because its predicate is false, or after a write whose target is unknown
    /// or in a different function. From then on, a read of bytes that are not in `written` is not reported.
    pub(super) is_masked: bool,
    /// Completed accesses. They are recorded only while several teams run.
    pub(super) complete: Vec<Access>,
    /// Reads of bytes that no earlier access has written. They are recorded only while several teams run.
    pub(super) unwritten: Vec<Access>,
}

impl PathState {
    pub(super) fn queues(&mut self, first_warp: u32) -> &mut WarpQueues {
        self.queues.entry(first_warp).or_default()
    }

    pub(super) fn in_flight(&self) -> impl Iterator<Item = &Access> {
        let queues = self.queues.values();
        let queues = queues.flat_map(|warps| [&warps.copies, &warps.bulk_stores, &warps.products]);
        let phases = self.mbarriers.values();
        let phases = phases.flat_map(|mbarrier| mbarrier.open.iter().chain(&mbarrier.ended));
        queues.flat_map(PathQueue::all).chain(phases)
    }

    /// Removes the accesses that a wait has observed from all channels. Records them if `is_concurrent` is true.
    pub(super) fn observe(&mut self, observed: Vec<Access>, is_concurrent: bool) {
        let is_left = |access: &Access| !observed.iter().any(|done| done.is_same_as(access));
        for queues in self.queues.values_mut() {
            let copies = &mut queues.copies;
            let groups = copies.groups.iter_mut().map(|(_, group)| group);
            groups
                .chain([&mut copies.open])
                .for_each(|group| group.retain(is_left));
        }
        for mbarrier in self.mbarriers.values_mut() {
            mbarrier.open.retain(is_left);
            mbarrier.ended.retain(is_left);
        }
        if is_concurrent {
            observed.into_iter().for_each(|access| self.record(access));
        }
    }

    pub(super) fn init(&mut self, key: (OpId, u32), count: u32) {
        self.initialised += 1;
        let mbarrier = Mbarrier {
            party: Party::Mbarrier(self.initialised),
            count,
            pending: count,
            bytes: 0,
            phase: 0,
            open: Vec::new(),
            ended: Vec::new(),
            waits: Vec::new(),
            arrived: TeamClock::default(),
            released: TeamClock::default(),
        };
        self.mbarriers.insert(key, mbarrier);
    }

    /// Records a completed access. If an access of the same kind to the same bytes is already recorded, and the
    /// completion of both is a moment of the same party, the new access replaces it. Accesses need to be recorded
    /// only while several teams run.
    pub(super) fn record(&mut self, access: Access) {
        let party = |access: &Access| access.end.map(|end| end.party);
        let same = self.complete.iter_mut().find(|known| {
            known.bytes == access.bytes
                && known.is_write == access.is_write
                && party(known) == party(&access)
        });
        match same {
            Some(known) => *known = access,
            None => self.complete.push(access),
        }
    }

    /// Applies a barrier of all teams. Afterwards, only accesses that are still in flight can conflict with later
    /// accesses.
    pub(super) fn synchronise(&mut self) {
        self.complete.clear();
        for mbarrier in self.mbarriers.values_mut() {
            mbarrier.arrived = TeamClock::default();
            mbarrier.released = TeamClock::default();
            mbarrier.waits.clear();
            let copies = mbarrier.open.iter_mut().chain(&mut mbarrier.ended);
            copies.for_each(|access| access.start = Moment::START);
        }
        for warps in self.queues.values_mut() {
            let queues = [
                &mut warps.copies,
                &mut warps.bulk_stores,
                &mut warps.products,
            ];
            let accesses = queues.into_iter().flat_map(PathQueue::all_mut);
            accesses.for_each(|access| access.start = Moment::START);
        }
    }
}
