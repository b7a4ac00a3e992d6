//! The state of shared memory on an executed path: accesses in flight, mbarriers, written bytes.

use super::clocks::{Moment, Party, TeamClock};
use crate::analysis::effects::{Channel, OpId};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bytes {
    pub(super) allocation: OpId,
    pub(super) from: u32,
    pub(super) to: u32,
    /// False if the access covers an unknown part of the range.
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
    /// The completion; `None` while unknown.
    pub(super) end: Option<Moment>,
}

impl Access {
    /// Returns true if both accesses certainly touch a common byte, and at least one writes.
    pub(super) const fn conflicts_with(&self, other: &Self) -> bool {
        (self.is_write || other.is_write) && self.bytes.certainly_overlaps(other.bytes)
    }

    /// Returns true if the completion of the access is in the past of `clock`.
    pub(super) fn is_complete(&self, clock: &TeamClock) -> bool {
        self.end.is_some_and(|end| clock.is_after(end))
    }
}

/// The groups in flight on one channel.
#[derive(Debug, Default)]
pub(super) struct PathQueue {
    pub(super) open: Vec<Access>,
    /// Sequence number and accesses of each group, youngest group last.
    pub(super) groups: Vec<(u32, Vec<Access>)>,
    /// Number of groups closed so far.
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

    fn all(&self) -> impl Iterator<Item = &Access> {
        let groups = self.groups.iter().flat_map(|(_, group)| group);
        groups.chain(&self.open)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        let groups = self.groups.iter_mut().flat_map(|(_, group)| group);
        groups.chain(&mut self.open)
    }
}

/// Queues of the warps that execute one region.
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
    /// Bytes that the current phase still expects.
    pub(super) bytes: i64,
    pub(super) phase: u64,
    /// Copies that count towards the current phase.
    pub(super) open: Vec<Access>,
    /// Copies of earlier phases that no wait has observed.
    pub(super) ended: Vec<Access>,
    /// Waits for the preceding phase, recorded while several teams run.
    pub(super) waits: Vec<(OpId, Moment)>,
    /// Joined clocks of all arrivals in the current phase.
    pub(super) arrived: TeamClock,
    /// Joined clocks of all arrivals in completed phases.
    pub(super) released: TeamClock,
}

impl Mbarrier {
    /// Completes the current phase. Returns the waits for the preceding phase that may still be pending at this
    /// moment, since nothing orders them before the completion.
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
    /// Keyed by the first warp of a region.
    queues: BTreeMap<u32, WarpQueues>,
    /// Keyed by the allocating operation, and the first byte in the buffer.
    pub(super) mbarriers: BTreeMap<(OpId, u32), Mbarrier>,
    /// Number of mbarriers initialised so far.
    initialised: usize,
    pub(super) written: Vec<Bytes>,
    /// True if a masked access may have written bytes that are not in `written`.
    pub(super) is_masked: bool,
    /// Complete accesses; recorded only while several teams run.
    pub(super) complete: Vec<Access>,
    /// Reads of bytes without an earlier write; recorded only while several teams run.
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

    /// Records a complete access while several teams run. Replaces an earlier access to the same bytes by the same
    /// party.
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

    /// Applies a barrier of all teams. Only accesses in flight can conflict with later accesses.
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
