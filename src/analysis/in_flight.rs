//! Asynchronous accesses in flight before each operation, and accesses observed by each wait.
//!
//! A forward data-flow analysis ([`ForwardAnalysis`]). The state has one queue of groups per channel, youngest first,
//! and an open group. A commit closes the open group; a wait keeps only the n youngest groups. The join unites
//! corresponding groups of two queues, youngest first. Queues are bounded by the largest n of any wait, with older
//! groups merged.
//!
//! ```text
//! copy A; commit; copy B; commit      [B] [A]
//! wait 1                              [B]         A has landed in the thread that waits
//! read A                              correct after a barrier
//! read B                              conflict: B is in flight
//! ```
//! A write in flight conflicts with every access to its bytes, a read in flight with writes. A conflict is reported
//! only if the bytes certainly overlap on some path: both byte ranges are exact, both accesses use the same value, or a
//! read uses a dynamic part of a buffer before any write. Other conflicts in rotating buffers are left to
//! [`concrete`](super::concrete).
//!
//! A copy of a thread may be attached to the phase of an mbarrier. It then is in two queues, and the first wait on
//! either channel removes it from both.
//!
//! A wait for one of several mbarriers, chosen at run time, observes the oldest phase of all of them. Afterwards, no
//! other access is certainly in flight.
//!
//! In a region of `ttg.warp_specialize`, a wait for an mbarrier may follow other warps' observation of an access.
//! Afterwards, only the waiting warps' own products and TMA stores are certainly in flight. After the join, accesses
//! that complete on an mbarrier and were started in a region count as complete: [`concrete`](super::concrete) finds
//! copies without a wait.

use super::alias::{Aliases, PointsTo};
use super::effects::{AccessTarget, Act, AsyncAccess, Channel, OpId, Proxy, Team, ValueId};
use super::flow::{Edge, Event, Flow, ForwardAnalysis, LoopCrossing};
use super::slots::Slot;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Identifies an act by its operation, and by its index in the `Effects::acts` of this operation.
pub(crate) type ActId = (OpId, usize);

type Starts = HashMap<ActId, (AsyncAccess, PointsTo)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    starts: Starts,
    /// For each operation, the buffers that have an access in flight before it.
    before: HashMap<OpId, BTreeSet<OpId>>,
    /// For each wait on commit groups, the accesses whose completion it observes, each with its slot if known. Only
    /// the waiting thread observes their completion. Waits on mbarriers are absent.
    observed: HashMap<ActId, BTreeMap<ActId, Option<Slot>>>,
    /// Pairs of an operation that starts an access, and an operation that conflicts with this access while it is in
    /// flight.
    conflicts: BTreeSet<(OpId, OpId)>,
}

/// An access that may be in flight. Where paths join, a flag is true if it is true on at least one of the paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct InFlightAccess {
    /// True if the access is known to be in flight on at least one path.
    is_certain: bool,
    /// True if the value through which the access was started still refers to the accessed bytes. False if the
    /// value may have been defined again, for example in the next iteration.
    is_current: bool,
    /// True if the access is a write, and no write to the accessed buffer has completed yet.
    is_first: bool,
    /// The accessed slot relative to the current iteration, if it is known and equal on all paths.
    slot: Option<Slot>,
}

type AccessGroup = BTreeMap<ActId, InFlightAccess>;

fn join(group: &mut AccessGroup, other: &AccessGroup) {
    for (act, there) in other {
        let access = group.entry(*act).or_insert(*there);
        access.is_certain |= there.is_certain;
        access.is_current |= there.is_current;
        access.is_first |= there.is_first;
        access.slot = access.slot.filter(|slot| there.slot == Some(*slot));
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct GroupQueue {
    open: AccessGroup,
    /// Closed groups, youngest first.
    groups: Vec<AccessGroup>,
}

impl GroupQueue {
    fn all(&mut self) -> impl Iterator<Item = (&ActId, &mut InFlightAccess)> {
        self.groups
            .iter_mut()
            .chain([&mut self.open])
            .flat_map(|group| group.iter_mut())
    }

    fn commit(&mut self, max_groups: usize) {
        self.groups.insert(0, std::mem::take(&mut self.open));
        while self.groups.len() > max_groups {
            let oldest = self.groups.pop().unwrap_or_default();
            if let Some(last) = self.groups.last_mut() {
                join(last, &oldest);
            }
        }
    }

    fn union(&self) -> AccessGroup {
        let mut all = self.open.clone();
        self.groups.iter().for_each(|group| join(&mut all, group));
        all
    }

    fn join(&mut self, other: &Self) {
        join(&mut self.open, &other.open);
        let more = other.groups.len().max(self.groups.len());
        self.groups.resize_with(more, AccessGroup::new);
        for (group, there) in self.groups.iter_mut().zip(&other.groups) {
            join(group, there);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct QueueKey {
    channel: Channel,
    /// Operation that allocates the mbarrier. `None` if this operation is unknown, or if the channel has no
    /// mbarrier.
    mbarrier: Option<OpId>,
    /// First warp of the region whose warps wait for the accesses; 0 for an mbarrier.
    ///
    /// The default region of a `ttg.warp_specialize` and the code around the `ttg.warp_specialize` have the same
    /// first warp.
    first_warp: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct InFlightState {
    queues: BTreeMap<QueueKey, GroupQueue>,
    /// Buffers with at least one completed write.
    written: BTreeSet<OpId>,
}

impl InFlightState {
    fn join(&mut self, other: &Self) {
        for (key, queue) in &other.queues {
            self.queues.entry(*key).or_default().join(queue);
        }
        self.written.extend(&other.written);
    }

    fn all(&mut self) -> impl Iterator<Item = (&ActId, &mut InFlightAccess)> {
        self.queues.values_mut().flat_map(GroupQueue::all)
    }

    /// Records that `values` are defined again, for example in the next iteration. An access in flight that was
    /// started through one of these values may use other bytes than those to which the value refers now.
    fn define(&mut self, values: &[ValueId], starts: &Starts) {
        for (act, access) in self.all() {
            if let AccessTarget::Buffer(value) = starts[act].0.target
                && values.contains(&value)
            {
                access.is_current = false;
            }
        }
    }

    /// Removes the accesses in `done`, which a wait on `channel` has observed, from other channels: from the commit
    /// groups if `channel` is an mbarrier, and from the mbarriers otherwise.
    fn detach(&mut self, channel: Channel, done: &AccessGroup) {
        let is_by_all = channel.is_observed_by_all();
        let others = self.queues.iter_mut();
        let others = others.filter(|(key, _)| key.channel.is_observed_by_all() != is_by_all);
        for (_, queue) in others {
            let groups = queue.groups.iter_mut().chain([&mut queue.open]);
            groups.for_each(|group| group.retain(|act, _| !done.contains_key(act)));
        }
    }

    fn write(&mut self, bytes: &PointsTo, starts: &Starts) {
        self.written.extend(bytes.buffers.keys());
        for (act, access) in self.all() {
            let there = &starts[act].1.buffers;
            access.is_first &= !bytes
                .buffers
                .keys()
                .any(|buffer| there.contains_key(buffer));
        }
    }
}

impl InFlight {
    pub(crate) fn of(flow: &Flow, aliases: &Aliases) -> Self {
        let mut found = Self::default();
        let mut max_groups = 8;
        for event in flow.events() {
            for (i, act) in event.effects.acts.iter().enumerate() {
                match act {
                    Act::Start(access) => {
                        // The slot belongs to the state, since the observation may be in another iteration.
                        let bytes = aliases.accessed(event.op, &event.effects, access.target);
                        let bytes = bytes.in_slot(None);
                        found.starts.insert((event.op, i), (*access, bytes));
                    }
                    Act::Observe { at_most, .. } => {
                        max_groups = max_groups.max(*at_most as usize + 1);
                    }
                    _ => {}
                }
            }
        }
        if found.starts.is_empty() {
            return found;
        }
        let blocks = flow.blocks.iter().filter(|block| block.team != Team::BLOCK);
        let teams =
            blocks.flat_map(|block| block.events.iter().map(|event| (event.op, block.team)));
        let mut analysis = InFlightAnalysis {
            found,
            aliases,
            max_groups,
            teams: teams.collect(),
        };
        flow.forward(&mut analysis, InFlightState::default());
        analysis.found
    }

    /// Returns pairs of an operation that starts an access, and an operation that conflicts with this access while
    /// it is in flight.
    pub(crate) const fn conflicts(&self) -> &BTreeSet<(OpId, OpId)> {
        &self.conflicts
    }

    /// Returns the buffers with an access in flight before `op`.
    pub(crate) fn before(&self, op: OpId) -> impl Iterator<Item = OpId> + '_ {
        self.before.get(&op).into_iter().flatten().copied()
    }

    /// Returns the accesses whose completion only the waiting thread observes at the wait `act`. The result is
    /// empty for a wait on an mbarrier, whose completion all threads observe.
    pub(crate) fn observed(
        &self,
        act: ActId,
    ) -> impl Iterator<Item = (AsyncAccess, PointsTo)> + '_ {
        let acts = self.observed.get(&act).into_iter().flatten();
        acts.map(|(act, slot)| {
            let (access, bytes) = &self.starts[act];
            (*access, bytes.clone().in_slot(*slot))
        })
    }

    pub(crate) fn has_async_proxy(&self) -> bool {
        let mut starts = self.starts.values();
        starts.any(|(start, _)| start.proxy == Proxy::Async)
    }
}

struct InFlightAnalysis<'a> {
    found: InFlight,
    aliases: &'a Aliases,
    max_groups: usize,
    teams: HashMap<OpId, Team>,
}

impl ForwardAnalysis for InFlightAnalysis<'_> {
    type State = InFlightState;

    fn event(&mut self, event: &Event, state: &mut InFlightState) {
        let Event { op, ref effects } = *event;
        let (aliases, starts) = (self.aliases, &self.found.starts);
        let allocated = effects.allocation.iter().map(|allocation| allocation.value);
        let views = effects.views.iter().map(|view| view.result);
        let defined: Vec<ValueId> = allocated.chain(views).collect();
        state.define(&defined, starts);
        self.leave(op, state);
        let buffers = state
            .all()
            .flat_map(|(act, _)| starts[act].1.buffers.keys());
        self.found.before.entry(op).or_default().extend(buffers);
        for (i, act) in effects.acts.iter().enumerate() {
            match *act {
                Act::Read(target) => {
                    let bytes = aliases.accessed(op, effects, target);
                    self.access(op, (target, &bytes, false), state);
                }
                Act::Write(target) => {
                    let bytes = aliases.accessed(op, effects, target);
                    self.access(op, (target, &bytes, true), state);
                    state.write(&bytes, &self.found.starts);
                }
                Act::Start(start) => {
                    let bytes = self.found.starts[&(op, i)].1.clone();
                    self.access(op, (start.target, &bytes, start.is_write), state);
                    let is_written = |buffer| state.written.contains(buffer);
                    let access = InFlightAccess {
                        is_certain: true,
                        is_current: true,
                        is_first: start.is_write && !bytes.buffers.keys().any(is_written),
                        slot: aliases.accessed(op, effects, start.target).slot,
                    };
                    let key = self.key(op, start.channel);
                    let queue = state.queues.entry(key).or_default();
                    queue.open.insert((op, i), access);
                }
                Act::Commit(channel) => {
                    let queue = state.queues.entry(self.key(op, channel)).or_default();
                    // Empty groups count; empty phases do not.
                    if !channel.is_observed_by_all() || !queue.open.is_empty() {
                        queue.commit(self.max_groups);
                    }
                }
                Act::Attach(mbarrier) => {
                    let copies = state.queues.get(&self.key(op, Channel::Copies));
                    let accesses = copies.map(GroupQueue::union).unwrap_or_default();
                    let key = self.key(op, Channel::Mbarrier(mbarrier));
                    let queue = state.queues.entry(key).or_default();
                    join(&mut queue.open, &accesses);
                }
                Act::Observe { channel, at_most } => {
                    let done = self.observe(op, (channel, at_most as usize), state);
                    state.detach(channel, &done);
                    if channel.is_observed_by_all() {
                        self.synchronise(op, state);
                    }
                    for act in done.keys().filter(|act| self.found.starts[act].0.is_write) {
                        state.write(&self.found.starts[act].1, &self.found.starts);
                    }
                    if !channel.is_observed_by_all() {
                        let observed = self.found.observed.entry((op, i)).or_default();
                        for (act, access) in done {
                            let slot = observed.entry(act).or_insert(access.slot);
                            *slot = slot.filter(|slot| access.slot == Some(*slot));
                        }
                    }
                }
                Act::Barrier | Act::Sync(_) | Act::Stagger(_) | Act::Fence => {}
            }
        }
    }

    fn edge(&mut self, edge: &Edge, state: &mut InFlightState) {
        let defined: Vec<ValueId> = edge.passes.iter().map(|(_, to)| *to).collect();
        state.define(&defined, &self.found.starts);
        for (act, access) in state.all() {
            access.slot = match (access.slot, edge.crossing) {
                (Some(slot), _) => slot.across(edge),
                (None, Some(LoopCrossing::Enter(number))) => {
                    let (_, bytes) = &self.found.starts[act];
                    self.aliases.slot_on_entry(number, bytes)
                }
                (None, _) => None,
            };
        }
    }

    fn join(state: &mut InFlightState, other: &InFlightState) {
        state.join(other);
    }
}

impl InFlightAnalysis<'_> {
    /// Records the conflicts between an access by `op` and the accesses in flight.
    fn access(
        &mut self,
        op: OpId,
        (target, bytes, is_write): (AccessTarget, &PointsTo, bool),
        state: &mut InFlightState,
    ) {
        for (act, access) in state.all() {
            let (start, there) = &self.found.starts[act];
            if !access.is_certain || !(is_write || start.is_write) || !there.overlaps(bytes) {
                continue;
            }
            let is_exact = there.is_exact() && bytes.is_exact();
            let is_same = access.is_current && start.target == target;
            let is_first = !is_write && access.is_first && !bytes.is_exact();
            if is_exact || is_same || is_first {
                self.found.conflicts.insert((act.0, op));
            }
        }
    }

    /// Treats mbarrier accesses as complete after the region of `ttg.warp_specialize` in which they were started.
    /// `op` is the current operation. An access is complete if it was started in a region that does not contain
    /// `op`.
    fn leave(&self, op: OpId, state: &mut InFlightState) {
        if self.teams.is_empty() {
            return;
        }
        let starts = &self.found.starts;
        let is_left = |act: &ActId| {
            let is_within = self.team(act.0).contains(self.team(op));
            starts[act].0.channel.is_observed_by_all() && !is_within
        };
        let left: Vec<ActId> = state.all().map(|(act, _)| *act).filter(is_left).collect();
        for act in left {
            for queue in state.queues.values_mut() {
                let groups = queue.groups.iter_mut().chain([&mut queue.open]);
                for group in groups {
                    group.remove(&act);
                }
            }
            if starts[&act].0.is_write {
                state.write(&starts[&act].1, starts);
            }
        }
    }

    fn team(&self, op: OpId) -> Team {
        self.teams.get(&op).copied().unwrap_or_default()
    }

    fn key(&self, op: OpId, channel: Channel) -> QueueKey {
        let mbarrier = match channel {
            Channel::Mbarrier(value) => self.aliases.get(value).buffers.keys().next().copied(),
            Channel::Copies | Channel::BulkStores | Channel::Products => None,
        };
        let is_mbarrier = channel.is_observed_by_all();
        QueueKey {
            channel: if is_mbarrier {
                Channel::Mbarrier(0)
            } else {
                channel
            },
            mbarrier,
            first_warp: if is_mbarrier {
                0
            } else {
                self.team(op).first_warp
            },
        }
    }

    /// Updates the state at an mbarrier wait in a region of `ttg.warp_specialize`.
    ///
    /// Before other warps arrived at the mbarrier, they may have waited for their own accesses. Copies and mbarrier
    /// accesses may themselves have caused an arrival when they completed. All these accesses are no longer
    /// certainly in flight.
    fn synchronise(&self, op: OpId, state: &mut InFlightState) {
        let team = self.team(op);
        if team == Team::BLOCK {
            return;
        }
        for (act, access) in state.all() {
            let is_own = self.team(act.0) == team;
            access.is_certain &= match self.found.starts[act].0.channel {
                Channel::Products | Channel::BulkStores => is_own,
                // Copies may arrive at an mbarrier when they complete.
                Channel::Copies | Channel::Mbarrier(_) => false,
            };
        }
    }

    /// Applies a wait that returns once at most `at_most` groups are in flight on `channel`. Removes the other
    /// groups, which are then complete, from the state, and returns their union.
    fn observe(
        &self,
        op: OpId,
        (channel, mut at_most): (Channel, usize),
        state: &mut InFlightState,
    ) -> AccessGroup {
        let Some(queue) = state.queues.get_mut(&self.key(op, channel)) else {
            return AccessGroup::new();
        };
        if let Channel::Mbarrier(value) = channel {
            // The phase completes all accesses started for it.
            if !queue.open.is_empty() {
                queue.commit(self.max_groups);
            }
            if !self.aliases.is_whole(value) {
                at_most = queue.groups.len().saturating_sub(1);
            }
        }
        let done = queue.groups.split_off(at_most.min(queue.groups.len()));
        if channel.is_observed_by_all() {
            queue
                .all()
                .for_each(|(_, access)| access.is_certain = false);
        }
        done.iter().fold(AccessGroup::new(), |mut all, group| {
            join(&mut all, group);
            all
        })
    }
}
